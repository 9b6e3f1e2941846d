//! The lock stays still.

use super::{changed_lines, lock_text, locked, place, want, write_index};
use crate::support::Place;

const SMALL: &str = "
    base 1.0.0: util ^1
    base 1.2.0: util ^1.1
    base 2.0.0: util ^2
    util 1.0.0
    util 1.1.0
    util 2.0.0
    other 1.0.0";

#[test]
fn locking_again_with_nothing_changed_rewrites_nothing() {
    let place = place(SMALL);
    want(&place, "base = \"^1\"");
    let first = place.attache("lock --index index.jsonl").succeeds();
    assert!(
        first.stdout().starts_with("locked 2 packages"),
        "{}",
        first.stdout()
    );
    assert_eq!(locked(&place), ["base 1.2.0", "util 1.1.0"]);
    let stamp = || {
        let metadata = fs_err::metadata(place.path("attache.lock")).unwrap();
        use std::os::unix::fs::MetadataExt;
        (metadata.ino(), metadata.mtime_nsec())
    };
    let before = (stamp(), place.read("attache.lock"));
    let again = place.attache("lock --index index.jsonl").succeeds();
    assert!(
        again.stdout().starts_with("up to date attache.lock"),
        "{}",
        again.stdout()
    );
    assert_eq!((stamp(), place.read("attache.lock")), before);
    // A checkout that ends lines in another way is no change.
    let text = lock_text(&place).replace('\n', "\r\n");
    place.write("attache.lock", &text);
    place.attache("lock --check --index index.jsonl").succeeds();
    assert_eq!(lock_text(&place), text);
}

#[test]
fn what_is_locked_stays_when_something_newer_comes() {
    let place = place(SMALL);
    want(&place, "base = \"^1\"");
    place.attache("lock --index index.jsonl").succeeds();
    write_index(
        &place,
        "index.jsonl",
        &format!("{SMALL}\nbase 1.9.0: util ^1\nutil 1.9.0"),
    );
    place.attache("lock --index index.jsonl --check").succeeds();
    place
        .attache("lock --index index.jsonl --upgrade-package util")
        .succeeds();
    assert_eq!(locked(&place), ["base 1.2.0", "util 1.9.0"]);
    place
        .attache("lock --index index.jsonl --upgrade")
        .succeeds();
    assert_eq!(locked(&place), ["base 1.9.0", "util 1.9.0"]);
    let answer = place.attache("lock --index index.jsonl --upgrade-package nothing");
    assert!(answer.exits(3).stderr().contains("ATT-NOT-LOCKED"));
}

#[test]
fn a_change_touches_only_the_lines_it_must() {
    let place = place(SMALL);
    want(&place, "base = \"^1\"");
    place.attache("lock --index index.jsonl").succeeds();
    let before = lock_text(&place);
    want(&place, "base = \"^1\"\nother = \"*\"");
    place.attache("lock --index index.jsonl").succeeds();
    let changed = changed_lines(&before, &lock_text(&place));
    assert!(
        changed.iter().all(|line| line.starts_with('+')),
        "{changed:?}"
    );
    assert_eq!(changed.len(), 1 + 8, "{changed:?}");
}

#[test]
fn check_and_frozen_say_what_would_change_and_change_nothing() {
    let place = place(SMALL);
    want(&place, "base = \"^1\"");
    for flag in ["--check", "--frozen"] {
        let answer = place
            .attache(&format!("lock --index index.jsonl {flag}"))
            .exits(8);
        assert!(
            answer.stdout().contains("+ base 1.2.0"),
            "{}",
            answer.stdout()
        );
        assert!(!place.path("attache.lock").exists());
    }
    place
        .attache("lock --index index.jsonl --dry-run")
        .succeeds();
    assert!(!place.path("attache.lock").exists());
    for words in ["tree --frozen", "why util --frozen", "outdated --frozen"] {
        let answer = place.attache(words).exits(8);
        assert!(
            answer.stderr().contains("ATT-LOCK-STALE"),
            "{}",
            answer.stderr()
        );
    }
}

