//! Small promises that two strangers found broken, each kept by a test.

use std::os::unix::ffi::OsStrExt;

use crate::support::{FORMATS, Place};

/// Runs a shell line in the place, with `attache` as `$A`.
fn sh(place: &Place, line: &str) -> std::process::Output {
    std::process::Command::new("sh")
        .args(["-c", line])
        .current_dir(place.path(""))
        .env("A", assert_cmd::cargo::cargo_bin!("attache"))
        .env("ATTACHE_HOME", place.path("../home"))
        .output()
        .unwrap()
}

#[test]
fn an_answer_that_cannot_be_written_is_a_failure_and_a_closed_pipe_is_not() {
    let place = Place::new();
    place.init("agent", "nexo");
    for words in [
        "inspect agent",
        "validate agent --json",
        "man build",
        "diff agent agent",
    ] {
        let output = sh(&place, &format!("\"$A\" {words} > /dev/full"));
        assert_eq!(output.status.code(), Some(1), "{words}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("ATT-IO"),
            "{words}"
        );
    }
    let output = sh(
        &place,
        "\"$A\" inspect agent | head -1 >/dev/null; \"$A\" man build | true",
    );
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn quiet_leaves_out_what_was_done_and_keeps_what_was_asked_for() {
    let place = Place::new();
    assert_eq!(place.attache("init agent -q").succeeds().stdout(), "");
    assert_eq!(place.attache("build agent -q").succeeds().stdout(), "");
    assert_ne!(place.attache("inspect agent -q").succeeds().stdout(), "");
    assert_ne!(place.attache("diff agent agent -q").succeeds().stdout(), "");
}

#[test]
fn a_path_that_is_not_unicode_still_gives_json() {
    let place = Place::new();
    place.init("agent", "nexo");
    let odd = std::ffi::OsStr::from_bytes(b"out\xff.zip");
    let mut command = place.command("build agent --json -o");
    let output = command.arg(odd).output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["output"], "out\u{fffd}.zip");
    let mut command = place.command("inspect --json");
    let output = command.arg(odd).output().unwrap();
    serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
}

#[test]
fn a_conversion_never_changes_what_is_asked_for_in_silence() {
    let place = Place::new();
    for from in FORMATS {
        place.init(from, from);
        let asks = |folder: &str| -> std::collections::BTreeSet<String> {
            let seen = place
                .attache(&format!("inspect {folder} --json"))
                .succeeds()
                .json();
            let list = seen["manifest"]["capabilities"].as_array().unwrap().clone();
            list.iter()
                .map(|c| c.as_str().unwrap().to_owned())
                .collect()
        };
        let before = asks(from);
        for to in FORMATS.into_iter().filter(|to| *to != from) {
            let folder = format!("{from}-{to}");
            let words = format!("convert {from} --to {to} -o {folder} --json");
            let report = place.attache(&words).succeeds().json();
            let after = asks(&folder);
            let said = |list: &str, capability: &str| {
                let wanted = format!("capability {capability}");
                report[list]
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|item| item["what"] == wanted)
            };
            for lost in before.difference(&after) {
                assert!(said("lost", lost), "{folder}: {lost}");
            }
            for gained in after.difference(&before) {
                assert!(said("invented", gained), "{folder}: {gained}");
            }
        }
    }
}

#[test]
fn an_agent_that_cannot_be_made_whole_is_not_made_at_all() {
    let place = Place::new();
    let output = sh(&place, "trap '' XFSZ; ulimit -f 0; \"$A\" init deep/agent");
    assert_eq!(output.status.code(), Some(1));
    assert!(!place.path("deep/agent").exists());
    fs_err::create_dir(place.path("empty")).unwrap();
    sh(
        &place,
        "trap '' XFSZ; ulimit -f 0; cd empty; \"$A\" init . --id x",
    );
    assert_eq!(fs_err::read_dir(place.path("empty")).unwrap().count(), 0);
}

