//! The records of the Lexichord specification, with its names, ready to be written as JSON.

use attache_package::{Digest, PackageName, Range, Release};
use schemars::JsonSchema;
use serde::Serialize;

/// A resolved graph of packages.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependencyGraph {
    /// What was resolved: the package that asked, or the one that was asked for; nothing when
    /// several were.
    pub root: Option<ResolvedPackage>,
    /// Every package that was chosen, sorted by name.
    pub all_packages: Vec<ResolvedPackage>,
    /// Those that the root needs directly, sorted by name.
    pub direct_dependencies: Vec<ResolvedPackage>,
    /// How many packages were chosen.
    pub total_package_count: usize,
    /// How many bytes they are together.
    pub total_download_size: u64,
    /// Whether every requirement is met.
    pub is_valid: bool,
    /// Why not.
    pub errors: Vec<String>,
}

/// A package in a resolved graph.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedPackage {
    /// Which package, and which bytes.
    pub package: PackageReference,
    /// Who needs it, as `name version`, sorted.
    pub resolved_by: Vec<String>,
    /// The version that was chosen; nothing for a root that has none.
    pub selected_version: Option<Release>,
    /// Every version that meets all requirements on this package, lowest first.
    pub candidates: Vec<Release>,
    /// Its size in bytes.
    pub size: u64,
    /// Where to fetch it, if it is not here.
    pub download_url: Option<String>,
}

/// Which package, and which bytes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackageReference {
    /// Its name.
    pub id: PackageName,
    /// Its version; nothing for a root that has none.
    pub version: Option<Release>,
    /// The registry it comes from; nothing for a root that is here.
    pub registry: Option<String>,
    /// The namespace that binds it to that registry.
    pub namespace: Option<String>,
    /// The digest of its bytes.
    pub digest: Option<Digest>,
}

/// Whether there are circular dependencies, and the paths that form them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CircularDependencyDetection {
    /// Whether any were found.
    pub has_circular_dependencies: bool,
    /// Each path once, beginning and ending with its first name in order; sorted.
    pub cycle_paths: Vec<Vec<PackageName>>,
    /// Whether these are all there are, or only as many as were asked for.
    pub is_complete: bool,
}

/// Whether what is installed meets what is needed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependencySatisfactionCheck {
    /// Whether nothing is missing and nothing conflicts.
    pub all_satisfied: bool,
    /// What has to be installed, sorted by name.
    pub missing: Vec<MissingDependency>,
    /// What cannot be installed beside what is there, sorted by name.
    pub conflicts: Vec<ConflictingDependency>,
}

/// A package that is needed and not installed in a version that will do.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MissingDependency {
    /// Its name.
    pub package_id: PackageName,
    /// The versions that will do.
    pub version_range: Range,
    /// Those that exist, highest first.
    pub available_versions: Vec<Release>,
}

/// Two requirements on one package that no version meets.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConflictingDependency {
    /// The package.
    pub package_id: PackageName,
    /// What is required of it now.
    pub dependency_a: PackageDependency,
    /// What something installed requires of it.
    pub dependency_b: PackageDependency,
    /// Both, in a sentence.
    pub description: Option<String>,
}

/// A requirement on a package.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackageDependency {
    /// The package.
    pub package_id: PackageName,
    /// The versions that will do.
    pub version_range: Range,
    /// Whether the dependent works without it.
    pub is_optional: bool,
    /// Who requires it.
    pub description: Option<String>,
}
