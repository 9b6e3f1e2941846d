//! Universes and requests made from manifests, as a folder of packages gives them.

use std::collections::BTreeSet;

use attache_package::formats::FormatName;
use attache_package::{Dependency, Launch, LicenseTier, Manifest, Requirement};
use attache_resolve::{Artifact, Host, Request, Universe, resolve};

use crate::dsl::{Text, name, written};

fn manifest(id: &str, dependencies: &[(&str, &str, bool)], python: Option<&str>) -> Manifest {
    let dependencies = dependencies.iter().map(|(id, range, optional)| Dependency {
        id: name(id),
        range: range.parse().unwrap(),
        optional: *optional,
        description: None,
    });
    Manifest {
        format: FormatName::Lexichord,
        id: name(id),
        version: None,
        display_name: id.to_owned(),
        description: None,
        author: None,
        license: None,
        minimum_license_tier: LicenseTier::Core,
        homepage: None,
        repository: None,
        bugs: None,
        keywords: Vec::new(),
        category: None,
        created_at: None,
        dependencies: dependencies.collect(),
        requirements: vec![Requirement::Runtime {
            name: "python".to_owned(),
            version: python.map(str::to_owned),
        }],
        capabilities: BTreeSet::new(),
        launch: Launch::Entrypoints { names: Vec::new() },
        files: Vec::new(),
    }
}

fn universe(manifests: &[(&str, Manifest)]) -> Universe {
    let mut builder = Universe::builder();
    let registry = builder.registry("folder");
    for (version, manifest) in manifests {
        let artifact = Artifact {
            registry,
            digest: None,
            size: 1,
            url: None,
            yanked: false,
            absent: false,
        };
        let release = version.parse().unwrap();
        builder.add_manifest(manifest, release, artifact).unwrap();
    }
    builder.build().unwrap()
}

fn host(python: &str) -> Option<Host> {
    let text = Text::read(&format!("host linux/amd64 runtime:python={python}"));
    text.request.host
}

#[test]
fn a_manifest_is_a_version_and_a_request() {
    let universe = universe(&[
        ("1.0.0", manifest("tool", &[], Some(">=3.10,<4"))),
        ("2.0.0", manifest("tool", &[], Some("3.13"))),
        ("1.0.0", manifest("extra", &[("tool", "^2", false)], None)),
    ]);
    let app = manifest("app", &[("tool", "*", false), ("extra", "*", true)], None);
    let mut request = Request::for_manifest(&app).unwrap();
    let mut answer = |python: &str| {
        request.host = host(python);
        written(&resolve(&universe, &request))
    };
    assert_eq!(answer("3.12.4"), "tool 1.0.0, without extra");
    assert_eq!(answer("3.13.1"), "extra 1.0.0, tool 2.0.0");
    assert_eq!(answer("4.0.0"), "conflict of 3");
}

#[test]
fn a_runtime_that_is_no_range_is_refused_with_its_place() {
    let strange = manifest("a", &[], Some("three"));
    let error = Request::for_manifest(&strange).unwrap_err();
    assert_eq!(error.given, "three");
    assert_eq!(error.position, 1);
}

#[test]
fn a_universe_tells_what_it_knows() {
    let text = Text::read(
        "
        registries main other
        bind com.acme other
        com.acme.a 1.0.0 @other
        com.acme.a 1.1.0 @other yanked
        com.acme.a 2.0.0 @main
        b 1.0.0: ghost *",
    );
    let universe = text.universe();
    let names: Vec<&str> = universe
        .names()
        .map(attache_package::PackageName::as_str)
        .collect();
    assert_eq!(names, ["b", "com.acme.a"]);
    let candidates = universe.candidates(&name("com.acme.a"));
    assert_eq!(candidates, [&"1.0.0".parse().unwrap()]);
    let origin = |id| universe.origin(&name(id));
    assert_eq!(origin("com.acme.a"), Some(("other", Some("com.acme"))));
    assert_eq!(origin("b"), Some(("main", None)));
    assert_eq!(origin("ghost"), None);
}
