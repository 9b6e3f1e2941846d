use super::*;
use crate::convert::{PortableAgent, PortableFile, PortableText};
use crate::{Platform, Requirement};

#[track_caller]
fn imported(agent: &Portable) -> (Manifest, BTreeMap<String, String>, Losses) {
    let mut losses = Losses::default();
    let files: BTreeMap<_, _> = Nanobot
        .import(agent, &mut losses)
        .into_iter()
        .map(|f| (f.path, String::from_utf8(f.bytes).unwrap()))
        .collect();
    let (manifest, diagnostics) = read(&files, Stage::Packed);
    assert_eq!(found(diagnostics.errors()), [], "{files:#?}");
    assert_eq!(found(diagnostics.warnings()), []);
    (manifest.unwrap(), files, losses)
}

fn exported(files: &BTreeMap<String, String>) -> Portable {
    let (manifest, _) = read(files, Stage::Packed);
    Nanobot
        .export(&tree(files), &manifest.unwrap(), &mut Losses::default())
        .unwrap()
}

fn names(losses: &[crate::convert::Loss]) -> Vec<&str> {
    losses.iter().map(|l| l.what.as_str()).collect()
}

#[test]
fn a_pack_comes_back_with_its_agents_skills_and_tasks() {
    let agent = exported(&whole());
    assert_eq!(agent.tasks[0].body, "First.\n\nSecond.\n", "both steps");
    let carried: Vec<_> = agent.files.keys().map(PackagePath::as_str).collect();
    assert_eq!(
        carried,
        [
            "LICENSE-MIT",
            "README.md",
            "skills/docs/write-doc/references/style.md"
        ]
    );
    let (after, files, losses) = imported(&agent);
    let before = &agent.manifest;
    assert_eq!(
        (&after.id, &after.version, &after.launch),
        (&before.id, &before.version, &before.launch)
    );
    assert_eq!(
        (&after.author, &after.created_at),
        (&before.author, &before.created_at)
    );
    assert_eq!(
        files[".nanobot/skills/docs/write-doc/references/style.md"],
        "Plain."
    );
    assert_eq!(files["README.md"], "# Read me");
    assert!(names(&losses.lost).is_empty(), "{losses:?}");
    let again = exported(&files);
    assert_eq!(again.agents[0].instructions, agent.agents[0].instructions);
    assert_eq!(again.agents[0].tools, agent.agents[0].tools);
    assert_eq!(again.agents[0].skills, ["docs/write-doc"]);
}

#[test]
fn whatever_comes_in_makes_a_valid_pack_and_says_what_it_lost() {
    let mut agent = exported(&whole());
    let text = |id: &str, name: &str, description: Option<&str>| PortableText {
        id: id.into(),
        name: name.into(),
        description: description.map(str::to_owned),
        body: "---\nnot front matter\n---\n".into(),
    };
    agent.agents = [
        "Team Lead",
        "team lead",
        "inherit",
        "",
        "con",
        "Team/a",
        "team/b",
    ]
    .map(|id| PortableAgent {
        id: id.into(),
        name: if id.is_empty() {
            String::new()
        } else {
            format!("{id}: \"x\" #1")
        },
        description: Some("yes".into()),
        model: Some("m: 1".into()),
        tools: vec![
            "Read".into(),
            "Read".into(),
            "inherit".into(),
            "no such tool!".into(),
            "a/b".into(),
        ],
        skills: vec!["Skill One".into(), "gone".into()],
        ..PortableAgent::default()
    })
    .into();
    let long = "d".repeat(2000);
    agent.skills = vec![
        text("Skill One", "Skill One", None),
        text("skill-one", "Other", Some(&long)),
        text("ünï/--", "", Some(" ")),
        text(&"x".repeat(300), "X", Some("d")),
    ];
    agent.tasks = vec![
        text("a/b/../c", "", None),
        text(&vec!["d"; 40].join("/"), "T", Some("multi\nline")),
    ];
    agent.env.insert("KEY".into(), None);
    for path in [
        "tools/main.py",
        "skills/Skill One/x.txt",
        "skills/Skill One/SKILL.md",
        "tasks/a/b/x.md",
        "LICENSE",
    ] {
        if let Ok(path) = PackagePath::new(path) {
            agent.files.insert(
                path,
                PortableFile {
                    bytes: b"1".to_vec(),
                    executable: false,
                },
            );
        }
    }
    agent.manifest.homepage = Some("https://example.com".into());
    agent.manifest.keywords = vec!["k".into()];
    agent.manifest.created_at = Some("once".into());
    agent.manifest.minimum_license_tier = LicenseTier::Teams;
    agent.manifest.requirements = vec![Requirement::Platform(Platform {
        os: "linux".into(),
        arch: "amd64".into(),
        libc: None,
    })];
    agent.manifest.launch = Launch::Entrypoints {
        names: vec!["go".into()],
    };
    let (manifest, files, losses) = imported(&agent);
    assert!(
        matches!(&manifest.launch, Launch::Agents { agents, tasks } if agents.len() == 7 && tasks.len() == 2)
    );
    assert!(
        files.contains_key(".nanobot/skills/skill-one/x.txt") && files.contains_key("LICENSE"),
        "{:?}",
        files.keys()
    );
    for lost in [
        "tools/main.py",
        "skills/Skill One/SKILL.md",
        "agent inherit: skill gone",
        "agent con: tool no such tool!",
        "skill Skill One: name",
        "skill skill-one: description",
        "homepage",
        "keywords",
        "minimumLicenseTier",
        "platform linux",
        "env KEY",
        "entrypoints",
        "createdAt",
    ] {
        assert!(
            names(&losses.lost).contains(&lost),
            "{lost}: {:#?}",
            names(&losses.lost)
        );
    }
    for made in [
        "agent Team Lead",
        "skill Skill One: description",
        "agent : name",
    ] {
        assert!(
            names(&losses.invented).contains(&made),
            "{made}: {:?}",
            names(&losses.invented)
        );
    }
}

#[test]
fn a_package_without_prompts_becomes_one_agent_without_tools() {
    let mut agent = exported(&whole());
    agent.agents.clear();
    agent.skills.clear();
    agent.tasks.clear();
    let (manifest, _, losses) = imported(&agent);
    assert!(matches!(&manifest.launch, Launch::Agents { agents, .. } if agents == &["assistant"]));
    assert!(manifest.capabilities.is_empty());
    assert!(names(&losses.invented).contains(&"agent assistant"));
}
