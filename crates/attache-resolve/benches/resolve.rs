//! Resolving in one process: from lines to a universe, and from a universe to an answer.
//!
//! `cargo xtask bench` runs them and puts their medians into `bench/RESULTS.md`, beside the
//! whole command on the same packages.

#![expect(clippy::unwrap_used, reason = "a bench has nobody to report to")]

use std::hint::black_box;

use attache_resolve::resolve;
use criterion::{Criterion, criterion_group, criterion_main};

use made::universe::CASES;

mod made;

fn resolving(criterion: &mut Criterion) {
    for case in CASES {
        let made = case.universe();
        let lines = made::lines(&made);
        let universe = made::build(&lines);
        let request = made::request(&made);
        let answer = resolve(&universe, &request);
        assert_eq!(answer.is_ok(), case.solvable);
        if let Ok(answer) = answer.as_ref()
            && case.reaches_all()
        {
            assert_eq!(answer.packages.len(), case.packages);
        }

        let mut group = criterion.benchmark_group(format!("resolver, {}", case.name));
        group.sample_size(20);
        group.bench_function("read the universe", |bencher| {
            bencher.iter(|| made::build(black_box(&lines)));
        });
        group.bench_function("resolve", |bencher| {
            bencher.iter(|| resolve(black_box(&universe), &request));
        });
        group.finish();
    }
}

criterion_group!(benches, resolving);
criterion_main!(benches);
