//! Which versions a package is built with: from files that were given, else from the lock.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use attache_package::build::{ChosenPackage, ChosenPackages};
use attache_package::formats::{FormatName, Package};
use attache_package::{Diagnostics, Manifest, PackageName};
use attache_resolve::{Artifact, LockedPackage, LockedRoot, Lockfile, Request, Universe, resolve};

use super::BuildRequest;
use crate::inspect::digest_of;
use crate::resolving::{Held, Shelf, WantedOf, open_all, read_lock, stated, unresolved};
use crate::tree::Links;
use crate::workspace::{Config, Member, Workspace};
use crate::{App, Error, Kind};

/// The registry that packages given as files come from.
const GIVEN: &str = "files";

/// Chooses what the package is built with.
///
/// Files that were given count first; everything must come from them then. Otherwise the lock
/// of the workspace counts. Without either nothing is locked, which a sealed package cannot have.
pub(super) fn choose(
    app: &App,
    request: &BuildRequest,
    package: &Package,
) -> Result<ChosenPackages, Error> {
    let lock = Near::find(&request.source)?;
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
    match lock {
        Some(near) if request.dependencies.is_empty() => near.choose(app, request, manifest),
        None if request.dependencies.is_empty() && !request.sealed => Ok(ChosenPackages::default()),
        _ => from_files(app, request, &manifest),
    }
}

/// Returns the lock that speaks of the agent in `source`, if there is one.
pub(super) fn lock_near(source: &Path) -> Option<PathBuf> {
    Some(Near::find(source).ok()??.path)
}

/// The lock of the workspace that an agent is in.
struct Near {
    path: PathBuf,
    folder: PathBuf,
    config: Config,
}

impl Near {
    fn find(source: &Path) -> Result<Option<Self>, Error> {
        let source = fs_err::canonicalize(source).map_err(|e| Error::io("open", source, &e))?;
        let (folder, config) = Workspace::find(&source)?;
        let path = folder.join(Lockfile::NAME);
        Ok(path.is_file().then(|| Self {
            path,
            folder,
            config: config.unwrap_or_default(),
        }))
    }

    /// Takes from the lock what one agent needs.
    fn choose(
        &self,
        app: &App,
        request: &BuildRequest,
        manifest: Manifest,
    ) -> Result<ChosenPackages, Error> {
        let Some(held) = read_lock(&self.path)? else {
            return Ok(ChosenPackages::default());
        };
        let member = Member {
            path: String::new(),
            manifest,
        };
        let (root, asked) = (self.root(&held.lock, &member), member.root());
        let settings = self.settings_hold(&held.lock);
        let same = |root: &LockedRoot| {
            settings && root.dependencies == asked.dependencies && root.optional == asked.optional
        };
        let Some(root) = root.filter(|at| same(&held.lock.roots[*at])) else {
            if asked.dependencies.is_empty() && asked.optional.is_empty() {
                return Ok(ChosenPackages::default());
            }
            let message = format!(
                "`{}` does not answer what {} asks for now",
                self.path.display(),
                member.manifest.id
            );
            return Err(Error::new(Kind::Pending, "ATT-LOCK-STALE", message)
                .hint("`attache lock` brings it up to date"));
        };
        let shelves = match request.sealed {
            true => open_all(
                app,
                &request.indexes,
                &self.folder,
                &self.config,
                WantedOf::Files,
                &mut Vec::new(),
            ),
            false => Ok(Vec::new()),
        };
        self.taken(app, request, &held, root, &shelves?)
    }

    /// Returns whether everything that `attache.toml` says counted for the lock. What was only on
    /// the command line then may have counted too.
    fn settings_hold(&self, lock: &Lockfile) -> bool {
        let mut overrides = self.config.overrides.iter();
        let host = self.config.host.host();
        overrides.all(|(id, range)| lock.overrides.get(id) == Some(range))
            && lock.namespaces == self.config.namespaces()
            && host.is_none_or(|host| lock.host == Some(stated(&host)))
    }

    fn root(&self, lock: &Lockfile, member: &Member) -> Option<usize> {
        let is_it = |root: &LockedRoot| root.id.as_ref() == Some(&member.manifest.id);
        lock.roots.iter().position(is_it)
    }

