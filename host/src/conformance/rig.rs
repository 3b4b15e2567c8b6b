//! The agent around the component: it has all that the component imports, and nothing reaches outside.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use crate::agent::{Agent, AgentBuilder};
use crate::chain::{ChainEntry, Middleware};
use crate::message::Message;
use crate::model::Model;
use crate::models::ScriptedModel;
use crate::policy::{Access, Grants, LayerSpec, MountSpec};
use crate::session::{MemorySessions, SessionStore, Write};
use crate::world::{TestWorld, World};

use super::finding::Finding;
use super::isolated::Dress;
use super::subject::Subject;
use super::tools::{Broken, Look, Wait, spare};

/// The alias of the model that answers.
pub const MAIN: &str = "main";
/// The alias of another one, for layers that ask one.
pub const BESIDE: &str = "backup";
/// The name of the sub-agent.
pub(super) const HELPER: &str = "helper";
/// The name of the mount.
pub(super) const MOUNT: &str = "work";
/// The session that all replies are in.
pub(super) const SESSION: &str = "session";

/// What every model but the main one answers, and the sub-agent.
const ASIDE: &str = "[[turn]]\ntext = \"In short: {{last-user}}\"\nrepeat = true\n";

/// How an agent differs from the plain one.
pub(super) struct Setup {
    model: Arc<dyn Model>,
    world: Arc<TestWorld>,
    dress: Dress,
    spare_tools: u32,
    history: Vec<Message>,
}

impl Setup {
    /// A plain agent with this main model.
    pub(super) fn of(model: Arc<dyn Model>, world: Arc<TestWorld>) -> Self {
        Self { model, world, dress: Dress::Plain, spare_tools: 0, history: Vec::new() }
    }

    /// The same with the component in another dress.
    pub(super) fn dress(mut self, dress: Dress) -> Self {
        self.dress = dress;
        self
    }

    /// The same with more tools.
    pub(super) fn spare_tools(mut self, count: u32) -> Self {
        self.spare_tools = count;
        self
    }

    /// The same with an earlier conversation.
    pub(super) fn history(mut self, messages: Vec<Message>) -> Self {
        self.history = messages;
        self
    }
}

/// An agent with the component as its only layer.
pub(super) struct Rig {
    pub(super) agent: Agent,
    /// The tool that waits for someone outside.
    pub(super) wait: Wait,
    spec: LayerSpec,
    /// Holds the mounts as long as the agent.
    _mounts: Option<TempDir>,
}

impl Rig {
    /// Builds the agent.
    pub(super) async fn build(subject: &Subject, setup: Setup) -> Result<Self, Finding> {
        let mounts = subject.imports("workspace").then(tempfile::tempdir).transpose().map_err(machine)?;
        let spec = granted(subject, mounts.as_ref().map(TempDir::path))?;
        let (wait, sessions) = (Wait::default(), MemorySessions::default());
        let history: Vec<Write> = setup.history.into_iter().map(Write::Append).collect();
        let stored = sessions.write(SESSION.to_owned(), history).await;
        stored.map_err(|error| Finding::new("the history can't be stored").seen(error.to_string()))?;

        let world: Arc<dyn World> = setup.world;
        let mut builder = Agent::builder("conformance")
            .system_prompt("Be brief.")
            .model(MAIN, setup.model)
            .sessions(Arc::new(sessions))
            .world(Arc::clone(&world))
            .tool(Arc::new(Look::default()))
            .tool(Arc::new(Broken::default()))
            .tool(Arc::new(wait.clone()))
            .middleware(entry(subject, &spec, setup.dress)?);
        for tool in (1..=setup.spare_tools).map(spare) {
            builder = builder.tool(tool);
        }
        let around = &subject.around;
        for alias in around.models.iter().filter(|alias| *alias != MAIN) {
            builder = builder.model(alias, aside(&world)?);
        }
        for name in &around.agents {
            builder = builder.sub_agent(helper(name, &world)?);
        }
        let agent = builder.build().await;
        let agent =
            agent.map_err(|error| Finding::new("no agent can have this layer").seen(error.to_string()))?;
        Ok(Self { agent, wait, spec, _mounts: mounts })
    }

    /// Another place in a chain for the same layer, for a swap.
    pub(super) fn again(&self, subject: &Subject) -> Result<ChainEntry, Finding> {
        entry(subject, &self.spec, Dress::Plain)
    }
}

fn entry(subject: &Subject, spec: &LayerSpec, dress: Dress) -> Result<ChainEntry, Finding> {
    let made = subject.sandbox.middleware(spec.clone(), &subject.component);
    let made: Arc<dyn Middleware> =
        made.map_err(|error| Finding::new("no layer can be made of the component").seen(error.to_string()))?;
    Ok(spec.entry(dress.put_on(made)))
}

/// The layer with all that the component imports, in mounts below this folder. Of servers it may ask none.
fn granted(subject: &Subject, mounts: Option<&Path>) -> Result<LayerSpec, Finding> {
    let any = || vec!["*".to_owned()];
    let mut workspace = Vec::new();
    for name in mounts.iter().flat_map(|_| &subject.around.mounts) {
        let folder = mounts.unwrap_or(Path::new("")).join(name);
        fs::create_dir_all(&folder).map_err(machine)?;
        workspace.push(MountSpec { name: name.clone(), folder, writable: true });
    }
    let grants = Grants {
        state: true,
        models: any(),
        tools: any(),
        conversation: Access::Write,
        index: true,
        workspace,
        http: Vec::new(),
        secrets: Vec::new(),
        permissions: true,
        agents: any(),
        telemetry: true,
    };
    Ok(LayerSpec { grants, ..subject.spec() })
}

fn aside(world: &Arc<dyn World>) -> Result<Arc<dyn Model>, Finding> {
    let model = ScriptedModel::from_toml("aside", ASIDE, Arc::clone(world));
    let model =
        model.map_err(|error| Finding::new("the kit's own script is wrong").seen(error.to_string()))?;
    Ok(Arc::new(model))
}

fn helper(name: &str, world: &Arc<dyn World>) -> Result<AgentBuilder, Finding> {
    Ok(Agent::builder(name).model(MAIN, aside(world)?))
}

/// The machine refused something: no fault of the component's.
fn machine(error: std::io::Error) -> Finding {
    Finding::new("this machine gives the kit no folder for the layer's mounts").seen(error.to_string())
}
