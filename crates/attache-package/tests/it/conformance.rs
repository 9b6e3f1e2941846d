//! Where the facts from public suites are.

use std::path::PathBuf;

/// Returns the folder `name` of the conformance suites, or says in one line that there is none.
#[expect(clippy::print_stderr, reason = "a test that did not run says so")]
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let Some(root) = std::env::var_os("ATTACHE_CONFORMANCE") else {
        eprintln!("{name}: did not run, because ATTACHE_CONFORMANCE is not set");
        return None;
    };
    Some(PathBuf::from(root).join(name))
}
