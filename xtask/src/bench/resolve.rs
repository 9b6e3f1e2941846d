//! Resolving: us and our peers on the same made-up packages.
//!
//! Everyone has what it needs on this machine: we and cargo in files, npm and uv in their
//! caches, which one run fills from a server that lives as long as the bench.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use fs_err as fs;

use super::Setting;
use super::measure::{Contender, once, race};
use super::report::{Kind, Race};
use crate::shell::cargo;
use server::Server;
use universe::{CASES, Case, Universe};

mod export;
mod locks;
mod server;
#[path = "../../../bench/universe.rs"]
mod universe;

/// Whoever takes longer than this to fill its cache runs fewer rounds.
const SLOW: Duration = Duration::from_secs(10);
const SLOW_ROUNDS: usize = 2;

/// The case whose lock is resolved again with nothing changed.
const AGAIN: &str = "1000";

/// Runs the races.
pub(super) fn measure(setting: &Setting<'_>) -> Result<Vec<Race>> {
    let made = CASES.map(|case| (case, case.universe()));
    let named = made
        .each_ref()
        .map(|(case, universe)| (case.name.to_owned(), universe.clone()));
    let mut surroundings = setting.surroundings.clone();
    // The one on the search path may be a script that takes longer to start than uv to resolve.
    surroundings.push(("UV_PYTHON", setting.peers.uv.with_file_name("python")));
    let bench = Bench {
        setting,
        surroundings,
        server: Server::start(named.into())?,
    };
    let mut races = Vec::new();
    for (case, universe) in &made {
        let folder = setting.work.join("resolve").join(case.name);
        bench.write(case, universe, &folder)?;
        races.push(bench.resolve(case, universe, &folder)?);
        if case.name == AGAIN {
            races.push(bench.again(case, &folder)?);
        }
    }
    // Another machine has them elsewhere, and another run has another port.
    let (cargo, base) = (cargo_program(), bench.server.base(""));
    for measure in races.iter_mut().flat_map(|race| &mut race.measures) {
        let line = measure.line.replace(&cargo, "cargo");
        measure.line = line.replace(&base, "REGISTRY/");
    }
    Ok(races)
}

struct Bench<'a> {
    setting: &'a Setting<'a>,
    surroundings: Vec<(&'static str, PathBuf)>,
    server: Server,
}

/// What one tool does to resolve, beside its name.
struct Entrant {
    name: &'static str,
    ours: bool,
    /// Its folder below that of the case.
    folder: &'static str,
    /// Whether it keeps several versions of one package where it must.
    keeps_several: bool,
    /// What it writes.
    lock: &'static str,
    line: String,
    /// What it is asked when the lock is there, if that is something else.
    again: Option<String>,
}

impl Entrant {
    fn lock_in(&self, folder: &Path) -> PathBuf {
        folder.join(self.folder).join(self.lock)
    }
}

