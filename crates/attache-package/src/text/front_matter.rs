//! Markdown with YAML front matter.

use serde_json::{Map, Value};

use super::{TextError, parse_yaml, utf8};

/// A Markdown document: the fields between its `---` lines, and the text below them.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontMatter {
    /// The YAML fields.
    pub fields: Map<String, Value>,
    /// Everything after the closing `---` line.
    pub body: String,
}

impl FrontMatter {
    /// Splits and reads a document. The first line must be `---`.
    pub fn parse(bytes: &[u8]) -> Result<Self, TextError> {
        let text = utf8(bytes)?;
        let mut lines = text.split_inclusive('\n');
        if lines.next().map(str::trim_end) != Some("---") {
            return Err(TextError {
                message: "the file must begin with YAML front matter, between two `---` lines"
                    .to_owned(),
                line: Some(1),
            });
        }
        let start = text.find('\n').map_or(text.len(), |at| at + 1);
        let mut end = start;
        for line in lines {
            if line.trim_end() == "---" {
                let value = parse_yaml(text[start..end].as_bytes()).map_err(|e| TextError {
                    line: e.line.map(|l| l + 1),
                    ..e
                })?;
                let Value::Object(fields) = value else {
                    return Err(TextError::new(
                        "the front matter must be a mapping of fields",
                    ));
                };
                return Ok(Self {
                    fields,
                    body: text[end + line.len()..].to_owned(),
                });
            }
            end += line.len();
        }
        Err(TextError::new(
            "the front matter is not closed by a `---` line",
        ))
    }
}
