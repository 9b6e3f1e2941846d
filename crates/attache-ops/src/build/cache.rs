//! Not building what is built: one look at every file's state, and a shelf of Holon bundles.

use std::path::{Path, PathBuf};

use attache_package::archive::{Packed, Stamp, folder_stamp};
use attache_package::build::{BuildOptions, Plan};
use attache_package::formats::holon;
use attache_package::{Digest, Tree};
use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::{BuildOutcome, BuildRequest, CreationTime};
use crate::inspect::digest_of;
use crate::{App, Error};

/// Files touched this shortly before a build may change again without their times showing it.
const FRESH_NS: i128 = 50_000_000;

/// What the last build of one source to one output saw and wrote.
#[derive(Serialize, Deserialize)]
struct Record {
    key: Digest,
    output: OutputStamp,
    outcome: BuildOutcome,
}

/// The state of the file that was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct OutputStamp {
    size: u64,
    modified_ns: i128,
    changed_ns: i128,
    device: u64,
    inode: u64,
}

/// The quick look: if no file's size, times, inode or mode changed, nothing changed.
pub(super) struct Quick {
    record: PathBuf,
    stamps: Vec<Stamp>,
    source: PathBuf,
    request_key: String,
    fresh: bool,
}

impl Quick {
    /// Looks at every source file's state. Nothing if that cannot be done; then we just build.
    pub(super) fn look(
        home: &Path,
        app: &App,
        request: &BuildRequest,
        time: &Result<CreationTime, String>,
    ) -> Option<Self> {
        let source = fs::canonicalize(&request.source).ok()?;
        let place = match &request.output {
            Some(output) => std::path::absolute(output).ok()?,
            None => std::path::absolute(&request.folder).ok()?,
        };
        let name = Digest::of(format!("{}\0{}", source.display(), place.display()));
        let record = home
            .join("cache")
            .join("builds")
            .join(format!("{}.json", name.hex()));
        let (request_key, newest_given) = request_key(app, request, time)?;
        let stamps = folder_stamp(&source).ok()?;
        let newest = stamps
            .iter()
            .map(|s| s.mtime_ns.max(s.ctime_ns))
            .max()
            .unwrap_or_default()
            .max(newest_given);
        let fresh = newest + FRESH_NS > request.now_ns;
        Some(Self {
            record,
            stamps,
            source,
            request_key,
            fresh,
        })
    }

    /// Returns the last outcome, if nothing has changed since, the output included.
    pub(super) fn reusable(&self) -> Option<BuildOutcome> {
        let record: Record = serde_json::from_slice(&fs::read(&self.record).ok()?).ok()?;
        let output = &record.outcome.output;
        if record.key != self.key(&self.stamps, output) || stamp_output(output)? != record.output {
            return None;
        }
        Some(BuildOutcome {
            reused: true,
            ..record.outcome
        })
    }

    /// Remembers an outcome. What cannot be remembered is built again next time.
    pub(super) fn keep(self, outcome: &BuildOutcome) {
        let (Ok(now), Ok(output)) = (
            folder_stamp(&self.source),
            fs::canonicalize(&outcome.output),
        ) else {
            return;
        };
        let key = self.key(&self.stamps, &output);
        // The record is JSON, which cannot name a path that is not Unicode.
        if self.fresh || output.to_str().is_none() || key != self.key(&now, &output) {
            return;
        }
        let Some(stamp) = stamp_output(&output) else {
            return;
        };
        let record = Record {
            key,
            output: stamp,
            outcome: BuildOutcome {
                output,
                ..outcome.clone()
            },
        };
        if let Ok(bytes) = serde_json::to_vec(&record) {
            let _ = put(&self.record, &bytes);
        }
    }

    /// Returns the key of these files, without the output, which may lie among them.
    fn key(&self, stamps: &[Stamp], output: &Path) -> Digest {
        use std::fmt::Write;
        let own = output
            .strip_prefix(&self.source)
            .ok()
            .and_then(Path::to_str);
        let mut text = self.request_key.clone();
        for s in stamps.iter().filter(|s| Some(s.path.as_str()) != own) {
            let _ = write!(
                text,
                "\0{}\0{} {} {} {} {}",
                s.path, s.size, s.mtime_ns, s.ctime_ns, s.inode, s.mode
            );
        }
        Digest::of(text)
    }
}

