//! What agents, skills and task steps are allowed: the fields all three share.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::approvals::{Approvals, Subject};
use super::inherit::{Inheritance, positions, report_item};
use super::rules;
use crate::Capability;
use crate::fields::Fields;

/// The tools that every host has.
pub const BUILT_IN_TOOLS: &[&str] = &["Read", "Write", "Edit", "Glob", "Grep", "Bash", "WebFetch"];

/// What an agent, skill or step may use, and what it may do without asking.
#[derive(Debug, Clone, Default, PartialEq, JsonSchema)]
pub struct Grants {
    /// The tools it may call.
    #[schemars(default)]
    pub tools: Inheritance,
    /// Which tool calls go ahead without asking.
    #[schemars(default)]
    pub tool_approvals: Approvals,
    /// The skills it may use.
    #[schemars(default)]
    pub skills: Inheritance,
    /// The tasks it may start.
    #[schemars(default)]
    pub tasks: Inheritance,
    /// Which tasks start without asking.
    #[schemars(default)]
    pub task_approvals: Approvals,
}

impl Grants {
    /// Returns whether it says anything about approvals.
    pub(super) fn has_approvals(&self) -> bool {
        !self.tool_approvals.rules.is_empty() || !self.task_approvals.rules.is_empty()
    }

    /// The fields it reads.
    pub(super) const FIELDS: [&str; 5] = [
        "tools",
        "tool_approvals",
        "skills",
        "tasks",
        "task_approvals",
    ];

    pub(super) fn read(fields: &Fields<'_, '_>) -> Self {
        let tools = Inheritance::read(fields, "tools");
        let places = positions(fields, "tools");
        for tool in tools.named() {
            let at = places.get(tool.as_str()).copied().unwrap_or_default();
            if let Err(message) = check_tool(tool) {
                report_item(fields, &rules::TOOL_NAME, "tools", at, message);
            } else if !tool.contains('/') && !BUILT_IN_TOOLS.contains(&tool.as_str()) {
                let place = format!("{}/{at}", fields.place_of("tools"));
                let known = BUILT_IN_TOOLS.join(", ");
                let message = format!(
                    "`{tool}` is none of the built-in tools ({known}); only a host that adds it can offer it"
                );
                fields.warn_at(&rules::TOOL_UNKNOWN, place, message);
            }
        }
        let skills = Inheritance::read(fields, "skills");
        let tasks = Inheritance::read(fields, "tasks");
        Self {
            tool_approvals: Approvals::read(
                fields,
                "tool_approvals",
                Subject::Tool,
                tools.holder(),
            ),
            task_approvals: Approvals::read(
                fields,
                "task_approvals",
                Subject::Task,
                tasks.holder(),
            ),
            tools,
            skills,
            tasks,
        }
    }

    /// Adds what using the named tools asks for.
    pub(super) fn add_capabilities(&self, all: &mut BTreeSet<Capability>) {
        for tool in self.tools.named() {
            add_tool(tool, all);
        }
    }
}

/// Adds what using `tool` asks for.
pub(super) fn add_tool(tool: &str, all: &mut BTreeSet<Capability>) {
    all.extend(Capability::of_builtin_tool(tool).iter().cloned());
    if let Some((server, _)) = tool.split_once('/') {
        all.insert(Capability::Mcp(server.to_owned()));
    }
    all.insert(Capability::Tool(tool.to_owned()));
}

/// Checks a tool's name: a word, or a server's word, a slash and a word.
pub(super) fn check_tool(tool: &str) -> Result<(), String> {
    let word = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
    };
    let mut parts = tool.split('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(one), None, None) if word(one) => Ok(()),
        (Some(server), Some(one), None) if word(server) && word(one) => Ok(()),
        _ => Err(format!(
            "`{tool}` is no tool: write a built-in's name such as Read, or `server/tool`"
        )),
    }
}

/// The fields that every definition has.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Common {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) metadata: Map<String, Value>,
}

impl Common {
    pub(super) const FIELDS: [&str; 3] = ["name", "description", "metadata"];

    /// Reads them; a step of a task may leave the name out.
    pub(super) fn read(fields: &Fields<'_, '_>, name_required: bool) -> Self {
        let name = if name_required || fields.get("name").is_some() {
            fields.required_text("name")
        } else {
            None
        };
        if let Some(metadata) = fields.object("metadata") {
            // Free-form: everything in it is known.
            metadata.iter().for_each(drop);
        }
        Self {
            name: name.map(str::to_owned),
            description: fields.text("description").map(str::to_owned),
            metadata: fields
                .get("metadata")
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default(),
        }
    }
}

/// Reports what is left: `id` and `type` with the reason, the rest as unknown.
pub(super) fn finish(fields: Fields<'_, '_>, own: &[&str]) {
    for name in ["id", "type"] {
        if fields.get(name).is_some() {
            let message = format!("remove `{name}`: the folder that the file is in gives it");
            fields.report(&rules::IDENTITY_FIELD, name, message);
        }
    }
    let known: Vec<&str> = own
        .iter()
        .copied()
        .chain(Common::FIELDS)
        .chain(Grants::FIELDS)
        .collect();
    fields.finish(&crate::fields::rules::UNKNOWN, &known);
}
