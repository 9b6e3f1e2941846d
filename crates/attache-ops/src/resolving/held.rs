//! The lock: reading it, holding a solve to it, and what it should say next.

use std::collections::BTreeMap;
use std::path::Path;

use attache_package::{Digest, PackageName};
use attache_registry::wire::Index;
use attache_resolve::{
    Chosen, Host, InvalidLock, Locked, LockedEdge, LockedHost, LockedPackage, LockedRoot, Lockfile,
    Request, Resolution,
};

use super::shelves::check_source;
use crate::build::Warning;
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
    match read_lock_anyway(path)? {
        Some((_, Some(contradiction))) => Err(contradiction),
        Some((held, None)) => Ok(Some(held)),
        None => Ok(None),
    }
}

/// Reads a lock, if there is one, even if it contradicts itself, and says where it does.
pub(super) fn read_lock_anyway(path: &Path) -> Result<Option<(Held, Option<Error>)>, Error> {
    let Some(text) = read_text(path, LONGEST_LOCK, "ATT-LOCK-SYNTAX")? else {
        return Ok(None);
    };
    let refused = |error: InvalidLock| {
        let message = format!("`{}` {error}", path.display());
        Error::new(Kind::Failed, error.code, message).hint(error.hint)
    };
    let (lock, contradiction) = Lockfile::parse_anyway(&text).map_err(refused)?;
    for package in &lock.packages {
        if let Some(Err(message)) = package.source.as_deref().map(check_source) {
            let line = Lockfile::line_of(&text, &package.id, "source").unwrap_or_default();
            let message = format!("`{}` line {line}: {message}", path.display());
            return Err(Error::new(Kind::Failed, "ATT-LOCK-VALUE", message)
                .hint("take the line back to how it was"));
        }
    }
    Ok(Some((Held { text, lock }, contradiction.map(refused))))
}

impl Keep<'_> {
    fn holds(&self, id: &PackageName) -> bool {
        match self {
            Self::All => true,
            Self::Except(these) => !these.contains(id),
            Self::Nothing => false,
        }
    }
}

impl Held {
    /// Returns what a solve should keep: versions that may not move, and the place that each
    /// package came from.
    pub(super) fn kept(&self, keep: &Keep<'_>) -> BTreeMap<PackageName, Locked> {
        let locked = |package: &LockedPackage| Locked {
            version: keep.holds(&package.id).then(|| package.version.clone()),
            registry: Some(package.registry.clone()),
        };
        let packages = self.lock.packages.iter();
        packages.map(|p| (p.id.clone(), locked(p))).collect()
    }

    /// Refuses an answer with a version whose bytes are not those that were locked, or with another
    /// version from another place, unless it was named as one that may move. A namespace that
    /// binds a package elsewhere is the user's own word.
    pub(super) fn refuse_other_bytes(
        &self,
        path: &Path,
        resolution: &Resolution,
        keep: &Keep<'_>,
    ) -> Result<(), Error> {
        for package in &self.lock.packages {
            if matches!(keep, Keep::Except(these) if these.contains(&package.id)) {
                continue;
            }
            let chosen = resolution.get(&package.id);
            let Some((chosen, digest)) = chosen.and_then(|c| Some((c, c.digest?))) else {
                continue;
            };
            if chosen.version != package.version {
                if chosen.registry != package.registry && chosen.namespace.is_none() {
                    return Err(elsewhere(package, chosen));
                }
                continue;
            }
            if digest != package.digest {
                return Err(self.other_bytes(path, package, &chosen.registry, digest));
            }
        }
        Ok(())
    }

    /// Tells of packages whose bytes are the same and whose dependencies are not: the index, or
    /// the lock, was changed by hand.
    pub(super) fn other_dependencies(&self, now: &Lockfile) -> Vec<Warning> {
        let differs = |package: &&LockedPackage| {
            let new = now.get(&package.id);
            new.is_some_and(|new| {
                new.digest == package.digest && new.dependencies != package.dependencies
            })
        };
        let packages = self.lock.packages.iter().filter(differs);
        let warning = |package: &LockedPackage| Warning {
            code: "ATT-LOCK-DEPENDENCIES".to_owned(),
            message: format!(
                "{} {} has other dependencies than were locked, for the same bytes",
                package.id, package.version
            ),
            path: package.registry.clone(),
        };
        packages.map(warning).collect()
    }

    /// Makes the error for bytes that are not those that were locked.
    pub(crate) fn other_bytes(
        &self,
        path: &Path,
        package: &LockedPackage,
        place: &str,
        digest: Digest,
    ) -> Error {
        let line = Lockfile::line_of(&self.text, &package.id, "digest").unwrap_or_default();
        let LockedPackage { id, version, .. } = package;
        let message = format!(
            "`{}` line {line}: {id} {version} was locked as {}, and `{place}` now has {digest}",
            path.display(),
            package.digest,
        );
        Error::new(Kind::Verification, "ATT-LOCK-DIGEST", message).hint(format!(
            "a published version never changes: find out who changed it. If the new bytes are \
             right, `attache lock --upgrade-package {id}` takes them"
        ))
    }
}

/// Makes the error for a package that would come from another place in another version.
fn elsewhere(package: &LockedPackage, chosen: &Chosen) -> Error {
    let id = &package.id;
    let message = format!(
        "{id} {} was locked from `{}`, which does not have it any more; {} from `{}` would take its \
         place",
        package.version, package.registry, chosen.version, chosen.registry
    );
    Error::new(Kind::Verification, "ATT-LOCK-REGISTRY", message).hint(format!(
        "say where `{}` is now; or, if you mean it, `attache lock --upgrade-package {id}`",
        package.registry
    ))
}

/// Returns what the lock should say of an answer.
pub(super) fn lock_of(
    roots: Vec<LockedRoot>,
    namespaces: BTreeMap<PackageName, String>,
    request: &Request<'_>,
    resolution: &Resolution,
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
    Lockfile {
        strategy: request.strategy,
        namespaces,
        overrides: request.overrides.clone(),
        host: request.host.as_ref().map(stated),
        roots,
        packages,
    }
}

/// Returns whether an index lists a package just as it is locked, in the plain form that we write,
/// and without anything optional.
pub(super) fn is_listed(index: &Index<'_>, package: &LockedPackage) -> bool {
    let id = package.id.as_str();
    let Some(line) = index.plain_version(id, &package.version) else {
        return false;
    };
    let needs = |edge: &LockedEdge| {
        let mut listed = line.dependencies.iter();
        listed.any(|d| d.id == edge.id.as_str() && d.range == edge.range.to_string())
    };
    let source = line.source.as_deref().map_or(Ok(()), check_source);
    source.is_ok()
        && line.digest == package.digest
        && line.size == package.size
        && line.source.as_deref() == package.source.as_deref()
        && package.needs.is_empty()
        && package.optional.is_empty()
        && line.dependencies.iter().all(|d| !d.optional)
        && line.dependencies.len() == package.dependencies.len()
        && package.dependencies.iter().all(needs)
}

/// Returns what of a host goes into a lock.
pub(crate) fn stated(host: &Host) -> LockedHost {
    LockedHost {
        platform: host.platform.clone(),
        engines: host.engines.clone(),
        runtimes: host.runtimes.clone(),
    }
}
