//! One solve: the problem as `pubgrub` wants to see it.
//!
//! Every set of versions handed over holds only versions that exist, so the solver never has
//! to ask whether a range is empty, and a proof consists of nothing but requirements. Those
//! requirements are what comes back when there is no answer.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;

use pubgrub::{
    Dependencies, DependencyProvider, DerivationTree, External, PackageResolutionStatistics,
    PubGrubError,
};

use crate::knots::Knots;
use crate::problem::{FACTS, Problem, ROOT, Requires};
use crate::request::Strategy;
use crate::set::VersionSet;

/// The chosen version of each package.
pub(crate) type Selection = BTreeMap<u32, u32>;

/// Nodes from here on stand for some of the roots each.
///
/// The solver looks through everything that one decision pulls in, once for each thing pulled
/// in, so a root with thousands of wishes would take their square. It gets them in handfuls.
const HANDFULS: u32 = 6 << 29;
const HANDFUL: usize = 64;

/// Nodes from here on are knots; see [`Knots`].
const KNOTS: u32 = 7 << 29;

/// The node for a version that requires a different version of its own package.
const SELF: u32 = ROOT - 1;

/// Why a solve ended without an answer either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    GaveUp,
    Interrupted,
}

/// How a solve ended.
pub(crate) enum Outcome {
    Solved(Selection),
    /// These requirements alone cannot be met together. Not minimal.
    Unsolvable(BTreeSet<Requires>),
}

/// The part of a problem that one solve is about.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'s> {
    /// What must hold.
    pub(crate) roots: &'s [Requires],
    /// Which of the requirements count.
    pub(crate) counted: Counted<'s>,
    /// Packages whose version is settled; only others are chosen.
    pub(crate) settled: Option<&'s Selection>,
    /// Cycles that an answer must not hold.
    pub(crate) knots: &'s Knots,
}

/// Which requirements count.
#[derive(Clone, Copy)]
pub(crate) enum Counted<'s> {
    All,
    Only(&'s BTreeSet<Requires>),
    /// All, and one of them is met by any version.
    Relaxed(&'s Requires),
}

impl Counted<'_> {
    fn counts(&self, requires: &Requires) -> bool {
        match self {
            Self::All | Self::Relaxed(_) => true,
            Self::Only(these) => these.contains(requires),
        }
    }
}

/// How many decisions that had to be taken again make every further step cost one step more.
///
/// Each of them left the solver something that it looks at again in every step, so that the
/// time for a step grows with them. Counting that in keeps a bound on steps a bound on time.
const DEARER: u64 = 100;

/// Steps that may still be taken, and the way to be told to stop.
pub(crate) struct Budget<'a> {
    left: Cell<u64>,
    used: Cell<u64>,
    interrupted: Option<&'a dyn Fn() -> bool>,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(steps: u64, interrupted: Option<&'a dyn Fn() -> bool>) -> Self {
        Self {
            left: Cell::new(steps),
            used: Cell::new(0),
            interrupted,
        }
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.get()
    }

    fn step(&self, cost: u64) -> Result<(), Stop> {
        if self.interrupted.is_some_and(|asked| asked()) {
            return Err(Stop::Interrupted);
        }
        let left = self.left.get().checked_sub(cost).ok_or(Stop::GaveUp)?;
        self.left.set(left);
        self.used.set(self.used.get() + cost);
        Ok(())
    }
}

/// Finds versions for everything in scope, or the requirements that rule them out.
pub(crate) fn solve(
    problem: &Problem<'_>,
    scope: Scope<'_>,
    budget: &Budget<'_>,
) -> Result<Outcome, Stop> {
    let provider = Provider {
        problem,
        scope,
        budget,
        decided: Cell::new(0),
        decided_first: Cell::new(0),
        weight: scope.knots.weight(),
    };
    match pubgrub::resolve(&provider, Node(ROOT), 0u32) {
        Ok(chosen) => {
            let packages = chosen.iter().filter(|(node, _)| node.0 < FACTS);
            Ok(Outcome::Solved(packages.map(|(p, v)| (p.0, *v)).collect()))
        }
        Err(PubGrubError::NoSolution(proof)) => Ok(Outcome::Unsolvable(provider.used_by(proof))),
        Err(
            PubGrubError::ErrorInShouldCancel(stop)
            | PubGrubError::ErrorRetrievingDependencies { source: stop, .. }
            | PubGrubError::ErrorChoosingVersion { source: stop, .. },
        ) => Err(stop),
    }
}

