//! Packing: the same bytes from the same files, everywhere, and readable by everyone.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;

use attache_package::archive::{Content, PackFile, Packed};
use attache_package::{
    ArchiveError, Compression, Container, Defect, Digest, Entry, Kind, Limits, PackagePath, Tree,
    pack,
};
use proptest::prelude::*;

use crate::support::{given_folder, in_another_process};

const CONTAINERS: [Container; 3] = [Container::Zip, Container::TarGz, Container::TarZst];
const TARS: [Container; 2] = [Container::TarGz, Container::TarZst];

fn file(path: &str, bytes: impl Into<Vec<u8>>) -> PackFile {
    PackFile::bytes(PackagePath::new(path).unwrap(), bytes.into())
}

fn script(path: &str, bytes: &str) -> PackFile {
    PackFile {
        executable: true,
        ..file(path, bytes)
    }
}

fn link(path: &str, target: &str) -> PackFile {
    PackFile {
        size: 0,
        content: Content::Link(target.to_owned()),
        ..file(path, target)
    }
}

/// Text that compresses about as well as prose, the same on every run.
fn prose(length: usize, seed: u64) -> Vec<u8> {
    const WORDS: [&str; 16] = [
        "agent ",
        "the ",
        "of ",
        "package ",
        "and ",
        "tool ",
        "a ",
        "manifest ",
        "to ",
        "runs ",
        "when ",
        "asked, ",
        "signed ",
        "by ",
        "version ",
        "in\n",
    ];
    let mut random = Random(seed);
    let mut text = Vec::with_capacity(length + 16);
    while text.len() < length {
        text.extend_from_slice(WORDS[(random.next() >> 33) as usize % WORDS.len()].as_bytes());
    }
    text.truncate(length);
    text
}

/// Bytes that do not compress at all.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    (0..length).map(|_| (random.next() >> 40) as u8).collect()
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 29
    }
}

fn level(level: u8) -> Compression {
    Compression::new(level).unwrap()
}

fn packed_with(tree: &Tree, container: Container, compression: Compression) -> Vec<u8> {
    let mut out = Vec::new();
    let Packed { digest, size } = pack(tree, container, compression, &mut out).unwrap();
    assert_eq!((digest, size), (Digest::of(&out), out.len() as u64));
    out
}

fn packed(tree: &Tree, container: Container) -> Vec<u8> {
    packed_with(tree, container, Compression::default())
}

fn open(bytes: &[u8]) -> Result<Tree, ArchiveError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().write_all(bytes).unwrap();
    Tree::open(file.path(), &Limits::default())
}

fn contents(tree: &Tree) -> Vec<(Entry, Vec<u8>)> {
    let mut all = Vec::new();
    tree.visit(
        |_| true,
        |entry, reader| {
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).unwrap();
            all.push((entry.clone(), bytes));
            Ok(())
        },
    )
    .unwrap();
    all
}

/// Every kind of small entry that has a way of its own through the writers.
fn small(links: bool) -> Vec<PackFile> {
    let mut files = vec![
        file("manifest.json", "{}"),
        script("bin/run.sh", "#!/bin/sh\necho hello\n"),
        file("empty", ""),
        file("one", "1"),
        file("prompts/日本語.md", "こんにちは"),
        file(&format!("{}/{}", "p".repeat(90), "n".repeat(90)), "split"),
        file(&"n".repeat(180), "long"),
        file(&format!("ü/{}", "ö".repeat(90)), "long and not ASCII"),
        file("noise", noise(5000, 1)),
        file("prose.txt", prose(100_000, 1)),
    ];
    if links {
        files.push(link("bin/link", "run.sh"));
        files.push(link("bin/back", "../manifest.json"));
        files.push(link("bin/long", &format!("../{}", "n".repeat(180))));
        files.push(link("bin/ünicode", "../prompts/日本語.md"));
        files.push(link("bin/folder", "../ü/"));
    }
    files
}

/// The small entries, enough others for two batches, and some too large to be held.
fn mixed(links: bool) -> Vec<PackFile> {
    let mut files = small(links);
    files.extend([
        file("large/prose.txt", prose((4 << 20) + 17, 2)),
        file("large/exact.txt", prose(5 << 20, 3)),
        file("large/noise", noise((4 << 20) + 1, 4)),
    ]);
    files.extend((0..3).map(|n| file(&format!("many/{n}.txt"), prose(3 << 20, n))));
    files
}

