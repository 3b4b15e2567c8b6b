//! Swapping the layers of a running agent by its manifest: loaded, checked, compared, consented to, and only then active.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::agent::{self, Accompanying};
use crate::chain::{Note, NoteKind};
use crate::manifest::Manifest;
use crate::policy::LayerSpec;

use super::components::{self, Known};
use super::difference::{Consent, LayerDifference, between};
use super::error::LoadError;
use super::layers::{Layers, LoadedLayer};
use super::outdated::{OutdatedLayer, outdated};
use super::{Loaded, Progress};

/// The section of the manifest with the sub-agents.
const AGENTS: &str = "agents";

/// What is to be swapped.
#[derive(Clone, Debug)]
pub enum Change {
    /// The layers become those of this manifest, and the rules about tool calls its own. Every component is read again.
    Manifest(Box<Manifest>),
    /// This layer becomes what this says; no other component is read.
    Layer {
        /// The layer: its name says which.
        spec: Box<LayerSpec>,
        /// How many layers stand outside of it. Without it the layer stays where it is; with it a new one may come in.
        place: Option<usize>,
    },
}

/// What a swap did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SwapReport {
    /// The generation of layers that is active now; the one before when nothing differed.
    pub generation: u64,
    /// How each layer differs; empty when none did, and then none was swapped.
    pub layers: Vec<LayerDifference>,
    /// Whether the rules about tool calls are others. They hold for running replies as well.
    pub permissions: bool,
    /// Layers that were taken out for their faults, and are tried again. Those of sub-agents are, unless they are
    /// outdated.
    pub put_back: Vec<String>,
    /// Layers of sub-agents that go on as they began, though the manifest or their component is another one now. A
    /// swap of one layer does not look for them.
    pub outdated: Vec<OutdatedLayer>,
    /// What layers said while they took over their state.
    pub notes: Vec<String>,
    /// The sections besides the layers that differ from those that the agent began with: they hold once it is started
    /// anew. `agents` is there for another component of a sub-agent's layer, too.
    pub unapplied: Vec<String>,
}

/// Why layers could not be swapped. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SwapError {
    /// The manifest or a component can't be used.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// There is no such layer.
    #[error("there is no layer `{name}`; there are {known}")]
    NoLayer {
        /// The name.
        name: String,
        /// The layers there are.
        known: String,
    },
    /// A layer would use or may use what it did not before, and nobody agreed to it.
    #[error("the swap needs consent: {}", wants(.0))]
    Consent(Vec<LayerDifference>),
    /// A layer could not take over the state of its version before.
    #[error("layer `{layer}` could not take over the state of its version before: {cause}")]
    Migrate {
        /// The layer.
        layer: String,
        /// What happened.
        cause: String,
        /// What layers said while they tried.
        notes: Vec<String>,
    },
    /// The layers that are active were not made from a manifest.
    #[error(
        "the agent's layers were put in by the program around it, so they can't be compared with a manifest's"
    )]
    Foreign,
    /// The task of the swap broke.
    #[error("the swap broke off: {0}")]
    Broken(String),
}

/// What still needs consent, for a person.
fn wants(differences: &[LayerDifference]) -> String {
    let wanting = differences.iter().filter(|difference| !difference.needs_consent.is_empty());
    let each = wanting.map(|difference| {
        format!("layer `{}` newly has `{}`", difference.layer, difference.needs_consent.join("`, `"))
    });
    each.collect::<Vec<_>>().join("; ")
}

impl SwapReport {
    /// Whether nothing differed that a swap takes up.
    pub fn is_idle(&self) -> bool {
        self.layers.is_empty() && !self.permissions
    }
}

impl Loaded {
    /// The active layers, outermost first. Empty when the program put in layers of its own.
    pub fn layers(&self) -> Vec<LoadedLayer> {
        self.active().map(|active| active.loaded()).unwrap_or_default()
    }

    /// The layers of the sub-agents, as they began: no swap exchanges them.
    pub fn sub_layers(&self) -> &[LoadedLayer] {
        &self.sub_layers
    }

