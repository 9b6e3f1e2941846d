use crate::support::{FORMATS, Place};

#[test]
fn a_person_sees_what_a_package_asks_for() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.attache("build agent").succeeds();
    insta::assert_snapshot!(
        place
            .attache("inspect test-agent-0.1.0.lxpkg")
            .succeeds()
            .stdout()
    );
}

#[test]
fn every_format_is_shown_as_one_manifest() {
    for format in FORMATS {
        let place = Place::new();
        place.init("agent", format);
        let seen = place.attache("inspect agent --json").succeeds().json();
        assert_eq!(seen["manifest"]["format"], format);
        assert!(seen["manifest"]["launch"]["kind"].is_string(), "{format}");
        assert!(!seen["manifest"]["files"].as_array().unwrap().is_empty());
    }
}

#[test]
fn control_characters_in_a_package_are_shown_not_obeyed() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.edit("agent/manifest.json", |m| {
        m["description"] = "clear\u{1b}[2J the screen".into();
    });
    let seen = place.attache("inspect agent").succeeds().stdout();
    assert!(
        !seen.contains('\u{1b}') && seen.contains("\\u{1b}[2J"),
        "{seen}"
    );
}
