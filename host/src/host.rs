//! Puts an agent together from a manifest: models, layers in the sandbox, MCP servers, sessions and permissions.

mod agents;
mod components;
mod difference;
mod error;
mod layers;
mod loading;
mod models;
mod outdated;
mod servers;
mod swap;

use std::path::PathBuf;
use std::sync::Arc;

use crate::agent::Agent;
use crate::index::Index;
use crate::manifest::{Manifest, SessionSpec};
use crate::policy::LayerSpec;
use crate::sandbox::{CompiledCache, Recorder, Sandbox};
use crate::session::{MemorySessions, SessionStore, SqliteSessions, StoreError};
use crate::world::{RealWorld, World};

use agents::Parts;
use components::Known;
use layers::Layers;

pub use components::{SourceError, component_bytes};
pub use difference::{Consent, DifferenceKind, LayerDifference};
pub use error::LoadError;
pub use layers::LoadedLayer;
pub use outdated::OutdatedLayer;
pub use swap::{Change, SwapError, SwapReport};

/// Is told what is being loaded, for a person who waits.
pub type Progress<'a> = &'a (dyn Fn(&str) + Sync);

/// What agents of one program share: the sandbox with its compiled components, and the world.
#[derive(Clone, Debug)]
pub struct Host {
    sandbox: Sandbox,
    world: Arc<dyn World>,
}

/// An agent with what it was made of. Its layers can be swapped while it runs.
#[derive(Debug)]
pub struct Loaded {
    /// The agent.
    pub agent: Agent,
    /// The layers of the sub-agents, as they began.
    sub_layers: Vec<LoadedLayer>,
    sandbox: Sandbox,
    /// The manifest that the agent began with.
    manifest: Manifest,
    /// Held during a swap, so that each sees what the one before left.
    swapping: tokio::sync::Mutex<()>,
}

impl Loaded {
    /// Names of tools that a sub-agent is to have and that no tool has now, each told for the operator. A server may
    /// bring the tool later.
    pub fn unmatched_tools(&self) -> Vec<String> {
        agents::unmatched(&self.manifest, &self.agent)
    }
}

impl Host {
    /// A host in the real world. With a folder for compiled components, each is compiled once for all programs.
    ///
    /// A cache that can't be used costs time and is no error.
    ///
    /// # Errors
    /// When the sandbox can't be set up on this machine.
    pub fn new(cache: Option<PathBuf>) -> Result<Self, LoadError> {
        Self::with_cache(cache, CompiledCache::BYTES_MAX)
    }

    /// The same with room for so many bytes in that folder.
    ///
    /// # Errors
    /// As for [`Host::new`].
    pub fn with_cache(cache: Option<PathBuf>, bytes_max: u64) -> Result<Self, LoadError> {
        let cache = cache.and_then(|folder| match CompiledCache::open(&folder) {
            Ok(cache) => Some(cache.bounded(bytes_max)),
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

    /// The same, and the first layer of this name that it loads from now on is recorded.
    #[must_use]
    pub fn recording(mut self, layer: &str, recorder: Arc<Recorder>) -> Self {
        self.sandbox = self.sandbox.recording(layer, recorder);
        self
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

    /// The same for a look: a session file that is not there yet is not made. One that is there is opened as for a reply;
    /// projects are built, and compiled components go into the cache.
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
        let specs: Vec<&LayerSpec> = manifest.all_layers().collect();
        let mut layers =
            components::load(&self.sandbox, manifest, &specs, &Known::default(), progress).await?;
        let sub_layers = layers.split_off(manifest.layers.len());
        let layers = Layers::of(&self.sandbox, manifest, layers, None)?;
        let servers = servers::connect(manifest, progress).await?.into_iter().map(Arc::new).collect();
        let parts = Parts { manifest, sandbox: &self.sandbox, models, servers };
        let builder = parts
            .builder(&layers, &sub_layers)?
            .world(Arc::clone(&self.world))
            .index(Arc::new(open_index(manifest)?))
            .origin(Arc::new(layers));
        let agent =
            builder.build_before(sessions).await.map_err(|error| LoadError::build(manifest, error))?;
        let (sandbox, manifest) = (self.sandbox.clone(), manifest.clone());
        Ok(Loaded { agent, sub_layers, sandbox, manifest, swapping: tokio::sync::Mutex::default() })
    }
}

/// Where the layers keep documents. The file is left alone while no layer may use it; a swap may bring one that does.
fn open_index(manifest: &Manifest) -> Result<Index, LoadError> {
    let used = manifest.all_layers().any(|layer| layer.grants.index);
    match manifest.sessions.index_file() {
        Some(path) if used => Index::open(path).map_err(LoadError::Index),
        Some(path) => Ok(Index::unopened(path)),
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
