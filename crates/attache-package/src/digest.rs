//! SHA-256 digests, the one way this project names bytes.

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The SHA-256 of some bytes, written `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "String")]
pub struct Digest([u8; 32]);

/// A text that is not a SHA-256 digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a digest: expected `sha256:` and 64 lower-case hexadecimal digits")]
pub struct InvalidDigest {
    given: String,
}

impl Digest {
    /// Returns the digest of `bytes`.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(bytes.as_ref()).into())
    }

    /// Returns the raw 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the 64 hexadecimal digits, without the `sha256:` in front.
    pub fn hex(&self) -> String {
        let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
        let digits = self.0.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]);
        digits.collect()
    }

    /// Parses 64 lower-case hexadecimal digits without a prefix, as AgentForge writes them.
    pub fn from_hex(given: &str) -> Result<Self, InvalidDigest> {
        let invalid = || InvalidDigest {
            given: given.to_owned(),
        };
        let digit = |b: u8| match b {
            b'0'..=b'9' => Ok(b - b'0'),
            b'a'..=b'f' => Ok(b - b'a' + 10),
            _ => Err(invalid()),
        };
        let text: &[u8; 64] = given.as_bytes().try_into().map_err(|_| invalid())?;
        let mut raw = [0; 32];
        for (byte, pair) in raw.iter_mut().zip(text.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(Self(raw))
    }
}

impl FromStr for Digest {
    type Err = InvalidDigest;

    fn from_str(given: &str) -> Result<Self, InvalidDigest> {
        let invalid = || InvalidDigest {
            given: given.to_owned(),
        };
        Self::from_hex(given.strip_prefix("sha256:").ok_or_else(invalid)?).map_err(|_| invalid())
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::text::deserialize_parsed(deserializer)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl JsonSchema for Digest {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Digest".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^sha256:[0-9a-f]{64}$",
            "description": "The SHA-256 of some bytes."
        })
    }
}

/// Hashes and counts what passes through it on the way to `inner`.
pub struct DigestWriter<W> {
    inner: W,
    hasher: Sha256,
    count: u64,
}

impl<W: Write> DigestWriter<W> {
    /// Wraps `inner`.
    pub fn new(inner: W) -> Self {
        Self {
            inner,
            hasher: Sha256::new(),
            count: 0,
        }
    }

    /// Returns the inner writer, the digest of everything written, and its length.
    pub fn finish(self) -> (W, Digest, u64) {
        (
            self.inner,
            Digest(self.hasher.finalize().into()),
            self.count,
        )
    }
}

impl<W: Write> Write for DigestWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.count += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_reads_back_what_it_writes() {
        let digest = Digest::of(b"abc");
        assert_eq!(
            digest.to_string(),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(digest.to_string().parse(), Ok(digest));
    }

    #[test]
    fn a_digest_has_one_spelling() {
        let good = Digest::of(b"").to_string();
        assert!(good.to_uppercase().parse::<Digest>().is_err());
        assert!(
            good[7..].parse::<Digest>().is_err(),
            "the algorithm is part of the name"
        );
        assert!(good[..70].parse::<Digest>().is_err());
        assert!(format!("{good}0").parse::<Digest>().is_err());
    }
}
