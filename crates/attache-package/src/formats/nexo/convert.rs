//! To and from the terms that every dialect shares.

use std::collections::BTreeMap;

use super::manifest::{self, LONGEST_DESCRIPTION, LONGEST_NAME, NexoManifest};
use super::{check, env, icon, requirements, scaffold};
use crate::convert::{Losses, Portable, PortableAgent, PortableFile};
use crate::formats::carry::{self, SourceFolder};
use crate::formats::{ConvertedFile, FormatName};
use crate::{ArchiveError, Capability, Manifest, PackageName, PackagePath, Requirement, Tree};

/// The fields of the shared manifest that `manifest.yaml` has too.
const HELD: [&str; 6] = [
    "displayName",
    "description",
    "author",
    "license",
    "homepage",
    "repository",
];

pub(super) fn export(tree: &Tree, manifest: &Manifest) -> Result<Portable, ArchiveError> {
    let mut instructions = String::new();
    let mut files = BTreeMap::new();
    tree.read_many(
        |entry| entry.path.as_str() != manifest::PATH,
        |entry, bytes| {
            if entry.path.as_str() == check::PERSONA {
                instructions = String::from_utf8_lossy(&bytes).into_owned();
                return;
            }
            let file = PortableFile {
                bytes,
                executable: entry.executable,
            };
            files.insert(entry.path.clone(), file);
        },
    )?;
    let last = manifest.id.as_str().rsplit('.').next();
    let agent = PortableAgent {
        id: last.unwrap_or_default().to_owned(),
        name: manifest.display_name.clone(),
        description: manifest.description.clone(),
        instructions,
        ..PortableAgent::default()
    };
    let asked = manifest.capabilities.iter().filter_map(|c| match c {
        Capability::Env(name) => Some((name.clone(), None)),
        _ => None,
    });
    Ok(Portable {
        env: asked.collect(),
        manifest: manifest.clone(),
        agents: vec![agent],
        skills: Vec::new(),
        tasks: Vec::new(),
        files,
    })
}

pub(super) fn import(agent: &Portable, losses: &mut Losses) -> Vec<ConvertedFile> {
    let mut folder = SourceFolder::default();
    let mut rest = agent.files.clone();

    let fields = fields(agent, losses);
    folder.put(manifest::PATH, fields.to_yaml());
    prompts(agent, &mut folder, losses);
    program(agent, &fields.name, &mut folder, &mut rest, losses);
    picture(&mut folder, &mut rest, losses);
    variables(agent, &mut folder, &mut rest, losses);

    for (path, file) in &rest {
        if check::is_private(path.as_str()) {
            losses.lose(path.as_str(), "a finished agent must not carry it");
        } else if !folder.has(path.as_str()) {
            folder.carry(path, file, losses);
        } else if path.as_str() != check::PERSONA {
            losses.lose(path.as_str(), "the new format has its own file there");
        } else {
            losses.lose(path.as_str(), "the agent's own instructions took its place");
        }
    }
    folder.into_files()
}

