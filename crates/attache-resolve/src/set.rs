//! Sets of versions as bits, one bit for each version that exists.
//!
//! A package's versions are numbered from the lowest up, so a range becomes a handful of bits
//! once, and what the solver does all day (meet, join, complement, compare) is a few machine
//! words. Prereleases need no rule here: a bit is set exactly if the range holds that version.

use std::fmt;

/// A set of version numbers, closed under complement.
///
/// Equal sets are equal values, which the solver relies on: `high` never ends in a word that
/// says what `beyond` says anyway. Up to 64 versions need no allocation.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct VersionSet {
    low: u64,
    high: Vec<u64>,
    /// Whether the numbers past the last word are in the set, as they are in a complement.
    beyond: bool,
}

impl VersionSet {
    pub(crate) fn empty() -> Self {
        Self::default()
    }

    /// Returns the numbers below `end`.
    pub(crate) fn below(end: u32) -> Self {
        (0..end).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_empty() && !self.beyond
    }

    pub(crate) fn insert(&mut self, number: u32) {
        let (word, bit) = place(number);
        if word == 0 {
            self.low |= bit;
            return;
        }
        let filler = self.filler();
        if self.high.len() < word {
            self.high.resize(word, filler);
        }
        self.high[word - 1] |= bit;
        self.trim();
    }

    pub(crate) fn contains(&self, number: u32) -> bool {
        let (word, bit) = place(number);
        self.word(word) & bit != 0
    }

    /// Returns how many versions are in it. Only for sets of versions that exist.
    pub(crate) fn len(&self) -> u32 {
        let high: u32 = self.high.iter().map(|word| word.count_ones()).sum();
        self.low.count_ones() + high
    }

    pub(crate) fn highest(&self) -> Option<u32> {
        let words = (0u32..).zip(self.words());
        let last = words.filter(|(_, word)| *word != 0).last();
        last.map(|(at, word)| at * 64 + word.ilog2())
    }

    pub(crate) fn lowest(&self) -> Option<u32> {
        let mut words = (0u32..).zip(self.words());
        let first = words.find(|(_, word)| *word != 0);
        first.map(|(at, word)| at * 64 + word.trailing_zeros())
    }

    /// Returns the numbers in it, lowest first. Only for sets of versions that exist.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(self.words()).flat_map(|(at, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros())?;
                word &= word - 1;
                Some(at * 64 + bit)
            })
        })
    }

    pub(crate) fn intersection(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a & b)
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a | b)
    }

    pub(crate) fn complement(&self) -> Self {
        Self {
            low: !self.low,
            high: self.high.iter().map(|word| !word).collect(),
            beyond: !self.beyond,
        }
    }

    pub(crate) fn is_disjoint(&self, other: &Self) -> bool {
        self.no_word(other, |a, b| a & b)
    }

    pub(crate) fn is_subset(&self, other: &Self) -> bool {
        self.no_word(other, |a, b| a & !b)
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.low).chain(self.high.iter().copied())
    }

    fn word(&self, at: usize) -> u64 {
        match at {
            0 => self.low,
            _ => self.high.get(at - 1).copied().unwrap_or(self.filler()),
        }
    }

    fn filler(&self) -> u64 {
        if self.beyond { u64::MAX } else { 0 }
    }

    fn combine(&self, other: &Self, both: impl Fn(u64, u64) -> u64) -> Self {
        let words = self.high.len().max(other.high.len());
        let mut set = Self {
            low: both(self.low, other.low),
            high: (1..=words)
                .map(|at| both(self.word(at), other.word(at)))
                .collect(),
            beyond: both(self.filler(), other.filler()) != 0,
        };
        set.trim();
        set
    }

    fn no_word(&self, other: &Self, both: impl Fn(u64, u64) -> u64) -> bool {
        let words = self.high.len().max(other.high.len());
        both(self.low, other.low) == 0
            && (1..=words).all(|at| both(self.word(at), other.word(at)) == 0)
            && both(self.filler(), other.filler()) == 0
    }

    fn trim(&mut self) {
        let filler = self.filler();
        while self.high.last() == Some(&filler) {
            self.high.pop();
        }
    }
}

fn place(number: u32) -> (usize, u64) {
    (number as usize / 64, 1 << (number % 64))
}

impl FromIterator<u32> for VersionSet {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut set = Self::empty();
        numbers.into_iter().for_each(|number| set.insert(number));
        set
    }
}

impl fmt::Display for VersionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()?;
        f.write_str(if self.beyond { "…" } else { "" })
    }
}

impl fmt::Debug for VersionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl pubgrub::VersionSet for VersionSet {
    type V = u32;

    fn empty() -> Self {
        Self::default()
    }

    fn singleton(number: u32) -> Self {
        std::iter::once(number).collect()
    }

    fn complement(&self) -> Self {
        self.complement()
    }

    fn intersection(&self, other: &Self) -> Self {
        self.intersection(other)
    }

    fn contains(&self, number: &u32) -> bool {
        self.contains(*number)
    }

    fn union(&self, other: &Self) -> Self {
        self.union(other)
    }

    fn is_disjoint(&self, other: &Self) -> bool {
        self.is_disjoint(other)
    }

    fn subset_of(&self, other: &Self) -> bool {
        self.is_subset(other)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Numbers on both sides of each word's edge.
    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![0u32..4, 62u32..67, 126u32..131, 190u32..194]
    }

    fn numbers() -> impl Strategy<Value = (BTreeSet<u32>, bool)> {
        (
            proptest::collection::btree_set(number(), 0..8),
            any::<bool>(),
        )
    }

    fn set((numbers, complement): &(BTreeSet<u32>, bool)) -> VersionSet {
        let set: VersionSet = numbers.iter().copied().collect();
        if *complement { set.complement() } else { set }
    }

    proptest! {
        #[test]
        fn sets_agree_with_their_definition(a in numbers(), b in numbers()) {
            let holds = |(numbers, complement): &(BTreeSet<u32>, bool), n| numbers.contains(&n) != *complement;
            let (x, y) = (set(&a), set(&b));
            let (meet, join, not) = (x.intersection(&y), x.union(&y), x.complement());
            // 300 stands for all numbers past the last word.
            let all = (0..200).chain([300]);
            for n in all.clone() {
                prop_assert_eq!(x.contains(n), holds(&a, n));
                prop_assert_eq!(meet.contains(n), holds(&a, n) && holds(&b, n));
                prop_assert_eq!(join.contains(n), holds(&a, n) || holds(&b, n));
                prop_assert_eq!(not.contains(n), !holds(&a, n));
            }
            prop_assert_eq!(x == y, all.clone().all(|n| holds(&a, n) == holds(&b, n)));
            prop_assert_eq!(x.is_disjoint(&y), !all.clone().any(|n| holds(&a, n) && holds(&b, n)));
            prop_assert_eq!(x.is_subset(&y), all.clone().all(|n| !holds(&a, n) || holds(&b, n)));
            prop_assert_eq!(x.is_empty(), !all.clone().any(|n| holds(&a, n)));
        }

        #[test]
        fn a_set_lists_its_numbers_in_order(a in proptest::collection::btree_set(number(), 0..8)) {
            let set: VersionSet = a.iter().copied().collect();
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), a.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(set.lowest(), a.first().copied());
            prop_assert_eq!(set.highest(), a.last().copied());
            prop_assert_eq!(set.len() as usize, a.len());
        }
    }
}
