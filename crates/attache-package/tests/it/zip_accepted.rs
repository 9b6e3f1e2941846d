//! Zips that must open, however odd, and damage that must not pass.

use attache_package::{Limits, Tree};

use crate::support::{contents, open_bytes, paths, scratch};
use crate::zip_builder::{End64, Part, Zip, deflate, extra, unicode_path};
use crate::zip_hostile::{both_extra, good, noise};

#[track_caller]
fn check_same(what: &str, change: fn(&mut Zip)) {
    let mut zip = good();
    change(&mut zip);
    let tree = open_bytes(&zip.write(), &Limits::default())
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    let plain = open_bytes(&good().write(), &Limits::default()).unwrap();
    assert_eq!(contents(&tree), contents(&plain), "{what}");
}

#[test]
fn what_ordinary_tools_write_is_accepted() {
    check_same("nothing", |_| {});
    check_same("descriptor", |z| z.parts[0].describe(true));
    check_same("descriptor without signature", |z| {
        z.parts[0].describe(false);
    });
    check_same("stored with descriptor", |z| z.parts[2].describe(true));
    check_same("descriptor, sizes in the header too", |z| {
        let header = z.parts[0].local.clone();
        z.parts[0].describe(true);
        (z.parts[0].local.crc, z.parts[0].local.size) = (header.crc, header.size);
    });
    check_same("zip64 sizes", |z| {
        Part::widen(&mut z.parts[0].local);
        Part::widen(&mut z.parts[0].central);
    });
    check_same("zip64 sizes in the local header only", |z| {
        Part::widen(&mut z.parts[0].local);
    });
    check_same("zip64 descriptor", |z| {
        let header = z.parts[0].local.clone();
        z.parts[0].describe(true);
        Part::widen(&mut z.parts[0].local);
        z.parts[0].behind.truncate(8);
        for size in [header.packed, header.size] {
            z.parts[0].behind.extend(u64::from(size).to_le_bytes());
        }
    });
    check_same("zip64 descriptor, announced by zeros", |z| {
        let header = z.parts[0].local.clone();
        z.parts[0].describe(true);
        z.parts[0].local.extra = extra(1, &[0; 16]);
        z.parts[0].behind.truncate(8);
        for size in [header.packed, header.size] {
            z.parts[0].behind.extend(u64::from(size).to_le_bytes());
        }
    });
    check_same("zip64 end", |z| z.end64 = Some(End64::default()));
    check_same("zip64 end with everything left to it", |z| {
        z.end64 = Some(End64::default());
        z.end.count = Some(u16::MAX);
        z.end.directory_len = Some(u32::MAX);
        z.end.directory_at = Some(u32::MAX);
    });
    check_same("comments", |z| {
        z.end.comment = "from me\nto you, ü".into();
        z.parts[0].central.comment = b"mine".to_vec();
    });
    check_same("a folder of deflated nothing", |z| {
        z.parts[1] = Part::deflated("dir/", b"");
        z.parts[1].describe(true);
    });
    check_same("another order in the directory", |z| {
        // The offsets stay; only the headers change places.
        let offsets = [0, 30 + 5 + z.parts[0].packed.len() as u32];
        z.parts[0].central.offset = Some(offsets[0]);
        z.parts[1].central.offset = Some(offsets[1]);
        let (one, two) = z.parts.split_at_mut(1);
        std::mem::swap(&mut one[0].central, &mut two[0].central);
    });
    check_same("times and owners", |z| {
        z.parts[0].local.extra = extra(0x5455, b"\x0312341234");
        z.parts[0].central.extra = extra(0x5455, b"\x031234");
        both_extra(z, &extra(0x7875, b"\x01\x041234\x041234"));
        z.parts[2].local.extra = extra(0x5855, b"123456781234");
        z.parts[2].central.extra = extra(0x5855, b"12345678");
        z.parts[1].both(|h| {
            h.extra = extra(0xcafe, b"");
            let ntfs = [b"\0\0\0\0\x01\0\x18\0".as_slice(), &[7; 24]].concat();
            h.extra.extend(extra(0x000a, &ntfs));
        });
        z.parts[1].local.extra.extend(extra(0x7855, b"1234"));
        z.parts[1].central.extra.extend(extra(0x7855, b""));
    });
    check_same("a Unicode path that says the same", |z| {
        both_extra(z, &unicode_path(b"a.txt", b"a.txt"));
    });
    check_same("attributes of a DOS header", |z| {
        z.parts[0].central.made_by = 20;
        z.parts[0].central.attributes = 0x21;
    });
}

#[test]
fn a_zip_inside_a_zip_is_just_a_file() {
    let inner = good().write();
    let tree = open_bytes(
        &Zip::new(vec![Part::stored("inner.zip", &inner)]).write(),
        &Limits::default(),
    )
    .unwrap();
    assert_eq!(tree.read("inner.zip").unwrap(), Some(inner));
}

