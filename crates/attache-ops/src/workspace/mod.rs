//! A workspace: the agents that are resolved together, and the one lock they share.
//!
//! A folder with an `attache.toml` is one; so is the folder of a single agent without it.

use std::path::{Component, Path, PathBuf};

use attache_package::formats::lexichord::{Locked as LockedInside, PackageLock};
use attache_package::{Manifest, PackageName};
use attache_resolve::{LockedEdge, LockedPackage, LockedRoot, Lockfile};
use fs_err as fs;

use crate::{App, Error, Kind};

pub(crate) use config::{
    CONFIG, Config, LooseRelease, OWN, PlatformText, Registry, check_name, name_for,
};

mod config;

/// One of these is in every agent's folder; a workspace without any is not looked through.
const MARKS: &[&str] = &["manifest.json", "manifest.yaml", ".nanobot"];

/// What is resolved together.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Where `attache.toml` and `attache.lock` are.
    pub(crate) folder: PathBuf,
    /// The same as people typed it, if they did.
    shown: PathBuf,
    /// What `attache.toml` says; nothing special if there is none.
    pub(crate) config: Config,
    /// Its agents, sorted by path.
    pub(crate) members: Vec<Member>,
    /// Whether it is a folder, which can hold a lock, or one package's archive.
    pub(crate) is_folder: bool,
    /// What is locked inside of that archive.
    pub(crate) package_lock: Option<Lockfile>,
    /// The agent whose folder was given, if that is not the workspace's.
    pub(crate) asked: Option<PackageName>,
}

/// One agent of a workspace.
#[derive(Debug)]
pub(crate) struct Member {
    /// Where it is, relative to the workspace.
    pub(crate) path: String,
    /// What it says of itself.
    pub(crate) manifest: Manifest,
}

impl Workspace {
    /// Finds the folder of the workspace that a folder is, or is a member of, and reads its
    /// configuration. The nearest one decides, as it does for git.
    pub(crate) fn find(folder: &Path) -> Result<(PathBuf, Option<Config>), Error> {
        for above in folder.ancestors() {
            let Some(config) = read_config(above)? else {
                continue;
            };
            let patterns = config.members.as_deref().unwrap_or_default();
            let mut members = members(above, patterns)?.into_iter();
            if above == folder || members.any(|member| above.join(&member.path) == folder) {
                return Ok((above.to_owned(), Some(config)));
            }
            break;
        }
        Ok((folder.to_owned(), None))
    }

    /// Opens the workspace at `path`, or the one above it that `path` is a member of.
    pub(crate) fn open(app: &App, path: &Path) -> Result<Self, Error> {
        let found = fs::canonicalize(path).map_err(|e| Error::io("open", path, &e))?;
        if found.is_file() {
            return Self::of_archive(app, path, found);
        }
        let (folder, config) = Self::find(&found)?;
        let has_config = config.is_some();
        let config = config.unwrap_or_default();
        let mut workspace = Self {
            members: Vec::new(),
            is_folder: true,
            package_lock: None,
            asked: None,
            shown: match folder == found {
                true => path.to_owned(),
                false => folder.clone(),
            },
            folder,
            config,
        };
        match workspace.config.members.take() {
            Some(patterns) => {
                for place in members(&workspace.folder, &patterns)? {
                    workspace.add(app, &place, place.by_name)?;
                }
                if workspace.members.is_empty() && !patterns.is_empty() {
                    let message = format!(
                        "`{}`: no agent is in {}",
                        workspace.folder.join(CONFIG).display(),
                        patterns.join(", ")
                    );
                    return Err(Error::new(Kind::Usage, "ATT-CONFIG", message)
                        .hint("name the folders of agents, or leave `members` out"));
                }
            }
            // Without a list it is one agent, or none if it only says what it wants.
            None if has_config
                && !MARKS
                    .iter()
                    .any(|mark| workspace.folder.join(mark).exists()) => {}
            None => {
                let here = Place {
                    path: ".".to_owned(),
                    by_name: !has_config,
                };
                workspace.add(app, &here, here.by_name)?;
            }
        }
        workspace.refuse_twins()?;
        let here = workspace.members.iter();
        let mut here = here.filter(|m| m.path != "." && workspace.folder.join(&m.path) == found);
        workspace.asked = here.next().map(|member| member.manifest.id.clone());
        Ok(workspace)
    }

