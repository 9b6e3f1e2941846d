//! The words of the command line. Every page of the reference is made from these.

use std::path::PathBuf;

use attache_package::formats::FormatName;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// The package manager and runtime for AI agents.
///
/// Builds, checks, inspects, converts and compares agent packages in five formats: Lexichord
/// .lxpkg, Nexo zip, Holon bundle, AgentForge pack and Nanobot Markdown. Chooses versions that go
/// together, says why when none do, and locks them.
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
    /// Choose versions that go together, and write them down in attache.lock.
    ///
    /// What the lock holds stays wherever it still fits. Exits 4 if no versions go together, with
    /// the reason.
    Lock(Lock),
    /// Show who needs whom.
    ///
    /// By the lock if it is up to date, else by what `attache lock` would write.
    Tree(Tree),
    /// Say why a package is needed, or why it was left out.
    Why(Why),
    /// Say which locked packages have newer versions, and what holds them back.
    Outdated(Outdated),
    /// Make an index of a folder of packages, to resolve from later or on another machine.
    Index(Index),
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
    /// A dependency's .lxpkg, to lock or carry, instead of what attache.lock holds; may be given
    /// several times.
    #[arg(long, value_name = "FILE")]
    pub(crate) dependency: Vec<PathBuf>,
    /// Where --sealed finds what attache.lock holds, besides where attache.toml says; may be
    /// given several times.
    #[arg(long, value_name = "[NAME=]PATH")]
    pub(crate) index: Vec<String>,
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

/// Where versions come from, and what counts.
#[derive(Debug, Args)]
pub(crate) struct Resolve {
    /// Where versions come from: a folder of packages or an index file, in front of those that
    /// attache.toml names; may be given several times.
    #[arg(long, value_name = "[NAME=]PATH")]
    pub(crate) index: Vec<String>,
    /// Replace whatever anyone requires of a package; may be given several times.
    #[arg(long = "override", value_name = "ID=RANGE")]
    pub(crate) overrides: Vec<String>,
    /// Which of several versions that fit is taken; otherwise what attache.toml says, otherwise
    /// the highest.
    #[arg(long, value_enum)]
    pub(crate) strategy: Option<StrategyArg>,
    /// Resolve for this platform.
    #[arg(long, value_name = "OS/ARCH[/LIBC]")]
    pub(crate) platform: Option<String>,
    /// Resolve for a host program of this version.
    #[arg(long, value_name = "NAME=VERSION")]
    pub(crate) engine: Vec<String>,
    /// Resolve for a language runtime of this version, e.g. python=3.12.
    #[arg(long, value_name = "NAME=VERSION")]
    pub(crate) runtime: Vec<String>,
    /// Resolve for this very machine: its platform, its Python and its Node.
    #[arg(long)]
    pub(crate) this_host: bool,
    /// Give up after this many steps of the search.
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub(crate) max_steps: u64,
    /// Use only what is on this machine, and say what is missing.
    #[arg(long)]
    pub(crate) offline: bool,
    /// Exit 8 if the lock is not what it should be, and change nothing.
    #[arg(long)]
    pub(crate) frozen: bool,
}

/// Which of several versions that fit is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyArg {
    /// The highest.
    Highest,
    /// The lowest, which shows whether lower bounds are true.
    Lowest,
}

#[derive(Debug, Args)]
pub(crate) struct Lock {
    /// A workspace (a folder with an attache.toml) or an agent's folder.
    #[arg(default_value = ".")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) resolve: Resolve,
    /// Exit 8 if the lock would change, and change nothing.
    #[arg(long)]
    pub(crate) check: bool,
    /// Say what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Let every package move to the version that fits best now.
    #[arg(long)]
    pub(crate) upgrade: bool,
    /// Let this package move, while the others stay where they can; may be given several times.
    #[arg(long, value_name = "ID")]
    pub(crate) upgrade_package: Vec<String>,
}

/// How a tree is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DrawnArg {
    /// With lines, for a terminal.
    Text,
    /// In Graphviz' language.
    Dot,
    /// As a picture.
    Svg,
}

#[derive(Debug, Args)]
pub(crate) struct Tree {
    /// A workspace, an agent's folder, or a package.
    #[arg(default_value = ".")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) resolve: Resolve,
    /// Start from this package; may be given several times.
    #[arg(short, long, value_name = "ID")]
    pub(crate) package: Vec<String>,
    /// Show who needs a package, instead of what it needs.
    #[arg(long)]
    pub(crate) invert: bool,
    /// How many steps to show; text only.
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<usize>,
    /// How to draw it.
    #[arg(long = "as", value_enum, default_value = "text", value_name = "KIND")]
    pub(crate) drawn: DrawnArg,
    /// The file to draw into.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Why {
    /// The package.
    pub(crate) id: String,
    /// A workspace, an agent's folder, or a package.
    #[arg(default_value = ".")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) resolve: Resolve,
}

#[derive(Debug, Args)]
pub(crate) struct Outdated {
    /// A workspace (a folder with an attache.toml) or an agent's folder.
    #[arg(default_value = ".")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) resolve: Resolve,
    /// Exit 8 if anything is outdated.
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Index {
    /// The folder of packages; the folders in it count too.
    #[arg(default_value = ".", value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The file to write; by default index.jsonl in that folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The name that locks give to what comes from here.
    #[arg(long)]
    pub(crate) name: Option<String>,
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
