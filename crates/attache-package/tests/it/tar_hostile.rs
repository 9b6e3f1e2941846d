//! Every way a tar.gz or tar.zst can lie.

use std::io::Write;

use attache_package::{ArchiveError, Defect, Kind, Limits, Tree};

use crate::lying_tar::{Tar, gzip, head, record, tar, zst};

/// What the tests here make a tar be refused for.
pub(crate) const COVERED: &[Defect] = &[
    Defect::ParentComponent,
    Defect::AbsolutePath,
    Defect::DriveLetter,
    Defect::UncPath,
    Defect::Backslash,
    Defect::ControlCharacter,
    Defect::EmptyComponent,
    Defect::DotComponent,
    Defect::TrailingDotOrSpace,
    Defect::Colon,
    Defect::WindowsCharacter,
    Defect::DeviceName,
    Defect::InvalidUtf8,
    Defect::NotNfc,
    Defect::InvisibleCharacter,
    Defect::LongComponent,
    Defect::LongPath,
    Defect::DeepPath,
    Defect::GitFolder,
    Defect::StateFolder,
    Defect::Duplicate,
    Defect::Twin,
    Defect::FileIsFolder,
    Defect::LinkEscapes,
    Defect::LinkBroken,
    Defect::ThroughLink,
    Defect::HardLink,
    Defect::Device,
    Defect::Fifo,
    Defect::SpecialBits,
    Defect::ExtendedAttributes,
    Defect::TarPaxDisagrees,
    Defect::TarPaxAndGnu,
    Defect::TarDoubleExtension,
    Defect::TarPaxMalformed,
    Defect::TarPaxDuplicate,
    Defect::TarPaxEmpty,
    Defect::TarPaxDangling,
    Defect::TarPaxGlobal,
    Defect::TarPaxUnknown,
    Defect::TarSparse,
    Defect::TarLongNameNul,
    Defect::TarSizeOnNonFile,
    Defect::TarNumber,
    Defect::TarChecksum,
    Defect::TarNoEnd,
    Defect::TarAfterEnd,
    Defect::TarType,
    Defect::TarMagic,
    Defect::Truncated,
    Defect::WrongCrc,
    Defect::WrongLength,
    Defect::Corrupt,
    Defect::GzipMembers,
    Defect::GzipTrailing,
    Defect::ZstdWindow,
    Defect::ZstdSkippable,
    Defect::ZstdDictionary,
    Defect::ZstdFrames,
    Defect::TotalBytes,
    Defect::FileBytes,
    Defect::EntryCount,
    Defect::Ratio,
    Defect::UnknownContainer,
    Defect::ChangedWhileReading,
];

fn open_with(bytes: &[u8], limits: &Limits) -> Result<Tree, ArchiveError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().write_all(bytes).unwrap();
    Tree::open(file.path(), limits)
}

fn open(bytes: &[u8]) -> Result<Tree, ArchiveError> {
    open_with(bytes, &Limits::default())
}

pub(crate) fn names(tree: &Tree) -> Vec<&str> {
    tree.entries().iter().map(|e| e.path.as_str()).collect()
}

/// Opens packed bytes and expects this one defect.
#[track_caller]
fn refuses_packed(bytes: &[u8], defect: Defect) {
    assert!(
        COVERED.contains(&defect),
        "{defect:?} is missing in COVERED"
    );
    match open(bytes) {
        Ok(tree) => panic!("accepted as {:?}, expected {defect:?}", names(&tree)),
        Err(error) => assert_eq!(error.defect(), Some(defect), "{error}"),
    }
}

/// Opens a tar, in both compressions, and expects this one defect.
#[track_caller]
fn refuses(tar: &[u8], defect: Defect) {
    refuses_packed(&gzip(tar), defect);
    refuses_packed(&zst(tar), defect);
}

#[track_caller]
fn accepts(tar: &[u8], expected: &[&str]) {
    for packed in [gzip(tar), zst(tar)] {
        let tree = open(&packed).unwrap();
        assert_eq!(names(&tree), expected);
    }
}

/// A name that does not fit its field.
fn long(length: usize) -> String {
    let folder = "a-folder-with-a-rather-long-name-here/";
    let mut name = folder.repeat(length / folder.len() + 1);
    name.truncate(length - 1);
    name + "x"
}

