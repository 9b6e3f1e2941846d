//! Takes a package apart into a folder.

use std::path::PathBuf;

use attache_package::formats::FormatName;
use attache_package::{PackageName, extract};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{App, Error, Kind, Outcome};

/// What to take apart, and where to.
#[derive(Debug, Clone)]
pub struct UnpackRequest {
    /// The archive.
    pub path: PathBuf,
    /// The dialect, if it is not to be found out.
    pub format: Option<FormatName>,
    /// The new folder; named after the package if there is none.
    pub output: Option<PathBuf>,
    /// Whether deviations that are common in the wild are only warnings.
    pub lenient: bool,
}

/// What was taken apart.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnpackOutcome {
    /// The dialect.
    pub format: FormatName,
    /// The package's name.
    pub id: PackageName,
    /// The new folder.
    #[serde(with = "crate::lossy")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// How many files are in it.
    pub files: usize,
    /// Their size in bytes.
    pub size: u64,
}

impl Outcome for UnpackOutcome {
    const SCHEMA: &'static str = "attache.unpack/1";
}

/// Checks the whole package first; nothing is written unless it is valid.
pub fn unpack(app: &App, request: &UnpackRequest) -> Result<UnpackOutcome, Error> {
    let path = &request.path;
    let (package, manifest) = app.open_valid(path, request.format, request.lenient)?;
    if package.is_folder() {
        let message = format!("`{}` is a folder already", path.display());
        return Err(Error::new(Kind::Usage, "ATT-UNPACK-FOLDER", message));
    }
    let output = request
        .output
        .clone()
        .unwrap_or_else(|| match &manifest.version {
            Some(version) => format!("{}-{version}", manifest.id).into(),
            None => manifest.id.as_str().into(),
        });
    if let Some(parent) = output.parent() {
        fs_err::create_dir_all(parent).map_err(|e| Error::write("create", parent, &e))?;
    }
    extract(&package.tree, &output).map_err(|e| Error::archive(&output, e))?;
    Ok(UnpackOutcome {
        format: package.format.name(),
        id: manifest.id,
        path: output,
        files: package.tree.entries().len(),
        size: package.tree.total_size(),
    })
}
