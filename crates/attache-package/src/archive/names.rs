//! The check over all names together: duplicates, twins, files that are folders, links.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::path::twin_key;
use crate::{ArchiveError, Defect, Kind, PackagePath};

/// What occupies a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occupant {
    File,
    Link,
    /// A folder with an entry of its own; a second one is a duplicate.
    ListedFolder,
    /// A folder that only exists because something lies in it.
    ImpliedFolder,
}

/// Every name seen so far, by the key under which two would collide.
///
/// Each part of a path is kept once, below the folder it lies in, so that memory grows with the
/// names and not with their depth.
#[derive(Debug)]
pub(crate) struct Names {
    seen: HashMap<(u32, Box<str>), Seen>,
    limit: u64,
}

#[derive(Debug)]
struct Seen {
    id: u32,
    /// How it is written, where that is not its key.
    spelled: Option<Box<str>>,
    what: Occupant,
}

/// The folder that everything lies in.
const ROOT: u32 = 0;

impl Default for Names {
    /// Takes any number of names, for those who have counted them.
    fn default() -> Self {
        Self::within(u64::from(u32::MAX))
    }
}

impl Names {
    /// Takes so many names, folders that are only implied included: they cost as much as others.
    pub(crate) fn within(limit: u64) -> Self {
        Self {
            seen: HashMap::new(),
            limit: limit.min(u64::from(u32::MAX)),
        }
    }

    /// Adds `path`, and its parent folders, or says why it cannot stand beside the others.
    pub(crate) fn add(&mut self, path: &PackagePath, what: Occupant) -> Result<(), ArchiveError> {
        let mut folder = ROOT;
        let mut parts = path.components().peekable();
        while let Some(part) = parts.next() {
            let what = match parts.peek() {
                Some(_) => Occupant::ImpliedFolder,
                None => what,
            };
            folder = self.put(folder, part, what, path)?;
        }
        Ok(())
    }

    /// Adds one part of a path below `folder`, and returns its number.
    fn put(
        &mut self,
        folder: u32,
        part: &str,
        what: Occupant,
        whole: &PackagePath,
    ) -> Result<u32, ArchiveError> {
        use Occupant::{File, ImpliedFolder, Link, ListedFolder};
        let count = self.seen.len() as u64;
        let key = twin_key(part).into_boxed_str();
        let seen = match self.seen.entry((folder, key)) {
            Entry::Occupied(seen) => {
                if seen.get().spelled.as_deref().unwrap_or(&seen.key().1) != part {
                    return Err(Defect::Twin.at(whole.as_str()));
                }
                seen.into_mut()
            }
            Entry::Vacant(free) => {
                if count >= self.limit {
                    return Err(Defect::EntryCount.whole());
                }
                let id = u32::try_from(count + 1).map_err(|_| Defect::EntryCount.whole())?;
                let spelled = (*free.key().1 != *part).then(|| part.into());
                free.insert(Seen { id, spelled, what });
                return Ok(id);
            }
        };
        match (seen.what, what) {
            (ImpliedFolder | ListedFolder, ImpliedFolder) => Ok(seen.id),
            (ImpliedFolder, ListedFolder) => {
                seen.what = ListedFolder;
                Ok(seen.id)
            }
            (Link, ImpliedFolder) => Err(Defect::ThroughLink.at(whole.as_str())),
            (ImpliedFolder, Link) => Err(Defect::ThroughLink.at(whole.as_str())),
            (File, ImpliedFolder | ListedFolder) | (ImpliedFolder | ListedFolder, File) => {
                Err(Defect::FileIsFolder.at(whole.as_str()))
            }
            _ => Err(Defect::Duplicate.at(whole.as_str())),
        }
    }
}

/// Checks that a link at `path` to `target` stays inside: relative, and `..` only in front,
/// where it climbs real folders. A `..` behind a name could climb out of what a link points to.
/// One `./` in front is how some tools write what lies beside a link.
pub(crate) fn check_link(path: &PackagePath, target: &str) -> Result<(), ArchiveError> {
    let escapes = || Defect::LinkEscapes.at(path.as_str());
    let mut depth = path.components().count() - 1;
    let mut rest = target.strip_prefix("./").unwrap_or(target);
    if rest.is_empty() {
        return Err(escapes());
    }
    while let Some(behind) = rest.strip_prefix("../").or((rest == "..").then_some("")) {
        depth = depth.checked_sub(1).ok_or_else(escapes)?;
        rest = behind;
    }
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    if !rest.is_empty() && PackagePath::new(rest).is_err() {
        return Err(escapes());
    }
    Ok(())
}

/// How many links are followed, one after the other, from each.
const HOPS: usize = 32;

