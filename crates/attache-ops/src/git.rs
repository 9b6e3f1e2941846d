//! The little we ask of the user's own `git`.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Returns the time of the last commit that touched `folder`, in seconds since 1970.
///
/// Nothing if the folder is in no repository or not committed. An error, as a sentence, if it is
/// and git cannot say for sure: another machine might be able to, and would build other bytes.
/// `rev-list` runs no hooks, filters, pagers or signature checks; what could still start a
/// program or reach out is switched off.
pub(crate) fn commit_time(folder: &Path) -> Result<Option<i64>, String> {
    let Ok(folder) = fs_err::canonicalize(folder) else {
        return Ok(None);
    };
    // Starting git costs more than looking.
    if !folder.ancestors().any(|above| above.join(".git").exists()) {
        return Ok(None);
    }
    let output = git(
        &folder,
        &["rev-list", "-1", "--timestamp", "HEAD", "--", "."],
    )?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().next().unwrap_or("it gave no reason");
        // A repository without a commit has no HEAD yet.
        return match first.contains("'HEAD'") {
            true => Ok(None),
            false => Err(format!("git cannot tell the commit's time: {first}")),
        };
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut words = text.split_whitespace();
    let (Some(time), Some(commit)) = (words.next(), words.next()) else {
        return Ok(None);
    };
    if is_boundary(&folder, commit)? {
        return Err(
            "the repository is a shallow clone, which does not reach back to the last change"
                .to_owned(),
        );
    }
    Ok(time.parse().ok())
}

/// Returns whether history was cut off at `commit`, so that an earlier one may be the right one.
fn is_boundary(folder: &Path, commit: &str) -> Result<bool, String> {
    let output = git(folder, &["rev-parse", "--git-path", "shallow"])?;
    let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let cut = fs_err::read_to_string(folder.join(path)).unwrap_or_default();
    Ok(cut.lines().any(|line| line.trim() == commit))
}

fn git(folder: &Path, words: &[&str]) -> Result<Output, String> {
    let mut command = Command::new("git");
    // A hook that runs us sets these, for a repository that need not be ours.
    for name in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_COUNT",
        "GIT_CEILING_DIRECTORIES",
        "GIT_SHALLOW_FILE",
    ] {
        command.env_remove(name);
    }
    command
        .arg("-C")
        .arg(folder)
        .args([
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
        ])
        .args(words)
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            let cause = attache_package::archive::plain(&error);
            format!("the source is in a git repository, and git does not start: {cause}")
        })
}
