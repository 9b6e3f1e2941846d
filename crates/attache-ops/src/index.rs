//! Makes an index of a folder of packages, to resolve from later or elsewhere.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::build::Warning;
use crate::resolving::folder_index;
use crate::resolving::relative_to;
use crate::workspace::check_name;
use crate::{App, Error, Kind, Outcome, lock};

/// What to make an index of.
#[derive(Debug, Clone)]
pub struct IndexRequest {
    /// The folder of packages.
    pub folder: PathBuf,
    /// The file to write; `index.jsonl` in that folder if there is none.
    pub output: Option<PathBuf>,
    /// The name that locks give to what comes from it.
    pub name: Option<String>,
}

/// What was written.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IndexOutcome {
    /// The file.
    #[serde(with = "crate::lossy")]
    #[schemars(with = "String")]
    pub output: PathBuf,
    /// How many versions it lists.
    pub versions: usize,
    /// Whether it is other than before.
    pub changed: bool,
    /// Packages that are not in it, and why.
    pub warnings: Vec<Warning>,
}

impl Outcome for IndexOutcome {
    const SCHEMA: &'static str = "attache.index-made/1";
}

/// Checks every package in a folder and writes one line for each.
pub fn index(app: &App, request: &IndexRequest) -> Result<IndexOutcome, Error> {
    let folder = &request.folder;
    if let Some(name) = &request.name {
        check_name(name).map_err(|m| Error::new(Kind::Usage, "ATT-INDEX", m))?;
    }
    let output = request
        .output
        .clone()
        .unwrap_or_else(|| folder.join("index.jsonl"));
    let mut warnings = Vec::new();
    // What it says of where packages are is relative to itself.
    let beside = output.parent().filter(|p| !p.as_os_str().is_empty());
    let prefix = relative_to(&canonical(beside.unwrap_or(Path::new(".")))?, folder);
    let name = request.name.as_deref();
    let text = folder_index(app, folder, &prefix, name, &mut warnings)?;
    let changed = fs_err::read(&output).ok().as_deref() != Some(text.as_bytes());
    if changed {
        lock::write(&output, &text)?;
    }
    Ok(IndexOutcome {
        versions: text.lines().count().saturating_sub(1),
        changed,
        warnings,
        output,
    })
}

fn canonical(path: &Path) -> Result<PathBuf, Error> {
    fs_err::canonicalize(path).map_err(|e| Error::io("open", path, &e))
}
