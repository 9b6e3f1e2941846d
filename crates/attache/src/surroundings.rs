//! The environment and the clock: read here, handed on as plain values.

#![expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment and the clock"
)]

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use attache_ops::{App, Error, Kind};
use attache_package::Limits;

use crate::cli::{Global, HmacKey};

/// Returns what every operation works with.
pub(crate) fn app(global: &Global) -> App {
    let set = std::env::var_os("ATTACHE_HOME").filter(|home| !home.is_empty());
    App {
        home: global
            .home
            .clone()
            .or(set.map(PathBuf::from))
            .or_else(default_home),
        limits: Limits::default(),
        builder: builder(),
        interrupted: Arc::default(),
    }
}

/// Lets Ctrl-C end long work with an answer. A second one ends the program at once.
pub(crate) fn listen_for_interrupts(app: &App) {
    use signal_hook::consts::SIGINT;
    let flag = || Arc::clone(&app.interrupted);
    // Without it Ctrl-C does what it does everywhere, which is nearly as good.
    let _ = signal_hook::flag::register_conditional_shutdown(SIGINT, 130, flag())
        .and_then(|_| signal_hook::flag::register(SIGINT, flag()));
}

/// Returns what tells this program from another version of itself: its version, and the state
/// of its own file, which a new build of the same version changes.
fn builder() -> String {
    let file = std::env::current_exe().and_then(fs_err::metadata);
    let state = file.and_then(|f| Ok((f.len(), f.modified()?))).ok();
    format!("{} {state:?}", env!("CARGO_PKG_VERSION"))
}

/// Returns the platform's data folder.
fn default_home() -> Option<PathBuf> {
    let absolute = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    if cfg!(target_os = "macos") {
        return Some(absolute("HOME")?.join("Library/Application Support/attache"));
    }
    if cfg!(windows) {
        return Some(absolute("LOCALAPPDATA")?.join("attache"));
    }
    let data =
        absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")))?;
    Some(data.join("attache"))
}

/// Returns whether nobody objects to colours: not `NO_COLOR`, not CI, not a dumb terminal.
pub(crate) fn wants_color() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !set("NO_COLOR") && !set("CI") && !dumb
}

/// Returns the clock's time in seconds since 1970.
pub(crate) fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// Returns the clock's time in nanoseconds since 1970.
pub(crate) fn now_ns() -> i128 {
    jiff::Timestamp::now().as_nanosecond()
}

/// Returns `SOURCE_DATE_EPOCH`, which must be a whole number of seconds if it is set.
pub(crate) fn source_date_epoch() -> Result<Option<i64>, Error> {
    let Some(text) = std::env::var_os("SOURCE_DATE_EPOCH") else {
        return Ok(None);
    };
    let text = text.to_string_lossy();
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| {
        let message = format!("SOURCE_DATE_EPOCH is `{text}`, which is no number of seconds");
        Error::new(Kind::Usage, "ATT-BUILD-TIME", message)
            .hint("set it to whole seconds since 1970, e.g. `git log -1 --format=%ct`")
    })
}

/// The longest HMAC key; a longer one is surely another file.
const LONGEST_KEY: u64 = 64 << 10;

/// Returns the HMAC key, from wherever the user said it is. It is never printed.
pub(crate) fn hmac_key(from: &HmacKey) -> Result<Option<Vec<u8>>, Error> {
    let bad = |message: String| Error::new(Kind::Usage, "ATT-HMAC-KEY", message);
    let key = match (&from.hmac_key_env, &from.hmac_key_file) {
        (Some(name), _) => match std::env::var_os(name) {
            Some(value) => value.into_encoded_bytes(),
            None => {
                return Err(bad(format!("the environment variable `{name}` is not set"))
                    .hint("set it to the key, or give a file with --hmac-key-file"));
            }
        },
        (None, Some(path)) => {
            let mut key = Vec::new();
            fs_err::File::open(path)
                .and_then(|file| file.take(LONGEST_KEY + 1).read_to_end(&mut key))
                .map_err(|e| {
                    let cause = attache_package::archive::plain(&e);
                    bad(format!(
                        "could not read the key `{}`: {cause}",
                        path.display()
                    ))
                })?;
            key
        }
        (None, None) => return Ok(None),
    };
    if key.is_empty() {
        return Err(bad("the HMAC key is empty".to_owned()));
    }
    if key.len() as u64 > LONGEST_KEY {
        return Err(bad("the HMAC key is longer than 64 KiB".to_owned()));
    }
    Ok(Some(key))
}