/// A package, a fact, a knot or the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Node(u32);

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl std::error::Error for Stop {}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GaveUp => "gave up",
            Self::Interrupted => "interrupted",
        })
    }
}

struct Provider<'p, 'a> {
    problem: &'p Problem<'a>,
    scope: Scope<'p>,
    budget: &'p Budget<'a>,
    /// How many decisions were taken, and how many of them for the first time.
    decided: Cell<u64>,
    decided_first: Cell<u64>,
    /// What the knots add to each step.
    weight: u64,
}

type Proof = DerivationTree<Node, VersionSet, String>;

impl Provider<'_, '_> {
    /// Returns the edge that one requirement of a version becomes; nothing when it is met
    /// whatever is chosen.
    fn edge(&self, version: u32, requires: &Requires) -> Option<(Node, VersionSet)> {
        let allowed = match self.scope.counted {
            Counted::Relaxed(this) if self.problem.relaxes(this, requires) => {
                self.problem.any(requires)
            }
            _ => self.problem.allowed(requires),
        };
        if requires.need().is_some() {
            return allowed.is_empty().then_some((Node(requires.to), allowed));
        }
        // Before the next check: a package that wishes for itself is settled.
        if let Some(settled) = self.scope.settled.and_then(|s| s.get(&requires.to)) {
            let met = allowed.contains(*settled);
            return (!met).then_some((Node(requires.to), VersionSet::empty()));
        }
        if requires.to == requires.from {
            let met = allowed.contains(version);
            return (!met).then_some((Node(SELF), VersionSet::empty()));
        }
        Some((Node(requires.to), allowed))
    }

    /// Calls `each` with every requirement of one version of a node that counts.
    fn requirements(&self, node: Node, version: u32, mut each: impl FnMut(Requires)) {
        let counted = self.scope.counted;
        let mut each = |requires: Requires| {
            if counted.counts(&requires) {
                each(requires);
            }
        };
        if node.0 == ROOT || (HANDFULS..KNOTS).contains(&node.0) {
            self.roots_of(node).iter().copied().for_each(&mut each);
        } else if node.0 < FACTS {
            let problem = self.problem;
            problem.requirements(node.0, version).for_each(&mut each);
            problem.unmet(node.0, version).for_each(&mut each);
        }
    }

    /// Returns the roots that a node stands for: few are the root's own, many are in handfuls.
    fn roots_of(&self, node: Node) -> &[Requires] {
        let roots = self.scope.roots;
        match node.0 {
            ROOT if roots.len() <= HANDFUL => roots,
            ROOT => &[],
            handful => {
                let at = (handful - HANDFULS) as usize;
                roots.chunks(HANDFUL).nth(at).unwrap_or_default()
            }
        }
    }

    fn handfuls(&self) -> impl Iterator<Item = (Node, VersionSet)> {
        let roots = self.scope.roots.len();
        let handfuls = if roots > HANDFUL {
            roots.div_ceil(HANDFUL)
        } else {
            0
        };
        (HANDFULS..)
            .take(handfuls)
            .map(|node| (Node(node), VersionSet::below(1)))
    }

    fn edges(&self, node: Node, version: u32) -> Vec<(Node, VersionSet)> {
        let knots = self.scope.knots;
        let mut edges = Vec::new();
        if node.0 == ROOT {
            edges.extend(self.handfuls());
        }
        self.requirements(node, version, |requires| {
            edges.extend(self.edge(version, &requires));
            // Whoever takes this way of a knot keeps the others from closing it.
            let pulled = knots.on(requires.from, requires.to);
            edges.extend(pulled.map(|(knot, open)| (Node(KNOTS + knot), open)));
        });
        if node.0 == ROOT
            && let Some(settled) = self.scope.settled
        {
            let pulled = knots.pulled_by(|from| settled.contains_key(&from));
            edges.extend(pulled.map(|(knot, open)| (Node(KNOTS + knot), open)));
        }
        edges
    }

