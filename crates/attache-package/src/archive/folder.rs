//! Plain folders.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::{ArchiveError, Entry, Limits, PackagePath};

#[derive(Debug)]
pub(crate) struct FolderTree {
    root: PathBuf,
}

impl FolderTree {
    pub(crate) fn open(_path: &Path, _limits: &Limits) -> Result<(Self, Vec<Entry>), ArchiveError> {
        todo!()
    }

    pub(crate) fn disk_path(&self, path: &PackagePath) -> PathBuf {
        self.root.join(path.as_str())
    }

    pub(crate) fn flattened(self, root: &str) -> Self {
        Self {
            root: self.root.join(root),
        }
    }

    pub(crate) fn visit(
        &self,
        _entries: &[Entry],
        _wanted: &dyn Fn(&Entry) -> bool,
        _each: &mut dyn FnMut(&Entry, &mut dyn Read) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        todo!()
    }
}
