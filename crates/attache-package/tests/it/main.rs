//! Tests that cross modules, and tests against public suites.

#![expect(clippy::unwrap_used, reason = "tests")]

mod agentforge;
mod build;
mod canonical;
mod conformance;
mod defects;
mod extract;
mod folder;
mod holon;
mod lying_tar;
mod pack;
mod semver;
mod skills;
mod support;
mod tar_hostile;
mod tar_real;
mod zip_accepted;
mod zip_builder;
mod zip_conformance;
mod zip_hostile;
