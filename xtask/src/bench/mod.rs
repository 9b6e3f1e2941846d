//! `cargo xtask bench`: us and our peers on the same agent, in the same minutes.
//!
//! Writes `bench/RESULTS.md` with what was measured, and whether each aim was met. A peer that
//! cannot be had or fails ends the run: a table without it would flatter us.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use fs_err as fs;

use crate::shell::{cargo, output, quiet, root, run as run_command, target_dir};
use measure::{Contender, Measure, race};
use peers::{Folders, Peers};
use report::{Kind, Race, Results};

mod agent;
mod kernels;
mod measure;
mod peers;
mod report;

/// How thoroughly to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Measure fewer rounds
    #[arg(long)]
    quick: bool,
    /// How often each command runs
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Write somewhere else than `bench/RESULTS.md`
    #[arg(long, short, value_name = "PATH")]
    output: Option<PathBuf>,
}

/// How many small agents are built at once.
const MANY: usize = 100;

/// Measures everything and writes the page.
pub(crate) fn run(options: &Options) -> Result<()> {
    let rounds = options
        .rounds
        .unwrap_or(if options.quick { 3 } else { 9 })
        .max(1);
    println!("==> peers");
    let peers = Peers::install()?;
    println!("==> our release build");
    run_command(&mut cargo(&[
        "build",
        "--release",
        "--locked",
        "--package",
        "attache",
    ]))?;
    let attache = target_dir().join("release/attache");

    println!("==> the agent");
    let work = tempfile::tempdir().context("could not make a temporary folder")?;
    let bench = Bench {
        folders: Folders::write(work.path(), &attache)?,
        out: work.path().join("out"),
        small: work.path().join("small"),
        surroundings: surroundings(work.path()),
        attache,
        peers,
        rounds,
    };
    fs::create_dir_all(&bench.out)?;
    bench.write_small_agents()?;

    let races = vec![
        bench.build()?,
        bench.rebuild()?,
        bench.open()?,
        bench.many()?,
    ];
    println!("==> kernels");
    let results = Results {
        date: output(Command::new("date").args(["-u", "+%Y-%m-%d"]))?
            .trim()
            .to_owned(),
        commit: commit()?,
        machine: machine()?,
        versions: bench.peers.versions()?,
        rounds,
        files: agent::FILES,
        bytes: bench.folders.bytes,
        races,
        kernels: kernels::measure(options.quick)?,
    };
    let page = root().join(
        options
            .output
            .as_deref()
            .unwrap_or("bench/RESULTS.md".as_ref()),
    );
    if let Some(folder) = page.parent() {
        fs::create_dir_all(folder)?;
    }
    // Commands are shown without the temporary folder and without where things were installed.
    let text = shortened(&report::render(&results), &bench, work.path());
    fs::write(&page, text)?;
    for aim in results.races.iter().flat_map(Race::aims) {
        let met = if aim.met { "met" } else { "NOT MET" };
        println!("    {met}: {} ({})", aim.what, aim.came_to);
    }
    println!("wrote {}", page.display());
    Ok(())
}

/// Settings for every contender alike: no colours, no looking for updates, our own home.
fn surroundings(work: &Path) -> Vec<(&'static str, PathBuf)> {
    vec![
        ("ATTACHE_HOME", work.join("home")),
        ("NO_COLOR", "1".into()),
        ("npm_config_update_notifier", "false".into()),
        ("UV_OFFLINE", "1".into()),
        ("UV_NO_PROGRESS", "1".into()),
        ("UV_CACHE_DIR", work.join("uv-cache")),
    ]
}

fn shortened(page: &str, bench: &Bench, work: &Path) -> String {
    let mut text = page.to_owned();
    for program in [
        &bench.attache,
        &bench.peers.uv,
        &bench.peers.pnpm,
        &bench.peers.mcpb,
    ] {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        text = text.replace(&*program.to_string_lossy(), &name);
    }
    text.replace(&format!("{}/", work.display()), "")
}

