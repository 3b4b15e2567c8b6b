//! The components of the layers: found, built where they are projects, compiled, and checked against the manifest.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt as _, Shared, TryFutureExt as _};
use parking_lot::Mutex;

use crate::bundled;
use crate::manifest::{Manifest, Problem};
use crate::policy::{LayerSource, LayerSpec};
use crate::sandbox::{self, Component, Sandbox};

use super::error::{LoadError, layer_problem};
use super::loading::side_by_side;
use super::{LoadedLayer, Progress};

/// The largest component, in bytes: those with a language runtime have some tens of millions.
const COMPONENT_MAX: u64 = 256 << 20;

/// The longest word about a configuration that does not fit, in characters.
const SAYS_MAX: usize = 300;

/// Why the bytes of a component can't be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// No middleware of this name is built in.
    #[error("there is no bundled middleware `{name}`; there are {known}")]
    UnknownBundled {
        /// The name.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// The file can't be read.
    #[error("component `{path}` can't be read: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: String,
    },
    /// The project can't be built.
    #[error("project `{path}` can't be built: {cause}")]
    Build {
        /// The folder.
        path: PathBuf,
        /// What the build said.
        cause: String,
    },
}

/// The bytes of a component. A project is built first, which may take minutes.
///
/// # Errors
/// When there is no such component, or it can't be read or built.
pub fn component_bytes(source: &LayerSource) -> Result<Arc<[u8]>, SourceError> {
    match source {
        LayerSource::Bundled(name) => {
            bundled::bundled(name).map(Arc::from).ok_or_else(|| unknown_bundled(name))
        }
        LayerSource::File(path) => read(path),
        LayerSource::Project(folder) => read(&build(folder)?),
    }
}

fn unknown_bundled(name: &str) -> SourceError {
    let known: Vec<String> = bundled::names().map(|name| format!("`{name}`")).collect();
    SourceError::UnknownBundled { name: name.to_owned(), known: known.join(", ") }
}

fn read(path: &Path) -> Result<Arc<[u8]>, SourceError> {
    let unreadable = |cause: String| SourceError::File { path: path.to_owned(), cause };
    let io = |error: std::io::Error| unreadable(error.to_string());
    // Asked before it is opened: to open a pipe waits for its writer, and a device may have no end.
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Err(unreadable("it is no plain file".to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(io)?.take(COMPONENT_MAX + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > COMPONENT_MAX {
        return Err(unreadable(format!("it has more than the {COMPONENT_MAX} bytes allowed")));
    }
    Ok(bytes.into())
}

fn build(folder: &Path) -> Result<PathBuf, SourceError> {
    let failed = |cause: String| SourceError::Build { path: folder.to_owned(), cause };
    let built = cepa_project_build::Build::new(folder).run(&mut |_| {});
    let built = built.map_err(|error| failed(error.to_string()))?;
    match built.as_slice() {
        [one] => Ok(one.path.clone()),
        several => Err(failed(format!("it has {} crates, and one is wanted", several.len()))),
    }
}

/// What is loaded already.
#[derive(Default)]
pub(super) struct Known<'a> {
    pub(super) layers: &'a [LoadedLayer],
    /// The one layer whose file is read again; every one when absent.
    pub(super) only: Option<&'a str>,
}

impl Known<'_> {
    /// The layer as it is, if it is not to be read again.
    fn kept(&self, spec: &LayerSpec) -> Option<&LoadedLayer> {
        let spared = self.only.is_some_and(|only| only != spec.name);
        self.layers.iter().find(|layer| spared && layer.spec == *spec)
    }

    /// The component with this hash, if it is loaded.
    fn component(&self, digest: &str) -> Option<Component> {
        let same = self.layers.iter().find(|layer| layer.component.digest() == digest);
        same.map(|layer| layer.component.clone())
    }
}

/// The components of these layers, in their order. Finds all that is wrong with them. What is known is not compiled again.
pub(super) async fn load(
    sandbox: &Sandbox,
    manifest: &Manifest,
    specs: &[&LayerSpec],
    known: &Known<'_>,
    progress: Progress<'_>,
) -> Result<Vec<LoadedLayer>, LoadError> {
    let fresh = specs.iter().filter(|spec| known.kept(spec).is_none());
    let sources = fresh.map(|spec| &spec.source).collect();
    let compiling = Compiling::default();
    let load = |source| load_one(sandbox, source, known, Arc::clone(&compiling));
    let components = side_by_side(sources, progress, load).await;
    let mut components = components.into_iter();
    let mut layers = Vec::new();
    let mut problems = Vec::new();
    for &spec in specs {
        if let Some(layer) = known.kept(spec) {
            layers.push(layer.clone());
            continue;
        }
        match components.next() {
            Some(Ok(component)) => {
                problems.extend(config_problems(manifest, spec, &component));
                problems.extend(memory_problem(manifest, spec, &component));
                layers.push(LoadedLayer { spec: spec.clone(), component });
            }
            Some(Err(cause)) => problems.push(layer_problem(manifest, &spec.name, "source", cause)),
            // There is one for each layer that is not kept.
            None => {}
        }
    }
    if problems.is_empty() { Ok(layers) } else { Err(LoadError::Component(manifest.error(problems))) }
}

/// What is being compiled, by the hash of its bytes: what two sources have alike is compiled once.
type Compiling<'a> = Arc<Mutex<HashMap<String, Shared<BoxFuture<'a, Result<Component, String>>>>>>;

async fn load_one<'a>(
    sandbox: &'a Sandbox,
    source: &'a LayerSource,
    known: &Known<'_>,
    compiling: Compiling<'a>,
) -> Result<Component, String> {
    let (digest, bytes) = hashed(source).await?;
    if let Some(component) = known.component(&digest) {
        return Ok(component);
    }
    let compile = || {
        let compiled = async move { sandbox.load(&source_name(source), bytes).await };
        compiled.map_err(|error| error.to_string()).boxed().shared()
    };
    let compiled = {
        let mut compiling = compiling.lock();
        compiling.entry(digest).or_insert_with(compile).clone()
    };
    compiled.await
}

