use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::*;
use crate::archive::PackFile;
use crate::text::parse_yaml;
use crate::{Capability, Digest, Problem, Release};
use cases::{ALL, Case, ERRORS, WARNINGS};

mod cases;
mod convert;

const AGENT: &str = ".nanobot/agents/builder/AGENT.md";
const SKILL: &str = ".nanobot/skills/docs/write-doc/SKILL.md";
const TASK: &str = ".nanobot/tasks/ship/TASK.md";
const STEP: &str = ".nanobot/tasks/ship/2.md";
const PACK: &str = ".nanobot/pack.yaml";

/// A pack that uses every field there is.
fn whole() -> BTreeMap<String, String> {
    let files = [
        (
            PACK,
            "name: my-pack\nversion: 1.2.3\ndescription: A pack.\nauthor: Ada\nlicense: MIT\ncreated_at: 2026-01-31T12:00:00Z\nmetadata: {team: x}\n",
        ),
        (
            AGENT,
            "---\nname: Builder\ndescription: Builds.\nmetadata: {owner: {deep: [1]}}\nmodel: small\nallowed_models: [large]\ntemperature: 0.2\nmax_tokens: 4096\ntools: [Read, Bash, github/search]\ntool_approvals:\n  default: approve\n  rules:\n    - tool: Bash\n      allow: true\n      when:\n        command: {startsWith: 'git ', matches: 'git (status|diff)'}\n        flags: {allOf: [{containsAll: [a, b]}, {anyOf: [{contains: a}, {equals: 1}]}]}\n        mode: {in: [fast, 2, true]}\n    - {tool: Read, decision: deny}\nskills: [inherit, docs/write-doc]\ntasks: [ship]\ntask_approvals:\n  rules:\n    - {task: ship, allow: false}\n---\n\n# Builder\n",
        ),
        (
            SKILL,
            "---\nname: write-doc\ndescription: Writes documents.\nlicense: MIT\ncompatibility: any\nmetadata:\n  version: 1\nallowed-tools: Bash(git add:*) Read\ntools: [Write]\nskills: inherit\ntasks: []\n---\nWrite.\n",
        ),
        (
            TASK,
            "---\nname: Ship\ndescription: Ships it.\nagent: builder\ntools: inherit\nskills: [docs/write-doc]\ninputs:\n  - {name: goal, description: What to ship.}\n  - {name: where_to, description: Where., default: here}\nnext: 2.md\n---\nFirst.\n",
        ),
        (STEP, "---\ntools: [Edit]\n---\nSecond.\n"),
        (
            ".nanobot/skills/docs/write-doc/references/style.md",
            "Plain.",
        ),
        ("README.md", "# Read me"),
        ("LICENSE-MIT", "MIT"),
    ];
    files
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .into()
}

fn tree(files: &BTreeMap<String, String>) -> Tree {
    let files = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.clone().into_bytes()));
    Tree::from_bytes(files).unwrap()
}

fn read(files: &BTreeMap<String, String>, stage: Stage) -> (Option<Manifest>, Diagnostics) {
    let mut diagnostics = Diagnostics::new(false);
    let manifest = Nanobot.read(&tree(files), stage, &mut diagnostics).unwrap();
    (manifest, diagnostics)
}

fn found(problems: &[Problem]) -> Vec<(&str, &str)> {
    problems.iter().map(|p| (p.code, p.path.as_str())).collect()
}

fn broken(case: &Case) -> BTreeMap<String, String> {
    let mut files = whole();
    if case.from == ALL {
        files.insert(case.file.to_owned(), case.to.to_owned());
    } else {
        let text = files.get_mut(case.file).unwrap();
        assert_eq!(
            text.matches(case.from).count(),
            1,
            "{} in {}",
            case.from,
            case.file
        );
        *text = text.replace(case.from, case.to);
    }
    files
}

#[test]
fn every_fault_is_found_where_it_is() {
    for case in ERRORS {
        let (_, diagnostics) = read(&broken(case), Stage::Packed);
        // A misspelt field is missing under its right name and unknown under its own.
        let found = found(diagnostics.errors());
        assert!(
            found.contains(&(case.code, case.path)),
            "{} → {}: {found:?}",
            case.from,
            case.to
        );
        let others = found.iter().filter(|f| **f != (case.code, case.path));
        assert!(
            others.clone().all(|(code, _)| *code == "ATT-FIELD-UNKNOWN"),
            "{} → {}: {found:?}",
            case.from,
            case.to
        );
    }
    for case in WARNINGS {
        let (_, diagnostics) = read(&broken(case), Stage::Packed);
        assert_eq!(found(diagnostics.errors()), []);
        assert_eq!(found(diagnostics.warnings()), [(case.code, case.path)]);
    }
}

