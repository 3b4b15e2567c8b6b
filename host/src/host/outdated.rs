//! Layers of sub-agents that the manifest or the files want otherwise: no swap exchanges them.

use serde::{Deserialize, Serialize};

use crate::manifest::Manifest;

use super::components::hashed;
use super::layers::LoadedLayer;

/// A layer of a sub-agent that goes on as it began, though the next start would have it otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct OutdatedLayer {
    /// The layer.
    pub layer: String,
    /// The hash of its component, which goes on.
    pub version_before: String,
    /// The hash of the component at the next start; `None` when there is none.
    pub version_after: Option<String>,
    /// Why its component can't be read or built, in which case the next start would fail. When this is absent and there
    /// is no component either, the manifest has the layer no longer.
    pub problem: Option<String>,
}

/// Which of these layers are not as the manifest and the files have them now. Projects are built for it, and nothing is
/// compiled.
pub(super) async fn outdated(running: &[LoadedLayer], manifest: &Manifest) -> Vec<OutdatedLayer> {
    let mut outdated = Vec::new();
    for layer in running {
        let mut wanted = manifest.agents.iter().flat_map(|sub| &sub.layers);
        let spec = wanted.find(|spec| spec.name == layer.spec.name);
        let (version_after, problem) = match spec {
            None => (None, None),
            Some(spec) => match hashed(&spec.source).await {
                Ok((digest, _)) => (Some(digest), None),
                Err(cause) => (None, Some(cause)),
            },
        };
        let version_before = layer.component.digest();
        if spec != Some(&layer.spec) || version_after.as_deref() != Some(version_before) {
            outdated.push(OutdatedLayer {
                layer: layer.spec.name.clone(),
                version_before: version_before.to_owned(),
                version_after,
                problem,
            });
        }
    }
    outdated
}
