//! Strict YAML, by `serde-saphyr` with a small budget.

use serde_json::Value;

use super::{TextError, utf8};

pub(super) fn parse(bytes: &[u8]) -> Result<Value, TextError> {
    let text = utf8(bytes)?;
    serde_saphyr::from_str::<Value>(text).map_err(|error| TextError::new(error.to_string()))
}
