//! The lockfile: one text for one lock, and every way to write it by hand.

use std::collections::BTreeMap;

use attache_package::{Digest, PackageName, Platform, Release};
use attache_resolve::{
    HostNeed, LockedEdge, LockedHost, LockedPackage, LockedRoot, Lockfile, Strategy as Liking,
};
use insta::assert_snapshot;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::sample::{select, subsequence};
use toml::{Table, Value};

use crate::dsl::name;

fn edge(text: &str) -> LockedEdge {
    let (id, range) = text.split_once(' ').unwrap();
    LockedEdge {
        id: name(id),
        range: range.parse().unwrap(),
    }
}

fn edges(texts: &[&str]) -> Vec<LockedEdge> {
    texts.iter().map(|text| edge(text)).collect()
}

fn package(id: &str, version: &str, dependencies: &[&str]) -> LockedPackage {
    LockedPackage {
        id: name(id),
        version: version.parse().unwrap(),
        registry: "main".to_owned(),
        namespace: None,
        source: Some(format!("{id}-{version}.lxpkg")),
        digest: Digest::of(id),
        size: 1234,
        dependencies: edges(dependencies),
        optional: Vec::new(),
        needs: Vec::new(),
    }
}

fn engine(name: &str, range: &str) -> HostNeed {
    HostNeed::Engine {
        name: name.to_owned(),
        range: range.parse().unwrap(),
    }
}

fn runtime(name: &str, range: Option<&str>) -> HostNeed {
    HostNeed::Runtime {
        name: name.to_owned(),
        range: range.map(|range| range.parse().unwrap()),
    }
}

fn platform(os: &str, arch: &str, libc: Option<&str>) -> HostNeed {
    HostNeed::Platform {
        os: os.to_owned(),
        arch: arch.to_owned(),
        libc: libc.map(str::to_owned),
    }
}

fn release(text: &str) -> Release {
    text.parse().unwrap()
}

/// A lock in which everything occurs that can.
fn full() -> Lockfile {
    let mut tools = package("acme.tools.lint", "0.3.0-beta.1", &["base ^1.0"]);
    tools.registry = "inner".to_owned();
    tools.namespace = Some(name("acme.tools"));
    tools.source = Some("https://inner.example/lint \"new\".lxpkg".to_owned());
    tools.optional = edges(&["extra ^2"]);
    tools.needs = vec![
        engine("my engine", ">=1.0 <2.0"),
        engine("lexichord", ">=1.0"),
        platform("linux", "amd64", None),
        platform("linux", "arm64", Some("musl")),
        runtime("node", None),
        runtime("python", Some(">=3.10")),
    ];
    let mut extra = package("extra", "2.4.1+build.7", &[]);
    extra.source = None;
    Lockfile {
        strategy: Liking::Lowest,
        namespaces: BTreeMap::from([
            (name("acme"), "main".to_owned()),
            (name("acme.tools"), "inner".to_owned()),
        ]),
        overrides: BTreeMap::from([(name("base"), "^2.1".parse().unwrap())]),
        host: Some(LockedHost {
            platform: Some(Platform {
                os: "linux".to_owned(),
                arch: "amd64".to_owned(),
                libc: Some("glibc".to_owned()),
            }),
            engines: BTreeMap::from([("lexichord".to_owned(), release("1.2.0"))]),
            runtimes: BTreeMap::from([
                ("node".to_owned(), release("22.1.0")),
                ("python".to_owned(), release("3.12.1")),
            ]),
        }),
        roots: vec![
            LockedRoot {
                id: None,
                path: ".".to_owned(),
                dependencies: edges(&["acme.tools.lint 0.3.0-beta.1", "acme.writer *"]),
                optional: edges(&["nowhere ^1 || ^2"]),
            },
            LockedRoot {
                id: Some(name("acme.writer")),
                path: "agents/writer".to_owned(),
                dependencies: edges(&["base ^1.0"]),
                optional: Vec::new(),
            },
        ],
        packages: vec![tools, package("base", "2.1.0", &[]), extra],
    }
}

