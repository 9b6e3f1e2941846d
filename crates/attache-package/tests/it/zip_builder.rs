//! Writes zips that are right in every field, except for those a test changes.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// A zip in parts. What is `None` is computed; what a test sets is written as it is.
#[derive(Clone)]
pub(crate) struct Zip {
    pub(crate) front: Vec<u8>,
    pub(crate) parts: Vec<Part>,
    pub(crate) before_directory: Vec<u8>,
    pub(crate) after_directory: Vec<u8>,
    pub(crate) end64: Option<End64>,
    pub(crate) end: End,
    pub(crate) behind: Vec<u8>,
}

/// One entry: its two headers, its packed bytes, and what comes behind them.
#[derive(Clone)]
pub(crate) struct Part {
    pub(crate) local: Header,
    pub(crate) central: Header,
    pub(crate) in_directory: bool,
    pub(crate) has_local: bool,
    pub(crate) packed: Vec<u8>,
    pub(crate) behind: Vec<u8>,
}

#[derive(Clone)]
pub(crate) struct Header {
    pub(crate) made_by: u16,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) crc: u32,
    pub(crate) packed: u32,
    pub(crate) size: u32,
    pub(crate) name: Vec<u8>,
    pub(crate) extra: Vec<u8>,
    pub(crate) comment: Vec<u8>,
    pub(crate) disk: u16,
    pub(crate) attributes: u32,
    pub(crate) offset: Option<u32>,
}

#[derive(Clone, Default)]
pub(crate) struct End {
    pub(crate) disk: u16,
    pub(crate) directory_disk: u16,
    pub(crate) count_here: Option<u16>,
    pub(crate) count: Option<u16>,
    pub(crate) directory_len: Option<u32>,
    pub(crate) directory_at: Option<u32>,
    pub(crate) comment_len: Option<u16>,
    pub(crate) comment: Vec<u8>,
}

#[derive(Clone, Default)]
pub(crate) struct End64 {
    pub(crate) record_len: Option<u64>,
    pub(crate) disk: u32,
    pub(crate) count_here: Option<u64>,
    pub(crate) count: Option<u64>,
    pub(crate) directory_at: Option<u64>,
    pub(crate) more: Vec<u8>,
    pub(crate) no_locator: bool,
    pub(crate) record_at: Option<u64>,
    pub(crate) disks: Option<u32>,
}

pub(crate) const DESCRIPTOR: u16 = 1 << 3;
pub(crate) const UTF8: u16 = 1 << 11;

pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An extra field.
pub(crate) fn extra(id: u16, data: &[u8]) -> Vec<u8> {
    let mut field = id.to_le_bytes().to_vec();
    field.extend((data.len() as u16).to_le_bytes());
    field.extend(data);
    field
}

/// A Unicode-path field that belongs to `name` and says `path`.
pub(crate) fn unicode_path(name: &[u8], path: &[u8]) -> Vec<u8> {
    let mut data = vec![1];
    data.extend(crc32fast::hash(name).to_le_bytes());
    data.extend(path);
    extra(0x7075, &data)
}

impl Part {
    fn new(name: &[u8], content: &[u8], method: u16, packed: Vec<u8>) -> Self {
        let folder = name.ends_with(b"/");
        let header = Header {
            made_by: 3 << 8 | 30,
            flags: if name.is_ascii() { 0 } else { UTF8 },
            method,
            crc: crc32fast::hash(content),
            packed: packed.len() as u32,
            size: content.len() as u32,
            name: name.to_vec(),
            extra: Vec::new(),
            comment: Vec::new(),
            disk: 0,
            attributes: if folder { 0o040_755 } else { 0o100_644 } << 16,
            offset: None,
        };
        Self {
            local: header.clone(),
            central: header,
            in_directory: true,
            has_local: true,
            packed,
            behind: Vec::new(),
        }
    }

    pub(crate) fn stored(name: impl AsRef<[u8]>, content: &[u8]) -> Self {
        Self::new(name.as_ref(), content, 0, content.to_vec())
    }

    pub(crate) fn deflated(name: impl AsRef<[u8]>, content: &[u8]) -> Self {
        Self::new(name.as_ref(), content, 8, deflate(content))
    }

    /// Changes both headers.
    pub(crate) fn both(&mut self, change: impl Fn(&mut Header)) {
        change(&mut self.local);
        change(&mut self.central);
    }

    /// Moves sizes and checksum from the local header to a descriptor behind the data.
    pub(crate) fn describe(&mut self, signature: bool) {
        self.both(|h| h.flags |= DESCRIPTOR);
        let header = &mut self.local;
        if signature {
            self.behind.extend(b"PK\x07\x08");
        }
        for number in [header.crc, header.packed, header.size] {
            self.behind.extend(number.to_le_bytes());
        }
        (header.crc, header.packed, header.size) = (0, 0, 0);
    }

