//! What `bench/RESULTS.md` says.

use std::fmt::Write as _;
use std::time::Duration;

use super::measure::Measure;

/// The most memory a build or a check may take.
const MEMORY: u64 = 64 << 10;
/// The longest a rebuild with nothing changed may take.
const REBUILD: Duration = Duration::from_millis(20);

/// Everything that was measured.
pub(super) struct Results {
    pub(super) date: String,
    pub(super) commit: String,
    pub(super) machine: String,
    pub(super) versions: Vec<String>,
    pub(super) rounds: usize,
    pub(super) files: usize,
    pub(super) bytes: usize,
    pub(super) races: Vec<Race>,
    pub(super) kernels: Vec<Kernel>,
}

/// One table of contenders.
pub(super) struct Race {
    pub(super) kind: Kind,
    pub(super) title: &'static str,
    pub(super) note: &'static str,
    pub(super) measures: Vec<Measure>,
}

/// What a race is about, and so which aims it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Build,
    Rebuild,
    Open,
    Many,
}

/// One of criterion's medians.
pub(super) struct Kernel {
    pub(super) name: String,
    pub(super) nanoseconds: f64,
    pub(super) bytes: Option<u64>,
}

/// One aim, what it came to, and whether it was met.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Aim {
    pub(super) what: String,
    pub(super) came_to: String,
    pub(super) met: bool,
}

impl Race {
    /// Returns our entry: the one with default settings comes first.
    fn ours(&self) -> Option<&Measure> {
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
            aims.push(Aim {
                what: format!("{}: at most half the time of the fastest peer", self.title),
                came_to: format!(
                    "{} against {} ({}), {:.2} of it",
                    milliseconds(ours.median),
                    milliseconds(peer.median),
                    peer.name,
                    ours.median.as_secs_f64() / peer.median.as_secs_f64()
                ),
                met: ours.median * 2 <= peer.median,
            });
        }
        if self.kind == Kind::Rebuild {
            aims.push(Aim {
                what: format!("{}: at most {}", self.title, milliseconds(REBUILD)),
                came_to: milliseconds(ours.median),
                met: ours.median <= REBUILD,
            });
        }
        if matches!(self.kind, Kind::Build | Kind::Open) {
            aims.push(Aim {
                what: format!("{}: under {} of memory", self.title, mebibytes(MEMORY)),
                came_to: mebibytes(ours.peak),
                met: ours.peak < MEMORY,
            });
        }
        aims
    }
}

/// Writes the whole page.
pub(super) fn render(results: &Results) -> String {
    let mut page = String::from(
        "# Measured\n\nWritten by `cargo xtask bench`. Ratios count, not milliseconds: everyone ran in \
         the same minutes on the same machine, in turns.\n\n",
    );
    let _ = write!(
        page,
        "- date: {}\n- commit: {}\n- machine: {}\n- with: {}\n- the agent: {} files, {:.1} MB of made-up \
         prose, JSON and Python, the same every time\n- rounds: {} for each command, taking turns, after \
         one that does not count; times are wall time with the start of the process, memory is the \
         highest peak of any round\n",
        results.date,
        results.commit,
        results.machine,
        results.versions.join(", "),
        results.files,
        results.bytes as f64 / 1e6,
        results.rounds
    );
    page.push_str("\n## Aims\n\n| aim | came to | met |\n|---|---|---|\n");
    for aim in results.races.iter().flat_map(Race::aims) {
        let met = if aim.met { "yes" } else { "**no**" };
        let _ = writeln!(page, "| {} | {} | {met} |", aim.what, aim.came_to);
    }
    for race in &results.races {
        render_race(race, &mut page);
    }
    render_kernels(&results.kernels, &mut page);
    page
}

