//! What `bench/RESULTS.md` says.

use std::fmt::Write as _;
use std::time::Duration;

use super::large_case::LargeCase;
use super::measure::Measure;

/// Everything that was measured.
pub(super) struct Results {
    pub(super) date: String,
    pub(super) commit: String,
    pub(super) machine: String,
    pub(super) versions: Vec<String>,
    pub(super) rounds: usize,
    /// The one part that was measured, if not all were.
    pub(super) only: Option<Part>,
    pub(super) agent: Option<Agent>,
    pub(super) races: Vec<Race>,
    pub(super) kernels: Vec<Kernel>,
    /// Left out unless its data was given.
    pub(super) large_case: Option<LargeCase>,
}

/// What can be measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Part {
    /// Building and opening packages
    Package,
    /// Resolving
    Resolve,
}

/// The agent that was packed.
pub(super) struct Agent {
    pub(super) files: usize,
    pub(super) bytes: usize,
}

/// One table of contenders.
pub(super) struct Race {
    pub(super) kind: Kind,
    pub(super) title: String,
    pub(super) note: String,
    pub(super) measures: Vec<Measure>,
}

/// What a race is about, and so which aims it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Build,
    Rebuild,
    Open,
    Many,
    /// Resolving, in less than a time if there is an aim for it.
    Resolve(Option<Duration>),
}

/// One of criterion's medians.
pub(super) struct Kernel {
    pub(super) name: String,
    pub(super) nanoseconds: f64,
    pub(super) bytes: Option<u64>,
}

/// Writes the whole page.
pub(super) fn render(results: &Results) -> String {
    let mut page = String::from(
        "# Measured\n\nWritten by `cargo xtask bench`. Ratios count, not milliseconds: everyone ran in \
         the same minutes on the same machine, in turns.\n\n",
    );
    let _ = write!(
        page,
        "- date: {}\n- commit: {}\n- machine: {}\n- with: {}\n",
        results.date,
        results.commit,
        results.machine,
        results.versions.join(", ")
    );
    if let Some(only) = results.only {
        let what = match only {
            Part::Package => "building and opening packages",
            Part::Resolve => "resolving",
        };
        let _ = writeln!(page, "- only a part was measured: {what}");
    }
    if let Some(agent) = &results.agent {
        let _ = writeln!(
            page,
            "- the agent: {} files, {:.1} MB of made-up prose, JSON and Python, the same every time",
            agent.files,
            agent.bytes as f64 / 1e6
        );
    }
    let _ = writeln!(
        page,
        "- rounds: {} for each command unless it says otherwise, taking turns, after one that does \
         not count; times are wall time with the start of the process, memory is the peak of the \
         round that does not count",
        results.rounds
    );
    page.push_str("\n## Aims\n\n| aim | came to | met |\n|---|---|---|\n");
    for aim in results.aims() {
        let met = aim.met.quietly();
        let _ = writeln!(page, "| {} | {} | {met} |", aim.what, aim.came_to);
    }
    for race in &results.races {
        render_race(race, results.rounds, &mut page);
    }
    if results.only != Some(Part::Package) {
        render_large_case(results.large_case.as_ref(), &mut page);
    }
    render_kernels(&results.kernels, &mut page);
    page
}

