//! Text for people. What counts comes first; what to do next comes last.

use std::fmt::Write;
use std::path::Path;

use anstyle::{AnsiColor, Color, Style};
use attache_ops::Error;
use attache_ops::build::{BuildOutcome, TimeSource, Warning};
use attache_ops::convert::ConvertOutcome;
use attache_ops::diff::{Change, DiffOutcome, FieldChange};
use attache_ops::init::InitOutcome;
use attache_ops::inspect::InspectOutcome;
use attache_ops::quickstart::{QuickstartOutcome, QuickstartStep};
use attache_ops::unpack::UnpackOutcome;
use attache_ops::validate::ValidateOutcome;
use attache_package::formats::FormatName;
use attache_package::{Container, Launch, Problem, Requirement};

const fn color(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(color)))
}

pub(super) const GOOD: Style = color(AnsiColor::Green);
pub(super) const BAD: Style = color(AnsiColor::Red).bold();
pub(super) const MILD: Style = color(AnsiColor::Yellow);
pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();

/// Writes a line; writing to memory cannot fail.
macro_rules! line {
    ($out:expr) => { $out.push('\n') };
    ($out:expr, $($arg:tt)*) => {{ let _ = writeln!($out, $($arg)*); }};
}

pub(super) use line;

/// Returns a size as people read it: `512 bytes`, `4.2 kB`, `15.2 MB`.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

pub(super) fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn problems(list: &[Problem], word: &str, style: Style, out: &mut String) {
    for p in list {
        line!(out, "{style}{word}{style:#} {}", clean(&p.path));
        line!(out, "  {} {DIM}[{}]{DIM:#}", clean(&p.message), p.code);
    }
}

pub(super) fn warnings(list: &[Warning], out: &mut String) {
    for w in list {
        line!(out, "{MILD}warning{MILD:#} {}", clean(&w.path));
        line!(
            out,
            "  {} {DIM}[{}]{DIM:#}",
            clean(&w.message),
            clean(&w.code)
        );
    }
}

/// Shows what would move the cursor, or turn text around, instead of obeying it: names and
/// prompts come from strangers.
pub(super) fn clean(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(u32::from(c), 0x061C | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x2069 | 0xFEFF)
    };
    let shown = |c: char| match hidden(c) {
        true => c.escape_unicode().collect::<String>(),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}

/// Returns a path as people read it, and as a shell takes it.
pub(super) fn shown(path: &Path) -> String {
    let text = clean(&path.display().to_string());
    let plain = |c: char| c.is_alphanumeric() || "/._-+@:,=~".contains(c);
    match text.is_empty() || text.starts_with('-') || !text.chars().all(plain) {
        true => format!("'{text}'"),
        false => text,
    }
}

pub(super) fn failure(error: &Error, out: &mut String) {
    line!(
        out,
        "{BAD}error{BAD:#} {} {DIM}[{}]{DIM:#}",
        clean(&error.message),
        error.code
    );
    problems(&error.problems, "  error", BAD, out);
    for sentence in error
        .unresolved
        .iter()
        .flat_map(|failure| failure.explanation())
    {
        line!(out, "  {}", clean(&sentence));
    }
    if let Some(hint) = &error.hint {
        line!(out, "{MILD}next{MILD:#}  {}", clean(hint));
    }
}

pub(crate) fn init(outcome: &InitOutcome, out: &mut String) {
    let folder = shown(&outcome.path);
    line!(
        out,
        "{GOOD}made{GOOD:#} {BOLD}{}{BOLD:#}, {} agent, in {folder}",
        outcome.id,
        outcome.format.with_article()
    );
    for file in &outcome.files {
        line!(out, "  {file}");
    }
    line!(
        out,
        "{MILD}next{MILD:#} attache validate {folder}, then attache build {folder}"
    );
}

pub(crate) fn validate(outcome: &ValidateOutcome, path: &Path, out: &mut String) {
    let path = shown(path);
    let format = outcome.format.map(|f| format!(" {f}")).unwrap_or_default();
    problems(&outcome.errors, "error", BAD, out);
    problems(&outcome.warnings, "warning", MILD, out);
    let warnings = match outcome.warnings.len() {
        0 => String::new(),
        n => format!(", {}", count(n, "warning")),
    };
    if outcome.valid {
        line!(out, "{GOOD}valid{GOOD:#}{format} package {path}{warnings}");
    } else {
        line!(
            out,
            "{BAD}invalid{BAD:#}{format} package {path}: {}{warnings}",
            count(outcome.errors.len(), "error")
        );
    }
}

fn field(name: &str, value: impl std::fmt::Display, out: &mut String) {
    let value = clean(&value.to_string());
    if !value.is_empty() {
        line!(out, "  {DIM}{name:<13}{DIM:#} {value}");
    }
}

