//! Made-up packages with the shape of real ones, the same every time.
//!
//! Included by `#[path]` wherever the resolver is measured or tested, so it needs nothing but
//! the standard library, and everyone who resolves gets the very same packages.
//!
//! - A package needs only packages of a higher number, so there is no circle.
//! - Whom it needs is drawn by how many need it already: few are needed by very many.
//! - One version of each package is planted: the planted ones go together, so there always is
//!   an answer. Versions beside them may ask for something else, so whoever takes the highest
//!   of everything has to go back now and then.

use std::fmt;

/// A universe to resolve in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Case {
    /// What tables and folders call it.
    pub(crate) name: &'static str,
    /// How many packages there are.
    pub(crate) packages: usize,
    /// How many of them nobody else needs; they have the lowest numbers.
    tops: usize,
    /// How many of those are asked for.
    asked: usize,
    /// Whether there is an answer.
    pub(crate) solvable: bool,
}

/// Everything that is measured.
pub(crate) const CASES: [Case; 4] = [
    case("100", 100, 5, 5, true),
    case("1000", 1_000, 20, 20, true),
    case("10000", 10_000, 2_000, 40, true),
    case("unsolvable", 1_000, 20, 20, false),
];

const fn case(
    name: &'static str,
    packages: usize,
    tops: usize,
    asked: usize,
    solvable: bool,
) -> Case {
    Case {
        name,
        packages,
        tops,
        asked,
        solvable,
    }
}

/// Packages, and what is asked of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Universe {
    /// Called `p0`, `p1` and so on.
    pub(crate) packages: Vec<Package>,
    /// What is asked for.
    pub(crate) roots: Vec<Dependency>,
}

/// A package's versions, lowest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Package {
    pub(crate) versions: Vec<Version>,
}

/// One version of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) number: Number,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A need for the versions that are compatible with one: at least that one, of the same major.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) package: usize,
    pub(crate) from: Number,
}

/// A version number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Number {
    pub(crate) major: usize,
    minor: usize,
    patch: usize,
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl Case {
    /// Returns whether every answer holds all packages.
    pub(crate) fn reaches_all(&self) -> bool {
        self.asked == self.tops
    }

    /// Makes the packages.
    pub(crate) fn universe(&self) -> Universe {
        let mut draw = Draw(0x5eed_0002 + self.packages as u64);
        // Four are kept for the knot that cannot be undone.
        let grown = self.packages - if self.solvable { 0 } else { 4 };
        let needs = needs(grown, self.tops, &mut draw);
        let mut packages: Vec<Package> = (0..grown).map(|_| package(&mut draw)).collect();
        let planted: Vec<usize> = packages
            .iter()
            .map(|package| plant(package, &mut draw))
            .collect();
        for at in 0..grown {
            for version in 0..packages[at].versions.len() {
                let side = version.cmp(&planted[at]);
                let dependencies = needs[at].iter().filter_map(|need| {
                    let chosen = needed(need, &packages, &planted, side, &mut draw)?;
                    Some(around(need.package, &packages, chosen, &mut draw))
                });
                let dependencies: Vec<_> = dependencies.collect();
                packages[at].versions[version].dependencies = dependencies;
            }
        }
        if !self.solvable {
            tie(&mut packages, &mut draw);
        }
        let step = self.tops / self.asked;
        let roots = (0..self.asked).map(|at| {
            let package = at * step;
            around(package, &packages, planted[package], &mut draw)
        });
        Universe {
            roots: roots.collect(),
            packages,
        }
    }
}

/// Whom a package needs, whatever the version.
struct Need {
    package: usize,
    /// Whether every version needs it; that is what makes each package reachable.
    always: bool,
}

