//! The builder: a source folder in, the same package bytes out, every time.

use std::collections::BTreeMap;
use std::path::Path;

use fs_err as fs;
use rayon::prelude::*;
use serde_json::{Map, Value};

use crate::archive::{Content, PackFile, Packed};
use crate::formats::{Format, FormatName, Package, Stage};
use crate::{
    ArchiveError, Compression, Container, Defect, Diagnostics, Digest, Entry, Kind, Manifest,
    PackagePath, Problem, Tree, pack,
};

/// How to build; one field for each of the specification's `PackOptions`, and ours.
#[derive(Debug, Clone)]
pub struct BuildOptions {
    /// Whether source code (`src/`) goes into the package.
    pub include_source: bool,
    /// Whether PNG and JSON files are made smaller without losing anything.
    pub optimize: bool,
    /// Whether documentation (`docs/`, `README.md`, `CHANGELOG.md`) goes in.
    pub include_docs: bool,
    /// Whether `examples/` go in.
    pub include_examples: bool,
    /// From 0 (stored) to 9 (smallest).
    pub compression: u8,
    /// Fields to add to the manifest's metadata, where the format has a place for them.
    pub metadata: BTreeMap<String, Value>,
    /// The creation time to write (RFC 3339); nothing keeps what the source says.
    pub created_at: Option<String>,
    /// The container to write; nothing means the format's usual one.
    pub container: Option<Container>,
    /// Whether dependencies are carried inside.
    pub sealed: bool,
    /// The key for AgentForge's HMAC signature.
    pub hmac_key: Option<Vec<u8>>,
    /// Packages given as files, to lock or carry.
    pub dependencies: Vec<GivenPackage>,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            include_source: false,
            optimize: true,
            include_docs: true,
            include_examples: false,
            compression: 6,
            metadata: BTreeMap::new(),
            created_at: None,
            container: None,
            sealed: false,
            hmac_key: None,
            dependencies: Vec::new(),
        }
    }
}

/// A finished package given as a file, to lock or to carry inside.
#[derive(Debug, Clone)]
pub struct GivenPackage {
    /// What it says of itself.
    pub manifest: Manifest,
    /// Where it is on disk.
    pub path: std::path::PathBuf,
    /// The digest of the file.
    pub digest: crate::Digest,
    /// The size of the file.
    pub size: u64,
}

/// The files of a package on the way to being written: chosen, optimised, not yet finished.
#[derive(Debug, Default)]
pub struct Draft {
    /// Every file by path.
    pub files: BTreeMap<PackagePath, PackFile>,
}

impl Draft {
    /// Reads a file whole.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, ArchiveError> {
        self.files.get(path).map(PackFile::read).transpose()
    }

    /// Reads a JSON object, which the source was already checked to hold.
    pub fn read_object(&self, path: &str) -> Result<Map<String, Value>, BuildError> {
        let bytes = self.read(path)?.unwrap_or_default();
        match crate::text::parse_json(&bytes) {
            Ok(Value::Object(object)) => Ok(object),
            _ => Err(Defect::ChangedWhileReading.at(path).into()),
        }
    }

    /// Adds or replaces a small file. An executable one stays executable.
    pub fn put(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), ArchiveError> {
        let path = PackagePath::new(path)?;
        let executable = self.files.get(&path).is_some_and(|f| f.executable);
        self.files.insert(
            path.clone(),
            PackFile {
                executable,
                ..PackFile::bytes(path, bytes)
            },
        );
        Ok(())
    }

    /// Adds or replaces a JSON document, in the one form that we write.
    pub fn put_json(&mut self, path: &str, value: &Value) -> Result<(), ArchiveError> {
        self.put(path, crate::text::pretty_json(value))
    }

    /// Adds a file that lies elsewhere on disk.
    pub fn put_disk(
        &mut self,
        path: &str,
        from: &Path,
        size: u64,
        digest: Digest,
    ) -> Result<(), ArchiveError> {
        let path = PackagePath::new(path)?;
        let content = Content::Disk(from.to_owned());
        self.files.insert(
            path.clone(),
            PackFile {
                path,
                executable: false,
                size,
                digest,
                content,
            },
        );
        Ok(())
    }

    /// Returns the draft as a tree, to be hashed or validated.
    pub fn as_tree(&self) -> Result<Tree, ArchiveError> {
        Tree::assembled(self.files.values().cloned())
    }

    /// Returns the draft as a tree, to be packed.
    pub fn into_tree(self) -> Result<Tree, ArchiveError> {
        Tree::assembled(self.files.into_values())
    }
}

