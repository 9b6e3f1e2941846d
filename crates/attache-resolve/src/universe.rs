//! Everything that is known: packages, their versions, and where each comes from.
//!
//! Names, ranges and host needs are read once and become numbers. Ten thousand packages are
//! then a few flat lists, and a solve follows numbers without touching text.

use std::collections::{BTreeMap, HashMap};
use std::ops;
use std::sync::{PoisonError, RwLock};

use attache_package::{Digest, InvalidName, InvalidRange, Manifest, PackageName, Range, Release};
use pubgrub::Map;

use crate::host::HostNeed;
use crate::set::VersionSet;

/// A package, by its number in one [`UniverseBuilder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageId(u32);

impl PackageId {
    /// Returns the number, for lists that have something for each package.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A range, by its number in one [`UniverseBuilder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RangeId(u32);

/// Something a host must offer, by its number in one [`UniverseBuilder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NeedId(u32);

/// A registry, by its number in one [`UniverseBuilder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegistryId(u32);

/// One version of a package, as an index describes it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The packages it needs, and which versions of them will do.
    pub dependencies: Vec<Edge>,
    /// What the host must offer.
    pub needs: Vec<NeedId>,
    /// Where its bytes are.
    pub artifact: Artifact,
}

/// A dependency, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The package that is needed. It need not be known otherwise.
    pub package: PackageId,
    /// The versions that will do.
    pub range: RangeId,
    /// Whether the dependent works without it.
    pub optional: bool,
}

/// Where a version's bytes are, and what is known of them.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// The registry, folder or index it was seen in.
    pub registry: RegistryId,
    /// The digest of its bytes.
    pub digest: Option<Digest>,
    /// Its size in bytes.
    pub size: u64,
    /// Where to fetch it, if it is not here.
    pub url: Option<String>,
    /// Whether its author took it back: it stays where a lock holds it, and is not chosen anew.
    pub yanked: bool,
    /// Whether its bytes are out of reach: it stays where a lock holds it, and is not chosen anew.
    pub absent: bool,
}

/// Why the entries do not make a universe.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUniverse {
    /// One registry lists a version twice, and the two may differ.
    #[error("`{id}` {version} is listed twice by the registry `{registry}`")]
    ListedTwice {
        /// The package.
        id: PackageName,
        /// Its version.
        version: Release,
        /// The registry.
        registry: String,
    },
    /// A namespace cannot come from two places.
    #[error(
        "the namespace `{namespace}` is bound to `{first}` and to `{second}`; keep one of them"
    )]
    BoundTwice {
        /// The namespace.
        namespace: PackageName,
        /// The registry it was bound to first.
        first: String,
        /// The registry it was bound to again.
        second: String,
    },
}

/// Everything that is known. Nothing in it changes once it is built.
#[derive(Debug)]
pub struct Universe {
    /// Sorted by name, so that numbers and answers do not depend on the order of reading.
    packages: Vec<Package>,
    versions: Vec<Known>,
    edges: Vec<Link>,
    needs_of: Vec<u32>,
    ranges: Vec<Range>,
    needs: Vec<HostNeed>,
    registries: Vec<String>,
    namespaces: BTreeMap<String, u32>,
    own: HashMap<String, u32>,
    mentioned: Vec<PackageName>,
    /// Whether no package can need itself, whichever versions are chosen.
    acyclic: bool,
    /// The candidates that each range holds, found when first asked for and kept for every
    /// request.
    sets: RwLock<Map<(u32, u32), VersionSet>>,
}

/// A package and where its versions are in the flat list.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: PackageName,
    versions: ops::Range<u32>,
    /// The one registry it may come from.
    registry: u32,
    /// The length of the namespace that says so, if one does.
    bound: Option<usize>,
    /// Every version that may be chosen anew.
    candidates: VersionSet,
}

/// One version that exists somewhere.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) release: Release,
    pub(crate) artifact: Artifact,
    edges: ops::Range<u32>,
    needs: ops::Range<u32>,
}

/// A dependency in the numbers of the finished universe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Link {
    pub(crate) to: u32,
    pub(crate) range: u32,
    pub(crate) optional: bool,
}

impl Universe {
    /// Starts an empty one.
    pub fn builder() -> UniverseBuilder {
        UniverseBuilder::default()
    }

