//! The lockfile: which versions were chosen, and from where, as a text that people commit.
//!
//! The one idea: **a lock has one text.** Everything is sorted, one item stands on a line, and
//! nothing depends on the clock, so the same answer gives the same bytes and a change touches
//! only the lines it must. The reader is looser than the writer, because merges shuffle lines:
//! it takes any order, and refuses whatever is damaged or contradicts itself, naming the line.
//!
//! The text is a small part of TOML, which [`lines`] takes apart; [`read`] makes a lock of it,
//! [`check`] asks whether that agrees with itself, and [`mod@write`] is the way back.

use std::collections::BTreeMap;

use attache_package::{Digest, PackageName, Platform, Range, Release};

use crate::host::HostNeed;
use crate::request::Strategy;
use lines::Tables;

mod check;
mod lines;
mod quotes;
mod read;
mod values;
mod write;

/// What `attache.lock` holds: the question that was asked, and the answer.
///
/// One that was read is sorted and agrees with itself: every required dependency is there, in a
/// version that its dependents or an override ask for, from the registry its namespace names.
/// Writing sorts as well, so that the text is the same however a lock came together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lockfile {
    /// Which of several versions that fit was taken.
    pub strategy: Strategy,
    /// The registries that namespaces are bound to, by name.
    pub namespaces: BTreeMap<PackageName, String>,
    /// Ranges that replaced whatever anyone requires of a package.
    pub overrides: BTreeMap<PackageName, Range>,
    /// The machine the answer was made for; nothing if it did not matter.
    pub host: Option<LockedHost>,
    /// Who asked, sorted by name; the one without a name first.
    pub roots: Vec<LockedRoot>,
    /// The packages that were chosen, sorted by name.
    pub packages: Vec<LockedPackage>,
}

/// What was stated of the machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LockedHost {
    /// The operating system, processor and C library.
    pub platform: Option<Platform>,
    /// Host programs and their versions.
    pub engines: BTreeMap<String, Release>,
    /// Language runtimes and their versions.
    pub runtimes: BTreeMap<String, Release>,
}

/// A package or workspace that asked.
#[derive(Debug, Clone, PartialEq)]
pub struct LockedRoot {
    /// Its name; nothing for the workspace's own wishes.
    pub id: Option<PackageName>,
    /// Where it is, relative to the lockfile, with `/` on every system.
    pub path: String,
    /// What it requires, sorted by name.
    pub dependencies: Vec<LockedEdge>,
    /// Every optional dependency it declares, taken or not, sorted by name.
    pub optional: Vec<LockedEdge>,
}

/// That something depends on a package.
#[derive(Debug, Clone, PartialEq)]
pub struct LockedEdge {
    /// The package that is needed.
    pub id: PackageName,
    /// The versions that will do, as the dependent wrote it.
    pub range: Range,
}

/// A package, the version that was chosen, and where its bytes are.
#[derive(Debug, Clone, PartialEq)]
pub struct LockedPackage {
    /// Its name.
    pub id: PackageName,
    /// Its version.
    pub version: Release,
    /// The registry it comes from.
    pub registry: String,
    /// The namespace that binds it to that registry, if one does.
    pub namespace: Option<PackageName>,
    /// A path relative to the registry's index, or a URL.
    pub source: Option<String>,
    /// The digest of its bytes.
    pub digest: Digest,
    /// Its size in bytes.
    pub size: u64,
    /// What it requires, sorted by name.
    pub dependencies: Vec<LockedEdge>,
    /// The optional dependencies that were taken, sorted by name.
    pub optional: Vec<LockedEdge>,
    /// What it needs of the host, sorted as written.
    pub needs: Vec<HostNeed>,
}

impl Lockfile {
    /// The name of the file.
    pub const NAME: &'static str = "attache.lock";

    /// Reads a lock, or says which line is at fault.
    pub fn parse(text: &str) -> Result<Self, InvalidLock> {
        match Self::parse_anyway(text)? {
            (lock, None) => Ok(lock),
            (_, Some(contradiction)) => Err(contradiction),
        }
    }

