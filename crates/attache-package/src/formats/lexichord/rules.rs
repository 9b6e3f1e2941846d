//! What a Lexichord package promises, one rule each.

use crate::Rule;

pub(super) static ID: Rule = Rule::strict(
    "ATT-LX-ID",
    "`id` is a package name: a-z, 0-9, `-` and `_`, in parts joined by dots",
);
pub(super) static VERSION: Rule =
    Rule::strict("ATT-LX-VERSION", "`version` is a SemVer 2.0.0 version");
pub(super) static URL: Rule = Rule::strict(
    "ATT-LX-URL",
    "web addresses are absolute http or https addresses",
);
pub(super) static TIER: Rule = Rule::strict(
    "ATT-LX-TIER",
    "`minimumLicenseTier` is Core, WriterPro, Teams or Enterprise",
);
pub(super) static CATEGORY: Rule = Rule::strict(
    "ATT-LX-CATEGORY",
    "`category` is one word of letters, digits and `-`, at most 32",
);
pub(super) static KEYWORDS: Rule = Rule::strict(
    "ATT-LX-KEYWORDS",
    "keywords are distinct words, at most 32 of them",
);
pub(super) static ENGINE: Rule = Rule::strict(
    "ATT-LX-ENGINE",
    "every engine in `engines` has a version range",
);
pub(super) static DEPENDENCY: Rule = Rule::strict(
    "ATT-LX-DEPENDENCY",
    "every dependency is named by a package name and has a version range",
);
pub(super) static CREATED_AT: Rule = Rule::strict(
    "ATT-LX-CREATED-AT",
    "`createdAt` is a time in RFC 3339, in UTC and whole seconds",
);
pub(super) static FILES_ENTRY: Rule = Rule::strict(
    "ATT-LX-FILES-ENTRY",
    "every item of `files` is a file, or a folder with `/` behind it, that is there",
);
pub(super) static UNLISTED: Rule = Rule::strict(
    "ATT-LX-UNLISTED",
    "every file of a package is covered by `files`",
);
pub(super) static CONTENT_HASH: Rule = Rule::strict(
    "ATT-LX-CONTENT-HASH",
    "`contentHash` is the hash of the manifest and every other file",
);
pub(super) static SIGNATURE: Rule = Rule::strict(
    "ATT-LX-SIGNATURE",
    "MANIFEST_SIGNATURE, and `signature`, are well formed and speak of this package's content",
);
pub(super) static TRUST_LEVEL: Rule = Rule::strict(
    "ATT-LX-TRUST-LEVEL",
    "trust comes from the verifier's store; a `trustLevel` in a manifest is ignored",
);
pub(super) static LICENSE_EXPRESSION: Rule =
    Rule::strict("ATT-LX-LICENSE", "`license` is an SPDX licence expression");
pub(super) static LICENSE_FILE: Rule = Rule::strict(
    "ATT-LX-LICENSE-FILE",
    "the LICENSE file is there when `license` is, and is a licence that `license` names",
);
pub(super) static AGENT_MISSING: Rule =
    Rule::strict("ATT-LX-AGENT", "there is an agent.json at the root");
pub(super) static AGENT_REFERENCE: Rule = Rule::strict(
    "ATT-LX-AGENT-REFERENCE",
    "every file, tool, skill and workflow that agent.json names is in the package",
);
pub(super) static PROMPT: Rule = Rule::strict(
    "ATT-LX-PROMPT",
    "the instructions and every prompts/*.md are UTF-8 text without NUL",
);
pub(super) static MCP_SERVER: Rule = Rule::strict(
    "ATT-LX-MCP-SERVER",
    "every MCP server has either a command or an http(s) address",
);
pub(super) static TOOL: Rule = Rule::strict(
    "ATT-LX-TOOL",
    "tools/tools.json defines each tool once, with its implementation in the package",
);
pub(super) static WORKFLOW: Rule = Rule::strict(
    "ATT-LX-WORKFLOW",
    "a workflow has steps, each with exactly one of `prompt`, `skill`, `tool` or `workflow`",
);
pub(super) static LOCK: Rule = Rule::strict(
    "ATT-LX-LOCK",
    "package-lock.json locks what the manifest depends on, and carried packages match it",
);
pub(super) static SEALED: Rule = Rule::strict(
    "ATT-LX-SEALED",
    "what lies in dependencies/ is locked, at its place, and matches its size and digest",
);
pub(super) static SKILL: Rule =
    Rule::strict("ATT-LX-SKILL", "every folder in skills/ holds a SKILL.md");

pub(super) static ALL: &[&Rule] = &[
    &ID,
    &VERSION,
    &URL,
    &TIER,
    &CATEGORY,
    &KEYWORDS,
    &ENGINE,
    &DEPENDENCY,
    &CREATED_AT,
    &FILES_ENTRY,
    &UNLISTED,
    &CONTENT_HASH,
    &SIGNATURE,
    &TRUST_LEVEL,
    &LICENSE_EXPRESSION,
    &LICENSE_FILE,
    &AGENT_MISSING,
    &AGENT_REFERENCE,
    &PROMPT,
    &MCP_SERVER,
    &TOOL,
    &WORKFLOW,
    &LOCK,
    &SEALED,
    &SKILL,
];
