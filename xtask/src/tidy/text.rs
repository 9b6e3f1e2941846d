//! Checks on one file's text.

use super::Findings;

/// Leftovers that must not land, spelt in two parts so that this file passes its own check.
const LEFTOVERS: &[(&str, &str)] = &[
    (concat!("to", "do!("), "finish it or open an issue"),
    (concat!("unimpl", "emented!("), "finish it or open an issue"),
    (concat!("db", "g!("), "remove it"),
    (concat!("#[ign", "ore"), "a test runs or is not there"),
];

/// Hosts that the ordinary clients know by themselves, so that no file needs to name them.
const HOSTS: &[&str] = &[
    concat!("registry.npm", "js.org"),
    concat!("py", "pi.org"),
    concat!("python", "hosted.org"),
    concat!("static.", "crates.io"),
    concat!("index.", "crates.io"),
    concat!("deb.", "debian.org"),
];

/// Folders that only one machine has.
const MACHINE_FOLDERS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
];

const LONG: usize = 800;
const TOO_LONG: usize = 1_000;

/// Checks one file of the tree.
pub(super) fn check(path: &str, bytes: &[u8], findings: &mut Findings) {
    if bytes.contains(&0) {
        findings.error(
            path,
            "is a binary file; generate it in the test that wants it",
        );
        return;
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        findings.error(path, "is not UTF-8");
        return;
    };
    let is = |suffix: &str| path.ends_with(suffix);
    for (number, line) in (1..).zip(text.lines()) {
        let place = format!("{path}:{number}");
        if is(".rs") || is(".md") {
            check_spaces(&place, line, findings);
        }
        if is(".rs") {
            check_leftovers(&place, line, findings);
        }
        check_places(&place, line, findings);
    }
    if is(".rs") {
        check_attributes(path, text, findings);
        check_length(path, text.lines().count(), findings);
    }
}

fn check_spaces(place: &str, line: &str, findings: &mut Findings) {
    if line.ends_with([' ', '\t']) {
        findings.error(place, "has white space at its end");
    }
    if line.contains('\t') {
        findings.error(place, "has a tab; use spaces, or `\\t` in a string");
    }
}

fn check_leftovers(place: &str, line: &str, findings: &mut Findings) {
    for (leftover, advice) in LEFTOVERS {
        if line.contains(leftover) {
            findings.error(place, format_args!("has `{leftover}`; {advice}"));
        }
    }
}

/// Looks for names that only mean something on one machine.
fn check_places(place: &str, line: &str, findings: &mut Findings) {
    for host in HOSTS.iter().filter(|host| line.contains(**host)) {
        findings.error(place, format_args!("names the registry host {host}"));
    }
    for folder in MACHINE_FOLDERS {
        let is_absolute = |at: usize| {
            let before = line[..at].chars().next_back();
            // After a name it is the middle of another path; after `file://` it is not.
            before.is_none_or(|c| !c.is_alphanumeric() && !"-_.~*}>]".contains(c))
        };
        if line.match_indices(folder).any(|(at, _)| is_absolute(at)) {
            findings.error(
                place,
                format_args!("names a folder of one machine, {folder}"),
            );
        }
    }
}

/// Looks for lints that were switched off without saying why.
fn check_attributes(path: &str, text: &str, findings: &mut Findings) {
    for opening in ["allow(", "expect("] {
        for (at, _) in text.match_indices(opening) {
            let before = &text[..at];
            if !before.ends_with("#[") && !before.ends_with("#![") {
                continue;
            }
            let attribute = &text[at..];
            let end = attribute.find(")]").unwrap_or(attribute.len());
            if !attribute[..end].contains("reason =") {
                let number = before.matches('\n').count() + 1;
                let name = opening.trim_end_matches('(');
                findings.error(
                    format_args!("{path}:{number}"),
                    format_args!("`{name}` needs a `reason = \"…\"`"),
                );
            }
        }
    }
}

fn check_length(path: &str, lines: usize, findings: &mut Findings) {
    if lines > TOO_LONG {
        findings.error(
            path,
            format_args!("has {lines} lines; past {TOO_LONG} it wants siblings"),
        );
    } else if lines > LONG {
        findings.warning(path, format_args!("has {lines} lines; {LONG} is plenty"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_file(path: &str, text: impl AsRef<[u8]>, expected: &[&str]) {
        let mut findings = Findings::default();
        check(path, text.as_ref(), &mut findings);
        assert_eq!(findings.errors, expected);
        assert!(findings.warnings.is_empty(), "{:?}", findings.warnings);
    }

    #[test]
    fn a_clean_file_passes() {
        check_file("a.rs", "//! Good.\n\nfn main() {}\n", &[]);
        check_file("data.csv", "a \tb \n", &[]);
    }

    #[test]
    fn binary_files_are_refused() {
        check_file(
            "icon.png",
            b"\x89PNG\0",
            &["icon.png: is a binary file; generate it in the test that wants it"],
        );
        check_file("a.txt", b"\xff", &["a.txt: is not UTF-8"]);
    }

    #[test]
    fn stray_white_space_is_refused() {
        check_file("a.md", "one \n", &["a.md:1: has white space at its end"]);
        check_file(
            "a.rs",
            "x\n\ty\n",
            &["a.rs:2: has a tab; use spaces, or `\\t` in a string"],
        );
    }

    #[test]
    fn leftovers_are_refused() {
        for (leftover, _) in LEFTOVERS {
            let mut findings = Findings::default();
            check(
                "a.rs",
                format!("    {leftover}\n").as_bytes(),
                &mut findings,
            );
            assert_eq!(findings.errors.len(), 1, "{leftover}");
        }
    }

    #[test]
    fn lints_are_switched_off_only_with_a_reason() {
        let bare = concat!("\n#[", "allow(dead_code)]\n");
        check_file("a.rs", bare, &["a.rs:2: `allow` needs a `reason = \"…\"`"]);
        let bare = concat!("#![", "expect(\n    dead_code\n)]\n");
        check_file("a.rs", bare, &["a.rs:1: `expect` needs a `reason = \"…\"`"]);
        let good = concat!(
            "#[",
            "expect(\n    dead_code,\n    reason = \"why (really)\"\n)]\n"
        );
        check_file("a.rs", good, &[]);
        check_file("a.rs", "let x = y.expect(\"z\");\n", &[]);
    }

    #[test]
    fn names_of_one_machine_are_refused() {
        let home = concat!("/ho", "me/");
        let found = format!("a.toml:1: names a folder of one machine, {home}");
        check_file("a.toml", format!("x = \"{home}me\"\n"), &[&found]);
        check_file("a.toml", format!("file://{home}me\n"), &[&found]);
        check_file("a.toml", format!("docs{home}me\n"), &[]);
        let host = HOSTS[0];
        check_file(
            "package.json",
            format!("https://{host}/x\n"),
            &[&format!("package.json:1: names the registry host {host}")],
        );
    }

    #[test]
    fn long_files_are_warned_of_and_then_refused() {
        let lines = |count| {
            let mut findings = Findings::default();
            check("a.rs", "x\n".repeat(count).as_bytes(), &mut findings);
            (findings.errors.len(), findings.warnings.len())
        };
        assert_eq!(lines(800), (0, 0));
        assert_eq!(lines(801), (0, 1));
        assert_eq!(lines(1_000), (0, 1));
        assert_eq!(lines(1_001), (1, 0));
    }
}
