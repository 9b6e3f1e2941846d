//! Random universes, small enough that an oracle can try everything.

use std::collections::BTreeMap;

use attache_resolve::{Failure, Locked, Resolution, Strategy as Liking, Suggestion, Wanted};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;

use crate::dsl::Text;
use crate::oracle::{Oracle, said};

const NAMES: [&str; 5] = ["a", "b", "c.x", "c.y", "d"];
const VERSIONS: [&str; 4] = ["1.0.0", "1.1.0", "2.0.0-beta.1", "2.0.0"];
const RANGES: [&str; 10] = [
    "*",
    "*",
    "^1",
    "1.0.0",
    ">=1.0.0",
    ">=1.1.0",
    "^2",
    "<2.0.0",
    ">=2.0.0-beta.1",
    "1.0.0 || ^2.0.0-beta.1",
];

fn chance(percent: u32) -> impl Strategy<Value = bool> {
    (0u32..100).prop_map(move |n| n < percent)
}

/// `name range`, or `name? range` if it is optional. Mostly of packages after the given one, so
/// that there are cycles, but not everywhere.
fn dependency(after: usize, optional: u32) -> impl Strategy<Value = String> {
    let later = if after < NAMES.len() { after } else { 0 };
    let names = prop_oneof![
        60 => select(&NAMES[later..]),
        20 => select(&NAMES[..]),
        1 => Just("ghost"),
    ];
    (names, chance(optional), select(&RANGES[..])).prop_map(|(name, optional, range)| {
        let mark = if optional { "?" } else { "" };
        format!("{name}{mark} {range}")
    })
}

fn version(at: usize) -> impl Strategy<Value = String> {
    let engine = prop_oneof![Just("engine host ^1"), Just("engine host ^2")];
    (
        select(&VERSIONS[..]),
        proptest::collection::vec(dependency(at + 1, 20), 0..3),
        proptest::option::weighted(0.1, engine),
        chance(5),
        chance(6),
    )
        .prop_map(move |(version, mut needs, engine, yanked, elsewhere)| {
            needs.extend(engine.map(str::to_owned));
            let yanked = if yanked { " yanked" } else { "" };
            let registry = if elsewhere { " @other" } else { "" };
            let name = NAMES[at];
            format!("{name} {version}{registry}{yanked}: {}", needs.join(", "))
        })
}

fn versions() -> impl Strategy<Value = Vec<String>> {
    let of = |at| proptest::collection::vec(version(at), 1..5);
    [0, 1, 2, 3, 4].map(of).prop_map(|packages| {
        let mut lines: Vec<String> = Vec::new();
        for line in packages.into_iter().flatten() {
            // One registry lists a version once.
            let place = |line: &str| line.split(':').next().unwrap().replace(" yanked", "");
            if !lines.iter().any(|other| place(other) == place(&line)) {
                lines.push(line);
            }
        }
        lines
    })
}

fn request(locks: bool) -> impl Strategy<Value = Vec<String>> {
    let lock = (
        select(&NAMES[..]),
        select(&VERSIONS[..]),
        select(&["", " @main", " @other"][..]),
    )
        .prop_map(|(name, version, registry)| format!("lock {name} {version}{registry}"));
    let overriding = (select(&NAMES[..]), select(&RANGES[..]))
        .prop_map(|(name, range)| format!("override {name} {range}"));
    let binding = (
        select(&["a", "c", "c.x"][..]),
        select(&["main", "other"][..]),
    );
    let binding = binding.prop_map(|(name, registry)| format!("bind {name} {registry}"));
    (
        proptest::collection::vec(dependency(0, 15), 1..4),
        proptest::collection::vec(lock, if locks { 0..4 } else { 0..1 }),
        proptest::option::weighted(0.15, overriding),
        proptest::option::weighted(0.1, binding),
        chance(50),
    )
        .prop_map(|(wanted, locks, overriding, binding, lowest)| {
            let mut lines = vec![
                "registries main other".to_owned(),
                "host linux/amd64 engine:host=1.5.0".to_owned(),
                format!("want {}", wanted.join(", ")),
            ];
            lines.extend(locks);
            lines.extend(overriding);
            lines.extend(binding);
            lines.extend(lowest.then(|| "strategy lowest".to_owned()));
            lines
        })
}

fn text(locks: bool) -> impl Strategy<Value = String> {
    (versions(), request(locks)).prop_map(|(versions, request)| {
        let lines: Vec<String> = versions.into_iter().chain(request).collect();
        lines.join("\n")
    })
}

