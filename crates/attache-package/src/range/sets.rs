//! Ranges as sets of versions, in a form where equal sets are equal values.
//!
//! `>1.0.0` and `>=1.0.1` hold the same releases, though their bounds differ. So each domain
//! (releases proper, and prereleases) gets its own normal form: a bound is a cut between two
//! versions, and a cut is named by the first version of the domain that lies after it. An
//! interval then runs from one such version up to, not including, another, and no set has two
//! spellings.

use std::ops::Bound;

use semver::Prerelease;
use version_ranges::Ranges;

use super::{Comparator, Operator};
use crate::Release;

/// Returns what lies between the bounds of one alternative.
pub(super) fn interval(comparators: &[Comparator]) -> Ranges<Release> {
    let all = Ranges::full();
    comparators
        .iter()
        .fold(all, |set, c| set.intersection(&half(c)))
}

fn half(comparator: &Comparator) -> Ranges<Release> {
    let version = comparator.version.clone();
    match comparator.operator {
        Operator::Less => Ranges::strictly_lower_than(version),
        Operator::LessOrEqual => Ranges::lower_than(version),
        Operator::Equal => Ranges::singleton(version),
        Operator::GreaterOrEqual => Ranges::higher_than(version),
        Operator::Greater => Ranges::strictly_higher_than(version),
    }
}

/// Returns every version with the numbers of a prerelease that the comparators name.
pub(super) fn named(comparators: &[Comparator]) -> Ranges<Release> {
    let named = comparators
        .iter()
        .filter(|c| c.version.is_prerelease())
        .map(|c| c.version.numbers());
    union(named.map(|numbers| Ranges::between(first_prerelease_of(numbers), release_of(numbers))))
}

/// Joins sets two by two, so that many small ones do not take quadratic time.
pub(super) fn union(sets: impl Iterator<Item = Ranges<Release>>) -> Ranges<Release> {
    let mut sets: Vec<_> = sets.collect();
    while sets.len() > 1 {
        let halved = sets.chunks(2).map(|pair| match pair {
            [left, right] => left.union(right),
            rest => rest.first().cloned().unwrap_or_else(Ranges::empty),
        });
        sets = halved.collect();
    }
    sets.pop().unwrap_or_else(Ranges::empty)
}

/// Returns the releases proper of a set, in normal form.
pub(super) fn of_releases(set: &Ranges<Release>) -> Ranges<Release> {
    normal(set, &release_of((0, 0, 0)), |version, after| {
        match (version.is_prerelease(), after) {
            (true, _) => Some(release_of(version.numbers())),
            (false, false) => Some(version.clone()),
            (false, true) => next(version.numbers()).map(release_of),
        }
    })
}

/// Returns the prereleases of a set, in normal form.
pub(super) fn of_prereleases(set: &Ranges<Release>) -> Ranges<Release> {
    normal(set, &first_prerelease_of((0, 0, 0)), |version, after| {
        match (version.is_prerelease(), after) {
            (true, false) => Some(version.clone()),
            (true, true) => Some(next_prerelease(version)),
            // A release comes after all of its own prereleases.
            (false, _) => next(version.numbers()).map(first_prerelease_of),
        }
    })
}

/// Rewrites each bound as the first version of the domain that lies after it.
///
/// `first_after(v, after)` answers for the cut just before `v`, or just after it; nothing means
/// that no version of the domain is left.
fn normal(
    set: &Ranges<Release>,
    least: &Release,
    first_after: impl Fn(&Release, bool) -> Option<Release>,
) -> Ranges<Release> {
    union(set.iter().map(|(lower, upper)| {
        let from = match lower {
            Bound::Unbounded => Some(least.clone()),
            Bound::Included(version) => first_after(version, false),
            Bound::Excluded(version) => first_after(version, true),
        };
        let to = match upper {
            Bound::Unbounded => None,
            Bound::Included(version) => first_after(version, true),
            Bound::Excluded(version) => first_after(version, false),
        };
        let Some(from) = from else {
            return Ranges::empty();
        };
        let to = to.map_or(Bound::Unbounded, Bound::Excluded);
        Ranges::from_range_bounds::<_, Release>((Bound::Included(from), to))
    }))
}

type Numbers = (u64, u64, u64);

/// Returns the numbers that follow, if there are any that fit.
fn next((major, minor, patch): Numbers) -> Option<Numbers> {
    const LARGEST: u64 = crate::version::LARGEST;
    match (major, minor, patch) {
        (LARGEST, LARGEST, LARGEST) => None,
        (_, LARGEST, LARGEST) => Some((major + 1, 0, 0)),
        (_, _, LARGEST) => Some((major, minor + 1, 0)),
        _ => Some((major, minor, patch + 1)),
    }
}

fn release_of((major, minor, patch): Numbers) -> Release {
    Release::new(major, minor, patch)
}

fn first_prerelease_of(numbers: Numbers) -> Release {
    release_of(numbers).lowest_prerelease()
}

/// Returns the prerelease that follows immediately: nothing sorts between `a` and `a.0`.
fn next_prerelease(version: &Release) -> Release {
    match Prerelease::new(&format!("{}.0", version.prerelease())) {
        Ok(prerelease) => release_of(version.numbers()).with_prerelease(prerelease),
        Err(error) => unreachable!("a prerelease and one more identifier is one: {error}"),
    }
}
