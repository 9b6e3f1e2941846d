//! The main job, end to end, on a small agent and embedded defaults.

use std::path::{Path, PathBuf};

use attache_package::formats::FormatName;
use attache_package::{Digest, Manifest, Release};
use fs_err as fs;
use schemars::JsonSchema;
use serde::Serialize;

use crate::build::{BuildRequest, BuildTime, build};
use crate::init::{InitRequest, init};
use crate::inspect::{InspectRequest, inspect};
use crate::lock::{LockRequest, lock};
use crate::validate::{ValidateRequest, validate};
use crate::{App, Error, Kind, Outcome, Resolving};

/// Where to work, and in which dialect.
#[derive(Debug, Clone)]
pub struct QuickstartRequest {
    /// A new folder to keep everything in; a temporary one if there is none.
    pub folder: Option<PathBuf>,
    /// The dialect.
    pub format: FormatName,
    /// The creation time to write, in seconds since 1970.
    pub now: i64,
}

/// One step: the command a user would type, why, and what came of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct QuickstartStep {
    /// The command.
    pub command: String,
    /// What it is for.
    pub why: &'static str,
    /// What came of it, a line each.
    pub result: Vec<String>,
}

/// What was done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QuickstartOutcome {
    /// The steps, in order.
    pub steps: Vec<QuickstartStep>,
    /// The digest of the package.
    pub digest: Digest,
    /// Whether both builds gave the same bytes.
    pub identical: bool,
    /// Where everything was kept, if it was.
    pub kept: Option<String>,
}

impl Outcome for QuickstartOutcome {
    const SCHEMA: &'static str = "attache.quickstart/1";
}

const NAME: &str = "hello-agent";

/// Scaffolds, validates, builds twice, inspects and locks; tells `on_step` of each step as it is done.
pub fn quickstart(
    app: &App,
    request: &QuickstartRequest,
    mut on_step: impl FnMut(&QuickstartStep),
) -> Result<QuickstartOutcome, Error> {
    let (_scratch, folder) = match &request.folder {
        Some(folder) if folder.exists() => {
            return Err(Error::new(
                Kind::Failed,
                "ATT-INIT-NOT-EMPTY",
                format!("`{}` already exists, and was not touched", folder.display()),
            )
            .hint("name a new folder, or none to work in a temporary one"));
        }
        Some(folder) => {
            fs::create_dir_all(folder).map_err(|e| Error::io("create", folder, &e))?;
            (None, folder.clone())
        }
        None => {
            let scratch = tempfile::Builder::new()
                .prefix("attache-quickstart-")
                .tempdir();
            let scratch = scratch.map_err(|e| {
                Error::io("create a folder in", Path::new("the temporary folder"), &e)
            })?;
            let folder = scratch.path().to_owned();
            (Some(scratch), folder)
        }
    };
    let mut steps = Vec::new();
    let mut step = |command: String, why, result| {
        let step = QuickstartStep {
            command,
            why,
            result,
        };
        on_step(&step);
        steps.push(step);
    };
    let source = folder.join(NAME);

    let id = (request.format == FormatName::Nexo).then(|| "local.hello_agent".to_owned());
    let made = init(
        app,
        &InitRequest {
            folder: source.clone(),
            format: request.format,
            id,
            now: request.now,
        },
    )?;
    step(
        format!("attache init {NAME} --format {}", request.format),
        "makes a small agent to start from",
        vec![format!(
            "{} files: {}",
            made.files.len(),
            made.files.join(", ")
        )],
    );

    let checked = validate(
        app,
        &ValidateRequest {
            path: source.clone(),
            format: None,
            lenient: false,
            hmac_key: None,
        },
    )?;
    if let Some(problem) = checked.errors.first() {
        return Err(Error::new(
            Kind::Failed,
            problem.code,
            format!("the scaffold is not valid: {problem}"),
        ));
    }
    step(
        format!("attache validate {NAME}"),
        "checks it against every rule of its format, all at once",
        vec![format!(
            "valid {}: no errors, {} warnings",
            request.format,
            checked.warnings.len()
        )],
    );

    let one = build(app, &build_request(&source, folder.join("first")))?;
    let two = build(app, &build_request(&source, folder.join("second")))?;
    let identical = one.digest == two.digest && same_bytes(&one.output, &two.output)?;
    if !identical {
        return Err(Error::new(
            Kind::Failed,
            "ATT-BUILD-DIFFERS",
            "two builds of the same source gave different bytes",
        )
        .hint("this is a defect of ours; please report it"));
    }
    step(
        format!("attache build {NAME}, twice"),
        "packs it; the same input gives the same bytes, on any machine",
        vec![
            format!("first  {}  {} bytes", one.digest, one.size),
            format!("second {}  {} bytes", two.digest, two.size),
            "the bytes are the same".to_owned(),
        ],
    );

    let seen = inspect(
        app,
        &InspectRequest {
            path: one.output.clone(),
            format: None,
        },
    )?;
    let name = one
        .output
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    step(
        format!("attache inspect {name}"),
        "shows what a package says of itself before you let it in",
        summary(&seen.manifest),
    );
    // A package without a version of its own is pinned, not asked for in a range.
    if let Some(version) = &seen.manifest.version {
        let locked = lock_it(app, &folder, &seen.manifest, version)?;
        step(
            "attache lock".to_owned(),
            "chooses versions that go together; the same again changes nothing",
            locked,
        );
    }
    Ok(QuickstartOutcome {
        steps,
        digest: one.digest,
        identical,
        kept: request.folder.as_ref().map(|f| f.display().to_string()),
    })
}

