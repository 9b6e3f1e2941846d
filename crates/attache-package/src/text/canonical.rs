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
        scalar => out.extend_from_slice(scalar.to_string().as_bytes()),
    }
}