/// What replacing a text cannot show: nothing at all, and texts too long to write down.
#[test]
fn faults_of_size_are_found_too() {
    let (_, diagnostics) = read(
        &[("README.md".to_owned(), String::new())].into(),
        Stage::Source,
    );
    assert_eq!(
        found(diagnostics.errors()),
        [
            ("ATT-NANOBOT-EMPTY", ".nanobot"),
            ("ATT-NANOBOT-NO-NAME", ".nanobot/pack.yaml")
        ]
    );
    let skill = |description: usize, compatibility: usize| {
        let text = format!(
            "---\nname: s\ndescription: {}\ncompatibility: {}\n---\n",
            "ü".repeat(description),
            "ü".repeat(compatibility)
        );
        let mut diagnostics = Diagnostics::new(false);
        validate_skill(
            "s",
            "SKILL.md",
            text.as_bytes(),
            SkillFields::Standard,
            &mut diagnostics,
        );
        diagnostics
            .errors()
            .iter()
            .map(|p| p.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(skill(1024, 500), [""; 0]);
    assert_eq!(
        skill(1025, 501),
        [
            "ATT-NANOBOT-SKILL-DESCRIPTION",
            "ATT-NANOBOT-SKILL-COMPATIBILITY"
        ]
    );
}

#[test]
fn every_rule_has_a_pack_that_breaks_it() {
    let elsewhere = [
        "ATT-NANOBOT-EMPTY",
        "ATT-NANOBOT-NO-NAME",
        "ATT-NANOBOT-SKILL-COMPATIBILITY",
    ];
    let broken: BTreeSet<_> = ERRORS
        .iter()
        .chain(WARNINGS)
        .map(|c| c.code)
        .chain(elsewhere)
        .collect();
    for rule in Nanobot.rules() {
        assert!(broken.contains(rule.code), "{} is never broken", rule.code);
    }
}

#[test]
fn a_pack_says_what_it_is() {
    let (manifest, diagnostics) = read(&whole(), Stage::Packed);
    assert_eq!(found(diagnostics.errors()), []);
    assert_eq!(found(diagnostics.warnings()), []);
    let manifest = manifest.unwrap();
    assert_eq!(manifest.id.as_str(), "my-pack");
    assert_eq!(manifest.version, Some(Release::new(1, 2, 3)));
    assert_eq!(manifest.display_name, "Builder");
    assert_eq!(manifest.description.as_deref(), Some("A pack."));
    let capabilities: Vec<_> = manifest
        .capabilities
        .iter()
        .map(Capability::to_string)
        .collect();
    assert_eq!(
        capabilities,
        [
            "filesystem:read",
            "filesystem:write",
            "mcp:github",
            "model:large",
            "model:small",
            "shell",
            "tool:Bash",
            "tool:Edit",
            "tool:Read",
            "tool:Write",
            "tool:github/search",
        ]
    );
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    assert_eq!(
        manifest.launch,
        Launch::Agents {
            agents: ids(&["builder"]),
            tasks: ids(&["ship"])
        }
    );
    assert_eq!(
        Nanobot.file_name(&manifest, Container::Zip),
        "my-pack-1.2.3.nanobot.zip"
    );
    let unversioned = Manifest {
        version: None,
        ..manifest
    };
    assert_eq!(
        Nanobot.file_name(&unversioned, Container::Zip),
        "my-pack.nanobot.zip"
    );
}

#[test]
fn every_field_reaches_its_type() {
    let all = Definitions::load(&tree(&whole()), &mut Diagnostics::new(false)).unwrap();
    let agent = &all.agents["builder"];
    assert_eq!(
        (agent.temperature, agent.max_tokens),
        (Some(0.2), Some(4096))
    );
    assert!(
        agent.allows_model("small") && agent.allows_model("large") && !agent.allows_model("other")
    );
    assert_eq!(agent.metadata["owner"]["deep"], json!([1]));
    assert_eq!(agent.body, "\n# Builder\n");
    let rules = &agent.grants.tool_approvals.rules;
    assert_eq!(rules.len(), 2);
    assert_eq!(
        (rules[0].target.as_str(), rules[0].decision),
        ("Bash", Decision::Allow)
    );
    assert_eq!(rules[1].decision, Decision::Deny);
    assert_eq!(agent.grants.task_approvals.rules[0].decision, Decision::Ask);
    let accepts = |argument: &str, value: Value| rules[0].when[argument].accepts(&value);
    assert!(accepts("command", json!("git status")));
    assert!(
        !accepts("command", json!("git status; rm")),
        "a pattern matches the whole"
    );
    assert!(!accepts("command", json!(1)));
    assert!(accepts("flags", json!(["a", "b"])) && accepts("flags", json!("ba")));
    assert!(!accepts("flags", json!(["a"])));
    assert!(
        accepts("mode", json!("fast"))
            && accepts("mode", json!(2.0))
            && accepts("mode", json!(true))
    );
    assert!(!accepts("mode", json!("slow")) && !accepts("mode", Value::Null));

    let skill = &all.skills["docs/write-doc"];
    assert_eq!(skill.allowed_tools, ["Bash(git add:*)", "Read"]);
    assert_eq!(skill.grants.tasks, Inheritance::Only(vec![]));
    let task = &all.tasks["ship"];
    let steps: Vec<_> = task.steps.iter().map(|s| s.file.as_str()).collect();
    assert_eq!(steps, ["TASK.md", "2.md"]);
    assert_eq!(task.first().inputs[1].default.as_deref(), Some("here"));
    assert_eq!(task.steps[1].name, None);
}

#[test]
fn lists_inherit_as_the_specification_says() {
    let host = ["Read".to_owned(), "Grep".to_owned()];
    let check = |yaml: &str, expected: &[&str]| {
        let file = format!("---\nname: x\n{yaml}\n---\n");
        let files = [(".nanobot/agents/x/AGENT.md".to_owned(), file)].into();
        let mut diagnostics = Diagnostics::new(false);
        let all = Definitions::load(&tree(&files), &mut diagnostics).unwrap();
        assert_eq!(found(diagnostics.errors()), [], "{yaml}");
        assert_eq!(
            all.agents["x"].grants.tools.resolve(&host),
            expected,
            "{yaml}"
        );
    };
    check("", &["Read", "Grep"]);
    check("tools: inherit", &["Read", "Grep"]);
    check("tools: []", &[]);
    check("tools: [Bash]", &["Bash"]);
    check("tools: [inherit]", &["Read", "Grep"]);
    check("tools: [Bash, inherit]", &["Read", "Grep", "Bash"]);
    check("tools: [inherit, Grep, Edit]", &["Read", "Grep", "Edit"]);
}

#[test]
fn a_rule_may_be_about_what_is_inherited() {
    for tools in ["", "tools: inherit\n", "tools: [inherit, Read]\n"] {
        let text = format!(
            "---\nname: x\n{tools}tool_approvals:\n  rules:\n  - {{tool: Bash, allow: true}}\n---\n"
        );
        let files = [(".nanobot/agents/x/AGENT.md".to_owned(), text)].into();
        assert_eq!(found(read(&files, Stage::Source).1.errors()), [], "{tools}");
    }
}

#[test]
fn an_extra_field_in_a_skill_is_only_a_warning_when_lenient() {
    let mut files = whole();
    let text = files.get_mut(SKILL).unwrap();
    *text = text.replace("license: MIT", "argument-hint: x");
    let mut diagnostics = Diagnostics::new(true);
    Nanobot
        .read(&tree(&files), Stage::Packed, &mut diagnostics)
        .unwrap();
    assert_eq!(found(diagnostics.errors()), []);
    assert_eq!(diagnostics.warnings()[0].code, "ATT-NANOBOT-SKILL-EXTRA");
}

#[test]
fn skill_names_follow_the_specification() {
    let check =
        |name: &str, good: bool| assert_eq!(skill::check_name(name).is_ok(), good, "{name}");
    for good in ["a", "pdf-processing", "7", "größe", "数据", &"x".repeat(64)] {
        check(good, true);
    }
    for bad in [
        "",
        "PDF",
        "-a",
        "a-",
        "a--b",
        "a_b",
        "a b",
        "a.b",
        &"x".repeat(65),
    ] {
        check(bad, false);
    }
    // Composed and decomposed spellings are one name; numbers are names too.
    let valid = |folder: &str, name: &str| {
        let text = format!("---\nname: {name}\ndescription: d\n---\n");
        let mut diagnostics = Diagnostics::new(false);
        validate_skill(
            folder,
            "SKILL.md",
            text.as_bytes(),
            SkillFields::Standard,
            &mut diagnostics,
        );
        diagnostics.is_valid()
    };
    assert!(valid("größe", "gro\u{308}ße"));
    assert!(valid("7", "7") && valid("true", "true"));
    assert!(!valid("a", "b"));
}

#[test]
fn extensions_are_extra_where_they_are_not_asked_for() {
    let text = b"---\nname: s\ndescription: d\ntools: [Read]\n---\n";
    let errors = |allowed| {
        let mut diagnostics = Diagnostics::new(false);
        validate_skill("s", "SKILL.md", text, allowed, &mut diagnostics).unwrap();
        diagnostics.errors().len()
    };
    assert_eq!(
        (errors(SkillFields::Standard), errors(SkillFields::Nanobot)),
        (1, 0)
    );
}

#[test]
fn only_definitions_make_a_folder_ours() {
    let claims = |path: &str| {
        let files = [(path.to_owned(), String::new())].into();
        Nanobot.claims(&tree(&files), None)
    };
    assert!(claims(AGENT) && claims(SKILL) && claims(TASK));
    assert!(
        !claims(".nanobot/pack.yaml") && !claims("agents/x/AGENT.md") && !claims(".nanobot/agents")
    );
}

#[test]
fn a_pack_takes_its_name_from_where_it_is() {
    let check = |given: &str, name: Option<&str>| {
        let made = pack::name_from(Path::new(given));
        assert_eq!(made.as_ref().map(PackageName::as_str), name, "{given}");
    };
    check("/srv/x/My Agents", Some("my-agents"));
    check("x/my-pack.nanobot.zip", Some("my-pack"));
    check("my-pack-1.2.3.nanobot.zip", Some("my-pack"));
    check("my-pack-1.2.3-beta.1.nanobot.zip", Some("my-pack"));
    check("web-2.0", Some("web-2.0"));
    check("..hidden--x..zip", Some("hidden-x"));
    check("_x", Some("x"));
    check("日本", None);
    check("con", None);

    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("Team Pack");
    let file = |path: &str| PackFile {
        content: Content::Disk(root.join(path)),
        size: 0,
        digest: Digest::of(b""),
        executable: false,
        path: PackagePath::new(path).unwrap(),
    };
    let mut draft = Draft {
        files: [AGENT]
            .map(|path| (PackagePath::new(path).unwrap(), file(path)))
            .into(),
    };
    Nanobot
        .finish(&mut draft, &BuildOptions::default())
        .unwrap();
    assert_eq!(draft.read(PACK).unwrap().unwrap(), b"name: team-pack\n");
}

#[test]
fn a_source_holds_anything_and_a_pack_only_what_belongs() {
    let includes = |path: &str, options: &BuildOptions| {
        Nanobot.includes(&PackagePath::new(path).unwrap(), options)
    };
    let usual = BuildOptions::default();
    for path in [
        AGENT,
        PACK,
        "README.md",
        "readme",
        "LICENSE",
        "LICENSE-MIT",
        "license.txt",
    ] {
        assert!(includes(path, &usual), "{path}");
    }
    for path in [
        "src/main.rs",
        "Cargo.toml",
        "docs/README.md",
        "READMEs/x",
        "licenses.json",
        ".nanobots/x",
    ] {
        assert!(!includes(path, &usual), "{path}");
    }
    assert!(!includes(
        "README.md",
        &BuildOptions {
            include_docs: false,
            ..usual
        }
    ));
    let mut files = whole();
    files.insert("src/main.rs".into(), String::new());
    assert!(read(&files, Stage::Source).1.is_valid());
    assert!(!read(&files, Stage::Packed).1.is_valid());
}

fn draft(files: &BTreeMap<String, String>) -> Draft {
    let file = |(path, text): (&String, &String)| {
        let path = PackagePath::new(path).unwrap();
        (
            path.clone(),
            PackFile::bytes(path, text.clone().into_bytes()),
        )
    };
    Draft {
        files: files.iter().map(file).collect(),
    }
}

#[test]
fn finishing_keeps_what_the_author_wrote_unless_asked() {
    let mut one = draft(&whole());
    Nanobot.finish(&mut one, &BuildOptions::default()).unwrap();
    assert_eq!(one.read(PACK).unwrap().unwrap(), whole()[PACK].as_bytes());

    let options = BuildOptions {
        created_at: Some("2027-01-01T00:00:00Z".into()),
        metadata: [("build".to_owned(), json!({ "n": 7 }))].into(),
        ..BuildOptions::default()
    };
    Nanobot.finish(&mut one, &options).unwrap();
    let text = String::from_utf8(one.read(PACK).unwrap().unwrap()).unwrap();
    assert_eq!(
        text,
        "name: my-pack\nversion: \"1.2.3\"\ndescription: A pack.\nauthor: Ada\nlicense: MIT\n\
         created_at: \"2027-01-01T00:00:00Z\"\nmetadata: {\"build\":{\"n\":7},\"team\":\"x\"}\n"
    );
    let pack = Pack::read(text.as_bytes(), &mut Diagnostics::new(false)).unwrap();
    assert_eq!(pack.to_yaml(), text);

    let mut bad = whole();
    bad.insert(PACK.to_owned(), "name: A B\n".to_owned());
    let refused = Nanobot.finish(&mut draft(&bad), &BuildOptions::default());
    assert!(
        matches!(refused, Err(BuildError::Invalid { problems }) if problems[0].code == "ATT-NANOBOT-PACK-NAME")
    );
}

#[test]
fn what_is_written_as_yaml_reads_back_the_same() {
    for text in [
        "plain words",
        "yes",
        "null",
        "1.0",
        "a: b",
        "# c",
        "- d",
        "",
        " x ",
        "é\n\t\"\\",
        "a\u{2028}b",
        "{x}",
        "x ",
        "\u{1}",
        "No",
        "~",
        "2026-01-01",
        "0x1F",
        "a #b",
        "🙂",
    ] {
        let yaml = format!("k: {}\n", pack::scalar(text));
        assert_eq!(parse_yaml(yaml.as_bytes()).unwrap()["k"], *text, "{yaml}");
    }
}

#[test]
fn a_new_pack_is_valid() {
    let new = Nanobot
        .scaffold(&"my-pack".parse().unwrap(), "2026-01-01T00:00:00Z")
        .unwrap();
    let files = new
        .into_iter()
        .map(|f| (f.path.to_owned(), String::from_utf8(f.bytes).unwrap()))
        .collect();
    for stage in [Stage::Source, Stage::Packed] {
        let (manifest, diagnostics) = read(&files, stage);
        assert_eq!(found(diagnostics.errors()), []);
        assert_eq!(found(diagnostics.warnings()), []);
        let manifest = manifest.unwrap();
        let capabilities: Vec<_> = manifest
            .capabilities
            .iter()
            .map(Capability::to_string)
            .collect();
        assert_eq!(
            capabilities,
            ["filesystem:read", "tool:Glob", "tool:Grep", "tool:Read"],
            "it only reads"
        );
        assert_eq!(manifest.id.as_str(), "my-pack");
    }
    let all = Definitions::load(&tree(&files), &mut Diagnostics::new(false)).unwrap();
    assert_eq!(all.tasks["hello"].steps.len(), 2);
    let secret = &all.agents["assistant"].grants.tool_approvals.rules[0].when["path"];
    for (path, denied) in [
        (".env", true),
        ("a/.env.local", true),
        ("a/environment", false),
    ] {
        assert_eq!(secret.accepts(&json!(path)), denied, "{path}");
    }
}

#[test]
fn the_schema_agrees_with_the_reader() {
    let schema = Nanobot.manifest_schema();
    let valid = |kind: &str, value: &Value| {
        let mut one = schema.clone();
        one.as_object_mut().unwrap().remove("anyOf");
        one["$ref"] = json!(format!("#/$defs/{kind}"));
        jsonschema::is_valid(&one, value)
    };
    let value = |file: &str, text: &str| -> Option<Value> {
        if file == PACK {
            return parse_yaml(text.as_bytes()).ok();
        }
        Some(Value::Object(
            crate::text::FrontMatter::parse(text.as_bytes())
                .ok()?
                .fields,
        ))
    };
    let kinds = [
        (PACK, "pack"),
        (AGENT, "agent"),
        (SKILL, "skill"),
        (TASK, "task"),
        (STEP, "step"),
    ];
    for (file, kind) in kinds {
        let value = value(file, &whole()[file]).unwrap();
        assert!(
            valid(kind, &value),
            "{kind}: {:?}",
            jsonschema::validate(&schema, &value)
        );
    }
    // What a schema cannot say: other files, regular expressions, tool names, times, twins.
    let beyond = [
        "REFERENCE",
        "TARGET",
        "PATTERN",
        "CREATED",
        "TOOL-NAME",
        "NEXT-MISSING",
        "NEXT-CYCLE",
        "FOLDER",
        "PACK-VERSION",
    ];
    let beyond_here = [
        "[large, small]",
        "name: goal",
        "next: ../ship/3.md",
        "decision: deny, allow: true",
    ];
    for case in ERRORS {
        let Some((_, kind)) = kinds.iter().find(|(file, _)| *file == case.file) else {
            continue;
        };
        if beyond.iter().any(|b| case.code.ends_with(b)) || beyond_here.contains(&case.to) {
            continue;
        }
        if let Some(value) = value(case.file, &broken(case)[case.file]) {
            assert!(!valid(kind, &value), "{kind}: {} → {}", case.from, case.to);
        }
    }
}
