//! What several test files need: a scratch folder, a check for refusals, a second process.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use attache_package::{ArchiveError, Defect, Entry, Limits, Tree, extract};
use tempfile::TempDir;

/// The folder of public suites, or nothing after saying so.
#[expect(clippy::print_stderr, reason = "a test that does not run says so")]
pub(crate) fn conformance(part: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("ATTACHE_CONFORMANCE");
    if folder.is_none() {
        eprintln!("ATTACHE_CONFORMANCE is not set: {part} did not run");
    }
    folder.map(|folder| Path::new(&folder).join(part))
}

/// A scratch folder that is removed in the end.
pub(crate) fn scratch() -> TempDir {
    tempfile::tempdir().unwrap()
}

pub(crate) fn open(path: &Path) -> Result<Tree, ArchiveError> {
    Tree::open(path, &Limits::default())
}

pub(crate) fn open_bytes(bytes: &[u8], limits: &Limits) -> Result<Tree, ArchiveError> {
    let dir = scratch();
    let path = dir.path().join("archive");
    std::fs::write(&path, bytes).unwrap();
    Tree::open(&path, limits)
}

/// Checks that `bytes` are refused for `defect`, and that nothing is written on the way.
#[track_caller]
pub(crate) fn check_refused(bytes: &[u8], limits: &Limits, defect: Defect, what: &str) {
    let dir = scratch();
    let path = dir.path().join("archive");
    std::fs::write(&path, bytes).unwrap();
    let result =
        Tree::open(&path, limits).and_then(|tree| extract(&tree, &dir.path().join("target")));
    match result {
        Ok(()) => panic!("{what}: accepted instead of {defect:?}"),
        Err(error) => assert_eq!(error.defect(), Some(defect), "{what}: {error}"),
    }
    assert_eq!(listing(dir.path()), ["archive"], "{what}: wrote something");
}

/// The names in a folder, sorted.
pub(crate) fn listing(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|child| child.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The paths of a tree.
pub(crate) fn paths(tree: &Tree) -> Vec<&str> {
    tree.entries().iter().map(|e| e.path.as_str()).collect()
}

/// Everything in a tree, with its bytes.
pub(crate) fn contents(tree: &Tree) -> Vec<(Entry, Vec<u8>)> {
    let mut all = Vec::new();
    tree.read_many(|_| true, |entry, bytes| all.push((entry.clone(), bytes)))
        .unwrap();
    all
}

/// Runs one ignored test of this binary in a process of its own, started by `sh` with
/// `prelude`, so that it can have a umask or a limit that the other tests must not have.
#[track_caller]
pub(crate) fn in_another_process(test: &str, prelude: &str, folder: &Path) {
    in_another_process_as(None, test, prelude, folder);
}

/// The same as another user, which only an administrator can ask for.
#[track_caller]
pub(crate) fn in_another_process_as(user: Option<u32>, test: &str, prelude: &str, folder: &Path) {
    let mut command = Command::new("sh");
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    let output = command
        .arg("-c")
        .arg(format!("{prelude}; exec \"$@\""))
        .arg("sh")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--test-threads=1"])
        .env("ATTACHE_TEST_FOLDER", folder)
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{test} under `{prelude}`: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The folder given to [`in_another_process`].
pub(crate) fn given_folder() -> PathBuf {
    std::env::var_os("ATTACHE_TEST_FOLDER").unwrap().into()
}
