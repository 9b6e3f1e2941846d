//! Canonical JSON: RFC 8785 for our own hashes, and AgentForge's older form.

use serde_json::{Number, Value};

/// Returns the RFC 8785 form of `value`.
///
/// `value` must come from [`parse_json`](super::parse_json) or from our own types, which hold
/// no number that this form would round.
pub fn rfc8785(value: &Value) -> Vec<u8> {
    match serde_json_canonicalizer::to_vec(value) {
        Ok(bytes) => bytes,
        Err(error) => unreachable!("a JSON value always has a canonical form: {error}"),
    }
}

/// Returns AgentForge's form: keys sorted by code point, no white space, UTF-8 not escaped.
pub fn agentforge(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Array(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write(item, out);
            }
            out.push(b']');
        }
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            // UTF-8 sorts by code point, which is what Python's `sort_keys` does.
            sorted.sort_by_key(|(key, _)| key.as_bytes());
            out.push(b'{');
            for (at, (key, item)) in sorted.into_iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write(&Value::String(key.clone()), out);
                out.push(b':');
                write(item, out);
            }
            out.push(b'}');
        }
        Value::Number(number) => out.extend_from_slice(python_number(number).as_bytes()),
        scalar => out.extend_from_slice(scalar.to_string().as_bytes()),
    }
}

/// Writes a number as the reference does, which spells small fractions in its own way: `1e-07`.
fn python_number(number: &Number) -> String {
    match number.as_f64() {
        Some(small) if number.is_f64() && small != 0.0 && small.abs() < 1e-4 => {
            let text = format!("{small:e}");
            match text.split_once("e-") {
                Some((digits, exponent)) => format!("{digits}e-{exponent:0>2}"),
                None => text,
            }
        }
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expectations are `json.dumps(v, sort_keys=True, separators=(",", ":"),
    /// ensure_ascii=False)` by Python 3.11.
    #[test]
    fn the_older_form_is_that_of_the_reference() {
        for (given, expected) in [
            (
                r#"{"b": [1, 2.50, -0.0], "a": {"d": null, "c": true}}"#,
                r#"{"a":{"c":true,"d":null},"b":[1,2.5,-0.0]}"#,
            ),
            (
                "[0.0001, 0.00001, -1.5e-7, 5e-324, 1e-100]",
                "[0.0001,1e-05,-1.5e-07,5e-324,1e-100]",
            ),
            (
                "[123456789.125, 4503599627370496.5, 100.0]",
                "[123456789.125,4503599627370496.0,100.0]",
            ),
            (
                r#"["\u00e9\u2028\u007f\u001f/"]"#,
                "[\"é\u{2028}\u{7f}\\u001f/\"]",
            ),
            (
                r#"{"\uff5e": 1, "\ud83e\uddf3": 2, "z": 3}"#,
                "{\"z\":3,\"\u{ff5e}\":1,\"\u{1f9f3}\":2}",
            ),
        ] {
            let value = crate::text::parse_json(given.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(agentforge(&value)).unwrap(), expected);
        }
    }
}
