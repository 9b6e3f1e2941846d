use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::*;
use crate::archive::{Content, PackFile};
use crate::convert::{PortableAgent, PortableFile, PortableText};
use crate::{Capability, Digest, Launch, Platform, Release};

const SCRIPT: &[u8] = b"#!/bin/sh\nexit 0\n";

fn manifest() -> Value {
    json!({
        "bundleVersion": "1", "name": "agent-x", "version": "0.1.0", "entry": "bin/agent",
        "platform": "linux", "arch": "amd64", "libc": "glibc",
        "engine": { "name": "claude-code", "sdk": "@a/sdk", "sdkVersion": "0.1.75" },
        "runtime": { "type": "node", "version": "20.15.1" },
        "env": { "NODE_ENV": "production" },
        "capabilities": { "needsNetwork": true, "needsGit": false, "needsGpu": true }
    })
}

fn file(path: &str, bytes: &[u8], executable: bool) -> PackFile {
    PackFile {
        executable,
        ..PackFile::bytes(PackagePath::new(path).unwrap(), bytes.to_vec())
    }
}

fn link(path: &str, target: &str) -> PackFile {
    PackFile {
        path: PackagePath::new(path).unwrap(),
        executable: false,
        size: 0,
        digest: Digest::of(target),
        content: Content::Link(target.to_owned()),
    }
}

fn bundle(manifest: &Value) -> Vec<PackFile> {
    vec![
        file("manifest.json", manifest.to_string().as_bytes(), false),
        file("bin/agent", SCRIPT, true),
        file("dist/main.js", b"1", false),
        file("node_modules/x/cli.js", b"1", true),
        link("node_modules/.bin/x", "../x/cli.js"),
    ]
}

fn read(files: Vec<PackFile>, lenient: bool) -> (Option<Manifest>, Diagnostics) {
    let tree = Tree::assembled(files).unwrap();
    let mut diagnostics = Diagnostics::new(lenient);
    let manifest = Holon.read(&tree, Stage::Packed, &mut diagnostics).unwrap();
    (manifest, diagnostics)
}

/// One way to break a good bundle, and the finding it must give.
type Case = (
    fn(&mut Value, &mut Vec<PackFile>),
    &'static str,
    &'static str,
);

fn at<'v>(value: &'v mut Value, pointer: &str) -> &'v mut Value {
    value.pointer_mut(pointer).unwrap()
}

