use crate::support::{FORMATS, Place};

#[test]
fn quickstart_shows_every_step_and_leaves_nothing_behind() {
    let place = Place::new();
    let mut settings = insta::Settings::clone_current();
    settings.add_filter("sha256:[0-9a-f]{64}", "[DIGEST]");
    settings.add_filter(r"\d+ bytes", "[SIZE]");
    settings.bind(|| {
        insta::assert_snapshot!(place.attache("quickstart").succeeds().stdout());
    });
    assert_eq!(place.names(), [""; 0]);
}

#[test]
fn quickstart_works_in_every_format_and_keeps_what_it_made_when_asked() {
    for format in FORMATS {
        let place = Place::new();
        let answer = place
            .attache(&format!("quickstart kept --format {format} --json"))
            .succeeds()
            .json();
        assert_eq!(answer["identical"], true);
        assert!(place.path("kept/hello-agent").exists());
        place.attache("quickstart kept").exits(1);
    }
}
