//! What is refused as a lockfile: each with its code and its line.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use attache_resolve::{InvalidLock, Lockfile};
use insta::assert_snapshot;

/// A lock that is fine. `D` stands for a digest.
const GOOD: &str = r#"version = 1

[namespaces]
acme = "main"

[overrides]
forced = "^2"

[host]
platform = "linux/amd64"
engines = [
    "lexichord 1.2.0",
]

[[root]]
path = "."
dependencies = [
    "acme.a ^1",
    "member ^9",
]
optional = [
    "nowhere *",
    "b ^7",
]

[[root]]
id = "member"
path = "member"

[[package]]
id = "acme.a"
version = "1.5.0"
registry = "main"
namespace = "acme"
digest = "D"
size = 10
dependencies = [
    "forced ^1",
    "member *",
]
optional = [
    "b >=1.0.0",
]

[[package]]
id = "b"
version = "1.0.0"
registry = "main"
digest = "D"
size = 10
needs = [
    "runtime node",
]

[[package]]
id = "forced"
version = "2.0.0"
registry = "other"
digest = "D"
size = 10
"#;

fn text(edited: &str) -> String {
    let digest = format!("\"sha256:{}\"", "0".repeat(64));
    edited.replace("\"D\"", &digest)
}

/// The code, what to replace in the good lock (the last time it occurs), and with what. The
/// line at fault is the one with `#!`.
const CASES: &[(&str, &str, &str)] = &[
    // Merges come first, even when something before them is wrong too.
    (
        "MERGE",
        "id = \"b\"",
        "id = \"b\"\n<<<<<<< ours #!\n=======\n>>>>>>> theirs",
    ),
    ("MERGE", "    \"forced ^1\",", "||||||| base #!"),
    ("MERGE", "version = 1\n", "nonsense\n======= #!\n"),
    ("MERGE", "version = 1\n", "version = 9\n>>>>>>> #!\n"),
    // Another version, whatever else is new in it.
    ("VERSION", "version = 1\n", "version = 2 #!\nnews = {}\n"),
    ("VERSION", "version = 1\n", "version = 0 #!\n"),
    ("VALUE", "version = 1\n", "version = 1.0 #!\n"),
    ("VALUE", "version = 1\n", "version = \"1\" #!\n"),
    ("MISSING", "version = 1\n", "#!\n"),
    // Lines that have no place there.
    ("SYNTAX", "version = 1\n", "version = 1\nnews = 1 #!\n"),
    ("SYNTAX", "[host]", "[hosts] #!"),
    ("SYNTAX", "[host]", "[host] x #!"),
    ("SYNTAX", "[host]", "[[host]] #!"),
    ("SYNTAX", "[host]", "[ host ] #!"),
    (
        "SYNTAX",
        "[[package]]\nid = \"b\"",
        "[package] #!\nid = \"b\"",
    ),
    ("SYNTAX", "id = \"b\"", "id.x = \"b\" #!"),
    ("SYNTAX", "id = \"b\"", "id \"b\" #!"),
    ("SYNTAX", "id = \"b\"", "= \"b\" #!"),
    ("SYNTAX", "id = \"b\"", "id = #!"),
    ("SYNTAX", "id = \"b\"", "id = 'b' #!"),
    ("SYNTAX", "id = \"b\"", "id = \"\"\"b\"\"\" #!"),
    ("SYNTAX", "id = \"b\"", "id = \"b #!"),
    ("SYNTAX", "id = \"b\"", "id = \"b\\\" #!"),
    ("SYNTAX", "id = \"b\"", "id = \"b\" c #!"),
    ("SYNTAX", "id = \"b\"", "id = \"b\", #!"),
    ("SYNTAX", "id = \"b\"", "id = \"\\b\" #!"),
    ("SYNTAX", "id = \"b\"", "id = \"\\u006\" #!"),
    ("SYNTAX", "id = \"b\"", "id = \"\\u+062\" #!"),
    ("SYNTAX", "id = \"b\"", "id = \"\\uD800\" #!"),
    ("SYNTAX", "id = \"b\"", "id = \"\\é\" #!"),
    ("SYNTAX", "id = \"b\"", "id = b #!"),
    ("SYNTAX", "id = \"b\"", "id = [\"b\"] #!"),
    ("SYNTAX", "id = \"b\"", "id = \"b\" #!\u{7}"),
    ("SYNTAX", "id = \"b\"", "id = \"b\"\r #!"),
    ("SYNTAX", "size = 10", "size = \"10\" #!"),
    ("SYNTAX", "size = 10", "sizes = 10 #!"),
    ("SYNTAX", "acme = \"main\"", "acme = 1 #!"),
    ("SYNTAX", "    \"runtime node\",\n]", "    runtime #!\n]"),
    (
        "SYNTAX",
        "    \"runtime node\",\n]",
        "    \"runtime node\" \"x\" #!\n]",
    ),
    ("SYNTAX", "    \"runtime node\",\n]", "    , #!\n]"),
    (
        "SYNTAX",
        "    \"runtime node\",\n]",
        "    [\"runtime node\"], #!\n]",
    ),
    ("SYNTAX", "    \"runtime node\",\n]", "] ] #!"),
    (
        "SYNTAX",
        "needs = [\n    \"runtime node\",\n]",
        "needs = \"runtime node\" #!",
    ),
    (
        "SYNTAX",
        "size = 10\n",
        "size = 10\nneeds = [ #!\n    \"runtime node\",\n# the end\n",
    ),
    // Values that cannot be read.
    (
        "VALUE",
        "version = 1\n",
        "version = 1\nstrategy = \"newest\" #!\n",
    ),
    ("VALUE", "acme = \"main\"", "Acme = \"main\" #!"),
    ("VALUE", "acme = \"main\"", "acme = \"ma\\u001bin\" #!"),
    ("VALUE", "acme = \"main\"", "acme = \"ma\u{1b}in\" #!"),
    ("VALUE", "forced = \"^2\"", "forced = \"^x.2\" #!"),
    (
        "VALUE",
        "platform = \"linux/amd64\"",
        "platform = \"linux\" #!",
    ),
    (
        "VALUE",
        "platform = \"linux/amd64\"",
        "platform = \"linux/amd64/glibc/x\" #!",
    ),
    (
        "VALUE",
        "platform = \"linux/amd64\"",
        "platform = \"linux//glibc\" #!",
    ),
    ("VALUE", "\"lexichord 1.2.0\",", "\"lexichord\", #!"),
    ("VALUE", "\"lexichord 1.2.0\",", "\"lexichord 1.2\", #!"),
    (
        "VALUE",
        "\"lexichord 1.2.0\",",
        "\"\\\"lexi\\\"chord 1.2.0\", #!",
    ),
    ("VALUE", "id = \"member\"", "id = \"a/b\" #!"),
    ("VALUE", "path = \"member\"", "path = \"mem\\nber\" #!"),
    ("VALUE", "id = \"b\"", "id = \"\\n\" #!"),
    ("VALUE", "version = \"1.0.0\"", "version = \"1.0\" #!"),
    ("VALUE", "registry = \"main\"", "registry = \"a\tb\" #!"),
    ("VALUE", "registry = \"main\"", "registry = \"a\u{9b}b\" #!"),
    (
        "VALUE",
        "registry = \"main\"",
        "registry = \"main\"\nsource = \"a\\u007f\" #!",
    ),
    ("VALUE", "namespace = \"acme\"", "namespace = \"\" #!"),
    ("VALUE", "digest = \"D\"", "digest = \"sha256:0\" #!"),
    ("VALUE", "size = 10", "size = -1 #!"),
    ("VALUE", "size = 10", "size = +1 #!"),
    ("VALUE", "size = 10", "size = 01 #!"),
    ("VALUE", "size = 10", "size = 1_0 #!"),
    ("VALUE", "size = 10", "size = 9223372036854775808 #!"),
    ("VALUE", "    \"forced ^1\",", "    \"forced\", #!"),
    ("VALUE", "    \"forced ^1\",", "    \"forced ^1 ^^2\", #!"),
    ("VALUE", "    \"forced ^1\",", "    \" ^1\", #!"),
    ("VALUE", "\"runtime node\",", "\"runtime \", #!"),
    ("VALUE", "\"runtime node\",", "\"runtime node one\", #!"),
    ("VALUE", "\"runtime node\",", "\"runtime a\\tb *\", #!"),
    ("VALUE", "\"runtime node\",", "\"engine lexichord\", #!"),
    ("VALUE", "\"runtime node\",", "\"platform linux\", #!"),
    ("VALUE", "\"runtime node\",", "\"gpu *\", #!"),
    // What can be there once.
    ("TWICE", "version = 1\n", "version = 1\nversion = 1 #!\n"),
    (
        "TWICE",
        "acme = \"main\"",
        "acme = \"main\"\n\"acme\" = \"main\" #!",
    ),
    (
        "TWICE",
        "forced = \"^2\"",
        "forced = \"^2\"\nforced = \"^2\" #!",
    ),
    ("TWICE", "[host]", "[overrides] #!\n[host]"),
    (
        "TWICE",
        "    \"lexichord 1.2.0\",",
        "    \"lexichord 1.2.0\",\n    \"lexichord 1.3.0\", #!",
    ),
    ("TWICE", "[[root]]\nid = \"member\"", "[[root]] #!"),
    (
        "TWICE",
        "[[package]]\nid = \"b\"",
        "[[root]]\nid = \"member\" #!\npath = \"x\"\n\n[[package]]\nid = \"b\"",
    ),
    ("TWICE", "id = \"b\"\n", "id = \"acme.a\" #!\n"),
    ("TWICE", "id = \"b\"\n", "id = \"b\"\nid = \"c\" #!\n"),
    (
        "TWICE",
        "    \"member *\",",
        "    \"member *\",\n    \"forced ^2\", #!",
    ),
    (
        "TWICE",
        "    \"b >=1.0.0\",",
        "    \"b >=1.0.0\",\n    \"member *\", #!",
    ),
    // What must be there.
    (
        "MISSING",
        "[[root]]\nid = \"member\"\npath = \"member\"",
        "[[root]] #!\nid = \"member\"",
    ),
    ("MISSING", "[[package]]\nid = \"b\"", "[[package]] #!"),
    (
        "MISSING",
        "[[package]]\nid = \"b\"\nversion = \"1.0.0\"",
        "[[package]] #!\nid = \"b\"",
    ),
    (
        "MISSING",
        "[[package]]\nid = \"forced\"\nversion = \"2.0.0\"\nregistry = \"other\"",
        "[[package]] #!\nid = \"forced\"\nversion = \"2.0.0\"",
    ),
    (
        "MISSING",
        "[[package]]\nid = \"forced\"\nversion = \"2.0.0\"\nregistry = \"other\"\ndigest = \"D\"",
        "[[package]] #!\nid = \"forced\"\nversion = \"2.0.0\"\nregistry = \"other\"",
    ),
    (
        "MISSING",
        "[[package]]\nid = \"forced\"\nversion = \"2.0.0\"\nregistry = \"other\"\ndigest = \"D\"\nsize = 10",
        "[[package]] #!\nid = \"forced\"\nversion = \"2.0.0\"\nregistry = \"other\"\ndigest = \"D\"",
    ),
    // What does not agree.
    (
        "BROKEN",
        "    \"acme.a ^1\",",
        "    \"acme.a ^1\",\n    \"gone *\", #!",
    ),
    ("BROKEN", "    \"acme.a ^1\",", "    \"acme.a ^2\", #!"),
    (
        "BROKEN",
        "id = \"member\"\npath = \"member\"",
        "id = \"member\"\npath = \"member\"\ndependencies = [\n    \"b ^2\", #!\n]",
    ),
    (
        "BROKEN",
        "    \"forced ^1\",",
        "    \"forced ^1\",\n    \"gone *\", #!",
    ),
    ("BROKEN", "    \"b >=1.0.0\",", "    \"b >1.0.0\", #!"),
    ("BROKEN", "    \"b >=1.0.0\",", "    \"gone *\", #!"),
    ("BROKEN", "version = \"2.0.0\"", "version = \"1.0.0\" #!"),
    ("BROKEN", "namespace = \"acme\"", "namespace = \"other\" #!"),
    (
        "BROKEN",
        "registry = \"main\"\nnamespace = \"acme\"",
        "registry = \"other\"\nnamespace = \"acme\" #!",
    ),
];

