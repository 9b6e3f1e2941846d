//! A package's files, from whichever container they are in.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::archive::folder::FolderTree;
use crate::archive::names::{Names, Occupant, check_link, check_links};
use crate::archive::tar_read::TarTree;
use crate::archive::zip_read::ZipTree;
use crate::archive::{Content, PackFile};
use crate::{ArchiveError, Container, Defect, Digest, Limits, PackagePath};

/// One file or link of a package. Folders are implied by the paths in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: PackagePath,
    /// File or link.
    pub kind: Kind,
    /// Its length in bytes, zero for a link.
    pub size: u64,
    /// Whether its owner may execute it.
    pub executable: bool,
    /// The SHA-256 of its bytes, or of the target for a link.
    pub digest: Digest,
}

/// What an [`Entry`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// An ordinary file.
    File,
    /// A relative symbolic link whose target stays inside the package.
    Link {
        /// The target as written.
        target: String,
    },
}

/// All files of one package, checked and ready to be read.
///
/// Holding a `Tree` means that the whole container passed the strict check: every name is
/// safe, no two collide, every byte was unpacked once and matched its checksum and length,
/// and the limits held. Entries are sorted by path.
#[derive(Debug)]
pub struct Tree {
    entries: Vec<Entry>,
    backend: Backend,
    limits: Limits,
    /// Where it was read from, for messages.
    source: PathBuf,
}

#[derive(Debug)]
enum Backend {
    Zip(ZipTree),
    Tar(TarTree),
    Folder(FolderTree),
    Assembled(BTreeMap<PackagePath, PackFile>),
}

/// The largest text file (manifest, prompt, skill) that is read into memory.
pub(crate) const TEXT_LIMIT: u64 = 8 << 20;