/// Puts the contents of `files` on disk.
fn on_disk(files: &[PackFile], folder: &Path) -> Vec<PackFile> {
    let place = |(n, file): (usize, &PackFile)| {
        let Content::Bytes(bytes) = &file.content else {
            return file.clone();
        };
        let path = folder.join(n.to_string());
        fs_err::write(&path, bytes).unwrap();
        PackFile {
            content: Content::Disk(path),
            ..file.clone()
        }
    };
    files.iter().enumerate().map(place).collect()
}

fn on_threads<T: Send>(count: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build()
        .unwrap()
        .install(work)
}

#[test]
fn the_bytes_depend_on_nothing_but_the_files() {
    let folder = tempfile::tempdir().unwrap();
    for container in CONTAINERS {
        let files = mixed(container != Container::Zip);
        let memory = Tree::assembled(files.clone()).unwrap();
        let mut backwards = on_disk(&files, folder.path());
        backwards.reverse();
        let disk = Tree::assembled(backwards).unwrap();
        let once = packed(&memory, container);
        for (threads, tree) in [(1, &memory), (2, &disk), (8, &memory)] {
            let again = on_threads(threads, || packed(tree, container));
            assert!(again == once, "{container:?} on {threads} threads");
        }
    }
}

#[test]
fn an_archive_packs_to_what_its_files_pack_to() {
    let memory = Tree::assembled(mixed(false)).unwrap();
    let archive = open(&packed_with(&memory, Container::TarGz, level(0))).unwrap();
    for container in CONTAINERS {
        let same =
            packed_with(&archive, container, level(1)) == packed_with(&memory, container, level(1));
        assert!(same, "{container:?}");
    }
}

#[test]
fn what_was_packed_reads_back_as_it_was() {
    let check = |tree: &Tree, container, n| {
        let back = open(&packed_with(tree, container, level(n))).unwrap();
        assert_eq!(back.container(), container);
        assert_eq!(back.entries(), tree.entries(), "{container:?} level {n}");
        assert!(contents(&back) == contents(tree), "{container:?} level {n}");
    };
    for container in TARS {
        let tree = Tree::assembled(small(true)).unwrap();
        (0..=9).for_each(|n| check(&tree, container, n));
        check(&Tree::assembled(mixed(true)).unwrap(), container, 1);
    }
}

/// A change here changes the digest of every package that anyone builds again.
#[test]
fn the_bytes_are_the_ones_we_shipped() {
    let tree = Tree::assembled([
        file("manifest.json", r#"{"id":"golden"}"#),
        script("bin/run.sh", "#!/bin/sh\necho hello\n"),
        file("prompts/größe.md", prose(20_000, 7)),
        file("data/large.txt", prose(5 << 20, 8)),
        file("data/noise", noise(3000, 9)),
    ])
    .unwrap();
    let digests = CONTAINERS.map(|container| Digest::of(packed(&tree, container)).hex());
    assert_eq!(
        digests,
        [
            "56edf5d2f984a2acdf76b6f6c6a575679fd5c8974d67d0d0a605d3bfa048410e",
            "b8061c579b393c4f153bbae34507b0251a3712da7f87c51a99f843171a8468cf",
            "488a1b5cc078b41300b1b4eeebdd7877517d7d8a553098fc40f0122ad6a895f5",
        ]
    );
}

#[test]
fn a_zip_says_the_same_in_every_reader() {
    for (n, files) in [
        (0, mixed(false)),
        (1, mixed(false)),
        (6, small(false)),
        (9, small(false)),
    ] {
        let tree = Tree::assembled(files).unwrap();
        let bytes = packed_with(&tree, Container::Zip, level(n));
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap();
        assert_eq!(zip.len(), tree.entries().len());
        for (at, (entry, expected)) in contents(&tree).into_iter().enumerate() {
            let mut member = zip.by_index(at).unwrap();
            assert_eq!(member.name().unwrap(), entry.path.as_str());
            let mode = if entry.executable {
                0o10_0755
            } else {
                0o10_0644
            };
            assert_eq!(member.unix_mode(), Some(mode));
            assert_eq!(member.extra_data().unwrap_or_default(), b"");
            let time = member.last_modified().unwrap();
            assert_eq!((time.year(), time.month(), time.day()), (1980, 1, 1));
            let stored = member.compression() == zip::CompressionMethod::Stored;
            assert_eq!(stored, member.compressed_size() == member.size());
            if n == 0 || entry.path.as_str().contains("noise") || entry.size < 2 {
                assert!(stored, "{}", entry.path);
            } else if entry.size > 1000 {
                assert!(!stored, "{}", entry.path);
            }
            let mut bytes = Vec::new();
            member.read_to_end(&mut bytes).unwrap();
            assert!(bytes == expected, "{} at level {n}", entry.path);
        }
    }
}

/// A file of more packed bytes than are held.
fn with_large_file() -> Tree {
    let mut bytes = noise(17 << 20, 5);
    bytes.extend(prose(1 << 20, 6));
    let files = [("a", b"before".to_vec()), ("large", bytes), ("z", vec![0])];
    Tree::from_bytes(files).unwrap()
}

/// Without a place for temporary files it is packed twice.
#[test]
fn a_file_too_large_to_hold_needs_no_temporary_files() {
    if let Some(folder) = given_folder() {
        assert!(tempfile::tempfile().is_err());
        let bytes = packed_with(&with_large_file(), Container::Zip, level(1));
        return fs_err::write(folder.join("out"), bytes).unwrap();
    }
    let dir = tempfile::tempdir().unwrap();
    let this = "pack::a_file_too_large_to_hold_needs_no_temporary_files";
    in_another_process(this, "export TMPDIR=/there/is/none", dir.path());
    let bytes = fs_err::read(dir.path().join("out")).unwrap();
    assert!(bytes == packed_with(&with_large_file(), Container::Zip, level(1)));
}

#[test]
fn a_file_too_large_to_hold_is_written_whole() {
    let tree = with_large_file();
    let packed = packed_with(&tree, Container::Zip, level(1));
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&packed)).unwrap();
    for (entry, expected) in contents(&tree) {
        let mut member = zip.by_name(entry.path.as_str()).unwrap();
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes).unwrap();
        assert!(bytes == expected, "{}", entry.path);
    }
    let large = zip.by_name("large").unwrap();
    assert!((17 << 20..18 << 20).contains(&large.compressed_size()));
}

