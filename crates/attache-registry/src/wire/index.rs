//! An index: one JSON line for each version of each package.
//!
//! ```text
//! {"schema":"attache.index/1","registry":"main"}
//! {"id":"acme.base","version":"1.0.0","digest":"sha256:…","size":4711,"source":"acme.base-1.0.0.lxpkg"}
//! ```
//!
//! The first line says what it is. A line is read only when somebody asks for its package: of
//! ten thousand packages a solve usually touches a few hundred.

use std::borrow::Cow;
use std::collections::HashMap;

use attache_package::{Digest, Manifest, Range, Release, Requirement};
use memchr::{memchr, memchr2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plain;

/// The name and version of the form.
const SCHEMA: &str = "attache.index/1";

/// An index whose lines have been found and not yet read.
#[derive(Debug, Default)]
pub struct Index<'t> {
    packages: HashMap<Cow<'t, str>, Vec<Block<'t>>>,
}

/// Lines that follow each other and are of one package: the number of the first, and their text.
type Block<'t> = (usize, &'t str);

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head<'t> {
    #[serde(borrow)]
    schema: Cow<'t, str>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    registry: Option<Cow<'t, str>>,
}

/// One version of a package, as an index lists it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "One line of an index")]
pub struct IndexLine<'t> {
    /// The package's name.
    #[serde(borrow)]
    pub id: Cow<'t, str>,
    /// Its version.
    pub version: Release,
    /// The packages it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty", borrow)]
    pub dependencies: Vec<IndexDependency<'t>>,
    /// What the host must offer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<IndexRequirement>,
    /// The digest of its archive.
    pub digest: Digest,
    /// The size of its archive in bytes.
    pub size: u64,
    /// Where its archive is: a URL, or a path relative to the index.
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    pub source: Option<Cow<'t, str>>,
    /// Whether its author took it back: it stays where a lock holds it, and is not chosen anew.
    #[serde(default, skip_serializing_if = "is_false")]
    pub yanked: bool,
}

/// A package that another one needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexDependency<'t> {
    /// Its name.
    #[serde(borrow)]
    pub id: Cow<'t, str>,
    /// The versions that will do.
    #[serde(borrow)]
    pub range: Cow<'t, str>,
    /// Whether the dependent works without it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub optional: bool,
}

/// Something the host must offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "kind", deny_unknown_fields)]
pub enum IndexRequirement {
    /// A version of the host program itself.
    Engine {
        /// The host's name.
        name: String,
        /// The versions that will do.
        range: Range,
    },
    /// An operating system, processor and C library.
    Platform {
        /// `linux`, `darwin`, `windows`.
        os: String,
        /// `amd64`, `arm64`.
        arch: String,
        /// `glibc`, `musl`; nothing where either will do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        libc: Option<String>,
    },
    /// A language runtime.
    Runtime {
        /// Its name in lower case.
        name: String,
        /// The versions that will do; nothing if any will.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
}

/// Why an index cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct InvalidIndex {
    /// The line, counted from one.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl<'t> Index<'t> {
    /// Finds the lines of each package.
    pub fn read(text: &'t str) -> Result<Self, InvalidIndex> {
        Self::name(text)?;
        let mut index = Self::default();
        // Lines of one package mostly follow each other: one look-up serves them all.
        let mut open: Option<(Cow<'t, str>, usize, usize)> = None;
        let mut number = 1;
        let mut start = memchr(b'\n', text.as_bytes()).map_or(text.len(), |end| end + 1);
        while start < text.len() {
            number += 1;
            let rest = &text.as_bytes()[start..];
            let end = memchr(b'\n', rest).map_or(text.len(), |end| start + end + 1);
            let line = text[start..end].trim_end();
            if !line.is_empty() {
                let id = id_of(number, line)?;
                if open.as_ref().is_none_or(|(same, ..)| *same != id) {
                    index.keep(open.replace((id, number, start)), &text[..start]);
                }
            }
            start = end;
        }
        index.keep(open, text);
        Ok(index)
    }

    /// Returns the name that an index gives its registry, without reading more than its first
    /// line.
    pub fn name(text: &str) -> Result<Option<String>, InvalidIndex> {
        let refused = |message: String| InvalidIndex { line: 1, message };
        let head: Head<'_> = parse(1, text.lines().next().unwrap_or_default())
            .map_err(|_| refused(format!("an index begins with {{\"schema\":\"{SCHEMA}\"}}")))?;
        if head.schema != SCHEMA {
            return Err(refused(format!(
                "it is written as `{}`, and this program reads `{SCHEMA}`",
                head.schema.escape_debug()
            )));
        }
        Ok(head.registry.map(Cow::into_owned))
    }

    /// Keeps the block that begins at an open start and goes to the end of `text`.
    fn keep(&mut self, open: Option<(Cow<'t, str>, usize, usize)>, text: &'t str) {
        if let Some((id, number, start)) = open {
            let blocks = self.packages.entry(id).or_default();
            blocks.push((number, &text[start..]));
        }
    }

    /// Returns the names of all packages, in no order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.packages.keys().map(AsRef::as_ref)
    }

    /// Returns the line of one version, if it is in the plain form that we write and the only one.
    pub fn plain_version(&self, id: &str, version: &Release) -> Option<IndexLine<'t>> {
        let start = format!("{{\"id\":\"{id}\",\"version\":\"{version}\",");
        let blocks = self.packages.get(id)?.iter();
        let mut lines = blocks.flat_map(|(_, text)| text.lines());
        let line = lines.find(|line| line.starts_with(&start))?;
        if lines.any(|line| line.starts_with(&start)) {
            return None;
        }
        plain::read(line)
    }