    /// Returns the requirements that a proof rests on.
    ///
    /// A proof can be as deep as the search was long, so it is walked and taken apart without
    /// recursion.
    fn used_by(&self, proof: Proof) -> BTreeSet<Requires> {
        let mut used = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut todo = vec![Arc::new(proof)];
        // Kept until all has been walked, so that no address is used twice.
        let mut walked = Vec::new();
        while let Some(tree) = todo.pop() {
            if !seen.insert(Arc::as_ptr(&tree)) {
                continue;
            }
            match &*tree {
                DerivationTree::Derived(derived) => {
                    todo.push(Arc::clone(&derived.cause1));
                    todo.push(Arc::clone(&derived.cause2));
                }
                DerivationTree::External(External::FromDependencyOf(from, versions, to, set)) => {
                    self.used_edges(*from, versions, *to, set, &mut used);
                }
                DerivationTree::External(_) => {}
            }
            walked.push(tree);
        }
        while let Some(tree) = walked.pop() {
            if let Some(DerivationTree::Derived(derived)) = Arc::into_inner(tree) {
                walked.push(derived.cause1);
                walked.push(derived.cause2);
            }
        }
        used
    }

    fn used_edges(
        &self,
        from: Node,
        versions: &VersionSet,
        to: Node,
        set: &VersionSet,
        used: &mut BTreeSet<Requires>,
    ) {
        for version in versions.iter() {
            self.requirements(from, version, |requires| {
                let edge = self.edge(version, &requires);
                if edge.is_some_and(|(node, allowed)| node == to && allowed == *set) {
                    used.insert(requires);
                }
            });
        }
    }
}

impl DependencyProvider for Provider<'_, '_> {
    type P = Node;
    type V = u32;
    type VS = VersionSet;
    type M = String;
    type Err = Stop;
    /// What the lock holds comes first, so that new packages bend to it and not the other way;
    /// then what conflicts most and what has no choice, which keeps the search short. Among the
    /// rest the solver takes whoever it met first: what was asked for before what that needs, so
    /// that a shared dependency bends to those who were named and not the other way. Knots come
    /// last: they have no wishes of their own.
    type Priority = (u8, u32, bool);

    fn prioritize(
        &self,
        node: &Node,
        range: &VersionSet,
        statistics: &PackageResolutionStatistics,
    ) -> Self::Priority {
        if node.0 >= FACTS {
            let is_knot = (KNOTS..SELF).contains(&node.0);
            return (if is_knot { 0 } else { 3 }, 0, false);
        }
        let kept = self.problem.locked(node.0);
        let tier = if kept.is_some_and(|v| range.contains(v)) {
            2
        } else {
            1
        };
        (tier, statistics.conflict_count(), range.len() == 1)
    }

    fn choose_version(&self, node: &Node, range: &VersionSet) -> Result<Option<u32>, Stop> {
        self.decided.set(self.decided.get() + 1);
        if node.0 < FACTS
            && let Some(kept) = self.problem.locked(node.0)
            && range.contains(kept)
        {
            return Ok(Some(kept));
        }
        Ok(match self.problem.request.strategy {
            Strategy::Highest if node.0 < FACTS => range.highest(),
            _ => range.lowest(),
        })
    }

    fn get_dependencies(
        &self,
        node: &Node,
        version: &u32,
    ) -> Result<Dependencies<Node, VersionSet, String>, Stop> {
        self.decided_first.set(self.decided_first.get() + 1);
        let edges = self.edges(*node, *version);
        Ok(Dependencies::Available(edges.into_iter().collect()))
    }

    fn should_cancel(&self) -> Result<(), Stop> {
        let again = self.decided.get() - self.decided_first.get();
        self.budget.step(1 + again / DEARER + self.weight)
    }
}
