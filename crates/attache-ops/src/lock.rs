//! Chooses versions for a workspace and writes them down in `attache.lock`.

use std::path::PathBuf;

use attache_package::{PackageName, Release};
use attache_resolve::records::{CircularDependencyDetection, DependencyGraph};
use attache_resolve::{LeftOut, LockedPackage, Lockfile, Override};
use schemars::JsonSchema;
use serde::Serialize;

use crate::build::Warning;
use crate::resolving::{Keep, Missing, Resolving, Session};
use crate::workspace::CONFIG;
use crate::{App, Error, Kind, Outcome, whole};

/// What to lock, and which earlier choices stay.
#[derive(Debug, Clone, Default)]
pub struct LockRequest {
    /// What is resolved, from where, and for which machines.
    pub resolving: Resolving,
    /// Whether nothing is written, and only told what would be.
    pub dry_run: bool,
    /// Whether every package may move to another version.
    pub upgrade: bool,
    /// Packages that may move to another version, while the others stay where they can.
    pub upgrade_packages: Vec<String>,
    /// Whether the whole answer is wanted, with its graph and the circles that were kept out. A
    /// lock that is up to date is told so sooner without.
    pub in_full: bool,
}

/// What was locked.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LockOutcome {
    /// The lockfile.
    #[serde(with = "crate::lossy")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// Whether what is on disk differs from what it should be, or did.
    pub changed: bool,
    /// Whether it was written.
    pub written: bool,
    /// How many packages are locked.
    pub packages: usize,
    /// How many bytes they are together.
    pub total_download_size: u64,
    /// Packages that came, went or moved, sorted by name.
    pub changes: Vec<LockChange>,
    /// Other parts of the lock that differ, such as `overrides`.
    pub other_changes: Vec<&'static str>,
    /// Optional dependencies that were not taken, and why.
    pub left_out: Vec<LeftOut>,
    /// The overrides that count, and what each replaced.
    pub overrides: Vec<Override>,
    /// With `--offline`, what is locked and not on this machine.
    pub missing: Vec<Missing>,
    /// What should be looked at.
    pub warnings: Vec<Warning>,
    /// The circles among everything that could have been chosen, none of which was; nothing if
    /// nobody looked.
    pub circular: Option<CircularDependencyDetection>,
    /// The whole answer, as the specification has it; only in a full answer.
    pub graph: Option<DependencyGraph>,
    /// How many steps the search took.
    pub steps: u64,
}

impl Outcome for LockOutcome {
    const SCHEMA: &'static str = "attache.lock/1";
}

/// A package that came, went or moved.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LockChange {
    /// The package.
    pub id: PackageName,
    /// Its version before; nothing if it was not there.
    pub before: Option<Release>,
    /// Its version now; nothing if it is gone.
    pub after: Option<Release>,
    /// The registry it came from, if that is another one now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// The registry it comes from now, if that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
}

/// Chooses versions, keeps those of the lock wherever they fit, and writes the lock if it
/// differs.
pub fn lock(app: &App, request: &LockRequest) -> Result<LockOutcome, Error> {
    let (session, contradiction) = Session::open_to_lock(app, &request.resolving)?;
    if !session.workspace.is_folder {
        let message = format!(
            "`{}` is a finished package, which has its own lock inside",
            request.resolving.path.display()
        );
        return Err(Error::new(Kind::Usage, "ATT-WORKSPACE", message)
            .hint("give the folder of an agent, or of a workspace"));
    }
    let may_write = !request.dry_run && !request.resolving.frozen;
    let mut warnings = Vec::new();
    warnings.extend(contradiction.map(|error| Warning {
        code: error.code,
        message: error.message,
        path: Lockfile::NAME.to_owned(),
    }));
    let named = named(&session, &request.upgrade_packages)?;
    let may_shorten = !request.in_full && !request.upgrade && named.is_empty();
    if may_shorten
        && warnings.is_empty()
        && let Some(lock) = session.unchanged()?
    {
        return Ok(up_to_date(&session, lock));
    }
    let keep = match request.upgrade {
        true => Keep::Nothing,
        false => Keep::Except(&named),
    };
    let solved = session.solve(&keep, request.in_full)?;
    let path = session.workspace.lock_path();
    let text = solved.lock.to_string();
    let (before, changed) = match &session.lock {
        Some(held) => (held.lock.clone(), held.text.replace("\r\n", "\n") != text),
        None => (Lockfile::default(), true),
    };
    warnings.extend(solved.warnings);
    let overrides = &solved.resolution.overrides;
    warnings.extend(override_warnings(
        &session,
        overrides,
        &solved.lock.packages,
    ));
    let written = changed && may_write;
    if written {
        refuse_unwritable(&solved.lock, &text)?;
        whole::write(&path, &text)?;
    }
    Ok(LockOutcome {
        changed,
        written,
        packages: solved.lock.packages.len(),
        total_download_size: solved.lock.packages.iter().map(|p| p.size).sum(),
        changes: changes(&before.packages, &solved.lock.packages),
        other_changes: match &session.lock {
            Some(_) => other_changes(&before, &solved.lock),
            None => Vec::new(),
        },
        left_out: solved.resolution.left_out,
        overrides: solved.resolution.overrides,
        missing: solved.missing,
        warnings,
        circular: Some(solved.circular),
        graph: solved.graph,
        steps: solved.resolution.steps,
        path,
    })
}