pub(crate) fn inspect(outcome: &InspectOutcome, verbose: bool, out: &mut String) {
    let m = &outcome.manifest;
    let version = m
        .version
        .as_ref()
        .map(|v| format!(" {v}"))
        .unwrap_or_default();
    line!(
        out,
        "{BOLD}{}{version}{BOLD:#}  {}",
        m.id,
        clean(&m.display_name)
    );
    let opt = |o: &Option<String>| o.clone().unwrap_or_default();
    field("description", opt(&m.description), out);
    field("author", opt(&m.author), out);
    field("licence", opt(&m.license), out);
    field("category", opt(&m.category), out);
    field("keywords", m.keywords.join(", "), out);
    field("homepage", opt(&m.homepage), out);
    field("repository", opt(&m.repository), out);
    field("bugs", opt(&m.bugs), out);
    if m.format == FormatName::Lexichord {
        field("tier", m.minimum_license_tier.as_str(), out);
    }
    field("created", opt(&m.created_at), out);
    let container = match outcome.container {
        Container::Zip => "zip",
        Container::TarGz => "tar.gz",
        Container::TarZst => "tar.zst",
        Container::Folder => "source folder",
    };
    field("format", format!("{} ({container})", m.format), out);
    if let (Some(packed), Some(digest)) = (outcome.packed_size, outcome.digest) {
        field("digest", digest, out);
        field(
            "size",
            format!("{}, {} unpacked", size(packed), size(outcome.size)),
            out,
        );
    } else {
        field("size", size(outcome.size), out);
    }
    field("starts", launch(&m.launch), out);
    for requirement in &m.requirements {
        field("needs", need(requirement), out);
    }
    for d in &m.dependencies {
        let optional = if d.optional { " (optional)" } else { "" };
        let why = d
            .description
            .as_deref()
            .map(|w| format!("  {w}"))
            .unwrap_or_default();
        field(
            "depends on",
            format!("{} {}{optional}{why}", d.id, d.range),
            out,
        );
    }
    let asks: Vec<_> = m.capabilities.iter().map(ToString::to_string).collect();
    field(
        "asks for",
        if asks.is_empty() {
            "nothing".to_owned()
        } else {
            asks.join(", ")
        },
        out,
    );
    field("files", m.files.len(), out);
    let shown = if verbose {
        m.files.len()
    } else {
        m.files.len().min(20)
    };
    for file in &m.files[..shown] {
        let mark = if file.executable { "*" } else { "" };
        line!(
            out,
            "    {:>10}  {}{mark}",
            size(file.size),
            clean(file.path.as_str())
        );
    }
    if shown < m.files.len() {
        line!(
            out,
            "    {DIM}… {} more; -v shows all{DIM:#}",
            m.files.len() - shown
        );
    }
    if !outcome.valid {
        let errors = count(outcome.errors.len(), "error");
        line!(
            out,
            "{BAD}not valid{BAD:#}: {errors}; `attache validate` lists them"
        );
    }
}

fn launch(launch: &Launch) -> String {
    match launch {
        Launch::McpStdio { entry, .. } => format!("{entry} as an MCP server"),
        Launch::Bundle { entry, .. } => format!("{entry} in a container"),
        Launch::Agents { agents, tasks } if tasks.is_empty() => {
            format!("agent {}", agents.join(", "))
        }
        Launch::Agents { agents, tasks } => {
            format!("agent {}; tasks {}", agents.join(", "), tasks.join(", "))
        }
        Launch::Entrypoints { names } => format!("entrypoints {}", names.join(", ")),
    }
}

fn need(requirement: &Requirement) -> String {
    match requirement {
        Requirement::Engine { name, range } => format!("{name} {range}"),
        Requirement::Platform(p) => {
            let libc = p
                .libc
                .as_deref()
                .map(|l| format!(" {l}"))
                .unwrap_or_default();
            format!("{}/{}{libc}", p.os, p.arch)
        }
        Requirement::Runtime { name, version } => {
            format!("{name} {}", version.as_deref().unwrap_or("(any version)"))
        }
    }
}

pub(crate) fn build(outcome: &BuildOutcome, verbose: bool, out: &mut String) {
    let version = outcome
        .version
        .as_ref()
        .map(|v| format!(" {v}"))
        .unwrap_or_default();
    for w in &outcome.warnings {
        line!(
            out,
            "{MILD}warning{MILD:#} {}\n  {} {DIM}[{}]{DIM:#}",
            clean(&w.path),
            clean(&w.message),
            w.code
        );
    }
    if verbose {
        for (at, step) in outcome.steps.iter().enumerate() {
            line!(
                out,
                "  {DIM}{}/8 {:<10}{DIM:#} {}",
                at + 1,
                step.name,
                step.detail
            );
        }
    }
    let word = if outcome.reused { "reused" } else { "built" };
    line!(
        out,
        "{GOOD}{word}{GOOD:#} {BOLD}{}{version}{BOLD:#} as {}",
        outcome.id,
        shown(&outcome.output)
    );
    let why = if outcome.reused {
        ", nothing changed"
    } else {
        ""
    };
    line!(
        out,
        "  {}, {} packed to {}{why}",
        count(outcome.files, "file"),
        size(outcome.unpacked_size),
        size(outcome.size)
    );
    line!(out, "  {}", outcome.digest);
    if outcome.signed {
        line!(out, "  signed with the HMAC key");
    }
    if let Some(time) = &outcome.created_at {
        let from = match outcome.created_from {
            TimeSource::SourceDateEpoch => "SOURCE_DATE_EPOCH",
            TimeSource::Commit => "the last commit",
            TimeSource::Manifest => "the manifest",
            TimeSource::Clock => "the clock",
        };
        line!(out, "  {DIM}created {time}, from {from}{DIM:#}");
    }
}

