//! To and from the terms that every dialect shares.
//!
//! Files that lie in `.nanobot/skills/x/` leave as `skills/x/…` and come back the same way:
//! another dialect's package must not hold a `.nanobot` folder, or it would be of two formats.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::{Definitions, Kind, ROOT, definition};
use super::pack::{self, Pack, scalar};
use super::task::Task;
use super::{belongs, skill};
use crate::convert::{Losses, Portable, PortableAgent, PortableFile, PortableText};
use crate::formats::{ConvertedFile, carry};
use crate::{
    ArchiveError, Diagnostics, Launch, LicenseTier, Manifest, PackagePath, Requirement, Tree,
};

pub(super) fn export(
    tree: &Tree,
    manifest: &Manifest,
    losses: &mut Losses,
) -> Result<Portable, ArchiveError> {
    let all = Definitions::load(tree, &mut Diagnostics::new(true))?;
    lose_settings(&all, losses);
    let steps: BTreeSet<String> = all
        .tasks
        .iter()
        .flat_map(|(id, task)| {
            let step = move |file: &str| format!("{}/{id}/{file}", Kind::Task.folder());
            task.steps.iter().map(move |s| step(&s.file))
        })
        .collect();
    let mut files = BTreeMap::new();
    let carried = |path: &PackagePath| {
        belongs(path)
            && path.as_str() != pack::FILE
            && definition(path.as_str()).is_none()
            && !steps.contains(path.as_str())
    };
    tree.read_many(
        |entry| carried(&entry.path),
        |entry, bytes| {
            let inner = entry.path.as_str();
            let inner = inner.strip_prefix(".nanobot/").unwrap_or(inner);
            if let Ok(path) = PackagePath::new(inner) {
                let executable = entry.executable;
                files.insert(path, PortableFile { bytes, executable });
            }
        },
    )?;
    Ok(Portable {
        manifest: manifest.clone(),
        agents: all
            .agents
            .iter()
            .map(|(id, agent)| PortableAgent {
                id: id.clone(),
                name: agent.name.clone(),
                description: agent.description.clone(),
                model: agent.model.clone(),
                instructions: trimmed(&agent.body),
                tools: agent.grants.tools.named().to_vec(),
                skills: agent.grants.skills.named().to_vec(),
            })
            .collect(),
        skills: all
            .skills
            .iter()
            .map(|(id, skill)| PortableText {
                id: id.clone(),
                name: skill.name.clone(),
                description: Some(skill.description.clone()),
                body: trimmed(&skill.body),
            })
            .collect(),
        tasks: all
            .tasks
            .iter()
            .map(|(id, task)| PortableText {
                id: id.clone(),
                name: task.first().name.clone().unwrap_or_else(|| id.clone()),
                description: task.first().description.clone(),
                body: all_steps(task),
            })
            .collect(),
        env: BTreeMap::new(),
        files,
    })
}

/// Records what no other dialect has a place for.
fn lose_settings(all: &Definitions, losses: &mut Losses) {
    let mut lose = |what: String, lost: &[(&str, bool)]| {
        let names: Vec<_> = lost
            .iter()
            .filter(|(_, there)| *there)
            .map(|(name, _)| *name)
            .collect();
        if !names.is_empty() {
            losses.lose(
                what,
                format!("{}: only Nanobot has these", names.join(", ")),
            );
        }
    };
    for (id, agent) in &all.agents {
        let lost = [
            ("temperature", agent.temperature.is_some()),
            ("max_tokens", agent.max_tokens.is_some()),
            ("allowed_models", !agent.allowed_models.is_empty()),
            ("approvals", agent.grants.has_approvals()),
            ("metadata", !agent.metadata.is_empty()),
        ];
        lose(format!("agent {id}"), &lost);
    }
    for (id, skill) in &all.skills {
        let lost = [
            ("license", skill.license.is_some()),
            ("compatibility", skill.compatibility.is_some()),
            ("allowed-tools", !skill.allowed_tools.is_empty()),
            ("approvals", skill.grants.has_approvals()),
            ("metadata", !skill.metadata.is_empty()),
        ];
        lose(format!("skill {id}"), &lost);
    }
    for (id, task) in &all.tasks {
        let lost = [
            ("agent", task.steps.iter().any(|s| s.agent.is_some())),
            ("inputs", task.steps.iter().any(|s| !s.inputs.is_empty())),
            ("separate steps", task.steps.len() > 1),
            (
                "approvals",
                task.steps.iter().any(|s| s.grants.has_approvals()),
            ),
            (
                "metadata",
                task.steps.iter().any(|s| !s.metadata.is_empty()),
            ),
        ];
        lose(format!("task {id}"), &lost);
    }
}