    /// Reads a lock even if it contradicts itself, as it may after two changes were merged, and
    /// says where it does. What it holds is then good for nothing but to start anew from.
    pub fn parse_anyway(text: &str) -> Result<(Self, Option<InvalidLock>), InvalidLock> {
        // No line of a lock can look like a merge marker, so looking for one can wait until
        // something is wrong.
        read::read(text).map_err(|error| lines::merge_marker(text).unwrap_or(error))
    }

    /// Says what of it could not be read again, if anything: what comes from an index can be more
    /// than a lock can hold. `text` is how it is written.
    pub fn unwritable(&self, text: &str) -> Option<String> {
        let odd = |text: &str| text.contains(char::is_control);
        if text.len() > lines::MOST_BYTES || text.lines().count() > lines::MOST_LINES {
            return Some("it would be longer than a lock can be".to_owned());
        }
        let names = self.namespaces.values();
        let paths = self.roots.iter().map(|root| &root.path);
        if let Some(odd) = names.chain(paths).find(|text| odd(text)) {
            return Some(format!("`{}` has a control character", odd.escape_debug()));
        }
        let is_bad = |package: &&LockedPackage| {
            odd(&package.registry)
                || package.source.as_deref().is_some_and(odd)
                || i64::try_from(package.size).is_err()
        };
        let bad = self.packages.iter().find(is_bad)?;
        Some(format!(
            "the size, registry or source of `{}` cannot be written",
            bad.id
        ))
    }

    /// Returns what is locked for a package. The packages have to be sorted.
    pub fn get(&self, id: &PackageName) -> Option<&LockedPackage> {
        let found = self.packages.binary_search_by(|package| package.id.cmp(id));
        found.ok().map(|at| &self.packages[at])
    }

    /// Returns the line on which a field of a package stands, for faults that are found later,
    /// such as bytes that do not have the digest.
    pub fn line_of(text: &str, id: &PackageName, field: &str) -> Option<usize> {
        Some(Tables::package(text, id)?.field(field)?.line)
    }
}

/// Why a text is not a lock.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct InvalidLock {
    /// The line that is at fault, counted from one.
    pub line: usize,
    /// The stable code, which never gets a second meaning.
    pub code: &'static str,
    /// What is wrong with the line.
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
}

/// The kinds of fault, in the order of [`InvalidLock::CODES`].
#[derive(Debug, Clone, Copy)]
enum Fault {
    Merge,
    Version,
    Syntax,
    Value,
    Twice,
    Missing,
    Broken,
}

impl InvalidLock {
    /// Every code and what it means, for the page that lists them all.
    pub const CODES: [(&'static str, &'static str); 7] = [
        (
            "ATT-LOCK-MERGE",
            "the lockfile has the marks of a merge that is not settled",
        ),
        (
            "ATT-LOCK-VERSION",
            "the lockfile has a form that this version of attache does not know",
        ),
        (
            "ATT-LOCK-SYNTAX",
            "the lockfile has a line that has no place there",
        ),
        (
            "ATT-LOCK-VALUE",
            "a name, version, range or other value in the lockfile cannot be read",
        ),
        (
            "ATT-LOCK-TWICE",
            "something is in the lockfile twice that can be there once",
        ),
        ("ATT-LOCK-MISSING", "the lockfile lacks a field"),
        ("ATT-LOCK-BROKEN", "the lockfile contradicts itself"),
    ];

    fn new(line: usize, fault: Fault, message: impl Into<String>) -> Self {
        const ANEW: &str = "take the line back to how it was; or remove the lock, and `attache \
                            lock` chooses every version anew";
        Self {
            line,
            code: Self::CODES[fault as usize].0,
            message: message.into(),
            hint: match fault {
                Fault::Merge => "settle the merge: keep either side and run `attache lock`",
                Fault::Version => "use the version of attache that wrote it, or a newer one",
                Fault::Twice => "keep one of the two, then run `attache lock`",
                Fault::Broken => "run `attache lock`, which keeps every version that still fits",
                Fault::Syntax | Fault::Value | Fault::Missing => ANEW,
            },
        }
    }
}
