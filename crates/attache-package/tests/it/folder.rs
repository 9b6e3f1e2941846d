//! Folders: what belongs to the package, what is left out, and what is refused.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use attache_package::archive::{Content, PackFile, folder_stamp, folder_stamp_without};
use attache_package::{Defect, Digest, Kind, Limits, PackagePath, Tree};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::{contents, given_folder, in_another_process_as, open, paths, scratch};

/// The defects that have a fixture here, besides those of names, which zips cover too.
pub(crate) const COVERED: [Defect; 15] = [
    Defect::InvalidUtf8,
    Defect::LinkEscapes,
    Defect::LinkBroken,
    Defect::ThroughLink,
    Defect::Device,
    Defect::Fifo,
    Defect::Socket,
    Defect::SpecialBits,
    Defect::IgnoreFile,
    Defect::ChangedWhileReading,
    Defect::Twin,
    Defect::GitFolder,
    Defect::TotalBytes,
    Defect::FileBytes,
    Defect::EntryCount,
];

fn write(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, bytes).unwrap();
}

fn chmod(path: &Path, mode: u32) {
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Checks that a folder is refused, by opening it and by stamping it.
#[track_caller]
fn check_refused(defect: Defect, make: impl FnOnce(&Path)) {
    let dir = scratch();
    write(dir.path(), "good.txt", b"good");
    make(dir.path());
    assert_eq!(open(dir.path()).unwrap_err().defect(), Some(defect));
    assert_eq!(folder_stamp(dir.path()).unwrap_err().defect(), Some(defect));
}

#[track_caller]
fn check_taken(ignore: &[(&str, &str)], files: &[&str], taken: &[&str]) {
    let dir = scratch();
    for (path, text) in ignore {
        write(dir.path(), path, text.as_bytes());
    }
    for file in files {
        write(dir.path(), file, file.as_bytes());
    }
    let tree = open(dir.path()).unwrap();
    assert_eq!(paths(&tree), taken);
    let stamps = folder_stamp(dir.path()).unwrap();
    let stamped: Vec<_> = stamps.iter().map(|stamp| stamp.path.as_str()).collect();
    assert_eq!(stamped, taken);
}

#[test]
fn a_folder_is_read_as_it_is() {
    let dir = scratch();
    write(dir.path(), "b/run.sh", b"#!/bin/sh\n");
    chmod(&dir.path().join("b/run.sh"), 0o700);
    write(dir.path(), "a.txt", &vec![7; 300_000]);
    write(dir.path(), ".hidden/.rc", b"");
    fs_err::create_dir(dir.path().join("nothing-in-it")).unwrap();
    symlink("../a.txt", dir.path().join("b/link")).unwrap();
    symlink("b", dir.path().join("to-folder")).unwrap();

    let tree = open(dir.path()).unwrap();
    assert_eq!(
        paths(&tree),
        [".hidden/.rc", "a.txt", "b/link", "b/run.sh", "to-folder"]
    );
    let get = |path| tree.get(path).unwrap();
    assert!(get("b/run.sh").executable && !get("a.txt").executable);
    assert_eq!(get("a.txt").digest, Digest::of(vec![7; 300_000]));
    let link = get("b/link");
    let target = "../a.txt".to_owned();
    assert_eq!((&link.kind, link.size), (&Kind::Link { target }, 0));
    assert_eq!(link.digest, Digest::of("../a.txt"));
    assert_eq!(tree.read("b/run.sh").unwrap().unwrap(), b"#!/bin/sh\n");
    assert_eq!(contents(&tree).len(), 3, "links are not visited");
    let on_disk = tree.disk_path(get("a.txt")).unwrap();
    assert_eq!(fs_err::read(on_disk).unwrap().len(), 300_000);
}

#[test]
fn the_folder_itself_may_be_a_link() {
    let dir = scratch();
    write(dir.path(), "real/a", b"x");
    symlink("real", dir.path().join("link")).unwrap();
    assert_eq!(paths(&open(&dir.path().join("link")).unwrap()), ["a"]);
}

#[test]
fn a_dropped_root_reads_back() {
    let dir = scratch();
    write(dir.path(), "root/sub/a", b"x");
    let tree = open(dir.path()).unwrap().flattened();
    assert_eq!(tree.read("sub/a").unwrap().unwrap(), b"x");
    let on_disk = tree.disk_path(tree.get("sub/a").unwrap()).unwrap();
    assert_eq!(fs_err::read(on_disk).unwrap(), b"x");
    let tree = tree.flattened();
    assert_eq!(tree.read("a").unwrap().unwrap(), b"x");
}

#[test]
fn a_root_that_a_link_needs_is_not_dropped() {
    let dir = scratch();
    write(dir.path(), "root/a", b"x");
    symlink("../root/a", dir.path().join("root/link")).unwrap();
    let tree = open(dir.path()).unwrap().flattened();
    assert_eq!(paths(&tree), ["root/a", "root/link"]);
}

#[test]
fn nobody_publishes_caches_and_histories() {
    check_taken(
        &[],
        &[
            ".git/config",
            "sub/.git/config",
            ".attache/db",
            ".hg/x",
            "sub/.svn/x",
            ".DS_Store",
            "sub/Thumbs.db",
            "__pycache__/x.py",
            "sub/x.pyc",
            ".venv/bin/python",
            "old.lxpkg",
            "sub/inner.lxpkg",
            "x-1.0.0.nanobot.zip",
            "agent-bundle-x.tar.zst",
            ".gitignore",
            "node_modules/x.js",
            "data.zip",
        ],
        &[
            ".gitignore",
            "data.zip",
            "node_modules/x.js",
            "sub/inner.lxpkg",
        ],
    );
}

#[test]
fn nobody_publishes_secrets_by_accident() {
    let files = [
        ".env",
        ".env.local",
        "sub/.env.production",
        ".env.example",
        "sub/.env.example",
        ".envrc",
        "x.env",
    ];
    let rest = [".env.example", ".envrc", "sub/.env.example", "x.env"];
    check_taken(&[], &files, &rest);
    check_taken(
        &[(".attacheignore", "!/.env\n")],
        &[".env", ".env.x"],
        &[".env"],
    );
}

#[test]
fn what_a_build_wrote_is_left_out_by_its_exact_name() {
    let dir = scratch();
    for name in ["demo.zip", "data.zip", "sub/demo.zip", "out/x"] {
        write(dir.path(), name, b"x");
    }
    write(dir.path(), ".attacheignore", b"!demo.zip\n");
    let left_out = ["./demo.zip".into(), "out".into()];
    let tree = Tree::open_without(dir.path(), &Limits::default(), &left_out).unwrap();
    assert_eq!(paths(&tree), ["data.zip", "sub/demo.zip"]);
    let stamps = folder_stamp_without(dir.path(), &left_out).unwrap();
    let stamped: Vec<_> = stamps.iter().map(|stamp| stamp.path.as_str()).collect();
    assert_eq!(stamped, paths(&tree));
}

#[test]
fn an_ignore_file_has_the_last_word_in_its_folder() {
    check_taken(
        &[(
            ".attacheignore",
            "# comment\n*.log\n!keep.log\n/top\nbuild/\n!*.pyc\n",
        )],
        &[
            "a.log",
            "keep.log",
            "top",
            "sub/top",
            "sub/b.log",
            "build/x",
            "sub/build",
            "x.pyc",
        ],
        &["keep.log", "sub/build", "sub/top", "x.pyc"],
    );
    check_taken(
        &[
            (".attacheignore", "*.log\n"),
            ("sub/.attacheignore", "!b.log\n/c\n"),
        ],
        &[
            "a.log",
            "sub/b.log",
            "sub/c",
            "c",
            "sub/deep/c",
            "sub/deep/b.log",
        ],
        &["c", "sub/b.log", "sub/deep/b.log", "sub/deep/c"],
    );
    // Nobody else's rules count.
    check_taken(
        &[(".gitignore", "a\n"), (".ignore", "a\n")],
        &["a"],
        &[".gitignore", ".ignore", "a"],
    );
}

#[test]
fn an_ignore_file_above_the_folder_does_not_count() {
    let dir = scratch();
    write(dir.path(), ".attacheignore", b"*\n");
    write(dir.path(), "sub/a", b"x");
    assert_eq!(paths(&open(&dir.path().join("sub")).unwrap()), ["a"]);
}

#[test]
fn an_ignored_thing_may_be_anything() {
    let dir = scratch();
    write(dir.path(), ".attacheignore", b"x-*\n");
    write(dir.path(), "a", b"x");
    symlink("/etc", dir.path().join("x-link")).unwrap();
    mknodat(
        CWD,
        dir.path().join("x-pipe"),
        FileType::Fifo,
        Mode::from(0o600),
        0,
    )
    .unwrap();
    assert_eq!(paths(&open(dir.path()).unwrap()), ["a"]);
}

#[test]
fn an_ignore_file_that_cannot_be_understood_is_refused() {
    check_refused(Defect::IgnoreFile, |dir| {
        write(dir, ".attacheignore", b"\xff");
    });
    check_refused(Defect::IgnoreFile, |dir| {
        write(dir, ".attacheignore", b"[z-a]\n");
    });
    check_refused(Defect::IgnoreFile, |dir| {
        write(dir, "sub/.attacheignore/x", b"");
    });
    check_refused(Defect::IgnoreFile, |dir| {
        symlink("good.txt", dir.join(".attacheignore")).unwrap();
    });
    check_refused(Defect::IgnoreFile, |dir| {
        write(dir, ".attacheignore", &b"long\n".repeat(300_000));
    });
}

#[test]
fn what_no_package_can_hold_is_refused() {
    let node = |path: &Path, kind| mknodat(CWD, path, kind, Mode::from(0o600), 0).unwrap();
    // The one device that Linux lets anybody make, number 0:0.
    check_refused(Defect::Device, |dir| {
        node(&dir.join("x"), FileType::CharacterDevice);
    });
    check_refused(Defect::Fifo, |dir| node(&dir.join("x"), FileType::Fifo));
    check_refused(Defect::Socket, |dir| {
        UnixListener::bind(dir.join("x")).unwrap();
    });
    check_refused(Defect::SpecialBits, |dir| {
        chmod(&dir.join("good.txt"), 0o4755);
    });
    check_refused(Defect::SpecialBits, |dir| {
        chmod(&dir.join("good.txt"), 0o1644);
    });
    check_refused(Defect::LinkEscapes, |dir| {
        symlink("/etc/passwd", dir.join("x")).unwrap();
    });
    check_refused(Defect::LinkEscapes, |dir| {
        symlink("../x", dir.join("x")).unwrap();
    });
    check_refused(Defect::LinkEscapes, |dir| {
        symlink(std::ffi::OsStr::from_bytes(b"\xff"), dir.join("x")).unwrap();
    });
    check_refused(Defect::LinkBroken, |dir| {
        symlink("nothing", dir.join("x")).unwrap();
    });
    check_refused(Defect::LinkBroken, |dir| {
        symlink("x", dir.join("x")).unwrap();
    });
    // What is left out is not there.
    check_refused(Defect::LinkBroken, |dir| {
        write(dir, ".attacheignore", b"secret\n");
        write(dir, "secret", b"");
        symlink("./secret", dir.join("x")).unwrap();
    });
    check_refused(Defect::InvalidUtf8, |dir| {
        fs_err::write(dir.join(std::ffi::OsStr::from_bytes(b"\xff")), b"").unwrap();
    });
    check_refused(Defect::Backslash, |dir| write(dir, "a\\b", b""));
    check_refused(Defect::ControlCharacter, |dir| write(dir, "a\nb", b""));
    check_refused(Defect::WindowsCharacter, |dir| write(dir, "a|b", b""));
    check_refused(Defect::DeviceName, |dir| write(dir, "sub/nul.txt", b""));
    check_refused(Defect::TrailingDotOrSpace, |dir| write(dir, "sub./x", b""));
    check_refused(Defect::NotNfc, |dir| write(dir, "u\u{308}", b""));
    check_refused(Defect::DeepPath, |dir| {
        write(dir, &format!("{}y", "x/".repeat(32)), b"");
    });
    check_refused(Defect::GitFolder, |dir| {
        write(dir, ".attacheignore", b"!.git\n");
        write(dir, ".git/config", b"");
    });
    check_refused(Defect::GitFolder, |dir| write(dir, ".GIT/config", b""));
    check_refused(Defect::Twin, |dir| write(dir, "Good.txt", b""));
    check_refused(Defect::Twin, |dir| {
        write(dir, "sub/a", b"");
        write(dir, "SUB/b", b"");
    });
}

#[test]
fn a_pipe_or_device_is_refused_without_waiting_for_it() {
    let dir = scratch();
    let pipe = dir.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from(0o600), 0).unwrap();
    let socket = dir.path().join("socket");
    let _open = UnixListener::bind(&socket).unwrap();
    symlink("pipe", dir.path().join("link")).unwrap();
    let device = Path::new("/dev/null").to_owned();
    for path in [pipe, socket, dir.path().join("link"), device] {
        let (answer, wait) = std::sync::mpsc::channel();
        let opened = path.clone();
        std::thread::spawn(move || answer.send(open(&opened).map(|_| ())));
        let result = wait.recv_timeout(std::time::Duration::from_secs(20));
        let error = result.expect("it waits").unwrap_err();
        assert_eq!(error.defect(), Some(Defect::UnknownContainer), "{path:?}");
    }
}

