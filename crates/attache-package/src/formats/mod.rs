//! The five dialects, one folder each, behind one table.
//!
//! [`FORMATS`] is the whole list: a sixth dialect is one folder and one line. What differs
//! between dialects leaves through two closed vocabularies, [`Manifest`] and
//! [`Launch`](crate::Launch). Two dialects claiming one package is an error, never first-match.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::build::{BuildError, BuildOptions, Draft};
use crate::convert::{Losses, Portable};
use crate::text::TextError;
use crate::{
    ArchiveError, Container, Defect, Diagnostics, Kind, Manifest, PackageName, Rule, Tree,
};

pub mod agentforge;
mod carry;
pub mod holon;
pub mod lexichord;
pub mod nanobot;
pub mod nexo;

/// Every dialect we speak.
pub static FORMATS: [&dyn Format; 5] = [
    &lexichord::Lexichord,
    &nexo::Nexo,
    &holon::Holon,
    &agentforge::AgentForge,
    &nanobot::Nanobot,
];

/// A dialect's name, as `--format` takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FormatName {
    /// `.lxpkg`, our native format.
    Lexichord,
    /// Python agents in a zip.
    Nexo,
    /// Sealed bundles for containers.
    Holon,
    /// Packs with a hash for every file.
    AgentForge,
    /// Agents, skills and tasks in Markdown.
    Nanobot,
}

impl FormatName {
    /// Returns the name as `--format` takes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lexichord => "lexichord",
            Self::Nexo => "nexo",
            Self::Holon => "holon",
            Self::AgentForge => "agentforge",
            Self::Nanobot => "nanobot",
        }
    }

    /// Returns the name as it stands in a sentence: `a holon`, `an agentforge`.
    pub fn with_article(self) -> &'static str {
        match self {
            Self::Lexichord => "a lexichord",
            Self::Nexo => "a nexo",
            Self::Holon => "a holon",
            Self::AgentForge => "an agentforge",
            Self::Nanobot => "a nanobot",
        }
    }

    /// Returns the dialect itself.
    pub fn format(self) -> &'static dyn Format {
        match FORMATS.iter().find(|f| f.name() == self) {
            Some(format) => *format,
            None => unreachable!("every name is in the table"),
        }
    }
}

impl fmt::Display for FormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for FormatName {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        FORMATS
            .iter()
            .map(|f| f.name())
            .find(|name| name.as_str() == given)
            .ok_or_else(|| {
                let names = FORMATS.map(|f| f.name().as_str()).join(", ");
                format!("`{given}` is no format; the formats are {names}")
            })
    }
}

/// Whether files are a source to build from, or a finished package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// A folder that someone edits. Hashes, locks and the like may be missing or stale.
    Source,
    /// What gets published. Everything must be there, and match.
    Packed,
}

/// A file that [`Format::scaffold`] or a conversion makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Where it goes, relative to the new folder.
    pub path: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it can be executed.
    pub executable: bool,
}

impl NewFile {
    /// Makes a plain text file.
    pub fn text(path: &'static str, text: impl Into<String>) -> Self {
        Self {
            path,
            bytes: text.into().into_bytes(),
            executable: false,
        }
    }
}

/// One dialect: how it is recognised, read, checked, written and begun.
pub trait Format: Sync {
    /// Returns its name.
    fn name(&self) -> FormatName;

