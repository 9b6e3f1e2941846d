//! Writes zip archives.
