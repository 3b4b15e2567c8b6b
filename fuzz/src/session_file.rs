//! Session files that are damaged, or of another program.

use cepa::session::{SessionStore as _, SqliteSessions};

use crate::runtime;

/// Opens the bytes as a session file and reads all sessions in it.
pub(crate) fn open(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("sessions.db");
    std::fs::write(&path, bytes).expect("a file can be written");
    runtime().block_on(async {
        let Ok(store) = SqliteSessions::open(&path).await else {
            let kept = std::fs::read(&path).expect("the file is still there");
            assert_eq!(kept, bytes, "a refused file is left as it was");
            return;
        };
        for session in store.list().await.unwrap_or_default() {
            let _ = store.load(session).await;
        }
    });
}
