//! `manifest.json`, as §4.2 of the specification has it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::rules;
use crate::fields::{self, Fields};
use crate::{Dependency, Diagnostics, Digest, LicenseTier, PackageName, Range, Release};

/// The file's name. Only at the root does it count.
pub(super) const MANIFEST: &str = "manifest.json";

const KNOWN: &[&str] = &[
    "id",
    "version",
    "displayName",
    "description",
    "author",
    "license",
    "minimumLicenseTier",
    "keywords",
    "category",
    "homepage",
    "repository",
    "bugs",
    "engines",
    "dependencies",
    "files",
    "metadata",
    "contentHash",
    "createdAt",
    "signature",
];

/// The manifest of a `.lxpkg` package.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Lexichord manifest.json")]
pub struct Document {
    /// The package's name.
    #[schemars(with = "PackageName")]
    pub id: Option<PackageName>,
    /// Its version.
    #[schemars(with = "Release")]
    pub version: Option<Release>,
    /// The name shown to people.
    #[schemars(length(min = 1))]
    pub display_name: String,
    /// One or two sentences on what it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Who made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// An SPDX licence expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The lowest licence tier that may use it.
    #[serde(default)]
    pub minimum_license_tier: LicenseTier,
    /// Words to find it by.
    #[serde(default)]
    #[schemars(length(max = 32))]
    pub keywords: Vec<String>,
    /// The explorer's filter, e.g. `research`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9-]{0,31}$"))]
    pub category: Option<String>,
    /// Its web site.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^https?://"))]
    pub homepage: Option<String>,
    /// Where its source is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<Repository>,
    /// Where to report bugs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bugs: Option<Bugs>,
    /// The hosts it works with, and their versions.
    #[serde(default)]
    pub engines: BTreeMap<String, Range>,
    /// The packages it needs.
    #[serde(default)]
    pub dependencies: BTreeMap<String, DependencyEntry>,
    /// The files and folders (with `/` behind them) that make the package.
    #[serde(default)]
    pub files: Vec<String>,
    /// Anything else its author wants to say.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// The hash of the manifest and of every other file. Written by `attache build`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Digest>")]
    pub content_hash: Option<Digest>,
    /// When it was built (RFC 3339, UTC).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// A summary of the signature, for show. The signature itself is in MANIFEST_SIGNATURE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureSummary>,
}

/// Where the source is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repository {
    /// The kind of repository, e.g. `git`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its address.
    #[schemars(regex(pattern = r"^https?://"))]
    pub url: String,
}

/// Where to report bugs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bugs {
    /// The address.
    #[schemars(regex(pattern = r"^https?://"))]
    pub url: String,
}

/// One dependency.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DependencyEntry {
    /// The versions that will do.
    pub version: Range,
    /// Whether the package works without it.
    #[serde(default)]
    pub optional: bool,
    /// Why it is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// What a manifest says of its signature. Shown, never believed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignatureSummary {
    /// Who signed.
    pub signer_id: String,
    /// With which algorithm.
    pub algorithm: String,
    /// The content hash that was signed.
    pub content_hash: Digest,
    /// When.
    pub created_at: String,
    /// Until when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Ignored: trust comes from the verifier's store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust_level: Option<String>,
}

impl Document {
    /// Returns the dependencies in the terms of the common model.
    pub fn dependency_list(&self) -> Vec<Dependency> {
        self.dependencies
            .iter()
            .filter_map(|(id, entry)| {
                Some(Dependency {
                    id: id.parse().ok()?,
                    range: entry.version.clone(),
                    optional: entry.optional,
                    description: entry.description.clone(),
                })
            })
            .collect()
    }
}

/// Reads the fields, reporting every problem.
pub(super) fn read(object: &Map<String, Value>, diagnostics: &mut Diagnostics) -> Document {
    let diagnostics = RefCell::new(diagnostics);
    let fields = Fields::new(object, MANIFEST, &diagnostics);
    let owned = |name| fields.text(name).map(str::to_owned);
    let url = |fields: &Fields<'_, '_>, name| {
        let text = fields.text(name)?;
        check_url(fields, name, text).then(|| text.to_owned())
    };
    let document = Document {
        id: fields.require_parsed(&rules::ID, "id"),
        version: fields.require_parsed(&rules::VERSION, "version"),
        display_name: fields
            .required_text("displayName")
            .unwrap_or_default()
            .to_owned(),
        description: owned("description"),
        author: owned("author"),
        license: read_license(&fields),
        minimum_license_tier: read_tier(&fields),
        keywords: read_keywords(&fields),
        category: read_category(&fields),
        homepage: url(&fields, "homepage"),
        repository: fields.object("repository").and_then(|repository| {
            let kind = repository.required_text("type").map(str::to_owned);
            repository.require("url");
            let url = url(&repository, "url");
            repository.finish(&fields::rules::UNKNOWN, &["type", "url"]);
            Some(Repository {
                kind: kind?,
                url: url?,
            })
        }),
        bugs: fields.object("bugs").and_then(|bugs| {
            bugs.require("url");
            let url = url(&bugs, "url");
            bugs.finish(&fields::rules::UNKNOWN, &["url"]);
            Some(Bugs { url: url? })
        }),
        engines: read_engines(&fields),
        dependencies: read_dependencies(&fields),
        files: fields
            .texts("files")
            .unwrap_or_default()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        metadata: fields
            .object("metadata")
            .map(|m| m.to_map())
            .unwrap_or_default(),
        content_hash: fields.parse(&rules::CONTENT_HASH, "contentHash"),
        created_at: read_time(&fields, "createdAt"),
        signature: fields.object("signature").and_then(|f| read_signature(&f)),
    };
    fields.finish(&fields::rules::UNKNOWN, KNOWN);
    document
}

