//! Builds a package from a source folder: the same input gives the same bytes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use attache_package::build::{BuildOptions, Step, plan, write};
use attache_package::formats::{FormatName, Package};
use attache_package::{Compression, Container, Digest, PackageName, Problem, Release};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{App, Error, Kind, Outcome, git};

mod cache;
mod choosing;

/// What to build, and how. Each of the specification's `PackOptions` is a field.
#[derive(Debug, Clone)]
pub struct BuildRequest {
    /// The source folder.
    pub source: PathBuf,
    /// The file to write; the format's own name in `folder` if there is none.
    pub output: Option<PathBuf>,
    /// Where the output goes when it is not named.
    pub folder: PathBuf,
    /// The dialect, if it is not to be found out.
    pub format: Option<FormatName>,
    /// Whether deviations that are common in the wild are only warnings.
    pub lenient: bool,
    /// Whether source code goes in.
    pub include_source: bool,
    /// Whether PNG and JSON files are made smaller; by default only in `.lxpkg` packages.
    pub optimize: Option<bool>,
    /// Whether documentation goes in.
    pub include_docs: bool,
    /// Whether examples go in.
    pub include_examples: bool,
    /// From 0 to 9.
    pub compression: u8,
    /// Fields for the manifest's metadata.
    pub metadata: BTreeMap<String, Value>,
    /// The archive to write, where the format has several.
    pub container: Option<Container>,
    /// Whether dependencies are carried inside.
    pub sealed: bool,
    /// Packages given as files.
    pub dependencies: Vec<PathBuf>,
    /// Where what the lock holds can be found, besides where `attache.toml` says: a path, or
    /// `NAME=PATH`.
    pub indexes: Vec<String>,
    /// The key for AgentForge's HMAC signature.
    pub hmac_key: Option<Vec<u8>>,
    /// Where the creation time comes from, before the source's commit and manifest are asked.
    pub time: BuildTime,
    /// Whether a build of the same source may be reused.
    pub use_cache: bool,
    /// The clock, in nanoseconds since 1970; only used to judge how fresh files are.
    pub now_ns: i128,
}

impl BuildRequest {
    /// Makes a request with every option at its default.
    pub fn of(source: &Path) -> Self {
        let defaults = BuildOptions::default();
        Self {
            source: source.to_owned(),
            output: None,
            folder: PathBuf::from("."),
            format: None,
            lenient: false,
            include_source: defaults.include_source,
            optimize: None,
            include_docs: defaults.include_docs,
            include_examples: defaults.include_examples,
            compression: defaults.compression,
            metadata: BTreeMap::new(),
            container: None,
            sealed: false,
            dependencies: Vec::new(),
            indexes: Vec::new(),
            hmac_key: None,
            time: BuildTime::Source,
            use_cache: true,
            now_ns: 0,
        }
    }
}

/// Where the creation time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildTime {
    /// From the source: its commit's time, else what its manifest says.
    Source,
    /// From `SOURCE_DATE_EPOCH`, in seconds since 1970.
    Epoch(i64),
    /// From the clock, because the user asked for it.
    Clock(i64),
}

/// Where the creation time came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimeSource {
    /// `SOURCE_DATE_EPOCH`.
    SourceDateEpoch,
    /// The last commit that touched the source.
    Commit,
    /// The source's own manifest.
    Manifest,
    /// The clock, with `--stamp`.
    Clock,
}

/// What was built.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BuildOutcome {
    /// The dialect's name.
    pub format: String,
    /// The package's name.
    pub id: PackageName,
    /// Its version.
    pub version: Option<Release>,
    /// The file written.
    #[serde(with = "crate::lossy")]
    #[schemars(with = "String")]
    pub output: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// Its digest.
    pub digest: Digest,
    /// How many files are in it.
    pub files: usize,
    /// Their size, unpacked.
    pub unpacked_size: u64,
    /// The creation time in it, where the format has one.
    pub created_at: Option<String>,
    /// Where that came from.
    pub created_from: TimeSource,
    /// Whether nothing had changed, and an earlier build's bytes were taken.
    pub reused: bool,
    /// Whether it was signed with an HMAC key.
    pub signed: bool,
    /// What does not make it invalid.
    pub warnings: Vec<Warning>,
    /// The steps that were taken.
    pub steps: Vec<BuildStep>,
}

