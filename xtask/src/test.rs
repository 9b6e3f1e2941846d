//! `cargo xtask test`: everything that must hold before a change lands.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::shell::{self, Program, cargo};
use crate::{fuzz, generate, tidy};

/// What the tests run besides cargo.
const PROGRAMS: &[Program] = &[
    Program {
        name: "git",
        package: "git",
        why: "tidy lists the tracked files, and builds read the commit time",
    },
    Program {
        name: "cc",
        package: "gcc",
        why: "libdeflate and zstd are C",
    },
    Program {
        name: "python3",
        package: "python3",
        why: "archives are compared with what Python's zipfile and tarfile make of them",
    },
    Program {
        name: "zip",
        package: "zip",
        why: "archives are compared with what zip writes",
    },
    Program {
        name: "unzip",
        package: "unzip",
        why: "archives are compared with what unzip reads",
    },
    Program {
        name: "time",
        package: "time",
        why: "the bench's own tests measure memory with it",
    },
];

type Step = (&'static str, fn() -> Result<()>);

const STEPS: &[Step] = &[
    ("programs", programs),
    ("format", || {
        shell::run(&mut cargo(&["fmt", "--all", "--check"]))
    }),
    ("tidy", tidy::run),
    ("lints", || {
        shell::run(&mut cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "-D",
            "warnings",
        ]))
    }),
    ("tests", || {
        let mut command = cargo(&["nextest", "run", "--workspace", "--locked"]);
        if let Some(folder) = conformance() {
            command.env("ATTACHE_CONFORMANCE", folder);
        }
        shell::run(&mut command)
    }),
    ("documentation tests", || {
        shell::run(&mut cargo(&["test", "--workspace", "--doc", "--locked"]))
    }),
    ("generated files", generate::check),
    ("fuzz targets", fuzz::smoke),
];

/// Runs every step in order and stops at the first that fails.
fn run_steps(steps: &[Step]) -> Result<()> {
    let start = Instant::now();
    for (at, (name, step)) in steps.iter().enumerate() {
        let place = format!("[{}/{}]", at + 1, steps.len());
        println!("==> {place} {name}");
        let began = Instant::now();
        step()
            .with_context(|| format!("{place} {name} failed after {}", seconds(began.elapsed())))?;
        println!("    {name}: ok in {}", seconds(began.elapsed()));
    }
    println!("==> everything passed in {}", seconds(start.elapsed()));
    Ok(())
}

pub(crate) fn run() -> Result<()> {
    match conformance() {
        Some(folder) => println!("conformance data: {}", folder.display()),
        None => println!("conformance data: none, so the tests against public suites do not run"),
    }
    run_steps(STEPS)
}

/// Returns the folder of facts from public suites: where the environment says, else beside the
/// repository.
pub(crate) fn conformance() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("ATTACHE_CONFORMANCE") {
        return Some(folder.into());
    }
    let beside = shell::root().parent()?.join("shared/conformance");
    beside.is_dir().then_some(beside)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// Makes sure that everything the later steps run is there.
fn programs() -> Result<()> {
    shell::ensure(PROGRAMS)?;
    for (tool, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if !shell::succeeds(&mut cargo(&[tool, "--version"])) {
            bail!("`cargo {tool}` is missing; run: rustup component add {component}");
        }
    }
    ensure_cargo_tool("nextest", "cargo-nextest")
}

/// Makes sure that `cargo TOOL` is there, building it from source where it is not.
pub(crate) fn ensure_cargo_tool(tool: &str, package: &str) -> Result<()> {
    if shell::succeeds(&mut cargo(&[tool, "--version"])) {
        return Ok(());
    }
    println!("    `cargo {tool}` is missing; building it takes some minutes");
    shell::run(&mut cargo(&["install", package, "--locked"])).with_context(|| {
        format!("`cargo {tool}` is missing; run: cargo install {package} --locked")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_step_stops_the_run_and_is_named() {
        let steps: &[Step] = &[
            ("first", || Ok(())),
            ("second", || bail!("the reason")),
            ("third", || unreachable!("the run went on")),
        ];
        let error = format!("{:#}", run_steps(steps).unwrap_err());
        assert!(error.starts_with("[2/3] second failed"), "{error}");
        assert!(error.ends_with("the reason"), "{error}");
    }

    #[test]
    fn every_step_runs_when_all_is_well() {
        assert!(run_steps(&[("a", || Ok(())), ("b", || Ok(()))]).is_ok());
    }

    #[test]
    fn a_cargo_tool_that_cannot_be_had_is_named_with_its_command() {
        let error = ensure_cargo_tool("no-such-tool-xyz", "--no-such-flag").unwrap_err();
        assert!(
            format!("{error:#}").contains("run: cargo install --no-such-flag --locked"),
            "{error:#}"
        );
    }
}
