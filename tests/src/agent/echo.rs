//! A native tool that does little.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cepa::chain::Sink;
use cepa::error::Error;
use cepa::event::Event;
use cepa::message::{ToolDefinition, ToolState};
use cepa::request::ToolResponse;
use cepa::tool::{Tool, ToolInvocation};
use serde_json::{Map, Value, json};

type Answering = Pin<Box<dyn Future<Output = Result<ToolResponse, Error>> + Send>>;

/// A native tool that answers its name and arguments, counts its calls, and may park or hang.
#[derive(Clone)]
pub struct Echo {
    definition: ToolDefinition,
    calls: Arc<AtomicU32>,
    then: Then,
}

/// What a tool does once it was called.
#[derive(Clone, Copy, Debug)]
enum Then {
    Answer,
    Park,
    Hang,
}

impl Echo {
    /// A tool of this name that takes any arguments with a whole `x`, if there is one.
    pub fn new(name: &str) -> Self {
        let definition = ToolDefinition {
            name: name.to_owned(),
            description: format!("{name}s"),
            parameters: json!({ "type": "object", "properties": { "x": { "type": "integer" } } }),
            parallel: true,
            metadata: Map::new(),
        };
        Self { definition, calls: Arc::default(), then: Then::Answer }
    }

    /// The same, but it waits for someone outside.
    #[must_use]
    pub fn parking(mut self) -> Self {
        self.then = Then::Park;
        self
    }

    /// The same, but it says that it has begun, and never ends.
    #[must_use]
    pub fn hanging(mut self) -> Self {
        self.then = Then::Hang;
        self
    }

    /// How often it was called.
    pub fn calls(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }

    async fn answer(self, invocation: ToolInvocation, out: Sink) -> Result<ToolResponse, Error> {
        match self.then {
            Then::Answer => {
                let text = format!("{} {}", self.definition.name, Value::Object(invocation.arguments));
                Ok(ToolResponse::text_answer(ToolState::Success, text))
            }
            Then::Park => Ok(ToolResponse::text_answer(ToolState::Parked, "")),
            Then::Hang => {
                let text = "begun".to_owned();
                out.send(Event::ToolResultText { call_id: invocation.call_id, text }).await?;
                std::future::pending().await
            }
        }
    }
}

impl Tool for Echo {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call(&self, invocation: ToolInvocation, out: Sink) -> Answering {
        self.calls.fetch_add(1, Ordering::SeqCst);
        Box::pin(self.clone().answer(invocation, out))
    }
}
