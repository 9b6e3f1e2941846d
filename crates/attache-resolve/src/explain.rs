//! From a proof to an explanation: fewer requirements, then sentences, then what would help.

use std::collections::BTreeSet;

use attache_package::{PackageName, Range};

use crate::cycles::Cycles;
use crate::failure::{Conflict, Failure, Need, Requirement, Suggestion, listed};
use crate::knots::Knots;
use crate::nearest::nearest;
use crate::problem::{Problem, ROOT, Requires};
use crate::sentences::Story;
use crate::solver::{Budget, Counted, Outcome, Scope, Selection, Stop, solve};

/// The most suggestions that are worth reading.
const MOST_SUGGESTIONS: usize = 3;

/// The most changes that are tried to find them: each takes as long as the request did.
const MOST_TRIED: usize = 8;

/// Explains why what is wanted cannot be had.
pub(crate) fn conflict(problem: &Problem<'_>, core: BTreeSet<Requires>) -> Failure {
    explained(problem, core).unwrap_or(Failure::Interrupted)
}

fn explained(problem: &Problem<'_>, core: BTreeSet<Requires>) -> Option<Failure> {
    let budget = explanation_budget(problem);
    let (core, is_minimal) = minimal(problem, &problem.wanted, None, core, &budget)?;
    let story = Story::new(problem, &core, None, None);
    let suggestions = suggestions(problem, story.order(), &budget)?;
    let mut explanation = story.sentences();
    explanation.extend(suggestions.iter().map(ToString::to_string));
    if suggestions.is_empty() {
        explanation.push(
            "Relaxing a requirement named here is not enough: something else is in the way too."
                .to_owned(),
        );
    }
    let requirements = story.order().iter().map(|requires| Requirement {
        by: (requires.from != ROOT).then(|| problem.universe.name(requires.from).clone()),
        versions: story.versions_that(requires),
        needs: match requires.need() {
            Some(need) => Need::Host {
                need: problem.need(need).clone(),
            },
            None => Need::Package {
                id: problem.universe.name(requires.to).clone(),
                range: problem.range(requires.range).clone(),
            },
        },
    });
    Some(Failure::Conflict(Conflict {
        requirements: requirements.collect(),
        is_minimal,
        explanation,
        suggestions,
    }))
}

/// Explains why an optional dependency does not fit beside what is settled.
pub(crate) fn left_out(
    problem: &Problem<'_>,
    wish: &Requires,
    settled: &Selection,
    core: BTreeSet<Requires>,
) -> Result<String, Failure> {
    let budget = explanation_budget(problem);
    let roots = std::slice::from_ref(wish);
    let found = minimal(problem, roots, Some(settled), core, &budget);
    let (core, _) = found.ok_or(Failure::Interrupted)?;
    let story = Story::new(problem, &core, Some(settled), Some(*wish));
    Ok(story.sentences().join(" "))
}

/// Explains that every choice is circular.
pub(crate) fn cycle(problem: &Problem<'_>, cycles: &Cycles) -> Failure {
    const MOST: usize = 5;
    let paths = cycles.paths(problem.universe);
    let mut explanation =
        vec!["Whichever versions are chosen, some package needs itself.".to_owned()];
    let told = paths.iter().take(MOST);
    explanation.extend(told.map(|path| format!("{}.", few(path, " needs ", ", which needs "))));
    if paths.len() > MOST {
        let least = if cycles.complete { "" } else { "at least " };
        let more = paths.len() - MOST;
        explanation.push(format!("There are {least}{more} more such paths."));
    }
    explanation.push(
        "It takes a version that does without one of these dependencies, or has it as optional."
            .to_owned(),
    );
    Failure::Cycle {
        paths,
        complete: cycles.complete,
        explanation,
    }
}

/// Writes a path, without its middle if it is long.
fn few(path: &[PackageName], first: &str, between: &str) -> String {
    const ENDS: usize = 8;
    let mut names: Vec<String> = path.iter().map(|name| format!("`{name}`")).collect();
    if names.len() > 2 * ENDS + 1 {
        let middle = names.len() - 2 * ENDS;
        names.splice(ENDS..ENDS + middle, [format!("({middle} more)")]);
    }
    match names.split_first() {
        Some((start, rest)) => format!("{start}{first}{}", rest.join(between)),
        None => String::new(),
    }
}

/// Explains that an optional dependency would make a cycle.
pub(crate) fn would_close(problem: &Problem<'_>, cycles: &Cycles) -> String {
    let paths = cycles.paths(problem.universe);
    let path = paths.first().map(Vec::as_slice).unwrap_or_default();
    format!("It would close the cycle {}.", few(path, " → ", " → "))
}

fn explanation_budget<'a>(problem: &Problem<'a>) -> Budget<'a> {
    Budget::new(
        problem.request.limits.explanation_steps,
        problem.request.interrupted,
    )
}

