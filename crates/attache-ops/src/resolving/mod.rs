//! What `lock`, `tree`, `why` and `outdated` have in common: a workspace, places that versions
//! come from, and a solve that starts from the lock.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use attache_package::{PackageName, Range, Release};
use attache_registry::wire::Index;
use attache_resolve::{
    Artifact, Failure, Host, Locked, LockedEdge, LockedHost, LockedPackage, Lockfile, Request,
    Resolution, Strategy, Universe, Wanted, resolve,
};

use crate::build::Warning;
use crate::workspace::{
    LooseRelease, OWN, PlatformText, Workspace, check_name, name_for, read_text,
};
use crate::{App, Error, Kind};
use shelves::{Absent, Loader, Shelf};

pub(crate) mod shelves;

/// What is resolved, from where, and for which machines.
#[derive(Debug, Clone, Default)]
pub struct Resolving {
    /// A workspace, an agent's folder, or a package.
    pub path: PathBuf,
    /// Places that versions come from, before those of `attache.toml`: a path, or `NAME=PATH`.
    pub indexes: Vec<String>,
    /// Ranges that replace whatever anyone requires, as `ID=RANGE`.
    pub overrides: Vec<String>,
    /// Which of several versions that fit is taken; what `attache.toml` says if nothing.
    pub strategy: Option<Strategy>,
    /// The platform it is for, as `linux/amd64/glibc`.
    pub platform: Option<String>,
    /// Host programs it is for, as `NAME=VERSION`.
    pub engines: Vec<String>,
    /// Language runtimes it is for, as `NAME=VERSION`.
    pub runtimes: Vec<String>,
    /// The machine, in full, if it is for that one only.
    pub machine: Option<Host>,
    /// Whether only what is on this machine counts.
    pub offline: bool,
    /// Whether a lock that does not fit is an error.
    pub frozen: bool,
}

impl Resolving {
    /// Returns whether anything but the workspace and its lock has a say.
    fn asks_anew(&self) -> bool {
        !self.overrides.is_empty()
            || self.strategy.is_some()
            || self.platform.is_some()
            || !self.engines.is_empty()
            || !self.runtimes.is_empty()
            || self.machine.is_some()
    }
}

/// A workspace with all that is asked of it.
pub(crate) struct Session<'a> {
    app: &'a App,
    asked: &'a Resolving,
    pub(crate) workspace: Workspace,
    overrides: BTreeMap<PackageName, Range>,
    strategy: Strategy,
    host: Option<Host>,
    /// The lock as it is on disk.
    pub(crate) lock: Option<Held>,
}

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

/// An answer, and what it was found in.
pub(crate) struct Solved {
    pub(crate) universe: Universe,
    pub(crate) resolution: Resolution,
    pub(crate) graph: attache_resolve::records::DependencyGraph,
    /// What the lock should say.
    pub(crate) lock: Lockfile,
    /// With `--offline`, what is chosen and not here.
    pub(crate) absent: Vec<Absent>,
    pub(crate) warnings: Vec<Warning>,
}

impl<'a> Session<'a> {
    /// Reads the workspace and its lock.
    pub(crate) fn open(app: &'a App, asked: &'a Resolving) -> Result<Self, Error> {
        let workspace = Workspace::open(app, &asked.path)?;
        let mut overrides = workspace.config.overrides.clone();
        for text in &asked.overrides {
            let (id, range) = an_override(text)?;
            overrides.insert(id, range);
        }
        let config = &workspace.config;
        let strategy = asked.strategy.unwrap_or(config.strategy.into());
        let host = host(asked, config.host.host())?;
        let lock = match workspace.is_folder {
            true => read_lock(&workspace.lock_path())?,
            false => None,
        };
        Ok(Self {
            app,
            asked,
            workspace,
            overrides,
            strategy,
            host,
            lock,
        })
    }

    /// Returns what the lock says, if it answers what the workspace asks for now; otherwise what
    /// it would say. The second is an error with `--frozen`.
    pub(crate) fn locked_or_solved(&self) -> Result<(Lockfile, Vec<Warning>), Error> {
        let fits = |held: &&Held| held.lock.roots == self.workspace.roots();
        match self.lock.as_ref().filter(fits) {
            Some(held) if !self.asked.asks_anew() => Ok((held.lock.clone(), Vec::new())),
            _ if self.asked.frozen => Err(self.stale()),
            _ => {
                let solved = self.solve(&Keep::All)?;
                Ok((solved.lock, solved.warnings))
            }
        }
    }

