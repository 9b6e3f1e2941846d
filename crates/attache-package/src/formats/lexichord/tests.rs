//! One bad package for each rule, made from a good one by one change.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::*;
use crate::archive::PackFile;
use crate::build::{ChosenPackage, ChosenPackages};
use crate::formats::Package;
use crate::text::{parse_json, pretty_json};
use crate::{Digest, PackagePath};

const TIME: &str = "2026-01-31T12:00:00Z";

/// A package as a map of files, to be changed by a test.
struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    fn scaffold() -> Self {
        let id = "test-agent".parse().unwrap();
        let files = Lexichord.scaffold(&id, TIME).unwrap();
        Self(
            files
                .into_iter()
                .filter(|f| f.path != ".attacheignore")
                .map(|f| (f.path.to_owned(), f.bytes))
                .collect(),
        )
    }

    /// Builds the scaffold the way `attache build` does, without the disk.
    fn packed() -> Self {
        Self::scaffold().pack(&BuildOptions::default()).unwrap()
    }

    fn pack(self, options: &BuildOptions) -> Result<Self, BuildError> {
        let mut draft = Draft::default();
        for (path, bytes) in self.0 {
            draft.put(&path, bytes)?;
        }
        Lexichord.finish(&mut draft, options)?;
        let files = draft.files.into_iter();
        Ok(Self(
            files
                .map(|(path, file)| (path.to_string(), file.read().unwrap()))
                .collect(),
        ))
    }

    fn json(mut self, path: &str, change: impl FnOnce(&mut Value)) -> Self {
        let mut value = parse_json(&self.0[path]).unwrap();
        change(&mut value);
        self.0.insert(path.to_owned(), pretty_json(&value));
        self
    }

    fn with(self, path: &str, text: &str) -> Self {
        self.with_bytes(path, text.as_bytes())
    }

    fn with_bytes(mut self, path: &str, bytes: &[u8]) -> Self {
        self.0.insert(path.to_owned(), bytes.to_vec());
        self
    }

    fn without(mut self, path: &str) -> Self {
        self.0.remove(path).unwrap();
        self
    }

    /// Makes `contentHash` right again, so that a test sees only the problem it made.
    fn rehashed(self) -> Self {
        let tree = self.tree();
        self.json("manifest.json", |m| {
            let hash = content_hash(m.as_object().unwrap(), &tree);
            m["contentHash"] = hash.to_string().into();
        })
    }

    fn tree(&self) -> Tree {
        Tree::assembled(
            self.0.iter().map(|(path, bytes)| {
                PackFile::bytes(PackagePath::new(path).unwrap(), bytes.clone())
            }),
        )
        .unwrap()
    }

    fn read(&self, stage: Stage) -> (Option<Manifest>, Diagnostics) {
        let mut diagnostics = Diagnostics::new(false);
        let manifest = Lexichord
            .read(&self.tree(), stage, &mut diagnostics)
            .unwrap();
        (manifest, diagnostics)
    }
}

#[test]
fn the_scaffold_is_valid_as_a_source_and_as_a_package() {
    let (manifest, diagnostics) = Files::scaffold().read(Stage::Source);
    assert_eq!(diagnostics.errors(), []);
    assert_eq!(diagnostics.warnings(), []);
    assert_eq!(manifest.unwrap().id.as_str(), "test-agent");
    let (manifest, diagnostics) = Files::packed().read(Stage::Packed);
    assert_eq!(diagnostics.errors(), []);
    let capabilities: Vec<_> = manifest
        .unwrap()
        .capabilities
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        capabilities,
        ["code", "filesystem:read", "tool:Read", "tool:word_count"]
    );
}

