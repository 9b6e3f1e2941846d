//! Where the fuzzer starts: small good inputs, made by the same code that users run.

use attache_package::formats::FormatName;
use attache_package::{Container, Tree};

use crate::{packed, scaffold};

/// One good input for a target.
pub struct Seed {
    /// The target's name.
    pub target: &'static str,
    /// A file name for it.
    pub name: String,
    /// The input.
    pub bytes: Vec<u8>,
}

const FORMATS: [(FormatName, &str); 5] = [
    (FormatName::Lexichord, "manifest_lexichord"),
    (FormatName::Nexo, "manifest_nexo"),
    (FormatName::Holon, "manifest_holon"),
    (FormatName::AgentForge, "manifest_agentforge"),
    (FormatName::Nanobot, "manifest_nanobot"),
];

const RANGES: [&str; 12] = [
    "^1.2.3\n1.9.0",
    "~1.2.3\n1.2.9",
    ">=2.0.0 <3.0.0\n2.5.0",
    "1.2.3 - 2.3.4\n2.3.4",
    "1.x || >=2.5.0 || 5.0.0 - 7.2.3\n6.0.0",
    "*\n0.0.1",
    "\n1.0.0",
    "^0.0.3-beta.2\n0.0.3-beta.4",
    "=1.2.3+build\n1.2.3",
    "<1.2\n1.1.9",
    "~1\n1.5.0",
    ">1.2.x\n1.3.0",
];

/// One as we write it, and one as a person might.
const INDEXES: [&str; 2] = [
    concat!(
        r#"{"schema":"attache.index/1","registry":"main"}"#,
        "\n",
        r#"{"id":"a","version":"1.0.0","dependencies":[{"id":"b","range":"^1","optional":true}],"#,
        r#""requirements":[{"kind":"runtime","name":"python","version":">=3.10"}],"#,
        r#""digest":"sha256:0000000000000000000000000000000000000000000000000000000000000000","#,
        r#""size":12,"source":"a-1.0.0.lxpkg","yanked":true}"#,
        "\n",
    ),
    concat!(
        r#"{ "schema": "attache.index/1" }"#,
        "\r\n\r\n",
        r#"{"version":"2.0.0-rc.1","id":"\u0062","size":0,"#,
        r#""digest":"sha256:ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"}"#,
    ),
];

/// One with everything that can occur, and one as people merge them.
const LOCKFILES: [&str; 2] = [
    r#"# Which versions were chosen, and from where.
version = 1
strategy = "lowest"

[namespaces]
acme = "main"
"acme.tools" = "inner"

[overrides]
base = "^2.1"

[host]
platform = "linux/amd64/glibc"
engines = [
    "lexichord 1.2.0",
]
runtimes = [
    "python 3.12.1",
]

[[root]]
path = "."
dependencies = [
    "acme.tools.lint *",
    "acme.writer ^1",
]
optional = [
    "nowhere ^1 || ^2",
]

[[root]]
id = "acme.writer"
path = "agents/writer"

[[package]]
id = "acme.tools.lint"
version = "0.3.0"
registry = "inner"
namespace = "acme.tools"
source = "https://inner.example/lint.lxpkg"
digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
size = 1234
dependencies = [
    "base ^1.0",
]
optional = [
    "extra ^2",
]
needs = [
    "engine \"my engine\" >=1.0",
    "platform linux/amd64",
    "runtime node",
    "runtime python >=3.10",
]

[[package]]
id = "base"
version = "2.1.0"
registry = "main"
digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
size = 0

[[package]]
id = "extra"
version = "2.4.1+build.7"
registry = "main"
digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
size = 9223372036854775807
"#,
    "version = 1\r\n[[root]]\r\noptional=[\"b \",\"a ^1\\t||\\u0020*\"]# x\r\n\"path\" = \"\\\\\"\r\n",
];

/// Returns the seeds of every target.
pub fn all() -> Vec<Seed> {
    let mut seeds = Vec::new();
    let mut add = |target, name: String, bytes| {
        seeds.push(Seed {
            target,
            name,
            bytes,
        })
    };
    for (format, target) in FORMATS {
        let files = scaffold(format);
        let mut documents = 0..;
        for file in &files {
            let path = file.path.as_str();
            let name = format!("{format}-{}", path.replace('/', "-"));
            let bytes = file.read().unwrap_or_default();
            match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
                "json" => add("json", name.clone(), bytes.clone()),
                "yaml" | "yml" => add("yaml", name.clone(), bytes.clone()),
                "md" => add("front_matter", name.clone(), bytes.clone()),
                _ => {}
            }
            if format == FormatName::Nanobot {
                if path.ends_with(".md") {
                    let choice = documents.next().unwrap_or_default();
                    add(target, name, [&[choice], bytes.as_slice()].concat());
                }
            } else if path == "manifest.json" || path == "manifest.yaml" {
                add(target, name, bytes);
            }
        }
        let tree = Tree::assembled(files).expect("a scaffold is a tree");
        for (target, container) in [
            ("zip", Container::Zip),
            ("tar_gz", Container::TarGz),
            ("tar_zst", Container::TarZst),
        ] {
            add(target, format.to_string(), packed(&tree, container));
        }
        add(
            "tar",
            format.to_string(),
            unzipped(&packed(&tree, Container::TarGz)),
        );
    }
    for (at, range) in RANGES.iter().enumerate() {
        add("range", format!("range-{at}"), range.as_bytes().to_vec());
    }
    for (at, lock) in LOCKFILES.iter().enumerate() {
        add("lockfile", format!("lock-{at}"), lock.as_bytes().to_vec());
    }
    for (at, index) in INDEXES.iter().enumerate() {
        add("index", format!("index-{at}"), index.as_bytes().to_vec());
    }
    seeds
}

fn unzipped(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    std::io::copy(&mut flate2::read::GzDecoder::new(bytes), &mut out).expect("our own gzip");
    out
}

/// Returns the seed and many damaged copies of it, the same ones every time.
pub fn variants(seed: &[u8]) -> Vec<Vec<u8>> {
    const DAMAGES: usize = 48;
    let mut variants = vec![seed.to_vec(), Vec::new()];
    let mut state = seed.len() as u64 ^ 0x9e37_79b9_7f4a_7c15;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    for round in 0..DAMAGES.min(seed.len()) {
        let mut copy = seed.to_vec();
        let at = random(copy.len());
        match round % 4 {
            0 => copy.truncate(at),
            1 => copy[at] ^= 1 << random(8),
            2 => copy[at] = [0, 0xff, b'"', b'-', b'/', b'\n'][random(6)],
            _ => {
                let end = (at + 1 + random(32)).min(copy.len());
                let part = copy[at..end].to_vec();
                let into = random(copy.len());
                copy.splice(into..into, part);
            }
        }
        variants.push(copy);
    }
    variants
}
