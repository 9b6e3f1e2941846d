//! Tests that cross modules, and tests against public suites.

mod canonical;
mod conformance;
mod holon;
mod pack;
mod semver;
mod skills;
mod tar_hostile;
