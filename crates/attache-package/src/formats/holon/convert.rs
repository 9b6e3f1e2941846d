//! To and from the terms that every dialect shares.
//!
//! A bundle is a black box: out of it come its files and its environment, and into it go
//! files that a shell script can start. An agent that only exists as prompts is carried in
//! `assets/` and handed to whatever command the image offers for it.

use std::collections::BTreeMap;

use super::env::{is_hook, is_name};
use super::manifest::{BundleManifest, ENTRY, Engine, FILE, Libc, Runtime, usual_entry};
use crate::convert::{Losses, Portable, PortableFile, PortableText};
use crate::formats::{ConvertedFile, carry};
use crate::{
    ArchiveError, Capability, Kind, Launch, LicenseTier, Manifest, PackagePath, Platform, Release,
    Requirement, Tree,
};

/// Starts a Python program that came from another dialect.
const RUN_PYTHON: &str = r#"#!/bin/sh
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
exec python3 "$root/{entry}" "$@"
"#;

/// Hands the prompts to a model command: all of `assets/agents`, then what the input holds.
const RUN_PROMPTS: &str = r#"#!/bin/sh
# This agent is a set of prompts. AGENT_COMMAND names a program of the image that reads a
# prompt from its standard input and writes the answer to its standard output.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
input=${HOLON_INPUT:-/holon/input}
output=${HOLON_OUTPUT:-/holon/output}
if [ -z "${AGENT_COMMAND:-}" ]; then
    echo "set AGENT_COMMAND to a program that answers the prompt on its standard input" >&2
    exit 1
