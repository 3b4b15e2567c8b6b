//! A component, compiled and checked: what it exports, imports, and was built for.

mod config_schema;
mod reading;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest, Sha256};
use wasmtime::component::{Component as Compiled, InstancePre};

use crate::chain::{HookSet, Middleware, ReplyContext};
use crate::hex::hex;
use crate::http::SystemResolver;
use crate::policy::{CAPABILITIES, LayerSource, LayerSpec, Limits};
use crate::workspace::{Quota, Workspace};

use super::Sandbox;
use super::budget::{LimitHit, ReplyBudget, within};
use super::hooks::{HookIndices, check_hooks};
use super::instance::{GuestInstance, NotMade, Template};
use super::load_error::LoadError;
use super::middleware::ComponentMiddleware;
use super::store::{GuestState, LayerInfo};
use config_schema::ConfigSchema;
use reading::{Reading, check_header};

/// The contract that this host offers.
pub const CONTRACT: &str = "cepa:middleware@0.1.0";

const PACKAGE: &str = "cepa:middleware/";
const VERSION: &str = "0.1.0";

/// How long a component may take to begin and to say its schema when it is loaded: nobody waits a minute for that.
const START_WALL: Duration = Duration::from_secs(10);

/// A component that can be placed in a chain.
#[derive(Clone)]
pub struct Component {
    name: String,
    size: usize,
    digest: Arc<str>,
    reading: Reading,
    config_schema: Option<Arc<ConfigSchema>>,
    pub(super) template: Template,
}

impl std::fmt::Debug for Component {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Component")
            .field("name", &self.name)
            .field("hooks", &self.reading.hooks)
            .finish_non_exhaustive()
    }
}

/// The unit that memories are measured in.
const PAGE_BYTES: u64 = 64 << 10;

impl Component {
    /// The name it was loaded under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of the file.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The SHA-256 hash of the file, in hexadecimal: its version.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether it takes over the state that another version of it left.
    pub fn migrates(&self) -> bool {
        self.reading.migrates
    }

    /// The hooks it implements.
    pub fn hooks(&self) -> HookSet {
        self.reading.hooks
    }

    /// The interfaces it imports, sorted, with their versions. Some languages import all there are.
    pub fn imports(&self) -> &[String] {
        &self.reading.imports
    }

    /// The capabilities among its imports that need a grant.
    pub fn capabilities(&self) -> Vec<&'static str> {
        CAPABILITIES
            .into_iter()
            .filter(|capability| {
                let wanted = format!("{PACKAGE}{capability}@");
                self.reading.imports.iter().any(|import| import.starts_with(&wanted))
            })
            .collect()
    }

    /// The bytes that its largest memory begins with: with less it can't even start.
    pub fn initial_memory(&self) -> u64 {
        let needs = self.template.pre.component().resources_required();
        needs.and_then(|needs| needs.max_initial_memory_size).unwrap_or(0).saturating_mul(PAGE_BYTES)
    }

    /// Whether it imports WASI.
    pub(super) fn wasi(&self) -> bool {
        self.reading.wasi
    }

    /// The JSON Schema of its configuration, if it says one.
    pub fn config_schema(&self) -> Option<&Value> {
        self.config_schema.as_ref().map(|config| &config.schema)
    }

    /// Everything in a configuration that does not fit that schema, with its place.
    pub(crate) fn config_misfits(&self, config: &Value) -> Vec<String> {
        self.config_schema.as_ref().map(|schema| schema.misfits(config)).unwrap_or_default()
    }
}

impl Sandbox {
    /// Compiles a component, or takes it from the cache, and checks it: imports, hooks, types, a first instance.
    ///
    /// Compiling takes from 50 ms for a small component to seconds for one with a language runtime, and is done off
    /// the async threads.
    ///
    /// # Errors
    /// Each says what the component is or was built for, and what this host wants.
    pub async fn load(&self, name: &str, bytes: impl Into<Arc<[u8]>>) -> Result<Component, LoadError> {
        let (sandbox, task_name, bytes) = (self.clone(), name.to_owned(), bytes.into());
        let size = bytes.len();
        let compile = move || Ok::<_, LoadError>((sandbox.compile(&task_name, &bytes)?, digest(&bytes)));
        let (compiled, digest) = tokio::task::spawn_blocking(compile).await.map_err(LoadError::engine)??;
        let reading = Reading::of(name, &compiled, &self.runtime.engine)?;
        let pre = self.linker.instantiate_pre(&compiled).map_err(|error| mismatch(name, &error))?;
        let mut component = Component {
            name: name.to_owned(),
            size,
            digest: digest.into(),
            template: self.template(name, pre, &reading)?,
            reading,
            config_schema: None,
        };
        component.config_schema = first_instance(&component).await?.map(Arc::new);
        Ok(component)
    }

