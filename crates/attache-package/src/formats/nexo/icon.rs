//! `icon.png`: decoded to the last row before it is believed, and drawn for new agents.

use std::io::{Cursor, Read};

use png::{BitDepth, ColorType, DecodeOptions, Decoder, DecodingError, Encoder, Limits};

/// Where the icon is.
pub(super) const PATH: &str = "icon.png";

const SIDE: u32 = 512;

/// More than the largest pixel format needs at this size, and little enough to hold.
const MEMORY: usize = 16 << 20;

/// The largest file: four times an icon of 16-bit RGBA that does not compress at all.
pub(super) const LARGEST: u64 = 8 << 20;

/// Checks that `bytes` are one still image of 512 by 512 pixels; the error says what is wrong.
pub(super) fn check(bytes: &[u8]) -> Result<(), String> {
    if !bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Err("it is not a PNG image".to_owned());
    }
    let mut options = DecodeOptions::default();
    options.set_skip_ancillary_crc_failures(false);
    // Neither is shown, and both can hide a decompression bomb.
    options.set_ignore_text_chunk(true);
    options.set_ignore_iccp_chunk(true);
    let mut decoder = Decoder::new_with_options(Cursor::new(bytes), options);
    decoder.set_limits(Limits { bytes: MEMORY });
    let (width, height) = decoder.read_header_info().map_err(broken)?.size();
    if (width, height) != (SIDE, SIDE) {
        return Err(format!(
            "it is {width} by {height} pixels; an icon is {SIDE} by {SIDE}"
        ));
    }
    let mut reader = decoder.read_info().map_err(broken)?;
    if reader.info().animation_control.is_some() {
        return Err("it is animated; an icon is one still image".to_owned());
    }
    let mut pixels = vec![0; reader.output_buffer_size().unwrap_or_default()];
    reader.next_frame(&mut pixels).map_err(broken)?;
    let size = unpacked_size(reader.info().bits_per_pixel(), reader.info().interlaced);
    reader.finish().map_err(broken)?;
    check_surplus(bytes, size)
}

/// Returns how many bytes the rows of an icon take before they are packed, with a byte in front
/// of each row for its filter.
fn unpacked_size(bits_per_pixel: usize, interlaced: bool) -> u64 {
    /// Where each pass of an interlaced image begins, and its steps.
    const PASSES: [[u32; 4]; 7] = [
        [0, 0, 8, 8],
        [4, 0, 8, 8],
        [0, 4, 4, 8],
        [2, 0, 4, 4],
        [0, 2, 2, 4],
        [1, 0, 2, 2],
        [0, 1, 1, 2],
    ];
    let passes: &[[u32; 4]] = match interlaced {
        true => &PASSES,
        false => &[[0, 0, 1, 1]],
    };
    let size = |&[left, top, right, down]: &[u32; 4]| {
        let width = u64::from((SIDE - left).div_ceil(right));
        let rows = u64::from((SIDE - top).div_ceil(down));
        rows * (1 + (width * bits_per_pixel as u64).div_ceil(8))
    };
    passes.iter().map(size).sum()
}

/// Checks that nothing hides in a decoded image: no bytes behind its end, no image data behind
/// the last row, whose rows unpack to `size` bytes.
fn check_surplus(bytes: &[u8], size: u64) -> Result<(), String> {
    const SIGNATURE: usize = 8;
    let mut packed = Vec::new();
    let mut rest = bytes.get(SIGNATURE..).unwrap_or_default();
    // The decoder has seen every chunk up to the end, so they are all whole.
    loop {
        let Some((length, behind)) = rest.split_first_chunk() else {
            return Err("it is cut short".to_owned());
        };
        let length = u32::from_be_bytes(*length) as usize;
        let (Some(kind), Some(body)) = (behind.get(..4), behind.get(4..4 + length)) else {
            return Err("it is cut short".to_owned());
        };
        rest = behind.get(4 + length + 4..).unwrap_or_default();
        match kind {
            b"IDAT" => packed.extend_from_slice(body),
            b"IEND" => break,
            _ => {}
        }
    }
    if !rest.is_empty() {
        return Err("it is damaged: there are bytes behind its end".to_owned());
    }
    // One byte more than there should be is enough to tell.
    let mut unpack = flate2::bufread::ZlibDecoder::new(packed.as_slice());
    let count = std::io::copy(&mut (&mut unpack).take(size + 1), &mut std::io::sink())
        .map_err(|error| format!("it is damaged: {error}"))?;
    if count != size || unpack.total_in() != packed.len() as u64 {
        return Err("it is damaged: there is image data behind its last row".to_owned());
    }
    Ok(())
}

fn broken(error: DecodingError) -> String {
    match error {
        DecodingError::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            "it is cut short".to_owned()
        }
        DecodingError::LimitsExceeded => "it needs more memory than an icon should".to_owned(),
        error => format!("it is damaged: {error}"),
    }
}

