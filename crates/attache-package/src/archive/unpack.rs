//! One gzip member or one zstd frame, unpacked as a stream.
//!
//! The headers are read by hand, because the libraries accept more than one meaning: members
//! and frames one after the other, bytes behind them, any window. The libraries only inflate.

use std::fs::File;
use std::io;
use std::path::Path;

use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use crate::{ArchiveError, Container, Defect, Limits};

const BUFFER: usize = 64 << 10;

/// The largest zstd window, as a power of two: 8 MiB.
const WINDOW_LOG: u32 = 23;

/// The longest header a zstd frame can have, its magic included.
const ZSTD_HEADER: usize = 18;

/// The unpacked bytes of one file, in bounded memory.
///
/// It ends only after the checksum and length behind the packed bytes were compared, and after
/// the file was seen to end there too.
pub(super) struct Unpack<'a> {
    input: Input<'a>,
    codec: Codec,
    buffer: Box<[u8]>,
    at: usize,
    end: usize,
    total: u64,
    ratio: u64,
    done: bool,
}

enum Codec {
    Gzip {
        inflate: Decompress,
        crc: crc32fast::Hasher,
    },
    Zstd {
        decoder: Decoder<'static>,
        stated: Option<u64>,
    },
}

impl<'a> Unpack<'a> {
    /// Checks the header of the gzip member or zstd frame that `file` begins with.
    pub(super) fn new(
        file: &'a File,
        path: &'a Path,
        container: Container,
        limits: &Limits,
    ) -> Result<Self, ArchiveError> {
        let mut input = Input::new(file, path);
        let codec = if container == Container::TarGz {
            gzip_header(&mut input)?;
            Codec::Gzip {
                inflate: Decompress::new(false),
                crc: crc32fast::Hasher::new(),
            }
        } else {
            let stated = zstd_header(input.have(ZSTD_HEADER)?).map_err(Defect::whole)?;
            let mut decoder = Decoder::new().map_err(ArchiveError::io("unpack", path))?;
            decoder
                .set_parameter(DParameter::WindowLogMax(WINDOW_LOG))
                .map_err(ArchiveError::io("unpack", path))?;
            Codec::Zstd { decoder, stated }
        };
        Ok(Self {
            input,
            codec,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            at: 0,
            end: 0,
            total: 0,
            ratio: limits.ratio,
            done: false,
        })
    }

    /// Returns the next unpacked bytes; none at the end, which has then been checked.
    pub(super) fn have(&mut self) -> Result<&[u8], ArchiveError> {
        while self.at == self.end && !self.done {
            let made = self.step()?;
            (self.at, self.end) = (0, made);
            self.total += made as u64;
            let packed = self.input.consumed();
            if self.total > Limits::RATIO_FREE && self.total / self.ratio > packed {
                return Err(Defect::Ratio.whole());
            }
            if self.done {
                self.check_end()?;
            }
        }
        Ok(&self.buffer[self.at..self.end])
    }

    /// Marks the first `count` bytes as used.
    pub(super) fn take(&mut self, count: usize) {
        self.at += count;
    }

    /// Unpacks once into the buffer, and notes when the packed stream says it is over.
    fn step(&mut self) -> Result<usize, ArchiveError> {
        let packed = self.input.have(1)?;
        let empty = packed.is_empty();
        let (took, made) = match &mut self.codec {
            Codec::Gzip { inflate, crc } => {
                let before = (inflate.total_in(), inflate.total_out());
                let status = inflate
                    .decompress(packed, &mut self.buffer, FlushDecompress::None)
                    .map_err(|_| Defect::Corrupt.whole())?;
                self.done = status == Status::StreamEnd;
                let took = (inflate.total_in() - before.0) as usize;
                let made = (inflate.total_out() - before.1) as usize;
                crc.update(&self.buffer[..made]);
                (took, made)
            }
            Codec::Zstd { decoder, .. } => {
                let mut source = InBuffer::around(packed);
                let mut target = OutBuffer::around(&mut self.buffer[..]);
                let left = decoder
                    .run(&mut source, &mut target)
                    .map_err(|error| zstd_defect(&error).whole())?;
                let (took, made) = (source.pos(), target.pos());
                self.done = left == 0;
                (took, made)
            }
        };
        self.input.take(took);
        match (took, made) {
            (0, 0) if !self.done && empty => Err(Defect::Truncated.whole()),
            (0, 0) if !self.done => Err(Defect::Corrupt.whole()),
            _ => Ok(made),
        }
    }

