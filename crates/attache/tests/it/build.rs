use crate::support::{FORMATS, Place, files};

#[test]
fn a_build_that_fails_leaves_the_earlier_output_as_it_was() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.attache("build agent -o out/agent.lxpkg").succeeds();
    let before = place.read("out/agent.lxpkg");
    place.edit("agent/agent.json", |a| a["instructions"] = "gone.md".into());
    let answer = place.attache("build agent -o out/agent.lxpkg").exits(1);
    assert!(
        answer.stderr().contains("ATT-LX-AGENT-REFERENCE"),
        "{}",
        answer.stderr()
    );
    assert_eq!(place.read("out/agent.lxpkg"), before);
    assert_eq!(
        files(&place.path("out")).len(),
        1,
        "no partial output is left behind"
    );
}

#[test]
fn a_rebuild_with_nothing_changed_is_kept_and_any_change_is_seen() {
    for format in FORMATS {
        let place = Place::new();
        place.init("agent", format);
        settle();
        let build = |words: &str| {
            place
                .attache(&format!("build agent --json {words}"))
                .succeeds()
                .json()
        };
        let first = build("");
        assert_eq!(first["reused"], false);
        let second = build("");
        assert_eq!(
            (&second["reused"], &second["digest"]),
            (&true.into(), &first["digest"]),
            "{format}"
        );
        assert_eq!(
            build("--compression 1")["reused"],
            false,
            "{format}: another option"
        );
        build("");
        place.write("agent/README.md", "changed\n");
        settle();
        let changed = build("");
        assert_eq!(changed["reused"], false, "{format}: a changed file");
        assert_ne!(changed["digest"], first["digest"]);
        fs_err::remove_file(changed["output"].as_str().map(|o| place.path(o)).unwrap()).unwrap();
        assert!(
            place.path(build("")["output"].as_str().unwrap()).exists(),
            "{format}: the output was gone"
        );
    }
}

/// Files touched a moment ago are never taken for unchanged; wait until they are older.
fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(80));
}

#[test]
fn a_holon_bundle_comes_from_the_shelf_even_for_another_copy_of_the_source() {
    let place = Place::new();
    place.init("one", "holon");
    place.init("two", "holon");
    let first = place
        .attache("build one -o one.tar.gz --json")
        .succeeds()
        .json();
    let second = place
        .attache("build two -o two.tar.gz --json")
        .succeeds()
        .json();
    assert_eq!(
        (&first["reused"], &second["reused"]),
        (&false.into(), &true.into())
    );
    assert_eq!(place.read("one.tar.gz"), place.read("two.tar.gz"));
    place.edit("two/manifest.json", |m| {
        m["runtime"]["version"] = "99.0.0".into();
    });
    let third = place
        .attache("build two -o two.tar.gz --json")
        .succeeds()
        .json();
    assert_eq!(
        third["reused"], false,
        "another runtime version is another bundle"
    );
}

#[test]
fn every_pack_option_is_a_flag() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.edit("agent/manifest.json", |m| {
        m.as_object_mut().unwrap().remove("files");
    });
    place.write("agent/src/lib.rs", "fn main() {}");
    place.write("agent/docs/guide.md", "# Guide");
    place.write("agent/examples/one.json", "{ \"a\": 1 }");
    let inside = |words: &str| -> Vec<String> {
        place
            .attache(&format!("build agent -o out.lxpkg {words}"))
            .succeeds();
        let seen = place.attache("inspect out.lxpkg --json").succeeds().json();
        let list = seen["manifest"]["files"].as_array().unwrap().clone();
        list.iter()
            .map(|f| f["path"].as_str().unwrap().to_owned())
            .collect()
    };
    let has = |list: &[String], path: &str| list.iter().any(|p| p == path);
    let usual = inside("");
    assert!(
        !has(&usual, "src/lib.rs")
            && has(&usual, "docs/guide.md")
            && !has(&usual, "examples/one.json")
    );
    let all = inside("--include-source --include-examples --no-docs");
    assert!(
        has(&all, "src/lib.rs") && !has(&all, "docs/guide.md") && has(&all, "examples/one.json")
    );
    let sizes: Vec<u64> = [0, 1, 6, 9]
        .iter()
        .map(|level| {
            inside(&format!("--compression {level}"));
            fs_err::metadata(place.path("out.lxpkg")).unwrap().len()
        })
        .collect();
    assert!(
        sizes[0] > sizes[1] && sizes[1] >= sizes[2] && sizes[2] >= sizes[3],
        "{sizes:?}"
    );
    place
        .attache("build agent -o out.lxpkg --compression 10")
        .exits(2);

    inside("--metadata team=search --metadata number=7");
    place.attache("unpack out.lxpkg -o meta").succeeds();
    let manifest: serde_json::Value =
        serde_json::from_slice(&place.read("meta/manifest.json")).unwrap();
    assert_eq!(
        manifest["metadata"],
        serde_json::json!({ "team": "search", "number": 7 })
    );
    place.attache("build agent --metadata broken").exits(2);
}

