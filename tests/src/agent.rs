//! An agent of components, native tools and a scripted model, and everything that a reply told.

mod echo;
mod stored;
mod told;

use std::sync::Arc;

use cepa::agent::{Agent, AgentBuilder};
use cepa::model::Model;
use cepa::models::ScriptedModel;
use cepa::world::TestWorld;

pub use echo::Echo;
pub use stored::{conversation, line, stored, stored_in};
pub use told::{Told, ask, ask_and_abort, told, told_after};

/// A model that answers from this script.
///
/// # Panics
/// When it is no script.
pub fn model(script: &str) -> ScriptedModel {
    ScriptedModel::from_toml("test", script, Arc::new(TestWorld::new(1)))
        .unwrap_or_else(|error| panic!("{error}"))
}

/// An agent with this model as `main`, the prompt `Be brief.`, and time and chance that repeat.
pub fn agent(model: &ScriptedModel) -> AgentBuilder {
    agent_of(Arc::new(model.clone()))
}

/// The same with a model of another kind.
pub fn agent_of(model: Arc<dyn Model>) -> AgentBuilder {
    Agent::builder("tester")
        .system_prompt("Be brief.")
        .model("main", model)
        .world(Arc::new(TestWorld::new(7)))
}
