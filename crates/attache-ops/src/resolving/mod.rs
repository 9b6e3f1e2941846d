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
    Artifact, Chosen, Failure, Host, HostNeed, LockedEdge, LockedPackage, Lockfile, Request,
    Resolution, Strategy, Universe, Wanted, find_cycles, resolve,
};

use schemars::JsonSchema;
use serde::Serialize;

use crate::build::Warning;
use crate::tree::Links;
use crate::workspace::{OWN, Workspace};
use crate::{App, Error, Kind};
use asked::{an_override, host};
use held::{lock_of, read_lock_anyway};
use loader::Loader;

pub use asked::Resolving;
pub(crate) use folder::folder_index;
pub(crate) use held::{Held, Keep, read_lock, stated};
pub(crate) use shelves::{Shelf, Wanted as WantedOf, open_all};

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
    /// The answer as the specification has it, if it was wanted.
    pub(crate) graph: Option<DependencyGraph>,
    /// The circles among everything that could have been chosen; none of them was.
    pub(crate) circular: CircularDependencyDetection,
    /// What the lock should say.
    pub(crate) lock: Lockfile,
    /// With `--offline`, what is chosen and not here.
    pub(crate) missing: Vec<Missing>,
    pub(crate) warnings: Vec<Warning>,
}

impl<'a> Session<'a> {
    /// Reads the workspace and its lock.
    pub(crate) fn open(app: &'a App, asked: &'a Resolving) -> Result<Self, Error> {
        let workspace = Workspace::open(app, &asked.path)?;
        let lock = match workspace.is_folder {
            true => read_lock(&workspace.lock_path())?,
            false => workspace.package_lock.clone().map(|lock| Held {
                text: String::new(),
                lock,
            }),
        };
        Self::of(app, asked, workspace, lock)
    }

    /// Reads the workspace and its lock to write that anew: one that contradicts itself, as it
    /// may after a merge, is still good to start from. Also returns what is wrong with it.
    pub(crate) fn open_to_lock(
        app: &'a App,
        asked: &'a Resolving,
    ) -> Result<(Self, Option<Error>), Error> {
        let workspace = Workspace::open(app, &asked.path)?;
        let read = match workspace.is_folder {
            true => read_lock_anyway(&workspace.lock_path())?,
            false => None,
        };
        let (lock, contradiction) = match read {
            Some((held, contradiction)) => (Some(held), contradiction),
            None => (None, None),
        };
        Ok((Self::of(app, asked, workspace, lock)?, contradiction))
    }

