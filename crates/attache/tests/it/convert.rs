use crate::support::{FORMATS, Place};

#[test]
fn every_format_becomes_every_other_and_validates_and_builds() {
    let place = Place::new();
    for from in FORMATS {
        place.init(from, from);
        for to in FORMATS.into_iter().filter(|to| *to != from) {
            let folder = format!("{from}-as-{to}");
            let answer = place
                .attache(&format!("convert {from} --to {to} -o {folder} --json"))
                .succeeds()
                .json();
            assert!(answer["lost"].is_array() && answer["invented"].is_array());
            let checked = place.attache(&format!("validate {folder} --json"));
            assert_eq!(checked.json()["errors"], serde_json::json!([]), "{folder}");
            place
                .attache(&format!("build {folder} -o {folder}.out"))
                .succeeds();
        }
    }
}

#[test]
fn instructions_survive_the_way_there() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.write("agent/prompts/system.md", "Speak only of tulips.\n");
    place.attache("convert agent --to nexo -o nexo").succeeds();
    assert_eq!(
        place.read("nexo/instructions/persona.md"),
        b"Speak only of tulips.\n"
    );
    place
        .attache("convert agent --to nanobot -o nano")
        .succeeds();
    let all = crate::support::files(&place.path("nano"));
    assert!(all.iter().any(|(name, bytes)| {
        name.ends_with("AGENT.md")
            && String::from_utf8_lossy(bytes).contains("Speak only of tulips.")
    }));
}

#[test]
fn what_is_lost_is_reported() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.edit("agent/manifest.json", |m| {
        m["dependencies"] = serde_json::json!({ "plugin-base": { "version": "^1.0.0" } });
    });
    let answer = place
        .attache("convert agent --to nexo -o nexo --json")
        .succeeds()
        .json();
    let lost = answer["lost"].to_string();
    assert!(
        lost.contains("plugin-base") && lost.contains("version"),
        "{lost}"
    );
}

#[test]
fn nothing_that_is_there_is_overwritten() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.write("target/mine.txt", "mine");
    place.attache("convert agent --to nexo -o target").exits(1);
    assert_eq!(fs_err::read_dir(place.path("target")).unwrap().count(), 1);
    place.attache("convert agent --to lexichord").exits(2);
}
