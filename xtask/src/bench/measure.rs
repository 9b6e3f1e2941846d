//! Timing whole commands, side by side.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use fs_err as fs;

/// A command that takes part.
#[derive(Debug, Default)]
pub(super) struct Contender {
    /// What the table calls it.
    pub(super) name: &'static str,
    /// Whether it is ours.
    pub(super) ours: bool,
    /// The command line, as the shell takes it.
    pub(super) line: String,
    /// Where it runs.
    pub(super) folder: PathBuf,
    /// What it writes, removed before each run; empty when it should find its output there.
    pub(super) fresh: Vec<PathBuf>,
    /// The most rounds it runs, if it is too slow for all of them.
    pub(super) rounds: Option<usize>,
    /// The names of which it must say one when it fails, if failing is what it should do.
    pub(super) fails_about: Option<Vec<String>>,
}

/// What one contender took, over all rounds.
#[derive(Debug, Clone)]
pub(super) struct Measure {
    pub(super) name: &'static str,
    pub(super) ours: bool,
    pub(super) line: String,
    /// How often it ran.
    pub(super) rounds: usize,
    pub(super) median: Duration,
    pub(super) least: Duration,
    /// The peak of memory in the round that does not count, in KiB.
    pub(super) peak: u64,
    /// The bytes of its output, where it has one.
    pub(super) output: Option<u64>,
}

/// Runs all contenders in turn, `rounds` times, after one round that does not count, and says
/// what each took.
///
/// Taking turns spreads whatever else the machine does over everyone, and each round starts with
/// another contender, so that nobody always runs after the same neighbour.
pub(super) fn race(
    contenders: &[Contender],
    rounds: usize,
    surroundings: &[(&str, PathBuf)],
) -> Result<Vec<Measure>> {
    let mut times = vec![Vec::new(); contenders.len()];
    let mut peaks = vec![0; contenders.len()];
    for round in 0..=rounds {
        for turn in 0..contenders.len() {
            let at = (turn + round) % contenders.len();
            if contenders[at]
                .rounds
                .is_some_and(|most| round > most.max(1))
            {
                continue;
            }
            // The round that does not count is the one in which memory is looked at.
            let (time, peak) = once(&contenders[at], surroundings, round == 0)?;
            peaks[at] = peaks[at].max(peak);
            if round > 0 {
                times[at].push(time);
            }
        }
    }
    contenders
        .iter()
        .zip(times)
        .zip(peaks)
        .map(|((contender, mut times), peak)| {
            times.sort();
            let median = times[times.len() / 2];
            println!(
                "    {}: {:.1} ms",
                contender.name,
                median.as_secs_f64() * 1e3
            );
            Ok(Measure {
                name: contender.name,
                ours: contender.ours,
                line: contender.line.clone(),
                rounds: times.len(),
                median,
                least: times[0],
                peak,
                output: size(&contender.fresh)?,
            })
        })
        .collect()
}

/// Returns the bytes of the one file, or of the one file in the one folder, that was written.
fn size(outputs: &[PathBuf]) -> Result<Option<u64>> {
    let [output] = outputs else {
        return Ok(None);
    };
    let mut file = output.clone();
    if output.is_dir() {
        let inside: Result<Vec<_>, _> = fs::read_dir(output)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect();
        let packages = |path: &&PathBuf| path.extension().is_some();
        match inside?.iter().filter(packages).collect::<Vec<_>>()[..] {
            [one] => file = one.clone(),
            _ => return Ok(None),
        }
    }
    Ok(Some(fs::metadata(file)?.len()))
}

/// Prepares a line to be run: by itself where no shell is needed, since starting one takes as
/// long as the shortest of our commands.
fn plain(line: &str) -> Command {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " /._-=:+".contains(c);
    let words = line
        .strip_prefix("exec ")
        .filter(|line| line.chars().all(is_plain));
    let mut words = words.map(str::split_whitespace).into_iter().flatten();
    match words.next() {
        Some(program) => {
            let mut command = Command::new(program);
            command.args(words);
            command
        }
        None => {
            let mut command = Command::new("sh");
            command.args(["-c", line]);
            command
        }
    }
}