/// A finding that does not stop a build.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// The rule's stable code.
    pub code: String,
    /// What to look at.
    pub message: String,
    /// Where.
    pub path: String,
}

impl From<Problem> for Warning {
    fn from(p: Problem) -> Self {
        Self {
            code: p.code.to_owned(),
            message: p.message,
            path: p.path,
        }
    }
}

/// One of the eight steps of a build.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct BuildStep {
    /// Its name in the specification.
    pub name: String,
    /// What was done.
    pub detail: String,
}

impl From<Step> for BuildStep {
    fn from(step: Step) -> Self {
        Self {
            name: step.name.to_owned(),
            detail: step.detail,
        }
    }
}

impl Outcome for BuildOutcome {
    const SCHEMA: &'static str = "attache.build/1";
}

/// Builds, or finds that nothing changed since the last build.
pub fn build(app: &App, request: &BuildRequest) -> Result<BuildOutcome, Error> {
    let source = &request.source;
    let metadata = fs_err::metadata(source).map_err(|e| Error::io("open", source, &e))?;
    if !metadata.is_dir() {
        return Err(Error::new(
            Kind::Usage,
            "ATT-BUILD-SOURCE",
            format!("`{}` is not a folder", source.display()),
        )
        .hint("build takes a source folder; `attache unpack` makes one from a package"));
    }
    let Some(compression) = Compression::new(request.compression) else {
        return Err(Error::new(
            Kind::Usage,
            "ATT-BUILD-COMPRESSION",
            "the compression level is from 0 to 9",
        ));
    };
    refuse_inputs(request)?;
    let time = creation_time(request);
    let quick = match (&app.home, request.use_cache) {
        (Some(home), true) => cache::Quick::look(home, app, request, &time),
        _ => None,
    };
    if let Some(mut outcome) = quick.as_ref().and_then(cache::Quick::reusable) {
        // The record has the whole path; people read the one they typed.
        let name = outcome
            .output
            .file_name()
            .map(|name| request.folder.join(name));
        outcome.output = request.output.clone().or(name).unwrap_or(outcome.output);
        return Ok(outcome);
    }

    let mut package = app.open(source, request.format)?;
    let (time, created_from) =
        match time {
            Ok(time) => time,
            Err(_) if !has_time(package.format.name()) => (None, TimeSource::Manifest),
            Err(cause) => {
                let message = format!("`{}`: {cause}", source.display());
                return Err(Error::new(Kind::Failed, "ATT-BUILD-COMMIT-TIME", message).hint(
                "fetch the whole history, set SOURCE_DATE_EPOCH, or use --stamp; otherwise two \
                 machines would build different bytes",
            ));
            }
        };
    let options = options(app, request, &package, time)?;
    let planned = |package: &Package| {
        plan(package, &options, request.lenient).map_err(|e| explain_time(Error::build(source, e)))
    };
    let mut plan = planned(&package)?;
    let output = request
        .output
        .clone()
        .unwrap_or_else(|| request.folder.join(&plan.file_name));
    if let Some(own) = place_inside(source, &output)? {
        refuse_inside(source, &output, &own, &plan.file_name)?;
        if own
            .to_str()
            .is_some_and(|own| package.tree.get(own).is_some())
        {
            // What the last build left here is no input of this one.
            package = app.open_without(source, request.format, &[own])?;
            plan = planned(&package)?;
        }
    }

    let bundle = match &app.home {
        Some(home) if request.use_cache && plan.manifest.format == FormatName::Holon => Some(
            cache::Bundle::new(home, app, &package.tree, &plan, &options),
        ),
        _ => None,
    };
    let reused = match &bundle {
        Some(bundle) => bundle.fetch(&output)?,
        None => None,
    };
    let (packed, reused) = match reused {
        Some(packed) => (packed, true),
        None => (
            write(&plan, compression, &output).map_err(|e| Error::archive(&output, e))?,
            false,
        ),
    };
    if let (Some(bundle), false) = (&bundle, reused) {
        bundle.keep(&output, &packed);
    }
    let mut steps: Vec<BuildStep> = plan.steps.into_iter().map(BuildStep::from).collect();
    steps.push(BuildStep {
        name: "archive".to_owned(),
        detail: format!("{} bytes, level {}", packed.size, compression.level()),
    });
    let outcome = BuildOutcome {
        format: plan.manifest.format.to_string(),
        created_from: if plan.manifest.created_at.is_some() && time.is_none() {
            TimeSource::Manifest
        } else {
            created_from
        },
        created_at: plan.manifest.created_at.clone(),
        id: plan.manifest.id,
        version: plan.manifest.version,
        size: packed.size,
        digest: packed.digest,
        files: plan.tree.entries().len(),
        unpacked_size: plan.tree.total_size(),
        reused,
        signed: request.hmac_key.is_some(),
        warnings: plan.warnings.into_iter().map(Warning::from).collect(),
        steps,
        output,
    };
    if let Some(quick) = quick {
        quick.keep(&outcome);
    }
    Ok(outcome)
}

