use std::cmp::Ordering;
use std::ops::Bound;

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

fn range(text: &str) -> Range {
    text.parse().unwrap()
}

fn release(text: &str) -> Release {
    text.parse().unwrap()
}

#[track_caller]
fn check_canonical(given: &str, expected: &str) {
    let range = range(given);
    assert_eq!(range.canonical(), expected, "{given:?}");
    assert!(range.same_set(&self::range(expected)), "{given:?}");
}

#[test]
fn sugar_becomes_comparators() {
    check_canonical("^1.2.3", ">=1.2.3 <2.0.0-0");
    check_canonical("^0.2.3", ">=0.2.3 <0.3.0-0");
    check_canonical("^0.0.3", ">=0.0.3 <0.0.4-0");
    check_canonical("^0.0", "<0.1.0-0");
    check_canonical("^1.x", ">=1.0.0 <2.0.0-0");
    check_canonical("~1.2.3-beta.2", ">=1.2.3-beta.2 <1.3.0-0");
    check_canonical("~> v1", ">=1.0.0 <2.0.0-0");
    check_canonical(">1.2", ">=1.3.0");
    check_canonical("<=1.2", "<1.3.0-0");
    check_canonical("= 1.2.3", "1.2.3");
    check_canonical("1.2.3 - 2.3", ">=1.2.3 <2.4.0-0");
    check_canonical("x - 2.0.0", "<=2.0.0");
    check_canonical(">=1.0.0 >=1.0.0 *", ">=1.0.0");
    check_canonical("", "*");
    check_canonical("<* || 1.0.0", "1.0.0");
    check_canonical(" \t1.0.0\n||\u{a0}2.0.0 ", "1.0.0||2.0.0");
}

#[test]
fn prereleases_lower_the_bounds_only_when_asked_for() {
    let check = |given: &str, expected: &str| {
        let range = Range::parse_with(given, true).unwrap();
        assert_eq!(range.canonical(), expected, "{given:?}");
    };
    check("1.x", ">=1.0.0-0 <2.0.0-0");
    check("^1.2.3", ">=1.2.3 <2.0.0-0");
    check(">1", ">=2.0.0-0");
    check("1.2.3 - 2.3.4", ">=1.2.3-0 <2.3.5-0");
    check("1.2.3-b - 2.3.4-b", ">=1.2.3-b <=2.3.4-b");
    check(">=0.0.0-0", "*");
    check(">=0.0.0", ">=0.0.0");
}

#[track_caller]
fn check_refused(given: &str, message: &str) {
    let error = given.parse::<Range>().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("`{given}` is not a version range: at position {message}")
    );
}

#[test]
fn a_refusal_says_where_and_what_was_expected() {
    check_refused(
        ">=2.0.0, <3.0.0",
        "8, expected a space, since commas do not join comparators, found `,`",
    );
    check_refused(
        ">=2.0.0<3.0.0",
        "8, expected a space before the next comparator, found `<`",
    );
    check_refused("1 | 2", "3, expected `||`, found `|`");
    check_refused("latest", "1, expected a version, found `l`");
    check_refused("^", "2, expected a version");
    check_refused(">=1.2.", "7, expected a number, `x` or `*`");
    check_refused(
        "1.2.3.4",
        "6, expected the end of the version, which has at most three numbers, found `.`",
    );
    check_refused(
        "1.2-beta",
        "4, expected all three numbers before a prerelease, found `-`",
    );
    check_refused(
        "1.x.5",
        "5, expected `x`, since a number cannot follow `x`, found `5`",
    );
    check_refused(">01.2.3", "2, expected a number without a leading zero");
    check_refused("1.2.3-01", "7, expected a number without a leading zero");
    check_refused(
        "1.2.3-",
        "7, expected a prerelease identifier of letters, digits and `-`",
    );
    check_refused("1.2.3beta", "6, expected the end of the version, found `b`");
    check_refused(
        "1.0.0 -2.0.0",
        "8, expected a space, as in `1.0.0 - 2.0.0`, found `2`",
    );
    check_refused(
        "1.0.0 - 2.0.0 3",
        "15, expected `||` or the end, since a hyphen range stands alone, found `3`",
    );
    check_refused(
        "^1 - 2",
        "4, expected a comparator, since a hyphen range stands alone between two plain versions, \
         found `-`",
    );
    check_refused("é || ü", "1, expected a version, found `é`");
}

#[test]
fn numbers_never_wrap() {
    check_refused(
        "1.9007199254740992.0",
        "3, expected a number of at most 9007199254740991",
    );
    check_refused(
        "99999999999999999999999999999999",
        "1, expected a number of at most 9007199254740991",
    );
    for given in [
        "^9007199254740991.0.0",
        "~9007199254740991",
        ">9007199254740991",
        "<=9007199254740991.x",
    ] {
        let error = given.parse::<Range>().unwrap_err();
        assert!(error.expected.contains("to have a next one"), "{error}");
    }
    check_canonical(
        "^9007199254740990.0.0",
        ">=9007199254740990.0.0 <9007199254740991.0.0-0",
    );
    assert!("1.2.3-9007199254740992".parse::<Range>().is_err());
}

