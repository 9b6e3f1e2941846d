//! The Holon dialect: sealed bundles for containers, as tar.gz or tar.zst.
//!
//! The runner treats a bundle as a black box, so little is checked inside it; what the runner
//! relies on is checked hard: the manifest, the entry it starts and the environment it sets.

use std::io::Read;

use serde_json::{Map, Value};

use self::manifest::BundleManifest;
use super::{ConvertedFile, Format, FormatName, NewFile, Stage, carry};
use crate::build::{BuildError, BuildOptions, Draft};
use crate::convert::{Losses, Portable};
use crate::fields::rules::SYNTAX;
use crate::text::parse_json;
use crate::{
    ArchiveError, Container, Defect, Diagnostics, Entry, InvalidName, Kind, Manifest, PackageName,
    PackagePath, Requirement, Rule, Tree,
};

pub use cache_key::{LOCKFILES, cache_key};

mod cache_key;
mod convert;
pub mod env;
pub mod manifest;
pub mod rules;
mod scaffold;
#[cfg(test)]
mod tests;

/// The dialect.
pub struct Holon;

impl Format for Holon {
    fn name(&self) -> FormatName {
        FormatName::Holon
    }

    fn rules(&self) -> &'static [&'static Rule] {
        rules::ALL
    }

    fn manifest_schema(&self) -> Value {
        schemars::schema_for!(BundleManifest).to_value()
    }

    fn containers(&self) -> &'static [Container] {
        &[Container::TarGz, Container::TarZst]
    }

    fn claims(&self, _tree: &Tree, manifest: Option<&Map<String, Value>>) -> bool {
        manifest.is_some_and(|fields| fields.contains_key("bundleVersion"))
    }

    fn read(
        &self,
        tree: &Tree,
        _stage: Stage,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Manifest>, ArchiveError> {
        let seen = Seen::look(tree)?;
        let Some(object) = read_object(seen.manifest.as_deref(), diagnostics) else {
            return Ok(None);
        };
        let Some(bundle) = BundleManifest::read(&object, diagnostics) else {
            // The entry can be judged even where another field keeps the rest from being read.
            if let Some(Ok(entry)) = object
                .get("entry")
                .and_then(Value::as_str)
                .map(PackagePath::new)
            {
                check_entry(tree, &seen, &entry, true, diagnostics);
            }
            return Ok(None);
        };
        // Windows has no execute bit to pack.
        let bits = bundle.platform != "windows";
        check_entry(tree, &seen, &bundle.entry, bits, diagnostics);
        Ok(Some(bundle.to_manifest(tree)))
    }

    fn scaffold(&self, id: &PackageName, _created_at: &str) -> Result<Vec<NewFile>, InvalidName> {
        Ok(scaffold::files(id))
    }

    /// Everything goes in, `src/` and `node_modules/` too: what the entry needs is not ours to
    /// guess. Only documents and examples, which nothing runs, follow the options.
    fn includes(&self, path: &PackagePath, options: &BuildOptions) -> bool {
        let documents = path.is_under("docs")
            || (path.parent().is_none()
                && ["README", "CHANGELOG"]
                    .iter()
                    .any(|name| path.as_str().to_ascii_uppercase().starts_with(name)));
        (options.include_docs || !documents)
            && (options.include_examples || !path.is_under("examples"))
    }

    fn finish(&self, draft: &mut Draft, options: &BuildOptions) -> Result<(), BuildError> {
        carry::refuse_key(self.name(), options)?;
        if let Some(field) = options.metadata.keys().next() {
            return Err(BuildError::Option {
                code: "ATT-BUILD-METADATA",
                message: format!("a Holon manifest has no place for the metadata field `{field}`"),
            });
        }
        let mut diagnostics = Diagnostics::default();
        let bytes = draft.read(manifest::FILE)?;
        match read_object(bytes.as_deref(), &mut diagnostics) {
            Some(object) => {
                draft.put(manifest::FILE, manifest::pretty(Value::Object(object)))?;
                Ok(())
            }
            None => Err(BuildError::Invalid {
                problems: diagnostics.into_parts().0,
            }),
        }
    }

    fn file_name(&self, manifest: &Manifest, container: Container) -> String {
        let mut name = format!("agent-bundle-{}", manifest.id);
        if let Some(version) = &manifest.version {
            name.push_str(&format!("-{version}"));
        }
        for requirement in &manifest.requirements {
            if let Requirement::Platform(platform) = requirement {
                name.push_str(&format!("-{}-{}", platform.os, platform.arch));
                if let Some(libc) = &platform.libc {
                    name.push_str(&format!("-{libc}"));
                }
            }
        }
        name.push_str(match container {
            Container::TarZst => ".tar.zst",
            Container::Zip => ".zip",
            Container::TarGz | Container::Folder => ".tar.gz",
        });
        name
    }

    fn export(
        &self,
        tree: &Tree,
        manifest: &Manifest,
        losses: &mut Losses,
    ) -> Result<Portable, ArchiveError> {
        convert::export(tree, manifest, losses)
    }

    fn import(&self, agent: &Portable, losses: &mut Losses) -> Vec<ConvertedFile> {
        convert::import(agent, losses)
    }
}