const ERRORS: &[Case] = &[
    (
        |_, f| drop(f.remove(0)),
        "ATT-HOLON-MANIFEST",
        "manifest.json",
    ),
    (|m, _| *m = json!([]), "ATT-HOLON-MANIFEST", "manifest.json"),
    (
        |m, _| *at(m, "/bundleVersion") = json!("2"),
        "ATT-HOLON-BUNDLE-VERSION",
        "manifest.json#/bundleVersion",
    ),
    (
        |m, _| *at(m, "/bundleVersion") = json!(1),
        "ATT-FIELD-TYPE",
        "manifest.json#/bundleVersion",
    ),
    (
        |m, _| *at(m, "/name") = json!("Agent X"),
        "ATT-HOLON-NAME",
        "manifest.json#/name",
    ),
    (
        |m, _| *at(m, "/name") = json!("../x"),
        "ATT-HOLON-NAME",
        "manifest.json#/name",
    ),
    (
        |m, _| *at(m, "/version") = json!("1.2"),
        "ATT-HOLON-VERSION",
        "manifest.json#/version",
    ),
    (
        |m, _| *at(m, "/version") = json!("1.2.3foo"),
        "ATT-HOLON-VERSION",
        "manifest.json#/version",
    ),
    (
        |m, _| *at(m, "/entry") = json!("../agent"),
        "ATT-HOLON-ENTRY-PATH",
        "manifest.json#/entry",
    ),
    (
        |m, _| *at(m, "/entry") = json!("/bin/sh"),
        "ATT-HOLON-ENTRY-PATH",
        "manifest.json#/entry",
    ),
    (
        |m, _| *at(m, "/entry") = json!("bin/other"),
        "ATT-HOLON-ENTRY-MISSING",
        "manifest.json#/entry",
    ),
    (
        |m, _| *at(m, "/entry") = json!("bin"),
        "ATT-HOLON-ENTRY-MISSING",
        "manifest.json#/entry",
    ),
    (
        |_, f| f[1] = link("bin/agent", "../dist"),
        "ATT-HOLON-ENTRY-MISSING",
        "manifest.json#/entry",
    ),
    (
        |_, f| f[1].executable = false,
        "ATT-HOLON-ENTRY-EXECUTABLE",
        "bin/agent",
    ),
    (
        |_, f| f[1] = link("bin/agent", "../dist/main.js"),
        "ATT-HOLON-ENTRY-EXECUTABLE",
        "dist/main.js",
    ),
    (
        |m, _| *at(m, "/platform") = json!("Linux"),
        "ATT-HOLON-PLATFORM",
        "manifest.json#/platform",
    ),
    (
        |m, _| *at(m, "/arch") = json!("amd64/../x"),
        "ATT-HOLON-PLATFORM",
        "manifest.json#/arch",
    ),
    (
        |m, _| *at(m, "/libc") = json!(""),
        "ATT-HOLON-LIBC",
        "manifest.json#/libc",
    ),
    (
        |m, _| *at(m, "/libc") = json!("uclibc"),
        "ATT-HOLON-LIBC",
        "manifest.json#/libc",
    ),
    (
        |m, _| *at(m, "/engine/sdkVersion") = json!("1.x"),
        "ATT-HOLON-ENGINE",
        "manifest.json#/engine/sdkVersion",
    ),
    (
        |m, _| *at(m, "/runtime/type") = json!("Node JS"),
        "ATT-HOLON-RUNTIME",
        "manifest.json#/runtime/type",
    ),
    (
        |m, _| *at(m, "/env") = json!({ "node": "x" }),
        "ATT-HOLON-ENV-NAME",
        "manifest.json#/env/node",
    ),
    (
        |m, _| *at(m, "/env") = json!({ "1X": "x" }),
        "ATT-HOLON-ENV-NAME",
        "manifest.json#/env/1X",
    ),
    (
        |m, _| *at(m, "/env") = json!({ "X": 1 }),
        "ATT-HOLON-ENV-VALUE",
        "manifest.json#/env/X",
    ),
    (
        |m, _| *at(m, "/env") = json!({ "X": "a\0b" }),
        "ATT-HOLON-ENV-VALUE",
        "manifest.json#/env/X",
    ),
    (
        |m, _| *at(m, "/env") = json!({ "LD_PRELOAD": "x" }),
        "ATT-HOLON-ENV-HOOK",
        "manifest.json#/env/LD_PRELOAD",
    ),
    (
        |m, _| *at(m, "/capabilities/needsGit") = json!("yes"),
        "ATT-HOLON-CAPABILITY",
        "manifest.json#/capabilities/needsGit",
    ),
    (
        |m, _| *at(m, "/capabilities") = json!({ "": true }),
        "ATT-HOLON-CAPABILITY",
        "manifest.json#/capabilities/",
    ),
    (
        |m, _| m["extra"] = json!(1),
        "ATT-HOLON-UNKNOWN",
        "manifest.json#/extra",
    ),
    (
        |m, _| m["engine"]["extra"] = json!(1),
        "ATT-HOLON-UNKNOWN",
        "manifest.json#/engine/extra",
    ),
];

const WARNINGS: &[Case] = &[(
    |_, f| f[1] = file("bin/agent", b"echo hello\n", true),
    "ATT-HOLON-ENTRY-KIND",
    "bin/agent",
)];

fn broken(case: &Case) -> Vec<PackFile> {
    let mut value = manifest();
    let mut files = bundle(&value);
    (case.0)(&mut value, &mut files);
    if files[0].path.as_str() == "manifest.json" {
        files[0] = file("manifest.json", value.to_string().as_bytes(), false);
    }
    files
}

#[test]
fn every_fault_is_found_where_it_is() {
    for case in ERRORS {
        let (_, diagnostics) = read(broken(case), false);
        let found: Vec<_> = diagnostics
            .errors()
            .iter()
            .map(|p| (p.code, p.path.as_str()))
            .collect();
        assert_eq!(found, [(case.1, case.2)]);
    }
    for case in WARNINGS {
        let (_, diagnostics) = read(broken(case), false);
        assert!(diagnostics.is_valid());
        let found: Vec<_> = diagnostics
            .warnings()
            .iter()
            .map(|p| (p.code, p.path.as_str()))
            .collect();
        assert_eq!(found, [(case.1, case.2)]);
    }
}

#[test]
fn every_rule_has_a_bundle_that_breaks_it() {
    let broken: BTreeSet<_> = ERRORS.iter().chain(WARNINGS).map(|case| case.1).collect();
    for rule in Holon.rules() {
        assert!(broken.contains(rule.code), "{} is never broken", rule.code);
    }
}

