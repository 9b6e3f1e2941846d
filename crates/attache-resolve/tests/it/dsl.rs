//! A universe and a request as text, one line for each thing:
//!
//! ```text
//! registries main other                  their order counts
//! bind com.acme main                     a namespace and its registry
//! a 1.0.0: b ^1, c? ^2                   a version, what it needs, what it would like
//! b 1.0.0 @other yanked size=7:          where it is, and what is known of it
//! c 2.0.0: engine x >=2, platform linux/amd64/glibc, runtime python >=3.10
//! want a ^1, b? *                        the request
//! root app 1.0.0
//! needs engine x >=2
//! lock b 1.0.0 @other
//! override b ^2
//! host linux/amd64/glibc engine:x=2.1.0 runtime:python=3.12.1
//! strategy lowest
//! ```
//!
//! Lines that begin with `#` are for the reader.

use std::collections::BTreeMap;

use attache_package::{PackageName, Platform, Range, Release};
use attache_resolve::{
    Artifact, Edge, Entry, Failure, Host, HostNeed, Locked, Request, Resolution, Root, Strategy,
    Universe, Wanted, resolve,
};

/// A text, read but not yet understood by the resolver: the oracle reads it from here too.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    pub(crate) registries: Vec<String>,
    pub(crate) bindings: Vec<(PackageName, String)>,
    pub(crate) versions: Vec<Version>,
    pub(crate) request: Request<'static>,
}

#[derive(Debug, Clone)]
pub(crate) struct Version {
    pub(crate) id: PackageName,
    pub(crate) release: Release,
    pub(crate) registry: String,
    pub(crate) yanked: bool,
    pub(crate) size: u64,
    pub(crate) dependencies: Vec<Wanted>,
    pub(crate) needs: Vec<HostNeed>,
}

impl Text {
    #[track_caller]
    pub(crate) fn read(text: &str) -> Self {
        let mut read = Self::default();
        for line in text.lines().map(str::trim) {
            if !line.is_empty() && !line.starts_with('#') {
                read.line(line);
            }
        }
        read
    }

    fn line(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        let request = &mut self.request;
        match word {
            "registries" => self.registries = words.iter().map(|w| (*w).to_owned()).collect(),
            "bind" => self.bindings.push((name(words[0]), words[1].to_owned())),
            "want" => request.wanted = items(rest).0,
            "needs" => request.needs = items(rest).1,
            "root" => {
                let version = words.get(1).map(|v| v.parse().unwrap());
                let id = name(words[0]);
                request.root = Some(Root { id, version });
            }
            "lock" => {
                let version = Some(words[1].parse().unwrap());
                let registry = words.get(2).map(|r| r.trim_start_matches('@').to_owned());
                request
                    .locked
                    .insert(name(words[0]), Locked { version, registry });
            }
            "override" => {
                let (id, range) = rest.split_once(' ').unwrap();
                request.overrides.insert(name(id), range.parse().unwrap());
            }
            "host" => request.host = Some(host(&words)),
            "strategy" => {
                assert_eq!(words, ["lowest"]);
                request.strategy = Strategy::Lowest;
            }
            id => self.versions.push(version(id, rest)),
        }
    }

    pub(crate) fn universe(&self) -> Universe {
        let mut builder = Universe::builder();
        for registry in &self.registries {
            builder.registry(registry);
        }
        for (namespace, registry) in &self.bindings {
            let registry = builder.registry(registry);
            builder.bind(namespace.clone(), registry);
        }
        for version in &self.versions {
            let package = builder.package(version.id.as_str()).unwrap();
            let dependencies = version.dependencies.iter().map(|dependency| Edge {
                package: builder.package(dependency.id.as_str()).unwrap(),
                range: builder.range(&dependency.range.to_string()).unwrap(),
                optional: dependency.optional,
            });
            let dependencies = dependencies.collect();
            let needs = version.needs.iter().cloned().map(|need| builder.need(need));
            let needs = needs.collect();
            let artifact = Artifact {
                registry: builder.registry(&version.registry),
                digest: None,
                size: version.size,
                url: None,
                yanked: version.yanked,
                absent: false,
            };
            let entry = Entry {
                dependencies,
                needs,
                artifact,
            };
            builder.add(package, version.release.clone(), entry);
        }
        builder.build().unwrap()
    }

