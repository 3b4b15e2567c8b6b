//! The program at a pseudo-terminal.

use std::io::Write as _;

use rexpect::process::WaitStatus;
use rexpect::session::{PtySession, spawn_command};

use crate::rig::{PATIENCE, Place, program};

/// The program at a terminal of its own.
pub(crate) struct Terminal(PtySession);

impl Terminal {
    pub(crate) fn open(place: &Place, args: &str) -> Self {
        let mut command = program(place.path());
        command.args(args.split_whitespace()).env("TERM", "xterm").env("NO_COLOR", "1");
        let patience = u64::try_from(PATIENCE.as_millis()).expect("a few minutes");
        Self(spawn_command(command, Some(patience)).expect("a terminal"))
    }

    /// Waits until this is shown, and gives what was shown before it.
    #[track_caller]
    pub(crate) fn shows(&mut self, text: &str) -> String {
        self.0.exp_string(text).unwrap_or_else(|error| panic!("no `{text}`: {error}"))
    }

    /// Enters a line.
    pub(crate) fn enter(&mut self, line: &str) {
        self.0.send_line(line).expect("the terminal takes it");
    }

    /// Enters bytes that need not be text.
    pub(crate) fn enter_bytes(&mut self, bytes: &[u8]) {
        let mut terminal = self.0.process().get_file_handle().expect("the terminal's other end");
        terminal.write_all(bytes).expect("the terminal takes it");
    }

    /// Presses Ctrl and a key.
    pub(crate) fn ctrl(&mut self, key: char) {
        self.0.send_control(key).expect("the terminal takes it");
    }

    /// Waits for the end, and gives the exit code.
    #[track_caller]
    pub(crate) fn ends_with(mut self, code: i32) -> String {
        let rest = self.0.exp_eof().expect("it ends");
        match self.0.process().wait().expect("it has ended") {
            WaitStatus::Exited(_, ended) => assert_eq!(ended, code, "{rest}"),
            other => panic!("{other:?}: {rest}"),
        }
        rest
    }
}
