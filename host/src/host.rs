//! Puts an agent together from a manifest: models, layers in the sandbox, MCP servers, sessions and permissions.

mod components;
mod error;
mod models;
mod servers;

use std::path::PathBuf;
use std::sync::Arc;

use crate::agent::{Agent, AgentBuilder};
use crate::chain::ChainEntry;
use crate::index::Index;
use crate::manifest::{Manifest, SessionSpec};
use crate::policy::LayerSpec;
use crate::sandbox::{self, CompiledCache, Component, Sandbox};
use crate::session::{MemorySessions, SessionStore, SqliteSessions, StoreError};
use crate::tool::{ExternalTool, ToolOwner};
use crate::world::{RealWorld, World};

pub use components::{SourceError, component_bytes};
pub use error::LoadError;

/// Is told what is being loaded, for a person who waits.
pub type Progress<'a> = &'a (dyn Fn(&str) + Sync);

/// What agents of one program share: the sandbox with its compiled components, and the world.
#[derive(Clone, Debug)]
pub struct Host {
    sandbox: Sandbox,
    world: Arc<dyn World>,
}

/// An agent with what it was made of.
#[derive(Debug)]
pub struct Loaded {
    /// The agent.
    pub agent: Agent,
    /// Its layers, outermost first.
    pub layers: Vec<LoadedLayer>,
}

/// A layer with its component.
#[derive(Clone, Debug)]
pub struct LoadedLayer {
    /// What the manifest says of it.
    pub spec: LayerSpec,
    /// What runs in it.
    pub component: Component,
}

impl Host {
    /// A host in the real world. With a folder for compiled components, each is compiled once for all programs.
    ///
    /// A cache that can't be used costs time and is no error.
    ///
    /// # Errors
    /// When the sandbox can't be set up on this machine.
    pub fn new(cache: Option<PathBuf>) -> Result<Self, LoadError> {
        let cache = cache.and_then(|folder| match CompiledCache::open(&folder) {
            Ok(cache) => Some(cache),
            Err(error) => {
                tracing::warn!(
                    "components are compiled anew, since `{}` can't be used: {error}",
                    folder.display()
                );
                None
            }
        });
        Ok(Self::with(Sandbox::new(cache).map_err(LoadError::Engine)?, Arc::new(RealWorld::default())))
    }

    /// A host of these parts.
    pub fn with(sandbox: Sandbox, world: Arc<dyn World>) -> Self {
        Self { sandbox, world }
    }

    /// The sandbox.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// The agent of a manifest, with its sessions where the manifest says.
    ///
    /// # Errors
    /// Everything of one kind that is wrong, at its place in the manifest.
    pub async fn load(&self, manifest: &Manifest, progress: Progress<'_>) -> Result<Loaded, LoadError> {
        // A session file is made only once nothing else can fail.
        self.build(manifest, progress, async || open_sessions(&manifest.sessions).await).await
    }

    /// The same, and nothing is written: a session file that is not there yet stays so.
    ///
    /// # Errors
    /// As for [`Host::load`].
    pub async fn check(&self, manifest: &Manifest, progress: Progress<'_>) -> Result<Loaded, LoadError> {
        match &manifest.sessions {
            SessionSpec::File(path) if path.exists() => self.load(manifest, progress).await,
            _ => self.load_with(manifest, Arc::new(MemorySessions::default()), progress).await,
        }
    }

    /// The agent of a manifest, with its sessions here.
    ///
    /// # Errors
    /// As for [`Host::load`].
    pub async fn load_with(
        &self,
        manifest: &Manifest,
        sessions: Arc<dyn SessionStore>,
        progress: Progress<'_>,
    ) -> Result<Loaded, LoadError> {
        self.build(manifest, progress, async || Ok(sessions)).await
    }

    async fn build(
        &self,
        manifest: &Manifest,
        progress: Progress<'_>,
        sessions: impl AsyncFnOnce() -> Result<Arc<dyn SessionStore>, StoreError>,
    ) -> Result<Loaded, LoadError> {
        let models = models::load(manifest, &self.world)?;
        let layers = components::load(&self.sandbox, manifest, progress).await?;
        let servers = servers::connect(manifest, progress).await?;
        let mut builder = Agent::builder(&manifest.agent.name)
            .main(&manifest.agent.model)
            .permissions(manifest.permissions.clone())
            .world(Arc::clone(&self.world));
        if !manifest.agent.system_prompt.is_empty() {
            builder = builder.system_prompt(&manifest.agent.system_prompt);
        }
        builder = bounds(builder, manifest);
        for (alias, model) in models {
            builder = builder.model(alias, model);
        }
        for layer in &layers {
            builder = builder.middleware(self.entry(manifest, layer)?);
        }
        builder = builder.index(Arc::new(open_index(manifest)?));
        for tool in &manifest.tools {
            builder = builder.tool_of(ToolOwner::Outside, Arc::new(ExternalTool::new(tool.clone())));
        }
        for server in servers {
            builder = builder.tools_of(ToolOwner::Mcp(server.name().to_owned()), Arc::new(server));
        }
        let agent =
            builder.build_before(sessions).await.map_err(|error| LoadError::build(manifest, error))?;
        Ok(Loaded { agent, layers })
    }

    fn entry(&self, manifest: &Manifest, layer: &LoadedLayer) -> Result<ChainEntry, LoadError> {
        let middleware = self.sandbox.middleware(layer.spec.clone(), &layer.component).map_err(|error| {
            let key = match &error {
                sandbox::LoadError::Mount(error) => format!("grants/workspace/{}", error.mount),
                _ => "source".to_owned(),
            };
            LoadError::component(manifest, &layer.spec.name, &key, error.to_string())
        })?;
        Ok(layer.spec.entry(middleware))
    }
}

fn bounds(mut builder: AgentBuilder, manifest: &Manifest) -> AgentBuilder {
    if let Some(steps) = manifest.agent.max_steps {
        builder = builder.max_steps(steps);
    }
    if let Some(attempts) = manifest.agent.max_draft_attempts {
        builder = builder.max_draft_attempts(attempts);
    }
    builder
}

/// Where the layers keep documents. The file is left alone unless a layer may use it.
fn open_index(manifest: &Manifest) -> Result<Index, LoadError> {
    let used = manifest.layers.iter().any(|layer| layer.grants.index);
    match manifest.sessions.index_file().filter(|_| used) {
        Some(path) => Index::open(path).map_err(LoadError::Index),
        None => Ok(Index::memory()),
    }
}

async fn open_sessions(spec: &SessionSpec) -> Result<Arc<dyn SessionStore>, StoreError> {
    let SessionSpec::File(path) = spec else { return Ok(Arc::new(MemorySessions::default())) };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|cause| StoreError::Io { path: path.display().to_string(), cause: cause.to_string() })?;
    }
    Ok(Arc::new(SqliteSessions::open(path).await?))
}