/// What one pass over the container shows: the manifest, and how each program begins.
#[derive(Default)]
struct Seen {
    manifest: Option<Vec<u8>>,
    /// The path and first bytes of every executable file.
    programs: Vec<(PackagePath, Vec<u8>)>,
}

impl Seen {
    /// Looks at everything in one pass; a second one would unpack a large archive again.
    fn look(tree: &Tree) -> Result<Self, ArchiveError> {
        let mut seen = Self::default();
        let wanted = |e: &Entry| e.executable || e.path.as_str() == manifest::FILE;
        tree.visit(wanted, |entry, reader| {
            let is_manifest = entry.path.as_str() == manifest::FILE;
            if is_manifest && entry.size > crate::tree::TEXT_LIMIT {
                return Err(Defect::FileBytes.at(entry.path.as_str()));
            }
            let mut bytes = Vec::new();
            reader
                .take(if is_manifest { entry.size } else { 4 })
                .read_to_end(&mut bytes)
                .map_err(ArchiveError::io("read", tree.source()))?;
            if is_manifest {
                seen.manifest = Some(bytes);
            } else {
                seen.programs.push((entry.path.clone(), bytes));
            }
            Ok(())
        })?;
        Ok(seen)
    }
}

fn read_object(bytes: Option<&[u8]>, diagnostics: &mut Diagnostics) -> Option<Map<String, Value>> {
    let Some(bytes) = bytes else {
        diagnostics.report(
            &rules::MANIFEST,
            manifest::FILE,
            "there is no manifest.json at the bundle's root",
        );
        return None;
    };
    match parse_json(bytes) {
        Ok(Value::Object(object)) => Some(object),
        Ok(_) => {
            diagnostics.report(
                &rules::MANIFEST,
                manifest::FILE,
                "manifest.json must hold one JSON object",
            );
            None
        }
        Err(error) => {
            diagnostics.report(&SYNTAX, manifest::FILE, error.to_string());
            None
        }
    }
}

fn check_entry(
    tree: &Tree,
    seen: &Seen,
    entry: &PackagePath,
    bits: bool,
    diagnostics: &mut Diagnostics,
) {
    let place = format!("{}#/entry", manifest::FILE);
    let Some(file) = follow(tree, entry.as_str()) else {
        diagnostics.report(
            &rules::ENTRY_MISSING,
            place,
            format!("there is no file `{entry}` in the bundle"),
        );
        return;
    };
    if bits && !file.executable {
        diagnostics.report(
            &rules::ENTRY_EXECUTABLE,
            file.path.as_str(),
            format!("`{}` is not executable; run chmod +x on it", file.path),
        );
    }
    let start = seen.programs.iter().find(|(path, _)| *path == file.path);
    if start.is_some_and(|(_, bytes)| !is_program(bytes)) {
        diagnostics.warn(
            &rules::ENTRY_KIND,
            file.path.as_str(),
            format!(
                "`{}` is no program, and no script that begins with `#!`",
                file.path
            ),
        );
    }
}

/// Returns whether a system could start a file that begins like this: a script, ELF, Mach-O
/// (either byte order, or several in one) or PE.
fn is_program(start: &[u8]) -> bool {
    matches!(
        start,
        [b'#', b'!', ..]
            | [0x7f, b'E', b'L', b'F']
            | [0xfe, 0xed, 0xfa, 0xce | 0xcf]
            | [0xce | 0xcf, 0xfa, 0xed, 0xfe]
            | [0xca, 0xfe, 0xba, 0xbe]
            | [b'M', b'Z', ..]
    )
}

/// Follows links from `path` to the file they end at; links to folders on the way too.
fn follow<'t>(tree: &'t Tree, path: &str) -> Option<&'t Entry> {
    // As many as Linux follows.
    let mut budget = 40;
    let mut path = path.to_owned();
    'again: loop {
        let mut prefix_end = 0;
        loop {
            prefix_end = path[prefix_end..]
                .find('/')
                .map_or(path.len(), |at| prefix_end + at);
            let entry = tree.get(&path[..prefix_end]);
            match entry.map(|e| &e.kind) {
                Some(Kind::Link { target }) if budget > 0 => {
                    budget -= 1;
                    let (before, behind) = path.split_at(prefix_end);
                    path = format!("{}{behind}", resolve(before, target)?);
                    path = path.trim_start_matches('/').to_owned();
                    continue 'again;
                }
                Some(Kind::File) if prefix_end == path.len() => return entry,
                Some(_) => return None,
                None if prefix_end == path.len() => return None,
                None => prefix_end += 1,
            }
        }
    }
}

/// Returns where a link at `link` points. Trees only hold links with `./` and `..` in front.
fn resolve(link: &str, target: &str) -> Option<String> {
    let mut folder = link.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut rest = target.trim_end_matches('/');
    rest = rest.strip_prefix("./").unwrap_or(rest);
    while let Some(behind) = rest.strip_prefix("../").or((rest == "..").then_some("")) {
        if folder.is_empty() {
            return None;
        }
        folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
        rest = behind;
    }
    Some(match (folder, rest) {
        ("", rest) => rest.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, rest) => format!("{folder}/{rest}"),
    })
}
