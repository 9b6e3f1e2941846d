//! `SKILL.md`: how to do a kind of work, by the Agent Skills specification.

use std::cell::RefCell;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

use super::grants::{Grants, add_tool};
use super::rules;
use crate::fields::rules::{REQUIRED, SYNTAX, TYPE};
use crate::fields::{Fields, kind_of};
use crate::text::FrontMatter;
use crate::{Capability, Diagnostics};

/// A skill: the front matter of a `SKILL.md`, and its instructions.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(title = "SKILL.md")]
pub struct Skill {
    /// Its name, which is its folder's name too.
    #[schemars(length(min = 1, max = 64))]
    pub name: String,
    /// What it does, and when to use it.
    #[schemars(length(min = 1, max = 1024))]
    pub description: String,
    /// The licence it comes under.
    pub license: Option<String>,
    /// What it needs around it.
    #[schemars(length(max = 500))]
    pub compatibility: Option<String>,
    /// Anything else, for others to read.
    #[schemars(default)]
    pub metadata: Map<String, Value>,
    /// Tools that its author would like to be approved beforehand.
    #[schemars(
        default,
        rename = "allowed-tools",
        schema_with = "allowed_tools_schema"
    )]
    pub allowed_tools: Vec<String>,
    /// What it may use: the Nanobot extensions.
    #[schemars(flatten)]
    pub grants: Grants,
    /// The instructions below the front matter.
    #[schemars(skip)]
    pub body: String,
}

fn allowed_tools_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "description": "Tools separated by spaces, or a list of them.",
        "oneOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }]
    })
}

/// Which fields a skill may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillFields {
    /// Those of the Agent Skills specification.
    Standard,
    /// Those, and the Nanobot extensions.
    Nanobot,
}

/// The fields of the Agent Skills specification.
pub(super) const STANDARD_FIELDS: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];

/// The longest name, description and compatibility note, in characters.
const LONGEST_NAME: usize = 64;
const LONGEST_DESCRIPTION: usize = 1024;
const LONGEST_COMPATIBILITY: usize = 500;

/// Checks one `SKILL.md` that lies in a folder called `folder`, reporting every problem.
///
/// `place` is the file's path for the reports. Returns the skill as long as it has a name and
/// a description, even if something else is wrong with it.
pub fn validate_skill(
    folder: &str,
    place: &str,
    bytes: &[u8],
    allowed: SkillFields,
    diagnostics: &mut Diagnostics,
) -> Option<Skill> {
    match FrontMatter::parse(bytes) {
        Ok(document) => Skill::read(folder, place, document, allowed, diagnostics),
        Err(error) => {
            diagnostics.report(&SYNTAX, place, error.to_string());
            None
        }
    }
}

impl Skill {
    fn read(
        folder: &str,
        place: &str,
        document: FrontMatter,
        allowed: SkillFields,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let cell = RefCell::new(diagnostics);
        let fields = Fields::new(&document.fields, place, &cell);
        let name = read_name(&fields, folder);
        let description = required(&fields, "description").inspect(|text| {
            let length = text.chars().count();
            if text.trim().is_empty() {
                fields.report(
                    &rules::SKILL_DESCRIPTION,
                    "description",
                    "the description is empty",
                );
            } else if length > LONGEST_DESCRIPTION {
                let message = format!(
                    "the description has {length} characters; {LONGEST_DESCRIPTION} are allowed"
                );
                fields.report(&rules::SKILL_DESCRIPTION, "description", message);
            }
        });
        let compatibility = optional(&fields, "compatibility");
        if let Some(length) = compatibility.as_ref().map(|text| text.chars().count())
            && length > LONGEST_COMPATIBILITY
        {
            let message = format!(
                "`compatibility` has {length} characters; {LONGEST_COMPATIBILITY} are allowed"
            );
            fields.report(&rules::SKILL_COMPATIBILITY, "compatibility", message);
        }
        if let Some(metadata) = fields.object("metadata") {
            metadata.iter().for_each(drop);
        }
        let grants = match allowed {
            SkillFields::Standard => Grants::default(),
            SkillFields::Nanobot => Grants::read(&fields),
        };
        let license = optional(&fields, "license");
        let allowed_tools = read_allowed_tools(&fields);
        fields.finish(&rules::SKILL_EXTRA, &STANDARD_FIELDS);
        let metadata = document.fields.get("metadata").and_then(Value::as_object);
        Some(Self {
            name: name?,
            description: description?,
            license,
            compatibility,
            metadata: metadata.cloned().unwrap_or_default(),
            allowed_tools,
            grants,
            body: document.body,
        })
    }