    /// Returns the names of packages that have at least one version, and those that were only
    /// mentioned.
    pub fn names(&self) -> impl Iterator<Item = &PackageName> {
        let known = self.packages.iter().filter(|p| !p.versions.is_empty());
        known.map(|package| &package.name).chain(&self.mentioned)
    }

    /// Returns what a version of a package needs of the host.
    pub fn needs_of_release(&self, name: &PackageName, release: &Release) -> Vec<&HostNeed> {
        let Some(package) = self.find(name) else {
            return Vec::new();
        };
        let at = self
            .versions(package)
            .iter()
            .position(|v| v.release == *release);
        let needs = at
            .map(|at| self.needs_of(package, number(at)))
            .unwrap_or_default();
        needs
            .iter()
            .map(|need| &self.needs[*need as usize])
            .collect()
    }

    /// Returns the versions of a package that may be chosen anew, lowest first: not those taken
    /// back, and not those of a registry that the package does not come from.
    pub fn candidates(&self, name: &PackageName) -> Vec<&Release> {
        let Some(package) = self.find(name) else {
            return Vec::new();
        };
        let candidates = self.packages[package as usize].candidates.iter();
        candidates
            .map(|v| &self.known(package, v).release)
            .collect()
    }

    /// Returns every version of a package that is known, lowest first, with the registry that
    /// lists it; also those that may not be chosen anew.
    pub fn versions_of(
        &self,
        name: &PackageName,
    ) -> impl Iterator<Item = (&Release, &str, &Artifact)> {
        let known = self.find(name).map(|package| self.versions(package));
        known.unwrap_or_default().iter().map(|known| {
            let registry = self.registry(known.artifact.registry());
            (&known.release, registry, &known.artifact)
        })
    }

    /// Returns the registry that a package comes from, and the namespace that says so if one
    /// does; nothing for a package without versions.
    pub fn origin(&self, name: &PackageName) -> Option<(&str, Option<&str>)> {
        let package = self.package(self.find(name)?);
        let registry = self.registries.get(package.registry as usize)?;
        (!package.versions.is_empty()).then(|| (registry.as_str(), package.namespace()))
    }

    /// Returns whether no package can need itself, whichever versions are chosen.
    pub(crate) fn is_acyclic(&self) -> bool {
        self.acyclic
    }

    pub(crate) fn find(&self, name: &PackageName) -> Option<u32> {
        let found = self.packages.binary_search_by(|p| p.name.cmp(name));
        found.ok().map(number)
    }

    pub(crate) fn package(&self, package: u32) -> &Package {
        &self.packages[package as usize]
    }

    pub(crate) fn name(&self, package: u32) -> &PackageName {
        &self.package(package).name
    }

    pub(crate) fn versions(&self, package: u32) -> &[Known] {
        let ops::Range { start, end } = self.package(package).versions.clone();
        &self.versions[start as usize..end as usize]
    }

    pub(crate) fn known(&self, package: u32, version: u32) -> &Known {
        &self.versions(package)[version as usize]
    }

    pub(crate) fn links(&self, package: u32, version: u32) -> &[Link] {
        let ops::Range { start, end } = self.known(package, version).edges.clone();
        &self.edges[start as usize..end as usize]
    }

    pub(crate) fn needs_of(&self, package: u32, version: u32) -> &[u32] {
        let ops::Range { start, end } = self.known(package, version).needs.clone();
        &self.needs_of[start as usize..end as usize]
    }

    /// Returns the candidates of a package that a range holds.
    pub(crate) fn held(&self, package: u32, range: u32) -> VersionSet {
        // A set is whole before it is put there, so a thread that died while holding the lock
        // left nothing broken.
        let sets = self.sets.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = sets.get(&(package, range)) {
            return set.clone();
        }
        drop(sets);
        let candidates = self.package(package).candidates();
        let set = self.among(package, candidates, &self.ranges[range as usize]);
        let mut sets = self.sets.write().unwrap_or_else(PoisonError::into_inner);
        sets.insert((package, range), set.clone());
        set
    }

    /// Returns those of some versions of a package that a range holds.
    pub(crate) fn among(&self, package: u32, these: &VersionSet, range: &Range) -> VersionSet {
        let versions = self.versions(package);
        let holds = |v: &u32| range.contains(&versions[*v as usize].release);
        these.iter().filter(holds).collect()
    }

