//! Reads a manifest's fields one by one and reports every problem, not just the first.
//!
//! [`Fields`] walks one object: each getter takes a field, checks its type, reports what is
//! wrong with its place in the file, and returns what could be read. [`Fields::finish`] reports
//! the fields nobody asked for. Serde stops at the first error, which is why it is not used here.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::str::FromStr;

use serde_json::{Map, Value};

use crate::{Diagnostics, Rule};

/// The rules every object in a manifest is read by. A format adds its own for each field.
pub mod rules {
    use crate::Rule;

    /// A file is not the JSON or YAML it should be.
    pub static SYNTAX: Rule = Rule::strict(
        "ATT-SYNTAX",
        "a manifest is one strict JSON or YAML document",
    );
    /// A field is missing.
    pub static REQUIRED: Rule = Rule::strict("ATT-FIELD-REQUIRED", "every required field is there");
    /// A field has the wrong type.
    pub static TYPE: Rule = Rule::strict(
        "ATT-FIELD-TYPE",
        "every field has the type its format gives it",
    );
    /// A field holds something its type does not allow.
    pub static VALUE: Rule = Rule::strict(
        "ATT-FIELD-VALUE",
        "every field holds a value its format allows",
    );
    /// A field is unknown.
    pub static UNKNOWN: Rule = Rule::strict(
        "ATT-FIELD-UNKNOWN",
        "there are no fields the format does not know",
    );

    /// All of them, for the reference page.
    pub static ALL: &[&Rule] = &[&SYNTAX, &REQUIRED, &TYPE, &VALUE, &UNKNOWN];
}

/// One object of a manifest, with its place: `manifest.json#/dependencies/nlp-tools`.
pub struct Fields<'a, 'd> {
    object: &'a Map<String, Value>,
    place: String,
    seen: RefCell<BTreeSet<&'a str>>,
    diagnostics: &'d RefCell<&'d mut Diagnostics>,
}

impl<'a, 'd> Fields<'a, 'd> {
    /// Starts at `object`. `place` is the file's name and, below its root, `#/` and the pointer.
    pub fn new(
        object: &'a Map<String, Value>,
        place: impl Into<String>,
        diagnostics: &'d RefCell<&'d mut Diagnostics>,
    ) -> Self {
        Self {
            object,
            place: place.into(),
            seen: RefCell::default(),
            diagnostics,
        }
    }

    /// Returns the place of the field `name`.
    pub fn place_of(&self, name: &str) -> String {
        let name = name.replace('~', "~0").replace('/', "~1");
        if self.place.contains('#') {
            format!("{}/{name}", self.place)
        } else {
            format!("{}#/{name}", self.place)
        }
    }

    /// Reports a problem with the field `name`.
    pub fn report(&self, rule: &'static Rule, name: &str, message: impl Into<String>) {
        self.diagnostics
            .borrow_mut()
            .report(rule, self.place_of(name), message);
    }

    /// Reports a problem with one item of the list `name`.
    pub fn report_item(
        &self,
        rule: &'static Rule,
        name: &str,
        at: usize,
        message: impl Into<String>,
    ) {
        let place = format!("{}/{at}", self.place_of(name));
        self.diagnostics.borrow_mut().report(rule, place, message);
    }

