//! Criterion's own benches, and the medians it leaves behind.

use std::path::Path;

use anyhow::{Context, Result, bail};
use fs_err as fs;
use serde_json::Value;

use super::report::{Kernel, Part};
use crate::shell::{cargo, run, target_dir};

/// The crate and the bench in it that measure each part.
const BENCHES: [(Part, &str, &str); 2] = [
    (Part::Package, "attache-package", "kernels"),
    (Part::Resolve, "attache-resolve", "resolve"),
];

/// Runs the benches of the wanted parts and returns their medians, by name.
pub(super) fn measure(quick: bool, wants: impl Fn(Part) -> bool) -> Result<Vec<Kernel>> {
    let folder = target_dir().join("criterion");
    if folder.exists() {
        // What an earlier run left of a bench that is gone would be reported as measured today.
        fs::remove_dir_all(&folder)?;
    }
    for (_, package, bench) in BENCHES.iter().filter(|(part, ..)| wants(*part)) {
        let mut command = cargo(&["bench", "--locked", "--package", package, "--bench", bench]);
        command.args(["--", "--noplot"]);
        if quick {
            command.arg("--quick");
        }
        run(&mut command)?;
    }
    let mut kernels = Vec::new();
    collect(&folder, &mut kernels)?;
    if kernels.is_empty() {
        bail!("criterion left no results in {}", folder.display());
    }
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(kernels)
}

fn collect(folder: &Path, kernels: &mut Vec<Kernel>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if !path.is_dir() {
            continue;
        }
        if path.ends_with("new") {
            let read = |name: &str| -> Result<Value> {
                let text = fs::read_to_string(path.join(name))?;
                serde_json::from_str(&text).with_context(|| format!("criterion's {name}"))
            };
            kernels.push(kernel(&read("benchmark.json")?, &read("estimates.json")?)?);
        } else {
            collect(&path, kernels)?;
        }
    }
    Ok(())
}

fn kernel(benchmark: &Value, estimates: &Value) -> Result<Kernel> {
    Ok(Kernel {
        name: benchmark["full_id"]
            .as_str()
            .context("criterion's benchmark.json has no full_id")?
            .to_owned(),
        nanoseconds: estimates["median"]["point_estimate"]
            .as_f64()
            .context("criterion's estimates.json has no median")?,
        bytes: benchmark["throughput"]["Bytes"].as_u64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_found_wherever_criterion_nests_them() {
        let folder = tempfile::tempdir().unwrap();
        for (name, id) in [("one", "one"), ("group/two", "group/two")] {
            let new = folder.path().join(name).join("new");
            fs::create_dir_all(&new).unwrap();
            let benchmark = format!(r#"{{"full_id":"{id}","throughput":{{"Bytes":10}}}}"#);
            fs::write(new.join("benchmark.json"), benchmark).unwrap();
            let estimates = r#"{"median":{"point_estimate":12.5}}"#;
            fs::write(new.join("estimates.json"), estimates).unwrap();
        }
        let mut kernels = Vec::new();
        collect(folder.path(), &mut kernels).unwrap();
        kernels.sort_by(|a, b| a.name.cmp(&b.name));
        assert_eq!(kernels[0].name, "group/two");
        assert_eq!(kernels[1].nanoseconds, 12.5);
        assert_eq!(kernels[1].bytes, Some(10));
    }

    #[test]
    fn results_without_a_median_are_an_error() {
        assert!(kernel(&serde_json::json!({"full_id": "x"}), &Value::Null).is_err());
    }
}
