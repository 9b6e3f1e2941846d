//! Whether the LICENSE file is the licence that the manifest names.

use std::collections::HashSet;

use super::rules;
use crate::{ArchiveError, Diagnostics, Tree};

/// How much of a licence's wording a LICENSE file must hold to count as that licence.
///
/// Names, years and line breaks differ; the wording does not. The texts of different licence
/// families share far less than this, and close relatives (MIT and X11) differ in little.
const ENOUGH: f64 = 0.85;

/// Checks that `expression` and the LICENSE files at the root speak of the same licence.
pub(super) fn check(
    tree: &Tree,
    expression: Option<&str>,
    diagnostics: &mut Diagnostics,
) -> Result<(), ArchiveError> {
    let is_license = |path: &str| {
        !path.contains('/')
            && (path.starts_with("LICENSE")
                || path.starts_with("LICENCE")
                || path.starts_with("COPYING"))
    };
    let mut texts = Vec::new();
    // Nobody has more licences than this; comparing each with each name takes its time.
    let names = tree.entries().iter().map(|e| e.path.as_str());
    let first: HashSet<&str> = names.filter(|p| is_license(p)).take(8).collect();
    tree.read_many(
        |e| first.contains(e.path.as_str()) && e.size < 1 << 20,
        |entry, bytes| {
            texts.push((
                entry.path.to_string(),
                String::from_utf8_lossy(&bytes).into_owned(),
            ));
        },
    )?;
    let Some(expression) = expression else {
        if let Some((name, _)) = texts.first() {
            let message =
                format!("there is a {name} file, but `license` does not say which licence it is");
            diagnostics.report(&rules::LICENSE_FILE, "manifest.json#/license", message);
        }
        return Ok(());
    };
    let Ok(parsed) = spdx::Expression::parse(expression) else {
        return Ok(());
    };
    if tree.get("LICENSE").is_none() && texts.is_empty() {
        let message = format!("`license` is {expression}, but there is no LICENSE file");
        diagnostics.report(&rules::LICENSE_FILE, "LICENSE", message);
        return Ok(());
    }
    let own = |r: &spdx::expression::ExpressionReq| r.req.license.id().is_none();
    if parsed.requirements().any(own) {
        // A `LicenseRef-…` is its author's own text; there is nothing to compare with.
        return Ok(());
    }
    let mut seen = HashSet::new();
    let ids: Vec<spdx::LicenseId> = parsed
        .requirements()
        .filter_map(|r| r.req.license.id())
        .filter(|id| seen.insert(id.name))
        .collect();
    let held: Vec<HashSet<(String, String)>> = texts.iter().map(|(_, text)| pairs(text)).collect();
    let named = ids.iter().any(|id| {
        let wanted = pairs(id.text());
        held.iter().any(|held| share(&wanted, held) >= ENOUGH)
    });
    if !named {
        let names: Vec<_> = ids.iter().map(|id| id.name).collect();
        let message = format!(
            "the text is not that of {}, which `license` names",
            names.join(" or ")
        );
        diagnostics.report(
            &rules::LICENSE_FILE,
            texts.first().map_or("LICENSE", |(name, _)| name),
            message,
        );
    }
    Ok(())
}

/// Returns the pairs of neighbouring words, without case and punctuation.
fn pairs(text: &str) -> HashSet<(String, String)> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words
        .windows(2)
        .map(|pair| (pair[0].clone(), pair[1].clone()))
        .collect()
}

/// Returns which part of `wanted` is in `held`.
fn share(wanted: &HashSet<(String, String)>, held: &HashSet<(String, String)>) -> f64 {
    if wanted.is_empty() {
        return 0.0;
    }
    wanted.intersection(held).count() as f64 / wanted.len() as f64
}
