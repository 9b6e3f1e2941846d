//! Strict YAML, by `serde-saphyr` with a small budget.

use serde::de::DeserializeSeed;
use serde_json::Value;
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle};
use serde_saphyr::{
    Error, MessageFormatter, Options, UserMessageFormatter, with_deserializer_from_str_with_options,
};

use super::json::{Strict, lost};
use super::{DEPTH_LIMIT, SIZE_LIMIT, TextError, number, utf8};
use crate::version::shortened;

/// The most values in one document, aliases expanded.
const NODE_LIMIT: usize = 50_000;

/// The most steps of the parser, which sees the start and the end of each value.
const EVENT_LIMIT: usize = 4 * NODE_LIMIT;

pub(super) fn parse(bytes: &[u8]) -> Result<Value, TextError> {
    let text = utf8(bytes)?;
    let broken = check_numbers(text)?;
    let value = with_deserializer_from_str_with_options(text, options(), |reader| {
        Strict::default().deserialize(reader)
    })
    .map_err(|error| refused(&error))?;
    // The reader would overlook nonsense that follows `...`.
    broken.map_or(Ok(value), Err)
}

/// Far more than any manifest or agent needs, and little enough to be read in no time.
fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: EVENT_LIMIT,
            max_nodes: NODE_LIMIT,
            max_depth: DEPTH_LIMIT,
            flow_nesting_limit: DEPTH_LIMIT + 1,
            max_aliases: 1_000,
            max_anchors: 200,
            max_merge_keys: 200,
            max_recorded_anchor_events: NODE_LIMIT,
            max_recorded_anchor_bytes: SIZE_LIMIT,
            max_total_scalar_bytes: SIZE_LIMIT,
            max_inclusion_depth: 0,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: NODE_LIMIT,
            max_replay_stack_depth: 16,
        },
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

/// Refuses numbers that lose digits, which only their spelling tells.
///
/// Where the document breaks off is handed back: the reader says better what is wrong, if it
/// gets there at all.
fn check_numbers(text: &str) -> Result<Option<TextError>, TextError> {
    for event in Parser::new_from_str(text).take(EVENT_LIMIT) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                return Ok(Some(TextError {
                    message: shortened(&error.info(), 200),
                    line: Some(error.marker().line()),
                }));
            }
        };
        let Event::Scalar(value, ScalarStyle::Plain, _, tag) = event else {
            continue;
        };
        let is_text = tag.is_some_and(|tag| tag.core_suffix() == Some("str"));
        let message = match &*value {
            _ if is_text => continue,
            number if is_ambiguous(number) => {
                let number = shortened(number, 40);
                format!(
                    "readers disagree on what {number} is; write it plainly or quote it as text"
                )
            }
            number if loses_digits(number) => lost(number),
            _ => continue,
        };
        return Err(TextError {
            message,
            line: Some(span.start.line()),
        });
    }
    Ok(None)
}

/// Returns whether a plain scalar is one number in YAML 1.1 and another, or text, in YAML 1.2:
/// `012` and `1_000`.
fn is_ambiguous(scalar: &str) -> bool {
    let unsigned = scalar.trim_start_matches(['-', '+']);
    let is_whole = unsigned.starts_with(|c: char| c.is_ascii_digit())
        && unsigned.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    is_whole && (unsigned.contains('_') || (unsigned.starts_with('0') && unsigned.len() > 1))
}

/// Returns whether a plain scalar is a number that no reader can be trusted to keep.
fn loses_digits(scalar: &str) -> bool {
    let unsigned = scalar.trim_start_matches(['-', '+']);
    let based = match unsigned.get(..2) {
        Some("0x") => Some(16),
        Some("0o") => Some(8),
        _ => None,
    };
    if let Some(base) = based {
        let digits = &unsigned[2..];
        return !digits.is_empty()
            && digits.chars().all(|c| c.is_digit(base))
            && !u64::from_str_radix(digits, base).is_ok_and(|n| n <= number::LARGEST);
    }
    let is_decimal = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned
            .bytes()
            .all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    // What overflows is reported as not finite.
    is_decimal && scalar.parse::<f64>().is_ok_and(f64::is_finite) && !number::is_exact(scalar)
}

fn refused(error: &Error) -> TextError {
    let line = error.location().map(|at| at.line());
    TextError {
        message: sentence(error),
        line: line
            .and_then(|line| usize::try_from(line).ok())
            .filter(|line| *line > 0),
    }
}

