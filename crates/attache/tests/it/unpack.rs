use crate::support::{FORMATS, Place, files};

#[test]
fn what_was_packed_comes_out_again_and_builds_the_same_bytes() {
    for format in FORMATS {
        let place = Place::new();
        place.init("agent", format);
        place.attache("build agent -o one.bin").succeeds();
        place.attache("unpack one.bin -o again").succeeds();
        place.attache("build again -o two.bin").succeeds();
        assert_eq!(place.read("one.bin"), place.read("two.bin"), "{format}");
    }
}

#[test]
fn a_nanobot_tree_packs_and_unpacks_whole() {
    let place = Place::new();
    place.init("agent", "nanobot");
    place.attache("build agent -o pack.zip").succeeds();
    place.attache("unpack pack.zip -o again").succeeds();
    let config = |folder: &str| -> Vec<_> {
        let all = files(&place.path(folder)).into_iter();
        all.filter(|(name, _)| name.starts_with(".nanobot/"))
            .collect()
    };
    assert_eq!(config("agent"), config("again"));
}

#[test]
fn a_target_that_exists_is_not_touched() {
    let place = Place::new();
    place.init("agent", "nexo");
    place.attache("build agent -o one.zip").succeeds();
    place.write("target/mine.txt", "mine");
    let answer = place.attache("unpack one.zip -o target").exits(1);
    assert!(
        answer.stderr().contains("ATT-ARCHIVE-TARGET"),
        "{}",
        answer.stderr()
    );
    assert_eq!(fs_err::read_dir(place.path("target")).unwrap().count(), 1);
    place.attache("unpack agent").exits(2);
}
