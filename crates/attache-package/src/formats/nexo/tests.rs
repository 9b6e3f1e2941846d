//! Every rule broken once, every promise of the trait kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::json;

use super::*;

mod convert;

type Files = BTreeMap<String, Vec<u8>>;

/// One change to a good agent.
enum Change {
    /// Replaces a field's line in the manifest, or adds it.
    Field(&'static str, &'static str),
    /// Writes a file.
    Put(&'static str, Vec<u8>),
    /// Removes a file.
    Drop(&'static str),
}

use Change::{Drop, Field, Put};

fn text(path: &'static str, text: &str) -> Change {
    Put(path, text.as_bytes().to_vec())
}

/// Made once: drawing the icon is most of a test's time.
static GOOD: LazyLock<Files> = LazyLock::new(|| {
    let id = "com.example.greeter".parse().unwrap();
    let files = Nexo.scaffold(&id, "2026-01-31T12:00:00Z").unwrap();
    files
        .into_iter()
        .map(|f| (f.path.to_owned(), f.bytes))
        .collect()
});

fn good() -> Files {
    GOOD.clone()
}

fn tree(files: &Files) -> Tree {
    Tree::from_bytes(
        files
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes.clone())),
    )
    .unwrap()
}

fn apply(files: &mut Files, change: Change) {
    match change {
        Put(path, bytes) => {
            files.insert(path.to_owned(), bytes);
        }
        Drop(path) => {
            files.remove(path).unwrap();
        }
        Field(name, line) => {
            let old = String::from_utf8(files["manifest.yaml"].clone()).unwrap();
            let others = old.lines().filter(|l| !l.starts_with(&format!("{name}:")));
            let mut lines: Vec<_> = others.collect();
            lines.push(line);
            files.insert(
                "manifest.yaml".to_owned(),
                (lines.join("\n") + "\n").into_bytes(),
            );
        }
    }
}

fn read(files: &Files, stage: Stage, lenient: bool) -> (Option<Manifest>, Diagnostics) {
    let mut diagnostics = Diagnostics::new(lenient);
    let manifest = Nexo.read(&tree(files), stage, &mut diagnostics).unwrap();
    (manifest, diagnostics)
}

fn found(diagnostics: &Diagnostics) -> Vec<(&str, &str)> {
    let all = diagnostics.errors().iter().chain(diagnostics.warnings());
    all.map(|p| (p.code, p.path.as_str())).collect()
}

fn picture(width: u32, height: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().unwrap();
    writer
        .write_image_data(&vec![7; (width * height) as usize])
        .unwrap();
    writer.finish().unwrap();
    out
}

fn animated() -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, 512, 512);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_animated(2, 0).unwrap();
    let mut writer = encoder.write_header().unwrap();
    for _ in 0..2 {
        writer.write_image_data(&vec![7; 512 * 512]).unwrap();
    }
    writer.finish().unwrap();
    out
}

/// An image whose header promises 65535 by 65535 pixels, with a checksum that fits.
fn promising() -> Vec<u8> {
    let mut image = picture(512, 512);
    image[16..24].copy_from_slice(&[0, 0, 255, 255, 0, 0, 255, 255]);
    let sum = crc32fast::hash(&image[12..29]);
    image[29..33].copy_from_slice(&sum.to_be_bytes());
    image
}

fn damaged(mut image: Vec<u8>) -> Vec<u8> {
    let middle = image.len() / 2;
    image[middle] ^= 0x55;
    image
}

fn short(image: &[u8], by: usize) -> Vec<u8> {
    image[..image.len() - by].to_vec()
}