impl Tree {
    /// Opens and fully checks the zip, tar.gz, tar.zst or folder at `path`.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, ArchiveError> {
        Self::open_without(path, limits, &[])
    }

    /// Opens it without the files and folders `left_out`, relative to `path`, if it is a folder;
    /// of an archive nothing is left out. For what a build itself puts into its source folder.
    pub fn open_without(
        path: &Path,
        limits: &Limits,
        left_out: &[PathBuf],
    ) -> Result<Self, ArchiveError> {
        let metadata = fs::metadata(path).map_err(ArchiveError::io("open", path))?;
        let (backend, entries) = if metadata.is_dir() {
            let (folder, entries) = FolderTree::open(path, limits, left_out)?;
            (Backend::Folder(folder), entries)
        } else if !metadata.is_file() {
            // Only opening a pipe would already wait for someone to write to it.
            return Err(Defect::UnknownContainer.whole());
        } else {
            let mut file = File::open(path).map_err(ArchiveError::io("open", path))?;
            let mut magic = [0; 4];
            let mut have = 0;
            while have < magic.len() {
                match file
                    .read(&mut magic[have..])
                    .map_err(ArchiveError::io("read", path))?
                {
                    0 => break,
                    n => have += n,
                }
            }
            match &magic[..have] {
                [b'P', b'K', ..] => {
                    let (zip, entries) = ZipTree::open(file, path, limits)?;
                    (Backend::Zip(zip), entries)
                }
                [0x1f, 0x8b, ..] => {
                    let (tar, entries) = TarTree::open(path, Container::TarGz, limits)?;
                    (Backend::Tar(tar), entries)
                }
                // A zstd frame, or a skippable frame (refused with its own sentence).
                [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => {
                    let (tar, entries) = TarTree::open(path, Container::TarZst, limits)?;
                    (Backend::Tar(tar), entries)
                }
                _ => return Err(Defect::UnknownContainer.whole()),
            }
        };
        Ok(Self::new(backend, entries, limits, path))
    }

    /// Makes a tree from files that were put together, in memory or from places on disk.
    pub fn assembled(files: impl IntoIterator<Item = PackFile>) -> Result<Self, ArchiveError> {
        let limits = Limits::default();
        let mut names = Names::within(limits.entries);
        let mut all = BTreeMap::new();
        let mut entries = Vec::new();
        for file in files {
            let (kind, occupant) = match &file.content {
                Content::Link(target) => {
                    check_link(&file.path, target)?;
                    (
                        Kind::Link {
                            target: target.clone(),
                        },
                        Occupant::Link,
                    )
                }
                Content::Bytes(_) | Content::Disk(_) => (Kind::File, Occupant::File),
            };
            names.add(&file.path, occupant)?;
            entries.push(Entry {
                path: file.path.clone(),
                kind,
                size: file.size,
                executable: file.executable,
                digest: file.digest,
            });
            all.insert(file.path.clone(), file);
        }
        check_links(entries.iter().map(|entry| (&entry.path, &entry.kind)))?;
        Ok(Self::new(
            Backend::Assembled(all),
            entries,
            &limits,
            Path::new(""),
        ))
    }

    /// Makes a tree from plain files in memory.
    pub fn from_bytes<'a>(
        files: impl IntoIterator<Item = (&'a str, Vec<u8>)>,
    ) -> Result<Self, ArchiveError> {
        let files: Result<Vec<_>, ArchiveError> = files
            .into_iter()
            .map(|(path, bytes)| Ok(PackFile::bytes(PackagePath::new(path)?, bytes)))
            .collect();
        Self::assembled(files?)
    }

    fn new(backend: Backend, mut entries: Vec<Entry>, limits: &Limits, source: &Path) -> Self {
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Self {
            entries,
            backend,
            limits: *limits,
            source: source.to_owned(),
        }
    }

    /// Returns every file and link, sorted by path.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the entry at `path`.
    pub fn get(&self, path: &str) -> Option<&Entry> {
        let at = self
            .entries
            .binary_search_by(|e| e.path.as_str().cmp(path))
            .ok()?;
        Some(&self.entries[at])
    }

    /// Returns whether anything lies in `folder`.
    pub fn has_folder(&self, folder: &str) -> bool {
        self.entries
            .iter()
            .any(|e| e.path.as_str() != folder && e.path.is_under(folder))
    }

    /// Returns what the files came in. Files in memory count as a folder.
    pub fn container(&self) -> Container {
        match &self.backend {
            Backend::Zip(_) => Container::Zip,
            Backend::Tar(tar) => tar.container(),
            Backend::Folder(_) | Backend::Assembled(_) => Container::Folder,
        }
    }

    /// Returns where the files were read from; empty for files in memory.
    pub fn source(&self) -> &Path {
        &self.source
    }

    /// Returns the limits it was opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the bytes of all files together.
    pub fn total_size(&self) -> u64 {
        self.entries.iter().map(|e| e.size).sum()
    }

    /// Returns the path on disk of a file that is there as it is; nothing inside archives.
    pub fn disk_path(&self, entry: &Entry) -> Option<PathBuf> {
        match &self.backend {
            Backend::Folder(folder) => Some(folder.disk_path(&entry.path)),
            Backend::Assembled(files) => match &files.get(&entry.path)?.content {
                Content::Disk(path) => Some(path.clone()),
                Content::Bytes(_) | Content::Link(_) => None,
            },
            Backend::Zip(_) | Backend::Tar(_) => None,
        }
    }

    /// Returns whether [`bytes_of`](Self::bytes_of) can go straight to any file.
    pub(crate) fn has_bytes_at_hand(&self) -> bool {
        matches!(self.backend, Backend::Folder(_) | Backend::Assembled(_))
    }

    /// Returns the bytes of one file outside archives, unchecked; none for a link.
    ///
    /// A file that has grown is read only so far that its length is seen to be wrong.
    pub(crate) fn bytes_of(&self, entry: &Entry) -> Result<Cow<'_, [u8]>, ArchiveError> {
        if let Backend::Assembled(files) = &self.backend
            && let Some(Content::Bytes(bytes)) = files.get(&entry.path).map(|file| &file.content)
        {
            return Ok(Cow::Borrowed(bytes));
        }
        let mut bytes = Vec::new();
        if entry.kind == Kind::File
            && let Some(path) = self.disk_path(entry)
        {
            bytes.reserve_exact(entry.size as usize + 1);
            File::open(&path)
                .and_then(|file| file.take(entry.size + 1).read_to_end(&mut bytes))
                .map_err(ArchiveError::io("read", &path))?;
        }
        Ok(Cow::Owned(bytes))
    }

    /// Reads one file whole, refusing to hold more than 8 MiB.
    ///
    /// Returns nothing if there is no such file, or if it is a link.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, ArchiveError> {
        let mut found = None;
        self.read_many(|e| e.path.as_str() == path, |_, bytes| found = Some(bytes))?;
        Ok(found)
    }

    /// Reads every wanted file whole, in one pass, each up to 8 MiB.
    pub fn read_many(
        &self,
        wanted: impl Fn(&Entry) -> bool,
        mut each: impl FnMut(&Entry, Vec<u8>),
    ) -> Result<(), ArchiveError> {
        self.visit(wanted, |entry, reader| {
            if entry.size > TEXT_LIMIT {
                return Err(Defect::FileBytes.at(entry.path.as_str()));
            }
            let mut bytes = Vec::with_capacity(entry.size as usize);
            reader
                .read_to_end(&mut bytes)
                .map_err(ArchiveError::io("read", &self.source))?;
            each(entry, bytes);
            Ok(())
        })
    }

    /// Streams every wanted file through `each`, in one pass over the container.
    ///
    /// The bytes are checked again on the way: a container that changed since it was opened
    /// ends in [`Defect::ChangedWhileReading`]. Links are not visited.
    pub fn visit(
        &self,
        wanted: impl Fn(&Entry) -> bool,
        mut each: impl FnMut(&Entry, &mut dyn Read) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let wanted = |e: &Entry| e.kind == Kind::File && wanted(e);
        if !self.entries.iter().any(&wanted) {
            return Ok(());
        }
        let mut each = |entry: &Entry, reader: &mut dyn Read| {
            let mut checked = Checked {
                reader,
                hasher: Hashing::default(),
                count: 0,
            };
            each(entry, &mut checked)?;
            checked.finish(entry, &self.source)
        };
        match &self.backend {
            Backend::Zip(zip) => zip.visit(&self.entries, &wanted, &mut each),
            Backend::Tar(tar) => tar.visit(&self.entries, &wanted, &mut each),
            Backend::Folder(folder) => folder.visit(&self.entries, &wanted, &mut each),
            Backend::Assembled(files) => {
                self.entries
                    .iter()
                    .filter(|e| wanted(e))
                    .try_for_each(|entry| match &files[&entry.path].content {
                        Content::Bytes(bytes) => each(entry, &mut bytes.as_slice()),
                        Content::Disk(path) => {
                            let mut file =
                                File::open(path).map_err(ArchiveError::io("open", path))?;
                            each(entry, &mut file)
                        }
                        Content::Link(_) => Ok(()),
                    })
            }
        }
    }

    /// Drops the one root folder that everything lies in, as the Nexo format wants it.
    ///
    /// Nothing happens when there is a file at the root or more than one folder, or when a
    /// link would lead out of the package without that folder.
    #[must_use]
    pub fn flattened(self) -> Self {
        let Some(root) = self.single_root() else {
            return self;
        };
        let mut entries = self.entries.clone();
        for entry in &mut entries {
            let inner = &entry.path.as_str()[root.len() + 1..];
            let Ok(path) = PackagePath::new(inner) else {
                unreachable!("the tail of a checked path is a checked path")
            };
            entry.path = path;
            // A link that reached the root folder from inside would now climb out of it.
            if let Kind::Link { target } = &entry.kind
                && check_link(&entry.path, target).is_err()
            {
                return self;
            }
        }
        Self {
            backend: Backend::flattened(self.backend, &root),
            entries,
            limits: self.limits,
            source: self.source,
        }
    }

    /// Returns the one folder that everything lies in, if there is exactly one.
    pub fn single_root(&self) -> Option<String> {
        let first = self.entries.first()?.path.components().next()?.to_owned();
        let inside = |e: &Entry| e.path.as_str() != first && e.path.is_under(&first);
        self.entries.iter().all(inside).then_some(first)
    }
}

