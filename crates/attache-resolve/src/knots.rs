//! Cycles that an answer must not hold, told to the solver.
//!
//! A cycle is a set of requirements that may not all be taken at once, and the solver only
//! knows requirements. So each cycle becomes a knot: a package with one version for each
//! way on the cycle, where taking a way rules out the version of that way. While at least one
//! way is not taken the knot has a version left; when all are, it has none, and that is a
//! conflict like any other. Ways are between packages, not versions, so one knot rules out
//! every choice of versions that closes the same cycle.

use pubgrub::Map;

use crate::set::VersionSet;

/// The cycles ruled out so far.
#[derive(Default)]
pub(crate) struct Knots {
    /// Each cycle's packages, without the first again at the end.
    cycles: Vec<Vec<u32>>,
    /// Which knots a way is on, and where.
    ways: Map<(u32, u32), Vec<(u32, u32)>>,
}

impl Knots {
    /// Rules a cycle out.
    pub(crate) fn add(&mut self, cycle: Vec<u32>) {
        let knot = crate::universe::number(self.cycles.len());
        let after = cycle.iter().cycle().skip(1);
        for (at, (from, to)) in (0u32..).zip(cycle.iter().zip(after)) {
            self.ways.entry((*from, *to)).or_default().push((knot, at));
        }
        self.cycles.push(cycle);
    }

    /// Returns how much a step has to carry because of these: a word for each 64 ways.
    pub(crate) fn weight(&self) -> u64 {
        let words = self.cycles.iter().map(|cycle| cycle.len() as u64 / 64);
        words.sum()
    }

    /// Returns the knots that the way between two packages is on, and what it leaves open.
    pub(crate) fn on(&self, from: u32, to: u32) -> impl Iterator<Item = (u32, VersionSet)> + '_ {
        let places = self.ways.get(&(from, to)).into_iter().flatten();
        places.map(|(knot, at)| (*knot, self.open(*knot, |place| place != *at)))
    }

    /// Returns the knots on which packages of a kind lie, all of whose ways are taken, and what
    /// is left open.
    pub(crate) fn pulled_by(
        &self,
        taken: impl Fn(u32) -> bool,
    ) -> impl Iterator<Item = (u32, VersionSet)> {
        (0u32..).zip(&self.cycles).filter_map(move |(knot, cycle)| {
            let any = cycle.iter().any(|from| taken(*from));
            any.then(|| {
                let open = self.open(knot, |at| !taken(cycle[at as usize]));
                (knot, open)
            })
        })
    }

    fn open(&self, knot: u32, is_open: impl Fn(u32) -> bool) -> VersionSet {
        let length = crate::universe::number(self.cycles[knot as usize].len());
        (0..length).filter(|at| is_open(*at)).collect()
    }
}
