//! What the tests are made of: a model that says what it is told to, tools, and a readable record of a reply.

mod double;
mod layer;
mod script;
mod sound;
mod transcript;

use std::sync::Arc;

use cepa::agent::{Agent, AgentBuilder, PermissionRules, ReplyItem, ReplyResult, ReplyStream};
use cepa::event::Event;
use cepa::model::Model;
use cepa::session::{SessionData, SessionStore};
use cepa::world::TestWorld;
use cepa_tests::in_time;

pub(crate) use double::Double;
pub(crate) use layer::{Retry, entry, opened};
pub(crate) use script::{Say, Script, call, calls, raw_call, says, text, thinking};
pub(crate) use sound::{assert_agree, assert_sound, assert_whole};
pub(crate) use transcript::{line, transcript};

/// An agent with this model, time and chance that repeat, and the prompt `Be brief.`
pub(crate) fn agent(model: &Arc<Script>) -> AgentBuilder {
    Agent::builder("tester")
        .system_prompt("Be brief.")
        .model("main", Arc::clone(model) as Arc<dyn Model>)
        .world(Arc::new(TestWorld::new(7)))
}

/// Everything that a reply told, and its result.
pub(crate) struct Told {
    pub events: Vec<Event>,
    pub items: Vec<ReplyItem>,
    pub result: ReplyResult,
}

/// Reads a reply to its end.
pub(crate) async fn told(stream: ReplyStream) -> Told {
    told_after(Vec::new(), stream).await
}

/// Reads a reply to its end, of which these items were read before.
pub(crate) async fn told_after(mut items: Vec<ReplyItem>, mut stream: ReplyStream) -> Told {
    while let Some(item) = in_time(stream.next()).await {
        items.push(item);
    }
    let events = items
        .iter()
        .filter_map(|item| match item {
            ReplyItem::Event(event) => Some(event.clone()),
            ReplyItem::Note(_) => None,
        })
        .collect();
    Told { events, items, result: in_time(stream.finish()).await }
}

/// A reply to a text in the session `s`, read to its end.
pub(crate) async fn ask(agent: &Agent, text: &str) -> Told {
    told(agent.reply("s", text).await.expect("the reply begins")).await
}

/// The same, and the session after it. Both are sound.
pub(crate) async fn turn(agent: &Agent, text: &str) -> (Told, SessionData) {
    let told = ask(agent, text).await;
    let session = stored(agent).await;
    assert_sound(&told, &session);
    (told, session)
}

/// Asks in the session `s`, aborts the reply at the first event that is the moment, and reads it to its end.
pub(crate) async fn ask_and_abort(agent: &Agent, text: &str, moment: impl Fn(&Event) -> bool) -> Told {
    let mut stream = agent.reply("s", text).await.expect("the reply begins");
    let mut items = Vec::new();
    while !items.last().is_some_and(|item| matches!(item, ReplyItem::Event(event) if moment(event))) {
        items.push(in_time(stream.next()).await.expect("the moment comes"));
    }
    stream.abort();
    told_after(items, stream).await
}

/// The session `s`.
pub(crate) async fn stored(agent: &Agent) -> SessionData {
    stored_in(&**agent.sessions()).await
}

/// The session `s` of a store.
pub(crate) async fn stored_in(sessions: &dyn SessionStore) -> SessionData {
    sessions.load("s".to_owned()).await.expect("the session loads")
}

/// Rules that ask before these tools and allow all others.
pub(crate) fn ask_before(tools: &[&str]) -> PermissionRules {
    let ask = tools.iter().map(|tool| tool.parse().expect("a rule")).collect();
    PermissionRules { ask, ..PermissionRules::default() }
}
