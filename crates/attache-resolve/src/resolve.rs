//! From a request to an answer: first what is required, then what is optional.

use std::collections::{BTreeSet, VecDeque};

use attache_package::{PackageName, Range};
use pubgrub::Map;

use crate::cycles::{self, Cycles, Graph};
use crate::explain;
use crate::failure::{Failure, UnknownPackage};
use crate::knots::Knots;
use crate::nearest::nearest;
use crate::problem::{Problem, ROOT, Requires};
use crate::request::Request;
use crate::resolution::{Chosen, LeftOut, Override, RequiredBy, Resolution};
use crate::set::VersionSet;
use crate::solver::{Budget, Counted, Outcome, Scope, Selection, Stop, solve};
use crate::universe::Universe;

/// Finds one version of each package that a request needs, or the reason why there is none.
///
/// - Whatever is required is met, by versions that close no cycle. If there is such a choice
///   it is found; if not, [`Failure::Conflict`] or [`Failure::Cycle`] says why.
/// - Of several choices, one is taken in which no single package could have a higher version
///   (or lower, by [`Strategy`](crate::Strategy)) while all others stay as they are.
/// - With a lock, what it holds is decided first and kept wherever it fits: a lock that still
///   fits as a whole is the answer.
/// - Optional dependencies come last, one by one, and never change what is already chosen.
/// - The answer depends on nothing but the universe and the request.
pub fn resolve(universe: &Universe, request: &Request<'_>) -> Result<Resolution, Failure> {
    let (problem, unknown) = Problem::new(universe, request);
    let (wished, wanted): (Vec<usize>, Vec<usize>) = unknown
        .into_iter()
        .partition(|at| request.wanted[*at].optional);
    if !wanted.is_empty() {
        return Err(unknown_packages(universe, request, &wanted));
    }
    let limits = &request.limits;
    let budget = Budget::new(limits.steps, request.interrupted);
    let (required, graph) = match choose(&problem, &problem.wanted, None, &budget) {
        Ok(chosen) => chosen,
        Err(Refusal::Stopped(Stop::Interrupted)) => return Err(Failure::Interrupted),
        Err(Refusal::Stopped(Stop::GaveUp)) => {
            return Err(Failure::GaveUp {
                steps: budget.used(),
            });
        }
        Err(Refusal::Circular(cycles)) => return Err(explain::cycle(&problem, &cycles)),
        Err(Refusal::Conflict(core)) => return Err(explain::conflict(&problem, core)),
    };
    let mut world = World::new(&problem, required, graph);
    for at in wished {
        let id = &request.wanted[at].id;
        world.leave_out(
            id.clone(),
            request.wanted[at].range.clone(),
            None,
            unknown_reason(universe, id),
        );
    }
    world.add_optional(&budget)?;
    Ok(world.answer(budget.used()))
}

fn unknown_packages(universe: &Universe, request: &Request<'_>, wanted: &[usize]) -> Failure {
    let ids: BTreeSet<_> = wanted.iter().map(|at| &request.wanted[*at].id).collect();
    let packages = ids.into_iter().map(|id| UnknownPackage {
        id: id.clone(),
        did_you_mean: nearest(id, universe.names()),
    });
    Failure::UnknownPackage {
        packages: packages.collect(),
    }
}

fn unknown_reason(universe: &Universe, id: &PackageName) -> String {
    let unknown = UnknownPackage {
        id: id.clone(),
        did_you_mean: nearest(id, universe.names()),
    };
    let text = Failure::UnknownPackage {
        packages: vec![unknown],
    };
    text.to_string()
}

/// Why nothing was chosen.
enum Refusal {
    /// These requirements cannot be met together.
    Conflict(BTreeSet<Requires>),
    /// Every choice is circular; these are the cycles of the first.
    Circular(Cycles),
    Stopped(Stop),
}

/// Chooses versions for `roots` and whatever they require, without a cycle.
///
/// With a `world`, what it holds stays, and only new packages are chosen. Also returns who needs
/// whom, as far as these can reach.
fn choose(
    problem: &Problem<'_>,
    roots: &[Requires],
    world: Option<&World<'_, '_>>,
    budget: &Budget<'_>,
) -> Result<(Selection, Graph), Refusal> {
    let mut knots = Knots::default();
    let mut first = None;
    loop {
        let scope = Scope {
            roots,
            counted: Counted::All,
            settled: world.map(|world| &world.selection),
            knots: &knots,
        };
        let selection = match solve(problem, scope, budget) {
            Ok(Outcome::Solved(selection)) => selection,
            Ok(Outcome::Unsolvable(core)) => {
                return Err(first.map_or(Refusal::Conflict(core), Refusal::Circular));
            }
            Err(stop) => return Err(Refusal::Stopped(stop)),
        };
        let graph = match world {
            Some(world) => world.graph_with(&selection, roots),
            None => graph_of(problem, &selection),
        };
        if problem.universe.is_acyclic() || cycles::is_acyclic(&graph) {
            return Ok((selection, graph));
        }
        if first.is_none()
            && world.is_none()
            && let Some(found) = forced_cycles(problem, roots)
        {
            return Err(Refusal::Circular(found));
        }
        // Each is ruled out for all versions at once, so this ends after at most as many
        // rounds as there are cycles.
        let found = cycles::elementary(&graph, problem.request.limits.cycles.max(1));
        found
            .cycles
            .iter()
            .for_each(|cycle| knots.add(cycle.clone()));
        first.get_or_insert(found);
    }
}

