//! What ordinary writers do with names that do not fit is no lie.

use std::path::Path;
use std::process::Command;

use attache_package::{Limits, Tree};

use crate::tar_hostile::names;

/// Runs a tool that makes real archives, or says that it is not there.
#[expect(clippy::print_stderr, reason = "a test that did not run says so")]
fn run(program: &str, arguments: &[&str], folder: &Path) -> bool {
    match Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
    {
        Ok(output) => {
            assert!(output.status.success(), "{program}: {output:?}");
            true
        }
        Err(_) => {
            eprintln!("not run: there is no {program} here");
            false
        }
    }
}

/// Makes a folder of names that need every kind of long-name record.
fn real_folder() -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for length in [
        1, 90, 98, 99, 100, 101, 102, 155, 156, 157, 200, 255, 256, 257, 300, 600,
    ] {
        for (n, part) in [
            "a-folder-with-a-long-name/",
            "ordner-mit-ü-und-mehr/",
            &format!("{}/", "日".repeat(40)),
        ]
        .iter()
        .enumerate()
        {
            let mut name = format!("{n}-{length}/");
            while name.len() + part.len() < length {
                name.push_str(part);
            }
            name.push_str(&"x".repeat(length.saturating_sub(name.len()).max(1)));
            all.push(name);
        }
    }
    all.push("y".repeat(200));
    all.push(format!("deep/{}", "ü".repeat(120)));
    all.push(format!("{}/{}/f", "z".repeat(160), "w".repeat(160)));
    for name in &all {
        let path = folder.path().join("tree").join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, name).unwrap();
    }
    #[cfg(unix)]
    for (n, target) in all.clone().iter().enumerate() {
        let name = format!("link-{n:03}");
        std::os::unix::fs::symlink(target, folder.path().join("tree").join(&name)).unwrap();
        all.push(name);
    }
    all.sort();
    (folder, all)
}

#[track_caller]
fn reads_real(folder: &Path, archive: &str, expected: &[String]) {
    let tree = Tree::open(&folder.join(archive), &Limits::default()).unwrap();
    assert_eq!(names(&tree), expected, "{archive}");
    tree.read_many(
        |_| true,
        |entry, bytes| assert_eq!(bytes, entry.path.as_str().as_bytes()),
    )
    .unwrap();
}

#[test]
fn what_python_writes_is_read() {
    let (folder, names) = real_folder();
    let script = "
import tarfile
for name, format in (('pax', tarfile.PAX_FORMAT), ('gnu', tarfile.GNU_FORMAT)):
    for top in ('', './'):
        out = name + ('-dot' if top else '') + '.tar.gz'
        with tarfile.open(out, 'w:gz', format=format) as tar:
            if top:
                tar.add('tree', './')
            else:
                import os
                for child in sorted(os.listdir('tree')):
                    tar.add('tree/' + child, child)
";
    if run("python3", &["-c", script], folder.path()) {
        for archive in ["pax", "pax-dot", "gnu", "gnu-dot"] {
            reads_real(folder.path(), &format!("{archive}.tar.gz"), &names);
        }
    }
}

#[test]
fn what_gnu_tar_writes_is_read() {
    let (folder, names) = real_folder();
    for format in ["gnu", "pax", "oldgnu"] {
        for (compress, ending) in [("gzip", "gz"), ("zstd", "zst")] {
            let archive = format!("{format}.tar.{ending}");
            let format = format!("--format={format}");
            let compress = format!("--{compress}");
            let arguments = ["-C", "tree", &format, &compress, "-cf", &archive, "."];
            if !run("tar", &arguments, folder.path()) {
                return;
            }
            reads_real(folder.path(), &archive, &names);
        }
    }
}
