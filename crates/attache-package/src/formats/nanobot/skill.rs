//! Skills.
use crate::Diagnostics;
/// Checks a lone skill.
pub fn check_plain(_folder: &str, _file: &str, _bytes: &[u8], _diagnostics: &mut Diagnostics) {}