    fn of(
        app: &'a App,
        asked: &'a Resolving,
        workspace: Workspace,
        lock: Option<Held>,
    ) -> Result<Self, Error> {
        let mut overrides = workspace.config.overrides.clone();
        for text in &asked.overrides {
            let (id, range) = an_override(text)?;
            overrides.insert(id, range);
        }
        let config = &workspace.config;
        let strategy = asked.strategy.unwrap_or(config.strategy.into());
        let host = host(asked, config.host.host())?;
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

    /// Returns what the lock says, if it answers what is asked for now; otherwise what it would
    /// say. The second is an error with `--frozen`.
    pub(crate) fn locked_or_solved(&self) -> Result<(Lockfile, Vec<Warning>), Error> {
        if let Some(lock) = self.answer() {
            return Ok((lock.clone(), Vec::new()));
        }
        if self.asked.frozen {
            return Err(self.stale());
        }
        let solved = self.solve(&Keep::All, false)?;
        let mut warnings = solved.warnings;
        warnings.extend(solved.missing.iter().map(Missing::warning));
        Ok((solved.lock, warnings))
    }

    /// Returns the lock, if it was made for what is asked for now.
    pub(crate) fn answer(&self) -> Option<&Lockfile> {
        let lock = &self.lock.as_ref()?.lock;
        if !self.workspace.is_folder {
            return Some(lock);
        }
        let same = lock.roots == self.workspace.roots()
            && lock.overrides == self.overrides
            && lock.strategy == self.strategy
            && lock.host == self.host.as_ref().map(stated)
            && lock.namespaces == self.workspace.config.namespaces()
            && self.members_fit(lock);
        same.then_some(lock)
    }

    /// Returns whether the workspace's own agents are still what the lock takes them for, which
    /// it has no line for: a version that others ask for, and needs that the host meets.
    fn members_fit(&self, lock: &Lockfile) -> bool {
        let roots = lock.roots.iter().flat_map(|r| &r.dependencies);
        let packages = lock.packages.iter().flat_map(|p| &p.dependencies);
        let edges: Vec<&LockedEdge> = roots.chain(packages).collect();
        self.workspace.members.iter().all(|member| {
            let manifest = &member.manifest;
            let asked = edges.iter().filter(|edge| edge.id == manifest.id);
            let mut ranges = asked.map(|edge| lock.overrides.get(&edge.id).unwrap_or(&edge.range));
            let version = manifest.version.clone().unwrap_or(Release::new(0, 0, 0));
            let meets = |need: HostNeed| self.host.as_ref().is_none_or(|host| host.meets(&need));
            let mut needs = manifest.requirements.iter();
            ranges.all(|range| range.contains(&version))
                && needs.all(|need| HostNeed::try_from(need).is_ok_and(meets))
        })
    }

    /// Returns the host it is for, as far as that was stated.
    pub(crate) fn host(&self) -> Option<&Host> {
        self.host.as_ref()
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

    /// Returns the lock if nothing has to be chosen anew, without a search: it was made for what
    /// is asked for now, nothing in it is optional, and the index has every version as it was. A
    /// search would begin with just that and end there.
    ///
    /// Says no where in doubt.
    pub(crate) fn unchanged(&self) -> Result<Option<&Lockfile>, Error> {
        let (Some(lock), Some(held)) = (self.answer(), &self.lock) else {
            return Ok(None);
        };
        let all_required = lock.roots.iter().all(|root| root.optional.is_empty());
        let is_tidy = || Links::of(lock).is_tidy(lock.roots.len());
        if self.asked.offline || !all_required || !lock.overrides.is_empty() || !is_tidy() {
            return Ok(None);
        }
        let mut warnings = Vec::new();
        let shelves = match lock.packages.is_empty() {
            true => Vec::new(),
            false => self.shelves(&mut warnings)?,
        };
        let indexes: Vec<Index<'_>> = shelves.iter().map(Shelf::index).collect::<Result<_, _>>()?;
        let is_listed = |package: &LockedPackage| {
            let at = shelves.iter().position(|s| s.name == package.registry);
            at.is_some_and(|at| held::is_listed(&indexes[at], package))
        };
        let same = warnings.is_empty()
            && lock.packages.iter().all(is_listed)
            && lock.to_string() == held.text.replace("\r\n", "\n");
        Ok(same.then_some(lock))
    }

    fn shelves(&self, warnings: &mut Vec<Warning>) -> Result<Vec<Shelf>, Error> {
        let Workspace { folder, config, .. } = &self.workspace;
        let indexes = &self.asked.indexes;
        open_all(self.app, indexes, folder, config, WantedOf::Index, warnings)
    }

    /// Finds the versions, and what the lock should say.
    pub(crate) fn solve(&self, keep: &Keep<'_>, in_full: bool) -> Result<Solved, Error> {
        let mut warnings = Vec::new();
        let roots = self.workspace.roots();
        let wishes = roots.iter();
        let wishes = wishes.flat_map(|r| r.dependencies.iter().chain(&r.optional));
        let names: Vec<String> = wishes.map(|edge| edge.id.to_string()).collect();
        let is_own = |name: &String| {
            let mut members = self.workspace.members.iter();
            members.any(|member| member.manifest.id.as_str() == name)
        };
        let shelves = match names.iter().all(is_own) {
            true => Vec::new(),
            false => self.shelves(&mut warnings)?,
        };
        let (universe, mut request) = self.question(&shelves, names)?;
        let flag = || self.app.interrupted.load(Ordering::Relaxed);
        request.interrupted = Some(&flag);
        if let Some(held) = &self.lock {
            // Another strategy wants other versions, so that none of the old ones counts.
            let other = held.lock.strategy != self.strategy;
            request.locked = held.kept(if other { &Keep::Nothing } else { keep });
        }
        let mut resolution = resolve(&universe, &request).map_err(|failure| {
            let error = unresolved(failure);
            match self.asked.offline {
                true => error.hint("--offline takes only what is on this machine"),
                false => error,
            }
        })?;
        if let Some(held) = &self.lock {
            held.refuse_other_bytes(&self.workspace.lock_path(), &resolution, keep)?;
        }
        // An agent that asks is told of by its name.
        if let Some(root) = &request.root {
            let replaced = resolution
                .overrides
                .iter_mut()
                .flat_map(|o| &mut o.replaced);
            let left_out = resolution.left_out.iter_mut().map(|left| &mut left.by);
            for by in replaced.map(|r| &mut r.by).chain(left_out) {
                by.get_or_insert_with(|| root.id.clone());
            }
        }
        let lock = lock_of(
            roots,
            self.workspace.config.namespaces(),
            &request,
            &resolution,
        );
        if let Some(held) = &self.lock {
            warnings.extend(held.other_dependencies(&lock));
        }
        Ok(Solved {
            graph: in_full.then(|| resolution.graph(&request)),
            circular: find_cycles(&universe, &request),
            lock,
            missing: missing(&universe, &resolution),
            resolution,
            universe,
            warnings,
        })
    }

    /// Puts together what is known and what is asked.
    fn question(
        &self,
        shelves: &[Shelf],
        names: Vec<String>,
    ) -> Result<(Universe, Request<'_>), Error> {
        let members = &self.workspace.members;
        let indexes: Vec<Index<'_>> = shelves.iter().map(Shelf::index).collect::<Result<_, _>>()?;
        let mut builder = Universe::builder();
        let own = members.iter().map(|member| member.manifest.id.to_string());
        let own: HashSet<String> = own.collect();
        let mut loader = Loader::new(shelves, &indexes, &mut builder, &own, self.asked.offline);
        loader.load(names, &mut builder, &self.app.interrupted)?;

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
        Ok((universe, request))
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
                absent: false,
            };
            let invalid = |e: attache_package::InvalidRange| {
                let message = format!("`{}`: {e}", member.path);
                Error::new(Kind::Failed, "ATT-RANGE", message)
            };
            // There is only this one, also where it is a prerelease.
            let range = Range::parse_with("*", true).map_err(invalid)?;
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
        Failure::UnknownPackage { .. } => "something is asked for that nobody has",
        Failure::Conflict(_) => "no versions go together",
        Failure::Cycle { .. } => "there is a circle of dependencies",
        Failure::GaveUp { .. } => "the search was given up",
        Failure::Interrupted => "the search was stopped",
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

/// A version that is locked and not on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Missing {
    /// The package.
    pub id: PackageName,
    /// Its version.
    pub version: Release,
    /// Where it can be had.
    pub source: Option<String>,
}

impl Missing {
    pub(crate) fn warning(&self) -> Warning {
        Warning {
            code: "ATT-OFFLINE-MISSING".to_owned(),
            message: format!("{} {} is not on this machine", self.id, self.version),
            path: self.source.clone().unwrap_or_default(),
        }
    }
}

/// Returns what was chosen and is not here.
fn missing(universe: &Universe, resolution: &Resolution) -> Vec<Missing> {
    let is_absent = |chosen: &&Chosen| {
        let mut known = universe.versions_of(&chosen.id);
        known.any(|(version, registry, artifact)| {
            artifact.absent && *version == chosen.version && registry == chosen.registry
        })
    };
    let absent = resolution.packages.iter().filter(is_absent);
    let missing = absent.map(|chosen| Missing {
        id: chosen.id.clone(),
        version: chosen.version.clone(),
        source: chosen.url.clone(),
    });
    missing.collect()
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
