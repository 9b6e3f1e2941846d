//! Whether what is installed meets what is needed.

use std::collections::{BTreeMap, BTreeSet};

use attache_package::{PackageName, Range, Release};

use crate::records::{
    ConflictingDependency, DependencySatisfactionCheck, MissingDependency, PackageDependency,
};
use crate::request::Request;
use crate::universe::Universe;

/// Checks what a request wants, and all that this needs in turn, against what is installed.
///
/// A package that is there in another version counts as missing if it could be exchanged, and
/// as a conflict if something installed needs the version it has: then no version of it meets
/// both. Optional dependencies are looked at only if they are installed, since everything works
/// without them.
pub fn check_satisfaction(
    universe: &Universe,
    request: &Request<'_>,
    installed: &BTreeMap<PackageName, Release>,
) -> DependencySatisfactionCheck {
    let mut check = Check {
        universe,
        installed,
        missing: BTreeMap::new(),
        conflicts: BTreeMap::new(),
    };
    let asker = request.root.as_ref().map(|root| root.id.to_string());
    let mut seen: BTreeSet<PackageName> = BTreeSet::new();
    let mut todo: Vec<Dependency> = request
        .wanted
        .iter()
        .map(|wanted| Dependency {
            id: wanted.id.clone(),
            range: request
                .overrides
                .get(&wanted.id)
                .unwrap_or(&wanted.range)
                .clone(),
            optional: wanted.optional,
            by: asker.clone(),
        })
        .collect();
    while let Some(dependency) = todo.pop() {
        if check.one(&dependency) && seen.insert(dependency.id.clone()) {
            let release = &installed[&dependency.id];
            let below = check.dependencies(&dependency.id, release);
            todo.extend(below.into_iter().map(|mut below| {
                if let Some(range) = request.overrides.get(&below.id) {
                    below.range = range.clone();
                }
                below
            }));
        }
    }
    let missing: Vec<_> = check.missing.into_values().collect();
    let conflicts: Vec<_> = check.conflicts.into_values().collect();
    DependencySatisfactionCheck {
        all_satisfied: missing.is_empty() && conflicts.is_empty(),
        missing,
        conflicts,
    }
}

/// A dependency and who has it.
struct Dependency {
    id: PackageName,
    range: Range,
    optional: bool,
    by: Option<String>,
}

struct Check<'c> {
    universe: &'c Universe,
    installed: &'c BTreeMap<PackageName, Release>,
    missing: BTreeMap<(PackageName, String), MissingDependency>,
    conflicts: BTreeMap<(PackageName, String, String), ConflictingDependency>,
}

impl Check<'_> {
    /// Looks at one dependency and returns whether what is installed meets it.
    fn one(&mut self, dependency: &Dependency) -> bool {
        match self.installed.get(&dependency.id) {
            Some(installed) if dependency.range.contains(installed) => return true,
            None if dependency.optional => return false,
            _ => {}
        }
        let others = self.against(dependency);
        if others.is_empty() {
            let available = self.available(&dependency.id, &dependency.range);
            let key = (dependency.id.clone(), dependency.range.to_string());
            self.missing
                .entry(key)
                .or_insert_with(|| MissingDependency {
                    package_id: dependency.id.clone(),
                    version_range: dependency.range.clone(),
                    available_versions: available,
                });
        }
        for other in others {
            let key = (
                dependency.id.clone(),
                dependency.range.to_string(),
                other.by.clone().unwrap_or_default(),
            );
            let conflict = || ConflictingDependency {
                package_id: dependency.id.clone(),
                description: Some(format!(
                    "{} needs `{} {}` and {} needs `{} {}`: no version meets both",
                    owner(dependency),
                    dependency.id,
                    dependency.range,
                    owner(&other),
                    other.id,
                    other.range
                )),
                dependency_a: record(dependency),
                dependency_b: record(&other),
            };
            self.conflicts.entry(key).or_insert_with(conflict);
        }
        false
    }

    /// Returns what installed packages require of the same package, where no version meets both.
    fn against(&self, dependency: &Dependency) -> Vec<Dependency> {
        let available = self.available(&dependency.id, &dependency.range);
        let mut others = Vec::new();
        for (id, release) in self.installed {
            for other in self.dependencies(id, release) {
                let same = other.id == dependency.id && !other.optional;
                if same && !available.iter().any(|v| other.range.contains(v)) && other.met(self) {
                    others.push(other);
                }
            }
        }
        others
    }

    fn available(&self, id: &PackageName, range: &Range) -> Vec<Release> {
        let candidates = self.universe.candidates(id).into_iter().rev();
        candidates.filter(|v| range.contains(v)).cloned().collect()
    }

    /// Returns what a version of a package depends on; nothing if that is not known.
    fn dependencies(&self, id: &PackageName, release: &Release) -> Vec<Dependency> {
        let universe = self.universe;
        let Some(package) = universe.find(id) else {
            return Vec::new();
        };
        let versions = (0u32..).zip(universe.versions(package));
        let same = versions.filter(|(_, known)| known.release == *release);
        // The registry it comes from tells the truth about it, where two have this version.
        let home = universe.package(package).registry();
        let Some((version, known)) = same.max_by_key(|(_, v)| v.artifact.registry() == home) else {
            return Vec::new();
        };
        let links = universe.links(package, version).iter();
        let dependency = |link: &crate::universe::Link| Dependency {
            id: universe.name(link.to).clone(),
            range: universe.ranges()[link.range as usize].clone(),
            optional: link.optional,
            by: Some(format!("{id} {}", known.release)),
        };
        links.map(dependency).collect()
    }
}

impl Dependency {
    /// Returns whether what is installed meets it: if not, its owner is broken already, and
    /// does not stand in anyone's way.
    fn met(&self, check: &Check<'_>) -> bool {
        let installed = check.installed.get(&self.id);
        installed.is_some_and(|installed| self.range.contains(installed))
    }
}

fn owner(dependency: &Dependency) -> String {
    match &dependency.by {
        Some(by) => format!("`{by}`"),
        None => "the request".to_owned(),
    }
}

fn record(dependency: &Dependency) -> PackageDependency {
    PackageDependency {
        package_id: dependency.id.clone(),
        version_range: dependency.range.clone(),
        is_optional: dependency.optional,
        description: dependency.by.as_ref().map(|by| format!("required by {by}")),
    }
}
