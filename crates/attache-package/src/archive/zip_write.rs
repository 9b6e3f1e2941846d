//! Writes zip archives.
//!
//! Every size and checksum stands in front of its data, nothing stands between or behind the
//! entries, and there is no field that could differ from one machine to another.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, Write};

use libdeflater::{CompressionLvl, Compressor};

use super::deflate::Deflate;
use super::write::{Step, cannot_write, map_batch, steps, stream};
use crate::{ArchiveError, Defect, Entry, Kind, Tree};

/// How much of a large file's packed bytes is held; more than that lies on disk meanwhile.
const KEPT: usize = 16 << 20;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// The value that sends a reader to the zip64 record.
const IN_ZIP64: u32 = u32::MAX;

/// 1 January 1980, the first day a zip can name.
const DATE: u16 = 1 << 5 | 1;

/// Writes every file of `tree`. A link has no agreed form in a zip and is refused.
pub(super) fn write(tree: &Tree, level: u8, out: &mut dyn Write) -> Result<(), ArchiveError> {
    if let Some(link) = tree.entries().iter().find(|e| e.kind != Kind::File) {
        return Err(Defect::SymbolicLink.at(link.path.as_str()));
    }
    let mut zip = ZipWriter {
        out,
        offset: 0,
        directory: Vec::new(),
        count: 0,
    };
    let mut ready = Vec::new();
    for step in steps(tree.entries()) {
        match step {
            // The next batch is packed while the last one is written.
            Step::Batch(batch) => {
                let mut next = Ok(Vec::new());
                let written = rayon::in_place_scope(|scope| {
                    scope.spawn(|_| next = pack_batch(tree, batch, level));
                    zip.members(&ready)
                });
                written.map_err(cannot_write)?;
                ready = next?;
            }
            Step::Large(entry) => {
                zip.members(&ready).map_err(cannot_write)?;
                ready.clear();
                zip.large(tree, entry, level)?;
            }
        }
    }
    zip.members(&ready).map_err(cannot_write)?;
    zip.finish().map_err(cannot_write)
}

/// A file ready to be written.
struct Member<'a> {
    facts: Facts<'a>,
    packed: Vec<u8>,
}

/// What both headers of a file say.
struct Facts<'a> {
    entry: &'a Entry,
    method: u16,
    crc: u32,
    packed_size: u64,
}

/// The libdeflate level for each of ours.
///
/// libdeflate finds more at the same number than zlib does. Ours are set so that each level is
/// about as small as zlib's, in less time; 9 is the smallest that is still quick.
const LIBDEFLATE: [i32; 10] = [0, 1, 2, 3, 4, 4, 5, 6, 8, 9];

thread_local! {
    /// A compressor takes a megabyte to make; a thread keeps the one it used last.
    static COMPRESSOR: RefCell<Option<(u8, Compressor, Vec<u8>)>> = const { RefCell::new(None) };
}

/// Returns the bytes deflated, or nothing if that does not make them fewer.
fn deflated(bytes: &[u8], level: u8) -> Option<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| {
        if kept
            .as_ref()
            .is_none_or(|(made_for, ..)| *made_for != level)
        {
            let ours = LIBDEFLATE[usize::from(level.min(9))];
            let compressor = Compressor::new(CompressionLvl::new(ours).ok()?);
            *kept = Some((level, compressor, Vec::new()));
        }
        let (_, compressor, buffer) = kept.as_mut()?;
        // Room for one byte less than the file: what does not fit does not shrink it.
        buffer.resize(bytes.len().saturating_sub(1), 0);
        let length = compressor.deflate_compress(bytes, buffer).ok()?;
        Some(buffer[..length].to_vec())
    })
}

fn pack_batch<'a>(
    tree: &'a Tree,
    batch: &'a [Entry],
    level: u8,
) -> Result<Vec<Member<'a>>, ArchiveError> {
    map_batch(tree, batch, |entry, bytes| {
        let packed = if level > 0 {
            deflated(&bytes, level)
        } else {
            None
        };
        let method = if packed.is_some() { DEFLATED } else { STORED };
        let crc = libdeflater::crc32(&bytes);
        let packed = packed.unwrap_or_else(|| bytes.into_owned());
        Member {
            facts: Facts {
                entry,
                method,
                crc,
                packed_size: packed.len() as u64,
            },
            packed,
        }
    })
}

