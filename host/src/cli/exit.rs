//! How the program ends: its exit codes, and errors with a hint.

use std::fmt::Write as _;
use std::io;

use cepa::error::{Error, ErrorKind};
use cepa::event::Outcome;
use serde_json::{Value, json};

use super::style::harmless;

/// The exit codes, as the help shows them.
pub const HELP: &str = "\
Exit codes:
  0   everything went well
  1   a defect of Cepa, or of the machine below it
  2   the command line or the prompt can't be used
  3   the reply failed: the model, a tool or a server gave an error
  4   the reply waits for a person or for a program outside
  5   the reply was aborted
  6   a replay differs from its recording
  7   a component does not pass a check
  64  the manifest has mistakes
  65  a component can't be loaded, or does not fit its configuration
  66  the session file can't be used
  67  a recording can't be used
  69  no running chat can be reached to swap its layers
  70  a layer broke a rule, and the reply failed for it
  77  a swap needs consent";

/// The exit codes. Each has one meaning; [`HELP`] says them to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything went well.
    Success = 0,
    /// A defect of Cepa, or of the machine below it.
    Internal = 1,
    /// The command line or the prompt can't be used.
    Usage = 2,
    /// The reply failed: the model, a tool or a server gave an error.
    Failed = 3,
    /// The reply waits for a person or for a program outside.
    Parked = 4,
    /// The reply was aborted.
    Aborted = 5,
    /// A replay differs from its recording.
    Differs = 6,
    /// A component does not pass a check.
    Unfit = 7,
    /// The manifest has mistakes.
    Manifest = 64,
    /// A component can't be loaded, or does not fit its configuration.
    Component = 65,
    /// The session file can't be used.
    Session = 66,
    /// A recording can't be used.
    Recording = 67,
    /// No running chat can be reached to swap its layers.
    Unreachable = 69,
    /// A layer broke a rule, and the reply failed for it.
    LayerFault = 70,
    /// A swap needs consent.
    Consent = 77,
}

impl Exit {
    /// The exit code of a reply that ended like this.
    pub fn of(outcome: Outcome, error: Option<&Error>) -> Self {
        match outcome {
            Outcome::Replied | Outcome::Silent => Self::Success,
            Outcome::Aborted => Self::Aborted,
            Outcome::Parked => Self::Parked,
            Outcome::Failed => match error.map(|error| error.kind) {
                Some(ErrorKind::Fault) => Self::LayerFault,
                Some(ErrorKind::Aborted) => Self::Aborted,
                Some(ErrorKind::Internal) => Self::Internal,
                _ => Self::Failed,
            },
        }
    }
}

/// Why a command did not do what it was told.
#[derive(Debug)]
pub struct Failure {
    /// How the program ends.
    pub exit: Exit,
    /// What is shown.
    pub text: Text,
    /// Whether a `result` on standard output has told of it already.
    in_result: bool,
}

/// What is shown of a failure.
#[derive(Debug)]
pub enum Text {
    /// Nothing: the reader of the output has gone, or everything was said already.
    Nothing,
    /// A whole rendering that begins with `error: `.
    Rendered(String),
    /// An error with its causes, and what to do.
    Error(anyhow::Error, Option<String>),
}

impl Failure {
    /// A failure with this error.
    pub fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self::of(exit, Text::Error(error.into(), None))
    }

    /// A command line or a prompt that can't be used.
    pub fn usage(message: impl std::fmt::Display) -> Self {
        Self::new(Exit::Usage, anyhow::anyhow!("{message}"))
    }

    /// Something that the machine refused.
    pub fn machine(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::new(Exit::Internal, anyhow::Error::new(error).context(what))
    }

    /// A failure that was told already, or that nobody is there to be told.
    pub fn silent(exit: Exit) -> Self {
        Self::of(exit, Text::Nothing)
    }

    /// A failure whose text begins with `error: ` already.
    pub fn rendered(exit: Exit, text: impl std::fmt::Display) -> Self {
        Self::of(exit, Text::Rendered(text.to_string()))
    }

    fn of(exit: Exit, text: Text) -> Self {
        Self { exit, text, in_result: false }
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Text::Error(_, place) = &mut self.text {
            *place = Some(hint.into());
        }
        self
    }

    /// The same, of a reply whose result was shown.
    #[must_use]
    pub fn in_result(mut self) -> Self {
        self.in_result = true;
        self
    }

    /// Whether there is nothing to show.
    pub fn is_silent(&self) -> bool {
        matches!(self.text, Text::Nothing)
    }

    /// The text for a person, with a line end; `None` when nothing is to be shown. It may hold words of models, servers
    /// and guests, so it is made harmless here, once for all.
    pub fn render(&self) -> Option<String> {
        let text = match &self.text {
            Text::Nothing => return None,
            Text::Rendered(text) => format!("{}\n", text.trim_end()),
            Text::Error(error, hint) => render(error, hint.as_deref()),
        };
        Some(harmless(&text).into_owned())
    }

    /// The object for a program; `None` when there is nothing to tell, or a result has told it.
    pub fn json(&self) -> Option<Value> {
        if self.in_result {
            return None;
        }
        let (message, hint) = match &self.text {
            Text::Nothing => return None,
            Text::Rendered(text) => (text.trim().trim_start_matches("error: ").to_owned(), None),
            Text::Error(error, hint) => (words(error).join(": "), hint.as_deref()),
        };
        let mut object = json!({ "type": "error", "code": self.exit as u8, "message": message });
        if let (Some(object), Some(hint)) = (object.as_object_mut(), hint) {
            object.insert("hint".to_owned(), hint.into());
        }
        Some(object)
    }
}

