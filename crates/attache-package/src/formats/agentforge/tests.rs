//! Every rule broken once, every promise of the trait kept.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::*;
use crate::archive::PackFile;

mod convert;

type Files = BTreeMap<String, Vec<u8>>;

const TIME: &str = "2026-01-31T12:00:00Z";

/// One change to a good pack.
enum Change {
    /// Sets a field of the manifest; `null` removes it.
    Field(&'static str, Value),
    /// Writes a file without listing it anew.
    Put(&'static str, &'static [u8]),
    /// Removes a file.
    Drop(&'static str),
}

use Change::{Drop, Field, Put};

fn source() -> Files {
    let files = AgentForge.scaffold(&"demo".parse().unwrap(), TIME).unwrap();
    files
        .into_iter()
        .map(|f| (f.path.to_owned(), f.bytes))
        .collect()
}

fn draft(files: &Files) -> Draft {
    let files = files.iter().map(|(path, bytes)| {
        let path = PackagePath::new(path).unwrap();
        (path.clone(), PackFile::bytes(path, bytes.clone()))
    });
    Draft {
        files: files.collect(),
    }
}

fn build(files: &Files, options: &BuildOptions) -> Files {
    let mut draft = draft(files);
    AgentForge.finish(&mut draft, options).unwrap();
    let all = draft
        .files
        .values()
        .map(|f| (f.path.to_string(), f.read().unwrap()));
    all.collect()
}

fn packed() -> Files {
    build(&source(), &BuildOptions::default())
}

fn tree(files: &Files) -> Tree {
    Tree::from_bytes(
        files
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes.clone())),
    )
    .unwrap()
}

fn object(files: &Files) -> Map<String, Value> {
    parse(&files["manifest.json"]).unwrap()
}

fn apply(files: &mut Files, change: Change) {
    match change {
        Put(path, bytes) => {
            files.insert(path.to_owned(), bytes.to_vec());
        }
        Drop(path) => {
            files.remove(path).unwrap();
        }
        Field(name, value) => {
            let mut object = object(files);
            match value {
                Value::Null => object.remove(name),
                value => object.insert(name.to_owned(), value),
            };
            files.insert("manifest.json".to_owned(), manifest::to_json(&object));
        }
    }
}

fn read(files: &Files, stage: Stage, lenient: bool) -> (Option<Manifest>, Diagnostics) {
    let mut diagnostics = Diagnostics::new(lenient);
    let manifest = AgentForge
        .read(&tree(files), stage, &mut diagnostics)
        .unwrap();
    (manifest, diagnostics)
}

fn found(diagnostics: &Diagnostics) -> Vec<(&str, &str)> {
    let all = diagnostics.errors().iter().chain(diagnostics.warnings());
    all.map(|p| (p.code, p.path.as_str())).collect()
}

/// The list of a good pack, with one more line.
fn listed(line: Value) -> Value {
    let mut files = object(&packed())["files"].clone();
    files.as_array_mut().unwrap().push(line);
    files
}

fn line(path: &str) -> Value {
    json!({ "path": path, "sha256": "0".repeat(64) })
}