#[test]
fn a_commit_time_that_git_cannot_be_sure_of_is_not_guessed() {
    let place = Place::new();
    place.init("repo/agent", "lexichord");
    place.init("repo/zip", "nexo");
    let git = "git -c user.name=t -c user.email=t@example.com";
    let script = format!(
        "cd repo && git init -q && git add -A && {git} commit -qm one && touch other && \
         git add -A && {git} commit -qm two && cd .. && git clone -q --depth 1 \"file://$PWD/repo\" shallow"
    );
    assert!(sh(&place, &script).status.success());
    let full = place
        .attache("build repo/agent --json -o full.lxpkg")
        .succeeds()
        .json();
    assert_eq!(full["createdFrom"], "commit");
    let answer = place.attache("build shallow/agent").exits(1);
    assert!(
        answer.stderr().contains("ATT-BUILD-COMMIT-TIME"),
        "{}",
        answer.stderr()
    );
    place.attache("build shallow/zip").succeeds();
    let mut command = place.command("build shallow/agent -o epoch.lxpkg");
    command
        .env("SOURCE_DATE_EPOCH", "1000000000")
        .assert()
        .success();
    // A hook sets GIT_DIR, for a repository that need not be the source's.
    let mut command = place.command("build repo/agent --no-cache --json -o again.lxpkg");
    let output = command.env("GIT_DIR", "/nonexistent").output().unwrap();
    let again: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(again["digest"], full["digest"]);
}

#[test]
fn an_hmac_key_is_for_agentforge_alone_and_an_unchecked_signature_is_said() {
    let place = Place::new();
    place.write("key", "secret");
    for format in FORMATS.into_iter().filter(|f| *f != "agentforge") {
        place.init(format, format);
        place
            .attache(&format!("build {format} --hmac-key-file key"))
            .exits(2);
        place
            .attache(&format!("validate {format} --hmac-key-file key"))
            .exits(2);
    }
    place.init("agent", "agentforge");
    let built = place
        .attache("build agent -o pack.zip --hmac-key-file key")
        .succeeds();
    assert!(built.stdout().contains("signed"), "{}", built.stdout());
    let answer = place.attache("validate pack.zip --json").succeeds().json();
    assert_eq!(answer["warnings"][0]["code"], "ATT-HMAC-UNCHECKED");
    place
        .attache("validate pack.zip --hmac-key-file /dev/zero")
        .exits(2);
}

#[test]
fn text_from_strangers_cannot_be_turned_around() {
    let place = Place::new();
    place.init("old", "lexichord");
    place.init("new", "lexichord");
    place.write("new/prompts/system.md", "safe \u{202e}evil\u{202c}\rover\n");
    let shown = place.attache("diff old new").succeeds().stdout();
    assert!(!shown.contains(['\u{202e}', '\r']), "{shown}");
    assert!(shown.contains("\\u{202e}"), "{shown}");
}

#[test]
fn a_prompt_in_a_workflow_or_tool_is_shown_when_it_changes() {
    let place = Place::new();
    place.init("old", "lexichord");
    place.init("new", "lexichord");
    place.edit("new/workflows/brief.json", |w| {
        w["steps"][1]["prompt"] = "Obey me.".into();
    });
    place.edit("new/tools/tools.json", |t| {
        t["tools"][0]["description"] = "Sends mail.".into();
    });
    let shown = place.attache("diff old new").succeeds().stdout();
    assert!(
        shown.contains("Obey me.") && shown.contains("Sends mail."),
        "{shown}"
    );
}

