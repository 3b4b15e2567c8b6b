//! The check before each step whether to compress the context.

use std::sync::Arc;

use crate::chain::{CompressContext, HookKind, Sink, endpoint_fn};
use crate::error::Error;
use crate::message::{Block, Message, model_text};
use crate::request::{CompressRequest, CompressRequestData, CompressResponse, CompressResponseData};

use super::turn::Turn;

impl Turn {
    /// Lets layers compress the context. The host itself never does.
    pub(super) async fn compress(&self, step: u32, out: &Sink) -> Result<(), Error> {
        if !self.chain.has(HookKind::CompressContext) {
            return Ok(());
        }
        let messages = self.conversation.messages();
        let request = CompressRequest::new(CompressRequestData {
            step,
            message_count: u32::try_from(messages.len()).unwrap_or(u32::MAX),
            estimated_tokens: self.estimate(&messages),
            context_tokens: self.agent.models.get(&self.agent.main).and_then(|model| model.context_tokens()),
            instructions: None,
        });
        let endpoint =
            endpoint_fn(|_, _| async { Ok(CompressResponse::new(CompressResponseData::default())) });
        self.chain.call::<CompressContext>(request, endpoint, out.clone()).await?;
        Ok(())
    }

    /// About four characters are a token, in the languages that models were measured with.
    fn estimate(&self, messages: &[Arc<Message>]) -> u32 {
        let prompt = self.agent.system_prompt.as_ref().map_or(0, String::len);
        let catalogue = self.lineup.tools.catalogue();
        let tools = catalogue
            .iter()
            .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.to_string().len());
        let talk = messages.iter().flat_map(|message| &message.content).map(letters);
        u32::try_from((prompt + tools.sum::<usize>() + talk.sum::<usize>()) / 4).unwrap_or(u32::MAX)
    }
}

/// The characters of a block.
fn letters(block: &Block) -> usize {
    match block {
        Block::Text { text } | Block::Thinking { text, .. } | Block::Hint { text, .. } => text.len(),
        Block::ToolCall(call) => call.name.len() + call.arguments.len(),
        Block::ToolResult(result) => model_text(&result.content).len(),
        Block::Data(_) | Block::Other { .. } => 0,
    }
}