/// Joins the steps, since other dialects know a task as one text.
fn all_steps(task: &Task) -> String {
    let bodies: Vec<_> = task.steps.iter().map(|step| trimmed(&step.body)).collect();
    bodies.join("\n")
}

/// Drops the blank lines around a body and ends it with one line feed.
fn trimmed(body: &str) -> String {
    format!("{}\n", body.trim())
}

/// The source folder being written.
struct Writer<'l> {
    files: BTreeMap<String, ConvertedFile>,
    losses: &'l mut Losses,
    /// For each kind, the new id of each old one.
    ids: [BTreeMap<String, String>; 3],
}

pub(super) fn import(agent: &Portable, losses: &mut Losses) -> Vec<ConvertedFile> {
    let mut writer = Writer {
        files: BTreeMap::new(),
        losses,
        ids: Default::default(),
    };
    writer.pack(&agent.manifest);
    let own = [PortableAgent {
        id: "assistant".to_owned(),
        name: agent.manifest.display_name.clone(),
        description: agent.manifest.description.clone(),
        ..PortableAgent::default()
    }];
    let nothing = agent.agents.is_empty() && agent.skills.is_empty() && agent.tasks.is_empty();
    let agents = if nothing { &own[..] } else { &agent.agents };
    if nothing {
        writer.losses.invent(
            "agent assistant",
            "a pack needs at least one definition, and there was no prompt to take over",
        );
    }
    writer.choose_ids(Kind::Skill, agent.skills.iter().map(|s| s.id.as_str()));
    writer.choose_ids(Kind::Task, agent.tasks.iter().map(|t| t.id.as_str()));
    writer.choose_ids(Kind::Agent, agents.iter().map(|a| a.id.as_str()));
    agents.iter().for_each(|one| writer.agent(one));
    agent.skills.iter().for_each(|one| writer.skill(one));
    agent.tasks.iter().for_each(|one| writer.task(one));
    for (path, file) in &agent.files {
        writer.carry(path, file);
    }
    writer.lose_rest(agent);
    writer.files.into_values().collect()
}