/// Checks that every link among all files and links of a package ends at a file, or at a folder
/// with something in it. Each must have passed [`check_link`].
pub(crate) fn check_links<'a>(
    all: impl Iterator<Item = (&'a PackagePath, &'a Kind)> + Clone,
) -> Result<(), ArchiveError> {
    let target = |kind: &'a Kind| match kind {
        Kind::Link { target } => Some(target.as_str()),
        Kind::File => None,
    };
    if !all.clone().any(|(_, kind)| target(kind).is_some()) {
        return Ok(());
    }
    let mut sorted: Vec<_> = all
        .map(|(path, kind)| (path.as_str(), target(kind)))
        .collect();
    sorted.sort_unstable();
    let mut links = Links {
        sorted: &sorted,
        ends: HashMap::new(),
    };
    for &(path, target) in &sorted {
        if let Some(target) = target
            && links.end(path, target, HOPS).is_none()
        {
            return Err(Defect::LinkBroken.at(path));
        }
    }
    Ok(())
}

/// All files and links, with the targets of the links, and where links were found to end.
struct Links<'s, 'a> {
    sorted: &'s [(&'a str, Option<&'a str>)],
    /// By path, with the number of links on the way.
    ends: HashMap<&'a str, (String, usize)>,
}

enum There<'a> {
    Nothing,
    File,
    Folder,
    Link(&'a str, &'a str),
}

impl<'a> Links<'_, 'a> {
    /// Returns the path where the link at `path` ends, and how many links that takes. Nothing if
    /// it ends nowhere, or only after more than `hops`, as a loop does.
    fn end(&mut self, path: &'a str, target: &'a str, hops: usize) -> Option<(String, usize)> {
        if let Some(end) = self.ends.get(path) {
            return (end.1 <= hops).then(|| end.clone());
        }
        let mut left = hops.checked_sub(1)?;
        let mut here = parent(path).to_owned();
        for part in target.split('/') {
            match part {
                "" | "." => continue,
                ".." => {
                    here.truncate(parent(&here).len());
                    continue;
                }
                _ if here.is_empty() => here.push_str(part),
                _ => {
                    here.push('/');
                    here.push_str(part);
                }
            }
            match self.at(&here) {
                There::File | There::Folder => {}
                There::Nothing => return None,
                There::Link(path, target) => {
                    let (end, count) = self.end(path, target, left)?;
                    left -= count;
                    here = end;
                }
            }
        }
        if target.ends_with('/') && matches!(self.at(&here), There::File) {
            return None;
        }
        let end = (here, hops - left);
        self.ends.insert(path, end.clone());
        Some(end)
    }

    fn at(&self, path: &str) -> There<'a> {
        let from = self.sorted.partition_point(|(other, _)| *other < path);
        match self.sorted.get(from) {
            Some(&(found, Some(target))) if found == path => There::Link(found, target),
            Some(&(found, None)) if found == path => There::File,
            // The root is always there.
            _ if path.is_empty() => There::Folder,
            _ => {
                let inside = format!("{path}/");
                let from = self.sorted.partition_point(|(other, _)| **other < *inside);
                match self.sorted.get(from) {
                    Some((found, _)) if found.starts_with(&inside) => There::Folder,
                    _ => There::Nothing,
                }
            }
        }
    }
}

