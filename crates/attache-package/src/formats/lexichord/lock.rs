//! `package-lock.json`: which versions a package was built with, and what a sealed one carries.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::manifest::Document;
use super::rules;
use crate::build::ChosenPackages;
use crate::fields::{self, Fields};
use crate::{ArchiveError, Diagnostics, Digest, PackageName, Range, Release, Tree};

/// The file's name.
pub(super) const LOCK: &str = "package-lock.json";

/// Where a sealed package carries its dependencies.
pub(super) const CARRIED: &str = "dependencies";

/// The lock: no times, sorted, every artifact with its digest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Lexichord package-lock.json")]
pub struct PackageLock {
    /// Always 1.
    pub lock_version: u32,
    /// The ranges this lock answers, as the manifest has them.
    pub requires: BTreeMap<PackageName, Range>,
    /// Ranges that replaced whatever anyone required.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub overrides: BTreeMap<PackageName, Range>,
    /// The packages chosen, sorted by id. Empty while nothing was resolved.
    pub packages: Vec<Locked>,
}

/// One package that was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Locked {
    /// Its name.
    pub id: PackageName,
    /// Its version.
    pub version: Release,
    /// The registry it came from.
    pub registry: String,
    /// The namespace that binds it to that registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<PackageName>,
    /// Where its archive was found: a URL, or a path relative to the index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The digest of its archive.
    pub digest: Digest,
    /// The size of its archive in bytes.
    pub size: u64,
    /// The packages it needs in turn, and in which range.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dependencies: BTreeMap<PackageName, Range>,
    /// Where a sealed package carries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<String>,
}

