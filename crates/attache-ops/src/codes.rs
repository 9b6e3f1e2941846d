//! The codes of operations, for the reference page. `cargo xtask tidy` finds any that is missing.

/// Returns every code that is neither an archive's nor a format's, with what it means.
pub fn codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let resolver = attache_resolve::Failure::CODES.into_iter();
    CODES
        .iter()
        .copied()
        .chain(resolver)
        .chain(attache_resolve::InvalidLock::CODES)
}

/// Each code that an operation or the command line gives, and what it means.
///
/// The codes of archives are in `Defect`, those of formats in their rules.
static CODES: &[(&str, &str)] = &[
    (
        "ATT-USAGE",
        "the words on the command line make no sense together",
    ),
    ("ATT-COMMAND", "there is no such command"),
    (
        "ATT-IO",
        "the system could not read or write something; the message names it",
    ),
    (
        "ATT-INVALID",
        "the package is not valid; its problems are listed",
    ),
    (
        "ATT-OUTPUT",
        "the file to write is a folder, a device or something else that is no ordinary file",
    ),
    ("ATT-NAME", "the name cannot be a package's name"),
    ("ATT-FORMAT-UNKNOWN", "no format recognises the package"),
    (
        "ATT-FORMAT-AMBIGUOUS",
        "several formats recognise the package",
    ),
    (
        "ATT-INIT-NOT-EMPTY",
        "the folder for a new agent is not empty",
    ),
    ("ATT-BUILD-SOURCE", "what should be built is not a folder"),
    (
        "ATT-BUILD-COMPRESSION",
        "the compression level is not from 0 to 9",
    ),
    (
        "ATT-BUILD-CONTAINER",
        "the format is not written as this kind of archive",
    ),
    (
        "ATT-BUILD-METADATA",
        "metadata is not KEY=VALUE, or the format has no place for it",
    ),
    (
        "ATT-BUILD-TIME",
        "the creation time is no time that can be written",
    ),
    (
        "ATT-BUILD-COMMIT-TIME",
        "git cannot tell for sure when the source was last changed",
    ),
    (
        "ATT-BUILD-OUTPUT",
        "the output is a folder, or one of the inputs",
    ),
    (
        "ATT-BUILD-OUTPUT-INSIDE",
        "the output lies in the source, and the next build would pack it",
    ),
    (
        "ATT-BUILD-SEALED",
        "the format has no dependencies to carry",
    ),
    (
        "ATT-BUILD-DEPENDENCY",
        "a dependency is missing, or is not a .lxpkg",
    ),
    ("ATT-BUILD-UNUSED", "a package was given that nothing needs"),
    (
        "ATT-BUILD-HMAC",
        "the format is not signed with an HMAC key",
    ),
    (
        "ATT-BUILD-DIFFERS",
        "two builds of the same source differ, which is a defect of ours",
    ),
    ("ATT-HMAC-KEY", "the HMAC key is missing, empty or too long"),
    ("ATT-HMAC-UNSIGNED", "the pack is not signed"),
    (
        "ATT-HMAC-MALFORMED",
        "the signature is not the base64 form of 32 bytes",
    ),
    (
        "ATT-HMAC-MISMATCH",
        "the manifest was changed, or signed with another key",
    ),
    (
        "ATT-HMAC-UNCHECKED",
        "the pack is signed, and no key was given to check it with",
    ),
    ("ATT-CONVERT-SAME", "the package is in that format already"),
    (
        "ATT-CONFIG",
        "attache.toml cannot be read, or says something that makes no sense",
    ),
    (
        "ATT-WORKSPACE",
        "it is no workspace, or two of its agents have one name",
    ),
    ("ATT-RANGE", "the text is no version range"),
    ("ATT-HOST", "a platform, engine or runtime cannot be read"),
    ("ATT-OVERRIDE", "an override is not ID=RANGE"),
    (
        "ATT-OVERRIDE-ONCE",
        "an override is only on the command line, and the next lock forgets it",
    ),
    (
        "ATT-OVERRIDE-UNUSED",
        "an override is of a package that nothing needs",
    ),
    ("ATT-INDEX", "an index cannot be read"),
    ("ATT-INDEX-NONE", "nothing says where packages come from"),
    (
        "ATT-INDEX-VERSION",
        "a package in an index has no version, so no range can ask for it",
    ),
    (
        "ATT-LOCK-STALE",
        "there is no lock, or it does not answer what is asked for now",
    ),
    (
        "ATT-LOCK-DIGEST",
        "a version's bytes are not those that were locked",
    ),
    (
        "ATT-LOCK-UNWRITABLE",
        "what was chosen has something that no lock can hold",
    ),
    (
        "ATT-LOCK-REGISTRY",
        "a locked package would come from another registry, in another version",
    ),
    (
        "ATT-LOCK-DEPENDENCIES",
        "a package has other dependencies than were locked, for the same bytes",
    ),
    (
        "ATT-LOCK-DIFFERS",
        "two locks of the same workspace differ, which is a defect of ours",
    ),
    (
        "ATT-OFFLINE-MISSING",
        "with --offline, something is chosen whose bytes are not on this machine",
    ),
    (
        "ATT-INDEX-INSTEAD",
        "an index was named to stand in for a registry of attache.toml",
    ),
    ("ATT-NOT-LOCKED", "the lock does not hold the package"),
    (
        "ATT-UNPACK-FOLDER",
        "what should be unpacked is a folder already",
    ),
];
