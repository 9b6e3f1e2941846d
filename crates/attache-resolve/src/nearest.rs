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
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=known.len()).collect();
    for (i, a) in given.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in known.iter().enumerate() {
            let mut best = (last[j] + usize::from(a != b))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *a == known[j - 1] && given[i - 1] == *b {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        if row.iter().all(|cost| *cost > most) {
            return None;
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|cost| *cost <= most)
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
