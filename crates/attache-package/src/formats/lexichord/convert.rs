//! To and from the terms that every dialect shares.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::agent::{self, BUILT_IN};
use super::{UNLISTED, manifest};
use crate::convert::{Losses, NO_TIME, Portable, PortableAgent, PortableFile, PortableText};
use crate::formats::{ConvertedFile, carry};
use crate::text::{FrontMatter, pretty_json};
use crate::{ArchiveError, Diagnostics, Launch, Manifest, PackagePath, Requirement, Tree};

pub(super) fn export(
    tree: &Tree,
    manifest: &Manifest,
    losses: &mut Losses,
) -> Result<Portable, ArchiveError> {
    let mut files = BTreeMap::new();
    tree.read_many(
        |_| true,
        |entry, bytes| {
            files.insert(
                entry.path.clone(),
                PortableFile {
                    bytes,
                    executable: entry.executable,
                },
            );
        },
    )?;
    let found = agent::read(tree, &mut Diagnostics::new(true))?.unwrap_or_default();
    let agent = found.agent;
    for (name, there) in [
        ("temperature", agent.temperature.is_some()),
        ("maxTokens", agent.max_tokens.is_some()),
        ("mcpServers", !agent.mcp_servers.is_empty()),
    ] {
        if there {
            losses.lose(
                format!("agent.json {name}"),
                "only a .lxpkg says this of its agent",
            );
        }
    }
    if tree.get(super::SIGNATURE_FILE).is_some() {
        losses.lose("signature", "it is made for the .lxpkg, and no other");
    }
    let text = |file: PortableFile| String::from_utf8_lossy(&file.bytes).into_owned();
    let mut take = |path: &str| files.remove(path).map(text);
    let instructions = take(&agent.instructions).unwrap_or_default();
    let skills = agent.skills.iter().filter_map(|id| {
        let front = FrontMatter::parse(take(&format!("skills/{id}/SKILL.md"))?.as_bytes()).ok()?;
        let field = |name: &str| {
            front
                .fields
                .get(name)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        Some(PortableText {
            id: id.clone(),
            name: field("name").unwrap_or_else(|| id.clone()),
            description: field("description"),
            body: front.body.clone(),
        })
    });
    let skills = skills.collect();
    let tasks = agent.workflows.iter().filter_map(|id| {
        let document =
            crate::text::parse_json(take(&format!("workflows/{id}.json"))?.as_bytes()).ok()?;
        let field = |name: &str| {
            document
                .get(name)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        Some(PortableText {
            id: id.clone(),
            name: field("name").unwrap_or_else(|| id.clone()),
            description: field("description"),
            body: steps_as_text(&document),
        })
    });
    let tasks = tasks.collect();
    for path in UNLISTED.iter().chain(&[agent::AGENT]) {
        files.remove(*path);
    }
    Ok(Portable {
        manifest: manifest.clone(),
        agents: vec![PortableAgent {
            id: manifest.id.to_string(),
            name: agent.name,
            description: agent.description,
            model: agent.model,
            instructions,
            tools: agent.tools,
            skills: agent.skills,
        }],
        skills,
        tasks,
        env: agent.env.into_iter().map(|name| (name, None)).collect(),
        files,
    })
}

fn steps_as_text(workflow: &Value) -> String {
    let steps = workflow
        .get("steps")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let lines = steps.iter().enumerate().filter_map(|(at, step)| {
        let (kind, text) = step
            .as_object()?
            .iter()
            .find_map(|(k, v)| Some((k, v.as_str()?)))?;
        Some(match kind.as_str() {
            "prompt" => format!("{}. {text}\n", at + 1),
            _ => format!("{}. Use the {kind} `{text}`.\n", at + 1),
        })
    });
    lines.collect()
}

pub(super) fn import(portable: &Portable, losses: &mut Losses) -> Vec<ConvertedFile> {
    let mut files = Vec::new();
    let main = portable.agents.first().cloned().unwrap_or_else(|| {
        losses.invent(
            "agent.json",
            "the source has no agent of its own; a plain one was made",
        );
        PortableAgent {
            name: portable.manifest.display_name.clone(),
            ..PortableAgent::default()
        }
    });
    if !portable.agents.is_empty() && !matches!(portable.manifest.launch, Launch::Agents { .. }) {
        losses.invent(
            agent::AGENT,
            "the source starts no agent; one was made that follows its instructions",
        );
    }
    for other in portable.agents.iter().skip(1) {
        let path = format!("prompts/{}.md", flat(&other.id));
        let what = format!("the text of the agent `{}`", other.id);
        losses.keep(&path, what, "a .lxpkg holds one agent");
        carry::lose_settings(other, losses);
        files.push(ConvertedFile::new(path, other.instructions.clone()));
    }
    let instructions = if main.instructions.trim().is_empty() {
        losses.invent(
            "prompts/system.md",
            "the source has no instructions; a plain prompt was made",
        );
        format!("You are {}.\n", portable.manifest.display_name)
    } else {
        main.instructions.clone()
    };
    files.push(ConvertedFile::new("prompts/system.md", instructions));
    let (mut tools, mut servers) = (Vec::new(), BTreeMap::new());
    for tool in &main.tools {
        match tool.split_once('/') {
            Some((server, _)) => {
                losses.invent(
                    format!("agent.json mcpServers/{server}"),
                    "the source does not say how this server is started; fill in its command",
                );
                servers.insert(server.to_owned(), json!({ "command": server }));
                tools.push(tool.clone());
            }
            None if BUILT_IN.contains(&tool.as_str()) => tools.push(tool.clone()),
            None => losses.lose(
                format!("tool {tool}"),
                "its definition is not in the source",
            ),
        }
    }
    for skill in &portable.skills {
        files.push(skill_file(skill, losses));
    }
    for task in &portable.tasks {
        let document = json!({
            "name": task.name,
            "description": task.description.clone().unwrap_or_default(),
            "steps": [{ "prompt": task.body.trim() }],
        });
        files.push(ConvertedFile::new(
            format!("workflows/{}.json", flat(&task.id)),
            pretty_json(&document),
        ));
    }
    let mut agent = json!({
        "name": if main.name.is_empty() { &portable.manifest.display_name } else { &main.name },
        "instructions": "prompts/system.md",
        "tools": tools,
        "mcpServers": servers,
        "skills": portable.skills.iter().map(|s| skill_folder(&s.id)).collect::<Vec<_>>(),
        "workflows": portable.tasks.iter().map(|t| flat(&t.id)).collect::<Vec<_>>(),
        "env": portable.env.keys().collect::<Vec<_>>(),
    });
    for (name, value) in [("model", &main.model), ("description", &main.description)] {
        if let Some(value) = value {
            agent[name] = value.clone().into();
        }
    }
    for (name, value) in &portable.env {
        if value.is_some() {
            losses.lose(
                format!("env {name}"),
                "a .lxpkg names variables; it does not set them",
            );
        }
    }
    files.push(ConvertedFile::new(agent::AGENT, pretty_json(&agent)));
    files.push(ConvertedFile::new(
        manifest::MANIFEST,
        pretty_json(&manifest_of(portable, losses)),
    ));
    carry_rest(portable, &mut files, losses);
    files
}

/// Returns an id with folders as one name.
fn flat(id: &str) -> String {
    id.replace('/', "-")
}

fn skill_folder(id: &str) -> String {
    let plain: String = flat(id)
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    plain
        .split('-')
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

fn skill_file(skill: &PortableText, losses: &mut Losses) -> ConvertedFile {
    let folder = skill_folder(&skill.id);
    let description = skill
        .description
        .clone()
        .filter(|d| !d.trim().is_empty())
        .unwrap_or_else(|| {
            losses.invent(
                format!("skill {}", skill.id),
                "it had no description; one was made from its name",
            );
            format!("Does {}.", skill.name)
        });
    // JSON strings are YAML strings, whatever they hold.
    let description = Value::String(description).to_string();
    let text = format!(
        "---\nname: {folder}\ndescription: {description}\n---\n{}",
        skill.body
    );
    ConvertedFile::new(format!("skills/{folder}/SKILL.md"), text)
}

fn manifest_of(portable: &Portable, losses: &mut Losses) -> Value {
    let source = &portable.manifest;
    let version = source
        .version
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_else(|| {
            losses.invent("version", "the source has no version; 0.1.0 was taken");
            "0.1.0".to_owned()
        });
    let created_at = source
        .created_at
        .clone()
        .filter(|t| t.parse::<jiff::Timestamp>().is_ok());
    let mut document = json!({
        "id": source.id,
        "version": version,
        "displayName": source.display_name,
        "minimumLicenseTier": source.minimum_license_tier,
        "keywords": source.keywords,
        "dependencies": source.dependencies.iter().map(|d| {
            let mut entry = json!({ "version": d.range, "optional": d.optional });
            if let Some(text) = &d.description {
                entry["description"] = text.clone().into();
            }
            (d.id.to_string(), entry)
        }).collect::<serde_json::Map<_, _>>(),
    });
    let mut set = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            document[name] = value.into();
        }
    };
    set("description", source.description.clone());
    set("author", source.author.clone());
    set("category", source.category.clone());
    set("homepage", source.homepage.clone());
    let has_text = portable.files.keys().any(|p| p.as_str() == "LICENSE");
    match &source.license {
        Some(text) if spdx::Expression::parse(text).is_err() => {
            losses.lose("license", format!("`{text}` is not an SPDX expression"));
        }
        Some(text) if !has_text => {
            losses.lose(
                "license",
                format!("`{text}` needs a LICENSE file beside it, and the source has none"),
            );
        }
        Some(text) => set("license", Some(text.clone())),
        None if has_text => losses.lose("LICENSE", "the source does not say which licence this is"),
        None => {}
    }
    let time = created_at.and_then(|t| t.parse::<jiff::Timestamp>().ok());
    let time = time
        .map(|t| t.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
        .unwrap_or_else(|| {
            losses.invent(
                "createdAt",
                format!("the source has no creation time; {NO_TIME} was taken"),
            );
            NO_TIME.to_owned()
        });
    set("createdAt", Some(time));
    if let Some(url) = &source.repository {
        document["repository"] = json!({ "type": "git", "url": url });
    }
    if let Some(url) = &source.bugs {
        document["bugs"] = json!({ "url": url });
    }
    for requirement in &source.requirements {
        match requirement {
            Requirement::Engine { name, range } => document["engines"][name] = json!(range),
            Requirement::Platform(p) => losses.lose(
                "platform",
                format!(
                    "{}/{}: a .lxpkg does not say where it can run",
                    p.os, p.arch
                ),
            ),
            Requirement::Runtime { name, version } => losses.lose(
                format!("runtime {name}"),
                format!(
                    "{}: a .lxpkg does not name runtimes",
                    version.as_deref().unwrap_or("any version")
                ),
            ),
        }
    }
    match &source.launch {
        Launch::Agents { .. } => {}
        Launch::McpStdio { entry, .. } | Launch::Bundle { entry, .. } => losses.lose(
            "launch",
            format!("{entry} is carried as a resource; a .lxpkg starts its agent, not a program"),
        ),
        Launch::Entrypoints { names } => losses.lose(
            "entrypoints",
            format!(
                "{}: a .lxpkg names workflows in agent.json",
                names.join(", ")
            ),
        ),
    }
    document
}

/// Carries the remaining files: known documents at the root, everything else as a resource.
fn carry_rest(portable: &Portable, files: &mut Vec<ConvertedFile>, losses: &mut Losses) {
    let unlicensed = portable.manifest.license.is_none();
    let mut taken: BTreeSet<String> = files.iter().map(|f| f.path.clone()).collect();
    let mut moved = 0;
    for (path, file) in &portable.files {
        let keep = |p: &PackagePath| {
            let name = p.as_str();
            ["README.md", "CHANGELOG.md"].contains(&name)
                || (name == "LICENSE" && !unlicensed)
                || ["prompts", "resources", "docs"]
                    .iter()
                    .any(|f| p.is_under(f))
        };
        let target = if keep(path) {
            path.to_string()
        } else {
            format!("resources/{path}")
        };
        if !taken.insert(target.clone()) {
            losses.lose(path.as_str(), "another file already has its place");
            continue;
        }
        moved += usize::from(target != path.as_str());
        files.push(ConvertedFile {
            path: target,
            bytes: file.bytes.clone(),
            executable: file.executable,
        });
    }
    if moved > 0 {
        let what = format!("what a .lxpkg has no other place for ({moved} files)");
        losses.keep("resources/", what, "nothing starts or reads it by itself");
    }
}
