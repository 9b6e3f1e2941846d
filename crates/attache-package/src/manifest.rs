//! The one model that every dialect is read into.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::formats::FormatName;
use crate::{Digest, PackageName, PackagePath, Range, Release, Tree};

/// What a package says of itself, whichever dialect it is written in.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The dialect it was read from.
    pub format: FormatName,
    /// Its name in indexes, lockfiles and folders.
    pub id: PackageName,
    /// Its release, where the dialect has versions. Nexo and Nanobot may leave it to the source.
    pub version: Option<Release>,
    /// The name shown to people.
    pub display_name: String,
    /// One or two sentences on what it does.
    pub description: Option<String>,
    /// Who made it.
    pub author: Option<String>,
    /// An SPDX expression, or free text where the dialect allows it.
    pub license: Option<String>,
    /// The lowest licence tier that may use it.
    pub minimum_license_tier: LicenseTier,
    /// Its web site.
    pub homepage: Option<String>,
    /// Where its source is.
    pub repository: Option<String>,
    /// Where to report bugs.
    pub bugs: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// The explorer's filter.
    pub category: Option<String>,
    /// When it was built, as the package states it (RFC 3339).
    pub created_at: Option<String>,
    /// The packages it needs.
    pub dependencies: Vec<Dependency>,
    /// What the host must offer: engines, platform and runtimes.
    pub requirements: Vec<Requirement>,
    /// Everything it asks to be allowed, sorted.
    pub capabilities: BTreeSet<Capability>,
    /// How it is started.
    pub launch: Launch,
    /// Every file it holds, sorted by path.
    pub files: Vec<FileRecord>,
}

/// A package that another one needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dependency {
    /// Its name.
    pub id: PackageName,
    /// The versions that will do.
    pub range: Range,
    /// Whether the package works without it.
    pub optional: bool,
    /// Why it is needed.
    pub description: Option<String>,
}

/// Something the host must offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Requirement {
    /// A version of the host program itself.
    Engine {
        /// The host's name, e.g. `lexichord`.
        name: String,
        /// The versions that will do.
        range: Range,
    },
    /// An operating system, processor and C library.
    Platform(Platform),
    /// A language runtime, e.g. Python or Node.
    Runtime {
        /// Its name in lower case.
        name: String,
        /// The version, as the dialect writes it; nothing if any will do.
        version: Option<String>,
    },
}

/// Where compiled code can run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Platform {
    /// `linux`, `darwin`, `windows`.
    pub os: String,
    /// `amd64`, `arm64`.
    pub arch: String,
    /// `glibc`, `musl`; nothing where the system has only one.
    pub libc: Option<String>,
}

/// Something a package asks to be allowed. A closed set, so that two versions can be compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Capability {
    /// Carries another package inside, which asks for things of its own.
    Carries(String),
    /// Runs code of its own on the host, inside the sandbox.
    Code,
    /// Reads an environment variable.
    Env(String),
    /// Reads files.
    FilesystemRead,
    /// Writes files.
    FilesystemWrite,
    /// Runs git.
    Git,
    /// Starts or talks to an MCP server.
    Mcp(String),
    /// Calls a model.
    Model(String),
    /// Reaches the network.
    Network,
    /// Runs shell commands.
    Shell,
    /// Calls a tool by name.
    Tool(String),
    /// A permission the dialect names and nothing above covers.
    Other(String),
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Carries(id) => write!(f, "carries:{id}"),
            Self::Code => f.write_str("code"),
            Self::Env(name) => write!(f, "env:{name}"),
            Self::FilesystemRead => f.write_str("filesystem:read"),
            Self::FilesystemWrite => f.write_str("filesystem:write"),
            Self::Git => f.write_str("git"),
            Self::Mcp(name) => write!(f, "mcp:{name}"),
            Self::Model(name) => write!(f, "model:{name}"),
            Self::Network => f.write_str("network"),
            Self::Shell => f.write_str("shell"),
            Self::Tool(name) => write!(f, "tool:{name}"),
            Self::Other(name) => write!(f, "other:{name}"),
        }
    }
}

impl Serialize for Capability {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Capability {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Capability".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^(code|filesystem:(read|write)|git|network|shell|(carries|env|mcp|model|tool|other):.+)$",
            "description": "Something a package asks to be allowed."
        })
    }
}

