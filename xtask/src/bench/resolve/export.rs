//! The made-up packages, as each tool wants them.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use fs_err as fs;
use serde_json::{Map, Value, json};

use super::universe::{Dependency, Number, Package, Universe, Version};

/// What stands in for a digest: nothing is downloaded, but it must look like one.
fn digest(package: usize, version: &Number) -> String {
    let mut digest = String::new();
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    while digest.len() < 64 {
        for byte in format!("p{package} {version} {}", digest.len()).bytes() {
            state = (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        let _ = write!(digest, "{state:016x}");
    }
    digest
}

/// Returns every package's number, name and versions, sorted by name.
fn sorted(universe: &Universe) -> Vec<(usize, String, &Package)> {
    let packages = universe.packages.iter().enumerate();
    let mut sorted: Vec<_> = packages
        .map(|(at, package)| (at, format!("p{at}"), package))
        .collect();
    sorted.sort_by(|a, b| a.1.cmp(&b.1));
    sorted
}

/// Our index: a line for each version, with its fields in the order that `attache index` writes.
pub(super) fn index(universe: &Universe) -> String {
    let mut text = String::from("{\"schema\":\"attache.index/1\",\"registry\":\"bench\"}\n");
    for (at, id, package) in sorted(universe) {
        for Version {
            number,
            dependencies,
        } in &package.versions
        {
            let _ = write!(text, "{{\"id\":\"{id}\",\"version\":\"{number}\"");
            for (place, Dependency { package, from }) in dependencies.iter().enumerate() {
                let before = if place == 0 {
                    ",\"dependencies\":["
                } else {
                    ","
                };
                let _ = write!(
                    text,
                    "{before}{{\"id\":\"p{package}\",\"range\":\"^{from}\"}}"
                );
            }
            let after = if dependencies.is_empty() { "" } else { "]" };
            let _ = writeln!(
                text,
                "{after},\"digest\":\"sha256:{}\",\"size\":1234,\"source\":\"{id}-{number}.lxpkg\"}}",
                digest(at, number)
            );
        }
    }
    text
}

/// Our workspace.
pub(super) fn attache_toml(universe: &Universe) -> String {
    let mut text = String::from("[dependencies]\n");
    for Dependency { package, from } in &universe.roots {
        let _ = writeln!(text, "p{package} = \"^{from}\"");
    }
    text
}

fn npm_ranges(dependencies: &[Dependency]) -> Value {
    let ranges = dependencies
        .iter()
        .map(|Dependency { package, from }| (format!("p{package}"), format!("^{from}").into()));
    Value::Object(ranges.collect::<Map<_, _>>())
}

/// npm's project.
pub(super) fn package_json(universe: &Universe) -> String {
    let dependencies = npm_ranges(&universe.roots);
    json!({"name": "bench", "version": "1.0.0", "dependencies": dependencies}).to_string()
}

/// npm's document about a package, with all its versions.
pub(super) fn packument(universe: &Universe, at: usize, base: &str) -> Option<String> {
    let package = universe.packages.get(at)?;
    let name = format!("p{at}");
    let mut versions = Map::new();
    for version in &package.versions {
        let number = version.number.to_string();
        let digest = digest(at, &version.number);
        let about = json!({
            "name": name,
            "version": number,
            "dependencies": npm_ranges(&version.dependencies),
            "dist": {
                "tarball": format!("{base}/npm/{name}/-/{name}-{number}.tgz"),
                "shasum": &digest[..40],
                // 64 bytes in base64, whichever they are.
                "integrity": format!("sha512-{digest}{}==", &digest[..22].replace(|c: char| !c.is_ascii_digit(), "A")),
            },
        });
        versions.insert(number, about);
    }
    let latest = package.versions.last()?.number.to_string();
    let document = json!({
        "name": name,
        "modified": "2026-01-01T00:00:00.000Z",
        "dist-tags": {"latest": latest},
        "versions": versions,
    });
    Some(document.to_string())
}

fn python_range(Dependency { package, from }: &Dependency) -> String {
    format!("p{package}>={from},<{}.0.0", from.major + 1)
}

/// uv's requirements.
pub(super) fn requirements(universe: &Universe) -> String {
    let lines = universe.roots.iter().map(|root| python_range(root) + "\n");
    lines.collect()
}

/// uv's project.
pub(super) fn pyproject(universe: &Universe, base: &str) -> String {
    let roots = universe
        .roots
        .iter()
        .map(|root| format!("{:?}", python_range(root)));
    format!(
        "[project]\nname = \"bench\"\nversion = \"1.0.0\"\nrequires-python = \">=3.8\"\n\
         dependencies = [{}]\n\n[[tool.uv.index]]\nurl = \"{base}/simple/\"\ndefault = true\n",
        roots.collect::<Vec<_>>().join(", ")
    )
}

/// Python's list of a package's files; see [`metadata`].
pub(super) fn simple_page(universe: &Universe, at: usize, base: &str) -> Option<String> {
    let package = universe.packages.get(at)?;
    let files = package.versions.iter().map(|version| {
        let wheel = format!("p{at}-{}-py3-none-any.whl", version.number);
        json!({
            "filename": wheel,
            "url": format!("{base}/files/{wheel}"),
            "hashes": {"sha256": digest(at, &version.number)},
            "core-metadata": true,
            "size": 1_234,
            "upload-time": "2026-01-01T00:00:00Z",
        })
    });
    let document = json!({
        "meta": {"api-version": "1.1"},
        "name": format!("p{at}"),
        "files": files.collect::<Value>(),
    });
    Some(document.to_string())
}

/// A wheel's metadata, which the list says can be had without the wheel.
pub(super) fn metadata(universe: &Universe, at: usize, number: &str) -> Option<String> {
    let mut versions = universe.packages.get(at)?.versions.iter();
    let version = versions.find(|version| version.number.to_string() == number)?;
    let mut text = format!("Metadata-Version: 2.1\nName: p{at}\nVersion: {number}\n");
    for dependency in &version.dependencies {
        let _ = writeln!(text, "Requires-Dist: {}", python_range(dependency));
    }
    Some(text)
}

/// cargo's project.
pub(super) fn cargo_toml(universe: &Universe) -> String {
    let mut text = String::from(
        "[package]\nname = \"bench\"\nversion = \"1.0.0\"\nedition = \"2021\"\n\n[dependencies]\n",
    );
    for Dependency { package, from } in &universe.roots {
        let _ = writeln!(text, "p{package} = \"{from}\"");
    }
    text
}

/// Makes cargo take every package from a registry in `registry`, beside the project.
pub(super) const CARGO_CONFIG: &str = "[source.crates-io]\nreplace-with = \"bench\"\n\n\
                                       [source.bench]\nlocal-registry = \"../registry\"\n";

/// Writes cargo's registry: a file for each package, a line for each version.
pub(super) fn write_cargo_registry(universe: &Universe, folder: &Path) -> Result<()> {
    for (at, name, package) in sorted(universe) {
        let mut text = String::new();
        for version in &package.versions {
            let _ = writeln!(text, "{}", cargo_line(at, &name, version));
        }
        let file = folder.join("index").join(cargo_path(&name));
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(file, text)?;
    }
    Ok(())
}

fn cargo_line(at: usize, name: &str, version: &Version) -> Value {
    let dependencies = version
        .dependencies
        .iter()
        .map(|Dependency { package, from }| {
            json!({
                "name": format!("p{package}"),
                "req": format!("^{from}"),
                "features": [],
                "optional": false,
                "default_features": true,
                "target": null,
                "kind": "normal",
            })
        });
    json!({
        "name": name,
        "vers": version.number.to_string(),
        "deps": dependencies.collect::<Value>(),
        "cksum": digest(at, &version.number),
        "features": {},
        "yanked": false,
    })
}

/// Returns where cargo looks for a package in an index.
fn cargo_path(name: &str) -> String {
    match name.len() {
        1 | 2 => format!("{}/{name}", name.len()),
        3 => format!("3/{}/{name}", &name[..1]),
        _ => format!("{}/{}/{name}", &name[..2], &name[2..4]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::universe::CASES;
    use super::*;

    #[test]
    fn our_index_is_sorted_and_every_line_is_a_document() {
        let text = index(&CASES[0].universe());
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines[0]["schema"], "attache.index/1");
        let ids: Vec<_> = lines[1..]
            .iter()
            .map(|l| l["id"].as_str().unwrap())
            .collect();
        assert!(ids.is_sorted());
        assert!(lines[1..].iter().all(|line| {
            let digest = line["digest"].as_str().unwrap();
            digest.len() == 71 && line["dependencies"] != json!([])
        }));
        attache_toml(&CASES[0].universe())
            .parse::<toml::Table>()
            .unwrap();
    }

    #[test]
    fn everyone_is_told_the_same_versions() {
        let universe = CASES[0].universe();
        for (at, package) in universe.packages.iter().enumerate() {
            let count = package.versions.len();
            let npm = packument(&universe, at, "http://x").unwrap();
            let npm: Value = serde_json::from_str(&npm).unwrap();
            assert_eq!(npm["versions"].as_object().unwrap().len(), count);
            let python = simple_page(&universe, at, "http://x").unwrap();
            let python: Value = serde_json::from_str(&python).unwrap();
            assert_eq!(python["files"].as_array().unwrap().len(), count);
            for version in &package.versions {
                let text = metadata(&universe, at, &version.number.to_string()).unwrap();
                let needs = text.matches("Requires-Dist: ").count();
                assert_eq!(needs, version.dependencies.len());
            }
        }
        assert!(packument(&universe, 100, "").is_none());
        assert!(metadata(&universe, 0, "99.0.0").is_none());
        for text in [pyproject(&universe, "http://x"), cargo_toml(&universe)] {
            text.parse::<toml::Table>().unwrap();
        }
    }

    #[test]
    fn ranges_mean_the_same_everywhere() {
        let universe = CASES[0].universe();
        let Dependency { package, from } = &universe.roots[0];
        let python = format!("p{package}>={from},<{}.0.0\n", from.major + 1);
        assert!(requirements(&universe).starts_with(&python));
        let npm: Value = serde_json::from_str(&package_json(&universe)).unwrap();
        assert_eq!(
            npm["dependencies"][format!("p{package}")],
            format!("^{from}")
        );
    }

    #[test]
    fn cargo_finds_a_package_by_its_name() {
        assert_eq!(cargo_path("p1"), "2/p1");
        assert_eq!(cargo_path("p12"), "3/p/p12");
        assert_eq!(cargo_path("p123"), "p1/23/p123");
        assert_eq!(cargo_path("p12345"), "p1/23/p12345");
    }
}
