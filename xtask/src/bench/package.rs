//! Building and opening packages: us and our peers on the same agent.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use fs_err as fs;

use super::Setting;
use super::measure::{Contender, Measure, race};
use super::peers::{Folders, Peers};
use super::report::{Kind, Race};
use crate::shell::quiet;

/// How many small agents are built at once.
const MANY: usize = 100;

/// Runs the races, and returns them with the bytes of the agent.
pub(super) fn measure(setting: &Setting<'_>) -> Result<(Vec<Race>, usize)> {
    println!("==> the agent");
    let Setting { work, attache, .. } = *setting;
    let bench = Bench {
        folders: Folders::write(work, attache)?,
        out: work.join("out"),
        small: work.join("small"),
        surroundings: &setting.surroundings,
        attache,
        peers: setting.peers,
        rounds: setting.rounds,
    };
    fs::create_dir_all(&bench.out)?;
    bench.write_small_agents()?;
    let races = vec![
        bench.build()?,
        bench.rebuild()?,
        bench.open()?,
        bench.many()?,
    ];
    Ok((races, bench.folders.bytes))
}

/// Checks that a contender packed the whole agent and nothing besides.
///
/// Whoever leaves files out is fast, and whoever packs another's output is slow; both have
/// happened here. Text like ours packs to between a sixth and a half.
fn check_whole(measure: &Measure, bytes: u64) -> Result<()> {
    let output = measure.output.unwrap_or_default();
    if output < bytes / 6 || output > bytes / 2 {
        bail!(
            "{}: packed {bytes} bytes to {output}, so it did not pack what the others did",
            measure.name
        );
    }
    Ok(())
}

struct Bench<'a> {
    attache: &'a Path,
    peers: &'a Peers,
    folders: Folders,
    out: PathBuf,
    small: PathBuf,
    surroundings: &'a [(&'static str, PathBuf)],
    rounds: usize,
}

