//! The lock: reading it, holding a solve to it, and what it should say next.

use std::collections::BTreeMap;
use std::path::Path;

use attache_package::{PackageName, Release};
use attache_resolve::{
    Artifact, Locked, LockedEdge, LockedHost, LockedPackage, LockedRoot, Lockfile, Request,
    Resolution, Universe,
};

use super::shelves::Shelf;
use crate::workspace::read_text;
use crate::{Error, Kind};

/// A lock that was read, and its text.
pub(crate) struct Held {
    pub(crate) text: String,
    pub(crate) lock: Lockfile,
}

/// Which versions of the lock are kept where they fit.
pub(crate) enum Keep<'a> {
    All,
    /// All but these.
    Except(&'a [PackageName]),
    Nothing,
}

/// The longest lock that is read.
const LONGEST_LOCK: u64 = 64 << 20;

/// Reads a lock, if there is one.
pub(crate) fn read_lock(path: &Path) -> Result<Option<Held>, Error> {
    let Some(text) = read_text(path, LONGEST_LOCK, "ATT-LOCK-SYNTAX")? else {
        return Ok(None);
    };
    match Lockfile::parse(&text) {
        Ok(lock) => Ok(Some(Held { text, lock })),
        Err(error) => {
            let message = format!("`{}` {error}", path.display());
            Err(Error::new(Kind::Failed, error.code, message).hint(error.hint))
        }
    }
}

impl Held {
    /// Returns what a solve should keep.
    pub(super) fn kept(&self, keep: &Keep<'_>) -> BTreeMap<PackageName, Locked> {
        let stays = |package: &&LockedPackage| match keep {
            Keep::All => true,
            Keep::Except(these) => !these.contains(&package.id),
            Keep::Nothing => false,
        };
        let packages = self.lock.packages.iter().filter(stays);
        packages
            .map(|package| {
                let locked = Locked {
                    version: package.version.clone(),
                    registry: Some(package.registry.clone()),
                };
                (package.id.clone(), locked)
            })
            .collect()
    }

    /// Refuses a version whose bytes are not those that were locked, unless it was named as one
    /// that may move.
    pub(super) fn refuse_other_bytes(
        &self,
        path: &Path,
        universe: &Universe,
        keep: &Keep<'_>,
    ) -> Result<(), Error> {
        for package in &self.lock.packages {
            if matches!(keep, Keep::Except(these) if these.contains(&package.id)) {
                continue;
            }
            let same = |(version, registry, _): &(&Release, &str, &Artifact)| {
                **version == package.version && *registry == package.registry
            };
            let listed = universe.versions_of(&package.id).find(same);
            let Some(digest) = listed.and_then(|(_, _, artifact)| artifact.digest) else {
                continue;
            };
            if digest != package.digest {
                let line = Lockfile::line_of(&self.text, &package.id, "digest").unwrap_or_default();
                let message = format!(
                    "`{}` line {line}: {} {} was locked as {}, and `{}` now has {digest}",
                    path.display(),
                    package.id,
                    package.version,
                    package.digest,
                    package.registry,
                );
                return Err(
                    Error::new(Kind::Verification, "ATT-LOCK-DIGEST", message).hint(format!(
                        "a published version never changes: find out who changed it. If the new \
                         bytes are right, `attache lock --upgrade-package {}` takes them",
                        package.id
                    )),
                );
            }
        }
        Ok(())
    }
}

/// Returns what the lock should say of an answer.
pub(super) fn lock_of(
    roots: Vec<LockedRoot>,
    request: &Request<'_>,
    resolution: &Resolution,
    shelves: &[Shelf],
) -> Lockfile {
    let mut required: BTreeMap<&PackageName, [Vec<LockedEdge>; 2]> = BTreeMap::new();
    for chosen in &resolution.packages {
        for by in &chosen.required_by {
            let Some(dependent) = &by.by else { continue };
            required.entry(dependent).or_default()[usize::from(by.optional)].push(LockedEdge {
                id: chosen.id.clone(),
                range: by.range.clone(),
            });
        }
    }
    // The workspace's own packages have no bytes to be locked; they are its roots.
    let packages = resolution.packages.iter().filter_map(|chosen| {
        let [dependencies, optional] = required.remove(&chosen.id).unwrap_or_default();
        Some(LockedPackage {
            id: chosen.id.clone(),
            version: chosen.version.clone(),
            registry: chosen.registry.clone(),
            namespace: chosen.namespace.as_ref().and_then(|n| n.parse().ok()),
            source: chosen.url.clone(),
            digest: chosen.digest?,
            size: chosen.size,
            dependencies,
            optional,
            needs: chosen.needs.clone(),
        })
    });
    let packages: Vec<LockedPackage> = packages.collect();
    let bound = |shelf: &Shelf| {
        let names = shelf.namespaces.iter();
        let pairs = names.map(|n| (n.clone(), shelf.name.clone()));
        pairs.collect::<Vec<_>>()
    };
    Lockfile {
        strategy: request.strategy,
        namespaces: shelves.iter().flat_map(bound).collect(),
        overrides: request.overrides.clone(),
        host: request.host.clone().map(|host| LockedHost {
            platform: host.platform,
            engines: host.engines,
            runtimes: host.runtimes,
        }),
        roots,
        packages,
    }
}