struct ZipWriter<'a> {
    out: &'a mut dyn Write,
    offset: u64,
    directory: Vec<u8>,
    count: u64,
}

impl ZipWriter<'_> {
    fn members(&mut self, members: &[Member]) -> io::Result<()> {
        members.iter().try_for_each(|member| {
            self.begin(&member.facts)?;
            self.out.write_all(&member.packed)
        })
    }

    /// Packs a file that is too large to hold. Its header needs the packed size, so what was
    /// packed to learn it waits in memory or in a temporary file; only where there is no room
    /// for one it is packed again.
    fn large(&mut self, tree: &Tree, entry: &Entry, level: u8) -> Result<(), ArchiveError> {
        let mut crc = crc32fast::Hasher::new();
        let mut trial = Deflate::new(Trial::default(), level);
        stream(tree, entry, |bytes| {
            crc.update(bytes);
            match level {
                0 => Ok(()),
                _ => trial.write_all(bytes),
            }
        })?;
        let mut trial = trial.finish().map_err(cannot_write)?;
        let deflated = level > 0 && trial.size < entry.size;
        self.begin(&Facts {
            entry,
            method: if deflated { DEFLATED } else { STORED },
            crc: crc.finalize(),
            packed_size: if deflated { trial.size } else { entry.size },
        })
        .map_err(cannot_write)?;
        if !deflated {
            return stream(tree, entry, |bytes| self.out.write_all(bytes));
        }
        if trial.copy_to(self.out)? {
            return Ok(());
        }
        let mut again = Deflate::new(&mut *self.out, level);
        stream(tree, entry, |bytes| again.write_all(bytes))?;
        again.finish().map(|_| ()).map_err(cannot_write)
    }

    /// Writes the header in front of a file's data and notes the one for the directory.
    fn begin(&mut self, facts: &Facts) -> io::Result<()> {
        let (size, packed_size) = (facts.entry.size, facts.packed_size);
        let name = facts.entry.path.as_str().as_bytes();
        let mut local = Vec::with_capacity(64 + name.len());
        // The header in front of the data carries both sizes in zip64, or neither.
        let mut extra = Vec::new();
        if size.max(packed_size) >= u64::from(IN_ZIP64) {
            put_64(&mut extra, size);
            put_64(&mut extra, packed_size);
        }
        let outside = |value: u64| if extra.is_empty() { value } else { u64::MAX };
        put_32(&mut local, 0x0403_4b50);
        put_common(&mut local, facts, &extra);
        put_32(&mut local, saturated(outside(packed_size)));
        put_32(&mut local, saturated(outside(size)));
        put_name(&mut local, name, &extra);
        local.extend_from_slice(name);
        put_extra(&mut local, &extra);

        let mut extra = Vec::new();
        for value in [size, packed_size, self.offset] {
            if value >= u64::from(IN_ZIP64) {
                put_64(&mut extra, value);
            }
        }
        let mode: u32 = if facts.entry.executable {
            0o10_0755
        } else {
            0o10_0644
        };
        let directory = &mut self.directory;
        put_32(directory, 0x0201_4b50);
        put_16(directory, 3 << 8 | version(&extra));
        put_common(directory, facts, &extra);
        put_32(directory, saturated(packed_size));
        put_32(directory, saturated(size));
        put_name(directory, name, &extra);
        put_16(directory, 0); // comment
        put_16(directory, 0); // disk
        put_16(directory, 0); // text or not
        put_32(directory, mode << 16);
        put_32(directory, saturated(self.offset));
        directory.extend_from_slice(name);
        put_extra(directory, &extra);

        self.count += 1;
        self.offset += local.len() as u64 + packed_size;
        self.out.write_all(&local)
    }

    fn finish(self) -> io::Result<()> {
        let size = self.directory.len() as u64;
        let mut end = Vec::new();
        let needs_zip64 = self.count >= u64::from(u16::MAX)
            || size >= u64::from(IN_ZIP64)
            || self.offset >= u64::from(IN_ZIP64);
        if needs_zip64 {
            put_32(&mut end, 0x0606_4b50);
            put_64(&mut end, 44); // what is left of this record
            put_16(&mut end, 3 << 8 | 45);
            put_16(&mut end, 45);
            put_32(&mut end, 0);
            put_32(&mut end, 0);
            put_64(&mut end, self.count);
            put_64(&mut end, self.count);
            put_64(&mut end, size);
            put_64(&mut end, self.offset);
            put_32(&mut end, 0x0706_4b50);
            put_32(&mut end, 0);
            put_64(&mut end, self.offset + size);
            put_32(&mut end, 1); // disks
        }
        let count = u16::try_from(self.count).unwrap_or(u16::MAX);
        put_32(&mut end, 0x0605_4b50);
        put_16(&mut end, 0);
        put_16(&mut end, 0);
        put_16(&mut end, count);
        put_16(&mut end, count);
        put_32(&mut end, saturated(size));
        put_32(&mut end, saturated(self.offset));
        put_16(&mut end, 0); // comment
        self.out.write_all(&self.directory)?;
        self.out.write_all(&end)
    }
}

