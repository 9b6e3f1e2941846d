//! Building: an output that is whole or not there, in bounded memory.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use attache_package::build::{BuildOptions, Plan, plan, write};
use attache_package::formats::{FormatName, Package};
use attache_package::{ArchiveError, Compression, Defect, Tree};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::{given_folder, in_another_process, listing, open, scratch};

/// The defects that have a fixture here.
pub(crate) const COVERED: [Defect; 1] = [Defect::OutputKind];

/// A small agent, with these files besides.
fn planned(more: Vec<(&str, Vec<u8>)>) -> Plan {
    let id = "demo".parse().unwrap();
    let format = FormatName::AgentForge.format();
    let files = format.scaffold(&id, "2026-01-31T12:00:00Z").unwrap();
    let files = files.into_iter().map(|f| (f.path, f.bytes)).chain(more);
    let package = Package::detect(Tree::from_bytes(files).unwrap(), None).unwrap();
    plan(&package, &BuildOptions::default(), false).unwrap()
}

fn write_to(plan: &Plan, output: &Path) -> Result<(), ArchiveError> {
    write(plan, Compression::default(), output).map(|_| ())
}

#[test]
fn an_output_that_is_no_ordinary_file_is_left_alone() {
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    fs_err::write(at("file"), b"mine").unwrap();
    symlink("file", at("link")).unwrap();
    symlink("nothing", at("dangling")).unwrap();
    fs_err::create_dir(at("folder")).unwrap();
    mknodat(CWD, at("pipe"), FileType::Fifo, Mode::from(0o600), 0).unwrap();
    let before = listing(dir.path());
    let plan = planned(Vec::new());
    for name in ["link", "dangling", "folder", "pipe"] {
        let error = write_to(&plan, &at(name)).unwrap_err();
        assert_eq!(error.defect(), Some(Defect::OutputKind), "{name}");
        assert!(error.to_string().contains(name), "{error}");
    }
    assert_eq!(listing(dir.path()), before);
    assert_eq!(fs_err::read(at("file")).unwrap(), b"mine");
    assert_eq!(fs_err::read_link(at("link")).unwrap(), Path::new("file"));

    write_to(&plan, &at("file")).unwrap();
    open(&at("file")).unwrap();
    write_to(&plan, &at("new/deep/file")).unwrap();
    assert_eq!(listing(&at("new/deep")), ["file"]);
}

#[test]
fn an_output_has_the_mode_that_the_umask_gives() {
    if let Some(folder) = given_folder() {
        return write_to(&planned(Vec::new()), &folder.join("out")).unwrap();
    }
    let this = "build::an_output_has_the_mode_that_the_umask_gives";
    for (mask, expected) in [("022", 0o644), ("002", 0o664), ("077", 0o600)] {
        let dir = scratch();
        in_another_process(this, &format!("umask {mask}"), dir.path());
        let metadata = fs_err::metadata(dir.path().join("out")).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o7777, expected, "{mask}");
    }
}

/// The shell ignores the signal, so that writing fails as on a full disk.
#[test]
fn a_full_disk_is_told_by_the_name_of_the_output() {
    if let Some(folder) = given_folder() {
        let output = folder.join("out");
        let error = write_to(&planned(noise()), &output).unwrap_err();
        let expected = format!("could not write `{}`: file too large", output.display());
        assert_eq!(error.to_string(), expected);
        assert_eq!(fs_err::read(&output).unwrap(), b"earlier");
        assert_eq!(listing(&folder), ["out"]);
        return;
    }
    let dir = scratch();
    fs_err::write(dir.path().join("out"), b"earlier").unwrap();
    let this = "build::a_full_disk_is_told_by_the_name_of_the_output";
    in_another_process(this, "trap '' XFSZ; ulimit -f 64", dir.path());
}

#[test]
fn an_output_that_nobody_may_write_is_named() {
    // Not even an administrator can make a file there.
    let output = Path::new("/proc/out.zip");
    let error = write_to(&planned(Vec::new()), output).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("could not write `/proc/out.zip`: "),
        "{text}"
    );
    assert!(
        !text.contains(".tmp") && !text.contains("os error"),
        "{text}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_is_not_finished_has_no_name() {
    let dir = scratch();
    let pipe = dir.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from(0o600), 0).unwrap();
    let work = dir.path().join("work");
    fs_err::create_dir(&work).unwrap();
    let mut plan = planned(Vec::new());
    // A pipe as the source of a file stops the writing until someone writes to it.
    let slow = attache_package::archive::PackFile {
        content: attache_package::archive::Content::Disk(pipe.clone()),
        ..attache_package::archive::PackFile::bytes(
            attache_package::PackagePath::new("slow").unwrap(),
            b"late".to_vec(),
        )
    };
    plan.tree = Tree::assembled([slow]).unwrap();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| write_to(&plan, &work.join("out")));
        // Opening the other end waits until it is being read.
        let mut writer = fs_err::OpenOptions::new().write(true).open(&pipe).unwrap();
        assert_eq!(listing(&work), [""; 0], "half-way");
        std::io::Write::write_all(&mut writer, b"late").unwrap();
        drop(writer);
        run.join().unwrap().unwrap();
    });
    assert_eq!(listing(&work), ["out"]);
}

/// Files that do not compress.
fn noise() -> Vec<(&'static str, Vec<u8>)> {
    let mut state = 1_u32;
    let bytes = (0..200_000).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    vec![("prompts/noise.bin", bytes.collect())]
}
