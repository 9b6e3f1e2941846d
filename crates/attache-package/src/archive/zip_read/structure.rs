//! The records of a zip: found, compared, and proved to tile the file without gap or overlap.

use std::io::{BufReader, Read};

use super::extra::{Extra, Side};
use super::source::{Section, Source};
use crate::archive::names::{Names, Occupant};
use crate::{ArchiveError, Defect, InvalidPath, Limits, PackagePath};

const LOCAL: [u8; 4] = *b"PK\x03\x04";
const CENTRAL: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
const END64: [u8; 4] = *b"PK\x06\x06";
const LOCATOR: [u8; 4] = *b"PK\x06\x07";
pub(super) const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";

const LOCAL_LEN: u64 = 30;
const CENTRAL_LEN: u64 = 46;
const END_LEN: u64 = 22;
const END64_LEN: u64 = 56;
const LOCATOR_LEN: u64 = 20;

/// The values that leave a field to the zip64 record.
const MARK16: u64 = 0xffff;
const MARK32: u64 = 0xffff_ffff;

mod flag {
    pub(super) const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
    pub(super) const DESCRIPTOR: u16 = 1 << 3;
    pub(super) const UTF8: u16 = 1 << 11;
    /// How hard the writer tried, which changes nothing for the reader.
    pub(super) const EFFORT: u16 = 3 << 1;
}

/// How an entry is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Stored,
    Deflated,
}

/// One entry, as both of its headers have it.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) path: PackagePath,
    pub(super) folder: bool,
    pub(super) executable: bool,
    pub(super) method: Method,
    pub(super) crc: u32,
    pub(super) packed: u64,
    pub(super) size: u64,
    /// Where its packed bytes begin.
    pub(super) data_at: u64,
    /// Whether a reader from the front could only find its end by looking for a data
    /// descriptor, since it is stored and its local header does not give its length.
    pub(super) seeks_descriptor: bool,
    flags: u16,
    local_at: u64,
}

impl Listed {
    /// Returns the name as the archive writes it.
    pub(super) fn name(&self) -> String {
        format!("{}{}", self.path, if self.folder { "/" } else { "" })
    }
}

/// Reads and compares all records. The entries come in the order of their bytes in the file.
pub(super) fn read(source: &Source, limits: &Limits) -> Result<Vec<Listed>, ArchiveError> {
    let end = find_end(source)?;
    let mut listed = read_directory(source, &end, limits)?;
    listed.sort_by_key(|entry| entry.local_at);
    let mut at = 0;
    for index in 0..listed.len() {
        let next = listed
            .get(index + 1)
            .map_or(end.directory_at, |next| next.local_at);
        at = read_local(source, &mut listed[index], at, next, end.directory_at)?;
    }
    if at != end.directory_at {
        return Err(between(source, at)?.whole());
    }
    Ok(listed)
}

/// Where the directory is, and what it holds.
struct End {
    directory_at: u64,
    directory_len: u64,
    count: u64,
    /// Where the first record behind the directory begins.
    at: u64,
}

/// Little-endian numbers at fixed places in a record.
struct Record<'a>(&'a [u8]);

impl Record<'_> {
    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from(self.u16(at)) | u32::from(self.u16(at + 2)) << 16
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from(self.u32(at)) | u64::from(self.u32(at + 4)) << 32
    }

    fn starts_with(&self, signature: [u8; 4]) -> bool {
        self.0.starts_with(&signature)
    }
}

