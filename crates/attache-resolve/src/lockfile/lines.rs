//! The part of TOML that a lockfile is written in: tables of texts, whole numbers and lists of
//! texts, read line by line.

use std::borrow::Cow;
use std::ops::Range;

use attache_package::PackageName;

use super::quotes::{first_line, shown, unquoted};
use super::{Fault, InvalidLock};

/// The longest text that is read, in bytes.
pub(super) const MOST_BYTES: usize = 64 << 20;

/// The most lines that are read.
pub(super) const MOST_LINES: usize = 1_000_000;

/// The version of the form that is read and written here.
pub(super) const VERSION: &str = "1";

pub(super) type Read<T> = Result<T, InvalidLock>;

/// The kinds of table there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What stands before the first header.
    Top,
    Namespaces,
    Overrides,
    Host,
    Root,
    Package,
}

impl Kind {
    /// Every kind that has a header, and the header.
    const HEADERS: [(&'static str, Kind); 5] = [
        ("[namespaces]", Self::Namespaces),
        ("[overrides]", Self::Overrides),
        ("[host]", Self::Host),
        ("[[root]]", Self::Root),
        ("[[package]]", Self::Package),
    ];

    /// Returns the fields such a table may have; nothing if its keys are names.
    fn fields(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Top => Some(&["version", "strategy"]),
            Self::Namespaces | Self::Overrides => None,
            Self::Host => Some(&["platform", "engines", "runtimes"]),
            Self::Root => Some(&["id", "path", "dependencies", "optional"]),
            Self::Package => Some(&[
                "id",
                "version",
                "registry",
                "namespace",
                "source",
                "digest",
                "size",
                "dependencies",
                "optional",
                "needs",
            ]),
        }
    }

    /// Returns whether there may be more than one.
    pub(super) fn repeats(self) -> bool {
        matches!(self, Self::Root | Self::Package)
    }
}

/// A table as it stands. Reading the next one into it spares the memory for its parts.
pub(super) struct Table<'a> {
    pub(super) kind: Kind,
    /// The line of the header.
    pub(super) line: usize,
    /// What is there of the fields that the kind may have, in their order; in a table whose
    /// keys are names, whatever is there.
    pub(super) fields: Vec<Option<Field<'a>>>,
    /// The items of all its lists.
    items: Vec<Text<'a>>,
}

pub(super) struct Field<'a> {
    pub(super) key: Cow<'a, str>,
    pub(super) line: usize,
    pub(super) value: Value<'a>,
}

pub(super) enum Value<'a> {
    /// A text in quotes.
    Text(Text<'a>),
    /// A list of texts, by where they are among the table's items.
    List(Range<usize>),
    /// A word without quotes, which may be a number.
    Bare(&'a str),
}

/// A text and the line it stands on.
pub(super) struct Text<'a> {
    pub(super) line: usize,
    pub(super) text: Cow<'a, str>,
}

impl<'a> Table<'a> {
    pub(super) fn new() -> Self {
        Self {
            kind: Kind::Top,
            line: 1,
            fields: Vec::new(),
            items: Vec::new(),
        }
    }

    /// Returns what is there of the fields that the kind may have, in their order.
    pub(super) fn known<const N: usize>(&self) -> [Option<&Field<'a>>; N] {
        std::array::from_fn(|at| self.fields[at].as_ref())
    }

    pub(super) fn field(&self, key: &str) -> Option<&Field<'a>> {
        self.fields.iter().flatten().find(|field| field.key == key)
    }

    /// Returns the items of a list; nothing if the value is not one.
    pub(super) fn items(&self, value: &Value<'a>) -> Option<&[Text<'a>]> {
        match value {
            Value::List(at) => self.items.get(at.clone()),
            Value::Text(_) | Value::Bare(_) => None,
        }
    }

    fn begin(&mut self, kind: Kind, line: usize) {
        self.kind = kind;
        self.line = line;
        self.items.clear();
        self.fields.clear();
        let known = kind.fields().map_or(0, <[_]>::len);
        self.fields.resize_with(known, || None);
    }

    /// Returns the place for a field, which is free if it is the first of its name.
    ///
    /// Looks behind the `last` one first, where the next one is unless someone moved it.
    fn place(&mut self, key: &str, last: usize) -> Option<usize> {
        let Some(known) = self.kind.fields() else {
            self.fields.push(None);
            return Some(self.fields.len() - 1);
        };
        let mut places = (last..known.len()).chain(0..last);
        places.find(|at| known[*at] == key)
    }
}

