//! The one error that every operation answers with.

use std::fmt;
use std::path::Path;

use attache_package::build::BuildError;
use attache_package::{ArchiveError, Defect, Problem};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Outcome;

/// How an operation failed, which decides the exit code and the HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It was tried and did not work.
    Failed,
    /// It was asked for in a way that makes no sense.
    Usage,
    /// What it is about is not there.
    NotFound,
    /// No versions go together.
    Unresolved,
    /// Something is not what was promised.
    Verification,
    /// There are changes, and `--check` or `--frozen` was given.
    Pending,
    /// Someone stopped it.
    Interrupted,
}

impl Kind {
    /// Returns the process's exit code.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Unresolved => 4,
            Self::Verification => 5,
            Self::Pending => 8,
            Self::Interrupted => 130,
        }
    }
}

/// What happened to what, what to do next, and a stable code.
#[derive(Debug, Clone)]
pub struct Error {
    /// How serious it is.
    pub kind: Kind,
    /// The stable code.
    pub code: String,
    /// What happened, to what.
    pub message: String,
    /// What to do next, where we know.
    pub hint: Option<String>,
    /// Every problem, where there are several.
    pub problems: Vec<Problem>,
    /// Why no versions go together, as data and in sentences.
    pub unresolved: Option<Box<attache_resolve::Failure>>,
}

impl Error {
    /// Makes an error without a hint.
    pub fn new(kind: Kind, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind,
            code: code.into(),
            message: message.into(),
            hint: None,
            problems: Vec::new(),
            unresolved: None,
        }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Makes the error for a container that could not be read or was refused.
    pub(crate) fn archive(path: &Path, error: ArchiveError) -> Self {
        let code = error.code();
        let Some(defect) = error.defect() else {
            let kind = match &error {
                ArchiveError::Io {
                    source, path: at, ..
                } if source.kind() == std::io::ErrorKind::NotFound && at == path => Kind::NotFound,
                _ => Kind::Failed,
            };
            return Self::new(kind, code, error.to_string());
        };
        let path_text = path.display();
        if defect == Defect::TargetExists {
            let message = format!("`{path_text}` already exists, and was not touched");
            return Self::new(Kind::Failed, code, message).hint("name a new one with -o");
        }
        let refused = Self::new(
            Kind::Failed,
            code,
            format!("`{path_text}` was refused: {error}"),
        );
        match code.split('-').nth(1) {
            Some("LIMIT") => refused.hint(
                "the limits are 1 GiB a file, 4 GiB in all, 100,000 files and folders, and 200 \
                 unpacked bytes for each packed one",
            ),
            _ if path.is_dir() => refused.hint("mend it, or leave it out with .attacheignore"),
            _ => {
                refused.hint("ask its author for a clean archive, or build it anew from its source")
            }
        }
    }

    /// Makes the error for something that could not be read.
    pub(crate) fn io(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => Kind::NotFound,
            _ => Kind::Failed,
        };
        Self {
            kind,
            ..Self::write(doing, path, error)
        }
    }

    /// Makes the error for something that could not be written.
    pub(crate) fn write(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        let cause = attache_package::archive::plain(error);
        let message = format!("could not {doing} `{}`: {cause}", path.display());
        Self::new(Kind::Failed, "ATT-IO", message)
    }

    /// Makes the error for a build that stopped.
    pub(crate) fn build(path: &Path, error: BuildError) -> Self {
        match error {
            BuildError::Invalid { ref problems } => Self {
                problems: problems.clone(),
                ..Self::new(
                    Kind::Failed,
                    "ATT-INVALID",
                    format!("`{}`: {error}", path.display()),
                )
                .hint("mend these and build again; nothing was written")
            },
            BuildError::Option { code, message } => Self::new(Kind::Usage, code, message),
            BuildError::Archive(error) => Self::archive(path, error),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// The form of an [`Error`] that `--json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Failure {
    /// The error.
    pub error: FailureBody,
}

/// What happened, and what to do next.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FailureBody {
    /// The stable code.
    pub code: String,
    /// What happened, to what.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// Every problem, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// Why no versions go together, as data and in sentences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unresolved: Option<Box<attache_resolve::Failure>>,
}

impl Outcome for Failure {
    const SCHEMA: &'static str = "attache.error/1";
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let Error {
            code,
            message,
            hint,
            problems,
            unresolved,
            ..
        } = error;
        Self {
            error: FailureBody {
                code,
                message,
                hint,
                problems,
                unresolved,
            },
        }
    }
}
