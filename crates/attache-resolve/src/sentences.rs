//! A conflict told in sentences: who needs what, from the request downwards, and where it ends.

use attache_package::Release;

use crate::explain::few_versions;
use crate::failure::{listed, wish};
use crate::problem::{Problem, ROOT, Requires};
use crate::set::VersionSet;
use crate::solver::Selection;

/// Requirements that conflict, in the order they are told.
pub(crate) struct Story<'s, 'a> {
    problem: &'s Problem<'a>,
    settled: Option<&'s Selection>,
    /// The optional dependency it is all about, if it is about one.
    wish: Option<Requires>,
    order: Vec<Requires>,
}

/// The most ranges or versions of one package that one sentence lists.
const MOST: usize = 3;

impl<'s, 'a> Story<'s, 'a> {
    pub(crate) fn new(
        problem: &'s Problem<'a>,
        core: &[Requires],
        settled: Option<&'s Selection>,
        wish: Option<Requires>,
    ) -> Self {
        let mut left: Vec<Requires> = core.to_vec();
        let mut order = Vec::with_capacity(left.len());
        let is_start = |from: u32| from == ROOT || settled.is_some_and(|s| s.contains_key(&from));
        let mut reached: Vec<u32> = left
            .iter()
            .map(|r| r.from)
            .filter(|p| is_start(*p))
            .collect();
        reached.sort_unstable_by_key(|from| (*from != ROOT, *from));
        reached.dedup();
        let mut at = 0;
        while let Some(from) = reached.get(at).copied() {
            at += 1;
            for requires in left.extract_if(.., |requires| requires.from == from) {
                if !reached.contains(&requires.to) && requires.need().is_none() {
                    reached.push(requires.to);
                }
                order.push(requires);
            }
        }
        order.append(&mut left);
        Self {
            problem,
            settled,
            wish,
            order,
        }
    }

    /// Returns the requirements in the order they are told.
    pub(crate) fn order(&self) -> &[Requires] {
        &self.order
    }

    /// Returns the versions of a requirement's owner that say so, among those in question.
    pub(crate) fn versions_that(&self, requires: &Requires) -> Vec<Release> {
        if requires.from == ROOT {
            return Vec::new();
        }
        let versions = self.owners(requires);
        let known = |v| {
            self.problem
                .universe
                .known(requires.from, v)
                .release
                .clone()
        };
        versions.iter().map(known).collect()
    }