    pub(crate) fn resolve(&self) -> Result<Resolution, Failure> {
        resolve(&self.universe(), &self.request)
    }
}

pub(crate) fn name(text: &str) -> PackageName {
    text.parse().unwrap()
}

fn version(id: &str, rest: &str) -> Version {
    let (head, needs) = rest.split_once(':').unwrap_or((rest, ""));
    let mut words = head.split_whitespace();
    let (dependencies, host_needs) = items(needs);
    let mut version = Version {
        id: name(id),
        release: words.next().unwrap().parse().unwrap(),
        registry: "main".to_owned(),
        yanked: false,
        size: 0,
        dependencies,
        needs: host_needs,
    };
    for word in words {
        if let Some(registry) = word.strip_prefix('@') {
            version.registry = registry.to_owned();
        } else if let Some(size) = word.strip_prefix("size=") {
            version.size = size.parse().unwrap();
        } else {
            assert_eq!(word, "yanked");
            version.yanked = true;
        }
    }
    version
}

fn items(text: &str) -> (Vec<Wanted>, Vec<HostNeed>) {
    let (mut wanted, mut needs) = (Vec::new(), Vec::new());
    for item in text.split(',').map(str::trim).filter(|i| !i.is_empty()) {
        let (word, rest) = item.split_once(' ').unwrap_or((item, "*"));
        let name_of = rest.split(' ').next().unwrap_or_default();
        let range = |text: &str| -> Range { text.parse().unwrap() };
        match word {
            "engine" => needs.push(HostNeed::Engine {
                name: name_of.to_owned(),
                range: range(rest.split_once(' ').unwrap().1),
            }),
            "runtime" => needs.push(HostNeed::Runtime {
                name: name_of.to_owned(),
                range: rest.split_once(' ').map(|(_, text)| range(text)),
            }),
            "platform" => {
                let Platform { os, arch, libc } = platform(rest);
                needs.push(HostNeed::Platform { os, arch, libc });
            }
            id => wanted.push(Wanted {
                id: name(id.trim_end_matches('?')),
                range: range(rest),
                optional: id.ends_with('?'),
            }),
        }
    }
    (wanted, needs)
}

fn platform(text: &str) -> Platform {
    let mut parts = text.split('/').map(str::to_owned);
    Platform {
        os: parts.next().unwrap(),
        arch: parts.next().unwrap(),
        libc: parts.next(),
    }
}

fn host(words: &[&str]) -> Host {
    let facts = |kind: &str| -> BTreeMap<String, Release> {
        let facts = words.iter().filter_map(|word| word.strip_prefix(kind));
        let pairs = facts.map(|fact| fact.split_once('=').unwrap());
        pairs
            .map(|(name, version)| (name.to_owned(), version.parse().unwrap()))
            .collect()
    };
    Host {
        engines: facts("engine:"),
        platform: Some(platform(words[0])),
        runtimes: facts("runtime:"),
        is_complete: true,
    }
}

/// Writes an answer as one line: the versions, then what was left out; or why there is none.
pub(crate) fn written(answer: &Result<Resolution, Failure>) -> String {
    match answer {
        Ok(resolution) => {
            let packages = resolution.packages.iter();
            let mut words: Vec<String> = packages
                .map(|c| format!("{} {}", c.id, c.version))
                .collect();
            words.extend(
                resolution
                    .left_out
                    .iter()
                    .map(|o| format!("without {}", o.id)),
            );
            words.join(", ")
        }
        Err(Failure::Cycle { paths, .. }) => {
            let paths = paths.iter().map(|path| {
                let names: Vec<&str> = path.iter().map(PackageName::as_str).collect();
                names.join(" → ")
            });
            format!("cycle {}", paths.collect::<Vec<_>>().join(", "))
        }
        Err(Failure::Conflict(conflict)) => {
            assert!(conflict.is_minimal);
            format!("conflict of {}", conflict.requirements.len())
        }
        Err(failure) => failure.code().to_owned(),
    }
}

/// Resolves a text and compares the answer.
#[track_caller]
pub(crate) fn check(text: &str, expected: &str) {
    let answer = Text::read(text).resolve();
    assert_eq!(written(&answer), expected, "{text}\n{answer:#?}");
}
