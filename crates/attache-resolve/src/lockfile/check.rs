//! Whether a lock agrees with itself.
//!
//! The check knows values, not lines: only when something is wrong is the text gone through
//! once more, to find where that stands.

use std::collections::HashMap;

use attache_package::{PackageName, Release};

use super::lines::{Kind, Read, Tables, Value};
use super::{Fault, InvalidLock, LockedEdge, LockedPackage, Lockfile};
use crate::failure::wish;

/// Checks a lock whose roots and packages are sorted, and which was read from `text`.
pub(super) fn check(lock: &Lockfile, text: &str) -> Read<()> {
    let ids = |pair: &[LockedPackage]| pair[0].id == pair[1].id;
    if let Some(pair) = lock.packages.windows(2).find(|pair| ids(pair)) {
        return twice(text, Kind::Package, Some(&pair[0].id));
    }
    if let Some(pair) = lock.roots.windows(2).find(|pair| pair[0].id == pair[1].id) {
        return twice(text, Kind::Root, pair[0].id.as_ref());
    }
    let known = Known {
        lock,
        versions: lock.packages.iter().map(|p| (&p.id, &p.version)).collect(),
    };
    for root in &lock.roots {
        let place = Place {
            text,
            kind: Kind::Root,
            id: root.id.as_ref(),
            field: "dependencies",
        };
        known.check_edges(&root.dependencies, place)?;
    }
    for package in &lock.packages {
        let place = |field| Place {
            text,
            kind: Kind::Package,
            id: Some(&package.id),
            field,
        };
        known.check_edges(&package.dependencies, place("dependencies"))?;
        known.check_edges(&package.optional, place("optional"))?;
        known.check_override(package, place("version"))?;
        known.check_namespace(package, place("namespace"))?;
    }
    Ok(())
}

fn twice(text: &str, kind: Kind, id: Option<&PackageName>) -> Read<()> {
    let table = Tables::of(text, kind, id).nth(1);
    let line = table.map_or(1, |table| table.field("id").map_or(table.line, |f| f.line));
    let message = match (kind, id) {
        (Kind::Package, Some(id)) => format!("the package `{id}` is here twice"),
        (_, Some(id)) => format!("the root `{id}` is here twice"),
        (_, None) => "a root without an id is here twice".to_owned(),
    };
    Err(InvalidLock::new(line, Fault::Twice, message))
}

/// Where to look for a line.
#[derive(Clone, Copy)]
struct Place<'a> {
    text: &'a str,
    kind: Kind,
    id: Option<&'a PackageName>,
    field: &'static str,
}

impl Place<'_> {
    /// Refuses this field, or the dependency in it.
    fn refused(self, dependency: Option<&PackageName>, message: String) -> Read<()> {
        let line = self.line(dependency).unwrap_or(1);
        Err(InvalidLock::new(line, Fault::Broken, message))
    }

    fn line(self, dependency: Option<&PackageName>) -> Option<usize> {
        let table = Tables::of(self.text, self.kind, self.id).next()?;
        let field = table.field(self.field)?;
        let (Some(dependency), Value::List(items)) = (dependency, &field.value) else {
            return Some(field.line);
        };
        let item = items.iter().find(|item| {
            let id = item.text.split(' ').next();
            id == Some(dependency.as_str())
        });
        item.map(|item| item.line)
    }

    /// Returns who that is, as the subject of a sentence.
    fn who(self) -> String {
        match self.id {
            Some(id) => format!("`{id}`"),
            None => "the workspace".to_owned(),
        }
    }
}

struct Known<'a> {
    lock: &'a Lockfile,
    versions: HashMap<&'a PackageName, &'a Release>,
}

impl Known<'_> {
    fn is_root(&self, id: &PackageName) -> bool {
        let roots = &self.lock.roots;
        let found = roots.binary_search_by(|root| root.id.as_ref().cmp(&Some(id)));
        found.is_ok()
    }

    /// Checks that what is needed is there, in a version that will do.
    fn check_edges(&self, edges: &[LockedEdge], place: Place<'_>) -> Read<()> {
        for LockedEdge { id, range } in edges {
            let problem = match self.versions.get(id) {
                _ if self.is_root(id) => continue,
                None => "which is not in the lock".to_owned(),
                Some(version) if range.contains(version) => continue,
                Some(_) if self.lock.overrides.contains_key(id) => continue,
                Some(version) => format!("but {version} is locked"),
            };
            let message = format!("{} needs {}, {problem}", place.who(), wish(id, range));
            return place.refused(Some(id), message);
        }
        Ok(())
    }

    fn check_override(&self, package: &LockedPackage, place: Place<'_>) -> Read<()> {
        let LockedPackage { id, version, .. } = package;
        match self.lock.overrides.get(id) {
            Some(range) if !range.contains(version) => {
                let wish = wish(id, range);
                let message = format!("the overrides say {wish}, but {version} is locked");
                place.refused(None, message)
            }
            _ => Ok(()),
        }
    }

    fn check_namespace(&self, package: &LockedPackage, place: Place<'_>) -> Read<()> {
        let LockedPackage { id, registry, .. } = package;
        let Some(namespace) = &package.namespace else {
            return Ok(());
        };
        let message = match self.lock.namespaces.get(namespace) {
            Some(bound) if bound == registry => return Ok(()),
            Some(bound) => format!(
                "`{id}` is locked from `{registry}`, but the namespace `{namespace}` is bound \
                 to `{bound}`"
            ),
            None => format!("the namespace `{namespace}` is not in [namespaces]"),
        };
        place.refused(None, message)
    }
}