const CLEAR: u8 = 0;
const LEATHER: u8 = 1;
const SHADE: u8 = 2;
const BRASS: u8 = 3;
/// The background is a gradient over the rest of the sixteen colours.
const SKY: u8 = 4;
const SKIES: u8 = 12;

/// Draws the icon that a new agent starts with: an attaché case. Always the same bytes.
pub(super) fn draw() -> Vec<u8> {
    let mut palette = vec![0, 0, 0, 246, 239, 224, 214, 198, 168, 217, 160, 54];
    for step in 0..u16::from(SKIES) {
        let mix = |from: u16, to: u16| {
            let mixed = (from * (u16::from(SKIES) - 1 - step) + to * step) / (u16::from(SKIES) - 1);
            u8::try_from(mixed).unwrap_or(u8::MAX)
        };
        palette.extend([mix(64, 24), mix(124, 52), mix(190, 110)]);
    }
    let rows = (0..SIDE).flat_map(|y| {
        (0..SIDE / 2).map(move |half| color_at(half * 2, y) << 4 | color_at(half * 2 + 1, y))
    });
    let pixels: Vec<u8> = rows.collect();

    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, SIDE, SIDE);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Four);
    encoder.set_palette(palette);
    encoder.set_trns(&[0][..]);
    encoder.set_compression(png::Compression::High);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&pixels)?;
        writer.finish()
    });
    match written {
        Ok(()) => out,
        Err(error) => unreachable!("memory takes every byte of a fixed image: {error}"),
    }
}

fn color_at(x: u32, y: u32) -> u8 {
    let inside =
        |left, top, right, bottom, radius| rounded(x, y, [left, top, right, bottom], radius);
    if inside(228, 268, 284, 316, 10) {
        BRASS
    } else if inside(104, 196, 408, 392, 32) {
        if (282..294).contains(&y) {
            SHADE
        } else {
            LEATHER
        }
    } else if inside(188, 132, 324, 240, 36) && !inside(212, 156, 300, 240, 18) {
        SHADE
    } else if inside(0, 0, SIDE, SIDE, 112) {
        SKY + u8::try_from(y * u32::from(SKIES) / SIDE).unwrap_or_default()
    } else {
        CLEAR
    }
}

/// Returns whether a point lies in a rectangle with round corners.
fn rounded(x: u32, y: u32, [left, top, right, bottom]: [u32; 4], radius: u32) -> bool {
    if x < left || x >= right || y < top || y >= bottom {
        return false;
    }
    let off = |at: u32, from: u32, to: u32| {
        (from + radius).saturating_sub(at) + (at + 1 + radius).saturating_sub(to)
    };
    let (dx, dy) = (off(x, left, right), off(y, top, bottom));
    dx * dx + dy * dy <= radius * radius
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
        let mut bytes = u32::try_from(body.len()).unwrap().to_be_bytes().to_vec();
        bytes.extend_from_slice(kind);
        bytes.extend_from_slice(body);
        let sum = crc32fast::hash(&bytes[4..]);
        bytes.extend_from_slice(&sum.to_be_bytes());
        bytes
    }

    /// A black icon in one bit of grey, with this image data, packed or not.
    fn icon(interlaced: bool, rows: usize, behind: &[u8]) -> Vec<u8> {
        let mut header = [0, 0, 2, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0];
        header[12] = u8::from(interlaced);
        let mut encoder =
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, &vec![0; rows]).unwrap();
        let mut packed = encoder.finish().unwrap();
        packed.extend_from_slice(behind);
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        bytes.extend(chunk(b"IHDR", &header));
        // In two chunks, as large images are.
        bytes.extend(chunk(b"IDAT", &packed[..5]));
        bytes.extend(chunk(b"IDAT", &packed[5..]));
        bytes.extend(chunk(b"IEND", &[]));
        bytes
    }

    #[test]
    fn nothing_hides_behind_an_icon_or_its_last_row() {
        for interlaced in [false, true] {
            let size = usize::try_from(unpacked_size(1, interlaced)).unwrap();
            let good = icon(interlaced, size, &[]);
            assert_eq!(check(&good), Ok(()));
            let behind = [good, b"x".to_vec()].concat();
            for (bad, why) in [
                (behind, "behind its end"),
                (icon(interlaced, size + 1, &[]), "behind its last row"),
                (icon(interlaced, size + 600, &[]), "behind its last row"),
                (icon(interlaced, size, b"hidden"), "behind its last row"),
            ] {
                let said = check(&bad).unwrap_err();
                assert!(said.contains(why), "{interlaced}: {said}");
            }
        }
        assert_eq!(unpacked_size(1, false), 512 * 65);
    }
}