#[test]
fn every_field_is_required() {
    let whole = manifest();
    for field in whole.as_object().unwrap().keys() {
        let mut value = whole.clone();
        value.as_object_mut().unwrap().remove(field);
        let (_, diagnostics) = read(bundle(&value), false);
        let problem = &diagnostics.errors()[0];
        assert_eq!(
            (problem.code, problem.path.clone()),
            ("ATT-FIELD-REQUIRED", format!("manifest.json#/{field}"))
        );
        assert!(
            !jsonschema::is_valid(&Holon.manifest_schema(), &value),
            "{field}"
        );
    }
}

#[test]
fn all_problems_come_at_once() {
    let mut value = manifest();
    value["name"] = json!("A");
    value["libc"] = json!("x");
    value["env"] = json!({ "PATH": "/x", "a": "b" });
    value["entry"] = json!("gone");
    let (manifest, diagnostics) = read(bundle(&value), false);
    assert_eq!(manifest, None);
    assert_eq!(diagnostics.errors().len(), 5, "{:?}", diagnostics.errors());
}

#[test]
fn an_unknown_field_is_only_a_warning_when_lenient() {
    let mut value = manifest();
    value["extra"] = json!(1);
    let (manifest, diagnostics) = read(bundle(&value), true);
    assert!(manifest.is_some() && diagnostics.is_valid());
    assert_eq!(diagnostics.warnings()[0].code, "ATT-HOLON-UNKNOWN");
}

#[test]
fn a_bundle_says_what_it_is() {
    let (manifest, diagnostics) = read(bundle(&manifest()), false);
    assert!(diagnostics.errors().is_empty() && diagnostics.warnings().is_empty());
    let manifest = manifest.unwrap();
    assert_eq!(manifest.id.as_str(), "agent-x");
    assert_eq!(manifest.version, Some(Release::new(0, 1, 0)));
    let capabilities: Vec<_> = manifest
        .capabilities
        .iter()
        .map(Capability::to_string)
        .collect();
    assert_eq!(capabilities, ["code", "network", "other:needsGpu"]);
    assert_eq!(
        manifest.requirements,
        [
            Requirement::Platform(Platform {
                os: "linux".into(),
                arch: "amd64".into(),
                libc: Some("glibc".into()),
            }),
            Requirement::Runtime {
                name: "node".into(),
                version: Some("20.15.1".into()),
            },
        ]
    );
    let env = BTreeMap::from([("NODE_ENV".to_owned(), "production".to_owned())]);
    let entry = PackagePath::new("bin/agent").unwrap();
    assert_eq!(manifest.launch, Launch::Bundle { entry, env });
    assert_eq!(
        Holon.file_name(&manifest, Container::TarGz),
        "agent-bundle-agent-x-0.1.0-linux-amd64-glibc.tar.gz"
    );
    assert_eq!(
        Holon.file_name(&manifest, Container::TarZst),
        "agent-bundle-agent-x-0.1.0-linux-amd64-glibc.tar.zst"
    );
}

#[test]
fn the_entry_may_be_a_link_and_go_through_one() {
    for (entry, links) in [
        ("bin/start", vec![link("bin/start", "agent")]),
        ("bin/start", vec![link("bin/start", "./agent")]),
        ("cmd/agent", vec![link("cmd", "bin")]),
        ("a/b/agent", vec![link("a/b", "../bin")]),
        (
            "bin/start",
            vec![link("bin/start", "../cmd/agent"), link("cmd", "bin/")],
        ),
        ("a/up/bin/agent", vec![link("a/up", "..")]),
    ] {
        let mut value = manifest();
        value["entry"] = json!(entry);
        let mut files = bundle(&value);
        files.extend(links);
        let (_, diagnostics) = read(files, false);
        assert!(
            diagnostics.is_valid(),
            "{entry}: {:?}",
            diagnostics.errors()
        );
    }
}

#[test]
fn programs_of_every_system_may_be_the_entry() {
    for start in [
        &b"\x7fELF\x02"[..],
        b"MZ\x90\0",
        b"\xcf\xfa\xed\xfe",
        b"\xca\xfe\xba\xbe",
        b"#!/usr/bin/env node\n",
    ] {
        let mut files = bundle(&manifest());
        files[1] = file("bin/agent", start, true);
        assert!(read(files, false).1.warnings().is_empty(), "{start:?}");
    }
    // Windows packs no execute bit.
    let mut value = manifest();
    value["platform"] = json!("windows");
    let mut files = bundle(&value);
    files[1].executable = false;
    assert!(read(files, false).1.is_valid());
}

