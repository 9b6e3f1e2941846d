//! Where public suites lie, if they are here at all.

use std::path::PathBuf;

/// Returns the folder of one suite, or says that its tests did not run.
#[expect(clippy::print_stderr, reason = "a skipped suite should be seen")]
#[expect(clippy::disallowed_methods, reason = "tests are told where suites lie")]
pub(crate) fn suite(name: &str) -> Option<PathBuf> {
    let Some(root) = std::env::var_os("ATTACHE_CONFORMANCE") else {
        eprintln!("{name}: not run, since ATTACHE_CONFORMANCE is not set");
        return None;
    };
    Some(PathBuf::from(root).join(name))
}
