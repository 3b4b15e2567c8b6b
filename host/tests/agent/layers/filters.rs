//! Filters of events: what they change or hide, and what becomes of the reply when one breaks.

use std::sync::Arc;

use cepa::agent::ReplyItem;
use cepa::chain::{ChainEntry, HookFuture, HookKind, Layer, Next, OnFault, Reply, Sink};
use cepa::error::{Error, ErrorKind, Fault};
use cepa::event::{Event, EventKinds, Outcome};
use cepa::message::{FinishReason, ToolCall, ToolState};
use cepa::request::{ReplyRequest, ReplyResponse, ToolResponse};
use serde_json::json;

use crate::rig::{
    Double, Retry, Say, Script, agent, ask, assert_agree, call, entry, line, says, text, thinking,
    transcript, turn,
};

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

/// Breaks at the first event that is like this.
struct Breaks(fn(&Event) -> bool);

impl Layer for Breaks {
    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        Box::pin(async { Ok(EventKinds::TEXT) })
    }

    fn on_events(self: Arc<Self>, events: Vec<Event>) -> HookFuture<Vec<Event>> {
        let breaks = events.iter().any(self.0);
        let fault = Fault { layer: "broken".to_owned(), hook: "on-events", cause: "it trapped".to_owned() };
        Box::pin(async move { if breaks { Err(fault.into()) } else { Ok(events) } })
    }
}

#[tokio::test]
async fn a_filter_that_breaks_fails_the_reply_and_is_named() {
    let model = Script::new([says("Hello.")]);
    let agent = agent(&model)
        .middleware(entry("broken", &[HookKind::Events], Breaks(|_| true)))
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "Hi").await;
    assert_eq!(told.result.response.error.clone().unwrap().kind, ErrorKind::Fault);
    assert_eq!(session.messages.len(), 1);
    let noted = told.items.iter().any(|item| matches!(item, ReplyItem::Note(note) if note.layer == "broken"));
    assert!(noted, "the note names the layer");
}

#[tokio::test]
async fn a_filter_that_breaks_and_may_be_skipped_is_passed_by() {
    let model = Script::new([says("Hello.")]);
    let mut broken = entry("broken", &[HookKind::Events], Breaks(|_| true));
    broken.on_fault = OnFault::Skip;
    let agent = agent(&model).middleware(broken).build().await.unwrap();
    let told = ask(&agent, "Hi").await;
    assert_eq!(told.result.response.text(), "Hello.");
}

/// A filter of a function, of all kinds of event.
struct Filter<F>(F);

impl<F: Fn(Vec<Event>) -> Vec<Event> + Send + Sync + 'static> Layer for Filter<F> {
    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        Box::pin(async { Ok(EventKinds::ALL) })
    }

    fn on_events(self: Arc<Self>, events: Vec<Event>) -> HookFuture<Vec<Event>> {
        Box::pin(async move { Ok((self.0)(events)) })
    }
}

fn filter(filter: impl Fn(Vec<Event>) -> Vec<Event> + Send + Sync + 'static) -> ChainEntry {
    entry("filter", &[HookKind::Events], Filter(filter))
}

/// Puts a block of its own before each text.
fn annotate(events: Vec<Event>) -> Vec<Event> {
    let mut passed = Vec::new();
    for event in events {
        if let Event::TextStart { id } = &event {
            let id = format!("note-{id}");
            passed.push(Event::TextStart { id: id.clone() });
            passed.push(Event::TextDelta { id: id.clone(), text: "NOTE: ".to_owned() });
            passed.push(Event::TextEnd { id });
        }
        passed.push(event);
    }
    passed
}

#[tokio::test]
async fn a_filters_own_text_is_stored_where_it_was_read() {
    let looks = vec![thinking("Hm."), text("I look"), text("twice"), call("c1", "look", &json!({"x": 1}))];
    let model = Script::new([Say::Blocks(looks, FinishReason::ToolCalls), says("Seen.")]);
    let agent = agent(&model).tool(Arc::new(Double::echo("look"))).middleware(filter(annotate));
    let (told, session) = turn(&agent.build().await.unwrap(), "Look").await;
    assert_agree(&told, &session);
    assert_eq!(
        line(&session.messages[1]),
        "assistant: (Hm.) | NOTE:  | I look | NOTE:  | twice | c1 = look({\"x\":1})"
    );
    assert_eq!(told.result.response.text(), "NOTE: Seen.");
}

#[tokio::test]
async fn a_filter_can_not_keep_what_was_withdrawn() {
    let keep = |events: Vec<Event>| {
        events
            .into_iter()
            .filter(|event| !matches!(event, Event::Withdrawn { .. } | Event::ModelCallStart { .. }))
            .collect()
    };
    let broken = Say::Break(vec![text("Hel")], Error::new(ErrorKind::Connection, "cut"));
    let agent = agent(&Script::new([broken, says("Hello.")]))
        .middleware(entry("retry", &[HookKind::ModelCall], Retry))
        .middleware(filter(keep))
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "Hi").await;
    assert_agree(&told, &session);
    assert_eq!(line(&session.messages[1]), "assistant: Hello.");
}

