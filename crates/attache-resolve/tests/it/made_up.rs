//! The packages that the resolver is measured with keep what they promise.

use attache_resolve::{Failure, resolve};

use made::universe::{CASES, Universe};

#[path = "../../benches/made/mod.rs"]
mod made;

/// Returns how many packages need each, in their highest version; the most needed first.
fn dependents(universe: &Universe) -> Vec<usize> {
    let mut counts = vec![0; universe.packages.len()];
    let highest = universe.packages.iter().filter_map(|p| p.versions.last());
    for dependency in highest.flat_map(|version| &version.dependencies) {
        counts[dependency.package] += 1;
    }
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
}

#[test]
fn they_are_the_same_every_time() {
    for case in CASES {
        let universe = case.universe();
        assert_eq!(universe, case.universe());
        assert_eq!(universe.packages.len(), case.packages);
    }
}

#[test]
fn nobody_needs_a_package_of_a_lower_number() {
    for case in CASES {
        for (at, package) in case.universe().packages.iter().enumerate() {
            assert!(package.versions.is_sorted_by(|a, b| a.number < b.number));
            let mut needed = package.versions.iter().flat_map(|v| &v.dependencies);
            assert!(needed.all(|dependency| dependency.package > at));
        }
    }
}

#[test]
fn few_are_needed_by_very_many_and_most_by_few() {
    let counts = dependents(&CASES[2].universe());
    let (most, middle) = (counts[0], counts[counts.len() / 2]);
    assert!(most > 300 && middle <= 2, "{most} {middle}");
    // In a power law, the tenth most needed has no tenth of a tenth of the first.
    assert!(counts[9] * 20 > most, "{:?}", &counts[..10]);
}

#[test]
fn there_is_an_answer_where_one_was_planted_and_it_takes_going_back() {
    for case in CASES.iter().filter(|case| case.solvable) {
        let made = case.universe();
        let universe = made::build(&made::lines(&made));
        let answer = resolve(&universe, &made::request(&made)).unwrap();
        let chosen = answer.packages.len();
        if case.reaches_all() {
            assert_eq!(chosen, case.packages);
        } else {
            assert!((500..case.packages / 2).contains(&chosen), "{chosen}");
        }
        assert!(answer.steps > chosen as u64 * 5 / 4, "{}", answer.steps);
    }
}

#[test]
fn there_is_none_only_because_of_what_was_tied_deep_down() {
    let case = CASES.iter().find(|case| !case.solvable).unwrap();
    let made = case.universe();
    let universe = made::build(&made::lines(&made));
    let request = made::request(&made);
    let Err(Failure::Conflict(conflict)) = resolve(&universe, &request) else {
        panic!("two majors of one package cannot be had at once");
    };
    // Nobody asks for it: the way there leads through others.
    let tied = format!("p{}", case.packages - 1);
    assert!(
        request
            .wanted
            .iter()
            .all(|wanted| wanted.id.as_str() != tied)
    );
    assert!(conflict.explanation.join(" ").contains(&tied));

    let mut untied = made.clone();
    for version in untied.packages.iter_mut().flat_map(|p| &mut p.versions) {
        version
            .dependencies
            .retain(|dependency| dependency.package < case.packages - 2);
    }
    let universe = made::build(&made::lines(&untied));
    assert!(resolve(&universe, &request).is_ok());
}