/// Each change, and what exactly it makes of a good agent.
fn broken() -> Vec<(Change, &'static str, &'static str)> {
    let icon = good()["icon.png"].clone();
    let gray = picture(512, 512);
    vec![
        (Drop("manifest.yaml"), "ATT-NEXO-FILE", "manifest.yaml"),
        (
            text("manifest.yaml", "- a list"),
            "ATT-SYNTAX",
            "manifest.yaml",
        ),
        (
            text("manifest.yaml", "a: [1"),
            "ATT-SYNTAX",
            "manifest.yaml",
        ),
        (
            Put("manifest.yaml", b"id: \xff".to_vec()),
            "ATT-SYNTAX",
            "manifest.yaml",
        ),
        (
            Field("schema_version", ""),
            "ATT-FIELD-REQUIRED",
            "manifest.yaml#/schema_version",
        ),
        (
            Field("schema_version", "schema_version: 2"),
            "ATT-NEXO-SCHEMA",
            "manifest.yaml#/schema_version",
        ),
        (
            Field("schema_version", "schema_version: '1'"),
            "ATT-FIELD-TYPE",
            "manifest.yaml#/schema_version",
        ),
        (Field("id", "id: agent"), "ATT-NEXO-ID", "manifest.yaml#/id"),
        (
            Field("id", "id: com.Example.agent"),
            "ATT-NEXO-ID",
            "manifest.yaml#/id",
        ),
        (
            Field("id", "id: com.my-agent"),
            "ATT-NEXO-ID",
            "manifest.yaml#/id",
        ),
        (
            Field("id", "id: my_org.agent"),
            "ATT-NEXO-ID",
            "manifest.yaml#/id",
        ),
        (
            Field("id", "id: com..agent"),
            "ATT-NEXO-ID",
            "manifest.yaml#/id",
        ),
        (
            Field("id", "id: ../etc"),
            "ATT-NEXO-ID",
            "manifest.yaml#/id",
        ),
        (
            Field("id", "id: con.agent"),
            "ATT-NEXO-ID",
            "manifest.yaml#/id",
        ),
        (
            Field(
                "id",
                "id: com.a2345678901234567890123456789012345678901234567890123456789012",
            ),
            "ATT-NEXO-ID",
            "manifest.yaml#/id",
        ),
        (Field("id", ""), "ATT-FIELD-REQUIRED", "manifest.yaml#/id"),
        (
            Field("name", "name: 'éééééééééééééééééééééééééééééééé3'"),
            "ATT-NEXO-NAME",
            "manifest.yaml#/name",
        ),
        (
            Field("name", "name: \"two\\nlines\""),
            "ATT-NEXO-NAME",
            "manifest.yaml#/name",
        ),
        (
            Field("name", "name: ' '"),
            "ATT-FIELD-VALUE",
            "manifest.yaml#/name",
        ),
        (
            Field(
                "description",
                concat!(
                    "description: 12345678901234567890123456789012345678901234567890",
                    "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                    "12345678901234567890123456789012345678901234567890123456789012345678901x"
                ),
            ),
            "ATT-NEXO-DESCRIPTION",
            "manifest.yaml#/description",
        ),
        (
            Field("author", ""),
            "ATT-FIELD-REQUIRED",
            "manifest.yaml#/author",
        ),
        (
            Field("homepage", "homepage: nexo"),
            "ATT-NEXO-URL",
            "manifest.yaml#/homepage",
        ),
        (
            Field("repository", "repository: 'javascript:alert(1)'"),
            "ATT-NEXO-URL",
            "manifest.yaml#/repository",
        ),
        (
            Field("license", "license: 3"),
            "ATT-FIELD-TYPE",
            "manifest.yaml#/license",
        ),
        (
            Field("permissions", "permissions: network"),
            "ATT-FIELD-TYPE",
            "manifest.yaml#/permissions",
        ),
        (
            Field("permissions", "permissions: [1]"),
            "ATT-FIELD-TYPE",
            "manifest.yaml#/permissions/0",
        ),
        (
            Field("permissions", "permissions: ['']"),
            "ATT-FIELD-VALUE",
            "manifest.yaml#/permissions",
        ),
        (
            Field("version", "version: 1.0.0"),
            "ATT-NEXO-VERSION",
            "manifest.yaml#/version",
        ),
        (
            Field("icon", "icon: icon.png"),
            "ATT-FIELD-UNKNOWN",
            "manifest.yaml#/icon",
        ),
        (Drop("tools/main.py"), "ATT-NEXO-FILE", "tools/main.py"),
        (text("tools/main.py", ""), "ATT-NEXO-MAIN", "tools/main.py"),
        (
            Drop("tools/requirements.txt"),
            "ATT-NEXO-FILE",
            "tools/requirements.txt",
        ),
        (
            text("tools/requirements.txt", "mcp\nfoo=1\n"),
            "ATT-NEXO-REQUIREMENTS",
            "tools/requirements.txt:2",
        ),
        (
            text("tools/requirements.txt", "-r ../../x"),
            "ATT-NEXO-REQUIREMENTS",
            "tools/requirements.txt:1",
        ),
        (
            text("tools/requirements.txt", "-r x.txt"),
            "ATT-NEXO-REQUIREMENTS",
            "tools/requirements.txt:1",
        ),
        (
            text("tools/requirements.txt", "-r ../.env.example"),
            "ATT-NEXO-REQUIREMENTS",
            "tools/requirements.txt:1",
        ),
        (
            text("tools/requirements.txt", "/opt/x.whl"),
            "ATT-NEXO-REQUIREMENTS",
            "tools/requirements.txt:1",
        ),
        (
            text("tools/requirements.txt", "-i https://x.example"),
            "ATT-NEXO-REQUIREMENTS",
            "tools/requirements.txt:1",
        ),
        (
            Put("tools/requirements.txt", vec![0xff, 0xfe]),
            "ATT-NEXO-REQUIREMENTS",
            "tools/requirements.txt",
        ),
        (
            Drop("instructions/persona.md"),
            "ATT-NEXO-FILE",
            "instructions/persona.md",
        ),
        (
            text("instructions/persona.md", " \n\t\n"),
            "ATT-NEXO-PERSONA",
            "instructions/persona.md",
        ),
        (
            Put("instructions/persona.md", vec![0xff]),
            "ATT-NEXO-PERSONA",
            "instructions/persona.md",
        ),
        (
            Put("instructions/persona.md", vec![b'x'; (8 << 20) + 1]),
            "ATT-NEXO-PERSONA",
            "instructions/persona.md",
        ),
        (Drop("icon.png"), "ATT-NEXO-ICON-MISSING", "icon.png"),
        (text("icon.png", ""), "ATT-NEXO-ICON", "icon.png"),
        (text("icon.png", "GIF89a"), "ATT-NEXO-ICON", "icon.png"),
        (
            Put("icon.png", picture(512, 511)),
            "ATT-NEXO-ICON",
            "icon.png",
        ),
        (
            Put("icon.png", short(&icon, 1)),
            "ATT-NEXO-ICON",
            "icon.png",
        ),
        (
            Put("icon.png", short(&icon, 12)),
            "ATT-NEXO-ICON",
            "icon.png",
        ),
        (
            Put("icon.png", short(&icon, icon.len() / 2)),
            "ATT-NEXO-ICON",
            "icon.png",
        ),
        (
            Put("icon.png", icon[..8].to_vec()),
            "ATT-NEXO-ICON",
            "icon.png",
        ),
        (
            Put("icon.png", damaged(icon.clone())),
            "ATT-NEXO-ICON",
            "icon.png",
        ),
        (Put("icon.png", damaged(gray)), "ATT-NEXO-ICON", "icon.png"),
        (Put("icon.png", animated()), "ATT-NEXO-ICON", "icon.png"),
        (Put("icon.png", promising()), "ATT-NEXO-ICON", "icon.png"),
        (
            Put("icon.png", vec![0; (8 << 20) + 1]),
            "ATT-NEXO-ICON",
            "icon.png",
        ),
        (
            Put(".env.example", vec![0xff]),
            "ATT-NEXO-ENV",
            ".env.example",
        ),
        (
            text(".env.example", "A=1\nno name=2"),
            "ATT-NEXO-ENV",
            ".env.example:2",
        ),
        (
            text(".env.example", "LD_PRELOAD=x"),
            "ATT-NEXO-ENV",
            ".env.example:1",
        ),
        (text(".env", "KEY=secret"), "ATT-NEXO-PRIVATE", ".env"),
        (
            text(".env.local", "KEY=secret"),
            "ATT-NEXO-PRIVATE",
            ".env.local",
        ),
        (text(".venv/bin/python", "x"), "ATT-NEXO-PRIVATE", ".venv"),
    ]
}

