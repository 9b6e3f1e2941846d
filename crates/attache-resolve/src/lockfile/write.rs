//! Writes a lock in its one form.

use std::borrow::Cow;
use std::fmt::{self, Display, Write};

use attache_package::{PackageName, Platform};

use super::lines::VERSION;
use super::quotes::is_odd;
use super::{LockedEdge, LockedHost, LockedPackage, LockedRoot, Lockfile};
use crate::host::HostNeed;
use crate::request::Strategy;

const OPENING: &str = "# Which versions were chosen, and from where. \
                       Written by `attache lock`; commit it, do not edit it.\n";

impl Display for Lockfile {
    /// Writes the whole text, sorted, up to the last newline.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(OPENING)?;
        writeln!(f, "version = {VERSION}")?;
        if self.strategy == Strategy::Lowest {
            field(f, "strategy", "lowest")?;
        }
        if !self.namespaces.is_empty() {
            f.write_str("\n[namespaces]\n")?;
            for (name, registry) in &self.namespaces {
                field(f, &key(name), registry)?;
            }
        }
        if !self.overrides.is_empty() {
            f.write_str("\n[overrides]\n")?;
            for (name, range) in &self.overrides {
                field(f, &key(name), range)?;
            }
        }
        if let Some(host) = &self.host {
            write_host(f, host)?;
        }
        for root in sorted(&self.roots, |root| &root.id).iter() {
            write_root(f, root)?;
        }
        for package in sorted(&self.packages, |package| &package.id).iter() {
            write_package(f, package)?;
        }
        Ok(())
    }
}

/// Returns the items in order, which they usually are already.
fn sorted<T: Clone, K: Ord>(items: &[T], key: impl Fn(&T) -> &K) -> Cow<'_, [T]> {
    if items.is_sorted_by(|a, b| key(a) <= key(b)) {
        return Cow::Borrowed(items);
    }
    let mut items = items.to_vec();
    items.sort_by(|a, b| key(a).cmp(key(b)));
    Cow::Owned(items)
}

fn write_host(f: &mut fmt::Formatter<'_>, host: &LockedHost) -> fmt::Result {
    if *host == LockedHost::default() {
        return Ok(());
    }
    f.write_str("\n[host]\n")?;
    if let Some(Platform { os, arch, libc }) = &host.platform {
        let libc = libc.as_deref();
        field(f, "platform", PlatformText { os, arch, libc })?;
    }
    for (key, versions) in [("engines", &host.engines), ("runtimes", &host.runtimes)] {
        let items = versions.iter();
        list(
            f,
            key,
            items.map(|(name, version)| Words("", name, Some(version))),
        )?;
    }
    Ok(())
}

fn write_root(f: &mut fmt::Formatter<'_>, root: &LockedRoot) -> fmt::Result {
    f.write_str("\n[[root]]\n")?;
    if let Some(id) = &root.id {
        field(f, "id", id)?;
    }
    field(f, "path", &root.path)?;
    write_edges(f, "dependencies", &root.dependencies)?;
    write_edges(f, "optional", &root.optional)
}

fn write_package(f: &mut fmt::Formatter<'_>, package: &LockedPackage) -> fmt::Result {
    f.write_str("\n[[package]]\n")?;
    field(f, "id", &package.id)?;
    field(f, "version", &package.version)?;
    field(f, "registry", &package.registry)?;
    if let Some(namespace) = &package.namespace {
        field(f, "namespace", namespace)?;
    }
    if let Some(source) = &package.source {
        field(f, "source", source)?;
    }
    field(f, "digest", package.digest)?;
    writeln!(f, "size = {}", package.size)?;
    write_edges(f, "dependencies", &package.dependencies)?;
    write_edges(f, "optional", &package.optional)?;
    let mut needs: Vec<String> = package.needs.iter().map(need_text).collect();
    needs.sort();
    list(f, "needs", needs.iter())
}

