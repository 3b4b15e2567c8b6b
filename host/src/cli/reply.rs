//! One reply, from its start to its exit code.

use std::io;

use cepa::agent::{AgentError, ReplyResult, ReplyStream};
use cepa::error::{Error, ErrorKind};
use cepa::event::Outcome;

use super::exit::{Exit, Failure};
use super::interrupts::Interrupts;
use super::shell::option;
use super::view::View;

/// Shows a running reply to its end. An interrupt aborts it, a second one stops waiting for its end.
pub async fn show(
    mut stream: ReplyStream,
    session_id: &str,
    view: &mut View,
    interrupts: &mut Interrupts,
) -> Result<ReplyResult, Failure> {
    let mut aborted = false;
    loop {
        tokio::select! {
            item = stream.next() => match item {
                Some(item) => if let Err(error) = view.item(&item) {
                    return unseen(stream, error, interrupts).await;
                },
                None => break,
            },
            () = interrupts.next() => {
                if aborted {
                    return Err(Failure::silent(Exit::Aborted));
                }
                aborted = true;
                stream.abort();
            }
        }
    }
    let result = stream.finish().await;
    view.result(session_id, &result)?;
    Ok(result)
}

/// Ends a reply in good order that nobody can see any more.
async fn unseen(
    stream: ReplyStream,
    error: io::Error,
    interrupts: &mut Interrupts,
) -> Result<ReplyResult, Failure> {
    stream.abort();
    tokio::select! {
        _ = stream.finish() => {}
        () = interrupts.next() => {}
    }
    Err(error.into())
}

/// The failure of a reply that did not come to an answer; `None` for one that did, or that waits.
pub fn failure(result: &ReplyResult, view: &mut View) -> Option<Failure> {
    let (fault, denied) = (view.take_fault(), view.take_denied());
    let error = result.response.error.as_ref();
    let exit = Exit::of(result.response.outcome, error);
    let failure = match result.response.outcome {
        Outcome::Replied | Outcome::Silent | Outcome::Parked => None,
        Outcome::Aborted => Some(Failure::new(Exit::Aborted, anyhow::anyhow!("the reply was aborted"))),
        Outcome::Failed => {
            let Some(error) = error else {
                let failure = Failure::new(exit, anyhow::anyhow!("the reply failed without saying why"));
                return Some(failure.in_result());
            };
            let cause = match fault.filter(|_| error.kind == ErrorKind::Fault) {
                Some(fault) => anyhow::anyhow!(fault).context(error.message.clone()),
                None => anyhow::anyhow!(error.message.clone()),
            };
            let failure = Failure::new(exit, cause.context("the reply failed"));
            let remedy = denied.filter(|_| matches!(error.kind, ErrorKind::Fault | ErrorKind::Denied));
            Some(match remedy.or_else(|| hint(error).map(str::to_owned)) {
                Some(hint) => failure.hint(hint),
                None => failure,
            })
        }
    };
    failure.map(Failure::in_result)
}

fn hint(error: &Error) -> Option<&'static str> {
    Some(match error.kind {
        ErrorKind::Authentication => "check the key that the model's `api-key` refers to",
        ErrorKind::Connection => "check that the server at the model's `base-url` runs and can be reached",
        ErrorKind::RateLimited | ErrorKind::Overloaded => {
            "try again later, or place `bundled:model-retry` or `bundled:model-fallback` in the chain"
        }
        ErrorKind::Timeout => "raise the model's `timeouts`, or those of the tool",
        ErrorKind::ContextOverflow => "begin a fresh session, or name a model with a larger context",
        ErrorKind::Fault => {
            "set the layer's `on-fault = \"skip\"` to go on without it, or raise its `limits`"
        }
        _ => return None,
    })
}

/// A reply that could not begin.
pub fn not_begun(error: AgentError) -> Failure {
    let (exit, hint) = match &error {
        AgentError::Waiting { session, .. } => (
            Exit::Parked,
            Some(format!(
                "answer with `{} --resume` and `--approve`, `--edit`, `--reject` or `--result`, \
                 or give the calls up with `--discard` and a new prompt",
                option("--session", session)
            )),
        ),
        AgentError::Store(_) | AgentError::Write(_) => (Exit::Session, None),
        _ => (Exit::Usage, None),
    };
    let failure = Failure::new(exit, error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