/// Says in one line what is wrong, in words for an author rather than for a programmer.
fn sentence(error: &Error) -> String {
    match error.without_snippet() {
        Error::AliasError { error, .. } => sentence(error),
        Error::Message { msg, .. } => shortened(msg, 200),
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the key `{}` occurs twice", shortened(key, 64))
        }
        Error::DuplicateMappingKey { key: None, .. } => "a key occurs twice".to_owned(),
        Error::SerdeInvalidType {
            unexpected,
            expected,
            ..
        } => format!("expected {expected}, found {}", shortened(unexpected, 64)),
        Error::MultipleDocuments { .. } => "there is more than one document".to_owned(),
        Error::NonFiniteFloat { value, .. } => {
            format!("`{}` is not a finite number", shortened(value, 40))
        }
        Error::UnsupportedTag { tag, .. } => {
            format!("the tag `{}` has no meaning here", shortened(tag, 64))
        }
        Error::UnknownAnchor { .. } => "an alias names no anchor".to_owned(),
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            "an anchor contains an alias of itself".to_owned()
        }
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => "its aliases repeat too much".to_owned(),
        Error::Budget { breach, .. } => over_budget(breach),
        other => shortened(&UserMessageFormatter.format_message(other), 200),
    }
}

fn over_budget(breach: &BudgetBreach) -> String {
    match breach {
        BudgetBreach::Depth { .. } => format!("it is nested more than {DEPTH_LIMIT} deep"),
        BudgetBreach::Nodes { .. } | BudgetBreach::Events { .. } => {
            format!("it has more than {NODE_LIMIT} values")
        }
        BudgetBreach::ScalarBytes { .. } => format!("its text has more than {SIZE_LIMIT} bytes"),
        BudgetBreach::Documents { .. } => "there is more than one document".to_owned(),
        BudgetBreach::MergeKeys { .. } => "it has too many merge keys".to_owned(),
        _ => "it has too many anchors and aliases".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Value) {
        assert_eq!(parse(text.as_bytes()).unwrap(), expected, "{text}");
    }

    /// Checks the whole message, that it is one line, and that it took no time.
    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        let start = Instant::now();
        let error = parse(text.as_bytes()).unwrap_err();
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{:?}",
            start.elapsed()
        );
        let message = error.to_string();
        assert!(!message.contains('\n'), "{message}");
        assert_eq!(message, expected);
    }

    #[test]
    fn values_are_those_of_json() {
        check("", Value::Null);
        check("# nothing\n", Value::Null);
        check("---\n", Value::Null);
        check(
            "a: 1\nb: [x, -2, 1.5, true, ~, 0x10]\n",
            json!({"a": 1, "b": ["x", -2, 1.5, true, null, 16]}),
        );
        check(
            "a: |\n  x\n   y\nb: >\n  p\n  q\n",
            json!({"a": "x\n y\n", "b": "p q\n"}),
        );
        check(
            "a: '1'\nb: \"\\u00e9\"\nc: !!str 1",
            json!({"a": "1", "b": "é", "c": "1"}),
        );
        check("a: 1\r\nb: 2\r\n", json!({"a": 1, "b": 2}));
        check(
            "version: 1.2.3\ndate: 2024-01-01",
            json!({"version": "1.2.3", "date": "2024-01-01"}),
        );
    }

    #[test]
    fn only_true_and_false_are_booleans() {
        check(
            "[true, false, yes, no, on, off, y, n]",
            json!([true, false, "yes", "no", "on", "off", "y", "n"]),
        );
        check("on: 1\ny: 2", json!({"on": 1, "y": 2}));
    }

    #[test]
    fn a_key_never_occurs_twice() {
        check_refused(
            "a: 1\nb:\n  c: 1\n  c: 2\n",
            "the key `c` occurs twice (line 4)",
        );
        check_refused("a: 1\n\"a\": 2\n", "the key `a` occurs twice (line 2)");
    }

    #[test]
    fn a_key_is_text() {
        for text in [
            "1: a",
            "true: a",
            "~: a",
            "1.5: a",
            "? [a]\n: b",
            "? {a: b}\n: c",
        ] {
            let error = parse(text.as_bytes()).unwrap_err();
            assert_eq!(error.line, Some(1), "{text}: {error}");
            assert!(error.message.contains("text as a key"), "{text}: {error}");
        }
        check("'1': a", json!({"1": "a"}));
    }

    #[test]
    fn there_is_one_document_and_nothing_after_it() {
        check_refused(
            "a: 1\n---\nb: 2\n",
            "there is more than one document (line 3)",
        );
        check_refused(
            "a: 1\n...\nb: 2\n",
            "there is more than one document (line 3)",
        );
        assert!(parse(b"a: 1\n...\n]\n").is_err());
        check("---\na: 1\n...\n# end\n", json!({"a": 1}));
    }

    #[test]
    fn merge_keys_fill_in_what_is_missing() {
        check(
            "base: &b {x: 1, y: 2}\nmine:\n  <<: *b\n  y: 3\n",
            json!({"base": {"x": 1, "y": 2}, "mine": {"x": 1, "y": 3}}),
        );
        assert!(parse(b"a:\n  <<: 1\n").is_err());
    }

    #[test]
    fn no_number_loses_digits() {
        let message = |number: &str, line: usize| {
            format!(
                "the number {number} cannot be held exactly; shorten it or quote it as text (line {line})"
            )
        };
        for number in [
            "9007199254740992",
            "-9007199254740992",
            "123456789012345678901234567890",
            "0.1234567890123456789",
            "-0.0",
            "1e-400",
        ] {
            check_refused(&format!("a:\n  - {number}\n"), &message(number, 2));
            check(&format!("a: '{number}'"), json!({"a": number}));
        }
        check_refused("0xffffffffffffffff", &message("0xffffffffffffffff", 1));
        check(
            "[9007199254740991, 0.1, 1e3]",
            json!([9_007_199_254_740_991_i64, 0.1, 1000.0]),
        );
    }

    #[test]
    fn a_number_means_the_same_to_every_reader() {
        for number in ["012", "-007", "1_000", "00"] {
            check_refused(
                &format!("a: 1\nb: {number}"),
                &format!(
                    "readers disagree on what {number} is; write it plainly or quote it as text \
                     (line 2)"
                ),
            );
            check(&format!("'{number}'"), json!(number));
            check(&format!("!!str {number}"), json!(number));
        }
        check("[0, 10, 0o17, 0.5, 1_a]", json!([0, 10, 15, 0.5, "1_a"]));
    }

    #[test]
    fn a_number_is_finite() {
        check_refused("a: 1\nb: .nan", "`.nan` is not a finite number (line 2)");
        check_refused("-.inf", "`-.inf` is not a finite number (line 1)");
        check_refused("1e999", "`1e999` is not a finite number (line 1)");
    }

    #[test]
    fn tags_cannot_make_objects() {
        check_refused(
            "a: !!python/object:os.system x",
            "the tag `!!python/object:os.system` has no meaning here (line 1)",
        );
        check_refused(
            "!secret x",
            "the tag `!secret` has no meaning here (line 1)",
        );
    }

    #[test]
    fn aliases_cannot_blow_up() {
        check("a: &x [1]\nb: *x", json!({"a": [1], "b": [1]}));
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
            bomb += &format!("a{level}: &a{level} [{aliases}]\n");
        }
        let error = parse(bomb.as_bytes()).unwrap_err();
        assert!(error.message.contains("aliases"), "{error}");

        // Few aliases, many bytes.
        let text = "x".repeat(1 << 20);
        for copy in ["*a", "{<<: *a}"] {
            let copies = vec![copy; 50].join(", ");
            check_refused(
                &format!("a: &a {{k: {text}}}\nb: [{copies}]"),
                "its text has more than 4194304 bytes (line 2)",
            );
        }

        check_refused("a: *nope", "an alias names no anchor (line 1)");
        assert!(parse(b"a: &a [*a]").is_err());
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(nested(DEPTH_LIMIT).as_bytes()).is_ok());
        check_refused(
            &nested(DEPTH_LIMIT + 1),
            "it is nested more than 64 deep (line 1)",
        );
        for text in [
            "[".repeat(1_000_000),
            "- ".repeat(1_000_000),
            "{a: ".repeat(1_000_000),
            "? ".repeat(1_000_000),
        ] {
            let start = Instant::now();
            let error = parse(text.as_bytes()).unwrap_err();
            assert!(start.elapsed() < Duration::from_secs(20), "{error}");
            assert!(error.to_string().len() < 300, "{error}");
        }
        check_refused(
            &"- x\n".repeat(NODE_LIMIT + 1),
            "it has more than 50000 values (line 50000)",
        );
        let error = parse("x".repeat(SIZE_LIMIT + 1).as_bytes()).unwrap_err();
        assert!(error.message.contains("the limit is"), "{error}");
    }

    #[test]
    fn a_broken_document_is_one_line_of_message() {
        for text in [
            "a: [1, 2\nb: 3",
            "a: 'x",
            "a: b: c",
            "a: \"\\q\"",
            "@x",
            "- a\nb: c",
        ] {
            let error = parse(text.as_bytes()).unwrap_err();
            let message = error.to_string();
            assert!(!message.contains('\n') && message.len() < 300, "{message}");
            assert!(error.line.is_some(), "{text}: {message}");
        }
    }
}
