//! Tests of this crate from outside, one file per topic.

mod pack;
mod tar_hostile;
