//! The tools we are measured against, and the agent as each of them wants it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use fs_err as fs;
use serde_json::Value;

use super::agent;
use crate::shell::{self, Program, output, quiet, target_dir};

const WHY: &str = "to be measured against";

const PROGRAMS: &[Program] = &[
    program("zip", "zip"),
    program("unzip", "unzip"),
    program("7z", "p7zip-full"),
    program("time", "time"),
    program("python3", "python3"),
    program("npm", "npm"),
];

const fn program(name: &'static str, package: &'static str) -> Program {
    Program {
        name,
        package,
        why: WHY,
    }
}

/// Where the peers that registries bring were installed.
pub(super) struct Peers {
    pub(super) uv: PathBuf,
    pub(super) pnpm: PathBuf,
    pub(super) mcpb: PathBuf,
}

impl Peers {
    /// Finds or installs every peer. None is left out: a table without one would mislead.
    pub(super) fn install() -> Result<Self> {
        shell::ensure(PROGRAMS)?;
        let cache = target_dir().join("bench-peers");
        fs::create_dir_all(&cache)?;

        // Our own copy of uv: the one on the search path may be a script around the real one.
        let python = cache.join("python");
        let uv = python.join("bin/uv");
        if !uv.exists() {
            println!("    installing uv");
            quiet(Command::new("python3").args(["-m", "venv"]).arg(&python))
                .context("on Debian, run: apt-get install python3-venv")?;
            quiet(Command::new(python.join("bin/pip")).args(["install", "--quiet", "uv"]))?;
        }
        let node = cache.join("node");
        let bin = node.join("node_modules/.bin");
        if !bin.join("pnpm").exists() || !bin.join("mcpb").exists() {
            println!("    installing pnpm and mcpb");
            quiet(
                Command::new("npm")
                    .args(["install", "--no-fund", "--no-audit", "--prefix"])
                    .arg(&node)
                    .args(["pnpm", "@anthropic-ai/mcpb"]),
            )?;
        }
        Ok(Self {
            uv,
            pnpm: bin.join("pnpm"),
            mcpb: bin.join("mcpb"),
        })
    }

    /// Returns what each peer says its version is.
    pub(super) fn versions(&self) -> Result<Vec<String>> {
        let first = |program: &Path, arguments: &[&str]| -> Result<String> {
            let text = output(Command::new(program).args(arguments))?;
            let line = text.lines().find(|line| !line.trim().is_empty());
            Ok(line.unwrap_or_default().trim().to_owned())
        };
        let zip = output(Command::new("zip").arg("-v"))?;
        let zip = zip
            .lines()
            .find_map(|line| line.strip_prefix("This is "))
            .and_then(|line| line.split(" (").next())
            .unwrap_or("Zip");
        let seven = first(Path::new("7z"), &["i"])?;
        Ok(vec![
            first(&self.uv, &["--version"])?,
            zip.to_owned(),
            format!("pnpm {}", first(&self.pnpm, &["--version"])?),
            format!("npm {}", first(Path::new("npm"), &["--version"])?),
            format!("mcpb {}", first(&self.mcpb, &["--version"])?),
            seven.split(" : ").next().unwrap_or(&seven).to_owned(),
            first(Path::new("python3"), &["--version"])?,
        ])
    }
}

/// The agent, once for each tool, since several want a `manifest.json` of their own.
pub(super) struct Folders {
    pub(super) ours: PathBuf,
    pub(super) wheel: PathBuf,
    pub(super) npm: PathBuf,
    pub(super) mcpb: PathBuf,
    pub(super) plain: PathBuf,
    /// The bytes of the text in each.
    pub(super) bytes: usize,
}

impl Folders {
    /// Writes them all below `work`; ours begins as a scaffold.
    pub(super) fn write(work: &Path, attache: &Path) -> Result<Self> {
        let folder = |name: &str| -> Result<PathBuf> {
            let path = work.join(name);
            fs::create_dir_all(&path)?;
            Ok(path)
        };
        let ours = work.join("ours");
        quiet(
            Command::new(attache)
                .args(["init", "--format", "lexichord", "--id", "bench-agent"])
                .arg(&ours),
        )?;
        let bytes = agent::write(&ours.join("resources/data"))?;
        list_resources(&ours.join("manifest.json"))?;

        let plain = folder("plain")?;
        agent::write(&plain.join("data"))?;

        let wheel = folder("wheel")?;
        agent::write(&wheel.join("src/bench_agent/data"))?;
        fs::write(wheel.join("src/bench_agent/__init__.py"), "")?;
        fs::write(wheel.join("pyproject.toml"), PYPROJECT)?;

        let npm = folder("npm")?;
        agent::write(&npm.join("data"))?;
        fs::write(npm.join("package.json"), PACKAGE)?;

        let mcpb = folder("mcpb")?;
        agent::write(&mcpb.join("data"))?;
        fs::create_dir_all(mcpb.join("server"))?;
        fs::write(mcpb.join("server/main.py"), "print()\n")?;
        fs::write(mcpb.join("manifest.json"), MCPB)?;
        Ok(Self {
            ours,
            wheel,
            npm,
            mcpb,
            plain,
            bytes,
        })
    }
}

/// Adds `resources/` to the files that our manifest lists.
fn list_resources(manifest: &Path) -> Result<()> {
    let mut document: Value = serde_json::from_str(&fs::read_to_string(manifest)?)?;
    if let Some(files) = document["files"].as_array_mut() {
        files.retain(|file| file != "resources/");
        files.push("resources/".into());
    }
    fs::write(manifest, serde_json::to_vec_pretty(&document)?)?;
    Ok(())
}

/// uv's own backend: the fastest there is, and the build needs no network.
const PYPROJECT: &str = r#"[project]
name = "bench-agent"
version = "1.0.0"
requires-python = ">=3.8"

[build-system]
requires = ["uv_build<10000"]
build-backend = "uv_build"
"#;

const PACKAGE: &str = r#"{
  "name": "bench-agent",
  "version": "1.0.0"
}
"#;

const MCPB: &str = r#"{
  "manifest_version": "0.2",
  "name": "bench-agent",
  "version": "1.0.0",
  "description": "An agent to be packed.",
  "author": { "name": "Bench" },
  "server": {
    "type": "python",
    "entry_point": "server/main.py",
    "mcp_config": { "command": "python3", "args": ["${__dirname}/server/main.py"] }
  }
}
"#;
