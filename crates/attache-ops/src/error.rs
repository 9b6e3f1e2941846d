//! The one error that every operation answers with.

use std::fmt;
use std::path::Path;

use attache_package::build::BuildError;
use attache_package::{ArchiveError, Problem};
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
    /// There are changes, and `--check` was given.
    Pending,
}

impl Kind {
    /// Returns the process's exit code.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Pending => 8,
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
        match error {
            ArchiveError::Refused { .. } => Self::new(
                Kind::Failed,
                code,
                format!("`{}` was refused: {error}", path.display()),
            )
            .hint("nothing was written; ask its author for a clean archive, or build it again with `attache build`"),
            ArchiveError::Io { ref source, .. } => {
                let kind = match source.kind() {
                    std::io::ErrorKind::NotFound => Kind::NotFound,
                    _ => Kind::Failed,
                };
                Self::new(kind, code, error.to_string())
            }
        }
    }

    /// Makes the error for a failed file operation.
    pub(crate) fn io(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => Kind::NotFound,
            _ => Kind::Failed,
        };
        Self::new(
            kind,
            "ATT-IO",
            format!(
                "could not {doing} `{}`: {}",
                path.display(),
                attache_package::archive::plain(error)
            ),
        )
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
            BuildError::Dependency { code, message } => Self::new(Kind::Failed, code, message)
                .hint("give the package's file with --dependency FILE"),
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
            ..
        } = error;
        Self {
            error: FailureBody {
                code,
                message,
                hint,
                problems,
            },
        }
    }
}
