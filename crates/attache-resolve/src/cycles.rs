//! Circular dependencies: finding them, and listing the paths that form them.
//!
//! A package that needs itself, by whatever way round, can be installed before none of its
//! needs, so no answer holds a cycle of required dependencies. That is decided in two places:
//!
//! - [`find_cycles`] looks before any solve, at everything the request can reach. It lists
//!   the cycles among candidates, which is what an author wants to know, and is no verdict: an
//!   older version may well go without the dependency that closes a cycle.
//! - [`resolve`](crate::resolve()) takes versions that close no cycle wherever there are such,
//!   as it takes versions that do not conflict. Only when every choice is circular is that
//!   a failure, with the cycles of the choice it would have made.
//!
//! An optional dependency never makes a cycle: one that would close it is left out.

use std::collections::BTreeMap;

use attache_package::PackageName;
use pubgrub::Map;

use crate::problem::{Problem, Requires};
use crate::records::CircularDependencyDetection;
use crate::request::Request;
use crate::set::VersionSet;
use crate::universe::{Universe, number};

/// Lists the cycles among everything that a request can reach, before any version is chosen.
///
/// Each is listed once, beginning and ending with its first name in order; the list is sorted
/// and holds at most as many as the request's limits say.
pub fn find_cycles(universe: &Universe, request: &Request<'_>) -> CircularDependencyDetection {
    if universe.is_acyclic() {
        return CircularDependencyDetection {
            has_circular_dependencies: false,
            cycle_paths: Vec::new(),
            is_complete: true,
        };
    }
    let (problem, _) = Problem::new(universe, request);
    let graph = reachable(&problem);
    let found = elementary(&graph, request.limits.cycles);
    CircularDependencyDetection {
        has_circular_dependencies: !found.cycles.is_empty(),
        cycle_paths: found.paths(universe),
        is_complete: found.complete,
    }
}

/// Who needs whom, among all versions that some way leads to.
fn reachable(problem: &Problem<'_>) -> Graph {
    let mut reached: Map<u32, VersionSet> = Map::default();
    let mut graph = Graph::new();
    let mut todo: Vec<(u32, VersionSet)> = Vec::new();
    let packages = problem.wanted.iter().filter(|r| r.need().is_none());
    todo.extend(packages.map(|requires| (requires.to, problem.allowed(requires))));
    while let Some((package, allowed)) = todo.pop() {
        let before = reached.entry(package).or_default();
        let new = allowed.intersection(&before.complement());
        *before = before.union(&new);
        let edges = graph.entry(package).or_default();
        for version in new.iter() {
            for requires in problem.requirements(package, version) {
                let allowed = problem.allowed(&requires);
                if !allowed.is_empty() {
                    edges.push(requires.to);
                    todo.push((requires.to, allowed));
                }
            }
        }
    }
    graph
}

/// Who needs whom, by number.
pub(crate) type Graph = BTreeMap<u32, Vec<u32>>;

/// Cycles, each from its lowest number and without that number again at the end.
pub(crate) struct Cycles {
    pub(crate) cycles: Vec<Vec<u32>>,
    /// Whether these are all.
    pub(crate) complete: bool,
}

impl Cycles {
    /// Returns the cycles by name, closed by their first name again.
    pub(crate) fn paths(&self, universe: &Universe) -> Vec<Vec<PackageName>> {
        let closed = |cycle: &Vec<u32>| {
            let all = cycle.iter().chain(cycle.first());
            all.map(|package| universe.name(*package).clone()).collect()
        };
        self.cycles.iter().map(closed).collect()
    }
}

/// Adds the edge of a requirement to a graph, unless it is about the host.
pub(crate) fn connect(graph: &mut Graph, requires: &Requires) {
    if requires.need().is_none() {
        graph.entry(requires.from).or_default().push(requires.to);
    }
}

