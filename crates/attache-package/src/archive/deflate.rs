//! Deflate for streams too large to hold: independent chunks, compressed side by side.
//!
//! Chunks begin every mebibyte of the input whatever the machine, and each is compressed alone,
//! so the bytes do not depend on how many cores there were. `miniz_oxide` does the work because
//! it is plain Rust without processor-specific paths.

use std::io::{self, Write};

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, compress_to_output, create_comp_flags_from_zip_params,
};
use rayon::prelude::*;

const CHUNK: usize = 1 << 20;

/// How many chunks are held at once.
const AHEAD: usize = 8;

/// A block that holds nothing and says it is the last, so that no chunk needs to know it is.
const LAST_BLOCK: [u8; 2] = [0x03, 0x00];

/// Deflates what is written to it, without any header or checksum.
pub(super) struct Deflate<W: Write> {
    inner: W,
    level: u8,
    pending: Vec<u8>,
}

impl<W: Write> Deflate<W> {
    /// Writes to `inner`, at a level from 0 (stored) to 9.
    pub(super) fn new(inner: W, level: u8) -> Self {
        Self {
            inner,
            level,
            pending: Vec::new(),
        }
    }

    /// Writes the last block and returns what is behind.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.compress_pending()?;
        self.inner.write_all(&LAST_BLOCK)?;
        Ok(self.inner)
    }

    fn compress_pending(&mut self) -> io::Result<()> {
        let level = self.level;
        let packed: Vec<Vec<u8>> = self
            .pending
            .par_chunks(CHUNK)
            .map(|chunk| match level {
                0 => store(chunk),
                _ => deflate(chunk, level),
            })
            .collect();
        self.pending.clear();
        packed
            .iter()
            .try_for_each(|chunk| self.inner.write_all(chunk))
    }
}

impl<W: Write> Write for Deflate<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = CHUNK * AHEAD - self.pending.len();
        let count = bytes.len().min(room);
        self.pending.extend_from_slice(&bytes[..count]);
        if count == room {
            self.compress_pending()?;
        }
        Ok(count)
    }

    /// Does nothing: cutting a chunk short would change the bytes.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Deflates one chunk into blocks that end on a byte, so that the next can follow.
fn deflate(chunk: &[u8], level: u8) -> Vec<u8> {
    let raw_window = -15;
    let flags = create_comp_flags_from_zip_params(i32::from(level), raw_window, 0);
    let mut packed = Vec::with_capacity(chunk.len() / 2);
    compress_to_output(
        &mut CompressorOxide::new(flags),
        chunk,
        TDEFLFlush::Sync,
        |bytes| {
            packed.extend_from_slice(bytes);
            true
        },
    );
    packed
}

/// Puts one chunk into stored blocks.
fn store(chunk: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(chunk.len() + 128);
    for block in chunk.chunks(usize::from(u16::MAX)) {
        let length = block.len() as u16;
        packed.push(0);
        packed.extend_from_slice(&length.to_le_bytes());
        packed.extend_from_slice(&(!length).to_le_bytes());
        packed.extend_from_slice(block);
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn what_was_deflated_inflates_to_the_same() {
        let text: Vec<u8> = (0..CHUNK * AHEAD + 12_345)
            .map(|n: usize| (n / 7 % 251) as u8 ^ (n / 4096) as u8)
            .collect();
        for level in [0, 1, 6, 9] {
            for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, text.len()] {
                let mut deflate = Deflate::new(Vec::new(), level);
                deflate.write_all(&text[..length]).unwrap();
                let packed = deflate.finish().unwrap();
                let mut back = Vec::new();
                flate2::read::DeflateDecoder::new(packed.as_slice())
                    .read_to_end(&mut back)
                    .unwrap();
                assert!(back == text[..length], "level {level}, {length} bytes");
            }
        }
    }
}