impl PackageLock {
    /// Reads the lock of a package that is known to be valid; nothing if it has none.
    pub fn of(tree: &Tree) -> Result<Option<Self>, ArchiveError> {
        let bytes = tree.read(LOCK)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Writes down what was chosen. With `sealed`, everything is carried.
    pub(super) fn chosen(document: &Document, chosen: &ChosenPackages, sealed: bool) -> Self {
        let packages = chosen.packages.iter().map(|package| Locked {
            carried: sealed.then(|| carried_path(&package.id, &package.version)),
            id: package.id.clone(),
            version: package.version.clone(),
            registry: package.registry.clone(),
            namespace: package.namespace.clone(),
            source: package.source.clone(),
            digest: package.digest,
            size: package.size,
            dependencies: package.dependencies.clone(),
        });
        Self {
            lock_version: 1,
            requires: requires(document),
            overrides: chosen.overrides.clone(),
            packages: packages.collect(),
        }
    }
}

/// Returns where a sealed package carries a dependency.
fn carried_path(id: &PackageName, version: &Release) -> String {
    format!("{CARRIED}/{id}-{version}.lxpkg")
}

fn requires(document: &Document) -> BTreeMap<PackageName, Range> {
    document
        .dependency_list()
        .into_iter()
        .map(|d| (d.id, d.range))
        .collect()
}

/// Checks package-lock.json against the manifest and what the package carries, and returns the
/// names of the packages it carries.
///
/// Without a lock nothing is locked, so that nothing may be carried.
pub(super) fn check(
    tree: &Tree,
    lock: Option<&Map<String, Value>>,
    document: &Document,
    diagnostics: &mut Diagnostics,
) -> BTreeSet<PackageName> {
    let mut found = Found::default();
    if let Some(object) = lock {
        check_lock(tree, object, document, &mut found, diagnostics);
    }
    for entry in tree.entries().iter().filter(|e| e.path.is_under(CARRIED)) {
        if !found.paths.contains(entry.path.as_str()) {
            let message = "nothing in package-lock.json locks it";
            diagnostics.report(&rules::SEALED, entry.path.as_str(), message);
        }
    }
    for needed in document.dependency_list() {
        if !needed.optional && !found.locked.contains(&needed.id) {
            let message = format!(
                "dependency {} is not locked; it is resolved when the package is installed",
                needed.id
            );
            diagnostics.warn(&rules::LOCK, format!("{LOCK}#/packages"), message);
        }
    }
    found.carried
}

/// What a lock speaks of.
#[derive(Default)]
struct Found {
    /// The packages that are locked.
    locked: BTreeSet<PackageName>,
    /// Those of them that are carried.
    carried: BTreeSet<PackageName>,
    /// Where they are.
    paths: BTreeSet<String>,
    /// The version of each.
    versions: BTreeMap<PackageName, Release>,
    /// Where, by whom, what and in which range something is needed.
    edges: Vec<(String, String, PackageName, Range)>,
}

fn check_lock(
    tree: &Tree,
    object: &Map<String, Value>,
    document: &Document,
    found: &mut Found,
    diagnostics: &mut Diagnostics,
) {
    let diagnostics = RefCell::new(diagnostics);
    let fields = Fields::new(object, LOCK, &diagnostics);
    fields.require("lockVersion");
    if fields.integer("lockVersion").is_some_and(|v| v != 1) {
        fields.report(&rules::LOCK, "lockVersion", "only version 1 is known");
    }
    let required = requires(document);
    let wanted: BTreeMap<String, String> = required
        .iter()
        .map(|(id, range)| (id.to_string(), range.to_string()))
        .collect();
    let locked: BTreeMap<String, String> = fields
        .object("requires")
        .map(|r| {
            r.iter()
                .map(|(id, v)| (id.to_owned(), v.as_str().unwrap_or_default().to_owned()))
                .collect()
        })
        .unwrap_or_default();
    if wanted != locked {
        fields.report(
            &rules::LOCK,
            "requires",
            "it does not lock what manifest.json depends on; build again",
        );
    }
    let overrides = ranges(&fields, "overrides");
    let list = fields.list("packages").unwrap_or_default();
    for (at, item) in list.iter().enumerate() {
        let place = format!("{LOCK}#/packages/{at}");
        match item.as_object() {
            Some(object) => {
                check_locked(tree, fields.nested(object, place.clone()), &place, found);
            }
            None => fields.report_at(&rules::LOCK, place, "a locked package is an object"),
        }
    }
    for (id, range) in required {
        if found.versions.contains_key(&id) {
            let place = format!("{LOCK}#/packages");
            found
                .edges
                .push((place, "manifest.json".to_owned(), id, range));
        }
    }
    found.check_edges(&overrides, &fields);
    fields.finish(
        &fields::rules::UNKNOWN,
        &["lockVersion", "requires", "overrides", "packages"],
    );
}

/// Reads an object of names and ranges.
fn ranges(fields: &Fields<'_, '_>, name: &str) -> BTreeMap<PackageName, Range> {
    let mut ranges = BTreeMap::new();
    let object = fields.object(name);
    for (id, value) in object.iter().flat_map(Fields::iter) {
        let range = value.as_str().ok_or("a range is a text".to_owned());
        let range = range.and_then(|text| text.parse::<Range>().map_err(|e| e.to_string()));
        match (id.parse::<PackageName>(), range) {
            (Ok(id), Ok(range)) => {
                ranges.insert(id, range);
            }
            (Err(error), _) => fields.report(&rules::LOCK, name, error.to_string()),
            (_, Err(error)) => fields.report(&rules::LOCK, name, format!("{id}: {error}")),
        }
    }
    ranges
}

impl Found {
    /// Checks that everything that is needed is locked, in a version that will do.
    fn check_edges(&self, overrides: &BTreeMap<PackageName, Range>, fields: &Fields<'_, '_>) {
        for (place, by, id, range) in &self.edges {
            let range = overrides.get(id).unwrap_or(range);
            let wrong = |message| fields.report_at(&rules::LOCK, place.clone(), message);
            match self.versions.get(id) {
                None => wrong(format!("{by} needs {id}, which is not locked")),
                Some(version) if !range.contains(version) => {
                    wrong(format!(
                        "{id} {version} is not in {range}, which {by} asks for"
                    ));
                }
                Some(_) => {}
            }
        }
    }
}

fn check_locked(tree: &Tree, one: Fields<'_, '_>, place: &str, found: &mut Found) {
    let id: Option<PackageName> = one.require_parsed(&rules::LOCK, "id");
    let version: Option<Release> = one.require_parsed(&rules::LOCK, "version");
    let digest: Option<Digest> = one.require_parsed(&rules::LOCK, "digest");
    one.require("size");
    let size = one.integer("size");
    one.require("registry");
    one.text("registry");
    one.text("source");
    one.parse::<PackageName>(&rules::LOCK, "namespace");
    if let Some(id) = &id {
        for (needed, range) in ranges(&one, "dependencies") {
            let place = format!("{place}/dependencies");
            found.edges.push((place, id.to_string(), needed, range));
        }
        if let Some(version) = &version {
            found.versions.insert(id.clone(), version.clone());
        }
        if !found.locked.insert(id.clone()) {
            one.report(&rules::LOCK, "id", format!("{id} is locked twice"));
        }
    }
    if let Some(path) = one.text("carried") {
        found.paths.insert(path.to_owned());
        found.carried.extend(id.clone());
        if let (Some(id), Some(version)) = (&id, &version)
            && path != carried_path(id, version)
        {
            let message = format!("it must be `{}`", carried_path(id, version));
            one.report(&rules::SEALED, "carried", message);
        }
        let wrong = |field, message| one.report(&rules::SEALED, field, message);
        match tree.get(path) {
            None => wrong("carried", format!("{path} is not in the package")),
            Some(entry) => {
                if digest.is_some_and(|d| d != entry.digest) {
                    wrong("digest", format!("{path} does not match its digest"));
                }
                if size.is_some_and(|s| u64::try_from(s) != Ok(entry.size)) {
                    wrong("size", format!("{path} has {} bytes", entry.size));
                }
            }
        }
    }
    one.finish(
        &fields::rules::UNKNOWN,
        &[
            "id",
            "version",
            "registry",
            "namespace",
            "source",
            "digest",
            "size",
            "dependencies",
            "carried",
        ],
    );
}
