//! Says whether a package is good, and everything that is wrong with it.

use std::path::PathBuf;

use attache_package::formats::agentforge;
use attache_package::formats::{DetectError, FormatName, Package};
use attache_package::{ArchiveError, Diagnostics, Problem, Tree};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{App, Error, Kind, Outcome};

/// What to check, and how strictly.
#[derive(Debug, Clone)]
pub struct ValidateRequest {
    /// The package: a folder or an archive.
    pub path: PathBuf,
    /// The dialect, if it is not to be found out.
    pub format: Option<FormatName>,
    /// Whether deviations that are common in the wild are only warnings.
    pub lenient: bool,
    /// The key for AgentForge's HMAC signature.
    pub hmac_key: Option<Vec<u8>>,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ValidateOutcome {
    /// Whether there are no errors.
    pub valid: bool,
    /// The dialect; nothing if it could not be told.
    pub format: Option<FormatName>,
    /// What makes the package invalid.
    pub errors: Vec<Problem>,
    /// What does not.
    pub warnings: Vec<Problem>,
}

impl Outcome for ValidateOutcome {
    const SCHEMA: &'static str = "attache.validate/1";
}

/// Checks everything at once. A package that is refused is an outcome, not an error.
pub fn validate(app: &App, request: &ValidateRequest) -> Result<ValidateOutcome, Error> {
    let path = &request.path;
    let refused = |format, code, message: String, place: Option<String>| {
        let place = place.unwrap_or_else(|| path.display().to_string());
        let errors = vec![Problem {
            code,
            message,
            path: place,
        }];
        Ok(ValidateOutcome {
            valid: false,
            format,
            errors,
            warnings: Vec::new(),
        })
    };
    let broken = |format, error: ArchiveError| match error {
        ArchiveError::Refused { defect, entry } => {
            refused(format, defect.code(), defect.sentence().to_owned(), entry)
        }
        ArchiveError::Io { .. } => Err(Error::archive(path, error)),
    };
    let tree = match Tree::open(path, &app.limits) {
        Ok(tree) => tree,
        Err(error) => return broken(None, error),
    };
    let package = match Package::detect(tree, request.format) {
        Ok(package) => package,
        Err(DetectError::Archive(error)) => return broken(None, error),
        Err(error) => return refused(None, error.code(), error.to_string(), None),
    };
    let format = package.format.name();
    let mut diagnostics = Diagnostics::new(request.lenient);
    if let Err(error) = package.read(&mut diagnostics) {
        return broken(Some(format), error);
    }
    if request.hmac_key.is_some() && format != FormatName::AgentForge {
        let message = format!("{format} packages have no HMAC signature to check");
        return Err(Error::new(Kind::Usage, "ATT-BUILD-HMAC", message)
            .hint("leave the key out; only AgentForge packs are signed this way"));
    }
    let (mut errors, mut warnings) = diagnostics.into_parts();
    if format == FormatName::AgentForge {
        let place = "manifest.json#/signature".to_owned();
        let checked = match &request.hmac_key {
            Some(key) => agentforge::check_signature(&package.tree, key),
            None => Ok(()),
        };
        if let Err(error) = checked {
            let (code, message) = (error.code(), error.to_string());
            errors.push(Problem {
                code,
                message,
                path: place,
            });
        } else if request.hmac_key.is_none()
            && agentforge::is_signed(&package.tree).map_err(|e| Error::archive(path, e))?
        {
            let code = "ATT-HMAC-UNCHECKED";
            let message = "the signature was not checked; give its key with --hmac-key-env or \
                           --hmac-key-file";
            warnings.push(Problem {
                code,
                message: message.to_owned(),
                path: place,
            });
        }
    }
    Ok(ValidateOutcome {
        valid: errors.is_empty(),
        format: Some(format),
        errors,
        warnings,
    })
}
