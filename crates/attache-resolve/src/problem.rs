//! A request against a universe, in numbers: who needs what, and which versions will do.

use std::cell::RefCell;

use attache_package::Range;
use pubgrub::Map;

use crate::host::HostNeed;
use crate::request::Request;
use crate::set::VersionSet;
use crate::universe::{Link, Universe, number};

/// The node that stands for whoever asks.
pub(crate) const ROOT: u32 = u32::MAX;

/// Nodes from here on stand for facts about the host, one for each need.
pub(crate) const FACTS: u32 = 1 << 31;

/// One requirement: `from`, in every version that says so, needs `to` in `range`.
///
/// Versions that require the same thing in the same words count as one requirement, because
/// that is how people see them: "`a` needs `b` ^1", not one line for each version of `a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Requires {
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// The range's number; zero for facts, which have none.
    pub(crate) range: u32,
}

impl Requires {
    pub(crate) fn of(from: u32, link: &Link) -> Self {
        Self {
            from,
            to: link.to,
            range: link.range,
        }
    }

    pub(crate) fn fact(from: u32, need: u32) -> Self {
        Self {
            from,
            to: FACTS + need,
            range: 0,
        }
    }

    /// Returns the number of the host need, if this is about the host.
    pub(crate) fn need(&self) -> Option<u32> {
        (self.to >= FACTS).then(|| self.to - FACTS)
    }
}

/// A request against a universe.
pub(crate) struct Problem<'a> {
    pub(crate) universe: &'a Universe,
    pub(crate) request: &'a Request<'a>,
    /// What the root requires, in stable order.
    pub(crate) wanted: Vec<Requires>,
    /// What the root would like to have, in stable order.
    pub(crate) wished: Vec<Requires>,
    /// Ranges of the request; their numbers follow those of the universe.
    ranges: Vec<&'a Range>,
    overrides: Map<u32, u32>,
    locks: Map<u32, Lock>,
    /// Whether the host meets each need; the request's own needs follow those of the universe.
    met: Vec<bool>,
    /// The versions that each range holds where the request has a say in it, found when first
    /// asked for.
    sets: RefCell<Map<(u32, u32), VersionSet>>,
}

/// What a lock changes for one package.
struct Lock {
    registry: u32,
    /// Every version that may be chosen, with the locked one even if it was yanked.
    candidates: VersionSet,
    version: Option<u32>,
}

impl<'a> Problem<'a> {
    /// Writes a request in numbers. Names that are nowhere in the universe come back instead;
    /// those only wished for, with the place in the request's list.
    pub(crate) fn new(universe: &'a Universe, request: &'a Request<'a>) -> (Self, Vec<usize>) {
        let mut problem = Self {
            universe,
            request,
            wanted: Vec::new(),
            wished: Vec::new(),
            ranges: Vec::new(),
            overrides: Map::default(),
            locks: Map::default(),
            met: Vec::new(),
            sets: RefCell::default(),
        };
        let mut unknown = Vec::new();
        for (at, wanted) in request.wanted.iter().enumerate() {
            let found = universe.find(&wanted.id);
            let Some(to) = found.filter(|p| !universe.versions(*p).is_empty()) else {
                unknown.push(at);
                continue;
            };
            let requires = Requires {
                from: ROOT,
                to,
                range: problem.add_range(&wanted.range),
            };
            match wanted.optional {
                false => problem.wanted.push(requires),
                true => problem.wished.push(requires),
            }
        }
        problem.wanted.sort_by_key(|requires| requires.to);
        problem.wished.sort_by_key(|requires| requires.to);
        for (id, range) in &request.overrides {
            if let Some(package) = universe.find(id) {
                let range = problem.add_range(range);
                problem.overrides.insert(package, range);
            }
        }
        let host = request.host.as_ref();
        let needs = universe.needs().iter().chain(&request.needs);
        problem.met = needs
            .map(|need| host.is_none_or(|host| host.meets(need)))
            .collect();
        let own = number(universe.needs().len())..number(problem.met.len());
        problem
            .wanted
            .extend(own.map(|need| Requires::fact(ROOT, need)));
        problem.read_lock();
        (problem, unknown)
    }

    fn add_range(&mut self, range: &'a Range) -> u32 {
        self.ranges.push(range);
        number(self.universe.ranges().len() + self.ranges.len() - 1)
    }

