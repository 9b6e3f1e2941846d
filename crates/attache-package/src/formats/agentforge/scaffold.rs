//! The pack that `attache init --format agentforge` writes: one workflow that uses one tool.

use super::manifest::{self, ForgeManifest, PackKind};
use crate::PackageName;
use crate::formats::NewFile;

pub(super) fn files(id: &PackageName, created_at: &str) -> Vec<NewFile> {
    let manifest = ForgeManifest {
        spec_version: manifest::SPEC_VERSION.to_owned(),
        name: id.clone(),
        version: "0.1.0".to_owned(),
        created_at: created_at.to_owned(),
        publisher: "Your name".to_owned(),
        kind: PackKind::Mixed,
        // Empty while the files are still being edited; building fills it in.
        files: Vec::new(),
        entrypoints: vec!["hello".to_owned(), "greet".to_owned()],
        signature: None,
    };
    let readme = format!(
        "# {id}\n\nGreets people by name.\n\n\
         - `workflows/hello.json` is a workflow of one step.\n\
         - `tools/greet.py` is the tool it calls; try it with\n  \
         `echo '{{\"name\": \"Ada\"}}' | python3 tools/greet.py`.\n\
         - `manifest.json` says what the pack is and which names it offers.\n\n\
         Check it with `attache validate`; `attache build` hashes every file into the manifest.\n"
    );
    vec![
        NewFile {
            path: manifest::PATH,
            bytes: manifest.to_json(),
            executable: false,
        },
        NewFile::text("README.md", readme),
        NewFile::text("workflows/hello.json", include_str!("template/hello.json")),
        NewFile::text("tools/greet.py", include_str!("template/greet.py")),
    ]
}
