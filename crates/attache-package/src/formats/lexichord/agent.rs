//! `agent.json`, `tools/tools.json` and `workflows/*.json`: the agent itself.
//!
//! The specification names these files and leaves their content open; these are our schemas.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::manifest::check_url;
use super::rules;
use crate::fields::{self, Fields};
use crate::tree::TEXT_LIMIT;
use crate::{ArchiveError, Capability, Diagnostics, Entry, Tree};

/// The file's name.
pub(super) const AGENT: &str = "agent.json";
const TOOLS: &str = "tools/tools.json";

/// The tools every host offers.
pub(super) const BUILT_IN: [&str; 7] =
    ["Read", "Write", "Edit", "Glob", "Grep", "Bash", "WebFetch"];

/// An agent: who does the work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Lexichord agent.json")]
pub struct Agent {
    /// The agent's name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The model it asks for; the host's default if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The sampling temperature, from 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// The most tokens a single answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<i64>,
    /// The Markdown file with its instructions, e.g. `prompts/system.md`.
    #[schemars(length(min = 1))]
    pub instructions: String,
    /// The tools it may call: built in, from tools/tools.json, or `server/tool`.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The MCP servers it uses, by name.
    #[serde(default)]
    pub mcp_servers: BTreeMap<String, McpServer>,
    /// The skills it has at hand: folders in `skills/`.
    #[serde(default)]
    pub skills: Vec<String>,
    /// The workflows it offers: files in `workflows/`, without `.json`.
    #[serde(default)]
    pub workflows: Vec<String>,
    /// The environment variables it reads.
    #[serde(default)]
    pub env: Vec<String>,
}

/// An MCP server: a program to start, or an address to talk to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct McpServer {
    /// The program to start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// The environment variables it reads.
    #[serde(default)]
    pub env: Vec<String>,
    /// The address to talk to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^https?://"))]
    pub url: Option<String>,
}

/// What agent.json and the files it names say together.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) agent: Agent,
    pub(super) capabilities: BTreeSet<Capability>,
}

