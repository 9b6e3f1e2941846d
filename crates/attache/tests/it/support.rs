//! A small vocabulary for whole commands.

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

pub(crate) const FORMATS: [&str; 5] = ["lexichord", "nexo", "holon", "agentforge", "nanobot"];

/// A folder to work in, with a home of its own. Removed when dropped.
pub(crate) struct Place {
    root: tempfile::TempDir,
}

/// What a command answered.
pub(crate) struct Answer {
    output: Output,
    folder: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs_err::create_dir(root.path().join("work")).unwrap();
        Self { root }
    }

    /// Returns the path of something in the working folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    /// Returns everything in the working folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs_err::read_dir(self.path("")).unwrap();
        let mut names: Vec<_> = entries
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs_err::read(self.path(name)).unwrap()
    }

    /// Changes a JSON file.
    pub(crate) fn edit(&self, name: &str, change: impl FnOnce(&mut Value)) {
        let mut value: Value = serde_json::from_slice(&self.read(name)).unwrap();
        change(&mut value);
        self.write(name, value.to_string());
    }

    /// Prepares `attache` with these words, split at spaces.
    #[expect(clippy::disallowed_methods, reason = "git is found by the real PATH")]
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("attache"));
        command
            .args(words.split_whitespace())
            .current_dir(self.path(""))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("ATTACHE_HOME", self.root.path().join("home"));
        command
    }

    /// Runs `attache` with these words, split at spaces.
    pub(crate) fn attache(&self, words: &str) -> Answer {
        let folder = self.root.path().display().to_string();
        Answer {
            output: self.command(words).output().unwrap(),
            folder,
        }
    }

    /// Makes an agent in `folder` with a creation time that does not change.
    pub(crate) fn init(&self, folder: &str, format: &str) {
        let id = if format == "nexo" {
            "local.test_agent"
        } else {
            "test-agent"
        };
        let mut command = self.command(&format!("init {folder} --format {format} --id {id}"));
        command
            .env("SOURCE_DATE_EPOCH", "1769860800")
            .assert()
            .success();
    }
}

impl Answer {
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.output.status.code(),
            Some(code),
            "stdout: {}\nstderr: {}",
            String::from_utf8_lossy(&self.output.stdout),
            String::from_utf8_lossy(&self.output.stderr)
        );
        self
    }

    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        self.exits(0)
    }

    /// Returns standard output, with the folder's name taken out.
    pub(crate) fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).replace(&self.folder, "[ROOT]")
    }

    /// Returns standard error, with the folder's name taken out.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).replace(&self.folder, "[ROOT]")
    }

    /// Returns standard output as JSON; standard error must be empty.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.stderr(), "");
        serde_json::from_slice(&self.output.stdout).unwrap()
    }
}

/// Returns every file below `folder` with its bytes, sorted.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs_err::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.push((name, fs_err::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}
