//! Timing whole commands, side by side.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use fs_err as fs;

/// A command that takes part.
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
}

/// What one contender took, over all rounds.
#[derive(Debug, Clone)]
pub(super) struct Measure {
    pub(super) name: &'static str,
    pub(super) ours: bool,
    pub(super) line: String,
    pub(super) median: Duration,
    pub(super) least: Duration,
    /// The highest peak of memory in any round, in KiB.
    pub(super) peak: u64,
    /// The bytes of its output, where it has one.
    pub(super) output: Option<u64>,
}

/// Runs all contenders in turn, `rounds` times, after one round that does not count.
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
            let (time, peak) = once(&contenders[at], surroundings)?;
            if round > 0 {
                times[at].push(time);
                peaks[at] = peaks[at].max(peak);
            }
        }
    }
    contenders
        .iter()
        .zip(times)
        .zip(peaks)
        .map(|((contender, mut times), peak)| {
            times.sort();
            Ok(Measure {
                name: contender.name,
                ours: contender.ours,
                line: contender.line.clone(),
                median: times[times.len() / 2],
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

fn once(contender: &Contender, surroundings: &[(&str, PathBuf)]) -> Result<(Duration, u64)> {
    for path in &contender.fresh {
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        } else if path.exists() {
            fs::remove_file(path)?;
        }
    }
    let report = tempfile::NamedTempFile::new()?;
    let mut command = Command::new("/usr/bin/time");
    command
        .args(["--format", "%M", "--output"])
        .arg(report.path())
        // `exec` leaves only the command itself to be measured, unless the line is a script.
        .args(["sh", "-c", &contender.line])
        .current_dir(&contender.folder)
        .envs(surroundings.iter().map(|(name, value)| (*name, value)))
        .stdin(Stdio::null());
    let start = Instant::now();
    let output = command
        .output()
        .context("could not start `/usr/bin/time`")?;
    let time = start.elapsed();
    if !output.status.success() {
        bail!(
            "{}: `{}` failed ({})\n{}{}",
            contender.name,
            contender.line,
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
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
    Ok((time, peak(report.path())?))
}

fn peak(report: &Path) -> Result<u64> {
    let text = fs::read_to_string(report)?;
    text.trim()
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
}
