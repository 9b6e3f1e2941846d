//! Extra fields: the few ordinary ones by name and size, all others refused.
//!
//! An extra field can rename an entry, resize it, or make a link of it, each only for those
//! readers that know the field. So the ones that ordinary tools write and that mean nothing
//! to a package (times and owners) are accepted, two are checked, and the rest is refused.

use crate::Defect;

/// Which of the two headers a field is in; some have another size in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Local,
    Central,
}

/// What matters of the extra fields of one header.
#[derive(Debug, Default)]
pub(super) struct Extra<'a> {
    zip64: Option<&'a [u8]>,
    unicode_path: Option<&'a [u8]>,
}

const ZIP64: u16 = 0x0001;
const UNICODE_PATH: u16 = 0x7075;

/// Extended attributes and access lists: OS/2, NT, old and new Macintosh, BeOS, AtheOS.
const ATTRIBUTES: [u16; 8] = [
    0x0009, 0x4453, 0x07c8, 0x2605, 0x2705, 0x334d, 0x6542, 0x7441,
];
/// Strong encryption and WinZip's AES.
const ENCRYPTION: [u16; 2] = [0x0017, 0x9901];

impl<'a> Extra<'a> {
    pub(super) fn parse(mut bytes: &'a [u8], side: Side) -> Result<Self, Defect> {
        let mut seen = Vec::new();
        let mut extra = Self::default();
        while !bytes.is_empty() {
            let (head, rest) = bytes.split_first_chunk::<4>().ok_or(Defect::ZipExtraSize)?;
            let id = u16::from_le_bytes([head[0], head[1]]);
            let len = usize::from(u16::from_le_bytes([head[2], head[3]]));
            let (data, rest) = rest.split_at_checked(len).ok_or(Defect::ZipExtraSize)?;
            if seen.contains(&id) {
                return Err(Defect::ZipExtraDuplicate);
            }
            seen.push(id);
            match id {
                ZIP64 => extra.zip64 = Some(data),
                UNICODE_PATH => extra.unicode_path = Some(data),
                _ => check(id, data, side)?,
            }
            bytes = rest;
        }
        Ok(extra)
    }

    /// Puts the zip64 values in place of the fields that were left to it, in the order the
    /// format has them. It must hold exactly those: a reader that takes more or fewer would
    /// see another size.
    pub(super) fn resolve(&self, fields: &mut [(&mut u64, u64)]) -> Result<(), Defect> {
        let left_to_it = fields.iter().filter(|(value, mark)| **value == *mark);
        let expected: usize = left_to_it.map(|(_, mark)| width(*mark)).sum();
        let Some(mut data) = self.zip64 else {
            return match expected {
                0 => Ok(()),
                _ => Err(Defect::Zip64Disagrees),
            };
        };
        if data.len() > expected {
            return Err(Defect::Zip64NotSentinel);
        }
        if data.len() < expected || expected == 0 {
            return Err(Defect::ZipExtraSize);
        }
        for (value, mark) in fields.iter_mut().filter(|(value, mark)| **value == *mark) {
            let (number, rest) = data
                .split_at_checked(width(*mark))
                .ok_or(Defect::ZipExtraSize)?;
            let mut wide = [0; 8];
            wide[..number.len()].copy_from_slice(number);
            **value = u64::from_le_bytes(wide);
            data = rest;
        }
        Ok(())
    }

    /// Returns whether the zip64 field holds only zeros, which some streaming writers put beside
    /// sizes of zero, just to announce a wide data descriptor.
    pub(super) fn is_announcement(&self) -> bool {
        self.zip64.is_some_and(|data| data == [0; 16])
    }

    /// Returns whether there is a zip64 field, which makes a data descriptor a wide one.
    pub(super) fn is_zip64(&self) -> bool {
        self.zip64.is_some()
    }

    /// Checks that a Unicode-path field, if there is one, says what the name says.
    pub(super) fn check_name(&self, name: &[u8]) -> Result<(), Defect> {
        let Some(data) = self.unicode_path else {
            return Ok(());
        };
        let (head, path) = data.split_first_chunk::<5>().ok_or(Defect::ZipExtraSize)?;
        let crc = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
        if head[0] != 1 || crc != crc32fast::hash(name) || path != name {
            return Err(Defect::ZipUnicodePath);
        }
        Ok(())
    }
}

/// Only the disk number is narrower than eight bytes.
fn width(mark: u64) -> usize {
    if mark == u64::from(u16::MAX) { 4 } else { 8 }
}

fn check(id: u16, data: &[u8], side: Side) -> Result<(), Defect> {
    let central = side == Side::Central;
    let len = data.len();
    let fits = match id {
        // Times; the central header keeps only the first of those the flags announce.
        0x5455 => data.first().is_some_and(|flags| {
            let times = (flags & 7).count_ones() as usize;
            len == 1 + 4 * times || (central && len == 1 + 4 * usize::from(flags & 1))
        }),
        // Owner and group, each with its own length.
        0x7875 => (central && len == 0) || owners_fit(data),
        // Older forms of the two above.
        0x5855 => len == 8 || (len == 12 && !central),
        0x7855 => len == if central { 0 } else { 4 },
        // NTFS times.
        0x000a => len == 32 && data[4..8] == [1, 0, 24, 0],
        // The mark on the first entry of a jar.
        0xcafe => len == 0,
        _ if ATTRIBUTES.contains(&id) => return Err(Defect::ExtendedAttributes),
        _ if ENCRYPTION.contains(&id) => return Err(Defect::ZipEncrypted),
        _ => return Err(Defect::ZipExtraUnknown),
    };
    if fits {
        Ok(())
    } else {
        Err(Defect::ZipExtraSize)
    }
}

fn owners_fit(data: &[u8]) -> bool {
    let after = |at: usize| data.get(at).map(|len| at + 1 + usize::from(*len));
    data.first() == Some(&1) && after(1).and_then(after) == Some(data.len())
}
