//! The tools of the agent around the component.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use crate::chain::Sink;
use crate::error::{Error, ErrorKind};
use crate::message::{ToolDefinition, ToolState};
use crate::request::ToolResponse;
use crate::tool::{Tool, ToolInvocation};

/// What the names of all these begin with, so that they are not a layer's own.
pub(super) const KIT: &str = "kit_";
/// The tool that answers what it is given.
pub(super) const LOOK: &str = "kit_look";
/// The tool that fails.
pub(super) const BROKEN: &str = "kit_broken";
/// The tool that waits for someone outside.
pub(super) const WAIT: &str = "kit_wait";

type Answering = BoxFuture<'static, Result<ToolResponse, Error>>;

fn definition(name: &str, description: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({ "type": "object", "properties": { "at": { "type": "string" } } }),
        parallel: true,
        metadata: Map::new(),
    }
}

fn said(invocation: &ToolInvocation) -> String {
    Value::Object(invocation.arguments.clone()).to_string()
}

/// Answers what it is given.
pub(super) struct Look(ToolDefinition);

impl Default for Look {
    fn default() -> Self {
        Self(definition(LOOK, "Looks at something."))
    }
}

impl Tool for Look {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn call(&self, invocation: ToolInvocation, _out: Sink) -> Answering {
        Box::pin(async move { Ok(ToolResponse::text_answer(ToolState::Success, said(&invocation))) })
    }
}

/// One more tool, of which a model has many.
pub(super) fn spare(number: u32) -> Arc<dyn Tool> {
    Arc::new(Look(definition(&format!("kit_spare_{number}"), "Looks at something else.")))
}

/// Fails.
pub(super) struct Broken(ToolDefinition);

impl Default for Broken {
    fn default() -> Self {
        Self(definition(BROKEN, "Fails."))
    }
}

impl Tool for Broken {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn call(&self, _invocation: ToolInvocation, _out: Sink) -> Answering {
        Box::pin(async { Err(Error::new(ErrorKind::Rejected, "the tool is broken")) })
    }
}

/// Waits for someone outside, and counts how often it was run.
#[derive(Clone)]
pub(super) struct Wait {
    definition: Arc<ToolDefinition>,
    runs: Arc<AtomicU32>,
}

impl Default for Wait {
    fn default() -> Self {
        let definition = Arc::new(definition(WAIT, "Asks someone outside."));
        Self { definition, runs: Arc::default() }
    }
}

impl Wait {
    /// How often it was run.
    pub(super) fn runs(&self) -> u32 {
        self.runs.load(Ordering::SeqCst)
    }
}

impl Tool for Wait {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call(&self, _invocation: ToolInvocation, _out: Sink) -> Answering {
        self.runs.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(ToolResponse::text_answer(ToolState::Parked, "")) })
    }
}
