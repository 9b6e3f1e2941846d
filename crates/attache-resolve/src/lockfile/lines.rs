//! The part of TOML that a lockfile is written in: tables of texts, whole numbers and lists of
//! texts, read line by line.

use std::borrow::Cow;

use attache_package::PackageName;

use super::{Fault, InvalidLock};

/// The longest text that is read, in bytes.
const MOST_BYTES: usize = 64 << 20;

/// The most lines that are read.
const MOST_LINES: usize = 1_000_000;

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
        ("[[package]]", Self::Package),
        ("[[root]]", Self::Root),
        ("[namespaces]", Self::Namespaces),
        ("[overrides]", Self::Overrides),
        ("[host]", Self::Host),
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

/// A table as it stands, with known fields at most once each.
pub(super) struct Table<'a> {
    pub(super) kind: Kind,
    /// The line of the header.
    pub(super) line: usize,
    pub(super) fields: Vec<Field<'a>>,
}

pub(super) struct Field<'a> {
    pub(super) key: Cow<'a, str>,
    pub(super) line: usize,
    pub(super) value: Value<'a>,
}

pub(super) enum Value<'a> {
    /// A text in quotes.
    Text(Cow<'a, str>),
    /// A list of texts.
    List(Vec<Text<'a>>),
    /// A word without quotes, which may be a number.
    Bare(&'a str),
}

/// A text and the line it stands on.
pub(super) struct Text<'a> {
    pub(super) line: usize,
    pub(super) text: Cow<'a, str>,
}

impl<'a> Table<'a> {
    pub(super) fn field(&self, key: &str) -> Option<&Field<'a>> {
        self.fields.iter().find(|field| field.key == key)
    }
}

/// The tables of a text, the one without a header first. To be left at the first error.
pub(super) struct Tables<'a> {
    /// What follows the current line.
    below: &'a str,
    /// What is left of the current line.
    rest: &'a str,
    line: usize,
    /// The table that comes next, and the line of its header.
    next: Option<(Kind, usize)>,
}

impl<'a> Iterator for Tables<'a> {
    type Item = Read<Table<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let (kind, line) = self.next.take()?;
        Some(self.table(kind, line))
    }
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
            below: text,
            rest: "",
            line: 0,
            next: Some((Kind::Top, 1)),
        })
    }

    /// Returns the tables of a kind that have this name, up to the first error.
    pub(super) fn of(
        text: &'a str,
        kind: Kind,
        id: Option<&PackageName>,
    ) -> impl Iterator<Item = Table<'a>> {
        let is_it = move |table: &Table<'a>| match table.field("id").map(|field| &field.value) {
            Some(Value::Text(text)) => id.is_some_and(|id| id.as_str() == text),
            _ => id.is_none(),
        };
        let tables = Self::new(text).into_iter().flatten();
        tables
            .map_while(Result::ok)
            .filter(move |table| table.kind == kind && is_it(table))
    }

    /// Reads up to the next header.
    fn table(&mut self, kind: Kind, line: usize) -> Read<Table<'a>> {
        let mut table = Table {
            kind,
            line,
            fields: Vec::with_capacity(kind.fields().map_or(0, <[_]>::len)),
        };
        while self.next_line()? {
            self.spaces();
            match self.rest.as_bytes().first() {
                None | Some(b'#') => self.end()?,
                Some(b'[') => {
                    self.next = Some((self.header()?, self.line));
                    break;
                }
                Some(_) => self.field(&mut table)?,
            }
        }
        Ok(table)
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
        self.end()?;
        Ok(kind)
    }

    /// Reads `key = value` into a table that may have such a field.
    fn field(&mut self, table: &mut Table<'a>) -> Read<()> {
        let line = self.line;
        let start = self.rest;
        let key = self.key()?;
        self.spaces();
        if !self.takes(b'=') {
            return self.unexpected("`=` after the key");
        }
        self.spaces();
        if let Some(known) = table.kind.fields() {
            if !known.contains(&&*key) {
                self.rest = start;
                return self.unexpected(&format!("one of {}", known.join(", ")));
            }
            if let Some(first) = table.field(&key) {
                let message = format!("`{key}` is here twice, first on line {}", first.line);
                return Err(InvalidLock::new(line, Fault::Twice, message));
            }
        }
        let value = self.value()?;
        // At once, since whatever follows may look different in another version.
        if table.kind == Kind::Top && key == "version" {
            check_version(line, &value)?;
        }
        table.fields.push(Field { key, line, value });
        Ok(())
    }

    fn key(&mut self) -> Read<Cow<'a, str>> {
        if self.rest.starts_with('"') {
            return self.string();
        }
        let is_bare = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        let length = self.rest.bytes().take_while(|byte| is_bare(byte)).count();
        if length == 0 {
            return self.unexpected("a key or the header of a table");
        }
        let (key, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(Cow::Borrowed(key))
    }

    /// Reads a value and the end of its line.
    fn value(&mut self) -> Read<Value<'a>> {
        let value = match self.rest.as_bytes().first() {
            None | Some(b'#') => return self.unexpected("a value"),
            Some(b'"') => Value::Text(self.string()?),
            Some(b'[') => Value::List(self.list()?),
            Some(_) => {
                let is_end = |c: char| c.is_whitespace() || c == '#';
                let length = self.rest.find(is_end).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(length);
                self.rest = rest;
                Value::Bare(word)
            }
        };
        self.end()?;
        Ok(value)
    }

    /// Reads a list, on one line or on many.
    fn list(&mut self) -> Read<Vec<Text<'a>>> {
        let start = self.line;
        let mut items = Vec::new();
        self.takes(b'[');
        loop {
            self.gap(start)?;
            if self.takes(b']') {
                return Ok(items);
            }
            if !self.rest.starts_with('"') {
                return self.unexpected("a text in double quotes or `]`");
            }
            items.push(Text {
                line: self.line,
                text: self.string()?,
            });
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
            if !matches!(self.rest.as_bytes().first(), None | Some(b'#')) {
                return Ok(());
            }
            self.end()?;
            if !self.next_line()? {
                let message = "the list that begins here has no end; expected `]`";
                return Err(InvalidLock::new(start, Fault::Syntax, message));
            }
        }
    }

    /// Reads a text in double quotes.
    fn string(&mut self) -> Read<Cow<'a, str>> {
        match unquoted(self.rest) {
            Ok((text, rest)) => {
                self.rest = rest;
                Ok(text)
            }
            Err((fault, message)) => Err(InvalidLock::new(self.line, fault, message)),
        }
    }

    /// Reads what may stand behind everything else on a line.
    fn end(&mut self) -> Read<()> {
        self.spaces();
        if !matches!(self.rest.as_bytes().first(), None | Some(b'#')) {
            return self.unexpected("the end of the line");
        }
        let mut comment = std::mem::take(&mut self.rest).chars();
        if comment.any(|c| c.is_control() && c != '\t') {
            let message = "there is a control character in the comment";
            return Err(InvalidLock::new(self.line, Fault::Syntax, message));
        }
        Ok(())
    }

    /// Goes to the next line and returns whether there is one.
    fn next_line(&mut self) -> Read<bool> {
        if self.below.is_empty() {
            return Ok(false);
        }
        let (line, below) = self.below.split_once('\n').unwrap_or((self.below, ""));
        self.rest = line.strip_suffix('\r').unwrap_or(line);
        self.below = below;
        self.line += 1;
        if self.line > MOST_LINES {
            let message = format!("a lockfile has at most {MOST_LINES} lines");
            return Err(InvalidLock::new(self.line, Fault::Syntax, message));
        }
        Ok(true)
    }

    fn spaces(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Skips one character, if it is next.
    fn takes(&mut self, byte: u8) -> bool {
        let rest = self.rest.strip_prefix(char::from(byte));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn unexpected<T>(&self, expected: &str) -> Read<T> {
        let found = match self.rest {
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
                "this is version {} of the form, and only version {VERSION} is known",
                shown(other)
            );
            return Err(InvalidLock::new(line, Fault::Version, message));
        }
        Value::Bare(other) => format!("`{}` is not a version of the form", shown(other)),
        Value::Text(_) | Value::List(_) => "the version of the form is a whole number".to_owned(),
    };
    Err(InvalidLock::new(line, Fault::Value, message))
}

