//! What cannot be, and how it is told.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{lock_text, locked, place, want, write_index};

const CLASH: &str = "
    left 1.0.0: tip ^1
    right 1.0.0: tip ^2
    tip 1.0.0
    tip 2.0.0";

#[test]
fn a_conflict_names_who_and_what_would_help() {
    let place = place(CLASH);
    want(&place, "left = \"*\"\nright = \"*\"");
    let answer = place.attache("lock --index index.jsonl").exits(4);
    insta::assert_snapshot!(answer.stderr());
    assert!(!place.path("attache.lock").exists());
}

#[test]
fn a_conflict_is_also_data() {
    let place = place(CLASH);
    want(&place, "left = \"*\"\nright = \"*\"");
    let answer = place
        .attache("lock --index index.jsonl --json")
        .exits(4)
        .json();
    assert_eq!(answer["error"]["code"], "ATT-RESOLVE-CONFLICT");
    let conflict = &answer["error"]["unresolved"];
    assert_eq!(conflict["kind"], "conflict");
    assert_eq!(conflict["isMinimal"], true);
    assert_eq!(conflict["requirements"].as_array().unwrap().len(), 4);
    assert!(!conflict["suggestions"].as_array().unwrap().is_empty());
}

#[test]
fn a_circle_is_told_as_its_path() {
    let place = place("a 1.0.0: b *\nb 1.0.0: c *\nc 1.0.0: a *");
    want(&place, "a = \"*\"");
    let answer = place.attache("lock --index index.jsonl").exits(4);
    assert!(
        answer
            .stderr()
            .contains("`a` needs `b`, which needs `c`, which needs `a`."),
        "{}",
        answer.stderr()
    );
    let answer = place
        .attache("lock --index index.jsonl --json")
        .exits(4)
        .json();
    let paths = &answer["error"]["unresolved"]["paths"];
    assert_eq!(*paths, serde_json::json!([["a", "b", "c", "a"]]));
}

#[test]
fn a_circle_that_can_be_kept_out_is_kept_out_and_told() {
    let place = place("a 1.0.0\na 1.1.0: b *\nb 1.0.0: a *");
    want(&place, "a = \"*\"\nb = \"*\"");
    let answer = place.attache("lock --index index.jsonl").succeeds();
    assert_eq!(locked(&place), ["a 1.0.0", "b 1.0.0"]);
    assert!(
        answer
            .stdout()
            .contains("kept out 1 circle of dependencies; -v lists them"),
        "{}",
        answer.stdout()
    );
    let answer = place.attache("lock --index index.jsonl -v").succeeds();
    assert!(
        answer.stdout().contains("  a → b → a"),
        "{}",
        answer.stdout()
    );
}

