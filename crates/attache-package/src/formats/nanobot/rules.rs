//! What a Nanobot pack is checked for.

use crate::Rule;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $kind:ident($code:literal, $promise:literal);)*) => {
        $($(#[$doc])* pub static $name: Rule = Rule::$kind($code, $promise);)*

        /// All of them.
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    /// Something is defined.
    EMPTY = strict("ATT-NANOBOT-EMPTY", "a pack defines at least one agent, skill or task");
    /// The pack's name is a package name.
    PACK_NAME = strict("ATT-NANOBOT-PACK-NAME", "`name` in pack.yaml is a package name");
    /// The pack's version is SemVer.
    PACK_VERSION = strict("ATT-NANOBOT-PACK-VERSION", "`version` in pack.yaml is a SemVer 2.0.0 version");
    /// The pack's creation time is a time.
    PACK_CREATED = strict("ATT-NANOBOT-PACK-CREATED", "`created_at` in pack.yaml is an RFC 3339 time");
    /// A name could be made from the file's.
    NO_NAME = strict("ATT-NANOBOT-NO-NAME", "a pack without pack.yaml has a file name that can be made into a package name");
    /// Nothing else is in a finished pack.
    EXTRA_FILE = strict("ATT-NANOBOT-EXTRA-FILE", "a finished pack holds `.nanobot/`, a README and a licence, and nothing else");
    /// Nothing unknown lies in `.nanobot`. Only ever a warning.
    PLACE = strict("ATT-NANOBOT-PLACE", "`.nanobot/` holds agents, skills, tasks and pack.yaml");
    /// Definitions are spelled one way.
    FILE_NAME = strict("ATT-NANOBOT-FILE-NAME", "definitions are spelled AGENT.md, SKILL.md and TASK.md");
    /// Folders make good ids.
    ID = strict("ATT-NANOBOT-ID", "every folder of an id is letters, digits, `-`, `_` and `.`, beginning with a letter or digit");
    /// The id is not repeated in the fields.
    IDENTITY_FIELD = strict("ATT-NANOBOT-IDENTITY-FIELD", "front matter holds no `id` or `type`, because the folder gives both");
    /// Model names are names.
    MODEL = strict("ATT-NANOBOT-MODEL", "`model` and `allowed_models` name models, each once");
    /// Decoding settings are in range.
    SAMPLING = strict("ATT-NANOBOT-SAMPLING", "`temperature` is from 0 to 2, `max_tokens` is at least 1");
    /// Lists that inherit have one of three forms.
    LIST = strict("ATT-NANOBOT-LIST", "`tools`, `skills` and `tasks` are `inherit` or a list of names, each once");
    /// Tools have names.
    TOOL_NAME = strict("ATT-NANOBOT-TOOL-NAME", "a tool is a built-in's name, or `server/tool`");
    /// The tool is one we know. Only ever a warning.
    TOOL_UNKNOWN = strict("ATT-NANOBOT-TOOL-UNKNOWN", "a tool without a server is one of the built-in ones");
    /// The default asks.
    APPROVAL_DEFAULT = strict("ATT-NANOBOT-APPROVAL-DEFAULT", "`default` of an approval policy is `approve`");
    /// A rule has its parts.
    APPROVAL_RULE = strict("ATT-NANOBOT-APPROVAL-RULE", "an approval rule names its tool or task and a decision: `allow`, true or false, or `decision: deny`");
    /// A rule is about something the list allows.
    APPROVAL_TARGET = strict("ATT-NANOBOT-APPROVAL-TARGET", "an approval rule is about an entry of the list beside it");
    /// Matchers are known and complete.
    MATCHER = strict("ATT-NANOBOT-MATCHER", "a matcher is an object with a known operator and a value that fits it");
    /// Patterns compile.
    PATTERN = strict("ATT-NANOBOT-PATTERN", "`matches` holds a regular expression that compiles");
    /// References resolve.
    REFERENCE = strict("ATT-NANOBOT-REFERENCE", "every agent, skill and task that is named is in the pack");
    /// Inputs are declared once, at the start.
    INPUTS_PLACE = strict("ATT-NANOBOT-INPUTS-PLACE", "only TASK.md declares `inputs`");
    /// Inputs have good names.
    INPUT = strict("ATT-NANOBOT-INPUT", "every input has a name that is an identifier, and no other has it");
    /// The next step is in the same folder.
    NEXT = strict("ATT-NANOBOT-NEXT", "`next` is the name of a Markdown file in the task's own folder");
    /// The next step is there.
    NEXT_MISSING = strict("ATT-NANOBOT-NEXT-MISSING", "the file that `next` names is there");
    /// Steps end.
    NEXT_CYCLE = strict("ATT-NANOBOT-NEXT-CYCLE", "the steps of a task come to an end");
    /// Every step is used. Only ever a warning.
    STEP_UNREACHED = strict("ATT-NANOBOT-STEP-UNREACHED", "every Markdown file beside TASK.md is a step that `next` reaches");
    /// Skill names follow the Agent Skills specification.
    SKILL_NAME = strict("ATT-NANOBOT-SKILL-NAME", "a skill's name is at most 64 lower-case letters, digits and single hyphens");
    /// A skill is called what its folder is called.
    SKILL_FOLDER = strict("ATT-NANOBOT-SKILL-FOLDER", "a skill has the name of its folder");
    /// Skill descriptions are short.
    SKILL_DESCRIPTION = strict("ATT-NANOBOT-SKILL-DESCRIPTION", "a skill's description is 1 to 1024 characters long");
    /// So is what they are compatible with.
    SKILL_COMPATIBILITY = strict("ATT-NANOBOT-SKILL-COMPATIBILITY", "a skill's `compatibility` is at most 500 characters long");
    /// Skills hold no other fields.
    SKILL_EXTRA = lenient("ATT-NANOBOT-SKILL-EXTRA", "a skill holds no field that the Agent Skills specification or Nanobot does not have");
}
