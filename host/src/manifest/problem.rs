//! What is wrong with a manifest, and where.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::render;

/// How many problems are shown: who has fixed as many looks again.
const SHOWN_MAX: usize = 20;

/// A range of bytes in a manifest's text.
pub type Span = Range<usize>;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, in one line.
    pub message: String,
    /// Where, the most telling place first. Empty when it concerns the file as a whole.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// What a program wrote about it, such as a compiler; shown as it is.
    pub detail: Option<String>,
}

/// A place in the manifest, and a word about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there; may be empty.
    pub text: String,
}

impl Problem {
    /// A problem with the file as a whole.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), labels: Vec::new(), help: None, detail: None }
    }

    /// A problem at this place.
    pub fn at(span: Span, message: impl Into<String>) -> Self {
        Self::new(message).label(span, "")
    }

    /// The same with one place more.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// The same with a word at its first place.
    #[must_use]
    pub fn says(mut self, text: impl Into<String>) -> Self {
        if let Some(label) = self.labels.first_mut() {
            label.text = text.into();
        }
        self
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The text of a manifest, and what of it must not be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The file's name as the user wrote it.
    pub name: String,
    /// The text.
    pub text: String,
    /// Values that are shown as `***`.
    pub secrets: Vec<Span>,
}

/// Everything that is wrong with a manifest. Its text shows each problem at its line, of very many
/// the first 20, and no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestError {
    /// The manifest.
    pub source_text: Arc<SourceText>,
    /// What is wrong, in the order of the text. Never empty.
    pub problems: Vec<Problem>,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().take(SHOWN_MAX).enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            f.write_str(&render::problem(&self.source_text, problem))?;
        }
        match self.problems.len().saturating_sub(SHOWN_MAX) {
            0 => Ok(()),
            more => write!(f, "\n\nand {more} more"),
        }
    }
}

impl std::error::Error for ManifestError {}
