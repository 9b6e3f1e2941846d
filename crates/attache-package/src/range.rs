//! npm's range dialect, exactly.

use std::fmt;
use std::str::FromStr;

use crate::Release;

/// Which versions will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    text: String,
}

/// A text that is not a range, and where it goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a version range: at position {position}, expected {expected}")]
pub struct InvalidRange {
    /// What was given.
    pub given: String,
    /// Where it goes wrong, counted in characters from one.
    pub position: usize,
    /// What was expected there.
    pub expected: String,
}

impl Range {
    /// Returns whether `version` is in the range, as npm has it.
    pub fn contains(&self, _version: &Release) -> bool {
        todo!()
    }
}

impl FromStr for Range {
    type Err = InvalidRange;

    fn from_str(given: &str) -> Result<Self, InvalidRange> {
        Ok(Self {
            text: given.to_owned(),
        })
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl serde::Serialize for Range {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl schemars::JsonSchema for Range {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Range".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A version range in npm's dialect: `^1.2.3`, `>=2.0.0 <3.0.0`, `1.x || 2.x`."
        })
    }
}
