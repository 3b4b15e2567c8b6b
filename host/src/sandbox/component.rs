//! A component, compiled and checked: what it exports, imports, and was built for.

use std::sync::Arc;

use serde_json::Value;
use wasmtime::component::{Component as Compiled, InstancePre, types::ComponentItem};

use crate::chain::{HookKind, HookSet, Middleware, ReplyContext};
use crate::policy::{LayerSource, LayerSpec, Limits};

use super::Sandbox;
use super::budget::LimitHit;
use super::instance::{GuestInstance, HookIndices, Template, within};
use super::layer::check_hooks;
use super::load_error::LoadError;
use super::middleware::ComponentMiddleware;
use super::store::{GuestState, LayerInfo, LogBudget};

/// The contract that this host offers.
pub const CONTRACT: &str = "cepa:middleware@0.1.0";

const PACKAGE: &str = "cepa:middleware/";
const VERSION: &str = "0.1.0";

/// The WASI packages of which a component gets an empty world.
const WASI: [&str; 6] =
    ["wasi:cli/", "wasi:clocks/", "wasi:filesystem/", "wasi:io/", "wasi:random/", "wasi:sockets/"];

/// A component that can be placed in a chain.
#[derive(Clone)]
pub struct Component {
    name: String,
    size: usize,
    hooks: HookSet,
    imports: Vec<String>,
    config_schema: Option<Value>,
    template: Template,
}

impl std::fmt::Debug for Component {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Component")
            .field("name", &self.name)
            .field("hooks", &self.hooks)
            .finish_non_exhaustive()
    }
}

impl Component {
    /// The name it was loaded under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of the file.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The hooks it implements.
    pub fn hooks(&self) -> HookSet {
        self.hooks
    }

    /// The interfaces it imports, sorted, with their versions. Some languages import all there are.
    pub fn imports(&self) -> &[String] {
        &self.imports
    }

    /// The capabilities among its imports that need a grant.
    pub fn capabilities(&self) -> Vec<&'static str> {
        ["state", "models", "tools", "conversation"]
            .into_iter()
            .filter(|capability| {
                let wanted = format!("{PACKAGE}{capability}@");
                self.imports.iter().any(|import| import.starts_with(&wanted))
            })
            .collect()
    }

    /// The JSON Schema of its configuration, if it says one.
    pub fn config_schema(&self) -> Option<&Value> {
        self.config_schema.as_ref()
    }
}

/// What a component's type says.
struct Reading {
    hooks: HookSet,
    imports: Vec<String>,
    configuration: bool,
    wasi: bool,
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
        let compiled = tokio::task::spawn_blocking(move || sandbox.compile(&task_name, &bytes))
            .await
            .map_err(LoadError::engine)??;
        let reading = self.read(name, &compiled)?;
        let pre = self.linker.instantiate_pre(&compiled).map_err(|error| mismatch(name, &error))?;
        let mut component = Component {
            name: name.to_owned(),
            size,
            hooks: reading.hooks,
            imports: reading.imports,
            config_schema: None,
            template: self.template(name, pre, reading.hooks, reading.configuration)?,
        };
        component.config_schema = self.first_instance(&component, reading.wasi).await?;
        Ok(component)
    }

    fn template(
        &self,
        name: &str,
        pre: InstancePre<GuestState>,
        hooks: HookSet,
        configuration: bool,
    ) -> Result<Template, LoadError> {
        let indices =
            HookIndices::find(&pre, hooks, configuration).map_err(|error| mismatch(name, &error))?;
        Ok(Template { runtime: self.runtime.clone(), pre, indices: Arc::new(indices) })
    }

    /// A middleware of this component for one place in a chain.
    ///
    /// # Errors
    /// When the configuration does not fit the component's schema.
    pub fn middleware(
        &self,
        spec: LayerSpec,
        component: &Component,
    ) -> Result<Arc<dyn Middleware>, LoadError> {
        if let Some(schema) = &component.config_schema {
            check_config(component, &spec, schema)?;
        }
        let wasi = component.imports.iter().any(|import| import.starts_with("wasi:"));
        let info = LayerInfo { config: spec.config.to_string(), spec, wasi };
        Ok(Arc::new(ComponentMiddleware::new(component.template.clone(), component.hooks, Arc::new(info))))
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

    /// Reads the component's type without running it.
    fn read(&self, name: &str, compiled: &Compiled) -> Result<Reading, LoadError> {
        let ty = compiled.component_type();
        let engine = &self.runtime.engine;
        let mut imports: Vec<String> = ty.imports(engine).map(|(import, _)| import.to_owned()).collect();
        imports.sort();
        for import in &imports {
            check_import(name, import)?;
        }
        let mut reading = Reading {
            hooks: HookSet::EMPTY,
            wasi: imports.iter().any(|i| i.starts_with("wasi:")),
            imports,
            configuration: false,
        };
        let mut exports = Vec::new();
        for (export, item) in ty.exports(engine) {
            exports.push(format!("`{export}`"));
            if !matches!(item.ty, ComponentItem::ComponentInstance(_)) {
                continue;
            }
            let Some(interface) = own_interface(name, export)? else { continue };
            match HookKind::from_name(interface) {
                Some(kind) => reading.hooks = reading.hooks.with(kind),
                None => reading.configuration |= interface == "configuration",
            }
        }
        if reading.hooks.is_empty() {
            let exports = if exports.is_empty() { "nothing".to_owned() } else { exports.join(", ") };
            return Err(LoadError::NoHook { name: name.to_owned(), offered: CONTRACT.to_owned(), exports });
        }
        Ok(reading)
    }

    /// Makes an instance, checks the types of its hooks, and asks for its configuration's schema.
    async fn first_instance(&self, component: &Component, wasi: bool) -> Result<Option<Value>, LoadError> {
        let start = |cause: String| LoadError::Start { name: component.name.clone(), cause };
        let spec = LayerSpec {
            name: component.name.clone(),
            source: LayerSource::Bundled(component.name.clone()),
            config: Value::Object(serde_json::Map::new()),
            grants: crate::policy::Grants::default(),
            limits: Limits::default(),
            on_fault: crate::chain::OnFault::Fail,
        };
        let limits = spec.limits.clone();
        let info = Arc::new(LayerInfo { config: "{}".to_owned(), spec, wasi });
        let context = ReplyContext::builder("", "").build();
        let log = Arc::new(LogBudget::new(limits.log));
        let made = component.template.instantiate(context, info, log).await;
        let mut guest: GuestInstance = made.map_err(|error| start(format!("{error:#}")))?;
        guest.begin();
        let own_time = guest.store.data().own_time.clone();
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
        schema.map(|text| check_schema(&component.name, &text)).transpose()
    }
}

