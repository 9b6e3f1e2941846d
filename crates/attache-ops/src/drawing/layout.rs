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

use std::collections::BTreeMap;

use super::Graph;

/// How high a box is.
pub(super) const BOX_HEIGHT: f64 = 44.0;
/// The space around the whole picture.
const MARGIN: f64 = 24.0;
/// The space between two boxes, between a box and a lane, and between two lanes.
const BETWEEN: [f64; 3] = [16.0, 13.0, 8.0];
/// The least and the most space between two columns.
const GAP: (f64, f64) = (56.0, 150.0);
/// How many columns all lanes may pass together; further edges take the straight way, so that a
/// graph full of long edges grows no faster than its edges.
const MOST_LANES: usize = 40_000;
/// How often the columns are put in order, and how often they are levelled.
const ROUNDS: usize = 8;
/// How far the lowest edge that leads back hangs below its boxes.
const HANG: f64 = 40.0;

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
    /// Back to where it came from, which closes a circle; so far below the boxes.
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
        // What leads on goes to the right, so that its edges need not pass its own layer.
        layer.sort_by_key(|node| !graph.nodes[*node].edges.is_empty());
        let parts = layer.len().div_ceil(rows);
        let each = layer.len().div_ceil(parts);
        columns.extend(layer.chunks(each).map(<[usize]>::to_vec));
    }
    columns
}

/// Returns how many boxes may stand above each other, so that the picture fits a screen best.
fn rows(layers: &[Vec<usize>], width: f64) -> usize {
    let highest = layers.iter().map(Vec::len).max().unwrap_or(0);
    let mut best = (f64::INFINITY, 1);
    let mut rows = 8;
    loop {
        let columns: usize = layers.iter().map(|l| l.len().div_ceil(rows)).sum();
        let (wide, high) = (
            columns as f64 * width,
            rows.min(highest) as f64 * (BOX_HEIGHT + BETWEEN[0]),
        );
        let strain = (wide / (1.6 * high)).max(1.6 * high / wide);
        if strain < best.0 {
            best = (strain, rows);
        }
        if rows >= highest {
            return best.1;
        }
        rows += rows / 4;
    }
}

/// The columns with their items: the nodes by their numbers, and behind them the lanes.
struct Plan {
    columns: Vec<Vec<usize>>,
    /// Each item's column.
    column: Vec<usize>,
    /// How many of the items are nodes.
    nodes: usize,
    /// Each item's neighbours in the columns to the left and to the right.
    beside: [Vec<Vec<usize>>; 2],
}

/// The lanes of each edge from left to right, by the node it leaves and its place there; an edge
/// that leads back has none to have.
type Lanes = Vec<Vec<Option<Vec<usize>>>>;

impl Plan {
    fn new(graph: &Graph, columns: Vec<Vec<usize>>) -> Self {
        let nodes = graph.nodes.len();
        let mut column = vec![0; nodes];
        for (index, items) in columns.iter().enumerate() {
            for item in items {
                column[*item] = index;
            }
        }
        Self {
            columns,
            column,
            nodes,
            beside: [vec![Vec::new(); nodes], vec![Vec::new(); nodes]],
        }
    }

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
        let mut joined = std::collections::BTreeSet::new();
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

    fn lane(&mut self, column: usize) -> usize {
        let lane = self.column.len();
        self.column.push(column);
        self.columns[column].push(lane);
        self.beside[0].push(Vec::new());
        self.beside[1].push(Vec::new());
        lane
    }

    /// Orders each column by where its neighbours are, to the right and back a few times.
    fn order(&mut self) {
        let mut place = vec![0.0; self.column.len()];
        for items in &self.columns {
            set_places(items, &mut place);
        }
        for _ in 0..ROUNDS {
            for side in [0, 1] {
                for column in self.sweep(side) {
                    let mut items = std::mem::take(&mut self.columns[column]);
                    let wanted = |item: &usize| mean(&self.beside[side][*item], &place);
                    let mut keyed: Vec<(f64, usize)> = items
                        .iter()
                        .map(|item| (wanted(item).unwrap_or(place[*item]), *item))
                        .collect();
                    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                    items.clear();
                    items.extend(keyed.into_iter().map(|(_, item)| item));
                    set_places(&items, &mut place);
                    self.columns[column] = items;
                }
            }
        }
    }

    /// Returns the columns in the order that a look at that side's neighbours wants.
    fn sweep(&self, side: usize) -> Vec<usize> {
        match side {
            0 => (0..self.columns.len()).collect(),
            _ => (0..self.columns.len()).rev().collect(),
        }
    }