#[test]
fn every_rule_is_broken_by_something_and_by_nothing_else() {
    let mut codes = BTreeSet::new();
    for (at, (change, code, path)) in broken().into_iter().enumerate() {
        let mut files = good();
        apply(&mut files, change);
        let (_, diagnostics) = read(&files, Stage::Packed, false);
        assert_eq!(
            found(&diagnostics),
            [(code, path)],
            "case {at}: {diagnostics:?}"
        );
        codes.insert(code);
    }
    for rule in Nexo.rules() {
        assert!(
            codes.contains(rule.code),
            "{} has no bad example",
            rule.code
        );
    }
}

#[test]
fn all_problems_are_told_at_once() {
    let mut files = good();
    for change in [
        Field("id", "id: agent"),
        Field("name", ""),
        Field("homepage", "homepage: x"),
        Field("autor", "autor: me"),
        Drop("tools/main.py"),
        Drop("icon.png"),
        text("instructions/persona.md", ""),
    ] {
        apply(&mut files, change);
    }
    let (manifest, diagnostics) = read(&files, Stage::Source, false);
    assert_eq!(manifest, None);
    assert_eq!(diagnostics.errors().len(), 7, "{diagnostics:?}");
    let typo = diagnostics
        .errors()
        .iter()
        .find(|p| p.path.ends_with("/autor"))
        .unwrap();
    assert!(typo.message.contains("did you mean `author`?"), "{typo}");
}