/// Returns the cycles that no choice of versions avoids, where there are such: among packages
/// that are needed whichever versions are chosen. They are found without a search.
fn forced_cycles(problem: &Problem<'_>, roots: &[Requires]) -> Option<Cycles> {
    let mut graph = Graph::new();
    let mut todo: Vec<u32> = roots
        .iter()
        .filter(|r| r.need().is_none())
        .map(|r| r.to)
        .collect();
    while let Some(package) = todo.pop() {
        if graph.contains_key(&package) {
            continue;
        }
        let mut versions = problem.candidates(package).iter();
        let of = |version| problem.requirements(package, version).map(|r| r.to);
        let mut shared: BTreeSet<u32> =
            versions.next().map(|v| of(v).collect()).unwrap_or_default();
        for version in versions {
            let also: BTreeSet<u32> = of(version).collect();
            shared.retain(|to| also.contains(to));
        }
        todo.extend(&shared);
        graph.insert(package, shared.into_iter().collect());
    }
    let limit = problem.request.limits.cycles.max(1);
    (!cycles::is_acyclic(&graph)).then(|| cycles::elementary(&graph, limit))
}

/// Who needs whom, in one choice of versions.
fn graph_of(problem: &Problem<'_>, selection: &Selection) -> Graph {
    let edges = |package, version| problem.requirements(package, version).map(|r| r.to);
    let nodes = selection.iter();
    nodes.map(|(p, v)| (*p, edges(*p, *v).collect())).collect()
}

/// What has been chosen so far.
struct World<'p, 'a> {
    problem: &'p Problem<'a>,
    selection: Selection,
    /// The packages that are there without any optional dependency.
    required: BTreeSet<u32>,
    /// Optional dependencies that were taken.
    taken: BTreeSet<Requires>,
    /// Who needs whom, with the optional dependencies that were taken.
    graph: Graph,
    left_out: Vec<LeftOut>,
}

impl<'p, 'a> World<'p, 'a> {
    fn new(problem: &'p Problem<'a>, selection: Selection, graph: Graph) -> Self {
        Self {
            problem,
            required: selection.keys().copied().collect(),
            graph,
            selection,
            taken: BTreeSet::new(),
            left_out: Vec::new(),
        }
    }

    /// Takes optional dependencies one by one: the root's own first, then by name of the
    /// dependent; those of packages that came this way, after all others.
    fn add_optional(&mut self, budget: &Budget<'_>) -> Result<(), Failure> {
        let problem = self.problem;
        let chosen = self.selection.iter();
        let wishes = chosen.flat_map(|(p, v)| problem.wishes(*p, *v));
        let mut queue: VecDeque<Requires> = problem.wished.iter().copied().chain(wishes).collect();
        while let Some(wish) = queue.pop_front() {
            match self.try_optional(&wish, budget)? {
                Ok(added) => {
                    let added = added.iter();
                    queue.extend(added.flat_map(|(p, v)| problem.wishes(*p, *v)));
                }
                Err(reason) => {
                    let universe = problem.universe;
                    let by = (wish.from != ROOT).then(|| universe.name(wish.from).clone());
                    let range = problem.range(wish.range).clone();
                    self.leave_out(universe.name(wish.to).clone(), range, by, reason);
                }
            }
        }
        Ok(())
    }

    /// Takes an optional dependency and returns the packages that came with it, or the reason
    /// why it does not fit.
    fn try_optional(
        &mut self,
        wish: &Requires,
        budget: &Budget<'_>,
    ) -> Result<Result<Selection, String>, Failure> {
        let problem = self.problem;
        if problem.universe.versions(wish.to).is_empty() {
            let name = problem.universe.name(wish.to);
            return Ok(Err(unknown_reason(problem.universe, name)));
        }
        let roots = std::slice::from_ref(wish);
        match choose(problem, roots, Some(self), budget) {
            Ok((added, _)) => {
                self.graph.extend(graph_of(problem, &added));
                self.graph.entry(wish.from).or_default().push(wish.to);
                self.selection.extend(&added);
                self.taken.insert(*wish);
                Ok(Ok(added))
            }
            Err(Refusal::Conflict(core)) => {
                explain::left_out(problem, wish, &self.selection, core).map(Err)
            }
            Err(Refusal::Circular(cycles)) => Ok(Err(explain::would_close(problem, &cycles))),
            Err(Refusal::Stopped(Stop::Interrupted)) => Err(Failure::Interrupted),
            Err(Refusal::Stopped(Stop::GaveUp)) => Ok(Err(format!(
                "No way to fit it in was found within {} steps.",
                budget.used()
            ))),
        }
    }

