//! What must hold for any bytes at all: one function for each fuzz target, and their seeds.
//!
//! The targets in `fuzz_targets/` only hand their bytes to these, so that `cargo xtask test` can
//! run the same functions over the seeds on the stable toolchain, without libFuzzer. A function
//! returns when a promise held, which includes refusing the bytes, and panics when it did not.

use std::io::Write;

use attache_package::archive::PackFile;
use attache_package::formats::{FormatName, Package, Stage};
use attache_package::text::canonical::rfc8785;
use attache_package::text::{FrontMatter, minify_json, parse_json, parse_yaml};
use attache_package::{
    Compression, Container, Diagnostics, Limits, PackageName, PackagePath, Range, Release, Tree,
    pack,
};
use attache_registry::wire::{Index, IndexLine};
use attache_resolve::Lockfile;

pub mod seeds;

/// Every target by name.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("front_matter", front_matter),
    ("index", index),
    ("json", json),
    ("lockfile", lockfile),
    ("manifest_agentforge", manifest_agentforge),
    ("manifest_holon", manifest_holon),
    ("manifest_lexichord", manifest_lexichord),
    ("manifest_nanobot", manifest_nanobot),
    ("manifest_nexo", manifest_nexo),
    ("range", range),
    ("tar", tar),
    ("tar_gz", archive),
    ("tar_zst", archive),
    ("yaml", yaml),
    ("zip", archive),
];

/// Small, so that a bomb costs the fuzzer nothing and the ratio never decides.
const LIMITS: Limits = Limits {
    total_bytes: 4 << 20,
    file_bytes: 1 << 20,
    entries: 1_000,
    ratio: 200,
};

/// The moment all scaffolds here were made.
const CREATED: &str = "2026-01-01T00:00:00Z";

/// Whatever opens can be packed, and opens again as the same files.
pub fn archive(data: &[u8]) {
    let file = written(data);
    let Ok(tree) = Tree::open(file.path(), &LIMITS) else {
        return;
    };
    let container = tree.container();
    let first = packed(&tree, container);
    let second = written(&first);
    let again = Tree::open(second.path(), &LIMITS).expect("what we pack, we open");
    assert_eq!(tree.entries(), again.entries(), "packing changed the files");
    assert_eq!(
        first,
        packed(&again, container),
        "the same files gave other bytes"
    );
    if let Ok(package) = Package::detect(tree, None) {
        let mut diagnostics = Diagnostics::new(false);
        if let Ok(manifest) = package.read(&mut diagnostics) {
            assert!(manifest.is_some() || !diagnostics.is_valid());
        }
    }
}

/// A tar without its compression, whose checksum would hide everything inside from the fuzzer.
pub fn tar(data: &[u8]) {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    gzip.write_all(data).expect("memory to write to");
    archive(&gzip.finish().expect("memory to write to"));
}

fn written(data: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(data).expect("a temporary file to write to");
    file
}

fn packed(tree: &Tree, container: Container) -> Vec<u8> {
    let mut bytes = Vec::new();
    pack(tree, container, Compression::default(), &mut bytes).expect("what opens can be packed");
    bytes
}

/// A Lexichord manifest among the files it needs.
pub fn manifest_lexichord(data: &[u8]) {
    manifest(FormatName::Lexichord, "manifest.json", data);
}

/// A Nexo manifest among the files it needs.
pub fn manifest_nexo(data: &[u8]) {
    manifest(FormatName::Nexo, "manifest.yaml", data);
}

/// A Holon manifest among the files it needs.
pub fn manifest_holon(data: &[u8]) {
    manifest(FormatName::Holon, "manifest.json", data);
}

/// An AgentForge manifest among the files it needs.
pub fn manifest_agentforge(data: &[u8]) {
    manifest(FormatName::AgentForge, "manifest.json", data);
}

/// A Nanobot agent, skill or task among the others; the first byte says which.
pub fn manifest_nanobot(data: &[u8]) {
    let Some((choice, data)) = data.split_first() else {
        return;
    };
    let files = scaffold(FormatName::Nanobot);
    let documents: Vec<_> = files
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| path.ends_with(".md"))
        .collect();
    let path = documents[usize::from(*choice) % documents.len()].to_owned();
    manifest(FormatName::Nanobot, &path, data);
}