    fn template(
        &self,
        name: &str,
        pre: InstancePre<GuestState>,
        reading: &Reading,
    ) -> Result<Template, LoadError> {
        let indices = HookIndices::find(&pre, reading.hooks, reading.migrates, reading.configuration)
            .map_err(|error| mismatch(name, &error))?;
        let alive = Arc::new(self.runtime.counts.component_loaded());
        Ok(Template { runtime: self.runtime.clone(), pre, indices: Arc::new(indices), _alive: alive })
    }

    /// A middleware of this component for one place in a chain.
    ///
    /// # Errors
    /// When the configuration does not fit the component's schema, or a mount can't be opened.
    pub fn middleware(
        &self,
        spec: LayerSpec,
        component: &Component,
    ) -> Result<Arc<dyn Middleware>, LoadError> {
        if let Some(schema) = &component.config_schema {
            schema.check(&spec)?;
        }
        let workspace = self.workspace(&spec)?;
        let resolver = Arc::clone(&self.resolver);
        let jobs = self.runtime.jobs.of_layer();
        let watch = self.watches.get(&spec.name).filter(|watch| watch.begin(&spec, component)).cloned();
        let info = LayerInfo::new(spec, component.reading.wasi, workspace, resolver, jobs)?.watched(watch);
        Ok(Arc::new(ComponentMiddleware::new(component, Arc::new(info))))
    }

    /// The files that a layer may use, if there are any.
    fn workspace(&self, spec: &LayerSpec) -> Result<Option<Arc<Workspace>>, LoadError> {
        if spec.grants.workspace.is_empty() {
            return Ok(None);
        }
        let quota = Quota { bytes: spec.limits.workspace_bytes, files: spec.limits.workspace_files.into() };
        let opened = Workspace::open(&spec.grants.workspace, quota, &self.folders);
        Ok(Some(Arc::new(opened.map_err(LoadError::Mount)?)))
    }

    fn compile(&self, name: &str, bytes: &[u8]) -> Result<Compiled, LoadError> {
        check_header(name, bytes)?;
        let engine = &self.runtime.engine;
        if let Some(compiled) = self.cache.as_ref().and_then(|cache| cache.get(engine, bytes)) {
            self.runtime.counts.cache_hit();
            return Ok(compiled);
        }
        self.runtime.counts.compiled();
        let compiled = Compiled::from_binary(engine, bytes)
            .map_err(|error| LoadError::Invalid { name: name.to_owned(), cause: format!("{error:#}") })?;
        if let Some(cache) = &self.cache {
            cache.put(engine, bytes, &compiled);
        }
        Ok(compiled)
    }
}

/// The SHA-256 hash of a component's bytes, in hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Makes an instance, checks the types of its hooks, and asks for its configuration's schema.
async fn first_instance(component: &Component) -> Result<Option<ConfigSchema>, LoadError> {
    let start = |cause: String| LoadError::Start { name: component.name.clone(), cause };
    let limits = Limits { wall: START_WALL, ..Limits::default() };
    let source = LayerSource::Bundled(component.name.clone());
    let spec = LayerSpec { limits, ..LayerSpec::new(&component.name, source) };
    let limits = spec.limits.clone();
    let jobs = component.template.runtime.jobs.of_layer();
    let info = Arc::new(LayerInfo::new(spec, component.reading.wasi, None, Arc::new(SystemResolver), jobs)?);
    let context = ReplyContext::builder("", "").build();
    let budget = Arc::new(ReplyBudget::new(&limits));
    let made = component.template.instantiate(context, info, budget, None).await;
    let mut guest: GuestInstance = made.map_err(|not_made| match not_made {
        NotMade::Crowded => start("too many instances are alive at once".to_owned()),
        NotMade::Failed(cause) => start(cause),
    })?;
    guest.begin(None);
    let own_time = guest.store.data().budget.own_time.clone();
    let checked: Result<wasmtime::Result<_>, LimitHit> =
        within(own_time, limits.wall, check_hooks(&mut guest)).await;
    let schema = match checked {
        Err(hit) => return Err(start(hit.to_string())),
        Ok(Err(error)) if error.is::<wasmtime::Trap>() || error.is::<LimitHit>() => {
            return Err(start(guest.explain(&error)));
        }
        Ok(Err(error)) => return Err(mismatch(&component.name, &error)),
        Ok(Ok(schema)) => schema,
    };
    let Some(text) = schema else { return Ok(None) };
    let name = component.name.clone();
    let parsed = tokio::task::spawn_blocking(move || ConfigSchema::parse(&name, &text)).await;
    parsed.map_err(LoadError::engine)?.map(Some)
}

/// The engine matches types exactly, and says where they first differ.
fn mismatch(name: &str, error: &wasmtime::Error) -> LoadError {
    let chain: Vec<String> = error.chain().map(ToString::to_string).collect();
    LoadError::Version {
        name: name.to_owned(),
        built: format!("a differing edition of {CONTRACT}"),
        offered: CONTRACT.to_owned(),
        difference: chain.join(": "),
    }
}
