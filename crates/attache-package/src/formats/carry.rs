//! What the dialects without metadata or locks of their own have in common: conversions with
//! names that fit and a word about every field left behind, and options they refuse.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::archive::names::{Names, Occupant};
use crate::build::{BuildError, BuildOptions};
use crate::convert::{Losses, Portable, PortableAgent, PortableFile, PortableText};
use crate::{Manifest, PackagePath};

use super::{ConvertedFile, FormatName};

/// A source folder being written. Every name in it can stand beside every other, on any disk.
#[derive(Default)]
pub(super) struct SourceFolder {
    names: Names,
    paths: HashSet<String>,
    /// How often a stem was asked for, so that many alike are not each counted from one.
    asked: HashMap<String, usize>,
    files: Vec<ConvertedFile>,
}

impl SourceFolder {
    /// Adds a file of the target's own, or says no if its place is taken.
    pub(super) fn put(&mut self, path: &str, bytes: impl Into<Vec<u8>>) -> bool {
        let Ok(path) = PackagePath::new(path) else {
            return false;
        };
        if self.names.add(&path, Occupant::File).is_err() {
            return false;
        }
        self.paths.insert(path.to_string());
        self.files.push(ConvertedFile::new(path.as_str(), bytes));
        true
    }

    /// Adds `folder/id.extension` under the nearest name that is free, and returns its stem.
    /// Comes before anything is carried, so that `folder` cannot be a file already.
    pub(super) fn put_named(
        &mut self,
        folder: &str,
        id: &str,
        extension: &str,
        bytes: &[u8],
    ) -> String {
        let first = slug(id);
        let mut stem = first.clone();
        let key = format!("{folder}/{}.{extension}", first.to_ascii_lowercase());
        let mut count = self.asked.get(&key).copied().unwrap_or(1);
        if count > 1 {
            count += 1;
            stem = format!("{first}-{count}");
        }
        while !self.put(&format!("{folder}/{stem}.{extension}"), bytes) {
            count += 1;
            stem = format!("{first}-{count}");
        }
        self.asked.insert(key, count);
        stem
    }

    /// Carries a file of the source along, or records why it stays behind.
    pub(super) fn carry(&mut self, path: &PackagePath, file: &PortableFile, losses: &mut Losses) {
        if let Err(error) = self.names.add(path, Occupant::File) {
            losses.lose(
                path.as_str(),
                format!("its name does not fit beside the new files: {error}"),
            );
            return;
        }
        self.paths.insert(path.to_string());
        self.files.push(ConvertedFile {
            path: path.as_str().to_owned(),
            bytes: file.bytes.clone(),
            executable: file.executable,
        });
    }

    /// Returns whether a file has this very path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Returns the paths of all files so far.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.path.as_str())
    }

    /// Returns the files, sorted by path.
    pub(super) fn into_files(mut self) -> Vec<ConvertedFile> {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.files
    }
}

/// Returns whether a new file cannot stand beside `files`: its key is taken, lies below one of
/// them, or is a folder of one of them.
pub(super) fn clashes<T>(files: &BTreeMap<String, T>, key: &str) -> bool {
    let below = format!("{key}/");
    let next = files.range(below.clone()..).next();
    files.contains_key(key)
        || key
            .match_indices('/')
            .any(|(at, _)| files.contains_key(&key[..at]))
        || next.is_some_and(|(other, _)| other.starts_with(&below))
}

/// Returns `id` as a file's stem: the letters, digits and marks that every disk takes.
pub(super) fn slug(id: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let text: String = id.chars().map(|c| if keep(c) { c } else { '-' }).collect();
    let text: String = text.trim_matches(['.', '-']).chars().take(64).collect();
    let text = text.trim_end_matches(['.', '-']);
    match text {
        "" => "unnamed".to_owned(),
        text if PackagePath::new(text).is_err() => format!("x-{text}"),
        text => text.to_owned(),
    }
}

/// Returns the first `count` characters of `text`, and whether that is less than all.
pub(super) fn cut(text: &str, count: usize) -> (String, bool) {
    match text.char_indices().nth(count) {
        Some((at, _)) => (text[..at].trim_end().to_owned(), true),
        None => (text.to_owned(), false),
    }
}

/// Records every field of the manifest that has a value and is not among `held`.
pub(super) fn lose_fields(manifest: &Manifest, held: &[&str], losses: &mut Losses) {
    let words = |items: &[String]| (!items.is_empty()).then(|| items.join(", "));
    let needs: Vec<_> = manifest
        .dependencies
        .iter()
        .map(|d| format!("{} {}", d.id, d.range))
        .collect();
    let tier = manifest.minimum_license_tier;
    let named = (manifest.display_name != manifest.id.as_str()).then_some(&manifest.display_name);
    let fields = [
        ("displayName", named.cloned()),
        (
            "version",
            manifest.version.as_ref().map(ToString::to_string),
        ),
        ("description", manifest.description.clone()),
        ("author", manifest.author.clone()),
        ("license", manifest.license.clone()),
        (
            "minimumLicenseTier",
            (tier != crate::LicenseTier::Core).then(|| tier.as_str().to_owned()),
        ),
        ("homepage", manifest.homepage.clone()),
        ("repository", manifest.repository.clone()),
        ("bugs", manifest.bugs.clone()),
        ("keywords", words(&manifest.keywords)),
        ("category", manifest.category.clone()),
        ("createdAt", manifest.created_at.clone()),
        ("dependencies", words(&needs)),
    ];
    for (name, value) in fields {
        if let Some(value) = value.filter(|_| !held.contains(&name)) {
            losses.lose(name, format!("there is no field for it; it was `{value}`"));
        }
    }
}

