//! The command line of Cepa.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
