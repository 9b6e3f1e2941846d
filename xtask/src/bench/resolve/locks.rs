//! Which packages a lockfile holds, whoever wrote it.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail};
use fs_err as fs;
use serde_json::Value;

/// Returns the names of the made-up packages in a lockfile.
pub(super) fn names(file: &Path) -> Result<BTreeSet<String>> {
    let text = fs::read_to_string(file)?;
    let all: Vec<String> = match file.extension().and_then(|end| end.to_str()) {
        Some("json") => npm(&text)?,
        Some("txt") => requirements(&text),
        Some("lock") => tables(&text)?,
        _ => bail!("{} is no lockfile that is known here", file.display()),
    };
    // Others name the project itself too.
    let made_up = |name: &String| name.starts_with('p');
    Ok(all.into_iter().filter(made_up).collect())
}

fn npm(text: &str) -> Result<Vec<String>> {
    let document: Value = serde_json::from_str(text)?;
    let packages = document["packages"].as_object();
    let packages = packages.context("a package-lock.json without packages")?;
    let name = |path: &String| path.rsplit('/').next().unwrap_or_default().to_owned();
    Ok(packages.keys().map(name).collect())
}

fn requirements(text: &str) -> Vec<String> {
    let pinned = |line: &str| Some(line.split_once("==")?.0.to_owned());
    text.lines().filter_map(pinned).collect()
}

/// cargo's, uv's and our own all have a `[[package]]` for each.
fn tables(text: &str) -> Result<Vec<String>> {
    let document: toml::Table = text.parse().context("a lockfile that is not TOML")?;
    let packages = document.get("package").and_then(toml::Value::as_array);
    let packages = packages.context("a lockfile without packages")?;
    let name = |package: &toml::Value| {
        let name = package.get("name").or_else(|| package.get("id"))?;
        Some(name.as_str()?.to_owned())
    };
    Ok(packages.iter().filter_map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        let expected = BTreeSet::from(["p1".to_owned(), "p2".to_owned()]);
        assert_eq!(names(&file).unwrap(), expected, "{name}");
    }

    #[test]
    fn names_are_found_in_every_kind_of_lockfile() {
        check(
            "package-lock.json",
            r#"{"packages": {"": {}, "node_modules/p1": {}, "node_modules/p2": {}, "node_modules/p2/node_modules/p1": {}}}"#,
        );
        check(
            "requirements.txt",
            "# by uv\np1==1.0.0\n    # via p2\np2==2.0.0\n",
        );
        let tables =
            "[[package]]\nname = \"bench\"\n[[package]]\nname = \"p1\"\n[[package]]\nid = \"p2\"\n";
        check("Cargo.lock", tables);
        check("attache.lock", tables);
    }
}
