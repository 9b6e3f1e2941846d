//! The graph as a picture that needs nothing else: no script, no font, no address.

use std::fmt::Write;

use super::layout::{BOX_HEIGHT, Layout, Route, layout};
use super::{Graph, Kind, Node, visible};

/// How wide a character is in a box's first and second line, in the widest of the usual fonts.
const CELL: (f64, f64) = (8.1, 6.9);
/// The space left and right of a box's text.
const PADDING: f64 = 14.0;
/// The most characters of a name and of a second line that are drawn; the rest is in the title.
const MOST: (usize, usize) = (40, 44);

/// Colours and letters. Every rule names the class of the picture, which may stand in a page.
const STYLE: &str = "
.attache-graph{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
.attache-graph .ground{fill:#ffffff}
.attache-graph .edge{fill:none;stroke:#a3adbb;stroke-width:1.5}
.attache-graph .edge.optional{stroke-dasharray:5 4}
.attache-graph .edge:hover{stroke:#4f46e5;stroke-width:2.5}
.attache-graph .head{fill:#8691a1}
.attache-graph .node rect{fill:#f6f8fa;stroke:#c3cbd6;stroke-width:1.2}
.attache-graph .node.optional rect{stroke-dasharray:5 4}
.attache-graph .node.root rect{fill:#4f46e5;stroke:#4f46e5}
.attache-graph .id{font-size:13px;font-weight:700;fill:#1b2330}
.attache-graph .more{font-size:11px;fill:#5a6575}
.attache-graph .root .id{fill:#ffffff}
.attache-graph .root .more{fill:#dedcff}
@media (prefers-color-scheme: dark){
.attache-graph .ground{fill:#0d1117}
.attache-graph .edge{stroke:#5f6c80}
.attache-graph .edge:hover{stroke:#a5a0ff}
.attache-graph .head{fill:#75839a}
.attache-graph .node rect{fill:#1a212c;stroke:#3b4757}
.attache-graph .node.root rect{fill:#5b53e8;stroke:#5b53e8}
.attache-graph .id{fill:#e7ecf3}
.attache-graph .more{fill:#98a5b7}
}
";

/// Draws the graph as an SVG picture, for light and for dark pages.
pub(crate) fn svg(graph: &Graph) -> String {
    let widths: Vec<f64> = graph.nodes.iter().map(width).collect();
    let layout = layout(graph, &widths);
    let (w, h) = (whole(layout.size.0), whole(layout.size.1));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"attache-graph\" role=\"img\" \
         aria-label=\"{}\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\">\n\
         <style>{STYLE}</style>\n\
         <defs><marker id=\"attache-head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" \
         markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
         <path class=\"head\" d=\"M0 0.5L8 4L0 7.5z\"/></marker></defs>\n\
         <rect class=\"ground\" width=\"{w}\" height=\"{h}\" rx=\"12\"/>\n",
        escaped(&description(graph)),
    );
    // The edges come first: what has to pass a box passes behind it.
    edges(graph, &layout, &widths, &mut out);
    nodes(graph, &layout, &widths, &mut out);
    out.push_str("</svg>\n");
    out
}

/// Returns the picture in a sentence, for those who do not see it.
fn description(graph: &Graph) -> String {
    let from = match graph.starts.as_slice() {
        [] => String::new(),
        [one] => format!(" from {}", graph.nodes[*one].title()),
        [one, more @ ..] => format!(
            " from {} and {} more",
            graph.nodes[*one].title(),
            more.len()
        ),
    };
    let nodes = graph.nodes.len();
    let edges: usize = graph.nodes.iter().map(|n| n.edges.len()).sum();
    let packages = if nodes == 1 { "package" } else { "packages" };
    let dependencies = if edges == 1 {
        "dependency"
    } else {
        "dependencies"
    };
    format!("Dependency graph{from}: {nodes} {packages}, {edges} {dependencies}")
}

fn edges(graph: &Graph, layout: &Layout, widths: &[f64], out: &mut String) {
    for (from, node) in graph.nodes.iter().enumerate() {
        for (edge, route) in node.edges.iter().zip(&layout.routes[from]) {
            let optional = if edge.optional { " optional" } else { "" };
            let _ = write!(out, "<path class=\"edge{optional}\" d=\"");
            match route {
                Route::Ahead(points) => ahead(points, out),
                Route::Back(_) if edge.to == from => {
                    let (x, y) = layout.corners[from];
                    itself((x + widths[from], y), out);
                }
                Route::Back(low) => {
                    let foot = |node: usize, part: f64| {
                        let (x, y) = layout.corners[node];
                        (x + widths[node] * part, y + BOX_HEIGHT)
                    };
                    back(foot(from, 0.6), foot(edge.to, 0.4), *low, out);
                }
            }
            let mut title = format!("{} → {}", node.title(), graph.nodes[edge.to].title());
            if !edge.range.is_empty() {
                title = format!("{title}: {}", visible(&edge.range));
            }
            if edge.optional {
                title.push_str(" (optional)");
            }
            let title = escaped(&title);
            let _ = writeln!(
                out,
                "\" marker-end=\"url(#attache-head)\"><title>{title}</title></path>"
            );
        }
    }
}

/// Draws a line through points: level to the second, a curve to the third, and so on.
fn ahead(points: &[(f64, f64)], out: &mut String) {
    let [(x, y), rest @ ..] = points else {
        return;
    };
    let _ = write!(out, "M{} {}", whole(*x), whole(*y));
    let mut at = whole(*x);
    for pair in rest.chunks(2) {
        let right = whole(pair[0].0);
        if right > at {
            let _ = write!(out, "H{right}");
        }
        let Some((x, y)) = pair.get(1) else {
            return;
        };
        let (x, y) = (whole(*x), whole(*y));
        let half = (right + x) / 2;
        let _ = write!(out, "C{half} {} {half} {y} {x} {y}", whole(pair[0].1));
        at = x;
    }
}

/// Draws a line back from one box's foot to another's, down to the given height.
fn back(from: (f64, f64), to: (f64, f64), low: f64, out: &mut String) {
    // Such a curve goes three quarters of the way to the points that pull it.
    let pull = (low - (from.1 + to.1) / 8.0) / 0.75;
    let [x, y, pull, to_x, to_y] = [from.0, from.1, pull, to.0, to.1].map(whole);
    let _ = write!(out, "M{x} {y}C{x} {pull} {to_x} {pull} {to_x} {to_y}");
}

/// Draws a loop around the upper right corner of a box that leads to itself.
fn itself(corner: (f64, f64), out: &mut String) {
    let (x, y) = (whole(corner.0), whole(corner.1));
    let _ = write!(out, "M{x} {}c28 -4 -2 -34 -18 -14", y + 14);
}

fn nodes(graph: &Graph, layout: &Layout, widths: &[f64], out: &mut String) {
    for (index, node) in graph.nodes.iter().enumerate() {
        let kind = match node.kind {
            Kind::Root => " root",
            Kind::Package => "",
            Kind::Optional => " optional",
        };
        let (x, y) = layout.corners[index];
        let (x, y, w) = (whole(x), whole(y), whole(widths[index]));
        let mut title = node.title();
        if node.kind == Kind::Optional {
            title.push_str(" (optional)");
        }
        if let Some(note) = &node.note {
            title = format!("{title}: {}", visible(note));
        }
        let _ = write!(
            out,
            "<g class=\"node{kind}\"><title>{}</title>\
             <rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{BOX_HEIGHT}\" rx=\"8\"/>",
            escaped(&title)
        );
        let (id, more) = lines(node);
        let left = x + whole(PADDING);
        let line = if more.is_empty() { 27 } else { 19 };
        let _ = write!(
            out,
            "<text class=\"id\" x=\"{left}\" y=\"{}\">{}</text>",
            y + line,
            escaped(&id)
        );
        if !more.is_empty() {
            let _ = write!(
                out,
                "<text class=\"more\" x=\"{left}\" y=\"{}\">{}</text>",
                y + 35,
                escaped(&more)
            );
        }
        out.push_str("</g>\n");
    }
}

/// Returns a box's two lines: the name, then the version and the note.
fn lines(node: &Node) -> (String, String) {
    let more: Vec<String> = [&node.version, &node.note]
        .into_iter()
        .flatten()
        .map(|text| visible(text))
        .collect();
    (
        shortened(&visible(&node.id), MOST.0),
        shortened(&more.join(" · "), MOST.1),
    )
}

/// Leaves out the middle of a text that is too long: names differ at both ends.
fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let (head, tail) = (most / 2, most - most / 2 - 1);
    let head = text.chars().take(head);
    let tail = text.chars().skip(count - tail);
    head.chain(['…']).chain(tail).collect()
}

/// Returns how wide a node's box must be.
fn width(node: &Node) -> f64 {
    // What is not ASCII may be an ideograph, which takes two cells.
    let cells = |text: &str| -> f64 {
        let cell = |c: char| if c.is_ascii() { 1.0 } else { 2.0 };
        text.chars().map(cell).sum()
    };
    let (id, more) = lines(node);
    (cells(&id) * CELL.0).max(cells(&more) * CELL.1) + 2.0 * PADDING
}

/// Returns the nearest whole number: no eye sees less, and it is the same on every machine.
fn whole(value: f64) -> i64 {
    value.round() as i64
}

/// Returns the text as XML wants it, in an element and in an attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
