//! Draws a graph of packages: as a tree of text, for Graphviz, and as a picture.
//!
//! The one idea: whoever asks has already decided what the graph says, so that the same three
//! functions draw what a package needs and, with the edges turned round, who needs it. They are
//! pure, and the same graph gives the same bytes.
//!
//! A graph may have circles and thousands of nodes: nothing here recurses, and nothing grows
//! faster than the graph.

pub(crate) use dot::dot;
pub(crate) use svg::svg;
pub(crate) use text::text;

mod dot;
mod layout;
mod plan;
mod svg;
#[cfg(test)]
mod tests;
mod text;

/// Packages and what leads from one to the next.
///
/// Every index, in [`starts`](Self::starts) and in [`Edge::to`], names one of the nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Graph {
    /// The packages, in the order that decides wherever nothing else does.
    pub(crate) nodes: Vec<Node>,
    /// Where a reader begins.
    pub(crate) starts: Vec<usize>,
}

/// A package.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Its name.
    pub(crate) id: String,
    /// Its version, if one is known.
    pub(crate) version: Option<String>,
    /// What else there is to say of it, in a few words; the text may hold anything.
    pub(crate) note: Option<String>,
    /// What it is to the reader.
    pub(crate) kind: Kind,
    /// Where it leads, in the order they are drawn.
    pub(crate) edges: Vec<Edge>,
}

/// What a package is to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What the drawing is about.
    Root,
    /// What has to be there.
    Package,
    /// What may be missing.
    Optional,
}

/// A line from one package to another, in the direction it is drawn.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    /// The package it leads to.
    pub(crate) to: usize,
    /// The versions that were asked for; empty if none were.
    pub(crate) range: String,
    /// Whether it may lead nowhere.
    pub(crate) optional: bool,
}

impl Node {
    /// Returns the name and the version, safe to show.
    fn title(&self) -> String {
        match &self.version {
            Some(version) => format!("{} {}", visible(&self.id), visible(version)),
            None => visible(&self.id),
        }
    }
}

/// Writes out the characters that a terminal or a picture would obey instead of showing.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match is_obeyed(c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    shown
}

/// Returns whether a character acts on its surroundings, cannot be seen, or cannot be in XML.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
            | '\u{200b}'..='\u{200f}' // No width, and which way to write.
            | '\u{2028}'..='\u{202e}' // Line ends, and which way to write.
            | '\u{2060}'..='\u{206f}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{fffe}' | '\u{ffff}' // XML knows neither.
            | '\u{e0000}'..='\u{e007f}')
}