#[test]
fn nothing_lies_behind_a_link() {
    let path = |text| PackagePath::new(text).unwrap();
    let link = PackFile {
        content: Content::Link("elsewhere".into()),
        ..PackFile::bytes(path("a"), Vec::new())
    };
    let below = PackFile::bytes(path("a/b"), Vec::new());
    let error = Tree::assembled([link, below]).unwrap_err();
    assert_eq!(error.defect(), Some(Defect::ThroughLink));
}

#[test]
fn limits_hold_and_are_exact() {
    let dir = scratch();
    write(dir.path(), "a", b"12345");
    write(dir.path(), "sub/b", b"123");
    let exact = Limits {
        total_bytes: 8,
        file_bytes: 5,
        entries: 3,
        ..Limits::default()
    };
    let defect = |limits: Limits| {
        Tree::open(dir.path(), &limits)
            .err()
            .and_then(|e| e.defect())
    };
    assert_eq!(defect(exact), None);
    let total = Limits {
        total_bytes: 7,
        ..exact
    };
    assert_eq!(defect(total), Some(Defect::TotalBytes));
    let file = Limits {
        file_bytes: 4,
        ..exact
    };
    assert_eq!(defect(file), Some(Defect::FileBytes));
    let entries = Limits {
        entries: 2,
        ..exact
    };
    assert_eq!(defect(entries), Some(Defect::EntryCount));
}

