//! Paths inside a package: relative, portable, and with one spelling everywhere.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use crate::Defect;

/// A path inside a package: components joined by `/`, relative to the package's root.
///
/// It cannot leave the root, means the same on Linux, macOS and Windows, and holds nothing a
/// person cannot see. Joining it to a directory needs no further check, as long as no component
/// on disk is a link.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct PackagePath(String);

/// A text that cannot be a path inside a package, and the defect it has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}`: {}", given.escape_debug(), defect.sentence())]
pub struct InvalidPath {
    /// What was given.
    pub given: String,
    /// The first defect found.
    pub defect: Defect,
}

const LONGEST_COMPONENT: usize = 255;
const LONGEST_PATH: usize = 1024;
const DEEPEST: usize = 32;

/// Our own state folder. A package that carried one could pretend to be an installation.
pub(crate) const STATE_FOLDER: &str = ".attache";

impl PackagePath {
    /// Checks `given` against every rule for names in packages.
    pub fn new(given: &str) -> Result<Self, InvalidPath> {
        match defect_of(given) {
            None => Ok(Self(given.to_owned())),
            Some(defect) => Err(InvalidPath {
                given: given.to_owned(),
                defect,
            }),
        }
    }

    /// Checks raw bytes from an archive, which need not be UTF-8.
    pub fn from_bytes(given: &[u8]) -> Result<Self, InvalidPath> {
        match std::str::from_utf8(given) {
            Ok(text) => Self::new(text),
            Err(_) => Err(InvalidPath {
                given: String::from_utf8_lossy(given).into_owned(),
                defect: Defect::InvalidUtf8,
            }),
        }
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the components, at least one.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// Returns the last component.
    pub fn file_name(&self) -> &str {
        self.0
            .rsplit_once('/')
            .map_or(self.as_str(), |(_, name)| name)
    }

    /// Returns everything before the last component, or nothing at the root.
    pub fn parent(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(parent, _)| parent)
    }

    /// Returns the last component's extension in lower case, without the dot.
    pub fn extension(&self) -> Option<String> {
        self.file_name()
            .rsplit_once('.')
            .map(|(_, extension)| extension.to_ascii_lowercase())
    }

    /// Returns whether this path is `folder` or lies below it.
    pub fn is_under(&self, folder: &str) -> bool {
        let folder = folder.trim_end_matches('/');
        self.0
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the key under which two names collide on a file system that folds case or
    /// normalises Unicode.
    pub fn twin_key(&self) -> String {
        twin_key(&self.0)
    }
}

pub(crate) fn twin_key(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let normal: String = text.nfkc().collect();
    caseless::default_case_fold_str(&normal).nfkc().collect()
}

fn defect_of(given: &str) -> Option<Defect> {
    if given.is_empty() {
        return Some(Defect::EmptyComponent);
    }
    if given.contains('\0') || given.chars().any(char::is_control) {
        return Some(Defect::ControlCharacter);
    }
    if given.starts_with("\\\\") || given.starts_with("//") {
        return Some(Defect::UncPath);
    }
    if given.starts_with('/') {
        return Some(Defect::AbsolutePath);
    }
    let bytes = given.as_bytes();
    if bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' {
        return Some(Defect::DriveLetter);
    }
    if given.contains('\\') {
        return Some(Defect::Backslash);
    }
    if given.split('/').any(|component| component == "..") {
        return Some(Defect::ParentComponent);
    }
    if given.len() > LONGEST_PATH {
        return Some(Defect::LongPath);
    }
    if given.split('/').count() > DEEPEST {
        return Some(Defect::DeepPath);
    }
    if given.chars().any(is_invisible) {
        return Some(Defect::InvisibleCharacter);
    }
    if !given.is_ascii() && !unicode_normalization::is_nfc(given) {
        return Some(Defect::NotNfc);
    }
    given.split('/').find_map(component_defect)
}

fn component_defect(component: &str) -> Option<Defect> {
    match component {
        "" => return Some(Defect::EmptyComponent),
        "." => return Some(Defect::DotComponent),
        _ => {}
    }
    if component.len() > LONGEST_COMPONENT {
        return Some(Defect::LongComponent);
    }
    if component.contains(':') {
        return Some(Defect::Colon);
    }
    if component.contains(['<', '>', '"', '|', '?', '*']) {
        return Some(Defect::WindowsCharacter);
    }
    if component.ends_with(['.', ' ']) {
        return Some(Defect::TrailingDotOrSpace);
    }
    if is_device_name(component) {
        return Some(Defect::DeviceName);
    }
    // Compared by twin key, so that `.GIT` on a case-folding disk is the same folder.
    let key = twin_key(component);
    match key.as_str() {
        ".git" => Some(Defect::GitFolder),
        // The short names under which NTFS may offer `.git` as well.
        _ if matches!(key.strip_prefix("git~"), Some(n) if matches!(n.as_bytes(), [b'1'..=b'9'])) => {
            Some(Defect::GitFolder)
        }
        STATE_FOLDER => Some(Defect::StateFolder),
        _ => None,
    }
}

