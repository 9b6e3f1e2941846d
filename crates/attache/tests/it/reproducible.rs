//! The same input gives the same bytes.

use std::process::Command as Program;

use crate::support::{FORMATS, Place, files};

fn digest(place: &Place, words: &str, env: &[(&str, &str)]) -> String {
    let mut command = place.command(&format!("build --no-cache --json -o out.bin {words}"));
    let output = command.envs(env.iter().copied()).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    answer["digest"].as_str().unwrap().to_owned()
}

#[test]
fn the_clock_locale_umask_times_order_and_cores_do_not_matter() {
    for format in FORMATS {
        let place = Place::new();
        place.init("agent", format);
        let first = digest(&place, "agent", &[]);
        let settings: [&[(&str, &str)]; 4] = [
            &[
                ("TZ", "Asia/Kathmandu"),
                ("LC_ALL", "tr_TR.UTF-8"),
                ("LANG", "de_DE"),
            ],
            &[("RAYON_NUM_THREADS", "1")],
            &[("RAYON_NUM_THREADS", "7")],
            &[("HOME", "/nonexistent"), ("USER", "someone")],
        ];
        for env in settings {
            assert_eq!(digest(&place, "agent", env), first, "{format} {env:?}");
        }
        // The same files, written in the other order, at another time, under another umask.
        let mut all = files(&place.path("agent"));
        all.reverse();
        for (name, bytes) in &all {
            place.write(&format!("copy/{name}"), bytes);
            let executable = is_executable(&place.path("agent").join(name));
            let mode = if executable { "700" } else { "600" };
            run(
                "chmod",
                &[mode, &place.path("copy").join(name).display().to_string()],
            );
            run(
                "touch",
                &[
                    "-d",
                    "2001-02-03",
                    &place.path("copy").join(name).display().to_string(),
                ],
            );
        }
        assert_eq!(digest(&place, "copy", &[]), first, "{format}: a copy");
    }
}

fn is_executable(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs_err::metadata(path).unwrap().permissions().mode() & 0o100 != 0
}

fn run(program: &str, arguments: &[&str]) {
    assert!(
        Program::new(program)
            .args(arguments)
            .status()
            .unwrap()
            .success(),
        "{program}"
    );
}

/// Runs git in the agent's folder, on a day in 2020.
fn git(place: &Place, words: &[&str]) {
    let mut git = Program::new("git");
    git.arg("-C").arg(place.path("agent"));
    git.args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(words);
    git.env("GIT_COMMITTER_DATE", "2020-02-02T02:02:02Z");
    git.env("GIT_AUTHOR_DATE", "2020-02-02T02:02:02Z");
    assert!(git.output().unwrap().status.success(), "{words:?}");
}

#[test]
fn the_creation_time_is_the_epoch_else_the_commit_else_the_manifest() {
    let place = Place::new();
    place.init("agent", "lexichord");
    let built = |env: &[(&str, &str)], words: &str| {
        let mut command = place.command(&format!(
            "build agent --no-cache --json -o out.lxpkg {words}"
        ));
        let output = command.envs(env.iter().copied()).output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (answer["createdAt"].clone(), answer["createdFrom"].clone())
    };
    assert_eq!(
        built(&[], ""),
        ("2026-01-31T12:00:00Z".into(), "manifest".into())
    );
    let git = |words: &[&str]| git(&place, words);
    git(&["init", "-q"]);
    assert_eq!(built(&[], "").1, "manifest", "nothing is committed yet");
    git(&["add", "-A"]);
    git(&["commit", "-qm", "first"]);
    assert_eq!(
        built(&[], ""),
        ("2020-02-02T02:02:02Z".into(), "commit".into())
    );
    let epoch = [("SOURCE_DATE_EPOCH", "1000000000")];
    assert_eq!(
        built(&epoch, ""),
        ("2001-09-09T01:46:40Z".into(), "source-date-epoch".into())
    );
    assert_eq!(built(&epoch, "--stamp").1, "clock");
    let mut command = place.command("build agent");
    command
        .env("SOURCE_DATE_EPOCH", "yesterday")
        .assert()
        .code(2);
}

#[test]
fn a_repository_cannot_run_programs_while_its_time_is_asked() {
    let place = Place::new();
    place.init("agent", "lexichord");
    let mark = place.path("ran").display().to_string();
    let git = |words: &[&str]| git(&place, words);
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "first"]);
    let program = place.write("evil.sh", format!("#!/bin/sh\ntouch {mark}\n"));
    run("chmod", &["755", &program.display().to_string()]);
    for key in [
        "core.fsmonitor",
        "gpg.program",
        "core.pager",
        "core.sshCommand",
        "diff.external",
    ] {
        git(&["config", key, &program.display().to_string()]);
    }
    git(&["config", "log.showSignature", "true"]);
    let answer = place.attache("build agent --json").succeeds().json();
    assert_eq!(answer["createdFrom"], "commit");
    assert!(!place.path("ran").exists());
}
