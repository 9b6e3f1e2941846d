//! The AgentForge dialect: packs of workflows and tools, with a hash for every file.
//!
//! `manifest.json` lists every other file with its SHA-256, and an HMAC over the manifest can
//! vouch for the whole ([`sign`], [`verify`], [`check_signature`]).

use serde_json::{Map, Value};

use super::{ConvertedFile, Format, FormatName, NewFile, Stage, carry};
use crate::build::{BuildError, BuildOptions, Draft};
use crate::convert::{Losses, Portable};
use crate::fields::{self, rules::SYNTAX};
use crate::text::{self, TextError};
use crate::{
    ArchiveError, Container, Diagnostics, FileRecord, InvalidName, Launch, LicenseTier, Manifest,
    PackageName, PackagePath, Problem, Rule, Tree,
};

pub use manifest::{ForgeManifest, ListedFile, PackKind};
pub use signature::{SignatureError, check_signature, sign, verify};

mod check;
mod convert;
mod manifest;
pub mod rules;
mod scaffold;
mod signature;
#[cfg(test)]
mod tests;

/// The dialect.
pub struct AgentForge;

impl Format for AgentForge {
    fn name(&self) -> FormatName {
        FormatName::AgentForge
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

    fn claims(&self, _tree: &Tree, manifest: Option<&Map<String, Value>>) -> bool {
        manifest.is_some_and(|fields| fields.contains_key("spec_version"))
    }

    /// A pack may be a folder, too; one that lists or signs its files is a pack.
    fn stage(&self, tree: &Tree) -> Stage {
        if tree.container() != Container::Folder {
            return Stage::Packed;
        }
        let Ok(Some(object)) = read_manifest(tree) else {
            return Stage::Source;
        };
        let lists = match object.get("files") {
            Some(Value::Array(items)) => !items.is_empty(),
            _ => false,
        };
        if lists || object.contains_key("signature") {
            Stage::Packed
        } else {
            Stage::Source
        }
    }

    fn read(
        &self,
        tree: &Tree,
        stage: Stage,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Manifest>, ArchiveError> {
        let path = manifest::PATH;
        if let Some(entry) = tree.get(path)
            && entry.size > text::SIZE_LIMIT as u64
        {
            let message = format!(
                "it has {} bytes; the limit is {}",
                entry.size,
                text::SIZE_LIMIT
            );
            diagnostics.report(&SYNTAX, path, message);
            return Ok(None);
        }
        let object = match tree.read(path)?.as_deref().map(parse) {
            Some(Ok(object)) => object,
            Some(Err(error)) => {
                diagnostics.report(&SYNTAX, path, error.to_string());
                return Ok(None);
            }
            None => {
                diagnostics.report(&SYNTAX, path, format!("`{path}` is missing"));
                return Ok(None);
            }
        };
        let (read, listing) = manifest::read(&object, stage == Stage::Packed, diagnostics);
        check::files(tree, &listing, stage, diagnostics);
        if let Some(read) = &read {
            check::entrypoints(tree, &read.entrypoints, diagnostics);
        }
        Ok(read.map(|read| describe(tree, read)))
    }

    fn scaffold(&self, id: &PackageName, created_at: &str) -> Result<Vec<NewFile>, InvalidName> {
        Ok(scaffold::files(id, created_at))
    }

    fn includes(&self, path: &PackagePath, options: &BuildOptions) -> bool {
        let text = path.as_str();
        let local = path
            .components()
            .any(|c| ["__pycache__", ".venv", ".env"].contains(&c))
            || path.extension().is_some_and(|e| e == "pyc");
        let docs = path.is_under("docs") || text == "README.md" || text == "CHANGELOG.md";
        !local
            && (options.include_docs || !docs)
            && (options.include_examples || !path.is_under("examples"))
    }

    /// Lists every file anew, and signs if there is a key. Without one an old signature goes,
    /// because it would no longer hold.
    fn finish(&self, draft: &mut Draft, options: &BuildOptions) -> Result<(), BuildError> {
        carry::refuse_extras(self.name(), options)?;
        let source = draft.read(manifest::PATH)?.unwrap_or_default();
        let mut object = parse(&source).map_err(|error| BuildError::Invalid {
            problems: vec![Problem {
                code: SYNTAX.code,
                message: error.to_string(),
                path: manifest::PATH.to_owned(),
            }],
        })?;
        let files = draft.files.iter().map(|(path, file)| (path, &file.digest));
        object.insert("files".to_owned(), check::list(files).into());
        if let Some(created_at) = &options.created_at {
            object.insert("created_at".to_owned(), created_at.clone().into());
        }
        object.remove("signature");
        if let Some(key) = &options.hmac_key {
            let signature = sign(&object, key).map_err(|error| BuildError::Option {
                code: error.code(),
                message: error.to_string(),
            })?;
            object.insert("signature".to_owned(), signature.into());
        }
        Ok(draft.put(manifest::PATH, manifest::to_json(&object))?)
    }

    /// A version that is not SemVer stays out of the name, because only releases can be compared.
    fn file_name(&self, manifest: &Manifest, _container: Container) -> String {
        match &manifest.version {
            Some(version) => format!("{}-{version}.zip", manifest.id),
            None => format!("{}.zip", manifest.id),
        }
    }

    fn export(
        &self,
        tree: &Tree,
        manifest: &Manifest,
        losses: &mut Losses,
    ) -> Result<Portable, ArchiveError> {
        convert::export(tree, manifest, losses)
    }

    fn import(&self, agent: &Portable, losses: &mut Losses) -> Vec<ConvertedFile> {
        convert::import(agent, losses)
    }
}

/// Returns whether the pack in `tree` has a signature, right or wrong, so that whoever read it
/// without a key can say that nobody checked it.
pub fn is_signed(tree: &Tree) -> Result<bool, ArchiveError> {
    let manifest = read_manifest(tree)?;
    Ok(manifest.is_some_and(|object| object.contains_key("signature")))
}

/// Reads the manifest if it is an object; what is wrong with another one is not said here.
fn read_manifest(tree: &Tree) -> Result<Option<Map<String, Value>>, ArchiveError> {
    let bytes = tree.read(manifest::PATH)?;
    Ok(bytes.and_then(|bytes| parse(&bytes).ok()))
}

fn parse(bytes: &[u8]) -> Result<Map<String, Value>, TextError> {
    match text::parse_json(bytes)? {
        Value::Object(object) => Ok(object),
        other => Err(TextError::new(format!(
            "the manifest must be an object, not {}",
            fields::kind_of(&other)
        ))),
    }
}

fn describe(tree: &Tree, read: manifest::ReadManifest) -> Manifest {
    Manifest {
        format: FormatName::AgentForge,
        version: read.version,
        display_name: read.name.to_string(),
        id: read.name,
        description: None,
        author: read.publisher,
        license: None,
        minimum_license_tier: LicenseTier::Core,
        homepage: None,
        repository: None,
        bugs: None,
        keywords: Vec::new(),
        category: None,
        created_at: read.created_at,
        dependencies: Vec::new(),
        requirements: Vec::new(),
        capabilities: check::capabilities(tree),
        launch: Launch::Entrypoints {
            names: read.entrypoints,
        },
        files: FileRecord::list(tree, |path| {
            path == manifest::PATH || path.starts_with("workflows/") || path.starts_with("tools/")
        }),
    }
}
