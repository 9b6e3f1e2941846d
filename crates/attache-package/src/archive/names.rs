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
#[derive(Debug, Default)]
pub(crate) struct Names {
    seen: HashMap<String, (String, Occupant)>,
}

impl Names {
    /// Adds `path`, and its parent folders, or says why it cannot stand beside the others.
    pub(crate) fn add(&mut self, path: &PackagePath, what: Occupant) -> Result<(), ArchiveError> {
        for (at, _) in path.as_str().match_indices('/') {
            self.put(&path.as_str()[..at], Occupant::ImpliedFolder, path)?;
        }
        self.put(path.as_str(), what, path)
    }

    fn put(&mut self, name: &str, what: Occupant, whole: &PackagePath) -> Result<(), ArchiveError> {
        use Occupant::{File, ImpliedFolder, Link, ListedFolder};
        let (spelled, earlier) = match self.seen.entry(twin_key(name)) {
            Entry::Occupied(seen) => seen.into_mut(),
            Entry::Vacant(free) => {
                free.insert((name.to_owned(), what));
                return Ok(());
            }
        };
        if spelled != name {
            return Err(Defect::Twin.at(whole.as_str()));
        }
        match (*earlier, what) {
            (ImpliedFolder | ListedFolder, ImpliedFolder) => Ok(()),
            (ImpliedFolder, ListedFolder) => {
                *earlier = ListedFolder;
                Ok(())
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
        check(&[("a", File), ("a/b", File)], Some(Defect::FileIsFolder));
        check(&[("a/b", File), ("a", File)], Some(Defect::FileIsFolder));
        check(&[("a", Link), ("a/b", File)], Some(Defect::ThroughLink));
        check(&[("a/b", File), ("a", Link)], Some(Defect::ThroughLink));
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
