//! What is shown of a reply, and where: for a person, as JSON, or the answer alone.

use std::io::{self, IsTerminal as _, Write};

use cepa::agent::{ReplyItem, ReplyResult};
use cepa::chain::{Note, NoteKind};
use cepa::event::{Event, Outcome};
use cepa::message::{Block, FinishReason};

use super::denial;
use super::human::Human;
use super::json::JsonLines;
use super::style::{Style, harmless};
use super::summary::{self, NoteCounts};

/// Any place to write to.
pub type Out = Box<dyn Write>;

/// Shows replies.
pub struct View {
    kind: Kind,
    /// The layers, outermost first.
    layers: Vec<String>,
    notes: NoteCounts,
    fault: Option<String>,
    denied: Option<String>,
    /// Why the last model call ended.
    finish: Option<FinishReason>,
}

enum Kind {
    Json(JsonLines<Out>),
    /// The reply as it runs on one place; the answer apart on another when the first does not show it.
    Human {
        live: Human<Out>,
        answer: Option<Out>,
        summary: Out,
    },
    Quiet {
        answer: Out,
        remarks: Out,
    },
}

/// How replies are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Streamed, with what happens around the answer.
    Human,
    /// One object a line.
    Json,
    /// The answer alone.
    Quiet,
}

impl View {
    /// A view on standard output and error. At a terminal the answer is streamed; a pipe gets it whole and alone,
    /// since what was streamed may be withdrawn.
    pub fn standard(mode: Mode) -> Self {
        let kind = match mode {
            Mode::Json => Kind::Json(JsonLines::new(Box::new(io::stdout()))),
            Mode::Quiet => Kind::Quiet { answer: Box::new(io::stdout()), remarks: Box::new(io::stderr()) },
            Mode::Human if io::stdout().is_terminal() => Kind::Human {
                live: Human::new(Box::new(io::stdout()), Style::of(&io::stdout()), true),
                answer: None,
                summary: Box::new(io::stderr()),
            },
            Mode::Human => Kind::Human {
                live: Human::new(Box::new(io::stderr()), Style::of(&io::stderr()), false),
                answer: Some(Box::new(io::stdout())),
                summary: Box::new(io::stderr()),
            },
        };
        Self {
            kind,
            layers: Vec::new(),
            notes: NoteCounts::default(),
            fault: None,
            denied: None,
            finish: None,
        }
    }

    /// A reply of these layers begins, outermost first.
    pub fn begin(&mut self, layers: Vec<String>) {
        self.layers = layers;
    }

    /// Shows one thing that a reply has to tell.
    pub fn item(&mut self, item: &ReplyItem) -> io::Result<()> {
        match item {
            ReplyItem::Note(note) => self.note(note),
            ReplyItem::Event(Event::ModelCallEnd { finish_reason, .. }) => self.finish = Some(*finish_reason),
            ReplyItem::Event(_) => {}
        }
        match &mut self.kind {
            Kind::Json(lines) => lines.item(item),
            Kind::Human { live, .. } => live.item(item),
            Kind::Quiet { .. } => Ok(()),
        }
    }

    fn note(&mut self, note: &Note) {
        self.notes.add(note);
        match &note.kind {
            NoteKind::Fault { hook, cause } => {
                self.fault = Some(format!("layer `{}` failed in `{hook}`: {cause}", note.layer));
            }
            NoteKind::Denied { capability, object } => {
                self.denied = Some(denial::remedy(&note.layer, capability, object));
            }
            _ => {}
        }
    }

    /// Shows what came of a reply, and what each layer did.
    pub fn result(&mut self, session_id: &str, result: &ReplyResult) -> io::Result<()> {
        let notes = std::mem::take(&mut self.notes);
        let silence = silence(result, self.finish.take());
        match &mut self.kind {
            Kind::Json(lines) => lines.result(session_id, result),
            Kind::Quiet { answer, remarks } => {
                write_answer(answer, result)?;
                silence.map_or(Ok(()), |silence| writeln!(remarks, "{silence}"))
            }
            Kind::Human { live, answer, summary } => {
                live.end_line()?;
                if let Some(silence) = silence {
                    live.warning(&silence)?;
                }
                if let Some(answer) = answer {
                    write_answer(answer, result)?;
                }
                let table = summary::layers(&self.layers, &result.layers, &notes);
                if !table.is_empty() {
                    write!(summary, "\n{table}")?;
                }
                summary.flush()
            }
        }
    }

    /// How to grant what a layer was denied last.
    pub fn take_denied(&mut self) -> Option<String> {
        self.denied.take()
    }

    /// The last time that a layer broke a rule and the reply failed for it.
    pub fn take_fault(&mut self) -> Option<String> {
        self.fault.take()
    }
}

/// What is to be said of a reply that ended well and has nothing to show.
fn silence(result: &ReplyResult, finish: Option<FinishReason>) -> Option<String> {
    let response = &result.response;
    let says_nothing = |block: &Block| match block {
        Block::Text { text } => text.is_empty(),
        block => matches!(block, Block::Thinking { .. }),
    };
    let silent = match (response.outcome, &response.message) {
        (Outcome::Silent, _) | (Outcome::Replied, None) => true,
        (Outcome::Replied, Some(message)) => message.content.iter().all(says_nothing),
        _ => false,
    };
    silent.then(|| match finish {
        Some(finish) => format!("the model gave no answer (finish reason `{}`)", finish.name()),
        None => "there is no answer".to_owned(),
    })
}

/// A pipe gets the answer as it is: only a terminal needs protection.
fn write_answer(out: &mut Out, result: &ReplyResult) -> io::Result<()> {
    let text = result.response.text();
    if text.is_empty() {
        return Ok(());
    }
    let text = if io::stdout().is_terminal() { harmless(&text) } else { text.as_str().into() };
    writeln!(out, "{}", text.trim_end_matches('\n'))?;
    out.flush()
}
