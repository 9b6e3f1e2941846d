//! Every way to break a pack that we know of, as data.

use super::{AGENT, PACK, SKILL, STEP, TASK};

/// One way to break a good pack: in this file, put this in place of that; then the finding.
pub(super) struct Case {
    pub(super) file: &'static str,
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    pub(super) code: &'static str,
    pub(super) path: &'static str,
}

const fn case(
    file: &'static str,
    from: &'static str,
    to: &'static str,
    code: &'static str,
    path: &'static str,
) -> Case {
    Case {
        file,
        from,
        to,
        code,
        path,
    }
}

/// Replaces the whole file, or makes it.
pub(super) const ALL: &str = "";

#[rustfmt::skip]
pub(super) const ERRORS: &[Case] = &[
    case(PACK, "my-pack", "My Pack", "ATT-NANOBOT-PACK-NAME", ".nanobot/pack.yaml#/name"),
    case(PACK, "1.2.3", "1.2.3foo", "ATT-NANOBOT-PACK-VERSION", ".nanobot/pack.yaml#/version"),
    case(PACK, "2026-01-31T12:00:00Z", "yesterday", "ATT-NANOBOT-PACK-CREATED", ".nanobot/pack.yaml#/created_at"),
    case(PACK, "author", "autor", "ATT-FIELD-UNKNOWN", ".nanobot/pack.yaml#/autor"),
    case(PACK, ALL, "- a\n", "ATT-SYNTAX", ".nanobot/pack.yaml"),
    case("src/main.py", ALL, "1", "ATT-NANOBOT-EXTRA-FILE", "src/main.py"),
    case(".nanobot/agents/x/agent.md", ALL, "", "ATT-NANOBOT-FILE-NAME", ".nanobot/agents/x/agent.md"),
    case(".nanobot/skills/x/Skill.md", ALL, "", "ATT-NANOBOT-FILE-NAME", ".nanobot/skills/x/Skill.md"),
    case(".nanobot/agents/AGENT.md", ALL, "---\nname: x\n---\n", "ATT-NANOBOT-ID", ".nanobot/agents/AGENT.md"),
    case(".nanobot/agents/a b/AGENT.md", ALL, "---\nname: x\n---\n", "ATT-NANOBOT-ID", ".nanobot/agents/a b/AGENT.md"),
    case(".nanobot/tasks/a/-b/TASK.md", ALL, "---\nname: x\n---\n", "ATT-NANOBOT-ID", ".nanobot/tasks/a/-b/TASK.md"),
    case(".nanobot/agents/inherit/AGENT.md", ALL, "---\nname: x\n---\n", "ATT-NANOBOT-ID", ".nanobot/agents/inherit/AGENT.md"),
    case(AGENT, "name: Builder", "name: Builder\nid: builder", "ATT-NANOBOT-IDENTITY-FIELD", ".nanobot/agents/builder/AGENT.md#/id"),
    case(TASK, "name: Ship", "name: Ship\ntype: task", "ATT-NANOBOT-IDENTITY-FIELD", ".nanobot/tasks/ship/TASK.md#/type"),
    case(AGENT, "name: Builder\n", "", "ATT-FIELD-REQUIRED", ".nanobot/agents/builder/AGENT.md#/name"),
    case(TASK, "name: Ship\n", "", "ATT-FIELD-REQUIRED", ".nanobot/tasks/ship/TASK.md#/name"),
    case(AGENT, "name: Builder", "name: ' '", "ATT-FIELD-VALUE", ".nanobot/agents/builder/AGENT.md#/name"),
    case(AGENT, "description: Builds.", "descripton: Builds.", "ATT-FIELD-UNKNOWN", ".nanobot/agents/builder/AGENT.md#/descripton"),
    case(TASK, "agent: builder", "agents: builder", "ATT-FIELD-UNKNOWN", ".nanobot/tasks/ship/TASK.md#/agents"),
    case(AGENT, "metadata: {owner: {deep: [1]}}", "metadata: 1", "ATT-FIELD-TYPE", ".nanobot/agents/builder/AGENT.md#/metadata"),
    case(AGENT, ALL, "# Builder\n", "ATT-SYNTAX", ".nanobot/agents/builder/AGENT.md"),
    case(AGENT, ALL, "---\nname: [\n---\n", "ATT-SYNTAX", ".nanobot/agents/builder/AGENT.md"),
    case(AGENT, "model: small", "model: ''", "ATT-NANOBOT-MODEL", ".nanobot/agents/builder/AGENT.md#/model"),
    case(AGENT, "[large]", "[large, small]", "ATT-NANOBOT-MODEL", ".nanobot/agents/builder/AGENT.md#/allowed_models/1"),
    case(AGENT, "[large]", "large", "ATT-FIELD-TYPE", ".nanobot/agents/builder/AGENT.md#/allowed_models"),
    case(AGENT, "temperature: 0.2", "temperature: 2.5", "ATT-NANOBOT-SAMPLING", ".nanobot/agents/builder/AGENT.md#/temperature"),
    case(AGENT, "max_tokens: 4096", "max_tokens: 0", "ATT-NANOBOT-SAMPLING", ".nanobot/agents/builder/AGENT.md#/max_tokens"),
    case(AGENT, "max_tokens: 4096", "max_tokens: many", "ATT-FIELD-TYPE", ".nanobot/agents/builder/AGENT.md#/max_tokens"),
    case(STEP, "tools: [Edit]", "tools: Edit", "ATT-NANOBOT-LIST", ".nanobot/tasks/ship/2.md#/tools"),
    case(STEP, "tools: [Edit]", "tools: [Edit, Edit]", "ATT-NANOBOT-LIST", ".nanobot/tasks/ship/2.md#/tools/1"),
    case(STEP, "tools: [Edit]", "tools: [1]", "ATT-NANOBOT-LIST", ".nanobot/tasks/ship/2.md#/tools/0"),
    case(STEP, "tools: [Edit]", "tools:", "ATT-NANOBOT-LIST", ".nanobot/tasks/ship/2.md#/tools"),
    case(STEP, "tools: [Edit]", "tools: [inherit, inherit]", "ATT-NANOBOT-LIST", ".nanobot/tasks/ship/2.md#/tools/1"),
    case(STEP, "[Edit]", "[Edit, a/b/c]", "ATT-NANOBOT-TOOL-NAME", ".nanobot/tasks/ship/2.md#/tools/1"),
    case(STEP, "[Edit]", "['Ed it']", "ATT-NANOBOT-TOOL-NAME", ".nanobot/tasks/ship/2.md#/tools/0"),
    case(AGENT, "default: approve", "default: allow", "ATT-NANOBOT-APPROVAL-DEFAULT", ".nanobot/agents/builder/AGENT.md#/tool_approvals/default"),
    case(AGENT, "default: approve", "defaults: approve", "ATT-FIELD-UNKNOWN", ".nanobot/agents/builder/AGENT.md#/tool_approvals/defaults"),
    case(AGENT, "allow: true", "allow: 'yes'", "ATT-NANOBOT-APPROVAL-RULE", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/0/allow"),
    case(AGENT, "allow: true", "alow: true", "ATT-NANOBOT-APPROVAL-RULE", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/0/allow"),
    case(AGENT, "decision: deny", "decision: allow", "ATT-NANOBOT-APPROVAL-RULE", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/1/decision"),
    case(AGENT, "decision: deny", "decision: deny, allow: true", "ATT-NANOBOT-APPROVAL-RULE", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/1/allow"),
    case(AGENT, "{tool: Read, decision: deny}", "Read", "ATT-NANOBOT-APPROVAL-RULE", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/1"),
    case(AGENT, "{tool: Read, ", "{tools: Read, ", "ATT-NANOBOT-APPROVAL-RULE", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/1/tool"),
    case(AGENT, "{tool: Read, ", "{tool: Write, ", "ATT-NANOBOT-APPROVAL-TARGET", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/1/tool"),
    case(AGENT, "{task: ship, ", "{task: sail, ", "ATT-NANOBOT-APPROVAL-TARGET", ".nanobot/agents/builder/AGENT.md#/task_approvals/rules/0/task"),
    case(AGENT, "{equals: 1}", "{}", "ATT-NANOBOT-MATCHER", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/0/when/flags/allOf/1/anyOf/1"),
    case(AGENT, "{equals: 1}", "{equals: [1]}", "ATT-NANOBOT-MATCHER", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/0/when/flags/allOf/1/anyOf/1/equals"),
    case(AGENT, "{equals: 1}", "{eq: 1}", "ATT-NANOBOT-MATCHER", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/0/when/flags/allOf/1/anyOf/1/eq"),
    case(AGENT, "{equals: 1}", "1", "ATT-NANOBOT-MATCHER", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/0/when/flags/allOf/1/anyOf/1"),
    case(AGENT, "{containsAll: [a, b]}", "{containsAll: []}", "ATT-NANOBOT-MATCHER", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/0/when/flags/allOf/0/containsAll"),
    case(AGENT, "{in: [fast, 2, true]}", "{in: fast}", "ATT-NANOBOT-MATCHER", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/0/when/mode/in"),
    case(AGENT, "startsWith: 'git '", "startsWith: ''", "ATT-NANOBOT-MATCHER", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/0/when/command/startsWith"),
    case(AGENT, "'git (status|diff)'", "'git ('", "ATT-NANOBOT-PATTERN", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/0/when/command/matches"),
    case(AGENT, "'git (status|diff)'", "'a)|(?:b'", "ATT-NANOBOT-PATTERN", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/0/when/command/matches"),
    case(AGENT, "'git (status|diff)'", "'(\\w{100}){1000}'", "ATT-NANOBOT-PATTERN", ".nanobot/agents/builder/AGENT.md#/tool_approvals/rules/0/when/command/matches"),
    case(AGENT, "[inherit, docs/write-doc]", "[write-doc]", "ATT-NANOBOT-REFERENCE", ".nanobot/agents/builder/AGENT.md#/skills"),
    case(SKILL, "tasks: []", "tasks: [gone]", "ATT-NANOBOT-REFERENCE", ".nanobot/skills/docs/write-doc/SKILL.md#/tasks"),
    case(TASK, "agent: builder", "agent: gone", "ATT-NANOBOT-REFERENCE", ".nanobot/tasks/ship/TASK.md#/agent"),
    case(STEP, "tools: [Edit]", "agent: gone", "ATT-NANOBOT-REFERENCE", ".nanobot/tasks/ship/2.md#/agent"),
    case(STEP, "tools: [Edit]", "inputs: []", "ATT-NANOBOT-INPUTS-PLACE", ".nanobot/tasks/ship/2.md#/inputs"),
    case(TASK, "name: goal", "name: the goal", "ATT-NANOBOT-INPUT", ".nanobot/tasks/ship/TASK.md#/inputs/0/name"),
    case(TASK, "name: where_to", "name: goal", "ATT-NANOBOT-INPUT", ".nanobot/tasks/ship/TASK.md#/inputs/1/name"),
    case(TASK, "  - {name: goal, description: What to ship.}", "  - goal", "ATT-NANOBOT-INPUT", ".nanobot/tasks/ship/TASK.md#/inputs/0"),
    case(TASK, ", description: What to ship.", "", "ATT-FIELD-REQUIRED", ".nanobot/tasks/ship/TASK.md#/inputs/0/description"),
    case(TASK, "default: here", "default: 5", "ATT-FIELD-TYPE", ".nanobot/tasks/ship/TASK.md#/inputs/1/default"),
    case(TASK, "default: here", "type: x", "ATT-FIELD-UNKNOWN", ".nanobot/tasks/ship/TASK.md#/inputs/1/type"),
    case(STEP, "tools: [Edit]", "next: ../ship/3.md", "ATT-NANOBOT-NEXT", ".nanobot/tasks/ship/2.md#/next"),
    case(STEP, "tools: [Edit]", "next: sub/3.md", "ATT-NANOBOT-NEXT", ".nanobot/tasks/ship/2.md#/next"),
    case(STEP, "tools: [Edit]", "next: 3.txt", "ATT-NANOBOT-NEXT", ".nanobot/tasks/ship/2.md#/next"),
    case(STEP, "tools: [Edit]", "next: '..\\x.md'", "ATT-NANOBOT-NEXT", ".nanobot/tasks/ship/2.md#/next"),
    case(STEP, "tools: [Edit]", "next: 3.md", "ATT-NANOBOT-NEXT-MISSING", ".nanobot/tasks/ship/2.md#/next"),
    case(STEP, "tools: [Edit]", "next: TASK.md", "ATT-NANOBOT-NEXT-CYCLE", ".nanobot/tasks/ship/2.md#/next"),
    case(STEP, "tools: [Edit]", "next: 2.md", "ATT-NANOBOT-NEXT-CYCLE", ".nanobot/tasks/ship/2.md#/next"),
    case(STEP, "tools: [Edit]", "temperature: 1", "ATT-FIELD-UNKNOWN", ".nanobot/tasks/ship/2.md#/temperature"),
    case(STEP, ALL, "no front matter", "ATT-SYNTAX", ".nanobot/tasks/ship/2.md"),
    case(SKILL, "name: write-doc\n", "", "ATT-FIELD-REQUIRED", ".nanobot/skills/docs/write-doc/SKILL.md#/name"),
    case(SKILL, "description: Writes documents.\n", "", "ATT-FIELD-REQUIRED", ".nanobot/skills/docs/write-doc/SKILL.md#/description"),
    case(SKILL, "Writes documents.", "''", "ATT-NANOBOT-SKILL-DESCRIPTION", ".nanobot/skills/docs/write-doc/SKILL.md#/description"),
    case(SKILL, "name: write-doc", "name: docs", "ATT-NANOBOT-SKILL-FOLDER", ".nanobot/skills/docs/write-doc/SKILL.md#/name"),
    case(".nanobot/skills/x--y/SKILL.md", ALL, "---\nname: x--y\ndescription: d\n---\n", "ATT-NANOBOT-SKILL-NAME", ".nanobot/skills/x--y/SKILL.md#/name"),
    case(SKILL, "license: MIT", "argument-hint: x", "ATT-NANOBOT-SKILL-EXTRA", ".nanobot/skills/docs/write-doc/SKILL.md#/argument-hint"),
    case(SKILL, "license: MIT", "license: [MIT]", "ATT-FIELD-TYPE", ".nanobot/skills/docs/write-doc/SKILL.md#/license"),
];

#[rustfmt::skip]
pub(super) const WARNINGS: &[Case] = &[
    case(STEP, "[Edit]", "[Edit, Browse]", "ATT-NANOBOT-TOOL-UNKNOWN", ".nanobot/tasks/ship/2.md#/tools/1"),
    case(".nanobot/runs/1.json", ALL, "{}", "ATT-NANOBOT-PLACE", ".nanobot/runs/1.json"),
    case(".nanobot/tasks/ship/3.md", ALL, "---\nname: x\n---\n", "ATT-NANOBOT-STEP-UNREACHED", ".nanobot/tasks/ship/3.md"),
];