    pub(crate) fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    pub(crate) fn needs(&self) -> &[HostNeed] {
        &self.needs
    }

    pub(crate) fn registry(&self, number: u32) -> &str {
        &self.registries[number as usize]
    }

    pub(crate) fn registry_number(&self, name: &str) -> Option<u32> {
        let at = self.registries.iter().position(|known| known == name);
        at.map(number)
    }
}

impl Package {
    pub(crate) fn registry(&self) -> u32 {
        self.registry
    }

    /// Returns the namespace that binds this package to its registry.
    pub(crate) fn namespace(&self) -> Option<&str> {
        self.bound.map(|end| &self.name.as_str()[..end])
    }

    pub(crate) fn candidates(&self) -> &VersionSet {
        &self.candidates
    }
}

impl Artifact {
    /// Returns whether it may be chosen anew.
    pub(crate) fn is_free(&self) -> bool {
        !self.yanked && !self.absent
    }

    pub(crate) fn registry(&self) -> u32 {
        self.registry.0
    }
}

/// Collects entries, and reads every distinct name and range once.
#[derive(Debug, Default)]
pub struct UniverseBuilder {
    names: HashMap<String, u32>,
    packages: Vec<PackageName>,
    range_numbers: HashMap<String, u32>,
    ranges: Vec<Range>,
    need_numbers: HashMap<HostNeed, u32>,
    needs: Vec<HostNeed>,
    registries: Vec<String>,
    bindings: Vec<(PackageName, u32)>,
    own: HashMap<String, u32>,
    mentioned: Vec<PackageName>,
    entries: Vec<(u32, Release, Entry)>,
}

impl UniverseBuilder {
    /// Returns the number of a registry. Their order counts: a package that no namespace binds
    /// comes from the first one that has it at all.
    pub fn registry(&mut self, name: &str) -> RegistryId {
        let known = self.registries.iter().position(|known| known == name);
        RegistryId(number(known.unwrap_or_else(|| {
            self.registries.push(name.to_owned());
            self.registries.len() - 1
        })))
    }

    /// Lets a package of this name, and every one below it, come from one registry only.
    pub fn bind(&mut self, namespace: PackageName, registry: RegistryId) {
        self.bindings.push((namespace, registry.0));
    }

    /// Lets one package, and none below it, come from one registry only, whatever namespaces
    /// say: a workspace's own package is never taken from elsewhere.
    pub fn bind_one(&mut self, name: &PackageName, registry: RegistryId) {
        self.own.insert(name.as_str().to_owned(), registry.0);
    }

    /// Mentions a name that exists, so that someone who mistyped it can be told. What is asked
    /// for has to be added.
    pub fn mention(&mut self, name: PackageName) {
        self.mentioned.push(name);
    }

    /// Returns the number of a package.
    pub fn package(&mut self, name: &str) -> Result<PackageId, InvalidName> {
        if let Some(known) = self.names.get(name) {
            return Ok(PackageId(*known));
        }
        Ok(self.add_name(name.parse()?))
    }

    fn add_name(&mut self, name: PackageName) -> PackageId {
        let new = number(self.packages.len());
        self.names.insert(name.as_str().to_owned(), new);
        self.packages.push(name);
        PackageId(new)
    }

    /// Returns the number of a range, written as npm does.
    pub fn range(&mut self, text: &str) -> Result<RangeId, InvalidRange> {
        if let Some(known) = self.range_numbers.get(text) {
            return Ok(RangeId(*known));
        }
        let range = text.parse()?;
        Ok(self.add_range(text, range))
    }

    fn add_range(&mut self, text: &str, range: Range) -> RangeId {
        let new = number(self.ranges.len());
        self.range_numbers.insert(text.to_owned(), new);
        self.ranges.push(range);
        RangeId(new)
    }

    /// Returns the number of a host need.
    pub fn need(&mut self, need: HostNeed) -> NeedId {
        if let Some(known) = self.need_numbers.get(&need) {
            return NeedId(*known);
        }
        let new = number(self.needs.len());
        self.need_numbers.insert(need.clone(), new);
        self.needs.push(need);
        NeedId(new)
    }

