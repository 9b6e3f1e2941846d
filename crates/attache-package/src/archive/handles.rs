//! Files reached through directory handles, so that no link is ever followed on the way.
//!
//! All that Unix and the others do differently here lies in this file. Elsewhere than on Unix
//! there are no handles in the standard library: paths are opened by name, and a process that
//! swaps a folder for a link at the right moment is not noticed.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::{ArchiveError, Defect};

/// An open folder whose files are reached without following links.
#[derive(Debug)]
pub(super) struct Root {
    path: PathBuf,
    #[cfg(unix)]
    handle: rustix::fd::OwnedFd,
}

impl Root {
    /// Names the path in the error, because `io::Error` does not.
    pub(super) fn io(&self, doing: &'static str, inside: &str, error: io::Error) -> ArchiveError {
        ArchiveError::io(doing, &self.path.join(inside))(error)
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};

    use rustix::fs::{CWD, Mode, OFlags, openat};
    use rustix::io::Errno;

    use super::{ArchiveError, Defect, File, Metadata, Path, Root, io};

    const FOLDER: OFlags = OFlags::RDONLY
        .union(OFlags::DIRECTORY)
        .union(OFlags::CLOEXEC);

    impl Root {
        /// Opens a folder the user named, which may be a link itself.
        pub(in crate::archive) fn open(path: &Path) -> Result<Self, ArchiveError> {
            let handle = openat(CWD, path, FOLDER, Mode::empty())
                .map_err(|error| ArchiveError::io("open", path)(error.into()))?;
            Ok(Self {
                path: path.to_owned(),
                handle,
            })
        }

        /// Opens a file to read it. Does not wait for a pipe that took its place.
        pub(in crate::archive) fn open_file(&self, inside: &str) -> io::Result<File> {
            let file = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
            let mut folder = None;
            let mut rest = inside;
            while let Some((name, below)) = rest.split_once('/') {
                let parent = folder.as_ref().unwrap_or(&self.handle);
                let flags = FOLDER | OFlags::NOFOLLOW;
                folder = Some(openat(parent, name, flags, Mode::empty())?);
                rest = below;
            }
            let parent = folder.as_ref().unwrap_or(&self.handle);
            Ok(openat(parent, rest, file, Mode::empty())?.into())
        }
    }

    /// Returns whether opening failed because what was there is not there any more.
    pub(in crate::archive) fn is_gone(error: &io::Error) -> bool {
        matches!(
            Errno::from_io_error(error),
            Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NXIO)
        )
    }

    pub(in crate::archive) fn same_file(one: &Metadata, other: &Metadata) -> bool {
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }

    pub(in crate::archive) fn mode(metadata: &Metadata) -> u32 {
        metadata.mode()
    }

    pub(in crate::archive) fn inode(metadata: &Metadata) -> u64 {
        metadata.ino()
    }

    pub(in crate::archive) fn times(metadata: &Metadata) -> (i128, i128) {
        let nanos =
            |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        (
            nanos(metadata.mtime(), metadata.mtime_nsec()),
            nanos(metadata.ctime(), metadata.ctime_nsec()),
        )
    }

    /// Returns why something that is neither folder nor link is no ordinary file either.
    pub(in crate::archive) fn special_type(metadata: &Metadata) -> Option<Defect> {
        let kind = metadata.file_type();
        if kind.is_file() {
            None
        } else if kind.is_fifo() {
            Some(Defect::Fifo)
        } else if kind.is_socket() {
            Some(Defect::Socket)
        } else {
            Some(Defect::Device)
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::time::UNIX_EPOCH;

    use super::{ArchiveError, Defect, File, Metadata, Path, Root, io};

    impl Root {
        pub(in crate::archive) fn open(path: &Path) -> Result<Self, ArchiveError> {
            Ok(Self {
                path: path.to_owned(),
            })
        }

        pub(in crate::archive) fn open_file(&self, inside: &str) -> io::Result<File> {
            File::open(self.path.join(inside))
        }
    }

    pub(in crate::archive) fn is_gone(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::NotFound
    }

    pub(in crate::archive) fn same_file(_: &Metadata, _: &Metadata) -> bool {
        true
    }

    pub(in crate::archive) fn mode(_: &Metadata) -> u32 {
        0
    }

    pub(in crate::archive) fn inode(_: &Metadata) -> u64 {
        0
    }

    pub(in crate::archive) fn times(metadata: &Metadata) -> (i128, i128) {
        let since = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (since.map_or(0, |since| since.as_nanos() as i128), 0)
    }

    pub(in crate::archive) fn special_type(metadata: &Metadata) -> Option<Defect> {
        (!metadata.is_file()).then_some(Defect::Device)
    }
}

#[cfg(not(unix))]
pub(super) use other::{inode, is_gone, mode, same_file, special_type, times};
#[cfg(unix)]
pub(super) use unix::{inode, is_gone, mode, same_file, special_type, times};
