//! The command line: arguments in, exit code out.

mod answers;
mod args;
mod build;
mod chat;
mod check;
mod confirm;
mod exit;
mod human;
mod inspect;
mod interrupts;
mod json;
mod load;
mod progress;
mod reply;
mod run;
mod style;
mod summary;
mod table;
mod terminal;
#[cfg(test)]
mod tests;
mod view;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};
use exit::{Exit, Failure};
use view::Mode;

/// Runs the command that the arguments name.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    start_log();
    match command(&cli) {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(failure) => {
            if let Some(text) = failure.render() {
                // Where errors can't be written either, the exit code says it.
                let _ = io::stderr().write_all(text.as_bytes());
            }
            ExitCode::from(failure.exit as u8)
        }
    }
}

fn command(cli: &Cli) -> Result<Exit, Failure> {
    let mode = match (cli.json, cli.quiet) {
        (true, _) => Mode::Json,
        (false, true) => Mode::Quiet,
        (false, false) => Mode::Human,
    };
    match &cli.command {
        Command::Run(args) => run::run(args, mode),
        Command::Check { manifest } => check::check(manifest, mode),
        Command::Inspect { component } => inspect::inspect(component, mode),
        Command::Build { folder, output } => build::build(folder, output.as_deref(), mode),
    }
}

/// The host's own log goes to standard error, as far as `CEPA_LOG` asks for it; warnings by default.
fn start_log() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("CEPA_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_target(false).init();
}
