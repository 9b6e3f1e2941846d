//! `manifest.json`, version 1.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{env, rules};
use crate::fields::{Fields, kind_of};
use crate::formats::FormatName;
use crate::{
    Capability, Diagnostics, FileRecord, Launch, LicenseTier, Manifest, PackageName, PackagePath,
    Platform, Release, Requirement, Tree,
};

/// Where the manifest is.
pub const FILE: &str = "manifest.json";

/// The entry that a bundle has unless it says otherwise.
pub const ENTRY: &str = "bin/agent";

/// Returns [`ENTRY`] as a path.
pub(super) fn usual_entry() -> PackagePath {
    match PackagePath::new(ENTRY) {
        Ok(path) => path,
        Err(error) => unreachable!("the usual entry is a path: {error}"),
    }
}

/// The manifest of a bundle, field for field.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Holon agent bundle manifest")]
pub struct BundleManifest {
    /// The version of this schema.
    #[schemars(extend("const" = "1"))]
    pub bundle_version: String,
    /// The bundle's name.
    pub name: PackageName,
    /// The bundle's version.
    pub version: Release,
    /// The executable, relative to the bundle's root; usually `bin/agent`.
    #[schemars(length(min = 1))]
    pub entry: PackagePath,
    /// The operating system: `linux`, `darwin`, `windows`.
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9_]*$"))]
    pub platform: String,
    /// The processor: `amd64`, `arm64`, `x86_64`, `aarch64`.
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9_]*$"))]
    pub arch: String,
    /// The C library the bundle was built against.
    pub libc: Libc,
    /// The agent implementation inside.
    pub engine: Engine,
    /// The runtime that the base image must provide.
    pub runtime: Runtime,
    /// Variables that the runner sets. Loader and interpreter hooks are refused.
    #[schemars(schema_with = "env_schema")]
    pub env: BTreeMap<String, String>,
    /// Flags for what the bundle needs, e.g. `needsNetwork` and `needsGit`.
    pub capabilities: BTreeMap<String, bool>,
}

/// A C library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Libc {
    /// The GNU one.
    Glibc,
    /// The small one, as in Alpine.
    Musl,
}

impl Libc {
    fn named(text: &str) -> Option<Self> {
        match text {
            "glibc" => Some(Self::Glibc),
            "musl" => Some(Self::Musl),
            _ => None,
        }
    }

    /// Returns the name as the manifest has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Glibc => "glibc",
            Self::Musl => "musl",
        }
    }
}

/// The agent implementation inside a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Engine {
    /// Its name, e.g. `claude-code`.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The package it is built on.
    #[schemars(length(min = 1))]
    pub sdk: String,
    /// The version of that package.
    #[schemars(regex(pattern = r"^\d+\.\d+\.\d+.*"))]
    pub sdk_version: String,
}

/// The runtime that the base image must provide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Runtime {
    /// `node`, `python`, `deno` and so on.
    #[serde(rename = "type")]
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9_.+-]*$"))]
    pub kind: String,
    /// Its version, or `unknown`.
    #[schemars(length(min = 1))]
    pub version: String,
}

fn env_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "type": "object",
        "patternProperties": { "^[A-Z_][A-Z0-9_]*$": { "type": "string" } },
        "additionalProperties": false
    })
}

impl BundleManifest {
    const FIELDS: &[&str] = &[
        "bundleVersion",
        "name",
        "version",
        "entry",
        "platform",
        "arch",
        "libc",
        "engine",
        "runtime",
        "env",
        "capabilities",
    ];

