//! Tests of this crate from outside, one file per topic.
#![expect(clippy::unwrap_used, reason = "tests")]

mod lying_tar;
mod pack;
mod tar_hostile;
mod tar_real;