    fn leave_out(
        &mut self,
        id: PackageName,
        range: Range,
        by: Option<PackageName>,
        reason: String,
    ) {
        self.left_out.push(LeftOut {
            id,
            range,
            by,
            reason,
        });
    }

    /// Who would need whom with some packages more: only the part that they can reach, since
    /// the rest has no cycle.
    fn graph_with(&self, added: &Selection, roots: &[Requires]) -> Graph {
        let mut graph = Graph::new();
        let mut todo: Vec<u32> = roots.iter().map(|requires| requires.to).collect();
        while let Some(node) = todo.pop() {
            if graph.contains_key(&node) {
                continue;
            }
            let edges: Vec<u32> = match added.get(&node) {
                Some(version) => {
                    let requirements = self.problem.requirements(node, *version);
                    requirements.map(|requires| requires.to).collect()
                }
                None => self.graph.get(&node).cloned().unwrap_or_default(),
            };
            todo.extend(&edges);
            graph.insert(node, edges);
        }
        for requires in roots.iter().filter(|requires| requires.from != ROOT) {
            cycles::connect(&mut graph, requires);
        }
        graph
    }

    fn answer(self, steps: u64) -> Resolution {
        let problem = self.problem;
        let mut incoming: Map<u32, Vec<(Requires, bool)>> = Map::default();
        let mut add = |requires: Requires, optional| {
            if requires.need().is_none() {
                let list = incoming.entry(requires.to).or_default();
                list.push((requires, optional));
            }
        };
        let own = |optional| move |requires: &&Requires| optional == (requires.from != ROOT);
        problem
            .wanted
            .iter()
            .for_each(|requires| add(*requires, false));
        self.taken
            .iter()
            .filter(own(false))
            .for_each(|r| add(*r, true));
        for (package, version) in &self.selection {
            problem
                .requirements(*package, *version)
                .for_each(|requires| add(requires, false));
        }
        self.taken
            .iter()
            .filter(own(true))
            .for_each(|r| add(*r, true));

        let packages: Vec<Chosen> = self
            .selection
            .iter()
            .map(|(package, version)| {
                let incoming = incoming.get(package).map(Vec::as_slice).unwrap_or_default();
                self.chosen(*package, *version, incoming)
            })
            .collect();
        let overrides = problem.request.overrides.iter().map(|(id, range)| {
            let chosen = packages.iter().find(|chosen| chosen.id == *id);
            let required_by = chosen.map(|chosen| chosen.required_by.as_slice());
            let replaced = required_by.unwrap_or_default().iter();
            Override {
                id: id.clone(),
                range: range.clone(),
                replaced: replaced.filter(|r| r.range != *range).cloned().collect(),
            }
        });
        Resolution {
            overrides: overrides.collect(),
            packages,
            left_out: self.left_out,
            steps,
        }
    }

    fn chosen(&self, package: u32, version: u32, incoming: &[(Requires, bool)]) -> Chosen {
        let problem = self.problem;
        let universe = problem.universe;
        let known = universe.known(package, version);
        let allowed = incoming
            .iter()
            .map(|(requires, _)| problem.allowed(requires))
            .reduce(|a, b| a.intersection(&b))
            .unwrap_or_else(VersionSet::empty);
        let required_by = incoming.iter().map(|(requires, optional)| {
            let from = (requires.from != ROOT).then_some(requires.from);
            RequiredBy {
                by: from.map(|from| universe.name(from).clone()),
                version: from
                    .map(|from| universe.known(from, self.selection[&from]).release.clone()),
                range: problem.range(requires.range).clone(),
                optional: *optional,
            }
        });
        let mut below = self.graph[&package].clone();
        below.sort_unstable();
        below.dedup();
        Chosen {
            id: universe.name(package).clone(),
            version: known.release.clone(),
            registry: universe.registry(problem.registry(package)).to_owned(),
            namespace: universe.package(package).namespace().map(str::to_owned),
            digest: known.artifact.digest,
            size: known.artifact.size,
            url: known.artifact.url.clone(),
            yanked: known.artifact.yanked,
            direct: incoming.iter().any(|(requires, _)| requires.from == ROOT),
            optional: !self.required.contains(&package),
            required_by: required_by.collect(),
            dependencies: below
                .into_iter()
                .map(|p| universe.name(p).clone())
                .collect(),
            needs: universe
                .needs_of(package, version)
                .iter()
                .map(|need| universe.needs()[*need as usize].clone())
                .collect(),
            candidates: allowed
                .iter()
                .map(|v| universe.known(package, v).release.clone())
                .collect(),
        }
    }
}
