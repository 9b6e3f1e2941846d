//! Lists that may take over what the surroundings allow.

use std::collections::{BTreeSet, HashMap, HashSet};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use super::rules;
use crate::fields::{Fields, kind_of};

/// The word that stands for everything the surroundings allow.
pub(super) const INHERIT: &str = "inherit";

/// What a `tools`, `skills` or `tasks` field says.
///
/// Leaving the field out is [`Inheritance::Inherit`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Inheritance {
    /// Whatever the surroundings allow.
    #[default]
    Inherit,
    /// These and no others.
    Only(Vec<String>),
    /// Whatever the surroundings allow, and these.
    InheritPlus(Vec<String>),
}

impl Inheritance {
    /// Returns what is allowed where the surroundings allow `host`, each once, in order.
    pub fn resolve(&self, host: &[String]) -> Vec<String> {
        let (inherited, named) = match self {
            Self::Inherit => (host, &[][..]),
            Self::Only(named) => (&[][..], named.as_slice()),
            Self::InheritPlus(named) => (host, named.as_slice()),
        };
        let mut seen = BTreeSet::new();
        let all = inherited.iter().chain(named);
        all.filter(|name| seen.insert(*name)).cloned().collect()
    }

    /// Returns the names it adds itself.
    pub fn named(&self) -> &[String] {
        match self {
            Self::Inherit => &[],
            Self::Only(named) | Self::InheritPlus(named) => named,
        }
    }

    /// Returns whether `name` may be allowed: named here, or perhaps inherited.
    pub fn may_hold(&self, name: &str) -> bool {
        match self {
            Self::Inherit | Self::InheritPlus(_) => true,
            Self::Only(named) => named.iter().any(|n| n == name),
        }
    }

    /// Returns [`may_hold`](Self::may_hold) for many questions.
    pub(super) fn holder(&self) -> impl Fn(&str) -> bool {
        let only: Option<HashSet<&str>> = match self {
            Self::Inherit | Self::InheritPlus(_) => None,
            Self::Only(named) => Some(named.iter().map(String::as_str).collect()),
        };
        move |name| only.as_ref().is_none_or(|only| only.contains(name))
    }

    /// Reads the field `name`.
    pub(super) fn read(fields: &Fields<'_, '_>, name: &str) -> Self {
        let Some(value) = fields.get(name) else {
            return Self::Inherit;
        };
        if value == INHERIT {
            return Self::Inherit;
        }
        let Some(items) = value.as_array() else {
            let message = match value.as_str() {
                Some(one) => format!("`{name}` must be `inherit` or a list, such as [{one}]"),
                None => format!(
                    "`{name}` must be `inherit` or a list, not {}",
                    kind_of(value)
                ),
            };
            fields.report(&rules::LIST, name, message);
            return Self::Inherit;
        };
        let mut seen = BTreeSet::new();
        let mut named = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let bad = match item.as_str() {
                None => format!(
                    "entry {at} of `{name}` must be a name, not {}",
                    kind_of(item)
                ),
                Some(text) if text.trim().is_empty() => format!("entry {at} of `{name}` is empty"),
                Some(text) if !seen.insert(text) => format!("`{text}` is in `{name}` twice"),
                Some(INHERIT) => continue,
                Some(text) => {
                    named.push(text.to_owned());
                    continue;
                }
            };
            report_item(fields, &rules::LIST, name, at, bad);
        }
        if seen.contains(INHERIT) {
            Self::InheritPlus(named)
        } else {
            Self::Only(named)
        }
    }
}

/// Reports a problem with one entry of the list `name`.
pub(super) fn report_item(
    fields: &Fields<'_, '_>,
    rule: &'static crate::Rule,
    name: &str,
    at: usize,
    message: impl Into<String>,
) {
    fields.report_at(rule, format!("{}/{at}", fields.place_of(name)), message);
}

/// Returns where each name is in the list `field`, as it was written.
pub(super) fn positions<'a>(fields: &Fields<'a, '_>, field: &str) -> HashMap<&'a str, usize> {
    let items = fields.get(field).and_then(Value::as_array);
    let mut places = HashMap::new();
    for (at, item) in items.into_iter().flatten().enumerate() {
        if let Some(name) = item.as_str() {
            places.entry(name).or_insert(at);
        }
    }
    places
}

impl JsonSchema for Inheritance {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Inheritance".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "`inherit`, or a list of names; a list with `inherit` in it adds to what is inherited.",
            "oneOf": [
                { "const": INHERIT },
                {
                    "type": "array",
                    "items": { "type": "string", "pattern": "\\S" },
                    "uniqueItems": true
                }
            ]
        })
    }
}
