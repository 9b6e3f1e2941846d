//! One file per command: arguments in, one operation called, the outcome shown.

use attache_ops::Error;
use attache_ops::convert::ConvertRequest;
use attache_ops::diff::DiffRequest;
use attache_ops::index::IndexRequest;
use attache_ops::init::InitRequest;
use attache_ops::inspect::InspectRequest;
use attache_ops::unpack::UnpackRequest;
use attache_ops::validate::ValidateRequest;

use crate::cli::{Cli, Command};
use crate::render::{self, Screen};
use crate::surroundings::{app, hmac_key, now, source_date_epoch};

mod build;
mod quickstart;
mod reference;
mod resolve;

/// Runs the command and returns its exit code.
pub(crate) fn run(cli: Cli, screen: &Screen) -> Result<u8, Error> {
    let app = app(&cli.global);
    match cli.command {
        Command::Init(args) => {
            let request = InitRequest {
                folder: args.folder,
                format: args.format.into(),
                id: args.id,
                now: source_date_epoch()?.unwrap_or_else(now),
            };
            screen.tell(attache_ops::init::init(&app, &request)?, render::init);
            Ok(0)
        }
        Command::Validate(args) => {
            let request = ValidateRequest {
                path: args.path.clone(),
                format: args.reading.format.map(Into::into),
                lenient: args.reading.lenient,
                hmac_key: hmac_key(&args.hmac)?,
            };
            let outcome = attache_ops::validate::validate(&app, &request)?;
            let code = u8::from(!outcome.valid);
            screen.show(outcome, |o, out| render::validate(o, &args.path, out));
            Ok(code)
        }
        Command::Inspect(args) => {
            let request = InspectRequest {
                path: args.path,
                format: args.format.map(Into::into),
            };
            let verbose = cli.global.verbose;
            let outcome = attache_ops::inspect::inspect(&app, &request)?;
            screen.show(outcome, |o, out| render::inspect(o, verbose, out));
            Ok(0)
        }
        Command::Build(args) => build::run(&app, args, &cli.global, screen),
        Command::Convert(args) => {
            let request = ConvertRequest {
                path: args.path,
                from: args.reading.format.map(Into::into),
                to: args.to.into(),
                output: args.output,
                lenient: args.reading.lenient,
            };
            screen.tell(
                attache_ops::convert::convert(&app, &request)?,
                render::convert,
            );
            Ok(0)
        }
        Command::Diff(args) => {
            let request = DiffRequest {
                before: args.before,
                after: args.after,
            };
            let outcome = attache_ops::diff::diff(&app, &request)?;
            let code = if args.check && !outcome.identical {
                8
            } else {
                0
            };
            screen.show(outcome, render::diff);
            Ok(code)
        }
        Command::Unpack(args) => {
            let request = UnpackRequest {
                path: args.path,
                format: args.reading.format.map(Into::into),
                output: args.output,
                lenient: args.reading.lenient,
            };
            screen.tell(attache_ops::unpack::unpack(&app, &request)?, render::unpack);
            Ok(0)
        }
        Command::Lock(args) => resolve::lock(&app, args, cli.global.verbose, screen),
        Command::Tree(args) => resolve::tree(&app, args, screen),
        Command::Why(args) => resolve::why(&app, args, screen),
        Command::Outdated(args) => resolve::outdated(&app, args, screen),
        Command::Index(args) => {
            let request = IndexRequest {
                folder: args.folder,
                output: args.output,
                name: args.name,
            };
            let outcome = attache_ops::index::index(&app, &request)?;
            screen.warn(&outcome.warnings);
            screen.tell(outcome, render::index);
            Ok(0)
        }
        Command::Quickstart(args) => quickstart::run(&app, args, screen),
        Command::Completions(args) => {
            screen.page(&reference::completions(args.shell));
            Ok(0)
        }
        Command::Man(args) => {
            screen.page(&reference::man(args.command.as_deref())?);
            Ok(0)
        }
        Command::GenerateReference(args) => {
            reference::generate(&args.out)?;
            Ok(0)
        }
    }
}