/// Reads and checks the agent, reporting every problem.
pub(super) fn read(
    tree: &Tree,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Found>, ArchiveError> {
    if tree.get(AGENT).is_none() {
        let message = "there is no agent.json; it names the agent's model, instructions and tools";
        diagnostics.report(&rules::AGENT_MISSING, AGENT, message);
        return Ok(None);
    }
    let mut documents = BTreeMap::new();
    tree.read_many(
        |e| {
            let path = e.path.as_str();
            path == AGENT
                || path == TOOLS
                || (e.path.parent() == Some("workflows") && path.ends_with(".json"))
        },
        |entry, bytes| {
            documents.insert(entry.path.to_string(), bytes);
        },
    )?;
    let mut parsed = BTreeMap::new();
    for (path, bytes) in &documents {
        match crate::text::parse_json(bytes) {
            Ok(Value::Object(object)) => {
                parsed.insert(path.as_str(), object);
            }
            Ok(other) => {
                let message = format!("it must be an object, not {}", fields::kind_of(&other));
                diagnostics.report(&fields::rules::TYPE, path, message);
            }
            Err(error) => diagnostics.report(&fields::rules::SYNTAX, path, error.to_string()),
        }
    }
    let diagnostics = RefCell::new(diagnostics);
    let mut capabilities = BTreeSet::new();
    let defined = match parsed.get(TOOLS) {
        Some(object) => read_tools(tree, object, &diagnostics, &mut capabilities),
        None => BTreeSet::new(),
    };
    for (path, object) in parsed
        .iter()
        .filter(|(path, _)| path.starts_with("workflows/"))
    {
        read_workflow(tree, &Fields::new(object, *path, &diagnostics));
    }
    let Some(object) = parsed.get(AGENT) else {
        return Ok(None);
    };
    let fields = Fields::new(object, AGENT, &diagnostics);
    let agent = read_agent(&fields);
    check_references(tree, &agent, &defined, &fields);
    fields.finish(&fields::rules::UNKNOWN, AGENT_FIELDS);
    add_capabilities(&agent, &defined, &mut capabilities);
    check_prompts(tree, &agent.instructions, *diagnostics.borrow_mut())?;
    Ok(Some(Found {
        agent,
        capabilities,
    }))
}

/// Checks that what is sent to a model is text.
fn check_prompts(
    tree: &Tree,
    instructions: &str,
    diagnostics: &mut Diagnostics,
) -> Result<(), ArchiveError> {
    let is_prompt = |e: &Entry| {
        e.path.as_str() == instructions
            || (e.path.is_under("prompts") && e.path.extension().as_deref() == Some("md"))
    };
    let small = |e: &Entry| e.size <= TEXT_LIMIT;
    for entry in tree.entries().iter().filter(|e| is_prompt(e) && !small(e)) {
        let message = format!("it has {} bytes; the limit is {TEXT_LIMIT}", entry.size);
        diagnostics.report(&rules::PROMPT, entry.path.as_str(), message);
    }
    tree.read_many(
        |e| is_prompt(e) && small(e),
        |entry, bytes| {
            let message = match std::str::from_utf8(&bytes) {
                Ok(text) if !text.contains('\0') => return,
                Ok(_) => "it holds a NUL character, which is no text",
                Err(_) => "it is not UTF-8 text",
            };
            diagnostics.report(&rules::PROMPT, entry.path.as_str(), message);
        },
    )
}

const AGENT_FIELDS: &[&str] = &[
    "name",
    "description",
    "model",
    "temperature",
    "maxTokens",
    "instructions",
    "tools",
    "mcpServers",
    "skills",
    "workflows",
    "env",
];

fn read_agent(fields: &Fields<'_, '_>) -> Agent {
    let owned = |name| fields.text(name).map(str::to_owned);
    let list = |name| {
        fields
            .texts(name)
            .unwrap_or_default()
            .into_iter()
            .map(str::to_owned)
            .collect()
    };
    let temperature = fields.number("temperature");
    if temperature.is_some_and(|t| !(0.0..=2.0).contains(&t)) {
        fields.report(
            &fields::rules::VALUE,
            "temperature",
            "it must be from 0 to 2",
        );
    }
    let max_tokens = fields.integer("maxTokens");
    if max_tokens.is_some_and(|n| n < 1) {
        fields.report(&fields::rules::VALUE, "maxTokens", "it must be at least 1");
    }
    let env: Vec<String> = list("env");
    check_variables(fields, "env", &env);
    Agent {
        name: fields.required_text("name").unwrap_or_default().to_owned(),
        description: owned("description"),
        model: owned("model"),
        temperature,
        max_tokens,
        instructions: fields
            .required_text("instructions")
            .unwrap_or_default()
            .to_owned(),
        tools: list("tools"),
        mcp_servers: read_servers(fields),
        skills: list("skills"),
        workflows: list("workflows"),
        env,
    }
}

fn check_variables(fields: &Fields<'_, '_>, field: &str, names: &[String]) {
    for name in names {
        let good = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && name.bytes().next().is_some_and(|b| !b.is_ascii_digit());
        if !good {
            let message = format!("`{name}` cannot be the name of an environment variable");
            fields.report(&fields::rules::VALUE, field, message);
        }
    }
}

fn read_servers(fields: &Fields<'_, '_>) -> BTreeMap<String, McpServer> {
    let Some(servers) = fields.object("mcpServers") else {
        return BTreeMap::new();
    };
    let mut read = BTreeMap::new();
    for (name, _) in servers.iter() {
        let Some(server) = servers.object(name) else {
            continue;
        };
        let texts = |field| {
            server
                .texts(field)
                .unwrap_or_default()
                .into_iter()
                .map(str::to_owned)
                .collect()
        };
        let env: Vec<String> = texts("env");
        check_variables(&server, "env", &env);
        let one = McpServer {
            command: server.text("command").map(str::to_owned),
            args: texts("args"),
            env,
            url: server.text("url").map(str::to_owned),
        };
        match (&one.command, &one.url) {
            (Some(command), None) if command.trim().is_empty() => {
                server.report(&rules::MCP_SERVER, "command", "it is empty");
            }
            (Some(_), None) => {}
            (None, Some(url)) => {
                check_url(&server, "url", url);
            }
            _ => servers.report(
                &rules::MCP_SERVER,
                name,
                "give either `command`, to start a program, or `url`, to talk to an address",
            ),
        }
        if name.is_empty() || name.contains('/') {
            servers.report(
                &rules::MCP_SERVER,
                name,
                "a server's name cannot be empty or hold `/`",
            );
        }
        server.finish(&fields::rules::UNKNOWN, &["command", "args", "env", "url"]);
        read.insert(name.to_owned(), one);
    }
    read
}

fn check_references(
    tree: &Tree,
    agent: &Agent,
    defined: &BTreeSet<String>,
    fields: &Fields<'_, '_>,
) {
    let missing =
        |field: &str, message: String| fields.report(&rules::AGENT_REFERENCE, field, message);
    if !agent.instructions.is_empty() && tree.get(&agent.instructions).is_none() {
        missing(
            "instructions",
            format!("the file `{}` is not in the package", agent.instructions),
        );
    }
    for tool in &agent.tools {
        let known = match tool.split_once('/') {
            Some((server, name)) => !name.is_empty() && agent.mcp_servers.contains_key(server),
            None => BUILT_IN.contains(&tool.as_str()) || defined.contains(tool),
        };
        if !known {
            missing(
                "tools",
                format!(
                    "the tool `{tool}` is not built in, not in {TOOLS}, and not of a server in `mcpServers`"
                ),
            );
        }
    }
    for skill in &agent.skills {
        if tree.get(&format!("skills/{skill}/SKILL.md")).is_none() {
            missing(
                "skills",
                format!("the skill `{skill}` is not at skills/{skill}/SKILL.md"),
            );
        }
    }
    for workflow in &agent.workflows {
        if tree.get(&format!("workflows/{workflow}.json")).is_none() {
            missing(
                "workflows",
                format!("the workflow `{workflow}` is not at workflows/{workflow}.json"),
            );
        }
    }
}

/// Reads tools/tools.json and returns the names it defines.
fn read_tools<'d>(
    tree: &Tree,
    object: &Map<String, Value>,
    diagnostics: &'d RefCell<&'d mut Diagnostics>,
    capabilities: &mut BTreeSet<Capability>,
) -> BTreeSet<String> {
    let fields = Fields::new(object, TOOLS, diagnostics);
    fields.require("tools");
    let mut names = BTreeSet::new();
    for (at, item) in fields.list("tools").unwrap_or_default().iter().enumerate() {
        let place = format!("{TOOLS}#/tools/{at}");
        let Some(object) = item.as_object() else {
            diagnostics
                .borrow_mut()
                .report(&rules::TOOL, place, "a tool is an object");
            continue;
        };
        let tool = Fields::new(object, place, diagnostics);
        tool.required_text("description");
        tool.object("inputSchema").map(|schema| schema.to_map());
        if let Some(path) = tool.text("implementation") {
            match tree.get(path) {
                Some(_) => {
                    capabilities.insert(Capability::Code);
                }
                None => tool.report(
                    &rules::TOOL,
                    "implementation",
                    format!("the file `{path}` is not in the package"),
                ),
            }
        }
        if let Some(name) = tool.required_text("name") {
            if name.contains('/') || BUILT_IN.contains(&name) {
                tool.report(
                    &rules::TOOL,
                    "name",
                    format!("`{name}` is taken by a built-in tool or holds `/`"),
                );
            } else if !names.insert(name.to_owned()) {
                tool.report(
                    &rules::TOOL,
                    "name",
                    format!("the tool `{name}` is defined twice"),
                );
            }
        }
        tool.finish(
            &fields::rules::UNKNOWN,
            &["name", "description", "inputSchema", "implementation"],
        );
    }
    fields.finish(&fields::rules::UNKNOWN, &["tools"]);
    names
}

