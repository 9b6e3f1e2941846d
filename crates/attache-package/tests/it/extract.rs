//! Extraction: modes, links, surroundings, and nothing left behind.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

use attache_package::archive::{Content, PackFile};
use attache_package::{ArchiveError, Defect, Digest, PackagePath, Tree, extract};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::{given_folder, in_another_process, listing, open, scratch};
use crate::zip_builder::{Part, Zip};

/// The defects that have a fixture here.
pub(crate) const COVERED: [Defect; 2] = [Defect::TargetExists, Defect::ChangedWhileReading];

fn file(path: &str, bytes: &[u8]) -> PackFile {
    PackFile::bytes(PackagePath::new(path).unwrap(), bytes.to_vec())
}

fn link(path: &str, target: &str) -> PackFile {
    PackFile {
        size: 0,
        digest: Digest::of(target),
        content: Content::Link(target.to_owned()),
        ..file(path, b"")
    }
}

fn sample() -> Tree {
    let run = PackFile {
        executable: true,
        ..file("bin/run", b"#!/bin/sh\n")
    };
    let files = [
        file("a.txt", b"hello"),
        file("a-b/x", b"sorts between a and a/"),
        file("a/deep/er/x", &vec![3; 200_000]),
        file("a/y", b""),
        run,
        link("bin/link", "../a/deep"),
        link("to-a", "a"),
    ];
    Tree::assembled(files).unwrap()
}

fn mode(path: &Path) -> u32 {
    fs_err::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Extracts the sample to `folder/target` and checks everything about it.
fn check_sample(folder: &Path) {
    let target = folder.join("target");
    let tree = sample();
    extract(&tree, &target).unwrap();
    assert_eq!(listing(folder), ["target"], "the temporary folder is gone");
    assert_eq!(listing(&target), ["a", "a-b", "a.txt", "bin", "to-a"]);
    for (path, expected) in [
        ("", 0o755),
        ("a", 0o755),
        ("a/deep/er", 0o755),
        ("a.txt", 0o644),
        ("a/deep/er/x", 0o644),
        ("bin/run", 0o755),
    ] {
        assert_eq!(mode(&target.join(path)), expected, "{path}");
    }
    assert_eq!(
        fs_err::read(target.join("bin/link/er/x")).unwrap().len(),
        200_000
    );
    assert_eq!(
        fs_err::read_link(target.join("to-a")).unwrap(),
        Path::new("a")
    );
    let again = open(&target).unwrap();
    assert_eq!(again.entries(), tree.entries());
}

#[test]
fn everything_arrives_as_it_was() {
    check_sample(scratch().path());
}

#[test]
fn modes_do_not_depend_on_the_umask() {
    if let Some(folder) = given_folder() {
        return check_sample(&folder);
    }
    let this = "extract::modes_do_not_depend_on_the_umask";
    for umask in ["umask 0", "umask 077", "umask 0777"] {
        let dir = scratch();
        in_another_process(this, umask, dir.path());
    }
}

#[test]
fn a_zip_arrives_too() {
    let dir = scratch();
    let mut zip = Zip::new(vec![
        Part::deflated("dir/a", b"hello"),
        Part::stored("run", b"#!/bin/sh\n"),
    ]);
    zip.parts[1].central.attributes = 0o100_777 << 16;
    let path = dir.path().join("zip");
    fs_err::write(&path, zip.write()).unwrap();
    let target = dir.path().join("target");
    extract(&open(&path).unwrap(), &target).unwrap();
    assert_eq!(fs_err::read(target.join("dir/a")).unwrap(), b"hello");
    assert_eq!(mode(&target.join("run")), 0o755);
}

#[test]
fn nothing_is_ever_replaced() {
    #[track_caller]
    fn check(make: fn(&Path)) {
        let dir = scratch();
        let target = dir.path().join("target");
        make(&target);
        let before = listing(dir.path());
        let error = extract(&sample(), &target).unwrap_err();
        assert_eq!(error.defect(), Some(Defect::TargetExists));
        assert_eq!(listing(dir.path()), before);
    }
    check(|target| fs_err::write(target, b"mine").unwrap());
    check(|target| fs_err::create_dir(target).unwrap());
    check(|target| {
        let elsewhere = target.with_file_name("elsewhere");
        fs_err::create_dir(&elsewhere).unwrap();
        symlink(elsewhere, target).unwrap();
    });
    check(|target| symlink("dangling", target).unwrap());
}

#[test]
fn of_two_extractions_one_wins() {
    let dir = scratch();
    let target = dir.path().join("target");
    let results: Vec<_> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| extract(&sample(), &target)))
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let lost = results.iter().filter_map(|r| r.as_ref().err()?.defect());
    assert_eq!(lost.collect::<Vec<_>>(), [Defect::TargetExists; 7]);
    assert_eq!(listing(dir.path()), ["target"]);
    assert_eq!(open(&target).unwrap().entries(), sample().entries());
}

