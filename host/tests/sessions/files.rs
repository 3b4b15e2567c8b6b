//! Session files that can't be used, and what is left of them.

use std::path::Path;

use cepa::session::{SessionStore, SqliteSessions, StoreError};
use tempfile::tempdir;

use crate::sample::{append, message};

/// Writes a session file with many messages, and gives its bytes.
async fn good_file(path: &Path) -> Vec<u8> {
    let store = SqliteSessions::open(path).await.unwrap();
    for id in 0..200 {
        store.write("s".into(), vec![append(&format!("{id}"))]).await.unwrap();
    }
    drop(store);
    std::fs::read(path).unwrap()
}

/// Opens a file that must be refused, and shows that this changed nothing.
async fn refused(path: &Path) -> StoreError {
    let before = std::fs::read(path).unwrap();
    let error = SqliteSessions::open(path).await.unwrap_err();
    assert_eq!(std::fs::read(path).unwrap(), before, "the file was written to");
    error
}

#[tokio::test]
async fn what_was_written_is_there_after_reopening() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    good_file(&path).await;
    let names: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["sessions.db"], "one file");
    let store = SqliteSessions::open(&path).await.unwrap();
    let messages = store.load("s".into()).await.unwrap().messages;
    assert_eq!(messages, (0..200).map(|id| message(&format!("{id}"))).collect::<Vec<_>>());
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    SqliteSessions::open(&path).await.unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn a_newer_file_is_refused_untouched() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    good_file(&path).await;
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 7).unwrap();
    let error = refused(&path).await;
    assert!(matches!(error, StoreError::Newer { found: 7, known: 1, .. }), "{error}");
    assert!(error.to_string().contains("has format 7, and this Cepa reads up to 1"), "{error}");
}

#[tokio::test]
async fn foreign_and_damaged_files_are_refused_untouched() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    let good = good_file(&path).await;

    let foreign = folder.path().join("foreign.db");
    rusqlite::Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    let error = refused(&foreign).await;
    assert!(error.to_string().ends_with("it is a SQLite file of another program"), "{error}");

    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "x".repeat(5000)).unwrap();
    let error = refused(&text).await;
    assert!(error.to_string().ends_with("it is no SQLite file"), "{error}");

    // What a program cuts off, or a bad disk overwrites.
    let mut torn = good.clone();
    torn.truncate(good.len() / 2);
    let mut overwritten = good.clone();
    overwritten[8192..20480].fill(0xa5);
    for (what, bytes) in [("short", &good[..50]), ("torn", &torn), ("overwritten", &overwritten)] {
        std::fs::write(&path, bytes).unwrap();
        let error = refused(&path).await;
        assert!(matches!(error, StoreError::Damaged { .. }), "{what}: {error}");
        assert!(error.to_string().contains("sessions.db"), "{what}: {error}");
    }

    std::fs::write(&path, &good).unwrap();
    let store = SqliteSessions::open(&path).await.unwrap();
    assert_eq!(store.load("s".into()).await.unwrap().messages.len(), 200);
}

#[tokio::test]
async fn a_file_without_our_tables_is_damaged() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    good_file(&path).await;
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("DROP TABLE state; DROP TABLE message").unwrap();
    drop(connection);
    let error = refused(&path).await;
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn a_row_that_is_no_message_is_named_with_its_file() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    good_file(&path).await;
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE message SET json = '{' WHERE position = 3", []).unwrap();
    drop(connection);
    let store = SqliteSessions::open(&path).await.unwrap();
    let error = store.load("s".into()).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn an_empty_file_becomes_a_session_file_and_a_missing_folder_is_an_error() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("empty.db");
    std::fs::write(&path, "").unwrap();
    let store = SqliteSessions::open(&path).await.unwrap();
    store.write("s".into(), vec![append("a")]).await.unwrap();

    let missing = folder.path().join("no/such/sessions.db");
    let error = SqliteSessions::open(&missing).await.unwrap_err();
    assert!(
        matches!(&error, StoreError::Io { path, .. } if path.ends_with("no/such/sessions.db")),
        "{error}"
    );
    let error = SqliteSessions::open(folder.path()).await.unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
}
