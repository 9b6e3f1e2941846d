//! Makes a lock of the tables that a text holds.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::ops::Index;
use std::str::FromStr;

use attache_package::{PackageName, Range};

use super::check::{Demand, Findings, Places, Role};
use super::lines::{Field, Kind, Read, Table, Tables, Text};
use super::quotes::shown;
use super::values::{need, platform, size, twice, versions};
use super::write::need_text;
use super::{InvalidLock, LockedEdge, LockedHost, LockedPackage, LockedRoot, Lockfile};
use crate::host::HostNeed;
use crate::request::Strategy;

/// Reads a whole lock and sorts it. Also returns where it does not agree with itself.
pub(super) fn read(text: &str) -> Read<(Lockfile, Option<InvalidLock>)> {
    let mut reader = Reader::default();
    let mut tables = Tables::new(text)?;
    let mut table = Table::new();
    let mut seen = Vec::new();
    while tables.read(&mut table)? {
        if !table.kind.repeats() {
            if seen.contains(&table.kind) {
                return Err(twice(table.line, "the table"));
            }
            seen.push(table.kind);
        }
        let lock = &mut reader.lock;
        match table.kind {
            Kind::Top => lock.strategy = top(&table)?,
            Kind::Namespaces => lock.namespaces = by_name(&table, Text::plain)?,
            Kind::Overrides => lock.overrides = by_name(&table, Text::parse)?,
            Kind::Host => lock.host = host(&table)?,
            Kind::Root => reader.root(&table)?,
            Kind::Package => reader.package(&table)?,
        }
    }
    let contradiction = reader.findings().check().err();
    let mut lock = reader.lock;
    lock.roots.sort_by(|a, b| a.id.cmp(&b.id));
    lock.packages.sort_by(|a, b| a.id.cmp(&b.id));
    Ok((lock, contradiction))
}

fn top(table: &Table<'_>) -> Read<Strategy> {
    let [version, strategy] = table.known();
    table.required("version", version)?;
    let Some(strategy) = strategy else {
        return Ok(Strategy::default());
    };
    let strategy = strategy.text()?;
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
fn by_name<'a, T>(
    table: &Table<'a>,
    read: impl Fn(&Text<'a>) -> Read<T>,
) -> Read<BTreeMap<PackageName, T>> {
    let mut all = BTreeMap::new();
    for field in table.fields.iter().flatten() {
        let key = Text {
            line: field.line,
            text: field.key.clone(),
        };
        if all.insert(key.parse()?, read(field.text()?)?).is_some() {
            return Err(twice(field.line, &format!("`{}`", key.text)));
        }
    }
    Ok(all)
}

/// Reads the host, which is nothing if nothing is stated of it.
fn host(table: &Table<'_>) -> Read<Option<LockedHost>> {
    let [stated, engines, runtimes] = table.known();
    let host = LockedHost {
        platform: match stated {
            Some(field) => Some(platform(field.text()?, &field.text()?.text)?),
            None => None,
        },
        engines: versions(table.list(engines)?)?,
        runtimes: versions(table.list(runtimes)?)?,
    };
    Ok(Some(host).filter(|host| *host != LockedHost::default()))
}

/// What was read so far. Names and ranges get numbers, since few different ones occur many
/// times, and reading them again each time would be most of the work there is.
#[derive(Default)]
struct Reader {
    lock: Lockfile,
    names: Numbered<PackageName>,
    ranges: Numbered<Range>,
    demands: Vec<Demand>,
    roles: Vec<Role>,
    places: Vec<Places>,
    has_workspace: bool,
}

struct Numbered<T> {
    numbers: HashMap<String, u32>,
    values: Vec<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            numbers: HashMap::new(),
            values: Vec::new(),
        }
    }
}

impl<T: FromStr<Err: Display>> Numbered<T> {
    /// Returns the number of a value that stands in an item.
    fn number(&mut self, item: &Text<'_>, text: &str) -> Read<u32> {
        if let Some(known) = self.numbers.get(text) {
            return Ok(*known);
        }
        // There are fewer values than bytes, of which there are not that many.
        let new = self.values.len() as u32;
        self.values.push(item.read(text)?);
        self.numbers.insert(text.to_owned(), new);
        Ok(new)
    }
}

impl<T> Index<u32> for Numbered<T> {
    type Output = T;

    fn index(&self, number: u32) -> &T {
        &self.values[number as usize]
    }
}

impl Reader {
    fn root(&mut self, table: &Table<'_>) -> Read<()> {
        let [id, path, dependencies, optional] = table.known();
        let by = match id {
            Some(field) => {
                let by = self.name(field)?;
                if std::mem::replace(&mut self.roles[by as usize].is_root, true) {
                    let id = &self.names[by];
                    return Err(twice(field.line, &format!("the root `{id}`")));
                }
                Some(by)
            }
            None if std::mem::replace(&mut self.has_workspace, true) => {
                return Err(twice(table.line, "a root without an id"));
            }
            None => None,
        };
        let lists = [table.list(dependencies)?, table.list(optional)?];
        let root = LockedRoot {
            id: by.map(|by| self.names[by].clone()),
            path: table.required("path", path)?.text()?.plain()?,
            dependencies: self.edges(lists[0], by, true)?,
            optional: self.edges(lists[1], by, false)?,
        };
        check_edges(&root.dependencies, &root.optional, lists)?;
        self.lock.roots.push(root);
        Ok(())
    }

