//! The final answer: schemas, reviews, and what goes out when there is no good one.

use std::sync::{Arc, Mutex};

use cepa::agent::ReplyInput;
use cepa::chain::{ChainEntry, HookFuture, HookKind, Layer};
use cepa::error::ErrorKind;
use cepa::event::{Event, Outcome};
use cepa::request::{Draft, Verdict};
use serde_json::json;

use crate::rig::{Script, agent, assert_sound, entry, line, says, stored, text, told, transcript, turn};

/// Gives these verdicts in order, then accepts.
struct Judge(Mutex<Vec<Verdict>>);

impl Layer for Judge {
    fn on_draft(self: Arc<Self>, _draft: Draft) -> HookFuture<Verdict> {
        let mut verdicts = self.0.lock().unwrap();
        let verdict = if verdicts.is_empty() { Verdict::Accept } else { verdicts.remove(0) };
        Box::pin(async move { Ok(verdict) })
    }
}

fn judge<const N: usize>(verdicts: [Verdict; N]) -> ChainEntry {
    let layer = Judge(Mutex::new(verdicts.into()));
    entry("judge", &[HookKind::Draft], layer)
}

fn retry() -> Verdict {
    Verdict::Retry("be kinder".to_owned())
}

fn person() -> ReplyInput {
    let schema = json!({"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]});
    ReplyInput { output_schema: Some(schema), ..ReplyInput::from("Who?") }
}

#[tokio::test]
async fn a_structured_answer_is_checked_and_asked_for_again() {
    let model = Script::new([says("Forty."), says("{\"age\": \"40\"}"), says("```json\n{\"age\": 40}\n```")]);
    let agent = agent(&model).build().await.unwrap();
    let told = told(agent.reply("s", person()).await.unwrap()).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert_eq!(told.result.response.structured_output, Some(json!({"age": 40})));
    let last: Vec<String> = model.asked()[2].messages.iter().map(|message| line(message)).collect();
    insta::assert_snapshot!(format!("{}\n{}", transcript(&told, &session), last.join("\n")));
}

#[tokio::test]
async fn a_structured_answer_that_never_matches_fails_and_nothing_goes_out() {
    let model = Script::new([says("a"), says("b")]);
    let agent = agent(&model).max_structured_attempts(2).build().await.unwrap();
    let told = told(agent.reply("s", person()).await.unwrap()).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    let error = told.result.response.error.clone().unwrap();
    assert_eq!((error.kind, error.code.as_str()), (ErrorKind::Limit, "structured-attempts"));
    assert_eq!(session.messages.len(), 1);
}

#[tokio::test]
async fn a_rejected_draft_is_withdrawn_and_the_next_one_goes_out() {
    let model = Script::new([says("Go away."), says("Please wait.")]);
    let agent = agent(&model).middleware(judge([retry()])).build().await.unwrap();
    let (told, session) = turn(&agent, "Hi").await;
    assert!(model.asked()[1].tools.is_empty());
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn drafts_are_bounded_and_then_nothing_goes_out() {
    let model = Script::new([says("One."), says("Two."), says("Three.")]);
    let agent = agent(&model).middleware(judge([retry(), retry(), retry()])).build().await.unwrap();
    let (told, session) = turn(&agent, "Hi").await;
    assert_eq!(told.result.response.outcome, Outcome::Failed);
    assert_eq!(told.result.response.error.clone().unwrap().code, "draft-attempts");
    let withdrawn = told.events.iter().filter(|event| matches!(event, Event::Withdrawn { .. })).count();
    assert_eq!(withdrawn, 3, "each draft is taken back");
    assert_eq!(session.messages.len(), 1);
}

#[tokio::test]
async fn a_replaced_draft_is_announced_and_stored() {
    let model = Script::new([says("The key is 1234.")]);
    let agent = agent(&model)
        .middleware(judge([Verdict::Replace(vec![text("I can't say.")])]))
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "The key?").await;
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn a_replacement_that_does_not_match_the_schema_fails() {
    let model = Script::new([says("{\"age\": 4}")]);
    let agent =
        agent(&model).middleware(judge([Verdict::Replace(vec![text("four")])])).build().await.unwrap();
    let told = told(agent.reply("s", person()).await.unwrap()).await;
    assert_sound(&told, &stored(&agent).await);
    assert_eq!(told.result.response.error.clone().unwrap().kind, ErrorKind::Rejected);
}
