//! Trees, reasons and what is outdated, as people read them.

use super::{place, want};
use crate::support::Place;

fn team() -> Place {
    let place = place(
        "base 1.0.0: util ^1, ?extra ^1
         base 2.0.0: util ^2
         search 1.3.0: base ^1, util >=1.1
         util 1.0.0
         util 1.1.0
         util 2.0.0
         util 3.0.0-beta.1
         extra 1.0.0",
    );
    want(&place, "search = \"^1\"\nbase = \"^1\"");
    place.attache("lock --index index.jsonl").succeeds();
    place
}

#[test]
fn a_tree_shows_who_needs_whom() {
    let place = team();
    insta::assert_snapshot!(place.attache("tree").succeeds().stdout());
    insta::assert_snapshot!(place.attache("tree --invert -p util").succeeds().stdout());
    let short = place.attache("tree --depth 1").succeeds().stdout();
    assert!(!short.contains("util"), "{short}");
    let answer = place.attache("tree -p utli").exits(3);
    assert!(
        answer.stderr().contains("did you mean `util`?"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn a_tree_is_drawn_for_graphviz_and_as_a_picture() {
    let place = team();
    let dot = place.attache("tree --as dot").succeeds().stdout();
    assert!(dot.starts_with("digraph") && dot.contains("util"), "{dot}");
    let svg = place.attache("tree --as svg").succeeds().stdout();
    assert!(
        svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"),
        "{svg}"
    );
    place.attache("tree --as svg -o tree.svg").succeeds();
    assert_eq!(String::from_utf8(place.read("tree.svg")).unwrap(), svg);
}

#[test]
fn a_tree_needs_no_index_while_the_lock_is_up_to_date() {
    let place = team();
    let with = place
        .attache("tree --index index.jsonl")
        .succeeds()
        .stdout();
    fs_err::remove_file(place.path("index.jsonl")).unwrap();
    assert_eq!(place.attache("tree --frozen").succeeds().stdout(), with);
    place.attache("why util --frozen").succeeds();
    want(&place, "base = \"^1\"");
    place.attache("tree").exits(2);
    place.attache("tree --frozen").exits(8);
}

#[test]
fn a_finished_package_shows_what_is_locked_inside() {
    let place = team();
    place.init("agent", "lexichord");
    place.edit("agent/manifest.json", |m| {
        m["dependencies"] = serde_json::json!({ "base": { "version": "^1" } });
    });
    fs_err::remove_file(place.path("attache.toml")).unwrap();
    fs_err::remove_file(place.path("attache.lock")).unwrap();
    place.attache("lock agent --index index.jsonl").succeeds();
    place.attache("build agent -o agent.lxpkg").succeeds();
    let tree = place.attache("tree agent.lxpkg").succeeds().stdout();
    assert!(
        tree.contains("base 1.0.0 (^1)") && tree.contains("extra 1.0.0"),
        "{tree}"
    );
    place.attache("why util agent.lxpkg").succeeds();
    place.attache("outdated agent.lxpkg").exits(2);
    place.attache("lock agent.lxpkg").exits(2);
}

#[test]
fn why_tells_every_dependent_by_the_shortest_way() {
    let place = team();
    insta::assert_snapshot!(place.attache("why util").succeeds().stdout());
    let answer = place.attache("why utli").exits(3);
    assert!(
        answer.stderr().contains("did you mean `util`?"),
        "{}",
        answer.stderr()
    );
}

#[test]
fn outdated_tells_what_is_wanted_what_there_is_and_who_holds_it_back() {
    let place = team();
    insta::assert_snapshot!(
        place
            .attache("outdated --index index.jsonl")
            .succeeds()
            .stdout()
    );
    // Nothing that could be had is missing, so nothing is pending.
    place
        .attache("outdated --index index.jsonl --check")
        .succeeds();
    let held = "outdated --index index.jsonl --override base=1.0.0 --override util=1.0.0 --check";
    place.attache(held).exits(8);
}
