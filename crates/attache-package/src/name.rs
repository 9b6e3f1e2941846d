//! Package names: one grammar for every index, lockfile and folder.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A package's name, in the one spelling that indexes, lockfiles and paths all use.
///
/// Parts of `a-z`, `0-9`, `-` and `_`, joined by single dots; at most 200 bytes. Since `/`,
/// `\`, `:` and `..` cannot occur, joining a name to a directory cannot leave that directory,
/// and no caller needs to check again. Windows device names are refused for the same reason.
/// Copies share one text: an answer names the same few packages over and over.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PackageName(Arc<str>);

/// A text that cannot be a package name, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a package name: {reason}")]
pub struct InvalidName {
    /// What was given, or how it begins if it is long.
    pub given: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// The longest name, in bytes: what the Lexichord database column holds.
const LONGEST: usize = 200;

impl PackageName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PackageName {
    type Err = InvalidName;

    fn from_str(given: &str) -> Result<Self, InvalidName> {
        let invalid = |reason| {
            Err(InvalidName {
                given: crate::version::shortened(given, 64),
                reason,
            })
        };
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b);
        if given.is_empty() {
            return invalid("it is empty");
        }
        if given.len() > LONGEST {
            return invalid("it is longer than 200 bytes");
        }
        if !given
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(allowed))
        {
            return invalid("use a-z, 0-9, `-` and `_`, in parts joined by single dots");
        }
        if !given.as_bytes()[0].is_ascii_alphanumeric() {
            return invalid("it must begin with a letter or a digit");
        }
        if crate::path::is_device_name(given) {
            return invalid("Windows reserves this name for a device");
        }
        Ok(Self(given.into()))
    }
}

impl TryFrom<String> for PackageName {
    type Error = InvalidName;

    fn try_from(given: String) -> Result<Self, InvalidName> {
        given.parse()
    }
}

impl From<PackageName> for String {
    fn from(name: PackageName) -> Self {
        name.0.to_string()
    }
}

impl fmt::Display for PackageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for PackageName {
    fn schema_name() -> Cow<'static, str> {
        "PackageName".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^[a-z0-9][a-z0-9_-]*(\\.[a-z0-9_-]+)*$",
            "maxLength": LONGEST,
            "description": "A package's name: parts of a-z, 0-9, `-` and `_`, joined by dots."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &str, accepted: bool) {
        assert_eq!(given.parse::<PackageName>().is_ok(), accepted, "{given:?}");
    }

    #[test]
    fn a_name_never_leaves_its_directory() {
        check("com.nexo.agents.seo_audit", true);
        check("researcher-pro", true);
        check("", false);
        check(".", false);
        check("..", false);
        check("a/b", false);
        check("a\\b", false);
        check("c:x", false);
        check("a..b", false);
        check(".a", false);
        check("a.", false);
        check("-rf", false);
        check("con", false);
        check("aux.txt", false);
        check("lpt1", false);
        check("console", true);
    }

    #[test]
    fn a_long_text_that_is_no_name_is_not_repeated_in_full() {
        let error = "A".repeat(100_000).parse::<PackageName>().unwrap_err();
        assert!(error.to_string().len() < 200, "{error}");
    }

    #[test]
    fn a_name_has_one_spelling() {
        check("Agent", false);
        check("agènt", false);
        check("agent ", false);
        check(&"a".repeat(200), true);
        check(&"a".repeat(201), false);
    }
}
