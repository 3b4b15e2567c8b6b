//! State across a swap: it stays with the layer's name, and a new version may take it over.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cepa::agent::{Agent, SwapError};
use cepa::chain::{NoteKind, ReplyContext};
use cepa::error::Failure;
use cepa::event::Outcome;
use cepa::services::{Scope, StatePlace, StateStore};

use super::agent;
use super::version::{Log, Migrate, Version};
use crate::rig::ask;

const QUOTA: u64 = 1_000;

fn place() -> StatePlace {
    StatePlace::new("x", Scope::Layer, "", "")
}

fn key(name: &str) -> String {
    name.to_owned()
}

/// An agent with version 1 of `x`, which has left the value `plain`.
async fn with_state() -> (Agent, Log) {
    let log = Log::default();
    let agent = agent().middleware(Version::new("x", "1", &log).entry()).build().await.unwrap();
    agent.sessions().state().set(place(), key("plain"), "7".to_owned(), QUOTA).await.unwrap();
    (agent, log)
}

/// Everything that the layer has stored.
async fn stored(agent: &Agent) -> Vec<(String, String)> {
    let state = agent.sessions().state();
    let mut values = Vec::new();
    for key in state.keys(place(), String::new()).await.unwrap() {
        let value = state.get(place(), key.clone()).await.unwrap().unwrap();
        values.push((key, value));
    }
    values
}

/// Moves the value `plain` to `full`, with the configuration that it came from.
async fn take_over(from: String, context: Arc<ReplyContext>) -> Result<(), Failure> {
    let state = context.services.state();
    let plain = state.get(place(), key("plain")).await?.unwrap_or_default();
    state.set(place(), key("full"), format!("{plain} of {from}"), QUOTA).await?;
    state.delete(place(), key("plain")).await?;
    Ok(())
}

fn taking_over() -> Migrate {
    Arc::new(|from, context| Box::pin(take_over(from, context)))
}

fn pairs<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
    pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).into()
}

#[tokio::test]
async fn state_stays_with_the_name() {
    let (agent, log) = with_state().await;
    agent.swap(vec![Version::new("x", "2", &log).entry()]).await.unwrap();
    agent.swap(vec![]).await.unwrap();
    agent.swap(vec![Version::new("x", "3", &log).entry()]).await.unwrap();
    assert_eq!(stored(&agent).await, pairs([("plain", "7")]));
}

#[tokio::test]
async fn another_version_takes_state_over_before_its_first_reply() {
    let (agent, log) = with_state().await;
    agent.swap(vec![Version::new("x", "2", &log).migrating(taking_over()).entry()]).await.unwrap();
    assert_eq!(stored(&agent).await, pairs([("full", "7 of {\"of\":\"1\"}")]));
}

#[tokio::test]
async fn the_same_version_takes_nothing_over() {
    let (agent, log) = with_state().await;
    agent.swap(vec![Version::new("x", "1", &log).migrating(taking_over()).entry()]).await.unwrap();
    assert_eq!(stored(&agent).await, pairs([("plain", "7")]));
}

#[tokio::test]
async fn a_take_over_that_fails_stops_the_swap_and_leaves_the_state_as_it_was() {
    let (agent, log) = with_state().await;
    let failing: Migrate = Arc::new(|from, context| {
        Box::pin(async move {
            let message = format!("reading {from}");
            context.ledger.note("x", NoteKind::Log { level: "info", message });
            take_over(from, context).await?;
            Err(cepa::error::Error::invalid("I can't read this").into())
        })
    });
    let failed = agent.swap(vec![Version::new("x", "2", &log).migrating(failing).entry()]).await;
    let Err(SwapError::Migrate { layer, cause, notes }) = failed else { panic!("{failed:?}") };
    assert_eq!((layer.as_str(), cause.as_str()), ("x", "I can't read this"));
    let said = NoteKind::Log { level: "info", message: "reading {\"of\":\"1\"}".to_owned() };
    assert_eq!(notes.into_iter().map(|note| note.kind).collect::<Vec<_>>(), [said]);
    assert_eq!(stored(&agent).await, pairs([("plain", "7")]));
    assert_eq!(agent.generation(), 1);
}