    /// Returns the raw value of `name`, if the field is there.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        let (key, value) = self.object.get_key_value(name)?;
        self.seen.borrow_mut().insert(key);
        Some(value)
    }

    /// Returns the raw value of `name`, and reports if the field is missing.
    pub fn require(&self, name: &str) -> Option<&'a Value> {
        let value = self.get(name);
        if value.is_none() {
            self.report(
                &rules::REQUIRED,
                name,
                format!("the field `{name}` is missing"),
            );
        }
        value
    }

    /// Returns a string field that may be missing.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.typed(name, self.get(name)?, "a string", Value::as_str)
    }

    /// Returns a string field that must be there and not be blank.
    pub fn required_text(&self, name: &str) -> Option<&'a str> {
        let text = self.typed(name, self.require(name)?, "a string", Value::as_str)?;
        if text.trim().is_empty() {
            self.report(&rules::VALUE, name, format!("`{name}` is empty"));
            return None;
        }
        Some(text)
    }

    /// Returns a boolean field that may be missing.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.typed(name, self.get(name)?, "true or false", Value::as_bool)
    }

    /// Returns a whole-number field that may be missing.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.typed(name, self.get(name)?, "a whole number", Value::as_i64)
    }

    /// Returns a number field that may be missing.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.typed(name, self.get(name)?, "a number", Value::as_f64)
    }

    /// Returns an object field that may be missing, to be walked in turn.
    pub fn object(&self, name: &str) -> Option<Fields<'a, 'd>> {
        let object = self.typed(name, self.get(name)?, "an object", Value::as_object)?;
        Some(Fields::new(object, self.place_of(name), self.diagnostics))
    }

    /// Returns a list field that may be missing.
    pub fn list(&self, name: &str) -> Option<&'a [Value]> {
        self.typed(name, self.get(name)?, "a list", |v| {
            v.as_array().map(Vec::as_slice)
        })
    }

    /// Returns a list of strings that may be missing; items of another type are reported.
    pub fn texts(&self, name: &str) -> Option<Vec<&'a str>> {
        let items = self.list(name)?;
        let mut texts = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(text) => texts.push(text),
                None => {
                    let message = format!(
                        "item {at} of `{name}` must be a string, not {}",
                        kind_of(item)
                    );
                    self.report_item(&rules::TYPE, name, at, message);
                }
            }
        }
        Some(texts)
    }

    /// Parses a string field by its type's own grammar, and reports under `rule`.
    pub fn parse<T: FromStr<Err: Display>>(&self, rule: &'static Rule, name: &str) -> Option<T> {
        self.parse_text(rule, name, self.text(name)?)
    }

    /// Parses a required string field by its type's own grammar, and reports under `rule`.
    pub fn require_parsed<T: FromStr<Err: Display>>(
        &self,
        rule: &'static Rule,
        name: &str,
    ) -> Option<T> {
        self.parse_text(rule, name, self.required_text(name)?)
    }

    fn parse_text<T: FromStr<Err: Display>>(
        &self,
        rule: &'static Rule,
        name: &str,
        text: &str,
    ) -> Option<T> {
        text.parse()
            .map_err(|error: T::Err| self.report(rule, name, error.to_string()))
            .ok()
    }

    /// Returns the fields' names and values, marking all as known.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.seen
            .borrow_mut()
            .extend(self.object.keys().map(String::as_str));
        self.object.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Returns the whole object as it is, marking all fields as known.
    pub fn to_map(&self) -> Map<String, Value> {
        self.iter()
            .map(|(key, value)| (key.to_owned(), value.clone()))
            .collect()
    }

    /// Returns the fields that no getter has asked for so far.
    pub fn unknown(&self) -> Vec<&'a str> {
        let seen = self.seen.borrow();
        self.object
            .keys()
            .map(String::as_str)
            .filter(|key| !seen.contains(key))
            .collect()
    }

    /// Reports every field that no getter asked for under `rule`, suggesting a near one.
    pub fn finish(self, rule: &'static Rule, known: &[&str]) {
        for name in self.unknown() {
            let near = known.iter().find(|k| near(k, name));
            let hint = near
                .map(|k| format!("; did you mean `{k}`?"))
                .unwrap_or_default();
            self.report(rule, name, format!("the field `{name}` is unknown{hint}"));
        }
    }

    fn typed<T>(
        &self,
        name: &str,
        value: &'a Value,
        expected: &str,
        get: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let got = get(value);
        if got.is_none() {
            let kind = kind_of(value);
            self.report(
                &rules::TYPE,
                name,
                format!("`{name}` must be {expected}, not {kind}"),
            );
        }
        got
    }
}

/// Returns what a person calls this type of value.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Returns whether two names differ by one edit, or only by case and separators.
fn near(a: &str, b: &str) -> bool {
    let plain = |s: &str| s.replace(['_', '-'], "").to_lowercase();
    let (a, b) = (plain(a), plain(b));
    if a == b {
        return true;
    }
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = short
        .bytes()
        .zip(long.bytes())
        .take_while(|(x, y)| x == y)
        .count();
    let skip = usize::from(short.len() == long.len());
    short.as_bytes().get(same + skip..) == long.as_bytes().get(same + 1..)
}