    /// Moves the items of each column until lines are level; returns the height of each middle.
    fn level(&self) -> Vec<f64> {
        let mut heights = vec![0.0; self.column.len()];
        for items in &self.columns {
            self.settle(items, &vec![0.0; items.len()], &mut heights);
        }
        for _ in 0..ROUNDS {
            for side in [0, 1] {
                for column in self.sweep(side) {
                    let items = &self.columns[column];
                    let wanted: Vec<f64> = items
                        .iter()
                        .map(|i| mean(&self.beside[side][*i], &heights).unwrap_or(heights[*i]))
                        .collect();
                    self.settle(items, &wanted, &mut heights);
                }
            }
        }
        heights
    }

    /// Sets a column's heights as near to what is wanted as order and size allow.
    ///
    /// Less the room that those above need, heights need only not to fall; where they would,
    /// neighbours are pooled at their mean, which is the nearest such row of numbers there is.
    fn settle(&self, items: &[usize], wanted: &[f64], heights: &mut [f64]) {
        let mut rooms = Vec::with_capacity(items.len());
        let mut room = 0.0;
        let mut pools: Vec<(f64, f64, usize)> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                room += self.distance(items[index - 1], *item);
            }
            rooms.push(room);
            let weight = if *item < self.nodes { 1.0 } else { 2.0 };
            let mut pool = (weight, weight * (wanted[index] - room), 1);
            while let Some(above) = pools.last() {
                if above.1 / above.0 <= pool.1 / pool.0 {
                    break;
                }
                pool = (above.0 + pool.0, above.1 + pool.1, above.2 + pool.2);
                pools.pop();
            }
            pools.push(pool);
        }
        let mut index = 0;
        for (weight, sum, count) in pools {
            for _ in 0..count {
                heights[items[index]] = sum / weight + rooms[index];
                index += 1;
            }
        }
    }

    /// Returns how far apart the middles of two items must be.
    fn distance(&self, above: usize, below: usize) -> f64 {
        let lanes = usize::from(above >= self.nodes) + usize::from(below >= self.nodes);
        BETWEEN[lanes] + BOX_HEIGHT * (2 - lanes) as f64 / 2.0
    }

    /// Turns columns and heights into places.
    fn measure(&self, graph: &Graph, widths: &[f64], heights: &[f64], lanes: &Lanes) -> Layout {
        let spans = self.spans(widths, heights);
        let top = |h: &f64| h - BOX_HEIGHT / 2.0;
        let highest = heights.iter().map(top).fold(f64::INFINITY, f64::min);
        let down = MARGIN - if highest.is_finite() { highest } else { 0.0 };
        let middle = |item: usize| heights[item] + down;
        let mut bottom = (0..heights.len())
            .map(|item| middle(item) + BOX_HEIGHT / 2.0)
            .fold(0.0, f64::max);
        let floor = bottom;
        let mut routes = Vec::with_capacity(self.nodes);
        for (from, ways) in lanes.iter().enumerate() {
            let (left, _) = spans[self.column[from]];
            let route = |(place, way): (usize, &Option<Vec<usize>>)| {
                let to = graph.nodes[from].edges[place].to;
                let Some(way) = way else {
                    bottom = floor + HANG;
                    return Route::Back(HANG);
                };
                let mut points = vec![(left + widths[from], middle(from))];
                points.push((spans[self.column[from]].1, middle(from)));
                for lane in way {
                    let (left, right) = spans[self.column[*lane]];
                    points.extend([(left, middle(*lane)), (right, middle(*lane))]);
                }
                points.push((spans[self.column[to]].0, middle(to)));
                Route::Ahead(points)
            };
            routes.push(ways.iter().enumerate().map(route).collect());
        }
        let corner = |node: usize| (spans[self.column[node]].0, middle(node) - BOX_HEIGHT / 2.0);
        Layout {
            corners: (0..self.nodes).map(corner).collect(),
            routes,
            size: (
                spans.last().map_or(0.0, |(_, right)| *right) + MARGIN,
                bottom + MARGIN,
            ),
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

/// Returns the mean of what the items have, if there are items.
fn mean(items: &[usize], values: &[f64]) -> Option<f64> {
    let sum: f64 = items.iter().map(|item| values[*item]).sum();
    (!items.is_empty()).then(|| sum / items.len() as f64)
}

/// Notes where in a column each item is, as a part of the whole.
fn set_places(items: &[usize], place: &mut [f64]) {
    for (index, item) in items.iter().enumerate() {
        place[*item] = (index as f64 + 0.5) / items.len() as f64;
    }
}
