//! `manifest.yaml`: its type, its reader and its writer.

use std::cell::RefCell;

use schemars::JsonSchema;
use serde_json::{Map, Value};
use url::Url;

use super::rules;
use crate::fields::{self, Fields};
use crate::{Capability, Diagnostics, InvalidName, PackageName, Release};

/// Where the manifest is.
pub(super) const PATH: &str = "manifest.yaml";

const LONGEST_ID: usize = 64;
pub(super) const LONGEST_NAME: usize = 32;
pub(super) const LONGEST_DESCRIPTION: usize = 200;

const KNOWN: [&str; 9] = [
    "schema_version",
    "id",
    "name",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "permissions",
];

/// The fields of `manifest.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields, title = "Nexo agent manifest")]
pub struct NexoManifest {
    /// The version of this schema.
    #[schemars(extend("const" = 1))]
    pub schema_version: u32,
    /// The unique identifier, in reverse domain notation.
    #[schemars(
        with = "String",
        length(max = 64),
        regex(pattern = r"^[a-z0-9]+(\.[a-z0-9_]+)+$")
    )]
    pub id: PackageName,
    /// The name shown to people.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
    /// What the agent does, in short.
    #[schemars(length(min = 1, max = 200))]
    pub description: String,
    /// The author's name or address.
    #[schemars(length(min = 1))]
    pub author: String,
    /// The project's web site.
    #[schemars(with = "String", default, extend("format" = "uri", "pattern" = "^https?://"))]
    pub homepage: Option<String>,
    /// Where the source code is.
    #[schemars(with = "String", default, extend("format" = "uri", "pattern" = "^https?://"))]
    pub repository: Option<String>,
    /// The licence's name, such as `MIT` or `Apache-2.0`.
    #[schemars(with = "String", default)]
    pub license: Option<String>,
    /// What the agent asks to be allowed.
    #[schemars(default)]
    pub permissions: Vec<String>,
}

/// Returns the schema of `manifest.yaml`.
pub(super) fn schema() -> Value {
    let mut schema = schemars::schema_for!(NexoManifest).to_value();
    // An absent field is the default; `null` is not, and the reader refuses it.
    if let Some(fields) = schema["properties"].as_object_mut() {
        for field in fields.values_mut().filter_map(Value::as_object_mut) {
            field.remove("default");
        }
    }
    schema
}

/// Checks a name against the Nexo grammar, which is narrower than ours.
pub(super) fn check_id(given: &str) -> Result<PackageName, InvalidName> {
    let invalid = |reason| {
        Err(InvalidName {
            given: given.to_owned(),
            reason,
        })
    };
    if given.chars().count() > LONGEST_ID {
        return invalid("a Nexo id has at most 64 characters");
    }
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let mut parts = given.split('.');
    let first = parts.next().unwrap_or_default();
    let mut rest = parts.peekable();
    if rest.peek().is_none() {
        return invalid(
            "a Nexo id is a reverse domain name with a dot, such as `com.example.agent`",
        );
    }
    if first.is_empty() || !first.bytes().all(plain) {
        return invalid(
            "the first part of a Nexo id holds only a-z and 0-9, as in `com.example.agent`",
        );
    }
    if !rest.all(|part| !part.is_empty() && part.bytes().all(|b| plain(b) || b == b'_')) {
        return invalid(
            "the parts of a Nexo id hold only a-z, 0-9 and `_`, as in `com.example.my_agent`",
        );
    }
    given.parse()
}

/// What could be read of a manifest: enough to name the agent.
#[derive(Debug)]
pub(super) struct ReadManifest {
    pub(super) fields: NexoManifest,
    /// A version that lenient reading found.
    pub(super) version: Option<Release>,
}

/// Reads and checks the fields. Returns nothing when even the id is no good.
pub(super) fn read(
    object: &Map<String, Value>,
    diagnostics: &mut Diagnostics,
) -> Option<ReadManifest> {
    let lenient = diagnostics.is_lenient();
    let cell = RefCell::new(diagnostics);
    let fields = Fields::new(object, PATH, &cell);

    if fields.require("schema_version").is_some()
        && let Some(version) = fields.integer("schema_version")
        && version != 1
    {
        let message = format!("`schema_version` is {version}; the only one we know is 1");
        fields.report(&rules::SCHEMA, "schema_version", message);
    }
    let id = fields.required_text("id").and_then(|text| {
        check_id(text)
            .map_err(|error| fields.report(&rules::ID, "id", error.to_string()))
            .ok()
    });
    let name = fields.required_text("name");
    if let Some(name) = name {
        check_length(&fields, &rules::NAME, "name", name, LONGEST_NAME);
        if name.chars().any(char::is_control) {
            fields.report(
                &rules::NAME,
                "name",
                "`name` must be one line of plain text",
            );
        }
    }
    let description = fields.required_text("description").map(str::trim_end);
    if let Some(text) = description {
        check_length(
            &fields,
            &rules::DESCRIPTION,
            "description",
            text,
            LONGEST_DESCRIPTION,
        );
    }
    let author = fields.required_text("author");
    let homepage = address(&fields, "homepage");
    let repository = address(&fields, "repository");
    let license = fields.text("license");
    let permissions = permissions(&fields);
    let version = version(&fields).filter(|_| lenient);
    fields.finish(&fields::rules::UNKNOWN, &KNOWN);

    let id = id?;
    let or_id = |text: Option<&str>| text.unwrap_or(id.as_str()).to_owned();
    Some(ReadManifest {
        fields: NexoManifest {
            schema_version: 1,
            name: or_id(name),
            description: description.unwrap_or_default().to_owned(),
            author: author.unwrap_or_default().to_owned(),
            homepage,
            repository,
            license: license.map(str::to_owned),
            permissions,
            id,
        },
        version,
    })
}