/// Reading gives a manifest or says why not, and being lenient never finds more errors.
fn manifest(name: FormatName, path: &str, data: &[u8]) {
    let mut files = scaffold(name);
    let place = PackagePath::new(path).expect("a good path");
    files.retain(|file| file.path != place);
    files.push(PackFile::bytes(place, data.to_vec()));
    let tree = Tree::assembled(files).expect("a scaffold is a tree");
    let format = name.format();
    for stage in [Stage::Source, Stage::Packed] {
        let mut strict = Diagnostics::new(false);
        let Ok(manifest) = format.read(&tree, stage, &mut strict) else {
            continue;
        };
        assert!(
            manifest.is_some() || !strict.is_valid(),
            "neither manifest nor error"
        );
        let mut lenient = Diagnostics::new(true);
        let _ = format.read(&tree, stage, &mut lenient);
        assert!(
            lenient.errors().len() <= strict.errors().len(),
            "lenient found more: {:?}",
            lenient.errors()
        );
        if let Some(manifest) = manifest.filter(|_| strict.is_valid()) {
            let _ = format.export(
                &tree,
                &manifest,
                &mut attache_package::convert::Losses::default(),
            );
        }
    }
}

/// Returns the files of a fresh agent.
fn scaffold(name: FormatName) -> Vec<PackFile> {
    let id: PackageName = "com.example.fuzz".parse().expect("a good name");
    let files = name.format().scaffold(&id, CREATED);
    files
        .expect("a name that every format takes")
        .into_iter()
        .map(|file| PackFile {
            executable: file.executable,
            ..PackFile::bytes(
                PackagePath::new(file.path).expect("a good path"),
                file.bytes,
            )
        })
        .collect()
}

/// A range, and on a second line a version: the range's text form holds the same versions.
pub fn range(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let (text, version) = text.split_once('\n').unwrap_or((text, "1.2.3"));
    let Ok(range) = text.parse::<Range>() else {
        return;
    };
    let again: Range = range.to_string().parse().expect("its text form is a range");
    if let Ok(version) = version.parse::<Release>() {
        assert_eq!(
            range.contains(&version),
            again.contains(&version),
            "{version} in {range}"
        );
    }
}

/// Markdown with YAML in front: the body is the end of the document.
pub fn front_matter(data: &[u8]) {
    if let Ok(document) = FrontMatter::parse(data) {
        assert!(data.ends_with(document.body.as_bytes()));
    }
}

/// JSON keeps its meaning without its white space and in its canonical form.
pub fn json(data: &[u8]) {
    let Ok(value) = parse_json(data) else {
        assert!(minify_json(data).is_none());
        return;
    };
    let minified = minify_json(data).expect("what parses can be minified");
    assert_eq!(parse_json(&minified).as_ref(), Ok(&value));
    let canonical = rfc8785(&value);
    let again = parse_json(&canonical).expect("the canonical form is strict JSON");
    assert_eq!(rfc8785(&again), canonical);
}

/// Whatever is read as a lock is written as a text that reads back as the same lock.
pub fn lockfile(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let Ok(lock) = Lockfile::parse(text) else {
        return;
    };
    let written = lock.to_string();
    let again = Lockfile::parse(&written).expect("what we write, we read");
    assert_eq!(again, lock);
    assert_eq!(again.to_string(), written);
}

/// Whatever an index lists can be listed again, and reads back as the same.
pub fn index(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let Ok(found) = Index::read(text) else {
        return;
    };
    for id in found.names() {
        let lines: Result<Vec<_>, _> = found.versions(id).collect();
        let Ok(lines) = lines else { continue };
        let lines: Vec<IndexLine<'_>> = lines.into_iter().map(|(_, line)| line).collect();
        assert!(lines.iter().all(|line| line.id == id));
        let written = IndexLine::document(None, lines.clone()).expect("lines can be written");
        let again = Index::read(&written).expect("what we write, we read");
        let again = again
            .versions(id)
            .map(|line| line.expect("what we write, we read").1);
        let mut again: Vec<IndexLine<'_>> = again.collect();
        let mut lines = lines;
        lines.sort_by(|a, b| a.version.cmp(&b.version));
        again.sort_by(|a, b| a.version.cmp(&b.version));
        assert_eq!(again, lines);
    }
}

/// YAML has one meaning.
pub fn yaml(data: &[u8]) {
    assert_eq!(parse_yaml(data), parse_yaml(data));
}
