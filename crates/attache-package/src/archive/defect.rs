//! Every way an archive or folder can be refused, one variant each.

macro_rules! defects {
    ($($(#[doc = $group:literal])* $variant:ident = $code:literal, $sentence:literal;)*) => {
        /// One reason to refuse an archive, with a stable code and a sentence for a person.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Defect {
            $(#[doc = $sentence] $variant,)*
        }

        impl Defect {
            /// Every defect, in the order of the reference page.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the stable code, e.g. `ATT-PATH-PARENT`.
            pub fn code(self) -> &'static str {
                match self { $(Self::$variant => $code,)* }
            }

            /// Returns what is wrong, as the second half of a sentence about the entry.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $sentence,)* }
            }
        }
    };
}

defects! {
    // Names
    ParentComponent = "ATT-PATH-PARENT", "the name climbs out of the package with `..`";
    AbsolutePath = "ATT-PATH-ABSOLUTE", "the name is absolute";
    DriveLetter = "ATT-PATH-DRIVE", "the name begins with a drive letter";
    UncPath = "ATT-PATH-UNC", "the name is a network or device path";
    Backslash = "ATT-PATH-BACKSLASH", "the name holds a backslash";
    ControlCharacter = "ATT-PATH-CONTROL", "the name holds a NUL or control character";
    EmptyComponent = "ATT-PATH-EMPTY", "the name has an empty part";
    DotComponent = "ATT-PATH-DOT", "the name has a `.` part";
    TrailingDotOrSpace = "ATT-PATH-TRAILING", "a part of the name ends in a dot or space";
    Colon = "ATT-PATH-COLON", "the name holds a colon";
    WindowsCharacter = "ATT-PATH-WINDOWS", "the name holds one of `< > \" | ? *`, which Windows cannot write";
    DeviceName = "ATT-PATH-DEVICE", "the name is a Windows device";
    InvalidUtf8 = "ATT-PATH-UTF8", "the name is not UTF-8";
    AmbiguousEncoding = "ATT-PATH-ENCODING", "the name is not ASCII and the zip does not say it is UTF-8";
    NotNfc = "ATT-PATH-NFC", "the name is not in Unicode normal form C";
    InvisibleCharacter = "ATT-PATH-INVISIBLE", "the name holds bidirectional, zero-width or other invisible characters";
    LongComponent = "ATT-PATH-LONG-PART", "a part of the name is longer than 255 bytes";
    LongPath = "ATT-PATH-LONG", "the name is longer than 1,024 bytes";
    DeepPath = "ATT-PATH-DEEP", "the name is more than 32 folders deep";
    GitFolder = "ATT-PATH-GIT", "the name is or goes through `.git`";
    StateFolder = "ATT-PATH-STATE", "the name is or goes through `.attache`";
    Duplicate = "ATT-PATH-DUPLICATE", "the name occurs twice";
    Twin = "ATT-PATH-TWIN", "the name differs from another only by case or Unicode form";
    FileIsFolder = "ATT-PATH-FILE-FOLDER", "the name is both a file and a folder";

    // Types
    SymbolicLink = "ATT-TYPE-SYMLINK", "it is a symbolic link, which this kind of package cannot hold";
    LinkEscapes = "ATT-TYPE-LINK-ESCAPES", "it is a link whose target leaves the package";
    LinkBroken = "ATT-TYPE-LINK-BROKEN", "it is a link to nothing, or to itself";
    ThroughLink = "ATT-TYPE-THROUGH-LINK", "its path goes through a symbolic link";
    HardLink = "ATT-TYPE-HARD-LINK", "it is a hard link";
    Device = "ATT-TYPE-DEVICE", "it is a device";
    Fifo = "ATT-TYPE-FIFO", "it is a named pipe";
    Socket = "ATT-TYPE-SOCKET", "it is a socket";
    SpecialBits = "ATT-TYPE-MODE", "it has setuid, setgid or sticky bits";
    ExtendedAttributes = "ATT-TYPE-XATTR", "it carries extended attributes";

    // Zip structure
    ZipNoEnd = "ATT-ZIP-END", "there is no end-of-directory record at the end";
    ZipSecondEnd = "ATT-ZIP-SECOND-END", "there is a second end-of-directory record";
    ZipEndInComment = "ATT-ZIP-END-IN-COMMENT", "the comment holds an end-of-directory record";
    ZipLeadingBytes = "ATT-ZIP-LEADING", "there are bytes before the first entry";
    ZipTrailingBytes = "ATT-ZIP-TRAILING", "there are bytes after the last record";
    ZipGap = "ATT-ZIP-GAP", "there are unused bytes between entries";
    ZipOverlap = "ATT-ZIP-OVERLAP", "entries overlap";
    ZipUnlisted = "ATT-ZIP-UNLISTED", "an entry is not in the directory";
    ZipLocalMissing = "ATT-ZIP-LOCAL-MISSING", "the directory names an entry that is not there";
    ZipLocalName = "ATT-ZIP-LOCAL-NAME", "its two headers give different names";
    ZipLocalSize = "ATT-ZIP-LOCAL-SIZE", "its two headers give different sizes";
    ZipLocalCrc = "ATT-ZIP-LOCAL-CRC", "its two headers give different checksums";
    ZipLocalMethod = "ATT-ZIP-LOCAL-METHOD", "its two headers give different compression methods";
    ZipLocalFlags = "ATT-ZIP-LOCAL-FLAGS", "its two headers give different flags";
    ZipDescriptor = "ATT-ZIP-DESCRIPTOR", "its data descriptor disagrees with the directory";
    ZipCount = "ATT-ZIP-COUNT", "the number of entries is not what the end record says";
    ZipDirectory = "ATT-ZIP-DIRECTORY", "the directory is malformed or is not where the end record says";
    ZipMultiDisk = "ATT-ZIP-MULTI-DISK", "it is split over several disks";
    Zip64Disagrees = "ATT-ZIP-ZIP64", "its zip64 records disagree with each other or are malformed";
    Zip64NotSentinel = "ATT-ZIP-ZIP64-OVERRIDE", "a zip64 record overrides a value that was not left to it";
    ZipExtraDuplicate = "ATT-ZIP-EXTRA-DUPLICATE", "an extra field occurs twice";
    ZipExtraSize = "ATT-ZIP-EXTRA-SIZE", "an extra field has the wrong size";
    ZipExtraUnknown = "ATT-ZIP-EXTRA-UNKNOWN", "it has an extra field of an unknown kind";
    ZipUnicodePath = "ATT-ZIP-UNICODE-PATH", "its Unicode-path field differs from its name";
    ZipEncrypted = "ATT-ZIP-ENCRYPTED", "it is encrypted";
    ZipMethod = "ATT-ZIP-METHOD", "its compression method is neither stored nor deflate";
    ZipFlags = "ATT-ZIP-FLAGS", "it uses a reserved or unsupported flag";
    ZipFolderData = "ATT-ZIP-FOLDER-DATA", "it is a folder that carries data";
    ZipType = "ATT-ZIP-TYPE", "its attributes say another type than its name, or none that is known";
    ZipComment = "ATT-ZIP-COMMENT", "its comment is not plain text";
    ZipStoredSize = "ATT-ZIP-STORED-SIZE", "it is stored, and its two sizes differ";

    // Tar structure
    TarPaxDisagrees = "ATT-TAR-PAX-DISAGREES", "its pax record or long name disagrees with its header";
    TarPaxAndGnu = "ATT-TAR-PAX-AND-GNU", "it has both a pax and a GNU long name";
    TarDoubleExtension = "ATT-TAR-DOUBLE-EXTENSION", "an extension header applies to another extension header";
    TarPaxMalformed = "ATT-TAR-PAX-MALFORMED", "a pax record is malformed or unterminated";
    TarPaxDuplicate = "ATT-TAR-PAX-DUPLICATE", "a pax record occurs twice";
    TarPaxEmpty = "ATT-TAR-PAX-EMPTY", "a pax record is empty";
    TarPaxDangling = "ATT-TAR-PAX-DANGLING", "an extension header has no entry after it";
    TarPaxGlobal = "ATT-TAR-PAX-GLOBAL", "it has a global pax header";
    TarPaxUnknown = "ATT-TAR-PAX-UNKNOWN", "it has a pax record of an unknown kind";
    TarSparse = "ATT-TAR-SPARSE", "it is a sparse file";
    TarLongNameNul = "ATT-TAR-LONG-NAME", "its long name holds a NUL or is not terminated";
    TarSizeOnNonFile = "ATT-TAR-SIZE", "it is no file and yet has a size";
    TarNumber = "ATT-TAR-NUMBER", "a number in its header is malformed, negative or too large";
    TarChecksum = "ATT-TAR-CHECKSUM", "its header checksum is wrong";
    TarNoEnd = "ATT-TAR-NO-END", "the end marker is missing";
    TarAfterEnd = "ATT-TAR-AFTER-END", "there is data after the end marker";
    TarType = "ATT-TAR-TYPE", "its type is unknown";
    TarMagic = "ATT-TAR-MAGIC", "its header is neither ustar nor GNU";

    // Streams
    Truncated = "ATT-STREAM-TRUNCATED", "it ends too early";
    WrongCrc = "ATT-STREAM-CRC", "its bytes do not match their checksum";
    WrongLength = "ATT-STREAM-LENGTH", "it does not unpack to the length it states";
    Corrupt = "ATT-STREAM-CORRUPT", "its compressed bytes are corrupt";
    GzipMembers = "ATT-GZIP-MEMBERS", "it has several gzip members";
    GzipTrailing = "ATT-GZIP-TRAILING", "there are bytes after the gzip stream";
    ZstdWindow = "ATT-ZSTD-WINDOW", "its zstd window is larger than 8 MiB";
    ZstdSkippable = "ATT-ZSTD-SKIPPABLE", "it has a skippable zstd frame";
    ZstdDictionary = "ATT-ZSTD-DICTIONARY", "it needs a zstd dictionary";
    ZstdFrames = "ATT-ZSTD-FRAMES", "it has several zstd frames or bytes after the first";

    // Bombs
    TotalBytes = "ATT-LIMIT-TOTAL", "it unpacks to more bytes than the limit allows";
    FileBytes = "ATT-LIMIT-FILE", "a file is larger than the limit allows";
    EntryCount = "ATT-LIMIT-ENTRIES", "it has more entries than the limit allows";
    Ratio = "ATT-LIMIT-RATIO", "it unpacks to suspiciously many times its size";

    // Sources
    UnknownContainer = "ATT-ARCHIVE-KIND", "it is neither a zip, a tar.gz, a tar.zst nor a folder";
    IgnoreFile = "ATT-ARCHIVE-IGNORE", "it is not a plain text file of ignore patterns";
    ChangedWhileReading = "ATT-ARCHIVE-CHANGED", "it changed while it was being read";
    OutputKind = "ATT-ARCHIVE-OUTPUT", "the output is there and is not an ordinary file";
    TargetExists = "ATT-ARCHIVE-TARGET", "the target already exists";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_defect_has_its_own_code() {
        let codes: BTreeSet<_> = Defect::ALL.iter().map(|d| d.code()).collect();
        assert_eq!(codes.len(), Defect::ALL.len());
        assert!(codes.iter().all(|code| code.starts_with("ATT-")));
    }
}
