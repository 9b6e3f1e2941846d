//! Extraction into a fresh private folder, which then takes its place in one step.
//!
//! Nothing is ever written where someone else could have put a link: the folder is new and
//! ours alone, it is written through handles, and links are made last. Until the final rename
//! there is no target, and after a failure there is nothing.

use std::io::{self, Read};
use std::path::Path;

use fs_err as fs;

use self::staging::Staging;
use crate::{ArchiveError, Defect, Kind, Tree};

/// Writes every file of `tree` below `target`, which must not exist yet.
///
/// Files get mode 0644, or 0755 if they are executable, whatever the umask; owners and times
/// are not kept. When this returns, the files are on the disk and not only in its cache. On
/// failure nothing is left behind. Of two extractions to one target exactly one wins.
pub fn extract(tree: &Tree, target: &Path) -> Result<(), ArchiveError> {
    // Said early for a person's sake; what counts is the rename at the end.
    if fs::symlink_metadata(target).is_ok() {
        return Err(Defect::TargetExists.whole());
    }
    let unnamed = || io::Error::new(io::ErrorKind::InvalidInput, "the path has no last part");
    let name = target
        .file_name()
        .ok_or_else(|| ArchiveError::io("create", target)(unnamed()))?;
    let parent = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut staging =
        Staging::new(parent).map_err(ArchiveError::io("create a folder in", parent))?;
    let failed = |doing, path: &str| {
        let path = target.join(path);
        move |error| ArchiveError::io(doing, &path)(error)
    };
    tree.visit(
        |_| true,
        |entry, reader| {
            // A failing reader is the archive's fault, a failing writer the disk's.
            let mut reader = Blamed {
                reader,
                failed: false,
            };
            let path = entry.path.as_str();
            let written = staging.file(path, entry.executable, &mut reader);
            written.map_err(|error| match reader.failed {
                true => ArchiveError::io("read", tree.source())(error),
                false => failed("write", path)(error),
            })
        },
    )?;
    for entry in tree.entries() {
        if let Kind::Link { target } = &entry.kind {
            let path = entry.path.as_str();
            staging.link(path, target).map_err(failed("link", path))?;
        }
    }
    staging.sync().map_err(failed("sync", ""))?;
    match staging.rename(name) {
        Err(error) if is_taken(&error) => Err(Defect::TargetExists.whole()),
        done => done.map_err(failed("create", "")),
    }
}

fn is_taken(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty
    )
}

struct Blamed<'a> {
    reader: &'a mut dyn Read,
    failed: bool,
}

impl Read for Blamed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = self.reader.read(buffer);
        self.failed = matches!(&result, Err(e) if e.kind() != io::ErrorKind::Interrupted);
        result
    }
}

