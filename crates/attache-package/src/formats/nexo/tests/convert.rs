//! Into this dialect and back, with every loss named.

use super::*;
use crate::archive::PackFile;
use crate::convert::{Loss, PortableAgent, PortableFile, PortableText};
use crate::{Dependency, Platform};

fn portable(id: &str) -> Portable {
    let (manifest, _) = read(&good(), Stage::Packed, false);
    Portable {
        manifest: Manifest {
            format: FormatName::Lexichord,
            id: id.parse().unwrap(),
            launch: Launch::Agents {
                agents: vec![],
                tasks: vec![],
            },
            capabilities: BTreeSet::new(),
            requirements: Vec::new(),
            files: Vec::new(),
            ..manifest.unwrap()
        },
        agents: Vec::new(),
        skills: Vec::new(),
        tasks: Vec::new(),
        env: BTreeMap::new(),
        files: BTreeMap::new(),
    }
}

/// Imports, and checks that what came out is valid as a source and as a finished package.
#[track_caller]
fn import(agent: &Portable) -> (Files, Losses) {
    let mut losses = Losses::default();
    let made = Nexo.import(agent, &mut losses);
    let files: Files = made
        .iter()
        .map(|f| (f.path.clone(), f.bytes.clone()))
        .collect();
    assert_eq!(files.len(), made.len());
    let (_, diagnostics) = read(&files, Stage::Source, false);
    assert_eq!(diagnostics.errors(), [], "{files:?}");
    let packed = made.into_iter().map(|f| {
        let path = PackagePath::new(&f.path).unwrap();
        (
            path.clone(),
            PackFile {
                executable: f.executable,
                ..PackFile::bytes(path, f.bytes)
            },
        )
    });
    let mut draft = Draft {
        files: packed.collect(),
    };
    Nexo.finish(&mut draft, &BuildOptions::default()).unwrap();
    let mut diagnostics = Diagnostics::new(false);
    Nexo.read(&draft.into_tree().unwrap(), Stage::Packed, &mut diagnostics)
        .unwrap();
    assert_eq!(diagnostics.errors(), []);
    (files, losses)
}

fn names(list: &[Loss]) -> Vec<&str> {
    list.iter().map(|loss| loss.what.as_str()).collect()
}

fn file(bytes: &[u8]) -> PortableFile {
    PortableFile {
        bytes: bytes.to_vec(),
        executable: false,
    }
}

#[test]
fn an_agent_comes_back_as_it_went() {
    let mut files = good();
    apply(
        &mut files,
        text(".env.example", "# The key.\nAPI_KEY=example\n"),
    );
    apply(
        &mut files,
        Field("permissions", "permissions: [network, camera]"),
    );
    apply(&mut files, text("tools/lib/x.py", "x = 1\n"));
    let (manifest, _) = read(&files, Stage::Packed, false);
    let manifest = manifest.unwrap();
    let agent = Nexo
        .export(&tree(&files), &manifest, &mut Losses::default())
        .unwrap();
    assert_eq!(agent.env, BTreeMap::from([("API_KEY".to_owned(), None)]));
    assert_eq!(agent.agents[0].id, "greeter");
    assert_eq!(
        agent.agents[0].instructions.as_bytes(),
        files["instructions/persona.md"]
    );
    let (back, losses) = import(&agent);
    assert_eq!(losses, Losses::default());
    for (path, bytes) in &files {
        if path != "manifest.yaml" {
            assert_eq!(&back[path], bytes, "{path}");
        }
    }
    let (again, _) = read(&back, Stage::Packed, false);
    let again = again.unwrap();
    assert_eq!(
        Manifest {
            files: Vec::new(),
            ..again
        },
        Manifest {
            files: Vec::new(),
            ..manifest
        }
    );
}

#[test]
fn an_agent_of_nothing_but_a_name_becomes_one_that_runs() {
    let mut agent = portable("solo");
    agent.manifest.description = None;
    agent.manifest.author = None;
    agent.manifest.display_name = String::new();
    agent.manifest.license = None;
    let (files, losses) = import(&agent);
    assert_eq!(names(&losses.lost), [] as [&str; 0]);
    assert_eq!(
        names(&losses.invented),
        [
            "id",
            "displayName",
            "description",
            "author",
            "instructions/persona.md",
            "tools/main.py",
            "tools/requirements.txt",
            "icon.png"
        ]
    );
    let manifest = String::from_utf8(files["manifest.yaml"].clone()).unwrap();
    assert!(manifest.contains("id: local.solo\n"), "{manifest}");
    assert_eq!(files["tools/requirements.txt"], b"mcp>=1.2\n");
}

#[test]
fn ids_are_bent_to_the_grammar() {
    for (given, expected) in [
        ("researcher-pro", "local.researcher_pro".to_owned()),
        ("my-org.agent", "local.my_org.agent".to_owned()),
        ("com.my-agent", "com.my_agent".to_owned()),
        (
            &format!("com.{}", "a".repeat(80)),
            format!("com.{}", "a".repeat(60)),
        ),
        (
            &format!("{}.b", "a".repeat(80)),
            format!("local.{}", "a".repeat(58)),
        ),
        (
            &format!("com.{}.b", "a".repeat(59)),
            format!("com.{}", "a".repeat(59)),
        ),
        ("a.__", "a.__".to_owned()),
    ] {
        let (files, _) = import(&portable(given));
        let (manifest, _) = read(&files, Stage::Packed, false);
        assert_eq!(manifest.unwrap().id.as_str(), expected, "{given}");
    }
}

