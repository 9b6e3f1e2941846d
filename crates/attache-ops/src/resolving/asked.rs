//! What is asked on the command line, as text, and what it means.

use std::path::PathBuf;

use attache_package::{PackageName, Range};
use attache_resolve::{Host, Strategy};

use crate::workspace::{LooseRelease, PlatformText};
use crate::{Error, Kind};

/// What is resolved, from where, and for which machines.
#[derive(Debug, Clone, Default)]
pub struct Resolving {
    /// A workspace, an agent's folder, or a package.
    pub path: PathBuf,
    /// Places that versions come from, before those of `attache.toml`: a path, or `NAME=PATH`.
    pub indexes: Vec<String>,
    /// Ranges that replace whatever anyone requires, as `ID=RANGE`.
    pub overrides: Vec<String>,
    /// Which of several versions that fit is taken; what `attache.toml` says if nothing.
    pub strategy: Option<Strategy>,
    /// The platform it is for, as `linux/amd64/glibc`.
    pub platform: Option<String>,
    /// Host programs it is for, as `NAME=VERSION`.
    pub engines: Vec<String>,
    /// Language runtimes it is for, as `NAME=VERSION`.
    pub runtimes: Vec<String>,
    /// The machine, in full, if it is for that one only.
    pub machine: Option<Host>,
    /// How many steps the search may take; the usual number if nothing.
    pub steps: Option<u64>,
    /// Whether only what is on this machine counts.
    pub offline: bool,
    /// Whether a lock that does not fit is an error.
    pub frozen: bool,
}

/// Reads `ID=RANGE`.
pub(super) fn an_override(text: &str) -> Result<(PackageName, Range), Error> {
    let usage = |code, message: String| {
        Error::new(Kind::Usage, code, message).hint("write it as --override ID=RANGE, e.g. base=^2")
    };
    let Some((id, range)) = text.split_once('=') else {
        let message = format!("the override `{text}` is not ID=RANGE");
        return Err(usage("ATT-OVERRIDE", message));
    };
    let id = id
        .trim()
        .parse()
        .map_err(|e| usage("ATT-NAME", format!("{e}")))?;
    let range = range
        .parse()
        .map_err(|e| usage("ATT-RANGE", format!("{e}")))?;
    Ok((id, range))
}

/// Puts together what was stated of the machines it is for.
pub(super) fn host(asked: &Resolving, configured: Option<Host>) -> Result<Option<Host>, Error> {
    let usage = |message: String| Error::new(Kind::Usage, "ATT-HOST", message);
    let mut host = match &asked.machine {
        Some(machine) => machine.clone(),
        None => configured.unwrap_or_default(),
    };
    if let Some(text) = &asked.platform {
        let platform: PlatformText = text
            .clone()
            .try_into()
            .map_err(|message| usage(message).hint("for example --platform linux/amd64"))?;
        host.platform = Some(platform.0);
    }
    for (texts, facts) in [
        (&asked.engines, &mut host.engines),
        (&asked.runtimes, &mut host.runtimes),
    ] {
        for text in texts {
            let pair = text.split_once('=').filter(|(name, _)| is_word(name));
            let Some((name, version)) = pair else {
                return Err(usage(format!("`{text}` is not NAME=VERSION"))
                    .hint("a name has small letters, digits and `._-`, as in python=3.12"));
            };
            let version = LooseRelease::try_from(version.to_owned());
            let version = version.map_err(|e| {
                usage(e.to_string()).hint("give the version that is there, as in python=3.12")
            })?;
            facts.insert(name.to_owned(), version.0);
        }
    }
    Ok((host != Host::default()).then_some(host))
}

fn is_word(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
    !name.is_empty() && name.chars().all(allowed)
}
