//! What every operation works with.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use attache_package::formats::{DetectError, FormatName, Package};
use attache_package::{Diagnostics, Limits, Manifest, Tree};

use crate::{Error, Kind};

/// The surroundings of an operation: where our data is, and how much an archive may hold.
#[derive(Debug, Clone)]
pub struct App {
    /// Our data folder; nothing is kept when there is none.
    pub home: Option<PathBuf>,
    /// How much an archive may hold.
    pub limits: Limits,
    /// What tells this program from another version of itself; what it built before counts as
    /// the same only if this is the same.
    pub builder: String,
    /// Set from outside to end long work early.
    pub interrupted: Arc<AtomicBool>,
}

impl App {
    /// Opens the package at `path` and finds its dialect.
    pub(crate) fn open(&self, path: &Path, format: Option<FormatName>) -> Result<Package, Error> {
        self.open_without(path, format, &[])
    }

    /// Opens it without the files `left_out`, if it is a folder.
    pub(crate) fn open_without(
        &self,
        path: &Path,
        format: Option<FormatName>,
        left_out: &[PathBuf],
    ) -> Result<Package, Error> {
        let tree = Tree::open_without(path, &self.limits, left_out)
            .map_err(|error| Error::archive(path, error))?;
        Package::detect(tree, format).map_err(|error| match error {
            DetectError::Archive(error) => Error::archive(path, error),
            DetectError::Ambiguous { .. } => Error::new(
                Kind::Failed,
                error.code(),
                format!("`{}`: {error}", path.display()),
            )
            .hint("name the one you mean with --format, or remove the other's files"),
            DetectError::Unknown { .. } => Error::new(
                Kind::Failed,
                error.code(),
                format!("`{}`: {error}", path.display()),
            )
            .hint(
                "`attache init` makes an agent to start from; --format says which format you mean",
            ),
        })
    }

    /// Opens the package at `path` and reads it; one that is not valid is refused.
    pub(crate) fn open_valid(
        &self,
        path: &Path,
        format: Option<FormatName>,
        lenient: bool,
    ) -> Result<(Package, Manifest), Error> {
        let package = self.open(path, format)?;
        let mut diagnostics = Diagnostics::new(lenient);
        let manifest = package
            .read(&mut diagnostics)
            .map_err(|error| Error::archive(path, error))?;
        let (problems, _) = diagnostics.into_parts();
        match manifest {
            Some(manifest) if problems.is_empty() => Ok((package, manifest)),
            _ => {
                let message = format!("`{}` is not valid; nothing was written", path.display());
                let error = Error::new(Kind::Failed, "ATT-INVALID", message);
                Err(Error { problems, ..error }.hint("mend these, or try --lenient"))
            }
        }
    }
}
