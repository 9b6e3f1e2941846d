//! Whole requests against whole universes, written as small texts; see [`dsl`].

mod adversarial;
mod contract;
mod dsl;
mod explanations;
mod oracle;
mod properties;
mod records;
