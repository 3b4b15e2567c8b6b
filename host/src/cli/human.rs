//! A reply as a person sees it: text as it comes, thinking faint, tool calls and results on lines of their own.

use std::collections::HashMap;
use std::io::{self, Write};

use cepa::agent::ReplyItem;
use cepa::chain::{Note, NoteKind};
use cepa::event::{Event, Outcome};
use cepa::message::{ToolCall, ToolState};

use super::denial;
use super::style::{Style, harmless, one_line};

/// The most characters of a tool call's arguments, or of a line of its result, that are shown as it runs.
const LINE_MAX: usize = 200;

/// The most lines of a tool's result that are shown.
const RESULT_LINES_MAX: usize = 6;

/// Shows a reply as it runs.
#[derive(Debug)]
pub struct Human<W> {
    out: W,
    style: Style,
    /// Whether the text of the answer is shown as it comes; else only what happens around it.
    text: bool,
    place: Place,
    calls: HashMap<String, Call>,
    /// What was shown since the start of each model call that can still be withdrawn.
    shown: Vec<(String, bool)>,
}

/// What stands before the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    LineStart,
    Text,
    Thinking,
}

/// A tool call or result while its pieces come.
#[derive(Debug, Default)]
struct Call {
    name: String,
    text: String,
}

impl<W: Write> Human<W> {
    /// Shows replies on this writer; their text too if `text` is set.
    pub fn new(out: W, style: Style, text: bool) -> Self {
        Self { out, style, text, place: Place::LineStart, calls: HashMap::new(), shown: Vec::new() }
    }

    /// Shows what a reply has to tell.
    pub fn item(&mut self, item: &ReplyItem) -> io::Result<()> {
        match item {
            ReplyItem::Event(event) => self.event(event)?,
            ReplyItem::Note(note) => self.note(note)?,
        }
        self.out.flush()
    }