/// Returns the folder that a path lies in; empty at the root.
fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> PackagePath {
        PackagePath::new(text).unwrap()
    }

    #[track_caller]
    fn check(names: &[(&str, Occupant)], expected: Option<Defect>) {
        let mut all = Names::default();
        let result = names
            .iter()
            .try_for_each(|(name, what)| all.add(&path(name), *what));
        assert_eq!(result.err().and_then(|e| e.defect()), expected, "{names:?}");
    }

    #[test]
    fn names_stand_side_by_side_or_are_refused() {
        use Occupant::{File, Link, ListedFolder};
        check(&[("a/b", File), ("a/c", File), ("a", ListedFolder)], None);
        check(&[("a", ListedFolder), ("a/b", File)], None);
        check(&[("a", File), ("a", File)], Some(Defect::Duplicate));
        check(
            &[("a", ListedFolder), ("a", ListedFolder)],
            Some(Defect::Duplicate),
        );
        check(&[("a", File), ("A", File)], Some(Defect::Twin));
        check(&[("Dir/x", File), ("dir/y", File)], Some(Defect::Twin));
        check(&[("Dir/x", File), ("Dir/y", File)], None);
        check(&[("a/x", File), ("b/X", File)], None);
        check(&[("a", File), ("a/b", File)], Some(Defect::FileIsFolder));
        check(&[("a/b", File), ("a", File)], Some(Defect::FileIsFolder));
        check(&[("a", Link), ("a/b", File)], Some(Defect::ThroughLink));
        check(&[("a/b", File), ("a", Link)], Some(Defect::ThroughLink));
    }

    #[test]
    fn folders_that_are_only_implied_count_as_entries() {
        let mut names = Names::within(1000);
        let deep = |i: u32| path(&format!("{i:x}/{}y", "x/".repeat(30)));
        let refused = (0..100_000).find_map(|i| names.add(&deep(i), Occupant::File).err());
        assert_eq!(
            refused.and_then(|e| e.defect()),
            Some(Defect::EntryCount),
            "100,000 names of 32 parts"
        );
        assert_eq!(names.seen.len(), 1000, "nothing is kept beyond the limit");

        // What is there already costs nothing.
        let mut names = Names::within(4);
        for (name, what) in [
            ("a/b/c", Occupant::File),
            ("a/b", Occupant::ListedFolder),
            ("a/b/d", Occupant::File),
        ] {
            names.add(&path(name), what).unwrap();
        }
        let result = names.add(&path("e"), Occupant::File);
        assert_eq!(result.unwrap_err().defect(), Some(Defect::EntryCount));
    }

    #[test]
    fn a_link_stays_inside() {
        let check = |at: &str, target: &str, ok: bool| {
            assert_eq!(
                check_link(&path(at), target).is_ok(),
                ok,
                "{at} -> {target}"
            );
        };
        check("node_modules/.bin/x", "../x/cli.js", true);
        check("a", "b", true);
        check("a/b", "..", true);
        check("a", "..", false);
        check("a/b", "../../x", false);
        check("a", "/etc/passwd", false);
        check("a", "b/../../c", false);
        check("a", "b/../c", false);
        check("a", "", false);
        check("a", "c:\\x", false);
        check("a", "./b", true);
        check("a/b", "./../c", true);
        check("a", "./../c", false);
        check("a", "././b", false);
        check("a", "./", false);
        check("a", ".//b", false);
    }

    #[track_caller]
    fn check_ends(links: &[(&str, &str)], broken: Option<&str>) {
        let mut all = vec![
            (path("d/file"), Kind::File),
            (path("d/e/file"), Kind::File),
            (path("d-"), Kind::File),
        ];
        for (at, target) in links {
            check_link(&path(at), target).unwrap();
            let target = (*target).to_owned();
            all.push((path(at), Kind::Link { target }));
        }
        let result = check_links(all.iter().map(|(path, kind)| (path, kind)));
        match (result, broken) {
            (Ok(()), None) => {}
            (Err(ArchiveError::Refused { defect, entry }), Some(broken)) => {
                assert_eq!(defect, Defect::LinkBroken);
                assert_eq!(entry.as_deref(), Some(broken), "{links:?}");
            }
            (result, _) => panic!("{links:?}: {result:?}"),
        }
    }

    #[test]
    fn a_link_ends_at_a_file_or_a_folder() {
        check_ends(&[], None);
        check_ends(&[("a", "d/file")], None);
        check_ends(&[("a", "./d/file"), ("b", "a")], None);
        check_ends(&[("a", "d"), ("b", "d/e/")], None);
        check_ends(&[("d/up", ".."), ("b", "d/up/d/file")], None);
        check_ends(
            &[("a", "d/e"), ("b", "a/file"), ("d/e/up", "../file")],
            None,
        );
        check_ends(&[("d/e/l", "../../d-")], None);
        check_ends(&[("a", "nothing")], Some("a"));
        check_ends(&[("a", "d/nothing")], Some("a"));
        check_ends(&[("a", "d/file/x")], Some("a"));
        check_ends(&[("a", "d-/")], Some("a"));
        check_ends(&[("a", "b"), ("b", "d/e"), ("c", "b/x")], Some("c"));
        check_ends(&[("a", "a")], Some("a"));
        check_ends(&[("a", "b"), ("b", "a")], Some("a"));
        check_ends(&[("d/a", "../b/a"), ("b", "d")], Some("d/a"));
    }

    #[test]
    fn a_chain_of_links_has_an_end() {
        let chain = |length: usize| {
            let name = |n: usize| format!("l{n:06}");
            let mut all: Vec<_> = (0..length)
                .map(|n| {
                    let target = name(n + 1);
                    (path(&name(n)), Kind::Link { target })
                })
                .collect();
            all.push((path(&name(length)), Kind::File));
            let result = check_links(all.iter().map(|(path, kind)| (path, kind)));
            result.err().and_then(|e| e.defect())
        };
        assert_eq!(chain(32), None);
        assert_eq!(chain(33), Some(Defect::LinkBroken));
        assert_eq!(chain(50_000), Some(Defect::LinkBroken));
    }
}