#[test]
fn lenient_reading_forgives_a_version_and_a_missing_icon() {
    let mut files = good();
    apply(&mut files, Field("version", "version: 1.2.3-rc.1"));
    apply(&mut files, Drop("icon.png"));
    let (strict, diagnostics) = read(&files, Stage::Packed, false);
    assert_eq!(diagnostics.errors().len(), 2);
    assert_eq!(strict.unwrap().version, None);
    let (manifest, diagnostics) = read(&files, Stage::Packed, true);
    assert!(diagnostics.is_valid());
    assert_eq!(diagnostics.warnings().len(), 2);
    assert_eq!(manifest.unwrap().version, "1.2.3-rc.1".parse().ok());
    apply(&mut files, Field("version", "version: 1.0"));
    let (manifest, diagnostics) = read(&files, Stage::Packed, true);
    assert!(diagnostics.is_valid());
    assert_eq!(manifest.unwrap().version, None, "not SemVer");
}

#[test]
fn a_source_folder_may_hold_what_a_package_may_not() {
    let mut files = good();
    apply(&mut files, text(".env", "KEY=secret"));
    apply(&mut files, text(".venv/bin/python", "x"));
    assert_eq!(found(&read(&files, Stage::Source, false).1), []);
    let options = BuildOptions::default();
    let goes = |path: &str| Nexo.includes(&PackagePath::new(path).unwrap(), &options);
    for (path, expected) in [
        (".env", false),
        (".env.production", false),
        (".env.example", true),
        (".venv/pyvenv.cfg", false),
        ("tools/__pycache__/main.cpython-311.pyc", false),
        ("tools/old.pyc", false),
        ("tools/main.py", true),
        ("tools/examples/x.md", true),
        ("examples/x.md", false),
        ("README.md", true),
    ] {
        assert_eq!(goes(path), expected, "{path}");
    }
    let bare = BuildOptions {
        include_docs: false,
        include_examples: true,
        ..options
    };
    assert!(!Nexo.includes(&PackagePath::new("README.md").unwrap(), &bare));
    assert!(Nexo.includes(&PackagePath::new("examples/x.md").unwrap(), &bare));
}

