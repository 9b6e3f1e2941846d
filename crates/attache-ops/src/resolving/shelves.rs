//! Where versions come from: index files and folders of packages, on this machine.

use std::path::{Component, Path, PathBuf};

use attache_package::PackageName;
use attache_registry::wire::{Index, IndexLine, InvalidIndex};

use super::folder_index;
use crate::build::Warning;
use crate::workspace::{Config, Registry, check_name, name_for, read_text};
use crate::{App, Error, Kind};

/// The longest index that is read.
const LONGEST_INDEX: u64 = 1 << 30;

/// A place that packages come from, read into memory.
pub(crate) struct Shelf {
    /// Its name in the lock.
    pub(crate) name: String,
    /// The names that come from here only.
    pub(crate) namespaces: Vec<PackageName>,
    path: PathBuf,
    /// What its relative paths are relative to.
    base: PathBuf,
    text: String,
}

impl Shelf {
    /// Reads an index file, or makes one of a folder of packages.
    ///
    /// A package in a folder that is broken, or that has no version, is not there for a
    /// resolver; it is told as a warning.
    fn open(
        app: &App,
        path: &Path,
        wanted: Wanted,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, Error> {
        let is_folder = path.is_dir();
        let text = match is_folder {
            true if wanted == Wanted::Files => IndexLine::document(None, Vec::new())
                .map_err(|e| Error::new(Kind::Failed, "ATT-INDEX", e.to_string()))?,
            true => folder_index(app, path, ".", None, warnings)?,
            false => match read_text(path, LONGEST_INDEX, "ATT-INDEX")? {
                Some(text) => text,
                None => {
                    let message = format!("there is no index `{}`", path.display());
                    return Err(Error::new(Kind::NotFound, "ATT-INDEX", message).hint(WHAT_IT_IS));
                }
            },
        };
        let base = match is_folder {
            true => path,
            false => path.parent().unwrap_or(Path::new("")),
        };
        Ok(Self {
            name: String::new(),
            namespaces: Vec::new(),
            path: path.to_owned(),
            base: base.to_owned(),
            text,
        })
    }

    /// Finds the lines of each package.
    pub(crate) fn index(&self) -> Result<Index<'_>, Error> {
        Index::read(&self.text).map_err(|error| self.invalid(&error))
    }

    /// Returns the name that an index gives itself.
    fn own_name(&self) -> Result<Option<String>, Error> {
        let name = Index::name(&self.text).map_err(|error| self.invalid(&error))?;
        if let Some(Err(message)) = name.as_deref().map(check_name) {
            return Err(self.invalid(&InvalidIndex { line: 1, message }));
        }
        Ok(name)
    }

    pub(super) fn invalid(&self, error: &InvalidIndex) -> Error {
        let message = format!("`{}` {error}", self.path.display());
        Error::new(Kind::Failed, "ATT-INDEX", message)
            .hint("make the index anew with `attache index`, or ask whoever made it")
    }

    /// Returns where an archive is on this machine, if it is: a file of that size.
    pub(crate) fn file(&self, source: Option<&str>, size: u64) -> Option<PathBuf> {
        let source = source.filter(|source| !is_url(source))?;
        let file = self.base.join(source);
        let found = fs_err::metadata(&file).ok()?;
        (found.is_file() && found.len() == size).then_some(file)
    }
}

/// Says what is wrong with where an archive is said to be: it is a URL, or below the index.
pub(super) fn check_source(source: &str) -> Result<(), &'static str> {
    // Nearly all are a plain name, and there are a great many of them.
    if source
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-_+".contains(&b) || b == b'.')
        && !source.starts_with('.')
    {
        return Ok(());
    }
    let inside = |c| matches!(c, Component::Normal(_) | Component::CurDir);
    if source.contains(char::is_control) {
        Err("its source has a control character")
    } else if !is_url(source) && !Path::new(source).components().all(inside) {
        Err("its source leaves the folder of the index")
    } else {
        Ok(())
    }
}

fn is_url(source: &str) -> bool {
    source.contains("://")
}

/// What is wanted of a shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// What it lists.
    Index,
    /// Where the files are of something that is known already.
    Files,
}

/// A place as it was asked for: a path, or a name and a path.
pub(crate) struct Asked<'a> {
    name: Option<&'a str>,
    path: &'a Path,
}