#[test]
fn the_lowest_versions_show_whether_lower_bounds_are_true() {
    let place = place(SMALL);
    want(&place, "base = \"^1\"");
    place
        .attache("lock --index index.jsonl --strategy lowest")
        .succeeds();
    assert_eq!(locked(&place), ["base 1.0.0", "util 1.0.0"]);
    assert!(lock_text(&place).contains("strategy = \"lowest\""));
}

#[test]
fn an_override_wins_and_is_in_the_lock() {
    let place = place(SMALL);
    want(&place, "base = \"^1\"");
    let answer = place
        .attache("lock --index index.jsonl --override util=^2")
        .succeeds();
    assert_eq!(locked(&place), ["base 1.2.0", "util 2.0.0"]);
    assert!(lock_text(&place).contains("[overrides]\nutil = \"^2\""));
    assert!(
        answer.stderr().contains("ATT-OVERRIDE-ONCE"),
        "{}",
        answer.stderr()
    );
    assert!(
        answer
            .stdout()
            .contains("instead of ^1.1, which base asks for")
    );
    // In the file it stays.
    place.write(
        "attache.toml",
        "[dependencies]\nbase = \"^1\"\n[overrides]\nutil = \"^2\"\n",
    );
    let answer = place.attache("lock --index index.jsonl --check").succeeds();
    assert_eq!(answer.stderr(), "");
}

#[test]
fn a_namespace_keeps_a_higher_version_elsewhere_out() {
    let place = place("acme.base 1.0.0");
    write_index(&place, "evil.jsonl", "acme.base 9.9.9\nfree 1.0.0");
    let config = |namespaces: &str| {
        place.write(
            "attache.toml",
            format!(
                "[dependencies]\n\"acme.base\" = \"*\"\nfree = \"*\"\n\
                 [[registry]]\nname = \"evil\"\nindex = \"evil.jsonl\"\n\
                 [[registry]]\nname = \"main\"\nindex = \"index.jsonl\"\n{namespaces}"
            ),
        );
    };
    config("namespaces = [\"acme\"]\n");
    place.attache("lock").succeeds();
    assert_eq!(locked(&place), ["acme.base 1.0.0", "free 1.0.0"]);
    let lock = lock_text(&place);
    assert!(lock.contains("[namespaces]\nacme = \"main\""), "{lock}");
    assert!(
        lock.contains("registry = \"main\"\nnamespace = \"acme\""),
        "{lock}"
    );
    // Without the binding the lock still keeps a package where it came from.
    config("");
    place.attache("lock").succeeds();
    assert_eq!(locked(&place), ["acme.base 1.0.0", "free 1.0.0"]);
}

#[test]
fn a_version_that_was_taken_back_stays_only_where_it_is_locked() {
    let place = place(SMALL);
    want(&place, "base = \"^1\"");
    place.attache("lock --index index.jsonl").succeeds();
    let taken = SMALL.replace("base 1.2.0", "!base 1.2.0");
    write_index(&place, "index.jsonl", &taken);
    place.attache("lock --index index.jsonl --check").succeeds();
    let answer = place.attache("outdated --index index.jsonl").succeeds();
    assert!(
        answer.stdout().contains("1.2.0 (taken back)"),
        "{}",
        answer.stdout()
    );
    place
        .attache("lock --index index.jsonl --upgrade")
        .succeeds();
    assert_eq!(locked(&place), ["base 1.0.0", "util 1.1.0"]);
}

#[test]
fn an_optional_dependency_is_left_out_with_the_reason() {
    let place =
        place("base 1.0.0: util ^1, ?extra ^1\nutil 1.0.0\nutil 2.0.0\nextra 1.0.0: util ^2");
    want(&place, "base = \"*\"");
    let answer = place.attache("lock --index index.jsonl").succeeds();
    assert_eq!(locked(&place), ["base 1.0.0", "util 1.0.0"]);
    assert!(
        answer
            .stdout()
            .contains("`extra` 1.0.0 needs `util ^2`. `util` 1.0.0 is already chosen."),
        "{}",
        answer.stdout()
    );
    let answer = place.attache("why extra --index index.jsonl").succeeds();
    assert!(
        answer.stdout().contains("extra was left out"),
        "{}",
        answer.stdout()
    );
}