    /// Compares what came out with what the stream promised, and sees that the file ends.
    fn check_end(&mut self) -> Result<(), ArchiveError> {
        match &mut self.codec {
            Codec::Gzip { crc, .. } => {
                let trailer = self.input.have(8)?;
                let Some((stated_crc, rest)) = trailer.split_first_chunk::<4>() else {
                    return Err(Defect::Truncated.whole());
                };
                let Some(stated_length) = rest.first_chunk::<4>() else {
                    return Err(Defect::Truncated.whole());
                };
                if u32::from_le_bytes(*stated_crc) != crc.clone().finalize() {
                    return Err(Defect::WrongCrc.whole());
                }
                // The format keeps the length modulo 2³².
                if u32::from_le_bytes(*stated_length) != self.total as u32 {
                    return Err(Defect::WrongLength.whole());
                }
                self.input.take(8);
                match self.input.have(2)? {
                    [] => Ok(()),
                    [0x1f, 0x8b, ..] => Err(Defect::GzipMembers.whole()),
                    _ => Err(Defect::GzipTrailing.whole()),
                }
            }
            Codec::Zstd { stated, .. } => {
                if stated.is_some_and(|stated| stated != self.total) {
                    return Err(Defect::WrongLength.whole());
                }
                match self.input.have(4)? {
                    [] => Ok(()),
                    [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Err(Defect::ZstdSkippable.whole()),
                    _ => Err(Defect::ZstdFrames.whole()),
                }
            }
        }
    }
}

/// Reads the header of a gzip member: no reserved flag, and a right checksum if it has one.
///
/// A file name, a comment and extra fields mean nothing here and are stepped over.
fn gzip_header(input: &mut Input) -> Result<(), ArchiveError> {
    const HEADER_CRC: u8 = 1 << 1;
    const EXTRA: u8 = 1 << 2;
    const NAME: u8 = 1 << 3;
    const COMMENT: u8 = 1 << 4;
    const RESERVED: u8 = 0b1110_0000;

    let mut crc = crc32fast::Hasher::new();
    let mut byte = |input: &mut Input| {
        let byte = input.byte()?;
        crc.update(&[byte]);
        Ok::<u8, ArchiveError>(byte)
    };
    let mut fixed = [0; 10];
    for slot in &mut fixed {
        *slot = byte(input)?;
    }
    let flags = fixed[3];
    if fixed[..3] != [0x1f, 0x8b, 8] || flags & RESERVED != 0 {
        return Err(Defect::Corrupt.whole());
    }
    if flags & EXTRA != 0 {
        let length = u16::from_le_bytes([byte(input)?, byte(input)?]);
        for _ in 0..length {
            byte(input)?;
        }
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            while byte(input)? != 0 {}
        }
    }
    if flags & HEADER_CRC != 0 {
        let stated = u16::from_le_bytes([input.byte()?, input.byte()?]);
        if stated != crc.finalize() as u16 {
            return Err(Defect::WrongCrc.whole());
        }
    }
    Ok(())
}

/// Reads the header of a zstd frame and returns the length it states, if it states one.
fn zstd_header(header: &[u8]) -> Result<Option<u64>, Defect> {
    match header {
        [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => return Err(Defect::ZstdSkippable),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {}
        _ => return Err(Defect::Corrupt),
    }
    let mut rest = &header[4..];
    let mut number = |bytes: usize| {
        let (number, behind) = rest.split_at_checked(bytes).ok_or(Defect::Truncated)?;
        rest = behind;
        let mut value = [0; 8];
        value[..bytes].copy_from_slice(number);
        Ok(u64::from_le_bytes(value))
    };
    let descriptor = number(1)?;
    if descriptor & 0b1000 != 0 {
        return Err(Defect::Corrupt);
    }
    let single_segment = descriptor & 0b10_0000 != 0;
    let mut window = 0;
    if !single_segment {
        let byte = number(1)?;
        let base = 1_u64 << (10 + (byte >> 3));
        window = base + base / 8 * (byte & 0b111);
    }
    if number([0, 1, 2, 4][(descriptor & 0b11) as usize])? != 0 {
        return Err(Defect::ZstdDictionary);
    }
    let stated = match descriptor >> 6 {
        0 if single_segment => Some(number(1)?),
        0 => None,
        1 => Some(number(2)? + 256),
        2 => Some(number(4)?),
        _ => Some(number(8)?),
    };
    if single_segment {
        window = stated.unwrap_or_default();
    }
    if window > 1 << WINDOW_LOG {
        return Err(Defect::ZstdWindow);
    }
    Ok(stated)
}

/// Tells a wrong checksum from other damage. The library only gives its sentence for it.
fn zstd_defect(error: &io::Error) -> Defect {
    if error.to_string() == "Restored data doesn't match checksum" {
        Defect::WrongCrc
    } else {
        Defect::Corrupt
    }
}

/// The packed bytes, counted as they are used.
///
/// Reads at its own offset, so that two passes over one open file do not disturb each other.
struct Input<'a> {
    file: &'a File,
    path: &'a Path,
    offset: u64,
    buffer: Box<[u8]>,
    at: usize,
    end: usize,
}

impl<'a> Input<'a> {
    fn new(file: &'a File, path: &'a Path) -> Self {
        Self {
            file,
            path,
            offset: 0,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            at: 0,
            end: 0,
        }
    }

    /// Returns the next bytes: at least `wanted` of them, or all that are left.
    fn have(&mut self, wanted: usize) -> Result<&[u8], ArchiveError> {
        if self.end - self.at < wanted {
            self.buffer.copy_within(self.at..self.end, 0);
            (self.at, self.end) = (0, self.end - self.at);
            while self.end < wanted {
                match read_at(self.file, &mut self.buffer[self.end..], self.offset) {
                    Ok(0) => break,
                    Ok(count) => {
                        self.end += count;
                        self.offset += count as u64;
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(ArchiveError::io("read", self.path)(error)),
                }
            }
        }
        Ok(&self.buffer[self.at..self.end])
    }

    fn take(&mut self, count: usize) {
        self.at += count;
    }

    fn byte(&mut self) -> Result<u8, ArchiveError> {
        let first = self.have(1)?.first().copied();
        self.take(1);
        first.ok_or_else(|| Defect::Truncated.whole())
    }

    fn consumed(&self) -> u64 {
        self.offset - (self.end - self.at) as u64
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}
