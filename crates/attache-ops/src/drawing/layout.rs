//! Where everything goes in a picture: columns, the order within them, and heights.
//!
//! The picture runs from left to right. Names of packages are long and are read across, so a
//! box is four times as wide as it is high: ten of them beside each other are wider than any
//! screen, and ten above each other are one glance.
//!
//! The way is the usual one for layers. Every node is put one layer behind the last that leads
//! to it; a layer that is too high becomes several columns; an edge that passes columns gets a
//! free lane through each of them; the items of neighbouring columns are ordered so that few
//! lines cross, and moved up or down until lines are as level as they can be.

use std::collections::{BTreeMap, BTreeSet};

use super::Graph;
use super::plan::{BETWEEN, Plan};

/// How high a box is.
pub(super) const BOX_HEIGHT: f64 = 44.0;
/// The space around the whole picture.
const MARGIN: f64 = 24.0;
/// How many times as wide as high a picture should be.
const SCREEN: f64 = 1.6;
/// The fewest boxes above each other that are split into columns for it.
const FEWEST: usize = 8;
/// The least and the most space between two columns.
const GAP: (f64, f64) = (56.0, 150.0);
/// How many columns all lanes may pass together; further edges take the straight way, so that a
/// graph full of long edges grows no faster than its edges.
const MOST_LANES: usize = 40_000;
/// How far below all boxes an edge that leads back may run, and how far below its own.
const BELOW: (f64, f64) = (24.0, 150.0);

/// Where everything goes.
pub(super) struct Layout {
    /// The upper left corner of each node's box.
    pub(super) corners: Vec<(f64, f64)>,
    /// How each edge runs, by the node it leaves and its place there.
    pub(super) routes: Vec<Vec<Route>>,
    /// The size of the picture.
    pub(super) size: (f64, f64),
}

/// How an edge runs.
pub(super) enum Route {
    /// To the right, by way of points with a level piece between each two.
    Ahead(Vec<(f64, f64)>),
    /// Back to where it came from, which closes a circle; down to this height.
    Back(f64),
}

/// Lays out a graph whose boxes have the given widths.
pub(super) fn layout(graph: &Graph, widths: &[f64]) -> Layout {
    let walk = Walk::new(graph);
    let mut plan = Plan::new(graph, columns(graph, &walk, widths));
    let lanes = plan.lay_lanes(graph);
    plan.order();
    let heights = plan.level();
    plan.measure(graph, widths, &heights, &lanes)
}

/// A walk along every edge, from the starts and then from what they do not reach.
struct Walk {
    /// The nodes in the order they are met.
    met: Vec<usize>,
    /// Each node's layer: the most edges there are on a way to it.
    layers: Vec<usize>,
}

impl Walk {
    fn new(graph: &Graph) -> Self {
        let count = graph.nodes.len();
        let mut met = Vec::with_capacity(count);
        let mut seen = vec![false; count];
        let mut left = Vec::with_capacity(count);
        let mut path: Vec<(usize, usize)> = Vec::new();
        for start in graph.starts.iter().copied().chain(0..count) {
            if seen[start] {
                continue;
            }
            seen[start] = true;
            met.push(start);
            path.push((start, 0));
            while let Some((node, next)) = path.last_mut() {
                match graph.nodes[*node].edges.get(*next) {
                    Some(edge) => {
                        *next += 1;
                        if !seen[edge.to] {
                            seen[edge.to] = true;
                            met.push(edge.to);
                            path.push((edge.to, 0));
                        }
                    }
                    None => {
                        left.push(*node);
                        path.pop();
                    }
                }
            }
        }
        // An edge leads back if it ends at what the walk has not left when it leaves its source.
        let mut turn = vec![0; count];
        for (index, node) in left.iter().enumerate() {
            turn[*node] = index;
        }
        let mut layers = vec![0; count];
        for node in left.into_iter().rev() {
            for edge in &graph.nodes[node].edges {
                if turn[edge.to] < turn[node] {
                    layers[edge.to] = layers[edge.to].max(layers[node] + 1);
                }
            }
        }
        Self { met, layers }
    }
}

/// Puts the layers into columns: several for one that would be too high for the picture.
fn columns(graph: &Graph, walk: &Walk, widths: &[f64]) -> Vec<Vec<usize>> {
    let mut layers = vec![Vec::new(); walk.layers.iter().max().map_or(0, |most| most + 1)];
    for node in &walk.met {
        layers[walk.layers[*node]].push(*node);
    }
    let mean = widths.iter().sum::<f64>() / widths.len().max(1) as f64;
    let rows = rows(&layers, mean + GAP.0);
    let mut columns = Vec::with_capacity(layers.len());
    for mut layer in layers {
        let parts = layer.len().div_ceil(rows);
        if parts > 1 {
            // What leads on goes to the right, so that its edges need not pass its own layer.
            layer.sort_by_key(|node| !graph.nodes[*node].edges.is_empty());
        }
        let each = layer.len().div_ceil(parts);
        columns.extend(layer.chunks(each).map(<[usize]>::to_vec));
    }
    columns
}

