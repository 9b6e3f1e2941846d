//! `.nanobot/pack.yaml`, our own addition: what the pack is called and who made it.
//!
//! The specification has no such file, and a pack without one is fine: its name then comes
//! from its folder or archive.

use std::cell::RefCell;
use std::path::Path;

use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::rules;
use crate::fields::Fields;
use crate::fields::rules::{SYNTAX, UNKNOWN};
use crate::text::parse_yaml;
use crate::{Diagnostics, PackageName, Release};

/// Where it is.
pub(super) const FILE: &str = ".nanobot/pack.yaml";

/// What a pack says of itself.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, title = "pack.yaml")]
pub struct Pack {
    /// Its name.
    pub name: PackageName,
    /// Its version.
    pub version: Option<Release>,
    /// What it is for.
    pub description: Option<String>,
    /// Who made it.
    pub author: Option<String>,
    /// The licence it comes under.
    pub license: Option<String>,
    /// When it was built (RFC 3339).
    pub created_at: Option<String>,
    /// Anything else, for others to read.
    #[schemars(default)]
    pub metadata: Map<String, Value>,
}

impl Pack {
    const FIELDS: [&str; 7] = [
        "name",
        "version",
        "description",
        "author",
        "license",
        "created_at",
        "metadata",
    ];

    /// Makes one that only has a name.
    pub fn named(name: PackageName) -> Self {
        Self {
            name,
            version: None,
            description: None,
            author: None,
            license: None,
            created_at: None,
            metadata: Map::new(),
        }
    }

    /// Reads the file, reporting every problem. Returns nothing without a name.
    pub fn read(bytes: &[u8], diagnostics: &mut Diagnostics) -> Option<Self> {
        let object = match parse_yaml(bytes) {
            Ok(Value::Object(object)) => object,
            Ok(_) => {
                diagnostics.report(&SYNTAX, FILE, "pack.yaml must hold a mapping of fields");
                return None;
            }
            Err(error) => {
                diagnostics.report(&SYNTAX, FILE, error.to_string());
                return None;
            }
        };
        let cell = RefCell::new(diagnostics);
        let fields = Fields::new(&object, FILE, &cell);
        let name = fields.require_parsed(&rules::PACK_NAME, "name");
        let version = fields.parse(&rules::PACK_VERSION, "version");
        let text = |name: &str| fields.text(name).map(str::to_owned);
        let (description, author, license) = (text("description"), text("author"), text("license"));
        let created_at = text("created_at").filter(|given| {
            let good = given.parse::<jiff::Timestamp>().is_ok();
            if !good {
                let message = format!("`{given}` is no time such as 2026-01-31T12:00:00Z");
                fields.report(&rules::PACK_CREATED, "created_at", message);
            }
            good
        });
        if let Some(metadata) = fields.object("metadata") {
            metadata.iter().for_each(drop);
        }
        let metadata = object.get("metadata").and_then(Value::as_object);
        fields.finish(&UNKNOWN, &Self::FIELDS);
        Some(Self {
            name: name?,
            version,
            description,
            author,
            license,
            created_at,
            metadata: metadata.cloned().unwrap_or_default(),
        })
    }

    /// Returns the file's text, in one order and spelling.
    pub fn to_yaml(&self) -> String {
        let mut text = format!("name: {}\n", scalar(self.name.as_str()));
        let version = self.version.as_ref().map(ToString::to_string);
        let fields = [
            ("version", &version),
            ("description", &self.description),
            ("author", &self.author),
            ("license", &self.license),
            ("created_at", &self.created_at),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                text.push_str(&format!("{name}: {}\n", scalar(value)));
            }
        }
        if !self.metadata.is_empty() {
            let mut value = Value::Object(self.metadata.clone());
            value.sort_all_objects();
            // JSON on one line is YAML too.
            text.push_str(&format!("metadata: {value}\n"));
        }
        text
    }
}

/// Writes a string so that any YAML reader sees that same string: plain where that is certain,
/// else in double quotes, where JSON and YAML agree.
pub(super) fn scalar(text: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || "-_./ ".contains(c);
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(word)
        && !text.ends_with(' ')
        // What YAML 1.1 or 1.2 would take for something else than a string.
        && !["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str());
    if plain {
        return text.to_owned();
    }
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            // Line separators and the like would be folded or refused.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Makes a package name from the name of a folder or archive, as near to it as can be.
pub(super) fn name_from(path: &Path) -> Option<PackageName> {
    let given = path.file_name()?.to_str()?.to_lowercase();
    let stem = [".nanobot.zip", ".zip", ".nanobot"]
        .iter()
        .find_map(|ending| given.strip_suffix(ending))
        .unwrap_or(&given);
    // `my-pack-1.2.0.nanobot.zip` is what we call version 1.2.0 of `my-pack`.
    let stem = match stem
        .match_indices('-')
        .find(|(at, _)| stem[at + 1..].parse::<Release>().is_ok())
    {
        Some((at, _)) if stem.len() < given.len() => &stem[..at],
        _ => stem,
    };
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '.';
    let spelled: String = stem
        .chars()
        .map(|c| if allowed(c) { c } else { '-' })
        .collect();
    let parts: Vec<String> = spelled
        .split('.')
        .map(|part| {
            let words: Vec<_> = part.split('-').filter(|word| !word.is_empty()).collect();
            words.join("-")
        })
        .filter(|part| !part.is_empty())
        .collect();
    parts.join(".").trim_start_matches(['_', '.']).parse().ok()
}
