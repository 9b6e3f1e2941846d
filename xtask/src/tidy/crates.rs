//! Checks on the rooms: which crates there are, and which may import which.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Findings;

/// The rooms that meet only in `attache-ops`.
const APART: [&str; 4] = [
    "attache-resolve",
    "attache-store",
    "attache-registry",
    "attache-engine",
];

/// One crate of the workspace.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) manifest: PathBuf,
    /// The first file of its library and of each of its binaries.
    pub(super) roots: Vec<PathBuf>,
    /// The crates of ours that it imports, for whatever purpose.
    imports: BTreeSet<String>,
}

/// Reads the members from what `cargo metadata --no-deps` prints.
pub(super) fn members(metadata: &Value) -> Result<Vec<Member>> {
    let packages = metadata["packages"]
        .as_array()
        .context("`cargo metadata` named no packages")?;
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    Ok(packages
        .iter()
        .map(|package| Member {
            name: text(package, "name"),
            manifest: text(package, "manifest_path").into(),
            roots: list(package, "targets")
                .iter()
                .filter(|target| {
                    list(target, "kind")
                        .iter()
                        .any(|kind| kind == "lib" || kind == "bin")
                })
                .map(|target| text(target, "src_path").into())
                .collect(),
            imports: list(package, "dependencies")
                .iter()
                .filter(|dependency| dependency["path"].is_string())
                .map(|dependency| text(dependency, "name"))
                .collect(),
        })
        .collect())
}

/// One row of the table in ARCHITECTURE.md.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    name: String,
    may_import: BTreeSet<String>,
}

/// Reads the table of crates: the first cell names the crate, the last what it may import.
fn table(architecture: &str) -> Vec<Row> {
    let names = |cell: &str| -> BTreeSet<String> {
        cell.split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect()
    };
    architecture
        .lines()
        .skip_while(|line| !line.starts_with("| crate |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .filter_map(|line| {
            let cells: Vec<_> = line.trim_matches('|').split('|').collect();
            let name = names(cells.first()?).into_iter().next()?;
            Some(Row {
                name,
                may_import: names(cells.last()?),
            })
        })
        .collect()
}

/// Checks the table in ARCHITECTURE.md against the Cargo files.
pub(super) fn check_table(members: &[Member], architecture: &str, findings: &mut Findings) {
    let place = "ARCHITECTURE.md";
    let rows = table(architecture);
    if rows.is_empty() {
        findings.error(place, "has no table that begins `| crate |`");
        return;
    }
    for row in &rows {
        if !members.iter().any(|member| member.name == row.name) {
            findings.error(
                place,
                format_args!("has a row for `{}`, which is no crate", row.name),
            );
        }
    }
    for member in members {
        let Some(row) = rows.iter().find(|row| row.name == member.name) else {
            findings.error(place, format_args!("has no row for `{}`", member.name));
            continue;
        };
        for import in member.imports.difference(&row.may_import) {
            findings.error(
                &member.name,
                format_args!("imports `{import}`, which the table in {place} does not allow"),
            );
        }
    }
}

/// Checks the edges that no table may allow.
pub(super) fn check_rooms(member: &Member, findings: &mut Findings) {
    let name = member.name.as_str();
    for import in &member.imports {
        let import = import.as_str();
        let reason = if name == "attache-package" {
            "it is the ground the others stand on"
        } else if import == "attache" {
            "the command line is the top of the house"
        } else if APART.contains(&name) && APART.contains(&import) {
            "the two meet in `attache-ops`"
        } else if name == "xtask" {
            "chores must work when our crates do not compile"
        } else {
            continue;
        };
        findings.error(name, format_args!("imports `{import}`; {reason}"));
    }
}

/// Checks that a crate takes the workspace's lints.
pub(super) fn check_lints(name: &str, manifest: &str, findings: &mut Findings) -> Result<()> {
    let manifest: toml::Table = manifest
        .parse()
        .with_context(|| format!("the manifest of {name} is not TOML"))?;
    let takes = manifest
        .get("lints")
        .and_then(|lints| lints.get("workspace"))
        .and_then(toml::Value::as_bool);
    if takes != Some(true) {
        findings.error(name, "does not say `[lints] workspace = true`");
    }
    Ok(())
}

