//! pubgrub's own large case: every version of every package as the root, one after another.
//!
//! The bare solver and we resolve the same universe from the same roots, taking turns, and must
//! agree on which of them have an answer. The data is pubgrub's, so it is not kept here:
//! `cargo xtask bench --large-case FILE` names it. Prints one line of JSON.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench has nobody to report to but xtask"
)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use attache_resolve::{Artifact, Edge, Entry, Failure, Request, Universe, Wanted, resolve};
use pubgrub::{OfflineDependencyProvider, Ranges};
use serde_json::json;

/// How often each side goes through all roots.
const ROUNDS: usize = 21;

/// From a version to just before another one, or to the end.
type Span = (u32, Option<u32>);
/// The dependencies of each version of each package.
type Packages = BTreeMap<u16, BTreeMap<u32, BTreeMap<u16, Vec<Span>>>>;
type Bare = OfflineDependencyProvider<u16, Ranges<u32>>;

fn main() {
    let file = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let Some(file) = file else {
        println!("give the data: cargo bench --bench large_case -- FILE");
        return;
    };
    let text = fs_err::read_to_string(file).unwrap();
    let packages: Packages = serde_json::from_str(&as_json(&text)).unwrap();
    let (bare, ours) = (bare(&packages), ours(&packages));
    let roots: Vec<(u16, u32)> = packages
        .iter()
        .flat_map(|(package, versions)| versions.keys().map(|version| (*package, *version)))
        .collect();
    let requests: Vec<Request<'_>> = roots.iter().map(request).collect();
    let unexplained: Vec<Request<'_>> = requests.iter().map(unexplained).collect();

    let mut sides = [const { Vec::new() }; 3];
    let mut solvable = 0;
    for _ in 0..ROUNDS {
        let (time, expected) = timed(&roots, |(package, version)| {
            pubgrub::resolve(&bare, *package, *version).is_ok()
        });
        solvable = expected.iter().filter(|has_answer| **has_answer).count();
        sides[0].push(time);
        for (side, requests) in sides[1..].iter_mut().zip([&requests, &unexplained]) {
            let (time, found) = timed(requests, |request| has_answer(&ours, request));
            side.push(time);
            assert_eq!(found, expected, "we and the bare solver disagree");
        }
    }
    let [bare, ours, unexplained] = sides.map(median);
    let result = json!({
        "packages": packages.len(),
        "roots": roots.len(),
        "solvable": solvable,
        "rounds": ROUNDS,
        "bare": bare,
        "ours": ours,
        "unexplained": unexplained,
    });
    println!("{result}");
}

/// Rewrites the data, which has nothing but numbers in it, from RON to JSON.
fn as_json(text: &str) -> String {
    let text = text.replace("None", "null").replace("Some(", "");
    let text: String = text.split_whitespace().collect();
    let text = text.replace("))", "]").replace('(', "[").replace(')', "]");
    let text = text.replace(",}", "}").replace(",]", "]");
    let mut json = String::with_capacity(text.len() * 2);
    for word in text.split_inclusive([':', ',', '{', '}', '[', ']']) {
        match word.strip_suffix(':') {
            Some(key) => json.extend(["\"", key, "\":"]),
            None => json.push_str(word),
        }
    }
    json
}

fn bare(packages: &Packages) -> Bare {
    let mut bare = Bare::new();
    for (package, versions) in packages {
        for (version, dependencies) in versions {
            let ranges = dependencies.iter().map(|(to, spans)| {
                let spans = spans.iter().map(|(start, end)| match end {
                    Some(end) => Ranges::between(*start, *end),
                    None => Ranges::higher_than(*start),
                });
                let all = spans.fold(Ranges::empty(), |all, span| all.union(&span));
                (*to, all)
            });
            bare.add_dependencies(*package, *version, ranges);
        }
    }
    bare
}

fn ours(packages: &Packages) -> Universe {
    let mut builder = Universe::builder();
    let registry = builder.registry("large case");
    for (package, versions) in packages {
        let id = builder.package(&format!("p{package}")).unwrap();
        for (version, dependencies) in versions {
            let dependencies = dependencies.iter().map(|(to, spans)| {
                let spans = spans.iter().map(|(start, end)| match end {
                    Some(end) => format!(">={start}.0.0 <{end}.0.0"),
                    None => format!(">={start}.0.0"),
                });
                let range = spans.collect::<Vec<_>>().join(" || ");
                Edge {
                    package: builder.package(&format!("p{to}")).unwrap(),
                    range: builder.range(&range).unwrap(),
                    optional: false,
                }
            });
            let entry = Entry {
                dependencies: dependencies.collect(),
                needs: Vec::new(),
                artifact: Artifact {
                    registry,
                    digest: None,
                    size: 0,
                    url: None,
                    yanked: false,
                    absent: false,
                },
            };
            builder.add(id, format!("{version}.0.0").parse().unwrap(), entry);
        }
    }
    builder.build().unwrap()
}

fn request((package, version): &(u16, u32)) -> Request<'static> {
    Request {
        wanted: vec![Wanted {
            id: format!("p{package}").parse().unwrap(),
            range: format!("={version}.0.0").parse().unwrap(),
            optional: false,
        }],
        ..Request::default()
    }
}

/// The bare solver hands out its proof as it is, so this comes nearest to it.
fn unexplained(request: &Request<'static>) -> Request<'static> {
    let mut request = request.clone();
    request.limits.explanation_steps = 0;
    request
}

/// Returns whether there is an answer. The data has no circles, so that is no third verdict.
fn has_answer(universe: &Universe, request: &Request<'_>) -> bool {
    match resolve(universe, request) {
        Ok(_) => true,
        Err(Failure::Conflict(_)) => false,
        Err(other) => panic!("{other}"),
    }
}

fn timed<T>(roots: &[T], resolve: impl Fn(&T) -> bool) -> (Duration, Vec<bool>) {
    let start = Instant::now();
    let verdicts = roots.iter().map(resolve).collect();
    (start.elapsed(), verdicts)
}

/// Returns the median in nanoseconds.
fn median(mut times: Vec<Duration>) -> u64 {
    times.sort();
    u64::try_from(times[times.len() / 2].as_nanos()).unwrap()
}
