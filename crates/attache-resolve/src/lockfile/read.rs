//! Makes a lock of the tables that a text holds.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::str::FromStr;

use attache_package::{PackageName, Platform, Range, Release};

use super::lines::{Field, Kind, Read, Table, Tables, Text, Value, shown, unquoted};
use super::write::need_text;
use super::{
    Fault, InvalidLock, LockedEdge, LockedHost, LockedPackage, LockedRoot, Lockfile, check,
};
use crate::host::HostNeed;
use crate::request::Strategy;

/// The largest size that every TOML reader can hold.
const LARGEST: u64 = i64::MAX as u64;

/// Reads a whole lock, sorts it, and asks whether it agrees with itself.
pub(super) fn read(text: &str) -> Read<Lockfile> {
    let mut lock = Lockfile::default();
    let mut ranges = Ranges::default();
    let mut seen = Vec::new();
    for table in Tables::new(text)? {
        let table = table?;
        if !table.kind.repeats() {
            if seen.contains(&table.kind) {
                let message = "the table is here twice";
                return Err(InvalidLock::new(table.line, Fault::Twice, message));
            }
            seen.push(table.kind);
        }
        match table.kind {
            Kind::Top => lock.strategy = top(table)?,
            Kind::Namespaces => lock.namespaces = by_name(table, |text| text.plain())?,
            Kind::Overrides => lock.overrides = by_name(table, |text| text.parse())?,
            Kind::Host => lock.host = host(table)?,
            Kind::Root => lock.roots.push(root(table, &mut ranges)?),
            Kind::Package => lock.packages.push(package(table, &mut ranges)?),
        }
    }
    lock.roots.sort_by(|a, b| a.id.cmp(&b.id));
    lock.packages.sort_by(|a, b| a.id.cmp(&b.id));
    check::check(&lock, text)?;
    Ok(lock)
}

fn top(mut table: Table<'_>) -> Read<Strategy> {
    table.required("version", Table::take)?;
    let Some(strategy) = table.text("strategy")? else {
        return Ok(Strategy::default());
    };
    match &*strategy.text {
        "highest" => Ok(Strategy::Highest),
        "lowest" => Ok(Strategy::Lowest),
        other => strategy.refused(format!(
            "`{}` is not a strategy: expected `highest` or `lowest`",
            shown(other)
        )),
    }
}

/// Reads a table whose keys are the names of packages.
fn by_name<T>(
    table: Table<'_>,
    read: impl Fn(&Text<'_>) -> Read<T>,
) -> Read<BTreeMap<PackageName, T>> {
    let mut all = BTreeMap::new();
    for field in table.fields {
        let line = field.line;
        let key = Text {
            line,
            text: field.key.clone(),
        };
        let name: PackageName = key.parse()?;
        let value = read(&field.into_text()?)?;
        let message = format!("`{name}` is here twice");
        if all.insert(name, value).is_some() {
            return Err(InvalidLock::new(line, Fault::Twice, message));
        }
    }
    Ok(all)
}

/// Reads the host, which is nothing if nothing is stated of it.
fn host(mut table: Table<'_>) -> Read<Option<LockedHost>> {
    let host = LockedHost {
        platform: match table.text("platform")? {
            Some(text) => Some(platform(&text, &text.text)?),
            None => None,
        },
        engines: versions(table.list("engines")?)?,
        runtimes: versions(table.list("runtimes")?)?,
    };
    Ok(Some(host).filter(|host| *host != LockedHost::default()))
}

/// Reads a list of `name version`.
fn versions(items: Vec<Text<'_>>) -> Read<BTreeMap<String, Release>> {
    let mut all = BTreeMap::new();
    for item in items {
        let (name, rest) = item.word(&item.text, ' ')?;
        let Some(version) = rest else {
            return item.is_not("a name, a space and a version");
        };
        let message = format!("`{}` is here twice", shown(&name));
        if all.insert(name, item.read(version)?).is_some() {
            return Err(InvalidLock::new(item.line, Fault::Twice, message));
        }
    }
    Ok(all)
}

fn root<'a>(mut table: Table<'a>, ranges: &mut Ranges<'a>) -> Read<LockedRoot> {
    let [dependencies, optional] = edges(&mut table, ranges)?;
    Ok(LockedRoot {
        id: match table.text("id")? {
            Some(text) => Some(text.parse()?),
            None => None,
        },
        path: table.required("path", Table::text)?.plain()?,
        dependencies,
        optional,
    })
}

fn package<'a>(mut table: Table<'a>, ranges: &mut Ranges<'a>) -> Read<LockedPackage> {
    let [dependencies, optional] = edges(&mut table, ranges)?;
    Ok(LockedPackage {
        id: table.required("id", Table::text)?.parse()?,
        version: table.required("version", Table::text)?.parse()?,
        registry: table.required("registry", Table::text)?.plain()?,
        namespace: match table.text("namespace")? {
            Some(text) => Some(text.parse()?),
            None => None,
        },
        source: match table.text("source")? {
            Some(text) => Some(text.plain()?),
            None => None,
        },
        digest: table.required("digest", Table::text)?.parse()?,
        size: size(&table.required("size", Table::take)?)?,
        dependencies,
        optional,
        needs: needs(table.list("needs")?)?,
    })
}

