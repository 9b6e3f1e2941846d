//! Says what changed between two packages: manifest, capabilities and prompts first.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use attache_package::formats::{FormatName, Package};
use attache_package::{Capability, Diagnostics, Digest, Entry, Manifest, PackageName, Release};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{App, Error, Kind, Outcome};

/// What to compare.
#[derive(Debug, Clone)]
pub struct DiffRequest {
    /// The earlier package: a folder or an archive.
    pub before: PathBuf,
    /// The later one.
    pub after: PathBuf,
}

/// What changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DiffOutcome {
    /// The earlier package.
    pub before: Side,
    /// The later one.
    pub after: Side,
    /// Whether nothing changed.
    pub identical: bool,
    /// The manifest's fields that changed.
    pub manifest: Vec<FieldChange>,
    /// What the later one asks for, and the earlier did not; and the other way round.
    pub capabilities: CapabilityChange,
    /// The prompts that changed, with their text.
    pub prompts: Vec<PromptChange>,
    /// The files that changed, prompts included.
    pub files: Vec<FileChange>,
}

impl Outcome for DiffOutcome {
    const SCHEMA: &'static str = "attache.diff/1";
}

/// One of the two packages.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Side {
    /// Where it is.
    #[serde(with = "crate::lossy")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// Its dialect.
    pub format: FormatName,
    /// Its name.
    pub id: PackageName,
    /// Its version.
    pub version: Option<Release>,
    /// Whether it is valid as it stands.
    pub valid: bool,
}

/// A field that changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FieldChange {
    /// The field, e.g. `/version`.
    pub field: String,
    /// What it was; nothing if it is new.
    pub before: Option<Value>,
    /// What it is; nothing if it is gone.
    pub after: Option<Value>,
}

/// What is asked for now, and what no longer is.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct CapabilityChange {
    /// New.
    pub gained: Vec<Capability>,
    /// Gone.
    pub lost: Vec<Capability>,
}

/// A prompt that changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PromptChange {
    /// The file.
    pub path: String,
    /// The lines that changed, as a unified diff.
    pub diff: String,
}

/// A file that changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileChange {
    /// The file.
    pub path: String,
    /// Added, removed, changed, or only its mode.
    pub change: Change,
    /// Its digest before.
    pub before: Option<Digest>,
    /// Its digest after.
    pub after: Option<Digest>,
    /// How many bytes it grew, or shrank if negative.
    pub grown: i64,
}

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Its bytes are others.
    Changed,
    /// Only whether it can be executed changed.
    Mode,
}

/// Compares two packages, whichever dialects they are in.
pub fn diff(app: &App, request: &DiffRequest) -> Result<DiffOutcome, Error> {
    let (old, old_manifest, old_valid) = read(app, &request.before)?;
    let (new, new_manifest, new_valid) = read(app, &request.after)?;
    let files = file_changes(old.tree.entries(), new.tree.entries());
    let prompts =
        prompt_changes(&old, &new, &files).map_err(|e| Error::archive(&request.before, e))?;
    let mut manifest = Vec::new();
    field_changes(
        "",
        Some(&fields(&old_manifest)),
        Some(&fields(&new_manifest)),
        &mut manifest,
    );
    let only =
        |a: &BTreeSet<Capability>, b: &BTreeSet<Capability>| a.difference(b).cloned().collect();
    let capabilities = CapabilityChange {
        gained: only(&new_manifest.capabilities, &old_manifest.capabilities),
        lost: only(&old_manifest.capabilities, &new_manifest.capabilities),
    };
    let side = |path: &Path, manifest: Manifest, valid| Side {
        path: path.to_owned(),
        format: manifest.format,
        id: manifest.id,
        version: manifest.version,
        valid,
    };
    Ok(DiffOutcome {
        identical: files.is_empty() && manifest.is_empty(),
        before: side(&request.before, old_manifest, old_valid),
        after: side(&request.after, new_manifest, new_valid),
        manifest,
        capabilities,
        prompts,
        files,
    })
}

fn read(app: &App, path: &Path) -> Result<(Package, Manifest, bool), Error> {
    let package = app.open(path, None)?;
    let mut diagnostics = Diagnostics::new(true);
    let manifest = package
        .read(&mut diagnostics)
        .map_err(|e| Error::archive(path, e))?;
    match manifest {
        Some(manifest) => Ok((package, manifest, diagnostics.is_valid())),
        None => Err(Error {
            problems: diagnostics.into_parts().0,
            ..Error::new(
                Kind::Failed,
                "ATT-INVALID",
                format!("`{}` has no readable manifest", path.display()),
            )
        }),
    }
}

