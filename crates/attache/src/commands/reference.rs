//! Completions, manual pages, and everything `cargo xtask generate` writes.

use std::fmt::Write;
use std::path::Path;

use attache_ops::{Error, Kind};
use attache_package::Defect;
use attache_package::formats::FORMATS;
use clap::CommandFactory;
use fs_err as fs;

use crate::cli::Cli;

/// Returns the completion script for a shell.
pub(super) fn completions(shell: clap_complete::Shell) -> Vec<u8> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "attache", &mut out);
    out
}

/// Returns the manual page of a command, or of attache itself.
pub(super) fn man(name: Option<&str>) -> Result<Vec<u8>, Error> {
    let root = built();
    let command = match name {
        None => root,
        Some(name) => match root.get_subcommands().find(|c| c.get_name() == name) {
            Some(command) => named(command),
            None => {
                return Err(Error::new(
                    Kind::NotFound,
                    "ATT-COMMAND",
                    format!("there is no command `{name}`"),
                )
                .hint("`attache --help` lists them"));
            }
        },
    };
    Ok(page(command))
}

fn built() -> clap::Command {
    let mut root = Cli::command();
    root.build();
    root
}

fn named(command: &clap::Command) -> clap::Command {
    command
        .clone()
        .name(format!("attache-{}", command.get_name()))
        .display_name(format!("attache {}", command.get_name()))
}

fn page(command: clap::Command) -> Vec<u8> {
    let mut out = Vec::new();
    // The date would make the page differ from one day to the next.
    let page = clap_mangen::Man::new(command).date("");
    match page.render(&mut out) {
        Ok(()) => out,
        Err(error) => unreachable!("writing to memory cannot fail: {error}"),
    }
}

/// Writes every generated file below `folder`.
pub(super) fn generate(folder: &Path) -> Result<(), Error> {
    let write = |path: &str, bytes: &[u8]| {
        let path = folder.join(path);
        let made = path
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, bytes));
        made.map_err(|e| Error::new(Kind::Failed, "ATT-IO", format!("could not write: {e}")))
    };
    let json = |value: &serde_json::Value| attache_package::text::pretty_json(value);
    for format in FORMATS {
        write(
            &format!("schemas/{}.manifest.json", format.name()),
            &json(&format.manifest_schema()),
        )?;
        for (name, schema) in format.extra_schemas() {
            write(&format!("schemas/{name}.json"), &json(&schema))?;
        }
    }
    for (name, schema) in attache_ops::schemas() {
        write(
            &format!("schemas/{}.json", name.replace('/', "-")),
            &json(&schema),
        )?;
    }
    let root = built();
    write("man/attache.1", &page(root.clone()))?;
    for command in visible(&root) {
        write(
            &format!("man/attache-{}.1", command.get_name()),
            &page(named(command)),
        )?;
    }
    use clap_complete::Shell;
    for (shell, file) in [
        (Shell::Bash, "attache.bash"),
        (Shell::Zsh, "_attache"),
        (Shell::Fish, "attache.fish"),
        (Shell::PowerShell, "attache.ps1"),
        (Shell::Elvish, "attache.elv"),
    ] {
        write(&format!("completions/{file}"), &completions(shell))?;
    }
    write("docs/reference/cli.md", cli_page(&root).as_bytes())?;
    write("docs/reference/codes.md", codes_page().as_bytes())
}

fn visible(root: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    root.get_subcommands()
        .filter(|c| !c.is_hide_set() && c.get_name() != "help")
}

