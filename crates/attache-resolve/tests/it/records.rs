//! The records of the specification, as JSON.

use std::collections::BTreeMap;

use attache_resolve::records::{
    CircularDependencyDetection, DependencyGraph, DependencySatisfactionCheck,
};
use attache_resolve::{Failure, Resolution, check_satisfaction, find_cycles};
use serde_json::{Value, json};

use crate::dsl::{Text, name};

fn graph(text: &str) -> Value {
    let text = Text::read(text);
    let graph = match text.resolve() {
        Ok(answer) => answer.graph(&text.request),
        Err(failure) => failure.graph(&text.request),
    };
    serde_json::to_value(graph).unwrap()
}

const UNIVERSE: &str = "
    a 1.0.0 size=10: b *, c? *
    b 1.0.0 size=200
    b 1.1.0 size=300
    b 2.0.0-beta.1 size=1
    c 1.0.0 size=4000: b ^1
    ";

#[test]
fn a_graph_tells_who_needs_what() {
    let graph = graph(&format!("{UNIVERSE}\nwant a ^1"));
    assert_eq!(graph["totalPackageCount"], 3);
    assert_eq!(graph["totalDownloadSize"], 4310);
    assert_eq!(graph["isValid"], true);
    assert_eq!(graph["root"]["package"]["id"], "a");
    assert_eq!(graph["root"]["resolvedBy"], json!(["the request"]));
    let b = &graph["allPackages"][1];
    assert_eq!(b["selectedVersion"], "1.1.0");
    assert_eq!(b["package"]["registry"], "main");
    assert_eq!(b["candidates"], json!(["1.0.0", "1.1.0"]));
    assert_eq!(b["resolvedBy"], json!(["a 1.0.0", "c 1.0.0"]));
    assert_eq!(b["size"], 300);
    assert_eq!(b["downloadUrl"], Value::Null);
    let direct = graph["directDependencies"].as_array().unwrap();
    let direct: Vec<&Value> = direct.iter().map(|d| &d["package"]["id"]).collect();
    assert_eq!(direct, ["b", "c"]);
}

#[test]
fn a_graph_of_a_manifest_has_it_as_root_and_one_of_several_has_none() {
    let named = graph(&format!("{UNIVERSE}\nroot app 3.0.0\nwant a ^1, b *"));
    assert_eq!(named["root"]["package"]["id"], "app");
    assert_eq!(named["root"]["selectedVersion"], "3.0.0");
    assert_eq!(named["directDependencies"].as_array().unwrap().len(), 2);
    let by = &named["allPackages"][1]["resolvedBy"];
    assert_eq!(*by, json!(["a 1.0.0", "app 3.0.0", "c 1.0.0"]));

    let several = graph(&format!("{UNIVERSE}\nwant a ^1, b *"));
    assert_eq!(several["root"], Value::Null);
    assert_eq!(several["directDependencies"].as_array().unwrap().len(), 2);
}

#[test]
fn a_graph_that_failed_says_so() {
    let graph = graph(&format!("{UNIVERSE}\nroot app\nwant a ^9"));
    assert_eq!(graph["isValid"], false);
    assert_eq!(graph["totalPackageCount"], 0);
    let errors = graph["errors"].as_array().unwrap();
    assert_eq!(errors[0], "`app` needs `a ^9`.");
}

#[track_caller]
fn check(text: &str, installed: &[(&str, &str)], expected: Value) {
    let text = Text::read(text);
    let installed: BTreeMap<_, _> = installed
        .iter()
        .map(|(id, version)| (name(id), version.parse().unwrap()))
        .collect();
    let check = check_satisfaction(&text.universe(), &text.request, &installed);
    assert_eq!(serde_json::to_value(check).unwrap(), expected);
}

