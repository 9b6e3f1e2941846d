//! Text for people about versions: locks, trees, and why.

use std::fmt::Write;

use attache_ops::index::IndexOutcome;
use attache_ops::lock::LockOutcome;
use attache_ops::outdated::{OutdatedOutcome, OutdatedPackage};
use attache_ops::tree::TreeOutcome;
use attache_ops::why::{WhyOutcome, WhyStep};
use attache_package::PackageName;

use super::text::{BAD, BOLD, DIM, GOOD, MILD, clean, count, line, shown, size};

pub(crate) fn lock(outcome: &LockOutcome, verbose: bool, out: &mut String) {
    let path = shown(&outcome.path);
    let packages = count(outcome.packages, "package");
    let download = size(outcome.total_download_size);
    let all = format!("{packages}, {download} to download");
    match (outcome.changed, outcome.written) {
        (false, _) => line!(out, "{GOOD}up to date{GOOD:#} {path}: {all}"),
        (true, true) => line!(out, "{GOOD}locked{GOOD:#} {all}, in {path}"),
        (true, false) => line!(out, "{MILD}would change{MILD:#} {path}: {all}"),
    }
    for change in &outcome.changes {
        let id = &change.id;
        match (&change.before, &change.after) {
            (None, Some(now)) => line!(out, "  {GOOD}+{GOOD:#} {id} {now}"),
            (Some(before), None) => line!(out, "  {BAD}-{BAD:#} {id} {before}"),
            (Some(before), Some(now)) if before == now => {
                line!(out, "  {MILD}~{MILD:#} {id} {now}");
            }
            (Some(before), Some(now)) => line!(out, "  {MILD}~{MILD:#} {id} {before} → {now}"),
            (None, None) => {}
        }
        if let (Some(from), Some(to)) = (&change.moved_from, &change.moved_to) {
            let (from, to) = (clean(from), clean(to));
            line!(
                out,
                "    {MILD}it came from {from} and comes from {to} now{MILD:#}"
            );
        }
    }
    if !outcome.other_changes.is_empty() {
        let parts = outcome.other_changes.join(", ");
        line!(out, "  {MILD}~{MILD:#} {DIM}what it says of{DIM:#} {parts}");
    }
    for one in &outcome.overrides {
        let range = clean(&one.range.to_string());
        line!(out, "{BOLD}override{BOLD:#} {} {range}", one.id);
        for replaced in &one.replaced {
            let range = clean(&replaced.range.to_string());
            let who = match &replaced.by {
                Some(by) => format!("{by} asks for"),
                None => "you ask for".to_owned(),
            };
            line!(out, "  {DIM}instead of {range}, which {who}{DIM:#}");
        }
    }
    for left in &outcome.left_out {
        let by = left
            .by
            .as_ref()
            .map(|by| format!(", which {by} would like"));
        line!(
            out,
            "{BOLD}left out{BOLD:#} {} {}{}",
            left.id,
            clean(&left.range.to_string()),
            by.unwrap_or_default()
        );
        line!(out, "  {}", clean(&left.reason));
    }
    for missing in &outcome.missing {
        let source = missing
            .source
            .as_deref()
            .unwrap_or("nobody says where it is");
        line!(
            out,
            "{MILD}not here{MILD:#} {} {} {DIM}({}){DIM:#}",
            missing.id,
            missing.version,
            clean(source)
        );
    }
    let paths = outcome
        .circular
        .as_ref()
        .map(|found| &found.cycle_paths[..]);
    let paths = paths.unwrap_or_default();
    if !paths.is_empty() && (outcome.changed || verbose) {
        let is_complete = outcome
            .circular
            .as_ref()
            .is_some_and(|found| found.is_complete);
        let least = if is_complete { "" } else { "at least " };
        let more = if verbose { "" } else { "; -v lists them" };
        line!(
            out,
            "{BOLD}kept out{BOLD:#} {least}{} of dependencies{more}",
            count(paths.len(), "circle")
        );
    }
    for path in paths.iter().filter(|_| verbose) {
        let path: Vec<&str> = path.iter().map(PackageName::as_str).collect();
        line!(out, "  {}", path.join(" → "));
    }
    if outcome.changed && !outcome.written {
        line!(out, "{MILD}next{MILD:#} attache lock writes it");
    }
}