#[test]
fn an_ordinary_tar_is_read_as_it_is() {
    let packed = gzip(
        &tar()
            .folder("./")
            .folder("./bin/")
            .head(&head("./bin/run", b'0', 3).mode("0000755\0"))
            .body("#!x")
            .file("./b.txt", "hello")
            .head(&head("./old", 0, 2))
            .body("v7")
            .file("./empty", "")
            .link("./bin/link", "../b.txt")
            .raw([0; 10240])
            .0,
    );
    let tree = open(&packed).unwrap();
    assert_eq!(
        names(&tree),
        ["b.txt", "bin/link", "bin/run", "empty", "old"]
    );
    assert_eq!(tree.read("b.txt").unwrap().unwrap(), b"hello");
    assert_eq!(tree.read("old").unwrap().unwrap(), b"v7");
    let run = tree.get("bin/run").unwrap();
    assert!(run.executable && run.size == 3);
    let link = tree.get("bin/link").unwrap();
    let target = "../b.txt".to_owned();
    assert_eq!(link.digest, attache_package::Digest::of(&target));
    assert_eq!((&link.kind, link.size), (&Kind::Link { target }, 0));
}

#[test]
fn one_root_folder_can_be_dropped() {
    let packed = zst(&tar().folder("r").file("r/a", "1").file("r/b/c", "2").end());
    let tree = open(&packed).unwrap().flattened();
    assert_eq!(names(&tree), ["a", "b/c"]);
    assert_eq!(tree.read("b/c").unwrap().unwrap(), b"2");
}

#[test]
fn a_name_that_a_zip_could_not_have_is_refused_in_a_tar_too() {
    let check = |name: &str, defect| {
        refuses(&tar().file(name, "x").end(), defect);
        refuses(&tar().folder(&format!("{name}/")).end(), defect);
        refuses(&tar().link(name, "x").end(), defect);
    };
    check("../x", Defect::ParentComponent);
    check("./../x", Defect::ParentComponent);
    check("a/../../x", Defect::ParentComponent);
    check("/etc/x", Defect::AbsolutePath);
    check(".//etc/x", Defect::AbsolutePath);
    check("c:x", Defect::DriveLetter);
    check("\\\\server\\x", Defect::UncPath);
    check("a\\b", Defect::Backslash);
    check("a\nb", Defect::ControlCharacter);
    check("a//b", Defect::EmptyComponent);
    check("././a", Defect::DotComponent);
    check("a/./b", Defect::DotComponent);
    check("a.", Defect::TrailingDotOrSpace);
    check("ab:c", Defect::Colon);
    check("a*", Defect::WindowsCharacter);
    check("git~2/config", Defect::GitFolder);
    check("aux.txt", Defect::DeviceName);
    check("e\u{301}", Defect::NotNfc);
    check("a\u{202e}b", Defect::InvisibleCharacter);
    check(&vec!["d"; 40].join("/"), Defect::DeepPath);
    check(".git/config", Defect::GitFolder);
    check("a/.attache/x", Defect::StateFolder);
    refuses(&tar().file(b"a\xff", "x").end(), Defect::InvalidUtf8);
    refuses(&tar().file("a/", "x").end(), Defect::EmptyComponent);
    refuses(&tar().file("", "x").end(), Defect::EmptyComponent);
    refuses(&tar().file("./", "x").end(), Defect::EmptyComponent);
    refuses(&tar().file(".", "x").end(), Defect::DotComponent);
    // Hidden behind the NUL that ends the name.
    refuses(&tar().file("a\0b", "x").end(), Defect::ControlCharacter);
    let part = "x".repeat(256);
    let tar_with = |name: &str| tar().long_name(b'L', name).file(name, "").end();
    refuses(&tar_with(&part), Defect::LongComponent);
    refuses(&tar_with(&long(1025)), Defect::LongPath);
    refuses(&tar_with(&long(5000)), Defect::LongPath);
}

#[test]
fn names_that_cannot_stand_together_are_refused() {
    refuses(
        &tar().file("a", "1").file("a", "2").end(),
        Defect::Duplicate,
    );
    refuses(
        &tar().file("a", "").file("./a", "").end(),
        Defect::Duplicate,
    );
    refuses(&tar().folder("./").folder("./").end(), Defect::Duplicate);
    refuses(&tar().folder("a").folder("a/").end(), Defect::Duplicate);
    refuses(&tar().file("a", "").file("A", "").end(), Defect::Twin);
    refuses(
        &tar().file("a", "").file("a/b", "").end(),
        Defect::FileIsFolder,
    );
    let through = tar().link("a", "b").file("a/x", "").end();
    refuses(&through, Defect::ThroughLink);
    let through = tar().file("a/x", "").link("a", "b").end();
    refuses(&through, Defect::ThroughLink);
}