/// Makes the answer for a lock that needs no change.
fn up_to_date(session: &Session<'_>, lock: &Lockfile) -> LockOutcome {
    LockOutcome {
        path: session.workspace.lock_path(),
        changed: false,
        written: false,
        packages: lock.packages.len(),
        total_download_size: lock.packages.iter().map(|p| p.size).sum(),
        changes: Vec::new(),
        other_changes: Vec::new(),
        left_out: Vec::new(),
        overrides: Vec::new(),
        missing: Vec::new(),
        warnings: Vec::new(),
        circular: None,
        graph: None,
        steps: 0,
    }
}

/// Refuses to write a lock that could not be read again.
fn refuse_unwritable(lock: &Lockfile, text: &str) -> Result<(), Error> {
    let Some(reason) = lock.unwritable(text) else {
        return Ok(());
    };
    let message = format!("what was chosen cannot be locked: {reason}");
    Err(Error::new(Kind::Failed, "ATT-LOCK-UNWRITABLE", message)
        .hint("the index has something that no lock can hold; ask whoever made it"))
}

/// Says of each override what someone may not have meant.
fn override_warnings(
    session: &Session<'_>,
    overrides: &[Override],
    chosen: &[LockedPackage],
) -> Vec<Warning> {
    let configured = &session.workspace.config.overrides;
    let warning = |code: &str, message: String| Warning {
        code: code.to_owned(),
        message,
        path: CONFIG.to_owned(),
    };
    let mut warnings = Vec::new();
    for Override { id, range, .. } in overrides {
        if !chosen.iter().any(|package| package.id == *id) {
            let message = format!("nothing needs `{id}`, so its override changes nothing");
            warnings.push(warning("ATT-OVERRIDE-UNUSED", message));
        }
        if configured.get(id) != Some(range) {
            let message = format!(
                "the override `{id}={range}` is only on the command line; without it the next \
                 `attache lock` forgets it. [overrides] in attache.toml keeps it"
            );
            warnings.push(warning("ATT-OVERRIDE-ONCE", message));
        }
    }
    warnings
}

/// Reads the names of packages that may move. One that is not in the lock is a slip.
fn named(session: &Session<'_>, names: &[String]) -> Result<Vec<PackageName>, Error> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let id: PackageName = name.parse().map_err(|e| {
            let error = Error::new(Kind::Usage, "ATT-NAME", format!("{e}"));
            error.hint("give the package's id, as `attache tree` shows it")
        })?;
        if session
            .lock
            .as_ref()
            .is_some_and(|held| held.lock.get(&id).is_none())
        {
            let message = format!("the lock holds no `{id}` that could be upgraded");
            return Err(Error::new(Kind::NotFound, "ATT-NOT-LOCKED", message)
                .hint("`attache tree` shows what it holds"));
        }
        found.push(id);
    }
    Ok(found)
}

fn changes(before: &[LockedPackage], after: &[LockedPackage]) -> Vec<LockChange> {
    let find = |list: &[LockedPackage], id: &PackageName| {
        let found = list.binary_search_by(|p| p.id.cmp(id));
        found.ok().map(|at| list[at].clone())
    };
    let mut ids: Vec<&PackageName> = before.iter().chain(after).map(|p| &p.id).collect();
    ids.sort();
    ids.dedup();
    let mut changes = Vec::new();
    for id in ids {
        let (old, new) = (find(before, id), find(after, id));
        let moved = match (&old, &new) {
            (Some(old), Some(new)) => old.registry != new.registry,
            _ => false,
        };
        let version = |package: &Option<LockedPackage>| package.as_ref().map(|p| p.version.clone());
        let registry = |package: &Option<LockedPackage>| {
            let package = package.as_ref().filter(|_| moved);
            package.map(|p| p.registry.clone())
        };
        let change = LockChange {
            id: id.clone(),
            before: version(&old),
            after: version(&new),
            moved_from: registry(&old),
            moved_to: registry(&new),
        };
        if moved || change.before != change.after {
            changes.push(change);
        }
    }
    changes
}

fn other_changes(before: &Lockfile, after: &Lockfile) -> Vec<&'static str> {
    let same_version = |p: &&LockedPackage| {
        let old = before.get(&p.id);
        old.is_some_and(|old| old.version == p.version && old != *p)
    };
    let parts = [
        ("strategy", before.strategy != after.strategy),
        ("namespaces", before.namespaces != after.namespaces),
        ("overrides", before.overrides != after.overrides),
        ("host", before.host != after.host),
        ("roots", before.roots != after.roots),
        ("packages", after.packages.iter().any(|p| same_version(&p))),
    ];
    let changed = parts.into_iter().filter(|(_, changed)| *changed);
    changed.map(|(part, _)| part).collect()
}
