//! npm's range dialect, without its accidents.
//!
//! The grammar is the one npm documents: `^ ~ ~> > >= < <= =`, spaces for *and*, `||` for *or*,
//! hyphen ranges, `x`, `X` and `*`, partial versions, an optional `v`, build metadata that does
//! not count. Whatever is accepted here means what node-semver says it means. What node-semver
//! lets through only because of how its expressions are put together (`1.2.3*`, `>==1.x`,
//! `^1.x.5`, a lone `+build`) is refused, since its author surely meant something else. The one
//! reading that differs is `>=v0.0.0`, which is `>=0.0.0` here; npm's own does not read back.
//!
//! [`parse`] turns text into comparators, [`sets`] turns comparators into sets of versions that
//! can be compared exactly.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use version_ranges::Ranges;

use crate::Release;

mod parse;
mod sets;
#[cfg(test)]
mod tests;

/// The longest text of a range, in bytes.
pub(crate) const LONGEST: usize = 4096;

/// Which versions will do.
///
/// Two ranges are equal when they are written the same; ask [`Range::same_set`] whether they
/// mean the same. A prerelease is in a range only if a comparator of the same alternative names
/// a prerelease of the same `major.minor.patch`, unless the range was read with
/// `include_prerelease`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Range {
    text: Arc<str>,
    include_prerelease: bool,
    /// The alternatives, never none of them. One without comparators holds every release.
    alternatives: Arc<[Vec<Comparator>]>,
}

/// A text that is not a range, and where it goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{given}` is not a version range: at position {position}, expected {expected}{}",
    found.map(|c| format!(", found `{c}`")).unwrap_or_default()
)]
pub struct InvalidRange {
    /// What was given, shortened if it was very long.
    pub given: String,
    /// Where it goes wrong, counted in characters from one.
    pub position: usize,
    /// What was expected there.
    pub expected: String,
    /// What was there, unless the text ended or more than one character is at fault.
    pub found: Option<char>,
}

/// One bound, such as `>=1.2.3`. Its version never has build metadata.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Comparator {
    operator: Operator,
    version: Release,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Operator {
    Less,
    LessOrEqual,
    Equal,
    GreaterOrEqual,
    Greater,
}

impl Range {
    /// Parses a range and chooses whether every prerelease between its bounds belongs to it.
    ///
    /// [`FromStr`] and serde read without, as npm does unless told otherwise. The choice is not
    /// part of the text, so it has to be made again when a range is read back.
    pub fn parse_with(given: &str, include_prerelease: bool) -> Result<Self, InvalidRange> {
        Ok(Self {
            text: given.trim_matches(parse::is_space).into(),
            include_prerelease,
            alternatives: parse::alternatives(given, include_prerelease)?.into(),
        })
    }

    /// Returns whether `version` is in the range. Build metadata does not count.
    pub fn contains(&self, version: &Release) -> bool {
        self.alternatives.iter().any(|comparators| {
            comparators.iter().all(|c| c.holds(version))
                && (!version.is_prerelease() || self.admits(comparators, version))
        })
    }