fn needs(packages: usize, tops: usize, draw: &mut Draw) -> Vec<Vec<Need>> {
    let mut needs: Vec<Vec<Need>> = (0..packages).map(|_| Vec::new()).collect();
    // Each package is in it once, and once more for everyone who needs it.
    let mut popular = Vec::new();
    for at in (0..packages).rev() {
        if !popular.is_empty() {
            let most = 1 + draw.below(12);
            for _ in 0..draw.below(most) {
                let package = popular[draw.below(popular.len())];
                if needs[at].iter().all(|need| need.package != package) {
                    let always = false;
                    needs[at].push(Need { package, always });
                    popular.push(package);
                }
            }
        }
        popular.push(at);
    }
    for package in tops..packages {
        let parent = draw.below(package);
        needs[parent].retain(|need| need.package != package);
        let always = true;
        needs[parent].push(Need { package, always });
    }
    needs
}

/// Up to four majors of up to four versions each.
fn package(draw: &mut Draw) -> Package {
    let most = 1 + draw.below(4);
    let majors = 1 + draw.below(most);
    let mut versions = Vec::new();
    for major in 1..=majors {
        let mut minor = 0;
        for _ in 0..1 + draw.below(4) {
            let patch = draw.below(3);
            versions.push(version(Number {
                major,
                minor,
                patch,
            }));
            minor += 1 + draw.below(3);
        }
    }
    Package { versions }
}

fn version(number: Number) -> Version {
    Version {
        number,
        dependencies: Vec::new(),
    }
}

/// Three quarters of all packages are planted in their highest version.
fn plant(package: &Package, draw: &mut Draw) -> usize {
    let versions = package.versions.len();
    if draw.below(4) > 0 {
        versions - 1
    } else {
        draw.below(versions)
    }
}

/// Returns the version that a dependency was written for: beside the planted version of the
/// dependent, newer ones ask for anything now and then, and older ones for something older.
fn needed(
    need: &Need,
    packages: &[Package],
    planted: &[usize],
    side: std::cmp::Ordering,
    draw: &mut Draw,
) -> Option<usize> {
    let fits = planted[need.package];
    if side.is_ne() && !need.always && draw.below(10) == 0 {
        return None;
    }
    Some(match side {
        std::cmp::Ordering::Greater if draw.below(3) == 0 => {
            draw.below(packages[need.package].versions.len())
        }
        std::cmp::Ordering::Less if draw.below(2) == 0 => draw.below(fits + 1),
        _ => fits,
    })
}

/// Returns a range that holds a version, and perhaps some before it of the same major.
fn around(package: usize, packages: &[Package], version: usize, draw: &mut Draw) -> Dependency {
    let versions = &packages[package].versions;
    let major = versions[version].number.major;
    let first = versions.iter().position(|v| v.number.major == major);
    let first = first.unwrap_or(version);
    let from = versions[first + draw.below(version - first + 1)].number;
    Dependency {
        package,
        from: Number { patch: 0, ..from },
    }
}

/// Adds four packages that do not go together, and two deep down that need them.
///
/// One wants the first major of two packages; each version of the other wants the second major
/// of one or the other of them.
fn tie(packages: &mut Vec<Package>, draw: &mut Draw) {
    let number = |major, minor| Number {
        major,
        minor,
        patch: 0,
    };
    let grown = packages.len();
    let [one, other, left, right] = [grown, grown + 1, grown + 2, grown + 3];
    let need = |package, major| Dependency {
        package,
        from: number(major, 0),
    };
    for tied in [one, other] {
        let parent = grown / 2 + draw.below(grown / 2);
        for version in &mut packages[parent].versions {
            version.dependencies.push(need(tied, 1));
        }
    }
    let mut push = |versions: [(usize, usize); 4], needs: &dyn Fn(usize) -> Vec<Dependency>| {
        let versions = versions.iter().map(|(major, minor)| Version {
            number: number(*major, *minor),
            dependencies: needs(*minor),
        });
        packages.push(Package {
            versions: versions.collect(),
        });
    };
    let same = [(1, 0), (1, 1), (1, 2), (1, 3)];
    push(same, &|_| vec![need(left, 1), need(right, 1)]);
    push(same, &|minor| vec![need([left, right][minor % 2], 2)]);
    let both = [(1, 0), (1, 1), (2, 0), (2, 1)];
    push(both, &|_| Vec::new());
    push(both, &|_| Vec::new());
}

/// Where random numbers come from (SplitMix64), so that every run draws the same.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }
}