    fn of_archive(app: &App, given: &Path, found: PathBuf) -> Result<Self, Error> {
        if found
            .file_name()
            .is_some_and(|n| n == CONFIG || n == Lockfile::NAME)
        {
            let message = format!("`{}` is not a package", given.display());
            return Err(
                Error::new(Kind::Usage, "ATT-WORKSPACE", message).hint("give the folder it is in")
            );
        }
        let (package, manifest) = app.open_valid(given, None, false).map_err(unreadable)?;
        let inside = PackageLock::of(&package.tree).map_err(|e| Error::archive(given, e))?;
        let name = found.file_name().unwrap_or_default();
        let member = Member {
            path: name.to_string_lossy().into_owned(),
            manifest,
        };
        Ok(Self {
            package_lock: inside.and_then(|lock| held_inside(lock, &member)),
            asked: None,
            members: vec![member],
            folder: found.parent().unwrap_or(&found).to_owned(),
            shown: given.to_owned(),
            config: Config::default(),
            is_folder: false,
        })
    }

    /// Reads one member. A folder that was not named, and is no package, is passed over.
    fn add(&mut self, app: &App, place: &Place, must_be: bool) -> Result<(), Error> {
        let folder = self.folder.join(&place.path);
        match app.open_valid(&folder, None, false) {
            Ok((_, manifest)) => {
                self.members.push(Member {
                    path: place.path.clone(),
                    manifest,
                });
                Ok(())
            }
            Err(error) if !must_be && error.code == "ATT-FORMAT-UNKNOWN" => Ok(()),
            Err(error) if error.code == "ATT-FORMAT-UNKNOWN" => Err(error
                .hint("give the folder of an agent, or of a workspace: one with an attache.toml")),
            Err(error) => Err(unreadable(error)),
        }
    }

    fn refuse_twins(&self) -> Result<(), Error> {
        let mut seen = std::collections::BTreeMap::<&PackageName, &str>::new();
        for member in &self.members {
            if let Some(first) = seen.insert(&member.manifest.id, &member.path) {
                let message = format!(
                    "`{first}` and `{}` are both called `{}`",
                    member.path, member.manifest.id
                );
                return Err(Error::new(Kind::Failed, "ATT-WORKSPACE", message)
                    .hint("give one of them another id, or take it out of `members`"));
            }
        }
        Ok(())
    }

    /// Returns where the lock is, as people typed it.
    pub(crate) fn lock_path(&self) -> PathBuf {
        let name = Lockfile::NAME;
        match self.shown == Path::new(".") {
            true => PathBuf::from(name),
            false => self.shown.join(name),
        }
    }

    /// Returns who asks for what, as the lock has it, sorted by name.
    pub(crate) fn roots(&self) -> Vec<LockedRoot> {
        let mut roots = Vec::new();
        if !self.config.dependencies.is_empty() {
            let edges = |optional: bool| -> Vec<LockedEdge> {
                let wishes = self.config.dependencies.iter();
                let these = wishes.filter(|(_, wish)| wish.optional == optional);
                these
                    .map(|(id, wish)| LockedEdge {
                        id: id.clone(),
                        range: wish.range.clone(),
                    })
                    .collect()
            };
            roots.push(LockedRoot {
                id: None,
                path: ".".to_owned(),
                dependencies: edges(false),
                optional: edges(true),
            });
        }
        roots.extend(self.members.iter().map(Member::root));
        roots.sort_by(|a, b| a.id.cmp(&b.id));
        roots
    }
}

impl Member {
    /// Returns what it asks for, as the lock has it.
    pub(crate) fn root(&self) -> LockedRoot {
        let edges = |optional: bool| -> Vec<LockedEdge> {
            let all = self.manifest.dependencies.iter();
            let these = all.filter(|d| d.optional == optional);
            let mut edges: Vec<LockedEdge> = these
                .map(|d| LockedEdge {
                    id: d.id.clone(),
                    range: d.range.clone(),
                })
                .collect();
            edges.sort_by(|a, b| a.id.cmp(&b.id));
            edges
        };
        LockedRoot {
            id: Some(self.manifest.id.clone()),
            path: self.path.clone(),
            dependencies: edges(false),
            optional: edges(true),
        }
    }
}

/// Says of an agent that is not valid what to do about it here.
fn unreadable(error: Error) -> Error {
    if error.code != "ATT-INVALID" {
        return error;
    }
    let message = error.message.replace("; nothing was written", "");
    Error { message, ..error }.hint("`attache validate` says everything that is wrong with it")
}

