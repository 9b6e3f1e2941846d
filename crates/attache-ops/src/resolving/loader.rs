//! From shelves to a universe: only what somebody can reach is read.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use attache_package::{PackageName, Requirement};
use attache_registry::wire::{Index, IndexLine, InvalidIndex};
use attache_resolve::{
    Artifact, Edge, Entry, Failure, HostNeed, PackageId, RegistryId, UniverseBuilder,
};

use super::shelves::{Shelf, check_source};
use super::unresolved;
use crate::Error;

/// Moves from the shelves to a universe whatever some names can lead to.
pub(crate) struct Loader<'a> {
    shelves: &'a [Shelf],
    indexes: &'a [Index<'a>],
    numbers: Vec<RegistryId>,
    /// Whether only what is on this machine may be chosen.
    offline: bool,
    /// The workspace's own packages, which never come from elsewhere.
    own: &'a HashSet<String>,
    /// Which packages have been queued, by number.
    seen: Vec<bool>,
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
        offline: bool,
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
            offline,
            own,
            seen: Vec::new(),
            unknown: false,
            meets_own: false,
        }
    }

    /// Loads some names and all that they can lead to, until someone says to stop.
    ///
    /// If one of them is nowhere, all names there are get mentioned, so that one that looks like
    /// it can be found.
    pub(crate) fn load(
        &mut self,
        names: Vec<String>,
        builder: &mut UniverseBuilder,
        interrupted: &AtomicBool,
    ) -> Result<(), Error> {
        self.follow(names, builder, interrupted)?;
        if self.unknown {
            let all = self.indexes.iter().flat_map(Index::names);
            let mut all: Vec<PackageName> = all.filter_map(|name| name.parse().ok()).collect();
            all.sort_unstable();
            all.dedup();
            all.into_iter().for_each(|name| builder.mention(name));
        }
        Ok(())
    }

    fn follow(
        &mut self,
        names: Vec<String>,
        builder: &mut UniverseBuilder,
        interrupted: &AtomicBool,
    ) -> Result<(), Error> {
        let (shelves, indexes) = (self.shelves, self.indexes);
        let mut todo = Vec::new();
        for name in names {
            if let Ok(package) = builder.package(&name) {
                self.queue(package, &name, &mut todo);
            }
        }
        while let Some(id) = todo.pop() {
            if interrupted.load(Ordering::Relaxed) {
                return Err(unresolved(Failure::Interrupted));
            }
            let mut found = false;
            for (at, index) in indexes.iter().enumerate() {
                for line in index.versions(&id) {
                    let (number, line) = line.map_err(|error| shelves[at].invalid(&error))?;
                    found = true;
                    self.add(at, number, line, builder, &mut todo)?;
                }
            }
            self.unknown |= !found;
        }
        Ok(())
    }

    /// Remembers a package to be looked at, once.
    fn queue(&mut self, package: PackageId, id: &str, todo: &mut Vec<String>) {
        let at = package.index();
        if self.seen.len() <= at {
            self.seen.resize(at + 1, false);
        }
        if std::mem::replace(&mut self.seen[at], true) {
            return;
        }
        match self.own.contains(id) {
            true => self.meets_own = true,
            false => todo.push(id.to_owned()),
        }
    }

    fn add(
        &mut self,
        at: usize,
        number: usize,
        line: IndexLine<'_>,
        builder: &mut UniverseBuilder,
        todo: &mut Vec<String>,
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
        if let Some(Err(message)) = line.source.as_deref().map(check_source) {
            return Err(invalid(message.to_owned()));
        }
        let mut dependencies = Vec::with_capacity(line.dependencies.len());
        for dependency in &line.dependencies {
            let package = builder
                .package(&dependency.id)
                .map_err(|e| invalid(e.to_string()))?;
            self.queue(package, &dependency.id, todo);
            dependencies.push(Edge {
                package,
                range: builder
                    .range(&dependency.range)
                    .map_err(|e| invalid(e.to_string()))?,
                optional: dependency.optional,
            });
        }
        let mut all: Vec<PackageId> = dependencies
            .iter()
            .map(|edge: &Edge| edge.package)
            .collect();
        all.sort_unstable();
        if let Some(twice) = all.windows(2).find(|pair| pair[0] == pair[1]) {
            let at = dependencies
                .iter()
                .position(|edge| edge.package == twice[0]);
            let id = at
                .map(|at| line.dependencies[at].id.as_ref())
                .unwrap_or_default();
            return Err(invalid(format!("it needs `{id}` twice")));
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
            yanked: line.yanked,
            absent: self.offline && shelf.file(line.source.as_deref(), line.size).is_none(),
            url: line.source.map(Cow::into_owned),
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
