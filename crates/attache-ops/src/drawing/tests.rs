//! The promises of the three drawings.

use super::layout::{BOX_HEIGHT, Route, layout};
use super::{Edge, Graph, Kind, Node, dot, svg, text};

/// Reads a graph of lines such as `app 1.0: base ^1.0, pdf? *`, where `?` makes an edge optional
/// and `!` before a name a root. The starts are the roots, or the first if there is none.
fn graph(lines: &str) -> Graph {
    let lines: Vec<&str> = lines.lines().map(str::trim).collect();
    let lines = lines.into_iter().filter(|l| !l.is_empty());
    let split: Vec<(&str, &str)> = lines
        .map(|l| l.split_once(':').unwrap_or((l, "")))
        .collect();
    let name = |head: &str| {
        let name = head.trim_start_matches('!').split(' ').next().unwrap();
        name.to_owned()
    };
    let names: Vec<String> = split.iter().map(|(head, _)| name(head)).collect();
    let mut nodes = Vec::new();
    for (head, rest) in &split {
        let edge = |part: &str| {
            let (to, range) = part.trim().split_once(' ').unwrap_or((part.trim(), ""));
            let id = to.trim_end_matches('?');
            Edge {
                to: names.iter().position(|n| n == id).unwrap(),
                range: range.to_owned(),
                optional: to.ends_with('?'),
            }
        };
        let parts = rest.split(',').filter(|p| !p.trim().is_empty());
        let is_root = head.starts_with('!');
        nodes.push(Node {
            id: name(head),
            version: head.split_once(' ').map(|(_, version)| version.to_owned()),
            note: None,
            kind: if is_root { Kind::Root } else { Kind::Package },
            edges: parts.map(edge).collect(),
        });
    }
    let roots = (0..nodes.len()).filter(|n| nodes[*n].kind == Kind::Root);
    let starts: Vec<usize> = roots.collect();
    Graph {
        starts: if starts.is_empty() { vec![0] } else { starts },
        nodes,
    }
}

/// Returns so many nodes, each leading where it is told.
fn made(count: usize, leads: impl Fn(usize) -> Vec<usize>) -> Graph {
    let edge = |to: usize| Edge {
        to,
        range: "^1".to_owned(),
        optional: to.is_multiple_of(5),
    };
    let node = |index: usize| Node {
        id: format!("acme.part_{index}"),
        version: Some("1.0.0".to_owned()),
        note: None,
        kind: if index == 0 {
            Kind::Root
        } else {
            Kind::Package
        },
        edges: leads(index).into_iter().map(edge).collect(),
    };
    Graph {
        nodes: (0..count).map(node).collect(),
        starts: vec![0],
    }
}

/// Returns a graph in which every node leads to some later ones, and some lead back.
fn mixed(count: usize, back: bool) -> Graph {
    let mut state = 88_172_645_463_325_252_u64;
    let mut leads = vec![Vec::new(); count];
    for to in 1..count {
        for _ in 0..2 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            leads[state as usize % to].push(to);
        }
        if back && to % 9 == 0 {
            leads[to].push(to / 2);
            leads[to].push(to);
        }
    }
    made(count, |node| leads[node].clone())
}

/// The graphs that are hard in some way.
fn hard() -> Vec<Graph> {
    let none = Graph::default();
    let ring = made(300, |n| vec![(n + 1) % 300]);
    let star = made(500, |n| if n == 0 { (1..500).collect() } else { vec![] });
    // As many ways from end to end as two to the power of forty.
    let ladder = made(82, |n| {
        let next = (n / 2 + 1) * 2;
        if next < 82 {
            vec![next, next + 1]
        } else {
            vec![]
        }
    });
    let full = made(60, |n| (n + 1..60).collect());
    let apart = made(50, |_| vec![]);
    let sizes = [1, 2, 5, 30, 200].map(|count| mixed(count, false));
    let mut all = vec![none, ring, star, ladder, full, apart, mixed(200, true)];
    all.extend(sizes);
    all
}

/// A text that tries to leave every one of the three languages.
const HOSTILE: &str = "a\"]; } <script>&lt;'\\N\\\n\u{1b}[31m\u{202e}\0\u{ffff}]]>--></title>é✓";

fn hostile() -> Graph {
    let mut graph = graph("!app 1.0: base ^1.0\nbase 1.0");
    for node in &mut graph.nodes {
        node.note = Some(HOSTILE.to_owned());
        for text in [&mut node.id, node.version.as_mut().unwrap()] {
            text.push_str(HOSTILE);
        }
        for edge in &mut node.edges {
            edge.range.push_str(HOSTILE);
        }
    }
    graph
}

