//! What a Nexo agent promises, one rule each.

use crate::Rule;

/// The manifest is of a schema we do not know.
pub static SCHEMA: Rule = Rule::strict("ATT-NEXO-SCHEMA", "`schema_version` is 1");
/// The id is not a reverse domain name.
pub static ID: Rule = Rule::strict(
    "ATT-NEXO-ID",
    "`id` is a lower-case reverse domain name of at most 64 characters",
);
/// The display name is too long or not one line.
pub static NAME: Rule = Rule::strict(
    "ATT-NEXO-NAME",
    "`name` is one line of at most 32 characters",
);
/// The description is too long.
pub static DESCRIPTION: Rule = Rule::strict(
    "ATT-NEXO-DESCRIPTION",
    "`description` has at most 200 characters",
);
/// An address is not one that a browser opens.
pub static URL: Rule = Rule::strict(
    "ATT-NEXO-URL",
    "`homepage` and `repository` are http or https addresses",
);
/// The manifest has a version, which the specification leaves to the source.
pub static VERSION: Rule = Rule::lenient(
    "ATT-NEXO-VERSION",
    "the manifest has no `version`; the git commit or the archive decides it",
);
/// A required file is missing.
pub static FILE: Rule = Rule::strict(
    "ATT-NEXO-FILE",
    "manifest.yaml, tools/main.py, tools/requirements.txt and instructions/persona.md are there",
);
/// The program is empty.
pub static MAIN: Rule = Rule::strict("ATT-NEXO-MAIN", "tools/main.py is not empty");
/// The persona says nothing.
pub static PERSONA: Rule = Rule::strict(
    "ATT-NEXO-PERSONA",
    "instructions/persona.md is UTF-8 text and not blank",
);
/// There is no icon.
pub static ICON_MISSING: Rule = Rule::lenient("ATT-NEXO-ICON-MISSING", "there is an icon.png");
/// The icon is not the image it should be.
pub static ICON: Rule = Rule::strict(
    "ATT-NEXO-ICON",
    "icon.png is one whole PNG image of 512 by 512 pixels",
);
/// The requirements cannot be installed, or reach outside.
pub static REQUIREMENTS: Rule = Rule::strict(
    "ATT-NEXO-REQUIREMENTS",
    "tools/requirements.txt is in pip's format and names nothing outside the package",
);
/// A line of the environment template is not a variable.
pub static ENV: Rule = Rule::strict(
    "ATT-NEXO-ENV",
    ".env.example is UTF-8 text of `NAME=value` lines that ask for no loader or interpreter hook",
);
/// A finished package holds what belongs to one machine.
pub static PRIVATE: Rule = Rule::strict(
    "ATT-NEXO-PRIVATE",
    "a finished package holds no .venv folder and no .env file",
);

/// All of them.
pub static ALL: &[&Rule] = &[
    &SCHEMA,
    &ID,
    &NAME,
    &DESCRIPTION,
    &URL,
    &VERSION,
    &FILE,
    &MAIN,
    &PERSONA,
    &ICON_MISSING,
    &ICON,
    &REQUIREMENTS,
    &ENV,
    &PRIVATE,
];
