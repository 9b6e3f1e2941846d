//! A folder of packages, made into an index.

use std::path::Path;
use std::sync::atomic::Ordering;

use attache_registry::wire::IndexLine;
use attache_resolve::Failure;
use fs_err as fs;
use rayon::prelude::*;

use super::unresolved;
use crate::build::Warning;
use crate::inspect::digest_of;
use crate::{App, Error, Kind};

/// How deep a folder of packages may be nested, and how many files it may hold.
const DEEPEST: usize = 8;
const MOST_FILES: usize = 100_000;

/// Makes an index of the packages in a folder and the folders in it; `prefix` is the way to the
/// folder from where the index will be.
pub(crate) fn folder_index(
    app: &App,
    folder: &Path,
    prefix: &str,
    registry: Option<&str>,
    warnings: &mut Vec<Warning>,
) -> Result<String, Error> {
    let mut files = Vec::new();
    find_packages(folder, "", 0, &mut files)?;
    files.sort();
    let read: Vec<Result<Option<IndexLine<'static>>, Warning>> = files
        .par_iter()
        .map(|name| {
            if app.interrupted.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let source = match prefix {
                "." => name.clone(),
                prefix => format!("{prefix}/{name}"),
            };
            describe(app, &folder.join(name), source)
                .map(Some)
                .map_err(|error| Warning {
                    code: error.code.clone(),
                    message: match error.problems.first() {
                        Some(problem) => format!("{error}: {}: {}", problem.path, problem.message),
                        None => error.to_string(),
                    },
                    path: name.clone(),
                })
        })
        .collect();
    let mut lines = Vec::with_capacity(read.len());
    for one in read {
        match one {
            Ok(line) => lines.extend(line),
            Err(warning) => warnings.push(warning),
        }
    }
    if app.interrupted.load(Ordering::Relaxed) {
        return Err(unresolved(Failure::Interrupted));
    }
    refuse_twins(folder, &lines)?;
    IndexLine::document(registry, lines).map_err(|error| {
        let message = format!("`{}`: {error}", folder.display());
        Error::new(Kind::Failed, "ATT-INDEX", message)
    })
}

/// Refuses two files for one version, since nothing says which of them is meant.
fn refuse_twins(folder: &Path, lines: &[IndexLine<'_>]) -> Result<(), Error> {
    let mut sorted: Vec<&IndexLine<'_>> = lines.iter().collect();
    sorted.sort_by(|a, b| (&a.id, &a.version).cmp(&(&b.id, &b.version)));
    let same = |pair: &&[&IndexLine<'_>]| {
        (&pair[0].id, &pair[0].version) == (&pair[1].id, &pair[1].version)
    };
    let Some(pair) = sorted.windows(2).find(same) else {
        return Ok(());
    };
    let source = |line: &IndexLine<'_>| line.source.as_deref().unwrap_or_default().to_owned();
    let message = format!(
        "`{}` has {} {} twice: `{}` and `{}`",
        folder.display(),
        pair[0].id,
        pair[0].version,
        source(pair[0]),
        source(pair[1])
    );
    Err(Error::new(Kind::Failed, "ATT-INDEX", message).hint("keep one of them"))
}

fn describe(app: &App, path: &Path, source: String) -> Result<IndexLine<'static>, Error> {
    let (_, manifest) = app.open_valid(path, None, false)?;
    let Some(version) = manifest.version.clone() else {
        let message = "it has no version, so no range can ask for it";
        return Err(Error::new(Kind::Failed, "ATT-INDEX-VERSION", message));
    };
    let (digest, size) = digest_of(path)?;
    let mut line = IndexLine::of(&manifest, version, digest, size);
    line.source = Some(source.into());
    Ok(line)
}

/// The ends of the names that packages have.
const ENDS: &[&str] = &[".lxpkg", ".zip", ".tar.gz", ".tgz", ".tar.zst"];

fn find_packages(
    folder: &Path,
    inside: &str,
    depth: usize,
    files: &mut Vec<String>,
) -> Result<(), Error> {
    let here = folder.join(inside);
    let entries = fs::read_dir(&here).map_err(|e| Error::io("read", &here, &e))?;
    for entry in entries {
        let entry = entry.map_err(|e| Error::io("read", &here, &e))?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
            continue;
        };
        let path = match inside {
            "" => name.to_owned(),
            inside => format!("{inside}/{name}"),
        };
        // A link is not followed into a folder, so that no circle of them can hold us.
        let kind = entry
            .file_type()
            .map_err(|e| Error::io("read", &entry.path(), &e))?;
        if kind.is_dir() && depth < DEEPEST {
            find_packages(folder, &path, depth + 1, files)?;
        } else if !kind.is_dir() && ENDS.iter().any(|end| name.ends_with(end)) {
            files.push(path);
        }
        if files.len() > MOST_FILES {
            let message = format!("`{}` has more than {MOST_FILES} packages", folder.display());
            return Err(
                Error::new(Kind::Failed, "ATT-INDEX", message).hint("make an index of it in parts")
            );
        }
    }
    Ok(())
}
