//! `icon.png`: decoded to the last row before it is believed, and drawn for new agents.

use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, DecodingError, Encoder, Limits};

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
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: MEMORY });
    // Neither is shown, and both can hide a decompression bomb.
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
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
    reader.finish().map_err(broken)
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
