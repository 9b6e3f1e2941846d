//! `package-lock.json`: which versions a package was built with, and what a sealed one carries.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::manifest::Document;
use super::rules;
use crate::build::{BuildError, GivenPackage};
use crate::fields::{self, Fields};
use crate::{Diagnostics, Digest, PackageName, Range, Release, Tree};

/// The file's name.
pub(super) const LOCK: &str = "package-lock.json";

/// Where a sealed package carries its dependencies.
pub(super) const CARRIED: &str = "dependencies";

/// The lock: no times, sorted, every artifact with its digest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Lexichord package-lock.json")]
pub struct Lock {
    /// Always 1.
    pub lock_version: u32,
    /// The ranges this lock answers, as the manifest has them.
    pub requires: BTreeMap<PackageName, Range>,
    /// The packages chosen, sorted by id. Empty while nothing was resolved.
    pub packages: Vec<Locked>,
}

/// One package that was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Locked {
    /// Its name.
    pub id: PackageName,
    /// Its version.
    pub version: Release,
    /// The digest of its archive.
    pub digest: Digest,
    /// The size of its archive in bytes.
    pub size: u64,
    /// Where a sealed package carries it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carried: Option<String>,
}

impl Lock {
    /// Chooses from the packages given as files: for each requirement, and theirs in turn, the
    /// highest version that fits.
    ///
    /// With `sealed`, everything that is not optional must be there. Without it, a lock over
    /// nothing given stays empty, to be resolved when the package is installed.
    pub(super) fn choose(
        document: &Document,
        given: &[GivenPackage],
        sealed: bool,
    ) -> Result<(Self, Vec<GivenPackage>), BuildError> {
        let mut lock = Self {
            lock_version: 1,
            requires: requires(document),
            packages: Vec::new(),
        };
        let mut chosen: BTreeMap<PackageName, &GivenPackage> = BTreeMap::new();
        let root = document
            .id
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let mut open: Vec<(String, crate::Dependency)> = document
            .dependency_list()
            .into_iter()
            .map(|d| (root.clone(), d))
            .collect();
        while let Some((by, wanted)) = open.pop() {
            let fits = |p: &&GivenPackage| {
                p.manifest.id == wanted.id
                    && p.manifest
                        .version
                        .as_ref()
                        .is_some_and(|v| wanted.range.contains(v))
            };
            if let Some(already) = chosen.get(&wanted.id) {
                if !fits(already) && !wanted.optional {
                    return Err(problem(
                        "ATT-BUILD-CONFLICT",
                        format!(
                            "{by} needs {} {}, but {} was chosen for another package",
                            wanted.id,
                            wanted.range,
                            already
                                .manifest
                                .version
                                .as_ref()
                                .map(ToString::to_string)
                                .unwrap_or_default()
                        ),
                    ));
                }
                continue;
            }
            match given
                .iter()
                .filter(fits)
                .max_by_key(|p| p.manifest.version.clone())
            {
                Some(best) => {
                    chosen.insert(wanted.id.clone(), best);
                    let by = best.manifest.id.to_string();
                    open.extend(
                        best.manifest
                            .dependencies
                            .iter()
                            .map(|d| (by.clone(), d.clone())),
                    );
                }
                None if wanted.optional || (!sealed && given.is_empty()) => {}
                None => {
                    return Err(problem(
                        "ATT-BUILD-DEPENDENCY",
                        format!(
                            "{by} needs {} {}, and no file given with --dependency is one",
                            wanted.id, wanted.range
                        ),
                    ));
                }
            }
        }
        if let Some(unused) = given
            .iter()
            .find(|p| chosen.get(&p.manifest.id).is_none_or(|c| c.path != p.path))
        {
            return Err(problem(
                "ATT-BUILD-UNUSED",
                format!("nothing needs `{}`; leave it out", unused.path.display()),
            ));
        }
        lock.packages = chosen
            .values()
            .filter_map(|p| {
                let version = p.manifest.version.clone()?;
                let carried = sealed.then(|| carried_path(&p.manifest.id, &version));
                Some(Locked {
                    id: p.manifest.id.clone(),
                    version,
                    digest: p.digest,
                    size: p.size,
                    carried,
                })
            })
            .collect();
        Ok((lock, chosen.into_values().cloned().collect()))
    }
}

/// Returns where a sealed package carries a dependency.
fn carried_path(id: &PackageName, version: &Release) -> String {
    format!("{CARRIED}/{id}-{version}.lxpkg")
}

fn problem(code: &'static str, message: String) -> BuildError {
    BuildError::Dependency { code, message }
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
    let list = fields.list("packages").unwrap_or_default();
    for (at, item) in list.iter().enumerate() {
        let place = format!("{LOCK}#/packages/{at}");
        match item.as_object() {
            Some(object) => {
                check_locked(tree, fields.nested(object, place), &required, found);
            }
            None => fields.report_at(&rules::LOCK, place, "a locked package is an object"),
        }
    }
    fields.finish(
        &fields::rules::UNKNOWN,
        &["lockVersion", "requires", "packages"],
    );
}

fn check_locked(
    tree: &Tree,
    one: Fields<'_, '_>,
    required: &BTreeMap<PackageName, Range>,
    found: &mut Found,
) {
    let id: Option<PackageName> = one.require_parsed(&rules::LOCK, "id");
    let version: Option<Release> = one.require_parsed(&rules::LOCK, "version");
    let digest: Option<Digest> = one.require_parsed(&rules::LOCK, "digest");
    one.require("size");
    let size = one.integer("size");
    if let Some(id) = &id {
        if let (Some(range), Some(version)) = (required.get(id), &version)
            && !range.contains(version)
        {
            let message = format!("{version} is not in {range}, which manifest.json asks for");
            one.report(&rules::LOCK, "version", message);
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
        &["id", "version", "digest", "size", "carried"],
    );
}
