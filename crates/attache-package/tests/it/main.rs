//! Tests that cross modules, and conformance with suites from elsewhere.

mod conformance;
mod holon;
mod skills;