    pub(super) fn add_capabilities(&self, all: &mut BTreeSet<Capability>) {
        self.grants.add_capabilities(all);
        for tool in &self.allowed_tools {
            // `Bash(git:*)` is about Bash.
            add_tool(tool.split('(').next().unwrap_or(tool), all);
        }
    }
}

fn read_name(fields: &Fields<'_, '_>, folder: &str) -> Option<String> {
    let name: String = required(fields, "name")?.trim().nfkc().collect();
    if let Err(reason) = check_name(&name) {
        let message = format!("`{name}` cannot name a skill: {reason}");
        fields.report(&rules::SKILL_NAME, "name", message);
    }
    if !name.is_empty() && name != folder.nfkc().collect::<String>() {
        let message =
            format!("the skill is called `{name}`, but its folder `{folder}`; make them equal");
        fields.report(&rules::SKILL_FOLDER, "name", message);
    }
    Some(name)
}

/// Checks a skill's name by the Agent Skills specification, which counts characters and takes
/// letters of any script, as long as they are lower case.
pub(super) fn check_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("it is empty");
    }
    if name.chars().count() > LONGEST_NAME {
        return Err("it is longer than 64 characters");
    }
    if name.to_lowercase() != name {
        return Err("it must be lower case");
    }
    if name.starts_with('-') || name.ends_with('-') {
        return Err("it begins or ends with a hyphen");
    }
    if name.contains("--") {
        return Err("it has two hyphens in a row");
    }
    if !name.chars().all(|c| c == '-' || c.is_alphanumeric()) {
        return Err("use lower-case letters, digits and hyphens");
    }
    Ok(())
}

fn required(fields: &Fields<'_, '_>, name: &str) -> Option<String> {
    if fields.get(name).is_none() {
        fields.report(&REQUIRED, name, format!("the field `{name}` is missing"));
        return None;
    }
    optional(fields, name)
}

/// Reads a scalar as text. The specification's own reader takes `name: 7` for the text `7`.
fn optional(fields: &Fields<'_, '_>, name: &str) -> Option<String> {
    let value = fields.get(name)?;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null => Some(String::new()),
        Value::Array(_) | Value::Object(_) => {
            let message = format!("`{name}` must be a string, not {}", kind_of(value));
            fields.report(&TYPE, name, message);
            None
        }
    }
}

/// Reads tools separated by spaces, though not inside brackets: `Bash(git add:*) Read`. Many
/// skills write a list instead, which says the same.
fn read_allowed_tools(fields: &Fields<'_, '_>) -> Vec<String> {
    if let Some(Value::Array(_)) = fields.get("allowed-tools") {
        let items = fields.texts("allowed-tools").unwrap_or_default();
        return items.into_iter().map(str::to_owned).collect();
    }
    let mut all = vec![String::new()];
    let mut depth = 0_usize;
    for c in optional(fields, "allowed-tools")
        .unwrap_or_default()
        .chars()
    {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c.is_whitespace() || c == ',') {
            all.push(String::new());
        } else if let Some(last) = all.last_mut() {
            last.push(c);
        }
    }
    all.retain(|tool| !tool.is_empty());
    all
}
