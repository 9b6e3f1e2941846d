//! The strict tar reader.
//!
//! A tar has no directory, so opening it means reading all of it: every header is checked and
//! every file hashed, in bounded memory. Reading a file later is another pass, from the start
//! of the same open file to the last entry that is wanted.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::names::{Names, Occupant, check_link, check_links};
use super::tar_header::{BLOCK, Header, Pax, link_agrees, name_agrees, size_agrees};
use super::unpack::Unpack;
use crate::{
    ArchiveError, Container, Defect, Digest, DigestWriter, Entry, Kind, Limits, PackagePath,
};

/// The largest pax header. It holds two paths and a few numbers.
const PAX_LIMIT: u64 = 64 << 10;

/// The largest GNU long name, more than any name may have.
const LONG_NAME_LIMIT: u64 = 4 << 10;

/// How many zeros may follow the end marker. Writers fill up to a record, 10 KiB as a rule.
const PADDING_LIMIT: u64 = 1 << 20;

/// A tar in one gzip member or one zstd frame, checked once and ready to be read again.
#[derive(Debug)]
pub(crate) struct TarTree {
    file: File,
    path: PathBuf,
    container: Container,
    limits: Limits,
    /// The folder that is dropped from every name, with its slash.
    root: String,
}

impl TarTree {
    /// Unpacks and checks the whole archive, and returns its files and links as they come.
    pub(crate) fn open(
        path: &Path,
        container: Container,
        limits: &Limits,
    ) -> Result<(Self, Vec<Entry>), ArchiveError> {
        let file = File::open(path).map_err(ArchiveError::io("open", path))?;
        let tree = Self {
            file,
            path: path.to_owned(),
            container,
            limits: *limits,
            root: String::new(),
        };
        let mut names = Names::within(limits.entries);
        let mut root_seen = false;
        let mut entries = Vec::new();
        let mut walk = tree.walk()?;
        while let Some(member) = walk.next()? {
            let Some(path) = member.path else {
                if std::mem::replace(&mut root_seen, true) {
                    return Err(Defect::Duplicate.at("./"));
                }
                continue;
            };
            let (occupant, size, executable) = match member.what {
                What::Folder => (Occupant::ListedFolder, 0, false),
                What::Link { .. } => (Occupant::Link, 0, false),
                What::File { size, executable } => (Occupant::File, size, executable),
            };
            names.add(&path, occupant)?;
            let (kind, digest) = match member.what {
                What::Folder => continue,
                What::File { .. } => (Kind::File, walk.hash_body()?),
                What::Link { target } => {
                    check_link(&path, &target)?;
                    let digest = Digest::of(&target);
                    (Kind::Link { target }, digest)
                }
            };
            entries.push(Entry {
                path,
                kind,
                size,
                executable,
                digest,
            });
        }
        drop(walk);
        check_links(entries.iter().map(|entry| (&entry.path, &entry.kind)))?;
        Ok((tree, entries))
    }

    /// Returns whether it is a tar.gz or a tar.zst.
    pub(crate) fn container(&self) -> Container {
        self.container
    }

    /// Drops the folder `root`, which everything lies in, from every name.
    pub(crate) fn flattened(mut self, root: &str) -> Self {
        self.root.push_str(root);
        self.root.push('/');
        self
    }

    /// Streams every wanted file through `each`, in the order of the archive.
    ///
    /// The archive passed every check when it was opened, so whatever is wrong with it now
    /// means that it changed.
    pub(crate) fn visit(
        &self,
        entries: &[Entry],
        wanted: &dyn Fn(&Entry) -> bool,
        each: &mut dyn FnMut(&Entry, &mut dyn Read) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let mut left = entries.iter().filter(|entry| wanted(entry)).count();
        let mut walk = self.walk().map_err(changed)?;
        while left > 0 {
            let Some(member) = walk.next().map_err(changed)? else {
                return Err(Defect::ChangedWhileReading.whole());
            };
            let (Some(path), What::File { .. }) = (&member.path, &member.what) else {
                continue;
            };
            let Some(name) = path.as_str().strip_prefix(&self.root) else {
                return Err(Defect::ChangedWhileReading.at(path.as_str()));
            };
            let Ok(at) = entries.binary_search_by(|entry| entry.path.as_str().cmp(name)) else {
                return Err(Defect::ChangedWhileReading.at(name));
            };
            if !wanted(&entries[at]) {
                continue;
            }
            let mut body = Body {
                walk: &mut walk,
                failure: None,
            };
            let result = each(&entries[at], &mut body);
            match body.failure {
                Some(failure) => return Err(changed(failure)),
                None => result?,
            }
            left -= 1;
        }
        Ok(())
    }