/// Returns the manifest's fields, without the lists that are compared on their own.
fn fields(manifest: &Manifest) -> Value {
    let mut value = serde_json::to_value(manifest).unwrap_or_default();
    if let Some(object) = value.as_object_mut() {
        object.remove("files");
        object.remove("capabilities");
    }
    value
}

fn field_changes(
    place: &str,
    before: Option<&Value>,
    after: Option<&Value>,
    out: &mut Vec<FieldChange>,
) {
    if before == after {
        return;
    }
    if let (Some(Value::Object(a)), Some(Value::Object(b))) = (before, after) {
        let keys: BTreeSet<_> = a.keys().chain(b.keys()).collect();
        for key in keys {
            field_changes(&format!("{place}/{key}"), a.get(key), b.get(key), out);
        }
        return;
    }
    let some = |v: Option<&Value>| v.filter(|v| !v.is_null()).cloned();
    out.push(FieldChange {
        field: place.to_owned(),
        before: some(before),
        after: some(after),
    });
}

fn file_changes(before: &[Entry], after: &[Entry]) -> Vec<FileChange> {
    let by_path = |entries: &[Entry]| -> BTreeMap<String, Entry> {
        entries
            .iter()
            .map(|e| (e.path.to_string(), e.clone()))
            .collect()
    };
    let (old, new) = (by_path(before), by_path(after));
    let paths: BTreeSet<_> = old.keys().chain(new.keys()).cloned().collect();
    let changes = paths.into_iter().filter_map(|path| {
        let (a, b) = (old.get(&path), new.get(&path));
        let change = match (a, b) {
            (None, Some(_)) => Change::Added,
            (Some(_), None) => Change::Removed,
            (Some(a), Some(b)) if a.digest != b.digest || a.kind != b.kind => Change::Changed,
            (Some(a), Some(b)) if a.executable != b.executable => Change::Mode,
            _ => return None,
        };
        let size = |e: Option<&Entry>| e.map_or(0, |e| e.size as i64);
        Some(FileChange {
            path,
            change,
            before: a.map(|e| e.digest),
            after: b.map(|e| e.digest),
            grown: size(b) - size(a),
        })
    });
    changes.collect()
}

/// Returns whether a file's text reaches a model: prompts, skills, workflows, and what tools say
/// of themselves.
fn is_prompt(path: &str) -> bool {
    let text = [".md", ".txt", ".json", ".yaml", ".yml"]
        .iter()
        .any(|end| path.ends_with(end));
    let root = path.split('/').next().unwrap_or_default();
    let folders = [
        "prompts",
        "instructions",
        "skills",
        ".nanobot",
        "workflows",
        "tools",
    ];
    text && (folders.contains(&root) || path == "agent.json")
}

/// Returns text that can be compared line by line; JSON is spread out first.
fn comparable(path: &str, bytes: &[u8]) -> String {
    let spread = match path.ends_with(".json") {
        true => attache_package::text::parse_json(bytes).ok(),
        false => None,
    };
    let bytes = spread.map_or(bytes.to_vec(), |v| attache_package::text::pretty_json(&v));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn prompt_changes(
    old: &Package,
    new: &Package,
    files: &[FileChange],
) -> Result<Vec<PromptChange>, attache_package::ArchiveError> {
    let wanted: BTreeSet<&str> = files
        .iter()
        .filter(|f| f.change != Change::Mode && is_prompt(&f.path))
        .map(|f| f.path.as_str())
        .collect();
    let texts =
        |package: &Package| -> Result<BTreeMap<String, String>, attache_package::ArchiveError> {
            let mut texts = BTreeMap::new();
            package.tree.read_many(
                |e| wanted.contains(e.path.as_str()),
                |e, bytes| {
                    texts.insert(e.path.to_string(), comparable(e.path.as_str(), &bytes));
                },
            )?;
            Ok(texts)
        };
    let (before, after) = (texts(old)?, texts(new)?);
    let changes = wanted.into_iter().filter_map(|path| {
        let text = |side: &BTreeMap<String, String>| side.get(path).cloned().unwrap_or_default();
        let (a, b) = (text(&before), text(&after));
        if a == b {
            return None; // Only the white space of a JSON document differs.
        }
        let diff = similar::TextDiff::from_lines(&a, &b)
            .unified_diff()
            .context_radius(2)
            .to_string();
        Some(PromptChange {
            path: path.to_owned(),
            diff,
        })
    });
    Ok(changes.collect())
}
