//! The agent, put together in code: a model, a tool over the tracker, and a middleware in the sandbox.

use std::sync::Arc;

use cepa::agent::Agent;
use cepa::bundled::bundled;
use cepa::chain::{ChainEntry, OnFault};
use cepa::models::ScriptedModel;
use cepa::policy::{Grants, LayerSource, LayerSpec};
use cepa::sandbox::Sandbox;
use cepa::session::MemorySessions;
use cepa::world::RealWorld;
use serde_json::json;

use crate::tracker::{FindBug, Tracker};

/// The agent that answers reports. Conversations last as long as the process.
///
/// # Errors
/// When the script, the component or the tool can't be used.
pub async fn triage_agent(tracker: Arc<Tracker>) -> anyhow::Result<Agent> {
    // A scripted model needs no network. `OpenAiModel` or `AnthropicModel` goes in the same place.
    let world = Arc::new(RealWorld::default());
    let model = ScriptedModel::from_toml("script.toml", include_str!("../script.toml"), world)?;
    let agent = Agent::builder("triage")
        .system_prompt("You triage bug reports. Look for known bugs before you ask for more.")
        .model("main", Arc::new(model))
        .tool(Arc::new(FindBug::new(tracker)))
        .middleware(token_usage().await?)
        .sessions(Arc::new(MemorySessions::default()))
        .max_steps(4)
        .build()
        .await?;
    Ok(agent)
}

/// A layer that counts tokens. It runs as a component: it can keep state, since that is granted, and nothing else.
async fn token_usage() -> anyhow::Result<ChainEntry> {
    let name = "token-usage";
    let bytes = bundled(name).ok_or_else(|| anyhow::anyhow!("middleware `{name}` is not bundled"))?;
    let spec = LayerSpec {
        config: json!({ "events": true }),
        grants: Grants { state: true, ..Grants::default() },
        // Losing a count is better than losing a reply.
        on_fault: OnFault::Skip,
        ..LayerSpec::new(name, LayerSource::Bundled(name.to_owned()))
    };
    let sandbox = Sandbox::new(None)?;
    let component = sandbox.load(name, bytes).await?;
    Ok(spec.entry(sandbox.middleware(spec.clone(), &component)?))
}
