//! What we write is valid by AgentForge's own schema, and what that schema refuses, we refuse.
//!
//! The schema is read from the folder named by `ATTACHE_CONFORMANCE`.

#![expect(clippy::unwrap_used, reason = "tests")]

use attache_package::build::{BuildOptions, Draft};
use attache_package::convert::Losses;
use attache_package::formats::{Format, FormatName, Stage, agentforge};
use attache_package::{Diagnostics, PackagePath, Tree, archive::PackFile};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::conformance::suite;

fn schema() -> Option<Validator> {
    let path = suite("agentforge")?.join("agent_pack_manifest_v0.1.schema.json");
    let schema: Value = serde_json::from_slice(&fs_err::read(path).unwrap()).unwrap();
    Some(jsonschema::validator_for(&schema).unwrap())
}

fn forge() -> &'static dyn Format {
    FormatName::AgentForge.format()
}

/// Finishes a source folder and returns its manifest, and the tree it is in.
fn build(files: Vec<(String, Vec<u8>)>, key: Option<&[u8]>) -> (Value, Tree) {
    let files = files.into_iter().map(|(path, bytes)| {
        let path = PackagePath::new(&path).unwrap();
        (path.clone(), PackFile::bytes(path, bytes))
    });
    let mut draft = Draft {
        files: files.collect(),
    };
    let options = BuildOptions {
        hmac_key: key.map(<[u8]>::to_vec),
        ..BuildOptions::default()
    };
    forge().finish(&mut draft, &options).unwrap();
    let manifest = draft.read("manifest.json").unwrap().unwrap();
    (
        serde_json::from_slice(&manifest).unwrap(),
        draft.into_tree().unwrap(),
    )
}

fn scaffold() -> Vec<(String, Vec<u8>)> {
    let id = "demo".parse().unwrap();
    let files = forge().scaffold(&id, "2026-01-31T12:00:00Z").unwrap();
    files
        .into_iter()
        .map(|f| (f.path.to_owned(), f.bytes))
        .collect()
}

#[track_caller]
fn check(schema: &Validator, manifest: &Value) {
    let errors: Vec<_> = schema
        .iter_errors(manifest)
        .map(|e| e.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}\n{manifest:#}");
}

#[test]
fn what_we_write_is_valid_by_the_published_schema() {
    let Some(schema) = schema() else { return };
    let source = scaffold();
    let (_, manifest) = source
        .iter()
        .find(|(path, _)| path == "manifest.json")
        .unwrap();
    check(&schema, &serde_json::from_slice(manifest).unwrap());
    check(&schema, &build(source.clone(), None).0);
    let (signed, tree) = build(source, Some(b"secret"));
    assert!(signed["signature"].is_string());
    check(&schema, &signed);
    agentforge::check_signature(&tree, b"secret").unwrap();
}

#[test]
fn what_we_convert_is_valid_by_the_published_schema() {
    let Some(schema) = schema() else { return };
    let nexo = FormatName::Nexo.format();
    let id = "com.example.greeter".parse().unwrap();
    let files = nexo.scaffold(&id, "2026-01-31T12:00:00Z").unwrap();
    let tree = Tree::from_bytes(files.into_iter().map(|f| (f.path, f.bytes))).unwrap();
    let mut diagnostics = Diagnostics::new(false);
    let manifest = nexo
        .read(&tree, Stage::Source, &mut diagnostics)
        .unwrap()
        .unwrap();
    let agent = nexo
        .export(&tree, &manifest, &mut Losses::default())
        .unwrap();
    let made = forge().import(&agent, &mut Losses::default());
    let made = made.into_iter().map(|f| (f.path, f.bytes)).collect();
    check(&schema, &build(made, None).0);
}

#[test]
fn what_the_published_schema_refuses_we_refuse() {
    let Some(schema) = schema() else { return };
    let (good, _) = build(scaffold(), None);
    let fields: Vec<String> = good.as_object().unwrap().keys().cloned().collect();
    let wrong = [
        Value::Null,
        json!(""),
        json!(0),
        json!(true),
        json!({}),
        json!([0]),
        json!([{}]),
        json!([""]),
    ];
    let mut mutants = Vec::new();
    for field in fields
        .iter()
        .map(String::as_str)
        .chain(["signature", "extra"])
    {
        for value in &wrong {
            let mut manifest = good.clone();
            manifest[field] = value.clone();
            mutants.push(manifest);
        }
        let mut manifest = good.clone();
        manifest.as_object_mut().unwrap().remove(field);
        mutants.push(manifest);
    }
    for (field, value) in [
        ("path", json!("")),
        ("sha256", json!("AB")),
        ("size", json!(1)),
    ] {
        let mut manifest = good.clone();
        manifest["files"][0][field] = value;
        mutants.push(manifest);
    }
    let mut refused = 0;
    for manifest in mutants {
        if schema.is_valid(&manifest) {
            continue;
        }
        let mut files = scaffold();
        files.retain(|(path, _)| path != "manifest.json");
        files.push((
            "manifest.json".to_owned(),
            serde_json::to_vec(&manifest).unwrap(),
        ));
        let tree = Tree::from_bytes(files.iter().map(|(p, b)| (p.as_str(), b.clone()))).unwrap();
        let mut diagnostics = Diagnostics::new(false);
        forge()
            .read(&tree, Stage::Packed, &mut diagnostics)
            .unwrap();
        assert!(!diagnostics.is_valid(), "{manifest:#}");
        let ours = jsonschema::validator_for(&forge().manifest_schema()).unwrap();
        assert!(!ours.is_valid(&manifest), "{manifest:#}");
        refused += 1;
    }
    assert!(refused > 50, "only {refused} mutants were wrong");
}
