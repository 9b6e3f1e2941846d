//! What a user can do: one file per operation, request in, outcome out, nothing printed.
//!
//! The one idea: a command line, a web page and a program that embeds us all call the same
//! functions. A request holds everything an operation needs to know, so no operation reads the
//! environment, the clock or the terminal; an [`Outcome`] is a value with a JSON form, and an
//! [`Error`] says what happened to what, what to do next, and how serious it is.
//!
//! Start at the operation you want: [`init`], [`validate`], [`inspect`], [`build`],
//! [`convert`], [`diff`], [`unpack`], [`lock`], [`tree`], [`why`], [`outdated`], [`index`], and
//! [`quickstart`], which shows them all. Not here: how the answer looks (`attache`), and what a
//! package is (`attache-package`).

use schemars::JsonSchema;
use serde::Serialize;

pub use app::App;
pub use codes::codes;
pub use error::{Error, Failure, Kind};
pub use resolving::{Missing, Resolving};

/// What a request to resolve is made of.
pub use attache_resolve::{Host, Strategy};

mod app;
pub mod build;
mod codes;
pub mod convert;
pub mod diff;
mod drawing;
mod error;
mod git;
pub mod index;
pub mod init;
pub mod inspect;
pub mod lock;
mod lossy;
pub mod machine;
pub mod outdated;
pub mod quickstart;
mod resolving;
pub mod tree;
pub mod unpack;
pub mod validate;
mod whole;
pub mod why;
mod workspace;

/// The answer of an operation, in the form that `--json` prints.
pub trait Outcome: Serialize + JsonSchema {
    /// The name and version of the answer's form, e.g. `attache.validate/1`.
    const SCHEMA: &'static str;
}

/// An outcome with its schema's name in front.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer<T> {
    /// The name and version of this answer's form.
    pub schema: &'static str,
    /// The answer.
    #[serde(flatten)]
    pub outcome: T,
}

impl<T: Outcome> Answer<T> {
    /// Puts the schema's name in front.
    pub fn new(outcome: T) -> Self {
        Self {
            schema: T::SCHEMA,
            outcome,
        }
    }
}

/// A text made for another program: a manual page or a completion script.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Page {
    /// The text.
    pub text: String,
}

impl Outcome for Page {
    const SCHEMA: &'static str = "attache.page/1";
}

/// Returns the JSON Schema of every answer, by name.
pub fn schemas() -> Vec<(&'static str, serde_json::Value)> {
    fn one<T: Outcome>() -> (&'static str, serde_json::Value) {
        let mut schema = schemars::schema_for!(Answer<T>).to_value();
        schema["title"] = T::SCHEMA.into();
        schema["properties"]["schema"] = serde_json::json!({ "const": T::SCHEMA });
        (T::SCHEMA, schema)
    }
    let line = schemars::schema_for!(attache_registry::wire::IndexLine<'static>);
    vec![
        ("attache.index-line", line.to_value()),
        one::<init::InitOutcome>(),
        one::<validate::ValidateOutcome>(),
        one::<inspect::InspectOutcome>(),
        one::<build::BuildOutcome>(),
        one::<convert::ConvertOutcome>(),
        one::<diff::DiffOutcome>(),
        one::<unpack::UnpackOutcome>(),
        one::<lock::LockOutcome>(),
        one::<tree::TreeOutcome>(),
        one::<why::WhyOutcome>(),
        one::<outdated::OutdatedOutcome>(),
        one::<index::IndexOutcome>(),
        one::<quickstart::QuickstartOutcome>(),
        one::<Page>(),
        one::<error::Failure>(),
    ]
}