#[test]
fn a_lock_has_one_text() {
    let full = full();
    assert_snapshot!(full.to_string());
    assert_eq!(Lockfile::parse(&full.to_string()), Ok(full));
    let empty = Lockfile::default().to_string();
    assert_eq!(empty.lines().collect::<Vec<_>>()[1..], ["version = 1"]);
    assert_eq!(Lockfile::parse(&empty), Ok(Lockfile::default()));
}

#[test]
fn a_lock_is_written_sorted_however_it_came_together() {
    let mut shuffled = full();
    shuffled.packages.reverse();
    shuffled.roots.reverse();
    for root in &mut shuffled.roots {
        root.dependencies.reverse();
    }
    for package in &mut shuffled.packages {
        package.needs.reverse();
    }
    assert_ne!(shuffled, full());
    assert_eq!(shuffled.to_string(), full().to_string());
    // A host of which nothing was stated is none.
    shuffled.host = Some(LockedHost::default());
    assert!(!shuffled.to_string().contains("[host]"));
}

#[test]
fn a_package_is_found_by_name_and_its_fields_by_line() {
    let full = full();
    let found = full.get(&name("base")).unwrap();
    assert_eq!(found.version, release("2.1.0"));
    assert_eq!(full.get(&name("acme.writer")), None);

    let text = full.to_string();
    let line = |id: &str, field: &str| {
        let line = Lockfile::line_of(&text, &name(id), field)?;
        text.lines().nth(line - 1)
    };
    let digest = format!("digest = \"{}\"", Digest::of("base"));
    assert_eq!(line("base", "digest"), Some(&*digest));
    assert_eq!(line("extra", "id"), Some("id = \"extra\""));
    assert_eq!(line("extra", "source"), None);
    assert_eq!(line("acme.tools.lint", "needs"), Some("needs = ["));
    // Roots are no packages.
    assert_eq!(line("acme.writer", "path"), None);
    assert_eq!(line("nowhere", "id"), None);
}

/// What a person may do to a lock that changes nothing. `~` stands for a tab.
const BY_HAND: &str = r#"
    # a remark
strategy="lowest" # another
"version" = 1

[[package]]
size = 0
id = "b"
version = "1.1.0"
~registry~= "m\u0061in" # tabs
digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
needs = [ "runtime node", "engine \"my \\\" engine\" *", ]

[[root]]
optional = []
dependencies = [
    # the older one
    "b ^1", "a *"
]
path = "."

[overrides]
[host]
[[package]]
id = "a"
version = "1.0.0"
registry = "main"
namespace = "a"
digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
size = 1
dependencies = ["b  >=1.0.0\t|| 0.x" ,
]
[namespaces]
a = "main"
"#;

const AS_WRITTEN: &str = r#"# Which versions were chosen, and from where. Written by `attache lock`; commit it, do not edit it.
version = 1
strategy = "lowest"

[namespaces]
a = "main"

[[root]]
path = "."
dependencies = [
    "a *",
    "b ^1",
]

[[package]]
id = "a"
version = "1.0.0"
registry = "main"
namespace = "a"
digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
size = 1
dependencies = [
    "b >=1.0.0\t|| 0.x",
]

[[package]]
id = "b"
version = "1.1.0"
registry = "main"
digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
size = 0
needs = [
    "engine \"my \\\" engine\" *",
    "runtime node",
]
"#;

#[test]
fn the_order_of_things_and_how_they_are_spaced_does_not_matter() {
    let by_hand = BY_HAND.replace('~', "\t");
    for text in [
        by_hand.clone(),
        by_hand.replace('\n', "\r\n"),
        by_hand.trim_end().to_owned(),
    ] {
        let lock = Lockfile::parse(&text).unwrap();
        assert_eq!(lock.to_string(), AS_WRITTEN);
        assert_eq!(Lockfile::parse(AS_WRITTEN), Ok(lock));
    }
    // And it was TOML before and after.
    assert!(by_hand.parse::<Table>().is_ok());
    assert!(AS_WRITTEN.parse::<Table>().is_ok());
}

