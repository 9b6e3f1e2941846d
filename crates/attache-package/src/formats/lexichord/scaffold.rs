//! The agent that `attache init` makes.

use serde_json::json;

use crate::PackageName;
use crate::formats::NewFile;

/// Returns a small agent with a prompt, a skill, a workflow and a tool.
pub(super) fn files(id: &PackageName, created_at: &str) -> Vec<NewFile> {
    let title = title(id);
    vec![
        NewFile::text("manifest.json", manifest(id, &title, created_at)),
        NewFile::text("agent.json", agent(&title)),
        NewFile::text(
            "prompts/system.md",
            format!("You are {title}, a careful assistant.\n\n{PROMPT}"),
        ),
        NewFile::text("skills/summarize/SKILL.md", SKILL),
        NewFile::text("tools/tools.json", TOOLS),
        NewFile {
            executable: true,
            ..NewFile::text("tools/implementations/word_count.py", WORD_COUNT)
        },
        NewFile::text("workflows/brief.json", WORKFLOW),
        NewFile::text("README.md", format!("# {title}\n\n{README}")),
        NewFile::text("LICENSE", license(&title)),
        NewFile::text(".attacheignore", IGNORE),
    ]
}

/// Returns an id as a title: `seo-audit` becomes `Seo Audit`.
pub(super) fn title(id: &PackageName) -> String {
    let last = id.as_str().rsplit('.').next().unwrap_or_default();
    let words = last
        .split(['-', '_'])
        .filter(|word| !word.is_empty())
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_uppercase() + rest
        });
    words.collect::<Vec<_>>().join(" ")
}

/// Written out by hand so that the fields come in the order people expect.
fn manifest(id: &PackageName, title: &str, created_at: &str) -> String {
    format!(
        r#"{{
  "id": "{id}",
  "version": "0.1.0",
  "displayName": "{title}",
  "description": "Reads what you give it and answers in a few clear sentences.",
  "author": "The {title} authors",
  "license": "MIT",
  "minimumLicenseTier": "Core",
  "category": "writing",
  "keywords": ["agent", "summary"],
  "engines": {{ "lexichord": ">=0.15.2" }},
  "dependencies": {{}},
  "files": [
    "agent.json",
    "prompts/",
    "skills/",
    "tools/",
    "workflows/",
    "resources/",
    "LICENSE",
    "README.md"
  ],
  "createdAt": "{created_at}"
}}
"#
    )
}

fn agent(title: &str) -> String {
    let agent = json!({
        "name": title,
        "description": "Summarises texts and counts their words.",
        "instructions": "prompts/system.md",
        "tools": ["Read", "word_count"],
        "skills": ["summarize"],
        "workflows": ["brief"],
    });
    String::from_utf8_lossy(&crate::text::pretty_json(&agent)).into_owned()
}

const PROMPT: &str = "- Read what you were given before you answer.
- Say what you did not find. Never invent a source.
- Answer in at most five sentences unless asked for more.
";

const SKILL: &str = "---
name: summarize
description: Shortens a text to its main points. Use it when someone asks for a summary or a brief.
---

1. Read the whole text.
2. Write down its three main points, in its own order.
3. Join them into one paragraph. Leave out examples.
";

const TOOLS: &str = r#"{
  "tools": [
    {
      "name": "word_count",
      "description": "Counts the words of a text.",
      "implementation": "tools/implementations/word_count.py",
      "inputSchema": {
        "type": "object",
        "properties": { "text": { "type": "string" } },
        "required": ["text"]
      }
    }
  ]
}
"#;

const WORD_COUNT: &str = r#"#!/usr/bin/env python3
"""Counts the words of a text: arguments in as JSON, result out as JSON."""

import json
import sys

arguments = json.load(sys.stdin)
json.dump({"words": len(arguments["text"].split())}, sys.stdout)
"#;

const WORKFLOW: &str = r#"{
  "name": "Brief",
  "description": "Reads a text and briefs you on it.",
  "steps": [
    { "skill": "summarize" },
    { "prompt": "Name one thing the text leaves open." }
  ]
}
"#;

const README: &str = "Reads what you give it and answers in a few clear sentences.

```
attache validate .    # is it a good package?
attache build .       # makes the .lxpkg, the same bytes every time
```

`agent.json` says who the agent is, `prompts/system.md` what it is told, `skills/` what it can
do, `tools/` what it may call.
";

const IGNORE: &str = "# What stays out of the package, in the syntax of .gitignore.
*.log
*.tmp
";

fn license(title: &str) -> String {
    let text = spdx::license_id("MIT")
        .map(spdx::LicenseId::text)
        .unwrap_or_default();
    text.replace("<year>", "2026")
        .replace("<copyright holders>", &format!("The {title} authors"))
}
