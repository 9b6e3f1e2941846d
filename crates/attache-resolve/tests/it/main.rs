//! Whole requests against whole universes, written as small texts; see [`dsl`].

#![expect(clippy::unwrap_used, reason = "tests")]

mod adversarial;
mod contract;
mod dsl;
mod explanations;
mod lockfile;
mod lockfile_refusals;
mod made_up;
mod manifests;
mod oracle;
mod properties;
mod records;