#[test]
fn a_new_package_touches_only_the_lines_it_must() {
    let mut lock = full();
    let before = lock.to_string();
    let new = package("cache", "1.0.0", &["base *", "extra >=2"]);
    lock.packages.push(new);
    let writer = &mut lock.roots[1];
    writer.dependencies.push(edge("cache ^1"));
    let after = lock.to_string();

    let mut kept = before.lines().peekable();
    let is_new = |line: &&str| kept.next_if(|old| old == line).is_none();
    let added: Vec<&str> = after.lines().filter(is_new).collect();
    assert_eq!(kept.next(), None, "nothing was taken away");
    let digest = format!("digest = \"{}\"", Digest::of("cache"));
    let expected = [
        "    \"cache ^1\",",
        "[[package]]",
        "id = \"cache\"",
        "version = \"1.0.0\"",
        "registry = \"main\"",
        "source = \"cache-1.0.0.lxpkg\"",
        &digest,
        "size = 1234",
        "dependencies = [",
        "    \"base *\",",
        "    \"extra >=2\",",
        "]",
        "",
    ];
    let sorted = |lines: &[&str]| {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&added), sorted(&expected));
}

const NAMES: [&str; 7] = ["a", "a-b", "a.b", "a.b.c", "b_1", "c", "d.e"];
const TEXTS: [&str; 6] = [
    "main",
    "",
    "é \u{1f980}",
    "a\"b\\c",
    "#'",
    "https://x.example/?a=b",
];
const WORDS: [&str; 8] = [
    "python",
    "my engine",
    "",
    "\"",
    "a/b",
    "a\\",
    "\n\u{1b}\u{85}",
    "é",
];
const VERSIONS: [&str; 4] = ["1.0.0", "1.2.3+b.1", "2.0.0-rc.1", "3.1.0"];
/// Each holds every one of the versions.
const RANGES: [&str; 4] = [
    ">=1.0.0 || 2.0.0-rc.1",
    "^1\n|| ^2.0.0-rc.1\t||3",
    "1 ||\r\n\u{b} >=2.0.0-rc.1",
    "1.x ||   >1.9.9 || 2.0.0-rc.1 || 1.2.3 || \u{a0} 3",
];

fn words<T: Clone + std::fmt::Debug + 'static>(
    values: Vec<T>,
) -> impl Strategy<Value = BTreeMap<String, T>> {
    let word = select(&WORDS[..]).prop_map(str::to_owned);
    proptest::collection::btree_map(word, select(values), 0..3)
}

fn needs() -> impl Strategy<Value = Vec<HostNeed>> {
    let word = || select(&WORDS[..]);
    let range = || select(&["", "*", "^1", RANGES[1]][..]);
    let some = proptest::option::of;
    let need = prop_oneof![
        (word(), range()).prop_map(|(name, range)| engine(name, range)),
        (word(), some(range())).prop_map(|(name, range)| runtime(name, range)),
        (word(), word(), some(word())).prop_map(|(os, arch, libc)| platform(os, arch, libc)),
    ];
    proptest::collection::vec(need, 0..4)
}

fn host() -> impl Strategy<Value = LockedHost> {
    let versions = || VERSIONS.map(release).to_vec();
    let [os, arch, libc] = [(); 3].map(|()| select(&WORDS[..]).prop_map(str::to_owned));
    let platform = (os, arch, proptest::option::of(libc)).prop_map(|(os, arch, libc)| Platform {
        os,
        arch,
        libc,
    });
    (
        proptest::option::of(platform),
        words(versions()),
        words(versions()),
    )
        .prop_map(|(platform, engines, runtimes)| LockedHost {
            platform,
            engines,
            runtimes,
        })
}

/// Edges to some of the names, required and optional.
fn both(names: Vec<&'static str>) -> impl Strategy<Value = [Vec<LockedEdge>; 2]> {
    let count = names.len();
    let kinds = (0usize..4, select(&RANGES[..]));
    let kinds = proptest::collection::vec(kinds, count);
    (subsequence(names, 0..=count), kinds).prop_map(|(names, kinds)| {
        let mut lists = [Vec::new(), Vec::new()];
        for (to, (kind, range)) in names.into_iter().zip(kinds) {
            lists[usize::from(kind == 0)].push(LockedEdge {
                id: name(to),
                range: range.parse().unwrap(),
            });
        }
        lists
    })
}

