//! A tar writer that believes whatever it is told.

use std::io::Write;

/// Builds a tar block by block and believes whatever it is told.
#[derive(Clone, Default)]
pub(crate) struct Tar(pub(crate) Vec<u8>);

/// One header, ordinary until a test says otherwise.
#[derive(Clone)]
pub(crate) struct Head {
    name: Vec<u8>,
    kind: u8,
    mode: Vec<u8>,
    pub(crate) size: Vec<u8>,
    link: Vec<u8>,
    pub(crate) magic: [u8; 8],
    /// Bytes put over the finished header, before the checksum is made.
    patches: Vec<(usize, Vec<u8>)>,
    pub(crate) checksum_off_by: u32,
}

pub(crate) fn head(name: impl AsRef<[u8]>, kind: u8, size: u64) -> Head {
    Head {
        name: name.as_ref().to_vec(),
        kind,
        mode: b"0000644\0".to_vec(),
        size: format!("{size:011o}\0").into_bytes(),
        link: Vec::new(),
        magic: *b"ustar\x0000",
        patches: Vec::new(),
        checksum_off_by: 0,
    }
}

impl Head {
    pub(crate) fn link(mut self, target: impl AsRef<[u8]>) -> Self {
        self.link = target.as_ref().to_vec();
        self
    }

    pub(crate) fn mode(mut self, mode: &str) -> Self {
        self.mode = mode.as_bytes().to_vec();
        self
    }

    pub(crate) fn gnu(mut self) -> Self {
        self.magic = *b"ustar  \0";
        self
    }

    pub(crate) fn patch(mut self, at: usize, bytes: impl AsRef<[u8]>) -> Self {
        self.patches.push((at, bytes.as_ref().to_vec()));
        self
    }

    pub(crate) fn block(&self) -> [u8; 512] {
        let mut block = [0; 512];
        let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &self.name[..self.name.len().min(100)]);
        put(100, &self.mode);
        put(108, b"0000000\x000000000\0");
        put(124, &self.size);
        put(136, b"00000000000\0        ");
        put(156, &[self.kind]);
        put(157, &self.link[..self.link.len().min(100)]);
        put(257, &self.magic);
        for (at, bytes) in &self.patches {
            put(*at, bytes);
        }
        let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum::<u32>();
        let sum = sum + self.checksum_off_by;
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        block
    }
}

impl Tar {
    pub(crate) fn raw(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.0.extend_from_slice(bytes.as_ref());
        self
    }

    pub(crate) fn head(self, head: &Head) -> Self {
        self.raw(head.block())
    }

    pub(crate) fn body(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.0.extend_from_slice(bytes.as_ref());
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    pub(crate) fn file(self, name: impl AsRef<[u8]>, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        self.head(&head(name, b'0', bytes.len() as u64)).body(bytes)
    }

    pub(crate) fn folder(self, name: &str) -> Self {
        self.head(&head(name, b'5', 0).mode("0000755\0"))
    }

    pub(crate) fn link(self, name: &str, target: &str) -> Self {
        self.head(&head(name, b'2', 0).mode("0000777\0").link(target))
    }

    /// Adds an extension header of the given kind.
    pub(crate) fn extension(self, kind: u8, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        self.head(&head("././@Extension", kind, bytes.len() as u64))
            .body(bytes)
    }

    pub(crate) fn pax(self, records: &[(&str, &str)]) -> Self {
        let records: Vec<u8> = records
            .iter()
            .flat_map(|(key, value)| record(key, value.as_bytes()))
            .collect();
        self.extension(b'x', records)
    }

    pub(crate) fn long_name(self, kind: u8, name: &str) -> Self {
        self.extension(kind, format!("{name}\0"))
    }

    pub(crate) fn end(self) -> Vec<u8> {
        self.raw([0; 1024]).0
    }
}

pub(crate) fn tar() -> Tar {
    Tar::default()
}

pub(crate) fn record(key: &str, value: &[u8]) -> Vec<u8> {
    let rest = [b" ", key.as_bytes(), b"=", value, b"\n"].concat();
    let length = (1..=5)
        .map(|digits| rest.len() + digits)
        .find(|length| length.to_string().len() + rest.len() == *length)
        .unwrap();
    [length.to_string().as_bytes(), &rest].concat()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

pub(crate) fn zst(bytes: &[u8]) -> Vec<u8> {
    let mut zst = zstd::Encoder::new(Vec::new(), 3).unwrap();
    zst.include_checksum(true).unwrap();
    zst.write_all(bytes).unwrap();
    zst.finish().unwrap()
}