fn find_end(source: &Source) -> Result<End, ArchiveError> {
    let longest = END_LEN + MARK16;
    let tail_len = source.len.min(longest);
    let mut tail = vec![0; tail_len as usize];
    source.read_at(source.len - tail_len, &mut tail)?;

    let signatures: Vec<_> = tail
        .windows(END.len())
        .enumerate()
        .filter_map(|(at, window)| (window == END).then_some(at))
        .collect();
    // How many bytes lie behind the record and its comment; nothing if they do not fit.
    let behind = |at: usize| {
        let record = tail.get(at..at + END_LEN as usize)?;
        let comment = usize::from(Record(record).u16(20));
        tail.len().checked_sub(at + END_LEN as usize + comment)
    };
    let Some(at) = signatures.iter().copied().find(|at| behind(*at) == Some(0)) else {
        let cut_off = signatures.iter().any(|at| behind(*at).is_some());
        return Err(match cut_off {
            true => Defect::ZipTrailingBytes,
            false => Defect::ZipNoEnd,
        }
        .whole());
    };
    // Most readers search from the back and would find the other one first.
    if signatures.last() != Some(&at) {
        return Err(Defect::ZipEndInComment.whole());
    }
    if !is_plain_text(&tail[at + END_LEN as usize..]) {
        return Err(Defect::ZipComment.whole());
    }
    let record = Record(&tail[at..]);
    if record.u16(4) != 0 || record.u16(6) != 0 {
        return Err(Defect::ZipMultiDisk.whole());
    }
    if record.u16(8) != record.u16(10) {
        return Err(Defect::ZipCount.whole());
    }
    let mut end = End {
        count: record.u16(10).into(),
        directory_len: record.u32(12).into(),
        directory_at: record.u32(16).into(),
        at: source.len - tail_len + at as u64,
    };
    widen(source, &mut end)?;
    check_directory_place(source, &end)?;
    Ok(end)
}

/// Takes the zip64 end record into account, if there is one.
fn widen(source: &Source, end: &mut End) -> Result<(), ArchiveError> {
    let disagrees = || Defect::Zip64Disagrees.whole();
    let locator_at = end.at.checked_sub(LOCATOR_LEN);
    let locator_at = match locator_at {
        Some(at) if source.signature(at)? == LOCATOR => at,
        // A count of exactly 65,535 needs no zip64; the others would need four gigabytes.
        _ if end.directory_at == MARK32 || end.directory_len == MARK32 => return Err(disagrees()),
        _ => return Ok(()),
    };
    let mut locator = [0; LOCATOR_LEN as usize];
    source.read_at(locator_at, &mut locator)?;
    let locator = Record(&locator);
    let at = locator.u64(8);
    if at.checked_add(END64_LEN) != Some(locator_at) {
        return Err(disagrees());
    }
    let mut record = [0; END64_LEN as usize];
    source.read_at(at, &mut record)?;
    let record = Record(&record);
    if !record.starts_with(END64) || record.u64(4) != END64_LEN - 12 {
        return Err(disagrees());
    }
    if locator.u32(4) != 0 || locator.u32(16) != 1 || record.u32(16) != 0 || record.u32(20) != 0 {
        return Err(Defect::ZipMultiDisk.whole());
    }
    if record.u64(24) != record.u64(32) {
        return Err(Defect::ZipCount.whole());
    }
    for (short, mark, long) in [
        (&mut end.count, MARK16, record.u64(32)),
        (&mut end.directory_len, MARK32, record.u64(40)),
        (&mut end.directory_at, MARK32, record.u64(48)),
    ] {
        if *short != mark && *short != long {
            return Err(Defect::Zip64NotSentinel.whole());
        }
        *short = long;
    }
    end.at = at;
    Ok(())
}

/// Checks that the directory ends where the records behind it begin.
fn check_directory_place(source: &Source, end: &End) -> Result<(), ArchiveError> {
    let stated_end = end.directory_at.checked_add(end.directory_len);
    if stated_end == Some(end.at) {
        return Ok(());
    }
    let Some(stated_end) = stated_end.filter(|stated| *stated < end.at) else {
        return Err(Defect::ZipDirectory.whole());
    };
    // With bytes put in front, all places are too low by the same number.
    let shift = end.at - stated_end;
    let moved = end.directory_len > 0
        && source.signature(shift)? == LOCAL
        && source.signature(end.directory_at + shift)? == CENTRAL;
    Err(match source.signature(stated_end)? {
        _ if moved => Defect::ZipLeadingBytes,
        END => Defect::ZipSecondEnd,
        END64 | LOCATOR => Defect::Zip64Disagrees,
        CENTRAL => Defect::ZipCount,
        _ => Defect::ZipDirectory,
    }
    .whole())
}

