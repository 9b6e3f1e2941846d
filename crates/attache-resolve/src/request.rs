//! What is asked: which packages, for which host, starting from which lock.

use std::collections::BTreeMap;
use std::fmt;

use attache_package::{InvalidRange, Manifest, PackageName, Range, Release};

use crate::host::{Host, HostNeed};

/// What is asked of [`resolve`](crate::resolve()).
///
/// `Request::default()` asks for nothing, on a host that meets every need.
#[derive(Clone, Default)]
pub struct Request<'a> {
    /// Who asks, if it is a package or a workspace with a name: its wishes are then told as its
    /// own in an explanation, and it is the root of the graph.
    pub root: Option<Root>,
    /// The packages that are wanted.
    pub wanted: Vec<Wanted>,
    /// What the root itself needs of the host.
    pub needs: Vec<HostNeed>,
    /// Which of several versions that fit is taken.
    pub strategy: Strategy,
    /// The machine; nothing if what a package needs of it shall not matter.
    pub host: Option<Host>,
    /// The versions that a lock holds. They are kept wherever they still fit.
    pub locked: BTreeMap<PackageName, Locked>,
    /// Ranges that replace whatever anyone requires of a package.
    pub overrides: BTreeMap<PackageName, Range>,
    /// How much work may be done.
    pub limits: Limits,
    /// Asked regularly; the work ends when it says yes.
    pub interrupted: Option<&'a dyn Fn() -> bool>,
}

/// The package or workspace that asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Its name.
    pub id: PackageName,
    /// Its version, if it has one.
    pub version: Option<Release>,
}

/// A package that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Its name.
    pub id: PackageName,
    /// The versions that will do.
    pub range: Range,
    /// Whether an answer without it is an answer.
    pub optional: bool,
}

/// Which of several versions that fit is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// The highest, which is what people want.
    #[default]
    Highest,
    /// The lowest, which shows whether the lower bounds are true.
    Lowest,
}

/// What a lock holds for a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locked {
    /// Its version; nothing if that may move.
    pub version: Option<Release>,
    /// The registry it came from. It stays there, unless a namespace now says otherwise.
    pub registry: Option<String>,
}

/// How much work may be done. A bound on steps is a bound on time and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Steps of the solver until it gives up. One package usually takes one step; the more a
    /// search goes back and forth, the more each further step counts.
    pub steps: u64,
    /// Steps spent on making an explanation minimal and on finding what would help.
    pub explanation_steps: u64,
    /// How many cycles are listed.
    pub cycles: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 200_000,
            explanation_steps: 100_000,
            cycles: 100,
        }
    }
}

impl Request<'_> {
    /// Asks for what a package needs, with the package as the root.
    pub fn for_manifest(manifest: &Manifest) -> Result<Self, InvalidRange> {
        let needs = manifest.requirements.iter().map(HostNeed::try_from);
        Ok(Self {
            root: Some(Root {
                id: manifest.id.clone(),
                version: manifest.version.clone(),
            }),
            wanted: manifest
                .dependencies
                .iter()
                .map(|dependency| Wanted {
                    id: dependency.id.clone(),
                    range: dependency.range.clone(),
                    optional: dependency.optional,
                })
                .collect(),
            needs: needs.collect::<Result<_, _>>()?,
            ..Self::default()
        })
    }
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("root", &self.root)
            .field("wanted", &self.wanted)
            .field("needs", &self.needs)
            .field("strategy", &self.strategy)
            .field("host", &self.host)
            .field("locked", &self.locked)
            .field("overrides", &self.overrides)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