    fn walk(&self) -> Result<Walk<'_>, ArchiveError> {
        Ok(Walk {
            stream: Unpack::new(&self.file, &self.path, self.container, &self.limits)?,
            limits: self.limits,
            body: 0,
            padding: 0,
            total: 0,
            count: 0,
        })
    }
}

fn changed(error: ArchiveError) -> ArchiveError {
    match error {
        ArchiveError::Refused { entry, .. } => ArchiveError::Refused {
            defect: Defect::ChangedWhileReading,
            entry,
        },
        ArchiveError::Io { .. } => error,
    }
}

/// One entry with its extensions taken into account. Without a path it is the root folder.
struct Member {
    path: Option<PackagePath>,
    what: What,
}

enum What {
    File { size: u64, executable: bool },
    Folder,
    Link { target: String },
}

/// A pass over the archive, from one header to the next.
struct Walk<'a> {
    stream: Unpack<'a>,
    limits: Limits,
    /// How much of the current body is still to come.
    body: u64,
    /// How much fills up its last block.
    padding: u64,
    total: u64,
    count: u64,
}

/// The extension headers that wait for their entry.
#[derive(Default)]
struct Extension {
    pax: Option<Pax>,
    long_name: Option<Vec<u8>>,
    long_link: Option<Vec<u8>>,
}

impl Extension {
    fn is_gnu(&self) -> bool {
        self.long_name.is_some() || self.long_link.is_some()
    }

    fn is_any(&self) -> bool {
        self.pax.is_some() || self.is_gnu()
    }
}