fn cli_page(root: &clap::Command) -> String {
    let mut page =
        String::from("# The command line\n\nMade from the program by `cargo xtask generate`.\n");
    let _ = write!(page, "{}", EXIT_CODES);
    for command in visible(root) {
        let mut command = command.clone().term_width(100);
        let about = command
            .get_long_about()
            .or(command.get_about())
            .map(ToString::to_string)
            .unwrap_or_default();
        let about = format!("{}.", about.trim_end_matches('.'));
        let usage = command.render_usage().to_string();
        let _ = write!(
            page,
            "\n## `attache {}`\n\n{about}\n\n```text\n{usage}\n```\n\n",
            command.get_name()
        );
        let _ = write!(page, "| argument | meaning |\n|---|---|\n");
        for argument in command
            .get_arguments()
            .filter(|a| !a.is_hide_set() && a.get_id() != "help" && a.get_id() != "version")
        {
            let help = argument
                .get_long_help()
                .or(argument.get_help())
                .map(ToString::to_string)
                .unwrap_or_default();
            let values: Vec<_> = argument
                .get_possible_values()
                .iter()
                .map(|v| format!("`{}`", v.get_name()))
                .collect();
            let values = match argument.get_action() {
                clap::ArgAction::SetTrue => String::new(),
                _ if values.is_empty() => String::new(),
                _ => format!(" One of {}.", values.join(", ")),
            };
            let default: Vec<_> = argument
                .get_default_values()
                .iter()
                .map(|v| v.to_string_lossy().into_owned())
                .collect();
            let default = match argument.get_action() {
                clap::ArgAction::SetTrue => String::new(),
                _ if default.is_empty() => String::new(),
                _ => format!(" Default: `{}`.", default.join(" ")),
            };
            let help = format!("{}.", help.trim_end_matches('.'));
            let _ = writeln!(page, "| `{}` | {help}{values}{default} |", label(argument));
        }
    }
    page
}

fn label(argument: &clap::Arg) -> String {
    let value = argument.get_value_names().map(|names| {
        names
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    });
    let value = value.unwrap_or_default();
    let takes_value = argument.get_action().takes_values();
    match (argument.get_short(), argument.get_long()) {
        (Some(short), Some(long)) if takes_value => format!("-{short}, --{long} {value}"),
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (None, Some(long)) if takes_value => format!("--{long} {value}"),
        (None, Some(long)) => format!("--{long}"),
        _ => value,
    }
}

const EXIT_CODES: &str = "
Data goes to standard output, everything else to standard error. Every command takes `--json`.

| exit code | meaning |
|---|---|
| 0 | it worked |
| 1 | it failed, or the package is not valid |
| 2 | it was asked for in a way that makes no sense |
| 3 | what it is about is not there |
| 4 | no versions go together |
| 5 | something is not what was promised: a digest, a signature |
| 8 | there are changes, and `--check` or `--frozen` was given |
| 130 | someone stopped it |
";

fn codes_page() -> String {
    let mut page = String::from(
        "# Codes\n\nEvery refusal has a stable code. Made from the program by `cargo xtask generate`.\n\n\
         ## Commands\n\n| code | what it means |\n|---|---|\n",
    );
    for (code, meaning) in attache_ops::codes() {
        let _ = writeln!(page, "| `{code}` | {meaning} |");
    }
    page.push_str(
        "\n## Archives and folders\n\nThe whole archive is refused, or it has exactly one meaning.\n\n\
         | code | what is wrong |\n|---|---|\n",
    );
    for defect in Defect::ALL {
        let _ = writeln!(page, "| `{}` | {} |", defect.code(), defect.sentence());
    }
    let mut section = |title: &str, rules: &[&attache_package::Rule]| {
        let _ = write!(
            page,
            "\n## {title}\n\n| code | what must hold |\n|---|---|\n"
        );
        for rule in rules {
            let lenient = if rule.lenient {
                " (a warning with `--lenient`)"
            } else {
                ""
            };
            let _ = writeln!(page, "| `{}` | {}{lenient} |", rule.code, rule.promise);
        }
    };
    section(
        "Every format",
        &[
            attache_package::formats::rules::ALL,
            attache_package::fields::rules::ALL,
        ]
        .concat(),
    );
    for format in FORMATS {
        section(&format!("Format `{}`", format.name()), format.rules());
    }
    page
}
