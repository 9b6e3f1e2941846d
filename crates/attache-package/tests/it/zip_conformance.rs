//! Public suites of strange zips, and ordinary zips from other people's tools.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use attache_package::{Digest, Tree};
use zip::write::SimpleFileOptions;

use crate::conformance::suite;
use crate::support::{listing, open, scratch};

/// These open elsewhere although a size in them is not the real one. For us a size that lies
/// gives the archive a second meaning.
const STRICTER: [&str; 2] = ["short_usize.zip", "short_usize_zip64.zip"];

#[test]
fn the_package_index_accepts_what_we_accept() {
    let Some(suite) = suite("pypi-zip") else {
        return;
    };
    let accept = listing(&suite.join("accept"));
    assert!(accept.len() >= 10);
    for name in accept {
        let result = open(&suite.join("accept").join(&name));
        assert_eq!(
            result.is_err(),
            STRICTER.contains(&name.as_str()),
            "{name}: {result:?}"
        );
    }
    let reject = listing(&suite.join("reject"));
    assert!(reject.len() >= 35);
    for name in reject {
        // Even the entry with a good data descriptor: its two headers have different flags.
        let result = open(&suite.join("reject").join(&name));
        assert!(result.is_err_and(|e| e.defect().is_some()), "{name}");
    }
}

#[test]
fn zip_slip_is_refused() {
    let Some(suite) = suite("zip-slip") else {
        return;
    };
    for name in ["zip-slip.zip", "zip-slip-win.zip"] {
        let code = open(&suite.join(name)).unwrap_err().code();
        assert!(code.starts_with("ATT-PATH-"), "{name}: {code}");
    }
}

/// Files for the other tools to pack.
fn files() -> BTreeMap<&'static str, Vec<u8>> {
    BTreeMap::from([
        ("SKILL.md", b"# Skill\n".repeat(40)),
        ("empty", Vec::new()),
        ("src/deep/er/main.py", b"print('hello')\n".to_vec()),
        (
            "src/large.bin",
            (0..3_000_000_u32)
                .map(|n| (n.wrapping_mul(n) >> 7) as u8)
                .collect(),
        ),
    ])
}

fn write_files(folder: &Path) {
    for (path, bytes) in files() {
        let path = folder.join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, bytes).unwrap();
    }
}

#[track_caller]
fn check_same_files(tree: &Tree, what: &str) {
    let found: BTreeMap<_, _> = tree
        .entries()
        .iter()
        .filter(|e| !e.path.as_str().starts_with("META-INF"))
        .map(|e| (e.path.as_str(), (e.size, e.digest)))
        .collect();
    let given = files();
    let expected: BTreeMap<_, _> = given
        .iter()
        .map(|(path, bytes)| (*path, (bytes.len() as u64, Digest::of(bytes))))
        .collect();
    assert_eq!(found, expected, "{what}");
}

#[test]
fn zips_of_the_zip_crate_open() {
    let dir = scratch();
    for (what, options) in [
        ("plain", SimpleFileOptions::default()),
        ("large", SimpleFileOptions::default().large_file(true)),
        (
            "stored",
            SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored),
        ),
    ] {
        let path = dir.path().join(what);
        let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        zip.add_directory("src", options).unwrap();
        for (name, bytes) in files() {
            zip.start_file(name, options).unwrap();
            zip.write_all(&bytes).unwrap();
        }
        zip.finish().unwrap();
        check_same_files(&open(&path).unwrap(), what);

        // And streamed, with descriptors.
        let path = dir.path().join("streamed");
        let mut zip = zip::ZipWriter::new_stream(std::fs::File::create(&path).unwrap());
        for (name, bytes) in files() {
            zip.start_file(name, options).unwrap();
            zip.write_all(&bytes).unwrap();
        }
        zip.finish().unwrap();
        check_same_files(&open(&path).unwrap(), &format!("{what}, streamed"));
    }
}

/// Packs the files with another tool, if it is there. `$1` is the zip to write.
#[expect(clippy::print_stderr, reason = "a test that does not run says so")]
fn check_tool(tool: &str, script: &str) {
    let dir = scratch();
    let source = dir.path().join("source");
    write_files(&source);
    if Command::new(tool).arg("--version").output().is_err() {
        eprintln!("{tool} is not installed: its zips were not opened");
        return;
    }
    let path = dir.path().join("x.zip");
    let output = Command::new("sh")
        .args(["-ec", script, "sh"])
        .arg(&path)
        .current_dir(&source)
        .output()
        .unwrap();
    assert!(output.status.success(), "{tool}: {output:?}");
    match open(&path) {
        Ok(tree) => check_same_files(&tree, script),
        Err(error) => panic!("{script}: {error}"),
    }
}

#[test]
fn zips_of_info_zip_open() {
    check_tool("zip", "zip -qr \"$1\" .");
    check_tool("zip", "zip -qr0 \"$1\" .");
    check_tool("zip", "zip -qr - . | cat >\"$1\"");
    check_tool("zip", "zip -qrfz \"$1\" .");
    check_tool("zip", "zip -qrX \"$1\" . -z <<E\na comment\nE");
}

#[test]
fn zips_of_other_tools_open() {
    check_tool("7z", "7z a -bd -tzip \"$1\" . >/dev/null");
    check_tool("jar", "jar cf \"$1\" .");
    check_tool("jar", "jar c0f \"$1\" .");
}

#[test]
fn zips_of_python_open() {
    let write = "import sys, zipfile, pathlib
with zipfile.ZipFile(TARGET, 'w', METHOD) as z:
    for p in sorted(pathlib.Path('.').rglob('*')):
        z.write(p)
";
    for method in ["zipfile.ZIP_DEFLATED", "zipfile.ZIP_STORED"] {
        let script = write.replace("METHOD", method);
        let file = script.replace("TARGET", "sys.argv[1]");
        check_tool("python3", &format!("python3 - \"$1\" <<'E'\n{file}E"));
        let stream = script.replace("TARGET", "sys.stdout.buffer");
        check_tool(
            "python3",
            &format!("python3 - <<'E' | cat >\"$1\"\n{stream}E"),
        );
    }
    let wide = "import sys, zipfile, pathlib
with zipfile.ZipFile(sys.argv[1], 'w') as z:
    for p in sorted(pathlib.Path('.').rglob('*')):
        if p.is_file():
            with z.open(str(p), 'w', force_zip64=True) as out:
                out.write(p.read_bytes())
";
    check_tool("python3", &format!("python3 - \"$1\" <<'E'\n{wide}E"));
}
