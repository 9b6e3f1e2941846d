//! `manifest.json`: its type, its reader and its writer.

use std::cell::RefCell;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{rules, signature};
use crate::fields::{self, Fields};
use crate::{Diagnostics, Digest, PackageName, PackagePath, Release};

/// Where the manifest is.
pub(super) const PATH: &str = "manifest.json";

/// The one version of the specification there is.
pub(super) const SPEC_VERSION: &str = "0.1";

const KNOWN: [&str; 9] = [
    "spec_version",
    "name",
    "version",
    "created_at",
    "publisher",
    "type",
    "files",
    "entrypoints",
    "signature",
];

/// The fields of `manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "AgentForge pack manifest")]
pub struct ForgeManifest {
    /// The version of the specification.
    #[schemars(extend("const" = "0.1"))]
    pub spec_version: String,
    /// The pack's name.
    pub name: PackageName,
    /// The pack's version.
    #[schemars(length(min = 1))]
    pub version: String,
    /// When it was made, as ISO 8601 has it.
    pub created_at: String,
    /// Who made it.
    #[schemars(length(min = 1))]
    pub publisher: String,
    /// What it holds.
    #[serde(rename = "type")]
    pub kind: PackKind,
    /// Every file except this one.
    pub files: Vec<ListedFile>,
    /// The workflows and tools that are exposed after installing.
    #[schemars(inner(length(min = 1)))]
    pub entrypoints: Vec<String>,
    /// The HMAC-SHA256 over the canonical manifest without this field, in base64.
    #[schemars(with = "String", default, regex(pattern = "^[A-Za-z0-9+/]{43}=$"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// What a pack holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PackKind {
    /// Workflows.
    WorkflowPack,
    /// Tools.
    ToolPack,
    /// Both, or neither.
    Mixed,
}

/// One file and its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ListedFile {
    /// Its path, with forward slashes.
    #[schemars(length(min = 1))]
    pub path: PackagePath,
    /// The SHA-256 of its bytes.
    #[schemars(regex(pattern = "^[a-f0-9]{64}$"))]
    pub sha256: String,
}

/// Returns the schema of `manifest.json`.
pub(super) fn schema() -> Value {
    let mut schema = schemars::schema_for!(ForgeManifest).to_value();
    // An absent signature is the default; `null` is not, and the reader refuses it.
    if let Some(field) = schema["properties"]["signature"].as_object_mut() {
        field.remove("default");
    }
    schema
}

/// What could be read of a manifest: enough to name the pack.
#[derive(Debug)]
pub(super) struct ReadManifest {
    pub(super) name: PackageName,
    pub(super) version: Option<Release>,
    /// Only where it is a moment in time (RFC 3339).
    pub(super) created_at: Option<String>,
    pub(super) publisher: Option<String>,
    pub(super) entrypoints: Vec<String>,
}

/// One usable line of `files`: its index, path and hash.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) at: usize,
    pub(super) path: PackagePath,
    pub(super) digest: Digest,
}

/// The usable lines of `files`, or nothing where there is no list at all.
pub(super) type Listing = Option<Vec<Listed>>;

/// Reads and checks the fields; `sealed` says that `files` must be there.
pub(super) fn read(
    object: &Map<String, Value>,
    sealed: bool,
    diagnostics: &mut Diagnostics,
) -> (Option<ReadManifest>, Listing) {
    let cell = RefCell::new(diagnostics);
    let fields = Fields::new(object, PATH, &cell);

    if fields.require("spec_version").is_some()
        && let Some(given) = fields.text("spec_version")
        && given != SPEC_VERSION
    {
        let message =
            format!("`spec_version` is `{given}`; the only one we know is `{SPEC_VERSION}`");
        fields.report(&rules::SPEC_VERSION, "spec_version", message);
        // Another specification has other fields, and we cannot say what is wrong with them.
        return (None, None);
    }
    let name = fields.require_parsed::<PackageName>(&rules::NAME, "name");
    let version = version(&fields, &cell);
    let created_at = created_at(&fields, &cell);
    let publisher = fields.required_text("publisher");
    if let Some(kind) = fields.required_text("type")
        && !["workflow_pack", "tool_pack", "mixed"].contains(&kind)
    {
        let message =
            format!("`{kind}` is no type of pack; use `workflow_pack`, `tool_pack` or `mixed`");
        fields.report(&rules::TYPE, "type", message);
    }
    if sealed {
        fields.require("files");
    }
    let files = fields
        .list("files")
        .map(|items| listed(items, &fields, &cell));
    let entrypoints = entrypoints(&fields, &cell);
    if let Some(text) = fields.text("signature")
        && let Err(error) = signature::decode(text)
    {
        fields.report(&rules::SIGNATURE, "signature", error.to_string());
    }
    fields.finish(&rules::UNKNOWN, &KNOWN);

    let read = name.map(|name| ReadManifest {
        name,
        version,
        created_at,
        publisher: publisher.map(str::to_owned),
        entrypoints,
    });
    (read, files)
}

