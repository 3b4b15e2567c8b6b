//! Sessions in memory: for tests, and for replies that nobody comes back to.

use std::sync::Arc;

use futures::future::{BoxFuture, ready};
use parking_lot::{Mutex, MutexGuard};

use crate::services::{Scope, StateStore, reply_owner};
use crate::state::MemoryState;

use super::apply::{apply, check};
use super::{Claim, SessionData, SessionStore, StoreError, Write};

/// Sessions that end with the process.
#[derive(Debug, Default)]
pub struct MemorySessions {
    /// The last used at the end.
    sessions: Mutex<Vec<(String, SessionData)>>,
    state: Arc<MemoryState>,
}

impl MemorySessions {
    fn lock(&self) -> MutexGuard<'_, Vec<(String, SessionData)>> {
        self.sessions.lock()
    }

    fn find(&self, session_id: &str) -> SessionData {
        let sessions = self.lock();
        sessions.iter().find(|(id, _)| id == session_id).map(|(_, data)| data.clone()).unwrap_or_default()
    }

    fn apply(&self, session_id: String, batch: Vec<Write>) -> Result<(), StoreError> {
        let mut sessions = self.lock();
        let at = sessions.iter().position(|(id, _)| *id == session_id);
        let unknown = SessionData::default();
        let data = at.and_then(|at| sessions.get(at)).map_or(&unknown, |(_, data)| data);
        let open = data.open_calls.iter().map(|open| open.call.id.clone()).collect();
        let reply = data.reply.as_ref().map(|reply| reply.id.as_str());
        check(&session_id, data.messages.len(), open, reply, &batch)?;

        let mut data = at.map_or(unknown, |at| sessions.remove(at).1);
        for write in batch {
            if let Some(gone) = apply(&mut data, write) {
                self.state.forget(Scope::Reply, &reply_owner(&session_id, &gone));
            }
        }
        sessions.push((session_id, data));
        Ok(())
    }
}

impl SessionStore for MemorySessions {
    fn load(&self, session_id: String) -> BoxFuture<'_, Result<SessionData, StoreError>> {
        Box::pin(ready(Ok(self.find(&session_id))))
    }

    fn write(&self, session_id: String, batch: Vec<Write>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(ready(self.apply(session_id, batch)))
    }

    fn claim(&self, _session_id: String) -> BoxFuture<'_, Result<Claim, StoreError>> {
        Box::pin(ready(Ok(Claim::unshared())))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        let ids = self.lock().iter().rev().map(|(id, _)| id.clone()).collect();
        Box::pin(ready(Ok(ids)))
    }

    fn state(&self) -> Arc<dyn StateStore> {
        self.state.clone()
    }
}
