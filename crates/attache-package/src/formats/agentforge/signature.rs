//! Signing profile A: HMAC-SHA256 over the canonical manifest without its signature.
//!
//! The key travels apart from the pack, so a signature says only that someone with the same
//! key wrote the manifest. The manifest holds every file's hash, so it covers those too.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value};
use sha2::Sha256;

use super::manifest::PATH;
use crate::text::{self, TextError};
use crate::{ArchiveError, Tree};

const FIELD: &str = "signature";

/// Why a pack's signature was not accepted, or could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SignatureError {
    /// An empty key would let anyone sign.
    #[error("the HMAC key is empty; give the secret that the publisher uses")]
    EmptyKey,
    /// There is nothing to check.
    #[error("the pack is not signed")]
    Unsigned,
    /// The field does not hold a signature.
    #[error("the signature must be the base64 form of 32 bytes (HMAC-SHA256)")]
    Malformed,
    /// The manifest was changed, or signed with another key.
    #[error("the signature does not match: the manifest was changed, or signed with another key")]
    Mismatch,
    /// There is no manifest to check.
    #[error("{PATH} cannot be read: {0}")]
    Manifest(TextError),
    /// The pack could not be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl SignatureError {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::EmptyKey => "ATT-HMAC-KEY",
            Self::Unsigned => "ATT-HMAC-UNSIGNED",
            Self::Malformed => "ATT-HMAC-MALFORMED",
            Self::Mismatch => "ATT-HMAC-MISMATCH",
            Self::Manifest(_) => crate::fields::rules::SYNTAX.code,
            Self::Archive(error) => error.code(),
        }
    }
}

/// Returns the signature of `manifest` under `key`. A signature that is there is left out.
pub fn sign(manifest: &Map<String, Value>, key: &[u8]) -> Result<String, SignatureError> {
    Ok(STANDARD.encode(mac(manifest, key)?.finalize().into_bytes()))
}

/// Checks that `manifest` is signed with `key`, in time that does not depend on where it differs.
pub fn verify(manifest: &Map<String, Value>, key: &[u8]) -> Result<(), SignatureError> {
    let signature = match manifest.get(FIELD) {
        None => return Err(SignatureError::Unsigned),
        Some(Value::String(text)) => decode(text)?,
        Some(_) => return Err(SignatureError::Malformed),
    };
    mac(manifest, key)?
        .verify_slice(&signature)
        .map_err(|_| SignatureError::Mismatch)
}

/// Checks that the pack in `tree` is signed with `key`. Its files' hashes are for
/// [`Format::read`](crate::formats::Format::read) to check.
pub fn check_signature(tree: &Tree, key: &[u8]) -> Result<(), SignatureError> {
    let bytes = tree.read(PATH)?.unwrap_or_default();
    match text::parse_json(&bytes).map_err(SignatureError::Manifest)? {
        Value::Object(manifest) => verify(&manifest, key),
        _ => Err(SignatureError::Manifest(TextError::new(
            "the manifest must be an object",
        ))),
    }
}

/// Reads the text form. Exactly one text stands for each signature.
pub(super) fn decode(text: &str) -> Result<[u8; 32], SignatureError> {
    let bytes = STANDARD
        .decode(text)
        .map_err(|_| SignatureError::Malformed)?;
    bytes.try_into().map_err(|_| SignatureError::Malformed)
}

fn mac(manifest: &Map<String, Value>, key: &[u8]) -> Result<Hmac<Sha256>, SignatureError> {
    if key.is_empty() {
        return Err(SignatureError::EmptyKey);
    }
    let mut unsigned = manifest.clone();
    unsigned.remove(FIELD);
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|_| SignatureError::EmptyKey)?;
    mac.update(&text::canonical::agentforge(&Value::Object(unsigned)));
    Ok(mac)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn example() -> Map<String, Value> {
        object(json!({
            "spec_version": "0.1",
            "name": "demo",
            "version": "1.0.0",
            "created_at": "2026-01-31T12:00:00Z",
            "publisher": "Zoë \u{1f9f3} \"& Söhne\" \\ \u{7f}\u{2028}\u{1}\u{8}\u{c}\n\r\t/",
            "type": "mixed",
            "files": [{"sha256": "00", "path": "a"}, {"path": "é", "sha256": "01"}],
            "entrypoints": ["b", "a"],
            "\u{ff5e}": [1, -2, null, true, {}],
            "\u{1f9f3}": "astral",
        }))
    }

    /// The expectations are `base64(hmac_sha256(key, json.dumps(m, sort_keys=True,
    /// separators=(",", ":"), ensure_ascii=False).encode()))` by Python 3.11.
    #[test]
    fn a_signature_is_byte_for_byte_that_of_the_reference() {
        for (key, expected) in [
            (
                &b"secret"[..],
                "ponU+l7idEm8tESfuGFMZrx95N058soSBGmVa8Qq2cY=",
            ),
            (&[0xff; 100], "zfE0er/UMTVs+r49zhrUcUlGGdothKfgLv8VxRiNQQk="),
        ] {
            assert_eq!(sign(&example(), key).unwrap(), expected);
        }
        assert_eq!(
            sign(&Map::new(), b"k").unwrap(),
            "rdhTsQP7zJNqGU+esV4pxP8Ir25H1dG8pPICGOMeT/8="
        );
    }

    #[test]
    fn a_signature_holds_for_one_manifest_and_one_key() {
        let mut signed = example();
        let signature = sign(&signed, b"secret").unwrap();
        signed.insert("signature".to_owned(), signature.clone().into());
        verify(&signed, b"secret").unwrap();
        assert_eq!(
            sign(&signed, b"secret").unwrap(),
            signature,
            "the field itself is left out"
        );

        assert!(matches!(
            verify(&signed, b"Secret"),
            Err(SignatureError::Mismatch)
        ));
        assert!(matches!(
            verify(&signed, b""),
            Err(SignatureError::EmptyKey)
        ));
        assert!(matches!(sign(&signed, b""), Err(SignatureError::EmptyKey)));
        let mut changed = signed.clone();
        changed.insert("version".to_owned(), "1.0.1".into());
        assert!(matches!(
            verify(&changed, b"secret"),
            Err(SignatureError::Mismatch)
        ));
        changed.remove("signature");
        assert!(matches!(
            verify(&changed, b"secret"),
            Err(SignatureError::Unsigned)
        ));
        for bad in [
            json!(""),
            json!("AAAA"),
            json!(signature.trim_end_matches('=')),
            json!(7),
        ] {
            changed.insert("signature".to_owned(), bad);
            assert!(matches!(
                verify(&changed, b"secret"),
                Err(SignatureError::Malformed)
            ));
        }
    }

    #[test]
    fn a_tree_is_checked_by_its_manifest() {
        let mut signed = example();
        let signature = sign(&signed, b"secret").unwrap();
        signed.insert("signature".to_owned(), signature.into());
        let tree = |bytes: Vec<u8>| Tree::from_bytes([(PATH, bytes)]).unwrap();
        let good = tree(serde_json::to_vec_pretty(&signed).unwrap());
        check_signature(&good, b"secret").unwrap();
        assert!(matches!(
            check_signature(&good, b"x"),
            Err(SignatureError::Mismatch)
        ));
        for bad in [&b""[..], b"[]", b"{"] {
            let error = check_signature(&tree(bad.to_vec()), b"secret").unwrap_err();
            assert_eq!(error.code(), "ATT-SYNTAX");
        }
    }
}
