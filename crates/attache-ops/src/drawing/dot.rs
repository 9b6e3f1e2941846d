//! The graph in Graphviz's language.

use std::fmt::Write;

use super::{Graph, Kind, visible};

/// How every drawing begins: left to right for the reason that [`layout`](super::layout) gives.
const HEAD: &str = r##"digraph attache {
    graph [rankdir=LR, nodesep=0.2, ranksep=0.7];
    node [shape=box, style=rounded, fontname="monospace", fontsize=11, color="#8a94a3"];
    edge [fontname="monospace", fontsize=9, color="#8a94a3", arrowsize=0.7];
"##;

/// Writes the graph for Graphviz's `dot`.
///
/// Nodes are called by their number, because two may have the same name.
pub(crate) fn dot(graph: &Graph) -> String {
    let mut out = HEAD.to_owned();
    for (index, node) in graph.nodes.iter().enumerate() {
        let lines = [Some(&node.id), node.version.as_ref(), node.note.as_ref()];
        let lines: Vec<String> = lines.into_iter().flatten().map(|l| escaped(l)).collect();
        let style = match node.kind {
            Kind::Root => ", style=bold, color=\"#4f46e5\"",
            Kind::Package => "",
            Kind::Optional => ", style=\"rounded,dashed\"",
        };
        // Graphviz reads `\n` as the end of a line; nothing that is escaped can hold one.
        let label = lines.join("\\n");
        let _ = writeln!(out, "    n{index} [label=\"{label}\"{style}];");
    }
    for (index, node) in graph.nodes.iter().enumerate() {
        for edge in &node.edges {
            let style = if edge.optional { ", style=dashed" } else { "" };
            let (to, range) = (edge.to, escaped(&edge.range));
            let _ = writeln!(out, "    n{index} -> n{to} [label=\"{range}\"{style}];");
        }
    }
    out.push_str("}\n");
    out
}

/// Returns the text as it stands between quotes, where Graphviz also looks for `\N` and `&lt;`.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
    out
}
