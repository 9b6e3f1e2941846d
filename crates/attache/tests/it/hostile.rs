//! Bad input ends in a sentence and a code: no panic, nothing written, nothing touched.

use crate::support::Place;

/// A zip with one entry, written by hand so that it can lie.
fn zip_with(name: &str, bytes: &[u8]) -> Vec<u8> {
    let crc = {
        let mut table = 0xffff_ffffu32;
        for byte in bytes {
            table ^= u32::from(*byte);
            for _ in 0..8 {
                table = if table & 1 == 1 {
                    table >> 1 ^ 0xedb8_8320
                } else {
                    table >> 1
                };
            }
        }
        !table
    };
    let mut common = Vec::new();
    common.extend([20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0]);
    common.extend(crc.to_le_bytes());
    common.extend((bytes.len() as u32).to_le_bytes());
    common.extend((bytes.len() as u32).to_le_bytes());
    common.extend((name.len() as u16).to_le_bytes());
    common.extend([0, 0]);
    let mut zip = b"PK\x03\x04".to_vec();
    zip.extend(&common);
    zip.extend(name.as_bytes());
    zip.extend(bytes);
    let directory = zip.len() as u32;
    zip.extend(b"PK\x01\x02\x14\x03");
    zip.extend(&common);
    zip.extend([0; 10]);
    zip.extend([0; 4]);
    zip.extend(name.as_bytes());
    let size = zip.len() as u32 - directory;
    zip.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    zip.extend(size.to_le_bytes());
    zip.extend(directory.to_le_bytes());
    zip.extend([0, 0]);
    zip
}

#[test]
fn a_path_that_leaves_the_package_is_refused_by_every_command() {
    let place = Place::new();
    place.write("evil.zip", zip_with("../evil.txt", b"boo"));
    let answer = place.attache("validate evil.zip --json").exits(1).json();
    assert_eq!(answer["errors"][0]["code"], "ATT-PATH-PARENT");
    assert_eq!(answer["errors"][0]["path"], "../evil.txt");
    for command in [
        "inspect evil.zip",
        "unpack evil.zip",
        "convert evil.zip --to nexo",
        "diff evil.zip evil.zip",
    ] {
        let answer = place.attache(command).exits(1);
        assert!(
            answer.stderr().contains("ATT-PATH-PARENT"),
            "{command}: {}",
            answer.stderr()
        );
    }
    assert_eq!(place.names(), ["evil.zip"]);
}

#[test]
fn names_from_strangers_cannot_move_the_cursor() {
    let place = Place::new();
    place.write("evil.zip", zip_with("a\u{1b}[2Jb", b"boo"));
    let answer = place.attache("validate evil.zip").exits(1);
    assert!(!answer.stdout().contains('\u{1b}'), "{}", answer.stdout());
}

#[test]
fn manifests_that_are_bombs_are_refused_in_time() {
    let place = Place::new();
    let start = std::time::Instant::now();
    let deep = "[".repeat(100_000);
    place.write("deep/manifest.json", format!("{{\"displayName\": {deep}"));
    place.write("deep/agent.json", "{}");
    place.attache("validate deep").exits(1);
    let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
    for at in 1..30 {
        let before = format!("*a{},", at - 1).repeat(9);
        bomb.push_str(&format!(
            "a{at}: &a{at} [{}]\n",
            before.trim_end_matches(',')
        ));
    }
    place.write("alias/manifest.yaml", bomb);
    let answer = place.attache("validate alias --json").exits(1).json();
    let refused = |e: &serde_json::Value| e["code"] == "ATT-SYNTAX" && e["path"] == "manifest.yaml";
    assert!(
        answer["errors"].as_array().unwrap().iter().any(refused),
        "{answer:#}"
    );
    place.write("huge/manifest.yaml", "x: 1\n".repeat(2_000_000));
    place.attache("validate huge").exits(1);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn random_bytes_never_panic() {
    let place = Place::new();
    let mut seed = 1u64;
    let mut byte = move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as u8
    };
    for magic in [
        &b"PK\x03\x04"[..],
        b"\x1f\x8b\x08\x00",
        b"\x28\xb5\x2f\xfd",
        b"PK\x05\x06",
        b"",
    ] {
        let mut bytes = magic.to_vec();
        bytes.extend((0..500).map(|_| byte()));
        place.write("noise", bytes);
        place.attache("validate noise").exits(1);
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.write("file", "mine");
    let answer = place.attache("build agent -o file/out.lxpkg").exits(1);
    assert!(answer.stderr().contains("ATT-IO"), "{}", answer.stderr());
    assert_eq!(place.read("file"), b"mine");
}

#[test]
fn a_disk_that_is_full_leaves_the_earlier_output() {
    let place = Place::new();
    place.init("agent", "lexichord");
    place.attache("build agent -o out.lxpkg").succeeds();
    let before = place.read("out.lxpkg");
    place.write("agent/prompts/more.md", "more ".repeat(100));
    // A limit on file size stands in for the disk: writes fail half-way, as they would there.
    let attache = assert_cmd::cargo::cargo_bin!("attache")
        .display()
        .to_string();
    let script =
        format!("trap '' XFSZ; ulimit -f 1; exec {attache} build agent --no-cache -o out.lxpkg");
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path(""))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("ATT-IO"), "{stderr}");
    assert_eq!(place.read("out.lxpkg"), before);
    assert_eq!(place.names(), ["agent", "out.lxpkg"]);
}
