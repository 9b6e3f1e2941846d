//! RFC 8785, against the published input and output files.

use attache_package::text::canonical::rfc8785;

use crate::conformance::suite;

#[test]
fn the_canonical_form_is_the_published_one() {
    let Some(folder) = suite("rfc8785") else {
        return;
    };
    let mut count = 0;
    for entry in fs_err::read_dir(folder.join("input")).unwrap() {
        let input = entry.unwrap().path();
        let output = folder.join("output").join(input.file_name().unwrap());
        // Not our strict reader: the suite has a number with more digits than a double holds.
        let value = serde_json::from_slice(&fs_err::read(&input).unwrap()).unwrap();
        let expected = fs_err::read(output).unwrap();
        assert_eq!(
            String::from_utf8(rfc8785(&value)).unwrap(),
            String::from_utf8(expected).unwrap(),
            "{}",
            input.display()
        );
        count += 1;
    }
    assert!(count >= 6, "only {count} files");
}