#[test]
fn a_manifest_says_what_the_agent_asks_for() {
    let mut files = good();
    apply(
        &mut files,
        Field(
            "permissions",
            "permissions: [network, Shell, fs.read, 'mcp:web', camera]",
        ),
    );
    apply(&mut files, text(".env.example", "API_KEY=x\n# NOT=this\n"));
    apply(
        &mut files,
        Field("repository", "repository: https://example.org/x"),
    );
    let (manifest, diagnostics) = read(&files, Stage::Packed, false);
    assert_eq!(found(&diagnostics), []);
    let manifest = manifest.unwrap();
    let asked: Vec<_> = manifest
        .capabilities
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        asked,
        [
            "code",
            "env:API_KEY",
            "filesystem:read",
            "mcp:web",
            "network",
            "shell",
            "other:camera"
        ]
    );
    assert_eq!(
        manifest.repository.as_deref(),
        Some("https://example.org/x")
    );
    assert_eq!(manifest.display_name, "Greeter");
    assert_eq!(
        Nexo.file_name(&manifest, Container::Zip),
        "com.example.greeter.zip"
    );
    let required: Vec<_> = manifest
        .files
        .iter()
        .filter(|f| f.required)
        .map(|f| f.path.as_str())
        .collect();
    assert_eq!(
        required,
        [
            "icon.png",
            "instructions/persona.md",
            "manifest.yaml",
            "tools/main.py",
            "tools/requirements.txt"
        ]
    );
}

#[test]
fn a_single_root_folder_is_dropped() {
    let inside = |root: &str| -> Files {
        good()
            .into_iter()
            .map(|(path, bytes)| (format!("{root}/{path}"), bytes))
            .collect()
    };
    let wrapped = tree(&inside("agent-main"));
    assert!(Nexo.claims(&wrapped, None));
    let flat = Nexo.prepare(wrapped);
    let mut diagnostics = Diagnostics::new(false);
    assert!(
        Nexo.read(&flat, Stage::Packed, &mut diagnostics)
            .unwrap()
            .is_some()
    );
    assert_eq!(found(&diagnostics), []);

    assert!(Nexo.claims(&tree(&good()), None));
    assert!(!Nexo.claims(&tree(&inside(".nanobot")), None));
    let mut two = inside("a");
    two.insert("b/x".to_owned(), Vec::new());
    assert!(!Nexo.claims(&tree(&two), None));
    let only_tools = Files::from([("tools/manifest.json".to_owned(), Vec::new())]);
    let kept = Nexo.prepare(tree(&only_tools));
    assert!(
        kept.get("tools/manifest.json").is_some(),
        "someone else's folder stays"
    );
}

#[test]
fn a_new_agent_has_an_id_that_fits() {
    for (id, fits) in [
        ("com.example.my_agent", true),
        ("1.2", true),
        ("agent", false),
        ("com.my-agent", false),
        ("a_b.c", false),
    ] {
        let made = Nexo.scaffold(&id.parse().unwrap(), "");
        assert_eq!(made.is_ok(), fits, "{id}");
        if let Ok(files) = made {
            let files = files
                .into_iter()
                .map(|f| (f.path.to_owned(), f.bytes))
                .collect();
            let (manifest, diagnostics) = read(&files, Stage::Packed, false);
            assert_eq!(found(&diagnostics), [], "{id}");
            assert_eq!(manifest.unwrap().id.as_str(), id);
        }
    }
    let long = format!("com.{}", "a".repeat(60));
    assert!(Nexo.scaffold(&long.parse().unwrap(), "").is_ok());
    assert!(
        Nexo.scaffold(&format!("{long}a").parse().unwrap(), "")
            .is_err()
    );
}

#[test]
fn the_drawn_icon_is_small_and_always_the_same() {
    let icon = icon::draw();
    assert_eq!(icon, icon::draw());
    assert_eq!(icon::check(&icon), Ok(()));
    assert!(icon.len() < 4096, "{} bytes", icon.len());
    for (image, reason) in [
        (
            picture(64, 32),
            "it is 64 by 32 pixels; an icon is 512 by 512",
        ),
        (
            promising(),
            "it is 65535 by 65535 pixels; an icon is 512 by 512",
        ),
        (animated(), "it is animated; an icon is one still image"),
        (short(&icon, 20), "it is cut short"),
        (b"BM".to_vec(), "it is not a PNG image"),
    ] {
        assert_eq!(icon::check(&image), Err(reason.to_owned()));
    }
}

#[test]
fn a_changed_byte_never_passes_unseen() {
    // Every byte of the header and palette, and every eleventh of the rest: each is covered by
    // the signature, or by the checksum of its chunk.
    let icon = &good()["icon.png"];
    let places = (0..160).chain((160..icon.len()).step_by(11));
    for at in places {
        let mut image = icon.clone();
        image[at] ^= 1;
        assert!(icon::check(&image).is_err(), "byte {at}");
    }
}