/// Each change, and what exactly it makes of a good finished pack.
fn broken() -> Vec<(Change, &'static str, &'static str)> {
    let hash = |text: &str| listed(json!({ "path": "x", "sha256": text }));
    vec![
        (Drop("manifest.json"), "ATT-SYNTAX", "manifest.json"),
        (Put("manifest.json", b"[]"), "ATT-SYNTAX", "manifest.json"),
        (
            Put("manifest.json", b"{\"a\":1,\"a\":1}"),
            "ATT-SYNTAX",
            "manifest.json",
        ),
        (
            Field("spec_version", json!("0.2")),
            "ATT-AGENTFORGE-SPEC",
            "manifest.json#/spec_version",
        ),
        (
            Field("spec_version", json!(0.1)),
            "ATT-FIELD-TYPE",
            "manifest.json#/spec_version",
        ),
        (
            Field("spec_version", json!(null)),
            "ATT-FIELD-REQUIRED",
            "manifest.json#/spec_version",
        ),
        (
            Field("name", json!("../demo")),
            "ATT-AGENTFORGE-NAME",
            "manifest.json#/name",
        ),
        (
            Field("name", json!("Demo Pack")),
            "ATT-AGENTFORGE-NAME",
            "manifest.json#/name",
        ),
        (
            Field("name", json!("")),
            "ATT-FIELD-VALUE",
            "manifest.json#/name",
        ),
        (
            Field("version", json!("1/2")),
            "ATT-AGENTFORGE-VERSION",
            "manifest.json#/version",
        ),
        (
            Field("version", json!("..")),
            "ATT-AGENTFORGE-VERSION",
            "manifest.json#/version",
        ),
        (
            Field("version", json!("1\u{202e}2")),
            "ATT-AGENTFORGE-VERSION",
            "manifest.json#/version",
        ),
        (
            Field("version", json!("2026-01")),
            "ATT-AGENTFORGE-VERSION",
            "manifest.json#/version",
        ),
        (
            Field("version", json!(1)),
            "ATT-FIELD-TYPE",
            "manifest.json#/version",
        ),
        (
            Field("version", json!("")),
            "ATT-FIELD-VALUE",
            "manifest.json#/version",
        ),
        (
            Field("created_at", json!("yesterday")),
            "ATT-AGENTFORGE-CREATED",
            "manifest.json#/created_at",
        ),
        (
            Field("created_at", json!(null)),
            "ATT-FIELD-REQUIRED",
            "manifest.json#/created_at",
        ),
        (
            Field("publisher", json!("")),
            "ATT-FIELD-VALUE",
            "manifest.json#/publisher",
        ),
        (
            Field("type", json!("agent_pack")),
            "ATT-AGENTFORGE-TYPE",
            "manifest.json#/type",
        ),
        (
            Field("license", json!("MIT")),
            "ATT-AGENTFORGE-UNKNOWN",
            "manifest.json#/license",
        ),
        (
            Field("files", json!(null)),
            "ATT-FIELD-REQUIRED",
            "manifest.json#/files",
        ),
        (
            Field("files", json!({})),
            "ATT-FIELD-TYPE",
            "manifest.json#/files",
        ),
        (
            Field("files", listed(json!("x"))),
            "ATT-FIELD-TYPE",
            "manifest.json#/files/3",
        ),
        (
            Field("files", listed(line("../x"))),
            "ATT-AGENTFORGE-PATH",
            "manifest.json#/files/3/path",
        ),
        (
            Field("files", listed(line("/etc/x"))),
            "ATT-AGENTFORGE-PATH",
            "manifest.json#/files/3/path",
        ),
        (
            Field("files", listed(line("tools\\x"))),
            "ATT-AGENTFORGE-PATH",
            "manifest.json#/files/3/path",
        ),
        (
            Field("files", listed(line("README.md"))),
            "ATT-AGENTFORGE-PATH",
            "manifest.json#/files/3/path",
        ),
        (
            Field("files", listed(line("readme.md"))),
            "ATT-AGENTFORGE-PATH",
            "manifest.json#/files/3/path",
        ),
        (
            Field("files", listed(line("manifest.json"))),
            "ATT-AGENTFORGE-PATH",
            "manifest.json#/files/3/path",
        ),
        (
            Field("files", hash("")),
            "ATT-FIELD-VALUE",
            "manifest.json#/files/3/sha256",
        ),
        (
            Field("files", hash(&"A".repeat(64))),
            "ATT-AGENTFORGE-HASH",
            "manifest.json#/files/3/sha256",
        ),
        (
            Field("files", hash(&"0".repeat(63))),
            "ATT-AGENTFORGE-HASH",
            "manifest.json#/files/3/sha256",
        ),
        (
            Field("files", listed(line("x"))),
            "ATT-AGENTFORGE-MISSING",
            "manifest.json#/files/3",
        ),
        (
            Put("tools/greet.py", b"evil()"),
            "ATT-AGENTFORGE-MISMATCH",
            "tools/greet.py",
        ),
        (
            Put("tools/more.py", b"evil()"),
            "ATT-AGENTFORGE-UNLISTED",
            "tools/more.py",
        ),
        (
            Put("sub/manifest.json", b"{}"),
            "ATT-AGENTFORGE-UNLISTED",
            "sub/manifest.json",
        ),
        (
            Field("entrypoints", json!(["hello", ""])),
            "ATT-AGENTFORGE-ENTRYPOINT",
            "manifest.json#/entrypoints/1",
        ),
        (
            Field("entrypoints", json!(["gone"])),
            "ATT-AGENTFORGE-ENTRYPOINT",
            "manifest.json#/entrypoints/0",
        ),
        (
            Field("entrypoints", json!([7])),
            "ATT-FIELD-TYPE",
            "manifest.json#/entrypoints/0",
        ),
        (
            Field("entrypoints", json!(null)),
            "ATT-FIELD-REQUIRED",
            "manifest.json#/entrypoints",
        ),
        (
            Field("signature", json!("c2hvcnQ=")),
            "ATT-AGENTFORGE-SIGNATURE",
            "manifest.json#/signature",
        ),
        (
            Field("signature", json!("?")),
            "ATT-AGENTFORGE-SIGNATURE",
            "manifest.json#/signature",
        ),
        (
            Field("signature", json!(7)),
            "ATT-FIELD-TYPE",
            "manifest.json#/signature",
        ),
    ]
}

