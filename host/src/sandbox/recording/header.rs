//! The first line: of what layer the recording is.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::policy::{LayerSource, LayerSpec, Limits};
use crate::sandbox::{CONTRACT, Component};

use super::FORMAT;

/// The first line of a file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FirstLine<L> {
    #[serde(rename = "cepa-recording")]
    pub(super) format: u32,
    #[serde(flatten)]
    pub(super) layer: L,
}

/// The layer that was recorded.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RecordedLayer {
    /// The contract that its host offered.
    pub contract: String,
    /// The version of Cepa that recorded it.
    pub cepa: String,
    /// Its name in the manifest.
    pub layer: String,
    /// The SHA-256 hash of its component, in hexadecimal.
    pub component: String,
    /// Where the component came from: `bundled:NAME`, or the path of a file or a project.
    pub source: String,
    /// The hooks that it implements.
    pub hooks: Vec<String>,
    /// Its configuration.
    pub config: Value,
    /// Its limits.
    pub limits: Limits,
}

impl RecordedLayer {
    pub(super) fn of(spec: &LayerSpec, component: &Component) -> Self {
        Self {
            contract: CONTRACT.to_owned(),
            cepa: env!("CARGO_PKG_VERSION").to_owned(),
            layer: spec.name.clone(),
            component: component.digest().to_owned(),
            source: source_text(&spec.source),
            hooks: component.hooks().iter().map(|hook| hook.name().to_owned()).collect(),
            config: spec.config.clone(),
            limits: spec.limits.clone(),
        }
    }

    pub(super) fn first_line(&self) -> FirstLine<&Self> {
        FirstLine { format: FORMAT, layer: self }
    }

    /// Where the component came from.
    pub fn layer_source(&self) -> LayerSource {
        LayerSource::named(&self.source)
    }

    /// The layer as a replay has it: it needs no grants, since nothing is asked of the host.
    pub(super) fn spec(&self) -> LayerSpec {
        LayerSpec {
            config: self.config.clone(),
            limits: self.limits.clone(),
            ..LayerSpec::new(&self.layer, self.layer_source())
        }
    }
}

/// A source that means the same from every folder.
fn source_text(source: &LayerSource) -> String {
    match source {
        LayerSource::Bundled(name) => format!("bundled:{name}"),
        LayerSource::File(path) | LayerSource::Project(path) => {
            std::path::absolute(path).as_ref().unwrap_or(path).display().to_string()
        }
    }
}
