//! Which written numbers survive being read.

/// The largest whole number that every reader represents exactly.
pub(super) const LARGEST: u64 = (1 << 53) - 1;

/// Returns whether a decimal number, as written, is what every reader will hold.
///
/// A whole number must be within 2^53-1. A number with a fraction or an exponent must be the
/// shortest spelling of a double, but for zeros at either end: more digits would be dropped
/// without a word. Zero has no sign, since readers disagree on whether it keeps one.
pub(super) fn is_exact(literal: &str) -> bool {
    let unsigned = literal.trim_start_matches(['-', '+']);
    if unsigned.bytes().all(|b| b.is_ascii_digit()) {
        let value = unsigned.parse::<u64>();
        return value.is_ok_and(|n| n <= LARGEST && (n > 0 || !literal.starts_with('-')));
    }
    let Ok(value) = literal.parse::<f64>() else {
        return false;
    };
    let written = digits(unsigned);
    let negative_zero = value == 0.0 && value.is_sign_negative();
    value.is_finite() && !negative_zero && written == digits(&format!("{:e}", value.abs()))
}

/// Returns the digits that count and the power of ten of the last one.
fn digits(unsigned: &str) -> Option<(String, i64)> {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()),
        None => (unsigned, Some(0)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some((String::new(), 0));
    }
    let dropped = all.len() - all.trim_end_matches('0').len();
    let shift = i64::try_from(dropped).ok()? - i64::try_from(fraction.len()).ok()?;
    Some((significant.to_owned(), exponent?.checked_add(shift)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(literal: &str, exact: bool) {
        assert_eq!(is_exact(literal), exact, "{literal}");
    }

    #[test]
    fn a_number_that_loses_digits_is_not_exact() {
        for literal in [
            "0",
            "-1",
            "9007199254740991",
            "-9007199254740991",
            "0.1",
            "4.50",
            "100.0",
            "1e30",
            "1E+2",
            "2.5e-7",
            "0.0",
            "0e99",
            "1.7976931348623157e308",
            "5e-324",
            "+3",
        ] {
            check(literal, true);
        }
        for literal in [
            "9007199254740992",
            "-9007199254740992",
            "123456789012345678901234567890",
            "9007199254740993.0",
            "0.1234567890123456789",
            "333333333.33333329",
            "1e400",
            "1e-400",
            "-0",
            "-0.0",
            "1e99999999999999999999",
        ] {
            check(literal, false);
        }
    }
}
