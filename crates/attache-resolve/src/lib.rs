//! Which versions go together, and why not when none do.
//!
//! The one idea: resolving is a pure function. It is given what is wanted and what each index
//! says, and answers with one resolution, with the names of index entries it still misses, or
//! with an explanation of the conflict that a person can follow. It fetches nothing, so the
//! same question has the same answer, offline and in a test.
//!
//! Still empty: it is filled when packages are resolved against a registry, together with the
//! lockfile. Not here: reading ranges and comparing versions (`attache-package`), and fetching
//! index entries (`attache-registry`); `attache-ops` carries entries from there to here.
