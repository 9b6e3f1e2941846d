//! The made-up packages of `bench/universe.rs`, as this crate takes them.

use attache_package::PackageName;
use attache_resolve::{Artifact, Edge, Entry, Request, Universe, Wanted};

#[path = "../../../../bench/universe.rs"]
pub(crate) mod universe;

/// One version of a package as an index gives it: in text.
pub(crate) struct Line {
    id: String,
    version: String,
    dependencies: Vec<(String, String)>,
}

/// Returns a line for each version.
pub(crate) fn lines(made: &universe::Universe) -> Vec<Line> {
    let mut lines = Vec::new();
    for (at, package) in made.packages.iter().enumerate() {
        lines.extend(package.versions.iter().map(|version| Line {
            id: format!("p{at}"),
            version: version.number.to_string(),
            dependencies: version.dependencies.iter().map(written).collect(),
        }));
    }
    lines
}

fn written(dependency: &universe::Dependency) -> (String, String) {
    let universe::Dependency { package, from } = dependency;
    (format!("p{package}"), format!("^{from}"))
}

/// Reads the lines into a universe.
pub(crate) fn build(lines: &[Line]) -> Universe {
    let mut builder = Universe::builder();
    let registry = builder.registry("bench");
    for line in lines {
        let dependencies = line.dependencies.iter().map(|(id, range)| Edge {
            package: builder.package(id).unwrap(),
            range: builder.range(range).unwrap(),
            optional: false,
        });
        let entry = Entry {
            dependencies: dependencies.collect(),
            needs: Vec::new(),
            artifact: Artifact {
                registry,
                digest: None,
                size: 1_234,
                url: None,
                yanked: false,
                absent: false,
            },
        };
        let package = builder.package(&line.id).unwrap();
        builder.add(package, line.version.parse().unwrap(), entry);
    }
    builder.build().unwrap()
}

/// Asks for the roots.
pub(crate) fn request(made: &universe::Universe) -> Request<'static> {
    let wanted = made.roots.iter().map(|root| {
        let (id, range) = written(root);
        Wanted {
            id: id.parse::<PackageName>().unwrap(),
            range: range.parse().unwrap(),
            optional: false,
        }
    });
    Request {
        wanted: wanted.collect(),
        ..Request::default()
    }
}