fn render_race(race: &Race, page: &mut String) {
    let _ = write!(page, "\n## {}\n\n{}\n\n", race.title, race.note);
    page.push_str(
        "| command | median | least | against ours | peak memory | output |\n|---|--:|--:|--:|--:|--:|\n",
    );
    let ours = race.ours().map(|measure| measure.median);
    for measure in &race.measures {
        let ratio = match ours {
            Some(ours) => measure.median.as_secs_f64() / ours.as_secs_f64(),
            None => f64::NAN,
        };
        let output = match measure.output {
            Some(bytes) => format!("{:.2} MB", bytes as f64 / 1e6),
            None => "–".to_owned(),
        };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {ratio:.2}× | {} | {output} |",
            measure.name,
            milliseconds(measure.median),
            milliseconds(measure.least),
            mebibytes(measure.peak),
        );
    }
    page.push_str("\n```\n");
    for measure in &race.measures {
        let _ = writeln!(page, "{}", measure.line.trim_start_matches("exec "));
    }
    page.push_str("```\n");
}

fn render_kernels(kernels: &[Kernel], page: &mut String) {
    page.push_str(
        "\n## Kernels\n\nMedians of criterion, one process, files in memory.\n\n| what | median | throughput |\n|---|--:|--:|\n",
    );
    for kernel in kernels {
        let throughput = match kernel.bytes {
            Some(bytes) => format!("{:.0} MB/s", bytes as f64 / kernel.nanoseconds * 1e3),
            None => "–".to_owned(),
        };
        let time = match kernel.nanoseconds {
            long if long >= 1e6 => format!("{:.2} ms", long / 1e6),
            middle if middle >= 1e3 => format!("{:.2} µs", middle / 1e3),
            short => format!("{short:.1} ns"),
        };
        let _ = writeln!(page, "| {} | {time} | {throughput} |", kernel.name);
    }
}

fn milliseconds(time: Duration) -> String {
    let value = time.as_secs_f64() * 1e3;
    if value < 100.0 {
        format!("{value:.1} ms")
    } else {
        format!("{value:.0} ms")
    }
}

fn mebibytes(kibibytes: u64) -> String {
    format!("{:.0} MiB", kibibytes as f64 / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(name: &'static str, ours: bool, median: u64, peak: u64) -> Measure {
        Measure {
            name,
            ours,
            line: format!("{name} x"),
            median: Duration::from_millis(median),
            least: Duration::from_millis(median - 1),
            peak: peak << 10,
            output: Some(5_000_000),
        }
    }

    fn race(kind: Kind, ours: u64, peak: u64, peers: &[u64]) -> Race {
        let mut measures = vec![measure("ours", true, ours, peak)];
        measures.extend(peers.iter().map(|ms| measure("peer", false, *ms, 10)));
        Race {
            kind,
            title: "A race",
            note: "",
            measures,
        }
    }

    #[track_caller]
    fn check(race: &Race, met: &[bool]) {
        let aims = race.aims();
        let found: Vec<_> = aims.iter().map(|aim| aim.met).collect();
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
    }

    #[test]
    fn the_page_says_no_where_an_aim_was_missed() {
        let results = Results {
            date: "2026-01-01".to_owned(),
            commit: "abc".to_owned(),
            machine: "a machine".to_owned(),
            versions: vec!["zip 3".to_owned()],
            rounds: 7,
            files: 1_000,
            bytes: 20_000_000,
            races: vec![race(Kind::Build, 150, 20, &[200])],
            kernels: vec![Kernel {
                name: "sha".to_owned(),
                nanoseconds: 1_000.0,
                bytes: Some(1_000),
            }],
        };
        let page = render(&results);
        assert!(
            page.contains("| 150 ms against 200 ms (peer), 0.75 of it | **no** |"),
            "{page}"
        );
        assert!(
            page.contains("| peer | 200 ms | 199 ms | 1.33× | 10 MiB | 5.00 MB |"),
            "{page}"
        );
        assert!(page.contains("| sha | 1.00 µs | 1000 MB/s |"), "{page}");
        assert!(page.contains("\npeer x\n"), "{page}");
    }
}