#[test]
fn the_executable_bit_is_kept() {
    let executable = |made_by: u16, attributes: u32| {
        let mut zip = good();
        zip.parts[0].central.made_by = made_by;
        zip.parts[0].central.attributes = attributes;
        let tree = open_bytes(&zip.write(), &Limits::default()).unwrap();
        tree.get("a.txt").unwrap().executable
    };
    assert!(executable(3 << 8, 0o100_755 << 16));
    assert!(executable(3 << 8, 0o100 << 16));
    assert!(!executable(3 << 8, 0o100_655 << 16));
    assert!(!executable(0, 0o100_755 << 16));
}

#[test]
fn large_entries_stream_and_read_back() {
    let content = noise(5 << 20);
    let mut zip = Zip::new(vec![
        Part::deflated("x/large", &content),
        Part::stored("x/stored", &content),
        Part::deflated("x/zeros", &vec![0; 2 << 20]),
        Part::deflated("x/empty", b""),
    ]);
    zip.parts[1].describe(true);
    let tree = open_bytes(&zip.write(), &Limits::default()).unwrap();
    let check = |tree: &Tree, root: &str| {
        let read = |name: &str| tree.read(&format!("{root}{name}")).unwrap().unwrap();
        assert!(read("large") == content && read("stored") == content);
        assert_eq!((read("zeros").len(), read("empty").len()), (2 << 20, 0));
    };
    check(&tree, "x/");
    let tree = tree.flattened();
    assert_eq!(paths(&tree), ["empty", "large", "stored", "zeros"]);
    assert!(tree.get("large").is_some() && tree.get("x/large").is_none());
    check(&tree, "");
}

#[test]
fn only_one_root_folder_is_dropped_at_a_time() {
    let zip = Zip::new(vec![
        Part::stored("a/b/c", b"deep"),
        Part::stored("a/b/d", b"too"),
    ]);
    let tree = open_bytes(&zip.write(), &Limits::default())
        .unwrap()
        .flattened();
    assert_eq!(tree.read("b/c").unwrap().unwrap(), b"deep");
    assert_eq!(tree.flattened().read("c").unwrap().unwrap(), b"deep");
}

/// A zip with something of everything, to be damaged.
fn rich() -> Vec<u8> {
    let mut zip = good();
    zip.parts[0].describe(true);
    zip.parts[2].local.extra = extra(0x5455, b"\x0312341234");
    zip.parts[2].central.extra = extra(0x5455, b"\x031234");
    zip.parts.push(Part::deflated("ü.md", &noise(300)));
    Part::widen(&mut zip.parts[3].local);
    Part::widen(&mut zip.parts[3].central);
    zip.end64 = Some(End64::default());
    zip.end.comment = b"hello".to_vec();
    zip.write()
}

#[test]
fn a_flipped_bit_is_noticed_or_does_not_matter() {
    let bytes = rich();
    let dir = scratch();
    let path = dir.path().join("zip");
    let open = |bytes: &[u8]| {
        fs_err::write(&path, bytes).unwrap();
        let tree = Tree::open(&path, &Limits::default()).ok()?;
        let whole = contents(&tree).into_iter();
        // The mode has no second copy in a zip, so nothing can notice that it changed.
        Some(
            whole
                .map(|(entry, bytes)| (entry.path, bytes))
                .collect::<Vec<_>>(),
        )
    };
    let original = open(&bytes);
    assert_eq!(original.as_ref().unwrap().len(), 3);
    for at in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[at / 8] ^= 1 << (at % 8);
        let found = open(&flipped);
        assert!(
            found.is_none() || found == original,
            "bit {} of byte {}",
            at % 8,
            at / 8
        );
    }
    for len in 0..bytes.len() {
        assert_eq!(open(&bytes[..len]), None, "cut to {len}");
    }
}

proptest::proptest! {
    #[test]
    fn damage_never_panics(edits in proptest::collection::vec((0_usize..2000, 0_u8..=255), 1..6)) {
        let mut bytes = rich();
        let len = bytes.len();
        for (at, value) in edits {
            bytes[at % len] = value;
        }
        if let Ok(tree) = open_bytes(&bytes, &Limits::default()) {
            // Whatever it is now, it reads as it was checked.
            contents(&tree);
        }
    }
}

/// Deflate has many spellings of one content; the whole-buffer inflater takes them all.
#[test]
fn every_way_to_deflate_is_read() {
    let content = b"one content, several spellings".repeat(20);
    let stored_block = {
        let mut bytes = vec![1];
        bytes.extend((content.len() as u16).to_le_bytes());
        bytes.extend((!(content.len() as u16)).to_le_bytes());
        bytes.extend(&content);
        bytes
    };
    for packed in [stored_block, deflate(&content)] {
        let mut part = Part::deflated("x", &content);
        part.both(|h| h.packed = packed.len() as u32);
        part.packed = packed;
        let tree = open_bytes(&Zip::new(vec![part]).write(), &Limits::default()).unwrap();
        assert_eq!(tree.read("x").unwrap().unwrap(), content);
    }
}