/// Reads everything that happens inside, and says nothing of it.
struct Quiet;

impl Layer for Quiet {
    fn on_reply(
        self: Arc<Self>,
        request: ReplyRequest,
        mut next: Next<Reply>,
        _out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(async move {
            let mut run = next.start(request).await?;
            while !run.next(EventKinds::ALL).await?.is_empty() {}
            Ok(run.finish().await?)
        })
    }
}

#[tokio::test]
async fn what_is_stored_of_unseen_text_does_not_depend_on_a_filter() {
    let mut stored = Vec::new();
    for filters in [vec![], vec![filter(|events| events)]] {
        let looks = vec![text("Hm."), call("c1", "look", &json!({"x": 1}))];
        let model = Script::new([Say::Blocks(looks, FinishReason::ToolCalls), says("Seen.")]);
        let mut builder = agent(&model).tool(Arc::new(Double::echo("look"))).middleware(entry(
            "quiet",
            &[HookKind::Reply],
            Quiet,
        ));
        for filter in filters {
            builder = builder.middleware(filter);
        }
        let (_, session) = turn(&builder.build().await.unwrap(), "Look").await;
        stored.push(session.messages.iter().map(line).collect::<Vec<_>>());
    }
    assert_eq!(stored[0][1], "assistant: Hm. | c1 = look({\"x\":1})");
    assert_eq!(stored[0], stored[1]);
}

#[tokio::test]
async fn a_filter_that_tells_of_other_calls_than_there_were_breaks_a_rule() {
    let rename = |mut events: Vec<Event>| {
        for event in &mut events {
            match event {
                Event::ToolCallStart { name, .. } => "innocent".clone_into(name),
                Event::ToolCallDelta { text, .. } => "{}".clone_into(text),
                _ => {}
            }
        }
        events
    };
    let make_up = |mut events: Vec<Event>| {
        let (id, name) = ("c1".to_owned(), "innocent".to_owned());
        events.push(Event::ToolCallReplaced { call: ToolCall { id, name, arguments: "{}".to_owned() } });
        events
    };
    for (entry, on_fault) in [
        (filter(rename), OnFault::Fail),
        (filter(rename), OnFault::Skip),
        (filter(make_up), OnFault::Fail),
        (filter(make_up), OnFault::Skip),
    ] {
        let looks = vec![text("Hm."), call("c1", "look", &json!({"x": 1}))];
        let model = Script::new([Say::Blocks(looks, FinishReason::ToolCalls), says("Seen.")]);
        let agent = agent(&model)
            .tool(Arc::new(Double::echo("look")))
            .middleware(ChainEntry { on_fault, ..entry })
            .build()
            .await
            .unwrap();
        let (told, _) = turn(&agent, "Look").await;
        let shown = serde_json::to_string(&told.events).unwrap();
        assert!(!shown.contains("innocent"), "{shown}");
        let wanted = if on_fault == OnFault::Fail { Outcome::Failed } else { Outcome::Replied };
        assert_eq!(told.result.response.outcome, wanted);
        let noted = told.items.iter().find_map(|item| match item {
            ReplyItem::Note(note) => Some(serde_json::to_string(note).unwrap()),
            ReplyItem::Event(_) => None,
        });
        assert!(noted.unwrap().contains("are the host's to tell"));
    }
}

#[tokio::test]
async fn a_filter_may_pass_on_arguments_in_other_pieces_and_hide_calls() {
    let join = |events: Vec<Event>| {
        let mut passed: Vec<Event> = Vec::new();
        for event in events {
            match (passed.last_mut(), event) {
                (Some(Event::ToolCallDelta { text, .. }), Event::ToolCallDelta { text: more, .. }) => {
                    text.push_str(&more);
                }
                (_, event) => passed.push(event),
            }
        }
        passed
    };
    let hide = |events: Vec<Event>| {
        events.into_iter().filter(|event| event.kind() != EventKinds::TOOL_CALL).collect::<Vec<_>>()
    };
    for entry in [filter(join), filter(hide)] {
        let long = json!({"x": 1_234_567_890});
        let looks = vec![call("c1", "look", &long)];
        let model = Script::new([Say::Blocks(looks, FinishReason::ToolCalls), says("Seen.")]);
        let agent = agent(&model).tool(Arc::new(Double::echo("look"))).middleware(entry);
        let (told, _) = turn(&agent.build().await.unwrap(), "Look").await;
        assert_eq!(told.result.response.text(), "Seen.");
    }
}

#[tokio::test]
async fn a_filter_that_breaks_on_the_last_events_fails_the_reply_too() {
    let model = Script::new([says("Hello.")]);
    let broken = entry("broken", &[HookKind::Events], Breaks(|event| matches!(event, Event::TextEnd { .. })));
    let agent = agent(&model).middleware(broken).build().await.unwrap();
    let (told, session) = turn(&agent, "Hi").await;
    assert_eq!(told.result.response.outcome, Outcome::Failed);
    assert_eq!(told.result.response.error.clone().unwrap().kind, ErrorKind::Fault);
    assert_eq!(session.messages.len(), 1, "nothing that was cut short is stored");
}