#[test]
fn a_zip_of_very_many_files_counts_them_right() {
    for count in [65_534, 65_535, 65_537] {
        let names: Vec<String> = (0..count).map(|n| format!("{n:06}")).collect();
        let tree = Tree::from_bytes(names.iter().map(|name| (name.as_str(), Vec::new()))).unwrap();
        let bytes = packed(&tree, Container::Zip);
        let zip64 = bytes.windows(4).any(|four| four == b"PK\x06\x06");
        assert_eq!(zip64, count >= 65_535);
        let zip = zip::ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap();
        assert_eq!(zip.len(), count);
    }
}

#[test]
fn a_zip_holds_no_link() {
    let tree = Tree::assembled([file("a", "x"), link("b", "a")]).unwrap();
    let mut out = Vec::new();
    let error = pack(&tree, Container::Zip, level(6), &mut out).unwrap_err();
    assert_eq!(error.defect(), Some(Defect::SymbolicLink));
    assert!(error.to_string().contains("`b`"), "{error}");
    assert!(out.is_empty());
}

#[test]
fn a_file_that_changed_is_not_packed() {
    let folder = tempfile::tempdir().unwrap();
    for original in [b"hello".to_vec(), prose(5 << 20, 1)] {
        let mut changed = original.clone();
        changed[0] ^= 1;
        let mut longer = original.clone();
        longer.push(b'!');
        for now in [&changed[..], &longer, &original[1..], b""] {
            let files = on_disk(&[file("a", original.clone())], folder.path());
            let tree = Tree::assembled(files).unwrap();
            fs_err::write(folder.path().join("0"), now).unwrap();
            for container in CONTAINERS {
                let error = pack(&tree, container, level(1), &mut std::io::sink()).unwrap_err();
                assert_eq!(
                    error.defect(),
                    Some(Defect::ChangedWhileReading),
                    "{container:?}: {error}"
                );
            }
        }
        let tree = Tree::assembled(on_disk(&[file("a", original)], folder.path())).unwrap();
        fs_err::remove_file(folder.path().join("0")).unwrap();
        for container in CONTAINERS {
            let error = pack(&tree, container, level(1), &mut std::io::sink()).unwrap_err();
            assert_eq!(error.code(), "ATT-IO", "{container:?}: {error}");
        }
    }
}

/// Takes so many bytes and then is full.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if bytes.len() > self.0 {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_and_not_a_short_archive() {
    let tree = Tree::assembled([file("a", noise(2 << 20, 1)), file("b", noise(5 << 20, 2))]);
    let tree = tree.unwrap();
    for container in CONTAINERS {
        for room in [0, 100, 1 << 20, 3 << 20, 7 << 20] {
            let error = pack(&tree, container, level(1), &mut Full(room)).unwrap_err();
            assert_eq!(error.code(), "ATT-IO", "{container:?} with {room}: {error}");
        }
    }
}

