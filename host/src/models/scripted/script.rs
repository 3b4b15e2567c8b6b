//! The file of turns.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::places::{Template, last_text, last_user};
use crate::error::{Error, ErrorKind};
use crate::message::{FinishReason, Usage};
use crate::request::ModelRequest;

/// Why a text is no script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// It is not TOML, or has unknown keys or values of a wrong type.
    #[error("script `{script}` can't be read: {cause}")]
    Syntax {
        /// The script.
        script: String,
        /// What and where.
        cause: toml::de::Error,
    },
    /// A turn asks for what can't be.
    #[error("script `{script}`, turn {turn} (line {line}): {what}")]
    Turn {
        /// The script.
        script: String,
        /// The turn, from 1.
        turn: usize,
        /// The line it begins at, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

/// A script, checked.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) name: String,
    pub(super) turns: Vec<Turn>,
}

/// One turn, checked.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) thinking: String,
    /// The text in the pieces that were written down.
    pub(super) text: Vec<Template>,
    /// How many characters are streamed at once; `None` for the pieces as they are.
    pub(super) chunk: Option<usize>,
    pub(super) calls: Vec<Call>,
    pub(super) usage: Option<Usage>,
    pub(super) finish_reason: FinishReason,
    pub(super) error: Option<Error>,
    pub(super) delay: Duration,
    pub(super) cut_after: Option<usize>,
    pub(super) when: Option<When>,
    pub(super) repeat: bool,
}

/// One tool call of a turn.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Empty for one that is made up.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// When a turn fits.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct When {
    contains: Option<String>,
    user_contains: Option<String>,
}

impl When {
    pub(super) fn holds(&self, request: &ModelRequest) -> bool {
        let fits = |part: &Option<String>, text: fn(&ModelRequest) -> String| {
            part.as_ref().is_none_or(|part| text(request).contains(part.as_str()))
        };
        fits(&self.contains, last_text) && fits(&self.user_contains, last_user)
    }
}

impl Script {
    /// Reads and checks a script.
    pub(super) fn read(name: &str, text: &str) -> Result<Self, ScriptError> {
        let file: File =
            toml::from_str(text).map_err(|cause| ScriptError::Syntax { script: name.to_owned(), cause })?;
        Self::of(name, text, file.turn)
    }

    /// Checks the turns that were read from a text.
    pub(super) fn of(
        name: &str,
        text: &str,
        turns: Vec<toml::Spanned<WrittenTurn>>,
    ) -> Result<Self, ScriptError> {
        let count = turns.len();
        let turns = turns.into_iter().enumerate().map(|(index, written)| {
            let start = written.span().start;
            let line = text.get(..start).unwrap_or_default().matches('\n').count() + 1;
            written.into_inner().check(index + 1 == count).map_err(|what| ScriptError::Turn {
                script: name.to_owned(),
                turn: index + 1,
                line,
                what,
            })
        });
        Ok(Self { name: name.to_owned(), turns: turns.collect::<Result<_, _>>()? })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    turn: Vec<toml::Spanned<WrittenTurn>>,
}

/// One turn as it is written.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenTurn {
    text: Option<String>,
    thinking: Option<String>,
    #[serde(default)]
    tool_calls: Vec<WrittenCall>,
    usage: Option<WrittenUsage>,
    error: Option<WrittenError>,
    delay_ms: Option<u32>,
    chunks: Option<Chunks>,
    finish_reason: Option<FinishReason>,
    when: Option<When>,
    cut_after: Option<usize>,
    #[serde(default)]
    repeat: bool,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number of characters or a list of texts")]
enum Chunks {
    Size(usize),
    Pieces(Vec<String>),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WrittenCall {
    #[serde(default)]
    id: String,
    name: String,
    arguments: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WrittenUsage {
    input_tokens: Option<u32>,
    output_tokens: Option<u32>,
    cache_read_tokens: Option<u32>,
    cache_write_tokens: Option<u32>,
    reasoning_tokens: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WrittenError {
    kind: ErrorKind,
    message: Option<String>,
    #[serde(default)]
    code: String,
    status: Option<u16>,
    retry_after_ms: Option<u32>,
}

impl WrittenTurn {
    fn check(self, last: bool) -> Result<Turn, String> {
        if self.repeat && self.when.is_none() && !last {
            return Err("`repeat` without `when` hides every turn after it".to_owned());
        }
        let (pieces, chunk) = match (self.text, self.chunks) {
            (_, Some(Chunks::Size(0))) => return Err("`chunks` must be at least 1 character".to_owned()),
            (Some(_), Some(Chunks::Pieces(_))) => {
                return Err("`text` and a list of `chunks` say the same twice; keep one".to_owned());
            }
            (text, Some(Chunks::Size(size))) => (text.into_iter().collect(), Some(size)),
            (None, Some(Chunks::Pieces(pieces))) => (pieces, None),
            (text, None) => (text.into_iter().collect::<Vec<_>>(), None),
        };
        let asks = !self.tool_calls.is_empty();
        Ok(Turn {
            thinking: self.thinking.unwrap_or_default(),
            text: pieces.iter().map(|piece| Template::read(piece)).collect::<Result<_, _>>()?,
            chunk,
            calls: self.tool_calls.into_iter().map(Call::from).collect(),
            usage: self.usage.map(Usage::from),
            finish_reason: self.finish_reason.unwrap_or(if asks {
                FinishReason::ToolCalls
            } else {
                FinishReason::Stop
            }),
            error: self.error.map(Error::from),
            delay: Duration::from_millis(self.delay_ms.unwrap_or(0).into()),
            cut_after: self.cut_after,
            when: self.when,
            repeat: self.repeat,
        })
    }
}

impl From<WrittenCall> for Call {
    fn from(call: WrittenCall) -> Self {
        let arguments = match call.arguments {
            None => "{}".to_owned(),
            Some(Value::String(raw)) => raw,
            Some(value) => value.to_string(),
        };
        Self { id: call.id, name: call.name, arguments }
    }
}

impl From<WrittenUsage> for Usage {
    fn from(usage: WrittenUsage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cache_read_tokens: usage.cache_read_tokens,
            cache_write_tokens: usage.cache_write_tokens,
            reasoning_tokens: usage.reasoning_tokens,
            details: Vec::new(),
        }
    }
}

impl From<WrittenError> for Error {
    fn from(written: WrittenError) -> Self {
        let message = written.message.unwrap_or_else(|| "the script fails here".to_owned());
        let mut error = Self::new(written.kind, message).code(&written.code);
        error.status = written.status;
        error.retry_after_ms = written.retry_after_ms;
        error
    }
}
