//! Reading a line in the one form that we write, without a general JSON reader.
//!
//! Reading the index is most of what a lock costs. Our own lines have their fields in one order,
//! no spaces and no escapes, so a few comparisons do; whatever looks different in any way is left
//! to `serde_json`, which also says what is wrong with it.

use std::borrow::Cow;

use memchr::memchr2;

use super::index::{IndexDependency, IndexLine};

/// Reads a line, if it is in the plain form and has no requirements.
pub(super) fn read(line: &str) -> Option<IndexLine<'_>> {
    let mut rest = Rest(line);
    let id = rest.text("{\"id\":")?;
    let version = rest.text(",\"version\":")?.parse().ok()?;
    let mut dependencies = Vec::new();
    if rest.skip(",\"dependencies\":[") {
        while !rest.skip("]") {
            if !dependencies.is_empty() && !rest.skip(",") {
                return None;
            }
            dependencies.push(IndexDependency {
                id: Cow::Borrowed(rest.text("{\"id\":")?),
                range: Cow::Borrowed(rest.text(",\"range\":")?),
                optional: rest.skip(",\"optional\":true"),
            });
            if !rest.skip("}") {
                return None;
            }
        }
        if dependencies.is_empty() {
            return None;
        }
    }
    let digest = rest.text(",\"digest\":")?.parse().ok()?;
    let size = rest.number(",\"size\":")?;
    let source = match rest.0.starts_with(",\"source\":") {
        true => Some(Cow::Borrowed(rest.text(",\"source\":")?)),
        false => None,
    };
    let yanked = rest.skip(",\"yanked\":true");
    (rest.0 == "}").then_some(IndexLine {
        id: Cow::Borrowed(id),
        version,
        dependencies,
        requirements: Vec::new(),
        digest,
        size,
        source,
        yanked,
    })
}

/// What is still to be read.
struct Rest<'t>(&'t str);

impl<'t> Rest<'t> {
    fn skip(&mut self, text: &str) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Reads a string without escapes that follows `name`.
    fn text(&mut self, name: &str) -> Option<&'t str> {
        let rest = self.0.strip_prefix(name)?.strip_prefix('"')?;
        let end = memchr2(b'"', b'\\', rest.as_bytes())?;
        let (text, rest) = rest.split_at(end);
        // A control character has to be escaped, so a plain one is an error of the line.
        if text.bytes().any(|b| b < b' ') {
            return None;
        }
        self.0 = rest.strip_prefix('"')?;
        Some(text)
    }

    /// Reads a whole number, without anything in front of it, that follows `name`.
    fn number(&mut self, name: &str) -> Option<u64> {
        let rest = self.0.strip_prefix(name)?;
        let end = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = rest.split_at(end);
        if digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        self.0 = rest;
        digits.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use attache_package::Digest;

    use super::*;

    /// Reads as we do, and compares with what `serde_json` says of the same line.
    #[track_caller]
    fn check(line: &str, is_plain: bool) {
        let plain = read(line);
        assert_eq!(plain.is_some(), is_plain, "{line}");
        if let Some(plain) = plain {
            assert_eq!(serde_json::from_str::<IndexLine<'_>>(line).unwrap(), plain);
        }
    }

    #[test]
    fn a_plain_line_means_what_it_means_to_everyone() {
        let digest = Digest::of("x");
        let line = |middle: &str, end: &str| {
            format!(
                "{{\"id\":\"a\",\"version\":\"1.0.0\"{middle},\"digest\":\"{digest}\",\"size\":12{end}}}"
            )
        };
        let needs = ",\"dependencies\":[{\"id\":\"b\",\"range\":\"^1 || >2\"},\
                     {\"id\":\"c\",\"range\":\"*\",\"optional\":true}]";
        check(&line("", ""), true);
        check(
            &line(needs, ",\"source\":\"a-1.0.0.lxpkg\",\"yanked\":true"),
            true,
        );
        check(&line("", ",\"source\":\"ä\""), true);
        // Everything else is left to the general reader.
        check(&line("", " "), false);
        check(&line("", ",\"yanked\":false"), false);
        check(&line("", ",\"yanked\":true,\"source\":\"x\""), false);
        check(&line("", ",\"source\":\"a\\u0062\""), false);
        check(&line("", ",\"source\":\"a\tb\""), false);
        check(&line("", ",\"source\":null"), false);
        check(&line("", ".0"), false);
        check(&line("", "e3"), false);
        check(&line(",\"dependencies\":[]", ""), false);
        check(
            &line(",\"dependencies\":[{\"id\":\"b\",\"range\":\"*\"}{}]", ""),
            false,
        );
        check(&line(",\"requirements\":[]", ""), false);
        check(&line("", "").replace("1.0.0", "1.0"), false);
        check(&line("", "").replace(":12", ":012"), false);
        check(&line("", "").replace(":12", ":-1"), false);
        check(&line("", "").replace(":12", ":99999999999999999999"), false);
        check("", false);
    }
}
