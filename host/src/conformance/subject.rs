//! What is tested: a component, and what its author says of the agent around it.

use std::sync::Arc;

use serde_json::Value;

use crate::policy::{LayerSource, LayerSpec, Limits};
use crate::sandbox::{Component, LoadError, Sandbox};

use super::finding::{Finding, Judged};
use super::rig::{BESIDE, HELPER, MAIN, MOUNT};
use super::{Check, Transcript};

/// What an agent around the component is to have, besides what every one of the kit has.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The layer's name.
    pub layer: String,
    /// Its configuration, an object.
    pub config: Value,
    /// Its limits.
    pub limits: Limits,
    /// Aliases of models.
    pub models: Vec<String>,
    /// Names of sub-agents.
    pub agents: Vec<String>,
    /// Names of mounts.
    pub mounts: Vec<String>,
}

impl Surroundings {
    /// What there is for a component of which nothing else is known.
    pub fn new(layer: impl Into<String>) -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            layer: layer.into(),
            config: Value::Object(serde_json::Map::new()),
            limits: Limits::default(),
            models: names(&[MAIN, BESIDE]),
            agents: names(&[HELPER]),
            mounts: names(&[MOUNT]),
        }
    }
}

/// A component that can be tested.
#[derive(Clone, Debug)]
pub struct Subject {
    pub(super) sandbox: Sandbox,
    pub(super) component: Component,
    pub(super) around: Surroundings,
    pub(super) transcripts: Vec<Transcript>,
}

/// Why a component can't be tested.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubjectError {
    /// It can't be loaded: the check `loads` fails.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It needs a configuration other than the one it was given.
    #[error("the configuration does not fit the component: {}", .0.join("; "))]
    Config(Vec<String>),
}

impl SubjectError {
    /// The report of a component that can't be loaded. `None` when it was not tried, for want of a configuration.
    pub fn judged(&self) -> Option<Judged> {
        match self {
            Self::Load(error) => {
                let finding = Finding::new("the component can't be loaded").seen(error.to_string());
                Some(Judged::failed(Check::Loads, vec![finding]))
            }
            Self::Config(_) => None,
        }
    }
}

impl Subject {
    /// Loads a component, and sees that its configuration fits.
    ///
    /// # Errors
    /// When it can't be loaded, or the configuration does not fit: everything that is wrong with it.
    pub async fn load(
        sandbox: &Sandbox,
        bytes: impl Into<Arc<[u8]>>,
        around: Surroundings,
    ) -> Result<Self, SubjectError> {
        let component = sandbox.load(&around.layer, bytes).await?;
        let misfits = component.config_misfits(&around.config);
        if !misfits.is_empty() {
            return Err(SubjectError::Config(misfits));
        }
        Ok(Self { sandbox: sandbox.clone(), component, around, transcripts: Vec::new() })
    }

    /// The same with its author's transcripts, which take the place of the kit's own.
    #[must_use]
    pub fn transcripts(mut self, transcripts: Vec<Transcript>) -> Self {
        self.transcripts = transcripts;
        self
    }

    /// The component.
    pub fn component(&self) -> &Component {
        &self.component
    }

    /// The layer that is tested, without grants.
    pub(super) fn spec(&self) -> LayerSpec {
        let source = LayerSource::Bundled(self.around.layer.clone());
        LayerSpec {
            config: self.around.config.clone(),
            limits: self.around.limits.clone(),
            ..LayerSpec::new(&self.around.layer, source)
        }
    }

    /// Whether it imports this capability.
    pub(super) fn imports(&self, capability: &str) -> bool {
        self.component.capabilities().contains(&capability)
    }

    /// Whether the machine's own clocks or chance reach it, so that no two of its replies need be the same.
    pub(super) fn is_fickle(&self) -> bool {
        let sources = ["wasi:clocks/", "wasi:random/"];
        self.component.imports().iter().any(|import| sources.iter().any(|source| import.starts_with(source)))
    }
}