    /// The manifest that the agent began with.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Swaps layers: those that differ are loaded, compiled off the async threads and checked (contract, imports, a
    /// first instance, configuration, tools), then shown to `consent`, and only then new replies take them. Running
    /// replies end on the layers that they began with. See [`Agent::swap`](crate::agent::Agent::swap) for state and
    /// roll-back.
    ///
    /// # Errors
    /// [`SwapError`]; everything is then as before.
    pub async fn swap(
        &self,
        change: Change,
        consent: &Consent,
        progress: Progress<'_>,
    ) -> Result<SwapReport, SwapError> {
        let _alone = self.swapping.lock().await;
        let active = self.active().ok_or(SwapError::Foreign)?;
        let (manifest, only) = change.wanted(&active.manifest)?;
        let before = active.loaded();
        let known = Known { layers: &before, only: only.as_deref() };
        let specs: Vec<&LayerSpec> = manifest.layers.iter().collect();
        let after = components::load(&self.sandbox, &manifest, &specs, &known, progress).await?;
        let layers = between(&before, &after);
        refuse_without(consent, &layers)?;

        let mut report = self.beside_layers(&manifest, only.is_some()).await;
        report.layers = layers;
        if report.layers.is_empty() {
            if report.permissions {
                self.agent.set_permissions(manifest.permissions);
            }
            report.generation = self.agent.generation();
        } else {
            let fresh = Layers::of(&self.sandbox, &manifest, after, Some(&active))?;
            let entries = fresh.entries();
            let along = Accompanying {
                origin: Some(Arc::new(fresh)),
                permissions: report.permissions.then(|| manifest.permissions.clone()),
            };
            let swapped = self.agent.swap_with(entries, along).await;
            let swapped = swapped.map_err(|error| refused(&manifest, error))?;
            report.generation = swapped.generation;
            report.notes = said(&swapped.notes);
        }
        report.put_back = self.put_back(only.as_deref(), &report.outdated);
        Ok(report)
    }

    /// What differs besides the layers of the agent.
    async fn beside_layers(&self, manifest: &Manifest, one_layer: bool) -> SwapReport {
        let mut unapplied: Vec<String> =
            manifest.other_sections(&self.manifest).into_iter().map(str::to_owned).collect();
        // A layer alone brings no rules, and reads no other component.
        if one_layer {
            return SwapReport { unapplied, ..SwapReport::default() };
        }
        let permissions = *self.agent.permissions() != manifest.permissions;
        let outdated = outdated(&self.sub_layers, manifest).await;
        if !outdated.is_empty() && !unapplied.iter().any(|section| section == AGENTS) {
            unapplied.push(AGENTS.to_owned());
        }
        SwapReport { permissions, outdated, unapplied, ..SwapReport::default() }
    }

    /// Has layers tried again that were taken out: this one, or all but those whose old code would run again.
    fn put_back(&self, only: Option<&str>, outdated: &[OutdatedLayer]) -> Vec<String> {
        let mut names: Vec<String> = self.agent.taken_out().into_iter().map(|(name, _)| name).collect();
        names.retain(|name| only.is_none_or(|only| only == name));
        names.retain(|name| outdated.iter().all(|old| old.layer != *name));
        for name in &names {
            self.agent.put_back(name);
        }
        names
    }

    fn active(&self) -> Option<Arc<Layers>> {
        self.agent.origin()?.downcast().ok()
    }
}

impl Change {
    /// The manifest that is wanted, and the one layer that is to be read again.
    fn wanted(self, now: &Manifest) -> Result<(Manifest, Option<String>), SwapError> {
        let (spec, place) = match self {
            Self::Manifest(manifest) => return Ok((*manifest, None)),
            Self::Layer { spec, place } => (spec, place),
        };
        let mut manifest = now.clone().unplaced();
        let name = spec.name.clone();
        let layers = &mut manifest.layers;
        let at = layers.iter().position(|layer| layer.name == name);
        match (at.and_then(|at| layers.get_mut(at)), place) {
            (Some(layer), None) => *layer = *spec,
            (None, None) => {
                let known: Vec<String> = layers.iter().map(|layer| format!("`{}`", layer.name)).collect();
                return Err(SwapError::NoLayer { name, known: known.join(", ") });
            }
            (_, Some(place)) => {
                layers.retain(|layer| layer.name != name);
                layers.insert(place.min(layers.len()), *spec);
            }
        }
        Ok((manifest, Some(name)))
    }
}

fn refuse_without(consent: &Consent, layers: &[LayerDifference]) -> Result<(), SwapError> {
    let wanting: Vec<LayerDifference> = layers.iter().map(|layer| layer.clone().after(consent)).collect();
    if wanting.iter().all(|layer| layer.needs_consent.is_empty()) {
        return Ok(());
    }
    Err(SwapError::Consent(wanting))
}

/// What layers said, a line each.
fn said(notes: &[Note]) -> Vec<String> {
    let each = notes.iter().map(|Note { layer, kind }| match kind {
        NoteKind::Log { message, .. } => format!("{layer}: {message}"),
        other => format!("{layer}: {other:?}"),
    });
    each.collect()
}

fn refused(manifest: &Manifest, error: agent::SwapError) -> SwapError {
    match error {
        agent::SwapError::Layers(error) => SwapError::Load(LoadError::build(manifest, error)),
        agent::SwapError::Migrate { layer, cause, notes } => {
            SwapError::Migrate { layer, cause, notes: said(&notes) }
        }
        agent::SwapError::Broken(cause) => SwapError::Broken(cause),
    }
}
