//! Versions: SemVer 2.0.0 releases, and pins where a source has no version of its own.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Digest;

/// The largest number a version may hold: what every JSON reader can represent exactly.
pub(crate) const LARGEST: u64 = (1 << 53) - 1;

/// The longest version text, in bytes, as npm has it.
pub(crate) const LONGEST: usize = 256;

/// A SemVer 2.0.0 version whose numbers fit in 53 bits and whose text fits in 256 bytes.
///
/// The order is total: precedence first, as SemVer has it, then build metadata, so that two
/// releases are equal only if they are written the same. Ask [`Release::same_precedence`]
/// where build metadata should not count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "String")]
pub struct Release(semver::Version);

/// A text that is not a version, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a SemVer 2.0.0 version: {reason}")]
pub struct InvalidVersion {
    /// What was given, shortened if it was very long.
    pub given: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Release {
    /// Returns `major.minor.patch` without prerelease or build metadata.
    ///
    /// # Panics
    /// When a number is over 2^53-1, which callers rule out first.
    pub fn new(major: u64, minor: u64, patch: u64) -> Self {
        assert!(major <= LARGEST && minor <= LARGEST && patch <= LARGEST);
        Self(semver::Version::new(major, minor, patch))
    }

    /// Returns the first number.
    pub fn major(&self) -> u64 {
        self.0.major
    }

    /// Returns the second number.
    pub fn minor(&self) -> u64 {
        self.0.minor
    }

    /// Returns the third number.
    pub fn patch(&self) -> u64 {
        self.0.patch
    }

    /// Returns the three numbers, which prereleases of one release share.
    pub(crate) fn numbers(&self) -> (u64, u64, u64) {
        (self.0.major, self.0.minor, self.0.patch)
    }

    /// Returns this version with another prerelease part and no build metadata.
    pub(crate) fn with_prerelease(&self, pre: semver::Prerelease) -> Self {
        Self(semver::Version {
            pre,
            ..self.without_build().0
        })
    }

    /// Returns `-0` of the same numbers, which precedes every other prerelease of them.
    pub(crate) fn lowest_prerelease(&self) -> Self {
        match semver::Prerelease::new("0") {
            Ok(pre) => self.with_prerelease(pre),
            Err(error) => unreachable!("`0` is a prerelease: {error}"),
        }
    }

    /// Returns the prerelease part, empty for a release proper.
    pub fn prerelease(&self) -> &str {
        self.0.pre.as_str()
    }

    /// Returns the build metadata, which precedence ignores.
    pub fn build(&self) -> &str {
        self.0.build.as_str()
    }

    /// Returns whether there is a prerelease part.
    pub fn is_prerelease(&self) -> bool {
        !self.0.pre.is_empty()
    }

    /// Returns this version without its build metadata.
    #[must_use]
    pub fn without_build(&self) -> Self {
        Self(semver::Version {
            build: semver::BuildMetadata::EMPTY,
            ..self.0.clone()
        })
    }

    /// Compares by SemVer precedence, which ignores build metadata.
    pub fn cmp_precedence(&self, other: &Self) -> Ordering {
        self.0.cmp_precedence(&other.0)
    }

    /// Returns whether neither version precedes the other.
    pub fn same_precedence(&self, other: &Self) -> bool {
        self.cmp_precedence(other).is_eq()
    }

    /// Parses the way npm does: surrounding space and a leading `v` or `=` are dropped first.
    pub fn from_npm(given: &str) -> Result<Self, InvalidVersion> {
        let text = given.trim();
        text.strip_prefix(['v', '='])
            .unwrap_or(text)
            .trim_start()
            .parse()
    }
}

impl FromStr for Release {
    type Err = InvalidVersion;

