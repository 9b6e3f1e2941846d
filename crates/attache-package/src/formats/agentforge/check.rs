//! The pack's files against its list, and its entry points against its files.

use std::collections::{BTreeMap, BTreeSet};

use super::manifest::{Listed, Listing, PATH};
use super::rules;
use crate::formats::Stage;
use crate::{Capability, Container, Diagnostics, PackagePath, Rule, Tree};

/// Checks that the list and the files are the same, byte for byte.
///
/// A source folder may leave the list out or empty, because building fills it in, and a stale
/// one is only worth a warning there.
pub(super) fn files(tree: &Tree, listing: &Listing, stage: Stage, diagnostics: &mut Diagnostics) {
    let Some(listed) = listing else {
        return;
    };
    let hint = match stage {
        Stage::Source if listed.is_empty() => return,
        _ if tree.container() == Container::Folder => "; `attache build` makes the list anew",
        _ => "",
    };
    let mut report = |rule: &'static Rule, place: String, message: String| {
        let message = format!("{message}{hint}");
        match stage {
            // The build writes the list anew, so a stale one stops nobody from building.
            Stage::Source => diagnostics.warn(rule, place, message),
            Stage::Packed => diagnostics.report(rule, place, message),
        }
    };
    for Listed { at, path, digest } in listed {
        match tree.get(path.as_str()) {
            None => report(
                &rules::MISSING,
                format!("{PATH}#/files/{at}"),
                format!("`{path}` is listed and not in the pack"),
            ),
            Some(entry) if entry.digest != *digest => report(
                &rules::MISMATCH,
                path.as_str().to_owned(),
                format!(
                    "its SHA-256 is {}, not the {} that is listed",
                    entry.digest.hex(),
                    digest.hex()
                ),
            ),
            Some(_) => {}
        }
    }
    let known: BTreeSet<&str> = listed.iter().map(|l| l.path.as_str()).collect();
    for entry in tree.entries() {
        let path = entry.path.as_str();
        if path != PATH && !known.contains(path) {
            let message = format!("`{path}` is in the pack and not listed");
            report(&rules::UNLISTED, path.to_owned(), message);
        }
    }
}

/// Warns about entry points that name no workflow and no tool.
///
/// Only a warning: the specification does not say how a name is looked up. We take the names
/// of files and folders in `workflows/` and `tools/`, with or without their extension.
pub(super) fn entrypoints(tree: &Tree, names: &[String], diagnostics: &mut Diagnostics) {
    let inside = tree
        .entries()
        .iter()
        .filter(|e| e.path.is_under("workflows") || e.path.is_under("tools"));
    let found: BTreeSet<&str> = inside
        .flat_map(|e| e.path.components().skip(1))
        .flat_map(|part| [part, stem(part)])
        .collect();
    for (at, name) in names.iter().enumerate() {
        if !found.contains(name.as_str()) {
            diagnostics.warn(
                &rules::ENTRYPOINT,
                format!("{PATH}#/entrypoints/{at}"),
                format!("no file in workflows/ or tools/ is called `{name}`"),
            );
        }
    }
}

/// Returns a file's name up to its last dot.
pub(super) fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// Returns the tools a pack brings, and whether any of its files is code.
pub(super) fn capabilities(tree: &Tree) -> BTreeSet<Capability> {
    let mut all = BTreeSet::new();
    for entry in tree.entries() {
        let code = is_code(&entry.path);
        if code || entry.executable {
            all.insert(Capability::Code);
        }
        if let Some(name) = tool(&entry.path) {
            all.insert(Capability::Tool(name.to_owned()));
        }
    }
    all
}

/// Returns the name of the tool that a file defines: `greet` for `tools/greet.py`.
pub(super) fn tool(path: &PackagePath) -> Option<&str> {
    let described = ["json", "yaml", "yml"].contains(&path.extension()?.as_str());
    let direct = path.parent() == Some("tools") && (described || is_code(path));
    let name = stem(path.file_name());
    (direct && name != "__init__").then_some(name)
}

fn is_code(path: &PackagePath) -> bool {
    let endings = ["py", "js", "mjs", "cjs", "ts", "sh"];
    path.extension()
        .is_some_and(|e| endings.contains(&e.as_str()))
}

/// Lists every file of a pack but the manifest: its path and the digits of its hash, sorted.
pub(super) fn list<'a>(
    files: impl Iterator<Item = (&'a PackagePath, &'a crate::Digest)>,
) -> Vec<serde_json::Value> {
    let sorted: BTreeMap<_, _> = files.filter(|(path, _)| path.as_str() != PATH).collect();
    let line = |(path, digest): (&PackagePath, &crate::Digest)| serde_json::json!({ "path": path.as_str(), "sha256": digest.hex() });
    sorted.into_iter().map(line).collect()
}