    fn read_lock(&mut self) {
        for (id, locked) in &self.request.locked {
            let Some(package) = self.universe.find(id) else {
                continue;
            };
            let known = self.universe.package(package);
            let versions = self.universe.versions(package);
            let given = locked.registry.as_deref();
            // A namespace is the user's word of today, the lock is yesterday's.
            let registry = given
                .filter(|_| known.namespace().is_none())
                .and_then(|name| self.universe.registry_number(name))
                .filter(|number| versions.iter().any(|v| v.artifact.registry() == *number))
                .unwrap_or(known.registry());
            let mut candidates = VersionSet::empty();
            let mut version = None;
            for (at, known) in (0u32..).zip(versions) {
                if known.artifact.registry() != registry {
                    continue;
                }
                let is_locked = Some(&known.release) == locked.version.as_ref();
                if is_locked {
                    version = Some(at);
                }
                if is_locked || known.artifact.is_free() {
                    candidates.insert(at);
                }
            }
            let lock = Lock {
                registry,
                candidates,
                version,
            };
            self.locks.insert(package, lock);
        }
    }

    pub(crate) fn range(&self, number: u32) -> &'a Range {
        let known = self.universe.ranges();
        let at = number as usize;
        known
            .get(at)
            .unwrap_or_else(|| self.ranges[at - known.len()])
    }

    pub(crate) fn need(&self, number: u32) -> &'a HostNeed {
        let known = self.universe.needs();
        let at = number as usize;
        known
            .get(at)
            .unwrap_or_else(|| &self.request.needs[at - known.len()])
    }

    pub(crate) fn is_met(&self, need: u32) -> bool {
        self.met[need as usize]
    }

    /// Returns every version of a package that may be chosen.
    pub(crate) fn candidates(&self, package: u32) -> &VersionSet {
        match self.locks.get(&package) {
            Some(lock) => &lock.candidates,
            None => self.universe.package(package).candidates(),
        }
    }

    /// Returns the registry that a package comes from.
    pub(crate) fn registry(&self, package: u32) -> u32 {
        match self.locks.get(&package) {
            Some(lock) => lock.registry,
            None => self.universe.package(package).registry(),
        }
    }

    /// Returns the version that the lock holds, if there is still such a one.
    pub(crate) fn locked(&self, package: u32) -> Option<u32> {
        self.locks.get(&package)?.version
    }

    /// Returns the number of the range that overrides every requirement on a package.
    pub(crate) fn overridden(&self, package: u32) -> Option<u32> {
        self.overrides.get(&package).copied()
    }

    /// Returns the versions of `to` that a requirement allows, after overrides.
    pub(crate) fn allowed(&self, requires: &Requires) -> VersionSet {
        if let Some(need) = requires.need() {
            let met = u32::from(self.is_met(need));
            return VersionSet::below(met);
        }
        let to = requires.to;
        let range = self.overridden(to).unwrap_or(requires.range);
        let is_known = (range as usize) < self.universe.ranges().len();
        if is_known && !self.locks.contains_key(&to) {
            return self.universe.held(to, range);
        }
        if let Some(set) = self.sets.borrow().get(&(to, range)) {
            return set.clone();
        }
        let set = self
            .universe
            .among(to, self.candidates(to), self.range(range));
        self.sets.borrow_mut().insert((to, range), set.clone());
        set
    }

    /// Returns the versions of `to` that would do if the range did not matter: releases proper,
    /// or prereleases where there is nothing else.
    pub(crate) fn any(&self, requires: &Requires) -> VersionSet {
        if requires.need().is_some() {
            return VersionSet::below(1);
        }
        let versions = self.universe.versions(requires.to);
        let candidates = self.candidates(requires.to);
        let proper = |v: &u32| !versions[*v as usize].release.is_prerelease();
        let releases: VersionSet = candidates.iter().filter(proper).collect();
        if releases.is_empty() {
            candidates.clone()
        } else {
            releases
        }
    }

    /// Returns whether relaxing one requirement relaxes another: an override stands for all
    /// requirements on its package.
    pub(crate) fn relaxes(&self, one: &Requires, other: &Requires) -> bool {
        one == other || (one.to == other.to && self.overridden(one.to).is_some())
    }

    /// Returns what one version of a package requires of other packages.
    pub(crate) fn requirements(
        &self,
        package: u32,
        version: u32,
    ) -> impl Iterator<Item = Requires> + '_ {
        let links = self.universe.links(package, version).iter();
        links
            .filter(|link| !link.optional)
            .map(move |link| Requires::of(package, link))
    }

    /// Returns what one version of a package would like to have.
    pub(crate) fn wishes(&self, package: u32, version: u32) -> impl Iterator<Item = Requires> + '_ {
        let links = self.universe.links(package, version).iter();
        links
            .filter(|link| link.optional)
            .map(move |link| Requires::of(package, link))
    }

    /// Returns what one version of a package needs of the host and does not get.
    pub(crate) fn unmet(&self, package: u32, version: u32) -> impl Iterator<Item = Requires> + '_ {
        let needs = self.universe.needs_of(package, version).iter();
        needs
            .filter(|need| !self.is_met(**need))
            .map(move |need| Requires::fact(package, *need))
    }
}