/// Runs a tool on an archive, or says that it is not there.
#[expect(clippy::print_stderr, reason = "a test that did not run says so")]
fn run(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    match Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
    {
        Ok(output) => {
            assert!(output.status.success(), "{program}: {output:?}");
            Some(String::from_utf8(output.stdout).unwrap())
        }
        Err(_) => {
            eprintln!("not run: there is no {program} here");
            None
        }
    }
}

#[test]
fn other_tools_read_what_we_write() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: Vec<u8>| {
        fs_err::write(folder.path().join(name), bytes).unwrap();
    };
    let plain = Tree::assembled(mixed(false)).unwrap();
    let linked = Tree::assembled(mixed(true)).unwrap();
    write("a.zip", packed(&plain, Container::Zip));
    write("a.tar.gz", packed(&linked, Container::TarGz));
    write("a.tar.zst", packed(&linked, Container::TarZst));

    let lines = |tree: &Tree| {
        let mut lines: Vec<String> = tree
            .entries()
            .iter()
            .map(|entry| match &entry.kind {
                Kind::File => format!("{} {}", entry.path, entry.digest.hex()),
                Kind::Link { target } => format!("{} -> {target}", entry.path),
            })
            .collect();
        lines.push(String::new());
        lines.join("\n")
    };
    let in_python = "
import hashlib, sys, tarfile, zipfile
sys.stdout.reconfigure(encoding='utf-8')
if sys.argv[1].endswith('.zip'):
    with zipfile.ZipFile(sys.argv[1]) as z:
        assert z.testzip() is None
        for i in z.infolist():
            print(i.filename, hashlib.sha256(z.read(i)).hexdigest())
else:
    with tarfile.open(sys.argv[1]) as t:
        for m in t:
            if m.issym():
                print(m.name, '->', m.linkname)
            else:
                assert m.isreg() and m.uid == m.gid == m.mtime == 0
                print(m.name, hashlib.sha256(t.extractfile(m).read()).hexdigest())
";
    for (archive, tree) in [("a.zip", &plain), ("a.tar.gz", &linked)] {
        if let Some(seen) = run("python3", &["-c", in_python, archive], folder.path()) {
            assert_eq!(seen, lines(tree), "{archive}");
        }
    }
    run("unzip", &["-tq", "a.zip"], folder.path());
    run("zip", &["-Tq", "a.zip"], folder.path());
    run("gzip", &["-t", "a.tar.gz"], folder.path());
    run("zstd", &["-tq", "a.tar.zst"], folder.path());
    for archive in ["a.tar.gz", "a.tar.zst"] {
        let arguments = ["--quoting-style=literal", "-tf", archive];
        if let Some(seen) = run("tar", &arguments, folder.path()) {
            let names: Vec<&str> = linked.entries().iter().map(|e| e.path.as_str()).collect();
            assert_eq!(seen.lines().collect::<Vec<_>>(), names, "{archive}");
        }
    }
}

fn any_file() -> impl Strategy<Value = (String, Vec<u8>, bool, bool)> {
    let part = "[a-c]{1,2}|[a-zß日ü]{1,60}|[x-z]{90,120}";
    let path = proptest::collection::vec(part, 1..4).prop_map(|parts| parts.join("/"));
    let bytes = proptest::collection::vec(prop_oneof![Just(b'a'), any::<u8>()], 0..2000);
    (path, bytes, any::<bool>(), proptest::bool::weighted(0.2))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_tree_survives_a_round_trip(
        files in proptest::collection::vec(any_file(), 0..12),
        n in 0_u8..=9,
    ) {
        let files = files.into_iter().map(|(path, bytes, executable, is_link)| {
            if is_link {
                let up = "../".repeat(path.matches('/').count());
                link(&path, &format!("{up}the end"))
            } else {
                PackFile { executable, ..file(&path, bytes) }
            }
        });
        let files = files.chain([file("the end", "")]);
        // Names that cannot stand together are another test's business.
        let Ok(tree) = Tree::assembled(files) else { return Ok(()) };
        for container in TARS {
            let once = packed_with(&tree, container, level(n));
            let back = open(&once).unwrap();
            prop_assert_eq!(back.entries(), tree.entries());
            prop_assert_eq!(packed_with(&back, container, level(n)), once);
        }
    }
}
