//! The builder: a source folder in, the same package bytes out, every time.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::archive::PackFile;
use crate::{ArchiveError, Container, Manifest, PackagePath, Problem, Tree};

/// How to build; one field for each of the specification's `PackOptions`, and ours.
#[derive(Debug, Clone)]
pub struct BuildOptions {
    /// Whether source code (`src/`) goes into the package.
    pub include_source: bool,
    /// Whether PNG and JSON files are made smaller without losing anything.
    pub optimize: bool,
    /// Whether documentation (`docs/`, `README.md`, `CHANGELOG.md`) goes in.
    pub include_docs: bool,
    /// Whether `examples/` go in.
    pub include_examples: bool,
    /// From 0 (stored) to 9 (smallest).
    pub compression: u8,
    /// Fields to add to the manifest's metadata, where the format has a place for them.
    pub metadata: BTreeMap<String, Value>,
    /// The creation time to write (RFC 3339); nothing keeps what the source says.
    pub created_at: Option<String>,
    /// The container to write; nothing means the format's usual one.
    pub container: Option<Container>,
    /// Whether dependencies are carried inside.
    pub sealed: bool,
    /// The key for AgentForge's HMAC signature.
    pub hmac_key: Option<Vec<u8>>,
    /// Packages given as files, to lock or carry.
    pub dependencies: Vec<GivenPackage>,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            include_source: false,
            optimize: true,
            include_docs: true,
            include_examples: false,
            compression: 6,
            metadata: BTreeMap::new(),
            created_at: None,
            container: None,
            sealed: false,
            hmac_key: None,
            dependencies: Vec::new(),
        }
    }
}

/// A finished package given as a file, to lock or to carry inside.
#[derive(Debug, Clone)]
pub struct GivenPackage {
    /// What it says of itself.
    pub manifest: Manifest,
    /// Where it is on disk.
    pub path: std::path::PathBuf,
    /// The digest of the file.
    pub digest: crate::Digest,
    /// The size of the file.
    pub size: u64,
}

/// The files of a package on the way to being written: chosen, optimised, not yet finished.
#[derive(Debug)]
pub struct Draft {
    /// Every file by path.
    pub files: BTreeMap<PackagePath, PackFile>,
}

impl Draft {
    /// Reads a file whole.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, ArchiveError> {
        self.files.get(path).map(PackFile::read).transpose()
    }

    /// Adds or replaces a small file.
    pub fn put(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), ArchiveError> {
        let path = PackagePath::new(path)?;
        self.files
            .insert(path.clone(), PackFile::bytes(path, bytes));
        Ok(())
    }

    /// Returns the draft as a tree, to be validated and packed.
    pub fn into_tree(self) -> Result<Tree, ArchiveError> {
        Tree::assembled(self.files.into_values())
    }
}

/// Why a build stopped. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The source, or the finished package, breaks rules of its format.
    #[error("the agent is not valid: {} problem{}", problems.len(), if problems.len() == 1 { "" } else { "s" })]
    Invalid {
        /// All of them.
        problems: Vec<Problem>,
    },
    /// An option does not fit the format or the source.
    #[error("{message}")]
    Option {
        /// The stable code.
        code: &'static str,
        /// What does not fit.
        message: String,
    },
    /// A dependency is missing or does not fit.
    #[error("{message}")]
    Dependency {
        /// The stable code.
        code: &'static str,
        /// Which, and why.
        message: String,
    },
    /// Files could not be read or written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}