fn render_race(race: &Race, rounds: usize, page: &mut String) {
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
            Some(bytes) if bytes < 100_000 => format!("{:.1} kB", bytes as f64 / 1e3),
            Some(bytes) => format!("{:.2} MB", bytes as f64 / 1e6),
            None => "–".to_owned(),
        };
        let fewer = match measure.rounds {
            all if all == rounds => String::new(),
            fewer => format!(", {fewer} rounds"),
        };
        let _ = writeln!(
            page,
            "| {}{fewer} | {} | {} | {ratio:.2}× | {} | {output} |",
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

fn render_large_case(case: Option<&LargeCase>, page: &mut String) {
    page.push_str("\n## pubgrub's large case\n\n");
    let Some(case) = case else {
        page.push_str(
            "Not measured: its data belongs to pubgrub. `cargo xtask bench --large-case FILE` measures \
             it, with `test-examples/large_case_u16_NumberVersion.ron` from pubgrub's repository.\n",
        );
        return;
    };
    let _ = write!(
        page,
        "Every version of its {} packages as the root, {} in all, in one process, in turns: the bare \
         solver with its own provider, and ours on the same universe. Both find an answer for the same \
         {}. The median of {} rounds through all of them; reading the data is not counted. Ours also \
         looks for circles, says who required what, and explains why a root has no answer; the last row \
         leaves the search for the shortest explanation out.\n\n",
        case.packages, case.roots, case.solvable, case.rounds
    );
    page.push_str("| who | all roots | against the bare solver |\n|---|--:|--:|\n");
    for (who, time) in [
        ("pubgrub", case.bare),
        ("ours", case.ours),
        ("ours, explaining failures less", case.unexplained),
    ] {
        let ratio = time.as_secs_f64() / case.bare.as_secs_f64();
        let _ = writeln!(page, "| {who} | {} | {ratio:.2}× |", milliseconds(time));
    }
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

pub(super) fn milliseconds(time: Duration) -> String {
    let value = time.as_secs_f64() * 1e3;
    if value < 1.0 {
        format!("{value:.2} ms")
    } else if value < 100.0 {
        format!("{value:.1} ms")
    } else {
        format!("{value:.0} ms")
    }
}

pub(super) fn mebibytes(kibibytes: u64) -> String {
    format!("{:.0} MiB", kibibytes as f64 / 1024.0)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn measure(
        name: &'static str,
        ours: bool,
        median: u64,
        peak: u64,
    ) -> Measure {
        Measure {
            name,
            ours,
            line: format!("{name} x"),
            rounds: 7,
            median: Duration::from_millis(median),
            least: Duration::from_millis(median - 1),
            peak: peak << 10,
            output: Some(5_000_000),
        }
    }

    pub(in super::super) fn race(kind: Kind, ours: u64, peak: u64, peers: &[u64]) -> Race {
        let mut measures = vec![measure("ours", true, ours, peak)];
        measures.extend(peers.iter().map(|ms| measure("peer", false, *ms, 10)));
        Race {
            kind,
            title: "A race".to_owned(),
            note: String::new(),
            measures,
        }
    }

    pub(in super::super) fn results() -> Results {
        Results {
            date: "2026-01-01".to_owned(),
            commit: "abc".to_owned(),
            machine: "a machine".to_owned(),
            versions: vec!["zip 3".to_owned()],
            rounds: 7,
            only: None,
            agent: None,
            races: Vec::new(),
            kernels: Vec::new(),
            large_case: None,
        }
    }

    pub(in super::super) fn kernel(name: &str, nanoseconds: f64) -> Kernel {
        Kernel {
            name: name.to_owned(),
            nanoseconds,
            bytes: None,
        }
    }

    #[test]
    fn the_large_case_is_measured_or_the_page_says_how_to() {
        let page = render(&results());
        assert!(page.contains("bare solver | – | not measured |"), "{page}");
        assert!(page.contains("--large-case FILE"), "{page}");
        let case = |ours| LargeCase {
            packages: 83,
            roots: 641,
            solvable: 593,
            rounds: 5,
            bare: Duration::from_millis(10),
            ours: Duration::from_millis(ours),
            unexplained: Duration::from_millis(20),
        };
        for (ours, line) in [
            (15, "| 1.50 times | yes |"),
            (16, "| 1.60 times | **no** |"),
        ] {
            let page = render(&Results {
                large_case: Some(case(ours)),
                ..results()
            });
            assert!(page.contains(line), "{page}");
            assert!(page.contains("less | 20.0 ms | 2.00× |"), "{page}");
        }
    }

    #[test]
    fn a_page_of_one_part_says_so() {
        let page = render(&Results {
            only: Some(Part::Package),
            ..results()
        });
        assert!(
            page.contains("only a part was measured: building"),
            "{page}"
        );
        assert!(!page.contains("large case"), "{page}");
    }

    #[test]
    fn the_page_says_no_where_an_aim_was_missed() {
        let mut race = race(Kind::Build, 150, 20, &[200]);
        race.measures[1].rounds = 2;
        let results = Results {
            agent: Some(Agent {
                files: 1_000,
                bytes: 20_000_000,
            }),
            races: vec![race],
            kernels: vec![Kernel {
                bytes: Some(1_000),
                ..kernel("sha", 1_000.0)
            }],
            ..results()
        };
        let page = render(&results);
        assert!(
            page.contains("| 150 ms against 200 ms (peer), 0.75 of it | **no** |"),
            "{page}"
        );
        assert!(
            page.contains("| peer, 2 rounds | 200 ms | 199 ms | 1.33× | 10 MiB | 5.00 MB |"),
            "{page}"
        );
        assert!(page.contains("| sha | 1.00 µs | 1000 MB/s |"), "{page}");
        assert!(page.contains("\npeer x\n"), "{page}");
    }
}