#[test]
fn a_change_after_opening_is_noticed() {
    #[track_caller]
    fn check(change: fn(&Path)) {
        let dir = scratch();
        write(dir.path(), "sub/a", b"before");
        let tree = open(dir.path()).unwrap();
        change(dir.path());
        let error = tree.read("sub/a").unwrap_err();
        assert_eq!(error.defect(), Some(Defect::ChangedWhileReading), "{error}");
    }
    check(|dir| write(dir, "sub/a", b"after!"));
    check(|dir| write(dir, "sub/a", b"longer than before"));
    check(|dir| fs_err::remove_file(dir.join("sub/a")).unwrap());
    check(|dir| {
        fs_err::rename(dir.join("sub/a"), dir.join("a")).unwrap();
        symlink("../a", dir.join("sub/a")).unwrap();
    });
    check(|dir| {
        fs_err::rename(dir.join("sub"), dir.join("other")).unwrap();
        symlink("other", dir.join("sub")).unwrap();
    });
    check(|dir| {
        fs_err::remove_file(dir.join("sub/a")).unwrap();
        mknodat(CWD, dir.join("sub/a"), FileType::Fifo, Mode::from(0o600), 0).unwrap();
    });
}

#[test]
fn a_stamp_changes_with_the_file() {
    let dir = scratch();
    write(dir.path(), "a", b"one");
    symlink("a", dir.path().join("link")).unwrap();
    let stamp = || folder_stamp(dir.path()).unwrap();
    let before = stamp();
    assert_eq!(before, stamp());
    assert_eq!((before[0].size, before[0].mode & 0o170_000), (3, 0o100_000));
    assert!(before[0].mtime_ns > 1_600_000_000_000_000_000 && before[0].inode > 0);
    chmod(&dir.path().join("a"), 0o755);
    assert_ne!(before[0], stamp()[0]);
    assert_eq!(before[1], stamp()[1]);
}

/// An administrator may read everything, so then it runs as somebody else.
#[test]
fn an_unreadable_file_is_named() {
    if let Some(folder) = given_folder() {
        let error = open(&folder).unwrap_err();
        assert_eq!(error.code(), "ATT-IO");
        assert!(error.to_string().contains("sub/secret"), "{error}");
        return;
    }
    let dir = scratch();
    write(dir.path(), "sub/secret", b"x");
    chmod(dir.path(), 0o755);
    chmod(&dir.path().join("sub/secret"), 0o000);
    let user = fs_err::metadata(dir.path()).unwrap().uid();
    let nobody = (user == 0).then_some(65_534);
    let this = "folder::an_unreadable_file_is_named";
    in_another_process_as(nobody, this, ":", dir.path());
}
