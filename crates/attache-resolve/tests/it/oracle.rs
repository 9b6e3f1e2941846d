//! What an answer must be, by trying every choice of versions.
//!
//! Nothing here is shared with the resolver: candidates, ranges, cycles and minimality are
//! worked out again from the text, the slow and obvious way.

use std::collections::BTreeMap;

use attache_package::PackageName;
use attache_resolve::{HostNeed, Need, Requirement, Resolution};

use crate::dsl::{Text, Version};

/// A choice: for each package its place among [`Oracle::candidates`], or nothing.
type Choice = Vec<Option<usize>>;

/// Who requires what: the dependent's name (nothing for the request), then the target and the
/// range, or the host need.
type Said = (Option<String>, String);

pub(crate) struct Oracle<'t> {
    text: &'t Text,
    names: Vec<PackageName>,
    candidates: Vec<Vec<&'t Version>>,
}

impl<'t> Oracle<'t> {
    pub(crate) fn new(text: &'t Text) -> Self {
        let mut names: Vec<PackageName> = text.versions.iter().map(|v| v.id.clone()).collect();
        names.sort();
        names.dedup();
        let candidates = names.iter().map(|id| candidates(text, id)).collect();
        Self {
            text,
            names,
            candidates,
        }
    }

    /// Returns whether there is a choice that meets every requirement which `counts`.
    pub(crate) fn is_solvable(&self, acyclic: bool, counts: &dyn Fn(&Said) -> bool) -> bool {
        let fixed = vec![None; self.names.len()];
        self.any_choice(&fixed, &mut |choice| {
            self.meets_request(choice, counts)
                && self.meets_packages(choice, counts)
                && (!acyclic || self.is_acyclic(&self.needed(choice), &[]))
        })
    }

    /// Returns whether an answer is one, with all it says about itself.
    pub(crate) fn accepts(&self, answer: &Resolution) -> Result<(), String> {
        let all = |_: &Said| true;
        let choice = self.choice_of(answer)?;
        let required: Choice = (self.names.iter().zip(&choice))
            .map(|(id, v)| v.filter(|_| answer.get(id).is_some_and(|c| !c.optional)))
            .collect();
        for choice in [&choice, &required] {
            if !self.meets_request(choice, &all) || !self.meets_packages(choice, &all) {
                return Err("a requirement is not met".to_owned());
            }
        }
        if !self.is_acyclic(&choice, &taken(answer)) {
            return Err("there is a cycle".to_owned());
        }
        if let Some(orphan) = answer.packages.iter().find(|c| c.required_by.is_empty()) {
            return Err(format!("nobody needs `{}`", orphan.id));
        }
        Ok(())
    }

    /// Returns a package that could have a version more to the strategy's liking while all the
    /// others stay as they are.
    pub(crate) fn better(&self, answer: &Resolution, lowest: bool) -> Option<String> {
        let all = |_: &Said| true;
        let choice = self.choice_of(answer).unwrap();
        for (at, id) in self.names.iter().enumerate() {
            let Some(chosen) = choice[at].filter(|_| answer.get(id).is_some_and(|c| !c.optional))
            else {
                continue;
            };
            for other in 0..self.candidates[at].len() {
                let mut changed = choice.clone();
                changed[at] = Some(other);
                if other != chosen
                    && (other < chosen) == lowest
                    && self.meets_request(&changed, &all)
                    && self.meets_packages(&changed, &all)
                    && self.is_acyclic(&changed, &[])
                {
                    return Some(format!("{id} {}", self.candidates[at][other].release));
                }
            }
        }
        None
    }

