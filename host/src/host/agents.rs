//! The agents of a manifest, as their builders are told of them.

use std::sync::Arc;

use crate::agent::{Agent, AgentBuilder};
use crate::chain::ChainEntry;
use crate::manifest::{AgentSpec, Manifest, suggestion};
use crate::sandbox::Sandbox;
use crate::tool::mcp::McpServer;
use crate::tool::{Chosen, ExternalTool, ToolOwner, ToolProvider, is_chosen};

use super::error::LoadError;
use super::layers::{Layers, LoadedLayer};
use super::models::Named;

/// What the agents of a manifest are made of, besides their layers.
pub(super) struct Parts<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) sandbox: &'a Sandbox,
    pub(super) models: Vec<Named>,
    pub(super) servers: Vec<Arc<McpServer>>,
}

impl Parts<'_> {
    /// The agent of these layers, with its sub-agents of those.
    pub(super) fn builder(
        &self,
        layers: &Layers,
        sub_layers: &[LoadedLayer],
    ) -> Result<AgentBuilder, LoadError> {
        let main = self.one(&self.manifest.agent, layers.entries());
        // They hold for the sub-agents as well.
        let mut builder = self.with_tools(main.permissions(self.manifest.permissions.clone()), None);
        for sub in &self.manifest.agents {
            let own = |layer: &&LoadedLayer| sub.layers.iter().any(|spec| spec.name == layer.spec.name);
            let own = sub_layers.iter().filter(own).cloned().collect();
            let entries = Layers::of(self.sandbox, self.manifest, own, None)?.entries();
            builder = builder.sub_agent(self.with_tools(self.one(&sub.agent, entries), Some(&sub.tools)));
        }
        Ok(builder)
    }

    /// One agent without the tools that are not its layers'.
    fn one(&self, spec: &AgentSpec, entries: Vec<ChainEntry>) -> AgentBuilder {
        let mut builder = Agent::builder(&spec.name).main(&spec.model);
        if !spec.system_prompt.is_empty() {
            builder = builder.system_prompt(&spec.system_prompt);
        }
        if let Some(steps) = spec.max_steps {
            builder = builder.max_steps(steps);
        }
        if let Some(attempts) = spec.max_draft_attempts {
            builder = builder.max_draft_attempts(attempts);
        }
        for (alias, model) in &self.models {
            builder = builder.model(alias, Arc::clone(model));
        }
        entries.into_iter().fold(builder, AgentBuilder::middleware)
    }

    /// The same with tools of programs outside and of servers: of these names, or all.
    fn with_tools(&self, mut builder: AgentBuilder, names: Option<&Vec<String>>) -> AgentBuilder {
        for tool in &self.manifest.tools {
            if names.is_none_or(|names| is_chosen(names, &tool.name)) {
                builder = builder.tool_of(ToolOwner::Outside, Arc::new(ExternalTool::new(tool.clone())));
            }
        }
        for server in &self.servers {
            let owner = ToolOwner::Mcp(server.name().to_owned());
            let provider: Arc<dyn ToolProvider> = match names {
                None => Arc::clone(server) as Arc<dyn ToolProvider>,
                Some(names) => {
                    Arc::new(Chosen::new(Arc::clone(server) as Arc<dyn ToolProvider>, names.clone()))
                }
            };
            builder = builder.tools_of(owner, provider);
        }
        builder
    }
}

/// The names of tools in `[agents.NAME]` that no tool has, each with what a person may want to know of it.
pub(super) fn unmatched(manifest: &Manifest, agent: &Agent) -> Vec<String> {
    let all = agent.tools();
    let known: Vec<&str> = all.iter().map(|tool| tool.name.as_str()).collect();
    let subs = agent.sub_agents();
    let named = manifest.agents.iter().flat_map(|spec| spec.tools.iter().map(move |tool| (spec, tool)));
    named
        .filter(|(spec, tool)| {
            let made = subs.iter().find(|sub| sub.name() == spec.agent.name);
            *tool != "*" && made.is_some_and(|sub| sub.tools().iter().all(|own| own.name != **tool))
        })
        .map(|(spec, tool)| {
            let says = suggestion(tool, &known).unwrap_or_else(|| "see `tools` of `cepa check`".to_owned());
            format!(
                "agent `{}` names tool `{tool}`, and no server or program has it: {says}",
                spec.agent.name
            )
        })
        .collect()
}