    /// Leaves both sizes of one header to a zip64 field.
    pub(crate) fn widen(header: &mut Header) {
        let mut sizes = u64::from(header.size).to_le_bytes().to_vec();
        sizes.extend(u64::from(header.packed).to_le_bytes());
        header.extra.extend(extra(1, &sizes));
        (header.size, header.packed) = (u32::MAX, u32::MAX);
    }
}

impl Header {
    fn common(&self, out: &mut Vec<u8>) {
        for short in [20, self.flags, self.method, 0x6020, 0x5a21] {
            out.extend(u16::to_le_bytes(short));
        }
        for long in [self.crc, self.packed, self.size] {
            out.extend(long.to_le_bytes());
        }
        out.extend((self.name.len() as u16).to_le_bytes());
        out.extend((self.extra.len() as u16).to_le_bytes());
    }

    fn write_local(&self, out: &mut Vec<u8>) {
        out.extend(b"PK\x03\x04");
        self.common(out);
        out.extend(&self.name);
        out.extend(&self.extra);
    }

    pub(crate) fn write_central(&self, offset: u32, out: &mut Vec<u8>) {
        out.extend(b"PK\x01\x02");
        out.extend(self.made_by.to_le_bytes());
        self.common(out);
        for short in [self.comment.len() as u16, self.disk, 0] {
            out.extend(short.to_le_bytes());
        }
        out.extend(self.attributes.to_le_bytes());
        out.extend(self.offset.unwrap_or(offset).to_le_bytes());
        out.extend(&self.name);
        out.extend(&self.extra);
        out.extend(&self.comment);
    }
}

impl End {
    pub(crate) fn write(&self, count: usize, len: usize, at: usize, out: &mut Vec<u8>) {
        out.extend(b"PK\x05\x06");
        let count = self.count.unwrap_or(count as u16);
        let here = self.count_here.unwrap_or(count);
        for short in [self.disk, self.directory_disk, here, count] {
            out.extend(short.to_le_bytes());
        }
        out.extend(self.directory_len.unwrap_or(len as u32).to_le_bytes());
        out.extend(self.directory_at.unwrap_or(at as u32).to_le_bytes());
        let comment_len = self.comment_len.unwrap_or(self.comment.len() as u16);
        out.extend(comment_len.to_le_bytes());
        out.extend(&self.comment);
    }
}

impl End64 {
    fn write(&self, count: usize, len: usize, at: usize, out: &mut Vec<u8>) {
        let record_at = out.len() as u64;
        out.extend(b"PK\x06\x06");
        let record_len = self.record_len.unwrap_or(44 + self.more.len() as u64);
        out.extend(record_len.to_le_bytes());
        out.extend([45, 3, 45, 0]);
        out.extend(self.disk.to_le_bytes());
        out.extend(0_u32.to_le_bytes());
        let count = self.count.unwrap_or(count as u64);
        out.extend(self.count_here.unwrap_or(count).to_le_bytes());
        out.extend(count.to_le_bytes());
        out.extend((len as u64).to_le_bytes());
        out.extend(self.directory_at.unwrap_or(at as u64).to_le_bytes());
        out.extend(&self.more);
        if !self.no_locator {
            out.extend(b"PK\x06\x07");
            out.extend(0_u32.to_le_bytes());
            out.extend(self.record_at.unwrap_or(record_at).to_le_bytes());
            out.extend(self.disks.unwrap_or(1).to_le_bytes());
        }
    }
}

impl Zip {
    pub(crate) fn new(parts: Vec<Part>) -> Self {
        Self {
            front: Vec::new(),
            parts,
            before_directory: Vec::new(),
            after_directory: Vec::new(),
            end64: None,
            end: End::default(),
            behind: Vec::new(),
        }
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        let mut out = self.front.clone();
        let mut offsets = Vec::new();
        for part in &self.parts {
            offsets.push(out.len() as u32);
            if part.has_local {
                part.local.write_local(&mut out);
                out.extend(&part.packed);
                out.extend(&part.behind);
            }
        }
        out.extend(&self.before_directory);
        let at = out.len();
        let listed = || self.parts.iter().filter(|part| part.in_directory);
        for (part, offset) in self.parts.iter().zip(offsets) {
            if part.in_directory {
                part.central.write_central(offset, &mut out);
            }
        }
        let len = out.len() - at;
        out.extend(&self.after_directory);
        if let Some(end64) = &self.end64 {
            end64.write(listed().count(), len, at, &mut out);
        }
        self.end.write(listed().count(), len, at, &mut out);
        out.extend(&self.behind);
        out
    }
}