#[test]
fn what_is_installed_is_enough_or_something_is_missing() {
    let text = format!("{UNIVERSE}\nwant a ^1");
    let enough = json!({"allSatisfied": true, "missing": [], "conflicts": []});
    check(&text, &[("a", "1.0.0"), ("b", "1.0.0")], enough.clone());
    // A version that no index knows any more still counts as itself.
    check(&text, &[("a", "1.9.0")], enough);
    let missing = |id: &str, range: &str, available: Value| {
        json!({
            "allSatisfied": false,
            "missing": [{"packageId": id, "versionRange": range, "availableVersions": available}],
            "conflicts": [],
        })
    };
    check(&text, &[], missing("a", "^1", json!(["1.0.0"])));
    check(
        &text,
        &[("a", "1.0.0")],
        missing("b", "*", json!(["1.1.0", "1.0.0"])),
    );
    // There, but not in a version that will do, and nobody minds an exchange.
    let newer = format!("{UNIVERSE}\nwant b ^1.1.0");
    check(
        &newer,
        &[("b", "1.0.0")],
        missing("b", "^1.1.0", json!(["1.1.0"])),
    );
    // Optional ones are not missed.
    let optional = format!("{UNIVERSE}\nwant b ^1, zzz? *");
    let enough = json!({"allSatisfied": true, "missing": [], "conflicts": []});
    check(&optional, &[("b", "1.0.0")], enough);
}

#[test]
fn what_is_installed_can_stand_in_the_way() {
    check(
        "
        a 1.0.0: b ^1
        b 1.0.0
        b 2.0.0
        root app 1.0.0
        want b ^2",
        &[("a", "1.0.0"), ("b", "1.0.0")],
        json!({
            "allSatisfied": false,
            "missing": [],
            "conflicts": [{
                "packageId": "b",
                "dependencyA": {
                    "packageId": "b", "versionRange": "^2", "isOptional": false,
                    "description": "required by app",
                },
                "dependencyB": {
                    "packageId": "b", "versionRange": "^1", "isOptional": false,
                    "description": "required by a 1.0.0",
                },
                "description":
                    "`app` needs `b ^2` and `a 1.0.0` needs `b ^1`: no version meets both",
            }],
        }),
    );
}

#[test]
fn cycles_have_the_names_of_the_specification() {
    let text = Text::read("a 1.0.0: b *\nb 1.0.0: a *\nwant b *");
    let found = find_cycles(&text.universe(), &text.request);
    assert_eq!(
        serde_json::to_value(found).unwrap(),
        json!({
            "hasCircularDependencies": true,
            "cyclePaths": [["a", "b", "a"]],
            "isComplete": true,
        })
    );
}

#[test]
fn a_failure_is_data() {
    let text = Text::read("a 1.0.0: b ^2\nb 1.0.0\nwant a *");
    let failure = text.resolve().unwrap_err();
    let json = serde_json::to_value(&failure).unwrap();
    assert_eq!(json["kind"], "conflict");
    assert_eq!(
        json["requirements"],
        json!([
            {"by": null, "versions": [], "needs": {"kind": "package", "id": "a", "range": "*"}},
            {"by": "a", "versions": ["1.0.0"], "needs": {"kind": "package", "id": "b", "range": "^2"}},
        ])
    );
    assert_eq!(
        json["suggestions"],
        json!([{"kind": "override", "id": "b", "range": "^1.0.0", "against": "a"}])
    );
}

#[test]
fn every_failure_has_its_own_code() {
    let code = |text: &str| Text::read(text).resolve().unwrap_err().code();
    assert_eq!(code("want a *"), "ATT-RESOLVE-UNKNOWN");
    assert_eq!(code("a 1.0.0: a *\nwant a *"), "ATT-RESOLVE-CYCLE");
    assert_eq!(code("a 1.0.0\nwant a ^2"), "ATT-RESOLVE-CONFLICT");
    assert_eq!(Failure::GaveUp { steps: 1 }.code(), "ATT-RESOLVE-GAVE-UP");
    assert_eq!(Failure::Interrupted.code(), "ATT-RESOLVE-INTERRUPTED");
}

#[test]
fn every_record_has_a_schema() {
    for schema in [
        schemars::schema_for!(DependencyGraph),
        schemars::schema_for!(DependencySatisfactionCheck),
        schemars::schema_for!(CircularDependencyDetection),
        schemars::schema_for!(Resolution),
        schemars::schema_for!(Failure),
    ] {
        assert!(schema.as_object().is_some_and(|schema| schema.len() > 2));
    }
}
