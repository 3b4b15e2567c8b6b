//! Who answers, and the errors that tell of it: typed by what came, shortened, and free of secrets.

mod judge;

use std::time::SystemTime;

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::retry_after::retry_after;
use crate::error::{Error, ErrorKind};
use crate::secret::Secret;

/// The longest excerpt of a foreign text in an error, in characters.
const EXCERPT_CHARACTERS: usize = 300;

/// The model that is asked, and what no error about it may show.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) provider: &'static str,
    pub(super) model: String,
    pub(super) secrets: Vec<Secret>,
}

impl Peer {
    /// An error that names the model and goes on with this.
    pub(super) fn error(&self, kind: ErrorKind, what: impl AsRef<str>) -> Error {
        Error::new(kind, format!("model `{}` ({}) {}", self.model, self.provider, what.as_ref()))
    }

    /// The answer can't be understood.
    pub(super) fn garbage(&self, body: &str) -> Error {
        let what = format!("did not answer as its protocol says, but with {}", self.describe(body));
        self.error(ErrorKind::Upstream, what)
    }

    /// The connection ended before the answer did.
    pub(super) fn cut(&self) -> Error {
        self.error(ErrorKind::Connection, "stopped in the middle of its answer: the connection was cut")
    }

    /// The error that a failed answer stands for.
    pub(super) fn refusal(&self, status: u16, headers: &HeaderMap, body: &str) -> Error {
        let parsed = serde_json::from_str::<Value>(body).ok();
        let report = parsed.as_ref().and_then(judge::report);
        let what = match &report {
            Some(report) => self.excerpt(&report.message),
            None => self.describe(body),
        };
        let words = report.map(|report| report.words).unwrap_or_else(|| judge::words(body));
        let error = self
            .error(judge::kind(Some(status), &words), format!("answered {status}: {what}"))
            .status(status);
        let error = judge::refine(error, &words);
        match retry_after(headers, SystemTime::now()) {
            Some(wait) => error.retry_after(wait),
            None => error,
        }
    }

    /// The error that stands in an answer which began well, if one does.
    pub(super) fn reported(&self, value: &Value) -> Option<Error> {
        judge::report(value).map(|report| self.of_report(&report))
    }

    /// The error of an event that is named one, whatever it holds.
    pub(super) fn reported_text(&self, text: &str) -> Error {
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            return self.of_report(&judge::report(&value).unwrap_or_else(|| judge::Report::of(&value)));
        }
        let kind = judge::kind(None, &judge::words(text));
        self.error(kind, format!("reported an error: {}", self.describe(text)))
    }

    fn of_report(&self, report: &judge::Report) -> Error {
        let what = format!("reported an error: {}", self.excerpt(&report.message));
        let error = self.error(judge::kind(report.status, &report.words), what);
        let error = report.status.into_iter().fold(error, Error::status);
        judge::refine(error, &report.words)
    }

    /// What a body is, for a person.
    fn describe(&self, body: &str) -> String {
        let text = body.trim();
        if text.is_empty() {
            return "an empty body".to_owned();
        }
        if text.starts_with('<') {
            return match between(text, "<title>", "</title>") {
                Some(title) => format!("an HTML page titled `{}`; check `base-url`", self.excerpt(title)),
                None => format!("a page of markup: `{}`; check `base-url`", self.excerpt(text)),
            };
        }
        let broken =
            text.starts_with('{') && serde_json::from_str::<Value>(text).is_err_and(|error| error.is_eof());
        let what = if broken { "JSON that ends too early: " } else { "" };
        format!("{what}`{}`", self.excerpt(text))
    }

    /// A short form of a foreign text: one line, without control characters and secrets.
    fn excerpt(&self, text: &str) -> String {
        // Scrubbed before it is cut, so that no half of a secret is left.
        let text = self.secrets.iter().fold(text.to_owned(), |text, secret| secret.scrub(&text));
        let mut words = text.split(|character: char| character.is_whitespace() || character.is_control());
        let mut short = String::new();
        let mut left = EXCERPT_CHARACTERS;
        for word in words.by_ref().filter(|word| !word.is_empty()) {
            if !short.is_empty() {
                short.push(' ');
            }
            short.extend(word.chars().take(left));
            left = left.saturating_sub(word.chars().count() + 1);
            if left == 0 {
                short.push('…');
                break;
            }
        }
        short
    }
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inner, _)| inner.trim())
}
