//! Lanes: one running reply per session.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The sessions in which a reply runs, by their exact ids.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes(Arc<Mutex<HashSet<String>>>);

/// The right to run a reply in a session. Dropping it frees the session.
#[derive(Debug)]
pub(super) struct Lane {
    lanes: Lanes,
    session_id: String,
}

impl Lanes {
    /// The lane of a session, unless a reply runs there.
    pub(super) fn enter(&self, session_id: &str) -> Option<Lane> {
        let free = self.lock().insert(session_id.to_owned());
        free.then(|| Lane { lanes: self.clone(), session_id: session_id.to_owned() })
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.lanes.lock().remove(&self.session_id);
    }
}
