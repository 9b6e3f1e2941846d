//! Checks that every dependency may be used, by the list in `deny.toml`.
//!
//! `cargo deny check` does this and more, but building it takes longer than all our tests; it
//! is run by hand, and this keeps its list honest meanwhile.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Findings;

/// The licences we accept.
pub(super) struct Policy {
    allowed: BTreeSet<String>,
}

impl Policy {
    /// Reads the list out of `deny.toml`.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let table: toml::Table = text.parse()?;
        let allowed = table
            .get("licenses")
            .and_then(|licences| licences.get("allow"))
            .and_then(toml::Value::as_array)
            .context("there is no `allow` list under `[licenses]`")?;
        Ok(Self {
            allowed: allowed
                .iter()
                .filter_map(toml::Value::as_str)
                .map(str::to_owned)
                .collect(),
        })
    }
}

/// Checks every package that `cargo metadata` names, and that every allowed licence is used.
pub(super) fn check(metadata: &Value, policy: &Policy, findings: &mut Findings) {
    let mut used = BTreeSet::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let version = package["version"].as_str().unwrap_or_default();
        let place = format!("{name} {version}");
        let Some(licence) = package["license"].as_str() else {
            findings.error(place, "does not say its licence");
            continue;
        };
        match satisfied(licence, &policy.allowed, &mut used) {
            Some(true) => {}
            Some(false) => findings.error(
                place,
                format_args!("has the licence {licence}, which deny.toml does not allow"),
            ),
            None => findings.error(
                place,
                format_args!("has the licence {licence}, which is no SPDX expression"),
            ),
        }
    }
    for licence in policy.allowed.difference(&used) {
        findings.warning(
            "deny.toml",
            format_args!("allows {licence}, which no dependency has"),
        );
    }
}

/// Returns whether the expression can be met from the list, noting every licence it met.
///
/// `/` is how old manifests write `OR`.
fn satisfied(
    expression: &str,
    allowed: &BTreeSet<String>,
    used: &mut BTreeSet<String>,
) -> Option<bool> {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let met = any(&mut words, allowed, used)?;
    words.next().is_none().then_some(met)
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(
    words: &mut Words<'_>,
    allowed: &BTreeSet<String>,
    used: &mut BTreeSet<String>,
) -> Option<bool> {
    let mut met = all(words, allowed, used)?;
    while words.next_if_eq(&"OR").is_some() {
        met |= all(words, allowed, used)?;
    }
    Some(met)
}

fn all(
    words: &mut Words<'_>,
    allowed: &BTreeSet<String>,
    used: &mut BTreeSet<String>,
) -> Option<bool> {
    let mut met = one(words, allowed, used)?;
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed, used)?;
    }
    Some(met)
}

fn one(
    words: &mut Words<'_>,
    allowed: &BTreeSet<String>,
    used: &mut BTreeSet<String>,
) -> Option<bool> {
    if words.next_if_eq(&"(").is_some() {
        let met = any(words, allowed, used)?;
        return words.next_if_eq(&")").map(|_| met);
    }
    let mut name = words
        .next_if(|word| !["(", ")", "OR", "AND", "WITH"].contains(word))?
        .to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        name = format!("{name} WITH {}", words.next()?);
    }
    let met = allowed.contains(&name);
    if met {
        used.insert(name);
    }
    Some(met)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_expression(expression: &str, expected: Option<bool>) {
        let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"]
            .map(str::to_owned)
            .into();
        let mut used = BTreeSet::new();
        assert_eq!(
            satisfied(expression, &allowed, &mut used),
            expected,
            "{expression}"
        );
    }

    #[test]
    fn expressions_are_met_as_spdx_says() {
        check_expression("MIT", Some(true));
        check_expression("GPL-3.0-only", Some(false));
        check_expression("GPL-3.0-only OR MIT", Some(true));
        check_expression("GPL-3.0-only/MIT", Some(true));
        check_expression("GPL-3.0-only AND MIT", Some(false));
        check_expression("(MIT OR GPL-3.0-only) AND ISC", Some(true));
        check_expression("MIT OR GPL-3.0-only AND BSL-1.0", Some(true));
        check_expression("Apache-2.0 WITH LLVM-exception", Some(true));
        check_expression("Apache-2.0", Some(false));
        check_expression("MIT OR", None);
        check_expression("(MIT", None);
        check_expression("MIT ISC", None);
        check_expression("", None);
    }

    #[test]
    fn a_dependency_needs_an_allowed_licence() {
        let policy = Policy::parse("[licenses]\nallow = [\"MIT\", \"ISC\"]\n").unwrap();
        let metadata = serde_json::json!({"packages": [
            {"name": "good", "version": "1.0.0", "license": "MIT"},
            {"name": "bad", "version": "2.0.0", "license": "GPL-3.0-only"},
            {"name": "mute", "version": "3.0.0", "license": null},
            {"name": "odd", "version": "4.0.0", "license": "see the file"},
        ]});
        let mut findings = Findings::default();
        check(&metadata, &policy, &mut findings);
        assert_eq!(
            findings.errors,
            [
                "bad 2.0.0: has the licence GPL-3.0-only, which deny.toml does not allow",
                "mute 3.0.0: does not say its licence",
                "odd 4.0.0: has the licence see the file, which is no SPDX expression",
            ]
        );
        assert_eq!(
            findings.warnings,
            ["deny.toml: allows ISC, which no dependency has"]
        );
    }

    #[test]
    fn a_policy_without_a_list_is_an_error() {
        assert!(Policy::parse("[licenses]\n").is_err());
    }
}