/// Why a build stopped. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The source, or the finished package, breaks rules of its format.
    #[error("the agent is not valid: {} problem{}", problems.len(), if problems.len() == 1 { "" } else { "s" })]
    Invalid {
        /// All of them.
        problems: Vec<Problem>,
    },
    /// An option does not fit the format or the source.
    #[error("{message}")]
    Option {
        /// The stable code.
        code: &'static str,
        /// What does not fit.
        message: String,
    },
    /// A dependency is missing or does not fit.
    #[error("{message}")]
    Dependency {
        /// The stable code.
        code: &'static str,
        /// Which, and why.
        message: String,
    },
    /// Files could not be read or written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// A package that is ready to be written: complete, checked, and not on disk yet.
#[derive(Debug)]
pub struct Plan {
    /// What it says of itself.
    pub manifest: Manifest,
    /// Its files.
    pub tree: Tree,
    /// The archive it goes into.
    pub container: Container,
    /// The file name people expect.
    pub file_name: String,
    /// What does not make it invalid.
    pub warnings: Vec<Problem>,
    /// The steps so far, for people who want to see them.
    pub steps: Vec<Step>,
}

/// One of the eight steps of a build.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Step {
    /// Its name in the specification.
    pub name: &'static str,
    /// What was done.
    pub detail: String,
}

/// Runs steps one to seven: everything but writing the archive.
///
/// Nothing is written. Signing is not a step of this crate; `attache-trust` adds signatures to
/// a finished package, whose `contentHash` is made here.
pub fn plan(package: &Package, options: &BuildOptions, lenient: bool) -> Result<Plan, BuildError> {
    let format = package.format;
    let mut steps = Vec::new();
    let mut step = |name, detail: String| steps.push(Step { name, detail });
    let container = options.container.unwrap_or(format.containers()[0]);
    if !format.containers().contains(&container) {
        let message = format!(
            "a {} package cannot be written as this kind of archive",
            format.name()
        );
        return Err(BuildError::Option {
            code: "ATT-BUILD-CONTAINER",
            message,
        });
    }
    if (options.sealed || !options.dependencies.is_empty())
        && format.name() != FormatName::Lexichord
    {
        let message = format!("{} packages have no dependencies to carry", format.name());
        return Err(BuildError::Option {
            code: "ATT-BUILD-SEALED",
            message,
        });
    }

    checked(package.format, &package.tree, Stage::Source, lenient)?;
    let entries = package.tree.entries();
    step(
        "prepare",
        format!("{} source, {} files", format.name(), entries.len()),
    );
    step(
        "resolve",
        format!("{} packages given", options.dependencies.len()),
    );

    let chosen: Vec<&Entry> = entries
        .iter()
        .filter(|e| format.includes(&e.path, options))
        .collect();
    let left_out = entries.len() - chosen.len();
    step(
        "compile",
        format!("{} files taken, {left_out} left out", chosen.len()),
    );
    let (files, saved) = gather(&package.tree, &chosen, options.optimize)?;
    step("gather", format!("{saved} bytes saved by optimising"));

    let mut draft = Draft { files };
    format.finish(&mut draft, options)?;
    step("structure", format!("{} files", draft.files.len()));
    let tree = draft.into_tree()?;
    let (manifest, warnings) = checked(format, &tree, Stage::Packed, lenient)?;
    step("validate", format!("{} warnings", warnings.len()));
    step("sign", "not signed".to_owned());
    let file_name = format.file_name(&manifest, container);
    Ok(Plan {
        manifest,
        tree,
        container,
        file_name,
        warnings,
        steps,
    })
}

fn checked(
    format: &dyn Format,
    tree: &Tree,
    stage: Stage,
    lenient: bool,
) -> Result<(Manifest, Vec<Problem>), BuildError> {
    let mut diagnostics = Diagnostics::new(lenient);
    let manifest = format.read(tree, stage, &mut diagnostics)?;
    let (problems, warnings) = diagnostics.into_parts();
    match manifest {
        Some(manifest) if problems.is_empty() => Ok((manifest, warnings)),
        _ => Err(BuildError::Invalid { problems }),
    }
}

/// Files above this size are not optimised, so that memory stays bounded.
const OPTIMIZE_LIMIT: u64 = 4 << 20;

/// Takes the chosen files, optimised where that loses nothing. Returns the bytes saved, too.
fn gather(
    tree: &Tree,
    chosen: &[&Entry],
    optimize: bool,
) -> Result<(BTreeMap<PackagePath, PackFile>, u64), ArchiveError> {
    let small = |e: &Entry| {
        optimize
            && e.size <= OPTIMIZE_LIMIT
            && matches!(e.path.extension().as_deref(), Some("png" | "json"))
    };
    let files: Result<Vec<(PackFile, u64)>, ArchiveError> = chosen
        .par_iter()
        .map(|entry| {
            let mut file = place(tree, entry)?;
            let mut saved = 0;
            if entry.kind == Kind::File && small(entry) {
                let bytes = file.read()?;
                if let Some(less) = optimized(&entry.path, &bytes) {
                    saved = (bytes.len() - less.len()) as u64;
                    file = PackFile {
                        executable: file.executable,
                        ..PackFile::bytes(file.path, less)
                    };
                }
            }
            Ok((file, saved))
        })
        .collect();
    let files = files?;
    let saved = files.iter().map(|(_, saved)| saved).sum();
    Ok((
        files
            .into_iter()
            .map(|(file, _)| (file.path.clone(), file))
            .collect(),
        saved,
    ))
}