pub(super) fn check_url(fields: &Fields<'_, '_>, name: &str, text: &str) -> bool {
    let good = url::Url::parse(text)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some());
    if !good {
        let message = format!("`{text}` is not an http or https address");
        fields.report(&rules::URL, name, message);
    }
    good
}

fn read_license(fields: &Fields<'_, '_>) -> Option<String> {
    let text = fields.text("license")?;
    if let Err(error) = spdx::Expression::parse(text) {
        let message = format!(
            "`{text}` is not an SPDX licence expression ({}); write `MIT`, `Apache-2.0`, or `LicenseRef-…` for your own",
            error.reason
        );
        fields.report(&rules::LICENSE_EXPRESSION, "license", message);
    }
    Some(text.to_owned())
}

fn read_tier(fields: &Fields<'_, '_>) -> LicenseTier {
    let Some(text) = fields.text("minimumLicenseTier") else {
        return LicenseTier::default();
    };
    LicenseTier::ALL
        .into_iter()
        .find(|tier| tier.as_str() == text)
        .unwrap_or_else(|| {
            let message = format!("`{text}` is no tier; use Core, WriterPro, Teams or Enterprise");
            fields.report(&rules::TIER, "minimumLicenseTier", message);
            LicenseTier::default()
        })
}

fn read_keywords(fields: &Fields<'_, '_>) -> Vec<String> {
    let words = fields.texts("keywords").unwrap_or_default();
    if words.len() > 32 {
        let message = format!("there are {} keywords; at most 32 are allowed", words.len());
        fields.report(&rules::KEYWORDS, "keywords", message);
    }
    for (at, word) in words.iter().take(32).enumerate() {
        if word.trim().is_empty() || word.chars().count() > 50 {
            let message = format!("the keyword `{word}` must have 1 to 50 characters");
            fields.report(&rules::KEYWORDS, "keywords", message);
        }
        if words[..at].contains(word) {
            fields.report(
                &rules::KEYWORDS,
                "keywords",
                format!("the keyword `{word}` occurs twice"),
            );
        }
    }
    words.into_iter().map(str::to_owned).collect()
}

fn read_category(fields: &Fields<'_, '_>) -> Option<String> {
    let text = fields.text("category")?;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if text.is_empty() || text.starts_with('-') || text.len() > 32 || !text.chars().all(word) {
        let message = format!("`{text}` is not one word of letters, digits and `-`, at most 32");
        fields.report(&rules::CATEGORY, "category", message);
    }
    Some(text.to_owned())
}

fn read_engines(fields: &Fields<'_, '_>) -> BTreeMap<String, Range> {
    let Some(engines) = fields.object("engines") else {
        return BTreeMap::new();
    };
    engines
        .iter()
        .filter_map(|(name, _)| Some((name.to_owned(), engines.parse(&rules::ENGINE, name)?)))
        .collect()
}

fn read_dependencies(fields: &Fields<'_, '_>) -> BTreeMap<String, DependencyEntry> {
    let Some(dependencies) = fields.object("dependencies") else {
        return BTreeMap::new();
    };
    let mut read = BTreeMap::new();
    for (id, value) in dependencies.iter() {
        if let Err(error) = id.parse::<PackageName>() {
            dependencies.report(&rules::DEPENDENCY, id, error.to_string());
        }
        if let Some(text) = value.as_str() {
            let range = text.parse::<Range>().map_or("^1", |_| text);
            let message = format!(
                "a dependency is an object, not a string; write {{\"version\": \"{range}\"}}"
            );
            dependencies.report(&fields::rules::TYPE, id, message);
            continue;
        }
        let Some(entry) = dependencies.object(id) else {
            continue;
        };
        let version = entry.require_parsed(&rules::DEPENDENCY, "version");
        let optional = entry.flag("optional").unwrap_or_default();
        let description = entry.text("description").map(str::to_owned);
        entry.finish(
            &fields::rules::UNKNOWN,
            &["version", "optional", "description"],
        );
        if let Some(version) = version {
            read.insert(
                id.to_owned(),
                DependencyEntry {
                    version,
                    optional,
                    description,
                },
            );
        }
    }
    read
}

/// Reads a time that has one spelling: `2026-01-31T12:00:00Z`.
pub(super) fn read_time(fields: &Fields<'_, '_>, name: &str) -> Option<String> {
    let text = fields.text(name)?;
    let spelled = text
        .parse::<jiff::Timestamp>()
        .map(|t| t.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    if spelled.ok().as_deref() != Some(text) {
        let message = format!("`{text}` is not a time like `2026-01-31T12:00:00Z`");
        fields.report(&rules::CREATED_AT, name, message);
    }
    Some(text.to_owned())
}

fn read_signature(fields: &Fields<'_, '_>) -> Option<SignatureSummary> {
    let signer_id = fields.required_text("signerId").map(str::to_owned);
    let algorithm = fields.required_text("algorithm").map(str::to_owned);
    let content_hash = fields.require_parsed(&rules::SIGNATURE, "contentHash");
    fields.require("createdAt");
    let created_at = read_time(fields, "createdAt");
    Some(SignatureSummary {
        expires_at: read_time(fields, "expiresAt"),
        trust_level: fields.text("trustLevel").map(str::to_owned),
        signer_id: signer_id?,
        algorithm: algorithm?,
        content_hash: content_hash?,
        created_at: created_at?,
    })
}
