//! Plain folders: what is in them, without following links, and what is left out.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use fs_err as fs;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rayon::prelude::*;

use super::handles;
use super::names::{Names, Occupant, check_link, check_links};
use crate::{ArchiveError, Defect, Digest, DigestWriter, Entry, Kind, Limits, PackagePath};

/// The file, in any folder, that names what to leave out, in the syntax of `.gitignore`.
const IGNORE_FILE: &str = ".attacheignore";

/// What nobody means to publish. A `!pattern` in `.attacheignore` takes one back, except for
/// `.git` and `.attache`, which no package can hold.
const BUILT_IN: &[&str] = &[
    ".git",
    ".attache",
    ".hg",
    ".svn",
    ".DS_Store",
    "Thumbs.db",
    "__pycache__",
    "*.pyc",
    ".venv",
    // Secrets. The example has none, and says which there are.
    ".env",
    ".env.*",
    "!.env.example",
    // What `attache build` writes when it is run in the source folder itself, where its name
    // cannot be anything else. A plain zip may be part of the agent.
    "/*.lxpkg",
    "/*.nanobot.zip",
    "/agent-bundle-*.tar.gz",
    "/agent-bundle-*.tar.zst",
    "/.attache-*",
    // The workspace's, not the agent's: a package has its own lock.
    "/attache.toml",
    "/attache.lock",
];

static BUILT_IN_MATCHER: LazyLock<Gitignore> = LazyLock::new(|| {
    let mut builder = GitignoreBuilder::new("");
    for pattern in BUILT_IN {
        // The patterns are ours, and a test holds each to its promise.
        let _ = builder.add_line(None, pattern);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
});

/// No sane ignore file is longer.
const IGNORE_FILE_LIMIT: u64 = 1 << 20;

/// An ordinary folder, read in place.
#[derive(Debug)]
pub(crate) struct FolderTree {
    root: PathBuf,
    /// The root folder that was dropped, with its `/`; empty if none was.
    dropped: String,
}

impl FolderTree {
    /// Lists and hashes everything in the folder that belongs to the package, without `left_out`.
    pub(crate) fn open(
        path: &Path,
        limits: &Limits,
        left_out: &[PathBuf],
    ) -> Result<(Self, Vec<Entry>), ArchiveError> {
        let found = walk(path, limits, left_out)?;
        let root = handles::Root::open(path)?;
        // Collected before the first error is chosen, so that it is always the same one.
        let digests: Vec<_> = found
            .par_iter()
            .map_init(
                || vec![0; 128 << 10],
                |buffer, found| found.digest(&root, buffer),
            )
            .collect();
        let entries = found
            .into_iter()
            .zip(digests)
            .map(|(found, digest)| {
                let digest = digest?;
                Ok(found.into_entry(digest))
            })
            .collect::<Result<_, ArchiveError>>()?;
        let folder = Self {
            root: path.to_owned(),
            dropped: String::new(),
        };
        Ok((folder, entries))
    }

    pub(crate) fn disk_path(&self, path: &PackagePath) -> PathBuf {
        self.root.join(self.inner(path))
    }

    fn inner(&self, path: &PackagePath) -> String {
        format!("{}{path}", self.dropped)
    }

    pub(crate) fn flattened(self, root: &str) -> Self {
        let dropped = format!("{}{root}/", self.dropped);
        Self { dropped, ..self }
    }

    pub(crate) fn visit(
        &self,
        entries: &[Entry],
        wanted: &dyn Fn(&Entry) -> bool,
        each: &mut dyn FnMut(&Entry, &mut dyn Read) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let root = handles::Root::open(&self.root)?;
        for entry in entries.iter().filter(|e| wanted(e)) {
            let inner = self.inner(&entry.path);
            let (mut file, _) = open_file(&root, &inner)?;
            each(entry, &mut file)?;
        }
        Ok(())
    }
}

/// What tells cheaply whether a file of a folder may have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Its path in the package.
    pub path: String,
    /// Its length; for a link, that of its target.
    pub size: u64,
    /// When its bytes changed, in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// When its bytes or its metadata changed; zero where the system does not say.
    pub ctime_ns: i128,
    /// Its number in the file system; zero where there is none.
    pub inode: u64,
    /// Its type and permissions; zero where there are none.
    pub mode: u32,
}

/// Lists, without reading them, exactly the files that opening the folder at `root` would
/// take, sorted by path.
pub fn stamp(root: &Path) -> Result<Vec<Stamp>, ArchiveError> {
    stamp_without(root, &[])
}

/// The same for [`Tree::open_without`](crate::Tree::open_without).
pub fn stamp_without(root: &Path, left_out: &[PathBuf]) -> Result<Vec<Stamp>, ArchiveError> {
    let found = walk(root, &Limits::default(), left_out)?;
    let mut stamps: Vec<_> = found.into_iter().map(Found::into_stamp).collect();
    stamps.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(stamps)
}

