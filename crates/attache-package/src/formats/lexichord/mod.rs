//! Lexichord `.lxpkg`: our native format.
//!
//! A zip with `manifest.json`, `agent.json`, prompts, tools, workflows, skills and resources.
//! [`content_hash`] is what a signature signs; [`manifest`](Document) is §4.2 of the
//! specification, [`agent`](Agent) is ours.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::nanobot::{SkillFields, validate_skill};
use super::{ConvertedFile, Format, FormatName, NewFile, Selection, Stage, carry};
use crate::build::{BuildError, BuildOptions, Draft};
use crate::convert::{Losses, Portable};
use crate::fields;
use crate::{
    ArchiveError, Capability, Container, Diagnostics, FileRecord, InvalidName, Launch, Manifest,
    PackageName, PackagePath, Requirement, Rule, Tree,
};

use listing::Listing;

pub use agent::{Agent, McpServer};
pub use content_hash::content_hash;
pub use lock::{Locked, PackageLock};
pub use manifest::Document;
pub use signature::{SIGNATURE_FILE, Signature, Signatures, Statement};

mod agent;
mod content_hash;
mod convert;
mod license;
mod listing;
mod lock;
mod manifest;
mod rules;
mod scaffold;
mod signature;
#[cfg(test)]
mod tests;

/// The dialect.
pub struct Lexichord;

/// The files that every package may hold without listing them.
const UNLISTED: [&str; 3] = [manifest::MANIFEST, lock::LOCK, SIGNATURE_FILE];

impl Format for Lexichord {
    fn name(&self) -> FormatName {
        FormatName::Lexichord
    }

