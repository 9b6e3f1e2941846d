//! One tar header, its pax records, and whether the two agree.

use crate::Defect;

pub(super) const BLOCK: usize = 512;

/// The longest name that fits the header's own field.
pub(super) const NAME_FIELD: usize = 100;

/// The largest size that fits the header's octal field: 8 GiB less one byte.
pub(super) const LARGEST_OCTAL: u64 = 0o777_7777_7777;

/// Writers cut a long name somewhere in the last few bytes of the field: at a character, before
/// a slash, or one short for a NUL. A name shorter than this was not cut, it is another name.
const SHORTEST_CUT: usize = 96;

/// What one header block says, before any extension.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) name: Vec<u8>,
    pub(super) link: Vec<u8>,
    pub(super) mode: u64,
    pub(super) size: u64,
    pub(super) kind: u8,
}

impl Header {
    /// Parses a block that is not all zeros.
    pub(super) fn parse(block: &[u8; BLOCK]) -> Result<Self, Defect> {
        let gnu = match &block[257..265] {
            b"ustar\x0000" => false,
            b"ustar  \0" => true,
            _ => return Err(Defect::TarMagic),
        };
        let sum: u64 = (0..BLOCK)
            .map(|at| match at {
                148..156 => u64::from(b' '),
                _ => u64::from(block[at]),
            })
            .sum();
        if number(&block[148..156]) != Ok(Some(sum)) {
            return Err(Defect::TarChecksum);
        }
        let mut name = text(&block[..100])?.to_vec();
        if gnu {
            // Some readers take what follows for a name's front, GNU's own for times and holes.
            if block[345..].iter().any(|&byte| byte != 0) && block[156] != b'S' {
                return Err(Defect::TarMagic);
            }
        } else {
            let prefix = prefix(block)?;
            if !prefix.is_empty() {
                name = [prefix, b"/", &name].concat();
            }
        }
        // Owners, times and device numbers are not used, but a header that lies in one of
        // them is not to be believed in the others.
        for unused in [108..116, 116..124, 136..148, 329..337, 337..345] {
            number(&block[unused])?;
        }
        Ok(Self {
            name,
            link: text(&block[157..257])?.to_vec(),
            mode: number(&block[100..108])?.ok_or(Defect::TarNumber)?,
            size: number(&block[124..136])?.ok_or(Defect::TarNumber)?,
            kind: block[156],
        })
    }
}

/// Returns the front part of a ustar name.
///
/// Some writers shorten the field to 130 bytes and keep two times behind it.
fn prefix(block: &[u8; BLOCK]) -> Result<&[u8], Defect> {
    if block[500..].iter().any(|&byte| byte != 0) {
        return Err(Defect::TarMagic);
    }
    if block[475] != 0 {
        return text(&block[345..500]);
    }
    number(&block[476..488])?;
    number(&block[488..500])?;
    text(&block[345..475])
}

/// Returns a text field up to its first NUL, behind which nothing may hide.
fn text(field: &[u8]) -> Result<&[u8], Defect> {
    let length = field
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(field.len());
    match field[length..].iter().all(|&byte| byte == 0) {
        true => Ok(&field[..length]),
        false => Err(Defect::ControlCharacter),
    }
}

/// Returns a number field: octal text, or GNU's big-endian form; nothing if it is blank.
fn number(field: &[u8]) -> Result<Option<u64>, Defect> {
    if field[0] & 0x80 != 0 {
        let (high, low) = field.split_at(field.len().saturating_sub(8));
        let (marker, high) = match high.split_first() {
            Some((first, rest)) => (*first, rest),
            None => (low[0], high),
        };
        if marker != 0x80 || high.iter().any(|&byte| byte != 0) {
            return Err(Defect::TarNumber);
        }
        let value = low
            .iter()
            .fold(0, |value, &byte| value << 8 | u64::from(byte));
        // In an eight-byte field the marker is the top byte of the number itself.
        return Ok(Some(if field.len() > 8 {
            value
        } else {
            value & !(0x80 << 56)
        }));
    }
    let blank = field.iter().take_while(|&&byte| byte == b' ').count();
    let digits = &field[blank..];
    let length = digits
        .iter()
        .position(|byte| !(b'0'..=b'7').contains(byte))
        .unwrap_or(digits.len());
    let (digits, behind) = digits.split_at(length);
    if behind.iter().any(|byte| !b" \0".contains(byte)) {
        return Err(Defect::TarNumber);
    }
    Ok((!digits.is_empty()).then(|| {
        digits
            .iter()
            .fold(0, |value, digit| value << 3 | u64::from(digit - b'0'))
    }))
}

/// What a pax header says about the entry behind it. Times and owners are checked and dropped.
#[derive(Debug, Default)]
pub(super) struct Pax {
    pub(super) path: Option<Vec<u8>>,
    pub(super) link: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
}

impl Pax {
    /// Parses records of the form `LENGTH KEY=VALUE\n`.
    pub(super) fn parse(mut records: &[u8]) -> Result<Self, Defect> {
        if records.is_empty() {
            return Err(Defect::TarPaxEmpty);
        }
        let mut pax = Self::default();
        let mut seen = Vec::new();
        while !records.is_empty() {
            let (record, rest) = split_record(records).ok_or(Defect::TarPaxMalformed)?;
            records = rest;
            let (key, value) = record;
            if seen.contains(&key) {
                return Err(Defect::TarPaxDuplicate);
            }
            seen.push(key);
            pax.set(key, value)?;
        }
        Ok(pax)
    }