    fn taken(
        &self,
        app: &App,
        request: &BuildRequest,
        held: &Held,
        root: usize,
        shelves: &[Shelf],
    ) -> Result<ChosenPackages, Error> {
        let lock = &held.lock;
        let links = Links::of(lock);
        let mut packages = Vec::new();
        for at in links.reached(root, lock.roots.len()) {
            let Some(package) = links.package(lock, at) else {
                let id = lock.roots[at].id.as_ref();
                if request.sealed && at != root {
                    return Err(member_needed(id));
                }
                // An agent of the workspace has no archive; it is resolved when installed.
                continue;
            };
            let mut dependencies = BTreeMap::new();
            for link in links.edges(at) {
                let Some(to) = links.package(lock, link.to) else {
                    return Err(member_needed(lock.roots[link.to].id.as_ref()));
                };
                dependencies.insert(to.id.clone(), link.range.clone());
            }
            packages.push(ChosenPackage {
                id: package.id.clone(),
                version: package.version.clone(),
                registry: package.registry.clone(),
                namespace: package.namespace.clone(),
                source: package.source.clone(),
                digest: package.digest,
                size: package.size,
                dependencies,
                file: match request.sealed {
                    true => Some(self.archive(app, held, package, shelves)?),
                    false => None,
                },
            });
        }
        packages.sort_by(|a, b| a.id.cmp(&b.id));
        let locked: BTreeSet<&PackageName> = packages.iter().map(|p| &p.id).collect();
        let overrides = lock.overrides.iter().filter(|(id, _)| locked.contains(id));
        let overrides = overrides.map(|(id, range)| (id.clone(), range.clone()));
        Ok(ChosenPackages {
            overrides: overrides.collect(),
            packages,
        })
    }

    /// Finds the archive of a locked package on this machine, and checks that it is the one.
    fn archive(
        &self,
        app: &App,
        held: &Held,
        package: &LockedPackage,
        shelves: &[Shelf],
    ) -> Result<PathBuf, Error> {
        let LockedPackage {
            id,
            version,
            registry,
            ..
        } = package;
        let missing = |message: String, hint: &str| {
            Error::new(Kind::NotFound, "ATT-BUILD-DEPENDENCY", message).hint(hint)
        };
        let Some(shelf) = shelves.iter().find(|shelf| shelf.name == *registry) else {
            let message = format!("nothing says where `{registry}` is, which {id} comes from");
            return Err(missing(
                message,
                "give it with --index NAME=PATH, or name it in attache.toml",
            ));
        };
        let Some(file) = shelf.file(package.source.as_deref(), package.size) else {
            let size = package.size;
            let message =
                format!("no archive of {id} {version} with {size} bytes is on this machine");
            return Err(missing(
                message,
                "give the package's file with --dependency FILE",
            ));
        };
        let (digest, _) = digest_of(&file)?;
        if digest != package.digest {
            return Err(held.other_bytes(&self.path, package, registry, digest));
        }
        let (_, manifest) = app.open_valid(&file, None, false)?;
        let locked = |needed: &attache_package::Dependency| {
            let mut edges = package.dependencies.iter();
            needed.optional || edges.any(|e| e.id == needed.id && e.range == needed.range)
        };
        if !manifest.dependencies.iter().all(locked) {
            let message = format!(
                "`{}` needs more than the index says of {id} {version}",
                file.display()
            );
            return Err(
                Error::new(Kind::Verification, "ATT-BUILD-DEPENDENCY", message)
                    .hint("make the index anew with `attache index`, and lock again"),
            );
        }
        if manifest.id != *id || manifest.version.as_ref() != Some(version) {
            let message = format!(
                "`{}` is not {id} {version}, as the index says, but {} {}",
                file.display(),
                manifest.id,
                manifest
                    .version
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default()
            );
            return Err(
                Error::new(Kind::Verification, "ATT-BUILD-DEPENDENCY", message)
                    .hint("make the index anew with `attache index`, or ask whoever made it"),
            );
        }
        Ok(file)
    }
}

fn member_needed(id: Option<&PackageName>) -> Error {
    let id = id.map(ToString::to_string).unwrap_or_default();
    let message = format!("{id} is an agent of this workspace, and has no archive to carry");
    Error::new(Kind::Failed, "ATT-BUILD-DEPENDENCY", message)
        .hint("build it first, and give all that is carried with --dependency FILE")
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
            absent: false,
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