impl Writer<'_> {
    fn pack(&mut self, manifest: &Manifest) {
        let created_at = manifest
            .created_at
            .clone()
            .filter(|at| at.parse::<jiff::Timestamp>().is_ok());
        if created_at.is_none()
            && let Some(given) = &manifest.created_at
        {
            let detail = format!("`{given}` is no RFC 3339 time");
            self.losses.lose("createdAt", detail);
        }
        let pack = Pack {
            version: manifest.version.clone(),
            description: manifest.description.clone(),
            author: manifest.author.clone(),
            license: manifest.license.clone(),
            created_at,
            ..Pack::named(manifest.id.clone())
        };
        self.add(pack::FILE, pack.to_yaml().into_bytes(), false);
    }

    fn add(&mut self, path: &str, bytes: Vec<u8>, executable: bool) {
        let file = ConvertedFile {
            executable,
            ..ConvertedFile::new(path, bytes)
        };
        self.files.insert(crate::path::twin_key(path), file);
    }

    /// Gives every definition an id that its folder can have, and no two the same.
    fn choose_ids<'a>(&mut self, kind: Kind, olds: impl Iterator<Item = &'a str>) {
        let mut taken = BTreeSet::new();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        // How each folder was spelled first: `Team/a` and `team/b` are in one folder.
        let mut spelled: BTreeMap<String, String> = BTreeMap::new();
        for old in olds {
            let base = new_id(kind, old)
                .split('/')
                .map(|part| {
                    let key = crate::path::twin_key(part);
                    spelled
                        .entry(key)
                        .or_insert_with(|| part.to_owned())
                        .clone()
                })
                .collect::<Vec<_>>()
                .join("/");
            let mut id = base.clone();
            // Counted on from the last of this name, so that many alike are soon told apart.
            let count = counts.entry(crate::path::twin_key(&base)).or_insert(1);
            while !taken.insert(crate::path::twin_key(&id)) {
                *count += 1;
                id = format!("{base}-{count}");
            }
            if id != old {
                let what = format!("{} {old}", kind.word());
                let detail = format!("its id became `{id}`, which a folder can have");
                self.losses.invent(what, detail);
            }
            self.ids[kind as usize].insert(old.to_owned(), id);
        }
    }

    fn id(&self, kind: Kind, old: &str) -> String {
        let known = self.ids[kind as usize].get(old);
        known.cloned().unwrap_or_else(|| new_id(kind, old))
    }

    fn document(&mut self, kind: Kind, id: &str, fields: &[(&str, String)], body: &str) {
        let mut text = String::from("---\n");
        for (name, value) in fields {
            text.push_str(&format!("{name}: {value}\n"));
        }
        text.push_str("---\n");
        let body = body.trim();
        if !body.is_empty() {
            text.push_str(&format!("\n{body}\n"));
        }
        let path = format!("{}/{id}/{}", kind.folder(), kind.file());
        self.add(&path, text.into_bytes(), false);
    }

    fn agent(&mut self, agent: &PortableAgent) {
        let what = format!("agent {}", agent.id);
        let mut fields = vec![("name", self.name(&what, &agent.name, &agent.id))];
        fields.extend(
            agent
                .description
                .as_deref()
                .map(|d| ("description", scalar(d))),
        );
        let model = agent.model.as_deref().filter(|m| !m.trim().is_empty());
        fields.extend(model.map(|m| ("model", scalar(m))));
        fields.push(("tools", self.tools(&what, &agent.tools)));
        let skills: Vec<_> = agent
            .skills
            .iter()
            .filter_map(|old| {
                let new = self.ids[Kind::Skill as usize].get(old).cloned();
                if new.is_none() {
                    let detail = format!("the skill `{old}` did not come along");
                    self.losses.lose(format!("{what}: skill {old}"), detail);
                }
                new
            })
            .collect();
        fields.push(("skills", list(&skills)));
        let id = self.id(Kind::Agent, &agent.id);
        self.document(Kind::Agent, &id, &fields, &agent.instructions);
    }

    /// Writes an explicit list: leaving it out would give the agent whatever its host has.
    fn tools(&mut self, what: &str, given: &[String]) -> String {
        let mut kept: Vec<String> = Vec::new();
        for tool in given {
            if super::grants::check_tool(tool).is_ok() && tool != super::inherit::INHERIT {
                if !kept.contains(tool) {
                    kept.push(tool.clone());
                }
            } else {
                let detail = "Nanobot tools are a built-in's name, or `server/tool`";
                self.losses.lose(format!("{what}: tool {tool}"), detail);
            }
        }
        if kept.is_empty() {
            let detail = "no tools were named, so the agent gets none";
            self.losses.invent(format!("{what}: tools"), detail);
        }
        list(&kept)
    }

    /// Returns the name to show; an empty one would be refused.
    fn name(&mut self, what: &str, name: &str, id: &str) -> String {
        if !name.trim().is_empty() {
            return scalar(name);
        }
        self.losses.invent(
            format!("{what}: name"),
            "it had none; its id took the place",
        );
        scalar(if id.trim().is_empty() { "Unnamed" } else { id })
    }

    fn skill(&mut self, skill: &PortableText) {
        let what = format!("skill {}", skill.id);
        let id = self.id(Kind::Skill, &skill.id);
        let name = id.rsplit('/').next().unwrap_or(&id).to_owned();
        if name != skill.name && !skill.name.is_empty() {
            let detail = format!(
                "`{}` became `{name}`, since a skill has its folder's name",
                skill.name
            );
            self.losses.lose(format!("{what}: name"), detail);
        }
        let given = skill
            .description
            .as_deref()
            .map(str::trim)
            .filter(|d| !d.is_empty());
        let mut description = given.map(str::to_owned).unwrap_or_else(|| {
            self.losses.invent(
                format!("{what}: description"),
                "a skill needs one; its name took the place",
            );
            if skill.name.trim().is_empty() {
                name.clone()
            } else {
                skill.name.clone()
            }
        });
        if description.chars().count() > 1024 {
            description = description.chars().take(1024).collect();
            self.losses.lose(
                format!("{what}: description"),
                "it was cut after 1024 characters",
            );
        }
        let fields = [
            ("name", scalar(&name)),
            ("description", scalar(&description)),
        ];
        self.document(Kind::Skill, &id, &fields, &skill.body);
    }

    fn task(&mut self, task: &PortableText) {
        let what = format!("task {}", task.id);
        let mut fields = vec![("name", self.name(&what, &task.name, &task.id))];
        fields.extend(
            task.description
                .as_deref()
                .map(|d| ("description", scalar(d))),
        );
        let id = self.id(Kind::Task, &task.id);
        self.document(Kind::Task, &id, &fields, &task.body);
    }

    /// Carries a file that lies beside a definition, or is a README or licence.
    fn carry(&mut self, path: &PackagePath, file: &PortableFile) {
        let target = if belongs(path) && !path.is_under(ROOT) {
            Some(path.to_string())
        } else {
            self.beside(path.as_str())
        };
        let clash = |target: &String| {
            let key = crate::path::twin_key(target);
            carry::clashes(&self.files, &key)
        };
        match target.filter(|target| !clash(target) && PackagePath::new(target).is_ok()) {
            Some(target) => self.add(&target, file.bytes.clone(), file.executable),
            None => self.losses.lose(
                path.as_str(),
                "a pack holds definitions and what lies beside them, not other files",
            ),
        }
    }

    /// Returns where `skills/x/notes.txt` goes if there is a skill `x`.
    fn beside(&self, path: &str) -> Option<String> {
        Kind::ALL.into_iter().find_map(|kind| {
            let plain = kind.folder().strip_prefix(".nanobot/")?;
            let inner = path.strip_prefix(plain)?.strip_prefix('/')?;
            // The longest id first: `a/b` may be a skill inside the folder of `a`.
            let (old, new) = self.ids[kind as usize]
                .iter()
                .filter(|(old, _)| {
                    inner
                        .strip_prefix(old.as_str())
                        .is_some_and(|r| r.starts_with('/'))
                })
                .max_by_key(|(old, _)| old.len())?;
            let rest = &inner[old.len()..];
            // A file that would itself be read as a definition or a step is none here.
            let name = rest.rsplit('/').next()?;
            let meant = name.eq_ignore_ascii_case(kind.file())
                || (kind == Kind::Task && name.to_ascii_lowercase().ends_with(".md"));
            (!meant).then(|| format!("{}/{new}{rest}", kind.folder()))
        })
    }

    fn lose_rest(&mut self, agent: &Portable) {
        let manifest = &agent.manifest;
        let mut lose = |what: &str, detail: String| self.losses.lose(what, detail);
        let fields = [
            ("homepage", &manifest.homepage),
            ("repository", &manifest.repository),
            ("bugs", &manifest.bugs),
            ("category", &manifest.category),
        ];
        for (field, value) in fields {
            if let Some(value) = value {
                lose(field, format!("a pack has no place for `{value}`"));
            }
        }
        if !manifest.keywords.is_empty() {
            lose("keywords", manifest.keywords.join(", "));
        }
        for dependency in &manifest.dependencies {
            lose(
                &format!("dependency {}", dependency.id),
                "packs do not depend on each other".to_owned(),
            );
        }
        for requirement in &manifest.requirements {
            let (what, detail) = match requirement {
                Requirement::Engine { name, .. } => (format!("engine {name}"), "a host program"),
                Requirement::Platform(platform) => {
                    (format!("platform {}", platform.os), "a platform")
                }
                Requirement::Runtime { name, .. } => (format!("runtime {name}"), "a runtime"),
            };
            lose(&what, format!("packs do not ask for {detail}"));
        }
        if manifest.minimum_license_tier != LicenseTier::default() {
            let tier = manifest.minimum_license_tier.as_str();
            lose("minimumLicenseTier", tier.to_owned());
        }
        for name in agent.env.keys() {
            let detail = "packs do not set or ask for environment variables";
            lose(&format!("env {name}"), detail.to_owned());
        }
        match &manifest.launch {
            Launch::McpStdio { entry, .. } | Launch::Bundle { entry, .. } => lose(
                "launch",
                format!("`{entry}` is code, and a pack holds none that is started"),
            ),
            Launch::Entrypoints { names } => lose("entrypoints", names.join(", ")),
            Launch::Agents { .. } => {}
        }
    }
}

