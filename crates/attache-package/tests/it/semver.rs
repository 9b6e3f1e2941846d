//! node-semver's own cases, every row of them.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::cmp::Ordering;

use attache_package::{Range, Release};
use serde_json::Value;

use crate::conformance::suite;

/// Runs every row of one file. `least` is how many rows there are known to be.
#[track_caller]
fn rows(file: &str, least: usize, check: impl Fn(&[Value])) {
    let Some(folder) = suite("node-semver") else {
        return;
    };
    let bytes = fs_err::read(folder.join(file)).unwrap();
    let rows: Vec<Vec<Value>> = serde_json::from_slice(&bytes).unwrap();
    assert!(rows.len() >= least, "{file} has only {} rows", rows.len());
    for row in rows {
        check(&row);
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn version(value: &Value) -> Release {
    Release::from_npm(text(value)).unwrap()
}

/// Reads the range in the first column, with the options in the third.
fn range(row: &[Value]) -> Range {
    let include_prerelease = row
        .get(2)
        .and_then(|options| options.get("includePrerelease"))
        .is_some_and(|value| value == true);
    Range::parse_with(text(&row[0]), include_prerelease)
        .unwrap_or_else(|error| panic!("{row:?}: {error}"))
}

#[test]
fn a_range_holds_what_npm_says() {
    rows("range-include.json", 60, |row| {
        assert!(range(row).contains(&version(&row[1])), "{row:?}");
    });
}

#[test]
fn a_range_leaves_out_what_npm_says() {
    rows("range-exclude.json", 46, |row| {
        // A text that is no version is in no range.
        if let Ok(version) = Release::from_npm(text(&row[1])) {
            assert!(!range(row).contains(&version), "{row:?}");
        } else {
            assert_eq!(row[1], "glorp");
        }
    });
}

#[test]
fn a_range_reads_as_npm_reads_it() {
    rows("range-parse.json", 61, |row| {
        if row[1].is_null() {
            assert!(text(&row[0]).parse::<Range>().is_err(), "{row:?}");
            return;
        }
        let given = range(row);
        assert_eq!(given.canonical(), text(&row[1]), "{row:?}");
        let mut expected = row.to_vec();
        expected[0] = row[1].clone();
        assert!(given.same_set(&range(&expected)), "{row:?}");
    });
}

#[test]
fn versions_compare_as_npm_has_it() {
    rows("comparisons.json", 10, |row| {
        let (greater, less) = (version(&row[0]), version(&row[1]));
        assert!(greater > less, "{row:?}");
        assert_eq!(less.cmp_precedence(&greater), Ordering::Less, "{row:?}");
    });
    rows("equality.json", 2, |row| {
        assert!(
            version(&row[0]).same_precedence(&version(&row[1])),
            "{row:?}"
        );
    });
}

#[test]
fn valid_versions_have_npms_parts() {
    rows("valid-versions.json", 11, |row| {
        let version = version(&row[0]);
        let numbers = [version.major(), version.minor(), version.patch()];
        assert_eq!(
            Value::from(numbers.to_vec()),
            Value::from(&row[1..4]),
            "{row:?}"
        );
        for (part, expected) in [(version.prerelease(), &row[4]), (version.build(), &row[5])] {
            let expected: Vec<String> = expected
                .as_array()
                .unwrap()
                .iter()
                .map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned))
                .collect();
            assert_eq!(part, expected.join("."), "{row:?}");
        }
    });
}

#[test]
fn invalid_versions_are_refused() {
    rows("invalid-versions.json", 4, |row| {
        assert!(Release::from_npm(text(&row[0])).is_err(), "{row:?}");
    });
}

#[test]
fn ranges_meet_where_npm_says() {
    rows("range-intersection.json", 9, |row| {
        let [left, right] = [&row[0], &row[1]].map(|r| text(r).parse::<Range>().unwrap());
        assert_eq!(row[2], left.intersects(&right), "{row:?}");
        assert_eq!(row[2], right.intersects(&left), "{row:?}");
    });
}

#[test]
fn a_version_is_outside_on_npms_side() {
    for (file, side) in [
        ("version-gt-range.json", Ordering::Greater),
        ("version-lt-range.json", Ordering::Less),
    ] {
        rows(file, 27, |row| {
            assert_eq!(range(row).outside(&version(&row[1])), Some(side), "{row:?}");
        });
    }
}
