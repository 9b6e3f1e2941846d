//! Checks on the documents: links, decisions, change log.

use std::borrow::Cow;

use super::Findings;

/// Checks that every link to a file of the tree leads somewhere.
pub(super) fn check_links(
    path: &str,
    text: &str,
    exists: impl Fn(&str) -> bool,
    findings: &mut Findings,
) {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    for (number, target) in links(text) {
        let file = target.split(['#', '?']).next().unwrap_or_default();
        if file.is_empty() {
            continue;
        }
        match joined(folder, file) {
            Some(file) if exists(&file) => {}
            _ => findings.error(
                format_args!("{path}:{number}"),
                format_args!("links to `{target}`, which is not there"),
            ),
        }
    }
}

/// Checks that the reference page explains every code that the program gives.
pub(super) fn check_codes(path: &str, text: &str, reference: &str, findings: &mut Findings) {
    for (number, line) in (1..).zip(text.lines()) {
        for code in line.split('"').skip(1).step_by(2) {
            let word = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'-';
            let is_code = code
                .strip_prefix("ATT-")
                .is_some_and(|c| !c.is_empty() && c.bytes().all(word));
            if is_code && !reference.contains(&format!("`{code}`")) {
                findings.error(
                    format_args!("{path}:{number}"),
                    format_args!("gives `{code}`, which docs/reference/codes.md does not explain"),
                );
            }
        }
    }
}

/// Returns every link that is not to the web, with its line.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        // Text between back-ticks is code: every second part of the line.
        for prose in line.split('`').step_by(2) {
            found.extend(prose.split("](").skip(1).filter_map(|rest| {
                let target = rest.split([')', ' ']).next()?;
                Some((number, target))
            }));
        }
        if let Some((label, target)) = line.split_once("]: ")
            && label.starts_with('[')
        {
            found.extend(target.split_whitespace().next().map(|t| (number, t)));
        }
    }
    found.retain(|(_, target)| !target.contains("://") && !target.starts_with("mailto:"));
    found
}

/// Joins a link to the folder it is in; nothing if it leaves the tree.
fn joined(folder: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    let start = if link.starts_with('/') { "" } else { folder };
    for part in start.split('/').chain(link.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Checks that the decisions are numbered from one without gaps, and each has its title.
pub(super) fn check_decisions(decisions: &[(&str, Cow<'_, str>)], findings: &mut Findings) {
    const FOLDER: &str = "docs/decisions";
    let mut numbers = Vec::new();
    for (name, text) in decisions {
        let place = format!("{FOLDER}/{name}");
        let number = name
            .split_once('-')
            .filter(|(number, rest)| number.len() == 4 && rest.ends_with(".md"))
            .and_then(|(number, _)| number.parse::<usize>().ok());
        match number {
            Some(number) => numbers.push((number, place.clone())),
            None => findings.error(&place, "is not named `NNNN-what.md`"),
        }
        if !text.starts_with("# ") {
            findings.error(&place, "does not open with a `# ` title");
        }
    }
    numbers.sort();
    for (expected, (number, place)) in (1..).zip(&numbers) {
        if *number != expected {
            findings.error(place, format_args!("should have the number {expected:04}"));
            break;
        }
    }
    if numbers.is_empty() {
        findings.error(FOLDER, "holds no decision");
    }
}

/// Checks that there is a place to write the next change down.
pub(super) fn check_changelog(text: Option<Cow<'_, str>>, findings: &mut Findings) {
    let place = "CHANGELOG.md";
    let heading = |line: &str| {
        line.strip_prefix("## ")
            .is_some_and(|title| title.trim_matches(['[', ']']) == "Unreleased")
    };
    match text {
        None => findings.error(place, "is not there"),
        Some(text) if !text.lines().any(heading) => {
            findings.error(place, "has no `## Unreleased` part");
        }
        Some(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_page(path: &str, text: &str, expected: &[&str]) {
        let mut findings = Findings::default();
        let exists = |file: &str| ["README.md", "docs/a.md", "docs/b.md"].contains(&file);
        check_links(path, text, exists, &mut findings);
        assert_eq!(findings.errors, expected);
    }

    #[test]
    fn a_code_that_the_reference_does_not_explain_is_found() {
        let check = |text: &str| {
            let mut findings = Findings::default();
            check_codes("a.rs", text, "| `ATT-IO` | what it means |", &mut findings);
            findings.errors.len()
        };
        assert_eq!(check(r#"Error::new("ATT-IO", "x")"#), 0);
        assert_eq!(check(r#"Error::new("ATT-NEW", "x")"#), 1);
        assert_eq!(check(r#"starts_with("ATT-")"#), 0);
    }

    #[test]
    fn links_lead_somewhere() {
        check_page(
            "README.md",
            "[a](docs/a.md#part) and [w](https://x.example)",
            &[],
        );
        check_page(
            "docs/a.md",
            "[b](b.md), [up](../README.md), [here](#x)",
            &[],
        );
        check_page("docs/a.md", "[root]: /README.md", &[]);
        check_page(
            "docs/a.md",
            "one\n[c](c.md) [d](../docs/b.md)",
            &["docs/a.md:2: links to `c.md`, which is not there"],
        );
        check_page(
            "README.md",
            "[out](../outside.md)",
            &["README.md:1: links to `../outside.md`, which is not there"],
        );
        check_page(
            "README.md",
            "[r]: gone.md",
            &["README.md:1: links to `gone.md`, which is not there"],
        );
    }

    #[test]
    fn code_is_no_link() {
        check_page("README.md", "`a[0](x)`\n```\n[c](c.md)\n```\n", &[]);
    }

    #[track_caller]
    fn check_numbers(names: &[&str], expected: &[&str]) {
        let mut findings = Findings::default();
        let decisions: Vec<_> = names
            .iter()
            .map(|name| (*name, Cow::Borrowed("# Title\n")))
            .collect();
        check_decisions(&decisions, &mut findings);
        assert_eq!(findings.errors, expected);
    }

    #[test]
    fn decisions_are_numbered_without_gaps() {
        check_numbers(&["0001-a.md", "0002-b.md"], &[]);
        check_numbers(
            &["0001-a.md", "0003-c.md"],
            &["docs/decisions/0003-c.md: should have the number 0002"],
        );
        check_numbers(
            &["0001-a.md", "0001-b.md"],
            &["docs/decisions/0001-b.md: should have the number 0002"],
        );
        check_numbers(
            &["0001-a.md", "notes.md"],
            &["docs/decisions/notes.md: is not named `NNNN-what.md`"],
        );
        check_numbers(&[], &["docs/decisions: holds no decision"]);
    }

    #[test]
    fn a_decision_has_a_title() {
        let mut findings = Findings::default();
        check_decisions(&[("0001-a.md", "text".into())], &mut findings);
        assert_eq!(
            findings.errors,
            ["docs/decisions/0001-a.md: does not open with a `# ` title"]
        );
    }

    #[test]
    fn the_change_log_has_an_unreleased_part() {
        let errors = |text: Option<&'static str>| {
            let mut findings = Findings::default();
            check_changelog(text.map(Cow::Borrowed), &mut findings);
            findings.errors
        };
        assert!(errors(Some("# Changes\n\n## Unreleased\n")).is_empty());
        assert!(errors(Some("# Changes\n\n## [Unreleased]\n")).is_empty());
        assert_eq!(errors(None), ["CHANGELOG.md: is not there"]);
        assert_eq!(
            errors(Some("# Unreleased\n")),
            ["CHANGELOG.md: has no `## Unreleased` part"]
        );
    }
}