#[tokio::test]
async fn one_take_over_that_fails_takes_back_those_of_other_layers() {
    let (agent, log) = with_state().await;
    let y = Version::new("y", "1", &log).entry();
    agent.swap(vec![Version::new("x", "1", &log).entry(), y]).await.unwrap();
    let failing: Migrate = Arc::new(|_, _| Box::pin(async { Err(cepa::error::Error::invalid("no").into()) }));
    let failed = agent
        .swap(vec![
            Version::new("x", "2", &log).migrating(taking_over()).entry(),
            Version::new("y", "2", &log).migrating(failing).entry(),
        ])
        .await;
    assert!(matches!(&failed, Err(SwapError::Migrate { layer, .. }) if layer == "y"), "{failed:?}");
    assert_eq!(stored(&agent).await, pairs([("plain", "7")]));
}

/// Takes over while a reply changes the same value, in the first `times` attempts.
fn disturbed(state: Arc<dyn StateStore>, times: u32) -> (Migrate, Arc<AtomicU32>) {
    let attempts = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&attempts);
    let migrate: Migrate = Arc::new(move |from, context| {
        let (state, attempt) = (Arc::clone(&state), count.fetch_add(1, Ordering::SeqCst));
        Box::pin(async move {
            take_over(from, context).await?;
            if attempt < times {
                state.increment(place(), key("plain"), 1.0, QUOTA).await?;
            }
            Ok(())
        })
    });
    (migrate, attempts)
}

#[tokio::test]
async fn what_a_reply_changes_meanwhile_is_not_lost() {
    let (agent, log) = with_state().await;
    let (migrate, attempts) = disturbed(agent.sessions().state(), 2);
    agent.swap(vec![Version::new("x", "2", &log).migrating(migrate).entry()]).await.unwrap();
    assert_eq!(attempts.load(Ordering::SeqCst), 3);
    assert_eq!(stored(&agent).await, pairs([("full", "9 of {\"of\":\"1\"}")]));

    let (agent, log) = with_state().await;
    let (migrate, _) = disturbed(agent.sessions().state(), u32::MAX);
    let failed = agent.swap(vec![Version::new("x", "2", &log).migrating(migrate).entry()]).await;
    assert_eq!(
        failed.unwrap_err().to_string(),
        "layer `x` could not take over the state of its version before: replies changed the same state in each of 3 \
         attempts; swap again"
    );
    assert_eq!(stored(&agent).await, pairs([("plain", "10")]));
}

#[tokio::test]
async fn a_roll_back_puts_state_back_as_the_old_version_left_it() {
    let (agent, log) = with_state().await;
    let bad = Version::new("x", "2", &log).faulty(u32::MAX).migrating(taking_over());
    agent.swap(vec![bad.entry()]).await.unwrap();
    assert_eq!(stored(&agent).await, pairs([("full", "7 of {\"of\":\"1\"}")]));
    fail_the_trial(&agent).await;
    assert_eq!(stored(&agent).await, pairs([("plain", "7")]));
}

/// Lets the layers on trial fail, and a reply go through those before.
async fn fail_the_trial(agent: &Agent) {
    for _ in 0..3 {
        assert_eq!(ask(agent, "Go").await.result.response.outcome, Outcome::Failed);
    }
    assert_eq!(agent.generation(), 1);
    // It begins once the state is put back.
    assert_eq!(ask(agent, "Go").await.result.response.outcome, Outcome::Replied);
}

#[tokio::test]
async fn a_roll_back_leaves_what_replies_changed_since_the_take_over() {
    let (agent, log) = with_state().await;
    let bad = Version::new("x", "2", &log).faulty(u32::MAX).migrating(taking_over());
    agent.swap(vec![bad.entry()]).await.unwrap();
    agent.sessions().state().set(place(), key("full"), "8".to_owned(), QUOTA).await.unwrap();
    fail_the_trial(&agent).await;
    assert_eq!(stored(&agent).await, pairs([("full", "8"), ("plain", "7")]));
}

#[tokio::test]
async fn a_roll_back_keeps_to_the_quota_of_the_version_before() {
    let log = Log::default();
    let old = Version::new("x", "1", &log).quota(200);
    let agent = agent().middleware(old.entry()).build().await.unwrap();
    let state = agent.sessions().state();
    state.set(place(), key("plain"), "7".to_owned(), 200).await.unwrap();
    let bad = Version::new("x", "2", &log).faulty(u32::MAX).migrating(taking_over());
    agent.swap(vec![bad.entry()]).await.unwrap();
    // 168 bytes with what each entry counts, so that 70 more have no room.
    let more = "m".repeat(100);
    state.set(place(), key("more"), more.clone(), QUOTA).await.unwrap();
    fail_the_trial(&agent).await;
    assert_eq!(stored(&agent).await, pairs([("more", more.as_str())]));
}
