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

    fn check_namespace(&self, package: &LockedPackage, places: &Places) -> Read<()> {
        let LockedPackage { id, registry, .. } = package;
        let Some(namespace) = &package.namespace else {
            return Ok(());
        };
        let message = match self.lock.namespaces.get(namespace) {
            Some(bound) if bound == registry => return Ok(()),
            Some(bound) => format!(
                "`{id}` is locked from `{}`, but the namespace `{namespace}` is bound to `{}`",
                shown(registry),
                shown(bound)
            ),
            None => format!("the namespace `{namespace}` is not in [namespaces]"),
        };
        Err(InvalidLock::new(places.namespace, Fault::Broken, message))
    }
}
