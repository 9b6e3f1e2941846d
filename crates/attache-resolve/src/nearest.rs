//! Names that look like a mistyped one.

use attache_package::PackageName;

/// Returns up to three known names that someone may have meant, the closest first.
pub fn nearest<'a>(
    given: &PackageName,
    known: impl Iterator<Item = &'a PackageName>,
) -> Vec<PackageName> {
    // A third of the letters may differ: `reserch` is `research`, `a` is not `b`.
    let most = (given.as_str().len() / 3).min(4);
    let mut near: Vec<(usize, &PackageName)> = known
        .filter(|name| *name != given)
        .filter_map(|name| Some((distance(given.as_str(), name.as_str(), most)?, name)))
        .collect();
    near.sort();
    near.into_iter()
        .take(3)
        .map(|(_, name)| name.clone())
        .collect()
}

/// The longest name.
const LONGEST: usize = 200;

/// Returns how many letters have to be typed, left out, replaced or swapped, if at most `most`.
/// A name that only lacks what stands before a dot is one step away.
fn distance(given: &str, known: &str, most: usize) -> Option<usize> {
    let below = |long: &str, short: &str| {
        let rest = long.strip_suffix(short);
        rest.is_some_and(|rest| rest.ends_with('.'))
    };
    if below(known, given) || below(given, known) {
        return Some(1);
    }
    let (given, known) = (given.as_bytes(), known.as_bytes());
    if given.len().abs_diff(known.len()) > most {
        return None;
    }
    // What is the same at both ends costs nothing, and is most of it where names are alike.
    let (given, known) = differing(given, known);
    let mut rows = [[0u8; LONGEST + 1]; 3];
    let [before_last, last, row] = &mut rows;
    let (mut before_last, mut last, mut row) = (before_last, last, row);
    for (cost, start) in (0..=255).zip(last.iter_mut()) {
        *start = cost;
    }
    for (i, a) in (0..).zip(given) {
        row[0] = i + 1;
        for (j, b) in known.iter().enumerate() {
            let mut best = (last[j] + u8::from(a != b))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *a == known[j - 1] && given[usize::from(i) - 1] == *b {
                best = best.min(before_last[j - 1] + 1);
            }
            row[j + 1] = best;
        }
        if row[..=known.len()].iter().all(|c| usize::from(*c) > most) {
            return None;
        }
        (before_last, last, row) = (last, row, before_last);
    }
    Some(usize::from(last[known.len()])).filter(|cost| *cost <= most)
}

/// Leaves out what two texts have in common at their beginning and at their end.
fn differing<'t>(a: &'t [u8], b: &'t [u8]) -> (&'t [u8], &'t [u8]) {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    let pairs = a.iter().rev().zip(b.iter().rev());
    let same = pairs.take_while(|(a, b)| a == b).count();
    (&a[..a.len() - same], &b[..b.len() - same])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &str, expected: &[&str]) {
        let known = [
            "code-review",
            "com.acme.researcher",
            "research",
            "researcher",
            "researcher-pro",
            "z",
        ];
        let known: Vec<PackageName> = known.iter().map(|name| name.parse().unwrap()).collect();
        let found = nearest(&given.parse().unwrap(), known.iter());
        let found: Vec<&str> = found.iter().map(PackageName::as_str).collect();
        assert_eq!(found, expected, "{given}");
    }

    #[test]
    fn a_mistyped_name_finds_its_neighbours() {
        check("reseracher", &["researcher", "research"]);
        check("researcher", &["com.acme.researcher", "research"]);
        check("com.acme.reseacher", &["com.acme.researcher"]);
        check("org.example.code-review", &["code-review"]);
        check("code_reviews", &["code-review"]);
    }

    #[test]
    fn a_name_like_no_other_finds_none() {
        check("a", &[]);
        check("translator", &[]);
        check("quite-another-thing-altogether", &[]);
    }
}
