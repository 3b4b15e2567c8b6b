//! What a call of a model cost, and why it ended.

use serde::{Deserialize, Serialize};

use super::Block;

/// Tokens of one or of several model calls. An absent count is unknown, which is not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Usage {
    /// All input tokens, those read from a cache included.
    pub input_tokens: Option<u32>,
    /// Output tokens.
    pub output_tokens: Option<u32>,
    /// Input tokens that were read from the provider's cache.
    pub cache_read_tokens: Option<u32>,
    /// Input tokens that were written to the provider's cache.
    pub cache_write_tokens: Option<u32>,
    /// Output tokens spent on thinking.
    pub reasoning_tokens: Option<u32>,
    /// Other counts that the provider reports, by its own names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<(String, u32)>,
}

impl Usage {
    /// Adds the counts of another call. A count is unknown only while no call has reported it.
    pub fn add(&mut self, other: &Self) {
        fn sum(into: &mut Option<u32>, from: Option<u32>) {
            if let Some(from) = from {
                *into = Some(into.unwrap_or(0).saturating_add(from));
            }
        }
        sum(&mut self.input_tokens, other.input_tokens);
        sum(&mut self.output_tokens, other.output_tokens);
        sum(&mut self.cache_read_tokens, other.cache_read_tokens);
        sum(&mut self.cache_write_tokens, other.cache_write_tokens);
        sum(&mut self.reasoning_tokens, other.reasoning_tokens);
        for (name, count) in &other.details {
            match self.details.iter_mut().find(|(known, _)| known == name) {
                Some((_, total)) => *total = total.saturating_add(*count),
                None => self.details.push((name.clone(), *count)),
            }
        }
    }
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// The output limit was reached. Calls whose arguments were cut are never run.
    Length,
    /// It asks for tools.
    ToolCalls,
    /// The provider held the rest back.
    ContentFilter,
    /// Anything else.
    Other,
}

impl FinishReason {
    /// The word for it, as it stands in events.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool-calls",
            Self::ContentFilter => "content-filter",
            Self::Other => "other",
        }
    }

    /// Why a model that said this stopped: for its tool calls, or as it was done.
    pub fn of(content: &[Block]) -> Self {
        let calls = content.iter().any(|block| matches!(block, Block::ToolCall(_)));
        if calls { Self::ToolCalls } else { Self::Stop }
    }
}
