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
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
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
            let mut given: String = given.chars().take(64).collect();
            if given.chars().count() == 64 {
                given.push('…');
            }
            Err(InvalidVersion {
                given,
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

impl TryFrom<String> for Release {
    type Error = InvalidVersion;

    fn try_from(given: String) -> Result<Self, InvalidVersion> {
        given.parse()
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