/// Locks a workspace that wants the package which was built, twice.
fn lock_it(
    app: &App,
    folder: &Path,
    manifest: &Manifest,
    version: &Release,
) -> Result<Vec<String>, Error> {
    let path = folder.join("attache.toml");
    let text = format!(
        "[dependencies]\n\"{}\" = \"^{version}\"\n\n[[registry]]\nname = \"local\"\nindex = \
         \"first\"\n",
        manifest.id
    );
    fs::write(&path, text).map_err(|e| Error::write("write", &path, &e))?;
    let request = LockRequest {
        resolving: Resolving {
            path: folder.to_owned(),
            ..Resolving::default()
        },
        in_full: true,
        ..LockRequest::default()
    };
    let first = lock(app, &request)?;
    let again = lock(app, &request)?;
    if again.changed {
        let message = "locking again with nothing changed gave another lock";
        return Err(Error::new(Kind::Failed, "ATT-LOCK-DIFFERS", message)
            .hint("this is a defect of ours; please report it"));
    }
    let graph = first.graph.into_iter().flat_map(|graph| graph.all_packages);
    let mut lines: Vec<String> = graph
        .map(|chosen| {
            let id = &chosen.package.id;
            let version = chosen.selected_version.map(|v| v.to_string());
            let digest = chosen.package.digest.map(|d| d.to_string());
            format!(
                "{id} {}  {}",
                version.unwrap_or_default(),
                digest.unwrap_or_default()
            )
        })
        .collect();
    lines.push("attache.lock holds it; locking again rewrote nothing".to_owned());
    Ok(lines)
}

fn summary(manifest: &Manifest) -> Vec<String> {
    let version = manifest
        .version
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_else(|| "no version of its own".to_owned());
    let asks: Vec<_> = manifest
        .capabilities
        .iter()
        .map(ToString::to_string)
        .collect();
    vec![
        format!(
            "{} ({version}): {}",
            manifest.id,
            manifest
                .description
                .as_deref()
                .unwrap_or(&manifest.display_name)
        ),
        format!(
            "asks for: {}",
            if asks.is_empty() {
                "nothing".to_owned()
            } else {
                asks.join(", ")
            }
        ),
        format!("{} files", manifest.files.len()),
    ]
}

fn same_bytes(a: &Path, b: &Path) -> Result<bool, Error> {
    let read = |path: &Path| fs::read(path).map_err(|e| Error::io("read", path, &e));
    Ok(read(a)? == read(b)?)
}

/// Each build starts from nothing, so that the second one really is a second one.
fn build_request(source: &Path, folder: PathBuf) -> BuildRequest {
    BuildRequest {
        folder,
        time: BuildTime::Source,
        use_cache: false,
        ..BuildRequest::of(source)
    }
}