pub(crate) fn convert(outcome: &ConvertOutcome, out: &mut String) {
    line!(
        out,
        "{GOOD}converted{GOOD:#} {BOLD}{}{BOLD:#} from {} to {} in {}",
        outcome.id,
        outcome.from,
        outcome.to,
        shown(&outcome.path)
    );
    for file in &outcome.files {
        line!(out, "  {}", clean(file));
    }
    for (list, word, style) in [
        (&outcome.report.lost, "lost", BAD),
        (&outcome.report.invented, "made up or moved", MILD),
    ] {
        for item in list {
            line!(
                out,
                "{style}{word}{style:#} {}: {}",
                clean(&item.what),
                clean(&item.detail)
            );
        }
    }
    if outcome.report.lost.is_empty() {
        line!(out, "nothing was lost");
    }
    line!(
        out,
        "{MILD}next{MILD:#} attache validate {}",
        shown(&outcome.path)
    );
}

pub(crate) fn diff(outcome: &DiffOutcome, out: &mut String) {
    for side in [&outcome.before, &outcome.after] {
        if !side.valid {
            let path = shown(&side.path);
            line!(
                out,
                "{BAD}not valid{BAD:#}: {path}; `attache validate` says why"
            );
        }
    }
    if outcome.identical {
        line!(
            out,
            "{GOOD}the same{GOOD:#}: {} and {}",
            shown(&outcome.before.path),
            shown(&outcome.after.path)
        );
        return;
    }
    if !outcome.manifest.is_empty() {
        line!(out, "{BOLD}manifest{BOLD:#}");
        for change in &outcome.manifest {
            line!(out, "  {}", field_change(change));
        }
    }
    let asks = &outcome.capabilities;
    if !asks.gained.is_empty() || !asks.lost.is_empty() {
        line!(out, "{BOLD}capabilities{BOLD:#}");
        for gained in &asks.gained {
            line!(out, "  {BAD}+ {}{BAD:#}", clean(&gained.to_string()));
        }
        for lost in &asks.lost {
            line!(out, "  {GOOD}- {}{GOOD:#}", clean(&lost.to_string()));
        }
    }
    for prompt in &outcome.prompts {
        line!(out, "{BOLD}prompt {}{BOLD:#}", clean(&prompt.path));
        for text in prompt.diff.lines() {
            let style = match text.as_bytes().first() {
                Some(b'+') => GOOD,
                Some(b'-') => BAD,
                _ => DIM,
            };
            line!(out, "  {style}{}{style:#}", clean(text));
        }
    }
    if !outcome.files.is_empty() {
        line!(out, "{BOLD}files{BOLD:#}");
    }
    for file in &outcome.files {
        let (mark, style) = match file.change {
            Change::Added => ("+", GOOD),
            Change::Removed => ("-", BAD),
            Change::Changed => ("~", MILD),
            Change::Mode => ("x", MILD),
        };
        let grown = match file.grown {
            0 => String::new(),
            n => format!("  {DIM}{n:+} bytes{DIM:#}"),
        };
        line!(out, "  {style}{mark} {}{style:#}{grown}", clean(&file.path));
    }
}

fn field_change(change: &FieldChange) -> String {
    let name = change.field.trim_start_matches('/').replace('/', ".");
    let show =
        |v: &serde_json::Value| clean(&v.as_str().map_or_else(|| v.to_string(), str::to_owned));
    match (&change.before, &change.after) {
        (Some(a), Some(b)) => format!("{name}: {} → {}", show(a), show(b)),
        (None, Some(b)) => format!("{name}: {} (new)", show(b)),
        (Some(a), None) => format!("{name}: {} (gone)", show(a)),
        (None, None) => name,
    }
}

pub(crate) fn unpack(outcome: &UnpackOutcome, out: &mut String) {
    line!(
        out,
        "{GOOD}unpacked{GOOD:#} {BOLD}{}{BOLD:#} into {}: {}, {}",
        outcome.id,
        shown(&outcome.path),
        count(outcome.files, "file"),
        size(outcome.size)
    );
}

pub(crate) fn quickstart_step(number: usize, step: &QuickstartStep, out: &mut String) {
    line!(out, "{BOLD}{number}. {}{BOLD:#}", step.command);
    line!(out, "   {DIM}{}{DIM:#}", step.why);
    for text in &step.result {
        line!(out, "   {}", clean(text));
    }
    line!(out);
}

pub(crate) fn quickstart_end(outcome: &QuickstartOutcome, out: &mut String) {
    match &outcome.kept {
        Some(folder) => line!(
            out,
            "{GOOD}done{GOOD:#}; everything is in {}",
            clean(folder)
        ),
        None => line!(
            out,
            "{GOOD}done{GOOD:#}; nothing was left behind. To keep it: attache quickstart my-folder"
        ),
    }
}
