//! Does what the operator wants with a running agent, whichever way the wish came.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::host::{Change, Consent, LoadError, Loaded, Progress, SwapError, SwapReport};
use crate::manifest::{Manifest, ManifestError};
use crate::policy::{LayerSource, LayerSpec};

use super::protocol::{Answer, Reason, Refusal, Status, SwapRequest};

/// Controls a running agent. Cheap to clone.
#[derive(Clone)]
pub struct Controller {
    loaded: Arc<Loaded>,
    tell: Arc<dyn Fn(&Answer) + Send + Sync>,
}

impl fmt::Debug for Controller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller").field("loaded", &self.loaded).finish_non_exhaustive()
    }
}

impl Controller {
    /// Controls this agent, and tells what came of each swap.
    pub fn new(loaded: Arc<Loaded>, tell: impl Fn(&Answer) + Send + Sync + 'static) -> Self {
        Self { loaded, tell: Arc::new(tell) }
    }

    /// The agent.
    pub fn loaded(&self) -> &Arc<Loaded> {
        &self.loaded
    }

    /// What is active.
    pub fn status(&self) -> Status {
        Status {
            agent: self.loaded.agent.name().to_owned(),
            manifest: self.loaded.manifest().path.display().to_string(),
            swaps: self.loaded.agent.swap_status(),
        }
    }

    /// Swaps layers, and says what came of it.
    pub async fn swap(&self, request: SwapRequest, progress: Progress<'_>) -> Answer {
        let consent = Consent::to(request.allow.iter().map(String::as_str));
        let answer = match self.change(&request).await {
            Ok(change) => self.apply(change, &consent, progress).await,
            Err(refusal) => Answer::Refused(refusal),
        };
        (self.tell)(&answer);
        answer
    }

    /// The same with a manifest that was read already, and told of only if something came of it.
    pub(super) async fn take_up(&self, manifest: Manifest) {
        let change = Change::Manifest(Box::new(manifest));
        let answer = self.apply(change, &Consent::default(), &|_| ()).await;
        match &answer {
            Answer::Swapped(report) if is_no_news(report) => {}
            _ => (self.tell)(&answer),
        }
    }

    /// Tells of a manifest that can't be read.
    pub(super) fn tell_unreadable(&self, error: &ManifestError) {
        (self.tell)(&Answer::Refused(Refusal::new(Reason::Manifest, error.to_string())));
    }

    async fn apply(&self, change: Change, consent: &Consent, progress: Progress<'_>) -> Answer {
        match self.loaded.swap(change, consent, progress).await {
            Ok(report) => Answer::Swapped(report),
            Err(error) => Answer::Refused(error.into()),
        }
    }

    /// What a request wants changed.
    async fn change(&self, request: &SwapRequest) -> Result<Change, Refusal> {
        let spec = match (&request.layer, &request.source) {
            (None, None) => return Ok(Change::Manifest(Box::new(self.manifest().await?))),
            (None, Some(_)) => {
                return Err(Refusal::new(Reason::Request, "a source needs the layer that it is for"));
            }
            (Some(name), None) => self.known_to_both(name).await?,
            (Some(name), Some(source)) => {
                let active = self.loaded.layers().into_iter().map(|layer| layer.spec).collect();
                LayerSpec { source: source_of(source)?, ..named(active, name, "the running agent")? }
            }
        };
        Ok(Change::Layer { spec: Box::new(spec), place: None })
    }

    /// A layer as the manifest has it now, which the agent has as well: alone it would have no place.
    async fn known_to_both(&self, name: &str) -> Result<LayerSpec, Refusal> {
        let spec = named(self.manifest().await?.layers, name, "the manifest")?;
        if self.loaded.agent.layers().contains(&spec.name) {
            return Ok(spec);
        }
        let text = format!(
            "layer `{name}` is new: it comes in when the whole manifest is taken up, without its name"
        );
        Err(Refusal::new(Reason::Request, text))
    }

    /// The host's manifest as it is now.
    async fn manifest(&self) -> Result<Manifest, Refusal> {
        let path = self.loaded.manifest().path.clone();
        match tokio::task::spawn_blocking(move || Manifest::load(&path)).await {
            Ok(Ok(manifest)) => Ok(manifest),
            Ok(Err(error)) => Err(Refusal::new(Reason::Manifest, error.to_string())),
            Err(error) => Err(Refusal::new(Reason::Internal, error.to_string())),
        }
    }
}

/// Whether a swap changed nothing, and leaves nothing to be known.
fn is_no_news(report: &SwapReport) -> bool {
    report.is_idle() && report.put_back.is_empty() && report.unapplied.is_empty()
}

fn named(layers: Vec<LayerSpec>, name: &str, place: &str) -> Result<LayerSpec, Refusal> {
    let known: Vec<String> = layers.iter().map(|layer| format!("`{}`", layer.name)).collect();
    layers.into_iter().find(|layer| layer.name == name).ok_or_else(|| {
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Refusal::new(Reason::Request, format!("{place} has no layer `{name}`; it has {known}"))
    })
}

fn source_of(text: &str) -> Result<LayerSource, Refusal> {
    if let Some(name) = text.strip_prefix("bundled:") {
        return Ok(LayerSource::Bundled(name.to_owned()));
    }
    let path = Path::new(text);
    if !path.is_absolute() {
        let message = format!("the source `{text}` is neither `bundled:NAME` nor an absolute path");
        return Err(Refusal::new(Reason::Request, message));
    }
    let source = if path.is_dir() { LayerSource::Project } else { LayerSource::File };
    Ok(source(path.to_owned()))
}

impl From<SwapError> for Refusal {
    fn from(error: SwapError) -> Self {
        let reason = match &error {
            SwapError::Load(LoadError::Manifest(_)) => Reason::Manifest,
            SwapError::Load(LoadError::Component(_)) => Reason::Component,
            SwapError::NoLayer { .. } | SwapError::Foreign => Reason::Request,
            SwapError::Consent(_) => Reason::Consent,
            SwapError::Migrate { .. } => Reason::State,
            _ => Reason::Internal,
        };
        let message = error.to_string();
        let refusal = Self::new(reason, message);
        match error {
            SwapError::Consent(layers) => Self { layers, ..refusal },
            SwapError::Migrate { notes, .. } => Self { notes, ..refusal },
            _ => refusal,
        }
    }
}