/// Returns how many boxes may stand above each other, so that the picture fits a screen best.
fn rows(layers: &[Vec<usize>], width: f64) -> usize {
    let highest = layers.iter().map(Vec::len).max().unwrap_or(0);
    let mut best = (f64::INFINITY, 1);
    let mut rows = FEWEST;
    loop {
        let columns: usize = layers.iter().map(|l| l.len().div_ceil(rows)).sum();
        let wide = columns as f64 * width;
        let high = rows.min(highest) as f64 * (BOX_HEIGHT + BETWEEN[0]);
        let strain = (wide / (SCREEN * high)).max(SCREEN * high / wide);
        if strain < best.0 {
            best = (strain, rows);
        }
        if rows >= highest {
            return best.1;
        }
        rows += rows / 4;
    }
}

/// The lanes of each edge from left to right, by the node it leaves and its place there; an edge
/// that leads back has none to have.
type Lanes = Vec<Vec<Option<Vec<usize>>>>;

impl Plan {
    /// Gives every edge its lanes and joins each item to its neighbours.
    ///
    /// Edges that leave one node together, or end at one together, share their lanes: they are
    /// easier to follow as one line than as a bundle, and need less room.
    fn lay_lanes(&mut self, graph: &Graph) -> Lanes {
        let mut edges = Vec::new();
        let (mut out, mut into) = (vec![0; self.nodes], vec![0; self.nodes]);
        let mut lanes: Lanes = Vec::with_capacity(self.nodes);
        for (from, node) in graph.nodes.iter().enumerate() {
            lanes.push(vec![None; node.edges.len()]);
            for (place, edge) in node.edges.iter().enumerate() {
                let passed = self.column[edge.to].checked_sub(self.column[from] + 1);
                if let Some(passed) = passed {
                    edges.push((passed, from, place, edge.to));
                    out[from] += usize::from(passed > 0);
                    into[edge.to] += usize::from(passed > 0);
                }
            }
        }
        edges.sort_unstable();
        let mut known = BTreeMap::new();
        let mut joined = BTreeSet::new();
        let mut sum = 0;
        for (passed, from, place, to) in edges {
            sum += passed;
            let mut way = Vec::new();
            if sum <= MOST_LANES {
                let shared = match out[from] >= into[to] {
                    true => (0, from),
                    false => (1, to),
                };
                for column in self.column[from] + 1..self.column[to] {
                    let lane = known.entry((shared, column));
                    way.push(*lane.or_insert_with(|| self.lane(column)));
                }
                let mut left = from;
                for right in way.iter().copied().chain([to]) {
                    if joined.insert((left, right)) {
                        self.beside[1][left].push(right);
                        self.beside[0][right].push(left);
                    }
                    left = right;
                }
            }
            lanes[from][place] = Some(way);
        }
        lanes
    }

    /// Turns columns and heights into places.
    fn measure(&self, graph: &Graph, widths: &[f64], heights: &[f64], lanes: &Lanes) -> Layout {
        let spans = self.spans(widths, heights);
        let span = |item: usize| spans[self.column[item]];
        let half = BOX_HEIGHT / 2.0;
        let highest = heights.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let middle = |item: usize| heights[item] - highest + half + MARGIN;
        let bottoms = (0..heights.len()).map(|item| middle(item) + half);
        let bottom = bottoms.fold(0.0, f64::max);
        let route = |from: usize, place: usize| {
            let to = graph.nodes[from].edges[place].to;
            let Some(way) = &lanes[from][place] else {
                let own = middle(from).max(middle(to)) + half + BELOW.1;
                return Route::Back(own.min(bottom + BELOW.0));
            };
            let mut points = vec![(span(from).0 + widths[from], middle(from))];
            points.push((span(from).1, middle(from)));
            for lane in way {
                points.push((span(*lane).0, middle(*lane)));
                points.push((span(*lane).1, middle(*lane)));
            }
            points.push((span(to).0, middle(to)));
            Route::Ahead(points)
        };
        let all = |from: usize| (0..lanes[from].len()).map(|p| route(from, p)).collect();
        let has_circle = lanes.iter().flatten().any(Option::is_none);
        let below = if has_circle { BELOW.0 } else { 0.0 };
        let right = spans.last().map_or(0.0, |(_, right)| *right);
        let nodes = 0..self.nodes;
        let corner = |node: usize| (span(node).0, middle(node) - half);
        Layout {
            corners: nodes.clone().map(corner).collect(),
            routes: nodes.map(all).collect(),
            size: (right + MARGIN, bottom + below + MARGIN),
        }
    }

    /// Returns where each column begins and ends, further apart where lines are steep.
    fn spans(&self, widths: &[f64], heights: &[f64]) -> Vec<(f64, f64)> {
        let mut x = MARGIN;
        let mut spans = Vec::with_capacity(self.columns.len());
        for items in &self.columns {
            let nodes = items.iter().filter(|item| **item < self.nodes);
            let width = nodes.map(|node| widths[*node]).fold(0.0, f64::max);
            spans.push((x, x + width));
            let rise = items
                .iter()
                .flat_map(|i| self.beside[1][*i].iter().map(|j| heights[*j] - heights[*i]))
                .map(f64::abs)
                .fold(0.0, f64::max);
            x += width + (GAP.0 + rise / 8.0).min(GAP.1);
        }
        spans
    }
}