/// The first eight bytes tell a component from a core module and from anything else.
fn check_header(name: &str, bytes: &[u8]) -> Result<(), LoadError> {
    let name = name.to_owned();
    match bytes {
        [0, b'a', b's', b'm', _, _, 1, 0, ..] => Ok(()),
        [0, b'a', b's', b'm', _, _, 0, 0, ..] => Err(LoadError::CoreModule { name }),
        [0, b'a', b's', b'm', ..] => {
            Err(LoadError::NotWasm { name, cause: "its header is cut or of an unknown kind".to_owned() })
        }
        [] => Err(LoadError::NotWasm { name, cause: "it is empty".to_owned() }),
        _ => Err(LoadError::NotWasm { name, cause: "it does not begin with the bytes `\\0asm`".to_owned() }),
    }
}

/// The interface's name, if it is one of the contract's in the version of this host.
fn own_interface<'a>(name: &str, item: &'a str) -> Result<Option<&'a str>, LoadError> {
    let Some(rest) = item.strip_prefix(PACKAGE) else { return Ok(None) };
    let (interface, version) = rest.split_once('@').unwrap_or((rest, "no version"));
    if version == VERSION {
        return Ok(Some(interface));
    }
    Err(LoadError::Version {
        name: name.to_owned(),
        built: format!("cepa:middleware@{version}"),
        offered: CONTRACT.to_owned(),
        difference: format!("it uses `{item}`, and the host has `{PACKAGE}{interface}@{VERSION}`"),
    })
}

fn check_import(name: &str, import: &str) -> Result<(), LoadError> {
    const OFFERED: [&str; 12] = [
        "types",
        "events",
        "requests",
        "flow",
        "context",
        "log",
        "clock",
        "random",
        "state",
        "models",
        "tools",
        "conversation",
    ];
    let known = match own_interface(name, import)? {
        Some(interface) => OFFERED.contains(&interface),
        None => WASI.iter().any(|package| import.starts_with(package)),
    };
    if known {
        return Ok(());
    }
    Err(LoadError::UnknownImport {
        name: name.to_owned(),
        import: import.to_owned(),
        offered: CONTRACT.to_owned(),
    })
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

fn check_schema(name: &str, text: &str) -> Result<Value, LoadError> {
    let unusable = |cause: String| LoadError::Schema { name: name.to_owned(), cause };
    let schema: Value = serde_json::from_str(text).map_err(|error| unusable(error.to_string()))?;
    jsonschema::validator_for(&schema).map_err(|error| unusable(error.to_string()))?;
    Ok(schema)
}

fn check_config(component: &Component, spec: &LayerSpec, schema: &Value) -> Result<(), LoadError> {
    let validator = jsonschema::validator_for(schema)
        .map_err(|error| LoadError::Schema { name: component.name.clone(), cause: error.to_string() })?;
    let problems: Vec<String> = validator
        .iter_errors(&spec.config)
        .map(|error| {
            let path = error.instance_path().to_string();
            if path.is_empty() { error.to_string() } else { format!("at `{path}`: {error}") }
        })
        .collect();
    if problems.is_empty() {
        return Ok(());
    }
    Err(LoadError::Config { layer: spec.name.clone(), cause: problems.join("; ") })
}
