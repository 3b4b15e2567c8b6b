//! Runs components as layers. The only room that names the engine.
//!
//! A [`Sandbox`] compiles components and makes middlewares of them. Each layer gets a store of its own in each reply;
//! a guest is never entered twice at once, and a store that broke a rule is dropped and never entered again.

mod bindings;
mod budget;
mod cache;
mod calls;
mod capabilities;
mod component;
mod convert;
mod copied;
mod counted;
mod crossing;
mod engine;
mod explain;
mod exports;
mod flow;
mod hooks;
mod instance;
mod jobs;
mod json_room;
mod layer;
mod load_error;
mod middleware;
mod migrate;
mod output;
mod recording;
mod resources;
mod spans;
mod store;
mod tap;
mod weight;

use std::collections::BTreeMap;
use std::sync::Arc;

use wasmtime::component::Linker;

pub use cache::CompiledCache;
pub(crate) use component::digest;
pub use component::{CONTRACT, Component};
pub use engine::Counts;
pub use load_error::LoadError;
pub use recording::{
    Difference, Recorded, RecordedLayer, Recorder, Recording, RecordingError, Replayed, ReplayedEnd,
};
pub use tap::{HostCall, Pass, Tap};

use crate::http::{Resolver, SystemResolver};

use crate::workspace::Folders;
use counted::{Counted, CountedHost};
use engine::{INSTANCES_MAX, Runtime};
use store::GuestState;
use tap::Watch;

/// Compiles components and runs them as layers.
#[derive(Clone)]
pub struct Sandbox {
    runtime: Runtime,
    linker: Arc<Linker<GuestState>>,
    cache: Option<Arc<CompiledCache>>,
    /// The folders behind all layers' mounts, so that layers of one folder share its count.
    folders: Folders,
    resolver: Arc<dyn Resolver>,
    /// Who looks on at layers, by their names.
    watches: BTreeMap<String, Watch>,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").field("cache", &self.cache).finish_non_exhaustive()
    }
}

impl Sandbox {
    /// A sandbox. With a cache, a component that was compiled before is not compiled again.
    ///
    /// # Errors
    /// When the engine can't be set up on this machine.
    pub fn new(cache: Option<CompiledCache>) -> Result<Self, LoadError> {
        Self::with_instances(cache, INSTANCES_MAX)
    }

    /// The same, where so many instances may live at once: one for each layer of each running reply that has been
    /// called. By default 5,120. Past it a layer answers the error `instances`.
    ///
    /// # Errors
    /// As for [`Sandbox::new`].
    pub fn with_instances(cache: Option<CompiledCache>, instances: u32) -> Result<Self, LoadError> {
        let runtime = Runtime::new(instances).map_err(LoadError::engine)?;
        let mut linker = Linker::new(&runtime.engine);
        bindings::Middleware::add_to_linker::<_, CountedHost>(&mut linker, |state| Counted(state))
            .map_err(LoadError::engine)?;
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).map_err(LoadError::engine)?;
        Ok(Self {
            runtime,
            linker: Arc::new(linker),
            cache: cache.map(Arc::new),
            folders: Folders::default(),
            resolver: Arc::new(SystemResolver),
            watches: BTreeMap::new(),
        })
    }

    /// The same, and the layers that it makes from now on look names up here instead of asking the system.
    #[must_use]
    pub fn resolving(mut self, resolver: Arc<dyn Resolver>) -> Self {
        self.resolver = resolver;
        self
    }

    /// The same, and in the layers of this name that it makes from now on, each call of the host passes the tap.
    #[must_use]
    pub fn tapping(mut self, layer: impl Into<String>, tap: Arc<dyn Tap>) -> Self {
        self.watches.insert(layer.into(), Watch::Tap(tap));
        self
    }

    /// The same, and the first layer of this name that it makes from now on is recorded.
    #[must_use]
    pub fn recording(mut self, layer: impl Into<String>, recorder: Arc<Recorder>) -> Self {
        self.watches.insert(layer.into(), Watch::Recorder(recorder));
        self
    }

    /// What this sandbox has made so far.
    pub fn counts(&self) -> &Counts {
        &self.runtime.counts
    }

    /// Why instances are not pooled on this machine, if they are not.
    pub fn unpooled(&self) -> Option<&str> {
        self.runtime.unpooled.as_deref()
    }
}
