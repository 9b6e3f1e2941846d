//! Says why a package is needed: by whom, and on which way.

use std::collections::VecDeque;

use attache_package::{PackageName, Range, Release};
use attache_resolve::{LeftOut, Lockfile};
use schemars::JsonSchema;
use serde::Serialize;

use crate::build::Warning;
use crate::resolving::{Keep, Resolving, Session};
use crate::tree::{Links, known};
use crate::{App, Error, Outcome};

/// How many ways are told.
const MOST_WAYS: usize = 20;

/// Which package it is about.
#[derive(Debug, Clone, Default)]
pub struct WhyRequest {
    /// What is resolved, from where, and for which machines.
    pub resolving: Resolving,
    /// The package.
    pub id: String,
}

/// Why a package is needed, or why it is not there.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhyOutcome {
    /// The package.
    pub id: PackageName,
    /// The version that was chosen; nothing if it is not there, or is an agent of the workspace.
    pub version: Option<Release>,
    /// The registry it comes from.
    pub registry: Option<String>,
    /// The range that an override puts in the place of all others.
    pub overridden: Option<Range>,
    /// The shortest way to it through each of its dependents, the shortest first.
    pub ways: Vec<Vec<WhyStep>>,
    /// How many ways are not told.
    pub more: usize,
    /// Why it was left out, where it is optional and did not fit.
    pub left_out: Vec<LeftOut>,
    /// What should be looked at.
    pub warnings: Vec<Warning>,
}

impl Outcome for WhyOutcome {
    const SCHEMA: &'static str = "attache.why/1";
}

/// One step of a way: who, and in which range the one before asked for it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhyStep {
    /// The package; nothing for the workspace itself.
    pub id: Option<PackageName>,
    /// Its version; nothing for an agent of the workspace.
    pub version: Option<Release>,
    /// The range in which the step before asks for it; nothing for the first.
    pub range: Option<Range>,
    /// Whether the step before works without it.
    pub optional: bool,
}

/// Says why a package is needed.
pub fn why(app: &App, request: &WhyRequest) -> Result<WhyOutcome, Error> {
    let session = Session::open(app, &request.resolving)?;
    let (lock, warnings) = session.locked_or_solved()?;
    let id = match known(&lock, &request.id) {
        Ok(id) => id,
        Err(error) => return left_out(&session, request, &lock, error),
    };
    let links = Links::of(&lock);
    let mut ways = ways(&lock, &links, links.number(&id));
    let more = ways.len().saturating_sub(MOST_WAYS);
    ways.truncate(MOST_WAYS);
    let package = lock.get(&id);
    Ok(WhyOutcome {
        version: package.map(|p| p.version.clone()),
        registry: package.map(|p| p.registry.clone()),
        overridden: lock.overrides.get(&id).cloned(),
        ways,
        more,
        left_out: Vec::new(),
        warnings,
        id,
    })
}

/// Looks whether it is optional and was left out. Only a solve can tell why.
fn left_out(
    session: &Session<'_>,
    request: &WhyRequest,
    lock: &Lockfile,
    error: Error,
) -> Result<WhyOutcome, Error> {
    let Ok(id) = request.id.parse::<PackageName>() else {
        return Err(error);
    };
    let left_out: Vec<LeftOut> = match session.solve(&Keep::All, false) {
        Ok(solved) => {
            let left_out = solved.resolution.left_out.into_iter();
            left_out.filter(|left| left.id == id).collect()
        }
        Err(other) if other.code != "ATT-INDEX-NONE" => return Err(other),
        // The lock alone knows that much.
        Err(_) => {
            let wishes = lock.roots.iter().flat_map(|root| {
                let these = root.optional.iter().filter(|edge| edge.id == id);
                these.map(|edge| LeftOut {
                    id: id.clone(),
                    range: edge.range.clone(),
                    by: root.id.clone(),
                    reason: "It is optional and did not fit. With --index, the reason can be told."
                        .to_owned(),
                })
            });
            wishes.collect()
        }
    };
    if left_out.is_empty() {
        return Err(error);
    }
    Ok(WhyOutcome {
        id,
        version: None,
        registry: None,
        overridden: None,
        ways: Vec::new(),
        more: 0,
        left_out,
        warnings: Vec::new(),
    })
}

/// Returns the shortest way from a root through each dependent of `to`.
fn ways(lock: &Lockfile, links: &Links, to: usize) -> Vec<Vec<WhyStep>> {
    // One search from all roots gives the shortest way to everybody.
    let mut before: Vec<Option<(usize, usize)>> = vec![None; links.len()];
    let mut seen = vec![false; links.len()];
    let mut todo: VecDeque<usize> = (0..lock.roots.len()).collect();
    seen[..lock.roots.len()].fill(true);
    while let Some(at) = todo.pop_front() {
        for (number, link) in links.edges(at).iter().enumerate() {
            if !std::mem::replace(&mut seen[link.to], true) {
                before[link.to] = Some((at, number));
                todo.push_back(link.to);
            }
        }
    }
    let step = |at: usize, by: Option<(usize, usize)>| {
        let link = by.map(|(from, number)| &links.edges(from)[number]);
        let package = at.checked_sub(lock.roots.len()).map(|p| &lock.packages[p]);
        WhyStep {
            id: match package {
                Some(package) => Some(package.id.clone()),
                None => lock.roots[at].id.clone(),
            },
            version: package.map(|p| p.version.clone()),
            range: link.map(|link| link.range.clone()),
            optional: link.is_some_and(|link| link.optional),
        }
    };
    let mut ways = Vec::new();
    for from in (0..links.len()).filter(|from| seen[*from]) {
        let edges = links.edges(from).iter().enumerate();
        for (number, _) in edges.filter(|(_, link)| link.to == to) {
            let mut way = vec![step(to, Some((from, number)))];
            let mut at = from;
            loop {
                way.push(step(at, before[at]));
                match before[at] {
                    Some((above, _)) => at = above,
                    None => break,
                }
            }
            way.reverse();
            ways.push(way);
        }
    }
    ways.sort_by_key(Vec::len);
    ways
}
