//! Gathers what is found, and everything that is wrong, while a manifest's tables are read.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::DeValue;

use super::expand::Surroundings;
use super::problem::{Problem, Span};
use super::render;

/// What is gathered while the tables are read.
pub(super) struct Reader<'a> {
    pub(super) surroundings: Surroundings<'a>,
    pub(super) problems: Vec<Problem>,
    /// The place of each value that was read, by JSON pointer.
    pub(super) marks: BTreeMap<String, Span>,
    /// The places of values that must not be shown.
    pub(super) secrets: Vec<Span>,
    /// Whether component files need not be there yet.
    pub(super) unbuilt: bool,
}

impl Reader<'_> {
    pub(super) fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// A string with its references replaced.
    pub(super) fn expand(&mut self, text: &str, span: &Span) -> Option<String> {
        match self.surroundings.expand(text) {
            Ok(text) => Some(text),
            Err(unresolved) => {
                self.report(Problem::at(span.clone(), unresolved.message).help(unresolved.help));
                None
            }
        }
    }

    /// Keeps a value from being shown, unless it is a mere reference.
    pub(super) fn hide(&mut self, value: &Spanned<DeValue<'_>>) {
        let reference = matches!(value.get_ref(), DeValue::String(text) if render::is_reference(text));
        if !reference {
            self.secrets.push(value.span());
        }
    }
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct At<T> {
    pub(super) value: T,
    pub(super) span: Span,
}
