//! Several processes on one file. Two stores stand for two processes: they share nothing but the file.

use std::sync::atomic::{AtomicU32, Ordering};

use cepa::services::{Scope, StatePlace};
use cepa::session::StoreError;
use futures::future::join_all;
use tempfile::tempdir;

use crate::sample::{QUOTA, append, ids, open};

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

#[tokio::test]
async fn one_process_at_a_time_claims_a_session() {
    let folder = tempdir().unwrap();
    let (ours, theirs) = (open(&folder).await, open(&folder).await);
    let claim = ours.claim("s".into()).await.unwrap();
    let error = theirs.claim("s".into()).await.unwrap_err();
    assert!(matches!(error, StoreError::Claimed(_)));
    assert_eq!(
        error.to_string(),
        "session `s` is in use by another process: wait for the end of the reply that runs there"
    );
    let other = theirs.claim("../s".into()).await.unwrap();
    drop(claim);
    let claim = theirs.claim("s".into()).await.unwrap();
    ours.claim("s".into()).await.unwrap_err();
    drop((claim, other));
    let claims = std::fs::read_dir(folder.path()).unwrap().filter_map(|entry| {
        let path = entry.unwrap().path();
        path.is_dir().then(|| std::fs::read_dir(path).unwrap().count())
    });
    assert_eq!(claims.collect::<Vec<_>>(), [0], "no file is left behind");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_that_claim_a_session_at_once_one_has_it() {
    let folder = tempdir().unwrap();
    let stores = join_all((0..4).map(|_| open(&folder))).await;
    let holders = AtomicU32::new(0);
    let claiming = stores.iter().map(|store| async {
        let mut had = 0;
        while had < 25 {
            if let Ok(claim) = store.claim("s".into()).await {
                assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0, "two have it");
                tokio::task::yield_now().await;
                holders.fetch_sub(1, Ordering::SeqCst);
                drop(claim);
                had += 1;
            }
            tokio::task::yield_now().await;
        }
    });
    join_all(claiming).await;
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
                state.increment(place.clone(), "n".into(), 1.0, QUOTA).await.unwrap();
                store.write(format!("{at}"), vec![append(&round.to_string())]).await.unwrap();
            }
        }
    });
    join_all(counting).await;
    assert_eq!(stores[0].state().get(place, "n".into()).await.unwrap().as_deref(), Some("100"));
    assert_eq!(ids(&stores[1], "3").await.len(), 25);
}

#[tokio::test]
async fn a_quota_holds_whoever_of_them_wrote() {
    let folder = tempdir().unwrap();
    let (ours, theirs) = (open(&folder).await, open(&folder).await);
    let place = StatePlace::new("l", Scope::Layer, "", "");
    let set = async |store: &std::sync::Arc<dyn cepa::session::SessionStore>, key: &str| {
        store.state().set(place.clone(), key.into(), "v".into(), 140).await.is_ok()
    };
    assert!(set(&ours, "a").await);
    assert!(set(&theirs, "b").await);
    assert!(!set(&ours, "c").await, "what the other one wrote counts here");
    assert!(theirs.state().delete(place.clone(), "a".into()).await.unwrap());
    assert!(set(&ours, "c").await, "and what it deleted is free again");
}