fn options(
    app: &App,
    request: &BuildRequest,
    package: &Package,
    time: Option<i64>,
) -> Result<BuildOptions, Error> {
    let format = package.format.name();
    Ok(BuildOptions {
        include_source: request.include_source,
        // The other dialects' files are hashed and locked by their own tools: left as they are.
        optimize: request.optimize.unwrap_or(format == FormatName::Lexichord),
        include_docs: request.include_docs,
        include_examples: request.include_examples,
        compression: request.compression,
        metadata: request.metadata.clone(),
        created_at: time.map(rfc3339).transpose()?,
        container: container(request, format)?,
        sealed: request.sealed,
        hmac_key: request.hmac_key.clone(),
        chosen: choosing::choose(app, request, package)?,
    })
}

/// A time to write, and where it came from. No time means what the manifest says.
type CreationTime = (Option<i64>, TimeSource);

/// Finds the time to write, or says why git cannot.
fn creation_time(request: &BuildRequest) -> Result<CreationTime, String> {
    Ok(match request.time {
        BuildTime::Epoch(seconds) => (Some(seconds), TimeSource::SourceDateEpoch),
        BuildTime::Clock(seconds) => (Some(seconds), TimeSource::Clock),
        BuildTime::Source => match git::commit_time(&request.source)? {
            Some(seconds) => (Some(seconds), TimeSource::Commit),
            None => (None, TimeSource::Manifest),
        },
    })
}

/// Returns whether a package of this dialect says when it was made.
fn has_time(format: FormatName) -> bool {
    matches!(format, FormatName::Lexichord | FormatName::AgentForge)
}

/// Refuses an output that is one of the inputs.
fn refuse_inputs(request: &BuildRequest) -> Result<(), Error> {
    let Some(output) = request
        .output
        .as_ref()
        .and_then(|o| fs_err::canonicalize(o).ok())
    else {
        return Ok(());
    };
    let same = |path: &&PathBuf| fs_err::canonicalize(path).is_ok_and(|p| p == output);
    match request.dependencies.iter().find(same) {
        Some(path) => {
            let message = format!(
                "`{}` is a dependency, and would be overwritten",
                path.display()
            );
            Err(Error::new(Kind::Usage, "ATT-BUILD-OUTPUT", message)
                .hint("write elsewhere with -o"))
        }
        None => Ok(()),
    }
}

/// Returns the archive that a file's name promises.
fn promised(output: &Path) -> Option<Container> {
    let name = output.file_name()?.to_string_lossy().to_lowercase();
    let ends = |list: &[&str]| list.iter().any(|end| name.ends_with(end));
    match () {
        () if ends(&[".tar.gz", ".tgz"]) => Some(Container::TarGz),
        () if ends(&[".tar.zst", ".tzst"]) => Some(Container::TarZst),
        () if ends(&[".zip", ".lxpkg"]) => Some(Container::Zip),
        () => None,
    }
}