fn write_edges(f: &mut fmt::Formatter<'_>, key: &str, edges: &[LockedEdge]) -> fmt::Result {
    list(f, key, sorted(edges, |edge| &edge.id).iter())
}

impl Display for LockedEdge {
    /// Writes the name, one space and the range.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id.as_str())?;
        f.write_char(' ')?;
        self.range.fmt(f)
    }
}

/// Writes `key = "value"`.
fn field(f: &mut fmt::Formatter<'_>, key: &str, value: impl Display) -> fmt::Result {
    f.write_str(key)?;
    f.write_str(" = \"")?;
    write!(Escaped(f), "{value}")?;
    f.write_str("\"\n")
}

/// Writes a list, one item on a line, unless it is empty.
fn list(
    f: &mut fmt::Formatter<'_>,
    key: &str,
    items: impl ExactSizeIterator<Item: Display>,
) -> fmt::Result {
    if items.len() == 0 {
        return Ok(());
    }
    f.write_str(key)?;
    f.write_str(" = [\n")?;
    for item in items {
        f.write_str("    \"")?;
        write!(Escaped(f), "{item}")?;
        f.write_str("\",\n")?;
    }
    f.write_str("]\n")
}

/// Returns what the lock says of a need. Needs are sorted by it.
pub(super) fn need_text(need: &HostNeed) -> String {
    match need {
        HostNeed::Engine { name, range } => Words("engine ", name, Some(range)).to_string(),
        HostNeed::Platform { os, arch, libc } => {
            let libc = libc.as_deref();
            format!("platform {}", PlatformText { os, arch, libc })
        }
        HostNeed::Runtime { name, range } => Words("runtime ", name, range.as_ref()).to_string(),
    }
}

/// A name between a word in front of it and what is said of it.
struct Words<'a, T>(&'static str, &'a str, Option<T>);

impl<T: Display> Display for Words<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(before, name, after) = self;
        write!(f, "{before}{}", Word(name))?;
        match after {
            Some(after) => write!(f, " {after}"),
            None => Ok(()),
        }
    }
}

struct PlatformText<'a> {
    os: &'a str,
    arch: &'a str,
    libc: Option<&'a str>,
}

impl Display for PlatformText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", Word(self.os), Word(self.arch))?;
        match self.libc {
            Some(libc) => write!(f, "/{}", Word(libc)),
            None => Ok(()),
        }
    }
}

/// The name of a part of the host, in quotes of its own where it is not a plain word: an index
/// may call an engine anything.
struct Word<'a>(&'a str);

impl Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || "\"\\/".contains(c);
        if !self.0.is_empty() && !self.0.contains(is_odd) {
            return f.write_str(self.0);
        }
        f.write_char('"')?;
        Escaped(f).write_str(self.0)?;
        f.write_char('"')
    }
}

/// Returns a name as a key, in quotes where TOML needs them.
fn key(name: &PackageName) -> Cow<'_, str> {
    // A name holds nothing but letters, digits, `-`, `_` and dots.
    match name.as_str() {
        name if name.contains('.') => format!("\"{name}\"").into(),
        name => name.into(),
    }
}

/// Passes text on as it stands between double quotes.
struct Escaped<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Nearly always there is nothing to escape, and this is quick to see.
        if text.is_ascii() && !text.bytes().any(is_odd) {
            return self.0.write_str(text);
        }
        let is_escaped = |c: char| c.is_control() || c == '"' || c == '\\';
        let mut rest = text;
        while let Some(at) = rest.find(is_escaped) {
            self.0.write_str(&rest[..at])?;
            let mut behind = rest[at..].chars();
            match behind.next() {
                Some('\t') => self.0.write_str("\\t")?,
                Some('\n') => self.0.write_str("\\n")?,
                Some(c @ ('"' | '\\')) => write!(self.0, "\\{c}")?,
                Some(c) => write!(self.0, "\\u{:04X}", u32::from(c))?,
                None => {}
            }
            rest = behind.as_str();
        }
        self.0.write_str(rest)
    }
}
