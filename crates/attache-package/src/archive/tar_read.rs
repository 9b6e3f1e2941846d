//! The strict tar reader.

use std::io::Read;
use std::path::Path;

use crate::{ArchiveError, Container, Entry, Limits};

#[derive(Debug)]
pub(crate) struct TarTree {}

impl TarTree {
    pub(crate) fn flattened(self, _root: &str) -> Self {
        todo!()
    }

    pub(crate) fn visit(
        &self,
        _entries: &[Entry],
        _wanted: &dyn Fn(&Entry) -> bool,
        _each: &mut dyn FnMut(&Entry, &mut dyn Read) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        todo!()
    }

    pub(crate) fn open(
        _path: &Path,
        _container: Container,
        _limits: &Limits,
    ) -> Result<(Self, Vec<Entry>), ArchiveError> {
        todo!()
    }

    pub(crate) fn container(&self) -> Container {
        todo!()
    }
}
