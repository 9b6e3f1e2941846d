//! How answers look: text for people, JSON for programs.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use attache_ops::build::Warning;
use attache_ops::{Answer, Error, Kind, Outcome};

use crate::cli::Global;
use crate::surroundings::wants_color;

pub(crate) use resolve::{index, lock, outdated, tree, why};
pub(crate) use text::{
    build, convert, diff, init, inspect, quickstart_end, quickstart_step, unpack, validate,
};

mod resolve;
mod text;

/// Where answers go, and in which form.
pub(crate) struct Screen {
    json: bool,
    quiet: bool,
    /// Why an answer did not get out.
    broken: RefCell<Option<io::Error>>,
}

impl Screen {
    pub(crate) fn new(global: &Global) -> Self {
        Self {
            json: global.json,
            quiet: global.quiet,
            broken: RefCell::default(),
        }
    }

    /// Returns whether programs read the answer.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Shows what was asked for: as one JSON document, or as text.
    pub(crate) fn show<T: Outcome>(&self, outcome: T, text: impl FnOnce(&T, &mut String)) {
        if self.json {
            self.document(outcome);
        } else {
            let mut out = String::new();
            text(&outcome, &mut out);
            self.styled(&out);
        }
    }

    /// Shows what was done, which `--quiet` leaves out.
    pub(crate) fn tell<T: Outcome>(&self, outcome: T, text: impl FnOnce(&T, &mut String)) {
        if self.json || !self.quiet {
            self.show(outcome, text);
        }
    }

    /// Shows progress, which `--quiet` and `--json` leave out.
    pub(crate) fn progress(&self, text: impl FnOnce(&mut String)) {
        if !self.json && !self.quiet {
            let mut out = String::new();
            text(&mut out);
            self.styled(&out);
        }
    }

    /// Shows what should be looked at, beside the answer. A JSON answer holds it already.
    pub(crate) fn warn(&self, warnings: &[Warning]) {
        if self.json || self.quiet || warnings.is_empty() {
            return;
        }
        let mut out = String::new();
        text::warnings(warnings, &mut out);
        let mut stderr = AutoStream::new(io::stderr(), colors(&io::stderr()));
        // Where even this cannot be written, nobody is there to read it.
        let _ = stderr.write_all(out.as_bytes());
    }

    /// Shows a text made for another program: as it is, or inside a JSON document.
    pub(crate) fn page(&self, bytes: &[u8]) {
        if self.json {
            let text = String::from_utf8_lossy(bytes).into_owned();
            self.document(attache_ops::Page { text });
        } else {
            self.note(io::stdout().write_all(bytes));
        }
    }

    fn document<T: Outcome>(&self, outcome: T) {
        let written = serde_json::to_vec_pretty(&Answer::new(outcome))
            .map_err(io::Error::other)
            .and_then(|mut bytes| {
                bytes.push(b'\n');
                io::stdout().write_all(&bytes)
            });
        self.note(written);
    }

    fn styled(&self, text: &str) {
        let mut stdout = AutoStream::new(io::stdout(), colors(&io::stdout()));
        self.note(stdout.write_all(text.as_bytes()));
    }

    fn note(&self, written: io::Result<()>) {
        if let Err(error) = written.and_then(|()| io::stdout().flush()) {
            self.broken.borrow_mut().get_or_insert(error);
        }
    }

    /// Ends with `code`, unless the answer did not get out. A closed pipe (`attache inspect |
    /// head`) is no failure of ours; a full disk is.
    pub(crate) fn finish(&self, code: u8) -> ExitCode {
        match self.broken.take() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let cause = attache_package::archive::plain(&error);
                let message = format!("could not write the answer: {cause}");
                self.stderr(&Error::new(Kind::Failed, "ATT-IO", message));
                ExitCode::FAILURE
            }
            _ => ExitCode::from(code),
        }
    }

    /// Shows an error and ends with its exit code.
    pub(crate) fn failure(&self, error: Error) -> ExitCode {
        let code = error.kind.exit_code();
        if self.json {
            self.document(attache_ops::Failure::from(error));
        } else {
            self.stderr(&error);
        }
        self.finish(code)
    }

    fn stderr(&self, error: &Error) {
        let mut out = String::new();
        text::failure(error, &mut out);
        let mut stderr = AutoStream::new(io::stderr(), colors(&io::stderr()));
        // Where even this cannot be written, nobody is there to read it.
        let _ = stderr.write_all(out.as_bytes());
    }
}

/// Shows what is wrong with the arguments. Help and version are no errors.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let screen = Screen {
        json: std::env::args_os().any(|a| a == "--json"),
        quiet: false,
        broken: RefCell::default(),
    };
    if !error.use_stderr() {
        screen.note(error.print());
        return screen.finish(0);
    }
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        && !screen.json
    {
        // Where even this cannot be written, nobody is there to read it.
        let _ = error.print();
        return screen.finish(Kind::Usage.exit_code());
    }
    let text = error.to_string();
    let body = text.split("\n\nUsage:").next().unwrap_or(&text);
    let lines: Vec<_> = body
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    let message = lines.join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let usage = text
        .split("\n\nUsage:")
        .nth(1)
        .and_then(|rest| rest.lines().next());
    let hint = match usage {
        Some(usage) => format!("it is used like this: {}", usage.trim()),
        None => "`attache --help` lists the words".to_owned(),
    };
    screen.failure(Error::new(Kind::Usage, "ATT-USAGE", message).hint(hint))
}

/// Colours only where a person looks: a terminal, and the surroundings have nothing against it.
fn colors(stream: &impl IsTerminal) -> ColorChoice {
    if stream.is_terminal() && wants_color() {
        ColorChoice::Always
    } else {
        ColorChoice::Never
    }
}
