//! JSON for people, with sorted keys, so that the same value always gives the same bytes.

use serde_json::{Map, Value};

/// Writes `value` with two spaces of indentation, keys sorted, and a newline at the end.
///
/// The keys are sorted here rather than left to `serde_json`, whose order depends on a
/// feature that any dependency may switch on.
pub fn pretty_json(value: &Value) -> Vec<u8> {
    match serde_json::to_vec_pretty(&sorted(value)) {
        Ok(mut bytes) => {
            bytes.push(b'\n');
            bytes
        }
        Err(error) => unreachable!("a JSON value can always be written: {error}"),
    }
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(fields) => {
            let mut keys: Vec<_> = fields.keys().collect();
            keys.sort();
            let pairs = keys
                .into_iter()
                .map(|key| (key.clone(), sorted(&fields[key])));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
        scalar => scalar.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_value_gives_the_same_bytes_whatever_order_it_was_made_in() {
        let a: Value = serde_json::from_str(r#"{"b":[{"z":1,"a":2}],"a":null}"#).unwrap();
        let b: Value = serde_json::from_str(r#"{"a":null,"b":[{"a":2,"z":1}]}"#).unwrap();
        assert_eq!(pretty_json(&a), pretty_json(&b));
        assert!(pretty_json(&a).starts_with(b"{\n  \"a\": null"));
        assert!(pretty_json(&a).ends_with(b"}\n"));
    }
}
