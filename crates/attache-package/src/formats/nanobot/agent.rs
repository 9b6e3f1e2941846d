//! `AGENT.md`: who does the work.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};

use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::grants::{Common, Grants, finish};
use super::inherit::report_item;
use super::rules;
use crate::fields::Fields;
use crate::text::FrontMatter;
use crate::{Capability, Diagnostics};

/// An agent: the front matter of an `AGENT.md`, and its instructions.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(title = "AGENT.md")]
pub struct Agent {
    /// The name shown to people.
    #[schemars(regex(pattern = r"\S"))]
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Anything else, for others to read.
    #[schemars(default)]
    pub metadata: Map<String, Value>,
    /// The model it runs on.
    #[schemars(regex(pattern = r"\S"))]
    pub model: Option<String>,
    /// Further models that a user may switch to.
    #[schemars(default, inner(regex(pattern = r"\S")))]
    pub allowed_models: Vec<String>,
    /// How freely the model picks its words, from 0 to 2.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// The most that the model may answer.
    #[schemars(range(min = 1))]
    pub max_tokens: Option<i64>,
    /// What it may use.
    #[schemars(flatten)]
    pub grants: Grants,
    /// The instructions below the front matter.
    #[schemars(skip)]
    pub body: String,
}

impl Agent {
    const FIELDS: [&str; 4] = ["model", "allowed_models", "temperature", "max_tokens"];

    /// Reads a document, reporting every problem. Returns nothing without a name.
    pub fn read(place: &str, document: FrontMatter, diagnostics: &mut Diagnostics) -> Option<Self> {
        let cell = RefCell::new(diagnostics);
        let fields = Fields::new(&document.fields, place, &cell);
        let common = Common::read(&fields, true);
        let model = fields.text("model").filter(|model| {
            let empty = model.trim().is_empty();
            if empty {
                fields.report(&rules::MODEL, "model", "`model` is empty");
            }
            !empty
        });
        let allowed_models = read_models(&fields, model);
        let temperature = fields.number("temperature").filter(|given| {
            let good = (0.0..=2.0).contains(given);
            if !good {
                let message = format!("`temperature` must be from 0 to 2, not {given}");
                fields.report(&rules::SAMPLING, "temperature", message);
            }
            good
        });
        let max_tokens = fields.integer("max_tokens").filter(|given| {
            if *given < 1 {
                let message = format!("`max_tokens` must be at least 1, not {given}");
                fields.report(&rules::SAMPLING, "max_tokens", message);
            }
            *given >= 1
        });
        let grants = Grants::read(&fields);
        let model = model.map(str::to_owned);
        finish(fields, &Self::FIELDS);
        Some(Self {
            name: common.name?,
            description: common.description,
            metadata: common.metadata,
            model,
            allowed_models,
            temperature,
            max_tokens,
            grants,
            body: document.body,
        })
    }

    /// Returns whether a user may run the agent on `model`.
    ///
    /// An agent that names no model at all leaves the choice to its host.
    pub fn allows_model(&self, model: &str) -> bool {
        let mut named = self.model.iter().chain(&self.allowed_models).peekable();
        named.peek().is_none() || named.any(|named| named == model)
    }

    pub(super) fn add_capabilities(&self, all: &mut BTreeSet<Capability>) {
        let models = self.model.iter().chain(&self.allowed_models);
        all.extend(models.cloned().map(Capability::Model));
        self.grants.add_capabilities(all);
    }
}

fn read_models(fields: &Fields<'_, '_>, model: Option<&str>) -> Vec<String> {
    let mut seen: HashSet<&str> = model.into_iter().collect();
    let mut all = Vec::new();
    for (at, name) in fields
        .texts("allowed_models")
        .unwrap_or_default()
        .into_iter()
        .enumerate()
    {
        let bad = if name.trim().is_empty() {
            format!("entry {at} of `allowed_models` is empty")
        } else if !seen.insert(name) {
            format!("the model `{name}` is named twice")
        } else {
            all.push(name.to_owned());
            continue;
        };
        report_item(fields, &rules::MODEL, "allowed_models", at, bad);
    }
    all
}
