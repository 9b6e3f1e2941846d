//! What a lock means for a build.

use serde_json::{Value, json};

use crate::support::Place;

/// A folder of packages with `base` in two versions, and an agent that needs one, locked.
fn locked_agent() -> Place {
    let place = Place::new();
    for version in ["1.0.0", "1.1.0"] {
        place.init("base", "lexichord");
        place.edit("base/manifest.json", |m| {
            m["id"] = "base".into();
            m["version"] = version.into();
        });
        let out = format!("build base -o packages/base-{version}.lxpkg");
        place.attache(&out).succeeds();
        fs_err::remove_dir_all(place.path("base")).unwrap();
    }
    place.init("agent", "lexichord");
    place.edit("agent/manifest.json", |m| {
        m["dependencies"] = json!({ "base": { "version": "^1" } });
    });
    place.write(
        "agent/attache.toml",
        "[[registry]]\nname = \"team\"\nindex = \"../packages\"\n",
    );
    place.attache("lock agent --override base=1.0.0").succeeds();
    place
}

fn package_lock(place: &Place) -> Value {
    let _ = fs_err::remove_dir_all(place.path("out"));
    place.attache("unpack out.lxpkg -o out").succeeds();
    serde_json::from_slice(&place.read("out/package-lock.json")).unwrap()
}

#[test]
fn a_package_is_built_with_the_versions_of_the_lock() {
    let place = locked_agent();
    place.attache("build agent -o out.lxpkg").succeeds();
    let lock = package_lock(&place);
    assert_eq!(lock["overrides"], json!({ "base": "1.0.0" }));
    let base = &lock["packages"][0];
    assert_eq!(base["version"], "1.0.0");
    assert_eq!(
        (&base["registry"], &base["source"]),
        (&json!("team"), &json!("base-1.0.0.lxpkg"))
    );
    place.attache("validate out.lxpkg").succeeds();
    // The workspace's own files are no part of the agent.
    assert!(!place.path("out/attache.lock").exists() && !place.path("out/attache.toml").exists());
}

#[test]
fn a_new_lock_makes_a_new_build() {
    let place = locked_agent();
    place.attache("build agent -o out.lxpkg").succeeds();
    place.attache("lock agent --upgrade").succeeds();
    place.attache("build agent -o out.lxpkg").succeeds();
    assert_eq!(package_lock(&place)["packages"][0]["version"], "1.1.0");
}

#[test]
fn a_sealed_package_carries_what_the_lock_holds() {
    let place = locked_agent();
    place
        .attache("build agent --sealed -o out.lxpkg")
        .succeeds();
    let lock = package_lock(&place);
    assert_eq!(
        lock["packages"][0]["carried"],
        "dependencies/base-1.0.0.lxpkg"
    );
    assert_eq!(
        place.read("out/dependencies/base-1.0.0.lxpkg"),
        place.read("packages/base-1.0.0.lxpkg")
    );
    place.write(
        "packages/base-1.0.0.lxpkg",
        place.read("packages/base-1.1.0.lxpkg"),
    );
    let answer = place
        .attache("build agent --sealed --no-cache -o out.lxpkg")
        .exits(5);
    assert!(
        answer.stderr().contains("ATT-LOCK-DIGEST"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn a_lock_that_no_longer_answers_stops_a_build() {
    let place = locked_agent();
    place.edit("agent/manifest.json", |m| {
        m["dependencies"] = json!({ "base": { "version": "^1.1" } });
    });
    let answer = place.attache("build agent -o out.lxpkg").exits(8);
    assert!(
        answer.stderr().contains("ATT-LOCK-STALE"),
        "{}",
        answer.stderr()
    );
    place.attache("lock agent").succeeds();
    place.attache("build agent -o out.lxpkg").succeeds();
    // So does one that what attache.toml says now did not count for.
    let config = "[[registry]]\nname = \"team\"\nindex = \"../packages\"\n";
    for more in ["namespaces = [\"base\"]\n", "[overrides]\nbase = \"^9\"\n"] {
        place.write("agent/attache.toml", format!("{config}{more}"));
        let answer = place.attache("build agent -o out.lxpkg").exits(8);
        assert!(
            answer.stderr().contains("ATT-LOCK-STALE"),
            "{}",
            answer.stderr()
        );
    }
}

#[test]
fn a_sealed_package_that_needs_an_agent_of_the_workspace_says_so() {
    let place = locked_agent();
    place.init("team/reader", "lexichord");
    place.edit("team/reader/manifest.json", |m| {
        m["id"] = "team.reader".into();
    });
    place.init("team/writer", "lexichord");
    place.edit("team/writer/manifest.json", |m| {
        m["id"] = "team.writer".into();
        m["dependencies"] = json!({
            "team.reader": { "version": "*" }, "base": { "version": "^9", "optional": true }
        });
    });
    place.write(
        "team/attache.toml",
        "members = [\"*\"]\n[[registry]]\nname = \"team\"\nindex = \"../packages\"\n",
    );
    place.attache("lock team").succeeds();
    place.attache("build team/writer -o out.lxpkg").succeeds();
    place.attache("validate out.lxpkg").succeeds();
    let answer = place
        .attache("build team/writer --sealed -o out.lxpkg")
        .exits(1);
    assert!(
        answer
            .stderr()
            .contains("team.reader is an agent of this workspace"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn an_archive_that_is_another_package_is_never_carried() {
    let place = locked_agent();
    place.init("evil", "lexichord");
    place.edit("evil/manifest.json", |m| m["id"] = "evil".into());
    place
        .attache("build evil -o packages/evil.lxpkg")
        .succeeds();
    place
        .attache("index packages --name team -o made.jsonl")
        .succeeds();
    let index = String::from_utf8(place.read("made.jsonl")).unwrap();
    let evil = index.lines().find(|l| l.contains("\"evil\"")).unwrap();
    let lying = evil.replace("\"id\":\"evil\"", "\"id\":\"base\"");
    let lying = lying.replace("\"version\":\"0.1.0\"", "\"version\":\"1.0.5\"");
    let head = index.lines().next().unwrap();
    place.write("made.jsonl", format!("{head}\n{lying}\n"));
    place
        .attache("lock agent --upgrade --index team=made.jsonl")
        .succeeds();
    let answer = place
        .attache("build agent --sealed --index team=made.jsonl -o out.lxpkg")
        .exits(5);
    assert!(
        answer.stderr().contains("is not base 1.0.5"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn files_that_were_given_count_before_the_lock() {
    let place = locked_agent();
    place
        .attache("build agent --dependency packages/base-1.1.0.lxpkg -o out.lxpkg")
        .succeeds();
    assert_eq!(package_lock(&place)["packages"][0]["registry"], "files");
    let both = "build agent --dependency packages/base-1.1.0.lxpkg \
                --dependency packages/base-1.0.0.lxpkg -o out.lxpkg";
    let answer = place.attache(both).exits(1);
    assert!(
        answer.stderr().contains("nothing needs"),
        "{}",
        answer.stderr()
    );
}