#[track_caller]
fn check_tree(given: &Graph, depth: Option<usize>, lines: &[&str]) {
    let drawn = text(given, depth);
    assert_eq!(drawn.lines().collect::<Vec<_>>(), lines, "\n{drawn}");
    assert!(drawn.ends_with('\n'));
}

#[test]
fn a_tree_says_what_asked_for_each_package() {
    let mut graph = graph(
        "!acme.app 2.0.0: acme.base ^1.0, acme.pdf? *, acme.local
         acme.base 1.2.0: acme.core >=1 <3
         acme.pdf 3.0.0
         acme.core 2.1.0
         acme.local",
    );
    graph.nodes[1].note = Some("yanked".to_owned());
    check_tree(
        &graph,
        None,
        &[
            "acme.app 2.0.0",
            "├── acme.base 1.2.0 (^1.0) [yanked]",
            "│   └── acme.core 2.1.0 (>=1 <3)",
            "├── acme.pdf 3.0.0 (any) (optional)",
            "└── acme.local",
        ],
    );
}

#[test]
fn branches_are_drawn_once_and_the_mark_is_explained() {
    let graph = graph(
        "!app 1: one ^1, two ^1
         one 1: base ^1
         two 1: base ^2, leaf ^1
         base 1: leaf ^1
         leaf 1
         !other 1: two ^1",
    );
    check_tree(
        &graph,
        None,
        &[
            "app 1",
            "├── one 1 (^1)",
            "│   └── base 1 (^1)",
            "│       └── leaf 1 (^1)",
            "└── two 1 (^1)",
            "    ├── base 1 (^2) (*)",
            "    └── leaf 1 (^1)",
            "",
            "other 1",
            "└── two 1 (^1) (*)",
            "",
            "(*) its branches are drawn once, elsewhere in this tree",
        ],
    );
}

#[test]
fn a_circle_is_marked_and_not_followed() {
    let graph = graph("!app 1: one ^1, app ^1\none 1: two ^1\ntwo 1: one ^1");
    check_tree(
        &graph,
        None,
        &[
            "app 1",
            "├── one 1 (^1)",
            "│   └── two 1 (^1)",
            "│       └── one 1 (^1) (circle)",
            "└── app 1 (^1) (circle)",
        ],
    );
}

#[test]
fn a_depth_hides_nothing_that_is_within_reach() {
    let graph = graph(
        "!app 1: far ^1, base ^1
         far 1: base ^1
         base 1: core ^1
         core 1: leaf ^1
         leaf 1",
    );
    check_tree(&graph, Some(0), &["app 1"]);
    check_tree(
        &graph,
        Some(1),
        &["app 1", "├── far 1 (^1)", "└── base 1 (^1)"],
    );
    // `leaf` is three steps away by `base`, and four by `far`.
    check_tree(
        &graph,
        Some(3),
        &[
            "app 1",
            "├── far 1 (^1)",
            "│   └── base 1 (^1) (*)",
            "└── base 1 (^1)",
            "    └── core 1 (^1)",
            "        └── leaf 1 (^1)",
            "",
            "(*) its branches are drawn once, elsewhere in this tree",
        ],
    );
}

#[test]
fn a_deep_tree_goes_on_at_the_margin() {
    let chain = made(5000, |n| {
        (n + 1 < 5000).then_some(n + 1).into_iter().collect()
    });
    let drawn = text(&chain, None);
    let widest = drawn.lines().map(|l| l.chars().count()).max().unwrap();
    assert!(widest < 300, "{widest}");
    assert_eq!(drawn.matches("(goes on below)").count(), 99);
    assert!(drawn.contains("\n\nacme.part_50 1.0.0\n└── acme.part_51 1.0.0 (^1)\n"));
    assert!(drawn.contains(" acme.part_4999 1.0.0"));
    // What is on the path is on it across blocks.
    let ring = made(300, |n| vec![(n + 1) % 300]);
    assert!(text(&ring, None).ends_with("└── acme.part_0 1.0.0 (^1) (optional) (circle)\n"));
}

#[test]
fn a_tree_has_a_line_for_each_edge_and_no_more() {
    for graph in hard() {
        let edges: usize = graph.nodes.iter().map(|n| n.edges.len()).sum();
        let drawn = text(&graph, None);
        let branches = drawn.lines().filter(|l| l.contains("── ")).count();
        assert!(branches <= edges, "{branches} lines for {edges} edges");
    }
}

#[test]
fn hostile_text_stays_on_its_line_of_a_tree() {
    let drawn = text(&hostile(), None);
    assert_eq!(drawn.lines().count(), 2, "{drawn}");
    assert!(!drawn.contains(|c: char| c != '\n' && (c.is_control() || c == '\u{202e}')));
    assert!(drawn.contains("\\N\\\\n\\u{1b}[31m\\u{202e}\\u{0}\\u{ffff}]]>--></title>é✓]"));
}

