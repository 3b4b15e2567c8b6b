//! One line at a terminal that says what is being waited for.

use std::io::{self, IsTerminal as _, Write as _};

use super::style::flat;

/// A line on standard error that is overwritten; nothing where that is no terminal.
#[derive(Clone, Copy, Debug)]
pub struct ProgressLine {
    shown: bool,
}

impl ProgressLine {
    /// A line that is shown at a terminal if it is `wanted`.
    pub fn new(wanted: bool) -> Self {
        Self { shown: wanted && io::stderr().is_terminal() }
    }

    /// Says what is being waited for.
    pub fn say(self, text: &str) {
        if self.shown {
            // Who can't be told is not waiting for it.
            let _ = write!(io::stderr(), "\r\x1b[2K{} ...", flat(text)).and_then(|()| io::stderr().flush());
        }
    }

    /// Takes the line away.
    pub fn clear(self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\x1b[2K").and_then(|()| io::stderr().flush());
        }
    }
}
