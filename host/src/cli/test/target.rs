//! What is tested: a component file, one that is built in, or a project with what it says of its surroundings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cepa::conformance::{Surroundings, Transcript};
use cepa::host::component_bytes;
use cepa::manifest::{FILE_NAME, Manifest};
use cepa::policy::{LayerSource, LayerSpec};
use serde_json::Value;

use crate::cli::args::TestArgs;
use crate::cli::exit::{Exit, Failure};

/// A component, and what an agent around it is to have.
pub(super) struct Target {
    pub(super) bytes: Arc<[u8]>,
    pub(super) around: Surroundings,
    pub(super) transcripts: Vec<Transcript>,
}

impl Target {
    /// Finds what the arguments name, and builds it where it is a project.
    pub(super) fn find(args: &TestArgs) -> Result<Self, Failure> {
        let source = source(&args.component);
        let (mut around, transcripts) = match &source {
            LayerSource::Project(folder) => (of_project(folder)?, transcripts(folder)?),
            _ => (Surroundings::new(layer_name(&args.component)), Vec::new()),
        };
        if args.update && transcripts.is_empty() {
            let problem = format!("`{}` has no transcripts to update", args.component);
            return Err(Failure::usage(problem).hint("a project has them as `transcripts/NAME.toml`"));
        }
        if let Some(config) = &args.config {
            around.config = object(config)?;
        }
        let bytes = component_bytes(&source).map_err(|error| Failure::new(Exit::Component, error))?;
        Ok(Self { bytes, around, transcripts })
    }
}

fn source(component: &str) -> LayerSource {
    let path = PathBuf::from(component);
    match component.strip_prefix("bundled:") {
        Some(bundled) => LayerSource::Bundled(bundled.to_owned()),
        None if path.is_dir() => LayerSource::Project(path),
        None => LayerSource::File(path),
    }
}

/// The layer's name, where no manifest says one: that of the file.
fn layer_name(component: &str) -> String {
    let bare = component.strip_prefix("bundled:").unwrap_or(component);
    let stem = Path::new(bare).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if stem.is_empty() { "component".to_owned() } else { stem }
}

fn object(config: &str) -> Result<Value, Failure> {
    match serde_json::from_str::<Value>(config) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => {
            Err(Failure::usage("`--config` is no JSON object")
                .hint("it looks like `--config '{\"key\": 1}'`"))
        }
        Err(error) => Err(Failure::usage(format!("`--config` is no JSON: {error}"))),
    }
}

fn transcripts(folder: &Path) -> Result<Vec<Transcript>, Failure> {
    Transcript::of_project(folder).map_err(Failure::usage)
}

/// What the manifest of a project says of its layer and of the agent around it.
fn of_project(folder: &Path) -> Result<Surroundings, Failure> {
    let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut around = Surroundings::new(layer_name(&full.to_string_lossy()));
    if !folder.join(FILE_NAME).is_file() {
        return Ok(around);
    }
    let manifest =
        Manifest::load_unbuilt(folder).map_err(|error| Failure::rendered(Exit::Manifest, error))?;
    let Some(layer) = own_layer(&manifest, &full) else { return Ok(around) };
    around.layer.clone_from(&layer.name);
    around.config.clone_from(&layer.config);
    around.limits = layer.limits.clone();
    let add = |names: &mut Vec<String>, more: &mut dyn Iterator<Item = &String>| {
        names.extend(more.cloned());
        names.sort();
        names.dedup();
    };
    add(&mut around.models, &mut manifest.models.iter().map(|model| &model.alias));
    add(&mut around.agents, &mut manifest.agents.iter().map(|sub| &sub.agent.name));
    add(&mut around.mounts, &mut layer.grants.workspace.iter().map(|mount| &mount.name));
    Ok(around)
}

/// The layer of a manifest that is this project: made of it or of a file in it, or the only one.
fn own_layer<'a>(manifest: &'a Manifest, folder: &Path) -> Option<&'a LayerSpec> {
    let is_own = |layer: &&LayerSpec| match &layer.source {
        LayerSource::Bundled(_) => false,
        LayerSource::File(path) | LayerSource::Project(path) => {
            let parent =
                path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let place = path.canonicalize().or_else(|_| parent.canonicalize());
            place.is_ok_and(|place| place.starts_with(folder))
        }
    };
    manifest.layers.iter().find(is_own).or(match manifest.layers.as_slice() {
        [only] => Some(only),
        _ => None,
    })
}
