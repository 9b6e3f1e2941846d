//! The project's chores, as `cargo xtask NAME`.
//!
//! The one idea: whatever a person or CI must do is one command that needs no set-up. A
//! program that is missing gets installed, or the error names the exact command; nothing is
//! skipped in silence. `.ci/run` is `cargo xtask test` and nothing else.
//!
//! Start at [`test`]. Not here: anything a user of Attaché runs. This crate imports none of
//! ours, so that `cargo xtask tidy` works even when they do not compile.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a chore talks to the terminal, reads the environment and tells the time"
)]

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod bench;
mod fuzz;
mod generate;
mod shell;
mod test;
mod tidy;

/// The project's chores.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Checks everything: format, tidy, lints, every test, generated files, fuzz targets
    Test,
    /// Checks what the compiler cannot: crate edges, licences, links, leftovers
    Tidy,
    /// Writes the generated references, schemas, man pages and completions
    Generate {
        /// Only say which files are stale, missing or extra
        #[arg(long)]
        check: bool,
    },
    /// Measures us and our peers, and writes `bench/RESULTS.md`
    Bench(bench::Options),
    /// Runs the fuzz targets with the nightly toolchain
    Fuzz(fuzz::Options),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().chore {
        Chore::Test => test::run(),
        Chore::Tidy => tidy::run(),
        Chore::Generate { check: true } => generate::check(),
        Chore::Generate { check: false } => generate::write(),
        Chore::Bench(options) => bench::run(&options),
        Chore::Fuzz(options) => fuzz::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
