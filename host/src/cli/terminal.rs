//! Lines from a person at a terminal.

use std::io;

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

use super::confirm::Lines;

/// A line editor.
pub struct Terminal(Editor<(), MemHistory>);

/// What a person did at the prompt.
#[derive(Debug, PartialEq, Eq)]
pub enum Typed {
    /// Entered a line.
    Line(String),
    /// Pressed Ctrl-C.
    Interrupt,
    /// Pressed Ctrl-D.
    End,
}

impl Terminal {
    /// An editor at the terminal of standard input and output.
    pub fn new() -> io::Result<Self> {
        let config = Config::default();
        let history = MemHistory::with_config(&config);
        Editor::with_history(config, history).map(Self).map_err(other)
    }

    /// The next line, which goes into the history.
    pub fn line(&mut self, prompt: &str) -> io::Result<Typed> {
        let typed = typed(self.0.readline(prompt))?;
        if let Typed::Line(line) = &typed {
            // A history that can't grow is no reason to stop.
            let _ = self.0.add_history_entry(line.as_str());
        }
        Ok(typed)
    }
}

impl Lines for Terminal {
    fn ask(&mut self, prompt: &str, initial: &str) -> io::Result<Option<String>> {
        Ok(match typed(self.0.readline_with_initial(prompt, (initial, "")))? {
            Typed::Line(line) => Some(line),
            Typed::Interrupt | Typed::End => None,
        })
    }
}

fn typed(read: Result<String, ReadlineError>) -> io::Result<Typed> {
    match read {
        Ok(line) => Ok(Typed::Line(line)),
        Err(ReadlineError::Interrupted) => Ok(Typed::Interrupt),
        Err(ReadlineError::Eof) => Ok(Typed::End),
        Err(ReadlineError::Io(error)) => Err(error),
        Err(error) => Err(other(error)),
    }
}

fn other(error: ReadlineError) -> io::Error {
    io::Error::other(error)
}
