//! Into this dialect and back, with every loss named.

use super::*;
use crate::convert::{Loss, PortableAgent, PortableFile, PortableText};
use crate::{Capability, Requirement};

fn portable() -> Portable {
    let (manifest, _) = read(&source(), Stage::Source, false);
    Portable {
        manifest: Manifest {
            format: FormatName::Lexichord,
            launch: Launch::Agents {
                agents: vec![],
                tasks: vec![],
            },
            capabilities: BTreeSet::new(),
            ..manifest.unwrap()
        },
        agents: Vec::new(),
        skills: Vec::new(),
        tasks: Vec::new(),
        env: BTreeMap::new(),
        files: BTreeMap::new(),
    }
}

/// Imports, and checks that what came out is valid as a source and as a finished pack.
#[track_caller]
fn import(agent: &Portable) -> (Files, Losses) {
    let mut losses = Losses::default();
    let made = AgentForge.import(agent, &mut losses);
    let files: Files = made
        .iter()
        .map(|f| (f.path.clone(), f.bytes.clone()))
        .collect();
    assert_eq!(files.len(), made.len());
    assert_eq!(found(&read(&files, Stage::Source, false).1), []);
    assert_eq!(
        found(
            &read(
                &build(&files, &BuildOptions::default()),
                Stage::Packed,
                false
            )
            .1
        ),
        []
    );
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
fn a_pack_comes_back_as_it_went() {
    let mut files = source();
    apply(
        &mut files,
        Put("workflows/fence.yaml", b"name: Fence\ntext: '```'\n"),
    );
    apply(&mut files, Put("workflows/plain.md", b"Do it.\n"));
    apply(&mut files, Put("workflows/sub/deep.json", b"{}"));
    apply(
        &mut files,
        Put("workflows/hello.yaml", b"second: of its name\n"),
    );
    apply(&mut files, Put("agents/lead.md", b"You lead.\n"));
    apply(&mut files, Put("skills/cook.md", b"Cook.\n"));
    apply(&mut files, Put("tools/raw.bin", b"\xff\x00"));
    let (manifest, _) = read(&files, Stage::Source, false);
    let agent = AgentForge
        .export(&tree(&files), &manifest.unwrap(), &mut Losses::default())
        .unwrap();
    let ids = |texts: &[PortableText]| {
        texts
            .iter()
            .map(|t| (t.id.clone(), t.name.clone()))
            .collect::<Vec<_>>()
    };
    let pair = |id: &str, name: &str| (id.to_owned(), name.to_owned());
    assert_eq!(
        ids(&agent.tasks),
        [
            pair("fence", "Fence"),
            pair("hello", "hello"),
            pair("plain", "plain")
        ]
    );
    assert_eq!(
        agent.tasks[1].description.as_deref(),
        Some("Greets someone by name.")
    );
    assert!(
        agent.tasks[0].body.starts_with("````yaml\n"),
        "{}",
        agent.tasks[0].body
    );
    assert_eq!(agent.agents.len(), 1);
    assert_eq!(ids(&agent.skills), [pair("cook", "cook")]);
    let (back, losses) = import(&agent);
    assert_eq!(back, files);
    assert_eq!(names(&losses.lost), [] as [&str; 0]);
    assert_eq!(
        names(&losses.invented),
        ["agents/lead.md", "skills/cook.md"],
        "kept, and said so"
    );
}

#[test]
fn a_readme_speaks_for_a_pack_without_agents() {
    let (manifest, _) = read(&source(), Stage::Source, false);
    let manifest = manifest.unwrap();
    let mut losses = Losses::default();
    let agent = AgentForge
        .export(&tree(&source()), &manifest, &mut losses)
        .unwrap();
    FormatName::Lexichord.format().import(&agent, &mut losses);
    let made = names(&losses.invented);
    assert!(made.contains(&"instructions") && made.contains(&"agent.json"));
    assert_eq!(
        agent.agents[0].instructions.as_bytes(),
        source()["README.md"]
    );
    let (back, losses) = import(&agent);
    assert_eq!(back, source());
    assert_eq!(losses, Losses::default());
    let mut bare = source();
    bare.remove("README.md");
    assert!(
        AgentForge
            .export(&tree(&bare), &manifest, &mut Losses::default())
            .unwrap()
            .agents
            .is_empty()
    );
}

#[test]
fn everything_that_does_not_fit_is_named() {
    let mut agent = portable();
    let m = &mut agent.manifest;
    m.display_name = "The Demo".to_owned();
    m.description = Some("Demonstrates.".to_owned());
    m.license = Some("MIT".to_owned());
    m.version = None;
    m.author = None;
    m.created_at = None;
    m.requirements = vec![Requirement::Runtime {
        name: "python".into(),
        version: None,
    }];
    m.capabilities = BTreeSet::from([
        Capability::Env("KEY".into()),
        Capability::Network,
        Capability::Code,
    ]);
    agent.env = BTreeMap::from([("KEY".to_owned(), None)]);
    agent.agents = vec![PortableAgent {
        id: "lead".into(),
        model: Some("m".into()),
        instructions: "You lead.".into(),
        ..PortableAgent::default()
    }];
    let task = |id: &str, body: &str| PortableText {
        id: id.to_owned(),
        name: "Task".to_owned(),
        description: None,
        body: body.to_owned(),
    };
    agent.tasks = vec![
        task("do it", "Now."),
        task("data", "```json\n{}\n```\n"),
        task("two", "```json\n{}\n```\n```json\n{}\n```"),
    ];
    let carried = [
        ("manifest.json", &b"{}"[..]),
        ("workflows/two.md", b"clash"),
        ("agents", b"a file where a folder is"),
        ("tools/x.py", b"x"),
    ];
    agent.files = carried
        .iter()
        .map(|(p, b)| (PackagePath::new(p).unwrap(), file(b)))
        .collect();
    let (files, losses) = import(&agent);
    assert_eq!(
        names(&losses.lost),
        [
            "agents.lead.model",
            "agents",
            "manifest.json",
            "workflows/two.md",
            "displayName",
            "description",
            "license",
            "env.KEY",
            "requirements",
            "capabilities",
        ]
    );
    assert_eq!(
        names(&losses.invented),
        [
            "agents/lead.md",
            "tasks.do it",
            "README.md",
            "version",
            "createdAt",
            "author"
        ]
    );
    assert_eq!(files["workflows/do-it.md"], b"# Task\n\nNow.\n");
    assert_eq!(files["workflows/data.json"], b"{}\n");
    assert!(files["workflows/two.md"].starts_with(b"# Task"));
    assert_eq!(files["README.md"], b"# The Demo\n\nDemonstrates.\n");
    let manifest = object(&files);
    assert_eq!(
        manifest["entrypoints"],
        json!(["do-it", "data", "two", "x"])
    );
    assert_eq!(manifest["type"], "mixed");
    assert_eq!(manifest["version"], "0.1.0");
}

#[test]
fn a_pack_is_typed_by_what_it_holds() {
    let kind = |agent: &Portable| object(&import(agent).0)["type"].clone();
    let mut agent = portable();
    assert_eq!(kind(&agent), "mixed");
    agent
        .files
        .insert(PackagePath::new("tools/x.py").unwrap(), file(b"x"));
    assert_eq!(kind(&agent), "tool_pack");
    agent.files.clear();
    agent
        .files
        .insert(PackagePath::new("workflows/x.bin").unwrap(), file(b"\xff"));
    assert_eq!(kind(&agent), "workflow_pack");
}

#[test]
fn a_nexo_agent_goes_through_a_pack_and_comes_back() {
    let nexo = FormatName::Nexo.format();
    let id = "com.example.greeter".parse().unwrap();
    let made = nexo.scaffold(&id, TIME).unwrap();
    let files: Files = made
        .into_iter()
        .map(|f| (f.path.to_owned(), f.bytes))
        .collect();
    let manifest = nexo
        .read(&tree(&files), Stage::Source, &mut Diagnostics::new(false))
        .unwrap()
        .unwrap();
    let (pack, _) = import(
        &nexo
            .export(&tree(&files), &manifest, &mut Losses::default())
            .unwrap(),
    );
    assert_eq!(object(&pack)["entrypoints"], json!(["main"]));

    let (manifest, _) = read(&pack, Stage::Source, false);
    let agent = AgentForge
        .export(&tree(&pack), &manifest.unwrap(), &mut Losses::default())
        .unwrap();
    let back: Files = nexo
        .import(&agent, &mut Losses::default())
        .into_iter()
        .map(|f| (f.path, f.bytes))
        .collect();
    for (path, bytes) in files.iter().filter(|(path, _)| *path != "manifest.yaml") {
        assert_eq!(&back[path], bytes, "{path}");
    }
}

#[test]
fn a_workflow_of_backticks_is_fenced_at_once() {
    let files: Files = [
        (
            "manifest.json".to_owned(),
            source()["manifest.json"].clone(),
        ),
        ("workflows/x.yaml".to_owned(), vec![b'`'; 1 << 20]),
    ]
    .into();
    let manifest = read(&source(), Stage::Source, false).0.unwrap();
    let start = std::time::Instant::now();
    let portable = AgentForge
        .export(&tree(&files), &manifest, &mut Losses::default())
        .unwrap();
    assert!(
        portable.tasks[0]
            .body
            .starts_with(&"`".repeat((1 << 20) + 1))
    );
    assert!(start.elapsed().as_secs() < 20);
}
