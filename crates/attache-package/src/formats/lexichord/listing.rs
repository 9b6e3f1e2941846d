//! `files`: what the manifest says is in the package.

use std::collections::HashSet;
use std::ops::Bound;

use super::{UNLISTED, lock, manifest::Document, rules};
use crate::build::Draft;
use crate::formats::Stage;
use crate::{Diagnostics, PackagePath, Tree};

/// The most items a list may have. Who has more files lists folders.
const MOST: usize = 10_000;

/// The items of `files`, to be asked about many paths: the cost of a question does not grow
/// with the list.
#[derive(Default)]
pub(super) struct Listing {
    files: HashSet<String>,
    folders: HashSet<String>,
}

impl Listing {
    pub(super) fn new<'a>(items: impl IntoIterator<Item = &'a String>) -> Self {
        let mut listing = Self::default();
        items.into_iter().for_each(|item| listing.add(item));
        listing
    }

    fn add(&mut self, item: &str) {
        match item.strip_suffix('/') {
            Some(folder) => self.folders.insert(folder.to_owned()),
            None => self.files.insert(item.to_owned()),
        };
    }

    /// Returns whether an item covers `path`: its name, or a folder above it.
    fn covers(&self, path: &PackagePath) -> bool {
        let path = path.as_str();
        self.files.contains(path)
            || path
                .match_indices('/')
                .any(|(at, _)| self.folders.contains(&path[..at]))
    }

    /// Returns whether a source file goes into the package: listed, or never listed. Everything
    /// does where there is no list.
    pub(super) fn takes(&self, path: &PackagePath) -> bool {
        (self.files.is_empty() && self.folders.is_empty())
            || UNLISTED.contains(&path.as_str())
            || path.is_under(lock::CARRIED)
            || self.covers(path)
    }
}

/// Returns whether an item names something that the sorted `entries` hold.
fn is_held(tree: &Tree, item: &str) -> bool {
    if !item.ends_with('/') {
        return tree.get(item).is_some();
    }
    let entries = tree.entries();
    let at = entries.partition_point(|e| e.path.as_str() < item);
    entries
        .get(at)
        .is_some_and(|e| e.path.as_str().starts_with(item))
}

fn is_drafted(draft: &Draft, item: &str) -> bool {
    if !item.ends_with('/') {
        return draft.files.contains_key(item);
    }
    let from = (Bound::Included(item), Bound::Unbounded);
    let next = draft.files.range::<str, _>(from).next();
    next.is_some_and(|(path, _)| path.as_str().starts_with(item))
}

/// Returns `files` for the finished manifest: what the source lists and the draft holds, or the
/// names at the root if the source lists nothing.
pub(super) fn listed(draft: &Draft, source: &[String]) -> Vec<String> {
    let mut list: Vec<String> = source
        .iter()
        .filter(|item| is_drafted(draft, item))
        .cloned()
        .collect();
    let mut listing = Listing::new(&list);
    for path in draft.files.keys() {
        if UNLISTED.contains(&path.as_str()) || listing.covers(path) {
            continue;
        }
        let item = match path.as_str().split_once('/') {
            Some((folder, _)) => format!("{folder}/"),
            None => path.to_string(),
        };
        listing.add(&item);
        list.push(item);
    }
    list.sort();
    list.dedup();
    list
}

/// Checks that every item is there, once, and that every file is covered.
pub(super) fn check(tree: &Tree, document: &Document, stage: Stage, diagnostics: &mut Diagnostics) {
    if document.files.len() > MOST {
        let message = format!(
            "it has {} items; at most {MOST} are allowed, so list folders",
            document.files.len()
        );
        diagnostics.report(&rules::FILES_ENTRY, "manifest.json#/files", message);
        return;
    }
    let mut seen = HashSet::new();
    for (at, item) in document.files.iter().enumerate() {
        let place = format!("manifest.json#/files/{at}");
        let name = item.strip_suffix('/').unwrap_or(item);
        if let Err(error) = PackagePath::new(name) {
            diagnostics.report(&rules::FILES_ENTRY, place, error.to_string());
            continue;
        }
        // A source may list folders that are still empty; git cannot hold them.
        if !is_held(tree, item) && (stage == Stage::Packed || !item.ends_with('/')) {
            let hint = if is_held(tree, &format!("{name}/")) {
                "; it is a folder, write `/` behind it"
            } else {
                ""
            };
            let message = format!("`{item}` is not in the package{hint}");
            diagnostics.report(&rules::FILES_ENTRY, place.clone(), message);
        }
        if !seen.insert(item) {
            diagnostics.report(
                &rules::FILES_ENTRY,
                place,
                format!("`{item}` is listed twice"),
            );
        }
    }
    if stage == Stage::Source && document.files.is_empty() {
        return;
    }
    let listing = Listing::new(&document.files);
    for path in tree.entries().iter().map(|e| &e.path) {
        if UNLISTED.contains(&path.as_str()) || listing.covers(path) {
            continue;
        }
        match stage {
            Stage::Packed => {
                let message = "the manifest's `files` do not cover this file";
                diagnostics.report(&rules::UNLISTED, path.as_str(), message);
            }
            // What is carried has a warning of its own.
            Stage::Source if path.is_under(lock::CARRIED) => {}
            Stage::Source => {
                let message = "the manifest's `files` do not cover this file, so it stays out";
                diagnostics.warn(&rules::UNLISTED, path.as_str(), message);
            }
        }
    }
}