fn one(id: &'static str, names: Vec<&'static str>) -> impl Strategy<Value = LockedPackage> {
    (
        select(&VERSIONS[..]),
        (select(&TEXTS[..]), proptest::option::of(select(&TEXTS[..]))),
        proptest::bool::ANY,
        any::<[u8; 4]>(),
        prop_oneof![Just(0), Just(i64::MAX as u64), 0u64..1 << 40],
        both(names),
        needs(),
    )
        .prop_map(
            move |(version, (registry, source), bound, seed, size, edges, needs)| {
                let [dependencies, optional] = edges;
                LockedPackage {
                    registry: registry.to_owned(),
                    namespace: bound.then(|| name(id)),
                    source: source.map(str::to_owned),
                    digest: Digest::of(seed),
                    size,
                    dependencies,
                    optional,
                    needs,
                    ..package(id, version, &[])
                }
            },
        )
}

/// Any lock that agrees with itself, sorted.
fn lock() -> impl Strategy<Value = Lockfile> {
    let names = subsequence(NAMES.to_vec(), 0..=NAMES.len());
    let parts = names.prop_flat_map(|names| {
        let packages: Vec<_> = names.iter().map(|id| one(id, names.clone())).collect();
        let root = |id: Option<&'static str>| {
            (select(&TEXTS[..]), both(names.clone())).prop_map(move |(path, edges)| {
                let [dependencies, mut optional] = edges;
                optional.push(edge("zzz ^9"));
                LockedRoot {
                    id: id.map(name),
                    path: path.to_owned(),
                    dependencies,
                    optional,
                }
            })
        };
        let roots = [root(None), root(Some("r.one")), root(Some("r.two"))];
        let overridden = both(names.clone());
        (packages, roots, 0usize..=3, overridden)
    });
    let lowest = proptest::bool::ANY;
    (parts, proptest::option::of(host()), lowest).prop_map(|(parts, host, lowest)| {
        let (mut packages, roots, count, [overridden, _]) = parts;
        for package in &mut packages {
            package.needs.sort_by_cached_key(written);
        }
        let bound = packages.iter().filter_map(|package| {
            let namespace = package.namespace.clone()?;
            Some((namespace, package.registry.clone()))
        });
        let namespaces: BTreeMap<PackageName, String> = bound.collect();
        for package in &mut packages {
            // The longest namespace above a package says where it comes from.
            let above = namespaces.iter().filter(|(namespace, _)| {
                let rest = package.id.as_str().strip_prefix(namespace.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            });
            if let Some((namespace, registry)) = above.max_by_key(|(n, _)| n.as_str().len()) {
                package.namespace = Some(namespace.clone());
                package.registry = registry.clone();
            }
        }
        Lockfile {
            strategy: if lowest {
                Liking::Lowest
            } else {
                Liking::Highest
            },
            namespaces,
            overrides: overridden.into_iter().map(|e| (e.id, e.range)).collect(),
            host: host.filter(|host| *host != LockedHost::default()),
            roots: roots.into_iter().take(count).collect(),
            packages,
        }
    })
}

/// Returns a need as the lock has it: in a lock with it alone, the one item of its list.
fn written(need: &HostNeed) -> String {
    let mut only = package("a", "1.0.0", &[]);
    only.needs.push(need.clone());
    let lock = Lockfile {
        packages: vec![only],
        ..Lockfile::default()
    };
    let table: Table = lock.to_string().parse().unwrap();
    let item = &table["package"][0]["needs"][0];
    item.as_str().unwrap().to_owned()
}