/// Refuses the good lock after one edit, and returns why.
#[track_caller]
fn refusal(from: &str, to: &str) -> (usize, InvalidLock) {
    let at = GOOD.rfind(from).unwrap();
    let edited = format!("{}{to}{}", &GOOD[..at], &GOOD[at + from.len()..]);
    let line = edited.lines().position(|line| line.contains("#!"));
    let error = Lockfile::parse(&text(&edited)).expect_err(to);
    (line.unwrap() + 1, error)
}

#[test]
fn every_refusal_has_its_code_and_names_its_line() {
    assert!(Lockfile::parse(&text(GOOD)).is_ok());
    let mut seen = BTreeSet::new();
    for (code, from, to) in CASES {
        let (line, error) = refusal(from, to);
        let code = format!("ATT-LOCK-{code}");
        assert_eq!((error.line, error.code), (line, &*code), "{to}: {error}");
        assert!(!error.hint.is_empty());
        seen.insert(error.code);
    }
    let known: BTreeSet<&str> = InvalidLock::CODES.iter().map(|(code, _)| *code).collect();
    assert_eq!(seen, known, "there is a case for every code");
}

#[test]
fn a_refusal_says_what_is_wrong() {
    let mut told = String::new();
    for (_, from, to) in CASES {
        let (_, error) = refusal(from, to);
        let _ = writeln!(told, "{error}");
    }
    assert_snapshot!(told);
}

