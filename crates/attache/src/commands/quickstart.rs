//! `attache quickstart`.

use attache_ops::quickstart::{QuickstartRequest, quickstart};
use attache_ops::{App, Error};

use crate::cli::Quickstart;
use crate::render::{self, Screen};
use crate::surroundings::{now, source_date_epoch};

pub(super) fn run(app: &App, args: Quickstart, screen: &Screen) -> Result<u8, Error> {
    let request = QuickstartRequest {
        folder: args.folder,
        format: args.format.into(),
        now: source_date_epoch()?.unwrap_or_else(now),
    };
    let mut number = 0;
    let outcome = quickstart(app, &request, |step| {
        number += 1;
        screen.progress(|out| render::quickstart_step(number, step, out));
    })?;
    screen.tell(outcome, render::quickstart_end);
    Ok(0)
}
