//! Writes tar archives, in one gzip member or one zstd frame.
//!
//! Plain ustar headers, with a pax header in front only where a name or size does not fit. Folders
//! are implied by the paths in them.

use std::io::{self, Write};

use zstd::stream::raw::CParameter;

use super::deflate::Deflate;
use super::tar_header::{BLOCK, LARGEST_OCTAL, NAME_FIELD};
use super::write::{Step, cannot_write, map_batch, steps, stream};
use crate::{ArchiveError, Entry, Kind, Tree};

/// How much a zstd thread takes at once. Fixed, because it shows in the bytes.
const ZSTD_JOB: u32 = 2 << 20;

/// The most zstd threads. Each holds tables of its own, and the bytes are the same for any number.
const ZSTD_THREADS: usize = 4;

/// What our ten levels are for zstd, which has no level without compression. The last is the
/// largest whose window every reader of ours takes.
const ZSTD_LEVELS: [i32; 10] = [1, 1, 2, 3, 4, 6, 8, 10, 13, 17];

const PREFIX_FIELD: usize = 155;

/// Writes `tree` as a tar in one gzip member, without a name or time in its header.
pub(super) fn write_gzip(tree: &Tree, level: u8, out: &mut dyn Write) -> Result<(), ArchiveError> {
    const UNKNOWN_SYSTEM: u8 = 255;
    out.write_all(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, UNKNOWN_SYSTEM])
        .map_err(cannot_write)?;
    let mut gzip = Gzip {
        deflate: Deflate::new(out, level),
        crc: crc32fast::Hasher::new(),
        length: 0,
    };
    write_tar(tree, &mut gzip)?;
    gzip.finish().map_err(cannot_write)
}

/// Writes `tree` as a tar in one zstd frame with a checksum.
pub(super) fn write_zstd(tree: &Tree, level: u8, out: &mut dyn Write) -> Result<(), ArchiveError> {
    let threads = rayon::current_num_threads().clamp(1, ZSTD_THREADS) as u32;
    let frame = || {
        let mut frame = zstd::Encoder::new(out, ZSTD_LEVELS[usize::from(level)])?;
        frame.include_checksum(true)?;
        // Even one thread goes through the scheduler, which cuts the input into jobs.
        frame.multithread(threads)?;
        frame.set_parameter(CParameter::JobSize(ZSTD_JOB))?;
        Ok(frame)
    };
    let mut frame = frame().map_err(cannot_write)?;
    write_tar(tree, &mut frame)?;
    frame.finish().map(|_| ()).map_err(cannot_write)
}

struct Gzip<W: Write> {
    deflate: Deflate<W>,
    crc: crc32fast::Hasher,
    length: u32,
}

impl<W: Write> Gzip<W> {
    fn finish(self) -> io::Result<()> {
        let mut out = self.deflate.finish()?;
        out.write_all(&self.crc.finalize().to_le_bytes())?;
        out.write_all(&self.length.to_le_bytes())
    }
}

impl<W: Write> Write for Gzip<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.deflate.write(bytes)?;
        self.crc.update(&bytes[..count]);
        // The format keeps the length modulo 2³².
        self.length = self.length.wrapping_add(count as u32);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.deflate.flush()
    }
}

fn write_tar(tree: &Tree, out: &mut impl Write) -> Result<(), ArchiveError> {
    for step in steps(tree.entries()) {
        match step {
            Step::Batch(batch) => {
                let loaded = map_batch(tree, batch, |_, bytes| bytes)?;
                for (entry, bytes) in batch.iter().zip(loaded) {
                    write_header(entry, out)
                        .and_then(|()| out.write_all(&bytes))
                        .and_then(|()| pad(entry.size, out))
                        .map_err(cannot_write)?;
                }
            }
            Step::Large(entry) => {
                write_header(entry, out).map_err(cannot_write)?;
                stream(tree, entry, |bytes| out.write_all(bytes))?;
                pad(entry.size, out).map_err(cannot_write)?;
            }
        }
    }
    out.write_all(&[0; 2 * BLOCK]).map_err(cannot_write)
}

/// Fills up the last block of a body.
fn pad(size: u64, out: &mut impl Write) -> io::Result<()> {
    let missing = size.wrapping_neg() % BLOCK as u64;
    out.write_all(&[0; BLOCK][..missing as usize])
}

fn write_header(entry: &Entry, out: &mut impl Write) -> io::Result<()> {
    let mut records = Vec::new();
    let path = entry.path.as_str();
    let (prefix, name) = split(path).unwrap_or_else(|| {
        put_record(&mut records, "path", path);
        ("", cut(path))
    });
    let mut size = entry.size;
    if size > LARGEST_OCTAL {
        put_record(&mut records, "size", &size.to_string());
        size = 0;
    }
    let (kind, mode, target) = match &entry.kind {
        Kind::File if entry.executable => (b'0', 0o755, ""),
        Kind::File => (b'0', 0o644, ""),
        Kind::Link { target } => (b'2', 0o777, target.as_str()),
    };
    let mut link = target;
    if link.len() > NAME_FIELD || !link.is_ascii() {
        put_record(&mut records, "linkpath", target);
        link = cut(target);
    }
    if !records.is_empty() {
        let length = records.len() as u64;
        out.write_all(&block("", "././@PaxHeader", b'x', 0o644, length, ""))?;
        out.write_all(&records)?;
        pad(length, out)?;
    }
    out.write_all(&block(prefix, name, kind, mode, size, link))
}

/// Splits a path over the two fields of a ustar header. Only ASCII is sure to be read alike.
fn split(path: &str) -> Option<(&str, &str)> {
    if !path.is_ascii() {
        return None;
    }
    if path.len() <= NAME_FIELD {
        return Some(("", path));
    }
    path.match_indices('/')
        .map(|(at, _)| (&path[..at], &path[at + 1..]))
        .find(|(prefix, name)| prefix.len() <= PREFIX_FIELD && name.len() <= NAME_FIELD)
}

/// Cuts a name to its field, at a character and not behind a slash: some readers take a name
/// that ends in one for a folder.
fn cut(name: &str) -> &str {
    name[..name.floor_char_boundary(NAME_FIELD)].trim_end_matches('/')
}

/// Adds a pax record, whose length counts its own digits.
fn put_record(records: &mut Vec<u8>, key: &str, value: &str) {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len();
    while length != rest.len() + length.to_string().len() {
        length = rest.len() + length.to_string().len();
    }
    records.extend_from_slice(length.to_string().as_bytes());
    records.extend_from_slice(rest.as_bytes());
}

fn block(prefix: &str, name: &str, kind: u8, mode: u32, size: u64, link: &str) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, name.as_bytes());
    put(100, format!("{mode:07o}").as_bytes());
    put(108, b"0000000"); // owner
    put(116, b"0000000"); // group
    put(124, format!("{size:011o}").as_bytes());
    put(136, b"00000000000"); // time
    put(148, b"        "); // the checksum counts as blanks
    put(156, &[kind]);
    put(157, link.as_bytes());
    put(257, b"ustar\x0000");
    put(329, b"0000000"); // device
    put(337, b"0000000");
    put(345, prefix.as_bytes());
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}
