//! Which versions a package is built with: from files that were given, else from the lock.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use attache_package::build::{ChosenPackage, ChosenPackages};
use attache_package::formats::{FormatName, Package};
use attache_package::{Diagnostics, Manifest, PackageName, Range};
use attache_resolve::{Artifact, LockedEdge, LockedPackage, Lockfile, Request, Universe, resolve};

use super::BuildRequest;
use crate::inspect::digest_of;
use crate::resolving::{read_lock, unresolved};
use crate::workspace::{CONFIG, read_config};
use crate::{App, Error, Kind};

/// The registry that packages given as files come from.
const GIVEN: &str = "files";

/// Chooses what the package is built with.
///
/// Files that were given count first; everything must come from them then. Otherwise the lock
/// of the workspace counts, if it speaks of this agent. Without either nothing is locked, which
/// a sealed package cannot have.
pub(super) fn choose(
    app: &App,
    request: &BuildRequest,
    package: &Package,
) -> Result<ChosenPackages, Error> {
    let lock = lock_near(&request.source);
    if request.dependencies.is_empty() && !request.sealed && lock.is_none() {
        return Ok(ChosenPackages::default());
    }
    let read = package.read(&mut Diagnostics::new(true));
    let Some(manifest) = read.map_err(|e| Error::archive(&request.source, e))? else {
        // The build itself says everything that is wrong with it.
        return Ok(ChosenPackages::default());
    };
    if manifest.format != FormatName::Lexichord {
        // A file or a seal is refused there; a lock of the workspace is no concern of others.
        return Ok(ChosenPackages {
            overrides: BTreeMap::new(),
            packages: given(app, &request.dependencies)?
                .into_iter()
                .map(|given| given.package)
                .collect(),
        });
    }
    if request.dependencies.is_empty()
        && let Some(path) = lock
        && let Some(chosen) = from_lock(request, &manifest, &path)?
    {
        return Ok(chosen);
    }
    if request.dependencies.is_empty() && !request.sealed {
        return Ok(ChosenPackages::default());
    }
    from_files(app, request, &manifest)
}

/// Returns the lock that may speak of the agent in `source`: its own, or the one of the nearest
/// workspace above it.
pub(super) fn lock_near(source: &Path) -> Option<PathBuf> {
    let source = fs_err::canonicalize(source).ok()?;
    let has =
        |folder: &&Path| folder.join(Lockfile::NAME).is_file() || folder.join(CONFIG).is_file();
    let folder = source.ancestors().find(has)?;
    let lock = folder.join(Lockfile::NAME);
    lock.is_file().then_some(lock)
}

/// A finished package given as a file.
struct Given {
    manifest: Manifest,
    package: ChosenPackage,
}

fn given(app: &App, paths: &[PathBuf]) -> Result<Vec<Given>, Error> {
    let one = |path: &PathBuf| {
        let (package, manifest) = app.open_valid(path, None, false)?;
        let version = manifest.version.clone();
        let (Some(version), false, FormatName::Lexichord) =
            (version, package.is_folder(), manifest.format)
        else {
            let message = format!("the dependency `{}` is not a .lxpkg", path.display());
            return Err(Error::new(Kind::Usage, "ATT-BUILD-DEPENDENCY", message)
                .hint("a dependency is a finished package; make one with `attache build`"));
        };
        let (digest, size) = digest_of(path)?;
        let name = path.file_name().unwrap_or_default();
        let package = ChosenPackage {
            id: manifest.id.clone(),
            version,
            registry: GIVEN.to_owned(),
            namespace: None,
            source: Some(name.to_string_lossy().into_owned()),
            digest,
            size,
            dependencies: BTreeMap::new(),
            file: Some(path.clone()),
        };
        Ok(Given { manifest, package })
    };
    paths.iter().map(one).collect()
}

fn from_files(
    app: &App,
    request: &BuildRequest,
    manifest: &Manifest,
) -> Result<ChosenPackages, Error> {
    let given = given(app, &request.dependencies)?;
    let invalid =
        |e: attache_package::InvalidRange| Error::new(Kind::Failed, "ATT-RANGE", e.to_string());
    let mut builder = Universe::builder();
    let registry = builder.registry(GIVEN);
    for one in &given {
        let artifact = Artifact {
            registry,
            digest: Some(one.package.digest),
            size: one.package.size,
            url: one.package.source.clone(),
            yanked: false,
        };
        let version = one.package.version.clone();
        builder
            .add_manifest(&one.manifest, version, artifact)
            .map_err(invalid)?;
    }
    let universe = builder.build().map_err(|e| {
        let error = Error::new(Kind::Usage, "ATT-BUILD-DEPENDENCY", e.to_string());
        error.hint("give each version once")
    })?;
    let question = Request::for_manifest(manifest).map_err(invalid)?;
    let resolution = resolve(&universe, &question).map_err(|failure| {
        unresolved(failure)
            .hint("give the package's file with --dependency FILE, or lock it: `attache lock`")
    })?;
    let taken = |one: &Given| {
        let chosen = resolution.get(&one.package.id);
        chosen.is_some_and(|chosen| chosen.version == one.package.version)
    };
    if let Some(unused) = given.iter().find(|one| !taken(one)) {
        let path = unused.package.file.as_deref().unwrap_or(Path::new(""));
        let message = format!("nothing needs `{}`; leave it out", path.display());
        return Err(Error::new(Kind::Failed, "ATT-BUILD-UNUSED", message));
    }
    let mut packages: Vec<ChosenPackage> = given.into_iter().map(|one| one.package).collect();
    packages.sort_by(|a, b| a.id.cmp(&b.id));
    for chosen in &resolution.packages {
        for by in &chosen.required_by {
            let dependent = packages.iter_mut().find(|p| Some(&p.id) == by.by.as_ref());
            if let Some(dependent) = dependent {
                let range = by.range.clone();
                dependent.dependencies.insert(chosen.id.clone(), range);
            }
        }
    }
    Ok(ChosenPackages {
        overrides: BTreeMap::new(),
        packages,
    })
}

