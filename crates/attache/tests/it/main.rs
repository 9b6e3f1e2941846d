//! What a user sees: whole commands, in a home and folders of their own.

#![expect(clippy::unwrap_used, reason = "tests")]

mod build;
mod convert;
mod diff;
mod hostile;
mod init;
mod inspect;
mod json;
mod promises;
mod quickstart;
mod reproducible;
mod resolving;
mod support;
mod unpack;
mod validate;