fn fields(agent: &Portable, losses: &mut Losses) -> NexoManifest {
    let source = &agent.manifest;
    carry::lose_fields(source, &HELD, losses);
    for requirement in &source.requirements {
        match requirement {
            Requirement::Runtime {
                name,
                version: None,
            } if name == "python" => {}
            Requirement::Runtime { name, version } => {
                let version = version.as_deref().unwrap_or("any version");
                losses.lose(
                    "requirements",
                    format!("the runtime {name} ({version}) cannot be asked for"),
                );
            }
            Requirement::Engine { name, range } => {
                losses.lose(
                    "requirements",
                    format!("the engine {name} {range} cannot be asked for"),
                );
            }
            Requirement::Platform(platform) => losses.lose(
                "requirements",
                format!(
                    "the platform {}/{} cannot be asked for",
                    platform.os, platform.arch
                ),
            ),
        }
    }
    let id = fit_id(&source.id, losses);
    let name = fit_name(source, &id, losses);
    let description = match carry::describe(agent) {
        Some(text) => text,
        None => {
            let text = format!("An agent called {name}.");
            losses.invent("description", format!("`{text}`"));
            text
        }
    };
    let (description, cut) = carry::cut(&description, LONGEST_DESCRIPTION);
    if cut {
        losses.lose("description", "it was cut to 200 characters");
    }
    let author = source.author.clone().filter(|a| !a.trim().is_empty());
    let author = author.unwrap_or_else(|| {
        losses.invent("author", "`unknown`");
        "unknown".to_owned()
    });
    let mut address = |what: &str, value: &Option<String>| {
        let value = value.clone()?;
        let reason = manifest::check_address(&value).err()?;
        losses.lose(what, format!("`{value}` {reason}"));
        Some(())
    };
    let homepage = address("homepage", &source.homepage).is_none();
    let repository = address("repository", &source.repository).is_none();
    let kept = |c: &&Capability| !matches!(c, Capability::Code | Capability::Env(_));
    NexoManifest {
        schema_version: 1,
        id,
        name,
        description,
        author,
        homepage: source.homepage.clone().filter(|_| homepage),
        repository: source.repository.clone().filter(|_| repository),
        license: source.license.clone(),
        permissions: source
            .capabilities
            .iter()
            .filter(kept)
            .map(ToString::to_string)
            .collect(),
    }
}

/// Bends a name to the Nexo grammar: a reverse domain name without hyphens.
fn fit_id(id: &PackageName, losses: &mut Losses) -> PackageName {
    if manifest::check_id(id.as_str()).is_ok() {
        return id.clone();
    }
    let text = id.as_str().replace('-', "_");
    let short = |text: &str| carry::cut(text, 64).0.trim_end_matches('.').to_owned();
    let local = short(&format!("local.{text}"));
    let fitted = [short(&text), local]
        .iter()
        .find_map(|candidate| manifest::check_id(candidate).ok())
        .unwrap_or_else(|| unreachable!("a package name behind `local.` fits the grammar"));
    losses.invent(
        "id",
        format!("`{fitted}`, because `{id}` is not a reverse domain name that fits"),
    );
    fitted
}

fn fit_name(source: &Manifest, id: &PackageName, losses: &mut Losses) -> String {
    let line: String = source
        .display_name
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let (name, cut) = carry::cut(line.trim(), LONGEST_NAME);
    if cut {
        losses.lose(
            "displayName",
            format!("`{}` was cut to 32 characters", line.trim()),
        );
    }
    if name.is_empty() {
        let name = scaffold::title(id);
        losses.invent("displayName", format!("`{name}`"));
        return name;
    }
    name
}

/// Writes the one persona, and keeps everything else that is text for a model beside it.
fn prompts(agent: &Portable, folder: &mut SourceFolder, losses: &mut Losses) {
    let mut agents = agent.agents.iter();
    let first = agents.next();
    if let Some(first) = first {
        carry::lose_settings(first, losses);
    }
    let said = first
        .map(|a| a.instructions.clone())
        .filter(|text| !text.trim().is_empty());
    let persona = said.unwrap_or_else(|| {
        losses.invent(
            check::PERSONA,
            "a short persona made from the agent's name and description",
        );
        let what = carry::describe(agent).unwrap_or_default();
        format!("You are {}. {what}\n", agent.manifest.display_name)
    });
    folder.put(check::PERSONA, persona);
    for other in agents {
        carry::lose_settings(other, losses);
        let stem = folder.put_named(
            "instructions/agents",
            &other.id,
            "md",
            other.instructions.as_bytes(),
        );
        losses.keep(
            format!("instructions/agents/{stem}.md"),
            format!("the text of the agent `{}`", other.id),
            "there is one persona",
        );
    }
    for (kind, texts) in [("skills", &agent.skills), ("tasks", &agent.tasks)] {
        for text in texts {
            let document = carry::document(text);
            let stem = folder.put_named(
                &format!("instructions/{kind}"),
                &text.id,
                "md",
                document.as_bytes(),
            );
            losses.keep(
                format!("instructions/{kind}/{stem}.md"),
                format!("`{}`", text.id),
                format!("there are no {kind} in this format"),
            );
        }
    }
}