fn commit() -> Result<String> {
    let git = |arguments: &[&str]| output(Command::new("git").args(arguments).current_dir(root()));
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    let changed = if changed { " and changes on top" } else { "" };
    Ok(format!("{}{changed}", commit.trim()))
}

fn machine() -> Result<String> {
    let field = |file: &str, name: &str| -> Result<String> {
        let text = fs::read_to_string(file)?;
        let value = text.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim().to_owned())
        });
        value.with_context(|| format!("{file} has no `{name}`"))
    };
    let memory: f64 = field("/proc/meminfo", "MemTotal")?
        .trim_end_matches(" kB")
        .parse()?;
    let cores = std::thread::available_parallelism()?;
    Ok(format!(
        "{}, {cores} cores, {:.0} GiB of memory",
        field("/proc/cpuinfo", "model name")?,
        memory / f64::from(1 << 20)
    ))
}

/// Checks that a contender packed the whole agent and nothing besides.
///
/// Whoever leaves files out is fast, and whoever packs another's output is slow; both have
/// happened here. Text like ours packs to between a sixth and a half.
fn check_whole(measure: &Measure, bytes: u64) -> Result<()> {
    let output = measure.output.unwrap_or_default();
    if output < bytes / 6 || output > bytes / 2 {
        bail!(
            "{}: packed {bytes} bytes to {output}, so it did not pack what the others did",
            measure.name
        );
    }
    Ok(())
}

struct Bench {
    attache: PathBuf,
    peers: Peers,
    folders: Folders,
    out: PathBuf,
    small: PathBuf,
    surroundings: Vec<(&'static str, PathBuf)>,
    rounds: usize,
}

impl Bench {
    fn race(
        &self,
        kind: Kind,
        title: &'static str,
        note: &'static str,
        contenders: &[Contender],
    ) -> Result<Race> {
        println!("==> {title}");
        let measures = race(contenders, self.rounds, &self.surroundings)?;
        for Measure { name, median, .. } in &measures {
            println!("    {name}: {:.1} ms", median.as_secs_f64() * 1e3);
        }
        Ok(Race {
            kind,
            title,
            note,
            measures,
        })
    }

    fn ours(&self, name: &'static str, arguments: &str, fresh: Option<PathBuf>) -> Contender {
        Contender {
            name,
            ours: true,
            line: format!("exec {} {arguments}", self.attache.display()),
            folder: self.folders.ours.clone(),
            fresh: fresh.into_iter().collect(),
        }
    }

    fn build(&self) -> Result<Race> {
        let out = |name: &str| self.out.join(name);
        let peer = |name, folder: &PathBuf, line: String, fresh: PathBuf| Contender {
            name,
            ours: false,
            line: format!("exec {line}"),
            folder: folder.clone(),
            fresh: vec![fresh],
        };
        let show = |path: &Path| path.display().to_string();
        let (usual, fast) = (out("ours.lxpkg"), out("ours-1.lxpkg"));
        let contenders = [
            self.ours(
                "attache build",
                &format!("build . -o {} --no-cache", usual.display()),
                Some(usual.clone()),
            ),
            self.ours(
                "attache build, level 1",
                &format!("build . -o {} --no-cache --compression 1", fast.display()),
                Some(fast.clone()),
            ),
            peer(
                "uv build --wheel",
                &self.folders.wheel,
                format!(
                    "{} build --wheel --out-dir {}",
                    show(&self.peers.uv),
                    show(&out("wheel"))
                ),
                out("wheel"),
            ),
            peer(
                "zip -6",
                &self.folders.plain,
                format!("zip -6 -q -r {} .", show(&out("plain.zip"))),
                out("plain.zip"),
            ),
            peer(
                "pnpm pack",
                &self.folders.npm,
                format!(
                    "{} pack --out {}",
                    show(&self.peers.pnpm),
                    show(&out("pnpm.tgz"))
                ),
                out("pnpm.tgz"),
            ),
            peer(
                "npm pack",
                &self.folders.npm,
                format!("npm pack --silent --pack-destination {}", show(&self.out)),
                out("bench-agent-1.0.0.tgz"),
            ),
            peer(
                "mcpb pack",
                &self.folders.mcpb,
                format!(
                    "{} pack . {}",
                    show(&self.peers.mcpb),
                    show(&out("bench.mcpb"))
                ),
                out("bench.mcpb"),
            ),
            peer(
                "7z -mx5",
                &self.folders.plain,
                format!("7z a -tzip -mx5 {} .", show(&out("seven.zip"))),
                out("seven.zip"),
            ),
        ];
        let race = self.race(
            Kind::Build,
            "Build",
            "From a folder to one archive, nothing remembered from before. Ours also checks the source and \
             the result against the format, hashes every file, and takes white space out of JSON. `7z` \
             writes a zip like the others; its own format is several times slower.",
            &contenders,
        )?;
        race.measures
            .iter()
            .try_for_each(|measure| check_whole(measure, self.folders.bytes as u64))?;
        Ok(race)
    }

