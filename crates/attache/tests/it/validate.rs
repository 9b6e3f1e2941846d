use crate::support::Place;

#[test]
fn an_invalid_package_exits_1_and_lists_everything() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.edit("agent/manifest.json", |m| {
        m["id"] = "My Agent".into();
        m["version"] = "1.0".into();
        m["licence"] = "MIT".into();
    });
    let answer = place.attache("validate agent --json").exits(1).json();
    assert_eq!(answer["valid"], false);
    let codes: Vec<_> = answer["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["ATT-LX-ID", "ATT-FIELD-UNKNOWN", "ATT-LX-VERSION"]);
    insta::assert_snapshot!(place.attache("validate agent").exits(1).stdout());
}

#[test]
fn what_is_not_there_exits_3() {
    let place = Place::new();
    let answer = place.attache("validate nowhere --json").exits(3);
    let answer: serde_json::Value = serde_json::from_str(&answer.stdout()).unwrap();
    assert_eq!(answer["error"]["code"], "ATT-IO");
    insta::assert_snapshot!(place.attache("validate nowhere").exits(3).stderr());
}

#[test]
fn what_is_no_agent_is_told_so() {
    let place = Place::new();
    place.write("folder/readme.txt", "hello");
    place.write("file.bin", "hello");
    insta::assert_snapshot!(place.attache("validate folder").exits(1).stdout());
    insta::assert_snapshot!(place.attache("validate file.bin").exits(1).stdout());
}

#[test]
fn two_formats_in_one_folder_are_an_error_until_one_is_named() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.write("agent/manifest.yaml", "schema_version: 1\n");
    let answer = place.attache("validate agent --json").exits(1).json();
    assert_eq!(answer["errors"][0]["code"], "ATT-FORMAT-AMBIGUOUS");
    place
        .attache("validate agent --format lexichord")
        .succeeds();
}

#[test]
fn lenient_turns_named_deviations_into_warnings() {
    let place = Place::new();
    place.init("agent", "nexo");
    fs_err::remove_file(place.path("agent/icon.png")).unwrap();
    let manifest = String::from_utf8(place.read("agent/manifest.yaml")).unwrap();
    place.write("agent/manifest.yaml", format!("{manifest}version: 1.2.3\n"));
    let strict = place.attache("validate agent --json").exits(1).json();
    assert_eq!(strict["errors"].as_array().unwrap().len(), 2, "{strict:#}");
    let lenient = place
        .attache("validate agent --lenient --json")
        .succeeds()
        .json();
    assert_eq!(lenient["warnings"].as_array().unwrap().len(), 2);
    let codes = |v: &serde_json::Value, list: &str| -> Vec<String> {
        v[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["code"].to_string())
            .collect()
    };
    assert_eq!(codes(&strict, "errors"), codes(&lenient, "warnings"));
}

#[test]
fn an_agentforge_signature_is_checked_with_its_key() {
    let place = Place::new();
    place.init("agent", "agentforge");
    place.write("key", "secret");
    place
        .attache("build agent -o pack.zip --hmac-key-file key")
        .succeeds();
    place
        .attache("validate pack.zip --hmac-key-file key")
        .succeeds();
    let mut command = place.command("validate pack.zip --hmac-key-env KEY");
    command.env("KEY", "secret").assert().success();
    let mut command = place.command("validate pack.zip --hmac-key-env KEY --json");
    command.env("KEY", "other").assert().code(1);
    place
        .attache("validate pack.zip --hmac-key-env UNSET")
        .exits(2);
}
