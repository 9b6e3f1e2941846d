//! Texts in double quotes, and what of them is fit for a message.

use std::borrow::Cow;

use super::Fault;

/// Reads a text in double quotes, and returns it with what follows.
pub(super) fn unquoted(given: &str) -> Result<(Cow<'_, str>, &str), (Fault, String)> {
    let inner = given.strip_prefix('"').unwrap_or(given);
    let first = inner.bytes().position(is_odd).unwrap_or(inner.len());
    if inner.as_bytes().get(first) == Some(&b'"') {
        return Ok((Cow::Borrowed(&inner[..first]), &inner[first + 1..]));
    }
    let mut out = inner[..first].to_owned();
    let mut rest = inner[first..].chars();
    loop {
        match rest.next() {
            Some('"') => return Ok((Cow::Owned(out), rest.as_str())),
            Some('\\') => match escaped(rest.as_str()) {
                Some((c, behind)) => {
                    out.push(c);
                    rest = behind.chars();
                }
                None => {
                    let known = r#"`\\`, `\"`, `\t`, `\n` or `\uXXXX`"#;
                    let found = shown(first_line(rest.as_str()));
                    let message = format!("found `\\{found}`, expected {known}");
                    return Err((Fault::Syntax, message));
                }
            },
            None | Some('\r' | '\n') => {
                let message = format!("`{}` has no closing quote", shown(first_line(given)));
                return Err((Fault::Syntax, message));
            }
            Some(c) if c.is_ascii_control() => {
                let code = u32::from(c);
                let message = format!("there is a control character (U+{code:04X}) in a value");
                return Err((Fault::Value, message));
            }
            Some(c) => out.push(c),
        }
    }
}

/// Returns whether an ASCII character has to be escaped between double quotes, or ends them.
pub(super) fn is_odd(byte: u8) -> bool {
    const ODD: [bool; 256] = {
        let mut odd = [false; 256];
        let mut byte: u8 = 0;
        while byte < 128 {
            odd[byte as usize] = byte.is_ascii_control() || byte == b'"' || byte == b'\\';
            byte += 1;
        }
        odd
    };
    ODD[usize::from(byte)]
}

/// Reads what follows a backslash.
fn escaped(text: &str) -> Option<(char, &str)> {
    let (first, rest) = (text.chars().next()?, text.get(1..)?);
    let plain = match first {
        '\\' | '"' => first,
        't' => '\t',
        'n' => '\n',
        'u' => {
            let digits = rest.get(..4)?;
            let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let code = is_hex.then(|| u32::from_str_radix(digits, 16).ok())??;
            return Some((char::from_u32(code)?, &rest[4..]));
        }
        _ => return None,
    };
    Some((plain, rest))
}

/// Returns the text fit for a message: no control characters, and an ellipsis when it is long.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 300;
    let mut rest = text.trim_end().chars();
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut out: String = rest.by_ref().take(MOST).map(visible).collect();
    if rest.next().is_some() {
        out.push('…');
    }
    out
}

/// Returns the text up to where its first line ends.
pub(super) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