#[test]
fn every_rule_is_broken_by_something_and_by_nothing_else() {
    let mut codes = BTreeSet::new();
    for (at, (change, code, path)) in broken().into_iter().enumerate() {
        let mut files = packed();
        apply(&mut files, change);
        let (_, diagnostics) = read(&files, Stage::Packed, false);
        assert_eq!(
            found(&diagnostics),
            [(code, path)],
            "case {at}: {diagnostics:?}"
        );
        codes.insert(code);
    }
    for rule in AgentForge.rules() {
        assert!(
            codes.contains(rule.code),
            "{} has no bad example",
            rule.code
        );
    }
}

#[test]
fn odd_versions_times_and_entry_points_are_only_warnings() {
    let mut files = packed();
    for (name, value) in [
        ("version", json!("2026-01")),
        ("created_at", json!("yesterday")),
        ("entrypoints", json!(["gone"])),
    ] {
        apply(&mut files, Field(name, value));
    }
    let (manifest, diagnostics) = read(&files, Stage::Packed, false);
    assert!(diagnostics.is_valid());
    assert_eq!(diagnostics.warnings().len(), 3);
    let manifest = manifest.unwrap();
    assert_eq!(
        (manifest.version.clone(), manifest.created_at.clone()),
        (None, None)
    );
    assert_eq!(AgentForge.file_name(&manifest, Container::Zip), "demo.zip");

    apply(
        &mut files,
        Field("created_at", json!("2026-01-31T12:00:00")),
    );
    apply(&mut files, Field("version", json!("1.0.0-rc.1")));
    let (manifest, diagnostics) = read(&files, Stage::Packed, false);
    assert_eq!(diagnostics.warnings().len(), 1);
    let manifest = manifest.unwrap();
    assert_eq!(manifest.created_at, None, "a local time is no moment");
    assert_eq!(
        AgentForge.file_name(&manifest, Container::Zip),
        "demo-1.0.0-rc.1.zip"
    );
}

#[test]
fn lenient_reading_forgives_fields_of_a_later_revision() {
    let mut files = packed();
    apply(&mut files, Field("license", json!("MIT")));
    let (_, diagnostics) = read(&files, Stage::Packed, true);
    assert!(diagnostics.is_valid());
    assert_eq!(diagnostics.warnings().len(), 1);
}