    fn from_str(given: &str) -> Result<Self, InvalidVersion> {
        let invalid = |reason: &str| {
            Err(InvalidVersion {
                given: shortened(given, 64),
                reason: reason.to_owned(),
            })
        };
        if given.len() > LONGEST {
            return invalid("it is longer than 256 bytes");
        }
        let version = match semver::Version::parse(given) {
            Ok(version) => version,
            Err(error) => return invalid(&error.to_string()),
        };
        let too_big = |n: &&str| n.bytes().all(|b| b.is_ascii_digit()) && n.len() > 15;
        if [version.major, version.minor, version.patch]
            .iter()
            .any(|n| *n > LARGEST)
        {
            return invalid("a number is larger than 9007199254740991");
        }
        if version
            .pre
            .split('.')
            .filter(too_big)
            .any(|n| n.parse::<u64>().is_ok_and(|n| n > LARGEST) || n.len() > 16)
        {
            return invalid("a number is larger than 9007199254740991");
        }
        Ok(Self(version))
    }
}

/// Returns the text fit for a message: its beginning and an ellipsis when it has more than
/// `most` characters, and no control characters, which could rewrite a terminal.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let mut rest = text.chars();
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut out: String = rest.by_ref().take(most).map(visible).collect();
    if rest.next().is_some() {
        out.push('…');
    }
    out
}

impl<'de> Deserialize<'de> for Release {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::text::deserialize_parsed(deserializer)
    }
}

impl From<Release> for String {
    fn from(release: Release) -> Self {
        release.to_string()
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl JsonSchema for Release {
    fn schema_name() -> Cow<'static, str> {
        "Release".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "maxLength": LONGEST,
            "pattern": "^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$",
            "description": "A SemVer 2.0.0 version."
        })
    }
}

/// What names the bytes of a source that has no version of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pin {
    /// A git commit, in full.
    Commit(String),
    /// The digest of an archive or of a folder's files.
    Digest(Digest),
}

/// A package's version: a release, or a pin where the source has none. Only releases meet ranges.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// A SemVer 2.0.0 version.
    Release(Release),
    /// Seven digits for show, the whole commit or digest for identity.
    Pinned(Pin),
}

impl Version {
    /// Returns the release, if that is what it is.
    pub fn release(&self) -> Option<&Release> {
        match self {
            Self::Release(release) => Some(release),
            Self::Pinned(_) => None,
        }
    }
}

impl fmt::Display for Version {
    /// Writes the form people see: a pin shows its first seven digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Release(release) => release.fmt(f),
            Self::Pinned(Pin::Commit(commit)) => f.write_str(commit.get(..7).unwrap_or(commit)),
            Self::Pinned(Pin::Digest(digest)) => f.write_str(&digest.hex()[..7]),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(given: &str, accepted: bool) {
        assert_eq!(given.parse::<Release>().is_ok(), accepted, "{given:?}");
    }

    #[test]
    fn only_semver_is_a_version() {
        check("1.0.0", true);
        check("1.0.0-alpha.1+build.01", true);
        check("1.0.0--", true);
        check("1.0", false);
        check("v1.0.0", false);
        check(" 1.0.0", false);
        check("01.0.0", false);
        check("1.0.0-01", false);
        check("1.0.0-", false);
        check("1.0.0+", false);
        check("1.0.0-a..b", false);
        check("1.0.0-é", false);
    }

    #[test]
    fn numbers_and_texts_are_bounded() {
        check("9007199254740991.0.0-9007199254740991", true);
        check("9007199254740992.0.0", false);
        check("0.0.0-9007199254740992", false);
        check("0.0.0-99999999999999999999999999", false);
        check("0.0.0-99999999999999999999999999a", true);
        check("99999999999999999999.0.0", false);
        check(&format!("1.0.0-{}", "a".repeat(250)), true);
        check(&format!("1.0.0-{}", "a".repeat(251)), false);
    }

