//! Strict JSON: no duplicate keys, no lost digits, bounded depth.

use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::number::{self, LARGEST};
use super::{DEPTH_LIMIT, TextError, utf8};
use crate::version::shortened;

pub(super) fn parse(bytes: &[u8]) -> Result<Value, TextError> {
    let text = utf8(bytes)?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict::default()
        .deserialize(&mut reader)
        .map_err(|error| refused(&error))?;
    reader.end().map_err(|error| refused(&error))?;
    check_numbers(text)?;
    Ok(value)
}

fn refused(error: &serde_json::Error) -> TextError {
    let mut message = error.to_string();
    // The position that `serde_json` adds comes last; a key may well contain the same words.
    if let Some(end) = message.rfind(" at line ") {
        message.truncate(end);
    }
    TextError {
        message,
        line: (error.line() > 0).then_some(error.line()),
    }
}

/// Refuses numbers that lose digits, which only their spelling tells.
///
/// The text is known to be JSON, so outside of strings only numbers have digits.
fn check_numbers(text: &str) -> Result<(), TextError> {
    let is_part = |b: &u8| b.is_ascii_digit() || b"+-.eE".contains(b);
    let bytes = text.as_bytes();
    let mut line = 1;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let length = match byte {
            b'"' => string_length(&bytes[at..]),
            b'-' | b'0'..=b'9' => bytes[at..].iter().take_while(|b| is_part(b)).count(),
            _ => 1,
        };
        if byte == b'\n' {
            line += 1;
        } else if byte != b'"' && is_part(&byte) && byte != b'e' {
            let literal = &text[at..at + length];
            if !number::is_exact(literal) {
                return Err(TextError {
                    message: lost(literal),
                    line: Some(line),
                });
            }
        }
        at += length;
    }
    Ok(())
}

/// Says that a number cannot be kept as it is written.
pub(super) fn lost(literal: &str) -> String {
    let literal = shortened(literal, 40);
    format!("the number {literal} cannot be held exactly; shorten it or quote it as text")
}

/// Returns how long the string at the start is, with its quotes.
fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

pub(super) fn minify(bytes: &[u8]) -> Option<Vec<u8>> {
    parse(bytes).ok()?;
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let length = match byte {
            b'"' => string_length(&bytes[at..]),
            _ => 1,
        };
        if !byte.is_ascii_whitespace() {
            out.extend_from_slice(&bytes[at..at + length]);
        }
        at += length;
    }
    Some(out)
}

