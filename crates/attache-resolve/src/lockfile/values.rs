//! Reads single values out of a table.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use attache_package::{Platform, Range, Release};

use super::lines::{Field, Read, Table, Text, Value};
use super::quotes::{shown, unquoted};
use super::{Fault, InvalidLock};
use crate::host::HostNeed;

/// The largest size that every TOML reader can hold.
const LARGEST: u64 = i64::MAX as u64;

/// Reads a whole number of bytes.
pub(super) fn size(field: &Field<'_>) -> Read<u64> {
    let Value::Bare(word) = field.value else {
        return field.is_not("a whole number");
    };
    // `parse` alone would take `+1` and `01`, which TOML writes differently or not at all.
    let is_plain = word == "0" || word.starts_with(|c| matches!(c, '1'..='9'));
    let size = word.parse().ok().filter(|_| is_plain);
    size.filter(|size| *size <= LARGEST).ok_or_else(|| {
        let message = format!(
            "`{}` is not a size: expected a whole number up to {LARGEST}",
            shown(word)
        );
        InvalidLock::new(field.line, Fault::Value, message)
    })
}

/// Reads a list of `name version`.
pub(super) fn versions(items: &[Text<'_>]) -> Read<BTreeMap<String, Release>> {
    let mut all = BTreeMap::new();
    for item in items {
        let (name, rest) = item.word(&item.text, ' ')?;
        let Some(version) = rest else {
            return item.is_not("a name, a space and a version");
        };
        if all.contains_key(&name) {
            return Err(twice(item.line, &format!("`{}`", shown(&name))));
        }
        all.insert(name, item.read(version)?);
    }
    Ok(all)
}

/// Reads `os/arch` or `os/arch/libc`.
pub(super) fn platform(item: &Text<'_>, text: &str) -> Read<Platform> {
    let (os, rest) = item.word(text, '/')?;
    let Some(rest) = rest else {
        return item.is_not("a platform such as `linux/amd64`");
    };
    let (arch, rest) = item.word(rest, '/')?;
    let libc = match rest {
        Some(rest) => match item.word(rest, '/')? {
            (libc, None) => Some(libc),
            _ => return item.is_not("a platform such as `linux/amd64/glibc`"),
        },
        None => None,
    };
    Ok(Platform { os, arch, libc })
}

/// Reads what is needed of the host; `range` reads a range that stands in the item.
pub(super) fn need(item: &Text<'_>, range: &mut impl FnMut(&str) -> Read<Range>) -> Read<HostNeed> {
    let (kind, rest) = item.text.split_once(' ').unwrap_or((&item.text, ""));
    let expected = match kind {
        "engine" => match item.word(rest, ' ')? {
            (name, Some(text)) => {
                let range = range(text)?;
                return Ok(HostNeed::Engine { name, range });
            }
            _ => "`engine`, a name and a range",
        },
        "platform" => {
            let Platform { os, arch, libc } = platform(item, rest)?;
            return Ok(HostNeed::Platform { os, arch, libc });
        }
        "runtime" => {
            let (name, text) = item.word(rest, ' ')?;
            let range = text.map(range).transpose()?;
            return Ok(HostNeed::Runtime { name, range });
        }
        _ => "`engine`, `platform` or `runtime` and what is needed of it",
    };
    item.is_not(expected)
}

/// Refuses what is there already.
pub(super) fn twice(line: usize, what: &str) -> InvalidLock {
    InvalidLock::new(line, Fault::Twice, format!("{what} is here twice"))
}

impl<'a> Table<'a> {
    /// Returns the items of a list; one that is not there is empty.
    pub(super) fn list(&self, field: Option<&Field<'a>>) -> Read<&[Text<'a>]> {
        let Some(field) = field else {
            return Ok(&[]);
        };
        match self.items(&field.value) {
            Some(items) => Ok(items),
            None => field.is_not("a list"),
        }
    }

    /// Returns what must be there.
    pub(super) fn required<T>(&self, key: &str, field: Option<T>) -> Read<T> {
        field.ok_or_else(|| {
            let message = format!("`{key}` is missing from what begins here");
            InvalidLock::new(self.line, Fault::Missing, message)
        })
    }
}

impl<'a> Field<'a> {
    pub(super) fn text(&self) -> Read<&Text<'a>> {
        match &self.value {
            Value::Text(text) => Ok(text),
            Value::List(_) | Value::Bare(_) => self.is_not("a text in double quotes"),
        }
    }

    /// Refuses a value of another kind than expected.
    fn is_not<T>(&self, expected: &str) -> Read<T> {
        let found = match &self.value {
            Value::Text(text) => format!("the text `{}`", shown(&text.text)),
            Value::List(_) => "a list".to_owned(),
            Value::Bare(word) => format!("`{}`", shown(word)),
        };
        let message = format!("`{}` is {found}, expected {expected}", shown(&self.key));
        Err(InvalidLock::new(self.line, Fault::Syntax, message))
    }
}

impl Text<'_> {
    pub(super) fn parse<T: FromStr<Err: Display>>(&self) -> Read<T> {
        self.read(&self.text)
    }

    /// Reads a part of this text.
    pub(super) fn read<T: FromStr<Err: Display>>(&self, part: &str) -> Read<T> {
        part.parse()
            .or_else(|error: T::Err| self.refused(shown(&error.to_string())))
    }

    /// Returns the text, which holds no control characters: it may go to a terminal.
    pub(super) fn plain(&self) -> Read<String> {
        self.without_control(&self.text)?;
        Ok(self.text.clone().into_owned())
    }

    fn without_control(&self, part: &str) -> Read<()> {
        if part.chars().any(char::is_control) {
            let message = format!("there is a control character in `{}`", shown(part));
            return self.refused(message);
        }
        Ok(())
    }

    /// Reads a name and what follows it after `end`. A name that is not a plain word is in
    /// quotes of its own.
    fn word<'p>(&self, part: &'p str, end: char) -> Read<(String, Option<&'p str>)> {
        if part.starts_with('"') {
            let (name, rest) = unquoted(part)
                .map_err(|(fault, message)| InvalidLock::new(self.line, fault, message))?;
            let behind = rest.strip_prefix(end);
            if behind.is_none() && !rest.is_empty() {
                return self.is_not(&format!("`{end}` after the closing quote"));
            }
            return Ok((name.into_owned(), behind));
        }
        let (word, behind) = match part.split_once(end) {
            Some((word, behind)) => (word, Some(behind)),
            None => (part, None),
        };
        if word.is_empty() {
            return self.is_not("a name where there is nothing");
        }
        self.without_control(word)?;
        Ok((word.to_owned(), behind))
    }

    /// Refuses a value that does not have its form.
    pub(super) fn is_not<T>(&self, expected: &str) -> Read<T> {
        self.refused(format!(
            "`{}` cannot be read: expected {expected}",
            shown(&self.text)
        ))
    }

    pub(super) fn refused<T>(&self, message: String) -> Read<T> {
        Err(InvalidLock::new(self.line, Fault::Value, message))
    }
}