/// Writes a list of names on one line.
fn list(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| scalar(name)).collect();
    format!("[{}]", names.join(", "))
}

/// Returns an id as near to `old` as folders of this kind allow.
fn new_id(kind: Kind, old: &str) -> String {
    let parts: Vec<String> = old
        .split('/')
        .map(|part| folder_name(kind, part))
        .filter(|part| !part.is_empty())
        // Deeper than this, and the paths inside could not be held.
        .take(8)
        .collect();
    match parts.join("/") {
        empty if empty.is_empty() => format!("unnamed-{}", kind.word()),
        reserved if reserved == super::inherit::INHERIT => format!("{reserved}-{}", kind.word()),
        id => id,
    }
}

fn folder_name(kind: Kind, part: &str) -> String {
    let keep = |c: char| match kind {
        Kind::Skill => c.is_ascii_lowercase() || c.is_ascii_digit(),
        Kind::Agent | Kind::Task => c.is_ascii_alphanumeric() || "_.".contains(c),
    };
    let given = match kind {
        Kind::Skill => part.to_lowercase(),
        Kind::Agent | Kind::Task => part.to_owned(),
    };
    let spelled: String = given
        .chars()
        .map(|c| if keep(c) { c } else { '-' })
        .collect();
    let words: Vec<_> = spelled.split('-').filter(|word| !word.is_empty()).collect();
    let mut name: String = words.join("-").chars().take(60).collect();
    name = name.trim_matches(['-', '_', '.']).to_owned();
    // Windows keeps some names for devices.
    if !name.is_empty() && PackagePath::new(&name).is_err() {
        name = format!("x-{name}");
    }
    debug_assert!(kind != Kind::Skill || name.is_empty() || skill::check_name(&name).is_ok());
    name
}