fn size(field: &Field<'_>) -> Read<u64> {
    let Value::Bare(word) = field.value else {
        return field.is_not("a whole number");
    };
    // `parse` alone would take `+1` and `01`, which mean nothing or something else in TOML.
    let is_plain = word == "0" || (word.starts_with(|c| matches!(c, '1'..='9')));
    let size = word.parse().ok().filter(|_| is_plain);
    size.filter(|size| *size <= LARGEST).ok_or_else(|| {
        let message = format!(
            "`{}` is not a size: expected a whole number up to {LARGEST}",
            shown(word)
        );
        InvalidLock::new(field.line, Fault::Value, message)
    })
}

/// Reads what is required and what is optional; a package is in one of them at most.
fn edges<'a>(table: &mut Table<'a>, ranges: &mut Ranges<'a>) -> Read<[Vec<LockedEdge>; 2]> {
    let lists = [table.list("dependencies")?, table.list("optional")?];
    let mut read = [Vec::new(), Vec::new()];
    for (list, edges) in lists.iter().zip(&mut read) {
        edges.reserve_exact(list.len());
        for item in list {
            edges.push(edge(item, ranges)?);
        }
        edges.sort_by(|a, b| a.id.cmp(&b.id));
    }
    let [dependencies, optional] = &read;
    let within = |edges: &[LockedEdge]| {
        let twins = edges.windows(2).find(|pair| pair[0].id == pair[1].id);
        twins.map(|pair| pair[0].id.clone())
    };
    let in_both = || {
        let is_required = |edge: &&LockedEdge| {
            let found = dependencies.binary_search_by(|other| other.id.cmp(&edge.id));
            found.is_ok()
        };
        let both = optional.iter().find(is_required);
        both.map(|edge| edge.id.clone())
    };
    let twice = within(dependencies)
        .or_else(|| within(optional))
        .or_else(in_both);
    if let Some(id) = twice {
        let is_it = |item: &&Text<'_>| {
            let name = item.text.split_once(' ');
            name.is_some_and(|(name, _)| name == id.as_str())
        };
        let mut places: Vec<usize> = lists
            .iter()
            .flatten()
            .filter(is_it)
            .map(|i| i.line)
            .collect();
        places.sort_unstable();
        let message = format!("the dependency on `{id}` is here twice");
        let line = places.get(1).copied().unwrap_or(table.line);
        return Err(InvalidLock::new(line, Fault::Twice, message));
    }
    Ok(read)
}

fn edge<'a>(item: &Text<'a>, ranges: &mut Ranges<'a>) -> Read<LockedEdge> {
    let Some((id, range)) = item.text.split_once(' ') else {
        return item.is_not("a name, a space and a range");
    };
    let id = item.read(id)?;
    let range = match &item.text {
        Cow::Borrowed(text) => ranges.read(item, &text[text.len() - range.len()..])?,
        Cow::Owned(_) => item.read(range)?,
    };
    Ok(LockedEdge { id, range })
}

/// The ranges that were read so far: few different ones occur many times, and reading one is
/// most of the work there is.
#[derive(Default)]
struct Ranges<'a>(HashMap<&'a str, Range>);

impl<'a> Ranges<'a> {
    fn read(&mut self, item: &Text<'_>, text: &'a str) -> Read<Range> {
        if let Some(known) = self.0.get(text) {
            return Ok(known.clone());
        }
        let range: Range = item.read(text)?;
        self.0.insert(text, range.clone());
        Ok(range)
    }
}

fn needs(items: Vec<Text<'_>>) -> Read<Vec<HostNeed>> {
    let mut needs = Vec::with_capacity(items.len());
    for item in &items {
        needs.push(need(item)?);
    }
    needs.sort_by_cached_key(need_text);
    Ok(needs)
}

fn need(item: &Text<'_>) -> Read<HostNeed> {
    let (kind, rest) = item.text.split_once(' ').unwrap_or((&item.text, ""));
    let expected = match kind {
        "engine" => match item.word(rest, ' ')? {
            (name, Some(range)) => {
                let range = item.read(range)?;
                return Ok(HostNeed::Engine { name, range });
            }
            _ => "`engine`, a name and a range",
        },
        "platform" => {
            let Platform { os, arch, libc } = platform(item, rest)?;
            return Ok(HostNeed::Platform { os, arch, libc });
        }
        "runtime" => {
            let (name, range) = item.word(rest, ' ')?;
            let range = range.map(|range| item.read(range)).transpose()?;
            return Ok(HostNeed::Runtime { name, range });
        }
        _ => "`engine`, `platform` or `runtime` and what is needed of it",
    };
    item.is_not(expected)
}

