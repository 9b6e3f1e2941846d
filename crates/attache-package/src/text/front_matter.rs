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
    /// Splits and reads a document. The first line must be `---`, and so must the one that
    /// closes the fields; later ones belong to the body. Nothing between them is no fields.
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
                let value = parse_yaml(&bytes[start..end]).map_err(|e| TextError {
                    line: e.line.map(|l| l + 1),
                    ..e
                })?;
                let fields = match value {
                    Value::Object(fields) => fields,
                    Value::Null => Map::new(),
                    _ => {
                        return Err(TextError {
                            message: "the front matter must be a mapping of fields".to_owned(),
                            line: Some(2),
                        });
                    }
                };
                return Ok(Self {
                    fields,
                    body: text[end + line.len()..].to_owned(),
                });
            }
            end += line.len();
        }
        Err(TextError {
            message: "the front matter is not closed by a second `---` line".to_owned(),
            line: Some(1),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, fields: Value, body: &str) {
        let parsed = FrontMatter::parse(text.as_bytes()).unwrap();
        assert_eq!(Value::Object(parsed.fields), fields, "{text:?}");
        assert_eq!(parsed.body, body, "{text:?}");
    }

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        let error = FrontMatter::parse(text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text:?}");
    }

    #[test]
    fn the_body_is_kept_exactly() {
        check(
            "---\na: 1\n---\n\n# Hi \n\n",
            json!({"a": 1}),
            "\n# Hi \n\n",
        );
        check("---\na: 1\n---", json!({"a": 1}), "");
        check("---\na: 1\n---\nx\n---\ny", json!({"a": 1}), "x\n---\ny");
        check(
            "---\r\na: 1\r\nb: x\r\n---\r\nx\r\ny",
            json!({"a": 1, "b": "x"}),
            "x\r\ny",
        );
        check("--- \na: 1\n---\t\nx", json!({"a": 1}), "x");
        check(
            "---\na: '---'\nb: |\n  ---\n---\n",
            json!({"a": "---", "b": "---\n"}),
            "",
        );
    }

    #[test]
    fn no_fields_are_fields_too() {
        check("---\n---\nx", json!({}), "x");
        check("---\n# later\n\n---\n", json!({}), "");
    }

    #[test]
    fn a_refusal_names_the_line_of_the_file() {
        let begin = "the file must begin with YAML front matter, between two `---` lines (line 1)";
        for text in [
            "",
            "# Hi\n",
            "\n---\na: 1\n---\n",
            "----\na: 1\n----\n",
            " ---\n---\n",
        ] {
            check_refused(text, begin);
        }
        for text in [
            "---",
            "---\na: 1\n",
            "---\na: 1\n ---\n",
            "---\na: 1\n----\n",
        ] {
            check_refused(
                text,
                "the front matter is not closed by a second `---` line (line 1)",
            );
        }
        check_refused(
            "---\na: 1\na: 2\n---\n",
            "the key `a` occurs twice (line 3)",
        );
        check_refused(
            "---\r\na: 1\r\na: 2\r\n---\r\n",
            "the key `a` occurs twice (line 3)",
        );
        let mapping = "the front matter must be a mapping of fields (line 2)";
        check_refused("---\n- a\n---\n", mapping);
        check_refused("---\ntext\n---\n", mapping);
    }
}
