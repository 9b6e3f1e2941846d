//! Whether a lock agrees with itself.

use attache_package::{PackageName, Range};

use super::lines::Read;
use super::quotes::shown;
use super::{Fault, InvalidLock, LockedPackage, Lockfile};
use crate::failure::wish;

/// What was read, by numbers, and where it stands. The lock is still in the order of the file.
pub(super) struct Findings<'a> {
    pub(super) lock: &'a Lockfile,
    /// Every name that occurs.
    pub(super) names: &'a [PackageName],
    /// Every range that occurs.
    pub(super) ranges: &'a [Range],
    /// The dependencies that must be there.
    pub(super) demands: &'a [Demand],
    /// What is there of each name.
    pub(super) roles: &'a [Role],
    /// The lines of each package.
    pub(super) places: &'a [Places],
}

/// That something must be there.
pub(super) struct Demand {
    pub(super) line: usize,
    /// The name of who says so; nothing for the workspace.
    pub(super) by: Option<u32>,
    pub(super) to: u32,
    pub(super) range: u32,
}

/// What is there of a name.
#[derive(Clone, Copy, Default)]
pub(super) struct Role {
    pub(super) is_root: bool,
    /// Its place among the packages.
    pub(super) package: Option<u32>,
}

/// Where something of a package stands.
pub(super) struct Places {
    pub(super) version: usize,
    pub(super) namespace: usize,
}

impl Findings<'_> {
    /// Returns the first contradiction, if there is one.
    pub(super) fn check(&self) -> Read<()> {
        for demand in self.demands {
            self.check_demand(demand)?;
        }
        for (package, places) in self.lock.packages.iter().zip(self.places) {
            self.check_override(package, places)?;
            self.check_namespace(package, places)?;
        }
        Ok(())
    }

    /// Checks that what is needed is there, in a version that will do.
    fn check_demand(&self, demand: &Demand) -> Read<()> {
        let Role { is_root, package } = self.roles[demand.to as usize];
        let range = &self.ranges[demand.range as usize];
        let id = &self.names[demand.to as usize];
        let version = package.map(|at| &self.lock.packages[at as usize].version);
        let problem = match version {
            _ if is_root => return Ok(()),
            None => "which is not in the lock".to_owned(),
            Some(version) if range.contains(version) => return Ok(()),
            Some(_) if self.lock.overrides.contains_key(id) => return Ok(()),
            Some(version) => format!("but {version} is locked"),
        };
        let who = match demand.by {
            Some(by) => format!("`{}`", self.names[by as usize]),
            None => "the workspace".to_owned(),
        };
        let message = format!("{who} needs {}, {problem}", shown(&wish(id, range)));
        Err(InvalidLock::new(demand.line, Fault::Broken, message))
    }

    fn check_override(&self, package: &LockedPackage, places: &Places) -> Read<()> {
        let LockedPackage { id, version, .. } = package;
        match self.lock.overrides.get(id) {
            Some(range) if !range.contains(version) => {
                let wish = shown(&wish(id, range));
                let message = format!("the overrides say {wish}, but {version} is locked");
                Err(InvalidLock::new(places.version, Fault::Broken, message))
            }
            _ => Ok(()),
        }
    }

    /// Checks that a package comes from where its namespace is bound to, and says so.
    fn check_namespace(&self, package: &LockedPackage, places: &Places) -> Read<()> {
        let LockedPackage { id, registry, .. } = package;
        let bound = self.binding(id);
        let message = match (&package.namespace, bound) {
            (None, None) => return Ok(()),
            (Some(said), Some((namespace, to))) if said == namespace && to == registry => {
                return Ok(());
            }
            (Some(said), None) => format!("the namespace `{said}` is not in [namespaces]"),
            (Some(said), Some((namespace, _))) if said != namespace => {
                format!("`{id}` is in the namespace `{namespace}`, not in `{said}`")
            }
            (_, Some((namespace, to))) => format!(
                "`{id}` is locked from `{}`, but the namespace `{namespace}` is bound to `{}`",
                shown(registry),
                shown(to)
            ),
        };
        Err(InvalidLock::new(places.namespace, Fault::Broken, message))
    }

    /// Returns the longest namespace above a name, and the registry it is bound to.
    fn binding(&self, id: &PackageName) -> Option<(&PackageName, &String)> {
        let all = self.lock.namespaces.iter();
        let above = all.filter(|(namespace, _)| {
            let rest = id.as_str().strip_prefix(namespace.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        above.max_by_key(|(namespace, _)| namespace.as_str().len())
    }
}