    #[test]
    fn a_message_is_short_and_plain() {
        let error = format!("1.0.0\u{1b}{}", "a".repeat(9999)).parse::<Release>();
        let message = error.unwrap_err().to_string();
        assert!(
            message.len() < 200 && !message.contains('\u{1b}'),
            "{message}"
        );
        assert_eq!(shortened("äöü", 3), "äöü");
        assert_eq!(shortened("äöü", 2), "äö…");
    }

    #[test]
    fn npm_spelling_is_only_read_when_asked_for() {
        for given in ["v1.2.3", "=1.2.3", "  1.2.3\n", "= 1.2.3"] {
            assert_eq!(Release::from_npm(given).unwrap().to_string(), "1.2.3");
            check(given, false);
        }
        assert!(Release::from_npm("vv1.2.3").is_err());
        assert!(Release::from_npm("V1.2.3").is_err());
    }

    /// The precedence rules of SemVer 2.0.0, §11, from the text of the version alone.
    fn precedence(left: &str, right: &str) -> Ordering {
        let split = |text: &str| {
            let text = text.split('+').next().unwrap_or_default().to_owned();
            let (numbers, prerelease) = match text.split_once('-') {
                Some((numbers, prerelease)) => (numbers.to_owned(), Some(prerelease.to_owned())),
                None => (text, None),
            };
            let numbers: Vec<u64> = numbers.split('.').map(|n| n.parse().unwrap()).collect();
            (numbers, prerelease)
        };
        let ((left, left_pre), (right, right_pre)) = (split(left), split(right));
        let by_prerelease = || match (left_pre, right_pre) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(left), Some(right)) => identifiers(&left, &right),
        };
        left.cmp(&right).then_with(by_prerelease)
    }

    fn identifiers(left: &str, right: &str) -> Ordering {
        let is_number = |id: &str| id.chars().all(|c| c.is_ascii_digit());
        let (mut left, mut right) = (left.split('.'), right.split('.'));
        loop {
            let order = match (left.next(), right.next()) {
                (None, None) => return Ordering::Equal,
                (None, Some(_)) => return Ordering::Less,
                (Some(_), None) => return Ordering::Greater,
                (Some(a), Some(b)) => match (is_number(a), is_number(b)) {
                    (true, true) => a.parse::<u64>().unwrap().cmp(&b.parse().unwrap()),
                    (true, false) => Ordering::Less,
                    (false, true) => Ordering::Greater,
                    (false, false) => a.as_bytes().cmp(b.as_bytes()),
                },
            };
            if order.is_ne() {
                return order;
            }
        }
    }

    fn text() -> impl Strategy<Value = String> {
        let number = "(0|1|2|10|9007199254740991)";
        let identifier = "(0|1|2|10|a|a1|B|-|a-b|alpha|beta)";
        let pattern = format!(
            "{number}\\.{number}\\.{number}\
             (-{identifier}(\\.{identifier}){{0,2}})?(\\+(01|b|a-1)(\\.0)?)?"
        );
        proptest::string::string_regex(&pattern).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn a_version_reads_back(text in text()) {
            let release: Release = text.parse().unwrap();
            prop_assert_eq!(release.to_string(), text.clone());
            let json = serde_json::to_string(&release).unwrap();
            prop_assert_eq!(serde_json::from_str::<Release>(&json).unwrap(), release);
        }

        #[test]
        fn the_order_is_semver_precedence(a in text(), b in text(), c in text()) {
            let [x, y, z] = [&a, &b, &c].map(|text| text.parse::<Release>().unwrap());
            prop_assert_eq!(x.cmp_precedence(&y), precedence(&a, &b));
            // Total: precedence first, then build metadata, and equal only if written the same.
            let expected = precedence(&a, &b);
            prop_assert!(expected.is_eq() || x.cmp(&y) == expected);
            prop_assert_eq!(x == y, a == b);
            prop_assert_eq!(x.cmp(&y), y.cmp(&x).reverse());
            prop_assert!(!(x <= y && y <= z) || x <= z);
        }
    }
}