    /// Ends the line that text stands on.
    pub fn end_line(&mut self) -> io::Result<()> {
        match self.place {
            Place::LineStart => {}
            Place::Text => writeln!(self.out)?,
            Place::Thinking => writeln!(self.out, "{}", self.style.plain())?,
        }
        self.place = Place::LineStart;
        self.out.flush()
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::ModelCallStart { id, .. } => self.shown.push((id.clone(), false)),
            Event::TextDelta { text, .. } => self.answer_text(text)?,
            Event::ThinkingDelta { text, .. } => self.thinking(text)?,
            Event::TextEnd { .. } | Event::ThinkingEnd { .. } | Event::ReplyEnd { .. } => self.end_line()?,
            Event::DataStart { media_type, .. } => {
                self.line(&format!("[{}]", one_line(media_type, LINE_MAX)))?;
            }
            Event::Hint { source, text, .. } => {
                self.line(&format!("hint of {}: {}", one_line(source, LINE_MAX), one_line(text, LINE_MAX)))?;
            }
            Event::ToolCallStart { call_id, name } | Event::ToolResultStart { call_id, name } => {
                self.calls.insert(call_id.clone(), Call { name: name.clone(), text: String::new() });
            }
            Event::ToolCallDelta { call_id, text } | Event::ToolResultText { call_id, text } => {
                if let Some(call) = self.calls.get_mut(call_id) {
                    call.text.push_str(text);
                }
            }
            Event::ToolResultData { call_id, media_type, bytes } => {
                if let Some(call) = self.calls.get_mut(call_id) {
                    call.text.push_str(&format!("[{media_type}, {} bytes]\n", bytes.len()));
                }
            }
            Event::ToolCallEnd { call_id } => {
                if let Some(call) = self.calls.remove(call_id) {
                    self.call(&call.name, &call.text, "")?;
                }
            }
            Event::ToolCallReplaced { call: ToolCall { name, arguments, .. } } => {
                self.call(name, arguments, " (changed: this is what runs)")?;
            }
            Event::ToolResultEnd { call_id, state } => {
                if let Some(call) = self.calls.remove(call_id) {
                    self.result(&call, *state)?;
                }
            }
            Event::Withdrawn { id } => self.withdrawn(id)?,
            Event::MessageReplaced { message } if self.text => self.replaced(&message.text())?,
            _ => {}
        }
        Ok(())
    }

    fn note(&mut self, note: &Note) -> io::Result<()> {
        let layer = one_line(&note.layer, LINE_MAX);
        match &note.kind {
            NoteKind::Log { level: "debug", .. } => Ok(()),
            NoteKind::Log { level: "info", message } => {
                self.line(&format!("{layer}: {}", one_line(message, LINE_MAX)))
            }
            NoteKind::Log { message, .. } => {
                self.warning(&format!("{layer}: {}", one_line(message, LINE_MAX)))
            }
            NoteKind::Fault { hook, cause } => {
                self.warning(&format!("layer `{layer}` failed in `{hook}`: {}", one_line(cause, LINE_MAX)))
            }
            NoteKind::Skipped { hook, cause } => self
                .warning(&format!("layer `{layer}` was left out in `{hook}`: {}", one_line(cause, LINE_MAX))),
            NoteKind::TakenOut { hook, faults, .. } => self.warning(&format!(
                "layer `{layer}` is taken out after {faults} faults in a row in `{hook}`, until it is swapped"
            )),
            NoteKind::Out { hook, faults, cause } => self.warning(&format!(
                "layer `{layer}` is out since {faults} faults in a row in `{hook}`, the last: {}",
                one_line(cause, LINE_MAX)
            )),
            NoteKind::RolledBack { hook, cause, from, to } => self.warning(&format!(
                "the swap to generation {from} was taken back, and generation {to} is active again: layer `{layer}` \
                 failed all its first calls of `{hook}`: {}",
                one_line(cause, LINE_MAX)
            )),
            NoteKind::AgentRun { agent, outcome, .. } => self.agent_run(&layer, agent, *outcome),
            NoteKind::Denied { capability, object } => {
                self.warning(&denial::said(&layer, capability, &one_line(object, LINE_MAX)))
            }
            // Measurements are for programs: `--json` has them.
            NoteKind::Span { .. } | NoteKind::Count { .. } => Ok(()),
            NoteKind::ToolCall { tool, outcome } => self.line(&format!(
                "{layer}: ran tool `{}` itself: {}",
                one_line(tool, LINE_MAX),
                one_line(outcome, LINE_MAX)
            )),
        }
    }

    /// A run of a sub-agent. That one waits is a warning, since nobody is asked.
    fn agent_run(&mut self, layer: &str, agent: &str, outcome: Outcome) -> io::Result<()> {
        let ran = format!("{layer}: ran agent `{}`", one_line(agent, LINE_MAX));
        match outcome {
            Outcome::Replied | Outcome::Silent => self.line(&ran),
            Outcome::Parked => self.warning(&format!("{ran}, which waits for a person: nobody is asked")),
            Outcome::Failed => self.warning(&format!("{ran}, which failed")),
            Outcome::Aborted => self.warning(&format!("{ran}, which was aborted")),
        }
    }

    fn answer_text(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.mark_shown();
        if !self.text {
            return Ok(());
        }
        if self.place == Place::Thinking {
            self.end_line()?;
        }
        write!(self.out, "{}", harmless(text))?;
        self.place = if text.ends_with('\n') { Place::LineStart } else { Place::Text };
        Ok(())
    }

    fn thinking(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.mark_shown();
        if self.place != Place::Thinking {
            self.end_line()?;
            write!(self.out, "{}", self.style.faint())?;
        }
        self.place = Place::Thinking;
        write!(self.out, "{}", harmless(text))
    }

    fn call(&mut self, name: &str, arguments: &str, remark: &str) -> io::Result<()> {
        let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
        self.line(&format!("> {}({}){remark}", one_line(name, LINE_MAX), one_line(arguments, LINE_MAX)))
    }

    fn result(&mut self, call: &Call, state: ToolState) -> io::Result<()> {
        let state = match state {
            ToolState::Success => "",
            ToolState::Error => " failed",
            ToolState::Denied => " was denied",
            ToolState::Interrupted => " was interrupted",
            ToolState::Parked => " waits",
        };
        let mut lines = call.text.lines().filter(|line| !line.trim().is_empty());
        let first = lines.next().map(|line| format!(": {}", one_line(line, LINE_MAX))).unwrap_or_default();
        self.line(&format!("< {}{state}{first}", one_line(&call.name, LINE_MAX)))?;
        for line in lines.by_ref().take(RESULT_LINES_MAX - 1) {
            self.line(&format!("  {}", one_line(line, LINE_MAX)))?;
        }
        match lines.count() {
            0 => Ok(()),
            more => self.line(&format!("  ... {more} more lines")),
        }
    }

    fn withdrawn(&mut self, id: &str) -> io::Result<()> {
        let Some(at) = self.shown.iter().position(|(call, _)| call == id) else {
            self.calls.remove(id);
            return Ok(());
        };
        let shown = self.shown.drain(at..).any(|(_, shown)| shown);
        match (shown, self.text) {
            (false, _) => Ok(()),
            (true, true) => self.warning("the attempt above is taken back"),
            (true, false) => self.warning("an attempt is taken back"),
        }
    }

    /// The text of a step is another one than what was shown.
    fn replaced(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return self.warning("the text above is taken back");
        }
        self.warning("the text above is replaced by this:")?;
        self.answer_text(text)?;
        self.end_line()
    }

    fn mark_shown(&mut self) {
        if let Some((_, shown)) = self.shown.last_mut() {
            *shown = true;
        }
    }

    /// Says something that needs attention, on a line of its own.
    pub fn warning(&mut self, text: &str) -> io::Result<()> {
        self.end_line()?;
        writeln!(self.out, "{}! {text}{}", self.style.warning(), self.style.plain())
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        self.end_line()?;
        writeln!(self.out, "{}{text}{}", self.style.faint(), self.style.plain())
    }
}
