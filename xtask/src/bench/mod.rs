//! `cargo xtask bench`: us and our peers on the same work, in the same minutes.
//!
//! Writes `bench/RESULTS.md` with what was measured, and whether each aim was met. A peer that
//! cannot be had or fails ends the run: a table without it would flatter us.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use fs_err as fs;

use crate::shell::{cargo, output, root, run as run_command, target_dir};
use peers::Peers;
use report::{Agent, Part, Results};

mod agent;
mod aims;
mod kernels;
mod large_case;
mod measure;
mod package;
mod peers;
mod report;
mod resolve;

/// How thoroughly to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Measure fewer rounds
    #[arg(long)]
    quick: bool,
    /// How often each command runs
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Measure one part, for a page of its own
    #[arg(long, value_name = "PART", requires = "output")]
    only: Option<Part>,
    /// Also resolve pubgrub's `large_case_u16_NumberVersion.ron`, which is not kept here
    #[arg(long, value_name = "FILE")]
    large_case: Option<PathBuf>,
    /// Write somewhere else than `bench/RESULTS.md`
    #[arg(long, short, value_name = "PATH")]
    output: Option<PathBuf>,
}

/// What every race needs.
struct Setting<'a> {
    attache: &'a Path,
    peers: &'a Peers,
    /// A temporary folder.
    work: &'a Path,
    surroundings: Vec<(&'static str, PathBuf)>,
    rounds: usize,
}

/// Measures everything and writes the page.
pub(crate) fn run(options: &Options) -> Result<()> {
    let rounds = options
        .rounds
        .unwrap_or(if options.quick { 3 } else { 9 })
        .max(1);
    if let Some(file) = options.large_case.as_deref().filter(|file| !file.is_file()) {
        bail!("{} is not a file", file.display());
    }
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
    let work = tempfile::tempdir().context("could not make a temporary folder")?;
    let setting = Setting {
        attache: &target_dir().join("release/attache"),
        peers: &peers,
        work: work.path(),
        surroundings: surroundings(work.path()),
        rounds,
    };
    let wants = |part| options.only.is_none_or(|only| only == part);

    let mut races = Vec::new();
    let mut agent = None;
    let mut large_case = None;
    if wants(Part::Package) {
        let (more, bytes) = package::measure(&setting)?;
        races.extend(more);
        agent = Some(Agent {
            files: agent::FILES,
            bytes,
        });
    }
    if wants(Part::Resolve) {
        races.extend(resolve::measure(&setting)?);
        if let Some(file) = &options.large_case {
            println!("==> pubgrub's large case");
            large_case = Some(large_case::measure(file)?);
        }
    }
    println!("==> kernels");
    let results = Results {
        date: output(Command::new("date").args(["-u", "+%Y-%m-%d"]))?
            .trim()
            .to_owned(),
        commit: commit()?,
        machine: machine()?,
        versions: peers.versions()?,
        rounds,
        only: options.only,
        agent,
        races,
        kernels: kernels::measure(options.quick, wants)?,
        large_case,
    };
    write(&results, &setting, options.output.as_deref())
}

/// Writes the page, and says on the terminal which aims were met.
fn write(results: &Results, setting: &Setting<'_>, output: Option<&Path>) -> Result<()> {
    let page = root().join(output.unwrap_or("bench/RESULTS.md".as_ref()));
    if let Some(folder) = page.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&page, shortened(&report::render(results), setting))?;
    for aim in results.aims() {
        println!("    {}: {} ({})", aim.met.loudly(), aim.what, aim.came_to);
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
        ("NO_PROXY", "127.0.0.1".into()),
        ("UV_OFFLINE", "1".into()),
        ("UV_NO_PROGRESS", "1".into()),
        ("UV_CACHE_DIR", work.join("uv-cache")),
    ]
}

/// Commands are shown without the temporary folder and without where things were installed.
fn shortened(page: &str, setting: &Setting<'_>) -> String {
    let mut text = page.to_owned();
    let Peers { uv, pnpm, mcpb } = setting.peers;
    for program in [setting.attache, uv, pnpm, mcpb] {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        text = text.replace(&*program.to_string_lossy(), &name);
    }
    text.replace(&format!("{}/", setting.work.display()), "")
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