/// Returns the same as [`Lockfile`]'s text should hold, for TOML to compare.
fn expected(lock: &Lockfile) -> Table {
    let mut top = Table::new();
    top.insert("version".to_owned(), Value::Integer(1));
    if lock.strategy == Liking::Lowest {
        top.insert("strategy".to_owned(), "lowest".into());
    }
    let map = |of: Vec<(&PackageName, String)>| -> Table {
        let pairs = of.into_iter();
        pairs
            .map(|(id, text)| (id.to_string(), text.into()))
            .collect()
    };
    let mut put = |key: &str, table: Table| {
        if !table.is_empty() {
            top.insert(key.to_owned(), table.into());
        }
    };
    let namespaces = lock.namespaces.iter();
    put(
        "namespaces",
        map(namespaces.map(|(id, to)| (id, to.clone())).collect()),
    );
    let overrides = lock.overrides.iter();
    put(
        "overrides",
        map(overrides.map(|(id, to)| (id, to.to_string())).collect()),
    );
    let roots: Vec<Value> = lock
        .roots
        .iter()
        .map(|root| {
            let mut table = Table::new();
            table.extend(
                root.id
                    .iter()
                    .map(|id| ("id".to_owned(), id.to_string().into())),
            );
            table.insert("path".to_owned(), root.path.clone().into());
            table.extend(lists(&root.dependencies, &root.optional));
            table.into()
        })
        .collect();
    let packages: Vec<Value> = lock
        .packages
        .iter()
        .map(|package| {
            let mut table = Table::new();
            let mut put = |key: &str, value: Value| table.insert(key.to_owned(), value);
            put("id", package.id.to_string().into());
            put("version", package.version.to_string().into());
            put("registry", package.registry.clone().into());
            if let Some(namespace) = &package.namespace {
                put("namespace", namespace.to_string().into());
            }
            if let Some(source) = &package.source {
                put("source", source.clone().into());
            }
            put("digest", package.digest.to_string().into());
            put("size", Value::Integer(package.size.try_into().unwrap()));
            if !package.needs.is_empty() {
                let needs: Vec<String> = package.needs.iter().map(written).collect();
                put("needs", needs.into());
            }
            table.extend(lists(&package.dependencies, &package.optional));
            table.into()
        })
        .collect();
    for (key, tables) in [("root", roots), ("package", packages)] {
        if !tables.is_empty() {
            top.insert(key.to_owned(), tables.into());
        }
    }
    top
}

fn lists(dependencies: &[LockedEdge], optional: &[LockedEdge]) -> Vec<(String, Value)> {
    let texts = |edges: &[LockedEdge]| -> Vec<String> {
        let edges = edges.iter();
        edges
            .map(|edge| format!("{} {}", edge.id, edge.range))
            .collect()
    };
    let lists = [("dependencies", dependencies), ("optional", optional)];
    let there = lists.into_iter().filter(|(_, edges)| !edges.is_empty());
    there
        .map(|(key, edges)| (key.to_owned(), texts(edges).into()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_lock_reads_back_as_itself(lock in lock()) {
        let text = lock.to_string();
        let again = Lockfile::parse(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(again.to_string(), text);
        prop_assert_eq!(again, lock);
    }

    #[test]
    fn what_can_be_written_can_be_read(mut lock in lock(), odd in 0..5usize, at in any::<Index>()) {
        prop_assert_eq!(lock.unwritable(&lock.to_string()), None);
        // Each of these may come from an index or a folder's name.
        if lock.packages.is_empty() || lock.roots.is_empty() {
            return Ok(());
        }
        let at = at.index(lock.packages.len());
        let package = &mut lock.packages[at];
        match odd {
            0 => package.size = 1 << 63,
            1 => package.source = Some("a\u{7}b".to_owned()),
            2 => package.registry.push('\n'),
            3 => lock.roots[0].path.push('\u{1b}'),
            _ => {
                lock.namespaces.insert(name("zz"), "\0".to_owned());
            }
        }
        let text = lock.to_string();
        prop_assert!(Lockfile::parse(&text).is_err());
        prop_assert!(lock.unwritable(&text).is_some());
    }

    #[test]
    fn any_toml_reader_finds_the_same_in_it(lock in lock()) {
        let mut table: Table = lock.to_string().parse().unwrap();
        let host = table.remove("host");
        prop_assert_eq!(host.is_some(), lock.host.is_some());
        if let (Some(host), Some(expected)) = (host, &lock.host) {
            let count = |key| host.get(key).map_or(0, |list| list.as_array().unwrap().len());
            prop_assert_eq!(count("engines"), expected.engines.len());
            prop_assert_eq!(count("runtimes"), expected.runtimes.len());
            prop_assert_eq!(host.get("platform").is_some(), expected.platform.is_some());
        }
        prop_assert_eq!(table, expected(&lock));
    }
}
