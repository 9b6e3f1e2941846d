//! From shelves to a universe: only what somebody can reach is read.

use std::borrow::Cow;
use std::collections::HashSet;

use attache_package::{PackageName, Release, Requirement};
use attache_registry::wire::{Index, IndexLine, InvalidIndex};
use attache_resolve::{Artifact, Edge, Entry, HostNeed, Lockfile, RegistryId, UniverseBuilder};

use super::shelves::Shelf;
use crate::Error;

/// An artifact that an index lists and this machine does not have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Absent {
    pub(crate) id: PackageName,
    pub(crate) version: Release,
    pub(crate) source: Option<String>,
}

/// Moves from the shelves to a universe whatever some names can lead to.
pub(crate) struct Loader<'a> {
    shelves: &'a [Shelf],
    indexes: &'a [Index<'a>],
    numbers: Vec<RegistryId>,
    /// With `--offline`, only what is here counts, and what the lock holds already.
    offline: bool,
    locked: Option<&'a Lockfile>,
    /// The workspace's own packages, which never come from elsewhere.
    own: &'a HashSet<String>,
    seen: HashSet<String>,
    pub(crate) absent: Vec<Absent>,
    /// Whether something was asked for that no shelf has.
    unknown: bool,
    /// Whether something leads to a package of the workspace.
    pub(crate) meets_own: bool,
}

impl<'a> Loader<'a> {
    pub(crate) fn new(
        shelves: &'a [Shelf],
        indexes: &'a [Index<'a>],
        builder: &mut UniverseBuilder,
        own: &'a HashSet<String>,
    ) -> Self {
        let numbers: Vec<RegistryId> = shelves.iter().map(|s| builder.registry(&s.name)).collect();
        for (shelf, number) in shelves.iter().zip(&numbers) {
            for namespace in &shelf.namespaces {
                builder.bind(namespace.clone(), *number);
            }
        }
        Self {
            shelves,
            indexes,
            numbers,
            offline: false,
            locked: None,
            own,
            seen: HashSet::new(),
            absent: Vec::new(),
            unknown: false,
            meets_own: false,
        }
    }

    /// Takes only what is on this machine, and what the lock holds.
    pub(crate) fn offline(mut self, locked: Option<&'a Lockfile>) -> Self {
        self.offline = true;
        self.locked = locked;
        self
    }

    /// Loads some names and all that they can lead to.
    ///
    /// If one of them is nowhere, everything is loaded, so that a name that looks like it can
    /// be found.
    pub(crate) fn load(
        &mut self,
        names: Vec<String>,
        builder: &mut UniverseBuilder,
    ) -> Result<(), Error> {
        self.follow(names, builder)?;
        if self.unknown {
            let all = self.indexes.iter().flat_map(Index::names);
            let mut all: Vec<String> = all.map(str::to_owned).collect();
            all.sort_unstable();
            self.follow(all, builder)?;
        }
        Ok(())
    }

    fn follow(&mut self, names: Vec<String>, builder: &mut UniverseBuilder) -> Result<(), Error> {
        let (shelves, indexes) = (self.shelves, self.indexes);
        let mut todo = Vec::new();
        for name in names {
            self.queue(&name, &mut todo);
        }
        while let Some(id) = todo.pop() {
            let mut found = false;
            for (at, index) in indexes.iter().enumerate() {
                for line in index.versions(&id) {
                    let (number, line) = line.map_err(|error| shelves[at].invalid(&error))?;
                    found = true;
                    for dependency in &line.dependencies {
                        self.queue(&dependency.id, &mut todo);
                    }
                    self.add(at, number, line, builder)?;
                }
            }
            self.unknown |= !found;
        }
        Ok(())
    }

    /// Remembers a name to be looked at, once.
    fn queue(&mut self, id: &str, todo: &mut Vec<String>) {
        if self.own.contains(id) {
            self.meets_own = true;
        } else if !self.seen.contains(id) {
            self.seen.insert(id.to_owned());
            todo.push(id.to_owned());
        }
    }

    fn add(
        &mut self,
        at: usize,
        number: usize,
        line: IndexLine<'_>,
        builder: &mut UniverseBuilder,
    ) -> Result<(), Error> {
        let shelf = &self.shelves[at];
        let invalid = |message: String| {
            shelf.invalid(&InvalidIndex {
                line: number,
                message,
            })
        };
        let package = builder
            .package(&line.id)
            .map_err(|e| invalid(e.to_string()))?;
        if self.offline && !shelf.is_here(line.source.as_deref()) {
            let id: PackageName = line.id.parse().map_err(|e| invalid(format!("{e}")))?;
            let locked = self.locked.and_then(|lock| lock.get(&id));
            let is_locked = locked.is_some_and(|l| l.version == line.version);
            self.absent.push(Absent {
                id,
                version: line.version.clone(),
                source: line.source.as_ref().map(ToString::to_string),
            });
            if !is_locked {
                return Ok(());
            }
        }
        let mut dependencies = Vec::with_capacity(line.dependencies.len());
        for dependency in &line.dependencies {
            dependencies.push(Edge {
                package: builder
                    .package(&dependency.id)
                    .map_err(|e| invalid(e.to_string()))?,
                range: builder
                    .range(&dependency.range)
                    .map_err(|e| invalid(e.to_string()))?,
                optional: dependency.optional,
            });
        }
        let mut needs = Vec::with_capacity(line.requirements.len());
        for requirement in line.requirements {
            let requirement = Requirement::from(requirement);
            let need = HostNeed::try_from(&requirement).map_err(|e| invalid(e.to_string()))?;
            needs.push(builder.need(need));
        }
        let artifact = Artifact {
            registry: self.numbers[at],
            digest: Some(line.digest),
            size: line.size,
            url: line.source.map(Cow::into_owned),
            yanked: line.yanked,
        };
        let entry = Entry {
            dependencies,
            needs,
            artifact,
        };
        builder.add(package, line.version, entry);
        Ok(())
    }
}