#[test]
fn everything_that_does_not_fit_is_named() {
    let mut agent = portable("com.example.full");
    let m = &mut agent.manifest;
    m.display_name = "N".repeat(40);
    m.description = Some("d".repeat(300));
    m.version = "1.2.3".parse().ok();
    m.homepage = Some("ftp://example.org".to_owned());
    m.bugs = Some("https://example.org/bugs".to_owned());
    m.keywords = vec!["a".to_owned()];
    m.category = Some("c".to_owned());
    m.created_at = Some("2026-01-31T12:00:00Z".to_owned());
    m.minimum_license_tier = LicenseTier::Teams;
    m.dependencies = vec![Dependency {
        id: "nlp-tools".parse().unwrap(),
        range: "^1".parse().unwrap(),
        optional: false,
        description: None,
    }];
    m.requirements = vec![
        Requirement::Platform(Platform {
            os: "linux".into(),
            arch: "amd64".into(),
            libc: None,
        }),
        Requirement::Runtime {
            name: "python".into(),
            version: None,
        },
        Requirement::Runtime {
            name: "node".into(),
            version: Some("22".into()),
        },
    ];
    m.capabilities = BTreeSet::from([
        Capability::Env("KEY".into()),
        Capability::Tool("Read".into()),
    ]);
    agent.env = BTreeMap::from([
        ("MODE".to_owned(), Some("fast".to_owned())),
        ("bad-name".to_owned(), None),
    ]);
    let one = |id: &str| PortableAgent {
        id: id.to_owned(),
        name: id.to_owned(),
        model: Some("m".to_owned()),
        tools: vec!["Read".to_owned()],
        instructions: format!("You are {id}."),
        ..PortableAgent::default()
    };
    agent.agents = vec![one("lead"), one("../x"), one("..-x")];
    agent.skills = vec![PortableText {
        id: "s".into(),
        name: "Skill".into(),
        description: Some("D".into()),
        body: "B".into(),
    }];
    agent.tasks = vec![PortableText {
        id: "t".into(),
        name: "t".into(),
        description: None,
        body: "T".into(),
    }];
    let carried = [
        ("manifest.yaml", &b"x"[..]),
        ("icon.png", b"not a picture"),
        ("tools/requirements.txt", b"-r elsewhere.txt"),
        ("tools/main.py", b""),
        ("instructions/persona.md", b"other"),
        ("instructions/agents", b"a file where a folder is"),
        (".env", b"KEY=secret"),
        (".env.example", b"# kept\nMODE=slow"),
        ("data/x.csv", b"1,2"),
    ];
    agent.files = carried
        .iter()
        .map(|(p, b)| (PackagePath::new(p).unwrap(), file(b)))
        .collect();
    let (files, losses) = import(&agent);
    assert_eq!(
        names(&losses.lost),
        [
            "version",
            "minimumLicenseTier",
            "bugs",
            "keywords",
            "category",
            "createdAt",
            "dependencies",
            "requirements",
            "requirements",
            "displayName",
            "description",
            "homepage",
            "agents.lead.model",
            "agents.lead.tools",
            "agents.../x.model",
            "agents.../x.tools",
            "agents...-x.model",
            "agents...-x.tools",
            "tools/requirements.txt",
            "icon.png",
            "env.MODE",
            "env.bad-name",
            ".env",
            "instructions/agents",
            "instructions/persona.md",
            "manifest.yaml"
        ]
    );
    assert_eq!(
        names(&losses.invented),
        [
            "instructions/agents/x.md",
            "instructions/agents/x-2.md",
            "instructions/skills/s.md",
            "instructions/tasks/t.md",
            "tools/main.py",
            "icon.png"
        ]
    );
    assert_eq!(files["data/x.csv"], b"1,2");
    assert_eq!(files[".env.example"], b"# kept\nMODE=slow\nKEY=\n");
    assert_eq!(files["instructions/persona.md"], b"You are lead.");
    assert_eq!(files["instructions/agents/x.md"], b"You are ../x.");
    assert_eq!(files["instructions/agents/x-2.md"], b"You are ..-x.");
    assert_eq!(files["instructions/skills/s.md"], b"# Skill\n\nD\n\nB\n");
    assert_eq!(files["tools/requirements.txt"], b"mcp>=1.2\n");
}

#[test]
fn a_program_that_comes_along_is_kept() {
    let mut agent = portable("com.example.prog");
    agent
        .files
        .insert(PackagePath::new("tools/main.py").unwrap(), file(b"print()"));
    agent.files.insert(
        PackagePath::new("tools/requirements.txt").unwrap(),
        file(b"httpx"),
    );
    let (files, losses) = import(&agent);
    assert_eq!(files["tools/main.py"], b"print()");
    assert_eq!(files["tools/requirements.txt"], b"httpx");
    assert_eq!(
        names(&losses.invented),
        ["instructions/persona.md", "tools/main.py", "icon.png"]
    );

    agent.files.remove("tools/main.py");
    let (files, losses) = import(&agent);
    assert_eq!(
        files["tools/requirements.txt"], b"httpx\nmcp>=1.2\n",
        "our server needs it"
    );
    assert!(names(&losses.invented).contains(&"tools/requirements.txt"));
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 32, failure_persistence: None, ..Default::default() })]

    #[test]
    fn whatever_it_is_called_an_import_is_valid(
        name in "(?s).{0,50}",
        description in "(?s).{0,250}",
        id in "[a-z0-9][a-z0-9_-]{0,70}(\\.[a-z0-9_-]{1,70}){0,1}",
        task in "(?s).{0,20}",
    ) {
        proptest::prop_assume!(id.parse::<PackageName>().is_ok());
        let mut agent = portable(&id);
        agent.manifest.display_name = name;
        agent.manifest.description = Some(description);
        agent.tasks = vec![PortableText { id: task.clone(), name: task, description: None, body: String::new() }];
        import(&agent);
    }
}
