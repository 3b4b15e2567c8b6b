//! The command line: arguments in, exit code out.

mod answers;
mod args;
mod build;
mod chat;
mod check;
mod confirm;
mod denial;
mod exit;
mod human;
mod inspect;
mod interrupts;
mod json;
mod live;
mod load;
mod log;
mod new;
mod news;
mod notices;
mod progress;
mod record;
mod replay;
mod reply;
mod run;
mod shell;
mod style;
mod summary;
mod swap;
mod table;
mod terminal;
mod test;
#[cfg(test)]
mod tests;
mod view;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};
use exit::{Exit, Failure};
use json::JsonLines;
use view::Mode;

/// Runs the command that the arguments name.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_parsed(&error),
    };
    let mode = match (cli.json, cli.quiet) {
        (true, _) => Mode::Json,
        (false, true) => Mode::Quiet,
        (false, false) => Mode::Human,
    };
    log::start(mode);
    let exit = command(&cli, mode).unwrap_or_else(|failure| {
        tell(&failure, mode);
        failure.exit
    });
    ExitCode::from(exit as u8)
}

fn command(cli: &Cli, mode: Mode) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Run(args) => run::run(args, mode),
        Command::Check { manifest } => check::check(manifest, mode),
        Command::Inspect { component } => inspect::inspect(component, mode),
        Command::Swap(args) => swap::swap(args, mode),
        Command::Record(args) => record::record(args, mode),
        Command::Replay(args) => replay::replay(args, mode),
        Command::New(args) => new::new(args, mode),
        Command::Test(args) => test::test(args, mode),
        Command::Build(args) => build::build(args, mode),
    }
}

/// Says why a command failed: to a person on standard error, and to a program on standard output as well. Where that
/// can't be written either, the exit code says it.
fn tell(failure: &Failure, mode: Mode) {
    if let Some(object) = failure.json().filter(|_| mode == Mode::Json) {
        let _ = JsonLines::new(io::stdout()).line(&object);
    }
    if let Some(text) = failure.render() {
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// Ends with the help that was asked for, or with what is wrong with the arguments.
fn not_parsed(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json");
    if json && error.use_stderr() {
        let failure = Failure::rendered(Exit::Usage, error);
        let _ = failure.json().map(|object| JsonLines::new(io::stdout()).line(&object));
    }
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { Exit::Usage as u8 } else { Exit::Success as u8 })
}
