//! Paths in JSON: a path need not be Unicode, a JSON string must be.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serializer};

/// Writes a path as text, with `\u{fffd}` for what is not Unicode.
pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// Reads a path.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    String::deserialize(deserializer).map(PathBuf::from)
}
