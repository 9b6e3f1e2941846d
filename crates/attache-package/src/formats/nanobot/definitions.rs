//! Everything a pack defines, by the ids that its folders give.

use std::collections::{BTreeMap, BTreeSet};

use super::agent::Agent;
use super::pack::{self, Pack};
use super::skill::{Skill, SkillFields, validate_skill};
use super::task::Task;
use super::{references, rules};
use crate::fields::rules::SYNTAX;
use crate::text::FrontMatter;
use crate::{ArchiveError, Capability, Diagnostics, Entry, Tree};

/// Where everything is.
pub(super) const ROOT: &str = ".nanobot";

/// One of the three kinds of definition, with its folder and file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Agent,
    Skill,
    Task,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Agent, Self::Skill, Self::Task];

    /// Returns the folder that all definitions of this kind are in.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::Agent => ".nanobot/agents",
            Self::Skill => ".nanobot/skills",
            Self::Task => ".nanobot/tasks",
        }
    }

    /// Returns the file that makes a folder a definition.
    pub(super) fn file(self) -> &'static str {
        match self {
            Self::Agent => "AGENT.md",
            Self::Skill => "SKILL.md",
            Self::Task => "TASK.md",
        }
    }

    /// Returns what people call it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Skill => "skill",
            Self::Task => "task",
        }
    }

    /// Returns the kind whose collection `path` lies in.
    pub(super) fn of(path: &crate::PackagePath) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| path.as_str() != kind.folder() && path.is_under(kind.folder()))
    }
}

/// Everything a pack defines, by id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Definitions {
    /// What the pack says of itself, if it does.
    pub pack: Option<Pack>,
    /// The agents.
    pub agents: BTreeMap<String, Agent>,
    /// The skills.
    pub skills: BTreeMap<String, Skill>,
    /// The tasks.
    pub tasks: BTreeMap<String, Task>,
}

impl Definitions {
    /// Reads all definitions in `tree`, reporting every problem.
    pub fn load(tree: &Tree, diagnostics: &mut Diagnostics) -> Result<Self, ArchiveError> {
        let texts = read_texts(tree)?;
        let mut all = Self::default();
        if let Some(bytes) = texts.get(pack::FILE) {
            all.pack = Pack::read(bytes, diagnostics);
        }
        let mut ids: [BTreeSet<String>; 3] = Default::default();
        for (path, bytes) in &texts {
            let Some((kind, id)) = definition(path) else {
                continue;
            };
            let at = Kind::ALL
                .iter()
                .position(|k| *k == kind)
                .unwrap_or_default();
            ids[at].insert(id.to_owned());
            if let Err(message) = check_id(id) {
                diagnostics.report(&rules::ID, path.as_str(), message);
            }
            match kind {
                Kind::Agent => match FrontMatter::parse(bytes) {
                    Ok(document) => {
                        let read = Agent::read(path, document, diagnostics);
                        all.agents.extend(read.map(|agent| (id.to_owned(), agent)));
                    }
                    Err(error) => diagnostics.report(&SYNTAX, path.as_str(), error.to_string()),
                },
                Kind::Skill => {
                    let folder = id.rsplit('/').next().unwrap_or(id);
                    let read =
                        validate_skill(folder, path, bytes, SkillFields::Nanobot, diagnostics);
                    all.skills.extend(read.map(|skill| (id.to_owned(), skill)));
                }
                Kind::Task => {
                    let folder = &path[..path.len() - "/TASK.md".len()];
                    let read = Task::read(folder, &siblings(&texts, folder), diagnostics);
                    all.tasks.extend(read.map(|task| (id.to_owned(), task)));
                }
            }
        }
        let [agents, skills, tasks] = ids;
        let known = references::Known {
            agents,
            skills,
            tasks,
        };
        if known.is_empty() {
            diagnostics.report(
                &rules::EMPTY,
                ROOT,
                "there is no AGENT.md, SKILL.md or TASK.md in `.nanobot/agents`, `skills` or `tasks`",
            );
        }
        references::check(&all, &known, diagnostics);
        Ok(all)
    }

    /// Returns everything the pack asks to be allowed.
    pub fn capabilities(&self) -> BTreeSet<Capability> {
        let mut all = BTreeSet::new();
        self.agents
            .values()
            .for_each(|a| a.add_capabilities(&mut all));
        self.skills
            .values()
            .for_each(|s| s.add_capabilities(&mut all));
        self.tasks
            .values()
            .for_each(|t| t.add_capabilities(&mut all));
        all
    }
}

/// Reads every file that means something, in one pass.
fn read_texts(tree: &Tree) -> Result<BTreeMap<String, Vec<u8>>, ArchiveError> {
    let wanted = |entry: &Entry| {
        let path = entry.path.as_str();
        path == pack::FILE
            || definition(path).is_some()
            || (entry.path.is_under(Kind::Task.folder()) && path.ends_with(".md"))
    };
    let mut texts = BTreeMap::new();
    tree.read_many(wanted, |entry, bytes| {
        texts.insert(entry.path.to_string(), bytes);
    })?;
    Ok(texts)
}

/// Returns the kind and id of the definition at `path`; a file right in the collection has an
/// empty id.
pub(super) fn definition(path: &str) -> Option<(Kind, &str)> {
    Kind::ALL.into_iter().find_map(|kind| {
        let inner = path.strip_prefix(kind.folder())?.strip_prefix('/')?;
        let id = inner.strip_suffix(kind.file())?;
        match id {
            "" => Some((kind, "")),
            id => Some((kind, id.strip_suffix('/')?)),
        }
    })
}

fn siblings(texts: &BTreeMap<String, Vec<u8>>, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let inside = |path: &str| {
        let name = path.strip_prefix(folder)?.strip_prefix('/')?;
        (!name.contains('/')).then(|| name.to_owned())
    };
    texts
        .range(format!("{folder}/")..)
        .take_while(|(path, _)| path.starts_with(&format!("{folder}/")))
        .filter_map(|(path, bytes)| Some((inside(path)?, bytes.clone())))
        .collect()
}

/// Checks every folder of an id.
pub(super) fn check_id(id: &str) -> Result<(), String> {
    if id.is_empty() {
        return Err("put the file in a folder of its own; the folder's name is the id".to_owned());
    }
    if id == super::inherit::INHERIT {
        return Err(
            "`inherit` means something else in lists; give the folder another name".to_owned(),
        );
    }
    let good = |part: &str| {
        part.starts_with(char::is_alphanumeric)
            && part
                .chars()
                .all(|c| c.is_alphanumeric() || "-_.".contains(c))
    };
    match id.split('/').find(|part| !good(part)) {
        None => Ok(()),
        Some(part) => Err(format!(
            "the folder `{part}` makes no id: use letters, digits, `-`, `_` and `.`, beginning with a letter or digit"
        )),
    }
}
