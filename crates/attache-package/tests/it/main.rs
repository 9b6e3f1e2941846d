//! Tests of the package crate from the outside, one file per topic.

mod defects;
mod extract;
mod folder;
mod support;
mod zip_builder;
mod zip_conformance;
mod zip_hostile;