#[test]
fn a_target_without_a_parent_or_name_is_an_error() {
    let dir = scratch();
    let error = extract(&sample(), &dir.path().join("no/such/target")).unwrap_err();
    assert_eq!(error.code(), "ATT-IO");
    assert!(error.to_string().contains("no/such"), "{error}");
    fs_err::write(dir.path().join("file"), b"").unwrap();
    assert!(extract(&sample(), &dir.path().join("file/target")).is_err());
    assert!(extract(&sample(), &dir.path().join("gone/..")).is_err());
    assert_eq!(listing(dir.path()), ["file"]);
}

#[test]
fn a_source_that_changed_leaves_nothing_behind() {
    let dir = scratch();
    let source = dir.path().join("source");
    fs_err::create_dir(&source).unwrap();
    fs_err::write(source.join("a"), b"before").unwrap();
    fs_err::write(source.join("b"), b"before").unwrap();
    let tree = open(&source).unwrap();
    fs_err::write(source.join("b"), b"after!").unwrap();
    let error = extract(&tree, &dir.path().join("target")).unwrap_err();
    assert_eq!(error.defect(), Some(Defect::ChangedWhileReading));
    assert_eq!(listing(dir.path()), ["source"]);

    let zip = |bytes: &[u8]| Zip::new(vec![Part::stored("a", bytes)]).write();
    let path = dir.path().join("zip");
    for (before, after) in [
        (zip(b"before"), zip(b"after!")),
        (zip(b"before"), Vec::new()),
        (zip(&[0; 2 << 20]), zip(&[1; 2 << 20])),
        (zip(&[0; 2 << 20]), Vec::new()),
    ] {
        fs_err::write(&path, before).unwrap();
        let tree = open(&path).unwrap();
        fs_err::write(&path, after).unwrap();
        let error = extract(&tree, &dir.path().join("target")).unwrap_err();
        assert_eq!(error.defect(), Some(Defect::ChangedWhileReading));
        assert_eq!(listing(dir.path()), ["source", "zip"]);
    }
}

/// The shell ignores the signal, so that writing fails as on a full disk.
#[test]
fn a_failing_disk_leaves_nothing_behind() {
    if let Some(folder) = given_folder() {
        return meet_a_failing_disk(&folder);
    }
    let this = "extract::a_failing_disk_leaves_nothing_behind";
    for prelude in ["trap '' XFSZ; ulimit -f 64", "ulimit -n 7"] {
        let dir = scratch();
        in_another_process(this, prelude, dir.path());
    }
}

fn meet_a_failing_disk(folder: &Path) {
    let error = extract(&sample(), &folder.join("target")).unwrap_err();
    assert_eq!(error.code(), "ATT-IO");
    assert!(error.to_string().contains("target"), "{error}");
    assert_eq!(fs_err::read_dir(folder).unwrap().count(), 0);
}

/// Extracts to `target` in a scratch folder, and calls `meddle` half-way with that folder and
/// the temporary one. Returns the error, and checks that nothing was left behind besides.
///
/// A pipe as the source of a file stops the extraction until someone writes to it.
#[track_caller]
fn check_meddling(left: &[&str], meddle: fn(&Path, &Path)) -> ArchiveError {
    let dir = scratch();
    let pipe = dir.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from(0o600), 0).unwrap();
    let work = dir.path().join("work");
    fs_err::create_dir_all(work.join("outside")).unwrap();
    let slow = PackFile {
        content: Content::Disk(pipe.clone()),
        ..file("d/1", b"late")
    };
    let files = [
        file("d/0", b"early"),
        slow,
        file("d/2", b"x"),
        file("d/e/3", b"x"),
        file("z", b"x"),
        // Made last, when `d` has to be opened again.
        link("d/link", "0"),
    ];
    let tree = Tree::assembled(files).unwrap();
    let result = std::thread::scope(|scope| {
        let run = scope.spawn(|| extract(&tree, &work.join("target")));
        let started = Instant::now();
        let temporary = loop {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "it did not start"
            );
            let names = listing(&work).into_iter().map(|name| work.join(name));
            if let Some(found) = names.into_iter().find(|path| path.join("d/0").exists()) {
                break found;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        meddle(&work, &temporary);
        fs_err::write(&pipe, b"late").unwrap();
        run.join().unwrap()
    });
    assert_eq!(listing(&work), left);
    assert_eq!(listing(&work.join("outside")), [""; 0]);
    result.unwrap_err()
}

#[test]
fn a_folder_swapped_for_a_link_half_way_leads_nowhere() {
    let error = check_meddling(&["outside"], |work, temporary| {
        fs_err::rename(temporary.join("d"), temporary.join("moved")).unwrap();
        symlink(work.join("outside"), temporary.join("d")).unwrap();
    });
    assert_eq!(error.code(), "ATT-IO");
}

#[test]
fn a_target_that_appears_half_way_is_not_replaced() {
    let left = ["outside", "target"];
    for meddle in [
        // Even an empty folder, which a plain rename would replace.
        |work: &Path, _: &Path| fs_err::create_dir(work.join("target")).unwrap(),
        |work: &Path, _: &Path| symlink("outside", work.join("target")).unwrap(),
        |work: &Path, _: &Path| fs_err::write(work.join("target"), b"mine").unwrap(),
    ] {
        let error = check_meddling(&left, meddle);
        assert_eq!(error.defect(), Some(Defect::TargetExists), "{error}");
    }
}
