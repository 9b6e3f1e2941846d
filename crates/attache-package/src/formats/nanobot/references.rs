//! Whether every agent, skill and task that is named is there.

use std::collections::{BTreeSet, HashMap};

use super::definitions::{Definitions, Kind};
use super::grants::Grants;
use super::inherit::Inheritance;
use super::rules;
use crate::Diagnostics;

/// The ids that the pack's folders give, whether or not their files could be read.
pub(super) struct Known {
    pub(super) agents: BTreeSet<String>,
    pub(super) skills: BTreeSet<String>,
    pub(super) tasks: BTreeSet<String>,
}

impl Known {
    pub(super) fn is_empty(&self) -> bool {
        self.agents.is_empty() && self.skills.is_empty() && self.tasks.is_empty()
    }

    fn ids(&self, kind: Kind) -> &BTreeSet<String> {
        match kind {
            Kind::Agent => &self.agents,
            Kind::Skill => &self.skills,
            Kind::Task => &self.tasks,
        }
    }
}

pub(super) fn check(all: &Definitions, known: &Known, diagnostics: &mut Diagnostics) {
    let mut checker = Checker {
        known,
        diagnostics,
        spellings: HashMap::new(),
    };
    for (id, agent) in &all.agents {
        let place = format!("{}/{id}/AGENT.md", Kind::Agent.folder());
        checker.grants(&place, &agent.grants);
    }
    for (id, skill) in &all.skills {
        let place = format!("{}/{id}/SKILL.md", Kind::Skill.folder());
        checker.grants(&place, &skill.grants);
    }
    for (id, task) in &all.tasks {
        for step in &task.steps {
            let place = format!("{}/{id}/{}", Kind::Task.folder(), step.file);
            if let Some(agent) = &step.agent {
                checker.reference(Kind::Agent, agent, format!("{place}#/agent"));
            }
            checker.grants(&place, &step.grants);
        }
    }
}

struct Checker<'a> {
    known: &'a Known,
    diagnostics: &'a mut Diagnostics,
    /// The ids of each kind by what they may be mistaken for, made when one is missed first.
    spellings: HashMap<&'static str, HashMap<String, &'a str>>,
}

impl Checker<'_> {
    fn grants(&mut self, place: &str, grants: &Grants) {
        self.list(Kind::Skill, &grants.skills, &format!("{place}#/skills"));
        self.list(Kind::Task, &grants.tasks, &format!("{place}#/tasks"));
    }

    fn list(&mut self, kind: Kind, list: &Inheritance, place: &str) {
        for id in list.named() {
            self.reference(kind, id, place.to_owned());
        }
    }

    fn reference(&mut self, kind: Kind, id: &str, place: String) {
        let ids = self.known.ids(kind);
        if ids.contains(id) {
            return;
        }
        let word = kind.word();
        let spellings = self.spellings.entry(kind.word()).or_insert_with(|| {
            let mut all = HashMap::new();
            for known in ids {
                let last = known.rsplit('/').next().unwrap_or(known);
                for spelling in [last.to_owned(), known.to_ascii_lowercase()] {
                    all.entry(spelling).or_insert(known.as_str());
                }
            }
            all
        });
        let near = spellings.get(id);
        let near = near.or_else(|| spellings.get(&id.to_ascii_lowercase()));
        let message = match near {
            Some(near) => format!("there is no {word} `{id}` in this pack; did you mean `{near}`?"),
            None => format!("there is no {word} `{id}` in this pack"),
        };
        self.diagnostics.report(&rules::REFERENCE, place, message);
    }
}
