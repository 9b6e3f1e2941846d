use crate::support::Place;

#[test]
fn capabilities_and_prompts_come_before_files() {
    let place = Place::new();
    place.init("old", "lexichord");
    place.init("new", "lexichord");
    place.edit("new/manifest.json", |m| m["version"] = "0.2.0".into());
    place.edit("new/agent.json", |a| {
        a["tools"] = serde_json::json!(["Read", "Bash"]);
    });
    let prompt = String::from_utf8(place.read("new/prompts/system.md")).unwrap();
    place.write(
        "new/prompts/system.md",
        prompt.replace("Never invent a source.", "Guess freely."),
    );
    insta::assert_snapshot!(place.attache("diff old new").succeeds().stdout());
    let answer = place.attache("diff old new --json").succeeds().json();
    assert_eq!(
        answer["capabilities"]["gained"],
        serde_json::json!(["shell", "tool:Bash"])
    );
}

#[test]
fn check_exits_8_when_there_is_a_difference() {
    let place = Place::new();
    place.init("old", "nanobot");
    place.init("new", "nanobot");
    place.attache("diff old new --check").succeeds();
    place.write("new/README.md", "changed");
    place.attache("diff old new --check").exits(8);
}

#[test]
fn a_source_and_its_package_can_be_compared() {
    let place = Place::new();
    place.init("agent", "agentforge");
    place.attache("build agent -o pack.zip").succeeds();
    place.attache("diff agent pack.zip").succeeds();
}
