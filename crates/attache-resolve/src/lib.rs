//! Which versions go together, and why not when none do.
//!
//! The one idea: resolving is a pure function. It is given everything that is known, a
//! [`Universe`], and everything that is asked, a [`Request`], and answers with one
//! [`Resolution`] or with a [`Failure`] that a person can follow. It fetches nothing and waits
//! for nothing, so the same question has the same answer, offline and in a test; time is
//! bounded by a number of steps, and a caller who has waited enough says so by a callback.
//!
//! Start at [`resolve()`]. Around it: [`find_cycles`] looks for circular dependencies before
//! any solve, [`check_satisfaction`] compares with what is installed, [`Lockfile`] is an answer
//! as a text to commit, and [`records`] holds what leaves as JSON. Inside, a request becomes a
//! `Problem` in numbers, `pubgrub` solves it, and a proof that there is no answer becomes the
//! fewest requirements that conflict.
//!
//! Not here: reading ranges and comparing versions (`attache-package`), reading or fetching an
//! index (`attache-registry`), and the file that a lock's text is in; `attache-ops` carries
//! entries and texts from there to here.

pub use cycles::find_cycles;
pub use failure::{Conflict, Failure, Need, Requirement, Suggestion, UnknownPackage};
pub use host::{Host, HostNeed};
pub use lockfile::{InvalidLock, LockedEdge, LockedHost, LockedPackage, LockedRoot, Lockfile};
pub use nearest::nearest;
pub use request::{Limits, Locked, Request, Root, Strategy, Wanted};
pub use resolution::{Chosen, LeftOut, Override, RequiredBy, Resolution};
pub use resolve::resolve;
pub use satisfaction::check_satisfaction;
pub use universe::{
    Artifact, Edge, Entry, InvalidUniverse, NeedId, PackageId, RangeId, RegistryId, Universe,
    UniverseBuilder,
};

mod cycles;
mod explain;
mod failure;
mod host;
mod knots;
mod lockfile;
mod nearest;
mod problem;
pub mod records;
mod request;
mod resolution;
mod resolve;
mod satisfaction;
mod sentences;
mod set;
mod solver;
mod universe;