    /// Returns an optional dependency that was left out and yet fits.
    pub(crate) fn wrongly_left_out(&self, answer: &Resolution) -> Option<String> {
        let all = |_: &Said| true;
        let fixed = self.choice_of(answer).unwrap();
        let taken = taken(answer);
        for left in &answer.left_out {
            let Some(at) = self.names.iter().position(|id| *id == left.id) else {
                continue;
            };
            let range = self
                .text
                .request
                .overrides
                .get(&left.id)
                .unwrap_or(&left.range);
            let mut edges = taken.clone();
            edges.extend(left.by.iter().map(|by| (by.clone(), left.id.clone())));
            let fits = self.any_choice(&fixed, &mut |choice| {
                choice[at].is_some_and(|v| range.contains(&self.candidates[at][v].release))
                    && self.meets_packages(choice, &all)
                    && self.is_acyclic(choice, &edges)
            });
            if fits {
                return Some(format!("{} {}", left.id, left.range));
            }
        }
        None
    }

    fn choice_of(&self, answer: &Resolution) -> Result<Choice, String> {
        for chosen in &answer.packages {
            if !self.names.contains(&chosen.id) {
                return Err(format!("there is no `{}`", chosen.id));
            }
        }
        let place = |(id, candidates): (&PackageName, &Vec<&Version>)| {
            let Some(chosen) = answer.get(id) else {
                return Ok(None);
            };
            let same = |v: &&Version| v.release == chosen.version && v.registry == chosen.registry;
            match candidates.iter().position(same) {
                Some(at) => Ok(Some(at)),
                None => Err(format!("`{id}` {} is no candidate", chosen.version)),
            }
        };
        self.names.iter().zip(&self.candidates).map(place).collect()
    }

    /// Calls `found` with every choice that keeps what is fixed, until it says yes.
    fn any_choice(&self, fixed: &Choice, found: &mut dyn FnMut(&Choice) -> bool) -> bool {
        fn go(
            oracle: &Oracle<'_>,
            choice: &mut Choice,
            at: usize,
            found: &mut dyn FnMut(&Choice) -> bool,
        ) -> bool {
            if at == choice.len() {
                return found(choice);
            }
            if choice[at].is_some() {
                return go(oracle, choice, at + 1, found);
            }
            for option in 0..=oracle.candidates[at].len() {
                choice[at] = option.checked_sub(1);
                if go(oracle, choice, at + 1, found) {
                    return true;
                }
            }
            choice[at] = None;
            false
        }
        go(self, &mut fixed.clone(), 0, found)
    }

    fn meets_request(&self, choice: &Choice, counts: &dyn Fn(&Said) -> bool) -> bool {
        let request = &self.text.request;
        let wanted = request.wanted.iter().filter(|wanted| !wanted.optional);
        let mut wanted = wanted.filter(|w| counts(&(None, format!("{} {}", w.id, w.range))));
        let mut needs = request
            .needs
            .iter()
            .filter(|n| counts(&(None, n.to_string())));
        wanted.all(|w| self.is_met(choice, &w.id, &w.range)) && needs.all(|n| self.has(n))
    }

    fn meets_packages(&self, choice: &Choice, counts: &dyn Fn(&Said) -> bool) -> bool {
        self.chosen(choice).all(|version| {
            let by = Some(version.id.to_string());
            let required = version.dependencies.iter().filter(|d| !d.optional);
            let mut required =
                required.filter(|d| counts(&(by.clone(), format!("{} {}", d.id, d.range))));
            let mut needs = version
                .needs
                .iter()
                .filter(|n| counts(&(by.clone(), n.to_string())));
            required.all(|d| self.is_met(choice, &d.id, &d.range)) && needs.all(|n| self.has(n))
        })
    }