/// Returns the archive to write: as asked, else as the output's name promises where the dialect
/// has several.
fn container(request: &BuildRequest, format: FormatName) -> Result<Option<Container>, Error> {
    let promised = request.output.as_deref().and_then(promised);
    let allowed = format.format().containers();
    match (request.container, promised) {
        (Some(asked), Some(promised)) if asked != promised => Err(Error::new(
            Kind::Usage,
            "ATT-BUILD-CONTAINER",
            "--archive and the end of the output's name say different kinds of archive",
        )),
        (Some(asked), _) => Ok(Some(asked)),
        (None, Some(promised)) if allowed.contains(&promised) => Ok(Some(promised)),
        (None, Some(_)) => {
            let usual = format.format().containers()[0].suffix();
            let message = format!("{format} packages are not written as this kind of archive");
            let hint = format!("let the output's name end in {usual}");
            Err(Error::new(Kind::Usage, "ATT-BUILD-CONTAINER", message).hint(hint))
        }
        (None, None) => Ok(None),
    }
}

/// Adds the way out when a source has no creation time at all.
fn explain_time(error: Error) -> Error {
    if error
        .problems
        .iter()
        .any(|p| p.path.ends_with("#/createdAt") && p.message == "it is missing")
    {
        return error.hint("put `createdAt` into the manifest, commit the source, set SOURCE_DATE_EPOCH, or use --stamp");
    }
    error
}

/// Writes seconds since 1970 as `2026-01-31T12:00:00Z`.
pub(crate) fn rfc3339(seconds: i64) -> Result<String, Error> {
    let time = jiff::Timestamp::from_second(seconds).map_err(|_| {
        let message = format!("{seconds} seconds since 1970 is no time that can be written");
        Error::new(Kind::Usage, "ATT-BUILD-TIME", message).hint("the years 0 to 9998 are possible")
    })?;
    if !(0..=9998).contains(&time.strftime("%Y").to_string().parse().unwrap_or(-1)) {
        let message = format!("{seconds} seconds since 1970 is no time that can be written");
        return Err(Error::new(Kind::Usage, "ATT-BUILD-TIME", message));
    }
    Ok(time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// Returns where in the source the output lies, if it does.
fn place_inside(source: &Path, output: &Path) -> Result<Option<PathBuf>, Error> {
    let bad = |message: String| Error::new(Kind::Usage, "ATT-BUILD-OUTPUT", message);
    let Some(name) = output.file_name() else {
        return Err(bad(format!("`{}` is not a file name", output.display())));
    };
    if output.is_dir() {
        return Err(bad(format!("`{}` is a folder", output.display()))
            .hint("name the file to write: -o FOLDER/NAME"));
    }
    let parent = match output.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // The last folder on the way that is there decides; the rest is made by the build.
    let there = parent
        .ancestors()
        .find(|p| p.exists())
        .unwrap_or(Path::new("."));
    let (Ok(root), Ok(folder)) = (fs_err::canonicalize(source), fs_err::canonicalize(there)) else {
        return Ok(None);
    };
    let rest = parent.strip_prefix(there).unwrap_or(Path::new(""));
    let target = folder.join(rest).join(name);
    Ok(target.strip_prefix(&root).ok().map(Path::to_owned))
}

/// Refuses an output that would become part of the next build's input: in the source, not
/// ignored, and not where the build itself puts it.
fn refuse_inside(source: &Path, output: &Path, own: &Path, usual: &str) -> Result<(), Error> {
    let ignored =
        attache_package::archive::is_ignored(source, own).map_err(|e| Error::archive(source, e))?;
    if ignored || own == Path::new(usual) {
        return Ok(());
    }
    let message = format!(
        "`{}` lies in the source, so the next build would pack it",
        output.display()
    );
    Err(Error::new(Kind::Usage, "ATT-BUILD-OUTPUT-INSIDE", message)
        .hint("write it elsewhere with -o, or add it to .attacheignore"))
}
