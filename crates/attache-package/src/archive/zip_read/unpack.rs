//! Inflating entries, with every length and checksum proved.

use std::io::{self, Read};

use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::Decompressor;

use super::source::{Section, Source};
use super::structure::{DESCRIPTOR, Listed, Method};
use crate::{ArchiveError, Defect, Digest, DigestWriter};

/// Entries up to this size, packed and unpacked, are handled whole.
const SMALL: u64 = 1 << 20;
const BUFFER: usize = 64 << 10;

/// Buffers to use again for the next entry.
#[derive(Default)]
pub(super) struct Scratch {
    packed: Vec<u8>,
    unpacked: Vec<u8>,
    decompressor: Decompressor,
}

/// A gzip header with nothing in it, and the length of the checksum and size at the end.
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
const GZIP_FOOT: usize = 8;

/// Unpacks an entry completely and returns its digest, or the defect it has.
pub(super) fn verify(
    source: &Source,
    entry: &Listed,
    scratch: &mut Scratch,
) -> Result<Digest, ArchiveError> {
    let at = |defect: Defect| defect.at(entry.name());
    if let Some(bytes) = small(source, entry, scratch)? {
        if entry.seeks_descriptor && Scan::default().finds(bytes) {
            return Err(at(Defect::ZipDescriptor));
        }
        return Ok(Digest::of(bytes));
    }
    let mut stream = Stream::new(source, entry);
    let mut out = DigestWriter::new(io::sink());
    let mut crc = crc32fast::Hasher::new();
    let mut scan = Scan::default();
    let mut buffer = vec![0; BUFFER];
    loop {
        let n = match stream.unpack(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(Fault::Defect(defect)) => return Err(at(defect)),
            Err(Fault::Io(error)) => return Err(ArchiveError::io("read", &source.path)(error)),
        };
        crc.update(&buffer[..n]);
        if entry.seeks_descriptor && scan.finds(&buffer[..n]) {
            return Err(at(Defect::ZipDescriptor));
        }
        io::Write::write_all(&mut out, &buffer[..n])
            .map_err(ArchiveError::io("read", &source.path))?;
    }
    if crc.finalize() != entry.crc {
        return Err(at(Defect::WrongCrc));
    }
    Ok(out.finish().1)
}

/// Unpacks a small entry whole. Nothing means that it is not small, or not as it should be;
/// then [`Stream`] finds out what is wrong.
pub(super) fn small<'a>(
    source: &Source,
    entry: &Listed,
    scratch: &'a mut Scratch,
) -> Result<Option<&'a [u8]>, ArchiveError> {
    if entry.size > SMALL || entry.packed > SMALL {
        return Ok(None);
    }
    let (size, packed) = (entry.size as usize, entry.packed as usize);
    scratch.unpacked.resize(size, 0);
    if entry.method == Method::Stored {
        source.read_at(entry.data_at, &mut scratch.unpacked)?;
        let good = crc32fast::hash(&scratch.unpacked) == entry.crc;
        return Ok(good.then_some(scratch.unpacked.as_slice()));
    }
    // libdeflate is the fastest inflater, but raw it does not say how much input it used, and
    // bytes behind the stream would go unseen. As gzip it looks for the checksum and length
    // right behind the stream. Where those eight bytes occur only at the very end, finding
    // them proves that the stream ends there, and checks the CRC on the way.
    scratch.packed.clear();
    scratch.packed.extend_from_slice(&GZIP_HEAD);
    scratch.packed.resize(GZIP_HEAD.len() + packed, 0);
    source.read_at(entry.data_at, &mut scratch.packed[GZIP_HEAD.len()..])?;
    let mut foot = [0; GZIP_FOOT];
    foot[..4].copy_from_slice(&entry.crc.to_le_bytes());
    foot[4..].copy_from_slice(&(size as u32).to_le_bytes());
    scratch.packed.extend_from_slice(&foot);
    let first = scratch.packed[GZIP_HEAD.len()..]
        .windows(GZIP_FOOT)
        .position(|window| window == foot);
    let good = first == Some(packed)
        && scratch
            .decompressor
            .gzip_decompress(&scratch.packed, &mut scratch.unpacked)
            == Ok(size);
    Ok(good.then_some(scratch.unpacked.as_slice()))
}