#[test]
fn an_unknown_specification_is_refused_without_guessing() {
    let mut files = packed();
    apply(&mut files, Field("spec_version", json!("1.0")));
    apply(&mut files, Field("name", json!(["?"])));
    let (manifest, diagnostics) = read(&files, Stage::Packed, true);
    assert_eq!(manifest, None);
    assert_eq!(
        found(&diagnostics),
        [("ATT-AGENTFORGE-SPEC", "manifest.json#/spec_version")]
    );
    assert!(diagnostics.errors()[0].message.contains("`0.1`"));
}

#[test]
fn a_source_may_leave_its_list_to_the_build() {
    let check = |files: &Files| {
        let (_, diagnostics) = read(files, Stage::Source, false);
        diagnostics.into_parts().0
    };
    let mut files = source();
    assert_eq!(check(&files), []);
    apply(&mut files, Field("files", json!(null)));
    assert_eq!(check(&files), []);
    let (_, diagnostics) = read(&files, Stage::Packed, false);
    assert!(!diagnostics.is_valid(), "a finished pack may not");

    let mut files = packed();
    assert_eq!(check(&files), []);
    apply(&mut files, Put("tools/greet.py", b"changed"));
    assert_eq!(check(&files), [], "a stale list stops nobody from building");
    let (_, diagnostics) = read(&files, Stage::Source, false);
    let [problem] = diagnostics.warnings() else {
        panic!()
    };
    assert_eq!(problem.code, "ATT-AGENTFORGE-MISMATCH");
    assert!(problem.message.contains("`attache build`"), "{problem}");
    assert_eq!(check(&build(&files, &BuildOptions::default())), []);
}

#[test]
fn building_lists_every_file_and_signs() {
    let mut files = source();
    apply(&mut files, Put("tools/b.py", b"x"));
    apply(&mut files, Put("tools.md", b"x"));
    apply(&mut files, Field("signature", json!("stale")));
    let plain = build(&files, &BuildOptions::default());
    let manifest = object(&plain);
    assert!(!manifest.contains_key("signature"), "a stale one goes");
    assert_eq!(manifest["created_at"], TIME);
    let paths: Vec<_> = manifest["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        [
            "README.md",
            "tools.md",
            "tools/b.py",
            "tools/greet.py",
            "workflows/hello.json"
        ]
    );
    let text = String::from_utf8(plain["manifest.json"].clone()).unwrap();
    assert!(text.starts_with("{\n  \"created_at\": "), "{text}");
    assert!(text.ends_with("\n}\n"));
    assert!(matches!(
        check_signature(&tree(&plain), b"k"),
        Err(SignatureError::Unsigned)
    ));
    assert_eq!(
        build(&plain, &BuildOptions::default()),
        plain,
        "the same again"
    );

    let options = BuildOptions {
        created_at: Some("2027-01-01T00:00:00Z".to_owned()),
        hmac_key: Some(b"secret".to_vec()),
        ..BuildOptions::default()
    };
    let signed = build(&plain, &options);
    assert_eq!(object(&signed)["created_at"], "2027-01-01T00:00:00Z");
    let (_, diagnostics) = read(&signed, Stage::Packed, false);
    assert_eq!(found(&diagnostics), []);
    check_signature(&tree(&signed), b"secret").unwrap();
    assert!(matches!(
        check_signature(&tree(&signed), b"other"),
        Err(SignatureError::Mismatch)
    ));
}

