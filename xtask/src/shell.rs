//! Running programs, and getting those that are missing.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// A program that a chore needs, and the Debian package that brings it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    pub(crate) why: &'static str,
}

/// Returns the root of the workspace that this run is for.
///
/// Asked at run time, because clones that share a target folder share this binary too.
pub(crate) fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.parent().map(Path::to_owned).unwrap_or(manifest)
}

/// Returns a command for the cargo that started us, at the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Returns the folder that cargo builds into.
pub(crate) fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// Returns the command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let quote = |word: &OsStr| {
        let word = word.to_string_lossy();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word.into_owned()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    std::iter::once(quote(name))
        .chain(command.get_args().map(quote))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Runs a command with our own output, and fails when it does.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("could not start `{}`", shown(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", shown(command));
    }
    Ok(())
}

/// Runs a command and returns what it printed; its errors go to the terminal.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("could not start `{}`", shown(command)))?;
    if !output.status.success() {
        bail!("`{}` failed ({})", shown(command), output.status);
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("`{}` printed something that is not UTF-8", shown(command)))
}

/// Runs a command that should say nothing unless it fails; then everything it said is shown.
pub(crate) fn quiet(command: &mut Command) -> Result<()> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("could not start `{}`", shown(command)))?;
    if !output.status.success() {
        bail!(
            "`{}` failed ({})\n{}{}",
            shown(command),
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}

/// Returns whether a command can be run and succeeds, whatever it prints.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Returns where a program is on the search path.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Makes sure that every program is there, installing what is missing where we may.
pub(crate) fn ensure(programs: &[Program]) -> Result<()> {
    let missing: Vec<Program> = programs
        .iter()
        .filter(|program| find(program.name).is_none())
        .copied()
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    match remedy(&missing, may_install()) {
        Remedy::Install(packages) => {
            println!("    installing {}", packages.join(" "));
            let apt = |arguments: &[&str]| {
                let mut command = Command::new("apt-get");
                command
                    .args(arguments)
                    .env("DEBIAN_FRONTEND", "noninteractive");
                command
            };
            quiet(&mut apt(&["update"]))?;
            let mut install = apt(&["install", "--yes", "--no-install-recommends"]);
            quiet(install.args(&packages))?;
            match missing.iter().find(|program| find(program.name).is_none()) {
                Some(still) => bail!(
                    "`{}` is still missing after installing {}",
                    still.name,
                    still.package
                ),
                None => Ok(()),
            }
        }
        Remedy::Tell(sentence) => bail!("{sentence}"),
    }
}

/// What to do about missing programs.
#[derive(Debug, PartialEq, Eq)]
enum Remedy {
    Install(Vec<&'static str>),
    Tell(String),
}

fn remedy(missing: &[Program], may_install: bool) -> Remedy {
    let mut packages: Vec<_> = missing.iter().map(|program| program.package).collect();
    packages.sort_unstable();
    packages.dedup();
    if may_install {
        return Remedy::Install(packages);
    }
    let wanted: Vec<_> = missing
        .iter()
        .map(|program| format!("`{}` ({})", program.name, program.why))
        .collect();
    Remedy::Tell(format!(
        "missing: {}; on Debian, run: apt-get install {}",
        wanted.join(", "),
        packages.join(" ")
    ))
}

/// Returns whether this is Debian and we are its administrator.
fn may_install() -> bool {
    let administrator = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    administrator && Path::new("/etc/debian_version").exists() && find("apt-get").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZIP: Program = Program {
        name: "zip",
        package: "zip",
        why: "to compare with",
    };
    const SEVEN: Program = Program {
        name: "7z",
        package: "p7zip-full",
        why: "to compare with",
    };

    #[test]
    fn what_may_not_be_installed_is_named_with_the_exact_command() {
        let Remedy::Tell(sentence) = remedy(&[ZIP, SEVEN], false) else {
            panic!("nothing may be installed here");
        };
        assert!(
            sentence.ends_with("run: apt-get install p7zip-full zip"),
            "{sentence}"
        );
        assert!(sentence.contains("`7z` (to compare with)"), "{sentence}");
    }

    #[test]
    fn a_package_that_brings_two_programs_is_installed_once() {
        let unzip = Program {
            name: "unzip",
            ..ZIP
        };
        assert_eq!(remedy(&[ZIP, unzip], true), Remedy::Install(vec!["zip"]));
    }

    #[test]
    fn a_shown_command_can_be_pasted() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command.args(["test", "it's here", ""]);
        assert_eq!(shown(&command), r"cargo test 'it'\''s here' ''");
    }

    #[test]
    fn a_failing_command_says_what_it_said() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo why >&2; exit 3"]);
        let error = quiet(&mut command).unwrap_err().to_string();
        assert!(error.contains("why"), "{error}");
        assert!(error.contains('3'), "{error}");
    }
}