#[test]
fn graphviz_gets_boxes_and_labels() {
    let mut graph = graph("!app 1.0: base ^1.0, pdf? *\nbase 1.2\npdf 3.0");
    graph.nodes[2].kind = Kind::Optional;
    graph.nodes[2].note = Some("missing".to_owned());
    let drawn = dot(&graph);
    let own: Vec<&str> = drawn.lines().filter(|l| l.starts_with("    n")).collect();
    assert_eq!(
        own[1..],
        [
            r##"    n0 [label="app\n1.0", style=bold, color="#4f46e5"];"##,
            r#"    n1 [label="base\n1.2"];"#,
            r#"    n2 [label="pdf\n3.0\nmissing", style="rounded,dashed"];"#,
            r#"    n0 -> n1 [label="^1.0"];"#,
            r#"    n0 -> n2 [label="*", style=dashed];"#,
        ]
    );
    assert!(drawn.starts_with("digraph attache {\n") && drawn.ends_with("}\n"));
}

#[test]
fn hostile_text_stays_in_its_quotes_for_graphviz() {
    let drawn = dot(&hostile());
    assert_eq!(drawn.lines().count(), 8, "{drawn}");
    assert!(drawn.contains(r#"a\"]; } <script>&amp;lt;'\\N\\\\n\\u{1b}[31m\\u{202e}"#));
    for line in drawn.lines().filter(|l| l.contains("label=")) {
        // Outside the quotes there is nothing but our own words.
        let mut outside = String::new();
        let (mut quoted, mut escaped) = (false, false);
        for c in line.chars() {
            match c {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                c if !quoted => outside.push(c),
                _ => {}
            }
        }
        assert!(!quoted && !outside.contains(['<', '&', '}']), "{outside}");
    }
}

/// Checks that it is XML with one root, and returns its start tags.
#[track_caller]
fn check_xml(xml: &str) -> Vec<String> {
    let (mut open, mut tags): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let is_text = |text: &str| {
        let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
        let mut after = text.split('&').skip(1);
        let is_plain = !text.contains(['<', '>']);
        let is_allowed =
            |c: char| c == '\n' || !(c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c));
        is_plain
            && text.chars().all(is_allowed)
            && after.all(|a| known.iter().any(|k| a.starts_with(k)))
    };
    let mut rest = xml.trim_end();
    while let Some(tagged) = rest.strip_prefix('<') {
        let (tag, after) = tagged.split_once('>').expect("a tag ends");
        let (text, _) = after.split_once('<').unwrap_or((after, ""));
        assert!(is_text(text), "{text:?}");
        rest = &after[text.len()..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            assert!(!open.is_empty() || rest.is_empty(), "one root");
            continue;
        }
        let (body, closed) = tag
            .strip_suffix('/')
            .map_or((tag, false), |body| (body, true));
        let (name, attributes) = body.split_once(' ').unwrap_or((body, ""));
        assert!(name.chars().all(|c| c.is_ascii_alphabetic()), "{name:?}");
        let mut pieces = attributes.split('"');
        while let (Some(key), Some(value)) = (pieces.next(), pieces.next()) {
            assert!(key.ends_with('=') && is_text(value), "{key:?} {value:?}");
        }
        assert_eq!(attributes.matches('"').count() % 2, 0);
        if !closed {
            open.push(name.to_owned());
        }
        tags.push(body.to_owned());
    }
    assert!(rest.is_empty() && open.is_empty(), "{rest:?} {open:?}");
    tags
}

#[test]
fn a_picture_is_xml_with_each_node_and_edge_once() {
    for graph in hard() {
        let drawn = svg(&graph);
        let tags = check_xml(&drawn);
        let count = |start: &str| tags.iter().filter(|t| t.starts_with(start)).count();
        let edges: usize = graph.nodes.iter().map(|n| n.edges.len()).sum();
        assert_eq!(count("g class=\"node"), graph.nodes.len());
        assert_eq!(count("path class=\"edge"), edges);
        assert_eq!(count("title"), graph.nodes.len() + edges);
        for node in &graph.nodes {
            assert!(drawn.contains(&format!("\"><title>{} 1.0.0</title><rect", node.id)));
        }
    }
}

#[test]
fn a_picture_tells_what_it_shows() {
    let drawn = svg(&graph("!app 1.0: base ^1.0, pdf? >=2\nbase 1.2\npdf 3.0"));
    for part in [
        "role=\"img\" aria-label=\"Dependency graph from app 1.0: 3 packages, 2 dependencies\"",
        "<title>app 1.0 → base 1.2: ^1.0</title>",
        "<path class=\"edge optional\"",
        "<title>app 1.0 → pdf 3.0: &gt;=2 (optional)</title>",
        "<g class=\"node root\"><title>app 1.0</title>",
        "@media (prefers-color-scheme: dark)",
    ] {
        assert!(drawn.contains(part), "{part}");
    }
}

#[test]
fn a_picture_needs_nothing_from_outside() {
    let drawn = svg(&hostile());
    let own = drawn.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for foreign in [
        "http",
        "<script",
        "href",
        "@import",
        "<image",
        "onload",
        "<foreignObject",
    ] {
        assert!(!own.contains(foreign), "{foreign}");
    }
    assert_eq!(
        own.matches("url(").count(),
        own.matches("url(#attache-head)").count()
    );
}

#[test]
fn hostile_text_stays_text_in_a_picture() {
    let tags = check_xml(&svg(&hostile()));
    assert_eq!(tags.iter().filter(|t| t.starts_with("title")).count(), 3);
}

#[test]
fn boxes_stand_clear_of_each_other_and_inside_the_picture() {
    for graph in hard() {
        let widths = vec![150.0; graph.nodes.len()];
        let placed = layout(&graph, &widths);
        let mut corners = placed.corners.clone();
        for (x, y) in &corners {
            assert!(*x >= 0.0 && x + 150.0 <= placed.size.0);
            assert!(*y >= 0.0 && y + BOX_HEIGHT <= placed.size.1);
        }
        corners.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for pair in corners.windows(2) {
            let clear = pair[1].0 - pair[0].0 > 150.0 || pair[1].1 - pair[0].1 > BOX_HEIGHT + 1.0;
            assert!(clear, "{pair:?}");
        }
    }
}

#[test]
fn an_edge_leads_to_the_right_and_passes_no_box() {
    let graph = mixed(200, false);
    let widths = vec![150.0; graph.nodes.len()];
    let placed = layout(&graph, &widths);
    for (from, node) in graph.nodes.iter().enumerate() {
        for (edge, route) in node.edges.iter().zip(&placed.routes[from]) {
            let Route::Ahead(points) = route else {
                panic!("there is no circle");
            };
            assert!(points.windows(2).all(|p| p[0].0 <= p[1].0));
            assert_eq!(points.last().unwrap().0, placed.corners[edge.to].0);
            for level in points.chunks_exact(2) {
                let crosses = |(x, y): &(f64, f64)| {
                    let beside = *x < level[1].0 && x + 150.0 > level[0].0;
                    beside && *y <= level[0].1 && level[0].1 <= y + BOX_HEIGHT
                };
                assert!(!placed.corners.iter().any(crosses));
            }
        }
    }
}

#[test]
fn a_wide_layer_becomes_several_columns() {
    for count in [40, 400] {
        let star = made(count + 1, |n| {
            if n == 0 {
                (1..=count).collect()
            } else {
                vec![]
            }
        });
        let (width, height) = layout(&star, &vec![150.0; count + 1]).size;
        let shape = width / height;
        assert!((1.0..3.0).contains(&shape), "{count}: {width} × {height}");
    }
    // And one that is not wide stays one.
    let few = made(7, |n| if n == 0 { (1..7).collect() } else { vec![] });
    let mut columns: Vec<f64> = layout(&few, &[150.0; 7])
        .corners
        .iter()
        .map(|c| c.0)
        .collect();
    columns.dedup();
    assert_eq!(columns.len(), 2);
}

#[test]
fn no_graph_is_too_deep_or_too_full() {
    // Each of 5,000 leads to the next and to one far away: twelve million columns are passed.
    let far = |n: usize| n + 1 + (n * 7919) % (5000 - n - 1).max(1);
    let long = made(5000, |n| {
        if n < 4999 {
            vec![n + 1, far(n)]
        } else {
            vec![]
        }
    });
    let ring = made(5000, |n| vec![(n + 1) % 5000]);
    // Had anything a frame for each node, so small a stack would not hold them.
    let small = std::thread::Builder::new().stack_size(128 * 1024);
    let draw = move || {
        for graph in [long, ring] {
            let sizes = [
                text(&graph, None),
                text(&graph, Some(4000)),
                dot(&graph),
                svg(&graph),
            ];
            for drawn in sizes {
                assert!(drawn.len() < 8_000_000, "{}", drawn.len());
            }
        }
    };
    small.spawn(draw).unwrap().join().unwrap();
}

#[test]
fn the_same_graph_gives_the_same_bytes() {
    for graph in hard() {
        let again = graph.clone();
        assert_eq!(text(&graph, Some(3)), text(&again, Some(3)));
        assert_eq!(dot(&graph), dot(&again));
        assert_eq!(svg(&graph), svg(&again));
    }
}
