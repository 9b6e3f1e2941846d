//! From shelves to a universe: only what somebody can reach is read.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use attache_package::{PackageName, Requirement};
use attache_registry::wire::{Index, IndexLine, InvalidIndex};
use attache_resolve::{Artifact, Edge, Entry, Failure, HostNeed, RegistryId, UniverseBuilder};

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
    seen: HashSet<String>,
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
            seen: HashSet::new(),
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
            let unread = all
                .into_iter()
                .filter(|id| !self.seen.contains(id.as_str()));
            unread.for_each(|name| builder.mention(name));
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
            self.queue(&name, &mut todo);
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
        if let Some(Err(message)) = line.source.as_deref().map(check_source) {
            return Err(invalid(message.to_owned()));
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
            let last = dependencies.last().map(|edge: &Edge| edge.package);
            let earlier = &dependencies[..dependencies.len() - 1];
            if earlier.iter().any(|edge| Some(edge.package) == last) {
                return Err(invalid(format!("it needs `{}` twice", dependency.id)));
            }
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