#[test]
fn both_manifests_of_the_specification_are_read_in_full() {
    let fields = json!({
        "id": "my-agent", "version": "1.0.0", "displayName": "My Agent",
        "description": "Agent description", "author": "Author Name", "license": "MIT",
        "minimumLicenseTier": "WriterPro", "keywords": ["ai", "agent", "writing"],
        "homepage": "https://example.com",
        "repository": { "type": "git", "url": "https://example.com/my-agent" },
        "bugs": { "url": "https://example.com/my-agent/issues" },
        "engines": { "lexichord": ">=0.15.2" },
        "dependencies": {
            "plugin-base": { "version": "^1.0.0", "optional": false, "description": "Base plugin utilities" },
            "nlp-tools": { "version": ">=2.0.0 <3.0.0", "optional": true }
        },
        "createdAt": "2026-01-31T12:00:00Z"
    });
    let files = Files::scaffold().json("manifest.json", |m| *m = fields);
    let (manifest, diagnostics) = files.read(Stage::Source);
    assert_eq!(diagnostics.errors(), []);
    let manifest = manifest.unwrap();
    assert_eq!(manifest.minimum_license_tier, crate::LicenseTier::WriterPro);
    let [nlp, base] = manifest.dependencies.as_slice() else {
        panic!("two dependencies")
    };
    assert!(nlp.optional && nlp.range.contains(&"2.9.0".parse().unwrap()));
    assert!(!nlp.range.contains(&"3.0.0".parse().unwrap()));
    assert_eq!(base.description.as_deref(), Some("Base plugin utilities"));
}