fn check_length(
    fields: &Fields<'_, '_>,
    rule: &'static crate::Rule,
    name: &str,
    text: &str,
    most: usize,
) {
    let count = text.chars().count();
    if count > most {
        let message = format!("`{name}` has {count} characters; the limit is {most}");
        fields.report(rule, name, message);
    }
}

fn address(fields: &Fields<'_, '_>, name: &str) -> Option<String> {
    let text = fields.text(name)?;
    if let Err(reason) = check_address(text) {
        fields.report(&rules::URL, name, format!("`{name}` {reason}"));
        return None;
    }
    Some(text.to_owned())
}

/// Checks that `text` is an address a browser opens; the error says what it is instead.
pub(super) fn check_address(text: &str) -> Result<(), String> {
    let url = Url::parse(text).map_err(|error| format!("is not an address: {error}"))?;
    match url.scheme() {
        "http" | "https" => Ok(()),
        other => Err(format!(
            "must begin with https:// or http://, not with `{other}:`"
        )),
    }
}

fn permissions(fields: &Fields<'_, '_>) -> Vec<String> {
    let mut known = Vec::new();
    for (at, text) in fields
        .texts("permissions")
        .unwrap_or_default()
        .iter()
        .enumerate()
    {
        if text.trim().is_empty() {
            let message = format!("permission {} is empty", at + 1);
            fields.report(&fields::rules::VALUE, "permissions", message);
        } else {
            known.push((*text).to_owned());
        }
    }
    known
}

fn version(fields: &Fields<'_, '_>) -> Option<Release> {
    let value = fields.get("version")?;
    fields.report(
        &rules::VERSION,
        "version",
        "a Nexo manifest has no `version`: the git commit or the archive decides it; remove the field",
    );
    value.as_str()?.parse().ok()
}

/// Returns what a permission asks for. Words we do not know are kept as they are.
pub(super) fn capabilities_of(permission: &str) -> Vec<Capability> {
    let word = permission
        .trim()
        .to_ascii_lowercase()
        .replace(['.', '_', '-'], ":");
    match word.as_str() {
        "network" | "net" | "internet" | "http" => vec![Capability::Network],
        "shell" | "exec" | "process" | "subprocess" => vec![Capability::Shell],
        "git" => vec![Capability::Git],
        "code" => vec![Capability::Code],
        "filesystem" | "fs" | "files" => {
            vec![Capability::FilesystemRead, Capability::FilesystemWrite]
        }
        "filesystem:read" | "fs:read" | "files:read" => vec![Capability::FilesystemRead],
        "filesystem:write" | "fs:write" | "files:write" => vec![Capability::FilesystemWrite],
        _ => vec![named(permission.trim())],
    }
}

fn named(permission: &str) -> Capability {
    match permission.split_once(':') {
        Some((_, "")) | None => Capability::Other(permission.to_owned()),
        Some(("env", name)) => Capability::Env(name.to_owned()),
        Some(("mcp", name)) => Capability::Mcp(name.to_owned()),
        Some(("model", name)) => Capability::Model(name.to_owned()),
        Some(("tool", name)) => Capability::Tool(name.to_owned()),
        Some(("other", name)) => Capability::Other(name.to_owned()),
        Some(_) => Capability::Other(permission.to_owned()),
    }
}

impl NexoManifest {
    /// Writes the manifest as YAML, in the specification's order.
    pub fn to_yaml(&self) -> String {
        let mut out = format!("schema_version: {}\n", self.schema_version);
        let optional = [
            ("homepage", &self.homepage),
            ("repository", &self.repository),
            ("license", &self.license),
        ];
        let required = [
            ("id", self.id.as_str()),
            ("name", &self.name),
            ("description", &self.description),
            ("author", &self.author),
        ];
        let optional = optional
            .iter()
            .filter_map(|(name, value)| Some((*name, value.as_deref()?)));
        for (name, value) in required.into_iter().chain(optional) {
            out.push_str(&format!("{name}: {}\n", scalar(value)));
        }
        if !self.permissions.is_empty() {
            out.push_str("permissions:\n");
            for permission in &self.permissions {
                out.push_str(&format!("  - {}\n", scalar(permission)));
            }
        }
        out
    }
}

/// Writes text as a YAML scalar: plain where no reader could take it for anything else.
fn scalar(text: &str) -> String {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !text.ends_with(' ')
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || " ._-".contains(c))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str());
    if plain {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            // What YAML does not count as printable, and the line ends it would fold.
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
