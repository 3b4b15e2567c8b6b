//! What stays of a message that an abort cut short, and what a provider sees of it later.

use std::sync::{Arc, Mutex};

use cepa::agent::Agent;
use cepa::chain::{HookFuture, HookKind, Layer};
use cepa::error::{Error, ErrorKind};
use cepa::event::{Event, EventKinds, Outcome};
use cepa::message::{INTERRUPTED, Message};
use cepa::session::ReplyStatus;
use serde_json::{Value, json};

use crate::rig::{
    Double, Retry, Say, Script, Told, agent, ask, ask_and_abort, assert_agree, assert_sound, call, entry,
    line, raw_call, says, stored, text, thinking, told, transcript,
};

/// The last piece of a text that the tests below have the model say.
fn last_word(event: &Event) -> bool {
    matches!(event, Event::TextDelta { text, .. } if text.ends_with("time"))
}

async fn looking(model: &Arc<Script>) -> Agent {
    agent(model).tool(Arc::new(Double::echo("look"))).build().await.unwrap()
}

/// Aborts a reply at this moment, and gives the transcript with the messages that the next request shows.
async fn cut_short(say: Say, moment: impl Fn(&Event) -> bool) -> (Told, String) {
    let model = Script::new([say, says("Again.")]);
    let agent = looking(&model).await;
    let told = ask_and_abort(&agent, "A story", moment).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert_agree(&told, &session);
    assert_eq!(told.result.response.outcome, Outcome::Aborted);
    assert!(told.result.response.message.is_none(), "a cut message is no final one");
    assert_eq!(session.reply.as_ref().unwrap().status, ReplyStatus::Ended);
    let mut record = transcript(&told, &session);
    assert_eq!(ask(&agent, "Go on").await.result.response.text(), "Again.", "the session goes on");
    let seen: Vec<String> = model.asked()[1].messages.iter().map(|message| line(message)).collect();
    record.push_str(&format!("the next request shows:\n{}\n", seen.join("\n")));
    (told, record)
}

#[tokio::test]
async fn a_text_that_was_read_stays_and_is_marked() {
    let model = Script::new([Say::Stuck(vec![text("Once upon a time")])]);
    let agent = looking(&model).await;
    let told = ask_and_abort(&agent, "A story", last_word).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert_agree(&told, &session);
    let [_, partial] = &session.messages[..] else { panic!("two messages: {:?}", session.messages) };
    assert_eq!(partial.text(), "Once upon a time");
    assert_eq!(partial.metadata.get(INTERRUPTED), Some(&Value::Bool(true)));
}

#[tokio::test]
async fn what_is_open_in_the_stream_is_closed_and_nothing_is_withdrawn() {
    let (_, record) = cut_short(Say::Stuck(vec![text("Once upon a time")]), last_word).await;
    insta::assert_snapshot!(record);
}

#[tokio::test]
async fn a_whole_call_is_closed_and_a_cut_one_is_gone() {
    let say = Say::Stuck(vec![
        text("I look first."),
        call("c1", "look", &json!({"x": 1})),
        raw_call("c2", "look", "{\"x\": "),
    ]);
    let cut = |event: &Event| matches!(event, Event::ToolCallDelta { call_id, .. } if call_id == "c2");
    let (_, record) = cut_short(say, cut).await;
    insta::assert_snapshot!(record);
}

#[tokio::test]
async fn a_thought_is_kept_without_the_calls_that_need_its_signature() {
    let say = Say::Hang(vec![thinking("Hm."), text("I look."), call("c1", "look", &json!({"x": 1}))]);
    let (_, record) = cut_short(say, |event| matches!(event, Event::ToolCallEnd { .. })).await;
    insta::assert_snapshot!(record);
}

#[tokio::test]
async fn a_thought_alone_or_a_cut_call_alone_says_nothing_and_is_withdrawn() {
    let thought = Say::Stuck(vec![thinking("Hm.")]);
    let half = Say::Stuck(vec![raw_call("c1", "look", "{\"x\": ")]);
    let says = |event: &Event| matches!(event, Event::ThinkingDelta { .. } | Event::ToolCallDelta { .. });
    for say in [thought, half] {
        let (told, record) = cut_short(say, says).await;
        assert!(told.events.iter().any(|event| matches!(event, Event::Withdrawn { .. })));
        assert!(record.ends_with("the next request shows:\nuser: A story\nuser: Go on\n"), "{record}");
    }
}

#[tokio::test]
async fn what_a_retry_has_withdrawn_does_not_come_back() {
    let model = Script::new([
        Say::Break(vec![text("There was a king")], Error::new(ErrorKind::Connection, "cut")),
        Say::Stuck(vec![text("Once upon a time")]),
    ]);
    let agent =
        agent(&model).middleware(entry("retry", &[HookKind::ModelCall], Retry)).build().await.unwrap();
    let told = ask_and_abort(&agent, "A story", last_word).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert_agree(&told, &session);
    assert_eq!(session.messages.last().map(Message::text).as_deref(), Some("Once upon a time"));
}

/// Holds all text back until its block ends, and blots out a word.
struct Holds(Arc<Mutex<String>>);

impl Layer for Holds {
    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        Box::pin(async { Ok(EventKinds::TEXT) })
    }

    fn on_events(self: Arc<Self>, events: Vec<Event>) -> HookFuture<Vec<Event>> {
        let mut held = self.0.lock().unwrap();
        let mut passed = Vec::new();
        for event in events {
            match event {
                Event::TextDelta { text, .. } => held.push_str(&text),
                Event::TextEnd { id } => {
                    let text = std::mem::take(&mut *held).replace("time", "****");
                    passed.extend([Event::TextDelta { id: id.clone(), text }, Event::TextEnd { id }]);
                }
                other => passed.push(other),
            }
        }
        Box::pin(async { Ok(passed) })
    }
}

#[tokio::test]
async fn a_filter_lets_go_of_what_it_held_back_and_that_is_what_stays() {
    let held: Arc<Mutex<String>> = Arc::default();
    let model = Script::new([Say::Stuck(vec![text("Once upon a time")])]);
    let layer = entry("holds", &[HookKind::Events], Holds(Arc::clone(&held)));
    let agent = agent(&model).middleware(layer).build().await.unwrap();
    let stream = agent.reply("s", "A story").await.unwrap();
    while *held.lock().unwrap() != "Once upon a time" {
        tokio::task::yield_now().await;
    }
    stream.abort();
    let told = told(stream).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert_agree(&told, &session);
    assert_eq!(session.messages.last().map(Message::text).as_deref(), Some("Once upon a ****"));
}