/// Returns what is locked inside of a package, in the form of a lock; nothing if it leaves that
/// to whoever installs it.
fn held_inside(lock: PackageLock, member: &Member) -> Option<Lockfile> {
    if lock.packages.is_empty() && !member.manifest.dependencies.is_empty() {
        return None;
    }
    let bound = lock.packages.iter();
    let bound = bound.filter_map(|p| Some((p.namespace.clone()?, p.registry.clone())));
    Some(Lockfile {
        namespaces: bound.collect(),
        overrides: lock.overrides,
        roots: vec![member.root()],
        packages: lock.packages.into_iter().map(locked_inside).collect(),
        ..Lockfile::default()
    })
}

fn locked_inside(package: LockedInside) -> LockedPackage {
    let edges = package.dependencies.into_iter();
    LockedPackage {
        id: package.id,
        version: package.version,
        registry: package.registry,
        namespace: package.namespace,
        source: package.carried.or(package.source),
        digest: package.digest,
        size: package.size,
        dependencies: edges.map(|(id, range)| LockedEdge { id, range }).collect(),
        optional: Vec::new(),
        needs: Vec::new(),
    }
}

/// The longest `attache.toml` that is read.
const LONGEST_CONFIG: u64 = 1 << 20;

/// Reads `attache.toml`, if there is one.
pub(crate) fn read_config(folder: &Path) -> Result<Option<Config>, Error> {
    let path = folder.join(CONFIG);
    let Some(text) = read_text(&path, LONGEST_CONFIG, "ATT-CONFIG")? else {
        return Ok(None);
    };
    Config::read(&path, &text).map(Some)
}

/// Reads a text of ours, if it is there: a file, in UTF-8, of bounded length.
pub(crate) fn read_text(path: &Path, longest: u64, code: &str) -> Result<Option<String>, Error> {
    let refused = |reason: &str| {
        let message = format!("`{}` {reason}", path.display());
        Err(Error::new(Kind::Failed, code, message))
    };
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io("read", path, &e)),
    };
    if !metadata.is_file() {
        return refused("is not a file");
    }
    if metadata.len() > longest {
        return refused(&format!("is longer than {longest} bytes"));
    }
    let bytes = fs::read(path).map_err(|e| Error::io("read", path, &e))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|b| **b == b'\n').count() + 1;
            refused(&format!("line {line} is not UTF-8 text"))
        }
    }
}

/// A folder that may be a member.
struct Place {
    path: String,
    /// Whether `members` names it, so that it must be one.
    by_name: bool,
}

/// Returns the folders that the patterns name, sorted, each once.
fn members(folder: &Path, patterns: &[String]) -> Result<Vec<Place>, Error> {
    let mut places: Vec<Place> = Vec::new();
    for pattern in patterns {
        let (base, all) = match pattern.strip_suffix("/*") {
            Some(base) => (base, true),
            None if pattern == "*" => (".", true),
            None => (pattern.as_str(), false),
        };
        let inside = Path::new(base)
            .components()
            .all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if base.is_empty() || base.contains(['*', '\\']) || !inside {
            let message = format!(
                "`{}`: the member `{pattern}` is not a folder below it",
                folder.join(CONFIG).display()
            );
            return Err(Error::new(Kind::Usage, "ATT-CONFIG", message).hint(
                "a member is a folder such as `agents/writer`, or `agents/*` for each in it",
            ));
        }
        let base = relative(base);
        if !all {
            places.push(Place {
                path: base,
                by_name: true,
            });
            continue;
        }
        let list = folder.join(&base);
        let entries = fs::read_dir(&list).map_err(|e| Error::io("read", &list, &e))?;
        for entry in entries {
            let entry = entry.map_err(|e| Error::io("read", &list, &e))?;
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
                continue;
            };
            if entry.path().is_dir() {
                let path = if base == "." {
                    name.to_owned()
                } else {
                    format!("{base}/{name}")
                };
                places.push(Place {
                    path,
                    by_name: false,
                });
            }
        }
    }
    for place in &places {
        let inside = fs::canonicalize(folder.join(&place.path));
        if inside.is_ok_and(|real| !real.starts_with(folder)) {
            let message = format!(
                "`{}`: the member `{}` is a link out of the workspace",
                folder.join(CONFIG).display(),
                place.path
            );
            return Err(Error::new(Kind::Usage, "ATT-CONFIG", message)
                .hint("a member lies below attache.toml; move it there, or leave it out"));
        }
    }
    places.sort_by(|a, b| a.path.cmp(&b.path).then(b.by_name.cmp(&a.by_name)));
    places.dedup_by(|b, a| a.path == b.path);
    Ok(places)
}

/// Writes a relative path in one way.
fn relative(path: &str) -> String {
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    match parts.is_empty() {
        true => ".".to_owned(),
        false => parts.join("/"),
    }
}
