//! Lines from a person at a terminal.

use std::io::{self, Write as _};
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::thread;

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor, ExternalPrinter};

use super::confirm::Lines;
use super::exit::Failure;

/// What is said of a line that is no text.
pub const NOT_TEXT: &str = "that is not UTF-8, so it was not taken; please type it again";

/// A line editor.
pub struct Terminal(Editor<(), MemHistory>);

/// Prints above the line that is being typed.
pub struct Printer(Sender<String>);

impl Printer {
    /// Prints a text that ends with a line end, in its turn. Gives it back when the terminal is gone.
    pub fn print(&self, text: String) -> Result<(), String> {
        self.0.send(text).map_err(|SendError(text)| text)
    }
}

/// Prints what comes, on a thread of its own: between two lines, printing may wait for the next one.
fn print_all(mut printer: impl ExternalPrinter, texts: &Receiver<String>) {
    while let Ok(text) = texts.recv() {
        if printer.print(text).is_err() {
            return;
        }
    }
}

/// What a person did at the prompt.
#[derive(Debug, PartialEq, Eq)]
pub enum Typed {
    /// Entered a line.
    Line(String),
    /// Pressed Ctrl-C.
    Interrupt,
    /// Pressed Ctrl-D.
    End,
    /// Entered bytes that are no text.
    NotText,
}

impl Terminal {
    /// An editor at the terminal of standard input and output.
    pub fn new() -> Result<Self, Failure> {
        let config = Config::default();
        let history = MemHistory::with_config(&config);
        Editor::with_history(config, history).map(Self).map_err(unreadable)
    }

    /// What prints above the line that is being typed; `None` where that can't be.
    pub fn printer(&mut self) -> Option<Printer> {
        let printer = self.0.create_external_printer().ok()?;
        let (sender, texts) = channel();
        thread::Builder::new().spawn(move || print_all(printer, &texts)).ok()?;
        Some(Printer(sender))
    }

    /// The next line, which goes into the history.
    pub fn line(&mut self, prompt: &str) -> Result<Typed, Failure> {
        let typed = typed(self.0.readline(prompt))?;
        if let Typed::Line(line) = &typed {
            // A history that can't grow is no reason to stop.
            let _ = self.0.add_history_entry(line.as_str());
        }
        Ok(typed)
    }
}

impl Lines for Terminal {
    fn ask(&mut self, prompt: &str, initial: &str) -> Result<Option<String>, Failure> {
        loop {
            match typed(self.0.readline_with_initial(prompt, (initial, "")))? {
                Typed::Line(line) => return Ok(Some(line)),
                Typed::Interrupt | Typed::End => return Ok(None),
                Typed::NotText => writeln!(io::stderr(), "{NOT_TEXT}")?,
            }
        }
    }
}

fn typed(read: Result<String, ReadlineError>) -> Result<Typed, Failure> {
    match read {
        Ok(line) => Ok(Typed::Line(line)),
        Err(ReadlineError::Interrupted) => Ok(Typed::Interrupt),
        Err(ReadlineError::Eof) => Ok(Typed::End),
        Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => Ok(Typed::NotText),
        Err(error) => Err(unreadable(error)),
    }
}

fn unreadable(error: ReadlineError) -> Failure {
    let error = match error {
        ReadlineError::Io(error) => error,
        error => io::Error::other(error),
    };
    Failure::machine("the terminal can't be read")(error)
}