    /// Returns everything that is to be said, except what would help.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        sentences.extend(self.own_wishes());
        let mut rest: Vec<Requires> = self
            .order
            .iter()
            .filter(|r| r.from != ROOT)
            .copied()
            .collect();
        rest.extend(
            self.order
                .iter()
                .filter(|r| r.from == ROOT && r.need().is_some()),
        );
        while let Some(first) = rest.first().copied() {
            let same = |r: &mut Requires| r.from == first.from && r.to == first.to;
            let group: Vec<Requires> = rest.extract_if(.., same).collect();
            sentences.push(self.sentence(&group));
        }
        let mut targets: Vec<u32> = Vec::new();
        for requires in self.order.iter().filter(|r| r.need().is_none()) {
            if !targets.contains(&requires.to) {
                targets.push(requires.to);
            }
        }
        sentences.extend(targets.into_iter().filter_map(|to| self.dead_end(to)));
        sentences
    }

    /// Tells what the request itself asks of packages, in one sentence.
    fn own_wishes(&self) -> Option<String> {
        let own = self
            .order
            .iter()
            .filter(|r| r.from == ROOT && r.need().is_none());
        let wishes: Vec<String> = own.map(|requires| self.target(requires)).collect();
        let subject = self.subject_root();
        (!wishes.is_empty()).then(|| format!("{subject} {}.", listed(&wishes, "and")))
    }

    fn subject_root(&self) -> String {
        match (&self.problem.request.root, self.wish) {
            (Some(root), None) => format!("`{}` needs", root.id),
            (Some(root), Some(_)) => format!("`{}` would like", root.id),
            (None, None) => "You want".to_owned(),
            (None, Some(_)) => "You would like".to_owned(),
        }
    }

    /// Tells what one package, or the request, needs of another or of the host.
    fn sentence(&self, group: &[Requires]) -> String {
        let mut group = group.to_vec();
        group.sort_by_key(|requires| (self.owners(requires).lowest(), *requires));
        let [first, more @ ..] = group.as_slice() else {
            return String::new();
        };
        if more.len() >= MOST {
            return self.summary(&group);
        }
        let mut text = format!("{} {}", self.subject(first), self.target(first));
        for requires in more {
            let versions = self.version_texts(requires);
            let verb = if versions.len() == 1 { "needs" } else { "need" };
            let range = self.problem.range(requires.range);
            text.push_str(&format!(", {} {verb} `{range}`", few_versions(&versions)));
        }
        if first.to == first.from {
            text.push_str(", which is another version of itself");
        }
        if let Some(need) = first.need() {
            let host = self.problem.request.host.as_ref();
            let has = host.and_then(|host| host.has(self.problem.need(need)));
            text.push_str(&match has {
                Some(has) => format!(", and this host has {has}"),
                None => ", which this host does not have".to_owned(),
            });
        }
        text.push('.');
        text
    }

    /// Tells that many versions of one package need another, without listing every range.
    fn summary(&self, group: &[Requires]) -> String {
        let universe = self.problem.universe;
        let (from, to) = (group[0].from, group[0].to);
        let owners = group.iter().fold(VersionSet::empty(), |set, requires| {
            set.union(&self.owners(requires))
        });
        let known = |v| universe.known(from, v).release.to_string();
        let versions: Vec<String> = owners.iter().map(known).collect();
        format!(
            "`{}` {} need `{}`, in {} different ranges.",
            universe.name(from),
            few_versions(&versions),
            universe.name(to),
            group.len()
        )
    }

    fn subject(&self, requires: &Requires) -> String {
        if requires.from == ROOT {
            return match &self.problem.request.root {
                Some(root) => format!("`{}` itself needs", root.id),
                None => "The request needs".to_owned(),
            };
        }
        let name = self.problem.universe.name(requires.from);
        let versions = self.version_texts(requires);
        let verb = match versions.len() {
            _ if self.wish == Some(*requires) => "would like",
            1 => "needs",
            _ => "need",
        };
        format!("`{name}` {} {verb}", few_versions(&versions))
    }

    fn version_texts(&self, requires: &Requires) -> Vec<String> {
        let versions = self.versions_that(requires);
        versions.iter().map(ToString::to_string).collect()
    }

    fn target(&self, requires: &Requires) -> String {
        match requires.need() {
            Some(need) => self.problem.need(need).to_string(),
            None => {
                let name = self.problem.universe.name(requires.to);
                wish(name, self.problem.range(requires.range))
            }
        }
    }

    /// Says that nothing meets all that is required of a package, if that is so.
    fn dead_end(&self, to: u32) -> Option<String> {
        let universe = self.problem.universe;
        let name = universe.name(to);
        let incoming: Vec<&Requires> = self.order.iter().filter(|r| r.to == to).collect();
        let settled = self.settled.and_then(|settled| settled.get(&to));
        if let Some(version) = settled {
            let unmet = |r: &&Requires| !self.problem.allowed(r).contains(*version);
            let release = &universe.known(to, *version).release;
            let sentence = format!("`{name}` {release} is already chosen.");
            return incoming.into_iter().any(|r| unmet(&r)).then_some(sentence);
        }
        if universe.versions(to).is_empty() {
            return Some(format!("No package called `{name}` is known."));
        }
        if !self.asked_of(to).is_empty() {
            return None;
        }
        if let Some(range) = self.problem.overridden(to) {
            let range = self.problem.range(range);
            return Some(format!(
                "Your override allows only `{name} {range}`; {}",
                self.what_exists(to)
            ));
        }
        let exists = self.what_exists(to);
        if let [only] = incoming.as_slice() {
            let range = self.problem.range(only.range);
            let hints = self.out_of_reach(only);
            return Some(format!(
                "No version of `{name}` is in `{range}`; {exists}{hints}"
            ));
        }
        Some(match self.asked_ranges(&incoming) {
            Some(ranges) => format!("No version of `{name}` is in {ranges}; {exists}"),
            None => format!("No version of `{name}` meets all of this; {exists}"),
        })
    }

    /// Writes what is asked of one package: any of the ranges of one dependent, and any of those
    /// of the next. Nothing if that would be long.
    fn asked_ranges(&self, incoming: &[&Requires]) -> Option<String> {
        let mut by_owner: Vec<(u32, Vec<String>)> = Vec::new();
        for requires in incoming {
            let text = format!("`{}`", self.problem.range(requires.range));
            match by_owner.last_mut() {
                // The request has no versions: it asks for all of its ranges at once.
                Some((from, ranges)) if *from == requires.from && *from != ROOT => {
                    ranges.push(text);
                }
                _ => by_owner.push((requires.from, vec![text])),
            }
        }
        let short =
            |(_, ranges): &(u32, Vec<String>)| (ranges.len() <= MOST).then(|| listed(ranges, "or"));
        let mut asked: Vec<String> = by_owner.iter().map(short).collect::<Option<_>>()?;
        asked.dedup();
        (asked.len() <= MOST).then(|| asked.join(" and also in "))
    }

    fn what_exists(&self, package: u32) -> String {
        let candidates = self.problem.candidates(package).iter();
        let known = |v| self.problem.universe.known(package, v).release.to_string();
        let versions: Vec<String> = candidates.map(known).collect();
        match versions.as_slice() {
            [] => "there is none to choose from.".to_owned(),
            [only] => format!("there is only {only}."),
            _ => format!("there are {}.", few_versions(&versions)),
        }
    }

    /// Says which versions would be in a range but may not be chosen, and why.
    fn out_of_reach(&self, requires: &Requires) -> String {
        let package = requires.to;
        let universe = self.problem.universe;
        let range = self.problem.range(requires.range);
        let between = range.intervals();
        let home = self.problem.registry(package);
        let mut hints = Vec::new();
        for known in universe.versions(package).iter().rev() {
            let (release, artifact) = (&known.release, &known.artifact);
            if !between.contains(&release.without_build()) || hints.len() >= MOST {
                continue;
            }
            let registry = artifact.registry();
            if registry != home {
                let bound = match universe.package(package).namespace() {
                    Some(namespace) => format!("the namespace `{namespace}` is bound to"),
                    None => "this package comes from".to_owned(),
                };
                hints.push(format!(
                    "{release} is at `{}`, and {bound} `{}`.",
                    universe.registry(registry),
                    universe.registry(home)
                ));
            } else if artifact.yanked {
                hints.push(format!("{release} was taken back by its author."));
            } else if artifact.absent {
                hints.push(format!("{release} is not on this machine."));
            } else if !range.contains(release) {
                hints.push(format!(
                    "{release} is a prerelease, which is only taken when a range names it."
                ));
            }
        }
        let hints: Vec<String> = hints.into_iter().map(|hint| format!(" {hint}")).collect();
        hints.concat()
    }

    /// Returns the versions of a package that its dependents here allow together: each allows
    /// what any of its own versions does.
    fn asked_of(&self, package: u32) -> VersionSet {
        let mut allowed = self.problem.candidates(package).clone();
        let incoming: Vec<&Requires> = self.order.iter().filter(|r| r.to == package).collect();
        for first in &incoming {
            let same = incoming.iter().filter(|r| r.from == first.from);
            let any = match first.from {
                // The request has no versions: it asks for all of this at once.
                ROOT => self.problem.allowed(first),
                _ => same.fold(VersionSet::empty(), |set, requires| {
                    set.union(&self.problem.allowed(requires))
                }),
            };
            allowed = allowed.intersection(&any);
        }
        allowed
    }

    /// Returns the versions of a requirement's owner that say so: those that could be chosen
    /// here, or all if none could.
    fn owners(&self, requires: &Requires) -> VersionSet {
        let from = requires.from;
        if let Some(version) = self.settled.and_then(|settled| settled.get(&from)) {
            return std::iter::once(*version).collect();
        }
        let says = |v: &u32| {
            let mut said = self.problem.requirements(from, *v);
            said.any(|r| r == *requires) || self.problem.unmet(from, *v).any(|r| r == *requires)
        };
        let candidates = self.problem.candidates(from);
        let all: VersionSet = candidates.iter().filter(says).collect();
        let in_question = all.intersection(&self.asked_of(from));
        if in_question.is_empty() {
            all
        } else {
            in_question
        }
    }
}