/// Returns whether the file at `relative` below `root`, there or not, stays out of the package.
pub fn is_ignored(root: &Path, relative: &Path) -> Result<bool, ArchiveError> {
    let limits = Limits::default();
    let mut walk = Walk::new(root, &limits, &[]);
    let mut inside = String::new();
    let components: Vec<_> = relative.components().collect();
    for (at, component) in components.iter().enumerate() {
        if root.join(&inside).join(IGNORE_FILE).exists() {
            let ignores = walk.read_ignore_file(&inside)?;
            walk.ignores.push((inside.clone(), ignores));
        }
        let path = Path::new(&inside).join(component);
        if walk.is_ignored(&path, at + 1 < components.len()) {
            return Ok(true);
        }
        inside = format!("{}/", path.display());
    }
    Ok(false)
}

/// A file or link that belongs to the package.
struct Found {
    path: PackagePath,
    kind: Kind,
    metadata: Metadata,
}

impl Found {
    fn digest(&self, root: &handles::Root, buffer: &mut [u8]) -> Result<Digest, ArchiveError> {
        if let Kind::Link { target } = &self.kind {
            return Ok(Digest::of(target));
        }
        let changed = || Defect::ChangedWhileReading.at(self.path.as_str());
        let (mut file, metadata) = open_file(root, self.path.as_str())?;
        if metadata.len() != self.metadata.len() || !handles::same_file(&metadata, &self.metadata) {
            return Err(changed());
        }
        let mut out = DigestWriter::new(io::sink());
        loop {
            let n = match file.read(buffer) {
                Ok(0) => break,
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(root.io("read", self.path.as_str(), error)),
            };
            io::Write::write_all(&mut out, &buffer[..n])
                .map_err(|error| root.io("read", self.path.as_str(), error))?;
        }
        let (_, digest, count) = out.finish();
        if count != metadata.len() {
            return Err(changed());
        }
        Ok(digest)
    }

    fn into_entry(self, digest: Digest) -> Entry {
        let size = match self.kind {
            Kind::File => self.metadata.len(),
            Kind::Link { .. } => 0,
        };
        Entry {
            executable: self.kind == Kind::File && handles::mode(&self.metadata) & 0o100 != 0,
            path: self.path,
            kind: self.kind,
            size,
            digest,
        }
    }

    fn into_stamp(self) -> Stamp {
        let (mtime_ns, ctime_ns) = handles::times(&self.metadata);
        Stamp {
            path: self.path.as_str().to_owned(),
            size: self.metadata.len(),
            mtime_ns,
            ctime_ns,
            inode: handles::inode(&self.metadata),
            mode: handles::mode(&self.metadata),
        }
    }
}

/// Opens a file that the walk has seen. If it is gone, or no file any more, or now behind a
/// link, someone is changing the folder.
fn open_file(root: &handles::Root, path: &str) -> Result<(File, Metadata), ArchiveError> {
    match root.open_file(path).and_then(|file| {
        let metadata = file.metadata()?;
        Ok((file, metadata))
    }) {
        Ok((file, metadata)) if metadata.is_file() => Ok((file, metadata)),
        Ok(_) => Err(Defect::ChangedWhileReading.at(path)),
        Err(error) if handles::is_gone(&error) => Err(Defect::ChangedWhileReading.at(path)),
        Err(error) => Err(root.io("open", path, error)),
    }
}

fn walk(root: &Path, limits: &Limits, left_out: &[PathBuf]) -> Result<Vec<Found>, ArchiveError> {
    let mut walk = Walk::new(root, limits, left_out);
    walk.folder("")?;
    check_links(walk.found.iter().map(|found| (&found.path, &found.kind)))?;
    Ok(walk.found)
}

struct Walk<'a> {
    limits: &'a Limits,
    root: &'a Path,
    entries: u64,
    bytes: u64,
    names: Names,
    found: Vec<Found>,
    /// The ignore files of the folders above, outermost first, each with its folder.
    ignores: Vec<(String, Gitignore)>,
    /// What is left out whatever an ignore file says, relative to the root.
    left_out: &'a [PathBuf],
}

impl<'a> Walk<'a> {
    fn new(root: &'a Path, limits: &'a Limits, left_out: &'a [PathBuf]) -> Self {
        Self {
            limits,
            root,
            entries: 0,
            bytes: 0,
            names: Names::within(limits.entries),
            found: Vec::new(),
            ignores: Vec::new(),
            left_out,
        }
    }