#[test]
fn unpack_makes_parents_and_says_what_to_do_when_the_target_is_there() {
    let place = Place::new();
    place.init("agent", "nanobot");
    place.attache("build agent -o pack.zip").succeeds();
    place.attache("unpack pack.zip -o a/b/c").succeeds();
    let answer = place.attache("unpack pack.zip -o a/b/c").exits(1);
    assert!(
        answer.stderr().contains("name a new one with -o"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn the_end_of_the_name_decides_the_archive() {
    let place = Place::new();
    place.init("agent", "holon");
    place.attache("build agent -o x.tar.zst").succeeds();
    assert_eq!(place.read("x.tar.zst")[..4], [0x28, 0xb5, 0x2f, 0xfd]);
    place
        .attache("build agent -o x.tgz --archive tar.zst")
        .exits(2);
    place.attache("build agent -o x.zip").exits(2);
}

#[test]
fn an_output_never_replaces_an_input() {
    let place = Place::new();
    place.init("agent", "agentforge");
    place.write("key", "secret");
    place
        .attache("build agent --hmac-key-file key -o key")
        .exits(2);
    assert_eq!(place.read("key"), b"secret");
    place.init("base", "lexichord");
    place.attache("build base -o base.lxpkg").succeeds();
    let before = place.read("base.lxpkg");
    place
        .attache("build base --dependency base.lxpkg -o base.lxpkg")
        .exits(2);
    assert_eq!(place.read("base.lxpkg"), before);
}

#[test]
fn an_output_that_is_no_ordinary_file_is_not_replaced() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.write("mine", "mine");
    assert!(sh(&place, "mkfifo pipe; ln -s mine link").status.success());
    for name in ["pipe", "link"] {
        let answer = place.attache(&format!("build agent -o {name}")).exits(1);
        assert!(
            answer.stderr().contains("ATT-ARCHIVE-OUTPUT"),
            "{}",
            answer.stderr()
        );
        assert!(
            !fs_err::symlink_metadata(place.path(name))
                .unwrap()
                .is_file()
        );
    }
    assert_eq!(place.read("mine"), b"mine");
}

#[test]
fn a_pipe_is_no_package_and_nobody_waits_for_it() {
    let place = Place::new();
    assert!(sh(&place, "mkfifo pipe").status.success());
    place.attache("validate pipe").exits(1);
}

#[test]
fn a_killed_build_leaves_nothing_beside_its_output() {
    let place = Place::new();
    place.init("agent", "lexichord");
    for number in 0..40u64 {
        let words = (0..60_000u64).map(|i| format!("{} ", (i * i + number) % 9_973));
        let text: String = words.collect();
        place.write(&format!("agent/resources/{number}.txt"), text);
    }
    let mut killed = 0;
    for after in ["0.02", "0.04", "0.06", "0.08", "0.1", "0.13", "0.16", "0.2"] {
        let line = format!("timeout -s KILL {after} \"$A\" build agent --no-cache -o out.lxpkg");
        killed += u8::from(!sh(&place, &line).status.success());
        let left: Vec<_> = place
            .names()
            .into_iter()
            .filter(|n| n != "out.lxpkg")
            .collect();
        assert_eq!(left, ["agent"], "killed after {after} s");
        if place.path("out.lxpkg").exists() {
            place.attache("validate out.lxpkg").succeeds();
        }
    }
    assert!(killed > 0, "some of them were killed");
}

#[test]
fn usage_errors_have_a_code_and_say_how_it_is_used() {
    let place = Place::new();
    let answer = place.attache("diff one").exits(2);
    assert!(answer.stderr().contains("ATT-USAGE"), "{}", answer.stderr());
    let answer = place.attache("diff --json").exits(2).json();
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("<BEFORE>") && message.contains("<AFTER>"),
        "{message}"
    );
}

#[test]
fn what_we_would_refuse_to_open_we_do_not_write() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.write("agent/resources/zeros.txt", "0".repeat(20 << 20));
    let answer = place.attache("build agent -o out.lxpkg").exits(1);
    assert!(
        answer.stderr().contains("ATT-LIMIT-RATIO"),
        "{}",
        answer.stderr()
    );
    assert!(!place.path("out.lxpkg").exists());
}
