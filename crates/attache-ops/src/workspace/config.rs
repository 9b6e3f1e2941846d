//! `attache.toml`: what a workspace wants, and where packages come from.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use attache_package::{PackageName, Platform, Range, Release};
use attache_resolve::{Host, Strategy};
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::{Error, Kind};

/// The file's name.
pub(crate) const CONFIG: &str = "attache.toml";

/// What `attache.toml` says. Everything in it is shared by all who work on the workspace.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// The agents of the workspace: folders, or `folder/*` for each folder in it.
    pub(crate) members: Option<Vec<String>>,
    /// Which of several versions that fit is taken.
    #[serde(default)]
    pub(crate) strategy: StrategyName,
    /// What the workspace itself wants.
    #[serde(default)]
    pub(crate) dependencies: BTreeMap<PackageName, Wish>,
    /// Where packages come from, in order.
    #[serde(default)]
    pub(crate) registry: Vec<Registry>,
    /// Ranges that replace whatever anyone requires of a package.
    #[serde(default)]
    pub(crate) overrides: BTreeMap<PackageName, Range>,
    /// The machines it is for.
    #[serde(default)]
    pub(crate) host: HostFacts,
}

/// A strategy by its name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StrategyName {
    #[default]
    Highest,
    Lowest,
}

impl From<StrategyName> for Strategy {
    fn from(name: StrategyName) -> Self {
        match name {
            StrategyName::Highest => Self::Highest,
            StrategyName::Lowest => Self::Lowest,
        }
    }
}

/// One place that packages come from.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Registry {
    /// Its name in the lock.
    pub(crate) name: String,
    /// A folder of packages or an index file, relative to `attache.toml`.
    pub(crate) index: String,
    /// Packages of these names, and every one below them, come from here and nowhere else.
    #[serde(default)]
    pub(crate) namespaces: Vec<PackageName>,
}

/// The versions of a package that will do: `"^1.2"`, or `{ range = "^1.2", optional = true }`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wish {
    pub(crate) range: Range,
    pub(crate) optional: bool,
}

impl<'de> Deserialize<'de> for Wish {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Wish;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a range, or a table with `range` and `optional`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Wish, E> {
                let range = text.parse().map_err(E::custom)?;
                Ok(Wish {
                    range,
                    optional: false,
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Wish, A::Error> {
                #[derive(Deserialize)]
                #[serde(deny_unknown_fields)]
                struct Table {
                    range: Range,
                    #[serde(default)]
                    optional: bool,
                }
                let table = Table::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(Wish {
                    range: table.range,
                    optional: table.optional,
                })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// What is stated of the machines it is for. Whatever is not stated is not checked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostFacts {
    /// `linux/amd64`, or with a C library `linux/amd64/glibc`.
    pub(crate) platform: Option<PlatformText>,
    /// Host programs and their versions.
    #[serde(default)]
    pub(crate) engines: BTreeMap<String, LooseRelease>,
    /// Language runtimes and their versions.
    #[serde(default)]
    pub(crate) runtimes: BTreeMap<String, LooseRelease>,
}

impl HostFacts {
    /// Returns the host they describe, if they describe one.
    pub(crate) fn host(&self) -> Option<Host> {
        let releases = |facts: &BTreeMap<String, LooseRelease>| {
            let pairs = facts.iter();
            pairs.map(|(k, v)| (k.clone(), v.0.clone())).collect()
        };
        let host = Host {
            platform: self.platform.as_ref().map(|p| p.0.clone()),
            engines: releases(&self.engines),
            runtimes: releases(&self.runtimes),
            is_complete: false,
        };
        (host != Host::default()).then_some(host)
    }
}

/// A platform as people write it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct PlatformText(pub(crate) Platform);

impl TryFrom<String> for PlatformText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let word = |part: &&str| {
            let allowed =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
            !part.is_empty() && part.chars().all(allowed)
        };
        let parts: Vec<&str> = text.split('/').collect();
        match parts.as_slice() {
            [os, arch, rest @ ..] if rest.len() < 2 && parts.iter().all(word) => {
                Ok(Self(Platform {
                    os: (*os).to_owned(),
                    arch: (*arch).to_owned(),
                    libc: rest.first().map(|libc| (*libc).to_owned()),
                }))
            }
            _ => Err(format!(
                "`{}` is no platform: it takes a system and a processor, such as `linux/amd64`, \
                 and may end with a C library, as in `linux/amd64/glibc`",
                text.escape_debug()
            )),
        }
    }
}

/// A version whose last numbers may be missing: `3.12` is `3.12.0`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct LooseRelease(pub(crate) Release);

impl TryFrom<String> for LooseRelease {
    type Error = attache_package::InvalidVersion;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let numbers = text.split('.').count();
        let is_plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        match (is_plain, numbers) {
            (true, 1) => format!("{text}.0.0").parse(),
            (true, 2) => format!("{text}.0").parse(),
            _ => text.parse(),
        }
        .map(Self)
    }
}

/// The name of the registry that the workspace's own packages are in. No other can have it.
pub(crate) const OWN: &str = "workspace";

impl Config {
    /// Returns which namespace is bound to which registry.
    pub(crate) fn namespaces(&self) -> BTreeMap<PackageName, String> {
        let bound = self.registry.iter();
        let bound = bound.flat_map(|r| r.namespaces.iter().map(|n| (n.clone(), r.name.clone())));
        bound.collect()
    }

    /// Reads the file.
    pub(crate) fn read(path: &Path, text: &str) -> Result<Self, Error> {
        let invalid = |line: Option<usize>, message: &str| {
            let at = line.map(|n| format!(" line {n}")).unwrap_or_default();
            let message = format!("`{}`{at}: {message}", path.display());
            Error::new(Kind::Usage, "ATT-CONFIG", message)
                .hint("docs/resolving.md shows everything that attache.toml can say")
        };
        let config: Self = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map(|before| before.matches('\n').count() + 1);
            let error = invalid(line, error.message());
            match error.message.contains("expected `range` or `optional`") {
                true => error.hint("a name with a dot is quoted, as in \"acme.base\" = \"^1\""),
                false => error,
            }
        })?;
        for (at, registry) in config.registry.iter().enumerate() {
            let earlier = &config.registry[..at];
            check_name(&registry.name).map_err(|message| invalid(None, &message))?;
            if earlier.iter().any(|r| r.name == registry.name) {
                let message = format!("two registries are called `{}`", registry.name);
                return Err(invalid(None, &message));
            }
        }
        Ok(config)
    }
}

/// Checks the name of a registry: it goes into the lock, into messages and later into paths.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    if name == OWN {
        return Err(format!("the name `{OWN}` stands for the workspace itself"));
    }
    if name.is_empty() || name.len() > 200 || !name.chars().all(plain) {
        return Err(format!(
            "`{}` cannot be a registry's name: it takes letters, digits and `._-/`",
            name.escape_debug()
        ));
    }
    Ok(())
}

/// Returns a name for an index that was given without one: the last part of its path, which
/// says nothing of where it is on this machine, as far as a name can have its letters.
pub(crate) fn name_for(path: &Path) -> String {
    let whole = fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let last = whole.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| match c.is_ascii_alphanumeric() || "._-".contains(c) {
        true => c,
        false => '_',
    };
    let name: String = last.chars().take(100).map(plain).collect();
    match check_name(&name) {
        Ok(()) => name,
        Err(_) => "index".to_owned(),
    }
}