#[cfg(unix)]
mod staging {
    use std::collections::BTreeSet;
    use std::ffi::OsStr;
    use std::fs::{File, Permissions};
    use std::io::{self, Read};
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use rayon::prelude::*;
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, fchmod, mkdirat, openat, symlinkat};
    use rustix::fs::{renameat, unlinkat};
    use rustix::io::Errno;
    use tempfile::TempDir;

    const FOLDER: OFlags = OFlags::RDONLY
        .union(OFlags::DIRECTORY)
        .union(OFlags::NOFOLLOW)
        .union(OFlags::CLOEXEC);
    const NEW_FILE: OFlags = OFlags::WRONLY
        .union(OFlags::CREATE)
        .union(OFlags::EXCL)
        .union(OFlags::NOFOLLOW)
        .union(OFlags::CLOEXEC);

    /// The private folder. Dropping it removes it, unless it was renamed.
    pub(super) struct Staging {
        parent: OwnedFd,
        root: OwnedFd,
        /// The folders from the root to the last file, open, so that most files need one call.
        open: Vec<(String, OwnedFd)>,
        folders: BTreeSet<String>,
        files: Vec<String>,
        /// The last to be dropped: where open files are what ran out, removing needs ours back.
        temporary: TempDir,
    }

    impl Staging {
        pub(super) fn new(parent: &Path) -> io::Result<Self> {
            let temporary = tempfile::Builder::new()
                .prefix(".attache-")
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(parent)?;
            let parent = openat(
                CWD,
                parent,
                FOLDER.difference(OFlags::NOFOLLOW),
                Mode::empty(),
            )?;
            let root = openat(&parent, own_name(&temporary), FOLDER, Mode::empty())?;
            Ok(Self {
                parent,
                root,
                open: Vec::new(),
                folders: BTreeSet::new(),
                files: Vec::new(),
                temporary,
            })
        }

        pub(super) fn file(
            &mut self,
            path: &str,
            executable: bool,
            reader: &mut dyn Read,
        ) -> io::Result<()> {
            let (folder, name) = self.folder_of(path)?;
            let mut file = File::from(openat(folder, name, NEW_FILE, Mode::from(0o600))?);
            io::copy(reader, &mut file)?;
            fchmod(&file, Mode::from(if executable { 0o755 } else { 0o644 }))?;
            self.files.push(path.to_owned());
            Ok(())
        }

        pub(super) fn link(&mut self, path: &str, target: &str) -> io::Result<()> {
            let (folder, name) = self.folder_of(path)?;
            Ok(symlinkat(target, folder, name)?)
        }

        /// Opens, and makes where it is missing, the folder that `path` lies in.
        fn folder_of<'a>(&mut self, path: &'a str) -> io::Result<(&OwnedFd, &'a str)> {
            let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
            let wanted: Vec<_> = folders.split('/').filter(|f| !f.is_empty()).collect();
            let shared = self
                .open
                .iter()
                .zip(&wanted)
                .take_while(|((open, _), wanted)| open == *wanted)
                .count();
            self.open.truncate(shared);
            for depth in shared..wanted.len() {
                let parent = self.open.last().map_or(&self.root, |(_, handle)| handle);
                let whole = wanted[..=depth].join("/");
                let is_new = !self.folders.contains(&whole);
                if is_new {
                    mkdirat(parent, wanted[depth], Mode::from(0o700))?;
                }
                let handle = openat(parent, wanted[depth], FOLDER, Mode::empty())?;
                if is_new {
                    fchmod(&handle, Mode::from(0o755))?;
                    self.folders.insert(whole);
                }
                self.open.push((wanted[depth].to_owned(), handle));
            }
            Ok((self.open.last().map_or(&self.root, |(_, h)| h), name))
        }

        /// Brings every file and folder to the disk. Done at the end and in parallel, since
        /// the file system then writes many files in one go.
        pub(super) fn sync(&self) -> io::Result<()> {
            let sync = |path: &String, flags: OFlags| -> io::Result<()> {
                let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
                let mut folder = None;
                for part in folders.split('/').filter(|f| !f.is_empty()) {
                    let parent = folder.as_ref().unwrap_or(&self.root);
                    folder = Some(openat(parent, part, FOLDER, Mode::empty())?);
                }
                let parent = folder.as_ref().unwrap_or(&self.root);
                File::from(openat(parent, name, flags, Mode::empty())?).sync_all()
            };
            let file = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            self.files
                .par_iter()
                .try_for_each(|path| sync(path, file))?;
            let folders: Vec<_> = self.folders.iter().collect();
            folders.par_iter().try_for_each(|path| sync(path, FOLDER))?;
            fchmod(&self.root, Mode::from(0o755))?;
            Ok(rustix::fs::fsync(&self.root)?)
        }

        /// Moves the finished folder to its place beside it, where nothing may be.
        pub(super) fn rename(self, name: &OsStr) -> io::Result<()> {
            let own = own_name(&self.temporary).to_owned();
            self.rename_fresh(&own, name)?;
            // It has left its old place; there is nothing to remove.
            let _ = self.temporary.keep();
            Ok(rustix::fs::fsync(&self.parent)?)
        }

        fn rename_fresh(&self, own: &OsStr, name: &OsStr) -> io::Result<()> {
            #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
            {
                use rustix::fs::{RenameFlags, renameat_with};
                let flags = RenameFlags::NOREPLACE;
                match renameat_with(&self.parent, own, &self.parent, name, flags) {
                    // Some file systems cannot do it.
                    Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => {}
                    done => return Ok(done?),
                }
            }
            self.rename_over_own(own, name)
        }

        /// Renames without the system's help: making the target is exclusive, and a rename
        /// replaces an empty folder in one step.
        pub(super) fn rename_over_own(&self, own: &OsStr, name: &OsStr) -> io::Result<()> {
            mkdirat(&self.parent, name, Mode::from(0o700))?;
            match renameat(&self.parent, own, &self.parent, name) {
                Ok(()) => Ok(()),
                Err(error) => {
                    let _ = unlinkat(&self.parent, name, AtFlags::REMOVEDIR);
                    Err(error.into())
                }
            }
        }
    }

    fn own_name(temporary: &TempDir) -> &OsStr {
        temporary.path().file_name().unwrap_or_default()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn without_the_systems_help_only_one_still_wins() {
            let dir = tempfile::tempdir().unwrap();
            let (one, two) = (
                Staging::new(dir.path()).unwrap(),
                Staging::new(dir.path()).unwrap(),
            );
            let name = OsStr::new("target");
            let rename = |s: &Staging| s.rename_over_own(own_name(&s.temporary), name);
            rename(&one).unwrap();
            assert_eq!(
                rename(&two).unwrap_err().kind(),
                io::ErrorKind::AlreadyExists
            );
            drop((one, two));
            assert_eq!(fs_err::read_dir(dir.path()).unwrap().count(), 1);
        }
    }
}

#[cfg(not(unix))]
mod staging {
    use std::ffi::OsStr;
    use std::io::{self, Read};
    use std::path::Path;

    use fs_err as fs;
    use tempfile::TempDir;

    /// The private folder. Dropping it removes it, unless it was renamed.
    pub(super) struct Staging {
        temporary: TempDir,
    }

    impl Staging {
        pub(super) fn new(parent: &Path) -> io::Result<Self> {
            let temporary = tempfile::Builder::new()
                .prefix(".attache-")
                .tempdir_in(parent)?;
            Ok(Self { temporary })
        }

        pub(super) fn file(
            &mut self,
            path: &str,
            _executable: bool,
            reader: &mut dyn Read,
        ) -> io::Result<()> {
            let path = self.temporary.path().join(path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut file = fs::File::create_new(path)?;
            io::copy(reader, &mut file)?;
            file.sync_all()
        }

        pub(super) fn link(&mut self, _path: &str, _target: &str) -> io::Result<()> {
            Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "symbolic links are not made on this system",
            ))
        }

        pub(super) fn sync(&self) -> io::Result<()> {
            Ok(())
        }

        pub(super) fn rename(self, name: &OsStr) -> io::Result<()> {
            let target = self.temporary.path().with_file_name(name);
            // Windows does not replace a folder.
            fs::rename(self.temporary.path(), target)?;
            let _ = self.temporary.keep();
            Ok(())
        }
    }
}
