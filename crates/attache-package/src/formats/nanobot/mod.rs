//! The nanobot dialect.

use serde_json::{Map, Value};

use super::{ConvertedFile, Format, FormatName, NewFile, Stage};
use crate::build::{BuildError, BuildOptions, Draft};
use crate::convert::{Losses, Portable};
use crate::{ArchiveError, Container, Diagnostics, InvalidName, Manifest, PackageName, Rule, Tree};

pub mod skill;

/// The dialect.
pub struct Nanobot;

impl Format for Nanobot {
    fn name(&self) -> FormatName {
        FormatName::Nanobot
    }

    fn rules(&self) -> &'static [&'static Rule] {
        &[]
    }

    fn manifest_schema(&self) -> Value {
        todo!()
    }

    fn containers(&self) -> &'static [Container] {
        &[Container::Zip]
    }

    fn claims(&self, _tree: &Tree, _manifest: Option<&Map<String, Value>>) -> bool {
        todo!()
    }

    fn read(
        &self,
        _: &Tree,
        _: Stage,
        _: &mut Diagnostics,
    ) -> Result<Option<Manifest>, ArchiveError> {
        todo!()
    }

    fn scaffold(&self, _id: &PackageName, _created_at: &str) -> Result<Vec<NewFile>, InvalidName> {
        todo!()
    }

    fn finish(&self, _draft: &mut Draft, _options: &BuildOptions) -> Result<(), BuildError> {
        todo!()
    }

    fn file_name(&self, _manifest: &Manifest, _container: Container) -> String {
        todo!()
    }

    fn export(&self, _tree: &Tree, _manifest: &Manifest) -> Result<Portable, ArchiveError> {
        todo!()
    }

    fn import(&self, _agent: &Portable, _losses: &mut Losses) -> Vec<ConvertedFile> {
        todo!()
    }
}