#[test]
fn only_files_folders_and_links_that_stay_inside_are_accepted() {
    for target in ["/etc/passwd", "..", "../x", "b/../../x", "", "c:x"] {
        refuses(&tar().link("a", target).end(), Defect::LinkEscapes);
    }
    for target in ["b", "a", "./a", "f/x", "empty"] {
        let tar = tar().folder("empty").file("f", "").link("a", target);
        refuses(&tar.end(), Defect::LinkBroken);
    }
    // A target may come later, be a folder without an entry, and begin with `./`.
    let tar_with = |target: &str| tar().link("a", target).file("d/e/f", "").end();
    for target in ["d", "d/e/", "./d/e/f"] {
        accepts(&tar_with(target), &["a", "d/e/f"]);
    }
    let kind = |kind, size| tar().head(&head("a", kind, size)).end();
    refuses(
        &tar().head(&head("a", b'1', 0).link("b")).end(),
        Defect::HardLink,
    );
    refuses(&kind(b'3', 0), Defect::Device);
    refuses(&kind(b'4', 0), Defect::Device);
    refuses(&kind(b'6', 0), Defect::Fifo);
    refuses(&kind(b'S', 0), Defect::TarSparse);
    for unknown in [b'7', b'8', b'D', b'V', b'M', b'N', b'X', b'A', b'z', 0xff] {
        refuses(&kind(unknown, 0), Defect::TarType);
    }
    for mode in ["0004755\0", "0002755\0", "0001777\0"] {
        refuses(
            &tar().head(&head("a", b'0', 0).mode(mode)).end(),
            Defect::SpecialBits,
        );
        refuses(
            &tar().head(&head("a", b'5', 0).mode(mode)).end(),
            Defect::SpecialBits,
        );
    }
    for key in [
        "SCHILY.xattr.user.x",
        "LIBARCHIVE.xattr.user.x",
        "SCHILY.acl.access",
        "RHT.security.selinux",
    ] {
        let carried = tar().pax(&[(key, "x")]).file("a", "").end();
        refuses(&carried, Defect::ExtendedAttributes);
    }
}

#[test]
fn a_size_belongs_to_files_only() {
    for kind in [b'2', b'5'] {
        let sized = tar()
            .head(&head("a", kind, 512).mode("0000755\0").link("b"))
            .body([b'x'; 512]);
        refuses(&sized.end(), Defect::TarSizeOnNonFile);
    }
}

#[test]
fn a_pax_name_and_its_header_are_one_name() {
    let name = long(150);
    let pax = |path: &str, header: &str| tar().pax(&[("path", path)]).file(header, "x").end();
    accepts(&pax(&name, &name), &[&name]); // the builder cuts at 100 bytes
    accepts(&pax("short", "short"), &["short"]);
    accepts(&pax("./short", "./short"), &["short"]);
    accepts(&pax("日本.md", "日本.md"), &["日本.md"]);
    accepts(&pax("日本.md", "??.md"), &["日本.md"]);
    accepts(&pax("日本.md", ".md"), &["日本.md"]);
    accepts(&pax("日本", ""), &["日本"]);
    for (path, header) in [
        ("short", "other"),
        ("short", "shor"),
        ("short", ""),
        ("short", "./short"),
        ("日本.md", "other.md"),
        ("日本.md", "?.md"),
        (&name, "innocent.txt"),
        (&name, &name[..80]),
        (&name, ""),
        (&name, &name[1..101]),
        (&long(100), &long(99)),
    ] {
        refuses(&pax(path, header), Defect::TarPaxDisagrees);
    }
}

