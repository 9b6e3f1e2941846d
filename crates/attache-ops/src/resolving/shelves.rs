//! Where versions come from: index files and folders of packages, on this machine.

use std::path::{Path, PathBuf};

use attache_package::PackageName;
use attache_registry::wire::{Index, InvalidIndex};

use super::asked::Resolving;
use super::{folder_index, relative_to};
use crate::build::Warning;
use crate::workspace::{Registry, Workspace, check_name, name_for, read_text};
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
    pub(crate) fn open(app: &App, path: &Path, warnings: &mut Vec<Warning>) -> Result<Self, Error> {
        let is_folder = path.is_dir();
        let text = match is_folder {
            true => folder_index(app, path, ".", None, warnings)?,
            false => match read_text(path, LONGEST_INDEX, "ATT-INDEX")? {
                Some(text) => text,
                None => {
                    let message = format!("there is no index `{}`", path.display());
                    return Err(Error::new(Kind::NotFound, "ATT-INDEX", message).hint(
                        "an index is a folder of packages, or a file that `attache index` made \
                         of one",
                    ));
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
        Index::name(&self.text).map_err(|error| self.invalid(&error))
    }

    pub(super) fn invalid(&self, error: &InvalidIndex) -> Error {
        let message = format!("`{}` {error}", self.path.display());
        Error::new(Kind::Failed, "ATT-INDEX", message)
            .hint("make the index anew with `attache index`, or ask whoever made it")
    }

    /// Returns whether an archive is on this machine.
    pub(super) fn is_here(&self, source: Option<&str>) -> bool {
        source.is_some_and(|source| !is_url(source) && self.base.join(source).is_file())
    }
}

fn is_url(source: &str) -> bool {
    source.contains("://")
}

/// Opens every place that versions come from: those that were asked for, then those that
/// `attache.toml` names.
pub(super) fn open_all(
    app: &App,
    asked: &Resolving,
    workspace: &Workspace,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Shelf>, Error> {
    let mut shelves: Vec<Shelf> = Vec::new();
    for text in &asked.indexes {
        let (name, path) = match text.split_once('=') {
            Some((name, path)) => (Some(name), Path::new(path)),
            None => (None, Path::new(text)),
        };
        if let Some(name) = name {
            check_name(name).map_err(|m| Error::new(Kind::Usage, "ATT-INDEX", m))?;
        }
        if text.contains("://") {
            let message = format!("`{text}` is not on this machine");
            return Err(Error::new(Kind::Usage, "ATT-INDEX", message).hint(
                "an index is a folder of packages, or a file that `attache index` made of one",
            ));
        }
        let mut shelf = Shelf::open(app, path, warnings)?;
        let inside = shelf.own_name()?;
        if let Some(inside) = &inside {
            check_name(inside).map_err(|m| Error::new(Kind::Failed, "ATT-INDEX", m))?;
        }
        let relative = || name_for(&relative_to(&workspace.folder, path));
        shelf.name = name.map(str::to_owned).or(inside).unwrap_or_else(relative);
        // A place that `attache.toml` names may be somewhere else today.
        let same = |r: &&Registry| r.name == shelf.name;
        if let Some(configured) = workspace.config.registry.iter().find(same) {
            shelf.namespaces = configured.namespaces.clone();
        }
        if shelves.iter().any(|s| s.name == shelf.name) {
            let message = format!("two indexes are called `{}`", shelf.name);
            return Err(
                Error::new(Kind::Usage, "ATT-INDEX", message).hint("name them: --index NAME=PATH")
            );
        }
        shelves.push(shelf);
    }
    for configured in &workspace.config.registry {
        if shelves.iter().any(|s| s.name == configured.name) {
            continue;
        }
        let path = workspace.folder.join(&configured.index);
        let mut shelf = Shelf::open(app, &path, warnings)?;
        shelf.name = configured.name.clone();
        shelf.namespaces = configured.namespaces.clone();
        shelves.push(shelf);
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
