//! `tools/requirements.txt`: pip's format, checked as far as one can be certain.
//!
//! An error is a line that pip and uv both refuse, or one that names something outside the
//! package. What only deserves a look (another index, a file fetched at install) is a warning.

use std::collections::BTreeSet;

use super::rules;
use crate::{ArchiveError, Diagnostics, Tree};

/// Where the requirements are.
pub(super) const PATH: &str = "tools/requirements.txt";

const FOLDER: &str = "tools";

/// A file of garbage should not bury the report.
const MOST_FINDINGS: usize = 20;

/// What one line gives rise to.
#[derive(Debug, PartialEq, Eq)]
enum Finding {
    /// It cannot be installed, or reaches outside.
    Wrong(String),
    /// Someone should look.
    Odd(String),
    /// Another file of requirements or constraints, relative to this one.
    Include(String),
}

use Finding::{Include, Odd, Wrong};

/// Checks the file and every file it includes.
pub(super) fn check(tree: &Tree, diagnostics: &mut Diagnostics) -> Result<(), ArchiveError> {
    let mut waiting = vec![PATH.to_owned()];
    let mut seen = BTreeSet::from([PATH.to_owned()]);
    while let Some(path) = waiting.pop() {
        let Some(text) = super::check::text(tree, &path, &rules::REQUIREMENTS, diagnostics)? else {
            continue;
        };
        for (line, finding) in examine(&text).into_iter().take(MOST_FINDINGS) {
            let place = format!("{path}:{line}");
            let (target, written) = match finding {
                Wrong(message) => {
                    diagnostics.report(&rules::REQUIREMENTS, place, message);
                    continue;
                }
                Odd(message) => {
                    diagnostics.warn(&rules::REQUIREMENTS, place, message);
                    continue;
                }
                Include(written) => (join(parent(&path), &written), written),
            };
            match target {
                None => diagnostics.report(
                    &rules::REQUIREMENTS,
                    place,
                    format!("`{written}` lies outside the package"),
                ),
                Some(target) if tree.get(&target).is_none() => diagnostics.report(
                    &rules::REQUIREMENTS,
                    place,
                    format!("`{written}` is not in the package"),
                ),
                Some(target) => {
                    if !target.starts_with("tools/") {
                        diagnostics.warn(
                            &rules::REQUIREMENTS,
                            place,
                            format!(
                                "`{written}` lies outside {FOLDER}/, where requirements belong"
                            ),
                        );
                    }
                    if seen.insert(target.clone()) {
                        waiting.push(target);
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns whether the text has no line that would be an error, and includes no other file.
pub(super) fn stands_alone(text: &str) -> bool {
    let alone = |finding: &Finding| matches!(finding, Odd(_));
    examine(text).iter().all(|(_, finding)| alone(finding))
}

/// Returns whether a line asks for the package `name`.
pub(super) fn asks_for(text: &str, name: &str) -> bool {
    logical_lines(text).iter().any(|(_, line)| {
        let end = line.find(|c: char| !is_name_char(c)).unwrap_or(line.len());
        line[..end].eq_ignore_ascii_case(name)
    })
}

/// Returns what there is to say about each line, with its number from one.
fn examine(text: &str) -> Vec<(usize, Finding)> {
    logical_lines(text)
        .into_iter()
        .filter_map(|(number, line)| Some((number, examine_line(&line)?)))
        .collect()
}

/// Joins continued lines, and drops comments and blank lines, as pip does.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut joined = String::new();
    let mut start = 0;
    let text = text.trim_start_matches('\u{feff}');
    for (at, line) in text.lines().enumerate() {
        if joined.is_empty() {
            start = at + 1;
        }
        let comment = line.trim_start().starts_with('#');
        if let Some(head) = line.strip_suffix('\\').filter(|_| !comment) {
            joined.push_str(head);
            joined.push(' ');
            continue;
        }
        if !comment {
            joined.push_str(line);
        }
        lines.push((start, std::mem::take(&mut joined)));
    }
    lines.push((start, joined));
    for (_, line) in &mut lines {
        let comment = line.find(" #").or_else(|| line.find("\t#"));
        line.truncate(comment.unwrap_or(line.len()));
        *line = line.trim().to_owned();
    }
    lines.retain(|(_, line)| !line.is_empty());
    lines
}

fn examine_line(line: &str) -> Option<Finding> {
    if line.contains('\0') {
        return Some(Wrong(
            "the line holds a zero byte; this is no text".to_owned(),
        ));
    }
    if line.starts_with('-') {
        return examine_option(line);
    }
    // What follows a requirement, such as `--hash=sha256:…`, does not change what it names.
    let line = line.split(" --").next().unwrap_or(line).trim();
    let is_named = |c: char| is_name_char(c) || "[], ".contains(c);
    let place = match line.split_once('@') {
        Some((name, address)) if name.chars().all(is_named) => Some(address),
        _ => looks_like_place(line).then_some(line),
    };
    if let Some(place) = place {
        return examine_place(place.split(" ;").next().unwrap_or(place).trim());
    }
    examine_requirement(line).err().map(Wrong)
}

fn examine_option(line: &str) -> Option<Finding> {
    let (option, value) = split_option(line);
    let value = value.trim().trim_matches(['"', '\'']);
    match option {
        "-r" | "--requirement" | "-c" | "--constraint" => {
            if value.is_empty() {
                Some(Wrong(format!("`{option}` names no file")))
            } else if value.contains("://") && !value.starts_with("file:") {
                Some(Odd(format!(
                    "`{value}` is fetched when the agent is installed, and may change"
                )))
            } else if value.contains("${") {
                Some(Odd(format!(
                    "`{value}` depends on the environment it is installed in"
                )))
            } else {
                examine_place(value).or_else(|| Some(Include(value.to_owned())))
            }
        }
        "-e" | "--editable" | "-f" | "--find-links" => examine_place(value),
        "-i" | "--index-url" | "--pypi-url" | "--extra-index-url" | "--trusted-host" => {
            Some(Odd(format!(
                "`{option}` makes packages come from `{value}` instead of the host's own index"
            )))
        }
        "--pre" | "--no-index" | "--prefer-binary" | "--require-hashes" | "--no-binary"
        | "--only-binary" | "--use-feature" | "--hash" | "--global-option"
        | "--config-settings" | "--config-setting" => None,
        other => Some(Odd(format!(
            "`{other}` is not an option of requirement files"
        ))),
    }
}

/// Splits `--option=value`, `--option value`, `-r value` and `-rvalue`.
fn split_option(line: &str) -> (&str, &str) {
    if !line.starts_with("--") && line.len() > 2 && line.is_char_boundary(2) {
        return line.split_at(2);
    }
    let end = line
        .find(|c: char| c == '=' || c.is_whitespace())
        .unwrap_or(line.len());
    let (option, value) = line.split_at(end);
    (option, value.strip_prefix('=').unwrap_or(value))
}

/// Returns whether pip takes the line for an address or a path, not for a package's name.
fn looks_like_place(line: &str) -> bool {
    let head = line
        .split([' ', ';', '[', '<', '>', '=', '!', '~', '('])
        .next()
        .unwrap_or(line);
    line.contains("://")
        || line.starts_with(['.', '/', '\\', '~'])
        || is_drive(line)
        || head.contains(['/', '\\'])
        || [".whl", ".zip", ".tar.gz"]
            .iter()
            .any(|end| head.ends_with(end))
}

fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
}

/// Checks an address or a path: it must mean the same on every machine.
fn examine_place(place: &str) -> Option<Finding> {
    let machine = || {
        Some(Wrong(format!(
            "`{place}` is a path on one machine; put the file in the package"
        )))
    };
    if place.to_ascii_lowercase().starts_with("file:")
        || place.starts_with(['/', '\\', '~'])
        || is_drive(place)
    {
        return machine();
    }
    if place.starts_with("http://")
        || place.starts_with("git+http://")
        || place.starts_with("git://")
    {
        return Some(Odd(format!("`{place}` is fetched without encryption")));
    }
    if place.contains("://") || place.contains("${") {
        return None;
    }
    let path = place.split('[').next().unwrap_or(place);
    if join(FOLDER, path).is_none() {
        return Some(Wrong(format!("`{place}` lies outside the package")));
    }
    None
}

/// Follows `path` from `folder`; nothing if that leaves the package.
fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.".contains(c)
}

/// Checks `name[extras] specifiers ; marker` as far as all tools agree on it.
fn examine_requirement(line: &str) -> Result<(), String> {
    let shown = line.escape_debug();
    let no_name = || format!("`{shown}` is not a requirement; write it like `name>=1.2`");
    let end = line.find(|c: char| !is_name_char(c)).unwrap_or(line.len());
    let (name, mut rest) = line.split_at(end);
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    if !edge(name.chars().next()) || !edge(name.chars().last()) {
        return Err(no_name());
    }
    rest = rest.trim_start();
    if let Some(extras) = rest.strip_prefix('[') {
        let (inside, behind) = extras
            .split_once(']')
            .ok_or_else(|| format!("`{shown}` opens `[` and never closes it"))?;
        if !inside
            .chars()
            .all(|c| is_name_char(c) || c == ',' || c == ' ')
        {
            return Err(format!("`{shown}`: `[{inside}]` is not a list of extras"));
        }
        rest = behind.trim_start();
    }
    // A marker is a language of its own; whether it parses is for the installer to say.
    let rest = rest.split(';').next().unwrap_or_default().trim();
    if rest.is_empty() {
        return Ok(());
    }
    let rest = match rest.strip_prefix('(') {
        Some(inside) => inside
            .strip_suffix(')')
            .ok_or_else(|| format!("`{shown}` opens `(` and never closes it"))?,
        None => rest,
    };
    let pieces = rest
        .split(',')
        .map(str::trim)
        .filter(|piece| !piece.is_empty());
    for piece in pieces {
        examine_specifier(piece).map_err(|reason| format!("`{shown}`: {reason}"))?;
    }
    Ok(())
}

fn examine_specifier(piece: &str) -> Result<(), String> {
    let operators = ["===", "~=", "==", "!=", "<=", ">=", "<", ">"];
    let Some(operator) = operators.iter().find(|o| piece.starts_with(**o)) else {
        return Err(match piece.strip_prefix('=') {
            Some(version) => format!("`={version}` is no version specifier; write `=={version}`"),
            None => format!("expected a version specifier such as `>=1.2`, not `{piece}`"),
        });
    };
    let version = piece[operator.len()..].trim();
    let fits = |c: char| c.is_ascii_alphanumeric() || ".*+!_-".contains(c);
    if version.is_empty() {
        return Err(format!("`{operator}` needs a version behind it"));
    }
    if *operator != "===" && !version.chars().all(fits) {
        return Err(format!(
            "`{version}` is not a version; join specifiers with commas"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: fn(&Finding) -> bool) {
        let findings = examine(line);
        assert!(
            matches!(findings.as_slice(), [(1, finding)] if expected(finding)),
            "{line:?}: {findings:?}"
        );
    }

    #[test]
    fn ordinary_files_pass_without_a_word() {
        let ordinary = r#"
# A comment with -r /etc/passwd in it
requests
requests==2.31.0  # pinned
requests[security, socks] >= 2.8.1, == 2.8.* ; python_version < "3.9"
Django~=4.2.1
zope.interface>=5,<7
torch==2.1.0+cpu
numpy (>=1.20)
epoch==1!2.0
legacy===anything goes
pip @ https://example.org/pip-1.3.1.zip#sha1=da9234ee
mypkg[extra]@ git+https://example.org/repo.git@main
git+ssh://git@example.org/repo.git@v1#egg=x
https://example.org/x-1.0-py3-none-any.whl
./wheels/local-1.0-py3-none-any.whl
local-1.0-py3-none-any.whl
-e .
-e ./sub[extra]
--pre
--no-binary :all:
--find-links ./wheels
attrs==23.1.0 \
    --hash=sha256:1f28b4522cdc2fb4256ac1a020c78acf9cba2c6b461ccd2c126f3aa8e8335d04 \
    --hash=sha256:6279836d581513a26f1bf235f9acd333bc9115683f14f7e8fae46c98fc50e015
pkg>=1,
"#;
        assert_eq!(examine(ordinary), []);
        assert_eq!(examine(&ordinary.replace('\n', "\r\n")), []);
        assert_eq!(examine("\u{feff}requests\n"), []);
    }

    #[test]
    fn what_no_installer_takes_is_an_error() {
        for line in [
            "import os",
            "<<<<<<< HEAD",
            "pip install requests",
            "requests=2.0",
            "requests 2.0",
            "requests>=",
            "requests>=2 <3",
            "requests[security",
            "requests[sec$]",
            "requests (>=2",
            "trailing-",
            "$(rm -rf x)",
            "-r",
            "a\0b",
        ] {
            check(line, |f| matches!(f, Wrong(_)));
        }
    }

    #[test]
    fn what_reaches_outside_is_an_error() {
        for line in [
            "/opt/wheels/x.whl",
            "~/x",
            "file:///opt/x.whl",
            "x @ file:///opt/x.whl",
            "x[y]@file:///opt/x.whl",
            "C:\\wheels\\x.whl",
            "\\\\share\\x.whl",
            "../../x",
            "-e ../..",
            "-e/opt/x",
            "--find-links=/opt/wheels",
            "-r /etc/requirements.txt",
            "-c ~/constraints.txt",
            "-rC:/x.txt",
        ] {
            check(line, |f| matches!(f, Wrong(_)));
        }
    }

    #[test]
    fn what_depends_on_others_deserves_a_look() {
        for line in [
            "--index-url https://example.org/simple",
            "--extra-index-url=https://example.org/simple",
            "-r https://example.org/requirements.txt",
            "-r ${HOME}/requirements.txt",
            "http://example.org/x.whl",
            "--no-such-option",
        ] {
            check(line, |f| matches!(f, Odd(_)));
        }
        check("-r base.txt", |f| *f == Include("base.txt".to_owned()));
        check("--constraint=c.txt", |f| *f == Include("c.txt".to_owned()));
    }

    #[test]
    fn a_package_that_is_asked_for_is_found() {
        assert!(asks_for("x\nMCP>=1.2\n", "mcp"));
        assert!(asks_for("mcp[cli]", "mcp"));
        assert!(!asks_for("mcp-server\n# mcp\n", "mcp"));
    }
}