/// Goes through a text from table to table, the one without a header first. To be left at the
/// first error.
pub(super) struct Tables<'a> {
    /// Everything from here on.
    rest: &'a str,
    /// The line where `rest` begins.
    line: usize,
    /// The table that comes next, and the line of its header.
    next: Option<(Kind, usize)>,
}

impl<'a> Tables<'a> {
    /// Starts at the first line, if the text is not too long.
    pub(super) fn new(text: &'a str) -> Read<Self> {
        if let Some(taken) = text.as_bytes().get(..=MOST_BYTES) {
            let line = 1 + taken.iter().filter(|byte| **byte == b'\n').count();
            let message = "here the lockfile becomes longer than 64 MiB";
            return Err(InvalidLock::new(line, Fault::Syntax, message));
        }
        Ok(Self {
            rest: text,
            line: 1,
            next: Some((Kind::Top, 1)),
        })
    }

    /// Returns the table of a package; nothing also if an error comes first.
    pub(super) fn package(text: &'a str, id: &PackageName) -> Option<Table<'a>> {
        let mut tables = Self::new(text).ok()?;
        let mut table = Table::new();
        while tables.read(&mut table).ok()? {
            let found = table.field("id").map(|field| &field.value);
            let is_it = matches!(found, Some(Value::Text(found)) if found.text == id.as_str());
            if table.kind == Kind::Package && is_it {
                return Some(table);
            }
        }
        None
    }

    /// Reads the next table up to the header of another, and returns whether there is one.
    pub(super) fn read(&mut self, table: &mut Table<'a>) -> Read<bool> {
        let Some((kind, line)) = self.next.take() else {
            return Ok(false);
        };
        table.begin(kind, line);
        let mut last = 0;
        loop {
            self.spaces();
            match self.rest.as_bytes().first() {
                None => return Ok(true),
                Some(b'[') => {
                    let line = self.line;
                    self.next = Some((self.header()?, line));
                    return Ok(true);
                }
                Some(b'#' | b'\r' | b'\n') => self.end_of_line()?,
                Some(_) => last = self.field(table, last)?,
            }
        }
    }

    fn header(&mut self) -> Read<Kind> {
        let known = Kind::HEADERS
            .iter()
            .find_map(|(header, kind)| Some((self.rest.strip_prefix(header)?, *kind)));
        let Some((rest, kind)) = known else {
            let headers = Kind::HEADERS.map(|(header, _)| header).join(", ");
            return self.unexpected(&format!("one of {headers}"));
        };
        self.rest = rest;
        self.end_of_line()?;
        Ok(kind)
    }

    /// Reads `key = value` into a table that may have such a field, and returns its place.
    fn field(&mut self, table: &mut Table<'a>, last: usize) -> Read<usize> {
        let (start, line) = (self.rest, self.line);
        let key = self.key()?;
        self.spaces();
        if !self.takes(b'=') {
            return self.unexpected("`=` after the key");
        }
        self.spaces();
        let Some(place) = table.place(&key, last) else {
            self.rest = start;
            let known = table.kind.fields().unwrap_or_default();
            return self.unexpected(&format!("one of {}", known.join(", ")));
        };
        if let Some(first) = &table.fields[place] {
            let message = format!("`{key}` is here twice, first on line {}", first.line);
            return Err(InvalidLock::new(line, Fault::Twice, message));
        }
        let value = self.value(&mut table.items)?;
        // At once, since whatever follows may look different in another version.
        if table.kind == Kind::Top && key == "version" {
            check_version(line, &value)?;
        }
        table.fields[place] = Some(Field { key, line, value });
        Ok(place)
    }

    fn key(&mut self) -> Read<Cow<'a, str>> {
        if self.rest.starts_with('"') {
            return self.string();
        }
        let is_bare = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        let length = self.rest.bytes().take_while(is_bare).count();
        if length == 0 {
            return self.unexpected("a key or the header of a table");
        }
        let (key, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(Cow::Borrowed(key))
    }

    /// Reads a value and the end of its line.
    fn value(&mut self, items: &mut Vec<Text<'a>>) -> Read<Value<'a>> {
        let value = match self.rest.as_bytes().first() {
            None | Some(b'#' | b'\r' | b'\n') => return self.unexpected("a value"),
            Some(b'"') => Value::Text(self.text()?),
            Some(b'[') => {
                let start = items.len();
                self.list(items)?;
                Value::List(start..items.len())
            }
            Some(_) => {
                let is_end = |c: char| c.is_whitespace() || c == '#';
                let length = self.rest.find(is_end).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(length);
                self.rest = rest;
                Value::Bare(word)
            }
        };
        self.end_of_line()?;
        Ok(value)
    }

    /// Reads a list, on one line or on many.
    fn list(&mut self, items: &mut Vec<Text<'a>>) -> Read<()> {
        let start = self.line;
        self.takes(b'[');
        loop {
            self.gap(start)?;
            if self.takes(b']') {
                return Ok(());
            }
            if !self.rest.starts_with('"') {
                return self.unexpected("a text in double quotes or `]`");
            }
            items.push(self.text()?);
            self.gap(start)?;
            if !self.takes(b',') && !self.rest.starts_with(']') {
                return self.unexpected("`,` or `]`");
            }
        }
    }

    /// Skips to what comes next in a list, over the ends of lines and comments.
    fn gap(&mut self, start: usize) -> Read<()> {
        loop {
            self.spaces();
            match self.rest.as_bytes().first() {
                Some(b'#' | b'\r' | b'\n') => self.end_of_line()?,
                Some(_) => return Ok(()),
                None => {
                    let message = "the list that begins here has no end; expected `]`";
                    return Err(InvalidLock::new(start, Fault::Syntax, message));
                }
            }
        }
    }

    fn text(&mut self) -> Read<Text<'a>> {
        Ok(Text {
            line: self.line,
            text: self.string()?,
        })
    }

    /// Reads a text in double quotes.
    fn string(&mut self) -> Read<Cow<'a, str>> {
        let (text, rest) = unquoted(self.rest)
            .map_err(|(fault, message)| InvalidLock::new(self.line, fault, message))?;
        self.rest = rest;
        Ok(text)
    }

