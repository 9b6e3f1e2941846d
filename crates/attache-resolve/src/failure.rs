//! Why there is no answer, as data and in sentences.

use std::fmt;

use attache_package::{PackageName, Range, Release};
use schemars::JsonSchema;
use serde::Serialize;

use crate::host::HostNeed;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Failure {
    /// Something was asked for that nobody has.
    #[error("{}", packages.iter().map(unknown_text).collect::<Vec<_>>().join("\n"))]
    UnknownPackage {
        /// All of them, sorted by name.
        packages: Vec<UnknownPackage>,
    },
    /// Every choice of versions has packages that need themselves by some way round.
    #[error("{}", explanation.join(" "))]
    Cycle {
        /// The paths, each beginning and ending with its first name in order; sorted.
        paths: Vec<Vec<PackageName>>,
        /// Whether these are all, or only as many as the limits allow.
        complete: bool,
        /// The same in sentences, and what would help.
        explanation: Vec<String>,
    },
    /// What is required cannot be met together.
    #[error("{}", .0.explanation.join(" "))]
    Conflict(Conflict),
    /// The limit was reached before there was an answer either way.
    #[error(
        "Gave up after {steps} steps without an answer. Narrower ranges make the search shorter."
    )]
    #[serde(rename_all = "camelCase")]
    GaveUp {
        /// How many steps were taken.
        steps: u64,
    },
    /// The caller asked to stop.
    #[error("Interrupted before there was an answer.")]
    Interrupted,
}

impl Failure {
    /// Every code and what it means, for the page that lists them all.
    pub const CODES: [(&'static str, &'static str); 5] = [
        (
            "ATT-RESOLVE-UNKNOWN",
            "a package is asked for that nobody has",
        ),
        (
            "ATT-RESOLVE-CYCLE",
            "whichever versions are chosen, a package needs itself",
        ),
        (
            "ATT-RESOLVE-CONFLICT",
            "what is required cannot be met together",
        ),
        (
            "ATT-RESOLVE-GAVE-UP",
            "the search was longer than its limit",
        ),
        ("ATT-RESOLVE-INTERRUPTED", "someone stopped the search"),
    ];

    /// Returns the sentences that explain it.
    pub fn explanation(&self) -> Vec<String> {
        match self {
            Self::UnknownPackage { packages } => packages.iter().map(unknown_text).collect(),
            Self::Conflict(conflict) => conflict.explanation.clone(),
            Self::Cycle { explanation, .. } => explanation.clone(),
            other => vec![other.to_string()],
        }
    }

    /// Returns the stable code, which never gets a second meaning.
    pub fn code(&self) -> &'static str {
        let at = match self {
            Self::UnknownPackage { .. } => 0,
            Self::Cycle { .. } => 1,
            Self::Conflict(_) => 2,
            Self::GaveUp { .. } => 3,
            Self::Interrupted => 4,
        };
        Self::CODES[at].0
    }
}

/// A name that nothing is known of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnknownPackage {
    /// The name.
    pub id: PackageName,
    /// Known names that look like it, the closest first.
    pub did_you_mean: Vec<PackageName>,
}

/// Requirements that cannot be met together.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Conflict {
    /// The requirements: these alone cannot be met, and without any one of them the others can.
    pub requirements: Vec<Requirement>,
    /// Whether the promise above is kept. It is not when the limit on steps for explanations
    /// was reached, and then there may be more requirements here than it takes.
    pub is_minimal: bool,
    /// The same in sentences, the last of which say what would help.
    pub explanation: Vec<String>,
    /// Changes after which there is an answer; each was tried.
    pub suggestions: Vec<Suggestion>,
}

/// That some package, or the request itself, needs something.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Requirement {
    /// Who needs it; nothing for the request itself.
    pub by: Option<PackageName>,
    /// The versions of `by` that do, among those that could be chosen.
    pub versions: Vec<Release>,
    /// What is needed.
    pub needs: Need,
}

/// What is needed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Need {
    /// A package.
    Package {
        /// Its name.
        id: PackageName,
        /// The versions that will do.
        range: Range,
    },
    /// Something of the host.
    Host {
        /// What.
        need: HostNeed,
    },
}

/// A change after which there is an answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Suggestion {
    /// Ask for other versions.
    #[serde(rename_all = "camelCase")]
    Ask {
        /// The package.
        id: PackageName,
        /// What to ask for.
        range: Range,
        /// What was asked for.
        instead_of: Range,
    },
    /// Go against what a package requires.
    #[serde(rename_all = "camelCase")]
    Override {
        /// The package to override.
        id: PackageName,
        /// The range to override it with.
        range: Range,
        /// The package that requires something else.
        against: PackageName,
    },
    /// Use another override.
    #[serde(rename_all = "camelCase")]
    OtherOverride {
        /// The package that is overridden.
        id: PackageName,
        /// The range to override it with.
        range: Range,
        /// The range it is overridden with now.
        instead_of: Range,
    },
    /// Have the host offer something.
    #[serde(rename_all = "camelCase")]
    Host {
        /// What it should offer.
        need: HostNeed,
        /// What it has now.
        has: Option<String>,
    },
    /// Perhaps a name was mistyped. The one kind that cannot be tried.
    #[serde(rename_all = "camelCase")]
    DidYouMean {
        /// The name that is not known.
        id: PackageName,
        /// Known names that look like it, the closest first.
        names: Vec<PackageName>,
    },
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ask {
                id,
                range,
                instead_of,
            } => write!(
                f,
                "It works with {} instead of {}.",
                wish(id, range),
                wish(id, instead_of)
            ),
            Self::Override { id, range, against } => write!(
                f,
                "It can be forced with the override `{id}={range}`, against what `{against}` says."
            ),
            Self::OtherOverride {
                id,
                range,
                instead_of,
            } => write!(
                f,
                "It works with the override `{id}={range}` instead of `{id}={instead_of}`."
            ),
            Self::Host { need, .. } => write!(f, "It works on a host with {need}."),
            Self::DidYouMean { id, names } => {
                write!(f, "Instead of `{id}`, did you mean {}?", either(names))
            }
        }
    }
}

/// Writes a package and a range as people type them.
pub(crate) fn wish(id: &PackageName, range: &Range) -> String {
    match range.to_string().as_str() {
        "" | "*" => format!("`{id}`"),
        range => format!("`{id} {range}`"),
    }
}

fn either(names: &[PackageName]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    listed(&names, "or")
}

/// Writes `a`, `a and b`, or `a, b and c`.
pub(crate) fn listed(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

fn unknown_text(unknown: &UnknownPackage) -> String {
    let UnknownPackage { id, did_you_mean } = unknown;
    if did_you_mean.is_empty() {
        return format!("No package called `{id}` is known.");
    }
    let names = either(did_you_mean);
    format!("No package called `{id}` is known. Did you mean {names}?")
}
