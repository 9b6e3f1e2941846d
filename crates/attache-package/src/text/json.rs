//! Strict JSON: no duplicate keys, no lost digits, bounded depth.

use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{DEPTH_LIMIT, TextError, utf8};

/// The largest whole number that every reader of JSON represents exactly.
const LARGEST: u64 = (1 << 53) - 1;

pub(super) fn parse(bytes: &[u8]) -> Result<Value, TextError> {
    let text = utf8(bytes)?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict { depth: 0 }
        .deserialize(&mut reader)
        .map_err(refused)?;
    reader.end().map_err(refused)?;
    Ok(value)
}

fn refused(error: serde_json::Error) -> TextError {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
    TextError {
        message,
        line: (error.line() > 0).then_some(error.line()),
    }
}

pub(super) fn minify(bytes: &[u8]) -> Option<Vec<u8>> {
    parse(bytes).ok()?;
    let mut out = Vec::with_capacity(bytes.len());
    let mut in_string = false;
    let mut escaped = false;
    for &byte in bytes {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else if byte.is_ascii_whitespace() {
            continue;
        } else {
            in_string = byte == b'"';
        }
        out.push(byte);
    }
    Some(out)
}

/// Builds a [`Value`] while refusing what `serde_json` alone would let pass.
struct Strict {
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Strict {
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
            return Err(E::custom(format!(
                "the number {value} is too large to be exact"
            )));
        }
        Ok(value.into())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        if value.unsigned_abs() > LARGEST {
            return Err(E::custom(format!(
                "the number {value} is too large to be exact"
            )));
        }
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        // A whole number too long for 64 bits arrives here, already rounded.
        if value.fract() == 0.0 && value.abs() > LARGEST as f64 {
            return Err(E::custom(format!(
                "the number {value} is too large to be exact"
            )));
        }
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("not a finite number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = access.next_element_seed(self.deeper()?)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(Key(key)) = access.next_key()? {
            let value = access.next_value_seed(self.deeper()?)?;
            if object.contains_key(&key) {
                return Err(de::Error::custom(format!("the key `{key}` occurs twice")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}
