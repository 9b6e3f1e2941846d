//! Every way a zip can be refused, each by a zip that has that one fault.

use std::collections::BTreeSet;

use attache_package::{Defect, Limits};

use crate::support::{check_refused, open_bytes};
use crate::zip_builder::{DESCRIPTOR, End, End64, Part, UTF8, Zip, extra, unicode_path};

/// A zip with nothing wrong: a deflated file, a folder, and a stored file in it.
pub(crate) fn good() -> Zip {
    Zip::new(vec![
        Part::deflated("a.txt", b"hello hello hello hello"),
        Part::stored("dir/", b""),
        Part::stored("dir/b.txt", b"stored as it is"),
    ])
}

type Case = (Defect, &'static str, fn(&mut Zip));

/// Adds a file with this name.
fn named(zip: &mut Zip, name: &[u8]) {
    zip.parts.push(Part::stored(name, b"x"));
}

/// Gives the first file this Unix mode.
fn mode(zip: &mut Zip, mode: u32) {
    zip.parts[0].central.attributes = mode << 16;
}

pub(crate) fn both_extra(zip: &mut Zip, field: &[u8]) {
    zip.parts[0].both(|h| h.extra.extend(field));
}

const NAMES: &[Case] = &[
    (Defect::ParentComponent, "up and out", |z| {
        named(z, b"../evil");
    }),
    (Defect::ParentComponent, "up in the middle", |z| {
        named(z, b"a/../../evil");
    }),
    (Defect::AbsolutePath, "absolute", |z| {
        named(z, b"/etc/passwd");
    }),
    (Defect::AbsolutePath, "the root folder", |z| named(z, b"/")),
    (Defect::DriveLetter, "drive", |z| named(z, b"c:evil")),
    (Defect::UncPath, "share", |z| {
        named(z, b"\\\\server\\share\\x");
    }),
    (Defect::UncPath, "verbatim", |z| named(z, b"\\\\?\\C:\\x")),
    (Defect::Backslash, "backslash", |z| named(z, b"..\\evil")),
    (Defect::ControlCharacter, "NUL", |z| {
        named(z, b"a.txt\0.png");
    }),
    (Defect::ControlCharacter, "newline", |z| named(z, b"a\nb")),
    (Defect::EmptyComponent, "no name", |z| named(z, b"")),
    (Defect::EmptyComponent, "two slashes", |z| named(z, b"x//b")),
    (Defect::EmptyComponent, "two slashes at the end", |z| {
        named(z, b"x//");
    }),
    (Defect::DotComponent, "dot", |z| named(z, b"./x")),
    (Defect::TrailingDotOrSpace, "dot at the end", |z| {
        named(z, b"x.");
    }),
    (Defect::TrailingDotOrSpace, "space at the end", |z| {
        named(z, b"x /y");
    }),
    (Defect::Colon, "stream", |z| named(z, b"dir/x:y")),
    (Defect::WindowsCharacter, "question mark", |z| {
        named(z, b"dir/what?");
    }),
    (Defect::GitFolder, "short name of .git", |z| {
        named(z, b"GIT~1/config");
    }),
    (Defect::DeviceName, "device", |z| named(z, b"nul.txt")),
    (Defect::InvalidUtf8, "not UTF-8", |z| {
        named(z, b"\xff\xfe");
    }),
    (Defect::AmbiguousEncoding, "which code page", |z| {
        named(z, "ü".as_bytes());
        z.parts[3].both(|h| h.flags &= !UTF8);
    }),
    (Defect::NotNfc, "decomposed", |z| {
        named(z, "u\u{308}".as_bytes());
    }),
    (Defect::InvisibleCharacter, "right to left", |z| {
        named(z, "a\u{202e}txt.exe".as_bytes());
    }),
    (Defect::LongComponent, "long part", |z| {
        named(z, &[b'x'; 256]);
    }),
    (Defect::LongPath, "long path", |z| {
        named(z, "x/".repeat(600).as_bytes());
    }),
    (Defect::DeepPath, "deep", |z| {
        named(z, "x/".repeat(33).as_bytes());
    }),
    (Defect::GitFolder, "hooks", |z| {
        named(z, b"dir/.Git/hooks/x");
    }),
    (Defect::StateFolder, "state", |z| {
        named(z, b".attache/state");
    }),
    (Defect::Duplicate, "twice", |z| named(z, b"a.txt")),
    (Defect::Duplicate, "folder twice", |z| {
        z.parts.push(Part::stored("dir/", b""));
    }),
    (Defect::Twin, "case", |z| named(z, b"A.TXT")),
    (Defect::Twin, "compatibility form", |z| {
        named(z, "ａ.txt".as_bytes());
    }),
    (Defect::Twin, "folders", |z| named(z, b"Dir/c.txt")),
    (Defect::FileIsFolder, "file above", |z| named(z, b"a.txt/x")),
    (Defect::FileIsFolder, "file in place of a folder", |z| {
        named(z, b"dir");
    }),
];

const TYPES: &[Case] = &[
    (Defect::SymbolicLink, "link", |z| mode(z, 0o120_777)),
    (
        Defect::SymbolicLink,
        "link, by a header that says DOS",
        |z| {
            mode(z, 0o120_777);
            z.parts[0].central.made_by = 20;
        },
    ),
    (Defect::SymbolicLink, "reparse point", |z| {
        z.parts[0].central.attributes = 0x420;
    }),
    (Defect::Device, "character device", |z| mode(z, 0o020_644)),
    (Defect::Device, "block device", |z| mode(z, 0o060_644)),
    (Defect::Device, "DOS device", |z| {
        z.parts[0].central.attributes = 0x40;
    }),
    (Defect::Fifo, "pipe", |z| mode(z, 0o010_644)),
    (Defect::Socket, "socket", |z| mode(z, 0o140_644)),
    (Defect::SpecialBits, "setuid", |z| mode(z, 0o104_755)),
    (Defect::SpecialBits, "setgid", |z| mode(z, 0o102_755)),
    (Defect::SpecialBits, "sticky", |z| mode(z, 0o101_755)),
    (Defect::ExtendedAttributes, "OS/2 attributes", |z| {
        both_extra(z, &extra(9, b"\0\0\0\0"));
    }),
    (Defect::ExtendedAttributes, "NT access list", |z| {
        both_extra(z, &extra(0x4453, b""));
    }),
    (Defect::ZipType, "unknown type", |z| mode(z, 0o170_644)),
    (Defect::ZipType, "a folder by its mode only", |z| {
        mode(z, 0o040_755);
    }),
    (Defect::ZipType, "a folder for DOS only", |z| {
        z.parts[0].central.attributes = 0x10;
    }),
    (Defect::ZipType, "a file by its mode only", |z| {
        z.parts[1].central.attributes = 0o100_644 << 16;
    }),
    (Defect::ZipType, "a volume label", |z| {
        z.parts[0].central.attributes = 8;
    }),
];

/// What lies in the wrong place, or is not there.
const PLACES: &[Case] = &[
    (Defect::ZipNoEnd, "no end record", |z| {
        z.end.comment_len = Some(1);
    }),
    (Defect::ZipSecondEnd, "two end records", |z| {
        End::default().write(3, 0, 0, &mut z.after_directory);
    }),
    (
        Defect::ZipSecondEnd,
        "an end record counted as directory",
        |z| {
            End::default().write(3, 0, 0, &mut z.after_directory);
            z.end.directory_len = Some(directory_len(z) + 22);
        },
    ),
    (
        Defect::ZipEndInComment,
        "a second zip in the comment",
        |z| {
            z.end.comment = Zip::new(vec![Part::stored("other", b"")]).write();
        },
    ),
    (Defect::ZipEndInComment, "only its signature", |z| {
        z.end.comment = b"PK\x05\x06".to_vec();
    }),
    (Defect::ZipComment, "binary comment", |z| {
        z.end.comment = vec![0; 9];
    }),
    (Defect::ZipComment, "comment of another encoding", |z| {
        z.end.comment = vec![0xff; 9];
    }),
    (Defect::ZipComment, "comment of an entry", |z| {
        z.parts[0].central.comment = vec![0xff];
    }),
    (
        Defect::ZipComment,
        "comment that does not say it is UTF-8",
        |z| {
            z.parts[0].central.comment = "ü".into();
        },
    ),
    (
        Defect::ZipLeadingBytes,
        "bytes in front, offsets fitting",
        |z| z.front = b"PK!!".to_vec(),
    ),
    (
        Defect::ZipLeadingBytes,
        "bytes in front, offsets not fitting",
        |z| {
            let at = z.write().len() as u32 - 22 - directory_len(z);
            z.front = b"PK!!".to_vec();
            z.end.directory_at = Some(at);
        },
    ),
    (Defect::ZipTrailingBytes, "bytes behind", |z| {
        z.behind = b"\n".to_vec();
    }),
    (Defect::ZipGap, "between entries", |z| {
        z.parts[0].behind = b"gap".to_vec();
    }),
    (Defect::ZipGap, "before the directory", |z| {
        z.before_directory = b"gap".to_vec();
    }),
    (Defect::ZipOverlap, "two names, one place", |z| {
        named(z, b"c.txt");
        z.parts[3].has_local = false;
        z.parts[3].central.offset = Some(0);
    }),
    (Defect::ZipOverlap, "data over the next entry", |z| {
        z.parts[0].both(|h| h.packed += 5);
    }),
    (Defect::ZipOverlap, "data over the directory", |z| {
        z.parts[2].both(|h| (h.packed, h.size) = (h.packed + 5, h.size + 5));
    }),
    (Defect::ZipUnlisted, "in the middle", |z| {
        z.parts[1].in_directory = false;
    }),
    (Defect::ZipUnlisted, "at the front", |z| {
        z.parts[0].in_directory = false;
    }),
    (Defect::ZipUnlisted, "at the end", |z| {
        z.parts[2].in_directory = false;
    }),
    (Defect::ZipUnlisted, "all", |z| {
        z.parts
            .iter_mut()
            .for_each(|part| part.in_directory = false);
    }),
    (Defect::ZipLocalMissing, "nothing there", |z| {
        named(z, b"ghost");
        z.parts[3].has_local = false;
    }),
    (Defect::ZipLocalMissing, "beyond the end", |z| {
        z.parts[2].central.offset = Some(u32::MAX - 1);
    }),
    (Defect::ZipCount, "one too many", |z| z.end.count = Some(4)),
    (Defect::ZipCount, "one too few", |z| z.end.count = Some(2)),
    (Defect::ZipCount, "here and in all", |z| {
        z.end.count_here = Some(1);
    }),
    (Defect::ZipCount, "more than fit", |z| {
        z.end.count = Some(60_000);
    }),
    (Defect::ZipCount, "zip64, here and in all", |z| {
        z.end64 = Some(End64 {
            count_here: Some(1),
            ..End64::default()
        });
    }),
    (Defect::ZipCount, "a directory cut short", |z| {
        z.end.directory_len = Some(directory_len(z) - 46 - 9);
        z.end.count = Some(2);
    }),
    (Defect::ZipDirectory, "a directory too long", |z| {
        z.end.directory_len = Some(directory_len(z) + 1);
    }),
    (Defect::ZipDirectory, "a directory elsewhere", |z| {
        z.end.directory_at = Some(7);
    }),
    (Defect::ZipDirectory, "a gap behind it", |z| {
        z.after_directory = b"gap".to_vec();
    }),
    (Defect::ZipDirectory, "a gap counted as directory", |z| {
        z.after_directory = b"gap".to_vec();
        z.end.directory_len = Some(directory_len(z) + 3);
    }),
    (Defect::ZipMultiDisk, "this disk", |z| z.end.disk = 1),
    (Defect::ZipMultiDisk, "the directory's disk", |z| {
        z.end.directory_disk = 1;
    }),
    (Defect::ZipMultiDisk, "an entry's disk", |z| {
        z.parts[0].central.disk = 1;
    }),
    (Defect::ZipMultiDisk, "zip64 disk", |z| {
        z.end64 = Some(End64 {
            disk: 1,
            ..End64::default()
        });
    }),
    (Defect::ZipMultiDisk, "zip64 number of disks", |z| {
        z.end64 = Some(End64 {
            disks: Some(2),
            ..End64::default()
        });
    }),
];

/// What the two headers, or the zip64 records, say differently.
const DISAGREEMENTS: &[Case] = &[
    (Defect::ZipLocalName, "another name", |z| {
        z.parts[0].local.name = b"b.txt".to_vec();
    }),
    (Defect::ZipLocalName, "a longer name", |z| {
        z.parts[0].local.name = b"a.txt2".to_vec();
    }),
    (Defect::ZipLocalName, "file and folder", |z| {
        z.parts[1].local.name = b"dir".to_vec();
    }),
    (Defect::ZipLocalSize, "size", |z| z.parts[0].local.size += 1),
    (Defect::ZipLocalSize, "packed size", |z| {
        z.parts[0].local.packed += 1;
    }),
    (Defect::ZipLocalSize, "left out without a descriptor", |z| {
        (z.parts[0].local.packed, z.parts[0].local.size) = (0, 0);
    }),
    (Defect::ZipLocalSize, "wrong beside a descriptor", |z| {
        z.parts[0].describe(true);
        z.parts[0].local.size = 7;
    }),
    (Defect::ZipLocalSize, "zip64", |z| {
        z.parts[0].local.size += 1;
        Part::widen(&mut z.parts[0].local);
    }),
    (Defect::ZipLocalCrc, "checksum", |z| {
        z.parts[0].local.crc ^= 1;
    }),
    (Defect::ZipLocalMethod, "method", |z| {
        z.parts[0].local.method = 0;
    }),
    (Defect::ZipLocalFlags, "flags", |z| {
        z.parts[0].local.flags = UTF8;
    }),
    (Defect::ZipLocalFlags, "descriptor in one only", |z| {
        z.parts[0].local.flags = DESCRIPTOR;
    }),
    (Defect::ZipDescriptor, "missing", |z| {
        z.parts[0].describe(true);
        z.parts[0].behind.clear();
    }),
    (Defect::ZipDescriptor, "without flag", |z| {
        z.parts[0].behind = b"PK\x07\x08123412341234".to_vec();
    }),
    (Defect::ZipDescriptor, "other checksum", |z| {
        z.parts[0].describe(true);
        z.parts[0].behind[4] ^= 1;
    }),
    (Defect::ZipDescriptor, "other packed size", |z| {
        z.parts[0].describe(false);
        z.parts[0].behind[4] ^= 1;
    }),
    (Defect::ZipDescriptor, "other size", |z| {
        z.parts[2].describe(true);
        z.parts[2].behind[12] ^= 1;
    }),
    (Defect::ZipDescriptor, "wide without zip64", |z| {
        z.parts[0].describe(true);
        let size = z.parts[0].behind.split_off(12);
        z.parts[0].behind.extend([0; 4]);
        z.parts[0].behind.extend(size);
        z.parts[0].behind.extend([0; 4]);
    }),
    (Defect::ZipDescriptor, "narrow with zip64", |z| {
        z.parts[0].describe(true);
        Part::widen(&mut z.parts[0].local);
    }),
    (
        Defect::ZipDescriptor,
        "one inside the data of a stored entry",
        |z| {
            z.parts[2] = Part::stored("dir/b.txt", b"abcPK\x07\x08 and so on");
            z.parts[2].describe(true);
        },
    ),
    (
        Defect::ZipDescriptor,
        "one inside the data of a large stored entry",
        |z| {
            let mut data = vec![b'x'; 3 << 20];
            // Across the border of two buffers.
            data[(128 << 10) - 2..][..4].copy_from_slice(b"PK\x07\x08");
            z.parts[2] = Part::stored("dir/b.txt", &data);
            z.parts[2].describe(true);
        },
    ),
    (Defect::Zip64Disagrees, "record without locator", |z| {
        z.end64 = Some(End64 {
            no_locator: true,
            ..End64::default()
        });
    }),
    (Defect::Zip64Disagrees, "locator to elsewhere", |z| {
        z.end64 = Some(End64 {
            record_at: Some(0),
            ..End64::default()
        });
    }),
    (Defect::Zip64Disagrees, "locator to beyond", |z| {
        z.end64 = Some(End64 {
            record_at: Some(u64::MAX),
            ..End64::default()
        });
    }),
    (Defect::Zip64Disagrees, "record of another length", |z| {
        z.end64 = Some(End64 {
            record_len: Some(45),
            ..End64::default()
        });
    }),
    (Defect::Zip64Disagrees, "record with more in it", |z| {
        z.end64 = Some(End64 {
            more: b"more".to_vec(),
            ..End64::default()
        });
    }),
    (
        Defect::Zip64Disagrees,
        "left to a record that is not there",
        |z| {
            z.end.directory_at = Some(u32::MAX);
        },
    ),
    (
        Defect::Zip64Disagrees,
        "left to a field that is not there",
        |z| {
            z.parts[0].central.size = u32::MAX;
        },
    ),
    (Defect::Zip64NotSentinel, "end record", |z| {
        z.end64 = Some(End64 {
            count: Some(2),
            ..End64::default()
        });
    }),
    (Defect::Zip64NotSentinel, "directory elsewhere", |z| {
        z.end64 = Some(End64 {
            directory_at: Some(1),
            ..End64::default()
        });
    }),
    (Defect::Zip64NotSentinel, "sizes in the directory", |z| {
        let (packed, size) = (z.parts[0].central.packed, z.parts[0].central.size);
        Part::widen(&mut z.parts[0].central);
        (z.parts[0].central.packed, z.parts[0].central.size) = (packed, size);
    }),
    (
        Defect::Zip64NotSentinel,
        "one size left to it, two given",
        |z| {
            let packed = z.parts[0].local.packed;
            Part::widen(&mut z.parts[0].local);
            z.parts[0].local.packed = packed;
        },
    ),
    (
        Defect::Zip64NotSentinel,
        "zeros without a descriptor",
        |z| {
            z.parts[1].local.extra = extra(1, &[0; 16]);
        },
    ),
    (Defect::ZipExtraDuplicate, "twice", |z| {
        both_extra(z, &extra(0xcafe, b""));
        both_extra(z, &extra(0xcafe, b""));
    }),
    (Defect::ZipExtraSize, "three bytes", |z| {
        both_extra(z, b"\xfe\xca\0");
    }),
    (Defect::ZipExtraSize, "beyond its end", |z| {
        both_extra(z, b"\xfe\xca\x01\0");
    }),
    (Defect::ZipExtraSize, "zip64 too short", |z| {
        z.parts[0].central.size = u32::MAX;
        z.parts[0].central.extra = extra(1, b"1234");
    }),
    (Defect::ZipExtraSize, "zip64 empty", |z| {
        z.parts[0].local.extra = extra(1, b"");
    }),
    (Defect::ZipExtraSize, "times", |z| {
        z.parts[0].local.extra = extra(0x5455, b"\x031234");
    }),
    (Defect::ZipExtraSize, "times in the directory", |z| {
        z.parts[0].central.extra = extra(0x5455, b"\x03123");
    }),
    (Defect::ZipExtraSize, "owners", |z| {
        both_extra(z, &extra(0x7875, b"\x01\x041234\x041"));
    }),
    (Defect::ZipExtraSize, "old owners", |z| {
        both_extra(z, &extra(0x5855, b"123"));
    }),
    (Defect::ZipExtraSize, "older owners", |z| {
        both_extra(z, &extra(0x7855, b"123"));
    }),
    (Defect::ZipExtraSize, "NTFS times", |z| {
        both_extra(z, &extra(0x000a, b"123"));
    }),
    (Defect::ZipExtraSize, "jar mark", |z| {
        both_extra(z, &extra(0xcafe, b"1"));
    }),
    (Defect::ZipExtraSize, "Unicode path", |z| {
        both_extra(z, &extra(0x7075, b"\x01"));
    }),
    (Defect::ZipExtraUnknown, "an unknown field", |z| {
        both_extra(z, &extra(0x4242, b""));
    }),
    (Defect::ZipExtraUnknown, "a link in a Unix field", |z| {
        both_extra(z, &extra(0x756e, b""));
    }),
    (Defect::ZipUnicodePath, "in the directory", |z| {
        z.parts[0].central.extra = unicode_path(b"a.txt", b"evil");
    }),
    (Defect::ZipUnicodePath, "in the local header", |z| {
        z.parts[0].local.extra = unicode_path(b"a.txt", b"evil");
    }),
    (Defect::ZipUnicodePath, "for another name", |z| {
        z.parts[0].central.extra = unicode_path(b"b.txt", b"a.txt");
    }),
];

/// What is not as it says it is.
const CONTENTS: &[Case] = &[
    (Defect::ZipEncrypted, "by flag", |z| {
        z.parts[0].both(|h| h.flags |= 1);
    }),
    (Defect::ZipEncrypted, "strongly", |z| {
        z.parts[0].both(|h| h.flags |= 1 << 6);
    }),
    (Defect::ZipEncrypted, "headers hidden", |z| {
        z.parts[0].both(|h| h.flags |= 1 << 13);
    }),
    (Defect::ZipEncrypted, "by field", |z| {
        both_extra(z, &extra(0x9901, b"1234567"));
    }),
    (Defect::ZipMethod, "bzip2", |z| {
        z.parts[0].both(|h| h.method = 12);
    }),
    (Defect::ZipMethod, "deflate64", |z| {
        z.parts[0].both(|h| h.method = 9);
    }),
    (Defect::ZipFlags, "patch", |z| {
        z.parts[0].both(|h| h.flags |= 1 << 5);
    }),
    (Defect::ZipFlags, "reserved", |z| {
        z.parts[0].both(|h| h.flags |= 1 << 15);
    }),
    (Defect::ZipFolderData, "stored", |z| {
        z.parts[1] = Part::stored("dir/", b"data");
    }),
    (Defect::ZipFolderData, "deflated", |z| {
        z.parts[1] = Part::deflated("dir/", b"data");
    }),
    (
        Defect::ZipFolderData,
        "hidden behind an empty stream",
        |z| {
            z.parts[1] = Part::deflated("dir/", b"");
            z.parts[1].packed.extend(b"data");
            z.parts[1].both(|h| h.packed += 4);
        },
    ),
    (Defect::ZipStoredSize, "sizes differ", |z| {
        z.parts[2].both(|h| h.size += 1);
    }),
    (Defect::Truncated, "a stream without end", |z| {
        z.parts[0].packed.pop();
        z.parts[0].both(|h| h.packed -= 1);
    }),
    (Defect::Truncated, "no stream at all", |z| {
        z.parts[0].packed.clear();
        z.parts[0].both(|h| h.packed = 0);
    }),
    (Defect::WrongCrc, "stored", |z| {
        z.parts[2].both(|h| h.crc ^= 1);
    }),
    (Defect::WrongCrc, "deflated", |z| {
        z.parts[0].both(|h| h.crc ^= 1);
    }),
    (Defect::WrongCrc, "in a folder", |z| {
        z.parts[1].both(|h| h.crc = 1);
    }),
    (Defect::WrongCrc, "large", |z| {
        z.parts[0] = Part::deflated("a.txt", &noise(3 << 20));
        z.parts[0].both(|h| h.crc ^= 1);
    }),
    (Defect::WrongLength, "longer than stated", |z| {
        z.parts[0].both(|h| h.size -= 1);
    }),
    (Defect::WrongLength, "shorter than stated", |z| {
        z.parts[0].both(|h| h.size += 1);
    }),
    (Defect::WrongLength, "far longer than stated", |z| {
        z.parts[0] = Part::deflated("a.txt", &[0; 9 << 20]);
        z.parts[0].both(|h| h.size = 5);
    }),
    (Defect::WrongLength, "bytes behind the stream", |z| {
        z.parts[0].packed.extend(b"hidden");
        z.parts[0].both(|h| h.packed += 6);
    }),
    (
        Defect::WrongLength,
        "bytes behind the stream that look like its end in gzip",
        |z| {
            let (crc, size) = (z.parts[0].local.crc, z.parts[0].local.size);
            z.parts[0].packed.extend(crc.to_le_bytes());
            z.parts[0].packed.extend(size.to_le_bytes());
            z.parts[0].packed.extend(b"hidden");
            z.parts[0].both(|h| h.packed += 14);
        },
    ),
    (Defect::WrongLength, "bytes behind a large stream", |z| {
        z.parts[0] = Part::deflated("a.txt", &noise(3 << 20));
        z.parts[0].packed.extend([0; 100_000]);
        z.parts[0].both(|h| h.packed += 100_000);
    }),
    (Defect::Corrupt, "a block type that does not exist", |z| {
        z.parts[0].packed[0] |= 0b110;
    }),
    (
        Defect::UnknownContainer,
        "bytes in front that are not even PK",
        |z| {
            z.front = b"#!/bin/sh\n".to_vec();
        },
    ),
];

fn directory_len(zip: &Zip) -> u32 {
    let mut out = Vec::new();
    zip.parts
        .iter()
        .filter(|part| part.in_directory)
        .for_each(|part| part.central.write_central(0, &mut out));
    out.len() as u32
}

/// Bytes that do not compress.
pub(crate) fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..len)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        })
        .collect()
}

