//! The little we ask of the user's own `git`.

use std::path::Path;
use std::process::{Command, Stdio};

/// Returns the time of the last commit that touched `folder`, in seconds since 1970.
///
/// Nothing if the folder is in no repository, is not tracked, or there is no git. `rev-list`
/// runs no hooks, filters, pagers or signature checks; what could still start a program or
/// reach out is switched off.
pub(crate) fn commit_time(folder: &Path) -> Option<i64> {
    let folder = fs_err::canonicalize(folder).ok()?;
    // Starting git costs more than looking.
    folder
        .ancestors()
        .find(|above| above.join(".git").exists())?;
    let output = Command::new("git")
        .arg("-C")
        .arg(&folder)
        .args([
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
        ])
        .args(["rev-list", "-1", "--timestamp", "HEAD", "--", "."])
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split_whitespace().next()?.parse().ok()
}
