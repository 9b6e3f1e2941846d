//! What we want to reach, and whether we did.

use std::time::Duration;

use super::large_case::LargeCase;
use super::measure::Measure;
use super::report::{Kind, Part, Race, Results, mebibytes, milliseconds};

/// The most memory a build or a check may take.
const MEMORY: u64 = 64 << 10;
/// The longest a rebuild with nothing changed may take.
const REBUILD: Duration = Duration::from_millis(20);
/// How far ahead of every other resolver ours shall be.
const AHEAD: u32 = 5;
/// How much longer than the bare solver ours may take.
const BARE: f64 = 1.5;
/// The longest that reading and resolving may take in one process.
const KERNELS: [(&str, Duration); 3] = [
    ("100", Duration::from_millis(1)),
    ("1000", Duration::from_millis(10)),
    ("10000", Duration::from_millis(100)),
];

/// One aim, what it came to, and whether it was met.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Aim {
    pub(super) what: String,
    pub(super) came_to: String,
    pub(super) met: Met,
}

/// Whether an aim was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Met {
    Yes,
    No,
    /// Nobody looked.
    Unknown,
}

impl Met {
    /// Returns it for the page.
    pub(super) fn quietly(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "**no**",
            Self::Unknown => "not measured",
        }
    }

    /// Returns it for the terminal.
    pub(super) fn loudly(self) -> &'static str {
        match self {
            Self::Yes => "met",
            Self::No => "NOT MET",
            Self::Unknown => "not measured",
        }
    }
}

impl From<bool> for Met {
    fn from(met: bool) -> Self {
        if met { Self::Yes } else { Self::No }
    }
}

impl Race {
    /// Returns our entry: the one with default settings comes first.
    pub(super) fn ours(&self) -> Option<&Measure> {
        self.measures.iter().find(|measure| measure.ours)
    }

    fn fastest_peer(&self) -> Option<&Measure> {
        let peers = self.measures.iter().filter(|measure| !measure.ours);
        peers.min_by_key(|measure| measure.median)
    }

    /// Returns the aims of this race, met or not.
    pub(super) fn aims(&self) -> Vec<Aim> {
        let mut aims = Vec::new();
        let Some(ours) = self.ours() else {
            return aims;
        };
        if let Some(peer) = self.fastest_peer() {
            let (ahead, wanted) = match self.kind {
                Kind::Resolve(_) => (AHEAD, format!("ahead of every peer by {AHEAD} times")),
                _ => (2, "at most half the time of the fastest peer".to_owned()),
            };
            let ratio = ours.median.as_secs_f64() / peer.median.as_secs_f64();
            let ratio = match self.kind {
                Kind::Resolve(_) => format!("{:.1} times", ratio.recip()),
                _ => format!("{ratio:.2} of it"),
            };
            aims.push(Aim {
                what: format!("{}: {wanted}", self.title),
                came_to: format!(
                    "{} against {} ({}), {ratio}",
                    milliseconds(ours.median),
                    milliseconds(peer.median),
                    peer.name,
                ),
                met: (ours.median * ahead <= peer.median).into(),
            });
        }
        if let Kind::Resolve(Some(limit)) = self.kind {
            aims.push(Aim {
                what: format!("{}: under {} as a command", self.title, milliseconds(limit)),
                came_to: milliseconds(ours.median),
                met: (ours.median < limit).into(),
            });
        }
        if self.kind == Kind::Rebuild {
            aims.push(Aim {
                what: format!("{}: at most {}", self.title, milliseconds(REBUILD)),
                came_to: milliseconds(ours.median),
                met: (ours.median <= REBUILD).into(),
            });
        }
        if matches!(self.kind, Kind::Build | Kind::Open) {
            aims.push(Aim {
                what: format!("{}: under {} of memory", self.title, mebibytes(MEMORY)),
                came_to: mebibytes(ours.peak),
                met: (ours.peak < MEMORY).into(),
            });
        }
        aims
    }
}

impl Results {
    /// Returns every aim of what was measured.
    pub(super) fn aims(&self) -> Vec<Aim> {
        let mut aims: Vec<Aim> = self.races.iter().flat_map(Race::aims).collect();
        if self.only != Some(Part::Package) {
            aims.extend(
                KERNELS
                    .iter()
                    .filter_map(|(case, limit)| self.kernel_aim(case, *limit)),
            );
            aims.push(self.large_case_aim());
        }
        aims
    }

    /// Reading the universe counts: nobody resolves without having read it.
    fn kernel_aim(&self, case: &str, limit: Duration) -> Option<Aim> {
        let time = |what: &str| {
            let name = format!("resolver, {case}/{what}");
            let kernel = self.kernels.iter().find(|kernel| kernel.name == name);
            kernel.map(|kernel| Duration::from_nanos(kernel.nanoseconds as u64))
        };
        let (read, resolve) = (time("read the universe")?, time("resolve")?);
        Some(Aim {
            what: format!(
                "Resolver, {case} packages: under {} in process",
                milliseconds(limit)
            ),
            came_to: format!(
                "{} to read the universe and {} to resolve",
                milliseconds(read),
                milliseconds(resolve)
            ),
            met: (read + resolve < limit).into(),
        })
    }

    fn large_case_aim(&self) -> Aim {
        let (came_to, met) = match self.large_case {
            None => ("–".to_owned(), Met::Unknown),
            Some(LargeCase { bare, ours, .. }) => {
                let ratio = ours.as_secs_f64() / bare.as_secs_f64();
                (format!("{ratio:.2} times"), (ratio <= BARE).into())
            }
        };
        Aim {
            what: format!("pubgrub's large case: at most {BARE} times the bare solver"),
            came_to,
            met,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::{kernel, race, results};
    use super::*;

    #[track_caller]
    fn check(race: &Race, met: &[bool]) {
        let aims = race.aims();
        let found: Vec<_> = aims.iter().map(|aim| aim.met).collect();
        let met: Vec<Met> = met.iter().map(|met| Met::from(*met)).collect();
        assert_eq!(found, met, "{aims:?}");
    }

    #[test]
    fn an_aim_is_met_only_when_it_is() {
        check(&race(Kind::Build, 100, 63, &[300, 200]), &[true, true]);
        check(&race(Kind::Build, 101, 64, &[300, 200]), &[false, false]);
        check(&race(Kind::Open, 100, 20, &[150]), &[false, true]);
        check(&race(Kind::Rebuild, 20, 0, &[]), &[true]);
        check(&race(Kind::Rebuild, 21, 0, &[]), &[false]);
        check(&race(Kind::Many, 10, 900, &[20]), &[true]);
        let limit = Some(Duration::from_millis(10));
        check(&race(Kind::Resolve(limit), 9, 900, &[45]), &[true, true]);
        check(&race(Kind::Resolve(limit), 10, 900, &[49]), &[false, false]);
        check(&race(Kind::Resolve(None), 10, 900, &[60, 50]), &[true]);
    }

    #[test]
    fn reading_counts_when_resolving_in_process_is_judged() {
        let judged = |read, resolve| {
            let kernels = vec![
                kernel("resolver, 100/read the universe", read),
                kernel("resolver, 100/resolve", resolve),
            ];
            let results = Results {
                kernels,
                ..results()
            };
            results.aims()[0].met
        };
        assert_eq!(judged(4e5, 5e5), Met::Yes);
        assert_eq!(judged(6e5, 5e5), Met::No);
    }
}
