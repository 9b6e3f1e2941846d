//! Writes an agent in another dialect, and reports what that dialect cannot hold.

use std::path::{Path, PathBuf};

use attache_package::archive::PackFile;
use attache_package::convert::Losses;
use attache_package::formats::{ConvertedFile, FormatName, Stage};
use attache_package::{ArchiveError, Diagnostics, Manifest, PackageName, PackagePath, Tree};
use fs_err as fs;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{App, Error, Kind, Outcome};

/// What to convert, to what, and where to.
#[derive(Debug, Clone)]
pub struct ConvertRequest {
    /// The package: a folder or an archive.
    pub path: PathBuf,
    /// Its dialect, if it is not to be found out.
    pub from: Option<FormatName>,
    /// The dialect to write.
    pub to: FormatName,
    /// The new source folder; named after the package and the dialect if there is none.
    pub output: Option<PathBuf>,
    /// Whether deviations that are common in the wild are only warnings.
    pub lenient: bool,
}

/// What was written, and what was not.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConvertOutcome {
    /// The package's name in the source.
    pub id: PackageName,
    /// The dialect read.
    pub from: FormatName,
    /// The dialect written.
    pub to: FormatName,
    /// The new source folder.
    #[serde(with = "crate::lossy")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// The files in it, sorted.
    pub files: Vec<String>,
    /// What was lost and what was made up.
    #[serde(flatten)]
    pub report: Losses,
}

impl Outcome for ConvertOutcome {
    const SCHEMA: &'static str = "attache.convert/1";
}

/// Writes a source folder in the other dialect. Nothing is written unless all of it can be.
pub fn convert(app: &App, request: &ConvertRequest) -> Result<ConvertOutcome, Error> {
    let path = &request.path;
    let (package, manifest) = app.open_valid(path, request.from, request.lenient)?;
    let from = package.format.name();
    if from == request.to {
        return Err(Error::new(
            Kind::Usage,
            "ATT-CONVERT-SAME",
            format!("`{}` is {from} already", path.display()),
        )
        .hint("`attache unpack` turns a package into a source folder"));
    }
    let mut report = Losses::default();
    let portable = package
        .format
        .export(&package.tree, &manifest, &mut report)
        .map_err(|e| Error::archive(path, e))?;
    let files = request.to.format().import(&portable, &mut report);
    compare_capabilities(&manifest, &files, request.to, &mut report)
        .map_err(|e| Error::archive(path, e))?;
    report.lost.sort_by(|a, b| a.what.cmp(&b.what));
    report.invented.sort_by(|a, b| a.what.cmp(&b.what));

    let output = request
        .output
        .clone()
        .unwrap_or_else(|| format!("{}-{}", manifest.id, request.to).into());
    if output.exists() {
        return Err(Error::new(
            Kind::Failed,
            "ATT-ARCHIVE-TARGET",
            format!("`{}` already exists, and was not touched", output.display()),
        )
        .hint("name a new folder with -o"));
    }
    let folder = output
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|e| Error::write("create", folder, &e))?;
    let staged = tempfile::Builder::new()
        .prefix(".attache-")
        .tempdir_in(folder)
        .map_err(|e| Error::write("write in", folder, &e))?;
    for file in &files {
        // The path comes from a package, so it is checked like any other.
        let place = attache_package::PackagePath::new(&file.path)
            .map_err(|e| Error::new(Kind::Failed, e.defect.code(), format!("cannot write {e}")))?;
        let place = staged.path().join(place.as_str());
        crate::init::write_new(&place, &file.bytes, file.executable)
            .map_err(|e| Error::write("write", &place, &e))?;
    }
    fs::rename(staged.keep(), &output).map_err(|e| Error::write("write", &output, &e))?;
    open_to_all(&output);
    let mut names: Vec<_> = files.into_iter().map(|f| f.path).collect();
    names.sort();
    Ok(ConvertOutcome {
        id: manifest.id,
        from,
        to: request.to,
        path: output,
        files: names,
        report,
    })
}

/// Reports every capability that the new agent has and the old one had not, and the other way
/// round: nothing a package asks for may change in silence.
fn compare_capabilities(
    before: &Manifest,
    files: &[ConvertedFile],
    to: FormatName,
    report: &mut Losses,
) -> Result<(), ArchiveError> {
    let assembled: Result<Vec<_>, ArchiveError> = files
        .iter()
        .map(|file| {
            let path = PackagePath::new(&file.path)?;
            let executable = file.executable;
            let file = PackFile::bytes(path, file.bytes.clone());
            Ok(PackFile { executable, ..file })
        })
        .collect();
    let tree = Tree::assembled(assembled?)?;
    let after = to
        .format()
        .read(&tree, Stage::Source, &mut Diagnostics::new(true))?;
    let after = after.map(|m| m.capabilities).unwrap_or_default();
    for lost in before.capabilities.difference(&after) {
        let detail = format!("the {to} agent no longer asks for it");
        report.lose(format!("capability {lost}"), detail);
    }
    for gained in after.difference(&before.capabilities) {
        let detail = format!(
            "the {to} agent asks for it, and the {} one did not",
            before.format
        );
        report.invent(format!("capability {gained}"), detail);
    }
    Ok(())
}

/// Gives the folder the mode that a folder made by hand has; temporary ones are private.
fn open_to_all(_folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(_folder, std::fs::Permissions::from_mode(0o755));
    }
}
