//! Shows what a package says of itself.

use std::path::{Path, PathBuf};

use attache_package::formats::FormatName;
use attache_package::{Container, Diagnostics, Digest, DigestWriter, Manifest, Problem};
use fs_err as fs;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{App, Error, Kind, Outcome};

/// What to look at.
#[derive(Debug, Clone)]
pub struct InspectRequest {
    /// The package: a folder or an archive.
    pub path: PathBuf,
    /// The dialect, if it is not to be found out.
    pub format: Option<FormatName>,
}

/// What was seen.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InspectOutcome {
    /// Where it is.
    #[serde(with = "crate::lossy")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// What it comes in.
    pub container: Container,
    /// The archive's size; nothing for a folder.
    pub packed_size: Option<u64>,
    /// The archive's digest; nothing for a folder.
    pub digest: Option<Digest>,
    /// The size of all files, unpacked.
    pub size: u64,
    /// Whether it is valid as it stands.
    pub valid: bool,
    /// What makes it invalid.
    pub errors: Vec<Problem>,
    /// What does not.
    pub warnings: Vec<Problem>,
    /// The root folder that was dropped, where the format does that.
    pub flattened: bool,
    /// Everything it says.
    pub manifest: Manifest,
}

impl Outcome for InspectOutcome {
    const SCHEMA: &'static str = "attache.inspect/1";
}

/// Reads the package. An invalid one is shown too, as far as it can be read.
pub fn inspect(app: &App, request: &InspectRequest) -> Result<InspectOutcome, Error> {
    let path = &request.path;
    let package = app.open(path, request.format)?;
    let mut diagnostics = Diagnostics::new(true);
    let manifest = package
        .read(&mut diagnostics)
        .map_err(|e| Error::archive(path, e))?;
    let (errors, warnings) = diagnostics.into_parts();
    let Some(manifest) = manifest else {
        return Err(Error {
            problems: errors,
            ..Error::new(
                Kind::Failed,
                "ATT-INVALID",
                format!("`{}` has no readable manifest", path.display()),
            )
            .hint("`attache validate` says everything that is wrong with it")
        });
    };
    let (packed_size, digest) = match package.is_folder() {
        true => (None, None),
        false => {
            let (digest, size) = digest_of(path)?;
            (Some(size), Some(digest))
        }
    };
    Ok(InspectOutcome {
        path: path.clone(),
        container: package.tree.container(),
        packed_size,
        digest,
        size: package.tree.total_size(),
        valid: errors.is_empty(),
        errors,
        warnings,
        flattened: package.flattened,
        manifest,
    })
}

/// Returns the digest and size of a file.
pub(crate) fn digest_of(path: &Path) -> Result<(Digest, u64), Error> {
    let mut file = fs::File::open(path).map_err(|e| Error::io("open", path, &e))?;
    let mut hasher = DigestWriter::new(std::io::sink());
    std::io::copy(&mut file, &mut hasher).map_err(|e| Error::io("read", path, &e))?;
    let (_, digest, size) = hasher.finish();
    Ok((digest, size))
}