fn pairs(answer: &Resolution) -> Vec<String> {
    let packages = answer.packages.iter();
    packages
        .map(|c| format!("{} {} @{}", c.id, c.version, c.registry))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn an_answer_is_found_exactly_when_there_is_one(text in text(true)) {
        let text = Text::read(&text);
        let oracle = Oracle::new(&text);
        let all = |_: &_| true;
        match text.resolve() {
            Ok(answer) => {
                prop_assert_eq!(oracle.accepts(&answer), Ok(()));
                prop_assert_eq!(oracle.wrongly_left_out(&answer), None);
            }
            Err(Failure::UnknownPackage { packages }) => {
                for unknown in packages {
                    prop_assert!(text.versions.iter().all(|v| v.id != unknown.id));
                }
            }
            Err(Failure::Cycle { .. }) => {
                prop_assert!(oracle.is_solvable(false, &all));
                prop_assert!(!oracle.is_solvable(true, &all));
            }
            Err(Failure::Conflict(_)) => prop_assert!(!oracle.is_solvable(false, &all)),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn dropping_any_named_requirement_makes_the_others_solvable(text in text(true)) {
        let text = Text::read(&text);
        let Err(Failure::Conflict(conflict)) = text.resolve() else {
            return Ok(());
        };
        let oracle = Oracle::new(&text);
        let named: Vec<_> = conflict.requirements.iter().map(said).collect();
        prop_assert!(conflict.is_minimal);
        prop_assert!(!oracle.is_solvable(false, &|said| named.contains(said)), "{named:?}");
        for dropped in &named {
            let rest = |said: &_| named.contains(said) && said != dropped;
            prop_assert!(oracle.is_solvable(false, &rest), "{dropped:?} of {named:?}");
        }
    }

    #[test]
    fn no_package_could_be_higher_or_lower_alone(text in text(false)) {
        let text = Text::read(&text);
        if let Ok(answer) = text.resolve() {
            let lowest = text.request.strategy == Liking::Lowest;
            prop_assert_eq!(Oracle::new(&text).better(&answer, lowest), None);
        }
    }

    #[test]
    fn the_order_of_reading_does_not_matter(text in text(true)) {
        let first = Text::read(&text);
        let mut second = first.clone();
        second.versions.reverse();
        second.versions.iter_mut().for_each(|version| version.dependencies.reverse());
        prop_assert_eq!(first.resolve(), second.resolve());
    }

    #[test]
    fn a_lock_that_fits_is_the_answer(text in text(true)) {
        let mut text = Text::read(&text);
        let Ok(answer) = text.resolve() else {
            return Ok(());
        };
        text.request.strategy = match text.request.strategy {
            Liking::Highest => Liking::Lowest,
            Liking::Lowest => Liking::Highest,
        };
        for chosen in &answer.packages {
            let locked = Locked {
                version: Some(chosen.version.clone()),
                registry: Some(chosen.registry.clone()),
            };
            text.request.locked.insert(chosen.id.clone(), locked);
        }
        let again = text.resolve();
        prop_assert_eq!(again.map(|again| pairs(&again)), Ok(pairs(&answer)));
    }

    #[test]
    fn every_suggestion_works(text in text(true)) {
        let text = Text::read(&text);
        let Err(Failure::Conflict(conflict)) = text.resolve() else {
            return Ok(());
        };
        for suggestion in conflict.suggestions {
            let mut text = text.clone();
            match &suggestion {
                Suggestion::Ask { id, range, instead_of } => {
                    let wanted = text.request.wanted.iter_mut();
                    let same = |w: &&mut Wanted| w.id == *id && w.range == *instead_of;
                    wanted.filter(same).for_each(|wanted| wanted.range = range.clone());
                }
                Suggestion::Override { id, range, .. }
                | Suggestion::OtherOverride { id, range, .. } => {
                    text.request.overrides.insert(id.clone(), range.clone());
                }
                Suggestion::Host { .. } => text.request.host = None,
                Suggestion::DidYouMean { .. } => continue,
            }
            let answer = text.resolve();
            let works = matches!(answer, Ok(_) | Err(Failure::Cycle { .. }));
            prop_assert!(works, "{suggestion} {answer:?}");
        }
    }
}

/// The properties say something only if all that can happen does.
#[test]
fn random_universes_have_every_kind_of_answer() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    for _ in 0..2000 {
        let tree = text(true).new_tree(&mut runner).unwrap();
        let answer = Text::read(&tree.current()).resolve();
        let kind = match &answer {
            Ok(answer) if !answer.left_out.is_empty() => "left out",
            Ok(answer) if answer.packages.iter().any(|c| c.optional) => "optional",
            Ok(answer) if answer.packages.len() > 2 => "many",
            Ok(_) => "few",
            Err(Failure::Conflict(conflict)) if conflict.requirements.len() > 3 => "long conflict",
            Err(failure) => failure.code(),
        };
        *kinds.entry(kind).or_default() += 1;
    }
    let expected = [
        "left out",
        "optional",
        "many",
        "few",
        "long conflict",
        "ATT-RESOLVE-CONFLICT",
        "ATT-RESOLVE-CYCLE",
    ];
    for kind in expected {
        assert!(
            kinds.get(kind).is_some_and(|n| *n >= 20),
            "{kind}: {kinds:?}"
        );
    }
}
