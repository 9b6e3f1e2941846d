//! Reads a range's text and rewrites its sugar as comparators.

use super::{Comparator, InvalidRange, LONGEST, Operator};
use crate::Release;
use crate::version::{LARGEST, shortened};

/// Returns the alternatives that `given` writes, each as its comparators.
pub(super) fn alternatives(
    given: &str,
    include_prerelease: bool,
) -> Result<Vec<Vec<Comparator>>, InvalidRange> {
    if given.len() > LONGEST {
        return Err(InvalidRange {
            given: shortened(given, 64),
            position: given.chars().count().min(LONGEST) + 1,
            expected: format!("the end, since a range has at most {LONGEST} bytes"),
            found: None,
        });
    }
    let mut parser = Parser {
        given,
        text: given.chars().collect(),
        at: 0,
        include_prerelease,
    };
    let mut alternatives = Vec::new();
    loop {
        alternatives.push(parser.alternative()?);
        if !parser.takes("||") {
            break;
        }
    }
    Ok(simplified(alternatives))
}

/// Returns whether npm, which is to say JavaScript, takes a character for white space.
pub(super) fn is_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

/// Drops the alternatives that hold nothing, or all but one that holds every release.
///
/// That `*` swallows the others is visible from outside: `* || 1.0.0-a` does not admit 1.0.0-a.
fn simplified(mut alternatives: Vec<Vec<Comparator>>) -> Vec<Vec<Comparator>> {
    if alternatives.iter().all(|c| is_nothing(c)) {
        alternatives.truncate(1);
    } else {
        alternatives.retain(|c| !is_nothing(c));
    }
    if alternatives.iter().any(Vec::is_empty) {
        return vec![Vec::new()];
    }
    alternatives
}

fn is_nothing(comparators: &[Comparator]) -> bool {
    comparators == [nothing()]
}

/// Returns `<0.0.0-0`, which no version satisfies.
fn nothing() -> Comparator {
    Comparator {
        operator: Operator::Less,
        version: Release::new(0, 0, 0).lowest_prerelease(),
    }
}

/// What stands before a version.
#[derive(Clone, Copy)]
enum Prefix {
    None,
    Caret,
    Tilde,
    Operator(Operator),
}

/// A version of which the later numbers may be missing or `x`.
struct Partial {
    /// Where each number starts, to blame it.
    at: [usize; 3],
    major: Option<u64>,
    minor: Option<u64>,
    patch: Option<u64>,
    /// Without build metadata; only there when all three numbers are.
    full: Option<Release>,
}

struct Parser<'a> {
    given: &'a str,
    text: Vec<char>,
    at: usize,
    include_prerelease: bool,
}

type Parsed<T> = Result<T, InvalidRange>;

/// The comparators of one alternative, as they are collected.
struct Collected {
    comparators: Vec<Comparator>,
    include_prerelease: bool,
}

impl Collected {
    fn push(&mut self, operator: Operator, version: Release) {
        let comparator = Comparator { operator, version };
        let zero = Release::new(0, 0, 0);
        let least = match self.include_prerelease {
            true => zero.lowest_prerelease(),
            false => zero,
        };
        let says_nothing =
            comparator.operator == Operator::GreaterOrEqual && comparator.version == least;
        if !says_nothing && !self.comparators.contains(&comparator) {
            self.comparators.push(comparator);
        }
    }

    fn finish(self) -> Vec<Comparator> {
        if self.comparators.contains(&nothing()) {
            return vec![nothing()];
        }
        self.comparators
    }
}