#[test]
fn hooks_are_refused_and_ordinary_variables_are_not() {
    for name in [
        "LD_PRELOAD",
        "DYLD_INSERT_LIBRARIES",
        "NODE_OPTIONS",
        "PYTHONPATH",
        "BASH_ENV",
        "GIT_SSH_COMMAND",
        "GIT_CONFIG_KEY_0",
        "GLIBC_TUNABLES",
        "PATH",
        "_JAVA_OPTIONS",
        "PERL5LIB",
        "RUBYOPT",
    ] {
        assert!(env::is_hook(name), "{name}");
    }
    for name in [
        "NODE_ENV",
        "GIT_AUTHOR_NAME",
        "PYTHONUNBUFFERED",
        "HOME",
        "LANG",
        "OLD_PATH",
        "LDAP_URL",
        "ENVIRONMENT",
    ] {
        assert!(!env::is_hook(name), "{name}");
    }
}

#[test]
fn only_a_manifest_with_a_bundle_version_is_claimed() {
    let tree = Tree::from_bytes([("a", vec![])]).unwrap();
    let claims = |value: Value| Holon.claims(&tree, value.as_object());
    assert!(claims(manifest()));
    assert!(!claims(json!({ "name": "x" })));
    assert!(!Holon.claims(&tree, None));
}

fn draft(files: Vec<PackFile>) -> Draft {
    Draft {
        files: files.into_iter().map(|f| (f.path.clone(), f)).collect(),
    }
}

#[test]
fn finishing_writes_one_spelling_of_the_manifest() {
    let mut one = draft(bundle(&manifest()));
    Holon.finish(&mut one, &BuildOptions::default()).unwrap();
    let text = String::from_utf8(one.read("manifest.json").unwrap().unwrap()).unwrap();
    assert!(
        text.starts_with("{\n  \"arch\": \"amd64\",\n  \"bundleVersion\""),
        "{text}"
    );
    assert!(text.ends_with("}\n"));
    assert_eq!(text.parse::<Value>().unwrap(), manifest());
    let again = text.clone();
    Holon.finish(&mut one, &BuildOptions::default()).unwrap();
    assert_eq!(
        one.read("manifest.json").unwrap().unwrap(),
        again.into_bytes()
    );
    assert!(one.files["bin/agent"].executable);

    let mut options = BuildOptions::default();
    options.metadata.insert("team".into(), json!("x"));
    assert!(matches!(
        Holon.finish(&mut one, &options),
        Err(BuildError::Option { .. })
    ));
    assert!(matches!(
        Holon.finish(&mut draft(vec![]), &BuildOptions::default()),
        Err(BuildError::Invalid { .. })
    ));
}

#[test]
fn what_runs_goes_in_and_documents_follow_the_options() {
    let includes = |path: &str, options: &BuildOptions| {
        Holon.includes(&PackagePath::new(path).unwrap(), options)
    };
    let bare = BuildOptions {
        include_docs: false,
        ..BuildOptions::default()
    };
    for path in [
        "manifest.json",
        "bin/agent",
        "node_modules/a/README.md",
        "src/a.js",
        "assets/x",
    ] {
        assert!(includes(path, &bare), "{path}");
    }
    for path in ["README.md", "docs/a.md", "CHANGELOG.md"] {
        assert!(
            !includes(path, &bare) && includes(path, &BuildOptions::default()),
            "{path}"
        );
    }
    assert!(!includes("examples/a", &BuildOptions::default()));
}

fn scaffolded() -> Vec<NewFile> {
    Holon
        .scaffold(&"my-agent".parse().unwrap(), "2026-01-01T00:00:00Z")
        .unwrap()
}

#[test]
fn a_new_bundle_is_valid() {
    let files = scaffolded()
        .into_iter()
        .map(|f| file(f.path, &f.bytes, f.executable))
        .collect();
    let (manifest, diagnostics) = read(files, false);
    assert!(
        diagnostics.errors().is_empty() && diagnostics.warnings().is_empty(),
        "{diagnostics:?}"
    );
    assert_eq!(manifest.unwrap().id.as_str(), "my-agent");
}

