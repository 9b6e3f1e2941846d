//! `attache build`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use attache_ops::build::{BuildRequest, BuildTime};
use attache_ops::{App, Error, Kind};
use attache_package::Container;
use serde_json::Value;

use crate::cli::{ArchiveArg, Build, Global};
use crate::render::{self, Screen};
use crate::surroundings::{hmac_key, now, now_ns, source_date_epoch};

pub(super) fn run(app: &App, args: Build, global: &Global, screen: &Screen) -> Result<u8, Error> {
    let time = match (args.stamp, source_date_epoch()?) {
        (true, _) => BuildTime::Clock(now()),
        (false, Some(seconds)) => BuildTime::Epoch(seconds),
        (false, None) => BuildTime::Source,
    };
    refuse_key(&args)?;
    let request = BuildRequest {
        source: args.source,
        output: args.output,
        folder: PathBuf::from("."),
        format: args.reading.format.map(Into::into),
        lenient: args.reading.lenient,
        include_source: args.include_source,
        optimize: match (args.optimize, args.no_optimize) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        },
        include_docs: !args.no_docs,
        include_examples: args.include_examples,
        compression: args.compression,
        metadata: metadata(&args.metadata)?,
        container: args.archive.map(|archive| match archive {
            ArchiveArg::Zip => Container::Zip,
            ArchiveArg::TarGz => Container::TarGz,
            ArchiveArg::TarZst => Container::TarZst,
        }),
        sealed: args.sealed,
        dependencies: args.dependency,
        indexes: args.index,
        hmac_key: hmac_key(&args.hmac)?,
        time,
        use_cache: !args.no_cache,
        now_ns: now_ns(),
    };
    let outcome = attache_ops::build::build(app, &request)?;
    let verbose = global.verbose;
    screen.tell(outcome, |o, out| render::build(o, verbose, out));
    Ok(0)
}

/// Refuses to overwrite the key.
fn refuse_key(args: &Build) -> Result<(), Error> {
    let (Some(key), Some(output)) = (&args.hmac.hmac_key_file, &args.output) else {
        return Ok(());
    };
    let real = |path: &PathBuf| fs_err::canonicalize(path).ok();
    if real(key).is_some_and(|key| real(output) == Some(key)) {
        let message = format!("`{}` is the key, and would be overwritten", key.display());
        return Err(
            Error::new(Kind::Usage, "ATT-BUILD-OUTPUT", message).hint("write elsewhere with -o")
        );
    }
    Ok(())
}

/// Reads `KEY=VALUE`: a value that is JSON counts as JSON, anything else as a string.
fn metadata(given: &[String]) -> Result<BTreeMap<String, Value>, Error> {
    let one = |text: &String| {
        let (key, value) = text
            .split_once('=')
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(|| {
                Error::new(
                    Kind::Usage,
                    "ATT-BUILD-METADATA",
                    format!("`{text}` is not KEY=VALUE"),
                )
                .hint("for example --metadata team=search or --metadata 'build={\"number\":7}'")
            })?;
        let value =
            attache_package::text::parse_json(value.as_bytes()).unwrap_or_else(|_| value.into());
        Ok((key.to_owned(), value))
    };
    given.iter().map(one).collect()
}
