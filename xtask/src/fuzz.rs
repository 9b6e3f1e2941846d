//! `cargo xtask fuzz`: libFuzzer on everything that reads bytes from outside.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{self, cargo, root, succeeds, target_dir};

const MANIFEST: [&str; 2] = ["--manifest-path", "fuzz/Cargo.toml"];

/// What to fuzz and for how long.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How long each target runs
    #[arg(long, default_value_t = 60, value_name = "N")]
    seconds: u64,
    /// The target to run; all of them when it is left out
    target: Option<String>,
}

/// Runs the targets, each for its time, and stops at the first crash.
pub(crate) fn run(options: &Options) -> Result<()> {
    ensure_nightly()?;
    let all = targets()?;
    let wanted = match &options.target {
        Some(one) if all.contains(one) => vec![one.clone()],
        Some(one) => bail!("`{one}` is no fuzz target; they are {}", all.join(", ")),
        None => all,
    };
    seed(&[&root().join("fuzz/corpus").to_string_lossy()])?;
    for target in wanted {
        println!("==> fuzzing {target} for {} s", options.seconds);
        shell::run(nightly(&["fuzz", "run", &target, "--"]).args([
            format!("-max_total_time={}", options.seconds),
            // Longer than any fixture, short enough for thousands of runs a second.
            "-max_len=65536".to_owned(),
            "-rss_limit_mb=1024".to_owned(),
            "-timeout=10".to_owned(),
        ]))
        .with_context(|| {
            format!("{target} found something; the input is in fuzz/artifacts/{target}: make it a fixture")
        })?;
    }
    Ok(())
}

/// Checks on the stable toolchain that every target compiles, and runs each over its seeds.
pub(crate) fn smoke() -> Result<()> {
    shell::run(cargo(&["fmt", "--check"]).args(MANIFEST))?;
    shell::run(fuzz_cargo("check").arg("--bins"))
        .context("if fuzz/Cargo.lock is stale, run: cargo xtask generate")?;
    seed(&["--check"])
}

/// Brings the fuzz crate's lock file up to date; it is a workspace of its own.
pub(crate) fn lock() -> Result<()> {
    shell::quiet(cargo(&["metadata", "--format-version", "1"]).args(MANIFEST))
}

/// Writes the seeds into a folder, or with `--check` runs every target over them.
fn seed(arguments: &[&str]) -> Result<()> {
    shell::run(
        fuzz_cargo("run")
            .args(["--quiet", "--example", "seed", "--"])
            .args(arguments),
    )
}

/// Returns a cargo command for the fuzz crate without libFuzzer's runtime, which is C++.
fn fuzz_cargo(verb: &str) -> Command {
    let mut command = cargo(&[verb, "--no-default-features", "--locked"]);
    command.args(MANIFEST).env("CARGO_TARGET_DIR", target_dir());
    command
}

fn nightly(arguments: &[&str]) -> Command {
    let mut command = Command::new("rustup");
    command
        .args(["run", "nightly", "cargo"])
        .args(arguments)
        .current_dir(root())
        // `cargo xtask` set these for the stable toolchain.
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN");
    command
}

fn ensure_nightly() -> Result<()> {
    if shell::find("rustup").is_none() || !succeeds(&mut nightly(&["--version"])) {
        bail!("fuzzing needs the nightly toolchain; run: rustup toolchain install nightly");
    }
    crate::test::ensure_cargo_tool("fuzz", "cargo-fuzz")
}

/// Returns the names of the targets, one file each.
fn targets() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs_err::read_dir(root().join("fuzz/fuzz_targets"))? {
        let path: PathBuf = entry?.path();
        names.extend(
            path.file_stem()
                .map(|stem| stem.to_string_lossy().into_owned()),
        );
    }
    names.sort();
    Ok(names)
}
