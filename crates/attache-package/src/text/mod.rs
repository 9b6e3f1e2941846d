//! Text from outside: JSON, YAML and Markdown front matter, read strictly.
//!
//! Each reader gives one [`serde_json::Value`] or one [`TextError`], within bounded time and
//! memory: documents over the size limit, duplicate keys, alias bombs, depth and numbers that
//! lose digits are refused. Strictness comes first because the same text is hashed and signed.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde_json::Value;

pub use front_matter::FrontMatter;
pub use pretty::pretty_json;

pub mod canonical;
mod front_matter;
mod json;
mod number;
mod pretty;
mod yaml;

/// The deepest nesting of lists and objects.
pub const DEPTH_LIMIT: usize = 64;

/// The largest document.
pub const SIZE_LIMIT: usize = 4 << 20;

/// Why a document was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", line.map(|l| format!(" (line {l})")).unwrap_or_default())]
pub struct TextError {
    /// What is wrong.
    pub message: String,
    /// The line it is in, counted from one, where it is known.
    pub line: Option<usize>,
}

impl TextError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            line: None,
        }
    }
}

/// Reads a value from its text without copying that first: an index has hundred thousands.
pub(crate) fn deserialize_parsed<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: fmt::Display>,
    D: serde::Deserializer<'de>,
{
    struct Parsed<T>(PhantomData<T>);

    impl<T: FromStr<Err: fmt::Display>> serde::de::Visitor<'_> for Parsed<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }

    deserializer.deserialize_str(Parsed(PhantomData))
}

/// Reads one JSON document.
pub fn parse_json(bytes: &[u8]) -> Result<Value, TextError> {
    json::parse(bytes)
}

/// Reads one YAML 1.2 document, into the values that JSON has.
///
/// `yes` and `no` are text. Merge keys (`<<`) work, since the tools that write these files use
/// them. An empty document is null.
pub fn parse_yaml(bytes: &[u8]) -> Result<Value, TextError> {
    yaml::parse(bytes)
}

/// Drops the white space between the tokens of a JSON document, and nothing else.
///
/// Numbers and strings keep their exact spelling, so the document means the same to every
/// reader. Returns nothing if `bytes` is not one strict JSON document.
pub fn minify_json(bytes: &[u8]) -> Option<Vec<u8>> {
    json::minify(bytes)
}

pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, TextError> {
    if bytes.len() > SIZE_LIMIT {
        return Err(TextError::new(format!(
            "the document has {} bytes; the limit is {SIZE_LIMIT}",
            bytes.len()
        )));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| TextError {
        message: "the document is not UTF-8".to_owned(),
        line: Some(
            bytes[..error.valid_up_to()]
                .iter()
                .filter(|b| **b == b'\n')
                .count()
                + 1,
        ),
    })?;
    if text.starts_with('\u{feff}') {
        return Err(TextError::new(
            "the document begins with a byte-order mark; remove it",
        ));
    }
    Ok(text)
}