pub(crate) fn tree(outcome: &TreeOutcome, out: &mut String) {
    match (&outcome.drawing, &outcome.output) {
        (Some(drawing), _) => out.push_str(drawing),
        (None, Some(path)) => line!(out, "{GOOD}drawn{GOOD:#} into {}", shown(path.as_ref())),
        (None, None) => {}
    }
}

pub(crate) fn why(outcome: &WhyOutcome, out: &mut String) {
    let id = &outcome.id;
    if !outcome.left_out.is_empty() {
        line!(out, "{BOLD}{id}{BOLD:#} was left out");
    }
    for left in &outcome.left_out {
        line!(out, "  {}", clean(&left.reason));
    }
    match (&outcome.version, &outcome.registry) {
        (Some(version), Some(registry)) => {
            line!(out, "{BOLD}{id} {version}{BOLD:#} from {}", clean(registry));
        }
        _ if outcome.left_out.is_empty() => {
            line!(out, "{BOLD}{id}{BOLD:#} is an agent of this workspace");
        }
        _ => {}
    }
    if let Some(range) = &outcome.overridden {
        line!(
            out,
            "  your override {} counts, and no other range",
            clean(&range.to_string())
        );
    }
    for way in &outcome.ways {
        let steps: Vec<String> = way.iter().map(step).collect();
        line!(out, "  {}", steps.join(" → "));
    }
    if outcome.more > 0 {
        line!(out, "  {DIM}and {} more{DIM:#}", outcome.more);
    }
}

fn step(step: &WhyStep) -> String {
    let mut text = step
        .id
        .as_ref()
        .map_or("this workspace".to_owned(), ToString::to_string);
    if let Some(version) = &step.version {
        let _ = write!(text, " {version}");
    }
    let range = step
        .range
        .as_ref()
        .map(|range| match range.to_string().as_str() {
            "" | "*" => "any".to_owned(),
            range => clean(range),
        });
    match (range, step.optional) {
        (Some(range), true) => text += &format!(" ({range}, optional)"),
        (Some(range), false) => text += &format!(" ({range})"),
        (None, _) => {}
    }
    text
}

pub(crate) fn outdated(outcome: &OutdatedOutcome, out: &mut String) {
    if outcome.packages.is_empty() {
        let all = count(outcome.locked, "package");
        line!(
            out,
            "{GOOD}up to date{GOOD:#} {all}, each at its latest version"
        );
        return;
    }
    let mut rows =
        vec![["package", "current", "wanted", "latest", "held back by"].map(str::to_owned)];
    for package in &outcome.packages {
        let holding = package
            .held_back_by
            .iter()
            .map(|held| format!("{} {}", held.by, held.asks));
        let current = match package.yanked {
            true => format!("{} (taken back)", package.current),
            false => package.current.to_string(),
        };
        let wanted = package.wanted.as_ref();
        rows.push([
            package.id.to_string(),
            current,
            wanted.map_or("none".to_owned(), ToString::to_string),
            package.latest.to_string(),
            clean(&holding.collect::<Vec<_>>().join(", ")),
        ]);
    }
    let widths: Vec<usize> = (0..5)
        .map(|column| {
            rows.iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    for (at, row) in rows.iter().enumerate() {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        let text = cells.collect::<Vec<_>>().join("  ");
        match at {
            0 => line!(out, "{DIM}{}{DIM:#}", text.trim_end()),
            _ => line!(out, "{}", text.trim_end()),
        }
    }
    if outcome.packages.iter().any(OutdatedPackage::is_pending) {
        line!(
            out,
            "{MILD}next{MILD:#} attache lock --upgrade takes what is wanted"
        );
    }
}

pub(crate) fn index(outcome: &IndexOutcome, out: &mut String) {
    let versions = count(outcome.versions, "version");
    let path = shown(&outcome.output);
    match outcome.changed {
        true => line!(out, "{GOOD}indexed{GOOD:#} {versions} in {path}"),
        false => line!(out, "{GOOD}up to date{GOOD:#} {path}: {versions}"),
    }
}
