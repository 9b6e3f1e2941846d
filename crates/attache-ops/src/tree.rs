//! Shows who needs whom.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use attache_package::{Digest, PackageName, Range, Release};
use attache_resolve::{HostNeed, LockedEdge, LockedPackage, Lockfile};
use schemars::JsonSchema;
use serde::Serialize;

use crate::build::Warning;
use crate::drawing::{self, Edge, Graph, Kind as NodeKind, Node};
use crate::resolving::{Resolving, Session, root_name};
use crate::{App, Error, Kind, Outcome, whole};

/// What to show.
#[derive(Debug, Clone, Default)]
pub struct TreeRequest {
    /// What is resolved, from where, and for which machines.
    pub resolving: Resolving,
    /// The packages to start from; the workspace's roots if there are none.
    pub ids: Vec<String>,
    /// Whether arrows are turned round: who needs these, instead of what these need.
    pub invert: bool,
    /// How many steps from the start are drawn.
    pub depth: Option<usize>,
    /// How it is drawn.
    pub drawn: Drawn,
    /// The file to draw into.
    pub output: Option<PathBuf>,
}

/// How a tree is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Drawn {
    /// With lines, for a terminal.
    #[default]
    Text,
    /// In Graphviz' language.
    Dot,
    /// As a picture.
    Svg,
}

/// Who needs whom.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeOutcome {
    /// Who asks, sorted by name; the workspace's own wishes first.
    pub roots: Vec<TreeRoot>,
    /// Every package that is needed, sorted by name.
    pub packages: Vec<TreePackage>,
    /// How many bytes they are together.
    pub total_download_size: u64,
    /// What should be looked at.
    pub warnings: Vec<Warning>,
    /// How it is drawn.
    pub drawn: Drawn,
    /// The drawing; nothing if it went into a file.
    pub drawing: Option<String>,
    /// That file.
    pub output: Option<String>,
}

impl Outcome for TreeOutcome {
    const SCHEMA: &'static str = "attache.tree/1";
}

/// An agent of the workspace, or the workspace itself.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TreeRoot {
    /// Its name; nothing for the workspace's own wishes.
    pub id: Option<PackageName>,
    /// Where it is, relative to the lock.
    pub path: String,
    /// What it needs.
    pub dependencies: Vec<TreeEdge>,
}

/// A package that is needed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreePackage {
    /// Its name.
    pub id: PackageName,
    /// Its version.
    pub version: Release,
    /// The registry it comes from.
    pub registry: String,
    /// Where its archive is.
    pub source: Option<String>,
    /// The digest of its archive.
    pub digest: Digest,
    /// The size of its archive in bytes.
    pub size: u64,
    /// What it needs, and gets.
    pub dependencies: Vec<TreeEdge>,
    /// What it needs of the host.
    pub needs: Vec<HostNeed>,
    /// Who needs it; nothing stands for the workspace itself.
    pub required_by: Vec<Option<PackageName>>,
    /// Whether only optional dependencies lead to it.
    pub optional: bool,
}

/// A need for a package.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TreeEdge {
    /// The package.
    pub id: PackageName,
    /// The versions that will do.
    pub range: Range,
    /// Whether the dependent works without it.
    pub optional: bool,
}

/// Shows who needs whom, by the lock if it is up to date, else by what it would be.
pub fn tree(app: &App, request: &TreeRequest) -> Result<TreeOutcome, Error> {
    let session = Session::open(app, &request.resolving)?;
    let (lock, warnings) = session.locked_or_solved()?;
    let links = Links::of(&lock);
    let mut starts = Vec::new();
    for text in &request.ids {
        let id = known(&lock, text)?;
        starts.push(links.number(&id));
    }
    if let (true, false, Some(id)) = (starts.is_empty(), request.invert, &session.workspace.asked) {
        starts.push(links.number(id));
    }
    let graph = links.graph(&lock, starts, request.invert);
    let drawing = match request.drawn {
        Drawn::Text => drawing::text(&graph, request.depth),
        Drawn::Dot => drawing::dot(&graph),
        Drawn::Svg => drawing::svg(&graph),
    };
    let drawing = match &request.output {
        Some(path) => {
            whole::write(path, &drawing)?;
            None
        }
        None => Some(drawing),
    };
    Ok(TreeOutcome {
        roots: lock.roots.iter().map(|root| links.root(root)).collect(),
        total_download_size: lock.packages.iter().map(|p| p.size).sum(),
        packages: links.packages(&lock),
        warnings,
        drawn: request.drawn,
        drawing,
        output: request
            .output
            .as_ref()
            .map(|path| path.display().to_string()),
    })
}

