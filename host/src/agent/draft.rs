//! The final answer: checked against its schema, reviewed by layers, asked for again within a bound.

use std::sync::Arc;

use serde_json::Value;

use crate::chain::Sink;
use crate::error::{Error, ErrorKind};
use crate::event::Outcome;
use crate::message::{Block, Message, Role, ToolChoice};
use crate::request::{Draft, ReplyRequest, ReplyResponse};

use super::turn::Turn;

/// At most this many faults of one answer are told to the model.
const FAULTS_TOLD: usize = 5;

/// How often the answer was tried, of each kind of trial.
struct Attempts {
    structured: u32,
    draft: u32,
}

/// What became of a draft.
enum Judgement {
    /// It goes out like this.
    Good(Message, Option<Value>),
    /// The model is asked again with this feedback. The message is the draft as it was judged.
    Again(Message, String),
}

impl Turn {
    /// Makes the final answer of a draft.
    ///
    /// The model is asked again without tools, and neither a rejected draft nor the feedback is stored.
    pub(super) async fn conclude(
        self: &Arc<Self>,
        step: u32,
        request: &ReplyRequest,
        mut message: Message,
        out: &Sink,
    ) -> Result<ReplyResponse, Error> {
        let mut attempts = Attempts { structured: 1, draft: 1 };
        let mut aside = Vec::new();
        loop {
            match self.judge(request, message, &mut attempts).await? {
                Judgement::Good(message, structured) => {
                    self.accept(message.content.clone());
                    let mut response = self.response(Outcome::Replied, Some(message));
                    response.edit().structured_output = structured;
                    return Ok(response);
                }
                Judgement::Again(draft, feedback) => {
                    self.withdraw(out).await?;
                    aside.push(Message { role: Role::Assistant, ..draft });
                    let hint = Block::Hint { source: "review".to_owned(), text: feedback };
                    aside.push(Message::new(Role::User, vec![hint]));
                }
            }
            let asked = Arc::new(aside.clone());
            let answer = self.reason(step, request, ToolChoice::None, asked, out).await?;
            message = answer.message.clone();
            message.content.retain(|block| !matches!(block, Block::ToolCall(_)));
        }
    }

    async fn judge(
        &self,
        request: &ReplyRequest,
        message: Message,
        attempts: &mut Attempts,
    ) -> Result<Judgement, Error> {
        let bounds = self.agent.bounds;
        let schema = request.output_schema.as_ref();
        let structured = match structured(schema, &message)? {
            Ok(structured) => structured,
            Err(fault) if attempts.structured < bounds.structured_attempts => {
                attempts.structured += 1;
                return Ok(Judgement::Again(message, fault));
            }
            Err(fault) => {
                let max = bounds.structured_attempts;
                let text = format!(
                    "limit `structured-attempts` reached: {max} of {max} answers did not match: {fault}"
                );
                return Err(Error::new(ErrorKind::Limit, text).code("structured-attempts"));
            }
        };
        let before = message.content.clone();
        let draft = Draft {
            message,
            structured_output: structured,
            attempt: attempts.draft,
            max_attempts: bounds.draft_attempts,
        };
        let (draft, feedback) = self.chain.review(draft).await?;
        match feedback {
            Some(feedback) if attempts.draft < bounds.draft_attempts => {
                attempts.draft += 1;
                Ok(Judgement::Again(draft.message, feedback))
            }
            Some(_) => Err(drafts_exhausted(bounds.draft_attempts)),
            None if draft.message.content == before => {
                Ok(Judgement::Good(draft.message, draft.structured_output))
            }
            None => match self::structured(schema, &draft.message)? {
                Ok(structured) => Ok(Judgement::Good(draft.message, structured)),
                Err(fault) => Err(mismatched(&fault)),
            },
        }
    }

    /// An answer as JSON, if a schema is asked for. Silence needs to match none.
    ///
    /// # Errors
    /// `rejected` when it does not match.
    pub(super) fn structured(&self, message: &Message) -> Result<Option<Value>, Error> {
        if message.content.is_empty() {
            return Ok(None);
        }
        let schema = self.conversation.output_schema();
        structured(schema.as_ref(), message)?.map_err(|fault| mismatched(&fault))
    }

    /// Reviews an answer that a layer made outside the loop, where the model can't be asked again.
    pub(super) async fn review_once(
        &self,
        message: Message,
        structured: Option<Value>,
    ) -> Result<Message, Error> {
        let max = self.agent.bounds.draft_attempts;
        let draft = Draft { message, structured_output: structured, attempt: max, max_attempts: max };
        match self.chain.review(draft).await? {
            (draft, None) => Ok(draft.message),
            (_, Some(_)) => Err(drafts_exhausted(max)),
        }
    }
}

fn mismatched(fault: &str) -> Error {
    Error::new(
        ErrorKind::Rejected,
        format!("what layers made of the answer does not match what was asked for: {fault}"),
    )
}

fn drafts_exhausted(max: u32) -> Error {
    let text =
        format!("limit `draft-attempts` reached: {max} of {max} drafts were rejected, so nothing goes out");
    Error::new(ErrorKind::Limit, text).code("draft-attempts")
}

/// The answer as JSON if a schema is asked for; the inner error is feedback for the model.
fn structured(schema: Option<&Value>, message: &Message) -> Result<Result<Option<Value>, String>, Error> {
    let Some(schema) = schema else { return Ok(Ok(None)) };
    let validator = jsonschema::validator_for(schema)
        .map_err(|error| Error::invalid(format!("the output schema is no JSON Schema: {error}")))?;
    let text = message.text();
    let value = match serde_json::from_str::<Value>(unfenced(&text)) {
        Ok(value) => value,
        Err(error) => {
            return Ok(Err(format!(
                "the answer must be one JSON value and nothing else, and it is not: {error}"
            )));
        }
    };
    let faults: Vec<String> =
        validator.iter_errors(&value).take(FAULTS_TOLD).map(|fault| at_path(&fault)).collect();
    if faults.is_empty() {
        return Ok(Ok(Some(value)));
    }
    Ok(Err(format!("the answer does not match the JSON Schema: {}", faults.join("; "))))
}

/// The text without the code fence that models like to put around JSON.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else { return text };
    inner.split_once('\n').map_or(inner, |(_, body)| body).trim()
}

/// What is wrong, with the place.
fn at_path(fault: &jsonschema::ValidationError<'_>) -> String {
    let path = fault.instance_path().as_str();
    if path.is_empty() { fault.to_string() } else { format!("at `{path}`: {fault}") }
}
