//! The agent that `attache init --format nexo` writes: one prompt, one tool, and it runs.

use super::manifest::{self, LONGEST_NAME, NexoManifest};
use super::{env, icon};
use crate::formats::{NewFile, carry};
use crate::{InvalidName, PackageName};

/// The Python packages that our own servers need.
pub(super) const REQUIREMENTS: &str = "mcp>=1.2\n";

const MAIN: &str = include_str!("template/main.py");
const SERVE: &str = include_str!("template/serve.py");

pub(super) fn files(id: &PackageName) -> Result<Vec<NewFile>, InvalidName> {
    let id = manifest::check_id(id.as_str())?;
    let name = title(&id);
    let manifest = NexoManifest {
        schema_version: 1,
        name: name.clone(),
        description: "Greets people by name.".to_owned(),
        author: "Your name".to_owned(),
        homepage: None,
        repository: None,
        license: None,
        permissions: Vec::new(),
        id,
    };
    let readme = format!(
        "# {name}\n\n{}\n\n- `manifest.yaml` says who the agent is.\n\
         - `instructions/persona.md` is its base prompt.\n\
         - `tools/main.py` is its MCP server; add your tools there.\n\
         - `tools/requirements.txt` lists the Python packages it needs.\n\
         - `.env.example` names the variables its users have to set.\n\n\
         Check it with `attache validate`, pack it with `attache build`.\n",
        manifest.description
    );
    let persona = format!(
        "You are {name}, a friendly assistant.\n\n\
         Greet people by name, using the `greet` tool, and keep your answers short.\n"
    );
    Ok(vec![
        NewFile::text(manifest::PATH, manifest.to_yaml()),
        NewFile {
            path: icon::PATH,
            bytes: icon::draw(),
            executable: false,
        },
        NewFile::text("README.md", readme),
        NewFile::text(
            env::PATH,
            "# Variables this agent needs, one a line. Values here are only examples.\n# API_KEY=\n",
        ),
        NewFile::text(super::check::MAIN, program(MAIN, &name)),
        NewFile::text(super::requirements::PATH, REQUIREMENTS),
        NewFile::text(super::check::PERSONA, persona),
    ])
}

/// Returns an MCP server that offers the agent's instructions, for agents that brought none.
pub(super) fn server(name: &str) -> String {
    program(SERVE, name)
}

/// Puts the agent's name into a program, as a Python string.
fn program(template: &str, name: &str) -> String {
    let safe: String = name
        .chars()
        .filter(|c| !c.is_control() && !['"', '\\'].contains(c))
        .collect();
    template.replace("@NAME@", &safe)
}

/// Returns a name for people: `com.example.seo_audit` becomes `Seo Audit`.
pub(super) fn title(id: &PackageName) -> String {
    let last = id.as_str().rsplit('.').next().unwrap_or(id.as_str());
    let words = last.split(['_', '-']).filter(|word| !word.is_empty());
    let title: Vec<String> = words
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        })
        .collect();
    match carry::cut(&title.join(" "), LONGEST_NAME).0 {
        title if title.is_empty() => "Agent".to_owned(),
        title => title,
    }
}
