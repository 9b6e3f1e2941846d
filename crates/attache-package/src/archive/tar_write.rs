//! Writes tar archives.
