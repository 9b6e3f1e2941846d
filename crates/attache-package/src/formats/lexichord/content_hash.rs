//! `contentHash`: what a package is, in one digest.

use serde_json::{Map, Value, json};

use super::manifest::MANIFEST;
use super::signature::SIGNATURE_FILE;
use crate::text::canonical::rfc8785;
use crate::{Digest, Tree};

/// Computes the hash over the manifest without `contentHash` and `signature`, and over the
/// sorted list of every other file's path, mode bit, size and SHA-256.
///
/// MANIFEST_SIGNATURE is the one file left out: it is made from this hash. Everything else
/// counts, so that an added, dropped, renamed or changed file changes the hash.
pub fn content_hash(manifest: &Map<String, Value>, tree: &Tree) -> Digest {
    let mut manifest = manifest.clone();
    manifest.remove("contentHash");
    manifest.remove("signature");
    let files: Vec<Value> = tree
        .entries()
        .iter()
        .filter(|e| ![MANIFEST, SIGNATURE_FILE].contains(&e.path.as_str()))
        .map(|e| {
            json!({
                "path": e.path,
                "executable": e.executable,
                "size": e.size,
                "sha256": e.digest.hex(),
            })
        })
        .collect();
    Digest::of(rfc8785(&json!({ "manifest": manifest, "files": files })))
}