/// Checks that a crate opens by saying what it is for.
pub(super) fn check_opening(path: &str, text: &str, findings: &mut Findings) {
    let first = text.lines().next().unwrap_or_default();
    if first
        .strip_prefix("//! ")
        .is_none_or(|line| line.len() < 20)
    {
        findings.error(path, "does not open with `//!` and what the crate is for");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, imports: &[&str]) -> Member {
        Member {
            name: name.to_owned(),
            manifest: PathBuf::new(),
            roots: Vec::new(),
            imports: imports.iter().map(|i| (*i).to_owned()).collect(),
        }
    }

    const TABLE: &str = "# A\n\n| crate | may touch | may import |\n|---|---|---|\n\
        | `attache-package` | files, `x` | nothing |\n\
        | `attache-store` | disk | `attache-package`, `attache-trust` |\n\n| `other` | table |\n";

    #[track_caller]
    fn check_members(members: &[Member], expected: &[&str]) {
        let mut findings = Findings::default();
        check_table(members, TABLE, &mut findings);
        assert_eq!(findings.errors, expected);
    }

    #[test]
    fn the_table_and_the_crates_agree() {
        let package = || member("attache-package", &[]);
        let store = |imports| member("attache-store", imports);
        check_members(&[package(), store(&["attache-package"])], &[]);
        check_members(
            &[package()],
            &["ARCHITECTURE.md: has a row for `attache-store`, which is no crate"],
        );
        check_members(
            &[package(), store(&[]), member("attache-new", &[])],
            &["ARCHITECTURE.md: has no row for `attache-new`"],
        );
        check_members(
            &[package(), store(&["attache-engine"])],
            &[
                "attache-store: imports `attache-engine`, which the table in ARCHITECTURE.md \
                 does not allow",
            ],
        );
    }

    #[test]
    fn a_page_without_the_table_is_refused() {
        let mut findings = Findings::default();
        check_table(&[], "# Nothing here\n", &mut findings);
        assert_eq!(findings.errors.len(), 1);
    }

    #[test]
    fn some_rooms_never_import_each_other_whatever_the_table_says() {
        let errors = |name: &str, import: &str| {
            let mut findings = Findings::default();
            check_rooms(&member(name, &[import]), &mut findings);
            findings.errors.len()
        };
        for one in APART {
            for other in APART.into_iter().filter(|other| *other != one) {
                assert_eq!(errors(one, other), 1, "{one} {other}");
            }
            assert_eq!(errors(one, "attache-package"), 0);
            assert_eq!(errors("attache-package", one), 1);
            assert_eq!(errors("attache-ops", one), 0);
            assert_eq!(errors("xtask", one), 1);
            assert_eq!(errors(one, "attache"), 1);
        }
    }

    #[test]
    fn members_are_read_with_imports_of_every_kind() {
        let metadata = serde_json::json!({"packages": [{
            "name": "attache-store",
            "manifest_path": "/x/Cargo.toml",
            "targets": [
                {"kind": ["lib"], "src_path": "/x/src/lib.rs"},
                {"kind": ["test"], "src_path": "/x/tests/it/main.rs"},
            ],
            "dependencies": [
                {"name": "serde"},
                {"name": "attache-package", "path": "/y", "kind": null},
                {"name": "attache-trust", "path": "/z", "kind": "dev"},
            ],
        }]});
        let members = members(&metadata).unwrap();
        assert_eq!(members[0].roots, [PathBuf::from("/x/src/lib.rs")]);
        assert_eq!(
            members[0].imports.iter().collect::<Vec<_>>(),
            ["attache-package", "attache-trust"]
        );
    }

    #[test]
    fn every_crate_takes_the_lints() {
        let errors = |manifest: &str| {
            let mut findings = Findings::default();
            check_lints("x", manifest, &mut findings).unwrap();
            findings.errors.len()
        };
        assert_eq!(errors("[lints]\nworkspace = true\n"), 0);
        assert_eq!(errors("[lints]\nworkspace = false\n"), 1);
        assert_eq!(errors("[package]\nname = \"x\"\n"), 1);
    }

    #[test]
    fn every_crate_opens_with_what_it_is_for() {
        let errors = |text: &str| {
            let mut findings = Findings::default();
            check_opening("lib.rs", text, &mut findings);
            findings.errors.len()
        };
        assert_eq!(errors("//! Where packages live on disk.\n"), 0);
        assert_eq!(errors("//! x\n"), 1);
        assert_eq!(errors("use std::fmt;\n//! Where packages live.\n"), 1);
        assert_eq!(errors(""), 1);
    }
}