    /// Reads the manifest's fields, reporting every problem.
    ///
    /// Returns what was read as long as only `env`, `capabilities` or unknown fields are wrong.
    pub fn read(object: &Map<String, Value>, diagnostics: &mut Diagnostics) -> Option<Self> {
        let cell = RefCell::new(diagnostics);
        let fields = Fields::new(object, FILE, &cell);
        let bundle_version = fields
            .required_text("bundleVersion")
            .filter(|given| {
                let known = *given == "1";
                if !known {
                    let message = format!("bundle version {given:?} is unknown; we know \"1\"");
                    fields.report(&rules::BUNDLE_VERSION, "bundleVersion", message);
                }
                known
            })
            .map(str::to_owned);
        let name = fields.require_parsed(&rules::NAME, "name");
        let version = fields.require_parsed(&rules::VERSION, "version");
        let entry = fields.required_text("entry").and_then(|given| {
            PackagePath::new(given)
                .map_err(|error| fields.report(&rules::ENTRY_PATH, "entry", error.to_string()))
                .ok()
        });
        let platform = word(&fields, &rules::PLATFORM, "platform", "_");
        let arch = word(&fields, &rules::PLATFORM, "arch", "_");
        // Not `required_text`: an empty `libc` is a C library we do not know.
        fields.require("libc");
        let libc = fields.text("libc").and_then(|given| {
            let libc = Libc::named(given);
            if libc.is_none() {
                let message = format!("`libc` must be `glibc` or `musl`, not `{given}`");
                fields.report(&rules::LIBC, "libc", message);
            }
            libc
        });
        fields.require("engine");
        let engine = fields.object("engine").and_then(|f| read_engine(&f));
        fields.require("runtime");
        let runtime = fields.object("runtime").and_then(|f| read_runtime(&f));
        fields.require("env");
        let env = fields.object("env").map(|f| read_env(&f));
        fields.require("capabilities");
        let capabilities = fields.object("capabilities").map(|f| read_flags(&f));
        fields.finish(&rules::UNKNOWN, Self::FIELDS);
        Some(Self {
            bundle_version: bundle_version?,
            name: name?,
            version: version?,
            entry: entry?,
            platform: platform?,
            arch: arch?,
            libc: libc?,
            engine: engine?,
            runtime: runtime?,
            env: env.unwrap_or_default(),
            capabilities: capabilities.unwrap_or_default(),
        })
    }

    /// Returns the manifest in the terms that every dialect shares.
    pub fn to_manifest(&self, tree: &Tree) -> Manifest {
        let entry = self.entry.clone();
        Manifest {
            format: FormatName::Holon,
            id: self.name.clone(),
            version: Some(self.version.clone()),
            display_name: self.name.to_string(),
            description: None,
            author: None,
            license: None,
            minimum_license_tier: LicenseTier::default(),
            homepage: None,
            repository: None,
            bugs: None,
            keywords: Vec::new(),
            category: None,
            created_at: None,
            dependencies: Vec::new(),
            requirements: vec![
                Requirement::Platform(Platform {
                    os: self.platform.clone(),
                    arch: usual_arch(&self.arch).to_owned(),
                    libc: Some(self.libc.as_str().to_owned()),
                }),
                Requirement::Runtime {
                    name: self.runtime.kind.clone(),
                    version: (self.runtime.version != "unknown")
                        .then(|| self.runtime.version.clone()),
                },
            ],
            capabilities: self.capabilities(),
            files: FileRecord::list(tree, |path| {
                path == FILE || path == entry.as_str() || path.starts_with("dist/")
            }),
            launch: Launch::Bundle {
                entry: self.entry.clone(),
                env: self.env.clone(),
            },
        }
    }

    fn capabilities(&self) -> BTreeSet<Capability> {
        let asked = self.capabilities.iter().filter(|(_, wanted)| **wanted);
        asked
            .map(|(name, _)| match name.as_str() {
                "needsNetwork" => Capability::Network,
                "needsGit" => Capability::Git,
                other => Capability::Other(other.to_owned()),
            })
            .chain([Capability::Code])
            .collect()
    }

    /// Returns the manifest as it is written into bundles: sorted, indented, one line feed.
    pub fn to_bytes(&self) -> Vec<u8> {
        match serde_json::to_value(self) {
            Ok(value) => pretty(value),
            Err(error) => unreachable!("a manifest of strings and flags is JSON: {error}"),
        }
    }
}

/// Writes JSON the one way that bundles have it.
pub(super) fn pretty(mut value: Value) -> Vec<u8> {
    value.sort_all_objects();
    format!("{value:#}\n").into_bytes()
}