/// Keeps the program that came along, or makes one that serves the instructions.
fn program(
    agent: &Portable,
    name: &str,
    folder: &mut SourceFolder,
    rest: &mut BTreeMap<PackagePath, PortableFile>,
    losses: &mut Losses,
) {
    let brought = rest
        .get(check::MAIN)
        .is_some_and(|file| !file.bytes.is_empty());
    if !brought {
        rest.remove(check::MAIN);
        folder.put(check::MAIN, scaffold::server(name));
        losses.invent(
            check::MAIN,
            "an MCP server that offers the agent's instructions",
        );
    } else if agent.manifest.format != FormatName::Nexo {
        losses.invent(
            check::MAIN,
            "the file of this name is taken for the MCP server",
        );
    }
    let list = rest
        .get(requirements::PATH)
        .map(|file| String::from_utf8(file.bytes.clone()));
    let mut list = match list {
        // What it includes comes along too, and validation looks at it there.
        Some(Ok(list)) if agent.manifest.format == FormatName::Nexo => list,
        Some(Ok(list)) if requirements::stands_alone(&list) => list,
        Some(_) => {
            losses.lose(
                requirements::PATH,
                "it is not a list of requirements that stands alone",
            );
            scaffold::REQUIREMENTS.to_owned()
        }
        None => {
            let ours = if brought { "" } else { scaffold::REQUIREMENTS };
            losses.invent(requirements::PATH, format!("`{}`", ours.trim()));
            ours.to_owned()
        }
    };
    if !brought && !requirements::asks_for(&list, "mcp") {
        if !list.is_empty() && !list.ends_with('\n') {
            list.push('\n');
        }
        list.push_str(scaffold::REQUIREMENTS);
        losses.invent(
            requirements::PATH,
            format!("`{}`", scaffold::REQUIREMENTS.trim()),
        );
    }
    rest.remove(requirements::PATH);
    folder.put(requirements::PATH, list);
}

fn picture(
    folder: &mut SourceFolder,
    rest: &mut BTreeMap<PackagePath, PortableFile>,
    losses: &mut Losses,
) {
    let brought = rest.remove(icon::PATH);
    match brought.map(|file| icon::check(&file.bytes).map(|()| file.bytes)) {
        Some(Ok(bytes)) => {
            folder.put(icon::PATH, bytes);
            return;
        }
        Some(Err(reason)) => losses.lose(icon::PATH, reason),
        None => {}
    }
    folder.put(icon::PATH, icon::draw());
    losses.invent(icon::PATH, "a picture of an attaché case");
}

/// Writes the variables into the template, below what a template brought along already says.
fn variables(
    agent: &Portable,
    folder: &mut SourceFolder,
    rest: &mut BTreeMap<PackagePath, PortableFile>,
    losses: &mut Losses,
) {
    let brought = rest
        .remove(env::PATH)
        .map(|file| String::from_utf8(file.bytes));
    let mut text = match brought {
        Some(Ok(text)) => text,
        Some(Err(_)) => {
            losses.lose(env::PATH, "it is not UTF-8 text");
            String::new()
        }
        None => String::new(),
    };
    let there = env::parse(&text).names;
    let asked = agent.manifest.capabilities.iter().filter_map(|c| match c {
        Capability::Env(name) => Some((name, &None)),
        _ => None,
    });
    let mut wanted: BTreeMap<&String, &Option<String>> = asked.collect();
    wanted.extend(&agent.env);
    for (name, value) in wanted {
        if !env::is_name(name) {
            losses.lose(format!("env.{name}"), "it is not the name of a variable");
            continue;
        }
        if let Some(value) = value {
            let detail = format!("`{}` is only an example value now", value.escape_debug());
            losses.lose(format!("env.{name}"), detail);
        }
        if there.contains(name) {
            continue;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let value = value
            .as_deref()
            .filter(|value| !value.contains(['\n', '\r', '"', '\'']));
        text.push_str(&format!("{name}={}\n", value.unwrap_or_default()));
    }
    if !text.is_empty() {
        folder.put(env::PATH, text);
    }
}
