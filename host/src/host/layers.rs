//! The layers of one generation of an agent, with what they were made of.

use crate::chain::ChainEntry;
use crate::manifest::Manifest;
use crate::policy::LayerSpec;
use crate::sandbox::{self, Component, Sandbox};

use super::error::LoadError;

/// A layer with its component.
#[derive(Clone, Debug)]
pub struct LoadedLayer {
    /// What the manifest says of it.
    pub spec: LayerSpec,
    /// What runs in it.
    pub component: Component,
}

impl LoadedLayer {
    /// Whether the other one runs the same in the same way, wherever its component came from.
    fn is_same(&self, other: &Self) -> bool {
        let (a, b) = (&self.spec, &other.spec);
        a.name == b.name
            && self.component.digest() == other.component.digest()
            && a.config == b.config
            && a.grants == b.grants
            && a.limits == b.limits
            && a.on_fault == b.on_fault
            && a.max_faults == b.max_faults
    }
}

/// The layers of a generation, outermost first, and the manifest that says so.
#[derive(Debug)]
pub(super) struct Layers {
    pub(super) manifest: Manifest,
    layers: Vec<(LoadedLayer, ChainEntry)>,
}

impl Layers {
    /// Makes middlewares of components. A layer that is the same in `before` keeps the one that it has there.
    pub(super) fn of(
        sandbox: &Sandbox,
        manifest: &Manifest,
        loaded: Vec<LoadedLayer>,
        before: Option<&Self>,
    ) -> Result<Self, LoadError> {
        let mut layers = Vec::with_capacity(loaded.len());
        for layer in loaded {
            let kept = before.and_then(|before| before.layers.iter().find(|(old, _)| old.is_same(&layer)));
            let entry = match kept {
                Some((_, entry)) => entry.clone(),
                None => entry(sandbox, manifest, &layer)?,
            };
            layers.push((layer, entry));
        }
        Ok(Self { manifest: manifest.clone(), layers })
    }

    pub(super) fn entries(&self) -> Vec<ChainEntry> {
        self.layers.iter().map(|(_, entry)| entry.clone()).collect()
    }

    pub(super) fn loaded(&self) -> Vec<LoadedLayer> {
        self.layers.iter().map(|(layer, _)| layer.clone()).collect()
    }
}

fn entry(sandbox: &Sandbox, manifest: &Manifest, layer: &LoadedLayer) -> Result<ChainEntry, LoadError> {
    let middleware = sandbox.middleware(layer.spec.clone(), &layer.component).map_err(|error| {
        let key = match &error {
            sandbox::LoadError::Mount(error) => format!("grants/workspace/{}", error.mount),
            _ => "source".to_owned(),
        };
        LoadError::component(manifest, &layer.spec.name, &key, error.to_string())
    })?;
    Ok(layer.spec.entry(middleware))
}
