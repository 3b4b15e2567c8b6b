//! Sessions in one SQLite file.
//!
//! The connection lives on a thread of its own, so that no asynchronous task waits for a disk. Several processes may
//! share a file. One session is for one process at a time: who runs a reply there claims it first. And a batch for a
//! session that another process has written since this one last read or wrote it is refused, and nothing of it is kept.

mod claim;
mod open;
mod read;
mod seen;
mod state;
mod worker;
mod write;

use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::services::StateStore;

use super::{Claim, SessionData, SessionStore, StoreError, Write};
use state::SqliteState;
use worker::Worker;

/// Sessions in a file, with the state of layers.
#[derive(Debug)]
pub struct SqliteSessions {
    worker: Arc<Worker>,
}

impl SqliteSessions {
    /// Opens a session file, or makes one where there is none.
    ///
    /// The whole file is checked, which takes about a second a gigabyte. Its last batch outlives the process and a
    /// power cut.
    ///
    /// # Errors
    /// `Newer` for a file of a later format, `Damaged` for one that is broken or not a session file; neither is touched.
    /// `Io` when the system refuses.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let worker = Worker::start(path.as_ref().to_owned()).await?;
        Ok(Self { worker: Arc::new(worker) })
    }
}

impl SessionStore for SqliteSessions {
    fn load(&self, session_id: String) -> BoxFuture<'_, Result<SessionData, StoreError>> {
        Box::pin(self.worker.run(move |file| read::load(file, &session_id)))
    }

    fn write(&self, session_id: String, batch: Vec<Write>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.worker.run(move |file| write::write(file, &session_id, &batch)))
    }

    fn claim(&self, session_id: String) -> BoxFuture<'_, Result<Claim, StoreError>> {
        Box::pin(self.worker.run(move |file| claim::claim(&file.path, &session_id)))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(self.worker.run(|file| read::list(file)))
    }

    fn state(&self) -> Arc<dyn StateStore> {
        Arc::new(SqliteState { worker: Arc::clone(&self.worker) })
    }
}
