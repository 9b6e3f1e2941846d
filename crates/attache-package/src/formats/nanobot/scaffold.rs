//! A pack to begin with: one agent that only reads, one skill, one task of two steps.

use super::pack::{self, Pack};
use crate::formats::NewFile;
use crate::{PackageName, Release};

const AGENT: &str = r#"---
name: Assistant
description: Reads what is in the workspace and answers questions about it.
# Only tools that read. Add `Write`, `Edit` or `Bash` when the agent needs them.
tools: [Read, Glob, Grep]
tool_approvals:
  default: approve
  rules:
    # Secrets are never read, whatever a later rule says.
    - tool: Read
      decision: deny
      when:
        path: { matches: '(.*/)?\.env(\..*)?' }
    # Listing files goes ahead; everything else asks first.
    - tool: Glob
      allow: true
      when:
        pattern: { matches: '.*' }
skills: [summarize]
tasks: [hello]
---

# Assistant

Answer from what you have read, and say which file it was in. When something is not there,
say so; do not guess.
"#;

const SKILL: &str = r#"---
name: summarize
description: Shortens a text to its main points. Use it when someone asks for a summary or an overview.
license: MIT
---

# Summarize

1. Read the whole text first.
2. Write at most five points, the most important one first.
3. Keep numbers and names exactly as they are.
"#;

const TASK: &str = r#"---
name: Hello
description: Looks around the workspace and reports on it.
agent: assistant
inputs:
  - name: folder
    description: The folder to look at.
    default: .
next: 2-report.md
---

# Look around

List the files in the folder that was given, and read its README if there is one.
"#;

const STEP: &str = r#"---
name: Report
skills: [inherit, summarize]
---

# Report

Summarize what the first step found, for someone who has never seen this workspace.
"#;

const README: &str = r#"# {name}

A pack of agents, skills and tasks.

- `.nanobot/agents/assistant/AGENT.md` says who does the work and what it may touch.
- `.nanobot/skills/summarize/SKILL.md` says how one kind of work is done.
- `.nanobot/tasks/hello/TASK.md` says what to do; `next` names the step that follows.
- `.nanobot/pack.yaml` names the pack.

The folder of a definition is its id: rename the folder and you rename the agent.
"#;

pub(super) fn files(name: &PackageName) -> Vec<NewFile> {
    let pack = Pack {
        version: Some(Release::new(0, 1, 0)),
        description: Some("An assistant that reads and summarizes.".to_owned()),
        ..Pack::named(name.clone())
    };
    vec![
        NewFile::text(pack::FILE, pack.to_yaml()),
        NewFile::text(".nanobot/agents/assistant/AGENT.md", AGENT),
        NewFile::text(".nanobot/skills/summarize/SKILL.md", SKILL),
        NewFile::text(".nanobot/tasks/hello/TASK.md", TASK),
        NewFile::text(".nanobot/tasks/hello/2-report.md", STEP),
        NewFile::text("README.md", README.replace("{name}", name.as_str())),
    ]
}
