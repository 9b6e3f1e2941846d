//! How answers look: text for people, JSON for programs.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use attache_ops::{Answer, Error, Outcome};

use crate::cli::Global;

pub(crate) use text::{
    build, convert, diff, init, inspect, quickstart_end, quickstart_step, unpack, validate,
};

mod text;

/// Where answers go, and in which form.
pub(crate) struct Screen {
    json: bool,
    quiet: bool,
}

impl Screen {
    pub(crate) fn new(global: &Global) -> Self {
        Self {
            json: global.json,
            quiet: global.quiet,
        }
    }

    /// Shows an outcome: as one JSON document, or as text.
    pub(crate) fn show<T: Outcome>(&self, outcome: T, text: impl FnOnce(&T, &mut String)) {
        if self.json {
            let answer = serde_json::to_string_pretty(&Answer::new(outcome)).unwrap_or_default();
            self.raw(format!("{answer}\n").as_bytes());
        } else {
            self.line(|out| text(&outcome, out));
        }
    }

    /// Shows some text, unless JSON was asked for.
    pub(crate) fn line(&self, text: impl FnOnce(&mut String)) {
        if self.json || self.quiet {
            return;
        }
        let mut out = String::new();
        text(&mut out);
        // A closed pipe (`attache inspect | head`) is no failure of ours.
        let _ = AutoStream::new(std::io::stdout(), colors(&std::io::stdout()))
            .write_all(out.as_bytes());
    }

    /// Writes bytes as they are.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        let _ = std::io::stdout().write_all(bytes);
    }

    /// Shows an error and returns its exit code.
    pub(crate) fn failure(&self, error: Error) -> ExitCode {
        let code = ExitCode::from(error.kind.exit_code());
        if self.json {
            let failure = Answer::new(attache_ops::Failure::from(error));
            let answer = serde_json::to_string_pretty(&failure).unwrap_or_default();
            self.raw(format!("{answer}\n").as_bytes());
        } else {
            let mut out = String::new();
            text::failure(&error, &mut out);
            let _ = AutoStream::new(std::io::stderr(), colors(&std::io::stderr()))
                .write_all(out.as_bytes());
        }
        code
    }
}

/// Shows what is wrong with the arguments. Help and version are no errors.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|a| a == "--json");
    if json && error.use_stderr() {
        let message = error.to_string();
        let first = message
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches("error: ")
            .to_owned();
        let error = Error::new(attache_ops::Kind::Usage, "ATT-USAGE", first)
            .hint("`attache --help` lists the words");
        return Screen {
            json: true,
            quiet: false,
        }
        .failure(error);
    }
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}

/// Colours only where a person looks: a terminal, and the surroundings have nothing against it.
fn colors(stream: &impl IsTerminal) -> ColorChoice {
    if stream.is_terminal() && crate::surroundings::wants_color() {
        ColorChoice::Always
    } else {
        ColorChoice::Never
    }
}
