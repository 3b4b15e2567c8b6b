//! What is stored of a session.

use cepa::agent::Agent;
use cepa::message::{Block, Message, ResultPart, Role};
use cepa::session::{SessionData, SessionStore};

/// The session `s`.
///
/// # Panics
/// When it can't be loaded.
pub async fn stored(agent: &Agent) -> SessionData {
    stored_in(&**agent.sessions()).await
}

/// The session `s` of a store.
///
/// # Panics
/// When it can't be loaded.
pub async fn stored_in(sessions: &dyn SessionStore) -> SessionData {
    sessions.load("s".to_owned()).await.expect("the session loads")
}

/// The stored conversation of the session `s`, a line a message.
pub async fn conversation(agent: &Agent) -> Vec<String> {
    stored(agent).await.messages.iter().map(line).collect()
}

/// A message in one line.
pub fn line(message: &Message) -> String {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let blocks: Vec<String> = message.content.iter().map(block).collect();
    format!("{role}: {}", blocks.join(" | "))
}

fn block(block: &Block) -> String {
    match block {
        Block::Text { text } => text.clone(),
        Block::Thinking { text, .. } => format!("({text})"),
        Block::Hint { source, text } => format!("[{source}: {text}]"),
        Block::ToolCall(call) => format!("{} = {}({})", call.id, call.name, call.arguments),
        Block::ToolResult(result) => {
            let parts: Vec<String> = result.content.iter().map(part).collect();
            format!("{} {:?} {}", result.call_id, result.state, parts.join(" + "))
        }
        other => format!("{other:?}"),
    }
}

fn part(part: &ResultPart) -> String {
    match part {
        ResultPart::Text { text } => text.clone(),
        ResultPart::Data(data) => data.media_type.clone(),
        ResultPart::Other { name, json } => format!("{name} {json}"),
    }
}
