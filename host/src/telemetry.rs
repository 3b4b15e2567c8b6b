//! What layers measure: spans of time and counters.
//!
//! They stand among the notes of a reply. A program takes those of all replies of an agent with a [`TelemetrySink`].

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Error;

/// Bytes of the name of a span, a counter or an attribute.
const NAME_BYTES_MAX: usize = 128;

/// What is known of a span or a count besides its name: texts, numbers, booleans and lists of them.
pub type Attributes = Map<String, Value>;

/// Who measured, and where. The host says it, and no layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Source {
    /// The layer. A note has it already.
    #[serde(skip)]
    pub layer: String,
    /// The agent.
    pub agent: String,
    /// The session.
    pub session_id: String,
    /// The reply.
    pub reply_id: String,
    /// The hook.
    pub hook: &'static str,
    /// The step, from 1; 0 outside a step.
    pub step: u32,
}

/// Something that took time, within one hook call.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Span {
    /// Unique.
    pub id: String,
    /// The span that it was inside of; absent where that is the hook call itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// What it was.
    pub name: String,
    /// When it began, in milliseconds since 1970-01-01 UTC.
    pub start_ms: u64,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// What is known of it.
    pub attributes: Attributes,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// An addition to a counter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Count {
    /// The counter.
    pub name: String,
    /// What is added: finite, and 0 at least.
    pub value: f64,
    /// What is known of it.
    pub attributes: Attributes,
}

/// Takes what layers measure, such as an exporter. Called while the layer waits, so it must not block.
pub trait TelemetrySink: Send + Sync {
    /// A span has ended.
    fn span(&self, source: &Source, span: &Span);
    /// A counter was added to.
    fn count(&self, source: &Source, count: &Count);
}

/// Refuses a name that can't stand in one line of a report.
pub(crate) fn check_name(what: &str, name: &str) -> Result<(), Error> {
    if name.len() > NAME_BYTES_MAX {
        return Err(Error::limit("telemetry-name-bytes", NAME_BYTES_MAX, name.len()));
    }
    if name.trim().is_empty() || name.contains(char::is_control) {
        return Err(Error::invalid(format!("the name of {what} is empty or has a control character")));
    }
    Ok(())
}

/// Refuses attributes that telemetry has no type for.
pub(crate) fn check_attributes(attributes: &Attributes) -> Result<(), Error> {
    let is_scalar = |value: &Value| matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_));
    for (name, value) in attributes {
        check_name("an attribute", name)?;
        let usable = match value {
            Value::Array(items) => items.iter().all(is_scalar),
            value => is_scalar(value),
        };
        if !usable {
            let text = format!("attribute `{name}` is neither text, number, boolean nor a list of these");
            return Err(Error::invalid(text));
        }
    }
    Ok(())
}
