//! Makes an index of a folder of packages, to resolve from later or elsewhere.

use std::path::{Path, PathBuf};

use attache_registry::wire::{Index, IndexLine};
use schemars::JsonSchema;
use serde::Serialize;

use crate::build::Warning;
use crate::resolving::folder_index;
use crate::resolving::relative_to;
use crate::workspace::{CONFIG, check_name, read_text};
use crate::{App, Error, Kind, Outcome, whole};

/// The longest index that is read.
const LONGEST_INDEX: u64 = 1 << 30;

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
    let is_other = |name: &str| output.file_name().is_some_and(|output| output == name);
    if is_other(CONFIG) || is_other(attache_resolve::Lockfile::NAME) {
        let message = format!("`{}` has another use", output.display());
        return Err(Error::new(Kind::Usage, "ATT-INDEX", message).hint("write elsewhere with -o"));
    }
    let mut warnings = Vec::new();
    // What it says of where packages are is relative to itself.
    let beside = output.parent().filter(|p| !p.as_os_str().is_empty());
    let prefix = relative_to(&canonical(beside.unwrap_or(Path::new(".")))?, folder);
    if prefix.starts_with("..") {
        let message = format!("`{}` is not at or above the packages", output.display());
        return Err(Error::new(Kind::Usage, "ATT-INDEX", message).hint(
            "an index can only name what is below it: write it into their folder, or above it",
        ));
    }
    let name = request.name.as_deref();
    let text = folder_index(app, folder, &prefix, name, &mut warnings)?;
    let before = read_text(&output, LONGEST_INDEX, "ATT-INDEX")?;
    let text = match &before {
        Some(before) => still_yanked(before, &text, name),
        None => text,
    };
    let changed = before.is_none_or(|before| before != text);
    if changed {
        whole::write(&output, &text)?;
    }
    Ok(IndexOutcome {
        versions: text.lines().count().saturating_sub(1),
        changed,
        warnings,
        output,
    })
}

/// Keeps what was taken back taken back: the packages themselves cannot tell.
fn still_yanked(before: &str, text: &str, name: Option<&str>) -> String {
    let (Ok(before), Ok(now)) = (Index::read(before), Index::read(text)) else {
        return text.to_owned();
    };
    let mut names: Vec<&str> = now.names().collect();
    names.sort_unstable();
    let lines = names.into_iter().flat_map(|id| {
        let was = before.versions(id).flatten();
        let yanked: Vec<_> = was.filter(|(_, line)| line.yanked).collect();
        now.versions(id).flatten().map(move |(_, mut line)| {
            let same = |(_, old): &(usize, IndexLine<'_>)| {
                old.version == line.version && old.digest == line.digest
            };
            line.yanked = yanked.iter().any(same);
            line
        })
    });
    IndexLine::document(name, lines.collect()).unwrap_or_else(|_| text.to_owned())
}

fn canonical(path: &Path) -> Result<PathBuf, Error> {
    fs_err::canonicalize(path).map_err(|e| Error::io("open", path, &e))
}