/// Reads `os/arch` or `os/arch/libc`.
fn platform(item: &Text<'_>, text: &str) -> Read<Platform> {
    let (os, rest) = item.word(text, '/')?;
    let Some(rest) = rest else {
        return item.is_not("a platform such as `linux/amd64`");
    };
    let (arch, rest) = item.word(rest, '/')?;
    let libc = match rest {
        Some(rest) => match item.word(rest, '/')? {
            (libc, None) => Some(libc),
            _ => return item.is_not("a platform such as `linux/amd64/glibc`"),
        },
        None => None,
    };
    Ok(Platform { os, arch, libc })
}

impl<'a> Table<'a> {
    /// Takes a field out of the table.
    fn take(&mut self, key: &str) -> Read<Option<Field<'a>>> {
        let at = self.fields.iter().position(|field| field.key == key);
        Ok(at.map(|at| self.fields.swap_remove(at)))
    }

    fn text(&mut self, key: &str) -> Read<Option<Text<'a>>> {
        self.take(key)?.map(Field::into_text).transpose()
    }

    /// Takes a list out of the table; one that is not there is empty.
    fn list(&mut self, key: &str) -> Read<Vec<Text<'a>>> {
        match self.take(key)? {
            None => Ok(Vec::new()),
            Some(Field {
                value: Value::List(items),
                ..
            }) => Ok(items),
            Some(field) => field.is_not("a list"),
        }
    }

    /// Takes what must be there.
    fn required<T>(
        &mut self,
        key: &str,
        take: impl FnOnce(&mut Self, &str) -> Read<Option<T>>,
    ) -> Read<T> {
        let line = self.line;
        take(self, key)?.ok_or_else(|| {
            let message = format!("`{key}` is missing from what begins here");
            InvalidLock::new(line, Fault::Missing, message)
        })
    }
}

impl<'a> Field<'a> {
    fn into_text(self) -> Read<Text<'a>> {
        let line = self.line;
        match self.value {
            Value::Text(text) => Ok(Text { line, text }),
            Value::List(_) | Value::Bare(_) => self.is_not("a text in double quotes"),
        }
    }

    /// Refuses a value of another kind than expected.
    fn is_not<T>(&self, expected: &str) -> Read<T> {
        let found = match &self.value {
            Value::Text(text) => format!("the text `{}`", shown(text)),
            Value::List(_) => "a list".to_owned(),
            Value::Bare(word) => format!("`{}`", shown(word)),
        };
        let message = format!("`{}` is {found}, expected {expected}", shown(&self.key));
        Err(InvalidLock::new(self.line, Fault::Syntax, message))
    }
}

impl Text<'_> {
    fn parse<T: FromStr<Err: Display>>(&self) -> Read<T> {
        self.read(&self.text)
    }

    /// Reads a part of this text.
    fn read<T: FromStr<Err: Display>>(&self, part: &str) -> Read<T> {
        part.parse()
            .or_else(|error: T::Err| self.refused(shown(&error.to_string())))
    }

    /// Returns the text, which holds no control characters: it may go to a terminal.
    fn plain(&self) -> Read<String> {
        self.without_control(&self.text)?;
        Ok(self.text.clone().into_owned())
    }

    fn without_control(&self, part: &str) -> Read<()> {
        if part.chars().any(char::is_control) {
            let message = format!("there is a control character in `{}`", shown(part));
            return self.refused(message);
        }
        Ok(())
    }

    /// Reads a name and what follows it after `end`. A name that is not a plain word is in
    /// quotes of its own.
    fn word<'p>(&self, part: &'p str, end: char) -> Read<(String, Option<&'p str>)> {
        if part.starts_with('"') {
            let (name, rest) = unquoted(part)
                .map_err(|(fault, message)| InvalidLock::new(self.line, fault, message))?;
            let behind = rest.strip_prefix(end);
            if behind.is_none() && !rest.is_empty() {
                return self.is_not(&format!("`{end}` after the closing quote"));
            }
            return Ok((name.into_owned(), behind));
        }
        let (word, behind) = match part.split_once(end) {
            Some((word, behind)) => (word, Some(behind)),
            None => (part, None),
        };
        if word.is_empty() {
            return self.is_not("a name where there is nothing");
        }
        self.without_control(word)?;
        Ok((word.to_owned(), behind))
    }

    /// Refuses a value that does not have its form.
    fn is_not<T>(&self, expected: &str) -> Read<T> {
        self.refused(format!(
            "`{}` cannot be read: expected {expected}",
            shown(&self.text)
        ))
    }

    fn refused<T>(&self, message: String) -> Read<T> {
        Err(InvalidLock::new(self.line, Fault::Value, message))
    }
}