    /// Returns npm's plain form: comparators only, such as `>=1.2.0 <2.0.0-0||3.0.0`, or `*`.
    ///
    /// It reads back as the same set, with the same choice about prereleases.
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        for (at, comparators) in self.alternatives.iter().enumerate() {
            if at > 0 {
                out.push_str("||");
            }
            for (at, comparator) in comparators.iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                out.push_str(&comparator.to_string());
            }
        }
        if out.is_empty() {
            out.push('*');
        }
        out
    }

    /// Returns whether exactly the same versions are in both ranges.
    pub fn same_set(&self, other: &Self) -> bool {
        self.releases() == other.releases() && self.prereleases() == other.prereleases()
    }

    /// Returns whether no version at all is in the range.
    pub fn is_empty(&self) -> bool {
        self.releases().is_empty() && self.prereleases().is_empty()
    }

    /// Returns whether some version is in both ranges.
    ///
    /// This is exact, where node-semver compares bounds pair by pair: `>1.0.0 <1.0.1-0` holds
    /// nothing and so meets nothing.
    pub fn intersects(&self, other: &Self) -> bool {
        !self.releases().is_disjoint(&other.releases())
            || !self.prereleases().is_disjoint(&other.prereleases())
    }

    /// Returns the side on which `version` lies outside, as node-semver's `gtr` and `ltr` do:
    /// `Greater` when it is past every upper bound, `Less` when it is before every lower one.
    ///
    /// Nothing for a version in the range or in a gap between its alternatives. A prerelease
    /// that lies between the bounds without being admitted counts as outside on a side where
    /// every alternative has a bound, the upper one first.
    pub fn outside(&self, version: &Release) -> Option<Ordering> {
        if self.contains(version) {
            return None;
        }
        [Ordering::Greater, Ordering::Less]
            .into_iter()
            .find(|side| self.alternatives.iter().all(|c| is_past(c, version, *side)))
    }

    /// Returns whether the prerelease rule lets `version` in: it is no prerelease, prereleases
    /// were asked for, or an alternative whose bounds hold it names a prerelease of the same
    /// `major.minor.patch`.
    ///
    /// A version is in the range exactly if it is in [`Range::intervals`] and this agrees.
    pub fn admits_prerelease(&self, version: &Release) -> bool {
        !version.is_prerelease() || self.include_prerelease || self.contains(version)
    }

    /// Returns what lies between the bounds, before the prerelease rule.
    ///
    /// The bounds have no build metadata, and neither should versions that are looked up in it:
    /// ask for [`Release::without_build`].
    pub fn intervals(&self) -> Ranges<Release> {
        sets::union(self.alternatives.iter().map(|c| sets::interval(c)))
    }

    /// Returns the releases proper that are in the range, as a set in which equal means equal.
    ///
    /// Together with [`Range::prereleases`] this is the whole truth about a range, and both
    /// stay exact under union, intersection and complement: look a release up here and a
    /// prerelease there, without build metadata.
    pub fn releases(&self) -> Ranges<Release> {
        sets::of_releases(&self.intervals())
    }

    /// Returns the prereleases that are in the range, as a set in which equal means equal.
    pub fn prereleases(&self) -> Ranges<Release> {
        if self.include_prerelease {
            return sets::of_prereleases(&self.intervals());
        }
        sets::union(self.alternatives.iter().map(|comparators| {
            sets::of_prereleases(
                &sets::interval(comparators).intersection(&sets::named(comparators)),
            )
        }))
    }

    /// Returns whether an alternative that holds `version` admits prereleases like it.
    fn admits(&self, comparators: &[Comparator], version: &Release) -> bool {
        let same =
            |c: &Comparator| c.version.is_prerelease() && c.version.numbers() == version.numbers();
        self.include_prerelease || comparators.iter().any(same)
    }
}

/// Returns whether one alternative leaves `version` past its bound on the given side.
///
/// Only the outermost and the innermost comparator count, which is how node-semver decides.
fn is_past(comparators: &[Comparator], version: &Release, side: Ordering) -> bool {
    // An alternative without comparators is bounded below, by 0.0.0, and open above.
    let Some(mut outer) = comparators.first() else {
        return side.is_lt();
    };
    let mut inner = outer;
    for comparator in comparators {
        if comparator.version.cmp(&outer.version) == side {
            outer = comparator;
        } else if comparator.version.cmp(&inner.version) == side.reverse() {
            inner = comparator;
        }
    }
    if outer.operator.opens(side) {
        return false;
    }
    let beyond = version.cmp_precedence(&inner.version);
    match inner.operator {
        Operator::Equal => beyond == side,
        Operator::Greater | Operator::Less if inner.operator.opens(side) => beyond == side,
        operator if operator.opens(side) => beyond != side.reverse(),
        _ => true,
    }
}

impl Comparator {
    /// Returns whether `version` is on the right side of this bound.
    fn holds(&self, version: &Release) -> bool {
        let order = version.cmp_precedence(&self.version);
        match self.operator {
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
            Operator::Equal => order.is_eq(),
            Operator::GreaterOrEqual => order.is_ge(),
            Operator::Greater => order.is_gt(),
        }
    }
}

impl Operator {
    /// Returns whether this bound leaves the given side open.
    fn opens(self, side: Ordering) -> bool {
        match self {
            Self::Less | Self::LessOrEqual => side.is_lt(),
            Self::Equal => false,
            Self::GreaterOrEqual | Self::Greater => side.is_gt(),
        }
    }
}

impl fmt::Display for Comparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.operator {
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Equal => "",
            Operator::GreaterOrEqual => ">=",
            Operator::Greater => ">",
        })?;
        self.version.fmt(f)
    }
}

impl fmt::Display for Range {
    /// Writes the author's own text, without the space around it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for Range {
    type Err = InvalidRange;

    fn from_str(given: &str) -> Result<Self, InvalidRange> {
        Self::parse_with(given, false)
    }
}

impl TryFrom<String> for Range {
    type Error = InvalidRange;

    fn try_from(given: String) -> Result<Self, InvalidRange> {
        given.parse()
    }
}

impl From<Range> for String {
    fn from(range: Range) -> Self {
        range.text.to_string()
    }
}

impl JsonSchema for Range {
    fn schema_name() -> Cow<'static, str> {
        "Range".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "maxLength": LONGEST,
            "description": "A version range in npm's dialect: `^1.2.3`, `>=2.0.0 <3.0.0`, `1.x || 2.x`."
        })
    }
}
