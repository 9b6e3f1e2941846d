//! Every `--json` answer has the form its published schema gives it.

use serde_json::Value;

use crate::support::{FORMATS, Place};

#[track_caller]
fn check(answer: &Value) {
    let name = answer["schema"].as_str().unwrap().replace('/', "-");
    let path = format!("{}/../../schemas/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let schema: Value = serde_json::from_slice(&fs_err::read(&path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<_> = validator
        .iter_errors(answer)
        .map(|e| e.to_string())
        .collect();
    assert_eq!(errors, [""; 0], "{name}: {answer:#}");
}

#[test]
fn every_answer_matches_its_schema() {
    let place = Place::new();
    for format in FORMATS {
        check(
            &place
                .attache(&format!("init {format} --format {format} --json"))
                .succeeds()
                .json(),
        );
        check(
            &place
                .attache(&format!("validate {format} --json"))
                .succeeds()
                .json(),
        );
        check(
            &place
                .attache(&format!("build {format} -o {format}.bin --json"))
                .succeeds()
                .json(),
        );
        check(
            &place
                .attache(&format!("inspect {format}.bin --json"))
                .succeeds()
                .json(),
        );
        check(
            &place
                .attache(&format!("inspect {format} --json"))
                .succeeds()
                .json(),
        );
        check(
            &place
                .attache(&format!("unpack {format}.bin -o {format}-out --json"))
                .succeeds()
                .json(),
        );
        check(
            &place
                .attache(&format!("diff {format} {format}.bin --json"))
                .succeeds()
                .json(),
        );
        let to = if format == "nexo" { "holon" } else { "nexo" };
        check(
            &place
                .attache(&format!("convert {format} --to {to} -o {format}-to --json"))
                .succeeds()
                .json(),
        );
    }
    let package = "build lexichord -o packages/lexichord.lxpkg";
    place.attache(package).succeeds();
    check(&place.attache("index packages --json").succeeds().json());
    place.write("attache.toml", "[dependencies]\nlexichord = \"*\"\n");
    for words in ["lock", "lock --check", "tree", "why lexichord", "outdated"] {
        let answer = place.attache(&format!("{words} --index packages --json"));
        check(&answer.succeeds().json());
    }
    place.write("attache.toml", "[dependencies]\nlexichord = \"^9\"\n");
    check(
        &place
            .attache("lock --index packages --json")
            .exits(4)
            .json(),
    );
    check(&place.attache("quickstart --json").succeeds().json());
    check(&place.attache("validate nowhere --json").exits(3).json());
    check(
        &place
            .attache("build --compression 77 --json")
            .exits(2)
            .json(),
    );
    place.write("empty/x", "");
    check(&place.attache("validate empty --json").exits(1).json());
    check(&place.attache("inspect empty --json").exits(1).json());
}

#[test]
fn every_scaffold_matches_the_published_schema_of_its_manifest() {
    for (format, file) in [
        ("lexichord", "manifest.json"),
        ("lexichord", "agent.json"),
        ("holon", "manifest.json"),
        ("agentforge", "manifest.json"),
    ] {
        let place = Place::new();
        place.init("agent", format);
        let kind = file.trim_end_matches(".json");
        let path = format!(
            "{}/../../schemas/{format}.{kind}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let schema: Value = serde_json::from_slice(&fs_err::read(&path).unwrap()).unwrap();
        place.attache("build agent -o out.bin").succeeds();
        place.attache("unpack out.bin -o out").succeeds();
        for folder in ["agent", "out"] {
            if format == "agentforge" && folder == "agent" {
                continue; // A source's file list is filled in by the build.
            }
            let document: Value =
                serde_json::from_slice(&place.read(&format!("{folder}/{file}"))).unwrap();
            let validator = jsonschema::validator_for(&schema).unwrap();
            let errors: Vec<_> = validator
                .iter_errors(&document)
                .map(|e| e.to_string())
                .collect();
            assert_eq!(errors, [""; 0], "{format} {folder}/{file}");
        }
    }
}

#[test]
fn data_goes_to_stdout_and_nothing_else_does() {
    let place = Place::new();
    let answer = place.attache("validate nowhere").exits(3);
    assert_eq!(answer.stdout(), "");
    let answer = place.attache("frobnicate").exits(2);
    assert_eq!(answer.stdout(), "");
    assert!(
        place
            .attache("--version")
            .succeeds()
            .stdout()
            .starts_with("attache ")
    );
}