fn read_directory(
    source: &Source,
    end: &End,
    limits: &Limits,
) -> Result<Vec<Listed>, ArchiveError> {
    if end.count > limits.entries {
        return Err(Defect::EntryCount.whole());
    }
    if end.count > end.directory_len / CENTRAL_LEN {
        return Err(Defect::ZipCount.whole());
    }
    let section = source.section(end.directory_at, end.directory_len);
    let mut directory = Directory {
        source,
        reader: BufReader::with_capacity(64 << 10, section),
        left: end.directory_len,
    };
    let mut names = Names::within(limits.entries);
    let mut listed = Vec::with_capacity(end.count as usize);
    for _ in 0..end.count {
        if directory.left == 0 {
            return Err(Defect::ZipCount.whole());
        }
        let entry = directory.entry()?;
        let occupant = match entry.folder {
            true => Occupant::ListedFolder,
            false => Occupant::File,
        };
        names.add(&entry.path, occupant)?;
        listed.push(entry);
    }
    if directory.left > 0 {
        return Err(match source.signature(end.at - directory.left)? {
            CENTRAL => Defect::ZipCount,
            END => Defect::ZipSecondEnd,
            END64 | LOCATOR => Defect::Zip64Disagrees,
            _ => Defect::ZipDirectory,
        }
        .whole());
    }
    Ok(listed)
}

struct Directory<'a> {
    source: &'a Source,
    reader: BufReader<Section<'a>>,
    left: u64,
}

impl Directory<'_> {
    fn take(&mut self, len: u64) -> Result<Vec<u8>, ArchiveError> {
        self.left = self
            .left
            .checked_sub(len)
            .ok_or_else(|| Defect::ZipDirectory.whole())?;
        let mut bytes = vec![0; len as usize];
        self.reader
            .read_exact(&mut bytes)
            .map_err(ArchiveError::io("read", &self.source.path))?;
        Ok(bytes)
    }

    fn entry(&mut self) -> Result<Listed, ArchiveError> {
        let head = self.take(CENTRAL_LEN)?;
        let head = Record(&head);
        if !head.starts_with(CENTRAL) {
            return Err(Defect::ZipDirectory.whole());
        }
        let name = self.take(head.u16(28).into())?;
        let extra = self.take(head.u16(30).into())?;
        let comment = self.take(head.u16(32).into())?;
        let at = |defect: Defect| defect.at(String::from_utf8_lossy(&name));

        let flags = head.u16(8);
        let method = check_packing(flags, head.u16(10)).map_err(at)?;
        let extra = Extra::parse(&extra, Side::Central).map_err(at)?;
        let (mut size, mut packed) = (u64::from(head.u32(24)), u64::from(head.u32(20)));
        let (mut disk, mut local_at) = (u64::from(head.u16(34)), u64::from(head.u32(42)));
        extra
            .resolve(&mut [
                (&mut size, MARK32),
                (&mut packed, MARK32),
                (&mut local_at, MARK32),
                (&mut disk, MARK16),
            ])
            .map_err(at)?;
        if disk != 0 {
            return Err(at(Defect::ZipMultiDisk));
        }
        let (path, folder) = parse_name(&name, flags)?;
        extra.check_name(&name).map_err(at)?;
        if !is_plain_text(&comment) || (flags & flag::UTF8 == 0 && !comment.is_ascii()) {
            return Err(at(Defect::ZipComment));
        }
        let executable = check_type(head.u16(4), head.u32(38), folder).map_err(at)?;
        // Java deflates the nothing in a folder, which takes two bytes.
        let nothing = if method == Method::Deflated { 2 } else { 0 };
        if folder && (size > 0 || packed > nothing) {
            return Err(at(Defect::ZipFolderData));
        }
        if method == Method::Stored && size != packed {
            return Err(at(Defect::ZipStoredSize));
        }
        Ok(Listed {
            path,
            folder,
            executable,
            method,
            crc: head.u32(16),
            packed,
            size,
            data_at: 0,
            seeks_descriptor: false,
            flags,
            local_at,
        })
    }
}

