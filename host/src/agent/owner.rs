//! Whose a session is: one agent's, which alone goes on with it.

use crate::message::Message;
use crate::session::SessionData;

use super::Inner;
use super::error::AgentError;
use super::sub_agents::THREAD_BYTES_MAX;
use super::turn::Outer;

/// The name by which an agent's sessions are known: none for the one that the others belong to, whose name may change.
pub(super) fn of(agent: &Inner) -> Option<String> {
    agent.rules_around.is_some().then(|| agent.name.clone())
}

/// Refuses a session that an agent may not go on with: another's, and for a run within `outer` one that is no thread
/// yet or has grown too long.
pub(super) fn check(
    agent: &Inner,
    session_id: &str,
    data: &SessionData,
    outer: Option<&Outer>,
) -> Result<(), AgentError> {
    let own = of(agent);
    if let Some(record) = &data.reply {
        // A thread's id says whose it is, also where its record is older than the names in records.
        let unnamed = record.agent.is_none() && outer.is_some();
        if record.agent != own && !unnamed {
            return Err(AgentError::OtherAgent {
                session: session_id.to_owned(),
                owner: spoken(record.agent.as_deref()),
                agent: spoken(own.as_deref()),
            });
        }
    }
    match outer {
        Some(outer) if outer.continues => check_thread(session_id, data),
        _ => Ok(()),
    }
}

fn check_thread(session_id: &str, data: &SessionData) -> Result<(), AgentError> {
    if data.reply.is_none() {
        return Err(AgentError::NoThread(session_id.to_owned()));
    }
    let bytes = bytes(data);
    if bytes > THREAD_BYTES_MAX {
        return Err(AgentError::ThreadTooLong { session: session_id.to_owned(), bytes });
    }
    Ok(())
}

/// How much the messages of a session hold, as JSON.
fn bytes(data: &SessionData) -> u64 {
    let length = |message: &Message| serde_json::to_vec(message).map_or(u64::MAX, |json| json.len() as u64);
    data.messages.iter().map(length).fold(0, u64::saturating_add)
}

fn spoken(name: Option<&str>) -> String {
    name.map_or_else(|| "the main agent".to_owned(), |name| format!("agent `{name}`"))
}