    /// Returns every rule it checks besides [`fields::rules`](crate::fields::rules).
    fn rules(&self) -> &'static [&'static Rule];

    /// Returns the JSON Schema of its manifest.
    fn manifest_schema(&self) -> Value;

    /// Returns the schemas of the other documents that are its own, by name.
    fn extra_schemas(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// Returns the containers a package may come in, the usual one first. Folders always may.
    fn containers(&self) -> &'static [Container];

    /// Returns whether the tree looks like this dialect, from names at the root and `manifest`,
    /// which is the root `manifest.json` where that is a JSON object.
    fn claims(&self, tree: &Tree, manifest: Option<&serde_json::Map<String, Value>>) -> bool;

    /// Prepares an opened tree for reading; Nexo drops a single root folder here.
    fn prepare(&self, tree: Tree) -> Tree {
        tree
    }

    /// Returns what the tree says it is.
    ///
    /// A folder is a source, unless something in it claims to be finished: whoever ships an
    /// unpacked package must not have its hashes ignored.
    fn stage(&self, tree: &Tree) -> Stage {
        match tree.container() {
            Container::Folder => Stage::Source,
            _ => Stage::Packed,
        }
    }

    /// Reads and checks everything, reporting all problems at once.
    ///
    /// Returns the manifest when enough could be read to make one, even if there were errors.
    fn read(
        &self,
        tree: &Tree,
        stage: Stage,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Manifest>, ArchiveError>;

    /// Returns the files of a small agent that validates, builds and runs.
    fn scaffold(
        &self,
        id: &PackageName,
        created_at: &str,
    ) -> Result<Vec<NewFile>, crate::InvalidName>;

    /// Returns whether a source file goes into the package.
    fn includes(&self, _path: &crate::PackagePath, _options: &BuildOptions) -> bool {
        true
    }

    /// Returns the choice that the source's own manifest makes among its files, so that nothing
    /// is gathered only to be thrown away. [`finish`](Self::finish) holds to it, too.
    fn selection(&self, _tree: &Tree) -> Result<Selection, ArchiveError> {
        Ok(Box::new(|_| true))
    }

    /// Writes what only a finished package has (hashes, locks, creation time) into the draft.
    fn finish(&self, draft: &mut Draft, options: &BuildOptions) -> Result<(), BuildError>;

    /// Returns the file name people expect for this package.
    fn file_name(&self, manifest: &Manifest, container: Container) -> String;

    /// Returns the agent behind the package, in terms every dialect shares, recording what those
    /// terms cannot hold.
    fn export(
        &self,
        tree: &Tree,
        manifest: &Manifest,
        losses: &mut Losses,
    ) -> Result<Portable, ArchiveError>;

    /// Writes an agent in this dialect as a source folder, recording what it cannot hold.
    fn import(&self, agent: &Portable, losses: &mut Losses) -> Vec<ConvertedFile>;
}

/// Which files of a source its own manifest chooses.
pub type Selection = Box<dyn Fn(&crate::PackagePath) -> bool + Send + Sync>;

/// A file made by [`Format::import`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedFile {
    /// Where it goes, relative to the new folder.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it can be executed.
    pub executable: bool,
}

impl ConvertedFile {
    /// Makes a plain file.
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
            executable: false,
        }
    }
}

/// Why a tree is not a package of one dialect.
#[derive(Debug, thiserror::Error)]
pub enum DetectError {
    /// Nobody recognises it.
    #[error("this is no agent package of a format we know{}", because.as_ref().map(|b| format!(": {b}")).unwrap_or_default())]
    Unknown {
        /// What came closest.
        because: Option<String>,
    },
    /// Several dialects recognise it.
    #[error("this could be {}; a package has one format", names.iter().map(|n| n.as_str()).collect::<Vec<_>>().join(" or "))]
    Ambiguous {
        /// Who recognises it.
        names: Vec<FormatName>,
    },
    /// It could not be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl DetectError {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "ATT-FORMAT-UNKNOWN",
            Self::Ambiguous { .. } => "ATT-FORMAT-AMBIGUOUS",
            Self::Archive(error) => error.code(),
        }
    }
}

/// A tree and the one dialect that recognises it.
pub struct Package {
    /// The dialect.
    pub format: &'static dyn Format,
    /// The files, prepared as the dialect wants them.
    pub tree: Tree,
    /// Whether this is a source or says it is a finished package, which a folder may, too.
    pub stage: Stage,
    /// Whether the one root folder that everything lay in was dropped.
    pub flattened: bool,
}

