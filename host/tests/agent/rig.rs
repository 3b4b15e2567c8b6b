//! What the tests are made of: a model that says what it is told to, tools, and a readable record of a reply.

mod double;
mod layer;
mod script;
mod sound;
mod transcript;

use std::sync::Arc;

use cepa::agent::{Agent, AgentBuilder, PermissionRules};
use cepa::model::Model;
use cepa::session::SessionData;
use cepa_tests::agent::agent_of;

pub(crate) use cepa_tests::agent::{Told, ask, ask_and_abort, line, stored, stored_in, told, told_after};
pub(crate) use double::Double;
pub(crate) use layer::{Retry, entry, opened};
pub(crate) use script::{Say, Script, call, calls, raw_call, says, text, thinking};
pub(crate) use sound::{assert_agree, assert_sound, assert_whole};
pub(crate) use transcript::transcript;

/// An agent with this model, time and chance that repeat, and the prompt `Be brief.`
pub(crate) fn agent(model: &Arc<Script>) -> AgentBuilder {
    agent_of(Arc::clone(model) as Arc<dyn Model>)
}

/// A reply to a text in the session `s`, read to its end, and the session after it. Both are sound.
pub(crate) async fn turn(agent: &Agent, text: &str) -> (Told, SessionData) {
    let told = ask(agent, text).await;
    let session = stored(agent).await;
    assert_sound(&told, &session);
    (told, session)
}

/// Rules that ask before these tools and allow all others.
pub(crate) fn ask_before(tools: &[&str]) -> PermissionRules {
    let ask = tools.iter().map(|tool| tool.parse().expect("a rule")).collect();
    PermissionRules { ask, ..PermissionRules::default() }
}