impl Capability {
    /// Returns what calling the built-in tool `name` asks for besides the tool itself.
    pub fn of_builtin_tool(name: &str) -> &'static [Capability] {
        match name {
            "Read" | "Glob" | "Grep" => &[Self::FilesystemRead],
            "Write" | "Edit" => &[Self::FilesystemRead, Self::FilesystemWrite],
            "Bash" => &[Self::Shell],
            "WebFetch" => &[Self::Network],
            _ => &[],
        }
    }
}

/// The licence tiers of the Lexichord specification, lowest first.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    serde::Deserialize,
    JsonSchema,
)]
pub enum LicenseTier {
    /// For everyone.
    #[default]
    Core,
    /// For writers who package agents.
    WriterPro,
    /// For teams with a registry.
    Teams,
    /// For companies that host registries.
    Enterprise,
}

impl LicenseTier {
    /// Every tier, lowest first.
    pub const ALL: [Self; 4] = [Self::Core, Self::WriterPro, Self::Teams, Self::Enterprise];

    /// Returns the tier as the specification spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "Core",
            Self::WriterPro => "WriterPro",
            Self::Teams => "Teams",
            Self::Enterprise => "Enterprise",
        }
    }
}

/// How a package is started. A closed set: a sixth dialect uses one of these, or adds one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Launch {
    /// A Python program that speaks MCP over its standard streams.
    McpStdio {
        /// The program, e.g. `tools/main.py`.
        entry: PackagePath,
        /// The file that lists its Python packages.
        requirements: PackagePath,
    },
    /// A sealed bundle with an executable.
    Bundle {
        /// The executable, e.g. `bin/agent`.
        entry: PackagePath,
        /// The variables it is started with.
        env: BTreeMap<String, String>,
    },
    /// Agents described by prompts and settings, run by our own engine.
    Agents {
        /// The agents' ids.
        agents: Vec<String>,
        /// The tasks or workflows they can be given.
        tasks: Vec<String>,
    },
    /// Workflows and tools that a host looks up by name.
    Entrypoints {
        /// The names it exposes.
        names: Vec<String>,
    },
}

/// One file of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileRecord {
    /// Where it is.
    pub path: PackagePath,
    /// What kind of file it is, by its extension.
    pub mime_type: &'static str,
    /// Its length in bytes.
    pub size: u64,
    /// Whether its owner may execute it.
    pub executable: bool,
    /// The SHA-256 of its bytes.
    pub hash: Digest,
    /// Whether the package cannot do without it.
    pub required: bool,
}

impl FileRecord {
    /// Lists every file of `tree`; `required` says which ones the package cannot do without.
    pub fn list(tree: &Tree, required: impl Fn(&str) -> bool) -> Vec<Self> {
        tree.entries()
            .iter()
            .map(|entry| Self {
                path: entry.path.clone(),
                mime_type: mime_type(&entry.path),
                size: entry.size,
                executable: entry.executable,
                hash: entry.digest,
                required: required(entry.path.as_str()),
            })
            .collect()
    }
}

/// Returns the media type that people expect for a file of this name.
pub(crate) fn mime_type(path: &PackagePath) -> &'static str {
    match path.extension().as_deref() {
        Some("md") => "text/markdown",
        Some("json") => "application/json",
        Some("yaml" | "yml") => "application/yaml",
        Some("toml") => "application/toml",
        Some("txt") => "text/plain",
        Some("html" | "htm") => "text/html",
        Some("css") => "text/css",
        Some("csv") => "text/csv",
        Some("js" | "mjs" | "cjs") => "text/javascript",
        Some("ts") => "text/x-typescript",
        Some("py") => "text/x-python",
        Some("cs") => "text/x-csharp",
        Some("rs") => "text/x-rust",
        Some("sh") => "application/x-sh",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("svg") => "image/svg+xml",
        Some("webp") => "image/webp",
        Some("pdf") => "application/pdf",
        Some("zip" | "lxpkg") => "application/zip",
        Some("gz") => "application/gzip",
        Some("zst") => "application/zstd",
        Some("wasm") => "application/wasm",
        None if ["LICENSE", "NOTICE", "README"].contains(&path.file_name()) => "text/plain",
        _ => "application/octet-stream",
    }
}