    fn rebuild(&self) -> Result<Race> {
        let out = self.out.join("again.lxpkg");
        let again = self.ours(
            "attache build, again",
            &format!("build . -o {}", out.display()),
            None,
        );
        self.race(
            Kind::Rebuild,
            "Rebuild with nothing changed",
            "The output and what an earlier build remembered are there.",
            &[again],
        )
    }

    fn open(&self) -> Result<Race> {
        let package = self.out.join("ours.lxpkg").display().to_string();
        let peer = |name, line: String| Contender {
            name,
            ours: false,
            line: format!("exec {line}"),
            folder: self.out.clone(),
            fresh: Vec::new(),
        };
        let contenders = [
            self.ours("attache validate", &format!("validate {package}"), None),
            peer("unzip -t", format!("unzip -tqq {package}")),
            peer("7z t", format!("7z t {package}")),
            peer(
                "python -m zipfile -t",
                format!("python3 -m zipfile -t {package}"),
            ),
        ];
        self.race(
            Kind::Open,
            "Open",
            "Everyone unpacks every byte of our package and checks it. Ours also checks names, structure, \
             manifest and a SHA-256 for each file.",
            &contenders,
        )
    }

    fn write_small_agents(&self) -> Result<()> {
        for number in 0..MANY {
            quiet(
                Command::new(&self.attache)
                    .args(["init", "--format", "lexichord", "--id"])
                    .arg(format!("small-{number}"))
                    .arg(self.small.join(format!("small-{number}"))),
            )?;
        }
        Ok(())
    }

    fn many(&self) -> Result<Race> {
        let all_at_once = |name, ours, command: &str, out: &str| {
            let out = self.out.join(out);
            let (folder, last) = (out.display(), MANY - 1);
            Contender {
                name,
                ours,
                line: format!(
                    "mkdir {folder} && for i in $(seq 0 {last}); do {} & done; wait; \
                     test $(ls {folder} | wc -l) -eq {MANY}",
                    command.replace("OUT", &folder.to_string())
                ),
                folder: self.small.clone(),
                fresh: vec![out.clone()],
            }
        };
        let ours = format!(
            "{} build small-$i -o OUT/$i.lxpkg --no-cache -q",
            self.attache.display()
        );
        let contenders = [
            all_at_once("100 × attache build", true, &ours, "many-ours"),
            all_at_once(
                "100 × zip -6",
                false,
                "zip -6 -q -r OUT/$i.zip small-$i",
                "many-zip",
            ),
        ];
        self.race(
            Kind::Many,
            "100 small builds at once",
            "A hundred scaffolds, a hundred processes started together. Memory is that of the largest one.",
            &contenders,
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn whoever_packs_something_else_is_found_out() {
        let check = |output| {
            let measure = Measure {
                name: "x",
                ours: true,
                line: String::new(),
                median: Duration::ZERO,
                least: Duration::ZERO,
                peak: 0,
                output,
            };
            check_whole(&measure, 20_000_000).is_ok()
        };
        assert!(check(Some(6_000_000)));
        assert!(!check(Some(3_300)));
        assert!(!check(Some(11_370_000)));
        assert!(!check(None));
    }
}
