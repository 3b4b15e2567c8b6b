//! What may be the input of a reply, whoever gives it: a caller, or a layer in its place.

use serde_json::Value;

use crate::message::{Block, Message, Role};

/// How much text one input may hold, in bytes: far more than a model reads, far less than a host can hold.
pub const INPUT_TEXT_MAX: usize = 4 << 20;

/// Says why these messages can't be an input: they say nothing, or too much, or what only the loop may store.
pub(crate) fn check_input(messages: &[Message]) -> Result<(), String> {
    if messages.iter().all(|message| message.content.iter().all(is_blank)) {
        return Err("it is empty".to_owned());
    }
    let size: usize = messages.iter().flat_map(|message| &message.content).map(text_size).sum();
    if size > INPUT_TEXT_MAX {
        return Err(format!("it has {size} bytes of text, and {INPUT_TEXT_MAX} is the limit"));
    }
    for message in messages {
        if !matches!(message.role, Role::User | Role::Assistant) {
            return Err("its messages must have the role user or assistant".to_owned());
        }
        let of_calls = |block: &Block| matches!(block, Block::ToolCall(_) | Block::ToolResult(_));
        if message.content.iter().any(of_calls) {
            return Err("its messages must not hold tool calls or tool results".to_owned());
        }
    }
    Ok(())
}

fn is_blank(block: &Block) -> bool {
    matches!(block, Block::Text { text } if text.trim().is_empty())
}

fn text_size(block: &Block) -> usize {
    match block {
        Block::Text { text } | Block::Thinking { text, .. } | Block::Hint { text, .. } => text.len(),
        Block::Other { json: Value::String(text), .. } => text.len(),
        _ => 0,
    }
}
