//! What a Holon bundle is checked for.

use crate::Rule;

/// The manifest is there and is an object.
pub static MANIFEST: Rule = Rule::strict(
    "ATT-HOLON-MANIFEST",
    "a bundle has a manifest.json at its root, holding one JSON object",
);
/// The schema version is the one we know.
pub static BUNDLE_VERSION: Rule =
    Rule::strict("ATT-HOLON-BUNDLE-VERSION", "`bundleVersion` is \"1\"");
/// The name is a package name.
pub static NAME: Rule = Rule::strict("ATT-HOLON-NAME", "`name` is a package name");
/// The version is SemVer.
pub static VERSION: Rule = Rule::strict("ATT-HOLON-VERSION", "`version` is a SemVer 2.0.0 version");
/// The entry is a path inside the bundle.
pub static ENTRY_PATH: Rule = Rule::strict(
    "ATT-HOLON-ENTRY-PATH",
    "`entry` is a relative path that stays inside the bundle",
);
/// The entry is there.
pub static ENTRY_MISSING: Rule = Rule::strict(
    "ATT-HOLON-ENTRY-MISSING",
    "`entry` names a file of the bundle, or a link that ends at one",
);
/// The entry can be executed.
pub static ENTRY_EXECUTABLE: Rule = Rule::strict(
    "ATT-HOLON-ENTRY-EXECUTABLE",
    "the file that `entry` names is executable",
);
/// The entry looks like something a system can start. Only ever a warning.
pub static ENTRY_KIND: Rule = Rule::strict(
    "ATT-HOLON-ENTRY-KIND",
    "the entry is a program, or a script that begins with `#!`",
);
/// The platform is one lower-case word.
pub static PLATFORM: Rule = Rule::strict(
    "ATT-HOLON-PLATFORM",
    "`platform` and `arch` are lower-case words such as `linux` and `amd64`",
);
/// The C library is one of two.
pub static LIBC: Rule = Rule::strict("ATT-HOLON-LIBC", "`libc` is `glibc` or `musl`");
/// The engine's SDK has a version.
pub static ENGINE: Rule = Rule::strict(
    "ATT-HOLON-ENGINE",
    "`engine.sdkVersion` begins with three numbers",
);
/// The runtime has a plain name.
pub static RUNTIME: Rule = Rule::strict(
    "ATT-HOLON-RUNTIME",
    "`runtime.type` is a lower-case word such as `node`",
);
/// Environment names are upper case.
pub static ENV_NAME: Rule = Rule::strict(
    "ATT-HOLON-ENV-NAME",
    "names in `env` are A-Z, 0-9 and `_`, and do not begin with a digit",
);
/// Environment values are plain text.
pub static ENV_VALUE: Rule = Rule::strict(
    "ATT-HOLON-ENV-VALUE",
    "values in `env` are strings without a NUL character",
);
/// The environment does not reach into other programs.
pub static ENV_HOOK: Rule = Rule::strict(
    "ATT-HOLON-ENV-HOOK",
    "`env` sets nothing that makes a loader, shell or interpreter run other code",
);
/// Capabilities are flags.
pub static CAPABILITY: Rule = Rule::strict(
    "ATT-HOLON-CAPABILITY",
    "`capabilities` holds named flags, each true or false",
);
/// No unknown fields.
pub static UNKNOWN: Rule = Rule::lenient(
    "ATT-HOLON-UNKNOWN",
    "the manifest holds no field that bundle version 1 does not have",
);

/// All of them.
pub static ALL: &[&Rule] = &[
    &MANIFEST,
    &BUNDLE_VERSION,
    &NAME,
    &VERSION,
    &ENTRY_PATH,
    &ENTRY_MISSING,
    &ENTRY_EXECUTABLE,
    &ENTRY_KIND,
    &PLATFORM,
    &LIBC,
    &ENGINE,
    &RUNTIME,
    &ENV_NAME,
    &ENV_VALUE,
    &ENV_HOOK,
    &CAPABILITY,
    &UNKNOWN,
];
