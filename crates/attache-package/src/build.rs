//! The builder: a source folder in, the same package bytes out, every time.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use fs_err as fs;
use rayon::prelude::*;
use serde_json::{Map, Value};
use tempfile::{NamedTempFile, TempDir};

use crate::archive::write::name_output;
use crate::archive::{Content, PackFile, Packed};
use crate::formats::{Format, FormatName, Package, Stage};
use crate::{
    ArchiveError, Compression, Container, Defect, Diagnostics, Digest, Entry, Kind, Limits,
    Manifest, PackageName, PackagePath, Problem, Range, Release, Tree, pack,
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
    /// The packages that were chosen for its dependencies, to lock or carry.
    pub chosen: ChosenPackages,
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
            chosen: ChosenPackages::default(),
        }
    }
}

/// What was chosen for the dependencies of a package. A resolver chose it; here it is only
/// written down, or carried.
#[derive(Debug, Clone, Default)]
pub struct ChosenPackages {
    /// Ranges that replaced whatever anyone required.
    pub overrides: BTreeMap<PackageName, Range>,
    /// One version of each, sorted by name.
    pub packages: Vec<ChosenPackage>,
}

/// One finished package that was chosen.
#[derive(Debug, Clone)]
pub struct ChosenPackage {
    /// Its name.
    pub id: PackageName,
    /// Its version.
    pub version: Release,
    /// The registry it came from.
    pub registry: String,
    /// The namespace that binds it to that registry, if one does.
    pub namespace: Option<PackageName>,
    /// Where its archive was found.
    pub source: Option<String>,
    /// The digest of its archive.
    pub digest: Digest,
    /// The size of its archive in bytes.
    pub size: u64,
    /// What it needs in turn, as far as that was chosen too.
    pub dependencies: BTreeMap<PackageName, Range>,
    /// Its archive on disk, where it is to be carried.
    pub file: Option<std::path::PathBuf>,
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
    /// Where optimised files lie that are too many to hold; removed with the plan.
    _spilled: Option<TempDir>,
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
            "{} package cannot be written as this kind of archive",
            format.name().with_article()
        );
        return Err(BuildError::Option {
            code: "ATT-BUILD-CONTAINER",
            message,
        });
    }
    if (options.sealed || !options.chosen.packages.is_empty())
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
        format!("{} packages chosen", options.chosen.packages.len()),
    );

    let selected = format.selection(&package.tree)?;
    let chosen: Vec<&Entry> = entries
        .iter()
        .filter(|e| format.includes(&e.path, options) && selected(&e.path))
        .collect();
    let left_out = entries.len() - chosen.len();
    step(
        "compile",
        format!("{} files taken, {left_out} left out", chosen.len()),
    );
    let gathered = gather(&package.tree, &chosen, options.optimize, KEPT)?;
    step(
        "gather",
        format!("{} bytes saved by optimising", gathered.saved),
    );

    let mut draft = Draft {
        files: gathered.files,
    };
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
        _spilled: gathered.spilled,
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

/// Optimised files are held up to so many bytes together; the others lie on disk meanwhile.
const KEPT: u64 = 16 << 20;

/// How many bytes are optimised side by side.
const BATCH_BYTES: u64 = 8 << 20;

/// A picture that needs more memory than this is not optimised.
const PICTURE_BYTES: u64 = 32 << 20;

/// The chosen files, ready to be finished.
#[derive(Default)]
struct Gathered {
    files: BTreeMap<PackagePath, PackFile>,
    /// How many bytes optimising saved.
    saved: u64,
    /// Holds the optimised files that are not in memory.
    spilled: Option<TempDir>,
}

/// Takes the chosen files, optimised where that loses nothing.
///
/// Optimised files beyond `kept` bytes are put on disk. Which ones is decided in the order of
/// the paths, never by which thread was faster, and shows nowhere in the package.
fn gather(
    tree: &Tree,
    chosen: &[&Entry],
    optimize: bool,
    kept: u64,
) -> Result<Gathered, ArchiveError> {
    let small = |e: &&&Entry| {
        optimize
            && e.kind == Kind::File
            && e.size <= OPTIMIZE_LIMIT
            && matches!(e.path.extension().as_deref(), Some("png" | "json"))
    };
    let (small, others): (Vec<&Entry>, Vec<&Entry>) = chosen.iter().partition(small);
    let mut gathered = Gathered::default();
    for entry in others {
        let file = place(tree, entry)?;
        gathered.files.insert(file.path.clone(), file);
    }
    let mut left = kept;
    let mut rest = small.as_slice();
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |entry: &&&Entry| {
            bytes += entry.size;
            bytes <= BATCH_BYTES
        };
        let (batch, behind) = rest.split_at(rest.iter().take_while(fits).count().max(1));
        rest = behind;
        // Collected before the first error is chosen, so that it is always the same one.
        let made: Vec<_> = batch.par_iter().map(|e| make_small(tree, e)).collect();
        for result in made {
            let (mut file, saved) = result?;
            gathered.saved += saved;
            if saved > 0 {
                match left.checked_sub(file.size) {
                    Some(rest) => left = rest,
                    None => gathered.spill(&mut file)?,
                }
            }
            gathered.files.insert(file.path.clone(), file);
        }
    }
    Ok(gathered)
}

