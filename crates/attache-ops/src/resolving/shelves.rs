//! Where versions come from: index files and folders of packages, on this machine.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use attache_package::{PackageName, Requirement};
use attache_registry::wire::{Index, IndexLine, InvalidIndex};
use attache_resolve::{Artifact, Edge, Entry, HostNeed, Lockfile, RegistryId, UniverseBuilder};
use fs_err as fs;
use rayon::prelude::*;

use crate::build::Warning;
use crate::inspect::digest_of;
use crate::workspace::read_text;
use crate::{App, Error, Kind};

/// The longest index that is read.
const LONGEST_INDEX: u64 = 1 << 30;

/// How deep a folder of packages may be nested, and how many files it may hold.
const DEEPEST: usize = 8;
const MOST_FILES: usize = 100_000;

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

    fn invalid(&self, error: &InvalidIndex) -> Error {
        let message = format!("`{}` {error}", self.path.display());
        Error::new(Kind::Failed, "ATT-INDEX", message)
            .hint("make the index anew with `attache index`, or ask whoever made it")
    }

    /// Returns whether an archive is on this machine.
    fn is_here(&self, source: Option<&str>) -> bool {
        source.is_some_and(|source| !is_url(source) && self.base.join(source).is_file())
    }
}

fn is_url(source: &str) -> bool {
    source.contains("://")
}

/// An artifact that an index lists and this machine does not have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Absent {
    pub(crate) id: PackageName,
    pub(crate) version: attache_package::Release,
    pub(crate) source: Option<String>,
}

/// Moves from the shelves to a universe whatever some names can lead to.
pub(crate) struct Loader<'a> {
    shelves: &'a [Shelf],
    indexes: &'a [Index<'a>],
    numbers: Vec<RegistryId>,
    /// With `--offline`, only what is here counts, and what the lock holds already.
    offline: bool,
    locked: Option<&'a Lockfile>,
    /// The workspace's own packages, which never come from elsewhere.
    own: &'a HashSet<String>,
    seen: HashSet<String>,
    pub(crate) absent: Vec<Absent>,
    /// Whether something was asked for that no shelf has.
    unknown: bool,
    /// Whether something leads to a package of the workspace.
    pub(crate) meets_own: bool,
}

impl<'a> Loader<'a> {
    pub(crate) fn new(
        shelves: &'a [Shelf],
        indexes: &'a [Index<'a>],
        builder: &mut UniverseBuilder,
        own: &'a HashSet<String>,
    ) -> Self {
        let numbers: Vec<RegistryId> = shelves.iter().map(|s| builder.registry(&s.name)).collect();
        for (shelf, number) in shelves.iter().zip(&numbers) {
            for namespace in &shelf.namespaces {
                builder.bind(namespace.clone(), *number);
            }
        }
        Self {
            shelves,
            indexes,
            numbers,
            offline: false,
            locked: None,
            own,
            seen: HashSet::new(),
            absent: Vec::new(),
            unknown: false,
            meets_own: false,
        }
    }

    /// Takes only what is on this machine, and what the lock holds.
    pub(crate) fn offline(mut self, locked: Option<&'a Lockfile>) -> Self {
        self.offline = true;
        self.locked = locked;
        self
    }

    /// Loads some names and all that they can lead to.
    ///
    /// If one of them is nowhere, everything is loaded, so that a name that looks like it can
    /// be found.
    pub(crate) fn load(
        &mut self,
        names: Vec<String>,
        builder: &mut UniverseBuilder,
    ) -> Result<(), Error> {
        self.follow(names, builder)?;
        if self.unknown {
            let all = self.indexes.iter().flat_map(Index::names);
            let mut all: Vec<String> = all.map(str::to_owned).collect();
            all.sort_unstable();
            self.follow(all, builder)?;
        }
        Ok(())
    }

    fn follow(
        &mut self,
        mut todo: Vec<String>,
        builder: &mut UniverseBuilder,
    ) -> Result<(), Error> {
        while let Some(id) = todo.pop() {
            if self.seen.contains(&id) {
                continue;
            }
            if self.own.contains(&id) {
                self.meets_own = true;
                continue;
            }
            let mut found = false;
            for at in 0..self.shelves.len() {
                let indexes = self.indexes;
                for line in indexes[at].versions(&id) {
                    let (number, line) = line.map_err(|error| self.shelves[at].invalid(&error))?;
                    found = true;
                    todo.extend(line.dependencies.iter().map(|d| d.id.to_string()));
                    self.add(at, number, line, builder)?;
                }
            }
            self.unknown |= !found;
            self.seen.insert(id);
        }
        Ok(())
    }

    fn add(
        &mut self,
        at: usize,
        number: usize,
        line: IndexLine<'_>,
        builder: &mut UniverseBuilder,
    ) -> Result<(), Error> {
        let shelf = &self.shelves[at];
        let invalid = |message: String| {
            shelf.invalid(&InvalidIndex {
                line: number,
                message,
            })
        };
        let package = builder
            .package(&line.id)
            .map_err(|e| invalid(e.to_string()))?;
        if self.offline && !shelf.is_here(line.source.as_deref()) {
            let id: PackageName = line.id.parse().map_err(|e| invalid(format!("{e}")))?;
            let locked = self.locked.and_then(|lock| lock.get(&id));
            let is_locked = locked.is_some_and(|l| l.version == line.version);
            self.absent.push(Absent {
                id,
                version: line.version.clone(),
                source: line.source.as_ref().map(ToString::to_string),
            });
            if !is_locked {
                return Ok(());
            }
        }
        let mut dependencies = Vec::with_capacity(line.dependencies.len());
        for dependency in &line.dependencies {
            dependencies.push(Edge {
                package: builder
                    .package(&dependency.id)
                    .map_err(|e| invalid(e.to_string()))?,
                range: builder
                    .range(&dependency.range)
                    .map_err(|e| invalid(e.to_string()))?,
                optional: dependency.optional,
            });
        }
        let mut needs = Vec::with_capacity(line.requirements.len());
        for requirement in line.requirements {
            let requirement = Requirement::from(requirement);
            let need = HostNeed::try_from(&requirement).map_err(|e| invalid(e.to_string()))?;
            needs.push(builder.need(need));
        }
        let artifact = Artifact {
            registry: self.numbers[at],
            digest: Some(line.digest),
            size: line.size,
            url: line.source.map(Cow::into_owned),
            yanked: line.yanked,
        };
        let entry = Entry {
            dependencies,
            needs,
            artifact,
        };
        builder.add(package, line.version, entry);
        Ok(())
    }
}

