use crate::support::{FORMATS, Place};

#[test]
fn every_scaffold_validates_builds_and_validates_again() {
    for format in FORMATS {
        let place = Place::new();
        place.init("agent", format);
        let answer = place.attache("validate agent --json").succeeds().json();
        assert_eq!(answer["valid"], true, "{format}: {answer:#}");
        assert_eq!(answer["format"], format);
        assert_eq!(answer["warnings"], serde_json::json!([]), "{format}");
        let built = place.attache("build agent --json").succeeds().json();
        let output = built["output"].as_str().unwrap();
        let answer = place
            .attache(&format!("validate {output} --json"))
            .succeeds()
            .json();
        assert_eq!(
            (&answer["valid"], &answer["format"]),
            (&true.into(), &format.into())
        );
    }
}

#[test]
fn a_folder_with_something_in_it_is_not_touched() {
    let place = Place::new();
    place.write("agent/notes.txt", "mine");
    let answer = place.attache("init agent").exits(1);
    assert!(
        answer.stderr().contains("ATT-INIT-NOT-EMPTY"),
        "{}",
        answer.stderr()
    );
    assert_eq!(fs_err::read_dir(place.path("agent")).unwrap().count(), 1);
}

#[test]
fn a_name_that_cannot_be_one_is_refused_before_anything_is_made() {
    let place = Place::new();
    for id in ["../up", "UPPER", "con", "a b"] {
        let mut command = place.command("init agent --id");
        command.arg(id).assert().code(2);
    }
    place
        .attache("init agent --format nexo --id nodots")
        .exits(2);
    assert_eq!(place.names(), [""; 0]);
}

#[test]
fn the_name_comes_from_the_folder() {
    let place = Place::new();
    let made = place.attache("init My_Agent --json").succeeds().json();
    assert_eq!(made["id"], "my-agent");
    let made = place
        .attache("init seo-audit --format nexo --json")
        .succeeds()
        .json();
    assert_eq!(made["id"], "local.seo_audit");
}

#[test]
fn a_person_reads_what_was_made_and_what_to_do_next() {
    let place = Place::new();
    insta::assert_snapshot!(place.attache("init hello").succeeds().stdout());
}
