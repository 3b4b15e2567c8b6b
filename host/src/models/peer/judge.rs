//! Which kind of error a provider's words mean.

use serde_json::Value;

use crate::error::{Error, ErrorKind};

/// An error as a provider reports it.
#[derive(Debug)]
pub(super) struct Report {
    /// The sentence for a person.
    pub(super) message: String,
    /// The status that stands in the report itself.
    pub(super) status: Option<u16>,
    /// Type, code and message in lower case.
    pub(super) words: String,
}

/// The words of a text, to be judged.
pub(super) fn words(text: &str) -> String {
    // A page of any size is judged by its beginning.
    text.chars().take(4096).flat_map(char::to_lowercase).collect()
}

/// Finds the report in an answer: `{"error": {…}}`, `{"error": "…"}`, `{"object": "error", …}`, `{"detail": …}`.
pub(super) fn report(value: &Value) -> Option<Report> {
    let body = match value.get("error") {
        Some(Value::Null) | None => top_level(value)?,
        Some(error) => error,
    };
    Some(Report::of(body))
}

impl Report {
    /// Reads the part of an answer that tells of the error.
    pub(super) fn of(body: &Value) -> Self {
        let message = match body {
            Value::String(text) => text.clone(),
            _ => ["message", "detail", "error", "msg"]
                .iter()
                .find_map(|key| body.get(key))
                .map_or_else(|| body.to_string(), text_of),
        };
        let code = body.get("code").or_else(|| body.get("status"));
        let labels =
            ["type", "code", "status"].iter().filter_map(|key| body.get(key).and_then(Value::as_str));
        let mut all = labels.collect::<Vec<_>>().join(" ");
        all.push(' ');
        all.push_str(&message);
        let status = code.and_then(status_of).filter(|status| (400..600).contains(status));
        Self { message, status, words: words(&all) }
    }
}

fn top_level(value: &Value) -> Option<&Value> {
    let says_error = ["object", "type"].iter().any(|key| value.get(key).is_some_and(|kind| kind == "error"));
    // What holds a part of an answer is no error, whatever else it holds.
    let answers = ["choices", "content", "type"].iter().any(|key| value.get(key).is_some());
    let complains =
        !answers && (value.get("detail").is_some() || value.get("message").is_some_and(Value::is_string));
    (says_error || complains).then_some(value)
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn status_of(code: &Value) -> Option<u16> {
    let number = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
    u16::try_from(number).ok()
}

const OVERFLOW: &[&str] = &[
    "context_length_exceeded",
    "context length",
    "context window",
    "context size",
    "maximum context",
    "exceed_context_size",
    "prompt is too long",
    "input is too long",
    "reduce the length",
    "too many input tokens",
];
const FILTER: &[&str] =
    &["content_filter", "content filter", "content_policy", "content policy", "safety system"];
const KEY: &[&str] =
    &["invalid_api_key", "authentication_error", "permission_error", "incorrect api key", "unauthorized"];
const RATE: &[&str] = &["rate_limit", "rate limit", "too many requests", "insufficient_quota"];
const LOAD: &[&str] = &["overloaded", "at capacity", "server is busy"];
const TIME: &[&str] = &["timeout_error", "timed out"];
const INPUT: &[&str] = &["invalid_request", "invalid request", "badrequest", "bad request"];

/// The kind of an error with this status, if it has one, and these words.
pub(super) fn kind(status: Option<u16>, words: &str) -> ErrorKind {
    let says = |list: &[&str]| list.iter().any(|phrase| words.contains(phrase));
    let of_request = status.is_none_or(|status| matches!(status, 400 | 413 | 422 | 500));
    match status {
        _ if of_request && says(OVERFLOW) => ErrorKind::ContextOverflow,
        _ if of_request && says(FILTER) => ErrorKind::ContentFilter,
        Some(401 | 403) => ErrorKind::Authentication,
        Some(402) => ErrorKind::Limit,
        Some(404) => ErrorKind::NotFound,
        Some(408 | 504 | 524) => ErrorKind::Timeout,
        Some(413) => ErrorKind::ContextOverflow,
        Some(429) => ErrorKind::RateLimited,
        Some(503 | 529) => ErrorKind::Overloaded,
        Some(500..) | None if says(LOAD) => ErrorKind::Overloaded,
        Some(400..500) => ErrorKind::InvalidInput,
        None if says(RATE) => ErrorKind::RateLimited,
        None if says(KEY) => ErrorKind::Authentication,
        None if says(TIME) => ErrorKind::Timeout,
        None if says(INPUT) => ErrorKind::InvalidInput,
        _ => ErrorKind::Upstream,
    }
}

/// Marks what waiting does not help.
pub(super) fn refine(error: Error, words: &str) -> Error {
    if words.contains("insufficient_quota") {
        return error.code("insufficient-quota").retryable(false);
    }
    error
}
