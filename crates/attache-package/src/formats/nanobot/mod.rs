//! The Nanobot dialect: agents, skills and tasks as Markdown with YAML front matter.
//!
//! [`Definitions::load`] reads the whole of `.nanobot/`; the engine starts from it too. A pack
//! is a zip of that folder, with a `pack.yaml` of our own for its name and version.

use std::path::Path;

use serde_json::{Map, Value};

use super::{ConvertedFile, Format, FormatName, NewFile, Stage, carry};
use crate::archive::Content;
use crate::build::{BuildError, BuildOptions, Draft};
use crate::convert::{Losses, Portable};
use crate::{
    ArchiveError, Container, Diagnostics, FileRecord, InvalidName, Launch, LicenseTier, Manifest,
    PackageName, PackagePath, Rule, Tree,
};

pub use agent::Agent;
pub use approvals::{ApprovalRule, Approvals, Decision, Matcher, Pattern};
pub use definitions::Definitions;
pub use grants::{BUILT_IN_TOOLS, Grants};
pub use inherit::Inheritance;
pub use pack::Pack;
pub use skill::{Skill, SkillFields, validate_skill};
pub use task::{Input, Step, Task};

mod agent;
mod approvals;
mod convert;
mod definitions;
mod grants;
mod inherit;
mod pack;
mod references;
pub mod rules;
mod scaffold;
mod schema;
mod skill;
mod task;
#[cfg(test)]
mod tests;

use definitions::{Kind, ROOT, definition};

/// The dialect.
pub struct Nanobot;

impl Format for Nanobot {
    fn name(&self) -> FormatName {
        FormatName::Nanobot
    }