#[test]
fn an_unknown_name_is_told_with_names_like_it() {
    let place = place("researcher 1.0.0\nunrelated 1.0.0");
    want(&place, "reseacher = \"*\"\nquite-other = \"*\"");
    let answer = place.attache("lock --index index.jsonl").exits(4);
    assert!(
        answer
            .stderr()
            .contains("\n  No package called `quite-other` is known.\n"),
        "{}",
        answer.stderr()
    );
    assert!(
        answer
            .stderr()
            .contains("No package called `reseacher` is known. Did you mean `researcher`?"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn a_malformed_range_is_told_with_its_position_wherever_it_stands() {
    let place = place("base 1.0.0: util >=1 <<2\nutil 1.0.0");
    want(&place, "base = \"*\"");
    let answer = place
        .attache("lock --index index.jsonl --override base=1.2.x.4")
        .exits(2);
    assert!(
        answer
            .stderr()
            .contains("`1.2.x.4` is not a version range: at position 6"),
        "{}",
        answer.stderr()
    );
    let answer = place.attache("lock --index index.jsonl").exits(1);
    assert!(
        answer
            .stderr()
            .contains("`index.jsonl` line 2: `>=1 <<2` is not a version range: at position 6"),
        "{}",
        answer.stderr()
    );
    want(&place, "good = \"^1\"\nbase = \"^^1\"");
    let answer = place.attache("lock --index index.jsonl").exits(2);
    assert!(
        answer
            .stderr()
            .contains("attache.toml` line 3: `^^1` is not a version range: at position 2"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn merge_markers_and_other_damage_are_refused_with_the_line() {
    let place = place("base 1.0.0\nbase 1.1.0");
    want(&place, "base = \"*\"");
    place.attache("lock --index index.jsonl").succeeds();
    let good = lock_text(&place);
    let line_of = |text: &str| good.lines().position(|l| l.starts_with(text)).unwrap() + 1;
    let check = |damaged: String, code: &str, line: usize, exit: i32| {
        place.write("attache.lock", &damaged);
        for words in [
            "lock --index index.jsonl",
            "lock --upgrade --index index.jsonl",
            "outdated --index index.jsonl",
        ] {
            let answer = place.attache(words).exits(exit);
            let told = answer.stderr();
            assert!(
                told.contains(code) && told.contains(&format!("line {line}:")),
                "{told}"
            );
        }
        assert_eq!(lock_text(&place), damaged);
    };
    let merged = good.replace(
        "version = \"1.1.0\"",
        "<<<<<<< ours\nversion = \"1.1.0\"\n=======",
    );
    check(merged, "ATT-LOCK-MERGE", line_of("version = \"1.1.0\""), 1);
    let short = good.replace("digest = \"sha256:", "digest = \"sha256:zz");
    check(short, "ATT-LOCK-VALUE", line_of("digest"), 1);
    let mut other = good.clone();
    let at = other.find("sha256:").unwrap() + 7;
    let digit = if &other[at..=at] == "0" { "1" } else { "0" };
    other.replace_range(at..=at, digit);
    check(other, "ATT-LOCK-DIGEST", line_of("digest"), 5);
    check(
        good.replace("version = 1\n", "version = 2\n"),
        "ATT-LOCK-VERSION",
        2,
        1,
    );
}

#[test]
fn without_a_place_to_look_the_next_step_is_told() {
    let place = place("base 1.0.0");
    want(&place, "base = \"*\"");
    let answer = place.attache("lock").exits(2);
    assert!(answer.stderr().contains("--index"), "{}", answer.stderr());
    place.attache("lock --index nowhere").exits(3);
    place
        .attache("lock --index https://example.com/index")
        .exits(2);
    place.attache("lock nowhere --index index.jsonl").exits(3);
    write_index(&place, "twice.jsonl", "base 1.0.0\nbase 1.0.0");
    let answer = place.attache("lock --index twice.jsonl").exits(1);
    assert!(
        answer.stderr().contains("listed twice"),
        "{}",
        answer.stderr()
    );
    place
        .attache("lock --index index.jsonl --index main=twice.jsonl")
        .exits(2);
}

#[test]
fn a_config_that_makes_no_sense_is_told_with_its_line() {
    let place = place("base 1.0.0");
    for (text, line, message) in [
        ("[dependencies]\n\"No\" = \"*\"", "line 2", "No"),
        ("[dependecies]", "line 1", "unknown field `dependecies`"),
        ("[host]\nplatform = \"linux\"", "line 2", "linux/amd64"),
        (
            "[[registry]]\nname = \"workspace\"\nindex = \".\"",
            "",
            "stands for the workspace",
        ),
        (
            "members = [\"../elsewhere\"]",
            "",
            "is not a folder below it",
        ),
    ] {
        place.write("attache.toml", text);
        let answer = place.attache("lock --index index.jsonl").exits(2);
        let told = answer.stderr();
        assert!(told.contains("ATT-CONFIG") && told.contains(line), "{told}");
        assert!(told.contains(message), "{told}");
    }
}

/// Pigeons that each need a hole of their own, one hole too few: there is no short proof.
fn pigeons() -> String {
    let mut lines = Vec::new();
    for pigeon in 0..12 {
        for hole in 0..11 {
            lines.push(format!(
                "pigeon{pigeon} {hole}.0.0: hole{hole} {pigeon}.0.0"
            ));
        }
    }
    for hole in 0..11 {
        lines.extend((0..12).map(|pigeon| format!("hole{hole} {pigeon}.0.0")));
    }
    lines.join("\n")
}

#[test]
fn a_hopeless_search_ends_or_is_ended() {
    let place = place(&pigeons());
    let wanted: Vec<String> = (0..12).map(|p| format!("pigeon{p} = \"*\"")).collect();
    want(&place, &wanted.join("\n"));

    // Ended by Ctrl-C: it answers, in JSON too, and leaves nothing behind.
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("attache"));
    let child = command
        .args(["lock", "--index", "index.jsonl", "--json"])
        .current_dir(place.path(""))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = rustix::process::Pid::from_child(&child);
    // It says nothing before it is done, so a signal is sent until one has been heard.
    let begun = Instant::now();
    std::thread::sleep(Duration::from_millis(200));
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let answer = String::from_utf8(output.stdout).unwrap();
    match output.status.code() {
        Some(130) => assert!(answer.contains("ATT-RESOLVE-INTERRUPTED"), "{answer}"),
        // A machine that is fast enough had given up by itself.
        code => assert!(
            code == Some(4) && answer.contains("GAVE-UP"),
            "{code:?} {answer}"
        ),
    }
    assert!(begun.elapsed() < Duration::from_secs(60));

    let answer = place
        .attache("lock --index index.jsonl --max-steps 2000")
        .exits(4);
    assert!(
        answer.stderr().contains("Gave up after") && answer.stderr().contains("steps"),
        "{}",
        answer.stderr()
    );
    assert!(!place.path("attache.lock").exists());
}

#[test]
fn an_index_cannot_point_out_of_its_folder() {
    let place = place("base 1.0.0");
    want(&place, "base = \"*\"");
    let good = String::from_utf8(place.read("index.jsonl")).unwrap();
    for source in ["/etc/passwd", "../secret", "a/../../secret", "a\\u001bb"] {
        place.write("index.jsonl", good.replace("base-1.0.0.lxpkg", source));
        let answer = place.attache("lock --index index.jsonl").exits(1);
        assert!(
            answer.stderr().contains("line 2: its source"),
            "{}",
            answer.stderr()
        );
    }
    let mut lines: Vec<&str> = good.lines().collect();
    let list = lines[1].replace('{', "[").replace('}', "]");
    lines[1] = &list;
    place.write("index.jsonl", lines.join("\n"));
    place.attache("lock --index index.jsonl").exits(1);
}

#[test]
fn what_no_lock_can_hold_is_not_written() {
    let place = place("base 1.0.0");
    want(&place, "base = \"*\"");
    let good = String::from_utf8(place.read("index.jsonl")).unwrap();
    place.write("index.jsonl", good.replace(":1000", ":9999999999999999999"));
    let answer = place.attache("lock --index index.jsonl").exits(1);
    assert!(
        answer.stderr().contains("ATT-LOCK-UNWRITABLE"),
        "{}",
        answer.stderr()
    );
    assert!(!place.path("attache.lock").exists());
    write_index(&place, "index.jsonl", "base 1.0.0: a *, a ^1\na 1.0.0");
    let answer = place.attache("lock --index index.jsonl").exits(1);
    assert!(
        answer.stderr().contains("it needs `a` twice"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn what_is_no_ordinary_file_is_never_replaced() {
    let place = place("base 1.0.0");
    want(&place, "base = \"*\"");
    place.attache("lock --index index.jsonl").succeeds();
    let pipe = place.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    std::os::unix::fs::symlink(&pipe, place.path("link")).unwrap();
    fs_err::create_dir(place.path("packages")).unwrap();
    for words in [
        "tree -o pipe",
        "tree -o link",
        "index packages -o pipe",
        "tree -o packages",
    ] {
        let answer = place.attache(words);
        assert!(
            answer.stderr().contains("ATT-"),
            "{words}: {}",
            answer.stderr()
        );
    }
    use std::os::unix::fs::FileTypeExt;
    assert!(fs_err::metadata(&pipe).unwrap().file_type().is_fifo());
}
