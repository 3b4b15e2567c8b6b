//! The first thing that a guest did otherwise than when it was recorded.

use std::fmt;

/// How much of a value is shown, in characters: it may be a conversation.
const SHOWN_MAX: usize = 200;

/// How much is shown before the place where two values part.
const BEFORE: usize = 40;

/// The first difference of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    place: Place,
    what: What,
}

/// Where a replay is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The call into the layer, from 1.
    pub(super) call: usize,
    pub(super) export: String,
    /// The line of the recording.
    pub(super) line: usize,
    /// The call of the host, from 1; 0 before the first.
    step: usize,
}

impl Place {
    pub(super) fn of(call: usize, export: &str, line: usize) -> Self {
        Self { call, export: export.to_owned(), line, step: 0 }
    }

    /// The next call of the host, at this line.
    pub(super) fn next_step(&mut self, line: usize) {
        self.step += 1;
        self.line = line;
    }

    /// The end of the call, at this line.
    pub(super) fn end(&mut self, line: usize) {
        self.step = 0;
        self.line = line;
    }
}

/// What is different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Another function was called.
    Function { wanted: String, got: String },
    /// With another argument.
    Argument { function: String, argument: String, wanted: String, got: String },
    /// The host was called once more.
    More { function: String },
    /// The host was not called any more.
    Fewer { function: String, end: String },
    /// The call ended in another way.
    End { wanted: String, got: String },
    /// A time limit was reached.
    Slow { cause: String },
    /// The recorded values are not those of this function.
    Unreadable { function: String, cause: String },
}

impl Difference {
    pub(super) fn new(place: Place, what: What) -> Self {
        Self { place, what }
    }

    /// The line of the recording that was not done again, from 1.
    pub fn line(&self) -> usize {
        self.place.line
    }

    /// The call into the layer, from 1.
    pub fn call(&self) -> usize {
        self.place.call
    }

    /// The export that was called: `on-model-call.handle`.
    pub fn export(&self) -> &str {
        &self.place.export
    }

    /// The call of the host in it, from 1; 0 when it is none.
    pub fn host_call(&self) -> usize {
        self.place.step
    }

    /// What is different, in one sentence.
    pub fn what(&self) -> String {
        match &self.what {
            What::Function { wanted, got } => format!("`{got}` was called, and not `{wanted}`"),
            What::Argument { function, argument, wanted, got } => {
                let (wanted, got) = parted(wanted, got);
                format!("`{function}` was called with {got} as `{argument}`, and not {wanted}")
            }
            What::More { function } => {
                format!("`{function}` was called, where the recording has no further call")
            }
            What::Fewer { function, end } => {
                format!("it ended with {}, and did not call `{function}`", shortened(end, 0))
            }
            What::End { wanted, got } => {
                let (wanted, got) = parted(wanted, got);
                format!("it ended with {got}, and not {wanted}")
            }
            What::Slow { cause } => format!("{cause}; how fast a machine is does not repeat, so try again"),
            What::Unreadable { function, cause } => {
                format!("the recorded values of `{function}` are not those of the contract: {cause}")
            }
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { call, export, line, step } = &self.place;
        write!(f, "call {call} (`{export}`)")?;
        if *step > 0 {
            write!(f, ", its call {step} of the host")?;
        }
        write!(f, ", line {line} of the recording: {}", self.what())
    }
}

/// Both values, each from shortly before the place where they part.
fn parted(wanted: &str, got: &str) -> (String, String) {
    let common = wanted.chars().zip(got.chars()).take_while(|(a, b)| a == b).count();
    let from = if common > SHOWN_MAX / 2 { common - BEFORE } else { 0 };
    (shortened(wanted, from), shortened(got, from))
}

/// A part of a text from a character on, between quotes that belong to no JSON.
fn shortened(text: &str, from: usize) -> String {
    let mut rest = text.chars().skip(from);
    let shown: String = rest.by_ref().take(SHOWN_MAX).collect();
    let (before, after) = (if from > 0 { "…" } else { "" }, if rest.next().is_some() { "…" } else { "" });
    format!("`{before}{shown}{after}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_shown_where_they_part() {
        let same = "x".repeat(1_000);
        let what = What::End { wanted: format!("{same}1{same}"), got: format!("{same}2") };
        let text = Difference::new(Place::of(3, "on-draft.review", 7), what).to_string();
        let (head, tail) = ("x".repeat(BEFORE), "x".repeat(SHOWN_MAX - BEFORE - 1));
        assert_eq!(
            text,
            format!(
                "call 3 (`on-draft.review`), line 7 of the recording: it ended with `…{head}2`, and not `…{head}1{tail}…`"
            )
        );
    }
}