impl Parser<'_> {
    /// Reads up to `||` or the end.
    fn alternative(&mut self) -> Parsed<Vec<Comparator>> {
        let mut out = Collected {
            comparators: Vec::new(),
            include_prerelease: self.include_prerelease,
        };
        self.spaces();
        let mut first = true;
        while !self.at_boundary() {
            let prefix = self.prefix();
            let partial = self.partial()?;
            let bare = first && matches!(prefix, Prefix::None);
            if bare && self.takes_hyphen()? {
                let to = self.partial()?;
                self.hyphen(&partial, &to, &mut out)?;
                self.spaces();
                if !self.at_boundary() {
                    return self.expected("`||` or the end, since a hyphen range stands alone");
                }
                break;
            }
            self.desugar(prefix, &partial, &mut out)?;
            self.separator()?;
            first = false;
        }
        Ok(out.finish())
    }

    /// Reads an operator and the space after it.
    fn prefix(&mut self) -> Prefix {
        const PREFIXES: [(&str, Prefix); 8] = [
            ("~>", Prefix::Tilde),
            ("~", Prefix::Tilde),
            ("^", Prefix::Caret),
            (">=", Prefix::Operator(Operator::GreaterOrEqual)),
            (">", Prefix::Operator(Operator::Greater)),
            ("<=", Prefix::Operator(Operator::LessOrEqual)),
            ("<", Prefix::Operator(Operator::Less)),
            ("=", Prefix::Operator(Operator::Equal)),
        ];
        for (text, prefix) in PREFIXES {
            if self.takes(text) {
                self.spaces();
                return prefix;
            }
        }
        Prefix::None
    }

    /// Reads ` - ` between two versions, if it is there.
    fn takes_hyphen(&mut self) -> Parsed<bool> {
        let start = self.at;
        if !self.spaces() || !self.takes("-") {
            self.at = start;
            return Ok(false);
        }
        if !self.spaces() {
            return self.expected("a space, as in `1.0.0 - 2.0.0`");
        }
        Ok(true)
    }

    /// Reads the space that comes before the next comparator, or sees the end of them.
    fn separator(&mut self) -> Parsed<()> {
        let spaced = self.spaces();
        if self.at_boundary() {
            return Ok(());
        }
        match self.peek() {
            Some(',') => self.expected("a space, since commas do not join comparators"),
            Some('|') => self.expected("`||`"),
            Some('-') if spaced => self.expected(
                "a comparator, since a hyphen range stands alone between two plain versions",
            ),
            _ if spaced => Ok(()),
            Some('<' | '>' | '=' | '^' | '~') => {
                self.expected("a space before the next comparator")
            }
            _ => self.expected("the end of the version"),
        }
    }

    /// Reads `1`, `1.2`, `1.x`, `v1.2.3-pre+build` and their like.
    fn partial(&mut self) -> Parsed<Partial> {
        self.takes("v");
        let mut at = [self.at; 3];
        let mut numbers = [None; 3];
        let mut written = 0;
        while written < 3 && (written == 0 || self.takes(".")) {
            at[written] = self.at;
            numbers[written] = self.number(written)?;
            if written > 0 && numbers[written].is_some() && numbers[written - 1].is_none() {
                self.at = at[written];
                return self.expected("`x`, since a number cannot follow `x`");
            }
            written += 1;
        }
        if self.peek() == Some('.') {
            return self.expected("the end of the version, which has at most three numbers");
        }
        let start = self.at;
        if self.takes("-") {
            if written < 3 {
                self.at = start;
                return self.expected("all three numbers before a prerelease");
            }
            self.identifiers("a prerelease identifier", true)?;
        }
        let prerelease: String = self.text[start..self.at].iter().collect();
        if self.takes("+") {
            self.identifiers("a build identifier", false)?;
        }
        let [major, minor, patch] = numbers;
        let full = match (major, minor, patch) {
            (Some(major), Some(minor), Some(patch)) => {
                Some(self.release(&format!("{major}.{minor}.{patch}{prerelease}"), at[0])?)
            }
            _ => None,
        };
        Ok(Partial {
            at,
            major,
            minor,
            patch,
            full,
        })
    }

    /// Reads one number, or nothing for `x`, `X` and `*`.
    fn number(&mut self, written: usize) -> Parsed<Option<u64>> {
        if self.takes("x") || self.takes("X") || self.takes("*") {
            return Ok(None);
        }
        let start = self.at;
        let mut value: u64 = 0;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            value = value.saturating_mul(10).saturating_add(u64::from(digit));
            self.at += 1;
        }
        match self.text[start..self.at] {
            [] if written == 0 => return self.expected("a version"),
            [] => return self.expected("a number, `x` or `*`"),
            ['0', _, ..] => {
                return self.blame(start, "a number without a leading zero");
            }
            _ => {}
        }
        if value > LARGEST {
            return self.blame(start, &format!("a number of at most {LARGEST}"));
        }
        Ok(Some(value))
    }

    /// Reads identifiers joined by dots.
    fn identifiers(&mut self, what: &str, is_prerelease: bool) -> Parsed<()> {
        loop {
            let start = self.at;
            while self
                .peek()
                .is_some_and(|c| c.is_ascii_alphanumeric() || c == '-')
            {
                self.at += 1;
            }
            let identifier = &self.text[start..self.at];
            if identifier.is_empty() {
                return self.expected(&format!("{what} of letters, digits and `-`"));
            }
            let is_number = identifier.iter().all(char::is_ascii_digit);
            if is_prerelease && is_number && identifier.len() > 1 && identifier[0] == '0' {
                return self.blame(start, "a number without a leading zero");
            }
            if !self.takes(".") {
                return Ok(());
            }
        }
    }

    /// Rewrites one version and what stands before it.
    fn desugar(&self, prefix: Prefix, partial: &Partial, out: &mut Collected) -> Parsed<()> {
        use Operator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
        if let (Prefix::None | Prefix::Operator(_), Some(version)) = (prefix, &partial.full) {
            let operator = match prefix {
                Prefix::Operator(operator) => operator,
                _ => Equal,
            };
            out.push(operator, version.clone());
            return Ok(());
        }
        if partial.major.is_none() {
            if let Prefix::Operator(Greater | Less) = prefix {
                let Comparator { operator, version } = nothing();
                out.push(operator, version);
            }
            return Ok(());
        }
        match prefix {
            Prefix::Operator(Greater) => {
                let next = self.after(partial)?;
                out.push(GreaterOrEqual, self.from(next));
            }
            Prefix::Operator(GreaterOrEqual) => out.push(GreaterOrEqual, self.floor(partial)),
            Prefix::Operator(Less) => out.push(Less, least(partial).lowest_prerelease()),
            Prefix::Operator(LessOrEqual) => {
                out.push(Less, self.after(partial)?.lowest_prerelease());
            }
            Prefix::Caret => {
                out.push(GreaterOrEqual, self.floor(partial));
                out.push(Less, self.caret_end(partial)?.lowest_prerelease());
            }
            Prefix::None | Prefix::Tilde | Prefix::Operator(Equal) => {
                out.push(GreaterOrEqual, self.floor(partial));
                out.push(Less, self.after(partial)?.lowest_prerelease());
            }
        }
        Ok(())
    }

    /// Rewrites `from - to`.
    fn hyphen(&self, from: &Partial, to: &Partial, out: &mut Collected) -> Parsed<()> {
        if from.major.is_some() {
            let floor = self.floor(from);
            // With prereleases, a release as the lower end brings its own along.
            let floor = match floor.is_prerelease() {
                true => floor,
                false => self.from(floor),
            };
            out.push(Operator::GreaterOrEqual, floor);
        }
        match &to.full {
            Some(version) if version.is_prerelease() || !self.include_prerelease => {
                out.push(Operator::LessOrEqual, version.clone());
            }
            Some(version) => {
                let (major, minor, patch) = version.numbers();
                let patch = self.next(patch, to.at[2])?;
                let end = Release::new(major, minor, patch).lowest_prerelease();
                out.push(Operator::Less, end);
            }
            None if to.major.is_some() => {
                out.push(Operator::Less, self.after(to)?.lowest_prerelease());
            }
            None => {}
        }
        Ok(())
    }

    /// Returns the lowest version that a partial one stands for.
    fn floor(&self, partial: &Partial) -> Release {
        match &partial.full {
            Some(version) => version.clone(),
            None => self.from(least(partial)),
        }
    }

    /// Returns where a bound made of missing numbers starts: before the prereleases, if asked.
    fn from(&self, version: Release) -> Release {
        match self.include_prerelease {
            true => version.lowest_prerelease(),
            false => version,
        }
    }

    /// Returns the first release after all that share the numbers given, of which a tilde and
    /// an `x` let the last but the patch stand.
    fn after(&self, partial: &Partial) -> Parsed<Release> {
        let major = partial.major.unwrap_or_default();
        Ok(match partial.minor {
            None => Release::new(self.next(major, partial.at[0])?, 0, 0),
            Some(minor) => Release::new(major, self.next(minor, partial.at[1])?, 0),
        })
    }

    /// Returns the first release after all that agree up to the leftmost number that is not 0.
    fn caret_end(&self, partial: &Partial) -> Parsed<Release> {
        Ok(match (partial.major, partial.minor, partial.patch) {
            (Some(0), Some(0), Some(patch)) => Release::new(0, 0, self.next(patch, partial.at[2])?),
            (Some(0), Some(minor), _) => Release::new(0, self.next(minor, partial.at[1])?, 0),
            (major, ..) => Release::new(self.next(major.unwrap_or_default(), partial.at[0])?, 0, 0),
        })
    }

    fn next(&self, number: u64, at: usize) -> Parsed<u64> {
        if number == LARGEST {
            let most = LARGEST - 1;
            return self.blame(
                at,
                &format!("a number of at most {most}, to have a next one"),
            );
        }
        Ok(number + 1)
    }

    fn release(&self, text: &str, at: usize) -> Parsed<Release> {
        text.parse().or_else(|error: crate::InvalidVersion| {
            self.blame(at, &format!("a version, but {}", error.reason))
        })
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// Skips white space and returns whether there was any.
    fn spaces(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
        self.at > start
    }

    /// Skips `what`, if it is next.
    fn takes(&mut self, what: &str) -> bool {
        let rest = &self.text[self.at..];
        let count = what.chars().count();
        let found =
            rest.len() >= count && rest.iter().copied().zip(what.chars()).all(|(a, b)| a == b);
        if found {
            self.at += count;
        }
        found
    }

    fn at_boundary(&self) -> bool {
        matches!(self.text[self.at..], [] | ['|', '|', ..])
    }

    /// Refuses what is next, and names it.
    fn expected<T>(&self, expected: &str) -> Parsed<T> {
        Err(InvalidRange {
            found: self.peek(),
            ..self.refusal(self.at, expected)
        })
    }

    /// Refuses something longer than a character that starts at `at`.
    fn blame<T>(&self, at: usize, expected: &str) -> Parsed<T> {
        Err(self.refusal(at, expected))
    }

    fn refusal(&self, at: usize, expected: &str) -> InvalidRange {
        InvalidRange {
            given: shortened(self.given, 200),
            position: at + 1,
            expected: expected.to_owned(),
            found: None,
        }
    }
}

/// Returns a partial version with 0 for what is missing.
fn least(partial: &Partial) -> Release {
    Release::new(
        partial.major.unwrap_or_default(),
        partial.minor.unwrap_or_default(),
        partial.patch.unwrap_or_default(),
    )
}