impl Backend {
    fn flattened(self, root: &str) -> Self {
        match self {
            Self::Zip(zip) => Self::Zip(zip.flattened(root)),
            Self::Tar(tar) => Self::Tar(tar.flattened(root)),
            Self::Folder(folder) => Self::Folder(folder.flattened(root)),
            Self::Assembled(files) => Self::Assembled(
                files
                    .into_values()
                    .filter_map(|file| {
                        let path =
                            PackagePath::new(file.path.as_str().get(root.len() + 1..)?).ok()?;
                        Some((path.clone(), PackFile { path, ..file }))
                    })
                    .collect(),
            ),
        }
    }
}

#[derive(Default)]
struct Hashing(sha2::Sha256);

/// Hashes what is read, so that a second pass proves it saw the bytes of the first.
struct Checked<'a> {
    reader: &'a mut dyn Read,
    hasher: Hashing,
    count: u64,
}

impl Read for Checked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        use sha2::Digest as _;
        let n = self.reader.read(buffer)?;
        self.hasher.0.update(&buffer[..n]);
        self.count += n as u64;
        Ok(n)
    }
}

impl Checked<'_> {
    fn finish(mut self, entry: &Entry, source: &Path) -> Result<(), ArchiveError> {
        use sha2::Digest as _;
        std::io::copy(&mut self, &mut std::io::sink()).map_err(ArchiveError::io("read", source))?;
        let digest = self.hasher.0.finalize();
        if self.count != entry.size || digest.as_slice() != entry.digest.as_bytes() {
            return Err(Defect::ChangedWhileReading.at(entry.path.as_str()));
        }
        Ok(())
    }
}