#[test]
fn the_ways_that_writers_shorten_a_name_are_understood() {
    // Split over both fields, the last part cut: node-tar.
    let part = "y".repeat(120);
    let path = format!("some/folder/{part}");
    let split = head(&part[..99], b'0', 0).patch(345, "some/folder");
    accepts(&tar().pax(&[("path", &path)]).head(&split).end(), &[&path]);
    let lying = head(&part[..99], b'0', 0).patch(345, "some/other");
    refuses(
        &tar().pax(&[("path", &path)]).head(&lying).end(),
        Defect::TarPaxDisagrees,
    );
    // Its first folders and its last part: libarchive.
    let path = format!("{}/{}/file", long(150), long(150));
    let elided = head("file", b'0', 0).patch(345, long(150));
    accepts(&tar().pax(&[("path", &path)]).head(&elided).end(), &[&path]);
    let lying = head("evil", b'0', 0).patch(345, long(150));
    refuses(
        &tar().pax(&[("path", &path)]).head(&lying).end(),
        Defect::TarPaxDisagrees,
    );
    // A short prefix field, with two times behind it: node-tar again.
    let timed = head("name", b'0', 0)
        .patch(345, "front")
        .patch(476, "14000000000\x0014000000000\0");
    accepts(&tar().head(&timed).end(), &["front/name"]);
    let hidden = head("name", b'0', 0).patch(345, "front\0evil");
    refuses(&tar().head(&hidden).end(), Defect::ControlCharacter);
}

#[test]
fn a_gnu_long_name_and_its_header_are_one_name() {
    let name = long(150);
    let gnu = |path: &str, header: &str| {
        let file = head(header, b'0', 0).gnu();
        tar().long_name(b'L', path).head(&file).end()
    };
    accepts(&gnu(&name, &name), &[&name]);
    refuses(&gnu(&name, "innocent.txt"), Defect::TarPaxDisagrees);
    refuses(&gnu("short", "other"), Defect::TarPaxDisagrees);
    let target = long(120);
    let inside = format!("{}/{target}", name.rsplit_once('/').unwrap().0);
    let link = |header: &str| {
        tar()
            .long_name(b'K', &target)
            .long_name(b'L', &name)
            .link(&name, header)
            .pax(&[("path", &inside)])
            .file(&inside, "")
            .end()
    };
    accepts(&link(&target), &[&inside, &name]);
    refuses(&link("elsewhere"), Defect::TarPaxDisagrees);
    let on_file = tar().long_name(b'K', &target).file("a", "").end();
    refuses(&on_file, Defect::TarPaxDisagrees);
    for body in ["no end", "in\0side\0", "\0", "", "two ends\0\0"] {
        let broken = tar().extension(b'L', body).file("in", "").end();
        refuses(&broken, Defect::TarLongNameNul);
    }
}

#[test]
fn a_pax_link_and_its_header_are_one_link() {
    let target = long(120);
    let pax = |path: &str, header: &str| {
        tar()
            .pax(&[("linkpath", path)])
            .link("0", header)
            .pax(&[("path", path)])
            .file(path, "")
            .end()
    };
    accepts(&pax(&target, &target), &["0", &target]);
    accepts(&pax("b", "b"), &["0", "b"]);
    accepts(&pax("ü", "?"), &["0", "ü"]);
    accepts(&pax(&target, "././@LongSymLink"), &["0", &target]);
    refuses(&pax("b", "c"), Defect::TarPaxDisagrees);
    refuses(&pax("b", ""), Defect::TarPaxDisagrees);
    refuses(&pax("b", "././@LongSymLink"), Defect::TarPaxDisagrees);
    refuses(&pax(&target, "c"), Defect::TarPaxDisagrees);
    let on_file = tar().pax(&[("linkpath", "b")]).file("a", "").end();
    refuses(&on_file, Defect::TarPaxDisagrees);
}

#[test]
fn a_pax_size_and_its_header_are_one_size() {
    let pax = |size: &str, header: u64| {
        tar()
            .pax(&[("size", size)])
            .head(&head("a", b'0', header))
            .body("hello")
            .end()
    };
    accepts(&pax("5", 5), &["a"]);
    refuses(&pax("5", 0), Defect::TarPaxDisagrees);
    refuses(&pax("0", 5), Defect::TarPaxDisagrees);
    refuses(&pax("6", 5), Defect::TarPaxDisagrees);
    refuses(&pax("1024", 5), Defect::TarPaxDisagrees);
    // Too large for the header, and so for us: but they do agree.
    refuses(&pax("9000000000", 0), Defect::FileBytes);
    refuses(&pax("9000000000", 5), Defect::TarPaxDisagrees);
    for size in ["-5", "05", "0x5", "5 ", "5.0", "18446744073709551616"] {
        refuses(&pax(size, 5), Defect::TarNumber);
    }
    let folder = tar().pax(&[("size", "512")]);
    let folder = folder.head(&head("a", b'5', 512)).body([0; 512]).end();
    refuses(&folder, Defect::TarSizeOnNonFile);
}