fn check_packing(flags: u16, method: u16) -> Result<Method, Defect> {
    if flags & flag::ENCRYPTED != 0 {
        return Err(Defect::ZipEncrypted);
    }
    let method = match method {
        0 => Method::Stored,
        8 => Method::Deflated,
        _ => return Err(Defect::ZipMethod),
    };
    if flags & !(flag::DESCRIPTOR | flag::UTF8 | flag::EFFORT) != 0 {
        return Err(Defect::ZipFlags);
    }
    Ok(method)
}

/// Returns the path, and whether the name is a folder's, which is said by its last `/`.
fn parse_name(name: &[u8], flags: u16) -> Result<(PackagePath, bool), ArchiveError> {
    if flags & flag::UTF8 == 0 && !name.is_ascii() {
        return Err(Defect::AmbiguousEncoding.at(String::from_utf8_lossy(name)));
    }
    let (bare, folder) = match name.strip_suffix(b"/") {
        Some(bare) => (bare, true),
        None => (name, false),
    };
    let path = PackagePath::from_bytes(bare).map_err(|error| InvalidPath {
        given: String::from_utf8_lossy(name).into_owned(),
        // Only the slash of the root itself is left of such a name.
        defect: match name {
            b"/" => Defect::AbsolutePath,
            _ => error.defect,
        },
    })?;
    Ok((path, folder))
}

/// Checks the type and mode in the attributes, and returns whether its owner may execute it.
///
/// Some readers heed Unix modes whatever system the header names, so they are checked always;
/// the executable bit counts only where the header says Unix or macOS.
fn check_type(made_by: u16, attributes: u32, folder: bool) -> Result<bool, Defect> {
    const UNIX: u16 = 3;
    const MACOS: u16 = 19;
    const DOS_LABEL: u32 = 0x08;
    const DOS_FOLDER: u32 = 0x10;
    const DOS_DEVICE: u32 = 0x40;
    const DOS_LINK: u32 = 0x400;
    let mode = attributes >> 16;
    let says_folder = match mode >> 12 {
        0o00 => None,
        0o10 => Some(false),
        0o04 => Some(true),
        0o12 => return Err(Defect::SymbolicLink),
        0o02 | 0o06 => return Err(Defect::Device),
        0o01 => return Err(Defect::Fifo),
        0o14 => return Err(Defect::Socket),
        _ => return Err(Defect::ZipType),
    };
    if attributes & DOS_LINK != 0 {
        return Err(Defect::SymbolicLink);
    }
    if attributes & DOS_DEVICE != 0 {
        return Err(Defect::Device);
    }
    let dos_differs = attributes & DOS_LABEL != 0 || (attributes & DOS_FOLDER != 0 && !folder);
    if says_folder.is_some_and(|says| says != folder) || dos_differs {
        return Err(Defect::ZipType);
    }
    if mode & 0o7000 != 0 {
        return Err(Defect::SpecialBits);
    }
    Ok(matches!(made_by >> 8, UNIX | MACOS) && !folder && mode & 0o100 != 0)
}

/// A comment is there for people. One that is no text could be read as records.
fn is_plain_text(comment: &[u8]) -> bool {
    std::str::from_utf8(comment).is_ok_and(|text| {
        text.chars()
            .all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'))
    })
}