/// Takes from a lock what one agent needs; nothing if the lock does not speak of it.
fn from_lock(
    request: &BuildRequest,
    manifest: &Manifest,
    path: &Path,
) -> Result<Option<ChosenPackages>, Error> {
    let Some(held) = read_lock(path)? else {
        return Ok(None);
    };
    let lock = held.lock;
    let is_it = |root: &&attache_resolve::LockedRoot| root.id.as_ref() == Some(&manifest.id);
    let Some(root) = lock.roots.iter().find(is_it) else {
        return Ok(None);
    };
    let mut asked: Vec<(&PackageName, &Range, bool)> = manifest
        .dependencies
        .iter()
        .map(|d| (&d.id, &d.range, d.optional))
        .collect();
    asked.sort_by_key(|(id, _, optional)| (*optional, *id));
    let edge =
        |optional| move |edge: &'_ LockedEdge| (edge.id.clone(), edge.range.clone(), optional);
    let locked = root.dependencies.iter().map(edge(false));
    let locked: Vec<_> = locked.chain(root.optional.iter().map(edge(true))).collect();
    let same = asked.len() == locked.len()
        && (asked.iter().zip(&locked)).all(|(a, l)| (a.0, a.1, a.2) == (&l.0, &l.1, l.2));
    if !same {
        let message = format!(
            "`{}` does not answer what {} asks for now",
            path.display(),
            manifest.id
        );
        return Err(Error::new(Kind::Pending, "ATT-LOCK-STALE", message)
            .hint("`attache lock` brings it up to date"));
    }
    let mut packages = Vec::new();
    for package in needed(&lock, root) {
        let file = match request.sealed {
            true => Some(file_of(path, package)?),
            false => None,
        };
        let edges = package.dependencies.iter().chain(&package.optional);
        packages.push(ChosenPackage {
            id: package.id.clone(),
            version: package.version.clone(),
            registry: package.registry.clone(),
            namespace: package.namespace.clone(),
            source: package.source.clone(),
            digest: package.digest,
            size: package.size,
            dependencies: edges.map(|e| (e.id.clone(), e.range.clone())).collect(),
            file,
        });
    }
    let locked: BTreeSet<&PackageName> = packages.iter().map(|p| &p.id).collect();
    let overrides = lock.overrides.iter().filter(|(id, _)| locked.contains(id));
    let overrides = overrides.map(|(id, range)| (id.clone(), range.clone()));
    Ok(Some(ChosenPackages {
        overrides: overrides.collect(),
        packages,
    }))
}

/// Returns everything that a root needs, sorted by name.
fn needed<'l>(lock: &'l Lockfile, root: &'l attache_resolve::LockedRoot) -> Vec<&'l LockedPackage> {
    let mut found: BTreeMap<&PackageName, &LockedPackage> = BTreeMap::new();
    let mut todo: Vec<&LockedEdge> = root.dependencies.iter().chain(&root.optional).collect();
    while let Some(edge) = todo.pop() {
        let Some(package) = lock.get(&edge.id) else {
            continue;
        };
        if found.insert(&package.id, package).is_none() {
            todo.extend(package.dependencies.iter().chain(&package.optional));
        }
    }
    found.into_values().collect()
}

/// Finds the archive of a locked package on this machine, and checks that it is the one.
fn file_of(lock: &Path, package: &LockedPackage) -> Result<PathBuf, Error> {
    let folder = lock.parent().unwrap_or(Path::new("."));
    let config = read_config(folder)?.unwrap_or_default();
    let configured = config.registry.iter().find(|r| r.name == package.registry);
    // An index without a name is named by the way to it.
    let index = folder.join(configured.map_or(&package.registry, |r| &r.index));
    let base = match index.is_dir() {
        true => index.as_path(),
        false => index.parent().unwrap_or(folder),
    };
    let source = package.source.as_deref().filter(|s| !s.contains("://"));
    let missing = || {
        let message = format!(
            "the archive of {} {} is not on this machine",
            package.id, package.version
        );
        Error::new(Kind::NotFound, "ATT-BUILD-DEPENDENCY", message)
            .hint("give the package's file with --dependency FILE")
    };
    let file = base.join(source.ok_or_else(missing)?);
    if !file.is_file() {
        return Err(missing());
    }
    let (digest, _) = digest_of(&file)?;
    if digest != package.digest {
        let message = format!(
            "`{}` is not the {} {} that was locked: it is {digest}, and the lock has {}",
            file.display(),
            package.id,
            package.version,
            package.digest
        );
        return Err(Error::new(Kind::Verification, "ATT-LOCK-DIGEST", message));
    }
    Ok(file)
}
