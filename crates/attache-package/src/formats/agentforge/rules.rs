//! What an AgentForge pack promises, one rule each.

use crate::Rule;

/// The manifest is of a specification we do not know.
pub static SPEC_VERSION: Rule = Rule::strict("ATT-AGENTFORGE-SPEC", "`spec_version` is \"0.1\"");
/// The name could be taken for a path.
pub static NAME: Rule = Rule::strict(
    "ATT-AGENTFORGE-NAME",
    "`name` is a package name and cannot hold a path",
);
/// The version is not one that can be shown, or not one that can be compared.
pub static VERSION: Rule = Rule::strict(
    "ATT-AGENTFORGE-VERSION",
    "`version` is one printable word without path separators, and should be SemVer 2.0.0",
);
/// The creation time is not a time.
pub static CREATED_AT: Rule = Rule::strict(
    "ATT-AGENTFORGE-CREATED",
    "`created_at` should be an ISO 8601 date and time",
);
/// The type is none of the three.
pub static TYPE: Rule = Rule::strict(
    "ATT-AGENTFORGE-TYPE",
    "`type` is workflow_pack, tool_pack or mixed",
);
/// There is a field that version 0.1 does not have. Later revisions may add some.
pub static UNKNOWN: Rule = Rule::lenient(
    "ATT-AGENTFORGE-UNKNOWN",
    "there are no fields that specification 0.1 does not know",
);
/// A listed path is not one, or is listed twice.
pub static FILE_PATH: Rule = Rule::strict(
    "ATT-AGENTFORGE-PATH",
    "`files` lists each path once, relative and inside the pack, and never manifest.json",
);
/// A listed hash is not one.
pub static FILE_HASH: Rule = Rule::strict(
    "ATT-AGENTFORGE-HASH",
    "every `sha256` is 64 lower-case hexadecimal digits",
);
/// A listed file is not there.
pub static MISSING: Rule = Rule::strict("ATT-AGENTFORGE-MISSING", "every listed file is there");
/// A file's bytes are not those that were listed.
pub static MISMATCH: Rule = Rule::strict(
    "ATT-AGENTFORGE-MISMATCH",
    "every listed file has the SHA-256 it is listed with",
);
/// A file is not listed.
pub static UNLISTED: Rule = Rule::strict(
    "ATT-AGENTFORGE-UNLISTED",
    "every file except manifest.json is listed",
);
/// An entry point names nothing, or nothing that can be found.
pub static ENTRYPOINT: Rule = Rule::strict(
    "ATT-AGENTFORGE-ENTRYPOINT",
    "every entry point is the name of a workflow or tool, and should be found in the pack",
);
/// The signature is not one.
pub static SIGNATURE: Rule = Rule::strict(
    "ATT-AGENTFORGE-SIGNATURE",
    "`signature` is the base64 form of 32 bytes",
);

/// All of them.
pub static ALL: &[&Rule] = &[
    &SPEC_VERSION,
    &NAME,
    &VERSION,
    &CREATED_AT,
    &TYPE,
    &UNKNOWN,
    &FILE_PATH,
    &FILE_HASH,
    &MISSING,
    &MISMATCH,
    &UNLISTED,
    &ENTRYPOINT,
    &SIGNATURE,
];