    /// Makes the error for a lock that does not say what it should.
    pub(crate) fn stale(&self) -> Error {
        let path = self.workspace.lock_path();
        let message = match &self.lock {
            None => format!("there is no `{}`", path.display()),
            Some(_) => format!(
                "`{}` does not answer what the workspace asks for now",
                path.display()
            ),
        };
        Error::new(Kind::Pending, "ATT-LOCK-STALE", message)
            .hint("`attache lock` brings it up to date")
    }

    /// Finds the versions, and what the lock should say.
    pub(crate) fn solve(&self, keep: &Keep<'_>) -> Result<Solved, Error> {
        let mut warnings = Vec::new();
        let roots = self.workspace.roots();
        let wishes = roots
            .iter()
            .flat_map(|r| r.dependencies.iter().chain(&r.optional));
        let names: Vec<String> = wishes.map(|edge| edge.id.to_string()).collect();
        let shelves = match names.is_empty() {
            true => Vec::new(),
            false => self.shelves(&mut warnings)?,
        };
        let indexes: Vec<Index<'_>> = shelves.iter().map(Shelf::index).collect::<Result<_, _>>()?;

        let mut builder = Universe::builder();
        let own: HashSet<String> = self
            .workspace
            .members
            .iter()
            .map(|member| member.manifest.id.to_string())
            .collect();
        let mut loader = Loader::new(&shelves, &indexes, &mut builder, &own);
        if self.asked.offline {
            loader = loader.offline(self.lock.as_ref().map(|held| &held.lock));
        }
        loader.load(names, &mut builder)?;

        // One agent that nobody leads back to is the one who asks; otherwise each is a package
        // of the workspace that is wanted, so that they can depend on each other.
        let flag = || self.app.interrupted.load(Ordering::Relaxed);
        let single = match self.workspace.members.as_slice() {
            [one] if !loader.meets_own && self.workspace.config.dependencies.is_empty() => {
                Some(one)
            }
            _ => None,
        };
        let mut request = match single {
            Some(member) => Request::for_manifest(&member.manifest).map_err(|e| {
                let message = format!("`{}`: {e}", member.path);
                Error::new(Kind::Failed, "ATT-RANGE", message)
            })?,
            None => self.members_wanted(&mut builder)?,
        };
        request.strategy = self.strategy;
        request.host = self.host.clone();
        request.overrides = self.overrides.clone();
        request.interrupted = Some(&flag);
        request.locked = self.kept(keep);
        let absent = std::mem::take(&mut loader.absent);
        let universe = builder.build().map_err(|e| {
            Error::new(Kind::Failed, "ATT-INDEX", e.to_string())
                .hint("each version belongs in an index once, each namespace to one registry")
        })?;
        self.refuse_other_bytes(&universe, &request.locked)?;
        let resolution = resolve(&universe, &request)
            .map_err(|failure| without(unresolved(failure), &absent))?;
        let lock = self.lock_of(roots, &resolution, &shelves);
        let chosen = |a: &Absent| {
            resolution
                .get(&a.id)
                .is_some_and(|c| c.version == a.version)
        };
        Ok(Solved {
            graph: resolution.graph(&request),
            lock,
            absent: absent.into_iter().filter(chosen).collect(),
            resolution,
            universe,
            warnings,
        })
    }