#[test]
fn pax_records_are_whole_and_known() {
    let records = |bytes: &[u8]| tar().extension(b'x', bytes).file("a", "").end();
    accepts(
        &tar()
            .pax(&[
                ("path", "a"),
                ("mtime", "1700000000.123456789"),
                ("atime", "1700000000"),
                ("ctime", "0.5"),
                ("uid", "4000000"),
                ("gid", "0"),
                ("uname", "jürgen"),
                ("gname", ""),
                ("SCHILY.dev", "64"),
                ("SCHILY.ino", "123"),
                ("SCHILY.nlink", "1"),
                ("LIBARCHIVE.creationtime", "1700000000.1"),
            ])
            .file("a", "")
            .end(),
        &["a"],
    );
    for malformed in [
        &b"8 path=a"[..],
        b"9 path=a\n ",
        b"99 path=a\n",
        b"3 a\n",
        b"0 path=a\n",
        b"09 path=a\n",
        b" 9 path=a\n",
        b"-9 path=a\n",
        b"5 =a\n",
        b"7 path\n",
        b"path=a\n",
        b"9 path=a\0",
        b"18446744073709551625 path=a\n",
        b"\0\0\0\0",
        b"11 path=a\0b\n",
    ] {
        refuses(&records(malformed), Defect::TarPaxMalformed);
    }
    let huge = record("uname", &[b'x'; 70_000]);
    refuses(&records(&huge), Defect::TarPaxMalformed);
    refuses(&records(b""), Defect::TarPaxEmpty);
    refuses(&records(b"8 path=\n"), Defect::TarPaxEmpty);
    refuses(&records(b"9 mtime=\n"), Defect::TarPaxEmpty);
    refuses(&records(b"9 path=a\n9 path=a\n"), Defect::TarPaxDuplicate);
    for key in [
        "comment",
        "hdrcharset",
        "charset",
        "PATH",
        "MSWINDOWS.rawsd",
    ] {
        let unknown = tar().pax(&[(key, "x")]).file("a", "").end();
        refuses(&unknown, Defect::TarPaxUnknown);
    }
    for key in ["GNU.sparse.major", "GNU.sparse.name", "GNU.sparse.map"] {
        let sparse = tar().pax(&[(key, "1")]).file("a", "").end();
        refuses(&sparse, Defect::TarSparse);
    }
    for (key, value) in [
        ("mtime", "-1"),
        ("mtime", "soon"),
        ("atime", "1.x"),
        ("uid", "-1"),
        ("gid", "99999999999999999999"),
    ] {
        let number = tar().pax(&[(key, value)]).file("a", "").end();
        refuses(&number, Defect::TarNumber);
    }
}

#[test]
fn an_extension_belongs_to_exactly_one_entry() {
    let pax = || tar().pax(&[("path", "a")]);
    let gnu = |tar: Tar| tar.long_name(b'L', "a");
    refuses(&gnu(pax()).file("a", "").end(), Defect::TarPaxAndGnu);
    let reversed = gnu(tar()).pax(&[("path", "a")]).file("a", "").end();
    refuses(&reversed, Defect::TarPaxAndGnu);
    let twice = pax().pax(&[("mtime", "0")]).file("a", "").end();
    refuses(&twice, Defect::TarDoubleExtension);
    refuses(
        &gnu(gnu(tar())).file("a", "").end(),
        Defect::TarDoubleExtension,
    );
    refuses(&pax().end(), Defect::TarPaxDangling);
    refuses(&pax().0, Defect::TarPaxDangling);
    refuses(&gnu(tar()).end(), Defect::TarPaxDangling);
    let global = tar().extension(b'g', record("comment", b"x"));
    refuses(&global.clone().file("a", "").end(), Defect::TarPaxGlobal);
    refuses(&global.end(), Defect::TarPaxGlobal);
}

