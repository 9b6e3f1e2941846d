//! What this machine offers an agent.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use attache_package::{Platform, Release};
use attache_resolve::Host;

/// Returns the platform, and the versions of Python and Node that are on the path.
pub fn this_machine() -> Host {
    let runtimes = [("python", "python3"), ("node", "node")];
    let runtimes: BTreeMap<String, Release> = runtimes
        .into_iter()
        .filter_map(|(name, program)| Some((name.to_owned(), version_of(program)?)))
        .collect();
    Host {
        // Nobody can look for host programs; they are stated.
        engines: BTreeMap::new(),
        platform: Some(platform()),
        runtimes,
        is_complete: true,
    }
}

/// Returns the platform this program was built for, in the words that packages use.
fn platform() -> Platform {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let libc = match (cfg!(target_env = "gnu"), cfg!(target_env = "musl")) {
        (true, _) if cfg!(target_os = "linux") => Some("glibc"),
        (_, true) => Some("musl"),
        _ => None,
    };
    Platform {
        os: os.to_owned(),
        arch: arch.to_owned(),
        libc: libc.map(str::to_owned),
    }
}

/// Asks a program for its version: `Python 3.12.1`, `v20.11.0`.
fn version_of(program: &str) -> Option<Release> {
    let output = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let word = text.split_whitespace().last()?;
    Release::from_npm(word).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_has_a_platform_and_the_runtimes_that_are_there() {
        let host = this_machine();
        assert!(
            host.platform
                .is_some_and(|p| !p.os.is_empty() && p.arch != "x86_64")
        );
        let python = version_of("python3");
        assert_eq!(host.runtimes.get("python"), python.as_ref());
        assert_eq!(version_of("no-such-program-here"), None);
    }
}