impl Package {
    /// Finds the one dialect that recognises `tree`, or takes the one asked for.
    pub fn detect(tree: Tree, asked: Option<FormatName>) -> Result<Self, DetectError> {
        let format = match asked {
            Some(name) => name.format(),
            None => detect(&tree)?,
        };
        let root = tree.single_root();
        let tree = format.prepare(tree);
        let flattened = root != tree.single_root();
        let stage = format.stage(&tree);
        if format.name() != FormatName::Holon
            && let Some(link) = tree.entries().iter().find(|e| e.kind != Kind::File)
        {
            return Err(Defect::SymbolicLink.at(link.path.as_str()).into());
        }
        Ok(Self {
            format,
            tree,
            stage,
            flattened,
        })
    }

    /// Returns whether the files lie in a folder rather than an archive.
    pub fn is_folder(&self) -> bool {
        self.tree.container() == Container::Folder
    }

    /// Reads and checks the package, reporting all problems at once.
    pub fn read(&self, diagnostics: &mut Diagnostics) -> Result<Option<Manifest>, ArchiveError> {
        let usual = self.format.containers();
        if !self.is_folder() && !usual.contains(&self.tree.container()) {
            diagnostics.report(
                &rules::CONTAINER,
                self.tree.source().display().to_string(),
                format!(
                    "{} package does not come in this kind of archive",
                    self.format.name().with_article()
                ),
            );
        }
        self.format.read(&self.tree, self.stage, diagnostics)
    }
}

/// The rules that hold for every dialect.
pub mod rules {
    use crate::Rule;

    /// The archive is of another kind than the format allows.
    pub static CONTAINER: Rule = Rule::strict(
        "ATT-FORMAT-CONTAINER",
        "a package comes in a kind of archive its format allows",
    );

    /// All of them, for the reference page.
    pub static ALL: &[&Rule] = &[&CONTAINER];
}

fn detect(tree: &Tree) -> Result<&'static dyn Format, DetectError> {
    let mut broken: Option<TextError> = None;
    let manifest = match tree
        .read("manifest.json")?
        .as_deref()
        .map(crate::text::parse_json)
    {
        Some(Ok(Value::Object(fields))) => Some(fields),
        Some(Err(error)) => {
            broken = Some(error);
            None
        }
        _ => None,
    };
    let claimants: Vec<_> = FORMATS
        .into_iter()
        .filter(|f| f.claims(tree, manifest.as_ref()))
        .collect();
    match claimants.as_slice() {
        [one] => Ok(*one),
        [] => Err(DetectError::Unknown {
            because: broken.map(|e| format!("manifest.json: {e}")).or_else(|| {
                let root = ["manifest.json", "manifest.yaml"]
                    .iter()
                    .find(|m| tree.get(m).is_some());
                Some(match root {
                    Some(name) => {
                        format!("{name} has none of the fields that would tell its format")
                    }
                    None => {
                        "there is no manifest.json, manifest.yaml or .nanobot folder at its root"
                            .to_owned()
                    }
                })
            }),
        }),
        several => Err(DetectError::Ambiguous {
            names: several.iter().map(|f| f.name()).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_refused_where_nothing_can_be_signed_with_it() {
        let options = BuildOptions {
            hmac_key: Some(vec![7; 32]),
            ..BuildOptions::default()
        };
        for format in FORMATS {
            let mut draft = Draft::default();
            for file in format
                .scaffold(&"com.example.a".parse().unwrap(), "2026-01-31T12:00:00Z")
                .unwrap()
            {
                draft.put(file.path, file.bytes).unwrap();
            }
            match format.finish(&mut draft, &options) {
                Ok(()) => assert_eq!(format.name(), FormatName::AgentForge),
                Err(BuildError::Option { code, message }) => {
                    assert_eq!(code, "ATT-BUILD-HMAC");
                    assert!(
                        message.starts_with(format.name().with_article()),
                        "{message}"
                    );
                }
                Err(other) => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn an_article_fits_its_name() {
        for format in FORMATS {
            let name = format.name();
            let vowel = name.as_str().starts_with(['a', 'e', 'i', 'o', 'u']);
            let article = if vowel { "an" } else { "a" };
            assert_eq!(name.with_article(), format!("{article} {name}"));
        }
    }
}
