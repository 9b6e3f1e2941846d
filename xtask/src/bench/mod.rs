//! x
use anyhow::Result;
#[derive(clap::Args)]
pub(crate) struct Options {}
pub(crate) fn run(_: &Options) -> Result<()> {
    Ok(())
}