/// Returns where an entry's bytes are: on disk if they lie there as they are, else in memory.
fn place(tree: &Tree, entry: &Entry) -> Result<PackFile, ArchiveError> {
    let content = match (&entry.kind, tree.disk_path(entry)) {
        (Kind::Link { target }, _) => Content::Link(target.clone()),
        (Kind::File, Some(path)) => Content::Disk(path),
        (Kind::File, None) => Content::Bytes(tree.read(entry.path.as_str())?.unwrap_or_default()),
    };
    Ok(PackFile {
        path: entry.path.clone(),
        executable: entry.executable,
        size: entry.size,
        digest: entry.digest,
        content,
    })
}

/// Returns fewer bytes that mean exactly the same, or nothing if there are none.
fn optimized(path: &PackagePath, bytes: &[u8]) -> Option<Vec<u8>> {
    let less = match path.extension().as_deref()? {
        "json" => crate::text::minify_json(bytes)?,
        // Pixels and every chunk stay; only their encoding changes.
        "png" => oxipng::optimize_from_memory(bytes, &oxipng::Options::from_preset(2)).ok()?,
        _ => return None,
    };
    (less.len() < bytes.len()).then_some(less)
}

/// Runs step eight: writes the archive to `output`, replacing what was there only at the end.
///
/// The archive is written beside its target under a temporary name and then renamed, so a build
/// that fails, or is killed, leaves the earlier output as it was.
pub fn write(plan: &Plan, compression: Compression, output: &Path) -> Result<Packed, ArchiveError> {
    let folder = match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder).map_err(ArchiveError::io("create", folder))?;
    let file = tempfile::Builder::new()
        .prefix(".attache-")
        .suffix(".tmp")
        .tempfile_in(folder)
        .map_err(ArchiveError::io("write in", folder))?;
    let mut buffered = std::io::BufWriter::with_capacity(1 << 18, file);
    let packed = pack(&plan.tree, plan.container, compression, &mut buffered)?;
    let file = buffered
        .into_inner()
        .map_err(|e| ArchiveError::io("write", output)(e.into_error()))?;
    set_mode(file.as_file()).map_err(ArchiveError::io("write", output))?;
    file.persist(output)
        .map_err(|e| ArchiveError::io("write", output)(e.error))?;
    Ok(packed)
}

/// Gives the file the mode an ordinary new file has, since temporary files are private.
#[cfg(unix)]
fn set_mode(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn set_mode(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture that compresses well, written badly, with a note in it.
    fn wasteful_png() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 64, 64);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::NoCompression);
        encoder
            .add_text_chunk("Author".to_owned(), "someone".to_owned())
            .unwrap();
        let pixels: Vec<u8> = (0..64 * 64u32)
            .flat_map(|i| [(i % 7) as u8, 9, (i / 64) as u8, 200])
            .collect();
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&pixels)
            .unwrap();
        bytes
    }

    fn decoded(bytes: &[u8]) -> (Vec<u8>, Vec<String>) {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(
            png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
        );
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        pixels.truncate(info.buffer_size());
        let notes = reader
            .info()
            .uncompressed_latin1_text
            .iter()
            .map(|t| t.text.clone())
            .collect();
        (pixels, notes)
    }

    #[test]
    fn a_smaller_png_shows_the_same_picture_and_keeps_its_notes() {
        let before = wasteful_png();
        let path = PackagePath::new("a.png").unwrap();
        let after = optimized(&path, &before).unwrap();
        assert!(
            after.len() * 2 < before.len(),
            "{} of {}",
            after.len(),
            before.len()
        );
        assert_eq!(decoded(&after), decoded(&before));
        assert_eq!(decoded(&after).1, ["someone"]);
        assert_eq!(
            optimized(&path, &before),
            Some(after),
            "the same bytes every time"
        );
    }

    #[test]
    fn what_cannot_be_made_smaller_stays_as_it_is() {
        let check = |path: &str, bytes: &[u8]| {
            assert_eq!(
                optimized(&PackagePath::new(path).unwrap(), bytes),
                None,
                "{path}"
            );
        };
        check("a.json", b"{\"a\":1}");
        check("a.json", b"{ broken");
        check("a.png", b"not a picture");
        check("a.txt", b"  spaces  ");
    }
}