    /// Takes what is in the folder `inside`, which is empty or ends in `/`.
    fn folder(&mut self, inside: &str) -> Result<(), ArchiveError> {
        let folder = self.root.join(inside);
        let mut children: Vec<_> = fs::read_dir(&folder)
            .and_then(|children| {
                children
                    .map(|child| child.map(|child| child.file_name()))
                    .collect::<io::Result<_>>()
            })
            .map_err(ArchiveError::io("list", &folder))?;
        // The order of a folder is the file system's whim; ours decides which defect is first.
        children.sort();
        let above = self.ignores.len();
        if children.iter().any(|name| name == IGNORE_FILE) {
            let ignores = self.read_ignore_file(inside)?;
            self.ignores.push((inside.to_owned(), ignores));
        }
        for name in &children {
            if name != IGNORE_FILE {
                self.child(inside, name)?;
            }
        }
        self.ignores.truncate(above);
        Ok(())
    }

    fn child(&mut self, inside: &str, name: &OsStr) -> Result<(), ArchiveError> {
        let relative = Path::new(inside).join(name);
        let on_disk = self.root.join(&relative);
        let metadata = fs::symlink_metadata(&on_disk).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                Defect::ChangedWhileReading.at(relative.to_string_lossy().into_owned())
            }
            _ => ArchiveError::io("look at", &on_disk)(error),
        })?;
        if self.is_ignored(&relative, metadata.is_dir()) {
            return Ok(());
        }
        self.entries += 1;
        if self.entries > self.limits.entries {
            return Err(Defect::EntryCount.whole());
        }
        let Some(name) = name.to_str() else {
            return Err(Defect::InvalidUtf8.at(relative.to_string_lossy().into_owned()));
        };
        let path = PackagePath::new(&format!("{inside}{name}"))?;
        if metadata.is_dir() {
            return self.folder(&format!("{path}/"));
        }
        let kind = if metadata.is_symlink() {
            let target = fs::read_link(&on_disk).map_err(ArchiveError::io("read", &on_disk))?;
            let Some(target) = target.to_str() else {
                return Err(Defect::LinkEscapes.at(path.as_str()));
            };
            check_link(&path, target)?;
            let target = target.to_owned();
            Kind::Link { target }
        } else {
            self.check_file(&path, &metadata)?;
            Kind::File
        };
        let occupant = match kind {
            Kind::File => Occupant::File,
            Kind::Link { .. } => Occupant::Link,
        };
        self.names.add(&path, occupant)?;
        self.found.push(Found {
            path,
            kind,
            metadata,
        });
        Ok(())
    }

    fn check_file(&mut self, path: &PackagePath, metadata: &Metadata) -> Result<(), ArchiveError> {
        let at = |defect: Defect| defect.at(path.as_str());
        if let Some(defect) = handles::special_type(metadata) {
            return Err(at(defect));
        }
        if handles::mode(metadata) & 0o7000 != 0 {
            return Err(at(Defect::SpecialBits));
        }
        if metadata.len() > self.limits.file_bytes {
            return Err(at(Defect::FileBytes));
        }
        self.bytes = self.bytes.saturating_add(metadata.len());
        if self.bytes > self.limits.total_bytes {
            return Err(Defect::TotalBytes.whole());
        }
        Ok(())
    }

    /// The innermost file that has an opinion decides, then the built-in list.
    fn is_ignored(&self, relative: &Path, folder: bool) -> bool {
        let same = |path: &PathBuf| path.strip_prefix(".").unwrap_or(path) == relative;
        if self.left_out.iter().any(same) {
            return true;
        }
        let own = self.ignores.iter().rev().map(|(inside, ignores)| {
            let below = relative.strip_prefix(inside).unwrap_or(relative);
            ignores.matched(below, folder)
        });
        let built_in = std::iter::once_with(|| BUILT_IN_MATCHER.matched(relative, folder));
        own.chain(built_in)
            .find(|opinion| !opinion.is_none())
            .is_some_and(|opinion| matches!(opinion, Match::Ignore(_)))
    }

    fn read_ignore_file(&self, inside: &str) -> Result<Gitignore, ArchiveError> {
        let name = format!("{inside}{IGNORE_FILE}");
        let on_disk = self.root.join(&name);
        let refused = || Defect::IgnoreFile.at(name.as_str());
        let metadata =
            fs::symlink_metadata(&on_disk).map_err(ArchiveError::io("look at", &on_disk))?;
        if !metadata.is_file() || metadata.len() > IGNORE_FILE_LIMIT {
            return Err(refused());
        }
        let text = fs::read_to_string(&on_disk).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => refused(),
            _ => ArchiveError::io("read", &on_disk)(error),
        })?;
        let mut builder = GitignoreBuilder::new("");
        for line in text.trim_start_matches('\u{feff}').lines() {
            builder.add_line(None, line).map_err(|_| refused())?;
        }
        builder.build().map_err(|_| refused())
    }
}