/// Reads the name of something that the lock holds.
pub(crate) fn known(lock: &Lockfile, text: &str) -> Result<PackageName, Error> {
    let id: PackageName = text.parse().map_err(|e| {
        let error = Error::new(Kind::Usage, "ATT-NAME", format!("{e}"));
        error.hint("give a package's id, as `attache tree` shows it")
    })?;
    let is_root = lock.roots.iter().any(|root| root.id.as_ref() == Some(&id));
    if is_root || lock.get(&id).is_some() {
        return Ok(id);
    }
    let names = lock.packages.iter().map(|package| &package.id);
    let near = attache_resolve::nearest(&id, names.chain(lock.roots.iter().flat_map(|r| &r.id)));
    let error = Error::new(
        Kind::NotFound,
        "ATT-NOT-LOCKED",
        format!("nothing here needs `{id}`"),
    );
    Err(match near.first() {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`attache tree` shows everything that is needed"),
    })
}

/// Who needs whom in a lock, by number: roots first, then packages.
pub(crate) struct Links {
    names: BTreeMap<PackageName, usize>,
    edges: Vec<Vec<Link>>,
    /// Whether only optional dependencies lead there.
    optional: Vec<bool>,
}

/// One dependency that is met.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) to: usize,
    pub(crate) range: Range,
    pub(crate) optional: bool,
}

impl Links {
    pub(crate) fn of(lock: &Lockfile) -> Self {
        let first = lock.roots.len();
        let mut names = BTreeMap::new();
        for (at, package) in lock.packages.iter().enumerate() {
            names.insert(package.id.clone(), first + at);
        }
        for (at, root) in lock.roots.iter().enumerate() {
            names.extend(root.id.clone().map(|id| (id, at)));
        }
        let mut links = Self {
            names,
            edges: Vec::with_capacity(first + lock.packages.len()),
            optional: Vec::new(),
        };
        let roots = lock.roots.iter().map(|r| (&r.dependencies, &r.optional));
        let packages = lock.packages.iter().map(|p| (&p.dependencies, &p.optional));
        for (required, optional) in roots.chain(packages) {
            let needs = required.iter().map(|edge| (edge, false));
            let wishes = optional.iter().map(|edge| (edge, true));
            let met = needs
                .chain(wishes)
                .filter_map(|(edge, optional)| links.met(lock, edge, optional));
            let met = met.collect();
            links.edges.push(met);
        }
        links.optional = links.only_wished(first);
        links
    }

    /// Returns the dependency with its number. A wish of a root that was not taken has none.
    fn met(&self, lock: &Lockfile, edge: &LockedEdge, optional: bool) -> Option<Link> {
        let to = *self.names.get(&edge.id)?;
        if let (true, Some(package)) = (optional, lock.get(&edge.id)) {
            let range = lock.overrides.get(&edge.id).unwrap_or(&edge.range);
            range.contains(&package.version).then_some(())?;
        }
        Some(Link {
            to,
            range: edge.range.clone(),
            optional,
        })
    }