    fn rules(&self) -> &'static [&'static Rule] {
        rules::ALL
    }

    fn manifest_schema(&self) -> Value {
        schemars::schema_for!(Document).to_value()
    }

    fn extra_schemas(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("lexichord.agent", schemars::schema_for!(Agent).to_value()),
            (
                "lexichord.package-lock",
                schemars::schema_for!(PackageLock).to_value(),
            ),
            (
                "lexichord.manifest-signature",
                schemars::schema_for!(Signatures).to_value(),
            ),
        ]
    }

    fn containers(&self) -> &'static [Container] {
        &[Container::Zip]
    }

    fn claims(&self, tree: &Tree, manifest: Option<&Map<String, Value>>) -> bool {
        let named = |m: &Map<String, Value>| {
            m.contains_key("displayName")
                || (m.contains_key("id") && tree.get(agent::AGENT).is_some())
        };
        match manifest {
            Some(manifest) => named(manifest),
            None => tree.get(manifest::MANIFEST).is_some() && tree.get(agent::AGENT).is_some(),
        }
    }

    /// A folder with a hash or a signature is a package that someone unpacked.
    fn stage(&self, tree: &Tree) -> Stage {
        let hashed = || {
            let bytes = tree.read(manifest::MANIFEST).ok().flatten()?;
            let value = crate::text::parse_json(&bytes).ok()?;
            value.get("contentHash").map(drop)
        };
        let packed = tree.container() != Container::Folder
            || tree.get(SIGNATURE_FILE).is_some()
            || hashed().is_some();
        if packed { Stage::Packed } else { Stage::Source }
    }

    fn read(
        &self,
        tree: &Tree,
        stage: Stage,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Manifest>, ArchiveError> {
        let Some(object) = read_object(tree, manifest::MANIFEST, diagnostics)? else {
            return Ok(None);
        };
        let document = manifest::read(&object, diagnostics);
        listing::check(tree, &document, stage, diagnostics);
        license::check(tree, document.license.as_deref(), diagnostics)?;
        check_skills(tree, diagnostics)?;
        let found = agent::read(tree, diagnostics)?;
        let carried = match stage {
            Stage::Packed => {
                let lock = match tree.get(lock::LOCK) {
                    Some(_) => read_object(tree, lock::LOCK, diagnostics)?,
                    None => None,
                };
                lock::check(tree, lock.as_ref(), &document, diagnostics)
            }
            Stage::Source => {
                check_source(tree, &document, diagnostics);
                BTreeSet::new()
            }
        };
        let content = content_hash(&object, tree);
        check_content(tree, &document, content, stage, diagnostics);
        // The build leaves old signatures out, so that a stale one stops nobody from building.
        if stage == Stage::Packed
            && let Some(bytes) = tree.read(SIGNATURE_FILE)?
        {
            signature::check(&bytes, Some(content), diagnostics);
        }
        let (Some(id), Some(version)) = (document.id.clone(), document.version.clone()) else {
            return Ok(None);
        };
        let mut found = found.unwrap_or_default();
        let carried = carried.into_iter().map(|id| id.to_string());
        found.capabilities.extend(carried.map(Capability::Carries));
        Ok(Some(Manifest {
            format: FormatName::Lexichord,
            version: Some(version),
            display_name: document.display_name.clone(),
            description: document.description.clone(),
            author: document.author.clone(),
            license: document.license.clone(),
            minimum_license_tier: document.minimum_license_tier,
            homepage: document.homepage.clone(),
            repository: document.repository.clone().map(|r| r.url),
            bugs: document.bugs.clone().map(|b| b.url),
            keywords: document.keywords.clone(),
            category: document.category.clone(),
            created_at: document.created_at.clone(),
            dependencies: document.dependency_list(),
            requirements: document
                .engines
                .iter()
                .map(|(name, range)| Requirement::Engine {
                    name: name.clone(),
                    range: range.clone(),
                })
                .collect(),
            capabilities: found.capabilities,
            launch: Launch::Agents {
                agents: vec![id.to_string()],
                tasks: found.agent.workflows,
            },
            files: FileRecord::list(tree, |path| {
                [manifest::MANIFEST, agent::AGENT].contains(&path)
            }),
            id,
        }))
    }

    fn scaffold(&self, id: &PackageName, created_at: &str) -> Result<Vec<NewFile>, InvalidName> {
        Ok(scaffold::files(id, created_at))
    }

    fn includes(&self, path: &PackagePath, options: &BuildOptions) -> bool {
        let docs = path.is_under("docs") || ["README.md", "CHANGELOG.md"].contains(&path.as_str());
        let examples = path.is_under("examples") || path.is_under("workflows/examples");
        (options.include_docs || !docs)
            && (options.include_examples || !examples)
            && (options.include_source || !path.is_under("src"))
            && ![lock::LOCK, SIGNATURE_FILE].contains(&path.as_str())
            && !path.is_under(lock::CARRIED)
    }

    fn selection(&self, tree: &Tree) -> Result<Selection, ArchiveError> {
        let mut diagnostics = Diagnostics::new(true);
        let object = read_object(tree, manifest::MANIFEST, &mut diagnostics)?.unwrap_or_default();
        let listing = Listing::new(&manifest::read(&object, &mut diagnostics).files);
        Ok(Box::new(move |path| listing.takes(path)))
    }

    fn finish(&self, draft: &mut Draft, options: &BuildOptions) -> Result<(), BuildError> {
        carry::refuse_key(self.name(), options)?;
        let mut object = draft.read_object(manifest::MANIFEST)?;
        let document = manifest::read(&object, &mut Diagnostics::new(false));
        let chosen = &options.chosen;
        let lock = PackageLock::chosen(&document, chosen, options.sealed);
        for (locked, package) in lock.packages.iter().zip(&chosen.packages) {
            if let (Some(path), Some(file)) = (&locked.carried, &package.file) {
                draft.put_disk(path, file, package.size, package.digest)?;
            }
        }
        draft.put_json(lock::LOCK, &serde_json::to_value(&lock).unwrap_or_default())?;
        let listing = Listing::new(&document.files);
        draft.files.retain(|path, _| listing.takes(path));
        let list = listing::listed(draft, &document.files);
        object.insert("files".to_owned(), list.into());
        if let Some(created_at) = &options.created_at {
            object.insert("createdAt".to_owned(), created_at.clone().into());
        }
        if !options.metadata.is_empty() {
            let mut metadata = document.metadata.clone();
            metadata.extend(options.metadata.clone());
            object.insert("metadata".to_owned(), metadata.into());
        }
        object.remove("signature");
        let tree = draft.as_tree()?;
        let hash = content_hash(&object, &tree);
        object.insert("contentHash".to_owned(), hash.to_string().into());
        draft.put_json(manifest::MANIFEST, &Value::Object(object))?;
        Ok(())
    }

    fn file_name(&self, manifest: &Manifest, _: Container) -> String {
        match &manifest.version {
            Some(version) => format!("{}-{version}.lxpkg", manifest.id),
            None => format!("{}.lxpkg", manifest.id),
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

/// Reads a JSON object at the root, reporting why it is none.
fn read_object(
    tree: &Tree,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Map<String, Value>>, ArchiveError> {
    let Some(bytes) = tree.read(path)? else {
        diagnostics.report(
            &fields::rules::REQUIRED,
            path,
            format!("there is no {path} at the root"),
        );
        return Ok(None);
    };
    match crate::text::parse_json(&bytes) {
        Ok(Value::Object(object)) => return Ok(Some(object)),
        Ok(other) => {
            let message = format!("it must be an object, not {}", fields::kind_of(&other));
            diagnostics.report(&fields::rules::TYPE, path, message);
        }
        Err(error) => diagnostics.report(&fields::rules::SYNTAX, path, error.to_string()),
    }
    Ok(None)
}

fn check_skills(tree: &Tree, diagnostics: &mut Diagnostics) -> Result<(), ArchiveError> {
    let mut folders = BTreeSet::new();
    for entry in tree.entries().iter().filter(|e| e.path.is_under("skills")) {
        match entry
            .path
            .components()
            .nth(1)
            .filter(|_| entry.path.components().count() > 2)
        {
            Some(folder) => {
                folders.insert(folder.to_owned());
            }
            None => diagnostics.report(
                &rules::SKILL,
                entry.path.as_str(),
                "skills/ holds folders, each with a SKILL.md",
            ),
        }
    }
    // One pass: a skill at a time would unpack some archives once for each.
    tree.read_many(
        |e| {
            let mut parts = e.path.components().skip(2);
            e.path.is_under("skills") && parts.next() == Some("SKILL.md") && parts.next().is_none()
        },
        |entry, bytes| {
            let folder = entry.path.components().nth(1).unwrap_or_default();
            let file = entry.path.as_str();
            validate_skill(folder, file, &bytes, SkillFields::Standard, diagnostics);
            folders.remove(folder);
        },
    )?;
    for folder in folders {
        let file = format!("skills/{folder}/SKILL.md");
        diagnostics.report(&rules::SKILL, file, "the skill has no SKILL.md");
    }
    Ok(())
}

/// Warns of what the build will do without being asked, or cannot do.
fn check_source(tree: &Tree, document: &Document, diagnostics: &mut Diagnostics) {
    if tree.has_folder(lock::CARRIED) {
        diagnostics.warn(
            &rules::SEALED,
            lock::CARRIED,
            "carried packages are put in by `attache build --sealed --dependency FILE`; these stay out",
        );
    }
    if document.created_at.is_none() {
        diagnostics.warn(
            &rules::CREATED_AT,
            "manifest.json#/createdAt",
            "it is missing; `attache build` takes it from SOURCE_DATE_EPOCH or the last commit, else it must be here",
        );
    }
}

fn check_content(
    tree: &Tree,
    document: &Document,
    content: crate::Digest,
    stage: Stage,
    diagnostics: &mut Diagnostics,
) {
    let place = "manifest.json#/contentHash";
    match document.content_hash {
        Some(stated) if stated != content && stage == Stage::Packed => {
            let hint = match tree.container() {
                Container::Folder => "; `attache build` makes it anew",
                _ => "",
            };
            let message = format!(
                "the package's content hashes to {content}; it changed after it was built{hint}"
            );
            diagnostics.report(&rules::CONTENT_HASH, place, message);
        }
        None if stage == Stage::Packed => {
            diagnostics.report(
                &rules::CONTENT_HASH,
                place,
                "it is missing; build the package with `attache build`",
            );
        }
        _ => {}
    }
    if stage == Stage::Packed && document.created_at.is_none() {
        diagnostics.report(
            &rules::CREATED_AT,
            "manifest.json#/createdAt",
            "it is missing",
        );
    }
    if let Some(signature) = &document.signature {
        if stage == Stage::Packed && signature.content_hash != content {
            diagnostics.report(
                &rules::SIGNATURE,
                "manifest.json#/signature/contentHash",
                "it was made for another content",
            );
        }
        if signature.trust_level.is_some() {
            diagnostics.warn(
                &rules::TRUST_LEVEL,
                "manifest.json#/signature/trustLevel",
                "a package cannot say how far it is to be trusted; this is ignored",
            );
        }
    }
}
