//! How people reach Attaché: the command line.
//!
//! The one idea: a command is thin. It turns arguments into a request, calls one operation of
//! `attache-ops`, and hands the outcome to [`render`], as text for people or as JSON. This is
//! the only crate that reads the environment and the clock, and the only one that prints.
//!
//! Start at [`cli`] for the words, at [`commands`] for what each one does. Not here: anything
//! another program embedding us would need.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

mod cli;
mod commands;
mod render;
mod surroundings;

fn main() -> ExitCode {
    let color = match surroundings::wants_color() {
        true => clap::ColorChoice::Auto,
        false => clap::ColorChoice::Never,
    };
    let parsed = cli::Cli::command()
        .color(color)
        .try_get_matches()
        .and_then(|matches| cli::Cli::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => return render::usage(&error),
    };
    let screen = render::Screen::new(&arguments.global);
    match commands::run(arguments, &screen) {
        Ok(code) => screen.finish(code),
        Err(error) => screen.failure(error),
    }
}
