//! Tests of the package crate from the outside, one file per topic.

#![expect(clippy::unwrap_used, reason = "tests")]

mod defects;
mod extract;
mod folder;
mod support;
mod zip_accepted;
mod zip_builder;
mod zip_conformance;
mod zip_hostile;