fi
mkdir -p "$output"
{
    for file in "$root"/assets/agents/*.md "$root"/assets/skills/*.md "$root"/assets/tasks/*.md "$input"/*; do
        if [ -f "$file" ]; then
            cat -- "$file"
            echo
        fi
    done
} | "$AGENT_COMMAND" >"$output/result.md.part"
mv -- "$output/result.md.part" "$output/result.md"
"#;

pub(super) fn export(
    tree: &Tree,
    manifest: &Manifest,
    losses: &mut Losses,
) -> Result<Portable, ArchiveError> {
    let bytes = tree.read(FILE)?.unwrap_or_default();
    let engine = crate::text::parse_json(&bytes)
        .ok()
        .and_then(|m| m.get("engine").cloned());
    if let Some(name) = engine.as_ref().and_then(|e| e.get("name")?.as_str()) {
        losses.lose(
            "engine",
            format!("{name}: only Holon says which engine is inside"),
        );
    }
    let mut files = BTreeMap::new();
    tree.read_many(
        |entry| entry.path.as_str() != FILE,
        |entry, bytes| {
            let executable = entry.executable;
            files.insert(entry.path.clone(), PortableFile { bytes, executable });
        },
    )?;
    // Other dialects have no links, so a link becomes a copy of the file it ends at.
    for entry in tree.entries() {
        if matches!(entry.kind, Kind::Link { .. })
            && let Some(end) = super::follow(tree, entry.path.as_str())
            && let Some(file) = files.get(&end.path).cloned()
        {
            files.insert(entry.path.clone(), file);
        }
    }
    let env = match &manifest.launch {
        Launch::Bundle { env, .. } => env
            .iter()
            .map(|(name, value)| (name.clone(), Some(value.clone())))
            .collect(),
        _ => BTreeMap::new(),
    };
    Ok(Portable {
        manifest: manifest.clone(),
        agents: Vec::new(),
        skills: Vec::new(),
        tasks: Vec::new(),
        env,
        files,
    })
}

/// The bundle being put together, by path.
struct Bundle<'l> {
    files: BTreeMap<String, ConvertedFile>,
    losses: &'l mut Losses,
}

impl Bundle<'_> {
    /// Adds a file; a second one for the same place, or for one that only differs in case, is
    /// lost and said so.
    fn add(&mut self, path: &str, bytes: impl Into<Vec<u8>>, executable: bool) -> bool {
        let key = match PackagePath::new(path) {
            Ok(path) => path.twin_key(),
            Err(error) => {
                self.losses
                    .lose(path, format!("its name does not fit: {error}"));
                return false;
            }
        };
        if carry::clashes(&self.files, &key) {
            self.losses
                .lose(path, "another file already has this place in the bundle");
            return false;
        }
        let file = ConvertedFile {
            executable,
            ..ConvertedFile::new(path, bytes)
        };
        self.files.insert(key, file);
        true
    }
}

pub(super) fn import(agent: &Portable, losses: &mut Losses) -> Vec<ConvertedFile> {
    let mut bundle = Bundle {
        files: BTreeMap::new(),
        losses,
    };
    let entry = add_entry(agent, &mut bundle);
    let (entry_path, entry_is_theirs) = (entry.path.clone(), entry.is_theirs);
    let (platform, arch, libc) = platform(agent, bundle.losses);
    let manifest = BundleManifest {
        bundle_version: "1".to_owned(),
        platform,
        arch,
        libc,
        name: agent.manifest.id.clone(),
        version: version(agent, bundle.losses),
        entry: entry.path,
        engine: entry.engine,
        runtime: entry.runtime,
        env: env(agent, bundle.losses),
        capabilities: capabilities(agent, bundle.losses),
    };
    bundle.add(FILE, manifest.to_bytes(), false);
    for (path, file) in &agent.files {
        if *path != entry_path || !entry_is_theirs {
            bundle.add(path.as_str(), file.bytes.clone(), file.executable);
        }
    }
    add_prompts(agent, &mut bundle);
    lose_metadata(&agent.manifest, bundle.losses);
    bundle.files.into_values().collect()
}

struct Start {
    path: PackagePath,
    /// Whether it is one of the agent's own files, not one made here.
    is_theirs: bool,
    engine: Engine,
    runtime: Runtime,
}

/// Finds or makes what the runner starts.
fn add_entry(agent: &Portable, bundle: &mut Bundle<'_>) -> Start {
    let runtime = agent.manifest.requirements.iter().find_map(|r| match r {
        Requirement::Runtime { name, version } => Some(Runtime {
            kind: name.clone(),
            version: version.clone().unwrap_or_else(|| "unknown".to_owned()),
        }),
        _ => None,
    });
    let engine = |name: &str, sdk: &str| Engine {
        name: name.to_owned(),
        sdk: sdk.to_owned(),
        sdk_version: "0.0.0".to_owned(),
    };
    let named = |kind: &str| Runtime {
        kind: kind.to_owned(),
        version: "unknown".to_owned(),
    };
    let start = match &agent.manifest.launch {
        Launch::Bundle { entry, .. } if agent.files.contains_key(entry) => {
            let file = &agent.files[entry];
            bundle.add(entry.as_str(), file.bytes.clone(), true);
            Start {
                path: entry.clone(),
                is_theirs: true,
                engine: engine("bundle", "unknown"),
                runtime: runtime.unwrap_or_else(|| named("sh")),
            }
        }
        Launch::McpStdio {
            entry,
            requirements,
        } if agent.files.contains_key(entry) => {
            bundle.losses.lose(
                requirements.as_str(),
                "nothing installs it in a container; the image must have these Python packages",
            );
            let script = RUN_PYTHON.replace("{entry}", &shell_safe(entry.as_str()));
            Start {
                path: own_entry(script, bundle),
                is_theirs: false,
                engine: engine("mcp-stdio", "python"),
                runtime: runtime.unwrap_or_else(|| named("python")),
            }
        }
        _ => Start {
            path: own_entry(RUN_PROMPTS.to_owned(), bundle),
            is_theirs: false,
            engine: engine("prompts", "posix-sh"),
            runtime: named("sh"),
        },
    };
    bundle.losses.invent(
        "engine",
        "Holon wants an engine with an SDK version; one was made up from how the agent starts",
    );
    start
}

fn own_entry(script: String, bundle: &mut Bundle<'_>) -> PackagePath {
    bundle.add(ENTRY, script, true);
    bundle
        .losses
        .invent(ENTRY, "a script that starts the agent in a container");
    usual_entry()
}

/// Escapes what means something between double quotes.
fn shell_safe(path: &str) -> String {
    path.chars()
        .flat_map(|c| {
            let escape = matches!(c, '$' | '`' | '"' | '\\').then_some('\\');
            escape.into_iter().chain([c])
        })
        .collect()
}

fn version(agent: &Portable, losses: &mut Losses) -> Release {
    agent.manifest.version.clone().unwrap_or_else(|| {
        losses.invent("version", "the agent had no version; it became 0.1.0");
        Release::new(0, 1, 0)
    })
}

/// Returns the system, processor and C library.
fn platform(agent: &Portable, losses: &mut Losses) -> (String, String, Libc) {
    let known = agent.manifest.requirements.iter().find_map(|r| match r {
        Requirement::Platform(platform) => Some(platform.clone()),
        _ => None,
    });
    let Platform { os, arch, libc } = known.unwrap_or_else(|| {
        losses.invent("platform", "the agent named none; it became linux on amd64");
        Platform {
            os: "linux".to_owned(),
            arch: "amd64".to_owned(),
            libc: None,
        }
    });
    let libc = match libc.as_deref() {
        Some("musl") => Libc::Musl,
        Some("glibc") => Libc::Glibc,
        _ => {
            losses.invent("libc", "the agent named none; it became glibc");
            Libc::Glibc
        }
    };
    (os.to_ascii_lowercase(), arch.to_ascii_lowercase(), libc)
}

fn env(agent: &Portable, losses: &mut Losses) -> BTreeMap<String, String> {
    let mut kept = BTreeMap::new();
    for (name, value) in &agent.env {
        match value {
            _ if !is_name(name) => losses.lose(
                format!("env {name}"),
                "Holon only takes names of A-Z, 0-9 and `_`",
            ),
            _ if is_hook(name) => losses.lose(
                format!("env {name}"),
                "Holon bundles may not set loader or interpreter hooks",
            ),
            None => losses.lose(
                format!("env {name}"),
                "Holon bundles set variables, they cannot ask for one",
            ),
            Some(value) => {
                kept.insert(name.clone(), value.replace('\0', ""));
            }
        }
    }
    kept
}

fn capabilities(agent: &Portable, losses: &mut Losses) -> BTreeMap<String, bool> {
    let mut flags = BTreeMap::from([
        ("needsGit".to_owned(), false),
        ("needsNetwork".to_owned(), false),
    ]);
    for capability in &agent.manifest.capabilities {
        match capability {
            Capability::Network => flags.insert("needsNetwork".to_owned(), true),
            Capability::Git => flags.insert("needsGit".to_owned(), true),
            Capability::Other(name) if !name.chars().any(char::is_control) => {
                flags.insert(name.clone(), true)
            }
            Capability::Code | Capability::Env(_) => None,
            lost => {
                losses.lose(
                    format!("capability {lost}"),
                    "Holon has flags for the network and git, and the container is the limit",
                );
                None
            }
        };
    }
    flags
}

/// Carries prompts as assets, each with its name as a heading.
fn add_prompts(agent: &Portable, bundle: &mut Bundle<'_>) {
    for one in &agent.agents {
        let path = format!("assets/agents/{}.md", file_stem(&one.id));
        let text = document(&one.name, one.description.as_deref(), &one.instructions);
        if bundle.add(&path, text, false) {
            let what = format!("the text of the agent `{}`", one.id);
            let why = "the runner does not know agents";
            bundle.losses.keep(path, what, why);
        }
        if one.model.is_some() || !one.tools.is_empty() || !one.skills.is_empty() {
            bundle.losses.lose(
                format!("agent {}: model, tools and skills", one.id),
                "what is inside a bundle decides about these itself",
            );
        }
    }
    let mut texts = |folder: &str, what: &str, all: &[PortableText]| {
        for one in all {
            let path = format!("assets/{folder}/{}.md", file_stem(&one.id));
            let text = document(&one.name, one.description.as_deref(), &one.body);
            if bundle.add(&path, text, false) {
                let what = format!("the {what} `{}`", one.id);
                let why = format!("the runner does not know {folder}");
                bundle.losses.keep(path, what, why);
            }
        }
    };
    texts("skills", "skill", &agent.skills);
    texts("tasks", "task", &agent.tasks);
}

fn document(name: &str, description: Option<&str>, body: &str) -> String {
    let mut text = format!("# {name}\n\n");
    if let Some(description) = description {
        text.push_str(description);
        text.push_str("\n\n");
    }
    text.push_str(body);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Returns a file name for an id, which other dialects spell with slashes or spaces.
fn file_stem(id: &str) -> String {
    let plain: String = id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let plain: Vec<_> = plain.split('-').filter(|part| !part.is_empty()).collect();
    match plain.join("-") {
        empty if empty.is_empty() => "unnamed".to_owned(),
        device if PackagePath::new(&device).is_err() => {
            format!("x-{}", &device[..device.len().min(200)])
        }
        stem => stem,
    }
}

fn lose_metadata(manifest: &Manifest, losses: &mut Losses) {
    let texts = [
        ("description", &manifest.description),
        ("author", &manifest.author),
        ("license", &manifest.license),
        ("homepage", &manifest.homepage),
        ("repository", &manifest.repository),
        ("bugs", &manifest.bugs),
        ("category", &manifest.category),
        ("createdAt", &manifest.created_at),
    ];
    for (field, value) in texts {
        if let Some(value) = value {
            losses.lose(field, format!("Holon has no place for `{value}`"));
        }
    }
    if manifest.display_name != manifest.id.as_str() {
        let detail = format!("`{}` became `{}`", manifest.display_name, manifest.id);
        losses.lose("displayName", detail);
    }
    if !manifest.keywords.is_empty() {
        losses.lose("keywords", manifest.keywords.join(", "));
    }
    for dependency in &manifest.dependencies {
        losses.lose(
            format!("dependency {}", dependency.id),
            "a bundle carries what it needs",
        );
    }
    for requirement in &manifest.requirements {
        if let Requirement::Engine { name, .. } = requirement {
            losses.lose(
                format!("engine {name}"),
                "Holon bundles do not ask for a host program",
            );
        }
    }
    if manifest.minimum_license_tier != LicenseTier::default() {
        losses.lose("minimumLicenseTier", manifest.minimum_license_tier.as_str());
    }
}
