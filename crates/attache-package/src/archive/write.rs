//! The deterministic writer.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use fs_err as fs;
use rayon::prelude::*;

use super::{tar_write, zip_write};
use crate::{
    ArchiveError, Container, Defect, Digest, DigestWriter, Entry, Kind, PackagePath, Tree,
};

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

/// A file larger than this is not held whole.
const LARGE: u64 = 4 << 20;

/// How much is held at once of the files that are.
const BATCH_BYTES: u64 = 8 << 20;

/// Writes `tree` as a `container` to `out`. The same tree gives the same bytes on any machine.
///
/// Entries are written in the order of their paths, without times or owners. Every file is
/// compared with its digest on the way, so an archive never holds what its tree did not.
///
/// # Panics
/// When `container` is [`Container::Folder`], which is no archive.
pub fn pack(
    tree: &Tree,
    container: Container,
    compression: Compression,
    out: &mut dyn Write,
) -> Result<Packed, ArchiveError> {
    let mut out = BufWriter::with_capacity(256 << 10, DigestWriter::new(out));
    let level = compression.level();
    match container {
        Container::Zip => zip_write::write(tree, level, &mut out)?,
        Container::TarGz => tar_write::write_gzip(tree, level, &mut out)?,
        Container::TarZst => tar_write::write_zstd(tree, level, &mut out)?,
        Container::Folder => panic!("a folder is no archive"),
    }
    out.flush().map_err(cannot_write)?;
    let out = out
        .into_inner()
        .map_err(|error| cannot_write(error.into_error()))?;
    let (_, digest, size) = out.finish();
    Ok(Packed { digest, size })
}

/// What an output is called in an error as long as nobody has named it.
const UNNAMED: &str = "the archive";

/// Makes the error for an output that takes no more. The writer has no path to name; whoever
/// has one says so with [`name_output`].
pub(super) fn cannot_write(error: io::Error) -> ArchiveError {
    ArchiveError::io("write", Path::new(UNNAMED))(error)
}

/// Puts the path of the output into an error of [`pack`] that is about it.
pub(crate) fn name_output(error: ArchiveError, output: &Path) -> ArchiveError {
    match error {
        ArchiveError::Io { path, source, .. } if path == Path::new(UNNAMED) => {
            ArchiveError::io("write", output)(source)
        }
        other => other,
    }
}

/// What is written next: files small enough to be held together, or a large one.
pub(super) enum Step<'a> {
    Batch(&'a [Entry]),
    Large(&'a Entry),
}

/// Cuts `entries` into steps, in their order.
pub(super) fn steps(entries: &[Entry]) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    let mut rest = entries;
    while let Some(first) = rest.first() {
        if first.size > LARGE {
            steps.push(Step::Large(first));
            rest = &rest[1..];
            continue;
        }
        let mut bytes = 0;
        let fits = |entry: &&Entry| {
            bytes += entry.size;
            entry.size <= LARGE && bytes <= BATCH_BYTES
        };
        let (batch, behind) = rest.split_at(rest.iter().take_while(fits).count());
        steps.push(Step::Batch(batch));
        rest = behind;
    }
    steps
}

/// Passes the bytes of every file in `batch` to `each`, side by side. Returns the answers in
/// order. A link has no bytes.
pub(super) fn map_batch<'a, T: Send>(
    tree: &'a Tree,
    batch: &'a [Entry],
    each: impl Fn(&'a Entry, Cow<'a, [u8]>) -> T + Sync + Send,
) -> Result<Vec<T>, ArchiveError> {
    let checked = |entry: &'a Entry, bytes: Cow<'a, [u8]>| {
        let same = entry.size == bytes.len() as u64 && entry.digest == Digest::of(&bytes);
        match entry.kind == Kind::File && !same {
            true => Err(Defect::ChangedWhileReading.at(entry.path.as_str())),
            false => Ok(each(entry, bytes)),
        }
    };
    if tree.has_bytes_at_hand() {
        return batch
            .par_iter()
            .map(|entry| checked(entry, tree.bytes_of(entry)?))
            .collect();
    }
    // An archive is read from front to back, and its order need not be ours. Each batch costs
    // a pass, which is the price of holding only one.
    let mut loaded: Vec<Vec<u8>> = vec![Vec::new(); batch.len()];
    let position = |entry: &Entry| batch.binary_search_by(|other| other.path.cmp(&entry.path));
    tree.visit(
        |entry| position(entry).is_ok(),
        |entry, reader| match position(entry) {
            Ok(at) => reader
                .read_to_end(&mut loaded[at])
                .map(|_| ())
                .map_err(ArchiveError::io("read", tree.source())),
            Err(_) => Ok(()),
        },
    )?;
    batch
        .par_iter()
        .zip(loaded)
        .map(|(entry, bytes)| checked(entry, Cow::Owned(bytes)))
        .collect()
}

/// Passes a large file through `each`, piece by piece.
pub(super) fn stream(
    tree: &Tree,
    entry: &Entry,
    mut each: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<(), ArchiveError> {
    let mut buffer = vec![0; 128 << 10];
    tree.visit(
        |other| other.path == entry.path,
        |_, reader| {
            loop {
                match reader.read(&mut buffer) {
                    Ok(0) => return Ok(()),
                    Ok(count) => each(&buffer[..count]).map_err(cannot_write)?,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(ArchiveError::io("read", tree.source())(error)),
                }
            }
        },
    )
}