    /// Reads the lines of one package; each comes with its number.
    pub fn versions(
        &self,
        id: &str,
    ) -> impl Iterator<Item = Result<(usize, IndexLine<'t>), InvalidIndex>> {
        let blocks = self.packages.get(id).map(Vec::as_slice);
        let blocks = blocks.unwrap_or_default().iter();
        let lines = blocks.flat_map(|(first, text)| (*first..).zip(text.lines()));
        let lines = lines.filter(|(_, line)| !line.trim_end().is_empty());
        lines.map(|(number, line)| match plain::read(line) {
            Some(plain) => Ok((number, plain)),
            None => Ok((number, parse(number, line)?)),
        })
    }
}

impl IndexLine<'static> {
    /// Describes a package by its manifest, under the given release.
    pub fn of(manifest: &Manifest, version: Release, digest: Digest, size: u64) -> Self {
        let dependencies = manifest.dependencies.iter().map(|d| IndexDependency {
            id: d.id.to_string().into(),
            range: d.range.to_string().into(),
            optional: d.optional,
        });
        Self {
            id: manifest.id.to_string().into(),
            version,
            dependencies: dependencies.collect(),
            requirements: manifest.requirements.iter().map(Into::into).collect(),
            digest,
            size,
            source: None,
            yanked: false,
        }
    }
}

impl IndexLine<'_> {
    /// Writes a whole index: the first line, then one for each version, sorted by name and
    /// version so that the same versions give the same bytes.
    pub fn document(registry: Option<&str>, mut lines: Vec<Self>) -> Result<String, InvalidIndex> {
        lines.sort_by(|a, b| (&a.id, &a.version).cmp(&(&b.id, &b.version)));
        let head = Head {
            schema: SCHEMA.into(),
            registry: registry.map(Into::into),
        };
        let mut text = written(1, &head)?;
        for (number, line) in (2..).zip(&lines) {
            text += &written(number, line)?;
        }
        Ok(text)
    }
}

impl From<&Requirement> for IndexRequirement {
    fn from(requirement: &Requirement) -> Self {
        match requirement.clone() {
            Requirement::Engine { name, range } => Self::Engine { name, range },
            Requirement::Platform(platform) => Self::Platform {
                os: platform.os,
                arch: platform.arch,
                libc: platform.libc,
            },
            Requirement::Runtime { name, version } => Self::Runtime { name, version },
        }
    }
}

impl From<IndexRequirement> for Requirement {
    fn from(requirement: IndexRequirement) -> Self {
        match requirement {
            IndexRequirement::Engine { name, range } => Self::Engine { name, range },
            IndexRequirement::Platform { os, arch, libc } => {
                Self::Platform(attache_package::Platform { os, arch, libc })
            }
            IndexRequirement::Runtime { name, version } => Self::Runtime { name, version },
        }
    }
}

/// Returns the package that a line is about, without reading the rest where it comes first.
fn id_of(number: usize, line: &str) -> Result<Cow<'_, str>, InvalidIndex> {
    let first = line.strip_prefix("{\"id\":\"").unwrap_or_default();
    match memchr2(b'"', b'\\', first.as_bytes()) {
        Some(end) if first.as_bytes()[end] == b'"' => Ok(first[..end].into()),
        _ => Ok(parse::<IndexLine<'_>>(number, line)?.id),
    }
}