const TABLES: [&[Case]; 5] = [NAMES, TYPES, PLACES, DISAGREEMENTS, CONTENTS];

type Bomb = (Defect, fn(&mut Limits), fn() -> Zip);

const BOMBS: &[Bomb] = &[
    (Defect::TotalBytes, |l| l.total_bytes = 37, good),
    (Defect::FileBytes, |l| l.file_bytes = 22, good),
    (Defect::EntryCount, |l| l.entries = 2, good),
    (
        Defect::Ratio,
        |_| {},
        || Zip::new(vec![Part::deflated("zeros", &[0; 17 << 20])]),
    ),
    (
        Defect::Ratio,
        |_| {},
        || {
            let zeros = vec![0; 3 << 20];
            Zip::new(
                (0..6)
                    .map(|n| Part::deflated(n.to_string(), &zeros))
                    .collect(),
            )
        },
    ),
];

/// The defects that have a fixture here.
pub(crate) fn covered() -> BTreeSet<Defect> {
    let cases = TABLES.iter().copied().flatten().map(|(defect, ..)| *defect);
    cases
        .chain(BOMBS.iter().map(|(defect, ..)| *defect))
        .collect()
}

#[test]
fn every_fault_is_refused_by_its_own_name() {
    for (defect, what, change) in TABLES.iter().copied().flatten() {
        let mut zip = good();
        change(&mut zip);
        check_refused(&zip.write(), &Limits::default(), *defect, what);
    }
}