#[test]
fn what_cannot_be_built_says_why() {
    let code = |files: &Files, options: BuildOptions| match AgentForge
        .finish(&mut draft(files), &options)
        .unwrap_err()
    {
        BuildError::Option { code, .. } => code,
        BuildError::Invalid { problems } => problems[0].code,
        error => panic!("{error}"),
    };
    let plain = BuildOptions::default;
    let metadata = BTreeMap::from([("a".to_owned(), json!(1))]);
    assert_eq!(
        code(
            &source(),
            BuildOptions {
                metadata,
                ..plain()
            }
        ),
        "ATT-BUILD-METADATA"
    );
    assert_eq!(
        code(
            &source(),
            BuildOptions {
                sealed: true,
                ..plain()
            }
        ),
        "ATT-BUILD-SEALED"
    );
    let hmac_key = Some(Vec::new());
    assert_eq!(
        code(
            &source(),
            BuildOptions {
                hmac_key,
                ..plain()
            }
        ),
        "ATT-HMAC-KEY"
    );
    assert_eq!(code(&Files::new(), plain()), "ATT-SYNTAX");
    let goes = |path: &str| AgentForge.includes(&PackagePath::new(path).unwrap(), &plain());
    for (path, expected) in [
        ("workflows/x.json", true),
        ("tools/__pycache__/x.pyc", false),
        (".env", false),
        (".venv/x", false),
        ("examples/x", false),
        ("docs/x", true),
    ] {
        assert_eq!(goes(path), expected, "{path}");
    }
}

#[test]
fn a_pack_is_recognised_by_its_spec_version() {
    let tree = tree(&source());
    assert!(AgentForge.claims(&tree, Some(&object(&source()))));
    assert!(!AgentForge.claims(&tree, Some(&Map::new())));
    assert!(!AgentForge.claims(&tree, None));
}

#[test]
fn a_manifest_says_what_the_pack_brings() {
    let mut files = source();
    for path in [
        "tools/search.yaml",
        "tools/__init__.py",
        "tools/lib/x.py",
        "tools/notes.txt",
    ] {
        apply(&mut files, Put(path, b"x: 1"));
    }
    let (manifest, diagnostics) = read(&files, Stage::Source, false);
    assert_eq!(found(&diagnostics), []);
    let manifest = manifest.unwrap();
    let asked: Vec<_> = manifest
        .capabilities
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(asked, ["code", "tool:greet", "tool:search"]);
    let names = vec!["hello".to_owned(), "greet".to_owned()];
    assert_eq!(manifest.launch, Launch::Entrypoints { names });
    assert_eq!(manifest.created_at.as_deref(), Some(TIME));
}

#[test]
fn the_schema_and_the_reader_agree() {
    let schema = AgentForge.manifest_schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(
        validator.is_valid(&Value::Object(object(&packed()))),
        "{schema:#}"
    );
    // What only the files can tell, and rules finer than a schema of this kind.
    let beyond = [
        "MISSING",
        "MISMATCH",
        "UNLISTED",
        "PATH",
        "VERSION",
        "CREATED",
        "ENTRYPOINT",
    ];
    for (change, code, path) in broken() {
        let Field(name, value) = change else { continue };
        if beyond.iter().any(|end| code.ends_with(end)) && value != json!(["hello", ""]) {
            continue;
        }
        let mut files = packed();
        apply(&mut files, Field(name, value));
        assert!(
            !validator.is_valid(&Value::Object(object(&files))),
            "{code} at {path}"
        );
    }
}

#[test]
fn a_folder_that_lists_or_signs_its_files_is_a_pack() {
    let stage = |files: &Files| AgentForge.stage(&tree(files));
    let mut files = source();
    assert_eq!(stage(&files), Stage::Source);
    apply(&mut files, Field("files", json!(null)));
    assert_eq!(stage(&files), Stage::Source);
    assert!(!is_signed(&tree(&files)).unwrap());
    apply(&mut files, Field("signature", json!("?")));
    assert_eq!(stage(&files), Stage::Packed);
    assert!(is_signed(&tree(&files)).unwrap());

    let mut files = packed();
    apply(&mut files, Put("tools/greet.py", b"changed"));
    let package = crate::formats::Package::detect(tree(&files), None).unwrap();
    let mut diagnostics = Diagnostics::new(false);
    package.read(&mut diagnostics).unwrap();
    let [problem] = diagnostics.errors() else {
        panic!("{:?}", diagnostics.errors())
    };
    assert_eq!(problem.code, "ATT-AGENTFORGE-MISMATCH");
    assert!(problem.message.contains("`attache build`"), "{problem}");
}
