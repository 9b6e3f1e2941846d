//! The Nexo dialect: a Python agent in a flat zip, run as an MCP server over stdio.
//!
//! `manifest.yaml` says who it is, `tools/main.py` is the program, `instructions/persona.md`
//! the base prompt. The manifest has no version: the source it comes from decides that.

use serde_json::{Map, Value};

use super::{ConvertedFile, Format, FormatName, NewFile, Stage, carry};
use crate::build::{BuildError, BuildOptions, Draft};
use crate::convert::{Losses, Portable};
use crate::{
    ArchiveError, Capability, Container, Diagnostics, FileRecord, InvalidName, Launch, LicenseTier,
    Manifest, PackageName, PackagePath, Requirement, Rule, Tree, fields, text,
};

pub use manifest::NexoManifest;

mod check;
mod convert;
mod env;
mod icon;
mod manifest;
mod requirements;
pub mod rules;
mod scaffold;
#[cfg(test)]
mod tests;

/// The dialect.
pub struct Nexo;

impl Format for Nexo {
    fn name(&self) -> FormatName {
        FormatName::Nexo
    }

    fn rules(&self) -> &'static [&'static Rule] {
        rules::ALL
    }

    fn manifest_schema(&self) -> Value {
        manifest::schema()
    }

    fn containers(&self) -> &'static [Container] {
        &[Container::Zip]
    }

    fn claims(&self, tree: &Tree, _manifest: Option<&Map<String, Value>>) -> bool {
        tree.get(manifest::PATH).is_some() || wrapped(tree)
    }

    /// Drops the one folder that everything lies in, as the specification allows for a zip.
    fn prepare(&self, tree: Tree) -> Tree {
        if wrapped(&tree) {
            return tree.flattened();
        }
        tree
    }

    fn read(
        &self,
        tree: &Tree,
        stage: Stage,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Manifest>, ArchiveError> {
        let read = read_manifest(tree, diagnostics)?;
        let variables = check::files(tree, stage, diagnostics)?;
        Ok(read.and_then(|read| describe(tree, read, variables)))
    }

    fn scaffold(&self, id: &PackageName, _created_at: &str) -> Result<Vec<NewFile>, InvalidName> {
        scaffold::files(id)
    }

    fn includes(&self, path: &PackagePath, options: &BuildOptions) -> bool {
        let text = path.as_str();
        let bytecode = path.components().any(|c| c == "__pycache__")
            || path.extension().is_some_and(|e| e == "pyc");
        let docs = path.is_under("docs") || text == "README.md" || text == "CHANGELOG.md";
        !check::is_private(text)
            && !bytecode
            && (options.include_docs || !docs)
            && (options.include_examples || !path.is_under("examples"))
    }

    /// Nothing is written: a Nexo manifest holds no hashes, times or locks.
    fn finish(&self, _draft: &mut Draft, options: &BuildOptions) -> Result<(), BuildError> {
        carry::refuse_extras(self.name(), options)?;
        carry::refuse_key(self.name(), options)
    }

    fn file_name(&self, manifest: &Manifest, _container: Container) -> String {
        format!("{}.zip", manifest.id)
    }

    fn export(
        &self,
        tree: &Tree,
        manifest: &Manifest,
        _: &mut Losses,
    ) -> Result<Portable, ArchiveError> {
        convert::export(tree, manifest)
    }

    fn import(&self, agent: &Portable, losses: &mut Losses) -> Vec<ConvertedFile> {
        convert::import(agent, losses)
    }
}

/// Returns whether the manifest lies in the one folder at the root.
fn wrapped(tree: &Tree) -> bool {
    tree.single_root().is_some_and(|root| {
        !root.starts_with('.') && tree.get(&format!("{root}/{}", manifest::PATH)).is_some()
    })
}

fn read_manifest(
    tree: &Tree,
    diagnostics: &mut Diagnostics,
) -> Result<Option<manifest::ReadManifest>, ArchiveError> {
    let path = manifest::PATH;
    let syntax = &fields::rules::SYNTAX;
    if tree.get(path).is_none() {
        diagnostics.report(&rules::FILE, path, format!("`{path}` is missing"));
        return Ok(None);
    }
    let Some(source) = check::text(tree, path, syntax, diagnostics)? else {
        return Ok(None);
    };
    Ok(match text::parse_yaml(source.as_bytes()) {
        Ok(Value::Object(object)) => manifest::read(&object, diagnostics),
        Ok(other) => {
            let kind = fields::kind_of(&other);
            let message = format!("the manifest must be a mapping of fields, not {kind}");
            diagnostics.report(syntax, path, message);
            None
        }
        Err(error) => {
            diagnostics.report(syntax, path, error.to_string());
            None
        }
    })
}

fn describe(tree: &Tree, read: manifest::ReadManifest, variables: Vec<String>) -> Option<Manifest> {
    let fields = read.fields;
    let filled = |text: String| (!text.is_empty()).then_some(text);
    let asked = fields
        .permissions
        .iter()
        .flat_map(|p| manifest::capabilities_of(p));
    let capabilities = asked
        .chain(variables.into_iter().map(Capability::Env))
        .chain([Capability::Code])
        .collect();
    Some(Manifest {
        format: FormatName::Nexo,
        id: fields.id,
        version: read.version,
        display_name: fields.name,
        description: filled(fields.description),
        author: filled(fields.author),
        license: fields.license,
        minimum_license_tier: LicenseTier::Core,
        homepage: fields.homepage,
        repository: fields.repository,
        bugs: None,
        keywords: Vec::new(),
        category: None,
        created_at: None,
        dependencies: Vec::new(),
        requirements: vec![Requirement::Runtime {
            name: "python".to_owned(),
            version: None,
        }],
        capabilities,
        launch: Launch::McpStdio {
            entry: PackagePath::new(check::MAIN).ok()?,
            requirements: PackagePath::new(requirements::PATH).ok()?,
        },
        files: FileRecord::list(tree, check::is_required),
    })
}
