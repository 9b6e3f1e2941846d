//! The deterministic writer.

use std::io::Write;
use std::path::PathBuf;

use fs_err as fs;

use crate::{ArchiveError, Container, Digest, PackagePath, Tree};

/// How hard to compress, from 0 (stored) to 9 (smallest).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compression(u8);

impl Compression {
    /// Takes a level from 0 to 9.
    pub fn new(level: u8) -> Option<Self> {
        (level <= 9).then_some(Self(level))
    }

    /// Returns the level.
    pub fn level(self) -> u8 {
        self.0
    }
}

impl Default for Compression {
    fn default() -> Self {
        Self(6)
    }
}

/// One file on its way into a package.
#[derive(Debug, Clone)]
pub struct PackFile {
    /// Where it goes.
    pub path: PackagePath,
    /// Whether its owner may execute it.
    pub executable: bool,
    /// Its length.
    pub size: u64,
    /// The SHA-256 of its bytes, or of the target for a link.
    pub digest: Digest,
    /// Where its bytes are.
    pub content: Content,
}

/// Where a file's bytes are.
#[derive(Debug, Clone)]
pub enum Content {
    /// In memory.
    Bytes(Vec<u8>),
    /// On disk, to be read again when they are written.
    Disk(PathBuf),
    /// A link to this target.
    Link(String),
}

impl PackFile {
    /// Makes a small file from bytes.
    pub fn bytes(path: PackagePath, bytes: Vec<u8>) -> Self {
        let (size, digest) = (bytes.len() as u64, Digest::of(&bytes));
        Self {
            path,
            executable: false,
            size,
            digest,
            content: Content::Bytes(bytes),
        }
    }

    /// Reads the bytes whole.
    pub fn read(&self) -> Result<Vec<u8>, ArchiveError> {
        match &self.content {
            Content::Bytes(bytes) => Ok(bytes.clone()),
            Content::Disk(path) => fs::read(path).map_err(ArchiveError::io("read", path)),
            Content::Link(target) => Ok(target.clone().into_bytes()),
        }
    }
}

/// What [`pack`] wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed {
    /// The digest of the archive.
    pub digest: Digest,
    /// Its length in bytes.
    pub size: u64,
}

/// Writes `tree` as a `container` to `out`. The same tree gives the same bytes on any machine.
///
/// # Panics
/// When `container` is [`Container::Folder`], which is no archive.
pub fn pack(
    _tree: &Tree,
    _container: Container,
    _compression: Compression,
    _out: &mut dyn Write,
) -> Result<Packed, ArchiveError> {
    todo!("pack")
}
