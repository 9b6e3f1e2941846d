//! A tree of text, for a terminal.

use std::collections::VecDeque;

use super::{Edge, Graph, Kind, visible};

/// How many levels are drawn before a branch goes on at the left margin.
///
/// It keeps lines readable, and a tree of thousands of levels from being mostly indentation.
const DEEPEST: usize = 50;

/// Draws the graph as a tree, down to `depth` steps from the starts.
///
/// A package's branches are drawn once: where it is met first, or, with a depth, where it is
/// nearest to a start, because elsewhere the limit could hide what is within reach.
pub(crate) fn text(graph: &Graph, depth: Option<usize>) -> String {
    let mut drawing = Drawing {
        graph,
        depth: depth.unwrap_or(usize::MAX),
        nearest: depth.map(|_| distances(graph)),
        drawn: vec![false; graph.nodes.len()],
        on_path: vec![false; graph.nodes.len()],
        blocks: Vec::new(),
        repeats: false,
    };
    for start in &graph.starts {
        drawing.tree(*start);
    }
    drawing.finish()
}

/// Returns how far each node is from the nearest start.
fn distances(graph: &Graph) -> Vec<usize> {
    let mut distances = vec![usize::MAX; graph.nodes.len()];
    let mut waiting = VecDeque::new();
    for start in &graph.starts {
        distances[*start] = 0;
        waiting.push_back(*start);
    }
    while let Some(node) = waiting.pop_front() {
        for edge in &graph.nodes[node].edges {
            if distances[edge.to] == usize::MAX {
                distances[edge.to] = distances[node] + 1;
                waiting.push_back(edge.to);
            }
        }
    }
    distances
}

/// What is drawn so far.
struct Drawing<'a> {
    graph: &'a Graph,
    depth: usize,
    /// How far each node is from a start, if there is a limit.
    nearest: Option<Vec<usize>>,
    /// Whose branches are drawn.
    drawn: Vec<bool>,
    /// What lies between the start and here.
    on_path: Vec<bool>,
    /// One for each start, and for each branch that goes on at the margin.
    blocks: Vec<String>,
    /// Whether the mark of what is drawn elsewhere occurs.
    repeats: bool,
}

/// What becomes of a node's branches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Branches {
    /// They follow.
    Follow,
    /// There are none, or the depth hides them.
    None,
    /// They are drawn elsewhere.
    Elsewhere,
    /// They are being drawn: this line is among them.
    Circle,
    /// They follow in a block of their own.
    GoOn,
}

/// A node whose branches are being drawn.
struct Open {
    node: usize,
    /// The next of its edges.
    next: usize,
    /// The block it is in.
    block: usize,
    /// Its level within the block.
    level: usize,
    /// Whether nothing follows on its own level.
    last: bool,
}

impl Drawing<'_> {
    fn tree(&mut self, start: usize) {
        let mut path: Vec<Open> = Vec::new();
        let branches = self.branches(start, 0, 0);
        let block = self.block();
        self.line(block, "", start, None, branches);
        if branches == Branches::Follow {
            path.push(self.open(start, block, 0, true));
        }
        while let Some(top) = path.last_mut() {
            let edges = &self.graph.nodes[top.node].edges;
            let Some(edge) = edges.get(top.next) else {
                self.on_path[top.node] = false;
                path.pop();
                continue;
            };
            top.next += 1;
            let last = top.next == edges.len();
            let (block, level) = (top.block, top.level + 1);
            let mut indent = String::new();
            // What is at the margin has no line of its own to carry on.
            let beside = path.len() - (level - 1);
            for above in &path[beside..] {
                indent.push_str(if above.last { "    " } else { "│   " });
            }
            indent.push_str(if last { "└── " } else { "├── " });
            let branches = self.branches(edge.to, path.len(), level);
            self.line(block, &indent, edge.to, Some(edge), branches);
            match branches {
                Branches::Follow => path.push(self.open(edge.to, block, level, last)),
                Branches::GoOn => {
                    let block = self.block();
                    self.line(block, "", edge.to, None, Branches::Follow);
                    path.push(self.open(edge.to, block, 0, true));
                }
                Branches::None | Branches::Elsewhere | Branches::Circle => {}
            }
        }
    }

    fn block(&mut self) -> usize {
        self.blocks.push(String::new());
        self.blocks.len() - 1
    }

    fn open(&mut self, node: usize, block: usize, level: usize, last: bool) -> Open {
        self.drawn[node] = true;
        self.on_path[node] = true;
        Open {
            node,
            next: 0,
            block,
            level,
            last,
        }
    }

    /// Decides on a node's branches, so many steps from its start and levels from the margin.
    fn branches(&self, node: usize, steps: usize, level: usize) -> Branches {
        let is_nearer = |nearest: &Vec<usize>| nearest[node] < steps;
        if self.graph.nodes[node].edges.is_empty() {
            Branches::None
        } else if self.on_path[node] {
            Branches::Circle
        } else if self.drawn[node] || self.nearest.as_ref().is_some_and(is_nearer) {
            Branches::Elsewhere
        } else if steps >= self.depth {
            Branches::None
        } else if level >= DEEPEST {
            Branches::GoOn
        } else {
            Branches::Follow
        }
    }

    fn line(
        &mut self,
        block: usize,
        indent: &str,
        node: usize,
        edge: Option<&Edge>,
        branches: Branches,
    ) {
        let node = &self.graph.nodes[node];
        let out = &mut self.blocks[block];
        out.push_str(indent);
        out.push_str(&node.title());
        match edge.map(|e| e.range.as_str()) {
            None | Some("") => {}
            // A star in brackets is the mark of what is drawn elsewhere.
            Some("*") => out.push_str(" (any)"),
            Some(range) => out.push_str(&format!(" ({})", visible(range))),
        }
        if node.kind == Kind::Optional || edge.is_some_and(|e| e.optional) {
            out.push_str(" (optional)");
        }
        if let Some(note) = &node.note {
            out.push_str(&format!(" [{}]", visible(note)));
        }
        out.push_str(match branches {
            Branches::Follow | Branches::None => "\n",
            Branches::Elsewhere => " (*)\n",
            Branches::Circle => " (circle)\n",
            Branches::GoOn => " (goes on below)\n",
        });
        self.repeats |= branches == Branches::Elsewhere;
    }

    fn finish(mut self) -> String {
        if self.repeats {
            let explained = "(*) its branches are drawn once, elsewhere in this tree\n";
            self.blocks.push(explained.to_owned());
        }
        self.blocks.join("\n")
    }
}
