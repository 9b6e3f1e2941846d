//! The inner loops, each alone: ranges, digests, packing and opening.
//!
//! `cargo xtask bench` runs them and puts their medians into `bench/RESULTS.md`. Whole commands
//! are measured there too; this is for telling which part of one got slower.

#![expect(clippy::unwrap_used, reason = "a bench has nobody to report to")]

use std::hint::black_box;

use attache_package::{Compression, Container, Digest, Limits, Range, Release, Tree, pack};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const RANGES: [&str; 6] = [
    "^1.2.3",
    "~1.2.3-beta.2",
    ">=2.0.0 <3.0.0",
    "1.2.3 - 2.3.4",
    "1.x || >=2.5.0 || 5.0.0 - 7.2.3",
    "*",
];

fn ranges(criterion: &mut Criterion) {
    criterion.bench_function("range: parse six", |bencher| {
        bencher.iter(|| RANGES.map(|text| black_box(text).parse::<Range>().unwrap()));
    });
    let ranges = RANGES.map(|text| text.parse::<Range>().unwrap());
    let versions =
        ["1.2.3", "1.9.0-rc.1", "2.5.1", "7.0.0"].map(|text| text.parse::<Release>().unwrap());
    criterion.bench_function("range: six hold four versions", |bencher| {
        bencher.iter(|| {
            let held = ranges
                .iter()
                .flat_map(|range| versions.iter().map(|version| range.contains(version)))
                .filter(|held| *held);
            black_box(held.count())
        });
    });
}

fn digests(criterion: &mut Criterion) {
    let bytes = text(1 << 20, 1);
    let mut group = criterion.benchmark_group("digest");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("sha-256 of 1 MiB", |bencher| {
        bencher.iter(|| Digest::of(black_box(&bytes)));
    });
    group.finish();
}

fn archives(criterion: &mut Criterion) {
    let files: Vec<(String, Vec<u8>)> = (0..100)
        .map(|number| {
            (
                format!("data/file-{number:03}.txt"),
                text(20_000, number + 1),
            )
        })
        .collect();
    let tree = Tree::from_bytes(
        files
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes.clone())),
    );
    let tree = tree.unwrap();
    let packed = |container, level| {
        let mut bytes = Vec::new();
        let compression = Compression::new(level).unwrap();
        pack(&tree, container, compression, &mut bytes).unwrap();
        bytes
    };

    let mut group = criterion.benchmark_group("archive");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(tree.total_size()));
    for (name, container, level) in [
        ("pack 2 MB as zip, level 6", Container::Zip, 6),
        ("pack 2 MB as zip, level 1", Container::Zip, 1),
        ("pack 2 MB as tar.gz", Container::TarGz, 6),
        ("pack 2 MB as tar.zst", Container::TarZst, 6),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| packed(container, level).len());
        });
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, container) in [
        ("open 2 MB in a zip", Container::Zip),
        ("open 2 MB in a tar.gz", Container::TarGz),
        ("open 2 MB in a tar.zst", Container::TarZst),
    ] {
        let path = folder.path().join("sample");
        fs_err::write(&path, packed(container, 6)).unwrap();
        group.bench_function(name, |bencher| {
            bencher.iter(|| Tree::open(black_box(&path), &Limits::default()).unwrap());
        });
    }
    group.finish();
}

/// Returns text that compresses about as well as ordinary prose.
fn text(length: usize, seed: u64) -> Vec<u8> {
    const PARTS: [&str; 16] = [
        "agent ", "tool", " the ", "of ", "reads", " and ", "writes ", "pack", "age ", "re", "con",
        "tion ", "s ", "ing ", "a ", ".\n",
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = Vec::with_capacity(length + 8);
    while text.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text.extend_from_slice(PARTS[(state % 16) as usize].as_bytes());
    }
    text.truncate(length);
    text
}

criterion_group!(kernels, ranges, digests, archives);
criterion_main!(kernels);
