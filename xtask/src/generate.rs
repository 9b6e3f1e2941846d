//! `cargo xtask generate`: the files that are written from the code.
//!
//! The binary knows its own commands, codes and schemas, so it writes them: a hidden command
//! of `attache` fills a folder, and this compares that folder with the tree.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use fs_err as fs;

use crate::shell::{cargo, root, run};

/// The folders that hold nothing but generated files.
const FOLDERS: [&str; 4] = ["docs/reference", "schemas", "man", "completions"];

type Files = BTreeMap<String, Vec<u8>>;

/// Fails when a generated file is not what the code would write now.
pub(crate) fn check() -> Result<()> {
    let changes = Changes::between(&generated()?, &present(&root())?);
    if changes.is_empty() {
        return Ok(());
    }
    for (path, what) in &changes.0 {
        println!("    {}: {path}", what.word());
    }
    bail!("generated files are not up to date; run: cargo xtask generate")
}

/// Brings every generated file up to date.
pub(crate) fn write() -> Result<()> {
    let generated = generated()?;
    let changes = Changes::between(&generated, &present(&root())?);
    changes.apply(&generated, &root())?;
    for (path, what) in &changes.0 {
        println!("{}: {path}", what.done());
    }
    println!(
        "{} generated files, {} changed",
        generated.len(),
        changes.0.len()
    );
    crate::fuzz::lock()
}

/// Returns what the code would write now, by path from the root.
fn generated() -> Result<Files> {
    let folder = tempfile::tempdir().context("could not make a temporary folder")?;
    let mut command = cargo(&["run", "--quiet", "--locked", "--package", "attache", "--"]);
    run(command
        .args(["generate-reference", "--out"])
        .arg(folder.path()))?;
    let mut files = Files::new();
    collect(folder.path(), "", &mut files)?;
    if files.is_empty() {
        bail!("`attache generate-reference` wrote nothing");
    }
    let elsewhere = |path: &&String| {
        !FOLDERS.iter().any(|folder| {
            path.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        })
    };
    if let Some(path) = files.keys().find(elsewhere) {
        bail!("`attache generate-reference` wrote {path}, which is in no generated folder");
    }
    Ok(files)
}

/// Returns the generated files that are in the tree.
fn present(root: &Path) -> Result<Files> {
    let mut files = Files::new();
    for folder in FOLDERS {
        if root.join(folder).exists() {
            collect(&root.join(folder), folder, &mut files)?;
        }
    }
    Ok(files)
}

fn collect(folder: &Path, prefix: &str, files: &mut Files) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() {
            name
        } else {
            format!("{prefix}/{name}")
        };
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &path, files)?;
        } else {
            files.insert(path, fs::read(entry.path())?);
        }
    }
    Ok(())
}

/// What is wrong with one generated file in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Stale,
    Missing,
    Extra,
}

impl Change {
    fn word(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Missing => "missing",
            Self::Extra => "extra",
        }
    }

    fn done(self) -> &'static str {
        match self {
            Self::Stale => "updated",
            Self::Missing => "added",
            Self::Extra => "removed",
        }
    }
}

/// Every generated file that is not as it should be.
struct Changes(BTreeMap<String, Change>);

impl Changes {
    fn between(wanted: &Files, present: &Files) -> Self {
        let mut changes = BTreeMap::new();
        for (path, bytes) in wanted {
            match present.get(path) {
                Some(old) if old == bytes => {}
                Some(_) => drop(changes.insert(path.clone(), Change::Stale)),
                None => drop(changes.insert(path.clone(), Change::Missing)),
            }
        }
        for path in present.keys().filter(|path| !wanted.contains_key(*path)) {
            changes.insert(path.clone(), Change::Extra);
        }
        Self(changes)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn apply(&self, wanted: &Files, root: &Path) -> Result<()> {
        for path in self.0.keys() {
            let file = root.join(path);
            match wanted.get(path) {
                Some(bytes) => {
                    if let Some(folder) = file.parent() {
                        fs::create_dir_all(folder)?;
                    }
                    fs::write(file, bytes)?;
                }
                None => fs::remove_file(file)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Files {
        list.iter()
            .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
            .collect()
    }

    #[test]
    fn stale_missing_and_extra_files_are_told_apart() {
        let wanted = files(&[("man/a.1", "new"), ("man/b.1", "b"), ("man/same.1", "s")]);
        let present = files(&[("man/a.1", "old"), ("man/c.1", "c"), ("man/same.1", "s")]);
        let changes = Changes::between(&wanted, &present);
        assert_eq!(
            changes.0.into_iter().collect::<Vec<_>>(),
            [
                ("man/a.1".to_owned(), Change::Stale),
                ("man/b.1".to_owned(), Change::Missing),
                ("man/c.1".to_owned(), Change::Extra),
            ]
        );
    }

    #[test]
    fn after_writing_nothing_is_stale_and_other_folders_are_untouched() {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [("man/old.1", "x"), ("docs/hand-written.md", "mine")] {
            fs::create_dir_all(root.path().join(path).parent().unwrap()).unwrap();
            fs::write(root.path().join(path), text).unwrap();
        }
        let wanted = files(&[("man/new.1", "n"), ("docs/reference/cli.md", "c")]);
        let changes = Changes::between(&wanted, &present(root.path()).unwrap());
        changes.apply(&wanted, root.path()).unwrap();

        let now = present(root.path()).unwrap();
        assert!(Changes::between(&wanted, &now).is_empty());
        assert!(root.path().join("docs/hand-written.md").exists());
        assert!(!root.path().join("man/old.1").exists());
    }
}