/// Builds a [`Value`] while refusing what a reader alone would let pass.
#[derive(Clone, Copy, Default)]
pub(super) struct Strict {
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Strict {
    /// Returns the seed for what is inside a list or an object.
    fn deeper<E: de::Error>(&self) -> Result<Self, E> {
        if self.depth == DEPTH_LIMIT {
            return Err(E::custom(format!(
                "it is nested more than {DEPTH_LIMIT} deep"
            )));
        }
        Ok(Self {
            depth: self.depth + 1,
        })
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        if value > LARGEST {
            return Err(E::custom(lost(&value.to_string())));
        }
        Ok(value.into())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        if value.unsigned_abs() > LARGEST {
            return Err(E::custom(lost(&value.to_string())));
        }
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number must be finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inside = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = access.next_element_seed(inside)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inside = self.deeper()?;
        let mut object = Map::new();
        while let Some(Key(key)) = access.next_key()? {
            if object.contains_key(&key) {
                let key = shortened(&key, 64);
                return Err(de::Error::custom(format!("the key `{key}` occurs twice")));
            }
            let value = access.next_value_seed(inside)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeyVisitor)
    }
}

/// Takes text and nothing else, where YAML would have numbers and lists as keys too.
struct KeyVisitor;

impl Visitor<'_> for KeyVisitor {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text as a key, in quotes where it looks like something else")
    }

    fn visit_str<E>(self, value: &str) -> Result<Key, E> {
        Ok(Key(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Key, E> {
        Ok(Key(value))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::SIZE_LIMIT;
    use super::*;

    #[track_caller]
    fn check_refused(text: &str, line: usize, message: &str) {
        let error = parse(text.as_bytes()).unwrap_err();
        assert!(error.message.contains(message), "{error}");
        assert_eq!(error.line, Some(line), "{error}");
        assert_eq!(minify(text.as_bytes()), None, "{text}");
    }

    #[test]
    fn a_key_never_occurs_twice() {
        check_refused("{\n\"a\": 1,\n\"a\": 1}", 3, "the key `a` occurs twice");
        check_refused(
            r#"[{"b": {"a": 1, "\u0061": 2}}]"#,
            1,
            "the key `a` occurs twice",
        );
        check_refused(
            r#"{"x at line 9": 1, "x at line 9": 1}"#,
            1,
            "the key `x at line 9` occurs twice",
        );
    }

    #[test]
    fn depth_is_bounded() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let nested = |depth: usize| {
                let inside = if open == "[" { "" } else { "1" };
                open.repeat(depth) + inside + &close.repeat(depth)
            };
            assert!(parse(nested(DEPTH_LIMIT).as_bytes()).is_ok());
            check_refused(&nested(DEPTH_LIMIT + 1), 1, "nested more than 64 deep");
            check_refused(&open.repeat(100_000), 1, "nested more than 64 deep");
        }
    }

    #[test]
    fn no_number_loses_digits() {
        for (given, line) in [
            ("9007199254740992", 1),
            ("[1,\n-9007199254740992]", 2),
            ("{\"a\":\n\n123456789012345678901234567890}", 3),
            ("[0.12345678901234567890]", 1),
            ("\n[-0]", 2),
        ] {
            check_refused(given, line, "cannot be held exactly");
        }
        check_refused("1e999", 1, "number out of range");
        for given in [
            "9007199254740991",
            "-1.5e-9",
            "1e30",
            "[0.0,\"-0\",\"1\\\"99999999999999999\"]",
        ] {
            assert!(parse(given.as_bytes()).is_ok(), "{given}");
        }
    }

    #[test]
    fn there_is_one_document_and_nothing_after_it() {
        check_refused("{}\n{}", 2, "trailing characters");
        check_refused("{} x", 1, "trailing characters");
        check_refused("", 1, "EOF");
        check_refused("{\n\"a\": }", 2, "expected value");
        check_refused("{\"a\": 1,}", 1, "trailing comma");
        check_refused("{a: 1}", 1, "key must be a string");
        check_refused("[1] // no", 1, "trailing characters");
        check_refused("NaN", 1, "expected value");
    }

    #[test]
    fn bytes_are_utf8_without_a_mark_and_bounded() {
        let error = parse(b"{\n\"a\": \"\xff\"}").unwrap_err();
        assert_eq!(error.to_string(), "the document is not UTF-8 (line 2)");
        assert!(
            parse("\u{feff}{}".as_bytes())
                .unwrap_err()
                .message
                .contains("byte-order mark")
        );
        // A lone surrogate is no character, so no text can hold it.
        check_refused(r#"["\ud800"]"#, 1, "hex escape");
        let at_limit = format!("\"{}\"", "a".repeat(SIZE_LIMIT - 2));
        assert!(parse(at_limit.as_bytes()).is_ok());
        let error = parse(format!("{at_limit} ").as_bytes()).unwrap_err();
        assert!(error.message.contains("the limit is 4194304"), "{error}");
    }

    #[test]
    fn minifying_drops_only_space_between_tokens() {
        let given = "{ \"a b\\\" c\\\\\" :\t[ 1.0 ,\r\n 2e5, \" { \\u0020 \" ] , \"é\" : null }\n";
        let expected = "{\"a b\\\" c\\\\\":[1.0,2e5,\" { \\u0020 \"],\"é\":null}";
        let minified = minify(given.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(minified).unwrap(), expected);
        assert_eq!(parse(given.as_bytes()), parse(expected.as_bytes()));
    }

    #[test]
    fn values_come_through() {
        let text = r#"{"a":[1,-2,0.5,true,null,"\n\u00e9😀"],"":{}}"#;
        let expected = json!({"a": [1, -2, 0.5, true, null, "\né😀"], "": {}});
        assert_eq!(parse(text.as_bytes()).unwrap(), expected);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let largest = i64::try_from(LARGEST).unwrap();
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-largest..=largest).prop_map(Value::from),
            any::<f64>()
                .prop_filter("finite, and zero without a sign", |f| f.is_finite()
                    && *f != 0.0)
                .prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[ \\t\"\\\\a:,{}\\[\\]0-9]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn what_we_write_reads_back(value in any_value()) {
            let pretty = serde_json::to_vec_pretty(&value).unwrap();
            prop_assert_eq!(parse(&pretty).unwrap(), value.clone());
            let minified = minify(&pretty).unwrap();
            prop_assert_eq!(&minified, &serde_json::to_vec(&value).unwrap());
            prop_assert_eq!(parse(&minified).unwrap(), value);
        }
    }
}
