//! Conversion: the agent in terms that every dialect shares, and what a target cannot hold.

use std::collections::BTreeMap;
use std::fmt::Display;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Manifest, PackagePath};

/// An agent in the terms that the dialects share.
#[derive(Debug, Clone)]
pub struct Portable {
    /// Metadata, dependencies and capabilities.
    pub manifest: Manifest,
    /// The agents in it; a package of one dialect may hold one, another several.
    pub agents: Vec<PortableAgent>,
    /// Skills, by id.
    pub skills: Vec<PortableText>,
    /// Tasks or workflows, by id.
    pub tasks: Vec<PortableText>,
    /// Environment variables: the name, and a value where the dialect sets one.
    pub env: BTreeMap<String, Option<String>>,
    /// Files that are none of the above (code, assets, documents): path, bytes, executable.
    pub files: BTreeMap<PackagePath, PortableFile>,
}

/// One agent: who does the work.
#[derive(Debug, Clone, Default)]
pub struct PortableAgent {
    /// Its id within the package.
    pub id: String,
    /// The name shown to people.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// The model it asks for.
    pub model: Option<String>,
    /// Its instructions, in Markdown.
    pub instructions: String,
    /// The tools it may call.
    pub tools: Vec<String>,
    /// The skills it has at hand.
    pub skills: Vec<String>,
}

/// A skill or task: how to do a kind of work, or what to do now.
#[derive(Debug, Clone)]
pub struct PortableText {
    /// Its id within the package.
    pub id: String,
    /// The name shown to people.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Its instructions, in Markdown.
    pub body: String,
}

/// A file carried along.
#[derive(Debug, Clone)]
pub struct PortableFile {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it can be executed.
    pub executable: bool,
}

/// What a conversion could not carry over, and what it had to make up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Losses {
    /// What the target format cannot hold.
    pub lost: Vec<Loss>,
    /// What the target format needs and the source did not have, and what was kept or renamed.
    pub invented: Vec<Loss>,
}

/// The creation time of an agent that has none: the earliest that every archive can hold.
pub(crate) const NO_TIME: &str = "1980-01-01T00:00:00Z";

/// One thing lost or made up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Loss {
    /// The field or file: `version`, `dependencies`, `resources/data.csv`.
    pub what: String,
    /// What it was, or what it became, in one sentence.
    pub detail: String,
}

impl Losses {
    /// Records something the target cannot hold.
    pub fn lose(&mut self, what: impl Into<String>, detail: impl Into<String>) {
        self.lost.push(Loss {
            what: what.into(),
            detail: detail.into(),
        });
    }

    /// Records something that has no meaning in the target, and is kept there as the file `path`.
    pub fn keep(&mut self, path: impl Into<String>, what: impl Display, why: impl Display) {
        self.invent(path, format!("{what} is kept here; {why}"));
    }

    /// Records something the source did not have.
    pub fn invent(&mut self, what: impl Into<String>, detail: impl Into<String>) {
        self.invented.push(Loss {
            what: what.into(),
            detail: detail.into(),
        });
    }
}
