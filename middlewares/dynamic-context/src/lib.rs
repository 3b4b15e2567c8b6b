//! Tells the model what changes from step to step, as a hint behind the conversation.
//!
//! The system prompt and all earlier messages stay as they were, so a provider's prompt cache keeps its hits.

mod date;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use cepa_sdk::{
    Error, Middleware, OnReasoning, ReasoningNext, ReasoningRequest, ReasoningResponse, Sink, clock, context,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// The configuration.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Config {
    /// Whether the time is told, to the minute.
    pub time: bool,
    /// Minutes east of UTC of the time told, from -840 to 840.
    #[schemars(range(min = -840, max = 840))]
    pub utc_offset_minutes: i32,
    /// Whether it is told whom the agent acts for, where that is known.
    pub actor: bool,
    /// More lines, each a name and a text.
    pub facts: BTreeMap<String, String>,
}

impl Default for Config {
    fn default() -> Self {
        Self { time: true, utc_offset_minutes: 0, actor: false, facts: BTreeMap::new() }
    }
}

/// The middleware.
#[derive(Debug)]
pub struct DynamicContext(Config);

impl DynamicContext {
    /// One line a fact; none gives an empty text.
    fn text(&self) -> String {
        let mut lines = Vec::new();
        if self.0.time {
            lines.push(format!("time: {}", date::written(clock::now_ms(), self.0.utc_offset_minutes)));
        }
        if let Some(actor) = context::actor().filter(|_| self.0.actor) {
            lines.push(format!("user: {}", one_line(&actor)));
        }
        lines.extend(
            self.0.facts.iter().map(|(name, text)| format!("{}: {}", one_line(name), one_line(text))),
        );
        lines.join("\n")
    }
}

/// A value can't begin a line of its own, and so can't pass for another fact.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Middleware for DynamicContext {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        let offset = config.utc_offset_minutes;
        if !(-840..=840).contains(&offset) {
            return Err(Error::invalid(format!(
                "`utc-offset-minutes` is {offset}: from -840 to 840 is possible"
            )));
        }
        Ok(Self(config))
    }
}

impl OnReasoning for DynamicContext {
    fn on_reasoning(
        &self,
        request: ReasoningRequest,
        next: ReasoningNext,
        _: Sink,
    ) -> Result<ReasoningResponse, Error> {
        let text = self.text();
        if !text.is_empty() {
            request.add_hint("context", &text);
        }
        next.run(request)
    }
}

cepa_sdk::export!(DynamicContext: OnReasoning);