#[test]
fn a_number_is_plain_octal_or_a_positive_binary() {
    let size = |bytes: &[u8]| {
        let mut file = head("a", b'0', 0);
        file.size = bytes.to_vec();
        tar().head(&file).body("hello").end()
    };
    accepts(&size(b"00000000005\0"), &["a"]);
    accepts(&size(b"          5 "), &["a"]);
    accepts(&size(b"000000000005"), &["a"]);
    accepts(&size(b"\x80\0\0\0\0\0\0\0\0\0\0\x05"), &["a"]);
    for bad in [
        &b"\0\0\0\0\0\0\0\0\0\0\0\0"[..],
        b"            ",
        b"-0000000005\0",
        b"00000000008\0",
        b"5\x005\0\0\0\0\0\0\0\0\0",
        b"0x000000005\0",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x80\x01\0\0\0\0\0\0\0\0\0\x05",
        b"\x81\0\0\0\0\0\0\0\0\0\0\x05",
    ] {
        refuses(&size(bad), Defect::TarNumber);
    }
    let huge = size(b"\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff");
    refuses(&huge, Defect::FileBytes);
    let owner = |bytes: &[u8]| tar().head(&head("a", b'0', 0).patch(108, bytes)).end();
    accepts(&owner(b"\x80\0\0\0\x40\0\0\0"), &["a"]);
    accepts(&owner(b"\0\0\0\0\0\0\0\0"), &["a"]);
    refuses(
        &owner(b"\xff\xff\xff\xff\xff\xff\xff\xfe"),
        Defect::TarNumber,
    );
    refuses(&owner(b"nobody\0\0"), Defect::TarNumber);
    let mode = |mode: &str| tar().head(&head("a", b'0', 0).mode(mode)).end();
    accepts(&mode("100644 \0"), &["a"]);
    refuses(&mode("120777 \0"), Defect::TarNumber);
    refuses(&mode("\0\0\0\0\0\0\0\0"), Defect::TarNumber);
}

#[test]
fn a_header_is_what_it_says() {
    let mut wrong = head("a", b'0', 0);
    wrong.checksum_off_by = 1;
    refuses(&tar().head(&wrong).end(), Defect::TarChecksum);
    for magic in [
        *b"\0\0\0\0\0\0\0\0",
        *b"ustar\x0001",
        *b"ustar\0\0\0",
        *b"USTAR\x0000",
    ] {
        let mut old = head("a", b'0', 0);
        old.magic = magic;
        refuses(&tar().head(&old).end(), Defect::TarMagic);
    }
    // Python would take this for the front of the name, GNU tar for a time.
    let gnu = head("a", b'0', 0).gnu().patch(345, "evil");
    refuses(&tar().head(&gnu).end(), Defect::TarMagic);
    let star = head("a", b'0', 0).patch(508, "tar\0");
    refuses(&tar().head(&star).end(), Defect::TarMagic);
    refuses(&[b'x'; 2048], Defect::TarMagic);
}

#[test]
fn the_end_is_two_empty_blocks_and_nothing_more() {
    let one = || tar().file("a", "x");
    refuses(b"", Defect::TarNoEnd);
    refuses(&one().0, Defect::TarNoEnd);
    refuses(&one().raw([0; 512]).0, Defect::TarNoEnd);
    accepts(&one().raw([0; 1024]).0, &["a"]);
    accepts(&one().raw([0; 20 * 512]).0, &["a"]);
    accepts(&tar().end(), &[]);
    let after = |zeros: usize| one().raw(vec![0; zeros]).file("b", "").end();
    refuses(&after(512), Defect::TarAfterEnd);
    refuses(&after(1024), Defect::TarAfterEnd);
    refuses(&after(10240), Defect::TarAfterEnd);
    let hidden = [one().end(), vec![0; 511], vec![1]].concat();
    refuses(&hidden, Defect::TarAfterEnd);
    refuses(&one().raw(vec![0; 2 << 20]).0, Defect::TarAfterEnd);
    refuses(&one().raw([0; 1500]).0, Defect::Truncated);
    refuses(&one().0[..600], Defect::Truncated);
    refuses(&one().0[..100], Defect::Truncated);
    let body = tar().head(&head("a", b'0', 5000)).body("too little").0;
    refuses(&body, Defect::Truncated);
}

