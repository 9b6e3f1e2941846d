//! What a package is: names, versions, ranges, digests, strict archives and the five formats.
//!
//! The one idea: **bytes from outside are refused whole, or they have exactly one meaning.**
//! [`Tree::open`] checks a zip, tar or folder completely before anyone reads a file from it;
//! a [`Format`](formats::Format) then turns that tree into one [`Manifest`], or into every
//! problem it has, all at once. Going the other way, [`pack`] writes the same bytes for
//! the same input on any machine.
//!
//! Start at [`formats`]: one table of five dialects, one folder each. Not here: *which*
//! versions go together (`attache-resolve`), *who signed them* (`attache-trust`), and where
//! they live once installed (`attache-store`). This crate never touches the network, never
//! reads the environment or the clock, and writes nothing but the one output it is told to.

pub use archive::{ArchiveError, Compression, Container, Defect, Limits, extract, pack};
pub use diagnostic::{Diagnostics, Problem, Rule, Severity};
pub use digest::{Digest, DigestWriter};
pub use manifest::{
    Capability, Dependency, FileRecord, Launch, LicenseTier, Manifest, Platform, Requirement,
};
pub use name::{InvalidName, PackageName};
pub use path::{InvalidPath, PackagePath};
pub use range::{InvalidRange, Range};
pub use tree::{Entry, Kind, Tree};
pub use version::{InvalidVersion, Pin, Release, Version};

pub mod archive;
pub mod build;
pub mod convert;
mod diagnostic;
mod digest;
pub mod fields;
pub mod formats;
mod manifest;
mod name;
mod path;
mod range;
pub mod text;
mod tree;
mod version;
