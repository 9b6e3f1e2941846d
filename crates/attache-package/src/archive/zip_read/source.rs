//! The file a zip is read from, by position, so that many threads can read at once.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::{ArchiveError, Defect};

/// An open archive and its length when it was opened.
#[derive(Debug)]
pub(super) struct Source {
    file: File,
    pub(super) path: PathBuf,
    pub(super) len: u64,
}

impl Source {
    pub(super) fn new(file: File, path: &Path) -> Result<Self, ArchiveError> {
        let len = file
            .metadata()
            .map_err(ArchiveError::io("read", path))?
            .len();
        Ok(Self {
            file,
            path: path.to_owned(),
            len,
        })
    }

    /// Fills `buffer` from `at`. All positions were checked against the length, so an early
    /// end means that someone cut the file short.
    pub(super) fn read_at(&self, at: u64, buffer: &mut [u8]) -> Result<(), ArchiveError> {
        let mut have = 0;
        while have < buffer.len() {
            match read_some_at(&self.file, &mut buffer[have..], at + have as u64) {
                Ok(0) => return Err(Defect::ChangedWhileReading.whole()),
                Ok(n) => have += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ArchiveError::io("read", &self.path)(error)),
            }
        }
        Ok(())
    }

    /// Returns the four bytes at `at`, or zeros where the file is too short to hold them.
    pub(super) fn signature(&self, at: u64) -> Result<[u8; 4], ArchiveError> {
        let mut found = [0; 4];
        if at.checked_add(4).is_some_and(|end| end <= self.len) {
            self.read_at(at, &mut found)?;
        }
        Ok(found)
    }

    /// Returns a reader over `len` bytes from `at`.
    pub(super) fn section(&self, at: u64, len: u64) -> Section<'_> {
        Section {
            source: self,
            at,
            left: len,
        }
    }
}

/// A part of a [`Source`], read from its front to its back.
#[derive(Debug)]
pub(super) struct Section<'a> {
    source: &'a Source,
    at: u64,
    left: u64,
}

impl Section<'_> {
    pub(super) fn left(&self) -> u64 {
        self.left
    }
}

impl Read for Section<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let n = read_some_at(&self.source.file, &mut buffer[..most], self.at)?;
        self.at += n as u64;
        self.left -= n as u64;
        Ok(n)
    }
}

#[cfg(unix)]
fn read_some_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_some_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}
