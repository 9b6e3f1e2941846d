//! pubgrub's large case: the bare solver and ours, in one process.

use std::path::{Path, absolute};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell::{cargo, output};

/// What both took to resolve from every root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LargeCase {
    pub(super) packages: u64,
    pub(super) roots: u64,
    /// How many of the roots have an answer, for both alike.
    pub(super) solvable: u64,
    pub(super) rounds: u64,
    pub(super) bare: Duration,
    pub(super) ours: Duration,
    /// Ours, without looking for the shortest explanation of a failure.
    pub(super) unexplained: Duration,
}

/// Runs the bench on the given data.
pub(super) fn measure(file: &Path) -> Result<LargeCase> {
    let mut command = cargo(&[
        "bench",
        "--locked",
        "--package",
        "attache-resolve",
        "--bench",
        "large_case",
        "--",
    ]);
    read(&output(command.arg(absolute(file)?))?)
}

fn read(line: &str) -> Result<LargeCase> {
    let values: Value = serde_json::from_str(line).context("the large case printed no JSON")?;
    let number = |name: &str| {
        let value = values[name].as_u64();
        value.with_context(|| format!("the large case printed no `{name}`"))
    };
    let time = |name: &str| number(name).map(Duration::from_nanos);
    Ok(LargeCase {
        packages: number("packages")?,
        roots: number("roots")?,
        solvable: number("solvable")?,
        rounds: number("rounds")?,
        bare: time("bare")?,
        ours: time("ours")?,
        unexplained: time("unexplained")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_with_a_part_missing_is_an_error() {
        let line = r#"{"packages":83,"roots":641,"solvable":593,"rounds":9,"bare":10,"ours":15,"unexplained":20}"#;
        let case = read(line).unwrap();
        assert_eq!((case.roots, case.ours.as_nanos()), (641, 15));
        assert!(read(&line.replace("ours", "theirs")).is_err());
        assert!(read("give the data").is_err());
    }
}
