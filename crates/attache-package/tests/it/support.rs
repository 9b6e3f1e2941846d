//! What several test files need: a scratch folder, a check for refusals, a second process.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use attache_package::{ArchiveError, Defect, Entry, Limits, Tree, extract};
use tempfile::TempDir;

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
    fs_err::write(&path, bytes).unwrap();
    Tree::open(&path, limits)
}

/// Checks that `bytes` are refused for `defect`, and that nothing is written on the way.
#[track_caller]
pub(crate) fn check_refused(bytes: &[u8], limits: &Limits, defect: Defect, what: &str) {
    let dir = scratch();
    let path = dir.path().join("archive");
    fs_err::write(&path, bytes).unwrap();
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
    let mut names: Vec<_> = fs_err::read_dir(folder)
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

/// Runs `test` of this binary again in a process of its own, started by `sh` with `prelude`,
/// so that it can have a umask or a limit that the other tests must not have. In there,
/// [`given_folder`] is `folder`.
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
    // The build's own folder may be closed to others; a copy of the program is not.
    let program = scratch();
    let mut exe = std::env::current_exe().unwrap();
    if user.is_some() {
        fs_err::set_permissions(program.path(), Permissions::from_mode(0o755)).unwrap();
        let copy = program.path().join("it");
        fs_err::copy(&exe, &copy).unwrap();
        exe = copy;
    }
    let output = command
        .arg("-c")
        .arg(format!("{prelude}; exec \"$@\""))
        .arg("sh")
        .arg(exe)
        .args(["--exact", test, "--test-threads=1"])
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

/// The folder given to [`in_another_process`]; nothing in the first process.
#[expect(
    clippy::disallowed_methods,
    reason = "the first process tells the second"
)]
pub(crate) fn given_folder() -> Option<PathBuf> {
    std::env::var_os("ATTACHE_TEST_FOLDER").map(PathBuf::from)
}
