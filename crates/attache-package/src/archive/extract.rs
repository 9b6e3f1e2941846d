//! Extraction into a fresh private folder, through directory handles.

use std::path::Path;

use crate::{ArchiveError, Tree};

/// Writes every file of `tree` below `target`, which must not exist yet.
pub fn extract(_tree: &Tree, _target: &Path) -> Result<(), ArchiveError> {
    todo!("extract")
}
