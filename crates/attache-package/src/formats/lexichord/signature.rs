//! `MANIFEST_SIGNATURE`: its form. Who signed, and whether to believe it, is `attache-trust`'s.

use std::cell::RefCell;

use base64::Engine as _;
use schemars::JsonSchema;
use serde::Serialize;

use super::manifest::read_time;
use super::rules;
use crate::fields::{self, Fields};
use crate::{Diagnostics, Digest};

/// The one file that `contentHash` does not cover.
pub const SIGNATURE_FILE: &str = "MANIFEST_SIGNATURE";

/// The signatures of a package, side by side.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Lexichord MANIFEST_SIGNATURE")]
pub struct Signatures {
    /// Always 1.
    pub signature_version: u32,
    /// One for each signer.
    pub signatures: Vec<Signature>,
}

/// One signer's statement and its signature.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Signature {
    /// What is signed: the RFC 8785 form of this object, never the bare hash.
    pub statement: Statement,
    /// The signature of the statement, in base64.
    pub signature: String,
    /// The signer's certificates in PEM, the signer's own first.
    #[serde(default)]
    pub certificate_chain: Vec<String>,
}

/// What a signer says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Statement {
    /// Who signs.
    pub signer_id: String,
    /// With which algorithm.
    pub algorithm: String,
    /// With which key.
    pub key_id: String,
    /// What is signed.
    pub content_hash: Digest,
    /// When.
    pub created_at: String,
    /// Until when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// Checks the form of MANIFEST_SIGNATURE, and that it speaks of `content`.
pub(super) fn check(bytes: &[u8], content: Option<Digest>, diagnostics: &mut Diagnostics) {
    let value = match crate::text::parse_json(bytes) {
        Ok(value) => value,
        Err(error) => {
            return diagnostics.report(&rules::SIGNATURE, SIGNATURE_FILE, error.to_string());
        }
    };
    let Some(object) = value.as_object() else {
        return diagnostics.report(
            &rules::SIGNATURE,
            SIGNATURE_FILE,
            "it must be a JSON object",
        );
    };
    let diagnostics = RefCell::new(diagnostics);
    let fields = Fields::new(object, SIGNATURE_FILE, &diagnostics);
    fields.require("signatureVersion");
    if fields.integer("signatureVersion").is_some_and(|v| v != 1) {
        fields.report(
            &rules::SIGNATURE,
            "signatureVersion",
            "only version 1 is known",
        );
    }
    fields.require("signatures");
    let list = fields.list("signatures").unwrap_or_default();
    if list.is_empty() {
        fields.report(
            &rules::SIGNATURE,
            "signatures",
            "there is no signature in it; remove the file",
        );
    }
    for (at, item) in list.iter().enumerate() {
        let place = format!("{}/{at}", fields.place_of("signatures"));
        match item.as_object() {
            Some(object) => check_one(&Fields::new(object, place, &diagnostics), content),
            None => {
                diagnostics
                    .borrow_mut()
                    .report(&rules::SIGNATURE, place, "it must be an object");
            }
        }
    }
    fields.finish(&fields::rules::UNKNOWN, &["signatureVersion", "signatures"]);
}

fn check_one(fields: &Fields<'_, '_>, content: Option<Digest>) {
    if let Some(text) = fields.required_text("signature")
        && base64::engine::general_purpose::STANDARD
            .decode(text)
            .is_err()
    {
        fields.report(&rules::SIGNATURE, "signature", "it is not base64");
    }
    fields.texts("certificateChain");
    fields.require("statement");
    if let Some(statement) = fields.object("statement") {
        for name in ["signerId", "algorithm", "keyId"] {
            statement.required_text(name);
        }
        statement.require("createdAt");
        read_time(&statement, "createdAt");
        read_time(&statement, "expiresAt");
        let signed: Option<Digest> = statement.require_parsed(&rules::SIGNATURE, "contentHash");
        if let (Some(signed), Some(content)) = (signed, content)
            && signed != content
        {
            let message =
                "it was made for another content; the package changed after it was signed";
            statement.report(&rules::SIGNATURE, "contentHash", message);
        }
        for name in statement.unknown() {
            statement.report(
                &fields::rules::UNKNOWN,
                name,
                format!("the field `{name}` is unknown"),
            );
        }
    }
    for name in fields.unknown() {
        fields.report(
            &fields::rules::UNKNOWN,
            name,
            format!("the field `{name}` is unknown"),
        );
    }
}