impl<'a> Asked<'a> {
    /// Reads `PATH` or `NAME=PATH`. A path that is there is one, whatever is in its name.
    pub(crate) fn read(text: &'a str) -> Result<Self, Error> {
        let usage = |message: String| Error::new(Kind::Usage, "ATT-INDEX", message);
        let asked = match text.split_once('=') {
            Some((name, path)) if !Path::new(text).exists() => Self {
                name: Some(name),
                path: Path::new(path),
            },
            _ => Self {
                name: None,
                path: Path::new(text),
            },
        };
        if let Some(name) = asked.name {
            let hint = "name it as in --index NAME=PATH, or leave the name out";
            check_name(name).map_err(|m| usage(m).hint(hint))?;
        }
        refuse_url(&asked.path.to_string_lossy())?;
        if asked.path.as_os_str().is_empty() {
            return Err(usage("no path was given for an index".to_owned()).hint(WHAT_IT_IS));
        }
        Ok(asked)
    }
}

const WHAT_IT_IS: &str =
    "an index is a folder of packages, or a file that `attache index` made of one";

fn refuse_url(path: &str) -> Result<(), Error> {
    if !is_url(path) {
        return Ok(());
    }
    let message = format!("`{path}` is not on this machine");
    Err(Error::new(Kind::Usage, "ATT-INDEX", message).hint(WHAT_IT_IS))
}

/// Opens every place that versions come from: those that were asked for, then those that
/// `attache.toml` names.
///
/// One that was asked for stands in for a configured one only if it was given its name on the
/// command line: no file can take a registry's place, and with it its namespaces, by what it
/// says of itself or how it is called.
pub(crate) fn open_all(
    app: &App,
    indexes: &[String],
    folder: &Path,
    config: &Config,
    wanted: Wanted,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Shelf>, Error> {
    let mut shelves: Vec<Shelf> = Vec::new();
    for text in indexes {
        let asked = Asked::read(text)?;
        let mut shelf = Shelf::open(app, asked.path, wanted, warnings)?;
        shelf.name = match asked.name {
            Some(name) => name.to_owned(),
            None => shelf.own_name()?.unwrap_or_else(|| name_for(asked.path)),
        };
        let same = |r: &&Registry| r.name == shelf.name;
        match (config.registry.iter().find(same), asked.name) {
            (Some(configured), Some(_)) => {
                shelf.namespaces = configured.namespaces.clone();
                warnings.push(Warning {
                    code: "ATT-INDEX-INSTEAD".to_owned(),
                    message: format!(
                        "it stands in for the registry `{}` of attache.toml",
                        shelf.name
                    ),
                    path: asked.path.display().to_string(),
                });
            }
            (Some(_), None) => {
                let message = format!(
                    "the index `{}` is called `{}`, as a registry of attache.toml is",
                    asked.path.display(),
                    shelf.name
                );
                return Err(Error::new(Kind::Usage, "ATT-INDEX", message).hint(format!(
                    "give it another name, --index NAME={path}; or let it stand in for that \
                     registry, --index {name}={path}",
                    path = asked.path.display(),
                    name = shelf.name
                )));
            }
            (None, _) => {}
        }
        push(&mut shelves, shelf)?;
    }
    for configured in &config.registry {
        if shelves.iter().any(|s| s.name == configured.name) {
            continue;
        }
        refuse_url(&configured.index)?;
        let mut shelf = Shelf::open(app, &folder.join(&configured.index), wanted, warnings)?;
        shelf.name = configured.name.clone();
        shelf.namespaces = configured.namespaces.clone();
        push(&mut shelves, shelf)?;
    }
    if shelves.is_empty() {
        let message = "nothing says where packages come from";
        return Err(Error::new(Kind::Usage, "ATT-INDEX-NONE", message).hint(
            "give a folder of packages or an index file with --index, or name it in \
             attache.toml",
        ));
    }
    Ok(shelves)
}

fn push(shelves: &mut Vec<Shelf>, shelf: Shelf) -> Result<(), Error> {
    if shelves.iter().any(|s| s.name == shelf.name) {
        let message = format!("two indexes are called `{}`", shelf.name);
        return Err(
            Error::new(Kind::Usage, "ATT-INDEX", message).hint("name them: --index NAME=PATH")
        );
    }
    shelves.push(shelf);
    Ok(())
}
