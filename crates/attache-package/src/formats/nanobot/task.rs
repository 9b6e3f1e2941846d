//! `TASK.md` and the steps that follow it: what to do now.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::grants::{Common, Grants, finish};
use super::rules;
use crate::fields::Fields;
use crate::fields::rules::{REQUIRED, SYNTAX};
use crate::text::FrontMatter;
use crate::{Capability, Diagnostics};

/// The first step of every task.
pub(super) const FIRST: &str = "TASK.md";

/// A task: its steps, in the order they are done. There is at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The steps; the first is `TASK.md`.
    pub steps: Vec<Step>,
}

/// One step of a task: the front matter of a Markdown file, and its instructions.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(title = "A step of a task")]
pub struct Step {
    /// The file it is in.
    #[schemars(skip)]
    pub file: String,
    /// The name shown to people; `TASK.md` always has one.
    #[schemars(regex(pattern = r"\S"))]
    pub name: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Anything else, for others to read.
    #[schemars(default)]
    pub metadata: Map<String, Value>,
    /// The agent that does it, by id; otherwise the host's own choice.
    pub agent: Option<String>,
    /// What the step may use.
    #[schemars(flatten)]
    pub grants: Grants,
    /// What the task is given. Only `TASK.md` has any.
    #[schemars(default)]
    pub inputs: Vec<Input>,
    /// The file of the next step, in the same folder.
    #[schemars(regex(pattern = r"^[^/\\]+\.md$"))]
    pub next: Option<String>,
    /// The instructions below the front matter.
    #[schemars(skip)]
    pub body: String,
}

/// Something a task is given when it starts.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Input {
    /// Its name.
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_-]*$"))]
    pub name: String,
    /// What it is.
    pub description: String,
    /// What it is unless something else is given.
    pub default: Option<String>,
}

impl Task {
    /// Returns the first step, which says what the task is.
    pub fn first(&self) -> &Step {
        &self.steps[0]
    }

    /// Reads the task in `folder` from its Markdown files by name, reporting every problem.
    pub(super) fn read(
        folder: &str,
        documents: &BTreeMap<String, Vec<u8>>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let mut steps = Vec::new();
        let mut seen = HashSet::new();
        let mut next = Some(FIRST.to_owned());
        while let Some(file) = next.take() {
            let place = format!("{folder}/{file}");
            let bytes = documents.get(&file)?;
            seen.insert(file.clone());
            let step = match FrontMatter::parse(bytes) {
                Ok(document) => Step::read(&file, &place, document, diagnostics),
                Err(error) => {
                    diagnostics.report(&SYNTAX, place.clone(), error.to_string());
                    None
                }
            };
            let Some(step) = step else { break };
            let at = format!("{place}#/next");
            match &step.next {
                Some(name) if seen.contains(name) => diagnostics.report(
                    &rules::NEXT_CYCLE,
                    at,
                    format!("`{name}` comes earlier in this task, so it would never end"),
                ),
                Some(name) if !documents.contains_key(name) => diagnostics.report(
                    &rules::NEXT_MISSING,
                    at,
                    format!("there is no `{name}` beside this step"),
                ),
                name => next = name.clone(),
            }
            steps.push(step);
        }
        for file in documents.keys().filter(|file| !seen.contains(*file)) {
            diagnostics.warn(
                &rules::STEP_UNREACHED,
                format!("{folder}/{file}"),
                "no step's `next` leads here, so this is never done",
            );
        }
        (!steps.is_empty()).then_some(Self { steps })
    }

    pub(super) fn add_capabilities(&self, all: &mut BTreeSet<Capability>) {
        for step in &self.steps {
            step.grants.add_capabilities(all);
        }
    }
}

impl Step {
    fn read(
        file: &str,
        place: &str,
        document: FrontMatter,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let cell = RefCell::new(diagnostics);
        let fields = Fields::new(&document.fields, place, &cell);
        let first = file == FIRST;
        let common = Common::read(&fields, first);
        let agent = match fields.get("agent") {
            Some(_) => fields.required_text("agent").map(str::to_owned),
            None => None,
        };
        let grants = Grants::read(&fields);
        let inputs = if first || fields.get("inputs").is_none() {
            read_inputs(&fields)
        } else {
            let message = "move `inputs` to TASK.md; a later step has none of its own";
            fields.report(&rules::INPUTS_PLACE, "inputs", message);
            Vec::new()
        };
        let next = fields.text("next").filter(|next| {
            let good = is_sibling(next);
            if !good {
                let message = format!(
                    "`{next}` must be the name of a .md file in this folder, such as `2-check.md`"
                );
                fields.report(&rules::NEXT, "next", message);
            }
            good
        });
        let next = next.map(str::to_owned);
        finish(fields, &["agent", "inputs", "next"]);
        Some(Self {
            file: file.to_owned(),
            name: common.name,
            description: common.description,
            metadata: common.metadata,
            agent,
            grants,
            inputs,
            next,
            body: document.body,
        })
    }
}

/// Returns whether `next` is a plain Markdown file name, which cannot leave its folder.
fn is_sibling(next: &str) -> bool {
    next.ends_with(".md")
        && !next.starts_with('.')
        && !next.contains('/')
        && crate::PackagePath::new(next).is_ok()
}

fn read_inputs(fields: &Fields<'_, '_>) -> Vec<Input> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for (at, item) in fields.list("inputs").unwrap_or_default().iter().enumerate() {
        let place = format!("{}/{at}", fields.place_of("inputs"));
        let Some(object) = item.as_object() else {
            let message = "an input must be an object with a `name` and a `description`";
            fields.report_at(&rules::INPUT, place, message);
            continue;
        };
        let input = fields.nested(object, place);
        let name = input.required_text("name");
        if let Some(name) = name {
            if !is_identifier(name) {
                let message = format!(
                    "`{name}` is no identifier: use letters, digits, `_` and `-`, beginning with a letter or `_`"
                );
                input.report(&rules::INPUT, "name", message);
            } else if !seen.insert(name) {
                input.report(
                    &rules::INPUT,
                    "name",
                    format!("there are two inputs `{name}`"),
                );
            }
        }
        if input.get("description").is_none() {
            input.report(
                &REQUIRED,
                "description",
                "the field `description` is missing",
            );
        }
        let description = input.text("description");
        let default = input.text("default").map(str::to_owned);
        input.finish(
            &crate::fields::rules::UNKNOWN,
            &["name", "description", "default"],
        );
        if let (Some(name), Some(description)) = (name, description) {
            all.push(Input {
                name: name.to_owned(),
                description: description.to_owned(),
                default,
            });
        }
    }
    all
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
}