    fn chosen<'o>(&'o self, choice: &'o Choice) -> impl Iterator<Item = &'t Version> + 'o {
        let pairs = choice.iter().zip(&self.candidates);
        pairs.filter_map(|(at, candidates)| at.map(|at| candidates[at]))
    }

    fn is_met(&self, choice: &Choice, id: &PackageName, range: &attache_package::Range) -> bool {
        let range = self.text.request.overrides.get(id).unwrap_or(range);
        let mut chosen = self.chosen(choice);
        chosen.any(|version| version.id == *id && range.contains(&version.release))
    }

    fn has(&self, need: &HostNeed) -> bool {
        let Some(host) = &self.text.request.host else {
            return true;
        };
        match need {
            HostNeed::Engine { name, range } => {
                host.engines.get(name).is_some_and(|v| range.contains(v))
            }
            _ => unreachable!("random universes have engines only"),
        }
    }

    /// Returns the part of a choice that the request leads to.
    fn needed(&self, choice: &Choice) -> Choice {
        let mut needed = vec![None; choice.len()];
        let wanted = self.text.request.wanted.iter().filter(|w| !w.optional);
        let mut todo: Vec<&PackageName> = wanted.map(|w| &w.id).collect();
        while let Some(id) = todo.pop() {
            let Some(at) = self.names.iter().position(|name| name == id) else {
                continue;
            };
            if needed[at].is_none() && choice[at].is_some() {
                needed[at] = choice[at];
                let version = self.candidates[at][choice[at].unwrap_or_default()];
                let required = version.dependencies.iter().filter(|d| !d.optional);
                todo.extend(required.map(|d| &d.id));
            }
        }
        needed
    }

    /// Returns whether nobody needs himself, with some edges more.
    fn is_acyclic(&self, choice: &Choice, more: &[(PackageName, PackageName)]) -> bool {
        let mut left: BTreeMap<&PackageName, Vec<&PackageName>> = BTreeMap::new();
        for version in self.chosen(choice) {
            let required = version.dependencies.iter().filter(|d| !d.optional);
            let more = more.iter().filter(|(from, _)| *from == version.id);
            let edges = required.map(|d| &d.id).chain(more.map(|(_, to)| to));
            left.insert(&version.id, edges.collect());
        }
        // Whoever needs nobody that is left can go; on a cycle nobody ever can.
        loop {
            let free = |(_, to): &(&&PackageName, &Vec<&PackageName>)| {
                !to.iter().any(|id| left.contains_key(*id))
            };
            let Some(id) = left.iter().find(free).map(|(id, _)| *id) else {
                return left.is_empty();
            };
            left.remove(id);
        }
    }
}

/// Returns the versions that may be chosen: of one registry, and not yanked unless locked.
fn candidates<'t>(text: &'t Text, id: &PackageName) -> Vec<&'t Version> {
    let all = || text.versions.iter().filter(|v| v.id == *id);
    let has = |registry: &String| all().any(|v| v.registry == *registry);
    let above = |(namespace, _): &&(PackageName, String)| {
        namespace == id || id.as_str().starts_with(&format!("{namespace}."))
    };
    let bound = text.bindings.iter().filter(above);
    let bound = bound.max_by_key(|(namespace, _)| namespace.as_str().len());
    let locked = text.request.locked.get(id);
    let home = match (
        bound,
        locked.and_then(|l| l.registry.clone()).filter(|r| has(r)),
    ) {
        (Some((_, registry)), _) => Some(registry.clone()),
        (None, Some(registry)) => Some(registry),
        (None, None) => text.registries.iter().find(|r| has(r)).cloned(),
    };
    let mut candidates: Vec<&Version> = all()
        .filter(|v| Some(&v.registry) == home.as_ref())
        .filter(|v| !v.yanked || locked.is_some_and(|l| l.version.as_ref() == Some(&v.release)))
        .collect();
    candidates.sort_by(|a, b| a.release.cmp(&b.release));
    candidates
}

fn taken(answer: &Resolution) -> Vec<(PackageName, PackageName)> {
    let optional = answer.packages.iter().flat_map(|chosen| {
        let by = chosen.required_by.iter().filter(|r| r.optional);
        by.filter_map(|r| Some((r.by.clone()?, chosen.id.clone())))
    });
    optional.collect()
}

/// Returns a named requirement in the oracle's own words.
pub(crate) fn said(requirement: &Requirement) -> Said {
    let by = requirement.by.as_ref().map(ToString::to_string);
    match &requirement.needs {
        Need::Package { id, range } => (by, format!("{id} {range}")),
        Need::Host { need } => (by, need.to_string()),
    }
}