/// Each case: the rule's code, where it is reported, and a package that breaks it.
fn cases() -> Vec<(&'static str, &'static str, Files)> {
    let manifest =
        |change: fn(&mut Value)| Files::packed().json("manifest.json", change).rehashed();
    let agent = |change: fn(&mut Value)| Files::packed().json("agent.json", change).rehashed();
    let signed = |change: fn(&mut Value)| {
        let files = Files::packed();
        let hash = parse_json(&files.0["manifest.json"]).unwrap()["contentHash"].clone();
        let mut signature = json!({ "signatureVersion": 1, "signatures": [{
            "statement": { "signerId": "a@b.example", "algorithm": "Ed25519", "keyId": "k",
                "contentHash": hash, "createdAt": TIME },
            "signature": "AAAA" }] });
        change(&mut signature);
        files.with("MANIFEST_SIGNATURE", &signature.to_string())
    };
    vec![
        (
            "ATT-LX-ID",
            "manifest.json#/id",
            manifest(|m| m["id"] = "My Agent".into()),
        ),
        (
            "ATT-LX-VERSION",
            "manifest.json#/version",
            manifest(|m| m["version"] = "1.0".into()),
        ),
        (
            "ATT-LX-URL",
            "manifest.json#/homepage",
            manifest(|m| m["homepage"] = "javascript:x".into()),
        ),
        (
            "ATT-LX-URL",
            "manifest.json#/bugs/url",
            manifest(|m| m["bugs"] = json!({"url": "ftp://x"})),
        ),
        (
            "ATT-LX-TIER",
            "manifest.json#/minimumLicenseTier",
            manifest(|m| m["minimumLicenseTier"] = "Gold".into()),
        ),
        (
            "ATT-LX-CATEGORY",
            "manifest.json#/category",
            manifest(|m| m["category"] = "two words".into()),
        ),
        (
            "ATT-LX-KEYWORDS",
            "manifest.json#/keywords",
            manifest(|m| m["keywords"] = json!(["a", "a"])),
        ),
        (
            "ATT-LX-ENGINE",
            "manifest.json#/engines/lexichord",
            manifest(|m| m["engines"] = json!({"lexichord": "latest"})),
        ),
        (
            "ATT-LX-DEPENDENCY",
            "manifest.json#/dependencies/nlp/version",
            manifest(|m| m["dependencies"] = json!({"nlp": {"version": ">=2.0.0, <3.0.0"}})),
        ),
        (
            "ATT-LX-DEPENDENCY",
            "manifest.json#/dependencies/..~1x",
            manifest(|m| m["dependencies"] = json!({"../x": {"version": "1.0.0"}})),
        ),
        (
            "ATT-LX-CREATED-AT",
            "manifest.json#/createdAt",
            manifest(|m| m["createdAt"] = "yesterday".into()),
        ),
        (
            "ATT-LX-CREATED-AT",
            "manifest.json#/createdAt",
            manifest(|m| {
                m.as_object_mut().unwrap().remove("createdAt");
            }),
        ),
        (
            "ATT-LX-FILES-ENTRY",
            "manifest.json#/files/0",
            manifest(|m| m["files"][0] = "gone.txt".into()),
        ),
        (
            "ATT-LX-FILES-ENTRY",
            "manifest.json#/files/0",
            manifest(|m| m["files"][0] = "../x/".into()),
        ),
        (
            "ATT-LX-UNLISTED",
            "extra.txt",
            Files::packed().with("extra.txt", "x").rehashed(),
        ),
        (
            "ATT-LX-CONTENT-HASH",
            "manifest.json#/contentHash",
            Files::packed().with("prompts/system.md", "changed"),
        ),
        (
            "ATT-LX-CONTENT-HASH",
            "manifest.json#/contentHash",
            Files::packed().with("prompts/new.md", "added"),
        ),
        (
            "ATT-LX-CONTENT-HASH",
            "manifest.json#/contentHash",
            Files::packed().json("manifest.json", |m| m["description"] = "another".into()),
        ),
        (
            "ATT-LX-CONTENT-HASH",
            "manifest.json#/contentHash",
            Files::packed().json("manifest.json", |m| {
                m.as_object_mut().unwrap().remove("contentHash");
            }),
        ),
        (
            "ATT-LX-SIGNATURE",
            "MANIFEST_SIGNATURE",
            Files::packed().with("MANIFEST_SIGNATURE", "not json"),
        ),
        (
            "ATT-LX-SIGNATURE",
            "MANIFEST_SIGNATURE#/signatures",
            signed(|s| s["signatures"] = json!([])),
        ),
        (
            "ATT-LX-SIGNATURE",
            "MANIFEST_SIGNATURE#/signatures/0/statement/contentHash",
            signed(|s| {
                s["signatures"][0]["statement"]["contentHash"] = Digest::of("x").to_string().into();
            }),
        ),
        (
            "ATT-LX-SIGNATURE",
            "MANIFEST_SIGNATURE#/signatures/0/signature",
            signed(|s| s["signatures"][0]["signature"] = "!".into()),
        ),
        (
            "ATT-LX-SIGNATURE",
            "manifest.json#/signature/contentHash",
            Files::packed().json("manifest.json", |m| {
                m["signature"] = json!({"signerId": "a", "algorithm": "RSA-2048", "createdAt": TIME,
                "contentHash": Digest::of("x").to_string()});
            }),
        ),
        (
            "ATT-LX-LICENSE",
            "manifest.json#/license",
            manifest(|m| m["license"] = "My Licence".into()),
        ),
        (
            "ATT-LX-LICENSE-FILE",
            "LICENSE",
            Files::packed()
                .with("LICENSE", "All rights reserved.")
                .rehashed(),
        ),
        (
            "ATT-LX-LICENSE-FILE",
            "LICENSE",
            manifest(|m| m["license"] = "Apache-2.0".into()),
        ),
        (
            "ATT-LX-LICENSE-FILE",
            "manifest.json#/license",
            manifest(|m| {
                m.as_object_mut().unwrap().remove("license");
            }),
        ),
        (
            "ATT-LX-AGENT",
            "agent.json",
            Files::packed().without("agent.json").rehashed(),
        ),
        (
            "ATT-LX-AGENT-REFERENCE",
            "agent.json#/instructions",
            agent(|a| a["instructions"] = "prompts/none.md".into()),
        ),
        (
            "ATT-LX-AGENT-REFERENCE",
            "agent.json#/tools",
            agent(|a| a["tools"] = json!(["Teleport"])),
        ),
        (
            "ATT-LX-AGENT-REFERENCE",
            "agent.json#/tools",
            agent(|a| a["tools"] = json!(["server/tool"])),
        ),
        (
            "ATT-LX-AGENT-REFERENCE",
            "agent.json#/skills",
            agent(|a| a["skills"] = json!(["fly"])),
        ),
        (
            "ATT-LX-AGENT-REFERENCE",
            "agent.json#/workflows",
            agent(|a| a["workflows"] = json!(["fly"])),
        ),
        (
            "ATT-LX-PROMPT",
            "prompts/system.md",
            Files::packed().with("prompts/system.md", "a\0b").rehashed(),
        ),
        (
            "ATT-LX-PROMPT",
            "prompts/deep/other.MD",
            Files::packed()
                .with_bytes("prompts/deep/other.MD", b"\xff\xfe")
                .rehashed(),
        ),
        (
            "ATT-LX-MCP-SERVER",
            "agent.json#/mcpServers/s",
            agent(|a| a["mcpServers"] = json!({"s": {}})),
        ),
        (
            "ATT-LX-MCP-SERVER",
            "agent.json#/mcpServers/s",
            agent(|a| a["mcpServers"] = json!({"s": {"command": "x", "url": "https://x.example"}})),
        ),
        (
            "ATT-LX-TOOL",
            "tools/tools.json#/tools/0/implementation",
            Files::packed()
                .json("tools/tools.json", |t| {
                    t["tools"][0]["implementation"] = "tools/none.py".into();
                })
                .rehashed(),
        ),
        (
            "ATT-LX-TOOL",
            "tools/tools.json#/tools/0/name",
            Files::packed()
                .json("tools/tools.json", |t| {
                    t["tools"][0]["name"] = "Bash".into();
                })
                .rehashed(),
        ),
        (
            "ATT-LX-WORKFLOW",
            "workflows/brief.json#/steps",
            Files::packed()
                .json("workflows/brief.json", |w| w["steps"] = json!([]))
                .rehashed(),
        ),
        (
            "ATT-LX-WORKFLOW",
            "workflows/brief.json#/steps/0",
            Files::packed()
                .json("workflows/brief.json", |w| {
                    w["steps"][0] = json!({"prompt": "a", "tool": "b"});
                })
                .rehashed(),
        ),
        (
            "ATT-LX-LOCK",
            "package-lock.json#/requires",
            Files::packed()
                .json("package-lock.json", |l| {
                    l["requires"] = json!({"x": "1.0.0"});
                })
                .rehashed(),
        ),
        (
            "ATT-LX-SEALED",
            "dependencies/x.lxpkg",
            Files::packed()
                .json("manifest.json", |m| {
                    m["files"]
                        .as_array_mut()
                        .unwrap()
                        .push("dependencies/".into());
                })
                .with("dependencies/x.lxpkg", "?")
                .rehashed(),
        ),
        (
            "ATT-LX-SKILL",
            "skills/empty/SKILL.md",
            Files::packed().with("skills/empty/x.md", "x").rehashed(),
        ),
        (
            "ATT-FIELD-UNKNOWN",
            "manifest.json#/displayname",
            manifest(|m| m["displayname"] = "x".into()),
        ),
        (
            "ATT-FIELD-TYPE",
            "manifest.json#/keywords",
            manifest(|m| m["keywords"] = "x".into()),
        ),
        (
            "ATT-FIELD-VALUE",
            "manifest.json#/displayName",
            manifest(|m| m["displayName"] = " ".into()),
        ),
        (
            "ATT-FIELD-REQUIRED",
            "manifest.json#/displayName",
            manifest(|m| {
                m.as_object_mut().unwrap().remove("displayName");
            }),
        ),
        (
            "ATT-SYNTAX",
            "agent.json",
            Files::packed()
                .with("agent.json", "{\"a\":1,\"a\":2}")
                .rehashed(),
        ),
    ]
}