/// Why unpacking stopped.
enum Fault {
    Defect(Defect),
    Io(io::Error),
}

/// Unpacks an entry in pieces, never past its stated size.
pub(super) struct Stream<'a> {
    section: Section<'a>,
    /// Nothing for a stored entry.
    inflate: Option<Decompress>,
    input: Vec<u8>,
    from: usize,
    to: usize,
    left: u64,
    ended: bool,
}

impl<'a> Stream<'a> {
    pub(super) fn new(source: &'a Source, entry: &Listed) -> Self {
        let inflate = (entry.method == Method::Deflated).then(|| Decompress::new(false));
        Self {
            section: source.section(entry.data_at, entry.packed),
            input: vec![0; if inflate.is_some() { BUFFER } else { 0 }],
            inflate,
            from: 0,
            to: 0,
            left: entry.size,
            ended: false,
        }
    }

    /// Returns how many bytes it put in `out`; zero only at a proper end.
    fn unpack(&mut self, out: &mut [u8]) -> Result<usize, Fault> {
        let Some(inflate) = &mut self.inflate else {
            let n = self.section.read(out).map_err(Fault::Io)?;
            return match n {
                0 if self.section.left() > 0 => Err(Fault::Defect(Defect::ChangedWhileReading)),
                n => Ok(n),
            };
        };
        while !self.ended {
            if self.from == self.to && self.section.left() > 0 {
                self.from = 0;
                self.to = self.section.read(&mut self.input).map_err(Fault::Io)?;
                if self.to == 0 {
                    return Err(Fault::Defect(Defect::ChangedWhileReading));
                }
            }
            let input = &self.input[self.from..self.to];
            let (before_in, before_out) = (inflate.total_in(), inflate.total_out());
            let status = inflate
                .decompress(input, out, FlushDecompress::None)
                .map_err(|_| Fault::Defect(Defect::Corrupt))?;
            let used = (inflate.total_in() - before_in) as usize;
            let made = (inflate.total_out() - before_out) as usize;
            self.from += used;
            self.ended = status == Status::StreamEnd;
            self.left = self
                .left
                .checked_sub(made as u64)
                .ok_or(Fault::Defect(Defect::WrongLength))?;
            if made > 0 {
                return Ok(made);
            }
            if !self.ended && used == 0 {
                // No way forward: the input is used up, or the inflater will not have it.
                let used_up = self.from == self.to && self.section.left() == 0;
                return Err(Fault::Defect(match used_up {
                    true => Defect::Truncated,
                    false => Defect::Corrupt,
                }));
            }
        }
        if self.left > 0 || self.from < self.to || self.section.left() > 0 {
            return Err(Fault::Defect(Defect::WrongLength));
        }
        Ok(0)
    }
}

impl Read for Stream<'_> {
    /// Reads on. An entry that turns out corrupt was whole when it was opened; it ends early
    /// here, and [`Tree::visit`](crate::Tree::visit) sees that its digest has changed.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        match self.unpack(buffer) {
            Ok(n) => Ok(n),
            Err(Fault::Defect(_)) => Ok(0),
            Err(Fault::Io(error)) => Err(error),
        }
    }
}

/// Looks for the signature of a data descriptor, across the pieces it is given.
#[derive(Default)]
struct Scan(u32);

impl Scan {
    fn finds(&mut self, bytes: &[u8]) -> bool {
        let wanted = u32::from_be_bytes(DESCRIPTOR);
        bytes.iter().any(|byte| {
            self.0 = self.0 << 8 | u32::from(*byte);
            self.0 == wanted
        })
    }
}
