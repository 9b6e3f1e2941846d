//! Bundles against the schema and document that Holon publishes.

use attache_package::archive::PackFile;
use attache_package::build::{BuildOptions, Draft};
use attache_package::formats::holon::Holon;
use attache_package::formats::{Format as _, FormatName, Package, Stage};
use attache_package::{Diagnostics, PackagePath, Tree};
use serde_json::Value;

use crate::conformance;

fn bundle(manifest: &Value) -> Tree {
    let file = |path: &str, bytes: Vec<u8>, executable| PackFile {
        executable,
        ..PackFile::bytes(PackagePath::new(path).unwrap(), bytes)
    };
    Tree::assembled([
        file("manifest.json", manifest.to_string().into_bytes(), false),
        file("bin/agent", b"#!/bin/sh\n".to_vec(), true),
    ])
    .unwrap()
}

fn errors(manifest: &Value) -> Vec<String> {
    let mut diagnostics = Diagnostics::new(false);
    let read = Holon
        .read(&bundle(manifest), Stage::Packed, &mut diagnostics)
        .unwrap();
    assert!(read.is_some() || !diagnostics.is_valid());
    diagnostics
        .errors()
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn the_examples_of_the_published_schema_get_its_verdict() {
    let Some(folder) = conformance::suite("holon") else {
        return;
    };
    let text = fs_err::read_to_string(folder.join("bundle.manifest.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let ours = Holon.manifest_schema();
    let examples = schema["examples"].as_array().unwrap();
    assert_eq!(examples.len(), 3);
    for (example, valid) in examples.iter().zip([true, true, false]) {
        assert_eq!(jsonschema::is_valid(&schema, example), valid, "theirs");
        assert_eq!(errors(example).is_empty(), valid, "{:?}", errors(example));
        assert_eq!(jsonschema::is_valid(&ours, example), valid, "ours");
    }

    // What we write validates against what they publish.
    let new = Holon.scaffold(&"x".parse().unwrap(), "").unwrap();
    let mut draft = Draft {
        files: Default::default(),
    };
    for file in new {
        draft.put(file.path, file.bytes).unwrap();
    }
    Holon.finish(&mut draft, &BuildOptions::default()).unwrap();
    let written = draft.read("manifest.json").unwrap().unwrap();
    let written: Value = serde_json::from_slice(&written).unwrap();
    assert!(jsonschema::is_valid(&schema, &written), "{written}");
}

#[test]
fn the_manifest_in_the_document_is_valid() {
    let Some(folder) = conformance::suite("../specs") else {
        return;
    };
    let text = fs_err::read_to_string(folder.join("holon-bundle.md")).unwrap();
    let (_, rest) = text.split_once("```json\n").unwrap();
    let (json, _) = rest.split_once("```").unwrap();
    let manifest: Value = serde_json::from_str(json).unwrap();
    assert_eq!(errors(&manifest), [""; 0]);
    let package = Package::detect(bundle(&manifest), Some(FormatName::Holon)).unwrap();
    let read = package.read(&mut Diagnostics::new(false)).unwrap().unwrap();
    assert_eq!(
        Holon.file_name(&read, attache_package::Container::TarGz),
        "agent-bundle-agent-claude-0.1.0-linux-amd64-glibc.tar.gz",
        "the example that the document gives"
    );
}