#[test]
fn each_rule_is_reported_with_its_code_and_place() {
    for (code, path, files) in cases() {
        let (_, diagnostics) = files.read(Stage::Packed);
        let found = diagnostics
            .errors()
            .iter()
            .any(|p| p.code == code && p.path == path);
        assert!(found, "{code} at {path} not in {:#?}", diagnostics.errors());
    }
}

#[test]
fn a_problem_is_reported_alone_when_it_is_alone() {
    for (code, _, files) in cases() {
        let (_, diagnostics) = files.read(Stage::Packed);
        let others: Vec<_> = diagnostics
            .errors()
            .iter()
            .filter(|p| p.code != code)
            .collect();
        // A renamed or dropped thing may rightly be missed elsewhere, under another rule.
        assert!(others.len() <= 2, "{code}: {others:#?}");
    }
}

#[test]
fn every_rule_has_a_bad_package() {
    let mut covered: BTreeSet<_> = cases().iter().map(|(code, ..)| *code).collect();
    // Reported as a warning, in the test below.
    covered.insert("ATT-LX-TRUST-LEVEL");
    let missing: Vec<_> = rules::ALL
        .iter()
        .map(|r| r.code)
        .filter(|c| !covered.contains(c))
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn all_problems_come_at_once() {
    let files = Files::packed().json("manifest.json", |m| {
        m["id"] = "My Agent".into();
        m["version"] = "one".into();
        m["license"] = "?".into();
        m["homepage"] = 7.into();
    });
    let (manifest, diagnostics) = files.read(Stage::Packed);
    assert_eq!(manifest, None);
    assert!(
        diagnostics.errors().len() >= 5,
        "{:#?}",
        diagnostics.errors()
    );
}

#[test]
fn a_trust_level_in_a_manifest_is_ignored_and_said_to_be() {
    let files = Files::packed();
    let hash = parse_json(&files.0["manifest.json"]).unwrap()["contentHash"].clone();
    let files = files.json("manifest.json", |m| {
        m["signature"] = json!({"signerId": "a", "algorithm": "RSA-2048", "createdAt": TIME,
            "contentHash": hash, "trustLevel": "StaffOfficial"});
    });
    let (_, diagnostics) = files.read(Stage::Packed);
    assert_eq!(diagnostics.errors(), []);
    assert_eq!(diagnostics.warnings()[0].code, "ATT-LX-TRUST-LEVEL");
}

#[test]
fn the_content_hash_is_the_one_the_design_defines() {
    // Recomputed from the text of the definition, with nothing but a hash function.
    let files = Files::packed();
    let manifest = parse_json(&files.0["manifest.json"]).unwrap();
    let mut plain = manifest.as_object().unwrap().clone();
    plain.remove("contentHash");
    let list: Vec<String> = files
        .0
        .iter()
        .filter(|(path, _)| *path != "manifest.json")
        .map(|(path, bytes)| {
            let digest = Digest::of(bytes).hex();
            format!(
                r#"{{"executable":false,"path":"{path}","sha256":"{digest}","size":{}}}"#,
                bytes.len()
            )
        })
        .collect();
    let text = format!(
        r#"{{"files":[{}],"manifest":{}}}"#,
        list.join(","),
        Value::Object(plain)
    );
    assert_eq!(manifest["contentHash"], Digest::of(text).to_string());
}

#[test]
fn a_signature_file_does_not_change_the_content_hash() {
    let files = Files::packed();
    let before = content_hash(&Default::default(), &files.tree());
    let after = content_hash(
        &Default::default(),
        &files.with("MANIFEST_SIGNATURE", "{}").tree(),
    );
    assert_eq!(before, after);
}

fn chosen(id: &str, version: &str, needs: &[(&str, &str)]) -> ChosenPackage {
    let needs = needs.iter();
    ChosenPackage {
        id: id.parse().unwrap(),
        version: version.parse().unwrap(),
        registry: "main".to_owned(),
        namespace: None,
        source: Some(format!("{id}-{version}.lxpkg")),
        digest: Digest::of(format!("{id}{version}")),
        size: 1,
        dependencies: needs
            .map(|(id, range)| (id.parse().unwrap(), range.parse().unwrap()))
            .collect(),
        file: None,
    }
}

/// Packs an agent that needs `a ^1`, with these packages locked, and returns what is wrong.
fn packed_with(packages: Vec<ChosenPackage>, overrides: &[(&str, &str)]) -> Result<Files, String> {
    let overrides = overrides.iter();
    let options = BuildOptions {
        chosen: ChosenPackages {
            overrides: overrides
                .map(|(id, range)| (id.parse().unwrap(), range.parse().unwrap()))
                .collect(),
            packages,
        },
        ..BuildOptions::default()
    };
    let files = Files::scaffold().json("manifest.json", |m| {
        m["dependencies"] = json!({ "a": { "version": "^1" } });
    });
    let files = files.pack(&options).map_err(|e| format!("{e:?}"))?;
    match files.read(Stage::Packed).1.errors() {
        [] => Ok(files),
        errors => Err(format!("{errors:?}")),
    }
}

#[test]
fn a_lock_says_which_versions_from_where_and_for_whom() {
    let files = packed_with(
        vec![
            chosen("a", "1.4.0", &[("b", "^2")]),
            chosen("b", "2.1.0", &[]),
        ],
        &[],
    );
    let lock = parse_json(&files.unwrap().0["package-lock.json"]).unwrap();
    assert_eq!(lock["requires"], json!({ "a": "^1" }));
    let a = &lock["packages"][0];
    assert_eq!(a["registry"], "main");
    assert_eq!(a["source"], "a-1.4.0.lxpkg");
    assert_eq!(a["dependencies"], json!({ "b": "^2" }));
    assert_eq!(lock["packages"][1]["version"], "2.1.0");
}

#[test]
fn a_lock_that_contradicts_itself_is_refused() {
    let wrong = |packages, overrides: &[(&str, &str)], message: &str| {
        let error = packed_with(packages, overrides).err().unwrap_or_default();
        assert!(error.contains(message), "{error}");
    };
    wrong(
        vec![chosen("a", "2.0.0", &[])],
        &[],
        "a 2.0.0 is not in ^1, which manifest.json asks for",
    );
    wrong(
        vec![chosen("a", "1.0.0", &[("b", "^2")])],
        &[],
        "a needs b, which is not locked",
    );
    wrong(
        vec![
            chosen("a", "1.0.0", &[("b", "^2")]),
            chosen("b", "3.0.0", &[]),
        ],
        &[],
        "b 3.0.0 is not in ^2, which a asks for",
    );
    // An override counts instead of what anyone asks for.
    let moved = || {
        vec![
            chosen("a", "1.0.0", &[("b", "^2")]),
            chosen("b", "3.0.0", &[]),
        ]
    };
    packed_with(moved(), &[("b", "^3")]).unwrap();
    wrong(moved(), &[("b", "^4")], "b 3.0.0 is not in ^4");
}

#[test]
fn options_decide_what_goes_in() {
    let check = |path: &str, options: &BuildOptions, expected: bool| {
        let path = PackagePath::new(path).unwrap();
        assert_eq!(Lexichord.includes(&path, options), expected, "{path}");
    };
    let usual = BuildOptions::default();
    let other = BuildOptions {
        include_source: true,
        include_docs: false,
        include_examples: true,
        ..BuildOptions::default()
    };
    for (path, in_usual, in_other) in [
        ("src/main.rs", false, true),
        ("docs/guide.md", true, false),
        ("README.md", true, false),
        ("examples/a.json", false, true),
        ("workflows/examples/a.json", false, true),
        ("tools/implementations/a.py", true, true),
        ("LICENSE", true, true),
        ("MANIFEST_SIGNATURE", false, false),
        ("dependencies/a-1.0.0.lxpkg", false, false),
    ] {
        check(path, &usual, in_usual);
        check(path, &other, in_other);
    }
}

#[test]
fn metadata_and_time_from_the_options_reach_the_manifest() {
    let options = BuildOptions {
        metadata: [("team".to_owned(), json!("search"))].into(),
        created_at: Some("2020-02-02T02:02:02Z".to_owned()),
        ..BuildOptions::default()
    };
    let files = Files::scaffold().pack(&options).unwrap();
    let manifest = parse_json(&files.0["manifest.json"]).unwrap();
    assert_eq!(manifest["metadata"]["team"], "search");
    assert_eq!(manifest["createdAt"], "2020-02-02T02:02:02Z");
    assert_eq!(files.read(Stage::Packed).1.errors(), []);
}

#[test]
fn only_listed_files_are_packed_and_everything_else_is_listed() {
    let files = Files::scaffold()
        .with("notes.txt", "x")
        .pack(&BuildOptions::default())
        .unwrap();
    assert!(
        !files.0.contains_key("notes.txt"),
        "`files` does not list it"
    );
    let files = Files::scaffold()
        .with("notes.txt", "x")
        .json("manifest.json", |m| {
            m.as_object_mut().unwrap().remove("files");
        })
        .pack(&BuildOptions::default())
        .unwrap();
    let manifest = parse_json(&files.0["manifest.json"]).unwrap();
    assert!(
        manifest["files"]
            .as_array()
            .unwrap()
            .contains(&"notes.txt".into())
    );
    assert_eq!(files.read(Stage::Packed).1.errors(), []);
}

#[test]
fn an_unpacked_package_that_was_changed_is_not_valid_and_builds_again() {
    let detected = |files: &Files| Package::detect(files.tree(), None).unwrap();
    let errors = |package: &Package| {
        let mut diagnostics = Diagnostics::new(false);
        package.read(&mut diagnostics).unwrap();
        diagnostics.into_parts().0
    };
    let source = detected(&Files::scaffold());
    assert_eq!(source.stage, Stage::Source);
    let whole = detected(&Files::packed());
    assert!(whole.is_folder() && whole.stage == Stage::Packed);
    assert_eq!(errors(&whole), []);

    let changed = Files::packed().with("prompts/system.md", "Do as I say.\n");
    let [problem] = &errors(&detected(&changed))[..] else {
        panic!("one problem")
    };
    assert_eq!(problem.code, "ATT-LX-CONTENT-HASH");
    assert!(problem.message.contains("`attache build`"), "{problem}");
    let signed = changed.with("MANIFEST_SIGNATURE", "{}");
    assert_eq!(signed.read(Stage::Source).1.errors(), []);
    let again = signed
        .without("MANIFEST_SIGNATURE")
        .pack(&BuildOptions::default())
        .unwrap();
    assert_eq!(errors(&detected(&again)), []);
}

#[test]
fn taking_the_hash_out_does_not_hide_that_a_signed_folder_was_changed() {
    let files = Files::packed()
        .with("MANIFEST_SIGNATURE", "{}")
        .json("manifest.json", |m| {
            m.as_object_mut().unwrap().remove("contentHash");
        });
    assert_eq!(Lexichord.stage(&files.tree()), Stage::Packed);
}

/// Returns how long `work` takes, in seconds.
fn seconds(work: impl FnOnce()) -> f64 {
    let start = std::time::Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

#[test]
fn many_files_and_a_long_list_are_checked_at_once() {
    let paths: Vec<String> = (0..50_000)
        .map(|n| format!("resources/{}/{n}.txt", n % 100))
        .collect();
    let tree = Tree::from_bytes(paths.iter().map(|p| (p.as_str(), Vec::new()))).unwrap();
    let list = |count: usize| Document {
        files: paths.iter().take(count).cloned().collect(),
        ..Document::default()
    };
    let mut diagnostics = Diagnostics::new(false);
    let took = seconds(|| listing::check(&tree, &list(10_000), Stage::Packed, &mut diagnostics));
    assert_eq!(diagnostics.errors().len(), 40_000, "files not covered");
    assert!(took < 20.0, "{took} s");

    let mut diagnostics = Diagnostics::new(false);
    listing::check(&tree, &list(10_001), Stage::Packed, &mut diagnostics);
    let [problem] = diagnostics.errors() else {
        panic!("one problem")
    };
    assert_eq!(problem.path, "manifest.json#/files");

    let mut draft = Draft::default();
    for path in &paths {
        draft.put(path, Vec::new()).unwrap();
    }
    let took = seconds(|| {
        let made = listing::listed(&draft, &list(10_000).files);
        assert_eq!(made.len(), 10_001);
    });
    assert!(took < 20.0, "{took} s");
}

#[test]
fn a_listed_folder_covers_what_is_in_it_and_nothing_beside_it() {
    let check = |items: &[&str], path: &str, expected: bool| {
        let items: Vec<String> = items.iter().map(|i| (*i).to_owned()).collect();
        let path = PackagePath::new(path).unwrap();
        assert_eq!(Listing::new(&items).takes(&path), expected, "{path}");
    };
    check(&[], "anything", true);
    check(&["a/b/"], "a/b/c/d", true);
    check(&["a/b/"], "a/bc", false);
    check(&["a/b/"], "a/b", false);
    check(&["a"], "a/b", false);
    check(&["a"], "a", true);
    check(&["a"], "manifest.json", true);
    let files = Files::scaffold().with("notes.txt", "x");
    let chosen = Lexichord.selection(&files.tree()).unwrap();
    assert!(!chosen(&PackagePath::new("notes.txt").unwrap()));
    assert!(chosen(&PackagePath::new("prompts/system.md").unwrap()));
}

#[test]
fn a_licence_named_a_thousand_times_is_compared_once() {
    let long = vec!["Apache-2.0"; 1000].join(" OR ");
    let files = Files::scaffold().json("manifest.json", |m| m["license"] = long.into());
    let took = seconds(|| assert!(!files.read(Stage::Source).1.is_valid()));
    assert!(took < 20.0, "{took} s");
}

/// A sealed package that carries `a` 1.0.0, and needs it.
fn sealed() -> Files {
    let needs = json!({"a": {"version": "^1"}});
    let lock = json!({"lockVersion": 1, "requires": {"a": "^1"}, "packages": [{
        "id": "a", "version": "1.0.0", "registry": "main", "digest": Digest::of("?").to_string(), "size": 1,
        "carried": "dependencies/a-1.0.0.lxpkg" }]});
    Files::packed()
        .json("manifest.json", |m| {
            m["dependencies"] = needs;
            let list = m["files"].as_array_mut().unwrap();
            list.push("dependencies/".into());
        })
        .json("package-lock.json", |l| *l = lock)
        .with("dependencies/a-1.0.0.lxpkg", "?")
        .rehashed()
}

#[test]
fn what_is_carried_lies_at_its_place_with_its_size_and_is_shown() {
    let (manifest, diagnostics) = sealed().read(Stage::Packed);
    assert_eq!(diagnostics.errors(), []);
    assert_eq!(diagnostics.warnings(), []);
    let asked = manifest.unwrap().capabilities;
    assert_eq!(asked.first().unwrap().to_string(), "carries:a");

    let check = |change: fn(Files) -> Files, path: &str| {
        let (_, diagnostics) = change(sealed()).rehashed().read(Stage::Packed);
        let found = diagnostics.errors().iter();
        let found: Vec<_> = found.map(|p| (p.code, p.path.as_str())).collect();
        assert!(found.contains(&("ATT-LX-SEALED", path)), "{found:?}");
    };
    check(
        |f| f.json("package-lock.json", |l| l["packages"][0]["size"] = 2.into()),
        "package-lock.json#/packages/0/size",
    );
    check(
        |f| {
            f.json("package-lock.json", |l| {
                l["packages"][0]["carried"] = "agent.json".into();
            })
        },
        "package-lock.json#/packages/0/carried",
    );
    check(
        |f| f.without("package-lock.json"),
        "dependencies/a-1.0.0.lxpkg",
    );
}

#[test]
fn a_dependency_that_is_not_locked_is_named() {
    let needs = json!({"a": {"version": "^1"}, "b": {"version": "^1", "optional": true}});
    let files = Files::scaffold()
        .json("manifest.json", |m| m["dependencies"] = needs)
        .pack(&BuildOptions::default())
        .unwrap();
    for files in [files.read(Stage::Packed), {
        files
            .without("package-lock.json")
            .rehashed()
            .read(Stage::Packed)
    }] {
        assert_eq!(files.1.errors(), []);
        let [warning] = files.1.warnings() else {
            panic!("{:?}", files.1.warnings())
        };
        assert_eq!(warning.code, "ATT-LX-LOCK");
        assert!(warning.message.starts_with("dependency a is"), "{warning}");
    }
}

#[test]
fn a_source_says_what_the_build_leaves_out_and_what_it_needs() {
    let files = sealed().json("manifest.json", |m| {
        m.as_object_mut().unwrap().remove("createdAt");
    });
    let (manifest, diagnostics) = files.read(Stage::Source);
    assert_eq!(diagnostics.errors(), []);
    let found = diagnostics.warnings().iter();
    let found: Vec<_> = found.map(|p| (p.code, p.path.as_str())).collect();
    assert_eq!(
        found,
        [
            ("ATT-LX-SEALED", "dependencies"),
            ("ATT-LX-CREATED-AT", "manifest.json#/createdAt"),
        ]
    );
    let asked = manifest.unwrap().capabilities;
    assert!(!asked.iter().any(|c| matches!(c, Capability::Carries(_))));
}

#[test]
fn a_dependency_written_as_a_string_is_shown_how_to_write_it() {
    for (given, shown) in [("^2.1", "^2.1"), ("newest", "^1")] {
        let needs = json!({ "a": given });
        let files = Files::scaffold().json("manifest.json", |m| m["dependencies"] = needs);
        let (_, diagnostics) = files.read(Stage::Source);
        let [problem] = diagnostics.errors() else {
            panic!("{:?}", diagnostics.errors())
        };
        assert_eq!(problem.path, "manifest.json#/dependencies/a");
        let expected = format!(r#"write {{"version": "{shown}"}}"#);
        assert!(problem.message.ends_with(&expected), "{problem}");
    }
}