/// Records an agent's settings, for a target where an agent is only its instructions.
pub(super) fn lose_settings(agent: &PortableAgent, losses: &mut Losses) {
    let settings = [
        ("model", agent.model.clone()),
        (
            "tools",
            (!agent.tools.is_empty()).then(|| agent.tools.join(", ")),
        ),
        (
            "skills",
            (!agent.skills.is_empty()).then(|| agent.skills.join(", ")),
        ),
    ];
    for (name, value) in settings {
        if let Some(value) = value {
            losses.lose(
                format!("agents.{}.{name}", agent.id),
                format!("there is no field for it; it was `{value}`"),
            );
        }
    }
}

/// Returns a skill or task as a Markdown document: its body, under its name if that says more
/// than the id, and what it is for.
pub(super) fn document(text: &PortableText) -> String {
    let mut out = String::new();
    if text.name != text.id && !text.name.is_empty() {
        out.push_str(&format!("# {}\n\n", text.name));
    }
    if let Some(description) = &text.description {
        out.push_str(&format!("{}\n\n", description.trim()));
    }
    out.push_str(&text.body);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// Returns one sentence on what the agent does, if anything in it says so.
pub(super) fn describe(agent: &Portable) -> Option<String> {
    let said = agent.manifest.description.as_deref();
    let said = said.or_else(|| agent.agents.iter().find_map(|a| a.description.as_deref()));
    said.map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
}

/// Refuses a key for a signature that only AgentForge has, rather than build without one.
pub(super) fn refuse_key(format: FormatName, options: &BuildOptions) -> Result<(), BuildError> {
    if options.hmac_key.is_some() {
        return Err(BuildError::Option {
            code: "ATT-BUILD-HMAC",
            message: format!(
                "{} package holds no HMAC signature; leave the key out",
                format.with_article()
            ),
        });
    }
    Ok(())
}

/// Refuses the build options that fill metadata, or lock and carry dependencies.
pub(super) fn refuse_extras(format: FormatName, options: &BuildOptions) -> Result<(), BuildError> {
    if !options.metadata.is_empty() {
        return Err(BuildError::Option {
            code: "ATT-BUILD-METADATA",
            message: format!(
                "{} package has no place for metadata; leave the option out",
                format.with_article()
            ),
        });
    }
    if options.sealed || !options.chosen.packages.is_empty() {
        return Err(BuildError::Option {
            code: "ATT-BUILD-SEALED",
            message: format!(
                "{} package carries no dependencies; leave the option out",
                format.with_article()
            ),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_a_name_every_disk_takes() {
        for (given, expected) in [
            ("hello", "hello"),
            ("Hello World/../x", "Hello-World-..-x"),
            ("../../etc", "etc"),
            ("", "unnamed"),
            ("…", "unnamed"),
            ("con", "x-con"),
            ("a.", "a"),
        ] {
            assert_eq!(slug(given), expected);
            assert!(PackagePath::new(&slug(given)).is_ok());
        }
        assert_eq!(slug(&"é".repeat(500)), "unnamed");
        assert_eq!(slug(&"e".repeat(500)).len(), 64);
    }

    #[test]
    fn files_that_would_collide_are_lost_or_renamed() {
        let mut folder = SourceFolder::default();
        assert!(folder.put("README.md", "a"));
        assert!(!folder.put("readme.md", "b"));
        assert_eq!(folder.put_named("tasks", "A", "md", b"1"), "A");
        assert_eq!(folder.put_named("tasks", "a", "md", b"2"), "a-2");
        let mut losses = Losses::default();
        let file = PortableFile {
            bytes: Vec::new(),
            executable: true,
        };
        for path in ["Readme.md", "tasks/A.md/x", "bin/run"] {
            folder.carry(&PackagePath::new(path).unwrap(), &file, &mut losses);
        }
        assert_eq!(losses.lost.len(), 2, "{losses:?}");
        assert!(folder.has("bin/run"));
        let files = folder.into_files();
        assert_eq!(files.len(), 4);
        assert!(files.iter().any(|f| f.path == "bin/run" && f.executable));
    }

    #[test]
    fn a_file_and_a_folder_of_one_name_clash() {
        let files: BTreeMap<String, ()> = ["a/b", "a/b-c", "d"].map(|k| (k.into(), ())).into();
        for (key, expected) in [
            ("a/b", true),
            ("a", true),
            ("d/e/f", true),
            ("a/b/c", true),
            ("a/c", false),
            ("e", false),
            ("a/b-", false),
        ] {
            assert_eq!(clashes(&files, key), expected, "{key}");
        }
    }

    #[test]
    fn many_things_of_one_name_are_numbered_at_once() {
        let mut folder = SourceFolder::default();
        let start = std::time::Instant::now();
        let stems: HashSet<String> = (0..10_000)
            .map(|n| folder.put_named("tasks", &format!("{}{n}", "x".repeat(64)), "md", b""))
            .collect();
        assert_eq!(stems.len(), 10_000);
        assert!(start.elapsed().as_secs() < 20);
    }
}