#[cfg(unix)]
#[test]
fn a_new_bundle_follows_the_runner_contract() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("with space");
    for new in scaffolded() {
        let path = root.join(new.path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, &new.bytes).unwrap();
        let mode = if new.executable { 0o755 } else { 0o644 };
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let input = folder.path().join("input");
    let output = folder.path().join("output");
    fs_err::create_dir_all(&input).unwrap();
    fs_err::write(input.join("goal.txt"), "hello").unwrap();
    let status = std::process::Command::new(root.join("bin/agent"))
        .env("HOLON_INPUT", &input)
        .env("HOLON_OUTPUT", &output)
        .status()
        .unwrap();
    assert!(status.success());
    let result = fs_err::read_to_string(output.join("result.md")).unwrap();
    assert_eq!(result, "# Result\n\n- goal.txt: 5 bytes\n");
}

#[test]
fn the_schema_agrees_with_the_reader() {
    let schema = Holon.manifest_schema();
    assert!(jsonschema::is_valid(&schema, &manifest()));
    // What only the reader can see: names that clash with programs, and the files.
    let beyond = [
        "ATT-HOLON-ENV-HOOK",
        "ATT-HOLON-UNKNOWN",
        "ATT-HOLON-ENTRY-PATH",
        "ATT-HOLON-ENTRY-MISSING",
    ];
    for case in ERRORS {
        let mut value = manifest();
        (case.0)(&mut value, &mut bundle(&manifest()));
        if value != manifest()
            && !beyond.contains(&case.1)
            && value["env"]["X"] != "a\0b"
            && !value["capabilities"][""].is_boolean()
        {
            assert!(!jsonschema::is_valid(&schema, &value), "{value}");
        }
    }
}

#[test]
fn the_cache_key_covers_everything_that_decides_the_bytes() {
    let files = || {
        let mut files = bundle(&manifest());
        files.push(file("package-lock.json", b"{}", false));
        files
    };
    let key = |files: Vec<PackFile>, change: &dyn Fn(&mut Manifest, &mut BuildOptions)| {
        let tree = Tree::assembled(files).unwrap();
        let mut manifest = Holon
            .read(&tree, Stage::Source, &mut Diagnostics::default())
            .unwrap()
            .unwrap();
        let mut options = BuildOptions::default();
        change(&mut manifest, &mut options);
        cache_key(&tree, &manifest, &options)
    };
    let same = |_: &mut Manifest, _: &mut BuildOptions| {};
    let base = key(files(), &same);
    assert_eq!(base, key(files(), &same));
    let mut keys = vec![base];
    let edits: [fn(&mut Vec<PackFile>); 6] = [
        |f| f[2] = file("dist/main.js", b"2", false),
        |f| f[2].executable = true,
        |f| f[2] = file("dist/Main.js", b"1", false),
        |f| f[5] = file("package-lock.json", b"[]", false),
        |f| f[4] = link("node_modules/.bin/x", "../../dist/main.js"),
        |f| drop(f.pop()),
    ];
    for edit in edits {
        let mut files = files();
        edit(&mut files);
        keys.push(key(files, &same));
    }
    let changes: [fn(&mut Manifest, &mut BuildOptions); 7] = [
        |m, _| {
            m.requirements[1] = Requirement::Runtime {
                name: "node".into(),
                version: Some("22.0.0".into()),
            }
        },
        |m, _| {
            m.requirements[1] = Requirement::Runtime {
                name: "deno".into(),
                version: Some("20.15.1".into()),
            }
        },
        |_, o| o.compression = 9,
        |_, o| o.container = Some(Container::TarZst),
        |_, o| o.optimize = false,
        |_, o| o.include_docs = false,
        |_, o| o.created_at = Some("2026-01-01T00:00:00Z".into()),
    ];
    for change in changes {
        keys.push(key(files(), &change));
    }
    let different: BTreeSet<_> = keys.iter().collect();
    assert_eq!(different.len(), keys.len());
}

fn portable(change: impl FnOnce(&mut Portable)) -> Portable {
    let (manifest, _) = read(bundle(&manifest()), false);
    let mut manifest = manifest.unwrap();
    manifest.requirements.clear();
    manifest.capabilities.clear();
    manifest.version = None;
    manifest.launch = Launch::Agents {
        agents: vec![],
        tasks: vec![],
    };
    let mut agent = Portable {
        manifest,
        agents: vec![],
        skills: vec![],
        tasks: vec![],
        env: BTreeMap::new(),
        files: BTreeMap::new(),
    };
    change(&mut agent);
    agent
}

