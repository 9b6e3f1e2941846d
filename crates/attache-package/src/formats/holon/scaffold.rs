//! A bundle to begin with: plain `sh`, so that it runs on any base image.

use std::collections::BTreeMap;

use super::manifest::{BundleManifest, ENTRY, Engine, FILE, Libc, Runtime, usual_entry};
use crate::formats::NewFile;
use crate::{PackageName, Release};

/// Starts the agent's code, from wherever the bundle was extracted to.
const AGENT: &str = r#"#!/bin/sh
# The runner starts this file. It finds the bundle's own folder and hands over to the code.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
exec /bin/sh "$root/dist/agent.sh" "$@"
"#;

const CODE: &str = r#"# The agent. Replace this with your own; only the folders below are the runner's.
set -eu

# Set these to try the agent by hand; the runner mounts the folders under /holon.
input=${HOLON_INPUT:-/holon/input}
output=${HOLON_OUTPUT:-/holon/output}

if [ ! -d "$input" ]; then
    echo "there is no input folder at $input" >&2
    exit 1
fi
mkdir -p "$output"

{
    echo '# Result'
    echo
    for file in "$input"/*; do
        if [ -f "$file" ]; then
            echo "- $(basename -- "$file"): $(wc -c <"$file" | tr -d ' ') bytes"
        fi
    done
} >"$output/result.md.part"
# Renamed last, so that nobody reads half a result.
mv -- "$output/result.md.part" "$output/result.md"
"#;

const README: &str = r#"# {name}

An agent bundle for containers.

- `bin/agent` is what the runner starts, `dist/` is the agent's code.
- `assets/` may hold data, `node_modules/` production dependencies.
- `manifest.json` says which platform and runtime the bundle needs.

The runner mounts `/holon/input`, `/holon/workspace` and `/holon/output`. To try it by hand:

    mkdir -p /tmp/in && echo hello >/tmp/in/goal.txt
    HOLON_INPUT=/tmp/in HOLON_OUTPUT=/tmp/out bin/agent && cat /tmp/out/result.md
"#;

/// Returns the files of a small bundle for linux, amd64 and glibc.
pub(super) fn files(name: &PackageName) -> Vec<NewFile> {
    let manifest = BundleManifest {
        bundle_version: "1".to_owned(),
        name: name.clone(),
        version: Release::new(0, 1, 0),
        entry: usual_entry(),
        platform: "linux".to_owned(),
        arch: "amd64".to_owned(),
        libc: Libc::Glibc,
        engine: Engine {
            name: "shell".to_owned(),
            sdk: "posix-sh".to_owned(),
            sdk_version: "1.0.0".to_owned(),
        },
        // Any `/bin/sh` will do, and it does not tell its version.
        runtime: Runtime {
            kind: "sh".to_owned(),
            version: "unknown".to_owned(),
        },
        env: BTreeMap::new(),
        capabilities: BTreeMap::from([
            ("needsGit".to_owned(), false),
            ("needsNetwork".to_owned(), false),
        ]),
    };
    vec![
        NewFile {
            path: FILE,
            bytes: manifest.to_bytes(),
            executable: false,
        },
        NewFile {
            path: ENTRY,
            bytes: AGENT.into(),
            executable: true,
        },
        NewFile::text("dist/agent.sh", CODE),
        NewFile::text("README.md", README.replace("{name}", name.as_str())),
    ]
}
