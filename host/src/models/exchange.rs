//! One call: send, read, understand, and hand on what comes as it comes.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::http::{Endpoint, Reader};
use super::intake::{Completion, Intake, Progress, Protocol};
use crate::chain::Sink;
use crate::error::Error;
use crate::message::{Message, Role, Usage};
use crate::request::{ModelRequest, ModelResponse, ModelResponseData};

/// How long an answer that is all but done may keep us waiting: usage often comes after the reason to stop, and some
/// servers never close.
const LINGER: Duration = Duration::from_secs(5);

/// Asks with this body, and gives the answer that `protocol` makes of what comes.
pub(super) async fn exchange<P: Protocol>(
    endpoint: &Endpoint,
    request: &ModelRequest,
    call_id: String,
    body: &Value,
    protocol: P,
    out: &Sink,
) -> Result<ModelResponse, Error> {
    let mut reader = endpoint.post(body).await?;
    let mut intake = Intake::new(protocol, Arc::clone(&endpoint.peer));
    let outcome = pump(&mut reader, &mut intake, out).await;
    report(intake.usage().as_ref(), out);
    if outcome.is_err() {
        // Whoever watches sees every block closed, also when the call fails.
        intake.answer().close_all();
        out.emit(intake.answer().take_events()).await?;
    }
    outcome?;
    let mut completion = intake.into_protocol().complete()?;
    completion.answer.close_all();
    out.emit(completion.answer.take_events()).await?;
    Ok(response(endpoint.peer.provider, request, call_id, completion))
}

async fn pump<P: Protocol>(reader: &mut Reader, intake: &mut Intake<P>, out: &Sink) -> Result<(), Error> {
    loop {
        let portion = match reader.portion().await {
            Ok(Some(portion)) => portion,
            Ok(None) => return intake.end(None),
            Err(error) => return intake.end(Some(error)),
        };
        let progress = intake.feed(&portion);
        // First of all: whatever comes of the events, these tokens are spent.
        report(intake.usage().as_ref(), out);
        out.emit(intake.answer().take_events()).await?;
        match progress? {
            Progress::More => {}
            Progress::Ending => reader.wait_at_most(LINGER),
            Progress::Done => {
                reader.drain();
                return Ok(());
            }
        }
    }
}

fn report(usage: Option<&Usage>, out: &Sink) {
    if let Some(usage) = usage {
        out.spent(usage);
    }
}

fn response(
    provider: &'static str,
    request: &ModelRequest,
    call_id: String,
    completion: Completion,
) -> ModelResponse {
    let mut metadata = Map::new();
    if let Some(id) = completion.response_id {
        metadata.insert("response-id".to_owned(), Value::String(id));
    }
    ModelResponse::new(ModelResponseData {
        id: call_id,
        model: request.model.clone(),
        reported_model: completion.reported_model,
        provider: provider.to_owned(),
        message: Message::new(Role::Assistant, completion.answer.into_content()),
        usage: completion.usage,
        finish_reason: completion.finish_reason,
        metadata,
    })
}