impl Walk<'_> {
    /// Goes to the next entry, or to the checked end of the archive.
    fn next(&mut self) -> Result<Option<Member>, ArchiveError> {
        self.skip(self.body + self.padding)?;
        (self.body, self.padding) = (0, 0);
        let mut extension = Extension::default();
        loop {
            let block = self.block()?;
            let over = block.is_none_or(|block| block == [0; BLOCK]);
            if over && extension.is_any() {
                return Err(Defect::TarPaxDangling.whole());
            }
            let Some(block) = block else {
                return Err(Defect::TarNoEnd.whole());
            };
            if over {
                self.end()?;
                return Ok(None);
            }
            let header = Header::parse(&block).map_err(|defect| {
                let name = block[..100].split(|&byte| byte == 0).next();
                defect.at(String::from_utf8_lossy(name.unwrap_or_default()))
            })?;
            if matches!(header.kind, b'x' | b'L' | b'K') {
                self.extend(&mut extension, &header)?;
            } else {
                let name = extension.name(&header).to_vec();
                let name = String::from_utf8_lossy(&name).into_owned();
                return match self.member(header, extension) {
                    Ok(member) => Ok(Some(member)),
                    Err(Refusal::Defect(defect)) => Err(defect.at(name)),
                    Err(Refusal::Error(error)) => Err(error),
                };
            }
        }
    }

    /// Reads an extension header's body.
    fn extend(&mut self, extension: &mut Extension, header: &Header) -> Result<(), ArchiveError> {
        let twice = match header.kind {
            b'x' => extension.pax.is_some(),
            b'L' => extension.long_name.is_some(),
            _ => extension.long_link.is_some(),
        };
        if twice {
            return Err(Defect::TarDoubleExtension.whole());
        }
        if header.kind == b'x' {
            if extension.is_gnu() {
                return Err(Defect::TarPaxAndGnu.whole());
            }
            let records = self.small_body(header.size, PAX_LIMIT, Defect::TarPaxMalformed)?;
            extension.pax = Some(Pax::parse(&records).map_err(Defect::whole)?);
            return Ok(());
        }
        if extension.pax.is_some() {
            return Err(Defect::TarPaxAndGnu.whole());
        }
        let mut name = self.small_body(header.size, LONG_NAME_LIMIT, Defect::LongPath)?;
        if name.pop() != Some(0) || name.is_empty() || name.contains(&0) {
            return Err(Defect::TarLongNameNul.whole());
        }
        match header.kind {
            b'L' => extension.long_name = Some(name),
            _ => extension.long_link = Some(name),
        }
        Ok(())
    }

    /// Puts an entry together from its header and extensions.
    fn member(&mut self, header: Header, extension: Extension) -> Result<Member, Refusal> {
        self.count += 1;
        if self.count > self.limits.entries {
            return Err(Defect::EntryCount.whole().into());
        }
        let file_type = match header.kind {
            b'0' | 0 => 0o10_0000,
            b'2' => 0o12_0000,
            b'5' => 0o4_0000,
            b'1' => return Err(Defect::HardLink.into()),
            b'3' | b'4' => return Err(Defect::Device.into()),
            b'6' => return Err(Defect::Fifo.into()),
            b'S' => return Err(Defect::TarSparse.into()),
            b'g' => return Err(Defect::TarPaxGlobal.whole().into()),
            _ => return Err(Defect::TarType.into()),
        };
        if header.mode & 0o7000 != 0 {
            return Err(Defect::SpecialBits.into());
        }
        // Some writers repeat the type in the mode.
        if ![0, file_type].contains(&(header.mode & !0o7777)) {
            return Err(Defect::TarNumber.into());
        }
        let size = extension.size(&header)?;
        if size != 0 && file_type != 0o10_0000 {
            return Err(Defect::TarSizeOnNonFile.into());
        }
        let name = extension.name(&header);
        if !name_agrees(&header.name, name) {
            return Err(Defect::TarPaxDisagrees.into());
        }
        let path = match file_type {
            0o4_0000 => folder_path(name)?,
            _ => Some(PackagePath::from_bytes(without_dot(name))?),
        };
        let what = match file_type {
            0o4_0000 => What::Folder,
            0o12_0000 => What::Link {
                target: extension.link(&header)?,
            },
            _ => What::File {
                size,
                executable: header.mode & 0o100 != 0,
            },
        };
        if file_type != 0o12_0000 && extension.has_link() {
            return Err(Defect::TarPaxDisagrees.into());
        }
        if size > self.limits.file_bytes {
            return Err(Defect::FileBytes.into());
        }
        self.begin_body(size)?;
        Ok(Member { path, what })
    }

    /// Counts a body that follows, and its padding.
    fn begin_body(&mut self, size: u64) -> Result<(), ArchiveError> {
        self.total = self.total.saturating_add(size);
        if self.total > self.limits.total_bytes {
            return Err(Defect::TotalBytes.whole());
        }
        self.body = size;
        self.padding = size.wrapping_neg() % BLOCK as u64;
        Ok(())
    }

    /// Returns the next part of the current body; empty when it is over.
    fn have(&mut self) -> Result<&[u8], ArchiveError> {
        if self.body == 0 {
            return Ok(&[]);
        }
        let bytes = self.stream.have()?;
        if bytes.is_empty() {
            return Err(Defect::Truncated.whole());
        }
        let length = bytes
            .len()
            .min(usize::try_from(self.body).unwrap_or(usize::MAX));
        Ok(&bytes[..length])
    }

    fn take(&mut self, count: usize) {
        self.stream.take(count);
        self.body -= count as u64;
    }

    fn hash_body(&mut self) -> Result<Digest, ArchiveError> {
        let mut hasher = DigestWriter::new(io::sink());
        self.drain_body(&mut hasher)?;
        Ok(hasher.finish().1)
    }

    /// Passes all that is left of the current body to `out`, which cannot fail.
    fn drain_body(&mut self, out: &mut impl Write) -> Result<(), ArchiveError> {
        loop {
            let bytes = self.have()?;
            if bytes.is_empty() {
                return Ok(());
            }
            let _ = out.write_all(bytes);
            let count = bytes.len();
            self.take(count);
        }
    }

    /// Reads an extension's body whole, if it is not longer than `limit`.
    fn small_body(
        &mut self,
        size: u64,
        limit: u64,
        otherwise: Defect,
    ) -> Result<Vec<u8>, ArchiveError> {
        if size > limit {
            return Err(otherwise.whole());
        }
        self.begin_body(size)?;
        let mut whole = Vec::new();
        self.drain_body(&mut whole)?;
        self.skip(self.padding)?;
        self.padding = 0;
        Ok(whole)
    }

    /// Steps over `count` bytes.
    fn skip(&mut self, mut count: u64) -> Result<(), ArchiveError> {
        while count > 0 {
            let have = self.stream.have()?.len();
            if have == 0 {
                return Err(Defect::Truncated.whole());
            }
            let step = have.min(usize::try_from(count).unwrap_or(usize::MAX));
            self.stream.take(step);
            count -= step as u64;
        }
        Ok(())
    }

    /// Reads one block; nothing at the end of the stream.
    fn block(&mut self) -> Result<Option<[u8; BLOCK]>, ArchiveError> {
        let mut block = [0; BLOCK];
        let mut filled = 0;
        while filled < BLOCK {
            let bytes = self.stream.have()?;
            if bytes.is_empty() {
                return match filled {
                    0 => Ok(None),
                    _ => Err(Defect::Truncated.whole()),
                };
            }
            let count = bytes.len().min(BLOCK - filled);
            block[filled..filled + count].copy_from_slice(&bytes[..count]);
            self.stream.take(count);
            filled += count;
        }
        Ok(Some(block))
    }

    /// Checks what follows the first zero block: one more, then nothing but a few zeros.
    fn end(&mut self) -> Result<(), ArchiveError> {
        let mut zeros = 0;
        while let Some(block) = self.block()? {
            zeros += BLOCK as u64;
            if block != [0; BLOCK] || zeros > PADDING_LIMIT {
                return Err(Defect::TarAfterEnd.whole());
            }
        }
        match zeros {
            0 => Err(Defect::TarNoEnd.whole()),
            _ => Ok(()),
        }
    }
}

