//! Filters of events: what they change or hide, and what becomes of the reply when one breaks.

use std::sync::Arc;

use cepa::agent::ReplyItem;
use cepa::chain::{HookFuture, HookKind, Layer, OnFault};
use cepa::error::{ErrorKind, Fault};
use cepa::event::{Event, EventKinds, Outcome};
use cepa::message::{FinishReason, ToolState};
use cepa::request::ToolResponse;
use serde_json::json;

use crate::rig::{Double, Say, Script, agent, ask, call, entry, says, text, transcript, turn};

/// Blots out a word in text and tool results.
struct Redact;

impl Layer for Redact {
    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        Box::pin(async { Ok(EventKinds::TEXT.with(EventKinds::TOOL_RESULT)) })
    }

    fn on_events(self: Arc<Self>, mut events: Vec<Event>) -> HookFuture<Vec<Event>> {
        for event in &mut events {
            if let Event::TextDelta { text, .. } | Event::ToolResultText { text, .. } = event {
                *text = text.replace("secret", "******");
            }
        }
        Box::pin(async move { Ok(events) })
    }
}

#[tokio::test]
async fn what_a_filter_blots_out_is_stored_blotted_out() {
    let look = Double::new("look", |_, _| async {
        Ok(ToolResponse::text_answer(ToolState::Success, "a secret note"))
    });
    let model = Script::new([
        Say::Blocks(vec![text("My secret:"), call("c1", "look", &json!({"x": 1}))], FinishReason::ToolCalls),
        says("Its secret."),
    ]);
    let agent = agent(&model)
        .tool(Arc::new(look))
        .middleware(entry("redact", &[HookKind::Events], Redact))
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "Look").await;
    assert_eq!(told.result.response.text(), "Its ******.");
    insta::assert_snapshot!(transcript(&told, &session));
}

/// Hides everything and forges the end.
struct Hide;

impl Layer for Hide {
    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        Box::pin(async { Ok(EventKinds::ALL) })
    }

    fn on_events(self: Arc<Self>, _events: Vec<Event>) -> HookFuture<Vec<Event>> {
        let reply_id = "forged".to_owned();
        Box::pin(async { Ok(vec![Event::ReplyEnd { reply_id, outcome: Outcome::Replied, error: None }]) })
    }
}

#[tokio::test]
async fn hiding_events_hides_text_but_keeps_calls_and_results_for_the_model() {
    let model = Script::new([
        Say::Blocks(vec![text("Hm."), call("c1", "look", &json!({"x": 1}))], FinishReason::ToolCalls),
        says("Nothing to see."),
    ]);
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .middleware(entry("hide", &[HookKind::Events], Hide))
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "Look").await;
    insta::assert_snapshot!(transcript(&told, &session));
}

/// Breaks at its first event.
struct Broken;

impl Layer for Broken {
    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        Box::pin(async { Ok(EventKinds::TEXT) })
    }

    fn on_events(self: Arc<Self>, _events: Vec<Event>) -> HookFuture<Vec<Event>> {
        let fault = Fault { layer: "broken".to_owned(), hook: "on-events", cause: "it trapped".to_owned() };
        Box::pin(async { Err(fault.into()) })
    }
}

#[tokio::test]
async fn a_filter_that_breaks_fails_the_reply_and_is_named() {
    let model = Script::new([says("Hello.")]);
    let agent = agent(&model).middleware(entry("broken", &[HookKind::Events], Broken)).build().await.unwrap();
    let (told, session) = turn(&agent, "Hi").await;
    assert_eq!(told.result.response.error.clone().unwrap().kind, ErrorKind::Fault);
    assert_eq!(session.messages.len(), 1);
    let noted = told.items.iter().any(|item| matches!(item, ReplyItem::Note(note) if note.layer == "broken"));
    assert!(noted, "the note names the layer");
}

#[tokio::test]
async fn a_filter_that_breaks_and_may_be_skipped_is_passed_by() {
    let model = Script::new([says("Hello.")]);
    let mut broken = entry("broken", &[HookKind::Events], Broken);
    broken.on_fault = OnFault::Skip;
    let agent = agent(&model).middleware(broken).build().await.unwrap();
    let told = ask(&agent, "Hi").await;
    assert_eq!(told.result.response.text(), "Hello.");
}
