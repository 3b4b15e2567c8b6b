//! What happens beside a chat is told between its replies, and above the line that is being typed.

use std::io::{self, Write as _};
use std::sync::Arc;

use cepa::control::{Answer, Reason};
use parking_lot::{Mutex, MutexGuard};

use super::news;
use super::style::harmless;
use super::terminal::Printer;
use super::view::Mode;

/// Tells a person at a chat what is no reply. Cheap to clone.
#[derive(Clone)]
pub struct Notices(Arc<Mutex<State>>);

struct State {
    quiet: bool,
    /// Whether a reply is being shown, so that everything else waits.
    held: bool,
    waiting: Vec<String>,
    printer: Option<Printer>,
}

impl Notices {
    /// Notices on standard error. Quiet ones are of failures alone.
    pub fn new(mode: Mode) -> Self {
        let state = State { quiet: mode == Mode::Quiet, held: false, waiting: Vec::new(), printer: None };
        Self(Arc::new(Mutex::new(state)))
    }

    /// Prints above the line that is being typed from now on.
    pub fn print_with(&self, printer: Option<Printer>) {
        self.lock().printer = printer;
    }

    /// Lets notices wait while a reply is shown.
    pub fn hold(&self) {
        self.lock().held = true;
    }

    /// Shows what waits, and what comes.
    pub fn release(&self) {
        let mut state = self.lock();
        state.held = false;
        for text in std::mem::take(&mut state.waiting) {
            state.print(text);
        }
    }

    /// Tells what came of a swap.
    pub fn swap(&self, answer: &Answer) {
        let mut state = self.lock();
        match answer {
            Answer::Swapped(report) if !state.quiet => {
                state.tell(format!("swap: {}", lines(&news::report(report))));
            }
            Answer::Refused(refusal) => {
                let mut text = format!("swap refused: {}", harmless(&news::refusal(refusal)));
                if refusal.reason == Reason::Consent {
                    text.push_str("\n  `cepa swap` with `--allow NAME` agrees");
                }
                state.tell(text);
            }
            _ => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

impl State {
    fn tell(&mut self, text: String) {
        if self.held {
            self.waiting.push(text);
        } else {
            self.print(text);
        }
    }

    fn print(&self, mut text: String) {
        text.push('\n');
        let left = match &self.printer {
            Some(printer) => printer.print(text),
            None => Err(text),
        };
        if let Err(text) = left {
            // Who can't be told is not there.
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }
}

fn lines(lines: &[String]) -> String {
    lines.join("\n  ")
}