#[test]
fn a_text_is_bounded() {
    let longest = format!("1.0.0{}", " ".repeat(LONGEST - 5));
    assert!(longest.parse::<Range>().is_ok());
    let error = format!("{longest} ").parse::<Range>().unwrap_err();
    assert_eq!(error.position, LONGEST + 1);
    assert!(error.given.chars().count() < 100);
    let error = "\u{1b}[2J".parse::<Range>().unwrap_err();
    assert!(!error.given.contains('\u{1b}'), "{error}");
    let long = format!(">=1.0.0-{}", "a".repeat(251));
    assert!(long.parse::<Range>().is_err());
}

#[test]
fn accidents_of_npm_are_refused() {
    for given in [
        "1.2.3*", "1.*2.3", ">=*1.2.3", "**", "^1.x.5", ">==1.x", "v=1.x", "vv1.2", "~=1.2",
        "+build", "> =1.2.3", "V1.2.3",
    ] {
        assert!(given.parse::<Range>().is_err(), "{given:?}");
    }
}

#[test]
fn the_author_keeps_their_text() {
    let range: Range = serde_json::from_str(r#"" ^1.2  ||  2.x\n""#).unwrap();
    assert_eq!(range.to_string(), "^1.2  ||  2.x");
    assert_eq!(serde_json::to_string(&range).unwrap(), r#""^1.2  ||  2.x""#);
    assert!(serde_json::from_str::<Range>(r#""a, b""#).is_err());
    assert_ne!(range, self::range("^1.2 || 2.x"));
    assert!(range.same_set(&self::range(">=1.2.0 <3")));
}

#[track_caller]
fn check_same(left: &str, right: &str, same: bool) {
    assert_eq!(range(left).same_set(&range(right)), same, "{left} {right}");
    assert_eq!(range(right).same_set(&range(left)), same, "{right} {left}");
}

#[test]
fn different_bounds_can_be_the_same_set() {
    check_same(">1.0.0", ">=1.0.1", true);
    check_same("<=2.0.0", "<2.0.1", true);
    check_same("<2.0.0-0", "<2.0.0", true);
    check_same("<2.0.0-a", "<2.0.0", false);
    check_same(">1.0.0-a", ">=1.0.0-a.0", true);
    check_same(">1.0.0-a", ">=1.0.0-a.1", false);
    check_same("<=1.0.0-a", "<1.0.0-a.0", true);
    check_same("1.0.x || 1.1.x", ">=1.0.0 <1.2.0", true);
    check_same("1.0.0 || 1.0.1", "1.0.0 - 1.0.1", true);
    check_same(
        ">=1.0.0-0 <1.0.0",
        ">=1.0.0-0 <1.0.0-z || >=1.0.0-z <1.0.0",
        true,
    );
    check_same(">0.0.0-0", ">=0.0.0-0", false);
    check_same("*", ">=0.0.0", true);
    check_same("*", ">=0.0.0-0", false);
    check_same("<=1.2.9007199254740991", "<1.3.0", true);
    check_same(
        ">9007199254740991.9007199254740991.9007199254740991",
        "<0.0.0",
        true,
    );
    // A prerelease admitted by one alternative does not slip in through another.
    check_same(">=1.0.0-a <1.0.0-b || *", "*", true);
    check_same(">=1.0.0-a <1.0.0-b || >=0.1.0", ">=0.1.0", false);

    let with = |text| Range::parse_with(text, true).unwrap();
    assert!(with(">1.0.0").same_set(&with(">=1.0.1-0")));
    assert!(!with(">1.0.0").same_set(&with(">=1.0.1")));
    assert!(with("1.0.0").same_set(&range("1.0.0")));
    assert!(!with("1.x").same_set(&range("1.x")));
}

#[test]
fn emptiness_and_overlap_are_exact() {
    for given in [
        "<0.0.0",
        ">1 <1",
        ">1.0.0 <1.0.1",
        "<1.0.0-0 >=1.0.0-0",
        ">x",
    ] {
        assert!(range(given).is_empty(), "{given}");
    }
    for given in [">1.0.0-a <1.0.0-b", "<=0.0.0", "<0.0.0-1"] {
        assert!(!range(given).is_empty(), "{given}");
    }
    let check = |left: &str, right: &str, expected: bool| {
        assert_eq!(
            range(left).intersects(&range(right)),
            expected,
            "{left} {right}"
        );
        assert_eq!(
            range(right).intersects(&range(left)),
            expected,
            "{right} {left}"
        );
    };
    check("^1.2", ">=1.9 <3", true);
    check("^1.2", ">=2", false);
    check("1.0.0-a", ">=1.0.0-0", true);
    check("1.0.0-a", ">=0.9.0", false);
    check("<1 || >2", "1.x", false);
}

#[test]
fn outside_has_a_side() {
    let check = |given: &str, version: &str, expected: Option<Ordering>| {
        assert_eq!(
            range(given).outside(&release(version)),
            expected,
            "{given} {version}"
        );
    };
    check("^1.2", "2.0.0", Some(Ordering::Greater));
    check("^1.2", "1.1.9", Some(Ordering::Less));
    check("^1.2", "1.2.0+build", None);
    check("1.x || 3.x", "2.0.0", None);
    check("1.x || 3.x", "4.0.0", Some(Ordering::Greater));
    check("1.2.3", "1.2.4", Some(Ordering::Greater));
    check(">1.2.3", "1.3.0-a", Some(Ordering::Less));
    check("0.7.x", "0.7.2-beta", Some(Ordering::Greater));
}

fn partial() -> impl Strategy<Value = String> {
    let number = || select(vec!["0", "0", "1", "2", "3", "9007199254740990", "x", "*"]);
    let prerelease = select(vec!["", "", "", "-0", "-a", "-a.0", "-a.1", "-b", "-1"]);
    let build = select(vec!["", "", "", "+b.1"]);
    (1..4usize, number(), number(), number(), prerelease, build).prop_map(
        |(count, major, minor, patch, prerelease, build)| {
            let mut numbers = vec![major, minor, patch];
            numbers.truncate(count);
            // Once a number is left open, so are the ones after it.
            if let Some(open) = numbers.iter().position(|n| ["x", "*"].contains(n)) {
                numbers.truncate(open + 1);
            }
            let prerelease = if numbers.len() == 3 { prerelease } else { "" };
            format!("{}{prerelease}{build}", numbers.join("."))
        },
    )
}

fn alternative() -> impl Strategy<Value = String> {
    let operator = select(vec!["", "^", "~", "~> ", ">", ">=", "<", "<= ", "="]);
    let simple =
        (operator, partial()).prop_map(|(operator, version)| operator.to_owned() + &version);
    prop_oneof![
        4 => prop::collection::vec(simple, 0..4).prop_map(|all| all.join(" ")),
        1 => (partial(), partial()).prop_map(|(from, to)| format!("{from} - {to}")),
    ]
}

fn any_range() -> impl Strategy<Value = Range> {
    let text = prop::collection::vec(alternative(), 1..4).prop_map(|all| all.join(" || "));
    (text, any::<bool>()).prop_map(|(text, include)| Range::parse_with(&text, include).unwrap())
}

/// Returns versions on, just before and just after every bound.
fn near_the_bounds(range: &Range) -> Vec<Release> {
    let mut samples = vec![release("0.0.0-0"), release("0.0.0"), release("1.1.1-a")];
    for comparator in range.alternatives.iter().flatten() {
        let bound = &comparator.version;
        let (major, minor, patch) = bound.numbers();
        let after = (patch + 1).min(crate::version::LARGEST);
        for patch in [patch.saturating_sub(1), patch, after] {
            let numbers = format!("{major}.{minor}.{patch}");
            for rest in [
                "", "-0", "-0.0", "-a", "-a.0", "-a.1", "-a.1.0", "-b", "-z", "+build",
            ] {
                samples.push(release(&format!("{numbers}{rest}")));
            }
        }
        samples.push(bound.clone());
    }
    samples
}

/// Looks a version up in the exact sets.
fn in_sets(range: &Range, version: &Release) -> bool {
    let version = version.without_build();
    match version.is_prerelease() {
        true => range.prereleases().contains(&version),
        false => range.releases().contains(&version),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn both_texts_read_back_as_the_same_set(range in any_range()) {
        for text in [range.to_string(), range.canonical()] {
            let back = Range::parse_with(&text, range.include_prerelease).unwrap();
            prop_assert!(back.same_set(&range), "{text}");
            prop_assert_eq!(back.canonical(), range.canonical());
            for version in near_the_bounds(&range) {
                prop_assert_eq!(back.contains(&version), range.contains(&version));
            }
        }
    }

    #[test]
    fn membership_agrees_with_every_view_of_the_set(range in any_range()) {
        let intervals = range.intervals();
        for version in near_the_bounds(&range) {
            let inside = range.contains(&version);
            let by_rule = intervals.contains(&version.without_build())
                && range.admits_prerelease(&version);
            prop_assert_eq!(inside, by_rule, "{} {}", &range, &version);
            prop_assert_eq!(inside, in_sets(&range, &version), "{} {}", &range, &version);
            prop_assert!(!inside || !range.is_empty());
            prop_assert!(!inside || range.outside(&version).is_none());
        }
    }

    #[test]
    fn the_same_set_holds_the_same_versions(left in any_range(), right in any_range()) {
        let mut samples = near_the_bounds(&left);
        samples.extend(near_the_bounds(&right));
        let differs = samples.iter().find(|v| left.contains(v) != right.contains(v));
        let meets = samples.iter().find(|v| left.contains(v) && right.contains(v));
        prop_assert!(differs.is_none() || !left.same_set(&right), "{left} {right} {differs:?}");
        prop_assert!(meets.is_none() || left.intersects(&right), "{left} {right} {meets:?}");
        // The least version of each part of a set is in the set, so these cannot be vacuous.
        let both = left.releases().intersection(&right.releases());
        for (lower, _) in both.iter() {
            let Bound::Included(least) = lower else {
                panic!("a normal form starts at a version of its own: {lower:?}");
            };
            prop_assert!(left.contains(least) && right.contains(least));
        }
    }
}