#[test]
fn the_schema_and_the_reader_agree() {
    let schema = Nexo.manifest_schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let accepts = |files: &Files| {
        let value = crate::text::parse_yaml(&files["manifest.yaml"]).unwrap();
        validator.is_valid(&value)
    };
    assert!(accepts(&good()), "{schema:#}");
    for line in [
        "homepage: https://example.org",
        "license: MIT",
        "permissions: [network]",
    ] {
        let mut files = good();
        apply(&mut files, Field(line.split(':').next().unwrap(), line));
        assert!(accepts(&files), "{line}");
    }
    for (change, code, path) in broken() {
        let Field(name, line) = change else { continue };
        // Blank but not empty text, control characters, parsed addresses and device names are
        // more than a schema of this kind says.
        if [
            "name: ' '",
            "permissions: ['']",
            "name: \"two\\nlines\"",
            "id: con.agent",
        ]
        .contains(&line)
        {
            continue;
        }
        let mut files = good();
        apply(&mut files, Field(name, line));
        assert!(!accepts(&files), "{code} at {path}: {line:?}");
    }
}

#[test]
fn yaml_that_is_written_reads_back_the_same() {
    for text in [
        "plain",
        "yes",
        "Null",
        "1.0",
        "- x",
        "a: b",
        "a #b",
        "#",
        "'",
        "\"",
        "\\",
        "é\u{1f9f3}",
        "tab\tx",
        "@",
        "%",
        "x ",
        "{",
        "~",
        "two\nlines",
        "\u{7f}\u{85}\u{2028}\u{1}",
        "!tag",
        "&a",
        "*a",
    ] {
        let manifest = NexoManifest {
            schema_version: 1,
            id: "com.example.x".parse().unwrap(),
            name: text.to_owned(),
            description: text.to_owned(),
            author: text.to_owned(),
            homepage: None,
            repository: None,
            license: Some(text.to_owned()),
            permissions: vec![text.to_owned()],
        };
        let yaml = manifest.to_yaml();
        let value = crate::text::parse_yaml(yaml.as_bytes()).unwrap();
        assert_eq!(
            value,
            json!({
                "schema_version": 1, "id": "com.example.x", "name": text, "description": text,
                "author": text, "license": text, "permissions": [text],
            }),
            "{yaml}"
        );
    }
}

#[test]
fn options_without_a_place_are_refused() {
    let mut draft = Draft {
        files: BTreeMap::new(),
    };
    let code = |draft: &mut Draft, options: BuildOptions| match Nexo.finish(draft, &options) {
        Ok(()) => "",
        Err(BuildError::Option { code, .. }) => code,
        Err(error) => panic!("{error}"),
    };
    let plain = BuildOptions::default;
    let metadata = BTreeMap::from([("a".to_owned(), json!(1))]);
    assert_eq!(code(&mut draft, plain()), "");
    assert_eq!(
        code(
            &mut draft,
            BuildOptions {
                metadata,
                ..plain()
            }
        ),
        "ATT-BUILD-METADATA"
    );
    assert_eq!(
        code(
            &mut draft,
            BuildOptions {
                sealed: true,
                ..plain()
            }
        ),
        "ATT-BUILD-SEALED"
    );
    let hmac_key = Some(b"k".to_vec());
    assert_eq!(
        code(
            &mut draft,
            BuildOptions {
                hmac_key,
                ..plain()
            }
        ),
        "ATT-BUILD-HMAC"
    );
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 32, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_text_from_outside_stops_the_reader(
        list in "(?s)(-r ?|-[a-z]|--[a-z=]{0,9}|[a-zé@:/\\\\.\\[\\];,=<>~ #\\\\\n]){0,40}",
        template in "(?s)[A-Zé='\" #\n]{0,40}",
        manifest in "(?s).{0,60}",
    ) {
        let mut files = good();
        files.insert("tools/requirements.txt".to_owned(), list.into_bytes());
        files.insert(".env.example".to_owned(), template.into_bytes());
        files.insert("manifest.yaml".to_owned(), manifest.into_bytes());
        files.remove("icon.png");
        read(&files, Stage::Packed, true);
    }
}