fn read_workflow(tree: &Tree, fields: &Fields<'_, '_>) {
    fields.required_text("name");
    fields.text("description");
    let steps = fields.list("steps").unwrap_or_default();
    if steps.is_empty() {
        fields.report(
            &rules::WORKFLOW,
            "steps",
            "a workflow needs at least one step",
        );
    }
    for (at, step) in steps.iter().enumerate() {
        let report = |message: String| fields.report_item(&rules::WORKFLOW, "steps", at, message);
        let Some(step) = step.as_object() else {
            report(format!("step {} must be an object", at + 1));
            continue;
        };
        let kinds: Vec<_> = ["prompt", "skill", "tool", "workflow"]
            .into_iter()
            .filter(|kind| step.get(*kind).is_some_and(Value::is_string))
            .collect();
        let [kind] = kinds.as_slice() else {
            report(format!(
                "step {} needs exactly one of `prompt`, `skill`, `tool` or `workflow`",
                at + 1
            ));
            continue;
        };
        let text = step[*kind].as_str().unwrap_or_default();
        let file = match *kind {
            "skill" => format!("skills/{text}/SKILL.md"),
            "workflow" => format!("workflows/{text}.json"),
            _ => continue,
        };
        if tree.get(&file).is_none() {
            report(format!(
                "step {} names the {kind} `{text}`, but there is no {file}",
                at + 1
            ));
        }
    }
}

fn add_capabilities(agent: &Agent, defined: &BTreeSet<String>, all: &mut BTreeSet<Capability>) {
    all.extend(agent.model.iter().cloned().map(Capability::Model));
    all.extend(agent.env.iter().cloned().map(Capability::Env));
    all.extend(defined.iter().cloned().map(Capability::Tool));
    for tool in &agent.tools {
        all.insert(Capability::Tool(tool.clone()));
        all.extend(Capability::of_builtin_tool(tool).iter().cloned());
    }
    for (name, server) in &agent.mcp_servers {
        all.insert(Capability::Mcp(name.clone()));
        all.extend(server.env.iter().cloned().map(Capability::Env));
        all.insert(match server.url {
            Some(_) => Capability::Network,
            None => Capability::Code,
        });
    }
}
