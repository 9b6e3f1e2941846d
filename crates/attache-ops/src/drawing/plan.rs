//! The order within columns and the heights of what is in them.

use super::Graph;
use super::layout::BOX_HEIGHT;

/// The space between two boxes, between a box and a lane, and between two lanes.
pub(super) const BETWEEN: [f64; 3] = [16.0, 13.0, 8.0];
/// How often the columns are put in order, and how often they are levelled.
const ROUNDS: usize = 8;
/// How much more a level lane counts than a level edge of a box: bends in lanes are seen first.
const STRAIGHTER: f64 = 8.0;
/// How much higher than its highest column a picture may become for the sake of level lines.
const SLACK: f64 = 1.15;

/// The columns with their items: the nodes by their numbers, and behind them the lanes.
pub(super) struct Plan {
    /// Each column's items from top to bottom.
    pub(super) columns: Vec<Vec<usize>>,
    /// Each item's column.
    pub(super) column: Vec<usize>,
    /// How many of the items are nodes.
    pub(super) nodes: usize,
    /// Each item's neighbours in the columns to the left and to the right.
    pub(super) beside: [Vec<Vec<usize>>; 2],
}

impl Plan {
    /// Begins with columns of nodes that know no neighbours.
    pub(super) fn new(graph: &Graph, columns: Vec<Vec<usize>>) -> Self {
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

    /// Adds a lane at the foot of a column.
    pub(super) fn lane(&mut self, column: usize) -> usize {
        let lane = self.column.len();
        self.column.push(column);
        self.columns[column].push(lane);
        self.beside[0].push(Vec::new());
        self.beside[1].push(Vec::new());
        lane
    }

    /// Orders each column by where its neighbours are, to the right and back a few times, and
    /// keeps the order in which the fewest lines cross.
    pub(super) fn order(&mut self) {
        let mut place = vec![0.0; self.column.len()];
        for items in &self.columns {
            set_places(items, &mut place);
        }
        let mut best = (usize::MAX, self.columns.clone());
        for _ in 0..ROUNDS {
            for side in [0, 1] {
                for column in self.sweep(side) {
                    self.sort(column, side, &mut place);
                }
                let crossings = self.crossings();
                // The later of two that are equal: it is the more even one.
                if crossings <= best.0 {
                    best = (crossings, self.columns.clone());
                }
            }
        }
        self.columns = best.1;
    }

    /// Orders one column by the mean place of each item's neighbours on one side.
    fn sort(&mut self, column: usize, side: usize, place: &mut [f64]) {
        let wanted = |item: &usize| match mean(&self.beside[side][*item], place) {
            Some(wanted) => (wanted, false, *item),
            // It stays, but lets a lane pass in the middle.
            None => (place[*item], true, *item),
        };
        let mut keyed: Vec<_> = self.columns[column].iter().map(wanted).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let items: Vec<usize> = keyed.into_iter().map(|(.., item)| item).collect();
        set_places(&items, place);
        self.columns[column] = items;
    }

    /// Returns how many pairs of lines cross between neighbouring columns.
    fn crossings(&self) -> usize {
        let mut index = vec![0; self.column.len()];
        for items in &self.columns {
            for (at, item) in items.iter().enumerate() {
                index[*item] = at;
            }
        }
        let mut crossings = 0;
        for (left, right) in self.columns.iter().zip(self.columns.iter().skip(1)) {
            // From top to bottom: a line crosses those before it that end further down. A tree of
            // sums over the right column's items counts them without looking at each.
            let mut sums = vec![0; right.len() + 1];
            let mut before = 0;
            for item in left {
                let ends = &self.beside[1][*item];
                for end in ends {
                    let mut above = 0;
                    let mut at = index[*end] + 1;
                    while at > 0 {
                        above += sums[at];
                        at &= at - 1;
                    }
                    crossings += before - above;
                }
                for end in ends {
                    let mut at = index[*end] + 1;
                    while at <= right.len() {
                        sums[at] += 1;
                        at += at & at.wrapping_neg();
                    }
                }
                before += ends.len();
            }
        }
        crossings
    }

    /// Returns the columns in the order that a look at that side's neighbours wants.
    fn sweep(&self, side: usize) -> Vec<usize> {
        match side {
            0 => (0..self.columns.len()).collect(),
            _ => (0..self.columns.len()).rev().collect(),
        }
    }

    /// Moves the items of each column until lines are level; returns the height of each middle.
    ///
    /// All stay beside the highest column, or nearly so: the picture is hardly higher than it
    /// must be.
    pub(super) fn level(&self) -> Vec<f64> {
        let room = |items: &Vec<usize>| self.rooms(items).last().copied().unwrap_or(0.0);
        let highest = SLACK * self.columns.iter().map(room).fold(0.0, f64::max);
        let mut heights = vec![highest / 2.0; self.column.len()];
        for items in &self.columns {
            let wanted = vec![highest / 2.0; items.len()];
            self.settle(items, &wanted, highest, &mut heights);
        }
        for _ in 0..ROUNDS {
            for side in [0, 1] {
                for column in self.sweep(side) {
                    let items = &self.columns[column];
                    let wanted = items.iter().map(|i| self.wanted(*i, side, &heights));
                    let wanted: Vec<f64> = wanted.collect();
                    self.settle(items, &wanted, highest, &mut heights);
                }
            }
        }
        heights
    }

    /// Returns the height at which an item's lines to that side are level.
    ///
    /// A lane heeds the lane it goes on in, whatever branches off, because a bend there is a bend
    /// of every edge in it.
    fn wanted(&self, item: usize, side: usize, heights: &[f64]) -> f64 {
        let beside = &self.beside[side][item];
        let lane = beside.iter().find(|other| **other >= self.nodes);
        match lane.filter(|_| item >= self.nodes) {
            Some(lane) => heights[*lane],
            None => mean(beside, heights).unwrap_or(heights[item]),
        }
    }

    /// Sets a column's heights as near to what is wanted as order, size and limit allow.
    ///
    /// Less the room that those above need, heights need only not to fall; where they would,
    /// neighbours are pooled at their mean, which is the nearest such row of numbers there is.
    fn settle(&self, items: &[usize], wanted: &[f64], limit: f64, heights: &mut [f64]) {
        let rooms = self.rooms(items);
        let mut pools: Vec<(f64, f64, usize)> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let is_lane = *item >= self.nodes;
            let weight = if is_lane { STRAIGHTER } else { 1.0 };
            let mut pool = (weight, weight * (wanted[index] - rooms[index]), 1);
            while let Some(above) = pools.last() {
                if above.1 / above.0 <= pool.1 / pool.0 {
                    break;
                }
                pool = (above.0 + pool.0, above.1 + pool.1, above.2 + pool.2);
                pools.pop();
            }
            pools.push(pool);
        }
        let most = limit - rooms.last().copied().unwrap_or(0.0);
        let mut index = 0;
        for (weight, sum, count) in pools {
            for _ in 0..count {
                heights[items[index]] = (sum / weight).min(most).max(0.0) + rooms[index];
                index += 1;
            }
        }
    }

    /// Returns how far below the first item's middle each of a column's items must at least be.
    fn rooms(&self, items: &[usize]) -> Vec<f64> {
        let mut room = 0.0;
        let mut above = None;
        let below = |item: &usize| {
            room += above.map_or(0.0, |above| self.distance(above, *item));
            above = Some(*item);
            room
        };
        items.iter().map(below).collect()
    }

    /// Returns how far apart the middles of two items must be.
    fn distance(&self, above: usize, below: usize) -> f64 {
        let lanes = usize::from(above >= self.nodes) + usize::from(below >= self.nodes);
        BETWEEN[lanes] + BOX_HEIGHT * (2 - lanes) as f64 / 2.0
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