    /// Adds the workspace's own packages, and asks for each of them.
    fn members_wanted(
        &self,
        builder: &mut attache_resolve::UniverseBuilder,
    ) -> Result<Request<'static>, Error> {
        let registry = builder.registry(OWN);
        let mut request = Request::default();
        for (id, wish) in &self.workspace.config.dependencies {
            request.wanted.push(Wanted {
                id: id.clone(),
                range: wish.range.clone(),
                optional: wish.optional,
            });
        }
        for member in &self.workspace.members {
            let manifest = &member.manifest;
            // One without a version is asked for by its name only.
            let version = manifest.version.clone().unwrap_or(Release::new(0, 0, 0));
            builder.bind_one(&manifest.id, registry);
            let artifact = Artifact {
                registry,
                digest: None,
                size: 0,
                url: None,
                yanked: false,
            };
            let invalid = |e: attache_package::InvalidRange| {
                let message = format!("`{}`: {e}", member.path);
                Error::new(Kind::Failed, "ATT-RANGE", message)
            };
            let range: Range = format!("={}", version.without_build())
                .parse()
                .map_err(invalid)?;
            builder
                .add_manifest(manifest, version, artifact)
                .map_err(invalid)?;
            request.wanted.push(Wanted {
                id: manifest.id.clone(),
                range,
                optional: false,
            });
        }
        Ok(request)
    }

    fn kept(&self, keep: &Keep<'_>) -> BTreeMap<PackageName, Locked> {
        let Some(held) = &self.lock else {
            return BTreeMap::new();
        };
        let stays = |package: &&LockedPackage| match keep {
            Keep::All => true,
            Keep::Except(these) => !these.contains(&package.id),
            Keep::Nothing => false,
        };
        let packages = held.lock.packages.iter().filter(stays);
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

    /// Refuses a version whose bytes are not those that were locked.
    fn refuse_other_bytes(
        &self,
        universe: &Universe,
        kept: &BTreeMap<PackageName, Locked>,
    ) -> Result<(), Error> {
        let Some(held) = &self.lock else {
            return Ok(());
        };
        for package in held
            .lock
            .packages
            .iter()
            .filter(|p| kept.contains_key(&p.id))
        {
            let same = |(version, registry, _): &(&Release, &str, &Artifact)| {
                **version == package.version && *registry == package.registry
            };
            let listed = universe.versions_of(&package.id).find(same);
            let Some(digest) = listed.and_then(|(_, _, artifact)| artifact.digest) else {
                continue;
            };
            if digest != package.digest {
                let line = Lockfile::line_of(&held.text, &package.id, "digest").unwrap_or_default();
                let message = format!(
                    "`{}` line {line}: {} {} was locked as {}, and `{}` now has {digest}",
                    self.workspace.lock_path().display(),
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

    fn shelves(&self, warnings: &mut Vec<Warning>) -> Result<Vec<Shelf>, Error> {
        let workspace = &self.workspace;
        let mut shelves: Vec<Shelf> = Vec::new();
        for text in &self.asked.indexes {
            let (name, path) = match text.split_once('=') {
                Some((name, path)) => (Some(name), Path::new(path)),
                None => (None, Path::new(text)),
            };
            if let Some(name) = name {
                check_name(name).map_err(|m| Error::new(Kind::Usage, "ATT-INDEX", m))?;
            }
            if text.contains("://") {
                let message = format!("`{text}` is not on this machine");
                return Err(Error::new(Kind::Usage, "ATT-INDEX", message).hint(
                    "an index is a folder of packages, or a file that `attache index` made of one",
                ));
            }
            let mut shelf = Shelf::open(self.app, path, warnings)?;
            let inside = shelf.index()?.registry().map(str::to_owned);
            if let Some(inside) = &inside {
                check_name(inside).map_err(|m| Error::new(Kind::Failed, "ATT-INDEX", m))?;
            }
            let relative = || name_for(&relative_to(&workspace.folder, path));
            shelf.name = name.map(str::to_owned).or(inside).unwrap_or_else(relative);
            // A place that `attache.toml` names may be somewhere else today.
            let same = |r: &&crate::workspace::Registry| r.name == shelf.name;
            if let Some(configured) = workspace.config.registry.iter().find(same) {
                shelf.namespaces = configured.namespaces.clone();
            }
            if shelves.iter().any(|s| s.name == shelf.name) {
                let message = format!("two indexes are called `{}`", shelf.name);
                return Err(Error::new(Kind::Usage, "ATT-INDEX", message)
                    .hint("name them: --index NAME=PATH"));
            }
            shelves.push(shelf);
        }
        for configured in &workspace.config.registry {
            if shelves.iter().any(|s| s.name == configured.name) {
                continue;
            }
            let path = workspace.folder.join(&configured.index);
            let mut shelf = Shelf::open(self.app, &path, warnings)?;
            shelf.name = configured.name.clone();
            shelf.namespaces = configured.namespaces.clone();
            shelves.push(shelf);
        }
        if shelves.is_empty() {
            let message = "nothing says where packages come from";
            return Err(Error::new(Kind::Usage, "ATT-INDEX-NONE", message).hint(
                "give a folder of packages or an index file with --index, or name it in \
                 attache.toml",
            ));
        }
        Ok(shelves)
    }

    fn lock_of(
        &self,
        roots: Vec<attache_resolve::LockedRoot>,
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
            strategy: self.strategy,
            namespaces: shelves.iter().flat_map(bound).collect(),
            overrides: self.overrides.clone(),
            host: self.host.clone().map(|host| LockedHost {
                platform: host.platform,
                engines: host.engines,
                runtimes: host.runtimes,
            }),
            roots,
            packages,
        }
    }
}

/// Makes the error for a solve without an answer.
pub(crate) fn unresolved(failure: Failure) -> Error {
    let kind = match failure {
        Failure::Interrupted => Kind::Interrupted,
        _ => Kind::Unresolved,
    };
    let message = match &failure {
        Failure::Conflict(_) => "no versions go together".to_owned(),
        Failure::Cycle { .. } => "there is a circle of dependencies".to_owned(),
        other => other.to_string(),
    };
    let mut error = Error::new(kind, failure.code(), message);
    if matches!(failure, Failure::UnknownPackage { .. }) {
        error = error.hint("check the name, or give another place to look with --index");
    }
    error.unresolved = Some(Box::new(failure));
    error
}

/// Says what was not considered because it is not here.
fn without(error: Error, absent: &[Absent]) -> Error {
    if absent.is_empty() {
        return error;
    }
    let few = absent.iter().take(5);
    let few: Vec<String> = few.map(|a| format!("{} {}", a.id, a.version)).collect();
    let more = match absent.len() - few.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    error.hint(format!(
        "these are in the index and not on this machine, so --offline leaves them out: {}{more}",
        few.join(", ")
    ))
}

/// Reads `ID=RANGE`.
fn an_override(text: &str) -> Result<(PackageName, Range), Error> {
    let usage = |code, message: String| {
        Error::new(Kind::Usage, code, message).hint("write it as --override ID=RANGE, e.g. base=^2")
    };
    let Some((id, range)) = text.split_once('=') else {
        let message = format!("the override `{text}` is not ID=RANGE");
        return Err(usage("ATT-OVERRIDE", message));
    };
    let id = id
        .trim()
        .parse()
        .map_err(|e| usage("ATT-NAME", format!("{e}")))?;
    let range = range
        .parse()
        .map_err(|e| usage("ATT-RANGE", format!("{e}")))?;
    Ok((id, range))
}

/// Puts together what was stated of the machines it is for.
fn host(asked: &Resolving, configured: Option<Host>) -> Result<Option<Host>, Error> {
    let usage = |message: String| Error::new(Kind::Usage, "ATT-HOST", message);
    let mut host = match &asked.machine {
        Some(machine) => machine.clone(),
        None => configured.unwrap_or_default(),
    };
    if let Some(text) = &asked.platform {
        let platform: PlatformText = text.clone().try_into().map_err(usage)?;
        host.platform = Some(platform.0);
    }
    for (texts, facts) in [
        (&asked.engines, &mut host.engines),
        (&asked.runtimes, &mut host.runtimes),
    ] {
        for text in texts {
            let pair = text.split_once('=').filter(|(name, _)| is_word(name));
            let Some((name, version)) = pair else {
                return Err(usage(format!("`{text}` is not NAME=VERSION")));
            };
            let version = LooseRelease::try_from(version.to_owned());
            let version = version.map_err(|e| usage(e.to_string()))?;
            facts.insert(name.to_owned(), version.0);
        }
    }
    Ok((host != Host::default()).then_some(host))
}

fn is_word(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
    !name.is_empty() && name.chars().all(allowed)
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

/// Returns the way from `folder` to `path`, with `/`.
pub(crate) fn relative_to(folder: &Path, path: &Path) -> String {
    let Ok(path) = fs_err::canonicalize(path) else {
        return path.to_string_lossy().into_owned();
    };
    let mut common = folder.to_owned();
    let mut up = 0;
    while !path.starts_with(&common) && common.pop() {
        up += 1;
    }
    let rest = path.strip_prefix(&common).unwrap_or(&path);
    let names = rest.components().map(|c| c.as_os_str().to_string_lossy());
    let parts: Vec<String> = std::iter::repeat_n("..".into(), up)
        .chain(names)
        .map(Cow::into_owned)
        .collect();
    match parts.is_empty() {
        true => ".".to_owned(),
        false => parts.join("/"),
    }
}

/// Returns who asks, for messages.
pub(crate) fn root_name(root: &Option<PackageName>) -> String {
    root.as_ref()
        .map_or("this workspace".to_owned(), ToString::to_string)
}