    fn rules(&self) -> &'static [&'static Rule] {
        rules::ALL
    }

    fn manifest_schema(&self) -> Value {
        schema::schema()
    }

    fn containers(&self) -> &'static [Container] {
        &[Container::Zip]
    }

    fn claims(&self, tree: &Tree, _manifest: Option<&Map<String, Value>>) -> bool {
        Kind::ALL.iter().any(|kind| tree.has_folder(kind.folder()))
    }

    fn read(
        &self,
        tree: &Tree,
        stage: Stage,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Manifest>, ArchiveError> {
        let all = Definitions::load(tree, diagnostics)?;
        check_places(tree, stage, diagnostics);
        let has_pack = tree.get(pack::FILE).is_some();
        let id = match &all.pack {
            Some(pack) => Some(pack.name.clone()),
            // What is wrong with pack.yaml has been said.
            None if has_pack => None,
            None => {
                let name = name_of_tree(tree);
                if name.is_none() {
                    diagnostics.report(
                        &rules::NO_NAME,
                        pack::FILE,
                        "there is no pack.yaml, and the file's name makes no package name; add a pack.yaml with a `name`",
                    );
                }
                name
            }
        };
        Ok(id.map(|id| manifest(id, &all, tree)))
    }

    fn scaffold(&self, id: &PackageName, _created_at: &str) -> Result<Vec<NewFile>, InvalidName> {
        Ok(scaffold::files(id))
    }

    fn includes(&self, path: &PackagePath, options: &BuildOptions) -> bool {
        belongs(path) && (options.include_docs || !is_named(path, "README"))
    }

    /// A finished pack always has a `pack.yaml`, so that its name does not hang on the name of
    /// the archive. One that is there already is only written again where an option asks for it.
    fn finish(&self, draft: &mut Draft, options: &BuildOptions) -> Result<(), BuildError> {
        carry::refuse_key(self.name(), options)?;
        let mut diagnostics = Diagnostics::default();
        let invalid = |diagnostics: Diagnostics| BuildError::Invalid {
            problems: diagnostics.into_parts().0,
        };
        let written = draft.read(pack::FILE)?;
        let mut pack = match &written {
            Some(bytes) => match Pack::read(bytes, &mut diagnostics) {
                Some(pack) if diagnostics.is_valid() => pack,
                _ => return Err(invalid(diagnostics)),
            },
            None => match name_of_draft(draft) {
                Some(name) => Pack::named(name),
                None => {
                    diagnostics.report(
                        &rules::NO_NAME,
                        pack::FILE,
                        "the folder's name makes no package name; add a pack.yaml with a `name`",
                    );
                    return Err(invalid(diagnostics));
                }
            },
        };
        let before = pack.clone();
        if let Some(created_at) = &options.created_at {
            pack.created_at = Some(created_at.clone());
        }
        for (field, value) in &options.metadata {
            pack.metadata.insert(field.clone(), value.clone());
        }
        if written.is_none() || pack != before {
            draft.put(pack::FILE, pack.to_yaml().into_bytes())?;
        }
        Ok(())
    }

    fn file_name(&self, manifest: &Manifest, _container: Container) -> String {
        match &manifest.version {
            Some(version) => format!("{}-{version}.nanobot.zip", manifest.id),
            None => format!("{}.nanobot.zip", manifest.id),
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

fn manifest(id: PackageName, all: &Definitions, tree: &Tree) -> Manifest {
    // A pack of one agent is that agent, for people.
    let only = match all.agents.len() {
        1 => all.agents.values().next(),
        _ => None,
    };
    let pack = all.pack.as_ref();
    let of_pack = |field: fn(&Pack) -> &Option<String>| pack.and_then(|p| field(p).clone());
    Manifest {
        format: FormatName::Nanobot,
        version: pack.and_then(|p| p.version.clone()),
        display_name: only.map_or_else(|| id.to_string(), |agent| agent.name.clone()),
        description: of_pack(|p| &p.description)
            .or_else(|| only.and_then(|agent| agent.description.clone())),
        author: of_pack(|p| &p.author),
        license: of_pack(|p| &p.license),
        minimum_license_tier: LicenseTier::default(),
        homepage: None,
        repository: None,
        bugs: None,
        keywords: Vec::new(),
        category: None,
        created_at: of_pack(|p| &p.created_at),
        dependencies: Vec::new(),
        requirements: Vec::new(),
        capabilities: all.capabilities(),
        launch: Launch::Agents {
            agents: all.agents.keys().cloned().collect(),
            tasks: all.tasks.keys().cloned().collect(),
        },
        files: FileRecord::list(tree, |path| {
            path == pack::FILE || definition(path).is_some()
        }),
        id,
    }
}

/// Returns whether a file has a place in a finished pack.
fn belongs(path: &PackagePath) -> bool {
    path.is_under(ROOT) || is_named(path, "README") || is_named(path, "LICENSE")
}

/// Returns whether a file at the root is `name`, with any ending and in any case.
fn is_named(path: &PackagePath, name: &str) -> bool {
    let upper = path.as_str().to_ascii_uppercase();
    path.parent().is_none()
        && upper
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
}

fn check_places(tree: &Tree, stage: Stage, diagnostics: &mut Diagnostics) {
    for entry in tree.entries() {
        let path = &entry.path;
        if stage == Stage::Packed && !belongs(path) {
            diagnostics.report(
                &rules::EXTRA_FILE,
                path.as_str(),
                "this file has no place in a pack; keep it outside `.nanobot/` in the source, and it stays out",
            );
        }
        match Kind::of(path) {
            Some(kind) => {
                let (given, wanted) = (path.file_name(), kind.file());
                if given != wanted && given.eq_ignore_ascii_case(wanted) {
                    let message = format!("rename `{given}` to `{wanted}`, or it is not found");
                    diagnostics.report(&rules::FILE_NAME, path.as_str(), message);
                }
            }
            None if path.is_under(ROOT) && path.as_str() != pack::FILE => diagnostics.warn(
                &rules::PLACE,
                path.as_str(),
                "nothing reads this file, and it goes into the pack; is it meant to?",
            ),
            None => {}
        }
    }
}

/// Returns a name for a pack that has no `pack.yaml`: its folder's or archive's, or, where the
/// files are in memory only, that of the first thing it defines.
fn name_of_tree(tree: &Tree) -> Option<PackageName> {
    if tree.source().as_os_str().is_empty() {
        name_from_definitions(tree.entries().iter().map(|entry| entry.path.as_str()))
    } else {
        name_of(tree.source())
    }
}

/// Returns the same name for a draft, from where its files are on disk.
fn name_of_draft(draft: &Draft) -> Option<PackageName> {
    let folder = draft.files.values().find_map(|file| {
        let Content::Disk(disk) = &file.content else {
            return None;
        };
        let inside = Path::new(file.path.as_str());
        disk.ends_with(inside)
            .then(|| disk.ancestors().nth(inside.components().count()))?
    });
    match folder {
        Some(folder) => name_of(folder),
        None => name_from_definitions(draft.files.keys().map(PackagePath::as_str)),
    }
}

fn name_from_definitions<'a>(paths: impl Iterator<Item = &'a str>) -> Option<PackageName> {
    let (_, id) = paths
        .filter_map(definition)
        .min_by_key(|(kind, id)| (Kind::ALL.iter().position(|k| k == kind), *id))?;
    pack::name_from(Path::new(&id.replace('/', ".")))
}

/// Returns the package name that a path on disk makes; `.` counts as the folder it is.
fn name_of(path: &Path) -> Option<PackageName> {
    if path.file_name().is_some() {
        return pack::name_from(path);
    }
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    pack::name_from(&fs_err::canonicalize(path).ok()?)
}
