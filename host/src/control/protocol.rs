//! What goes over the socket: one JSON object a line. A request, then progress, then one answer.

use serde::{Deserialize, Serialize};

use crate::agent::SwapStatus;
use crate::host::{LayerDifference, SwapReport};

/// What the operator wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// To know what is active.
    Status {},
    /// To swap layers.
    Swap(SwapRequest),
}

/// Which layers to swap. The host reads its own manifest again, never one that a request names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct SwapRequest {
    /// This layer alone; all of the manifest's when absent.
    pub layer: Option<String>,
    /// Another source for the layer than the manifest's: `bundled:NAME`, or an absolute path.
    pub source: Option<String>,
    /// What the operator agrees to, as for [`Consent`](crate::host::Consent).
    pub allow: Vec<String>,
}

/// What the host says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Answer {
    /// It is at work. More follows.
    Progress {
        /// What is being done.
        text: String,
    },
    /// What is active.
    Status(Status),
    /// The layers were swapped, or did not differ.
    Swapped(SwapReport),
    /// Nothing was changed.
    Refused(Refusal),
}

/// What is active in a running host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Status {
    /// The agent's name.
    pub agent: String,
    /// The manifest that the host reads.
    pub manifest: String,
    /// Its generations of layers, and the last roll-back.
    #[serde(flatten)]
    pub swaps: SwapStatus,
}

/// Why nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Refusal {
    /// What kind of reason it is.
    pub reason: Reason,
    /// The reason, for a person; of a manifest, several lines with the places.
    pub message: String,
    /// The differences that need consent, with what is left to consent to.
    pub layers: Vec<LayerDifference>,
    /// What layers said while they took over their state.
    pub notes: Vec<String>,
}

/// What kind of reason there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The request can't be used.
    Request,
    /// The manifest has mistakes.
    Manifest,
    /// A component can't be loaded, or does not fit its configuration.
    Component,
    /// The operator has to agree to something first.
    Consent,
    /// A layer could not take over its state.
    State,
    /// A defect of the host.
    Internal,
}

impl Refusal {
    pub(super) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), layers: Vec::new(), notes: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_object_and_unknown_ones_are_refused() {
        let read = |text: &str| serde_json::from_str::<Request>(text);
        assert_eq!(read(r#"{"type":"status"}"#).ok(), Some(Request::Status {}));
        let swap = SwapRequest { layer: Some("x".to_owned()), ..SwapRequest::default() };
        assert_eq!(read(r#"{"type":"swap","layer":"x"}"#).ok(), Some(Request::Swap(swap)));
        for text in
            ["", "{}", r#"{"type":"stop"}"#, r#"{"type":"swap","layer":1}"#, r#"{"type":"status","x":1}"#]
        {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