impl Bench<'_> {
    /// Writes the projects of all tools, and the registries of those that read files.
    fn write(&self, case: &Case, universe: &Universe, folder: &Path) -> Result<()> {
        let base = self.server.base(case.name);
        export::write_cargo_registry(universe, &folder.join("registry"))?;
        for (path, text) in [
            ("index.jsonl", export::index(universe)),
            ("ours/attache.toml", export::attache_toml(universe)),
            ("npm/package.json", export::package_json(universe)),
            ("compile/requirements.in", export::requirements(universe)),
            ("uv/pyproject.toml", export::pyproject(universe, &base)),
            ("cargo/Cargo.toml", export::cargo_toml(universe)),
            ("cargo/.cargo/config.toml", export::CARGO_CONFIG.to_owned()),
            ("cargo/src/lib.rs", String::new()),
        ] {
            let path = folder.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, text)?;
        }
        Ok(())
    }

    fn entrants(&self, case: &Case, folder: &Path) -> Vec<Entrant> {
        let base = self.server.base(case.name);
        let cache = self.setting.work.join("npm-cache");
        let attache = self.setting.attache.display();
        let uv = self.setting.peers.uv.display();
        let cargo = cargo_program();
        let mut entrants = vec![
            Entrant {
                name: "attache lock",
                ours: true,
                folder: "ours",
                keeps_several: false,
                lock: "attache.lock",
                line: format!(
                    "{attache} lock . --index {}",
                    folder.join("index.jsonl").display()
                ),
                again: None,
            },
            Entrant {
                name: "uv pip compile",
                ours: false,
                folder: "compile",
                keeps_several: false,
                lock: "requirements.txt",
                line: format!(
                    "{uv} pip compile --quiet --default-index {base}/simple/ --output-file \
                     requirements.txt requirements.in"
                ),
                again: None,
            },
            Entrant {
                name: "uv lock",
                ours: false,
                folder: "uv",
                keeps_several: false,
                lock: "uv.lock",
                line: format!("{uv} lock --quiet"),
                again: None,
            },
            Entrant {
                name: "cargo generate-lockfile",
                ours: false,
                folder: "cargo",
                keeps_several: true,
                lock: "Cargo.lock",
                line: format!("{cargo} generate-lockfile --offline --quiet"),
                // The other one would not look at the lock.
                again: Some(format!("{cargo} update --workspace --offline --quiet")),
            },
            Entrant {
                name: "npm install --package-lock-only",
                ours: false,
                folder: "npm",
                keeps_several: true,
                lock: "package-lock.json",
                line: format!(
                    "npm install --package-lock-only --prefer-offline --ignore-scripts --no-audit \
                     --no-fund --silent --registry {base}/npm/ --cache {}",
                    cache.display()
                ),
                again: None,
            },
        ];
        // The others would find an answer by keeping two versions of a package.
        entrants.retain(|entrant| case.solvable || !entrant.keeps_several);
        entrants
    }

    fn resolve(&self, case: &Case, universe: &Universe, folder: &Path) -> Result<Race> {
        let title = match (case.solvable, case.reaches_all()) {
            (false, _) => format!("Resolve {} packages without an answer", case.packages),
            (true, true) => format!("Resolve {} packages", case.packages),
            (true, false) => format!("Resolve among {} packages", case.packages),
        };
        println!("==> {title}");
        let entrants = self.entrants(case, folder);
        let mut contenders = Vec::new();
        for entrant in &entrants {
            let lock = entrant.lock_in(folder);
            let contender = Contender {
                name: entrant.name,
                ours: entrant.ours,
                line: format!("exec {}", entrant.line),
                folder: folder.join(entrant.folder),
                fresh: case.solvable.then_some(lock).into_iter().collect(),
                rounds: None,
                fails_about: (!case.solvable).then(|| tied(universe)),
            };
            contenders.push(self.warmed(contender)?);
        }
        let measures = race(&contenders, self.setting.rounds, &self.surroundings)?;
        let note = if case.solvable {
            let found = check(case, &entrants, folder)?;
            note(universe, found)
        } else {
            format!(
                "{} Deep down, two packages need different majors of two others. Only uv takes part: npm \
                 and cargo keep both majors and have an answer.",
                about(universe)
            )
        };
        let limit = match case.packages {
            100 => Some(Duration::from_millis(5)),
            1_000 => Some(Duration::from_millis(10)),
            _ => Some(Duration::from_millis(100)),
        };
        Ok(Race {
            kind: Kind::Resolve(limit.filter(|_| case.solvable)),
            title,
            note,
            measures,
        })
    }

    fn again(&self, case: &Case, folder: &Path) -> Result<Race> {
        let title = "Resolve with a lock and nothing changed".to_owned();
        println!("==> {title}");
        let entrants = self.entrants(case, folder);
        let contenders: Vec<Contender> = entrants
            .iter()
            .map(|entrant| Contender {
                name: match entrant.again {
                    None => entrant.name,
                    Some(_) => "cargo update --workspace",
                },
                ours: entrant.ours,
                line: format!("exec {}", entrant.again.as_ref().unwrap_or(&entrant.line)),
                folder: folder.join(entrant.folder),
                ..Contender::default()
            })
            .collect();
        let read = || -> Result<Vec<String>> {
            let locks = entrants.iter().map(|entrant| entrant.lock_in(folder));
            locks.map(|lock| Ok(fs::read_to_string(lock)?)).collect()
        };
        let before = read()?;
        let measures = race(&contenders, self.setting.rounds, &self.surroundings)?;
        for ((entrant, before), after) in entrants.iter().zip(before).zip(read()?) {
            if before != after {
                bail!(
                    "{}: changed its lock although nothing changed",
                    entrant.name
                );
            }
        }
        Ok(Race {
            kind: Kind::Resolve(None),
            title,
            note: format!(
                "The {} packages from before, and the lock that each tool wrote for them; it stays as it \
                 is, byte for byte.",
                case.packages
            ),
            measures,
        })
    }

    /// Lets a tool fill its cache, and finds out whether it is slow.
    fn warmed(&self, contender: Contender) -> Result<Contender> {
        let online = |(name, _): &&(&'static str, PathBuf)| *name != "UV_OFFLINE";
        let surroundings: Vec<_> = self
            .setting
            .surroundings
            .iter()
            .filter(online)
            .cloned()
            .collect();
        let (time, _) = once(&contender, &surroundings, false)?;
        println!(
            "    {} fills its cache: {:.2} s",
            contender.name,
            time.as_secs_f64()
        );
        let slow = time > SLOW && !contender.ours;
        Ok(Contender {
            rounds: slow.then_some(SLOW_ROUNDS),
            ..contender
        })
    }
}

