//! Why an agent can't be made from a manifest.

use crate::agent::BuildError;
use crate::manifest::{Manifest, ManifestError, Problem, Span};
use crate::tool::{ToolOwner, ToolboxError};
use crate::{index, sandbox, session::StoreError};

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
    /// The file of the layers' documents can't be used.
    #[error(transparent)]
    Index(index::OpenError),
    /// The sandbox can't be set up on this machine.
    #[error(transparent)]
    Engine(sandbox::LoadError),
}

impl LoadError {
    /// A problem with the component of a layer, at a key of its table.
    pub(super) fn component(manifest: &Manifest, layer: &str, key: &str, message: String) -> Self {
        Self::Component(manifest.error(vec![layer_problem(manifest, layer, key, message)]))
    }

    /// What the agent's builder refuses is a mistake in the manifest, or in a component that can't list its tools.
    pub(super) fn build(manifest: &Manifest, error: BuildError) -> Self {
        match error {
            BuildError::Sessions(error) => Self::Session(error),
            BuildError::ListTools { ref layer, .. } => {
                Self::component(manifest, layer, "source", error.to_string())
            }
            BuildError::Tool(error) => Self::Manifest(manifest.error(vec![tool_problem(manifest, &error)])),
            error => Self::Manifest(manifest.error(vec![Problem::new(error.to_string())])),
        }
    }
}

/// A problem with a tool, at the place in the manifest of who brings it.
fn tool_problem(manifest: &Manifest, error: &ToolboxError) -> Problem {
    let problem = Problem::new(error.to_string());
    let (name, owners) = match error {
        ToolboxError::Clash { name, first, second } => {
            (name, vec![(second, "and again here"), (first, "first here")])
        }
        ToolboxError::Name { name, owner } | ToolboxError::Schema { name, owner, .. } => {
            (name, vec![(owner, "")])
        }
    };
    owners.into_iter().fold(problem, |problem, (owner, says)| match bringer(manifest, owner, name) {
        Some(span) => problem.label(span, says),
        None => problem,
    })
}

/// The name of who brings a tool, as it stands in the manifest.
fn bringer(manifest: &Manifest, owner: &ToolOwner, tool: &str) -> Option<Span> {
    let pointer = match owner {
        ToolOwner::Native => return None,
        ToolOwner::Middleware(layer) => manifest.layer_pointer(layer)?,
        ToolOwner::Mcp(name) => {
            format!("/mcp/{}", manifest.mcp.iter().position(|server| server.name == *name)?)
        }
        ToolOwner::Outside => {
            format!("/tool/{}", manifest.tools.iter().position(|known| known.name == tool)?)
        }
    };
    manifest.span(&format!("{pointer}/name"))
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