impl Extension {
    fn name<'a>(&'a self, header: &'a Header) -> &'a [u8] {
        let pax = self.pax.as_ref().and_then(|pax| pax.path.as_ref());
        pax.or(self.long_name.as_ref()).unwrap_or(&header.name)
    }

    fn size(&self, header: &Header) -> Result<u64, Defect> {
        match self.pax.as_ref().and_then(|pax| pax.size) {
            Some(size) if !size_agrees(header.size, size) => Err(Defect::TarPaxDisagrees),
            Some(size) => Ok(size),
            None => Ok(header.size),
        }
    }

    fn has_link(&self) -> bool {
        self.pax.as_ref().is_some_and(|pax| pax.link.is_some()) || self.long_link.is_some()
    }

    /// Returns where a link points.
    fn link(&self, header: &Header) -> Result<String, Defect> {
        let pax = self.pax.as_ref().and_then(|pax| pax.link.as_ref());
        let target = pax.or(self.long_link.as_ref()).unwrap_or(&header.link);
        if !link_agrees(&header.link, target) {
            return Err(Defect::TarPaxDisagrees);
        }
        String::from_utf8(target.clone()).map_err(|_| Defect::InvalidUtf8)
    }
}

/// Why an entry is refused: a defect still to be named after it, or a complete error.
enum Refusal {
    Defect(Defect),
    Error(ArchiveError),
}

impl From<Defect> for Refusal {
    fn from(defect: Defect) -> Self {
        Self::Defect(defect)
    }
}

impl From<ArchiveError> for Refusal {
    fn from(error: ArchiveError) -> Self {
        Self::Error(error)
    }
}

impl From<crate::InvalidPath> for Refusal {
    fn from(error: crate::InvalidPath) -> Self {
        Self::Defect(error.defect)
    }
}

/// Drops the `./` that many writers put in front of every name.
fn without_dot(name: &[u8]) -> &[u8] {
    name.strip_prefix(b"./").unwrap_or(name)
}

/// Returns a folder's path; nothing for the root, which is `.` or `./`.
fn folder_path(name: &[u8]) -> Result<Option<PackagePath>, crate::InvalidPath> {
    if matches!(name, b"." | b"./") {
        return Ok(None);
    }
    let name = without_dot(name);
    PackagePath::from_bytes(name.strip_suffix(b"/").unwrap_or(name)).map(Some)
}

/// Lends one body out as a reader, and keeps the real error that a reader cannot carry.
struct Body<'a, 'b> {
    walk: &'a mut Walk<'b>,
    failure: Option<ArchiveError>,
}

impl Read for Body<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = match self.walk.have() {
            Ok(bytes) => bytes,
            Err(failure) => {
                let error = io::Error::other(failure.to_string());
                self.failure = Some(failure);
                return Err(error);
            }
        };
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        self.walk.take(count);
        Ok(count)
    }
}