/// The hash of a component, and its bytes; read and built off the async threads.
pub(super) async fn hashed(source: &LayerSource) -> Result<(String, Arc<[u8]>), String> {
    let source = source.clone();
    let read = move || component_bytes(&source).map(|bytes| (sandbox::digest(&bytes), bytes));
    let hashed = tokio::task::spawn_blocking(read).await.map_err(|error| error.to_string())?;
    hashed.map_err(|error| error.to_string())
}

/// A source as the manifest writes it.
pub(super) fn source_name(source: &LayerSource) -> String {
    match source {
        LayerSource::Bundled(name) => format!("bundled:{name}"),
        LayerSource::File(path) | LayerSource::Project(path) => path.display().to_string(),
    }
}

/// The begin of what a schema's error says: it may list every key of a table.
fn short(text: &str) -> String {
    let mut short: String = text.chars().take(SAYS_MAX).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

/// Each value of the configuration that does not fit the component's own schema, at its place.
fn config_problems(manifest: &Manifest, spec: &LayerSpec, component: &Component) -> Vec<Problem> {
    let Some(validator) = component.config_schema().and_then(|schema| jsonschema::validator_for(schema).ok())
    else {
        return Vec::new();
    };
    validator
        .iter_errors(&spec.config)
        .map(|error| {
            let message = format!("the configuration of layer `{}` does not fit its component", spec.name);
            let key = format!("config{}", error.instance_path());
            layer_problem(manifest, &spec.name, &key, message)
                .says(short(&error.to_string()))
                .help(format!("`cepa inspect {}` shows the schema", source_name(&spec.source)))
        })
        .collect()
}

/// A limit of memory that the component can't begin with.
fn memory_problem(manifest: &Manifest, spec: &LayerSpec, component: &Component) -> Option<Problem> {
    let (needed, allowed) = (component.initial_memory(), spec.limits.memory);
    let message = format!(
        "layer `{}` begins with {needed} bytes of memory, and its `limits.memory` allows {allowed}",
        spec.name
    );
    (needed > allowed).then(|| layer_problem(manifest, &spec.name, "limits/memory", message))
}