#[test]
fn a_gzip_stream_is_one_whole_member() {
    let plain = tar().file("a", "hello").end();
    let good = gzip(&plain);
    let length = good.len();
    let with = |at: usize, byte: u8| {
        let mut bad = good.clone();
        bad[at] ^= byte;
        bad
    };
    for end in [3, 9, 10, 30, length - 9, length - 8, length - 4, length - 1] {
        refuses_packed(&good[..end], Defect::Truncated);
    }
    refuses_packed(&with(length - 8, 1), Defect::WrongCrc);
    refuses_packed(&with(length - 4, 1), Defect::WrongLength);
    refuses_packed(&with(2, 1), Defect::Corrupt);
    refuses_packed(&with(3, 0x20), Defect::Corrupt);
    refuses_packed(&with(10, 0b110), Defect::Corrupt);
    refuses_packed(&[&good[..], &good].concat(), Defect::GzipMembers);
    let empty_member = [&good[..], &gzip(b"")].concat();
    refuses_packed(&empty_member, Defect::GzipMembers);
    // Half a tar in each of two members: some readers join them.
    let (front, back) = plain.split_at(512);
    let halves = [gzip(front), gzip(back)].concat();
    assert!(open(&halves).is_err());
    refuses_packed(&[&good[..], b"\0"].concat(), Defect::GzipTrailing);
    refuses_packed(&[&good[..], b"\x1f"].concat(), Defect::GzipTrailing);
    refuses_packed(&[&good[..], b"PK\x03\x04"].concat(), Defect::GzipTrailing);
}

#[test]
fn a_gzip_header_may_carry_what_gzip_writes() {
    let plain = tar().file("a", "hello").end();
    let good = gzip(&plain);
    let mut header = vec![0x1f, 0x8b, 8, 0b11111, 1, 2, 3, 4, 2, 3];
    header.extend_from_slice(b"\x03\x00abc");
    header.extend_from_slice(b"name.tar\0a comment\0");
    let crc = crc32fast::hash(&header) as u16;
    let whole = |crc: u16| [&header[..], &crc.to_le_bytes(), &good[10..]].concat();
    assert_eq!(names(&open(&whole(crc)).unwrap()), ["a"]);
    refuses_packed(&whole(crc ^ 1), Defect::WrongCrc);
    refuses_packed(&header, Defect::Truncated);
    refuses_packed(&header[..13], Defect::Truncated);
    refuses_packed(&header[..20], Defect::Truncated);
}

/// Writes a zstd frame of raw blocks, with whatever header.
fn zstd_frame(header: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut frame = [b"\x28\xb5\x2f\xfd", header].concat();
    let size = ((bytes.len() as u32) << 3 | 1).to_le_bytes();
    frame.extend_from_slice(&size[..3]);
    frame.extend_from_slice(bytes);
    frame
}

#[test]
fn a_zstd_stream_is_one_whole_frame_with_a_small_window() {
    let plain = tar().file("a", "hello").end();
    let good = zst(&plain);
    for end in [4, 5, 12, good.len() / 2, good.len() - 1] {
        refuses_packed(&good[..end], Defect::Truncated);
    }
    refuses_packed(&[&good[..], &good].concat(), Defect::ZstdFrames);
    refuses_packed(&[&good[..], b"\0"].concat(), Defect::ZstdFrames);
    let skippable = b"\x53\x2a\x4d\x18\x02\0\0\0hi";
    refuses_packed(&[&good[..], skippable].concat(), Defect::ZstdSkippable);
    refuses_packed(&[skippable, &good[..]].concat(), Defect::ZstdSkippable);

    let window = |exponent: u8, mantissa: u8| zstd_frame(&[0, exponent << 3 | mantissa], &plain);
    assert!(open(&window(13, 0)).is_ok(), "8 MiB");
    refuses_packed(&window(13, 1), Defect::ZstdWindow);
    refuses_packed(&window(14, 0), Defect::ZstdWindow);
    refuses_packed(&window(31, 7), Defect::ZstdWindow);
    let single = |size: u32| {
        let header = [&[0b1010_0000][..], &size.to_le_bytes()].concat();
        zstd_frame(&header, &plain)
    };
    assert!(open(&single(plain.len() as u32)).is_ok());
    refuses_packed(&single((8 << 20) + 1), Defect::ZstdWindow);
    assert!(open(&single(plain.len() as u32 + 1)).is_err());
    refuses_packed(&zstd_frame(&[1, 0x58, 7], &plain), Defect::ZstdDictionary);
    assert!(open(&zstd_frame(&[1, 0x58, 0], &plain)).is_ok());
    refuses_packed(&zstd_frame(&[0b1000, 0x58], &plain), Defect::Corrupt);

    let mut checked = good.clone();
    *checked.last_mut().unwrap() ^= 1;
    refuses_packed(&checked, Defect::WrongCrc);
}

#[test]
fn a_plain_tar_is_no_container_of_ours() {
    refuses_packed(&tar().file("a", "x").end(), Defect::UnknownContainer);
}