#[test]
fn what_people_leave_open_is_no_contradiction() {
    let accepted = |from: &str, to: &str| {
        let edited = GOOD.replace(from, to);
        assert_ne!(edited, GOOD);
        Lockfile::parse(&text(&edited)).unwrap();
    };
    // An override allows what nobody else does, and a root is there in any version.
    accepted("\"forced ^1\"", "\"forced ^8\"");
    accepted("\"member *\"", "\"member ^3\"");
    // Optional dependencies of a root may be absent, or there in a version for others.
    accepted("\"nowhere *\"", "\"elsewhere ^5\"");
    accepted("\"b ^7\"", "\"b <0.0.1\"");
    // An override of what is not there says nothing.
    accepted("forced = \"^2\"", "forced = \"^2\"\nabsent = \"^2\"");
}

#[test]
fn a_lock_is_not_longer_than_it_can_be() {
    let lines = |count: usize| format!("version = 1{}", "\n".repeat(count));
    assert!(Lockfile::parse(&lines(1_000_000)).is_ok());
    let error = Lockfile::parse(&(lines(1_000_000) + "#")).unwrap_err();
    assert_eq!((error.line, error.code), (1_000_001, "ATT-LOCK-SYNTAX"));

    let long = format!("version = 1\n#{}\n", "-".repeat(64 << 20));
    let error = Lockfile::parse(&long).unwrap_err();
    assert_eq!((error.line, error.code), (2, "ATT-LOCK-SYNTAX"));
}

#[test]
fn a_message_is_short_and_plain() {
    for junk in [
        "id = \"J\"",
        "id = J",
        "J",
        "[J",
        "id = \"x\" J",
        "id = \"x",
        "digest = \"J\"",
        "dependencies = [\"a J\"]",
        "needs = [\"J\"]",
        "registry = \"\\u001bJ\"",
    ] {
        let junk = junk.replace('J', &"\u{1b}é".repeat(99_999));
        let text = format!("version = 1\n[[package]]\n{junk}\n");
        let error = Lockfile::parse(&text).unwrap_err().to_string();
        assert!(error.len() < 2000, "{error}");
        assert!(!error.contains('\u{1b}'), "{error}");
    }
}
