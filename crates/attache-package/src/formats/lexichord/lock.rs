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
                let carried =
                    sealed.then(|| format!("{CARRIED}/{}-{version}.lxpkg", p.manifest.id));
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

/// Checks package-lock.json against the manifest and what the package carries.
pub(super) fn check(
    tree: &Tree,
    object: &Map<String, Value>,
    document: &Document,
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
    let mut carried = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (at, item) in fields
        .list("packages")
        .unwrap_or_default()
        .iter()
        .enumerate()
    {
        let place = format!("{LOCK}#/packages/{at}");
        let Some(object) = item.as_object() else {
            diagnostics
                .borrow_mut()
                .report(&rules::LOCK, place, "a locked package is an object");
            continue;
        };
        let one = Fields::new(object, place, &diagnostics);
        let id: Option<PackageName> = one.require_parsed(&rules::LOCK, "id");
        let version: Option<Release> = one.require_parsed(&rules::LOCK, "version");
        let digest: Option<Digest> = one.require_parsed(&rules::LOCK, "digest");
        one.integer("size");
        if let Some(id) = id {
            if let (Some(range), Some(version)) = (required.get(&id), &version)
                && !range.contains(version)
            {
                one.report(
                    &rules::LOCK,
                    "version",
                    format!("{version} is not in {range}, which manifest.json asks for"),
                );
            }
            if !seen.insert(id.clone()) {
                one.report(&rules::LOCK, "id", format!("{id} is locked twice"));
            }
        }
        if let Some(path) = one.text("carried") {
            match tree.get(path) {
                Some(entry) if digest.is_none_or(|d| d == entry.digest) => {}
                Some(_) => one.report(
                    &rules::SEALED,
                    "digest",
                    format!("{path} does not match its digest"),
                ),
                None => one.report(
                    &rules::SEALED,
                    "carried",
                    format!("{path} is not in the package"),
                ),
            }
            carried.insert(path.to_owned());
        }
        one.finish(
            &fields::rules::UNKNOWN,
            &["id", "version", "digest", "size", "carried"],
        );
    }
    for entry in tree.entries().iter().filter(|e| e.path.is_under(CARRIED)) {
        if !carried.contains(entry.path.as_str()) {
            diagnostics.borrow_mut().report(
                &rules::SEALED,
                entry.path.as_str(),
                "nothing in package-lock.json locks it",
            );
        }
    }
    fields.finish(
        &fields::rules::UNKNOWN,
        &["lockVersion", "requires", "packages"],
    );
}