/// Compares the local header of `entry` with the directory, and returns where its bytes end.
///
/// It must begin at `at`, where the entry before it ended, and end at `next`.
fn read_local(
    source: &Source,
    entry: &mut Listed,
    at: u64,
    next: u64,
    directory_at: u64,
) -> Result<u64, ArchiveError> {
    let name = entry.name();
    let refuse = |defect: Defect| Err(defect.at(name.as_str()));
    let room = directory_at.saturating_sub(entry.local_at);
    if room < LOCAL_LEN || source.signature(entry.local_at)? != LOCAL {
        return refuse(Defect::ZipLocalMissing);
    }
    if entry.local_at > at {
        return refuse(between(source, at)?);
    }
    // One read takes the header and usually the name and extra fields with it.
    let guess = room.min(LOCAL_LEN + name.len() as u64 + 64);
    let mut bytes = vec![0; guess as usize];
    source.read_at(at, &mut bytes)?;
    let (name_len, extra_len) = (
        usize::from(Record(&bytes).u16(26)),
        usize::from(Record(&bytes).u16(28)),
    );
    let name_at = LOCAL_LEN as usize;
    let head_len = name_at + name_len + extra_len;
    if head_len as u64 > room {
        return refuse(Defect::ZipOverlap);
    }
    if head_len > bytes.len() {
        let have = bytes.len();
        bytes.resize(head_len, 0);
        source.read_at(at + have as u64, &mut bytes[have..])?;
    }
    let head = Record(&bytes);
    if head.u16(6) != entry.flags {
        return refuse(Defect::ZipLocalFlags);
    }
    let method = match entry.method {
        Method::Stored => 0,
        Method::Deflated => 8,
    };
    if head.u16(8) != method {
        return refuse(Defect::ZipLocalMethod);
    }
    if &bytes[name_at..name_at + name_len] != name.as_bytes() {
        return refuse(Defect::ZipLocalName);
    }
    let in_entry = |defect: Defect| defect.at(name.as_str());
    let extra = Extra::parse(&bytes[name_at + name_len..head_len], Side::Local);
    let extra = extra.map_err(in_entry)?;
    let (mut size, mut packed) = (u64::from(head.u32(22)), u64::from(head.u32(18)));
    let descriptor = entry.flags & flag::DESCRIPTOR != 0;
    let announced = descriptor && (size, packed) == (0, 0) && extra.is_announcement();
    if !announced {
        extra
            .resolve(&mut [(&mut size, MARK32), (&mut packed, MARK32)])
            .map_err(in_entry)?;
    }
    extra.check_name(name.as_bytes()).map_err(in_entry)?;
    let same = |here: u64, there: u64| here == there || (descriptor && here == 0);
    if !same(size, entry.size) || !same(packed, entry.packed) {
        return refuse(Defect::ZipLocalSize);
    }
    if !same(head.u32(14).into(), entry.crc.into()) {
        return refuse(Defect::ZipLocalCrc);
    }
    entry.data_at = at + head_len as u64;
    entry.seeks_descriptor = descriptor && entry.method == Method::Stored && packed != entry.packed;
    let data_end = entry.data_at.checked_add(entry.packed);
    let Some(data_end) = data_end.filter(|data_end| *data_end <= next) else {
        return refuse(Defect::ZipOverlap);
    };
    if !descriptor {
        return Ok(data_end);
    }
    let len = read_descriptor(source, entry, data_end, next, extra.is_zip64())?;
    Ok(data_end + len)
}

/// Compares a data descriptor with the directory and returns its length.
///
/// It has its signature or not, and wide sizes where the local header has a zip64 field.
fn read_descriptor(
    source: &Source,
    entry: &Listed,
    at: u64,
    next: u64,
    wide: bool,
) -> Result<u64, ArchiveError> {
    let mut expected = DESCRIPTOR.to_vec();
    expected.extend_from_slice(&entry.crc.to_le_bytes());
    for size in [entry.packed, entry.size] {
        let bytes = size.to_le_bytes();
        expected.extend_from_slice(if wide { &bytes } else { &bytes[..4] });
    }
    let mut found = vec![0; expected.len().min((next - at) as usize)];
    source.read_at(at, &mut found)?;
    [expected.as_slice(), &expected[DESCRIPTOR.len()..]]
        .into_iter()
        .find(|form| found.starts_with(form))
        .map(|form| form.len() as u64)
        .ok_or_else(|| Defect::ZipDescriptor.at(entry.name()))
}

/// Says what the bytes at `at` are, where the next record should have begun.
fn between(source: &Source, at: u64) -> Result<Defect, ArchiveError> {
    Ok(match source.signature(at)? {
        LOCAL => Defect::ZipUnlisted,
        DESCRIPTOR => Defect::ZipDescriptor,
        _ if at == 0 => Defect::ZipLeadingBytes,
        _ => Defect::ZipGap,
    })
}
