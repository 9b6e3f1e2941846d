//! The words of the command line. Every page of the reference is made from these.

use std::path::PathBuf;

use attache_package::formats::FormatName;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// The package manager and runtime for AI agents.
///
/// Builds, checks, inspects, converts and compares agent packages in five formats: Lexichord
/// .lxpkg, Nexo zip, Holon bundle, AgentForge pack and Nanobot Markdown.
#[derive(Debug, Parser)]
#[command(
    name = "attache",
    version,
    max_term_width = 100,
    propagate_version = true
)]
#[command(after_help = "New here? `attache quickstart` shows everything in a second.")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that mean the same everywhere.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Print one JSON document instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only what was asked for, and errors.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more about what is done.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Our data folder; otherwise ATTACHE_HOME, otherwise the platform's own place.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a small agent to start from.
    Init(Init),
    /// Say whether a package is good, and everything that is wrong with it.
    ///
    /// Exits 1 if the package is not valid.
    Validate(Validate),
    /// Show what a package says of itself: metadata, capabilities, files.
    Inspect(Inspect),
    /// Build a package from a source folder.
    ///
    /// The same input gives the same bytes on any machine. The creation time comes from
    /// SOURCE_DATE_EPOCH, else from the source's last commit, else from its manifest; from the
    /// clock only with --stamp. Files that .attacheignore names stay out.
    Build(Build),
    /// Write an agent as a source folder in another format, and report what that cannot hold.
    Convert(Convert),
    /// Compare two packages: manifest, capabilities and prompts first, then files.
    Diff(Diff),
    /// Take a package apart into a new folder.
    Unpack(Unpack),
    /// Run the main job end to end on a small agent, explaining each step.
    Quickstart(Quickstart),
    /// Print a completion script for your shell.
    Completions(Completions),
    /// Print the manual page of a command.
    Man(Man),
    /// Write the reference pages, schemas, manual pages and completions.
    #[command(hide = true)]
    GenerateReference(GenerateReference),
}

/// A format, as `--format` takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lowercase")]
pub(crate) enum FormatArg {
    /// Lexichord .lxpkg, our native format.
    Lexichord,
    /// Python agents in a zip.
    Nexo,
    /// Sealed bundles for containers.
    Holon,
    /// Packs with a hash for every file.
    AgentForge,
    /// Agents, skills and tasks in Markdown.
    Nanobot,
}

impl From<FormatArg> for FormatName {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Lexichord => Self::Lexichord,
            FormatArg::Nexo => Self::Nexo,
            FormatArg::Holon => Self::Holon,
            FormatArg::AgentForge => Self::AgentForge,
            FormatArg::Nanobot => Self::Nanobot,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The folder to make; it must be new or empty.
    #[arg(default_value = ".", value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The format to write in.
    #[arg(long, value_enum, default_value = "lexichord")]
    pub(crate) format: FormatArg,
    /// The package's name; taken from the folder's if there is none.
    #[arg(long)]
    pub(crate) id: Option<String>,
}

/// Which package, and how strictly to read it.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// The format, if it is not to be found out.
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArg>,
    /// Turn deviations that are common in the wild into warnings.
    #[arg(long)]
    pub(crate) lenient: bool,
}

/// Where the key for AgentForge's HMAC signature is.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct HmacKey {
    /// Take the key for AgentForge's HMAC signature from this environment variable.
    #[arg(long, value_name = "VAR")]
    pub(crate) hmac_key_env: Option<String>,
    /// Take the key for AgentForge's HMAC signature from this file, byte for byte.
    #[arg(long, value_name = "FILE")]
    pub(crate) hmac_key_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// The package: a folder or an archive.
    #[arg(default_value = ".")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) hmac: HmacKey,
}

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// The package: a folder or an archive.
    #[arg(default_value = ".")]
    pub(crate) path: PathBuf,
    /// The format, if it is not to be found out.
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArg>,
}

/// The archive a Holon bundle is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArchiveArg {
    /// A zip.
    #[value(name = "zip")]
    Zip,
    /// A tar in gzip.
    #[value(name = "tar.gz")]
    TarGz,
    /// A tar in zstd.
    #[value(name = "tar.zst")]
    TarZst,
}

#[derive(Debug, Args)]
pub(crate) struct Build {
    /// The source folder.
    #[arg(default_value = ".", value_name = "DIR")]
    pub(crate) source: PathBuf,
    /// The file to write; by default the format's own name, here.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Take source code (src/) along.
    #[arg(long)]
    pub(crate) include_source: bool,
    /// Make PNG and JSON files smaller without loss; the default for .lxpkg.
    #[arg(long, overrides_with = "no_optimize")]
    pub(crate) optimize: bool,
    /// Leave PNG and JSON files as they are.
    #[arg(long, overrides_with = "optimize")]
    pub(crate) no_optimize: bool,
    /// Leave documentation (docs/, README.md, CHANGELOG.md) out.
    #[arg(long)]
    pub(crate) no_docs: bool,
    /// Take examples (examples/, workflows/examples/) along.
    #[arg(long)]
    pub(crate) include_examples: bool,
    /// How hard to compress: 0 stores, 9 is smallest.
    #[arg(long, value_name = "LEVEL", default_value_t = 6, value_parser = clap::value_parser!(u8).range(0..=9))]
    pub(crate) compression: u8,
    /// Add a field to the manifest's metadata; VALUE is JSON, or else a string.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) metadata: Vec<String>,
    /// The archive to write, where the format has several (Holon).
    #[arg(long, value_enum)]
    pub(crate) archive: Option<ArchiveArg>,
    /// Carry the dependencies inside, so that it installs with no network.
    #[arg(long)]
    pub(crate) sealed: bool,
    /// A dependency's .lxpkg, to lock or carry; may be given several times.
    #[arg(long, value_name = "FILE")]
    pub(crate) dependency: Vec<PathBuf>,
    /// Take the creation time from the clock, where the format has one. Two builds then differ.
    #[arg(long)]
    pub(crate) stamp: bool,
    /// Build even if nothing changed.
    #[arg(long)]
    pub(crate) no_cache: bool,
    #[command(flatten)]
    pub(crate) hmac: HmacKey,
}

#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// The package: a folder or an archive.
    pub(crate) path: PathBuf,
    /// The format to write.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: FormatArg,
    /// The new source folder; by default named after the package and the format.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The earlier package: a folder or an archive.
    pub(crate) before: PathBuf,
    /// The later one.
    pub(crate) after: PathBuf,
    /// Exit 8 if they differ.
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Unpack {
    /// The package's archive.
    pub(crate) path: PathBuf,
    /// The new folder; by default named after the package.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Debug, Args)]
pub(crate) struct Quickstart {
    /// Keep what is made in this new folder; otherwise it is removed at the end.
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// The format to show.
    #[arg(long, value_enum, default_value = "lexichord")]
    pub(crate) format: FormatArg,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command, e.g. `build`; without it, attache itself.
    pub(crate) command: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct GenerateReference {
    /// The folder to write into.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}
