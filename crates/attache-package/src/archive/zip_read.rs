//! The strict zip reader.
//!
//! Two passes, both before anyone sees an entry. [`structure`] reads the records and proves
//! that they tile the file: every byte belongs to exactly one record, and the two headers of
//! an entry agree. Then [`unpack`] inflates every entry once, which proves lengths and
//! checksums and gives the digests. A reader that starts at the front and one that starts at
//! the back therefore see the same files.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use rayon::prelude::*;

use self::source::Source;
use self::structure::Listed;
use self::unpack::{Scratch, Stream};
use crate::{ArchiveError, Defect, Entry, Kind, Limits};

mod extra;
mod source;
mod structure;
mod unpack;

/// A zip that passed the check, ready to be read again.
#[derive(Debug)]
pub(crate) struct ZipTree {
    source: Source,
    files: HashMap<String, Listed>,
    /// The root folder that was dropped, with its `/`; empty if none was.
    dropped: String,
}

impl ZipTree {
    /// Checks the whole zip and unpacks every entry once.
    pub(crate) fn open(
        file: File,
        path: &Path,
        limits: &Limits,
    ) -> Result<(Self, Vec<Entry>), ArchiveError> {
        let source = Source::new(file, path)?;
        let listed = structure::read(&source, limits)?;
        check_sizes(&listed, limits)?;
        // Collected before the first error is chosen: whichever thread is faster, the same
        // archive is refused for the same reason.
        let digests: Vec<_> = listed
            .par_iter()
            .map_init(Scratch::default, |scratch, entry| {
                unpack::verify(&source, entry, scratch)
            })
            .collect();
        let mut entries = Vec::with_capacity(listed.len());
        let mut files = HashMap::with_capacity(listed.len());
        for (file, digest) in listed.into_iter().zip(digests) {
            let digest = digest?;
            if file.folder {
                continue;
            }
            entries.push(Entry {
                path: file.path.clone(),
                kind: Kind::File,
                size: file.size,
                executable: file.executable,
                digest,
            });
            files.insert(file.path.as_str().to_owned(), file);
        }
        let zip = Self {
            source,
            files,
            dropped: String::new(),
        };
        Ok((zip, entries))
    }

    pub(crate) fn flattened(self, root: &str) -> Self {
        let dropped = format!("{}{root}/", self.dropped);
        Self { dropped, ..self }
    }

    pub(crate) fn visit(
        &self,
        entries: &[Entry],
        wanted: &dyn Fn(&Entry) -> bool,
        each: &mut dyn FnMut(&Entry, &mut dyn Read) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let mut scratch = Scratch::default();
        for entry in entries.iter().filter(|e| wanted(e)) {
            let name = format!("{}{}", self.dropped, entry.path);
            let Some(file) = self.files.get(&name) else {
                unreachable!("every entry came from this zip")
            };
            if let Some(mut bytes) = unpack::small(&self.source, file, &mut scratch)? {
                each(entry, &mut bytes)?;
            } else {
                each(entry, &mut Stream::new(&self.source, file))?;
            }
        }
        Ok(())
    }
}

/// Checks the stated sizes against the limits. Unpacking stops at the stated size of each
/// entry, so what is counted here is what can come out.
fn check_sizes(listed: &[Listed], limits: &Limits) -> Result<(), ArchiveError> {
    if let Some(large) = listed.iter().find(|e| e.size > limits.file_bytes) {
        return Err(Defect::FileBytes.at(large.path.as_str()));
    }
    let total = |size: fn(&Listed) -> u64| {
        listed
            .iter()
            .fold(0_u64, |sum, entry| sum.saturating_add(size(entry)))
    };
    let (unpacked, packed) = (total(|e| e.size), total(|e| e.packed));
    if unpacked > limits.total_bytes {
        return Err(Defect::TotalBytes.whole());
    }
    if unpacked > Limits::RATIO_FREE && unpacked > packed.saturating_mul(limits.ratio) {
        return Err(Defect::Ratio.whole());
    }
    Ok(())
}