#[test]
fn what_the_host_lacks_is_a_conflict_like_any_other() {
    let place = place("base 1.0.0\nbase 2.0.0: runtime python >=3.13, platform linux/amd64");
    want(&place, "base = \"*\"");
    let chosen = |flags: &str| {
        let lock = place.attache(&format!("lock --index index.jsonl --upgrade {flags}"));
        lock.succeeds();
        locked(&place).remove(0)
    };
    // Nothing is known of the machine, so nothing is asked of it.
    assert_eq!(chosen(""), "base 2.0.0");
    assert!(lock_text(&place).contains("\"runtime python >=3.13\","));
    assert_eq!(chosen("--runtime python=3.12"), "base 1.0.0");
    assert!(lock_text(&place).contains("runtimes = [\n    \"python 3.12.0\",\n]"));
    assert_eq!(
        chosen("--runtime python=3.13.1 --platform linux/amd64/musl"),
        "base 2.0.0"
    );
    assert_eq!(chosen("--platform darwin/arm64"), "base 1.0.0");
    want(&place, "base = \"^2\"");
    let answer = place
        .attache("lock --index index.jsonl --runtime python=3.12")
        .exits(4);
    assert!(
        answer
            .stderr()
            .contains("python >=3.13, and this host has 3.12.0"),
        "{}",
        answer.stderr()
    );
    place
        .attache("lock --index index.jsonl --runtime python")
        .exits(2);
    place
        .attache("lock --index index.jsonl --platform linux")
        .exits(2);
}

