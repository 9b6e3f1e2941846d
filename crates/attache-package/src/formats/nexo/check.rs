//! The files of an agent: which must be there, and what must be in them.

use super::{env, icon, manifest, requirements, rules};
use crate::formats::Stage;
use crate::tree::TEXT_LIMIT;
use crate::{ArchiveError, Diagnostics, Rule, Tree};

pub(super) const MAIN: &str = "tools/main.py";
pub(super) const PERSONA: &str = "instructions/persona.md";

/// Returns whether the agent cannot do without the file.
pub(super) fn is_required(path: &str) -> bool {
    [
        manifest::PATH,
        icon::PATH,
        MAIN,
        requirements::PATH,
        PERSONA,
    ]
    .contains(&path)
}

/// Returns whether the file belongs to one machine: an environment, or someone's secrets.
pub(super) fn is_private(path: &str) -> bool {
    let env = path == ".env" || path.starts_with(".env.") && path != env::PATH;
    env || path == ".venv" || path.starts_with(".venv/")
}

/// Checks every file, and returns the variables that the agent asks for.
pub(super) fn files(
    tree: &Tree,
    stage: Stage,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<String>, ArchiveError> {
    for path in [MAIN, requirements::PATH, PERSONA] {
        if tree.get(path).is_none() {
            diagnostics.report(&rules::FILE, path, format!("`{path}` is missing"));
        }
    }
    if tree.get(MAIN).is_some_and(|entry| entry.size == 0) {
        let message = "the program is empty; it must be an MCP server that speaks over stdio";
        diagnostics.report(&rules::MAIN, MAIN, message);
    }
    if let Some(persona) = text(tree, PERSONA, &rules::PERSONA, diagnostics)?
        && persona.trim().is_empty()
    {
        let message = "the persona is blank; write the agent's base prompt";
        diagnostics.report(&rules::PERSONA, PERSONA, message);
    }
    check_icon(tree, diagnostics)?;
    requirements::check(tree, diagnostics)?;
    if stage == Stage::Packed {
        check_private(tree, diagnostics);
    }
    let template = text(tree, env::PATH, &rules::ENV, diagnostics)?
        .map(|text| env::parse(&text))
        .unwrap_or_default();
    for (line, message) in template.findings {
        diagnostics.warn(&rules::ENV, format!("{}:{line}", env::PATH), message);
    }
    Ok(template.names)
}

fn check_icon(tree: &Tree, diagnostics: &mut Diagnostics) -> Result<(), ArchiveError> {
    let Some(entry) = tree.get(icon::PATH) else {
        let message = "`icon.png` is missing; add a PNG image of 512 by 512 pixels";
        diagnostics.report(&rules::ICON_MISSING, icon::PATH, message);
        return Ok(());
    };
    if entry.size > icon::LARGEST {
        let message = format!(
            "it has {} bytes; the limit is {}",
            entry.size,
            icon::LARGEST
        );
        diagnostics.report(&rules::ICON, icon::PATH, message);
        return Ok(());
    }
    if let Some(bytes) = tree.read(icon::PATH)?
        && let Err(message) = icon::check(&bytes)
    {
        diagnostics.report(&rules::ICON, icon::PATH, message);
    }
    Ok(())
}

fn check_private(tree: &Tree, diagnostics: &mut Diagnostics) {
    // The host runs `.venv/bin/python`; a package that brought its own would run that instead.
    if tree.has_folder(".venv") || tree.get(".venv").is_some() {
        let message = "the package brings a `.venv`, which only its host may make";
        diagnostics.report(&rules::PRIVATE, ".venv", message);
    }
    for entry in tree.entries() {
        let path = entry.path.as_str();
        if is_private(path) && path.starts_with(".env") {
            let message = format!("`{path}` may hold secrets; ship `{}` instead", env::PATH);
            diagnostics.report(&rules::PRIVATE, path, message);
        }
    }
}

/// Reads a text file if it is there, and reports under `rule` if it is not text.
pub(super) fn text(
    tree: &Tree,
    path: &str,
    rule: &'static Rule,
    diagnostics: &mut Diagnostics,
) -> Result<Option<String>, ArchiveError> {
    if let Some(entry) = tree.get(path)
        && entry.size > TEXT_LIMIT
    {
        let message = format!(
            "`{path}` has {} bytes; the limit is {TEXT_LIMIT}",
            entry.size
        );
        diagnostics.report(rule, path, message);
        return Ok(None);
    }
    let Some(bytes) = tree.read(path)? else {
        return Ok(None);
    };
    Ok(String::from_utf8(bytes)
        .map_err(|_| diagnostics.report(rule, path, format!("`{path}` is not UTF-8 text")))
        .ok())
}