/// Counts what passes, and keeps it: in memory as long as it is little, then on disk.
#[derive(Default)]
struct Trial {
    held: Vec<u8>,
    /// Everything, once it is too much to hold.
    spilled: Option<File>,
    /// Whether the temporary file failed, and nothing is kept.
    lost: bool,
    size: u64,
}

impl Trial {
    fn keep(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(file) = &mut self.spilled {
            return file.write_all(bytes);
        }
        self.held.extend_from_slice(bytes);
        if self.held.len() <= KEPT {
            return Ok(());
        }
        let held = std::mem::take(&mut self.held);
        let file = self.spilled.insert(tempfile::tempfile()?);
        file.write_all(&held)
    }

    /// Passes on what was kept; says no if it was not.
    fn copy_to(&mut self, out: &mut dyn Write) -> Result<bool, ArchiveError> {
        if self.lost {
            return Ok(false);
        }
        let Some(file) = &mut self.spilled else {
            return out
                .write_all(&self.held)
                .map(|()| true)
                .map_err(cannot_write);
        };
        let folder = std::env::temp_dir();
        let unreadable = || ArchiveError::io("read in", &folder);
        file.rewind().map_err(unreadable())?;
        let mut buffer = vec![0; 128 << 10];
        let mut left = self.size;
        while left > 0 {
            let most = buffer
                .len()
                .min(usize::try_from(left).unwrap_or(usize::MAX));
            file.read_exact(&mut buffer[..most]).map_err(unreadable())?;
            out.write_all(&buffer[..most]).map_err(cannot_write)?;
            left -= most as u64;
        }
        Ok(true)
    }
}

impl Write for Trial {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.lost && self.keep(bytes).is_err() {
            *self = Self {
                lost: true,
                size: self.size,
                ..Self::default()
            };
        }
        self.size += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Puts the fields that both headers have in a row: version, flags, method, time and checksum.
fn put_common(header: &mut Vec<u8>, facts: &Facts, extra: &[u8]) {
    let utf8 = !facts.entry.path.as_str().is_ascii();
    put_16(header, version(extra));
    put_16(header, u16::from(utf8) << 11);
    put_16(header, facts.method);
    put_16(header, 0); // midnight
    put_16(header, DATE);
    put_32(header, facts.crc);
}

fn put_name(header: &mut Vec<u8>, name: &[u8], extra: &[u8]) {
    let extra_size = if extra.is_empty() { 0 } else { extra.len() + 4 };
    put_16(header, name.len() as u16);
    put_16(header, extra_size as u16);
}

/// Puts the zip64 field, if it has anything to say.
fn put_extra(header: &mut Vec<u8>, values: &[u8]) {
    if !values.is_empty() {
        put_16(header, 1);
        put_16(header, values.len() as u16);
        header.extend_from_slice(values);
    }
}

fn version(zip64: &[u8]) -> u16 {
    if zip64.is_empty() { 20 } else { 45 }
}

fn saturated(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(IN_ZIP64)
}

fn put_16(bytes: &mut Vec<u8>, value: u16) {
    bytes.extend_from_slice(&value.to_le_bytes());
}

fn put_32(bytes: &mut Vec<u8>, value: u32) {
    bytes.extend_from_slice(&value.to_le_bytes());
}

fn put_64(bytes: &mut Vec<u8>, value: u64) {
    bytes.extend_from_slice(&value.to_le_bytes());
}
