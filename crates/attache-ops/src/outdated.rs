//! Says which locked packages have newer versions, and what holds them back.

use attache_package::{PackageName, Release};
use schemars::JsonSchema;
use serde::Serialize;

use crate::build::Warning;
use crate::resolving::{Keep, Missing, Resolving, Session, root_name};
use crate::{App, Error, Kind, Outcome};

/// What to look at.
#[derive(Debug, Clone, Default)]
pub struct OutdatedRequest {
    /// What is resolved, from where, and for which machines.
    pub resolving: Resolving,
}

/// What could be newer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutdatedOutcome {
    /// The packages that are not at their latest version, or that were taken back; sorted.
    pub packages: Vec<OutdatedPackage>,
    /// How many packages the lock holds.
    pub locked: usize,
    /// What should be looked at.
    pub warnings: Vec<Warning>,
}

impl Outcome for OutdatedOutcome {
    const SCHEMA: &'static str = "attache.outdated/1";
}

/// A package that is not at its latest version, or that was taken back.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutdatedPackage {
    /// The package.
    pub id: PackageName,
    /// The version in the lock.
    pub current: Release,
    /// The version that `attache lock --upgrade` would take; nothing if it would drop the package.
    pub wanted: Option<Release>,
    /// The highest version there is, prereleases only if the lock has one.
    pub latest: Release,
    /// The registry it comes from.
    pub registry: String,
    /// Whether the author took the locked version back.
    pub yanked: bool,
    /// Who asks for a range that does not hold the latest version.
    pub held_back_by: Vec<HeldBack>,
}

impl OutdatedPackage {
    /// Returns whether `attache lock --upgrade` would change it, or its author wants it gone.
    pub fn is_pending(&self) -> bool {
        self.yanked || self.wanted.as_ref() != Some(&self.current)
    }
}

/// Who holds a package back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct HeldBack {
    /// The dependent, or the workspace.
    pub by: String,
    /// What it asks for: a range, or something of the host.
    pub asks: String,
}

/// Compares the lock with what there is.
pub fn outdated(app: &App, request: &OutdatedRequest) -> Result<OutdatedOutcome, Error> {
    let session = Session::open(app, &request.resolving)?;
    let Some(held) = &session.lock else {
        let kind = match request.resolving.frozen {
            true => Kind::Pending,
            false => Kind::NotFound,
        };
        return Err(Error {
            kind,
            ..session.stale()
        });
    };
    if !session.workspace.is_folder {
        let message = "a finished package does not change; its dependencies are locked inside";
        return Err(Error::new(Kind::Usage, "ATT-WORKSPACE", message)
            .hint("give the folder of an agent, or of a workspace"));
    }
    if request.resolving.frozen && session.answer().is_none() {
        return Err(session.stale());
    }
    let solved = session.solve(&Keep::Nothing, false)?;
    let lock = &held.lock;
    let mut packages = Vec::new();
    for locked in &lock.packages {
        let current = &locked.version;
        let candidates = solved.universe.candidates(&locked.id);
        let counts = |v: &&&Release| !v.is_prerelease() || current.is_prerelease();
        let highest = candidates.iter().rev().find(counts);
        let latest = highest.map_or(current, |highest| (*highest).max(current));
        let mut versions = solved.universe.versions_of(&locked.id);
        let yanked = versions.any(|(version, registry, artifact)| {
            version == current && registry == locked.registry && artifact.yanked
        });
        if latest == current && !yanked {
            continue;
        }
        let edges = |by: String, required: &[attache_resolve::LockedEdge]| {
            let holding = required
                .iter()
                .filter(|edge| edge.id == locked.id && !edge.range.contains(latest));
            let held: Vec<HeldBack> = holding
                .map(|edge| HeldBack {
                    by: by.clone(),
                    asks: edge.range.to_string(),
                })
                .collect();
            held
        };
        let roots = lock.roots.iter().flat_map(|root| {
            let mut held = edges(root_name(&root.id), &root.dependencies);
            held.extend(edges(root_name(&root.id), &root.optional));
            held
        });
        let others = lock.packages.iter().flat_map(|package| {
            let mut held = edges(package.id.to_string(), &package.dependencies);
            held.extend(edges(package.id.to_string(), &package.optional));
            held
        });
        let mut held_back_by: Vec<HeldBack> = match lock.overrides.get(&locked.id) {
            Some(range) if !range.contains(latest) => vec![HeldBack {
                by: "your override".to_owned(),
                asks: range.to_string(),
            }],
            Some(_) => Vec::new(),
            None => roots.chain(others).collect(),
        };
        let host = session.host();
        let needs = solved.universe.needs_of_release(&locked.id, latest);
        let unmet = needs
            .into_iter()
            .filter(|need| host.is_some_and(|host| !host.meets(need)));
        held_back_by.extend(unmet.map(|need| HeldBack {
            by: "this host".to_owned(),
            asks: format!("lacks {need}"),
        }));
        held_back_by.sort();
        packages.push(OutdatedPackage {
            id: locked.id.clone(),
            current: current.clone(),
            wanted: solved.resolution.get(&locked.id).map(|c| c.version.clone()),
            latest: latest.clone(),
            registry: locked.registry.clone(),
            yanked,
            held_back_by,
        });
    }
    let mut warnings = solved.warnings;
    warnings.extend(solved.missing.iter().map(Missing::warning));
    Ok(OutdatedOutcome {
        packages,
        locked: lock.packages.len(),
        warnings,
    })
}
