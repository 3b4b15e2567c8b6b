//! Stores and values that the tests share.

use std::sync::Arc;

use cepa::message::{Message, ToolCall, ToolChoice, Usage};
use cepa::session::{
    CallState, MemorySessions, OpenCall, ReplyRecord, ReplyStatus, SessionStore, SqliteSessions, Write,
};
use serde_json::Map;
use tempfile::TempDir;

/// A quota of state that no test reaches unless it wants to.
pub(crate) const QUOTA: u64 = 1 << 20;

/// One store of each kind, by name. The file lives as long as the folder.
pub(crate) async fn each_store(folder: &TempDir) -> Vec<(&'static str, Arc<dyn SessionStore>)> {
    vec![("memory", Arc::new(MemorySessions::default())), ("sqlite", open(folder).await)]
}

pub(crate) async fn open(folder: &TempDir) -> Arc<dyn SessionStore> {
    Arc::new(SqliteSessions::open(folder.path().join("sessions.db")).await.unwrap())
}

pub(crate) fn message(id: &str) -> Message {
    Message { id: id.to_owned(), ..Message::user(format!("says {id}")) }
}

pub(crate) fn append(id: &str) -> Write {
    Write::Append(message(id))
}

pub(crate) fn reply(id: &str, step: u32) -> Write {
    Write::PutReply(ReplyRecord {
        id: id.to_owned(),
        agent: None,
        status: ReplyStatus::Running,
        base: 0,
        step,
        output_schema: None,
        tool_choice: ToolChoice::Auto,
        actor: None,
        metadata: Map::new(),
    })
}

pub(crate) fn call(id: &str, state: CallState) -> OpenCall {
    OpenCall {
        call: ToolCall { id: id.to_owned(), name: "tool".to_owned(), arguments: "{}".to_owned() },
        state,
        reason: String::new(),
        edited: false,
    }
}

pub(crate) fn usage(model: &str, input: Option<u32>) -> Write {
    Write::AddUsage { model: model.to_owned(), usage: Usage { input_tokens: input, ..Usage::default() } }
}

/// The ids of a session's messages.
pub(crate) async fn ids(store: &Arc<dyn SessionStore>, session: &str) -> Vec<String> {
    store.load(session.to_owned()).await.unwrap().messages.into_iter().map(|message| message.id).collect()
}
