//! The check over all names together: duplicates, twins, files that are folders, links.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::path::twin_key;
use crate::{ArchiveError, Defect, PackagePath};

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
pub(crate) fn check_link(path: &PackagePath, target: &str) -> Result<(), ArchiveError> {
    let escapes = || Defect::LinkEscapes.at(path.as_str());
    let mut depth = path.components().count() - 1;
    let mut rest = target;
    while let Some(behind) = rest.strip_prefix("../").or((rest == "..").then_some("")) {
        depth = depth.checked_sub(1).ok_or_else(escapes)?;
        rest = behind;
    }
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    if target.is_empty() || (!rest.is_empty() && PackagePath::new(rest).is_err()) {
        return Err(escapes());
    }
    Ok(())
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
    }
}