    /// Adds one version of a package.
    pub fn add(&mut self, package: PackageId, release: Release, entry: Entry) {
        self.entries.push((package.0, release, entry));
    }

    /// Adds a package by its manifest, under the given release: a manifest may leave that to
    /// its source. Fails when a runtime's version is not a range.
    pub fn add_manifest(
        &mut self,
        manifest: &Manifest,
        release: Release,
        artifact: Artifact,
    ) -> Result<(), InvalidRange> {
        let mut dependencies = Vec::with_capacity(manifest.dependencies.len());
        for dependency in &manifest.dependencies {
            dependencies.push(Edge {
                package: self.known_name(&dependency.id),
                range: self.known_range(&dependency.range),
                optional: dependency.optional,
            });
        }
        let mut needs = Vec::with_capacity(manifest.requirements.len());
        for requirement in &manifest.requirements {
            needs.push(self.need(HostNeed::try_from(requirement)?));
        }
        let package = self.known_name(&manifest.id);
        let entry = Entry {
            dependencies,
            needs,
            artifact,
        };
        self.add(package, release, entry);
        Ok(())
    }

    fn known_name(&mut self, name: &PackageName) -> PackageId {
        match self.names.get(name.as_str()) {
            Some(known) => PackageId(*known),
            None => self.add_name(name.clone()),
        }
    }

    fn known_range(&mut self, range: &Range) -> RangeId {
        let text = range.to_string();
        match self.range_numbers.get(&text) {
            // Two ranges of one text may still differ in whether they include prereleases.
            Some(known) if self.ranges[*known as usize] == *range => RangeId(*known),
            _ => self.add_range(&text, range.clone()),
        }
    }

    /// Sorts everything into its final place.
    pub fn build(self) -> Result<Universe, InvalidUniverse> {
        let namespaces = self.namespaces()?;
        let (order, packages) = sorted(&self.packages, |name| name.as_str());
        let texts: Vec<String> = self.ranges.iter().map(ToString::to_string).collect();
        let (ranges_order, ranges) = sorted(&texts, String::as_str);
        let texts: Vec<String> = self.needs.iter().map(|need| format!("{need:?}")).collect();
        let (needs_order, needs) = sorted(&texts, String::as_str);

        let mut entries = self.entries;
        for (package, _, entry) in &mut entries {
            *package = packages[*package as usize];
            for edge in &mut entry.dependencies {
                edge.package = PackageId(packages[edge.package.0 as usize]);
                edge.range = RangeId(ranges[edge.range.0 as usize]);
            }
            for need in &mut entry.needs {
                *need = NeedId(needs[need.0 as usize]);
            }
        }
        let place = |(package, release, entry): &(u32, Release, Entry)| {
            (*package, release.clone(), entry.artifact.registry)
        };
        entries.sort_by(|a, b| {
            let by_registry = || a.2.artifact.registry.cmp(&b.2.artifact.registry);
            (a.0, &a.1).cmp(&(b.0, &b.1)).then_with(by_registry)
        });
        if let Some(pair) = entries.windows(2).find(|p| place(&p[0]) == place(&p[1])) {
            let (package, version, entry) = &pair[0];
            return Err(InvalidUniverse::ListedTwice {
                id: self.packages[order[*package as usize] as usize].clone(),
                version: version.clone(),
                registry: self.registries[entry.artifact.registry.0 as usize].clone(),
            });
        }

        let mut universe = Universe {
            packages: Vec::with_capacity(order.len()),
            versions: Vec::with_capacity(entries.len()),
            edges: Vec::new(),
            needs_of: Vec::new(),
            ranges: in_order(self.ranges, &ranges_order),
            needs: in_order(self.needs, &needs_order),
            registries: self.registries,
            namespaces,
            own: self.own,
            mentioned: self.mentioned,
            acyclic: false,
            sets: RwLock::default(),
        };
        let mut entries = entries.into_iter().peekable();
        for (new, name) in in_order(self.packages, &order).into_iter().enumerate() {
            let start = number(universe.versions.len());
            while let Some((_, release, entry)) = entries.next_if(|e| e.0 == number(new)) {
                universe.push_version(release, entry);
            }
            universe.push_package(name, start);
        }
        universe.acyclic = universe.is_ordered();
        Ok(universe)
    }