fn version(fields: &Fields<'_, '_>, cell: &RefCell<&mut Diagnostics>) -> Option<Release> {
    let text = fields.required_text("version")?;
    let printable =
        |c: char| !c.is_control() && !c.is_whitespace() && !crate::path::is_invisible(c);
    if !text.chars().all(printable) || text.contains(['/', '\\']) || text.chars().all(|c| c == '.')
    {
        let message = format!(
            "`{}` is not a version: use printable characters, without spaces and path separators",
            text.escape_debug()
        );
        fields.report(&rules::VERSION, "version", message);
        return None;
    }
    let parsed = text.parse();
    if let Err(error) = &parsed {
        let message = format!("{error}; without that no range can ask for it");
        let place = fields.place_of("version");
        cell.borrow_mut().warn(&rules::VERSION, place, message);
    }
    parsed.ok()
}

fn created_at(fields: &Fields<'_, '_>, cell: &RefCell<&mut Diagnostics>) -> Option<String> {
    fields.require("created_at")?;
    let text = fields.text("created_at")?;
    let moment = text.parse::<jiff::Timestamp>().is_ok();
    let local = text.parse::<jiff::civil::DateTime>().is_ok();
    if !moment && !local {
        let message = format!(
            "`{}` is not an ISO 8601 time such as `2026-01-31T12:00:00Z`",
            text.escape_debug()
        );
        let place = fields.place_of("created_at");
        cell.borrow_mut().warn(&rules::CREATED_AT, place, message);
    }
    moment.then(|| text.to_owned())
}

fn listed<'d>(
    items: &[Value],
    fields: &Fields<'_, 'd>,
    cell: &'d RefCell<&'d mut Diagnostics>,
) -> Vec<Listed> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut good = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let place = format!("{}/{at}", fields.place_of("files"));
        let Some(object) = item.as_object() else {
            let kind = fields::kind_of(item);
            let message =
                format!("`files/{at}` must be an object with `path` and `sha256`, not {kind}");
            cell.borrow_mut()
                .report(&fields::rules::TYPE, place, message);
            continue;
        };
        let entry = Fields::new(object, place, cell);
        let path = entry.required_text("path").and_then(|text| {
            let path = PackagePath::new(text)
                .map_err(|error| entry.report(&rules::FILE_PATH, "path", error.to_string()))
                .ok()?;
            if path.as_str() == PATH {
                let message = "the manifest cannot list itself";
                entry.report(&rules::FILE_PATH, "path", message);
                return None;
            }
            // By twin key: a list that says `A` and `a` means one file on some disks.
            if let Some(first) = seen.insert(path.twin_key(), at) {
                let message = format!("`{path}` is listed twice, first as `files/{first}`");
                entry.report(&rules::FILE_PATH, "path", message);
                return None;
            }
            Some(path)
        });
        let digest = entry.required_text("sha256").and_then(|text| {
            let message = format!(
                "`{}` is not 64 lower-case hexadecimal digits",
                text.escape_debug()
            );
            Digest::from_hex(text)
                .map_err(|_| entry.report(&rules::FILE_HASH, "sha256", message))
                .ok()
        });
        entry.finish(&rules::UNKNOWN, &["path", "sha256"]);
        if let (Some(path), Some(digest)) = (path, digest) {
            good.push(Listed { at, path, digest });
        }
    }
    good
}

fn entrypoints(fields: &Fields<'_, '_>, cell: &RefCell<&mut Diagnostics>) -> Vec<String> {
    if fields.require("entrypoints").is_none() {
        return Vec::new();
    }
    let mut names = Vec::new();
    for (at, item) in fields
        .list("entrypoints")
        .unwrap_or_default()
        .iter()
        .enumerate()
    {
        let place = format!("{}/{at}", fields.place_of("entrypoints"));
        match item.as_str() {
            Some(name) if !name.trim().is_empty() => names.push(name.to_owned()),
            Some(_) => cell.borrow_mut().report(
                &rules::ENTRYPOINT,
                place,
                "an entry point is the name of a workflow or tool, not an empty text",
            ),
            None => cell.borrow_mut().report(
                &fields::rules::TYPE,
                place,
                format!(
                    "`entrypoints/{at}` must be a string, not {}",
                    fields::kind_of(item)
                ),
            ),
        }
    }
    names
}

/// Writes a manifest for people: sorted keys, two spaces, a line end.
pub(super) fn to_json(object: &Map<String, Value>) -> Vec<u8> {
    let sorted = sorted(&Value::Object(object.clone()));
    let mut text = format!("{sorted:#}").into_bytes();
    text.push(b'\n');
    text
}

/// Sorts the keys at every depth, whichever order the map itself keeps.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let fields: BTreeMap<_, _> = object
                .iter()
                .map(|(key, v)| (key.clone(), sorted(v)))
                .collect();
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        scalar => scalar.clone(),
    }
}
