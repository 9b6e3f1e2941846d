//! The answer: which versions, from where, and because of whom.

use attache_package::{Digest, PackageName, Range, Release};
use schemars::JsonSchema;
use serde::Serialize;

use crate::failure::Failure;
use crate::host::HostNeed;
use crate::records::{DependencyGraph, PackageReference, ResolvedPackage};
use crate::request::{Request, Root};

/// One version of each package that is needed, and what was decided on the way.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resolution {
    /// The packages, sorted by name.
    pub packages: Vec<Chosen>,
    /// Optional dependencies that were not taken, in the order they were tried.
    pub left_out: Vec<LeftOut>,
    /// The overrides that were asked for, sorted by name.
    pub overrides: Vec<Override>,
    /// How many steps it took.
    pub steps: u64,
}

/// A package and the version that was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Chosen {
    /// Its name.
    pub id: PackageName,
    /// Its version.
    pub version: Release,
    /// The registry it comes from.
    pub registry: String,
    /// The namespace that binds it to that registry, if one does.
    pub namespace: Option<String>,
    /// The digest of its bytes.
    pub digest: Option<Digest>,
    /// Its size in bytes.
    pub size: u64,
    /// Where to fetch it, if it is not here.
    pub url: Option<String>,
    /// Whether its author took it back. It is here because the lock holds it.
    pub yanked: bool,
    /// Whether the request itself asks for it.
    pub direct: bool,
    /// Whether only optional dependencies lead to it.
    pub optional: bool,
    /// Who requires it, the request first.
    pub required_by: Vec<RequiredBy>,
    /// The packages it depends on, sorted by name; optional ones only if they were taken.
    pub dependencies: Vec<PackageName>,
    /// What it needs of the host, whether or not that was checked.
    pub needs: Vec<HostNeed>,
    /// Every version that meets all requirements on this package, lowest first.
    pub candidates: Vec<Release>,
}

/// One requirement on a package that was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredBy {
    /// The dependent; nothing for the request itself.
    pub by: Option<PackageName>,
    /// Its version.
    pub version: Option<Release>,
    /// The range it requires, even if an override replaced it.
    pub range: Range,
    /// Whether it works without.
    pub optional: bool,
}

/// An optional dependency that was not taken.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// The package that was not taken.
    pub id: PackageName,
    /// The range in which it was wished for.
    pub range: Range,
    /// Who wished for it; nothing for the request itself.
    pub by: Option<PackageName>,
    /// Why it does not fit, in sentences.
    pub reason: String,
}

/// A range that replaced every other requirement on a package.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Override {
    /// The package.
    pub id: PackageName,
    /// The range that counts.
    pub range: Range,
    /// The requirements that did not.
    pub replaced: Vec<RequiredBy>,
}

impl Resolution {
    /// Returns the chosen version of a package.
    pub fn get(&self, id: &PackageName) -> Option<&Chosen> {
        let found = self.packages.binary_search_by(|chosen| chosen.id.cmp(id));
        found.ok().map(|at| &self.packages[at])
    }

    /// Returns the answer as the record of the specification.
    pub fn graph(&self, request: &Request<'_>) -> DependencyGraph {
        let all: Vec<ResolvedPackage> = self
            .packages
            .iter()
            .map(|chosen| resolved(chosen, request))
            .collect();
        let named = request.root.as_ref().map(root_package);
        let mut direct: Vec<&Chosen> = self.packages.iter().filter(|c| c.direct).collect();
        let root = match (named, direct.as_slice()) {
            (Some(root), _) => Some(root),
            (None, [only]) => {
                let root = resolved(only, request);
                let below = only.dependencies.iter();
                direct = below.filter_map(|id| self.get(id)).collect();
                Some(root)
            }
            _ => None,
        };
        DependencyGraph {
            root,
            direct_dependencies: direct.into_iter().map(|c| resolved(c, request)).collect(),
            total_package_count: all.len(),
            total_download_size: self.packages.iter().map(|chosen| chosen.size).sum(),
            all_packages: all,
            is_valid: true,
            errors: Vec::new(),
        }
    }
}

impl Failure {
    /// Returns the failure as the record of the specification: a graph that is not valid.
    pub fn graph(&self, request: &Request<'_>) -> DependencyGraph {
        DependencyGraph {
            root: request.root.as_ref().map(root_package),
            all_packages: Vec::new(),
            direct_dependencies: Vec::new(),
            total_package_count: 0,
            total_download_size: 0,
            is_valid: false,
            errors: self.explanation(),
        }
    }
}

fn root_package(root: &Root) -> ResolvedPackage {
    ResolvedPackage {
        package: PackageReference {
            id: root.id.clone(),
            version: root.version.clone(),
            registry: None,
            namespace: None,
            digest: None,
        },
        resolved_by: Vec::new(),
        selected_version: root.version.clone(),
        candidates: root.version.iter().cloned().collect(),
        size: 0,
        download_url: None,
    }
}

fn resolved(chosen: &Chosen, request: &Request<'_>) -> ResolvedPackage {
    let by = |by: &RequiredBy| match (&by.by, &by.version, &request.root) {
        (Some(id), Some(version), _) => format!("{id} {version}"),
        (Some(id), None, _) => id.to_string(),
        (None, _, Some(root)) => match &root.version {
            Some(version) => format!("{} {version}", root.id),
            None => root.id.to_string(),
        },
        (None, _, None) => "the request".to_owned(),
    };
    let mut resolved_by: Vec<String> = chosen.required_by.iter().map(by).collect();
    resolved_by.sort();
    resolved_by.dedup();
    ResolvedPackage {
        package: PackageReference {
            id: chosen.id.clone(),
            version: Some(chosen.version.clone()),
            registry: Some(chosen.registry.clone()),
            namespace: chosen.namespace.clone(),
            digest: chosen.digest,
        },
        resolved_by,
        selected_version: Some(chosen.version.clone()),
        candidates: chosen.candidates.clone(),
        size: chosen.size,
        download_url: chosen.url.clone(),
    }
}
