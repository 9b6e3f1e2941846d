//! `attache lock`, `tree`, `why` and `outdated`.

use std::path::PathBuf;

use attache_ops::lock::LockRequest;
use attache_ops::outdated::{OutdatedPackage, OutdatedRequest};
use attache_ops::tree::{Drawn, TreeRequest};
use attache_ops::why::WhyRequest;
use attache_ops::{App, Error, Resolving, Strategy};

use crate::cli::{DrawnArg, Lock, Outdated, Resolve, StrategyArg, Tree, Why};
use crate::render::{self, Screen};
use crate::surroundings::listen_for_interrupts;

/// The exit code when there are changes.
const PENDING: u8 = 8;

fn resolving(app: &App, path: PathBuf, args: Resolve) -> Resolving {
    listen_for_interrupts(app);
    Resolving {
        path,
        indexes: args.index,
        overrides: args.overrides,
        strategy: args.strategy.map(|strategy| match strategy {
            StrategyArg::Highest => Strategy::Highest,
            StrategyArg::Lowest => Strategy::Lowest,
        }),
        platform: args.platform,
        engines: args.engine,
        runtimes: args.runtime,
        machine: args.this_host.then(attache_ops::machine::this_machine),
        steps: Some(args.max_steps),
        offline: args.offline,
        frozen: args.frozen,
    }
}

pub(super) fn lock(app: &App, args: Lock, verbose: bool, screen: &Screen) -> Result<u8, Error> {
    let check = args.check || args.resolve.frozen;
    let request = LockRequest {
        resolving: resolving(app, args.path, args.resolve),
        dry_run: args.dry_run || check,
        upgrade: args.upgrade,
        upgrade_packages: args.upgrade_package,
        in_full: verbose || screen.is_json(),
    };
    let outcome = attache_ops::lock::lock(app, &request)?;
    let code = if check && outcome.changed { PENDING } else { 0 };
    screen.warn(&outcome.warnings);
    screen.tell(outcome, |o, out| render::lock(o, verbose, out));
    Ok(code)
}

pub(super) fn tree(app: &App, args: Tree, screen: &Screen) -> Result<u8, Error> {
    let request = TreeRequest {
        resolving: resolving(app, args.path, args.resolve),
        ids: args.package,
        invert: args.invert,
        depth: args.depth,
        drawn: match args.drawn {
            DrawnArg::Text => Drawn::Text,
            DrawnArg::Dot => Drawn::Dot,
            DrawnArg::Svg => Drawn::Svg,
        },
        output: args.output,
    };
    let outcome = attache_ops::tree::tree(app, &request)?;
    screen.warn(&outcome.warnings);
    screen.show(outcome, render::tree);
    Ok(0)
}

pub(super) fn why(app: &App, args: Why, screen: &Screen) -> Result<u8, Error> {
    let request = WhyRequest {
        resolving: resolving(app, args.path, args.resolve),
        id: args.id,
    };
    let outcome = attache_ops::why::why(app, &request)?;
    screen.warn(&outcome.warnings);
    screen.show(outcome, render::why);
    Ok(0)
}

pub(super) fn outdated(app: &App, args: Outdated, screen: &Screen) -> Result<u8, Error> {
    let request = OutdatedRequest {
        resolving: resolving(app, args.path, args.resolve),
    };
    let outcome = attache_ops::outdated::outdated(app, &request)?;
    let pending = args.check && outcome.packages.iter().any(OutdatedPackage::is_pending);
    screen.warn(&outcome.warnings);
    screen.show(outcome, render::outdated);
    Ok(if pending { PENDING } else { 0 })
}