/// Returns every elementary cycle in order, or the first `limit` of them.
///
/// This is Johnson's search: from each node in order, only along nodes that are not lower and
/// lie on a cycle with it, so that each cycle is found once, from its lowest node. A node that
/// led nowhere is not tried again until something changes, which bounds the time for each cycle
/// found by the size of the graph.
pub(crate) fn elementary(graph: &Graph, limit: usize) -> Cycles {
    let (names, graph) = compact(graph);
    let mut cycles = Vec::new();
    let mut complete = true;
    let mut start = 0;
    while let Some((first, component)) = next_component(&graph, start) {
        if cycles.len() >= limit {
            complete = false;
            break;
        }
        complete = search(&graph, first, &component, |cycle| {
            if cycles.len() < limit {
                cycles.push(cycle.iter().map(|at| names[*at]).collect());
                return true;
            }
            false
        });
        if !complete {
            break;
        }
        start = first + 1;
    }
    Cycles { cycles, complete }
}

/// Numbers the nodes from zero, with their edges sorted and without twins.
fn compact(graph: &Graph) -> (Vec<u32>, Vec<Vec<usize>>) {
    let names: Vec<u32> = graph.keys().copied().collect();
    let places: Map<u32, usize> = names
        .iter()
        .enumerate()
        .map(|(at, name)| (*name, at))
        .collect();
    let edges = graph.values().map(|to| {
        let known = to.iter().filter_map(|name| places.get(name).copied());
        let mut edges: Vec<usize> = known.collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    });
    let edges = edges.collect();
    (names, edges)
}

/// Returns the lowest node from `start` on that lies on a cycle of nodes from `start` on, and
/// which nodes lie on a cycle with it.
fn next_component(graph: &[Vec<usize>], start: usize) -> Option<(usize, Vec<bool>)> {
    let components = components(graph, start);
    let mut sizes = vec![0usize; graph.len()];
    for node in start..graph.len() {
        sizes[components[node]] += 1;
    }
    let on_cycle = |node: &usize| sizes[components[*node]] > 1 || graph[*node].contains(node);
    let first = (start..graph.len()).find(on_cycle)?;
    let same = |node: usize| node >= start && components[node] == components[first];
    Some((first, (0..graph.len()).map(same).collect()))
}

/// Returns, for each node from `start` on, a name for its strongly connected component: Tarjan's
/// algorithm with its own stack, since a chain of packages may be long.
fn components(graph: &[Vec<usize>], start: usize) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let mut index = vec![NONE; graph.len()];
    let mut low = vec![NONE; graph.len()];
    let mut component = vec![NONE; graph.len()];
    let mut stack = Vec::new();
    let mut counter = 0;
    for root in start..graph.len() {
        if index[root] != NONE {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((node, at)) = calls.last_mut() {
            let node = *node;
            if *at == 0 && index[node] == NONE {
                (index[node], low[node]) = (counter, counter);
                counter += 1;
                stack.push(node);
            }
            if let Some(next) = graph[node].get(*at) {
                *at += 1;
                if *next < start {
                    continue;
                }
                if index[*next] == NONE {
                    calls.push((*next, 0));
                } else if component[*next] == NONE {
                    low[node] = low[node].min(index[*next]);
                }
                continue;
            }
            calls.pop();
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    component[member] = node;
                    if member == node {
                        break;
                    }
                }
            }
        }
    }
    component
}

