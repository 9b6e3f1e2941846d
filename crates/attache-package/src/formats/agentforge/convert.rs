//! To and from the terms that every dialect shares.
//!
//! A pack gives meaning to `workflows/` and `tools/` only. Instructions and skills that come
//! from elsewhere are kept in `agents/` and `skills/`, where [`export`] finds them again.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::check;
use super::manifest::{self, ForgeManifest, PackKind};
use crate::convert::{Losses, NO_TIME, Portable, PortableAgent, PortableFile, PortableText};
use crate::formats::ConvertedFile;
use crate::formats::carry::{self, SourceFolder};
use crate::{ArchiveError, Capability, Launch, Manifest, PackagePath, Requirement, Tree, text};

const README: &str = "README.md";

/// The fields of the shared manifest that `manifest.json` has too.
const HELD: [&str; 3] = ["version", "author", "createdAt"];

pub(super) fn export(
    tree: &Tree,
    manifest: &Manifest,
    losses: &mut Losses,
) -> Result<Portable, ArchiveError> {
    let bytes = tree.read(manifest::PATH)?.unwrap_or_default();
    if crate::text::parse_json(&bytes).is_ok_and(|m| m.get("signature").is_some()) {
        losses.lose(
            "signature",
            "it is made for the AgentForge manifest, and no other",
        );
    }
    let mut files = BTreeMap::new();
    let (mut agents, mut skills, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
    let mut taken = BTreeSet::new();
    tree.read_many(
        |entry| entry.path.as_str() != manifest::PATH,
        |entry, bytes| {
            let id = check::stem(entry.path.file_name()).to_owned();
            let extension = entry.path.extension().unwrap_or_default();
            let readable = std::str::from_utf8(&bytes)
                .ok()
                .filter(|t| !t.trim().is_empty());
            match (entry.path.parent(), extension.as_str(), readable) {
                (Some("agents"), "md", Some(text)) => agents.push(PortableAgent {
                    name: id.clone(),
                    id,
                    instructions: text.to_owned(),
                    ..PortableAgent::default()
                }),
                (Some("skills"), "md", Some(text)) => skills.push(plain(id, text)),
                (Some("workflows"), "md" | "json" | "yaml" | "yml", Some(text))
                    if taken.insert(id.clone()) =>
                {
                    tasks.push(workflow(id, &extension, text));
                }
                _ => {
                    let file = PortableFile {
                        bytes,
                        executable: entry.executable,
                    };
                    files.insert(entry.path.clone(), file);
                }
            }
        },
    )?;
    if agents.is_empty()
        && let Some(readme) = files.get(README)
        && let Ok(instructions) = String::from_utf8(readme.bytes.clone())
        && !instructions.trim().is_empty()
    {
        losses.invent(
            "instructions",
            "a pack has no agent of its own; its README.md was taken for the instructions",
        );
        agents.push(PortableAgent {
            id: manifest.id.to_string(),
            name: manifest.display_name.clone(),
            description: manifest.description.clone(),
            instructions,
            ..PortableAgent::default()
        });
    }
    Ok(Portable {
        manifest: manifest.clone(),
        agents,
        skills,
        tasks,
        env: BTreeMap::new(),
        files,
    })
}

fn plain(id: String, text: &str) -> PortableText {
    PortableText {
        name: id.clone(),
        id,
        description: None,
        body: text.to_owned(),
    }
}

/// Turns a workflow into a text: Markdown as it is, data as one block of code.
fn workflow(id: String, extension: &str, text: &str) -> PortableText {
    if extension == "md" {
        return plain(id, text);
    }
    let data = match extension {
        "json" => text::parse_json(text.as_bytes()),
        _ => text::parse_yaml(text.as_bytes()),
    };
    let field = |name: &str| Some(data.as_ref().ok()?.get(name)?.as_str()?.to_owned());
    PortableText {
        name: field("name").unwrap_or_else(|| id.clone()),
        id,
        description: field("description"),
        body: fenced(extension, text),
    }
}

/// Puts `text` between fences longer than any that it holds.
fn fenced(language: &str, text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default().max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// Returns what [`fenced`] put in, if the whole of `body` is one block of JSON or YAML.
fn unfenced(body: &str) -> Option<(&str, &str)> {
    let (first, rest) = body.split_once('\n')?;
    let language = first.trim_start_matches('`');
    let fence = &first[..first.len() - language.len()];
    let inside = rest.trim_end().strip_suffix(fence)?;
    let one_block = fence.len() >= 3 && inside.ends_with('\n') && !inside.contains(fence);
    (one_block && ["json", "yaml", "yml"].contains(&language)).then_some((language, inside))
}

pub(super) fn import(agent: &Portable, losses: &mut Losses) -> Vec<ConvertedFile> {
    let mut folder = SourceFolder::default();
    // Reserved first, so that nothing carried along can take its place.
    folder.put(manifest::PATH, Vec::new());
    let workflows = texts(agent, &mut folder, losses);
    for (path, file) in &agent.files {
        if folder.has(path.as_str()) {
            losses.lose(path.as_str(), "the new format has its own file there");
        } else {
            folder.carry(path, file, losses);
        }
    }
    readme(agent, &mut folder, losses);
    leave_behind(agent, losses);
    let manifest = fields(agent, workflows, &folder, losses);
    let mut files = folder.into_files();
    if let Some(file) = files.iter_mut().find(|file| file.path == manifest::PATH) {
        file.bytes = manifest.to_json();
    }
    files
}

/// Writes the texts for models and returns the names of the workflows among them.
fn texts(agent: &Portable, folder: &mut SourceFolder, losses: &mut Losses) -> Vec<String> {
    for one in &agent.agents {
        carry::lose_settings(one, losses);
        let from_readme = agent
            .files
            .get(README)
            .is_some_and(|file| file.bytes == one.instructions.as_bytes());
        if from_readme || one.instructions.trim().is_empty() {
            continue;
        }
        let stem = folder.put_named("agents", &one.id, "md", one.instructions.as_bytes());
        let what = format!("the text of the agent `{}`", one.id);
        let why = "instructions have no meaning in a pack";
        losses.keep(format!("agents/{stem}.md"), what, why);
    }
    for skill in &agent.skills {
        let stem = folder.put_named("skills", &skill.id, "md", carry::document(skill).as_bytes());
        let what = format!("the skill `{}`", skill.id);
        let why = "skills have no meaning in a pack";
        losses.keep(format!("skills/{stem}.md"), what, why);
    }
    let mut names = Vec::new();
    for task in &agent.tasks {
        let stem = match unfenced(&task.body) {
            Some((language, data)) => {
                folder.put_named("workflows", &task.id, language, data.as_bytes())
            }
            None => folder.put_named(
                "workflows",
                &task.id,
                "md",
                carry::document(task).as_bytes(),
            ),
        };
        if stem != task.id {
            losses.invent(
                format!("tasks.{}", task.id),
                format!("its name became `{stem}`"),
            );
        }
        names.push(stem);
    }
    names
}

fn readme(agent: &Portable, folder: &mut SourceFolder, losses: &mut Losses) {
    let what = carry::describe(agent).unwrap_or_default();
    let text = format!("# {}\n\n{what}\n", agent.manifest.display_name);
    if !folder.has(README) && folder.put(README, text.trim_end().to_owned() + "\n") {
        losses.invent(README, "the agent's name and description");
    }
}

/// Records what a pack has no field for.
fn leave_behind(agent: &Portable, losses: &mut Losses) {
    carry::lose_fields(&agent.manifest, &HELD, losses);
    for name in agent.env.keys() {
        losses.lose(format!("env.{name}"), "a pack names no variables");
    }
    for requirement in &agent.manifest.requirements {
        let what = match requirement {
            Requirement::Engine { name, range } => format!("the engine {name} {range}"),
            Requirement::Platform(p) => format!("the platform {}/{}", p.os, p.arch),
            Requirement::Runtime { name, version } => {
                format!(
                    "the runtime {name} ({})",
                    version.as_deref().unwrap_or("any version")
                )
            }
        };
        losses.lose("requirements", format!("{what} cannot be asked for"));
    }
    let implied = |c: &&Capability| {
        !matches!(c, Capability::Code | Capability::Tool(_))
            && !matches!(c, Capability::Env(n) if agent.env.contains_key(n))
    };
    for capability in agent.manifest.capabilities.iter().filter(implied) {
        let detail = format!("a pack cannot ask for `{capability}`");
        losses.lose("capabilities", detail);
    }
}

fn fields(
    agent: &Portable,
    workflows: Vec<String>,
    folder: &SourceFolder,
    losses: &mut Losses,
) -> ForgeManifest {
    let source = &agent.manifest;
    let mut given = |what: &str, value: Option<String>, otherwise: &str| {
        value.filter(|v| !v.trim().is_empty()).unwrap_or_else(|| {
            losses.invent(what, format!("`{otherwise}`"));
            otherwise.to_owned()
        })
    };
    let version = given(
        "version",
        source.version.as_ref().map(ToString::to_string),
        "0.1.0",
    );
    let created_at = given("createdAt", source.created_at.clone(), NO_TIME);
    let publisher = given("author", source.author.clone(), "unknown");

    let paths: Vec<PackagePath> = folder
        .paths()
        .filter_map(|p| PackagePath::new(p).ok())
        .collect();
    let has = |name: &str| paths.iter().any(|path| path.is_under(name));
    let kind = match (has("workflows"), has("tools")) {
        (true, false) => PackKind::WorkflowPack,
        (false, true) => PackKind::ToolPack,
        _ => PackKind::Mixed,
    };
    let tools: BTreeSet<&str> = paths.iter().filter_map(check::tool).collect();
    let entrypoints = match &source.launch {
        Launch::Entrypoints { names } => names.clone(),
        // A server's own modules are not tools to be called by name; its program is.
        Launch::McpStdio { entry, .. } => {
            let main = check::tool(entry).filter(|name| tools.contains(name));
            workflows
                .into_iter()
                .chain(main.map(str::to_owned))
                .collect()
        }
        _ => workflows
            .into_iter()
            .chain(tools.into_iter().map(str::to_owned))
            .collect(),
    };
    ForgeManifest {
        spec_version: manifest::SPEC_VERSION.to_owned(),
        name: source.id.clone(),
        version,
        created_at,
        publisher,
        kind,
        files: Vec::new(),
        entrypoints,
        signature: None,
    }
}

impl ForgeManifest {
    /// Writes the manifest for people: sorted keys, two spaces, a line end.
    pub fn to_json(&self) -> Vec<u8> {
        match serde_json::to_value(self) {
            Ok(Value::Object(object)) => manifest::to_json(&object),
            other => unreachable!("a struct of texts is always an object: {other:?}"),
        }
    }
}