#[test]
fn no_file_takes_a_registrys_place_by_its_name() {
    let place = place("acme.base 1.0.0");
    // This index calls itself `main`, and binds nothing by that.
    write_index(&place, "extra.jsonl", "acme.base 9.9.9");
    place.write(
        "attache.toml",
        "[dependencies]\n\"acme.base\" = \"*\"\n[[registry]]\nname = \"main\"\nindex = \
         \"index.jsonl\"\nnamespaces = [\"acme\"]\n",
    );
    let answer = place.attache("lock --index extra.jsonl").exits(2);
    assert!(
        answer.stderr().contains("as a registry of attache.toml is"),
        "{}",
        answer.stderr()
    );
    place.attache("lock --index other=extra.jsonl").succeeds();
    assert_eq!(locked(&place), ["acme.base 1.0.0"]);
    // Only the user's own word lets it stand in, and that is told.
    let answer = place
        .attache("lock --upgrade --index main=extra.jsonl")
        .succeeds();
    assert!(
        answer.stderr().contains("ATT-INDEX-INSTEAD"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn a_package_stays_with_its_registry_offline_and_when_it_moves() {
    let place = place("p 1.0.0\np 1.1.0");
    write_index(&place, "second.jsonl", "p 9.0.0");
    place.write("p-9.0.0.lxpkg", [0; 1000]);
    want(&place, "p = \"*\"");
    // The first place that has it at all is its home, whether or not its bytes are here.
    let answer = place.attache("lock --index index.jsonl --index b=second.jsonl --offline");
    let told = answer.exits(4).stderr();
    assert!(told.contains("1.1.0 is not on this machine"), "{told}");
    place.attache("lock --index b=second.jsonl").succeeds();
    assert_eq!(locked(&place), ["p 9.0.0"]);
    for words in ["--upgrade", "--upgrade-package p"] {
        place
            .attache(&format!(
                "lock --index index.jsonl --index b=second.jsonl {words}"
            ))
            .succeeds();
        assert_eq!(locked(&place), ["p 9.0.0"]);
    }
}

#[test]
fn other_bytes_for_a_locked_version_are_refused_wherever_they_come_from() {
    let place = place("p 1.0.0");
    want(&place, "p = \"*\"");
    place.attache("lock --index index.jsonl").succeeds();
    let index = String::from_utf8(place.read("index.jsonl")).unwrap();
    let other = index
        .replace("sha256:", "sha256:0")
        .replace("0\",\"size", "\",\"size");
    let at = other.find("sha256:0").unwrap();
    let other = format!("{}{}", &other[..at + 71], &other[at + 72..]);
    place.write("other.jsonl", other.replace("\"main\"", "\"other\""));
    let answer = place.attache("lock --index other.jsonl").exits(5);
    assert!(
        answer.stderr().contains("ATT-LOCK-DIGEST"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn frozen_means_the_same_for_every_command() {
    let place = place(SMALL);
    want(&place, "base = \"^1\"");
    place.attache("lock --index index.jsonl").succeeds();
    let all = ["lock", "tree", "why util", "outdated"];
    for words in all {
        let answer = place.attache(&format!("{words} --frozen --index index.jsonl"));
        answer.succeeds();
    }
    let wish = "[dependencies]\nbase = \"^1\"\n";
    for more in [
        "[overrides]\nutil = \"1.1.0\"\n",
        "[host]\nplatform = \"linux/amd64\"\n",
        "[[registry]]\nname = \"r\"\nindex = \"index.jsonl\"\nnamespaces = [\"acme\"]\n",
    ] {
        place.write("attache.toml", format!("{wish}{more}"));
        for words in all {
            let answer = place.attache(&format!("{words} --frozen --index x=index.jsonl"));
            answer.exits(8);
        }
    }
}

#[test]
fn another_strategy_chooses_anew() {
    let place = place(SMALL);
    want(&place, "base = \"^1\"");
    place.attache("lock --index index.jsonl").succeeds();
    place
        .attache("lock --index index.jsonl --strategy lowest")
        .succeeds();
    assert_eq!(locked(&place), ["base 1.0.0", "util 1.0.0"]);
}

#[test]
fn a_lock_that_a_merge_broke_is_mended_by_lock_and_refused_by_all_others() {
    let place = place(SMALL);
    want(&place, "base = \"^1\"\nother = \"*\"");
    place.attache("lock --index index.jsonl").succeeds();
    let whole = lock_text(&place);
    let at = whole.find("[[package]]\nid = \"other\"").unwrap();
    let end = at + whole[at..].find("\n\n").map_or(whole.len() - at, |e| e + 2);
    place.write("attache.lock", format!("{}{}", &whole[..at], &whole[end..]));
    for (words, code) in [("tree", 1), ("lock --check --index index.jsonl", 8)] {
        let answer = place.attache(words).exits(code);
        assert!(
            answer.stderr().contains("ATT-LOCK-BROKEN"),
            "{}",
            answer.stderr()
        );
    }
    let answer = place.attache("lock --index index.jsonl").succeeds();
    assert!(
        answer.stderr().contains("ATT-LOCK-BROKEN"),
        "{}",
        answer.stderr()
    );
    assert_eq!(lock_text(&place), whole);
}

#[test]
fn a_lock_edited_to_come_from_elsewhere_is_refused() {
    let place = place("acme.base 1.0.0");
    place.write(
        "attache.toml",
        "[dependencies]\n\"acme.base\" = \"*\"\n[[registry]]\nname = \"main\"\nindex = \
         \"index.jsonl\"\nnamespaces = [\"acme\"]\n",
    );
    place.attache("lock").succeeds();
    let edited = lock_text(&place).replace(
        "registry = \"main\"\nnamespace = \"acme\"\n",
        "registry = \"../evil\"\n",
    );
    place.write("attache.lock", edited);
    let answer = place.attache("tree --frozen").exits(1);
    assert!(
        answer
            .stderr()
            .contains("but the namespace `acme` is bound to `main`"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn offline_takes_only_what_is_here_and_says_what_is_missing() {
    let place = place(SMALL);
    want(&place, "base = \"^1\"");
    let answer = place.attache("lock --index index.jsonl --offline").exits(4);
    assert!(
        answer.stderr().contains("1.2.0 is not on this machine"),
        "{}",
        answer.stderr()
    );
    // A file of another size is another file.
    place.write("base-1.0.0.lxpkg", "x");
    place.attache("lock --index index.jsonl --offline").exits(4);
    place.write("base-1.0.0.lxpkg", [0; 1000]);
    place.write("util-1.0.0.lxpkg", [0; 1000]);
    place
        .attache("lock --index index.jsonl --offline")
        .succeeds();
    assert_eq!(locked(&place), ["base 1.0.0", "util 1.0.0"]);
    // What is locked stays locked, whether or not its bytes are here.
    fs_err::remove_file(place.path("util-1.0.0.lxpkg")).unwrap();
    let answer = place
        .attache("lock --index index.jsonl --offline --check")
        .succeeds();
    assert!(
        answer.stdout().contains("not here util 1.0.0"),
        "{}",
        answer.stdout()
    );
}

#[test]
fn agents_of_a_workspace_are_locked_together_and_may_need_each_other() {
    let place = place("util 1.0.0\nutil 2.0.0");
    for (name, needs) in [
        ("reader", serde_json::json!({ "util": { "version": "^1" } })),
        (
            "writer",
            serde_json::json!({ "team.reader": { "version": "^0.1" } }),
        ),
    ] {
        place.init(&format!("agents/{name}"), "lexichord");
        place.edit(&format!("agents/{name}/manifest.json"), |m| {
            m["id"] = format!("team.{name}").into();
            m["dependencies"] = needs;
        });
    }
    place.write("agents/notes/todo.txt", "no agent");
    place.write("attache.toml", "members = [\"agents/*\"]\n");
    place.attache("lock --index index.jsonl").succeeds();
    assert_eq!(locked(&place), ["util 1.0.0"]);
    // From inside a member, the workspace is found.
    let inside = place.command("tree agents/writer").output().unwrap();
    let text = String::from_utf8(inside.stdout).unwrap();
    assert!(
        text.contains("team.writer") && text.contains("util 1.0.0 (^1)"),
        "{text}"
    );
    // Together they cannot have both versions.
    place.edit("agents/writer/manifest.json", |m| {
        m["dependencies"]["util"] = serde_json::json!({ "version": "^2" });
    });
    let answer = place.attache("lock --index index.jsonl").exits(4);
    assert!(
        answer.stderr().contains("`team.writer`"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn a_folder_of_packages_is_an_index_and_so_is_what_is_made_of_it() {
    let place = Place::new();
    for version in ["1.0.0", "1.1.0"] {
        place.init("base", "lexichord");
        place.edit("base/manifest.json", |m| m["version"] = version.into());
        place
            .attache(&format!("build base -o packages/sub/base-{version}.lxpkg"))
            .succeeds();
        fs_err::remove_dir_all(place.path("base")).unwrap();
    }
    place.write("packages/broken.zip", "PK no");
    place.write("packages/readme.txt", "not a package");
    want(&place, "test-agent = \"*\"");
    let answer = place.attache("lock --index packages").succeeds();
    assert_eq!(locked(&place), ["test-agent 1.1.0"]);
    assert!(
        answer.stderr().contains("warning broken.zip"),
        "{}",
        answer.stderr()
    );
    let direct = lock_text(&place);
    assert!(
        direct.contains("registry = \"packages\"\nsource = \"sub/base-1.1.0.lxpkg\""),
        "{direct}"
    );
    let made = place
        .attache("index packages --name packages -o made.jsonl")
        .succeeds();
    assert!(
        made.stdout().starts_with("indexed 2 versions"),
        "{}",
        made.stdout()
    );
    let answer = place
        .attache("lock --index made.jsonl --offline")
        .succeeds();
    assert!(!answer.stdout().contains("not here"), "{}", answer.stdout());
    let changed = changed_lines(&direct, &lock_text(&place));
    assert_eq!(
        changed,
        [
            "-source = \"sub/base-1.1.0.lxpkg\"",
            "+source = \"packages/sub/base-1.1.0.lxpkg\""
        ]
    );
    let again = place
        .attache("index packages --name packages -o made.jsonl")
        .succeeds();
    assert!(
        again.stdout().starts_with("up to date"),
        "{}",
        again.stdout()
    );
}

#[test]
fn a_lock_says_nothing_of_where_things_are_on_this_machine() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.edit("agent/manifest.json", |m| {
        m["dependencies"] = serde_json::json!({ "base": { "version": "*" } });
    });
    write_index(&place, "far/away/inner.jsonl", "base 1.0.0");
    let index = String::from_utf8(place.read("far/away/inner.jsonl")).unwrap();
    let unnamed = index.replace(",\"registry\":\"main\"", "");
    place.write("far/away/inner.jsonl", unnamed);
    place
        .attache("lock agent --index far/away/inner.jsonl")
        .succeeds();
    let lock = String::from_utf8(place.read("agent/attache.lock")).unwrap();
    assert!(
        lock.contains("registry = \"inner.jsonl\"") && !lock.contains("away"),
        "{lock}"
    );
}

#[test]
fn agents_that_need_only_each_other_need_no_index() {
    let place = Place::new();
    place.init("agents/reader", "lexichord");
    place.edit("agents/reader/manifest.json", |m| m["id"] = "reader".into());
    place.init("agents/writer", "lexichord");
    place.edit("agents/writer/manifest.json", |m| {
        m["id"] = "writer".into();
        m["dependencies"] = serde_json::json!({ "reader": { "version": "*" } });
    });
    place.write("attache.toml", "members = [\"agents/*\"]\n");
    let answer = place.attache("lock").succeeds();
    assert!(
        answer.stdout().starts_with("locked 0 packages"),
        "{}",
        answer.stdout()
    );
    // From a member's folder, its own part is shown.
    let tree = place.attache("tree agents/reader").succeeds().stdout();
    assert!(!tree.contains("writer"), "{tree}");
    place.write("attache.toml", "members = [\"agent/*\"]\n");
    place.attache("lock").exits(3);
    place.write("none/x", "");
    place.write("attache.toml", "members = [\"none/*\"]\n");
    place.attache("lock").exits(2);
}

#[test]
fn what_was_taken_back_stays_so_when_an_index_is_made_again() {
    let place = Place::new();
    place.init("base", "lexichord");
    place
        .attache("build base -o packages/base.lxpkg")
        .succeeds();
    place.attache("index packages").succeeds();
    let index = String::from_utf8(place.read("packages/index.jsonl")).unwrap();
    let yanked = index.replace("lxpkg\"}", "lxpkg\",\"yanked\":true}");
    assert_ne!(index, yanked);
    place.write("packages/index.jsonl", &yanked);
    place.attache("index packages").succeeds();
    assert_eq!(
        String::from_utf8(place.read("packages/index.jsonl")).unwrap(),
        yanked
    );
}

/// Whether the quick look at a lock and a whole solve, which a JSON answer takes, agree.
#[track_caller]
fn agree(place: &Place, words: &str, code: i32) {
    place.attache(&format!("lock --check {words}")).exits(code);
    place
        .attache(&format!("lock --check --json {words}"))
        .exits(code);
}

#[test]
fn a_lock_is_up_to_date_only_if_a_whole_solve_says_so() {
    let place = place(SMALL);
    want(&place, "base = \"^1\"");
    place.attache("lock --index index.jsonl").succeeds();
    let good = lock_text(&place);
    agree(&place, "--index index.jsonl", 0);
    // A package that nobody needs any more.
    want(&place, "base = \"^1\"\nother = \"*\"");
    place.attache("lock --index index.jsonl").succeeds();
    let more = lock_text(&place).replace("    \"other *\",\n", "");
    want(&place, "base = \"^1\"");
    place.write("attache.lock", more);
    agree(&place, "--index index.jsonl", 8);
    // A form that we do not write.
    place.write("attache.lock", format!("{good}# by hand\n"));
    agree(&place, "--index index.jsonl", 8);
    place.write("attache.lock", &good);
    // A version that the index has twice.
    let index = String::from_utf8(place.read("index.jsonl")).unwrap();
    let line = index
        .lines()
        .find(|l| l.contains("\"base\"") && l.contains("1.2.0"))
        .unwrap();
    let twice = format!("{index}{}\n", line.replace("1000", "1001"));
    place.write("twice.jsonl", twice);
    agree(&place, "--index twice.jsonl", 1);
    // A wish that can be met by now.
    want(
        &place,
        "base = \"^1\"\nlater = { range = \"*\", optional = true }",
    );
    place.attache("lock --index index.jsonl").succeeds();
    agree(&place, "--index index.jsonl", 0);
    write_index(&place, "index.jsonl", &format!("{SMALL}\nlater 1.0.0"));
    agree(&place, "--index index.jsonl", 8);
}

#[test]
fn a_lock_knows_when_an_agent_of_the_workspace_has_changed() {
    let place = place("util 1.0.0");
    place.init("agents/reader", "lexichord");
    place.edit("agents/reader/manifest.json", |m| {
        m["id"] = "reader".into();
        m["dependencies"] = serde_json::json!({ "util": { "version": "*" } });
    });
    place.init("agents/writer", "lexichord");
    place.edit("agents/writer/manifest.json", |m| {
        m["id"] = "writer".into();
        m["dependencies"] = serde_json::json!({ "reader": { "version": "^0.1" } });
    });
    let config = "members = [\"agents/*\"]\n[host]\nengines = { lexichord = \"1.2.0\" }\n";
    place.write("attache.toml", config);
    place.attache("lock --index index.jsonl").succeeds();
    agree(&place, "--index index.jsonl", 0);
    place.attache("tree --frozen").succeeds();
    place.edit("agents/reader/manifest.json", |m| {
        m["version"] = "2.0.0".into();
    });
    agree(&place, "--index index.jsonl", 4);
    place.attache("tree --frozen").exits(8);
    place.edit("agents/reader/manifest.json", |m| {
        m["version"] = "0.1.0".into();
        m["engines"] = serde_json::json!({ "lexichord": ">=9" });
    });
    agree(&place, "--index index.jsonl", 4);
    place.attache("tree --frozen").exits(8);
}

#[test]
fn a_package_never_moves_to_another_registry_unasked() {
    let place = place("p 1.0.0");
    write_index(&place, "front.jsonl", "p 9.9.9");
    let config = |first: &str| {
        place.write(
            "attache.toml",
            format!(
                "[dependencies]\np = \"*\"\n[[registry]]\nname = \"{first}\"\nindex = \
                 \"index.jsonl\"\n[[registry]]\nname = \"front\"\nindex = \"front.jsonl\"\n"
            ),
        );
    };
    config("inner");
    place.attache("lock").succeeds();
    // It has another name now: the same bytes may move there.
    config("renamed");
    place.attache("lock").succeeds();
    assert_eq!(locked(&place), ["p 1.0.0"]);
    // It does not have the package any more, and someone else has a higher one.
    write_index(&place, "index.jsonl", "q 1.0.0");
    let answer = place.attache("lock").exits(5);
    assert!(
        answer.stderr().contains("ATT-LOCK-REGISTRY"),
        "{}",
        answer.stderr()
    );
    place.attache("lock --upgrade").exits(5);
    assert_eq!(locked(&place), ["p 1.0.0"]);
    place.attache("lock --upgrade-package p").succeeds();
    assert_eq!(locked(&place), ["p 9.9.9"]);
}

#[test]
fn other_dependencies_for_the_same_bytes_are_told() {
    let place = place("p 1.0.0\nevil 1.0.0");
    want(&place, "p = \"*\"");
    place.attache("lock --index index.jsonl").succeeds();
    write_index(&place, "index.jsonl", "p 1.0.0: evil *\nevil 1.0.0");
    let answer = place.attache("lock --index index.jsonl").succeeds();
    assert!(
        answer.stderr().contains("ATT-LOCK-DEPENDENCIES"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn a_workspace_that_needs_nothing_still_holds_its_namespaces() {
    let place = place("p 1.0.0");
    place.init("agents/alone", "lexichord");
    place.write(
        "attache.toml",
        "members = [\"agents/*\"]\n[[registry]]\nname = \"main\"\nindex = \"index.jsonl\"\n\
         namespaces = [\"acme\"]\n",
    );
    place.attache("lock").succeeds();
    for words in ["lock --check", "tree --frozen", "outdated --frozen"] {
        place.attache(words).succeeds();
    }
    let edited = format!(
        "{}\n[[package]]\nid = \"p\"\nversion = \"1.0.0\"\nregistry = \"x\"\n\
        source = \"../../secret\"\ndigest = \"sha256:{:064}\"\nsize = 1\n",
        lock_text(&place),
        0
    );
    place.write("attache.lock", edited);
    let answer = place.attache("tree").exits(1);
    assert!(
        answer.stderr().contains("its source leaves the folder"),
        "{}",
        answer.stderr()
    );
}
