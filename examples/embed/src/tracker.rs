//! What the service is about: the bugs that are known, and the tool that finds them for a model.

use std::sync::Arc;

use cepa::chain::Sink;
use cepa::error::Error;
use cepa::message::{ToolDefinition, ToolState};
use cepa::request::ToolResponse;
use cepa::tool::{Tool, ToolInvocation};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

/// The known bugs, by number.
#[derive(Debug)]
pub struct Tracker(Vec<(u32, &'static str)>);

impl Default for Tracker {
    fn default() -> Self {
        Self(vec![
            (12, "crash when the file is empty"),
            (31, "freeze while printing in landscape"),
            (47, "umlauts are lost on export"),
        ])
    }
}

impl Tracker {
    /// The first bug whose title has all these words.
    fn find(&self, words: &str) -> Option<(u32, &'static str)> {
        let words = words.to_lowercase();
        self.0.iter().copied().find(|(_, title)| words.split_whitespace().all(|word| title.contains(word)))
    }
}

/// The tool `find-bug`.
pub(crate) struct FindBug {
    definition: ToolDefinition,
    tracker: Arc<Tracker>,
}

impl FindBug {
    pub(crate) fn new(tracker: Arc<Tracker>) -> Self {
        let definition = ToolDefinition {
            name: "find-bug".to_owned(),
            description: "Finds a known bug by words of its title.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "words": { "type": "string", "minLength": 1 } },
                "required": ["words"],
                "additionalProperties": false,
            }),
            parallel: true,
            metadata: Map::new(),
        };
        Self { definition, tracker }
    }
}

impl Tool for FindBug {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// The arguments fit the definition's schema: the host has checked them.
    fn call(
        &self,
        invocation: ToolInvocation,
        _out: Sink,
    ) -> BoxFuture<'static, Result<ToolResponse, Error>> {
        let words = invocation.arguments.get("words").and_then(Value::as_str).unwrap_or_default();
        let text = match self.tracker.find(words) {
            Some((number, title)) => format!("known bug #{number}: {title}"),
            None => format!("no known bug has the words `{words}`"),
        };
        Box::pin(async move { Ok(ToolResponse::text_answer(ToolState::Success, text)) })
    }
}
