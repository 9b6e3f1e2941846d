//! `cargo xtask tidy`: what the compiler and clippy cannot check.
//!
//! Every check is a function from text to findings, so that its tests can show it failing.
//! Only this file reads the tree.

use std::path::Path;

use anyhow::{Context, Result, bail};
use fs_err as fs;
use serde_json::Value;

use crate::shell::{cargo, output, root};

mod crates;
mod documents;
mod licences;
mod text;

/// What the checks found.
#[derive(Debug, Default)]
struct Findings {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Findings {
    fn error(&mut self, place: impl std::fmt::Display, message: impl std::fmt::Display) {
        self.errors.push(format!("{place}: {message}"));
    }

    fn warning(&mut self, place: impl std::fmt::Display, message: impl std::fmt::Display) {
        self.warnings.push(format!("{place}: {message}"));
    }
}

/// One file of the tree.
struct Source {
    path: String,
    bytes: Vec<u8>,
}

/// Runs every check and fails when one finds something.
pub(crate) fn run() -> Result<()> {
    let root = root();
    let mut findings = Findings::default();

    let sources = sources(&root)?;
    for source in &sources {
        text::check(&source.path, &source.bytes, &mut findings);
    }
    check_documents(&root, &sources, &mut findings);
    check_crates(&root, &mut findings)?;
    check_licences(&root, &mut findings)?;

    for warning in &findings.warnings {
        println!("    warning: {warning}");
    }
    for error in &findings.errors {
        println!("    {error}");
    }
    match findings.errors.len() {
        0 => {
            println!("    {} files are tidy", sources.len());
            Ok(())
        }
        1 => bail!("1 thing is not tidy"),
        several => bail!("{several} things are not tidy"),
    }
}

/// Returns every file that git tracks or would track.
fn sources(root: &Path) -> Result<Vec<Source>> {
    let mut git = std::process::Command::new("git");
    git.args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ])
    .current_dir(root);
    let mut paths: Vec<_> = output(&mut git)?
        .split_terminator('\0')
        .map(str::to_owned)
        .collect();
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        // A tracked file that was just deleted is listed too.
        .filter(|path| root.join(path).is_file())
        .map(|path| {
            let bytes = fs::read(root.join(&path))?;
            Ok(Source { path, bytes })
        })
        .collect()
}

fn check_documents(root: &Path, sources: &[Source], findings: &mut Findings) {
    let exists = |path: &str| root.join(path).exists();
    for source in sources.iter().filter(|source| source.path.ends_with(".md")) {
        let text = String::from_utf8_lossy(&source.bytes);
        documents::check_links(&source.path, &text, exists, findings);
    }
    let decisions: Vec<_> = sources
        .iter()
        .filter_map(|source| {
            let name = source.path.strip_prefix("docs/decisions/")?;
            Some((name, String::from_utf8_lossy(&source.bytes)))
        })
        .collect();
    documents::check_decisions(&decisions, findings);
    let reference = sources.iter().find(|s| s.path == "docs/reference/codes.md");
    let reference = reference
        .map(|s| String::from_utf8_lossy(&s.bytes))
        .unwrap_or_default();
    let ours = |path: &str| {
        path.starts_with("crates/") && path.contains("/src/") && !path.contains("/tests")
    };
    for source in sources
        .iter()
        .filter(|s| s.path.ends_with(".rs") && ours(&s.path))
    {
        let text = String::from_utf8_lossy(&source.bytes);
        documents::check_codes(&source.path, &text, &reference, findings);
    }
    let changelog = sources.iter().find(|source| source.path == "CHANGELOG.md");
    documents::check_changelog(
        changelog.map(|source| String::from_utf8_lossy(&source.bytes)),
        findings,
    );
}

fn check_crates(root: &Path, findings: &mut Findings) -> Result<()> {
    let metadata = metadata(&["--no-deps"])?;
    let members = crates::members(&metadata)?;
    let architecture = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap_or_default();
    crates::check_table(&members, &architecture, findings);
    for member in &members {
        crates::check_rooms(member, findings);
        let manifest = fs::read_to_string(&member.manifest)?;
        crates::check_lints(&member.name, &manifest, findings)?;
        for file in &member.roots {
            let place = file.strip_prefix(root).unwrap_or(file);
            crates::check_opening(
                &place.display().to_string(),
                &fs::read_to_string(file)?,
                findings,
            );
        }
    }
    Ok(())
}

fn check_licences(root: &Path, findings: &mut Findings) -> Result<()> {
    let policy = licences::Policy::parse(&fs::read_to_string(root.join("deny.toml"))?)
        .context("deny.toml")?;
    licences::check(&metadata(&[])?, &policy, findings);
    Ok(())
}

fn metadata(arguments: &[&str]) -> Result<Value> {
    let mut command = cargo(&["metadata", "--format-version", "1", "--locked"]);
    let text = output(command.args(arguments))?;
    serde_json::from_str(&text).context("`cargo metadata` printed something that is not JSON")
}
