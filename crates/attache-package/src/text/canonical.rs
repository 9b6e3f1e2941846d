//! Canonical JSON: RFC 8785 for our own hashes, and AgentForge's older form.

use serde_json::Value;

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
///
/// Byte for byte what Python's `json.dumps(value, sort_keys=True, separators=(",", ":"),
/// ensure_ascii=False)` gives, floats included: `1.0` stays a float, and exponents begin where
/// Python's do (`1e+16`, `1e-05`).
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
        Value::Number(number) if number.is_f64() => {
            let value = number.as_f64().unwrap_or_default();
            out.extend_from_slice(python_float(value).as_bytes());
        }
        scalar => out.extend_from_slice(scalar.to_string().as_bytes()),
    }
}

/// Returns a float as Python's `repr` writes it: the shortest digits that read back, with an
/// exponent below 1e-4 and from 1e16 on.
fn python_float(value: f64) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let scientific = format!("{:e}", value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..16).contains(&exponent) {
        // Rust's plain form never has an exponent, and has no `.0` on whole numbers.
        let plain = format!("{}", value.abs());
        let whole = if plain.contains('.') { "" } else { ".0" };
        return format!("{sign}{plain}{whole}");
    }
    let direction = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{mantissa}e{direction}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check_agentforge(value: &Value, expected: &str) {
        assert_eq!(String::from_utf8(agentforge(value)).unwrap(), expected);
    }

    /// The expectations are what Python 3 printed.
    #[test]
    fn agentforge_is_what_python_writes() {
        check_agentforge(
            &json!({
                "b": [1, -2, 9_007_199_254_740_991_u64, true, null],
                "a": {"é": "ü😀\u{2028}", "z": "\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}"},
                "Z": 0.5, "\u{10000}": 1, "\u{ffff}": 2, "": {}, "e": []
            }),
            concat!(
                r#"{"":{},"Z":0.5,"a":{"z":"\"\\/\b\f\n\r\t\u0001\u001f"#,
                "\u{7f}\",\"é\":\"ü😀\u{2028}\"},",
                r#""b":[1,-2,9007199254740991,true,null],"e":[],"#,
                "\"\u{ffff}\":2,\"\u{10000}\":1}",
            ),
        );
    }

    #[test]
    fn agentforge_floats_are_what_python_writes() {
        for (value, expected) in [
            (0.1, "0.1"),
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (100.0, "100.0"),
            (1e15, "1000000000000000.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (-1e16, "-1e+16"),
            (1.234_567_890_123_456_8e17, "1.2345678901234568e+17"),
            (1e22, "1e+22"),
            (1e100, "1e+100"),
            (f64::MAX, "1.7976931348623157e+308"),
            (0.0001, "0.0001"),
            (0.000_123_4, "0.0001234"),
            (1e-5, "1e-05"),
            (-1e-5, "-1e-05"),
            (1.5e-7, "1.5e-07"),
            (1.25e-10, "1.25e-10"),
            (5e-324, "5e-324"),
            (1_234_567.891, "1234567.891"),
        ] {
            check_agentforge(&json!(value), expected);
        }
    }

    #[test]
    fn rfc8785_sorts_by_utf16_and_writes_numbers_as_javascript_does() {
        let value = json!({"\u{ffff}": 1.0, "\u{10000}": 1e21, "a": [1e-7, 0.000_001, 1e20]});
        let expected =
            "{\"a\":[1e-7,0.000001,100000000000000000000],\"\u{10000}\":1e+21,\"\u{ffff}\":1}";
        assert_eq!(String::from_utf8(rfc8785(&value)).unwrap(), expected);
    }
}