    fn namespaces(&self) -> Result<BTreeMap<String, u32>, InvalidUniverse> {
        let mut namespaces = BTreeMap::new();
        for (namespace, registry) in &self.bindings {
            let earlier = namespaces.insert(namespace.as_str().to_owned(), *registry);
            if let Some(earlier) = earlier.filter(|earlier| earlier != registry) {
                return Err(InvalidUniverse::BoundTwice {
                    namespace: namespace.clone(),
                    first: self.registries[earlier as usize].clone(),
                    second: self.registries[*registry as usize].clone(),
                });
            }
        }
        Ok(namespaces)
    }
}

impl Universe {
    /// Returns whether the packages can be put in an order in which each needs only later ones.
    fn is_ordered(&self) -> bool {
        let length = self.packages.len();
        let mut waiting = vec![0u32; length];
        for link in &self.edges {
            waiting[link.to as usize] += 1;
        }
        let mut free: Vec<usize> = (0..length).filter(|at| waiting[*at] == 0).collect();
        let mut placed = 0;
        while let Some(at) = free.pop() {
            placed += 1;
            let versions = self.versions(number(at));
            let edges = versions.iter().flat_map(|v| v.edges.clone());
            for edge in edges {
                let to = self.edges[edge as usize].to as usize;
                waiting[to] -= 1;
                if waiting[to] == 0 {
                    free.push(to);
                }
            }
        }
        placed == length
    }

    fn push_version(&mut self, release: Release, entry: Entry) {
        let first_edge = number(self.edges.len());
        self.edges
            .extend(entry.dependencies.iter().map(|edge| Link {
                to: edge.package.0,
                range: edge.range.0,
                optional: edge.optional,
            }));
        let first_need = number(self.needs_of.len());
        self.needs_of.extend(entry.needs.iter().map(|need| need.0));
        // Sorted, so that an answer does not depend on how a manifest is.
        self.edges[first_edge as usize..].sort_unstable();
        self.needs_of[first_need as usize..].sort_unstable();
        self.versions.push(Known {
            release,
            artifact: entry.artifact,
            edges: first_edge..number(self.edges.len()),
            needs: first_need..number(self.needs_of.len()),
        });
    }

    fn push_package(&mut self, name: PackageName, start: u32) {
        let versions = start..number(self.versions.len());
        let known = &self.versions[start as usize..];
        let own = self.own.get(name.as_str());
        let (registry, bound) = match (own, self.binding(&name)) {
            (Some(registry), _) => (*registry, None),
            (None, Some((registry, end))) => (registry, Some(end)),
            (None, None) => {
                let first = known.iter().map(|v| v.artifact.registry()).min();
                (first.unwrap_or_default(), None)
            }
        };
        let candidates = (0u32..)
            .zip(known)
            .filter(|(_, v)| v.artifact.registry() == registry && v.artifact.is_free())
            .map(|(at, _)| at)
            .collect();
        self.packages.push(Package {
            name,
            versions,
            registry,
            bound,
            candidates,
        });
    }

    /// Returns the registry of the longest namespace above `name`, and where that ends in it.
    fn binding(&self, name: &PackageName) -> Option<(u32, usize)> {
        if self.namespaces.is_empty() {
            return None;
        }
        let text = name.as_str();
        let dots = text.match_indices('.').map(|(at, _)| at);
        let mut ends: Vec<usize> = dots.chain([text.len()]).collect();
        ends.reverse();
        let bound = |end: usize| Some((*self.namespaces.get(&text[..end])?, end));
        ends.into_iter().find_map(bound)
    }
}

/// Sorts by text, so that numbers do not depend on the order of reading. Returns the old numbers
/// in their new order, and the new number of each old one.
fn sorted<T>(items: &[T], text: impl Fn(&T) -> &str) -> (Vec<u32>, Vec<u32>) {
    let mut order: Vec<u32> = (0..number(items.len())).collect();
    order.sort_by_key(|old| text(&items[*old as usize]));
    let mut renumbered = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        renumbered[*old as usize] = number(new);
    }
    (order, renumbered)
}

fn in_order<T>(items: Vec<T>, order: &[u32]) -> Vec<T> {
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let moved = order.iter().filter_map(|old| items[*old as usize].take());
    moved.collect()
}

/// Narrows a length to our numbers. Four thousand million entries do not fit in memory.
pub(crate) fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