/// Returns whether Windows would open a device for this name, whatever its extension.
pub(crate) fn is_device_name(component: &str) -> bool {
    let stem = component
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end_matches(' ');
    let upper = stem.to_ascii_uppercase();
    if matches!(
        upper.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$"
    ) {
        return true;
    }
    let Some(number) = upper
        .strip_prefix("COM")
        .or_else(|| upper.strip_prefix("LPT"))
    else {
        return false;
    };
    let mut digits = number.chars();
    matches!(
        (digits.next(), digits.next()),
        (Some('1'..='9' | '¹' | '²' | '³'), None)
    )
}

/// Returns whether `c` changes how text reads without showing: bidirectional controls,
/// zero-width characters, variation selectors, tags, and the like.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0x00AD | 0x034F | 0x061C | 0x115F | 0x1160 | 0x17B4 | 0x17B5
        | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F
        | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
        | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
        | 0xE0000..=0xE0FFF)
}

impl fmt::Display for PackagePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for PackagePath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for PackagePath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &str, expected: Option<Defect>) {
        assert_eq!(
            PackagePath::new(given).err().map(|e| e.defect),
            expected,
            "{given:?}"
        );
    }

    #[test]
    fn ordinary_paths_are_accepted() {
        for path in [
            "a",
            "prompts/system.md",
            ".nanobot/agents/x/AGENT.md",
            "LICENSE",
            "ü/日本.md",
        ] {
            check(path, None);
        }
        check(".gitignore", None);
        check("console.log", None);
        check("com0", None);
        check("com10.txt", None);
    }

    #[test]
    fn a_path_never_leaves_its_root() {
        check("..", Some(Defect::ParentComponent));
        check("a/../b", Some(Defect::ParentComponent));
        check("/etc/passwd", Some(Defect::AbsolutePath));
        check("c:x", Some(Defect::DriveLetter));
        check("C:/x", Some(Defect::DriveLetter));
        check("\\\\server\\share", Some(Defect::UncPath));
        check("\\\\?\\C:\\x", Some(Defect::UncPath));
        check("//server/share", Some(Defect::UncPath));
        check("a\\b", Some(Defect::Backslash));
    }

    #[test]
    fn a_path_means_the_same_on_every_system() {
        check("", Some(Defect::EmptyComponent));
        check("a//b", Some(Defect::EmptyComponent));
        check("a/", Some(Defect::EmptyComponent));
        check("./a", Some(Defect::DotComponent));
        check("a/./b", Some(Defect::DotComponent));
        check("a.", Some(Defect::TrailingDotOrSpace));
        check("a /b", Some(Defect::TrailingDotOrSpace));
        check("a/b:stream", Some(Defect::Colon));
        for name in ["a<b", "a>b", "say \"x\"", "a|b", "what?", "dir*/x"] {
            check(name, Some(Defect::WindowsCharacter));
        }
        for device in [
            "con",
            "PRN.txt",
            "aux.tar.gz",
            "nul",
            "COM1",
            "lpt9.x",
            "COM¹",
            "conin$",
            "CONOUT$",
            "nul .txt",
        ] {
            check(device, Some(Defect::DeviceName));
        }
        check(&"x".repeat(256), Some(Defect::LongComponent));
        check(&"x/".repeat(513)[..1025], Some(Defect::LongPath));
        check(&vec!["x"; 33].join("/"), Some(Defect::DeepPath));
        check(&vec!["x"; 32].join("/"), None);
    }

    #[test]
    fn a_path_holds_nothing_a_person_cannot_see() {
        check("a\0b", Some(Defect::ControlCharacter));
        check("a\nb", Some(Defect::ControlCharacter));
        check("a\u{85}b", Some(Defect::ControlCharacter));
        check("a\u{202e}gpj.exe", Some(Defect::InvisibleCharacter));
        check("a\u{200d}b", Some(Defect::InvisibleCharacter));
        check("e\u{301}", Some(Defect::NotNfc));
        assert_eq!(
            PackagePath::from_bytes(b"a\xff").unwrap_err().defect,
            Defect::InvalidUtf8
        );
    }

    #[test]
    fn git_and_our_own_state_are_refused_anywhere() {
        check(".git/config", Some(Defect::GitFolder));
        check("a/.GIT/hooks/x", Some(Defect::GitFolder));
        check("git~1/config", Some(Defect::GitFolder));
        check("a/GIT~9", Some(Defect::GitFolder));
        check("git~0", None);
        check("git~10", None);
        check("digit~1", None);
        check("a/.attache/db", Some(Defect::StateFolder));
        check(".Attache", Some(Defect::StateFolder));
    }

    #[test]
    fn twins_share_a_key() {
        let key = |text| PackagePath::new(text).unwrap().twin_key();
        assert_eq!(key("README"), key("readme"));
        assert_eq!(key("Straße"), key("STRASSE"));
        assert_eq!(key("ﬁle"), key("file"));
        assert_ne!(key("a"), key("b"));
    }
}
