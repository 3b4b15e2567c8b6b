//! Lanes: one running reply per session.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::session::{Claim, SessionStore};

use super::error::AgentError;

/// The sessions in which a reply runs, by their exact ids.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes(Arc<Mutex<HashSet<String>>>);

/// The right to run a reply in a session. Dropping it frees the session.
#[derive(Debug)]
pub(super) struct Lane {
    lanes: Lanes,
    session_id: String,
    /// Keeps other processes out. Absent only while the lane is entered or left.
    claim: Option<Claim>,
}

impl Lanes {
    /// The lane of a session, unless a reply runs there, here or in another process.
    pub(super) async fn enter(
        &self,
        session_id: &str,
        sessions: &dyn SessionStore,
    ) -> Result<Lane, AgentError> {
        if !self.lock().insert(session_id.to_owned()) {
            return Err(AgentError::Busy(session_id.to_owned()));
        }
        let mut lane = Lane { lanes: self.clone(), session_id: session_id.to_owned(), claim: None };
        lane.claim = Some(sessions.claim(session_id.to_owned()).await?);
        Ok(lane)
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock()
    }
}

impl Lane {
    pub(super) fn session_id(&self) -> &str {
        &self.session_id
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        // First, so that whoever enters next finds the session unclaimed.
        self.claim = None;
        self.lanes.lock().remove(&self.session_id);
    }
}
