//! Versions that go together: what a user sees of `lock`, `tree`, `why`, `outdated` and `index`.

use serde_json::json;

use crate::support::Place;

mod build;
mod files;
mod refusals;
mod views;

/// A place with an index. Each line is `id version`, then `: id range, …` for what it needs,
/// `?` before an optional one, `!` for a version that was taken back.
pub(crate) fn place(lines: &str) -> Place {
    let place = Place::new();
    write_index(&place, "index.jsonl", lines);
    place
}

pub(crate) fn write_index(place: &Place, name: &str, lines: &str) {
    let mut text = "{\"schema\":\"attache.index/1\",\"registry\":\"main\"}\n".to_owned();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (head, needs) = line.split_once(':').unwrap_or((line, ""));
        let (head, yanked) = match head.strip_prefix('!') {
            Some(head) => (head, true),
            None => (head, false),
        };
        let (id, version) = head.split_once(' ').unwrap();
        let needs: Vec<_> = needs
            .split(',')
            .map(str::trim)
            .filter(|need| !need.is_empty())
            .collect();
        let is_need = |need: &&&str| need.starts_with("runtime ") || need.starts_with("platform ");
        let dependencies: Vec<String> = needs
            .iter()
            .filter(|need| !is_need(need))
            .map(|need| {
                let optional = need.starts_with('?');
                let (id, range) = need.trim_start_matches('?').split_once(' ').unwrap();
                let optional = if optional { ",\"optional\":true" } else { "" };
                format!("{{\"id\":\"{id}\",\"range\":\"{range}\"{optional}}}")
            })
            .collect();
        let requirements: Vec<_> = needs
            .iter()
            .filter(is_need)
            .map(|need| {
                let words: Vec<_> = need.splitn(3, ' ').collect();
                match words[0] {
                    "runtime" => {
                        json!({ "kind": "runtime", "name": words[1], "version": words[2] })
                    }
                    _ => {
                        let (os, arch) = words[1].split_once('/').unwrap();
                        json!({ "kind": "platform", "os": os, "arch": arch })
                    }
                }
            })
            .collect();
        // In the order that `attache index` writes, so that the quick look is looked at too.
        text += &format!("{{\"id\":\"{id}\",\"version\":\"{version}\"");
        if !dependencies.is_empty() {
            text += &format!(",\"dependencies\":[{}]", dependencies.join(","));
        }
        if !requirements.is_empty() {
            text += &format!(",\"requirements\":{}", json!(requirements));
        }
        text += &format!(
            ",\"digest\":\"{}\",\"size\":1000,\"source\":\"{id}-{version}.lxpkg\"",
            digest(id, version)
        );
        text += if yanked { ",\"yanked\":true}\n" } else { "}\n" };
    }
    place.write(name, text);
}

fn digest(id: &str, version: &str) -> String {
    attache_package::Digest::of(format!("{id} {version}")).to_string()
}

/// Writes a workspace that wants these, as `id = "range"` lines.
pub(crate) fn want(place: &Place, lines: &str) {
    place.write("attache.toml", format!("[dependencies]\n{lines}\n"));
}

/// Returns the lock's packages, as `id version` each.
pub(crate) fn locked(place: &Place) -> Vec<String> {
    let lock = lock_text(place);
    let value = |line: &str| line.split('"').nth(1).unwrap().to_owned();
    let mut packages = Vec::new();
    for block in lock.split("[[package]]").skip(1) {
        let field = |name: &str| {
            let prefix = format!("{name} = ");
            block.lines().find(|l| l.starts_with(&prefix)).map(value)
        };
        packages.push(format!(
            "{} {}",
            field("id").unwrap(),
            field("version").unwrap()
        ));
    }
    packages
}

pub(crate) fn lock_text(place: &Place) -> String {
    String::from_utf8(place.read("attache.lock")).unwrap()
}

/// Returns the lines that only one of two texts has.
pub(crate) fn changed_lines(before: &str, after: &str) -> Vec<String> {
    let only = |a: &str, b: &str, sign: char| -> Vec<String> {
        let mut rest: Vec<&str> = b.lines().collect();
        let lines = a
            .lines()
            .filter(|line| match rest.iter().position(|other| other == line) {
                Some(at) => {
                    rest.remove(at);
                    false
                }
                None => true,
            });
        lines.map(|line| format!("{sign}{line}")).collect()
    };
    let mut changed = only(before, after, '-');
    changed.extend(only(after, before, '+'));
    changed
}