/// Everything besides the files that decides what a build writes, and when the newest of the
/// packages given with it changed.
fn request_key(
    app: &App,
    request: &BuildRequest,
    time: &Result<CreationTime, String>,
) -> Option<(String, i128)> {
    let given: Option<Vec<_>> = request
        .dependencies
        .iter()
        .map(|path| Some((path, stamp_output(path)?)))
        .collect();
    let given = given?;
    let newest = given
        .iter()
        .map(|(_, s)| s.modified_ns.max(s.changed_ns))
        .max();
    let key = format!(
        "{} {:?}",
        app.builder,
        (
            (
                request.format,
                request.lenient,
                request.include_source,
                request.optimize
            ),
            (
                request.include_docs,
                request.include_examples,
                request.compression
            ),
            (
                &request.metadata,
                request.container,
                request.sealed,
                given,
                time
            ),
            super::choosing::lock_near(&request.source).map(|lock| {
                let config = lock.with_file_name(crate::workspace::CONFIG);
                [lock, config].map(|file| fs::read(file).ok().map(Digest::of))
            }),
            request.hmac_key.as_ref().map(Digest::of),
        )
    );
    Some((key, newest.unwrap_or_default()))
}

fn stamp_output(path: &Path) -> Option<OutputStamp> {
    let metadata = fs::metadata(path).ok()?;
    let modified = metadata
        .modified()
        .ok()?
        .duration_since(std::time::UNIX_EPOCH)
        .ok()?;
    #[cfg(unix)]
    let (changed_ns, device, inode) = {
        use std::os::unix::fs::MetadataExt;
        let changed =
            i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
        (changed, metadata.dev(), metadata.ino())
    };
    #[cfg(not(unix))]
    let (changed_ns, device, inode) = (0, 0, 0);
    Some(OutputStamp {
        size: metadata.len(),
        modified_ns: modified.as_nanos() as i128,
        changed_ns,
        device,
        inode,
    })
}

/// Writes a small file at once.
fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let Some(folder) = path.parent() else {
        return Ok(());
    };
    fs::create_dir_all(folder)?;
    let file = tempfile::NamedTempFile::new_in(folder)?;
    fs::write(file.path(), bytes)?;
    file.persist(path)?;
    Ok(())
}

/// A finished bundle on the shelf, found by a key from sources, lockfile and runtime version.
pub(super) struct Bundle {
    file: PathBuf,
    digest_file: PathBuf,
}

impl Bundle {
    pub(super) fn new(
        home: &Path,
        app: &App,
        source: &Tree,
        plan: &Plan,
        options: &BuildOptions,
    ) -> Self {
        let content = holon::cache_key(source, &plan.manifest, options);
        let key = Digest::of(format!("{} {content}", app.builder));
        let shelf = home.join("cache").join("bundles");
        Self {
            file: shelf.join(key.hex()),
            digest_file: shelf.join(format!("{}.sha256", key.hex())),
        }
    }

    /// Copies the bundle to `output`, if it is on the shelf and still what it was.
    pub(super) fn fetch(&self, output: &Path) -> Result<Option<Packed>, Error> {
        let Ok(text) = fs::read_to_string(&self.digest_file) else {
            return Ok(None);
        };
        let Ok(expected) = text.trim().parse::<Digest>() else {
            return Ok(None);
        };
        let Ok((digest, size)) = digest_of(&self.file) else {
            return Ok(None);
        };
        if digest != expected {
            return Ok(None);
        }
        let folder = output
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|e| Error::write("create", folder, &e))?;
        let copy = tempfile::Builder::new()
            .prefix(".attache-")
            .tempfile_in(folder)
            .map_err(|e| Error::write("write in", folder, &e))?;
        fs::copy(&self.file, copy.path()).map_err(|e| Error::write("write", output, &e))?;
        copy.persist(output)
            .map_err(|e| Error::write("write", output, &e.error))?;
        Ok(Some(Packed { digest, size }))
    }

    /// Puts a copy on the shelf. What cannot be kept is built again next time.
    pub(super) fn keep(&self, output: &Path, packed: &Packed) {
        let keep = || -> std::io::Result<()> {
            let Some(shelf) = self.file.parent() else {
                return Ok(());
            };
            fs::create_dir_all(shelf)?;
            let copy = tempfile::NamedTempFile::new_in(shelf)?;
            fs::copy(output, copy.path())?;
            copy.persist(&self.file)?;
            put(&self.digest_file, packed.digest.to_string().as_bytes())
        };
        let _ = keep();
    }
}