/// Runs a contender and returns how long it took. If it is weighed, also its peak of memory in
/// KiB, and then the time has that of a shell and of `time` in it.
pub(super) fn once(
    contender: &Contender,
    surroundings: &[(&str, PathBuf)],
    weighed: bool,
) -> Result<(Duration, u64)> {
    for path in &contender.fresh {
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        } else if path.exists() {
            fs::remove_file(path)?;
        }
    }
    let report = tempfile::NamedTempFile::new()?;
    let mut command = match weighed {
        true => {
            let mut command = Command::new("/usr/bin/time");
            command
                .args(["--format", "%M", "--output"])
                .arg(report.path());
            command.args(["sh", "-c", &contender.line]);
            command
        }
        false => plain(&contender.line),
    };
    command
        .current_dir(&contender.folder)
        .envs(surroundings.iter().map(|(name, value)| (*name, value)))
        .stdin(Stdio::null());
    let start = Instant::now();
    let output = command
        .output()
        .with_context(|| format!("could not start `{}`", contender.line))?;
    let time = start.elapsed();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let as_expected = match &contender.fails_about {
        None => output.status.success(),
        Some(names) => !output.status.success() && names.iter().any(|name| said.contains(name)),
    };
    if !as_expected {
        let wanted = match contender.fails_about {
            None => "failed",
            Some(_) => "did not fail as it should",
        };
        bail!(
            "{}: `{}` {wanted} ({})\n{said}",
            contender.name,
            contender.line,
            output.status
        );
    }
    for path in &contender.fresh {
        if !path.exists() {
            bail!(
                "{}: `{}` did not write {}",
                contender.name,
                contender.line,
                path.display()
            );
        }
    }
    let peak = if weighed { peak(report.path())? } else { 0 };
    Ok((time, peak))
}

fn peak(report: &Path) -> Result<u64> {
    let text = fs::read_to_string(report)?;
    // Before the number, `time` says when the command failed.
    let last = text.lines().last().unwrap_or_default();
    last.trim()
        .parse()
        .with_context(|| format!("`time` reported `{}` instead of KiB", text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contender(name: &'static str, line: &str, folder: &Path, fresh: &[&str]) -> Contender {
        Contender {
            name,
            ours: false,
            line: line.to_owned(),
            folder: folder.to_owned(),
            fresh: fresh.iter().map(|file| folder.join(file)).collect(),
            ..Contender::default()
        }
    }

    #[test]
    fn a_contender_that_fails_or_writes_nothing_is_no_result() {
        let folder = tempfile::tempdir().unwrap();
        let race_one =
            |line, fresh: &[&str]| race(&[contender("x", line, folder.path(), fresh)], 1, &[]);
        assert!(race_one("echo hi > out", &["out"]).is_ok());
        let error = race_one("true", &["out"]).unwrap_err().to_string();
        assert!(error.contains("did not write"), "{error}");
        let error = race_one("echo why >&2; false", &[])
            .unwrap_err()
            .to_string();
        assert!(error.contains("why"), "{error}");
    }

    #[test]
    fn a_contender_that_should_fail_must_fail_for_the_right_reason() {
        let folder = tempfile::tempdir().unwrap();
        let race_one = |line| {
            let about = Some(vec!["p998".to_owned(), "p999".to_owned()]);
            let contender = Contender {
                fails_about: about,
                ..contender("x", line, folder.path(), &[])
            };
            race(&[contender], 1, &[])
        };
        assert!(race_one("echo no p999 >&2; exit 1").is_ok());
        assert!(race_one("echo no p1 >&2; exit 1").is_err());
        assert!(race_one("echo p999").is_err());
    }

    #[test]
    fn a_slow_contender_runs_fewer_rounds_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let slow = Contender {
            rounds: Some(2),
            ..contender("slow", "echo >> slow", folder.path(), &[])
        };
        let quick = contender("quick", "echo >> quick", folder.path(), &[]);
        let measures = race(&[slow, quick], 5, &[]).unwrap();
        assert_eq!((measures[0].rounds, measures[1].rounds), (2, 5));
        let count = |name| fs::read_to_string(folder.path().join(name)).unwrap().len();
        // One more each, which does not count.
        assert_eq!((count("slow"), count("quick")), (3, 6));
    }
}