fn render(error: &anyhow::Error, hint: Option<&str>) -> String {
    let mut text = format!("error: {}\n", words(error).join("\n  caused by: "));
    if let Some(hint) = hint {
        let _ = writeln!(text, "\nhint: {hint}");
    }
    text
}

/// What an error and its causes say, each thing once: many errors repeat their cause in their own text.
fn words(error: &anyhow::Error) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if !words.iter().any(|said| said.contains(&cause)) {
            words.push(cause);
        }
    }
    words
}

/// Output that can't be written: when its reader has gone, the program ends quietly.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::silent(Exit::Success),
            _ => Self::machine("the output can't be written")(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_its_causes_once_and_the_hint_last() {
        let error =
            anyhow::anyhow!("disk full").context("can't write `x`").context("can't write `x`: disk full");
        let failure = Failure::new(Exit::Internal, error).hint("make room");
        insta::assert_snapshot!(failure.render().unwrap_or_default(), @r"
        error: can't write `x`: disk full

        hint: make room
        ");
        let error = anyhow::anyhow!("disk full").context("the session was not stored");
        insta::assert_snapshot!(Failure::new(Exit::Session, error).render().unwrap_or_default(), @r"
        error: the session was not stored
          caused by: disk full
        ");
    }

    #[test]
    fn a_program_gets_one_object_unless_a_result_told_it() {
        let failure = || {
            let error = anyhow::anyhow!("disk full").context("the session was not stored");
            Failure::new(Exit::Session, error).hint("make room")
        };
        insta::assert_snapshot!(failure().json().unwrap_or_default(), @r#"{"type":"error","code":66,"message":"the session was not stored: disk full","hint":"make room"}"#);
        assert_eq!(failure().in_result().json(), None);
    }

    #[test]
    fn the_words_of_others_can_not_steer_the_terminal() {
        let error = anyhow::anyhow!("panicked:\nat \u{1b}[31mline 1").context("layer `\u{9b}x` failed");
        assert_eq!(
            Failure::new(Exit::LayerFault, error).render().as_deref(),
            Some("error: layer `\u{fffd}x` failed\n  caused by: panicked:\nat \u{fffd}[31mline 1\n")
        );
        let rendered = Failure::rendered(Exit::Component, "error: import `\u{202e}x`");
        assert_eq!(rendered.render().as_deref(), Some("error: import `\u{fffd}x`\n"));
    }

    #[test]
    fn a_reader_that_has_gone_is_no_error() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!((failure.exit, failure.render()), (Exit::Success, None));
    }

    #[test]
    fn replies_end_with_codes_of_their_own() {
        let code = |outcome, kind: Option<ErrorKind>| {
            Exit::of(outcome, kind.map(|kind| Error::new(kind, "x")).as_ref()) as u8
        };
        assert_eq!(code(Outcome::Replied, None), 0);
        assert_eq!(code(Outcome::Silent, None), 0);
        assert_eq!(code(Outcome::Failed, Some(ErrorKind::Overloaded)), 3);
        assert_eq!(code(Outcome::Parked, None), 4);
        assert_eq!(code(Outcome::Aborted, None), 5);
        assert_eq!(code(Outcome::Failed, Some(ErrorKind::Fault)), 70);
    }
}