    fn set(&mut self, key: &[u8], value: &[u8]) -> Result<(), Defect> {
        match key {
            // Refused by their kind, whatever they hold.
            key if key.starts_with(b"GNU.sparse.") => return Err(Defect::TarSparse),
            b"path" | b"linkpath" | b"size" | b"mtime" | b"atime" | b"ctime" | b"uid" | b"gid"
            | b"uname" | b"gname" => {}
            // What libarchive and node-tar add beside the path: a time and three numbers.
            b"LIBARCHIVE.creationtime" | b"SCHILY.dev" | b"SCHILY.ino" | b"SCHILY.nlink" => {}
            key if [
                &b"SCHILY.xattr."[..],
                b"SCHILY.acl.",
                b"SCHILY.fflags",
                b"LIBARCHIVE.",
                b"RHT.security.",
            ]
            .iter()
            .any(|front| key.starts_with(front)) =>
            {
                return Err(Defect::ExtendedAttributes);
            }
            _ => return Err(Defect::TarPaxUnknown),
        }
        match key {
            // node-tar writes an owner without a name as an empty one.
            b"uname" | b"gname" => {}
            _ if value.is_empty() => return Err(Defect::TarPaxEmpty),
            b"path" | b"linkpath" if value.contains(&0) => return Err(Defect::TarPaxMalformed),
            b"path" => self.path = Some(value.to_vec()),
            b"linkpath" => self.link = Some(value.to_vec()),
            b"size" => self.size = Some(decimal(value).ok_or(Defect::TarNumber)?),
            b"uid" | b"gid" | b"SCHILY.dev" | b"SCHILY.ino" | b"SCHILY.nlink" => {
                decimal(value).ok_or(Defect::TarNumber)?;
            }
            _ => {
                let mut parts = value.splitn(2, |&byte| byte == b'.');
                let whole = parts.next().and_then(decimal);
                let fraction = parts.next().unwrap_or_default();
                if whole.is_none() || !fraction.iter().all(u8::is_ascii_digit) {
                    return Err(Defect::TarNumber);
                }
            }
        }
        Ok(())
    }
}

type Record<'a> = (&'a [u8], &'a [u8]);

/// Takes the first record apart into its key and value, and returns what is behind it.
fn split_record(records: &[u8]) -> Option<(Record<'_>, &[u8])> {
    let space = records.iter().position(|&byte| byte == b' ')?;
    let length = usize::try_from(decimal(&records[..space])?).ok()?;
    let (record, rest) = records.split_at_checked(length)?;
    let record = record.get(space + 1..)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|&byte| byte == b'=')?;
    let (key, value) = (&record[..equals], &record[equals + 1..]);
    (!key.is_empty() && !key.contains(&0)).then_some(((key, value), rest))
}

/// Reads a decimal number that has one spelling: digits only, no zeros in front.
fn decimal(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let canonical = text == "0" || !text.starts_with('0');
    (canonical && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Returns whether `short`, the header's own name, is what a writer leaves there when the whole
/// name is `long`.
///
/// A reader that knows no extensions sees `short`, so it must not be a name of its own. It is
/// the whole name; or the name without what is not ASCII (dropped by Go, `?` in Python); or its
/// front, cut where the field ends; or, from libarchive, its first folders and its last part.
pub(super) fn name_agrees(short: &[u8], long: &[u8]) -> bool {
    let (short, long) = (without_slash(short), without_slash(long));
    short == long || is_spelling(short, long) || elided(short, long)
}

/// Returns whether `short`, the header's own link target, stands for `long`.
pub(super) fn link_agrees(short: &[u8], long: &[u8]) -> bool {
    let (short, long) = (without_slash(short), without_slash(long));
    short == long
        || is_spelling(short, long)
        || long.len() > NAME_FIELD && short == b"././@LongSymLink"
}

fn without_slash(name: &[u8]) -> &[u8] {
    name.strip_suffix(b"/").unwrap_or(name)
}

/// Returns whether `short` is `long` as writers spell it where only ASCII belongs, whole or cut.
fn is_spelling(short: &[u8], long: &[u8]) -> bool {
    let text = String::from_utf8_lossy(long);
    let marked = |c: char| if c.is_ascii() { c as u8 } else { b'?' };
    let spellings = [
        long.to_vec(),
        text.chars().map(marked).collect(),
        text.bytes().filter(u8::is_ascii).collect(),
    ];
    spellings.iter().any(|form| {
        let cut = form.len() >= NAME_FIELD && short.len() >= SHORTEST_CUT;
        form == short || cut && form.starts_with(short)
    })
}

/// Returns whether `short` is `long` without some folders in the middle.
fn elided(short: &[u8], long: &[u8]) -> bool {
    let last = |name: &[u8]| {
        name.iter()
            .rposition(|&byte| byte == b'/')
            .map_or(0, |at| at + 1)
    };
    if long.len() <= NAME_FIELD || short.len() < SHORTEST_CUT {
        return false;
    }
    let (folders, name) = short.split_at(last(short));
    let whole = &long[last(long)..];
    long.starts_with(folders)
        && (name == whole || name.len() >= SHORTEST_CUT && whole.starts_with(name))
}

/// Returns whether the header may state `short` when the pax size is `long`: the same, or what
/// writers leave there when the number does not fit.
pub(super) fn size_agrees(short: u64, long: u64) -> bool {
    short == long || long > LARGEST_OCTAL && (short == 0 || short == LARGEST_OCTAL)
}