/// Reads a text in double quotes, and returns it with what follows.
pub(super) fn unquoted(given: &str) -> Result<(Cow<'_, str>, &str), (Fault, String)> {
    let control = |c: char| {
        let code = u32::from(c);
        let message = format!("there is a control character (U+{code:04X}) in a value");
        Err((Fault::Value, message))
    };
    let unclosed = || {
        let message = format!("`{}` has no closing quote", shown(given));
        (Fault::Syntax, message)
    };
    let inner = given.strip_prefix('"').unwrap_or(given);
    let ends = |byte: u8| byte == b'"' || byte == b'\\' || byte.is_ascii_control();
    let first = inner.bytes().position(ends).ok_or_else(unclosed)?;
    if inner.as_bytes()[first] == b'"' {
        return Ok((Cow::Borrowed(&inner[..first]), &inner[first + 1..]));
    }
    let mut out = String::new();
    let mut rest = inner.chars();
    loop {
        match rest.next().ok_or_else(unclosed)? {
            '"' => return Ok((Cow::Owned(out), rest.as_str())),
            '\\' => {
                let start = rest.as_str();
                let (c, behind) = escaped(start).ok_or_else(|| {
                    let found = start.chars().next().map(String::from).unwrap_or_default();
                    let message = format!(
                        "found the escape `\\{}`, expected one of \\\\, \\\", \\t, \\n, \\uXXXX",
                        shown(&found)
                    );
                    (Fault::Syntax, message)
                })?;
                out.push(c);
                rest = behind.chars();
            }
            c if c.is_ascii_control() => return control(c),
            c => out.push(c),
        }
    }
}

/// Reads what follows a backslash.
fn escaped(text: &str) -> Option<(char, &str)> {
    let (first, rest) = (text.chars().next()?, text.get(1..)?);
    let plain = match first {
        '\\' | '"' => first,
        't' => '\t',
        'n' => '\n',
        'u' => {
            let digits = rest.get(..4)?;
            let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let code = is_hex.then(|| u32::from_str_radix(digits, 16).ok())??;
            return Some((char::from_u32(code)?, &rest[4..]));
        }
        _ => return None,
    };
    Some((plain, rest))
}

/// Returns the text fit for a message: no control characters, and an ellipsis when it is long.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 300;
    let mut rest = text.trim_end().chars();
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut out: String = rest.by_ref().take(MOST).map(visible).collect();
    if rest.next().is_some() {
        out.push('…');
    }
    out
}

/// Finds the first line that a merge left behind.
pub(super) fn merge_marker(text: &str) -> Option<InvalidLock> {
    const MARKERS: [&str; 4] = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"];
    let is_marker = |line: &str| MARKERS.iter().any(|marker| line.starts_with(marker));
    let at = text.lines().position(is_marker)?;
    let message = "a merge was not settled here";
    Some(InvalidLock::new(at + 1, Fault::Merge, message))
}