/// Makes an index of the packages in a folder and the folders in it; `prefix` is the way to the
/// folder from where the index will be.
pub(crate) fn folder_index(
    app: &App,
    folder: &Path,
    prefix: &str,
    registry: Option<&str>,
    warnings: &mut Vec<Warning>,
) -> Result<String, Error> {
    let mut files = Vec::new();
    find_packages(folder, "", 0, &mut files)?;
    files.sort();
    let read: Vec<Result<IndexLine<'static>, Warning>> = files
        .par_iter()
        .map(|name| {
            let source = match prefix {
                "." => name.clone(),
                prefix => format!("{prefix}/{name}"),
            };
            describe(app, &folder.join(name), source).map_err(|error| Warning {
                code: error.code.clone(),
                message: match error.problems.first() {
                    Some(problem) => format!("{error}: {}: {}", problem.path, problem.message),
                    None => error.to_string(),
                },
                path: name.clone(),
            })
        })
        .collect();
    let mut lines = Vec::with_capacity(read.len());
    for one in read {
        match one {
            Ok(line) => lines.push(line),
            Err(warning) => warnings.push(warning),
        }
    }
    refuse_twins(folder, &lines)?;
    IndexLine::document(registry, lines).map_err(|error| {
        let message = format!("`{}`: {error}", folder.display());
        Error::new(Kind::Failed, "ATT-INDEX", message)
    })
}

/// Refuses two files for one version, since nothing says which of them is meant.
fn refuse_twins(folder: &Path, lines: &[IndexLine<'_>]) -> Result<(), Error> {
    let mut sorted: Vec<&IndexLine<'_>> = lines.iter().collect();
    sorted.sort_by(|a, b| (&a.id, &a.version).cmp(&(&b.id, &b.version)));
    let same = |pair: &&[&IndexLine<'_>]| {
        (&pair[0].id, &pair[0].version) == (&pair[1].id, &pair[1].version)
    };
    let Some(pair) = sorted.windows(2).find(same) else {
        return Ok(());
    };
    let source = |line: &IndexLine<'_>| line.source.as_deref().unwrap_or_default().to_owned();
    let message = format!(
        "`{}` has {} {} twice: `{}` and `{}`",
        folder.display(),
        pair[0].id,
        pair[0].version,
        source(pair[0]),
        source(pair[1])
    );
    Err(Error::new(Kind::Failed, "ATT-INDEX", message).hint("keep one of them"))
}

fn describe(app: &App, path: &Path, source: String) -> Result<IndexLine<'static>, Error> {
    let (_, manifest) = app.open_valid(path, None, false)?;
    let Some(version) = manifest.version.clone() else {
        let message = "it has no version, so no range can ask for it";
        return Err(Error::new(Kind::Failed, "ATT-INDEX-VERSION", message));
    };
    let (digest, size) = digest_of(path)?;
    let mut line = IndexLine::of(&manifest, version, digest, size);
    line.source = Some(source.into());
    Ok(line)
}

/// The ends of the names that packages have.
const ENDS: &[&str] = &[".lxpkg", ".zip", ".tar.gz", ".tgz", ".tar.zst"];

fn find_packages(
    folder: &Path,
    inside: &str,
    depth: usize,
    files: &mut Vec<String>,
) -> Result<(), Error> {
    let here = folder.join(inside);
    let entries = fs::read_dir(&here).map_err(|e| Error::io("read", &here, &e))?;
    for entry in entries {
        let entry = entry.map_err(|e| Error::io("read", &here, &e))?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
            continue;
        };
        let path = match inside {
            "" => name.to_owned(),
            inside => format!("{inside}/{name}"),
        };
        // A link is not followed into a folder, so that no circle of them can hold us.
        let kind = entry
            .file_type()
            .map_err(|e| Error::io("read", &entry.path(), &e))?;
        if kind.is_dir() && depth < DEEPEST {
            find_packages(folder, &path, depth + 1, files)?;
        } else if !kind.is_dir() && ENDS.iter().any(|end| name.ends_with(end)) {
            files.push(path);
        }
        if files.len() > MOST_FILES {
            let message = format!("`{}` has more than {MOST_FILES} packages", folder.display());
            return Err(
                Error::new(Kind::Failed, "ATT-INDEX", message).hint("make an index of it in parts")
            );
        }
    }
    Ok(())
}
