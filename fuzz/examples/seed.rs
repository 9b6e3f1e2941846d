//! Writes the seeds into a folder, or with `--check` runs every target over them.

use std::collections::BTreeSet;
use std::path::Path;

use attache_fuzz::{TARGETS, seeds};

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("--check") => check(),
        Some(folder) => write(Path::new(folder)),
        None => {
            eprintln!("usage: seed FOLDER | --check");
            std::process::exit(2);
        }
    }
}

fn write(folder: &Path) {
    let seeds = seeds::all();
    for seed in &seeds {
        let folder = folder.join(seed.target);
        std::fs::create_dir_all(&folder).expect("a folder for the seeds");
        std::fs::write(folder.join(&seed.name), &seed.bytes).expect("a seed to write");
    }
    println!("{} seeds for {} targets", seeds.len(), TARGETS.len());
}

fn check() {
    let seeds = seeds::all();
    let seeded: BTreeSet<_> = seeds.iter().map(|seed| seed.target).collect();
    let known: BTreeSet<_> = TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        seeded, known,
        "every target has seeds, and every seed a target"
    );
    let mut inputs = 0;
    for seed in &seeds {
        for (_, target) in TARGETS.iter().filter(|(name, _)| *name == seed.target) {
            for input in seeds::variants(&seed.bytes) {
                target(&input);
                inputs += 1;
            }
        }
    }
    println!(
        "    {} fuzz targets held for {inputs} inputs",
        TARGETS.len()
    );
}
