//! Findings about a package: all of them at once, each with a stable code and a place.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// One thing a format checks. Rules live in the format's own table, which the reference
/// page and the tests read too.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The stable code, e.g. `ATT-NEXO-ID`.
    pub code: &'static str,
    /// What must hold, as one sentence.
    pub promise: &'static str,
    /// Whether `--lenient` turns it into a warning. Only for deviations common in the wild.
    pub lenient: bool,
}

impl Rule {
    /// Makes a rule that always holds.
    pub const fn strict(code: &'static str, promise: &'static str) -> Self {
        Self {
            code,
            promise,
            lenient: false,
        }
    }

    /// Makes a rule that `--lenient` relaxes.
    pub const fn lenient(code: &'static str, promise: &'static str) -> Self {
        Self {
            code,
            promise,
            lenient: true,
        }
    }
}

/// Whether a problem makes the package invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The package is invalid.
    Error,
    /// The package is valid, but someone should look.
    Warning,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// The rule's stable code.
    pub code: &'static str,
    /// What is wrong, and what would be right, in one sentence.
    pub message: String,
    /// The file, and the field in it: `manifest.json#/dependencies/nlp-tools/version`.
    pub path: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.path, self.message, self.code)
    }
}

/// Collects every finding about one package.
#[derive(Debug, Default)]
pub struct Diagnostics {
    errors: Vec<Problem>,
    warnings: Vec<Problem>,
    lenient: bool,
}

impl Diagnostics {
    /// Makes an empty collection. `lenient` turns lenient rules into warnings.
    pub fn new(lenient: bool) -> Self {
        Self {
            lenient,
            ..Self::default()
        }
    }

    /// Records that `rule` is broken at `path`.
    pub fn report(
        &mut self,
        rule: &'static Rule,
        path: impl Into<String>,
        message: impl Into<String>,
    ) {
        let severity = if rule.lenient && self.lenient {
            Severity::Warning
        } else {
            Severity::Error
        };
        self.push(severity, rule, path.into(), message.into());
    }

    /// Records something that does not make the package invalid.
    pub fn warn(
        &mut self,
        rule: &'static Rule,
        path: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.push(Severity::Warning, rule, path.into(), message.into());
    }

    fn push(&mut self, severity: Severity, rule: &'static Rule, path: String, message: String) {
        let list = match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        list.push(Problem {
            code: rule.code,
            message,
            path,
        });
    }

    /// Returns what makes the package invalid.
    pub fn errors(&self) -> &[Problem] {
        &self.errors
    }

    /// Returns what does not.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// Returns whether nothing makes the package invalid.
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns whether lenient rules are warnings here.
    pub fn is_lenient(&self) -> bool {
        self.lenient
    }

    /// Returns both lists, errors first, sorted by path so that the order is stable.
    pub fn into_parts(mut self) -> (Vec<Problem>, Vec<Problem>) {
        let key = |p: &Problem| (p.path.clone(), p.code);
        self.errors.sort_by_key(key);
        self.warnings.sort_by_key(key);
        (self.errors, self.warnings)
    }
}