#[test]
fn optimising_loses_nothing() {
    let place = Place::new();
    place.init("agent", "lexichord");
    let json = "{\n  \"text\": \"a  b\\n\",\n  \"number\": 1.50\n}\n";
    place.write("agent/resources/data.json", json);
    place.write("agent/resources/broken.json", "{ not json");
    place.attache("build agent -o small.lxpkg").succeeds();
    place
        .attache("build agent -o plain.lxpkg --no-optimize")
        .succeeds();
    place.attache("unpack small.lxpkg -o small").succeeds();
    place.attache("unpack plain.lxpkg -o plain").succeeds();
    assert_eq!(place.read("plain/resources/data.json"), json.as_bytes());
    assert_eq!(
        place.read("small/resources/data.json"),
        b"{\"text\":\"a  b\\n\",\"number\":1.50}"
    );
    assert_eq!(place.read("small/resources/broken.json"), b"{ not json");
}

#[test]
fn an_ignore_file_keeps_things_out() {
    let place = Place::new();
    place.init("agent", "nexo");
    place.write("agent/.attacheignore", "*.secret\n/private/\n");
    place.write("agent/tools/key.secret", "x");
    place.write("agent/private/notes.md", "x");
    place.attache("build agent -o out.zip").succeeds();
    let seen = place.attache("inspect out.zip --json").succeeds().stdout();
    assert!(
        !seen.contains("key.secret")
            && !seen.contains("private")
            && !seen.contains(".attacheignore")
    );
}

#[test]
fn a_sealed_package_carries_what_it_needs() {
    let place = Place::new();
    place.init("base", "lexichord");
    place.edit("base/manifest.json", |m| {
        m["id"] = "plugin-base".into();
        m["version"] = "1.2.3".into();
    });
    place.attache("build base -o base.lxpkg").succeeds();
    place.init("agent", "lexichord");
    place.edit("agent/manifest.json", |m| {
        m["dependencies"] = serde_json::json!({ "plugin-base": { "version": "^1.0.0" } });
    });
    let answer = place.attache("build agent --sealed -o out.lxpkg").exits(4);
    assert!(
        answer
            .stderr()
            .contains("No package called `plugin-base` is known"),
        "{}",
        answer.stderr()
    );
    assert!(!place.path("out.lxpkg").exists());
    place
        .attache("build agent --sealed --dependency base.lxpkg -o out.lxpkg")
        .succeeds();
    place.attache("validate out.lxpkg").succeeds();
    place.attache("unpack out.lxpkg -o out").succeeds();
    assert_eq!(
        place.read("out/dependencies/plugin-base-1.2.3.lxpkg"),
        place.read("base.lxpkg")
    );
    place
        .attache("build base --sealed --dependency nothing.lxpkg")
        .exits(3);
    place.init("zip", "nexo");
    place.attache("build zip --sealed").exits(2);
}

#[test]
fn an_output_inside_the_source_is_refused_where_it_would_be_packed() {
    let place = Place::new();
    place.init("agent", "lexichord");
    let answer = place
        .attache("build agent -o agent/prompts/out.bin")
        .exits(2);
    assert!(
        answer.stderr().contains("ATT-BUILD-OUTPUT-INSIDE"),
        "{}",
        answer.stderr()
    );
    assert!(!place.path("agent/prompts/out.bin").exists());
    for format in FORMATS {
        let place = Place::new();
        place.init(".", format);
        let one = place.attache("build --no-cache --json").succeeds().json();
        let two = place.attache("build --no-cache --json").succeeds().json();
        assert_eq!(
            one["digest"], two["digest"],
            "{format}: the first output is no input of the second"
        );
    }
}

#[test]
fn a_person_reads_what_was_built() {
    let place = Place::new();
    place.init("agent", "lexichord");
    insta::assert_snapshot!(place.attache("build agent -v").succeeds().stdout());
}