/// Returns cargo itself: its launcher takes a while to find it, which is not its fault.
fn cargo_program() -> String {
    let cargo = cargo(&[]);
    cargo.get_program().to_string_lossy().into_owned()
}

/// Returns the names of the two packages that cannot be had in two majors at once.
fn tied(universe: &Universe) -> Vec<String> {
    let all = universe.packages.len();
    (all - 2..all).map(|at| format!("p{at}")).collect()
}

fn about(universe: &Universe) -> String {
    let versions: usize = universe.packages.iter().map(|p| p.versions.len()).sum();
    let roots = universe.roots.len();
    format!("{versions} versions in all, and {roots} packages asked for.")
}

fn note(universe: &Universe, found: usize) -> String {
    let reads = "Ours reads its whole index each time; the others read what they come across.";
    format!(
        "{} The answer has {found} packages. We and uv choose one version of each, cargo and npm may \
         keep several. {reads}",
        about(universe)
    )
}

/// Checks that everyone resolved what it should, and returns how many packages we chose.
///
/// Where the roots reach everything, everyone must have all. In a larger universe it depends
/// on the versions chosen, so there the others may have a tenth less than we, and no more.
fn check(case: &Case, entrants: &[Entrant], folder: &Path) -> Result<usize> {
    let found: Result<Vec<BTreeSet<String>>> = entrants
        .iter()
        .map(|entrant| locks::names(&entrant.lock_in(folder)))
        .collect();
    let found: Vec<usize> = found?.iter().map(BTreeSet::len).collect();
    let ours = found.first().copied().unwrap_or_default();
    for (entrant, found) in entrants.iter().zip(&found) {
        println!("    {}: {found} packages", entrant.name);
        if !is_plausible(case, ours, *found) {
            bail!(
                "{}: resolved {found} packages where we have {ours}",
                entrant.name
            );
        }
    }
    Ok(ours)
}

fn is_plausible(case: &Case, ours: usize, found: usize) -> bool {
    match case.reaches_all() {
        true => found == case.packages,
        false => found > 0 && found * 10 >= ours * 9 && found <= case.packages,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_resolves_something_else_is_found_out() {
        let [hundred, _, many, _] = CASES;
        assert!(is_plausible(&hundred, 100, 100));
        assert!(!is_plausible(&hundred, 99, 99));
        assert!(is_plausible(&many, 1_000, 900));
        assert!(is_plausible(&many, 1_000, 1_300));
        assert!(!is_plausible(&many, 1_000, 899));
        assert!(!is_plausible(&many, 0, 0));
    }
}
