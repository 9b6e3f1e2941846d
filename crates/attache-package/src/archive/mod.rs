//! Zip, tar.gz, tar.zst and folders: one strict reader, one deterministic writer.
//!
//! Reading is [`Tree::open`](crate::Tree::open): the whole container is checked first, streaming
//! within [`Limits`], and refused at the first [`Defect`]. The compression libraries only
//! inflate; no library resolves a path for us. Writing is [`pack`], extracting is [`extract`].

use std::io;
use std::path::{Path, PathBuf};

pub use defect::Defect;
pub use extract::extract;
pub use folder::{Stamp, is_ignored, stamp as folder_stamp, stamp_without as folder_stamp_without};
pub use write::{Compression, Content, PackFile, Packed, pack};

mod defect;
mod deflate;
mod extract;
pub(crate) mod folder;
mod handles;
pub(crate) mod names;
mod tar_header;
pub(crate) mod tar_read;
mod tar_write;
mod unpack;
pub(crate) mod write;
pub(crate) mod zip_read;
mod zip_write;

/// What kind of container a package is in.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Container {
    /// A zip archive.
    Zip,
    /// A tar archive in one gzip member.
    TarGz,
    /// A tar archive in one zstd frame.
    TarZst,
    /// A plain folder.
    Folder,
}

impl Container {
    /// Returns how the names of such files end; nothing for a folder.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Zip => ".zip",
            Self::TarGz => ".tar.gz",
            Self::TarZst => ".tar.zst",
            Self::Folder => "",
        }
    }
}

/// How much an archive may hold. Counted while streaming, never believed from a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all files together, unpacked.
    pub total_bytes: u64,
    /// Bytes of one file, unpacked.
    pub file_bytes: u64,
    /// Entries, folders included.
    pub entries: u64,
    /// Unpacked bytes for each packed byte, counted once more than [`Limits::RATIO_FREE`] are out.
    pub ratio: u64,
}

impl Limits {
    /// Below this many unpacked bytes the ratio does not count: small files of zeros are common.
    pub const RATIO_FREE: u64 = 16 << 20;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            total_bytes: 4 << 30,
            file_bytes: 1 << 30,
            entries: 100_000,
            ratio: 200,
        }
    }
}

/// Why a container could not be read, written or extracted.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The container breaks a rule. Never retried.
    #[error("{}{}", entry.as_ref().map(|e| format!("entry `{}`: ", e.escape_debug())).unwrap_or_default(), defect.sentence())]
    Refused {
        /// The rule.
        defect: Defect,
        /// The entry it is about, where it is about one.
        entry: Option<String>,
    },

    /// The disk said no. Names the path, because `io::Error` does not.
    #[error("could not {doing} `{}`: {}", path.display(), plain(source))]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
}

/// Returns what the system said, without the paths that `fs_err` and `tempfile` repeat.
pub fn plain(error: &io::Error) -> String {
    let Some(number) = system_number(error) else {
        return error.to_string();
    };
    let text = io::Error::from_raw_os_error(number).to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => error.to_string(),
    }
}

/// Returns the system's number for an error, however often it was wrapped.
fn system_number(error: &io::Error) -> Option<i32> {
    if let Some(number) = error.raw_os_error() {
        return Some(number);
    }
    let mut next: Option<&(dyn std::error::Error + 'static)> = error.get_ref().map(|e| e as _);
    while let Some(inner) = next {
        if let Some(number) = inner.downcast_ref().and_then(system_number) {
            return Some(number);
        }
        next = inner.source();
    }
    // `tempfile` hides the error it wraps, but prints it.
    let text = error.to_string();
    let (_, behind) = text.rsplit_once("(os error ")?;
    behind.split(')').next()?.parse().ok()
}

impl ArchiveError {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused { defect, .. } => defect.code(),
            Self::Io { .. } => "ATT-IO",
        }
    }

    /// Returns the defect, if the container was refused for one.
    pub fn defect(&self) -> Option<Defect> {
        match self {
            Self::Refused { defect, .. } => Some(*defect),
            Self::Io { .. } => None,
        }
    }

    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            doing,
            path: path.to_owned(),
            source,
        }
    }
}

impl Defect {
    /// Makes the error that refuses the whole container.
    pub(crate) fn whole(self) -> ArchiveError {
        ArchiveError::Refused {
            defect: self,
            entry: None,
        }
    }

    /// Makes the error that refuses the container because of one entry.
    pub(crate) fn at(self, entry: impl Into<String>) -> ArchiveError {
        ArchiveError::Refused {
            defect: self,
            entry: Some(entry.into()),
        }
    }
}

impl From<crate::InvalidPath> for ArchiveError {
    fn from(error: crate::InvalidPath) -> Self {
        error.defect.at(error.given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("at `/some/path`: {0}")]
    struct Wrapped(#[source] io::Error);

    #[test]
    fn the_systems_word_is_found_however_often_it_was_wrapped() {
        let check = |error: io::Error, expected: &str| assert_eq!(plain(&error), expected);
        let gone = || io::Error::from_raw_os_error(2);
        let wrap = |error| io::Error::other(Wrapped(error));
        let plainly = plain(&gone());
        assert!(!plainly.contains("os error"), "{plainly}");
        assert!(plainly.chars().all(|c| !c.is_uppercase()), "{plainly}");
        check(wrap(gone()), &plainly);
        check(wrap(wrap(gone())), &plainly);
        check(io::Error::other(gone()), &plainly);
        check(
            fs_err::read("/there/is/no/such/file").unwrap_err(),
            &plainly,
        );
        let nowhere = tempfile::Builder::new().tempfile_in("/there/is/no/such/folder");
        check(nowhere.unwrap_err(), &plainly);
        // What no system said is passed on as it is, whatever it begins with.
        check(io::Error::other("Ärger"), "Ärger");
        check(io::Error::other(""), "");
    }
}