impl Gathered {
    /// Moves a file from memory to disk.
    fn spill(&mut self, file: &mut PackFile) -> Result<(), ArchiveError> {
        let folder = match self.spilled.take() {
            Some(folder) => folder,
            None => tempfile::Builder::new()
                .prefix("attache-")
                .tempdir()
                .map_err(ArchiveError::io("write in", &std::env::temp_dir()))?,
        };
        let folder = self.spilled.insert(folder).path();
        if let Content::Bytes(bytes) = &file.content {
            let path = folder.join(self.files.len().to_string());
            fs::write(&path, bytes).map_err(ArchiveError::io("write", &path))?;
            file.content = Content::Disk(path);
        }
        Ok(())
    }
}

/// Takes one file, with how many bytes fewer it has than before.
fn make_small(tree: &Tree, entry: &Entry) -> Result<(PackFile, u64), ArchiveError> {
    let file = place(tree, entry)?;
    let bytes = file.read()?;
    let Some(less) = optimized(&entry.path, &bytes) else {
        return Ok((file, 0));
    };
    let saved = (bytes.len() - less.len()) as u64;
    let file = PackFile {
        executable: file.executable,
        ..PackFile::bytes(file.path, less)
    };
    Ok((file, saved))
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
        "png" if !is_small_picture(bytes) => return None,
        // Pixels and every chunk stay; only their encoding changes.
        "png" => oxipng::optimize_from_memory(bytes, &oxipng::Options::from_preset(2)).ok()?,
        _ => return None,
    };
    (less.len() < bytes.len()).then_some(less)
}

/// Returns whether a PNG says, in its first chunk, that it can be unpacked in little memory.
/// A few bytes can stand for gigabytes of pixels.
fn is_small_picture(bytes: &[u8]) -> bool {
    let number = |at: usize| {
        let four = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(u64::from(u32::from_be_bytes(four)))
    };
    // Eight bytes are the most that a pixel takes.
    let bytes_of = |(width, height): (u64, u64)| width.saturating_mul(height).saturating_mul(8);
    bytes.get(12..16) == Some(b"IHDR")
        && number(16)
            .zip(number(20))
            .is_some_and(|size| bytes_of(size) <= PICTURE_BYTES)
}

/// Runs step eight: writes the archive to `output`, replacing what was there only at the end.
///
/// The archive is written to a file without a name, where the system has such files, and else
/// beside its target under a temporary name; then it takes the target's name. So a build that
/// fails, or is killed, leaves the earlier output as it was.
pub fn write(plan: &Plan, compression: Compression, output: &Path) -> Result<Packed, ArchiveError> {
    match fs::symlink_metadata(output) {
        Ok(metadata) if !metadata.is_file() => {
            return Err(Defect::OutputKind.at(output.to_string_lossy()));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(ArchiveError::io("look at", output)(error)),
    }
    let folder = match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder).map_err(ArchiveError::io("create", folder))?;
    let cannot_write = || ArchiveError::io("write", output);
    let new = NewFile::create(folder).map_err(cannot_write())?;
    let mut buffered = BufWriter::with_capacity(1 << 18, new.file());
    let packed = pack(&plan.tree, plan.container, compression, &mut buffered)
        .and_then(|packed| buffered.flush().map(|()| packed).map_err(cannot_write()))
        .map_err(|error| name_output(error, output))?;
    drop(buffered);
    // What our own reader would take for a bomb must not leave the house.
    let (unpacked, limits) = (plan.tree.total_size(), Limits::default());
    if unpacked > Limits::RATIO_FREE && unpacked > packed.size.saturating_mul(limits.ratio) {
        return Err(Defect::Ratio.whole());
    }
    new.put_at(folder, output).map_err(cannot_write())?;
    Ok(packed)
}

/// An output that is not finished. It has the mode that the user's umask gives new files.
enum NewFile {
    /// Without a name, so that nothing is left when the process is killed.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Named(NamedTempFile),
}

impl NewFile {
    fn create(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed(folder) {
            return Ok(Self::Unnamed(file));
        }
        named(folder, |path| {
            File::options()
                .read(true)
                .write(true)
                .create_new(true)
                .open(path)
        })
        .map(Self::Named)
    }

    fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => file,
            Self::Named(file) => file.as_file(),
        }
    }

    /// Gives it the name `output`, in `folder`, in one step.
    fn put_at(self, folder: &Path, output: &Path) -> io::Result<()> {
        match self {
            // A link never replaces anything, so it takes a name of its own first.
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => named(folder, |path| link(&file, path))?
                .persist(output)
                .map_err(|error| error.error),
            Self::Named(file) => file
                .persist(output)
                .map(|_| ())
                .map_err(|error| error.error),
        }
    }
}

/// Makes something under a free temporary name in `folder`, which is removed if not kept.
fn named<T>(
    folder: &Path,
    make: impl FnMut(&Path) -> io::Result<T>,
) -> io::Result<NamedTempFile<T>> {
    tempfile::Builder::new()
        .prefix(".attache-")
        .suffix(".tmp")
        .make_in(folder, make)
}

/// Opens a file without a name in `folder`, if the system and the disk can do that and if it
/// can be named later.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
    let file = openat(CWD, folder, flags, Mode::from(0o666)).ok()?;
    let file = File::from(file);
    fs::symlink_metadata(handle_path(&file))
        .is_ok()
        .then_some(file)
}

#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    let from = handle_path(file);
    Ok(linkat(CWD, from, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(target_os = "linux")]
fn handle_path(file: &File) -> String {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd())
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

    /// A picture of one colour, which takes few bytes whatever its size.
    fn large_png(side: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, side, side);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::One);
        let mut writer = encoder.write_header().unwrap();
        let mut stream = writer.stream_writer().unwrap();
        let row = vec![0; side.div_ceil(8) as usize];
        for _ in 0..side {
            stream.write_all(&row).unwrap();
        }
        stream.finish().unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn a_picture_that_needs_much_memory_stays_as_it_is() {
        let path = PackagePath::new("a.png").unwrap();
        let bomb = large_png(30_000);
        assert!((bomb.len() as u64) < OPTIMIZE_LIMIT, "{}", bomb.len());
        assert_eq!(optimized(&path, &bomb), None);
        assert!(is_small_picture(&large_png(2048)));
        assert!(!is_small_picture(&large_png(2049)));
        let mut overflowing = large_png(1);
        overflowing[16..24].fill(0xff);
        assert!(!is_small_picture(&overflowing));
        assert!(!is_small_picture(&bomb[..20]));
    }

    #[test]
    fn optimised_files_beyond_a_budget_lie_on_disk_and_pack_alike() {
        let json = |n: u8| {
            format!(
                "{{ \"a\": \"{}\" }}",
                char::from(b'a' + n).to_string().repeat(100)
            )
        };
        let files: Vec<_> = (0..6).map(|n| (format!("{n}.json"), json(n))).collect();
        let tree = Tree::from_bytes(
            files
                .iter()
                .map(|(path, text)| (path.as_str(), text.clone().into_bytes())),
        )
        .unwrap();
        let chosen: Vec<_> = tree.entries().iter().collect();
        let gathered = |kept| gather(&tree, &chosen, true, kept).unwrap();
        let packed = |gathered: &Gathered| {
            let tree = Tree::assembled(gathered.files.values().cloned()).unwrap();
            let mut bytes = Vec::new();
            pack(&tree, Container::Zip, Compression::default(), &mut bytes).unwrap();
            bytes
        };
        let held = |gathered: &Gathered| {
            let in_memory = |f: &&PackFile| matches!(f.content, Content::Bytes(_));
            gathered.files.values().filter(in_memory).count()
        };
        let all = gathered(KEPT);
        let size = all.files["0.json"].size;
        assert_eq!((held(&all), all.spilled.is_some()), (6, false));
        assert_eq!(all.saved, 6 * 3);
        for (kept, expected) in [(0, 0), (size, 1), (3 * size + 1, 3)] {
            let some = gathered(kept);
            assert_eq!(held(&some), expected);
            assert_eq!(some.saved, all.saved);
            assert_eq!(packed(&some), packed(&all));
            let folder = some.spilled.as_ref().unwrap().path().to_owned();
            drop(some);
            assert!(!folder.exists(), "it goes with the plan");
        }
    }

    #[test]
    fn a_file_with_a_temporary_name_becomes_the_output_too() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out");
        let make = |path: &Path| File::options().write(true).create_new(true).open(path);
        let new = NewFile::Named(named(folder.path(), make).unwrap());
        new.file().write_all(b"new").unwrap();
        fs::write(&output, b"earlier").unwrap();
        new.put_at(folder.path(), &output).unwrap();
        assert_eq!(fs::read(&output).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
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