/// Leaves out requirements one by one as long as the rest still conflicts, and returns whether
/// nothing more can be left out; nothing at all when interrupted.
///
/// What remains is minimal because a requirement that could not be left out of more cannot be
/// left out of less. Each proof tells which requirements it did not use, so that most of them
/// go without a solve of their own.
fn minimal(
    problem: &Problem<'_>,
    roots: &[Requires],
    settled: Option<&Selection>,
    core: BTreeSet<Requires>,
    budget: &Budget<'_>,
) -> Option<(Vec<Requires>, bool)> {
    let knots = Knots::default();
    let mut core = core;
    // What the request itself asks for is tried last: a conflict close to it is easier to see.
    let mut untried: Vec<Requires> = core.iter().copied().collect();
    untried.sort_by_key(|requires| (requires.from != ROOT, *requires));
    let mut is_minimal = true;
    while let Some(tried) = untried.pop() {
        let mut fewer = core.clone();
        fewer.remove(&tried);
        let scope = Scope {
            roots,
            counted: Counted::Only(&fewer),
            settled,
            knots: &knots,
        };
        match solve(problem, scope, budget) {
            Ok(Outcome::Solved(_)) => {}
            Ok(Outcome::Unsolvable(used)) => {
                untried.retain(|requires| used.contains(requires));
                core = used;
            }
            Err(Stop::Interrupted) => return None,
            Err(Stop::GaveUp) => {
                is_minimal = false;
                break;
            }
        }
    }
    Some((core.into_iter().collect(), is_minimal))
}

/// Relaxes one requirement at a time and tells which of them lead to an answer.
fn suggestions(
    problem: &Problem<'_>,
    order: &[Requires],
    budget: &Budget<'_>,
) -> Option<Vec<Suggestion>> {
    let mut found: Vec<Suggestion> = Vec::new();
    for requires in order {
        let unknown =
            requires.need().is_none() && problem.universe.versions(requires.to).is_empty();
        if unknown {
            let id = problem.universe.name(requires.to);
            let names = nearest(id, problem.universe.names());
            if !names.is_empty() {
                let id = id.clone();
                found.push(Suggestion::DidYouMean { id, names });
            }
        }
    }
    // The request is the user's own to change, the host perhaps; a package is someone else's.
    let mut order = order.to_vec();
    order.sort_by_key(|requires| (requires.from != ROOT, requires.need().is_none()));
    // Where each version has a range of its own, what holds for one will hold for the others.
    let mut seen = BTreeSet::new();
    order.retain(|requires| requires.from == ROOT || seen.insert((requires.from, requires.to)));
    // Where nothing can be chosen at all, no range helps.
    order.retain(|requires| !problem.any(requires).is_empty());
    for requires in order.iter().take(MOST_TRIED) {
        if found.len() >= MOST_SUGGESTIONS {
            break;
        }
        let knots = Knots::default();
        let scope = Scope {
            roots: &problem.wanted,
            counted: Counted::Relaxed(requires),
            settled: None,
            knots: &knots,
        };
        let selection = match solve(problem, scope, budget) {
            Ok(Outcome::Solved(selection)) => selection,
            Ok(Outcome::Unsolvable(_)) => continue,
            Err(Stop::Interrupted) => return None,
            Err(Stop::GaveUp) => break,
        };
        let new = relaxed(problem, requires, &selection);
        found.extend(new.filter(|new| !found.contains(new)));
    }
    Some(found)
}

fn relaxed(
    problem: &Problem<'_>,
    requires: &Requires,
    selection: &Selection,
) -> Option<Suggestion> {
    let universe = problem.universe;
    if let Some(need) = requires.need() {
        let need = problem.need(need).clone();
        let has = problem
            .request
            .host
            .as_ref()
            .and_then(|host| host.has(&need));
        return Some(Suggestion::Host { need, has });
    }
    let version = selection.get(&requires.to)?;
    let release = &universe.known(requires.to, *version).release;
    // The lowest promise that still holds what was found.
    let range: Range = format!("^{}", release.without_build()).parse().ok()?;
    let id = universe.name(requires.to).clone();
    if let Some(overriding) = problem.overridden(requires.to) {
        let instead_of = problem.range(overriding).clone();
        return Some(Suggestion::OtherOverride {
            id,
            range,
            instead_of,
        });
    }
    if requires.from == ROOT {
        let instead_of = problem.range(requires.range).clone();
        return Some(Suggestion::Ask {
            id,
            range,
            instead_of,
        });
    }
    let against = universe.name(requires.from).clone();
    Some(Suggestion::Override { id, range, against })
}

/// Writes versions as people list them.
pub(crate) fn few_versions(versions: &[String]) -> String {
    match versions {
        [first, .., last] if versions.len() > 4 => {
            format!("{first} to {last} ({} versions)", versions.len())
        }
        few => listed(few, "and"),
    }
}