/// Calls `found` with each cycle through `first` inside its component, until it says stop.
/// Returns whether it never did.
fn search(
    graph: &[Vec<usize>],
    first: usize,
    component: &[bool],
    mut found: impl FnMut(&[usize]) -> bool,
) -> bool {
    let mut blocked = vec![false; graph.len()];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); graph.len()];
    let mut path = vec![first];
    // For each node on the path: the next edge to try, and whether a cycle was found past it.
    let mut calls = vec![(0, false)];
    blocked[first] = true;
    while let (Some(node), Some((at, closed))) = (path.last().copied(), calls.last_mut()) {
        if let Some(next) = graph[node].get(*at).copied() {
            *at += 1;
            if next == first {
                *closed = true;
                if !found(&path) {
                    return false;
                }
            } else if component[next] && !blocked[next] {
                blocked[next] = true;
                path.push(next);
                calls.push((0, false));
            }
            continue;
        }
        let closed = *closed;
        if closed {
            unblock(node, &mut blocked, &mut waiting);
        } else {
            for next in graph[node].iter().filter(|next| component[**next]) {
                if !waiting[*next].contains(&node) {
                    waiting[*next].push(node);
                }
            }
        }
        path.pop();
        calls.pop();
        if let Some((_, parent)) = calls.last_mut() {
            *parent |= closed;
        }
    }
    true
}

fn unblock(node: usize, blocked: &mut [bool], waiting: &mut [Vec<usize>]) {
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        if std::mem::take(&mut blocked[node]) {
            todo.append(&mut waiting[node]);
        }
    }
}

/// Returns whether a graph has no cycle at all, in one pass: nearly every answer has none.
pub(crate) fn is_acyclic(graph: &Graph) -> bool {
    let (_, graph) = compact(graph);
    let mut incoming = vec![0u32; graph.len()];
    for to in graph.iter().flatten() {
        incoming[*to] += 1;
    }
    let mut free: Vec<usize> = (0..graph.len()).filter(|at| incoming[*at] == 0).collect();
    let mut done = 0;
    while let Some(node) = free.pop() {
        done += 1;
        for to in &graph[node] {
            incoming[*to] -= 1;
            if incoming[*to] == 0 {
                free.push(*to);
            }
        }
    }
    number(done) == number(graph.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(edges: &[(u32, u32)], nodes: u32) -> Graph {
        let mut graph: Graph = (0..nodes).map(|node| (node, Vec::new())).collect();
        for (from, to) in edges {
            graph.entry(*from).or_default().push(*to);
        }
        graph
    }

    /// Every simple path from its lowest node back to it, by trying all.
    fn by_trying_all(graph: &Graph) -> Vec<Vec<u32>> {
        fn extend(graph: &Graph, path: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
            let mut next = graph[&path[path.len() - 1]].clone();
            next.sort_unstable();
            next.dedup();
            for to in next {
                if to == path[0] {
                    found.push(path.clone());
                } else if to > path[0] && !path.contains(&to) {
                    path.push(to);
                    extend(graph, path, found);
                    path.pop();
                }
            }
        }
        let mut found = Vec::new();
        for start in graph.keys() {
            extend(graph, &mut vec![*start], &mut found);
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn every_elementary_cycle_is_found_once_and_in_order(
            edges in proptest::collection::vec((0u32..6, 0u32..6), 0..16),
            limit in 0usize..40,
        ) {
            let graph = graph(&edges, 6);
            let expected = by_trying_all(&graph);
            let all = elementary(&graph, usize::MAX);
            prop_assert!(all.complete);
            prop_assert_eq!(&all.cycles, &expected);
            prop_assert_eq!(is_acyclic(&graph), expected.is_empty());
            let some = elementary(&graph, limit);
            prop_assert_eq!(&some.cycles[..], &expected[..limit.min(expected.len())]);
            prop_assert_eq!(some.complete, expected.len() <= limit);
        }
    }

    #[test]
    fn a_long_ring_and_a_dense_knot_end_soon() {
        let ring: Vec<(u32, u32)> = (0..5000).map(|at| (at, (at + 1) % 5000)).collect();
        let found = elementary(&graph(&ring, 5000), 10);
        assert!(found.complete);
        assert_eq!(found.cycles.len(), 1);

        let dense: Vec<(u32, u32)> = (0..60).flat_map(|a| (0..60).map(move |b| (a, b))).collect();
        let found = elementary(&graph(&dense, 60), 10);
        assert!(!found.complete);
        assert_eq!(found.cycles.len(), 10);
    }
}