    /// Reads what may stand behind everything else on a line, and goes to the next one.
    fn end_of_line(&mut self) -> Read<()> {
        self.spaces();
        if self.rest.starts_with('#') {
            let comment = self.line_left();
            if comment.chars().any(|c| c.is_control() && c != '\t') {
                let message = "there is a control character in the comment";
                return Err(InvalidLock::new(self.line, Fault::Syntax, message));
            }
            self.rest = &self.rest[comment.len()..];
        }
        self.rest = match self.rest.as_bytes() {
            [] => return Ok(()),
            [b'\n', ..] => &self.rest[1..],
            [b'\r', b'\n', ..] => &self.rest[2..],
            _ => return self.unexpected("the end of the line"),
        };
        self.line += 1;
        if self.line > MOST_LINES && !self.rest.is_empty() {
            let message = format!("a lockfile has at most {MOST_LINES} lines");
            return Err(InvalidLock::new(self.line, Fault::Syntax, message));
        }
        Ok(())
    }

    /// Returns what is left of the current line.
    fn line_left(&self) -> &'a str {
        first_line(self.rest)
    }

    fn spaces(&mut self) {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
        let length = self.rest.bytes().take_while(is_space).count();
        self.rest = &self.rest[length..];
    }

    /// Skips an ASCII character, if it is next.
    fn takes(&mut self, byte: u8) -> bool {
        let found = self.rest.as_bytes().first() == Some(&byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn unexpected<T>(&self, expected: &str) -> Read<T> {
        let found = match self.line_left() {
            "" => "the end of the line".to_owned(),
            rest => format!("`{}`", shown(rest)),
        };
        let message = format!("found {found}, expected {expected}");
        Err(InvalidLock::new(self.line, Fault::Syntax, message))
    }
}

fn check_version(line: usize, value: &Value<'_>) -> Read<()> {
    let message = match value {
        Value::Bare(VERSION) => return Ok(()),
        Value::Bare(other) if other.bytes().all(|byte| byte.is_ascii_digit()) => {
            let message = format!(
                "this is version {} of the lockfile's form, and only {VERSION} is known here",
                shown(other)
            );
            return Err(InvalidLock::new(line, Fault::Version, message));
        }
        Value::Bare(other) => format!("`{}` is not a version of the lockfile's form", shown(other)),
        Value::Text(_) | Value::List(_) => {
            "the version of the lockfile's form is a whole number".to_owned()
        }
    };
    Err(InvalidLock::new(line, Fault::Value, message))
}

/// Finds the first line that a merge left behind.
pub(super) fn merge_marker(text: &str) -> Option<InvalidLock> {
    const MARKERS: [&str; 4] = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"];
    let is_marker = |line: &str| MARKERS.iter().any(|marker| line.starts_with(marker));
    let at = text.split('\n').position(is_marker)?;
    let message = "a merge was not settled here";
    Some(InvalidLock::new(at + 1, Fault::Merge, message))
}