    fn only_wished(&self, roots: usize) -> Vec<bool> {
        let mut wished = vec![true; self.edges.len()];
        let mut todo: Vec<usize> = (0..roots).collect();
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut wished[at], false) {
                let required = self.edges[at].iter().filter(|link| !link.optional);
                todo.extend(required.map(|link| link.to));
            }
        }
        wished
    }

    pub(crate) fn number(&self, id: &PackageName) -> usize {
        self.names.get(id).copied().unwrap_or_default()
    }

    /// Returns whether the roots lead to everything, to each other not at all, and nothing to
    /// itself.
    pub(crate) fn is_tidy(&self, roots: usize) -> bool {
        let mut waiting = vec![0usize; self.len()];
        for link in self.edges.iter().flatten() {
            waiting[link.to] += 1;
        }
        // Whoever nobody needs is a root; the others become free when all who need them are.
        let mut free: Vec<usize> = (0..roots).filter(|at| waiting[*at] == 0).collect();
        if free.len() < roots {
            return false;
        }
        let mut placed = 0;
        while let Some(at) = free.pop() {
            placed += 1;
            for link in self.edges(at) {
                waiting[link.to] -= 1;
                if waiting[link.to] == 0 {
                    free.push(link.to);
                }
            }
        }
        placed == self.len()
    }

    /// Returns everything that some root leads to without another root in between, itself first.
    pub(crate) fn reached(&self, from: usize, roots: usize) -> Vec<usize> {
        let mut seen = vec![false; self.len()];
        let mut todo = vec![from];
        let mut reached = Vec::new();
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                reached.push(at);
                if at == from || at >= roots {
                    todo.extend(self.edges(at).iter().map(|link| link.to));
                }
            }
        }
        reached
    }

    /// Returns the package that a number stands for; nothing for a root.
    pub(crate) fn package<'l>(&self, lock: &'l Lockfile, at: usize) -> Option<&'l LockedPackage> {
        lock.packages.get(at.checked_sub(lock.roots.len())?)
    }

    pub(crate) fn edges(&self, at: usize) -> &[Link] {
        &self.edges[at]
    }

    pub(crate) fn len(&self) -> usize {
        self.edges.len()
    }

    fn root(&self, root: &attache_resolve::LockedRoot) -> TreeRoot {
        let edges = |list: &[LockedEdge], optional| -> Vec<TreeEdge> {
            let edges = list.iter().map(|edge| TreeEdge {
                id: edge.id.clone(),
                range: edge.range.clone(),
                optional,
            });
            edges.collect()
        };
        let mut dependencies = edges(&root.dependencies, false);
        dependencies.extend(edges(&root.optional, true));
        TreeRoot {
            id: root.id.clone(),
            path: root.path.clone(),
            dependencies,
        }
    }

    fn packages(&self, lock: &Lockfile) -> Vec<TreePackage> {
        let first = lock.roots.len();
        let mut required_by: Vec<BTreeSet<Option<PackageName>>> = vec![BTreeSet::new(); self.len()];
        for at in 0..self.len() {
            let name = match at.checked_sub(first) {
                Some(package) => Some(lock.packages[package].id.clone()),
                None => lock.roots[at].id.clone(),
            };
            for link in self.edges(at) {
                required_by[link.to].insert(name.clone());
            }
        }
        let packages = lock.packages.iter().enumerate().map(|(at, package)| {
            let at = first + at;
            let dependencies = self.edges(at).iter().map(|link| TreeEdge {
                id: match link.to.checked_sub(first) {
                    Some(to) => lock.packages[to].id.clone(),
                    None => lock.roots[link.to]
                        .id
                        .clone()
                        .unwrap_or_else(|| package.id.clone()),
                },
                range: link.range.clone(),
                optional: link.optional,
            });
            TreePackage {
                id: package.id.clone(),
                version: package.version.clone(),
                registry: package.registry.clone(),
                source: package.source.clone(),
                digest: package.digest,
                size: package.size,
                dependencies: dependencies.collect(),
                needs: package.needs.clone(),
                required_by: std::mem::take(&mut required_by[at]).into_iter().collect(),
                optional: self.optional[at],
            }
        });
        packages.collect()
    }

    /// Returns the part that is drawn: what can be reached from the starts.
    fn graph(&self, lock: &Lockfile, starts: Vec<usize>, invert: bool) -> Graph {
        let first = lock.roots.len();
        let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); self.len()];
        for at in 0..self.len() {
            for link in self.edges(at) {
                let (from, to) = if invert { (link.to, at) } else { (at, link.to) };
                edges[from].push(Edge {
                    to,
                    range: link.range.to_string(),
                    optional: link.optional,
                });
            }
        }
        let starts = match (starts.is_empty(), invert) {
            (false, _) => starts,
            (true, false) => (0..first).collect(),
            // Turned round, it begins with those who need nobody.
            (true, true) => (0..self.len())
                .filter(|at| self.edges(*at).is_empty())
                .collect(),
        };
        let nodes = edges.into_iter().enumerate().map(|(at, edges)| {
            match at.checked_sub(first).map(|package| &lock.packages[package]) {
                Some(package) => Node {
                    id: package.id.to_string(),
                    version: Some(package.version.to_string()),
                    note: None,
                    kind: match self.optional[at] {
                        true => NodeKind::Optional,
                        false => NodeKind::Package,
                    },
                    edges,
                },
                None => Node {
                    id: root_name(&lock.roots[at].id),
                    version: None,
                    note: (lock.roots[at].path != ".").then(|| lock.roots[at].path.clone()),
                    kind: NodeKind::Root,
                    edges,
                },
            }
        });
        reachable(Graph {
            nodes: nodes.collect(),
            starts,
        })
    }
}

/// Leaves out what no way leads to.
fn reachable(graph: Graph) -> Graph {
    let mut reached = vec![false; graph.nodes.len()];
    let mut todo = graph.starts.clone();
    while let Some(at) = todo.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            todo.extend(graph.nodes[at].edges.iter().map(|edge| edge.to));
        }
    }
    let mut numbers = vec![0; reached.len()];
    let mut next = 0;
    for (at, reached) in reached.iter().enumerate() {
        numbers[at] = next;
        next += usize::from(*reached);
    }
    let nodes = graph
        .nodes
        .into_iter()
        .zip(&reached)
        .filter(|(_, reached)| **reached);
    let nodes = nodes.map(|(mut node, _)| {
        for edge in &mut node.edges {
            edge.to = numbers[edge.to];
        }
        node
    });
    Graph {
        nodes: nodes.collect(),
        starts: graph.starts.iter().map(|at| numbers[*at]).collect(),
    }
}