impl Bench<'_> {
    fn race(
        &self,
        kind: Kind,
        title: &'static str,
        note: &'static str,
        contenders: &[Contender],
    ) -> Result<Race> {
        println!("==> {title}");
        let measures = race(contenders, self.rounds, self.surroundings)?;
        Ok(Race {
            kind,
            title: title.to_owned(),
            note: note.to_owned(),
            measures,
        })
    }

    fn ours(&self, name: &'static str, arguments: &str, fresh: Option<PathBuf>) -> Contender {
        Contender {
            name,
            ours: true,
            line: format!("exec {} {arguments}", self.attache.display()),
            folder: self.folders.ours.clone(),
            fresh: fresh.into_iter().collect(),
            ..Contender::default()
        }
    }

    fn build(&self) -> Result<Race> {
        let out = |name: &str| self.out.join(name);
        let peer = |name, folder: &PathBuf, line: String, fresh: PathBuf| Contender {
            name,
            ours: false,
            line: format!("exec {line}"),
            folder: folder.clone(),
            fresh: vec![fresh],
            ..Contender::default()
        };
        let show = |path: &Path| path.display().to_string();
        let (usual, fast) = (out("ours.lxpkg"), out("ours-1.lxpkg"));
        let contenders = [
            self.ours(
                "attache build",
                &format!("build . -o {} --no-cache", usual.display()),
                Some(usual.clone()),
            ),
            self.ours(
                "attache build, level 1",
                &format!("build . -o {} --no-cache --compression 1", fast.display()),
                Some(fast.clone()),
            ),
            peer(
                "uv build --wheel",
                &self.folders.wheel,
                format!(
                    "{} build --wheel --out-dir {}",
                    show(&self.peers.uv),
                    show(&out("wheel"))
                ),
                out("wheel"),
            ),
            peer(
                "zip -6",
                &self.folders.plain,
                format!("zip -6 -q -r {} .", show(&out("plain.zip"))),
                out("plain.zip"),
            ),
            peer(
                "pnpm pack",
                &self.folders.npm,
                format!(
                    "{} pack --out {}",
                    show(&self.peers.pnpm),
                    show(&out("pnpm.tgz"))
                ),
                out("pnpm.tgz"),
            ),
            peer(
                "npm pack",
                &self.folders.npm,
                format!("npm pack --silent --pack-destination {}", show(&self.out)),
                out("bench-agent-1.0.0.tgz"),
            ),
            peer(
                "mcpb pack",
                &self.folders.mcpb,
                format!(
                    "{} pack . {}",
                    show(&self.peers.mcpb),
                    show(&out("bench.mcpb"))
                ),
                out("bench.mcpb"),
            ),
            peer(
                "7z -mx5",
                &self.folders.plain,
                format!("7z a -tzip -mx5 {} .", show(&out("seven.zip"))),
                out("seven.zip"),
            ),
        ];
        let race = self.race(
            Kind::Build,
            "Build",
            "From a folder to one archive, nothing remembered from before. Ours also checks the source and \
             the result against the format, hashes every file, and takes white space out of JSON. `7z` \
             writes a zip like the others; its own format is several times slower.",
            &contenders,
        )?;
        race.measures
            .iter()
            .try_for_each(|measure| check_whole(measure, self.folders.bytes as u64))?;
        Ok(race)
    }

    fn rebuild(&self) -> Result<Race> {
        let out = self.out.join("again.lxpkg");
        let again = self.ours(
            "attache build, again",
            &format!("build . -o {}", out.display()),
            None,
        );
        self.race(
            Kind::Rebuild,
            "Rebuild with nothing changed",
            "The output and what an earlier build remembered are there.",
            &[again],
        )
    }

    fn open(&self) -> Result<Race> {
        let package = self.out.join("ours.lxpkg").display().to_string();
        let peer = |name, line: String| Contender {
            name,
            ours: false,
            line: format!("exec {line}"),
            folder: self.out.clone(),
            ..Contender::default()
        };
        let contenders = [
            self.ours("attache validate", &format!("validate {package}"), None),
            peer("unzip -t", format!("unzip -tqq {package}")),
            peer("7z t", format!("7z t {package}")),
            peer(
                "python -m zipfile -t",
                format!("python3 -m zipfile -t {package}"),
            ),
        ];
        self.race(
            Kind::Open,
            "Open",
            "Everyone unpacks every byte of our package and checks it. Ours also checks names, structure, \
             manifest and a SHA-256 for each file.",
            &contenders,
        )
    }

    fn write_small_agents(&self) -> Result<()> {
        for number in 0..MANY {
            quiet(
                Command::new(self.attache)
                    .args(["init", "--format", "lexichord", "--id"])
                    .arg(format!("small-{number}"))
                    .arg(self.small.join(format!("small-{number}"))),
            )?;
        }
        Ok(())
    }

    fn many(&self) -> Result<Race> {
        let all_at_once = |name, ours, command: &str, out: &str| {
            let out = self.out.join(out);
            let (folder, last) = (out.display(), MANY - 1);
            Contender {
                name,
                ours,
                line: format!(
                    "mkdir {folder} && for i in $(seq 0 {last}); do {} & done; wait; \
                     test $(ls {folder} | wc -l) -eq {MANY}",
                    command.replace("OUT", &folder.to_string())
                ),
                folder: self.small.clone(),
                fresh: vec![out.clone()],
                ..Contender::default()
            }
        };
        let ours = format!(
            "{} build small-$i -o OUT/$i.lxpkg --no-cache -q",
            self.attache.display()
        );
        let contenders = [
            all_at_once("100 × attache build", true, &ours, "many-ours"),
            all_at_once(
                "100 × zip -6",
                false,
                "zip -6 -q -r OUT/$i.zip small-$i",
                "many-zip",
            ),
        ];
        self.race(
            Kind::Many,
            "100 small builds at once",
            "A hundred scaffolds, a hundred processes started together. Memory is that of the largest one.",
            &contenders,
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn whoever_packs_something_else_is_found_out() {
        let check = |output| {
            let measure = Measure {
                name: "x",
                ours: true,
                line: String::new(),
                rounds: 1,
                median: Duration::ZERO,
                least: Duration::ZERO,
                peak: 0,
                output,
            };
            check_whole(&measure, 20_000_000).is_ok()
        };
        assert!(check(Some(6_000_000)));
        assert!(!check(Some(3_300)));
        assert!(!check(Some(11_370_000)));
        assert!(!check(None));
    }
}