fn parse<'t, T: Deserialize<'t>>(line: usize, text: &'t str) -> Result<T, InvalidIndex> {
    if !text.starts_with('{') {
        let message = "expected a JSON object".to_owned();
        return Err(InvalidIndex { line, message });
    }
    serde_json::from_str(text).map_err(|error| {
        let mut message = error.to_string();
        // The position that `serde_json` adds comes last, and its line is always one.
        if let Some(end) = message.rfind(" at line 1 column ") {
            message.replace_range(end..end + " at line 1 column ".len(), " at column ");
        }
        InvalidIndex { line, message }
    })
}

fn written<T: Serialize>(line: usize, value: &T) -> Result<String, InvalidIndex> {
    match serde_json::to_string(value) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(InvalidIndex {
            line,
            message: error.to_string(),
        }),
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "{\"schema\":\"attache.index/1\",\"registry\":\"main\"}\n";

    fn line(id: &str, version: &str) -> String {
        let digest = Digest::of(id);
        format!(
            "{{\"id\":\"{id}\",\"version\":\"{version}\",\"digest\":\"{digest}\",\"size\":1}}\n"
        )
    }

    fn versions(text: &str, id: &str) -> Vec<String> {
        let index = Index::read(text).unwrap();
        let lines = index.versions(id).map(|line| line.unwrap().1);
        lines.map(|line| line.version.to_string()).collect()
    }

    #[track_caller]
    fn check_refused(text: &str, line: usize, message: &str) {
        let index = Index::read(text);
        let error = match index {
            Err(error) => error,
            Ok(index) => index.versions("a").find_map(Result::err).unwrap(),
        };
        assert_eq!(error.line, line, "{error}");
        assert!(error.message.contains(message), "{error}");
    }

    #[test]
    fn lines_of_one_package_are_found_wherever_they_stand() {
        let text = [
            HEAD,
            &line("a", "1.0.0"),
            &line("b", "1.0.0"),
            "\n",
            &line("a", "2.0.0"),
        ];
        assert_eq!(versions(&text.concat(), "a"), ["1.0.0", "2.0.0"]);
        assert_eq!(versions(&text.concat(), "c"), [""; 0]);
        assert_eq!(Index::name(&text.concat()), Ok(Some("main".to_owned())));
    }

    #[test]
    fn a_name_need_not_come_first_and_may_be_escaped() {
        let other = line("b", "1.0.0").replace("\"id\":\"b\",", "");
        let last = other.replace('}', ",\"id\":\"a\"}");
        assert_eq!(versions(&format!("{HEAD}{last}"), "a"), ["1.0.0"]);
        let escaped = line("\\u0061", "1.0.0");
        assert_eq!(versions(&format!("{HEAD}{escaped}"), "a"), ["1.0.0"]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        check_refused("", 1, "an index begins with");
        check_refused(&line("a", "1.0.0"), 1, "an index begins with");
        check_refused("{\"schema\":\"attache.index/9\"}", 1, "attache.index/9");
        check_refused(&format!("{HEAD}\nnonsense"), 3, "expected");
        check_refused(&format!("{HEAD}{}", line("a", "1.0")), 2, "1.0");
        let typo = line("a", "1.0.0").replace("size", "sise");
        check_refused(&format!("{HEAD}{typo}"), 2, "unknown field `sise`");
        let twice = line("a", "1.0.0").replace("\"size\":1", "\"size\":1,\"size\":1");
        check_refused(&format!("{HEAD}{twice}"), 2, "duplicate field `size`");
    }

    #[test]
    fn a_document_reads_back_and_does_not_depend_on_the_order() {
        let text = [
            HEAD,
            &line("b", "1.0.0"),
            &line("a", "10.0.0"),
            &line("a", "9.0.0"),
        ]
        .concat();
        let index = Index::read(&text).unwrap();
        let lines = |ids: [&str; 2]| -> Vec<IndexLine<'_>> {
            let lines = ids.iter().flat_map(|id| index.versions(id));
            lines.map(|line| line.unwrap().1).collect()
        };
        let written = IndexLine::document(Some("main"), lines(["a", "b"])).unwrap();
        let again = IndexLine::document(Some("main"), lines(["b", "a"])).unwrap();
        assert_eq!(written, again);
        assert_eq!(versions(&written, "a"), ["9.0.0", "10.0.0"]);
    }
}
