//! Tests that cross modules, and tests against public suites.

mod canonical;
mod conformance;
mod semver;
