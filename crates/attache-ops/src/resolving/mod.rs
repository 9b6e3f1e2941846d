//! What `lock`, `tree`, `why` and `outdated` have in common: a workspace, places that versions
//! come from, and a solve that starts from the lock.
//!
//! What is asked is in [`asked`], the lock in [`held`], the places in [`shelves`], and the way
//! from there to a universe in [`loader`].

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::Ordering;

use attache_package::{PackageName, Range, Release};
use attache_registry::wire::Index;
use attache_resolve::records::{CircularDependencyDetection, DependencyGraph};
use attache_resolve::{
    Artifact, Failure, Host, Lockfile, Request, Resolution, Strategy, Universe, Wanted,
    find_cycles, resolve,
};

use crate::build::Warning;
use crate::workspace::{OWN, Workspace};
use crate::{App, Error, Kind};
use asked::{an_override, host};
use held::lock_of;
use loader::{Absent, Loader};
use shelves::Shelf;

pub use asked::Resolving;
pub(crate) use folder::folder_index;
pub(crate) use held::{Held, Keep, read_lock};

mod asked;
mod folder;
mod held;
mod loader;
mod shelves;

/// A workspace with all that is asked of it.
pub(crate) struct Session<'a> {
    app: &'a App,
    asked: &'a Resolving,
    pub(crate) workspace: Workspace,
    overrides: std::collections::BTreeMap<PackageName, Range>,
    strategy: Strategy,
    host: Option<Host>,
    /// The lock as it is on disk.
    pub(crate) lock: Option<Held>,
}

/// An answer, and what it was found in.
pub(crate) struct Solved {
    pub(crate) universe: Universe,
    pub(crate) resolution: Resolution,
    pub(crate) graph: DependencyGraph,
    /// The circles among everything that could have been chosen; none of them was.
    pub(crate) circular: CircularDependencyDetection,
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
        let wishes = roots.iter();
        let wishes = wishes.flat_map(|r| r.dependencies.iter().chain(&r.optional));
        let names: Vec<String> = wishes.map(|edge| edge.id.to_string()).collect();
        let shelves = match names.is_empty() {
            true => Vec::new(),
            false => shelves::open_all(self.app, self.asked, &self.workspace, &mut warnings)?,
        };
        let (universe, mut request, absent) = self.question(&shelves, names)?;
        let flag = || self.app.interrupted.load(Ordering::Relaxed);
        request.interrupted = Some(&flag);
        if let Some(held) = &self.lock {
            request.locked = held.kept(keep);
            held.refuse_other_bytes(&self.workspace.lock_path(), &universe, keep)?;
        }
        let resolution = resolve(&universe, &request)
            .map_err(|failure| without(unresolved(failure), &absent))?;
        let is_chosen = |a: &Absent| {
            let chosen = resolution.get(&a.id);
            chosen.is_some_and(|chosen| chosen.version == a.version)
        };
        Ok(Solved {
            graph: resolution.graph(&request),
            circular: find_cycles(&universe, &request),
            lock: lock_of(roots, &request, &resolution, &shelves),
            absent: absent.into_iter().filter(is_chosen).collect(),
            resolution,
            universe,
            warnings,
        })
    }

    /// Puts together what is known and what is asked; also returns what is known and not here.
    fn question(
        &self,
        shelves: &[Shelf],
        names: Vec<String>,
    ) -> Result<(Universe, Request<'_>, Vec<Absent>), Error> {
        let members = &self.workspace.members;
        let indexes: Vec<Index<'_>> = shelves.iter().map(Shelf::index).collect::<Result<_, _>>()?;
        let mut builder = Universe::builder();
        let own = members.iter().map(|member| member.manifest.id.to_string());
        let own: HashSet<String> = own.collect();
        let mut loader = Loader::new(shelves, &indexes, &mut builder, &own);
        if self.asked.offline {
            loader = loader.offline(self.lock.as_ref().map(|held| &held.lock));
        }
        loader.load(names, &mut builder)?;

        // One agent that nobody leads back to is the one who asks; otherwise each is a package
        // of the workspace that is wanted, so that they can depend on each other.
        let is_alone = !loader.meets_own && self.workspace.config.dependencies.is_empty();
        let mut request = match members.as_slice() {
            [one] if is_alone => Request::for_manifest(&one.manifest).map_err(|e| {
                let message = format!("`{}`: {e}", one.path);
                Error::new(Kind::Failed, "ATT-RANGE", message)
            })?,
            _ => self.members_wanted(&mut builder)?,
        };
        request.strategy = self.strategy;
        request.limits.steps = self.asked.steps.unwrap_or(request.limits.steps);
        request.host = self.host.clone();
        request.overrides = self.overrides.clone();
        let universe = builder.build().map_err(|e| {
            Error::new(Kind::Failed, "ATT-INDEX", e.to_string())
                .hint("each version belongs in an index once, each namespace to one registry")
        })?;
        Ok((universe, request, loader.absent))
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
    if matches!(failure, Failure::GaveUp { .. }) {
        error = error.hint("--max-steps lets it search longer");
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