    fn package(&mut self, table: &Table<'_>) -> Read<()> {
        let [
            id,
            version,
            registry,
            namespace,
            source,
            digest,
            bytes,
            dependencies,
            optional,
            needs,
        ] = table.known();
        let id = table.required("id", id)?;
        let by = self.name(id)?;
        let at = self.lock.packages.len() as u32;
        if self.roles[by as usize].package.replace(at).is_some() {
            let name = &self.names[by];
            return Err(twice(id.line, &format!("the package `{name}`")));
        }
        let version = table.required("version", version)?;
        let lists = [table.list(dependencies)?, table.list(optional)?];
        let package = LockedPackage {
            id: self.names[by].clone(),
            version: version.text()?.parse()?,
            registry: table.required("registry", registry)?.text()?.plain()?,
            namespace: namespace.map(|field| field.text()?.parse()).transpose()?,
            source: source.map(|field| field.text()?.plain()).transpose()?,
            digest: table.required("digest", digest)?.text()?.parse()?,
            size: size(table.required("size", bytes)?)?,
            dependencies: self.edges(lists[0], Some(by), true)?,
            optional: self.edges(lists[1], Some(by), true)?,
            needs: self.needs(table.list(needs)?)?,
        };
        check_edges(&package.dependencies, &package.optional, lists)?;
        self.lock.packages.push(package);
        self.places.push(Places {
            version: version.line,
            namespace: namespace.map_or(table.line, |field| field.line),
        });
        Ok(())
    }

    /// Returns the number of the name in a field.
    fn name(&mut self, field: &Field<'_>) -> Read<u32> {
        let text = field.text()?;
        let number = self.names.number(text, &text.text)?;
        self.roles.resize(self.names.values.len(), Role::default());
        Ok(number)
    }

    /// Reads a list of edges, which must lead somewhere if they are demanded, and sorts them.
    fn edges(
        &mut self,
        items: &[Text<'_>],
        by: Option<u32>,
        demanded: bool,
    ) -> Read<Vec<LockedEdge>> {
        let mut edges = Vec::with_capacity(items.len());
        for item in items {
            let Some((id, range)) = item.text.split_once(' ') else {
                return item.is_not("a name, a space and a range");
            };
            let to = self.names.number(item, id)?;
            let range = self.ranges.number(item, range)?;
            edges.push(LockedEdge {
                id: self.names[to].clone(),
                range: self.ranges[range].clone(),
            });
            if demanded {
                let line = item.line;
                self.demands.push(Demand {
                    line,
                    by,
                    to,
                    range,
                });
            }
        }
        edges.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(edges)
    }

    fn needs(&mut self, items: &[Text<'_>]) -> Read<Vec<HostNeed>> {
        let mut needs = Vec::with_capacity(items.len());
        for item in items {
            let mut range = |text: &str| {
                let number = self.ranges.number(item, text)?;
                Ok(self.ranges[number].clone())
            };
            needs.push(need(item, &mut range)?);
        }
        if needs.len() > 1 {
            needs.sort_by_cached_key(need_text);
        }
        Ok(needs)
    }

    fn findings(&mut self) -> Findings<'_> {
        self.roles.resize(self.names.values.len(), Role::default());
        Findings {
            lock: &self.lock,
            names: &self.names.values,
            ranges: &self.ranges.values,
            demands: &self.demands,
            roles: &self.roles,
            places: &self.places,
        }
    }
}

/// Checks that a package is at most once in two sorted lists.
fn check_edges(
    dependencies: &[LockedEdge],
    optional: &[LockedEdge],
    items: [&[Text<'_>]; 2],
) -> Read<()> {
    let is_required = |edge: &&LockedEdge| {
        let found = dependencies.binary_search_by(|other| other.id.cmp(&edge.id));
        found.is_ok()
    };
    let repeated = repeated(dependencies)
        .or_else(|| repeated(optional))
        .or_else(|| optional.iter().find(is_required));
    let Some(LockedEdge { id, .. }) = repeated else {
        return Ok(());
    };
    let is_it = |item: &&Text<'_>| item.text.split(' ').next() == Some(id.as_str());
    let items = items.into_iter().flatten().filter(is_it);
    let mut lines: Vec<usize> = items.map(|item| item.line).collect();
    lines.sort_unstable();
    let line = lines.get(1).copied().unwrap_or_default();
    Err(twice(line, &format!("the dependency on `{id}`")))
}

/// Returns the first of two edges to one package in a sorted list.
fn repeated(edges: &[LockedEdge]) -> Option<&LockedEdge> {
    let mut pairs = edges.windows(2);
    pairs.find_map(|pair| (pair[0].id == pair[1].id).then_some(&pair[0]))
}
