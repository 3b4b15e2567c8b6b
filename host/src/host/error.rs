//! Why an agent can't be made from a manifest.

use crate::manifest::{Manifest, ManifestError, Problem};
use crate::{sandbox, session::StoreError};

/// Why an agent can't be made from a manifest.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The manifest names what is not there or can't be used. Points at each place.
    #[error(transparent)]
    Manifest(ManifestError),
    /// A component can't be loaded or does not fit its configuration. Points at each place.
    #[error(transparent)]
    Component(ManifestError),
    /// The session file can't be used.
    #[error(transparent)]
    Session(StoreError),
    /// The sandbox can't be set up on this machine.
    #[error(transparent)]
    Engine(sandbox::LoadError),
}

impl LoadError {
    /// A problem with the component of a layer, at a key of its table.
    pub(super) fn component(manifest: &Manifest, layer: &str, key: &str, message: String) -> Self {
        Self::Component(manifest.error(vec![layer_problem(manifest, layer, key, message)]))
    }
}

/// A problem at a key of a layer's table. The first line of `message` says what is wrong.
pub(super) fn layer_problem(manifest: &Manifest, layer: &str, key: &str, message: String) -> Problem {
    // What a compiler says has many lines, which are no part of the message.
    let (message, detail) = match message.split_once('\n') {
        Some((message, detail)) => (message.to_owned(), Some(detail.to_owned())),
        None => (message, None),
    };
    let span = manifest.layer_pointer(layer).and_then(|pointer| manifest.span(&format!("{pointer}/{key}")));
    let problem = match span {
        Some(span) => Problem::at(span, message),
        None => Problem::new(message),
    };
    Problem { detail, ..problem }
}