#[test]
fn a_bomb_is_refused_before_it_goes_off() {
    for (defect, tighten, zip) in BOMBS {
        let mut limits = Limits::default();
        tighten(&mut limits);
        check_refused(&zip().write(), &limits, *defect, &format!("{limits:?}"));
    }
}

#[test]
fn limits_are_exact() {
    let limits = Limits {
        total_bytes: 38,
        file_bytes: 23,
        entries: 3,
        ratio: 1,
    };
    assert_eq!(
        open_bytes(&good().write(), &limits).unwrap().total_size(),
        38
    );
}

#[test]
fn a_count_that_wraps_around_is_refused() {
    let parts = (0..65_537).map(|n| Part::stored(format!("{n:x}"), b""));
    let zip = Zip::new(parts.collect());
    check_refused(
        &zip.write(),
        &Limits::default(),
        Defect::ZipCount,
        "65,537 say they are 1",
    );
}

#[test]
fn sixty_five_thousand_entries_need_zip64_or_exactly_fit() {
    let parts = |count: u32| {
        (0..count)
            .map(|n| Part::stored(format!("{n:x}"), b""))
            .collect()
    };
    let tree = open_bytes(&Zip::new(parts(65_535)).write(), &Limits::default()).unwrap();
    assert_eq!(tree.entries().len(), 65_535);
    let mut zip = Zip::new(parts(65_537));
    zip.end64 = Some(End64::default());
    zip.end.count = Some(u16::MAX);
    let tree = open_bytes(&zip.write(), &Limits::default()).unwrap();
    assert_eq!(tree.entries().len(), 65_537);
}