#[track_caller]
fn imported(agent: &Portable) -> (Manifest, Vec<ConvertedFile>, Losses) {
    let mut losses = Losses::default();
    let files = Holon.import(agent, &mut losses);
    let tree = files
        .iter()
        .map(|f| file(&f.path, &f.bytes, f.executable))
        .collect();
    let (manifest, diagnostics) = read(tree, false);
    assert!(
        diagnostics.errors().is_empty(),
        "{:?}",
        diagnostics.errors()
    );
    assert!(
        diagnostics.warnings().is_empty(),
        "{:?}",
        diagnostics.warnings()
    );
    (manifest.unwrap(), files, losses)
}

fn held(text: &str) -> PortableFile {
    PortableFile {
        bytes: text.into(),
        executable: false,
    }
}

fn names(losses: &[crate::convert::Loss]) -> Vec<&str> {
    losses.iter().map(|l| l.what.as_str()).collect()
}

#[test]
fn a_bundle_comes_back_as_it_was() {
    let tree = Tree::assembled(bundle(&manifest())).unwrap();
    let before = Holon
        .read(&tree, Stage::Packed, &mut Diagnostics::default())
        .unwrap()
        .unwrap();
    let agent = Holon
        .export(&tree, &before, &mut Losses::default())
        .unwrap();
    assert_eq!(agent.env["NODE_ENV"].as_deref(), Some("production"));
    assert_eq!(
        agent.files["node_modules/.bin/x"].bytes, b"1",
        "a link becomes a copy"
    );
    let (after, _, losses) = imported(&agent);
    assert_eq!(after.launch, before.launch);
    assert_eq!(after.requirements, before.requirements);
    assert_eq!(after.capabilities, before.capabilities);
    assert_eq!(after.version, before.version);
    assert_eq!(names(&losses.lost), [""; 0]);
    assert_eq!(names(&losses.invented), ["engine"]);
}

#[test]
fn prompts_become_assets_and_a_python_server_gets_a_starter() {
    let (_, files, losses) = imported(&portable(|agent| {
        agent.agents.push(PortableAgent {
            id: "Team Lead".into(),
            name: "Lead".into(),
            instructions: "Lead.".into(),
            tools: vec!["Read".into()],
            ..PortableAgent::default()
        });
        for id in ["a/b", "con", "✨"] {
            agent.skills.push(PortableText {
                id: id.into(),
                name: "S".into(),
                description: Some("D".into()),
                body: "B".into(),
            });
        }
        agent.env.insert("API_KEY".into(), None);
        agent.env.insert("LD_PRELOAD".into(), Some("x".into()));
        agent.env.insert("MODE".into(), Some("fast".into()));
        agent
            .files
            .insert(PackagePath::new("manifest.json").unwrap(), held("{}"));
        agent
            .files
            .insert(PackagePath::new("data/x.csv").unwrap(), held("1"));
        agent.manifest.description = Some("Does things.".into());
        agent.manifest.capabilities = [Capability::Network, Capability::Shell].into();
    }));
    let mut paths: Vec<_> = files.iter().map(|f| f.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "assets/agents/Team-Lead.md",
            "assets/skills/a-b.md",
            "assets/skills/unnamed.md",
            "assets/skills/x-con.md",
            "bin/agent",
            "data/x.csv",
            "manifest.json",
        ]
    );
    for lost in [
        "env API_KEY",
        "env LD_PRELOAD",
        "manifest.json",
        "description",
        "capability shell",
    ] {
        assert!(names(&losses.lost).contains(&lost), "{lost}: {losses:?}");
    }
    for made in [
        "version",
        "platform",
        "libc",
        "engine",
        "bin/agent",
        "assets/agents/Team-Lead.md",
    ] {
        assert!(names(&losses.invented).contains(&made), "{made}");
    }

    let (manifest, files, losses) = imported(&portable(|agent| {
        let path = |text: &str| PackagePath::new(text).unwrap();
        agent.manifest.launch = Launch::McpStdio {
            entry: path("tools/ma$in.py"),
            requirements: path("tools/requirements.txt"),
        };
        agent.files.insert(path("tools/ma$in.py"), held("print()"));
        agent
            .files
            .insert(path("tools/requirements.txt"), held("mcp\n"));
    }));
    let starter = files.iter().find(|f| f.path == "bin/agent").unwrap();
    let text = String::from_utf8(starter.bytes.clone()).unwrap();
    assert!(
        text.contains(r#"exec python3 "$root/tools/ma\$in.py" "$@""#),
        "{text}"
    );
    assert!(
        matches!(&manifest.requirements[1], Requirement::Runtime { name, .. } if name == "python")
    );
    assert!(names(&losses.lost).contains(&"tools/requirements.txt"));
}
