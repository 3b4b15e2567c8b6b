//! Several processes on one file. Two stores stand for two processes: they share nothing but the file.

use cepa::services::{Scope, StatePlace};
use cepa::session::StoreError;
use futures::future::join_all;
use tempfile::tempdir;

use crate::sample::{append, ids, open};

#[tokio::test]
async fn a_session_that_another_process_has_written_is_refused_until_it_is_loaded_again() {
    let folder = tempdir().unwrap();
    let (ours, theirs) = (open(&folder).await, open(&folder).await);
    ours.load("s".into()).await.unwrap();
    theirs.load("s".into()).await.unwrap();
    ours.write("s".into(), vec![append("a")]).await.unwrap();
    ours.write("s".into(), vec![append("b")]).await.unwrap();

    let error = theirs.write("s".into(), vec![append("x")]).await.unwrap_err();
    assert!(matches!(error, StoreError::Invalid(_)));
    assert_eq!(
        error.to_string(),
        "session `s` is in use by another process: it was at batch 0 here and is at batch 2 now; load it again"
    );
    theirs.write("t".into(), vec![append("other sessions go on")]).await.unwrap();
    assert_eq!(ids(&theirs, "s").await, ["a", "b"]);
    theirs.write("s".into(), vec![append("c")]).await.unwrap();
    ours.write("s".into(), vec![append("y")]).await.unwrap_err();
    assert_eq!(ids(&ours, "s").await, ["a", "b", "c"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn stores_that_open_and_count_at_once_lose_nothing() {
    let folder = tempdir().unwrap();
    let stores = join_all((0..4).map(|_| open(&folder))).await;
    let place = StatePlace::new("l", Scope::Layer, "", "");
    let counting = stores.iter().enumerate().map(|(at, store)| {
        let place = place.clone();
        async move {
            let state = store.state();
            for round in 0..25 {
                state.increment(place.clone(), "n".into(), 1.0).await.unwrap();
                store.write(format!("{at}"), vec![append(&round.to_string())]).await.unwrap();
            }
        }
    });
    join_all(counting).await;
    assert_eq!(stores[0].state().get(place, "n".into()).await.unwrap().as_deref(), Some("100"));
    assert_eq!(ids(&stores[1], "3").await.len(), 25);
}
