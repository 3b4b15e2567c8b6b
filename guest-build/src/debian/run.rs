//! Running a program to its end.

use std::process::{Command, Stdio};

use crate::Error;

/// What the program printed; an error with what it complained about when it failed.
pub(super) fn run(command: &mut Command) -> Result<String, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |reason: String| Error::Program { program, reason };
    let done = match command.stdin(Stdio::null()).output() {
        Ok(done) => done,
        Err(cause) => return Err(failed(cause.to_string())),
    };
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&done.stderr);
    Err(failed(format!("{}\n{}", done.status, complaint.trim())))
}

/// Whether the program can be run and is content.
pub(super) fn succeeds(command: &mut Command) -> bool {
    run(command).is_ok()
}
