//! The key under which a locally built bundle is kept.

use serde_json::{Map, Value, json};

use crate::build::BuildOptions;
use crate::text::canonical::rfc8785;
use crate::{Digest, Kind, Manifest, Requirement, Tree};

/// The files that pin what a package manager installs, by file name, anywhere in the source.
pub const LOCKFILES: &[&str] = &[
    "bun.lock",
    "bun.lockb",
    "Cargo.lock",
    "composer.lock",
    "deno.lock",
    "Gemfile.lock",
    "go.sum",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "Pipfile.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "requirements.txt",
    "uv.lock",
    "yarn.lock",
];

/// Returns the key of the bundle that building `tree` with `options` would give.
///
/// It covers the source (every path, mode and content), the lockfiles, the runtime's type and
/// version, the build options and the version of this crate, which decides the bytes written.
/// Two equal keys mean equal bundles; anything that could change a byte changes the key.
pub fn cache_key(tree: &Tree, manifest: &Manifest, options: &BuildOptions) -> Digest {
    let sources: Vec<Value> = tree
        .entries()
        .iter()
        .map(|entry| {
            let mode = match (&entry.kind, entry.executable) {
                (Kind::Link { .. }, _) => "link",
                (Kind::File, true) => "executable",
                (Kind::File, false) => "file",
            };
            json!([entry.path.as_str(), mode, entry.digest])
        })
        .collect();
    let lockfiles: Map<String, Value> = tree
        .entries()
        .iter()
        .filter(|entry| LOCKFILES.contains(&entry.path.file_name()))
        .map(|entry| (entry.path.to_string(), json!(entry.digest)))
        .collect();
    let runtimes: Vec<Value> = manifest
        .requirements
        .iter()
        .filter_map(|requirement| match requirement {
            Requirement::Runtime { name, version } => Some(json!([name, version])),
            Requirement::Engine { .. } | Requirement::Platform(_) => None,
        })
        .collect();
    Digest::of(rfc8785(&json!({
        "schema": "attache-holon-cache-key-1",
        "builder": env!("CARGO_PKG_VERSION"),
        "sources": sources,
        "lockfiles": lockfiles,
        "runtime": runtimes,
        "options": options_value(options),
    })))
}

fn options_value(options: &BuildOptions) -> Value {
    // Taken apart by name, so that a new option cannot be forgotten here.
    let BuildOptions {
        include_source,
        optimize,
        include_docs,
        include_examples,
        compression,
        metadata,
        created_at,
        container,
        sealed,
        hmac_key,
        chosen,
    } = options;
    json!({
        "includeSource": include_source,
        "optimize": optimize,
        "includeDocs": include_docs,
        "includeExamples": include_examples,
        "compression": compression,
        "metadata": metadata,
        "createdAt": created_at,
        "container": container,
        "sealed": sealed,
        "hmacKey": hmac_key.as_ref().map(Digest::of),
        "dependencies": chosen.packages.iter().map(|d| d.digest).collect::<Vec<_>>(),
    })
}