/// Returns the name that hosts go by: the kernel says `x86_64` where containers say `amd64`.
fn usual_arch(arch: &str) -> &str {
    match arch {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// Reads a lower-case word; it ends up in file names.
fn word(
    fields: &Fields<'_, '_>,
    rule: &'static crate::Rule,
    name: &str,
    also: &str,
) -> Option<String> {
    let given = fields.required_text(name)?;
    if !is_word(given, also) {
        let message = format!("`{name}` must be a lower-case word, not `{given}`");
        fields.report(rule, name, message);
        return None;
    }
    Some(given.to_owned())
}

fn is_word(given: &str, also: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    given.starts_with(plain) && given.chars().all(|c| plain(c) || also.contains(c))
}

fn read_engine(fields: &Fields<'_, '_>) -> Option<Engine> {
    let name = fields.required_text("name");
    let sdk = fields.required_text("sdk");
    let sdk_version = fields.required_text("sdkVersion").filter(|given| {
        let good = begins_with_three_numbers(given);
        if !good {
            let message = format!("`{given}` does not begin with three numbers such as 1.2.3");
            fields.report(&rules::ENGINE, "sdkVersion", message);
        }
        good
    });
    report_unknown(fields, &["name", "sdk", "sdkVersion"]);
    Some(Engine {
        name: name?.to_owned(),
        sdk: sdk?.to_owned(),
        sdk_version: sdk_version?.to_owned(),
    })
}

fn read_runtime(fields: &Fields<'_, '_>) -> Option<Runtime> {
    let kind = word(fields, &rules::RUNTIME, "type", "_.+-");
    let version = fields.required_text("version");
    report_unknown(fields, &["type", "version"]);
    Some(Runtime {
        kind: kind?,
        version: version?.to_owned(),
    })
}

fn report_unknown(fields: &Fields<'_, '_>, known: &[&str]) {
    for name in fields.unknown() {
        let message = format!(
            "the field `{name}` is unknown; known are {}",
            known.join(", ")
        );
        fields.report(&rules::UNKNOWN, name, message);
    }
}

fn begins_with_three_numbers(text: &str) -> bool {
    let mut rest = text;
    for last in [false, false, true] {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return false;
        }
        rest = &rest[digits..];
        if !last {
            let Some(behind) = rest.strip_prefix('.') else {
                return false;
            };
            rest = behind;
        }
    }
    true
}

fn read_env(fields: &Fields<'_, '_>) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for (name, value) in fields.iter() {
        if !env::is_name(name) {
            let message = format!("`{name}` must be A-Z, 0-9 and `_`, not beginning with a digit");
            fields.report(&rules::ENV_NAME, name, message);
        } else if env::is_hook(name) {
            let message = format!(
                "`{name}` makes other programs run or load something else; set it inside the entry if you must"
            );
            fields.report(&rules::ENV_HOOK, name, message);
        } else {
            match value.as_str() {
                Some(text) if !text.contains('\0') => {
                    all.insert(name.to_owned(), text.to_owned());
                }
                Some(_) => fields.report(
                    &rules::ENV_VALUE,
                    name,
                    format!("the value of `{name}` holds a NUL character"),
                ),
                None => fields.report(
                    &rules::ENV_VALUE,
                    name,
                    format!(
                        "the value of `{name}` must be a string, not {}",
                        kind_of(value)
                    ),
                ),
            }
        }
    }
    all
}

fn read_flags(fields: &Fields<'_, '_>) -> BTreeMap<String, bool> {
    let mut all = BTreeMap::new();
    for (name, value) in fields.iter() {
        match value.as_bool() {
            _ if name.is_empty() || name.chars().any(char::is_control) => fields.report(
                &rules::CAPABILITY,
                name,
                "a capability needs a name that people can read",
            ),
            Some(flag) => {
                all.insert(name.to_owned(), flag);
            }
            None => fields.report(
                &rules::CAPABILITY,
                name,
                format!("`{name}` must be true or false, not {}", kind_of(value)),
            ),
        }
    }
    all
}