#[test]
fn a_bomb_is_refused_while_it_unpacks() {
    let limits = Limits {
        total_bytes: 1000,
        file_bytes: 600,
        entries: 3,
        ratio: 200,
    };
    #[track_caller]
    fn check(tar: Vec<u8>, limits: &Limits, expected: Option<Defect>) {
        for packed in [gzip(&tar), zst(&tar)] {
            let result = open_with(&packed, limits);
            assert_eq!(result.err().and_then(|e| e.defect()), expected);
        }
    }
    let files = |sizes: &[usize]| {
        sizes
            .iter()
            .enumerate()
            .fold(tar(), |tar, (n, size)| {
                tar.file(format!("f{n}"), vec![b'x'; *size])
            })
            .end()
    };
    check(files(&[600, 400]), &limits, None);
    check(files(&[601]), &limits, Some(Defect::FileBytes));
    check(files(&[600, 401]), &limits, Some(Defect::TotalBytes));
    check(files(&[1, 1, 1]), &limits, None);
    check(files(&[1, 1, 1, 1]), &limits, Some(Defect::EntryCount));
    let folders = tar().folder("a").folder("b").folder("c").folder("d");
    check(folders.end(), &limits, Some(Defect::EntryCount));
    let implied = |name: &str| tar().file(name, "x").end();
    check(implied("a/b/c"), &limits, None);
    check(implied("a/b/c/d"), &limits, Some(Defect::EntryCount));

    let zeros = |length: usize| tar().file("zeros", vec![0; length]).end();
    check(zeros(15 << 20), &Limits::default(), None);
    check(zeros(40 << 20), &Limits::default(), Some(Defect::Ratio));
    let patient = Limits {
        ratio: 100_000,
        ..Limits::default()
    };
    check(zeros(40 << 20), &patient, None);
}

#[test]
fn an_archive_that_changes_under_us_is_noticed() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let rewrite = |bytes: &[u8]| {
        file.as_file().set_len(0).unwrap();
        fs_err::write(file.path(), bytes).unwrap();
    };
    let good = gzip(&tar().file("a", "hello").file("b", "world").end());
    for changed in [
        gzip(&tar().file("a", "hullo").file("b", "w0rld").end()),
        gzip(&tar().file("a", "hello").end()),
        gzip(&tar().file("b", "worlds").end()),
        gzip(&tar().file("c", "hello").end()),
        good[..40].to_vec(),
        b"nothing like it".to_vec(),
    ] {
        rewrite(&good);
        let tree = Tree::open(file.path(), &Limits::default()).unwrap();
        assert_eq!(tree.read("b").unwrap().unwrap(), b"world");
        rewrite(&changed);
        let error = tree.read("b").unwrap_err();
        assert_eq!(error.defect(), Some(Defect::ChangedWhileReading), "{error}");
    }
}

#[test]
fn a_flipped_byte_never_panics_and_never_changes_what_is_read() {
    let plain = tar()
        .folder("d/")
        .file("d/a.txt", "some text, some more text, and some text again")
        .pax(&[("path", &long(150))])
        .file(long(150), "long")
        .link("link", "d/a.txt")
        .file("z", [7; 3000])
        .end();
    for good in [gzip(&plain), zst(&plain)] {
        let entries = open(&good).unwrap().entries().to_vec();
        for at in 0..good.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut bad = good.clone();
                bad[at] ^= flip;
                if let Ok(tree) = open(&bad) {
                    assert_eq!(tree.entries(), entries, "byte {at} ^ {flip:#x}");
                }
            }
        }
        for end in 0..good.len() {
            assert!(open(&good[..end]).is_err(), "cut at {end}");
        }
    }
}

#[test]
fn every_defect_here_is_listed_once() {
    let mut sorted = COVERED.to_vec();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted.len(), COVERED.len());
}

#[test]
fn the_zip_slip_tars_are_refused() {
    let Some(folder) = crate::conformance::suite("zip-slip") else {
        return;
    };
    for name in ["zip-slip.tar", "zip-slip-win.tar"] {
        let plain = fs_err::read(folder.join(name)).unwrap();
        for packed in [gzip(&plain), zst(&plain)] {
            let error = open(&packed).unwrap_err();
            let expected = [Defect::ParentComponent, Defect::Backslash];
            assert!(
                error.defect().is_some_and(|d| expected.contains(&d)),
                "{name}: {error}"
            );
        }
    }
}
