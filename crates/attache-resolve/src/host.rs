//! The machine as part of the graph: engines, platform and runtimes.
//!
//! Each fact about the host is a package with one version, so a need that the host does not
//! meet is a conflict like any other, and is explained like any other.

use std::collections::BTreeMap;
use std::fmt;

use attache_package::{InvalidRange, Platform, Range, Release, Requirement};
use schemars::JsonSchema;
use serde::Serialize;

/// What the machine offers, as far as it was stated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Host {
    /// Host programs, such as `lexichord`, and their versions.
    pub engines: BTreeMap<String, Release>,
    /// The operating system, processor and C library; nothing if any will do.
    pub platform: Option<Platform>,
    /// Language runtimes, such as `python` and `node`, and their versions.
    pub runtimes: BTreeMap<String, Release>,
    /// Whether a runtime that is not named here is not there. Otherwise nobody knows, and a need
    /// for it counts as met, as one for a host program that is not named always does: nobody can
    /// look for those.
    pub is_complete: bool,
}

/// Something a version of a package needs of the host.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum HostNeed {
    /// A version of a host program.
    Engine {
        /// Its name, e.g. `lexichord`.
        name: String,
        /// The versions that will do.
        range: Range,
    },
    /// A platform that compiled code runs on.
    Platform {
        /// `linux`, `darwin`, `windows`.
        os: String,
        /// `amd64`, `arm64`.
        arch: String,
        /// `glibc`, `musl`; nothing where either will do.
        libc: Option<String>,
    },
    /// A language runtime.
    Runtime {
        /// Its name in lower case.
        name: String,
        /// The versions that will do; nothing if any will.
        range: Option<Range>,
    },
}

impl TryFrom<&Requirement> for HostNeed {
    type Error = InvalidRange;

    /// Reads what a manifest says. A runtime's version is a range, as in `3.12` or `>=3.10,<4`,
    /// where the comma means what a space does.
    fn try_from(requirement: &Requirement) -> Result<Self, InvalidRange> {
        Ok(match requirement {
            Requirement::Engine { name, range } => Self::Engine {
                name: name.clone(),
                range: range.clone(),
            },
            Requirement::Platform(platform) => Self::Platform {
                os: platform.os.clone(),
                arch: platform.arch.clone(),
                libc: platform.libc.clone(),
            },
            Requirement::Runtime { name, version } => Self::Runtime {
                name: name.clone(),
                range: match version {
                    Some(version) => Some(version.replace(',', " ").parse()?),
                    None => None,
                },
            },
        })
    }
}

impl Host {
    /// Returns whether the host meets a need.
    pub fn meets(&self, need: &HostNeed) -> bool {
        match need {
            HostNeed::Engine { name, range } => match self.engines.get(name) {
                Some(has) => holds(range, has),
                None => true,
            },
            HostNeed::Platform { os, arch, libc } => match &self.platform {
                Some(has) => {
                    *os == has.os
                        && *arch == has.arch
                        && (libc.is_none() || has.libc.is_none() || *libc == has.libc)
                }
                None => true,
            },
            HostNeed::Runtime { name, range } => match self.runtimes.get(name) {
                Some(has) => range.as_ref().is_none_or(|range| holds(range, has)),
                None => !self.is_complete,
            },
        }
    }

    /// Returns what the host has where `need` asks for something, as people write it.
    pub(crate) fn has(&self, need: &HostNeed) -> Option<String> {
        match need {
            HostNeed::Engine { name, .. } => self.engines.get(name).map(ToString::to_string),
            HostNeed::Platform { .. } => {
                let Platform { os, arch, libc } = self.platform.as_ref()?;
                Some(platform_text(os, arch, libc.as_deref()))
            }
            HostNeed::Runtime { name, .. } => self.runtimes.get(name).map(ToString::to_string),
        }
    }
}

/// Returns whether the one version there is lies between the bounds.
///
/// The rule that keeps prereleases out protects a choice, and a host is none: on a beta of the
/// next version, whatever is meant for it should run.
fn holds(range: &Range, version: &Release) -> bool {
    range.intervals().contains(&version.without_build())
}

fn platform_text(os: &str, arch: &str, libc: Option<&str>) -> String {
    match libc {
        Some(libc) => format!("{os}/{arch} with {libc}"),
        None => format!("{os}/{arch}"),
    }
}

impl fmt::Display for HostNeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine { name, range } => write!(f, "{name} {range}"),
            Self::Platform { os, arch, libc } => {
                f.write_str(&platform_text(os, arch, libc.as_deref()))
            }
            Self::Runtime { name, range: None } => f.write_str(name),
            Self::Runtime {
                name,
                range: Some(range),
            } => write!(f, "{name} {range}"),
        }
    }
}
