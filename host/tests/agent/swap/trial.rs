//! The trial of swapped layers, and the way back.

use std::sync::{Arc, Mutex};

use cepa::agent::{Agent, ReplyItem};
use cepa::chain::{ChainEntry, Health, Note, NoteKind};
use cepa::error::{Error, Failure};
use cepa::event::Outcome;
use tokio::sync::Semaphore;

use super::version::{Log, Migrate, Version};
use super::{agent, alive, until};
use crate::rig::{Told, ask};

async fn outcome(agent: &Agent) -> Outcome {
    ask(agent, "Go").await.result.response.outcome
}

fn roll_backs(told: &Told) -> Vec<&Note> {
    let notes = told.items.iter().filter_map(|item| match item {
        ReplyItem::Note(note) => Some(note),
        ReplyItem::Event(_) => None,
    });
    notes.filter(|note| matches!(note.kind, NoteKind::RolledBack { .. })).collect()
}

#[tokio::test]
async fn a_version_whose_first_calls_all_fault_is_taken_back_and_the_reply_says_why() {
    let log = Log::default();
    let agent = agent().middleware(Version::new("x", "1", &log).entry()).build().await.unwrap();
    let bad = Version::new("x", "2", &log).faulty(u32::MAX);
    let bad_alive = bad.alive();
    agent.swap(vec![bad.entry()]).await.unwrap();
    assert!(agent.swap_status().lineups[0].layers[0].on_trial);
    for _ in 0..2 {
        let told = ask(&agent, "Go").await;
        assert_eq!(told.result.response.outcome, Outcome::Failed);
        assert!(roll_backs(&told).is_empty());
    }
    let last = ask(&agent, "Go").await;
    assert_eq!(last.result.response.outcome, Outcome::Failed, "a running reply ends on what it began with");
    let why = NoteKind::RolledBack {
        hook: "on-model-call",
        cause: "version 2 broke a rule".to_owned(),
        from: 2,
        to: 1,
    };
    assert_eq!(roll_backs(&last), [&Note { layer: "x".to_owned(), kind: why }]);

    assert_eq!(outcome(&agent).await, Outcome::Replied);
    let status = agent.swap_status();
    insta::assert_snapshot!(
        status.rolled_back.unwrap().to_string(),
        @"the swap to generation 2 was taken back, and generation 1 is active again: all first calls of `on-model-call` of layer `x` broke a rule, the last one with: version 2 broke a rule"
    );
    until("the bad version is freed", || bad_alive.strong_count() == 0).await;
    assert_eq!(alive(&agent), [(1, 0)]);
    let swapped = agent.swap(vec![Version::new("x", "3", &log).entry()]).await.unwrap();
    assert_eq!(swapped.generation, 3, "a number is not given twice");
}

#[tokio::test]
async fn a_good_call_of_each_hook_ends_the_trial_and_frees_the_old() {
    let log = Log::default();
    let one = Version::new("x", "1", &log);
    let old = one.alive();
    let agent = agent().middleware(one.entry()).build().await.unwrap();
    agent.swap(vec![Version::new("x", "2", &log).faulty(2).entry()]).await.unwrap();
    assert_eq!(outcome(&agent).await, Outcome::Failed);
    assert_eq!(outcome(&agent).await, Outcome::Failed);
    assert_eq!(alive(&agent), [(2, 0), (1, 0)], "the old one could still come back");
    assert_eq!(outcome(&agent).await, Outcome::Replied);
    assert_eq!(alive(&agent), [(2, 0)]);
    assert_eq!(old.strong_count(), 0);
    assert!(!agent.swap_status().lineups[0].layers[0].on_trial);
}

#[tokio::test]
async fn what_has_not_proven_itself_is_nothing_to_go_back_to() {
    let log = Log::default();
    let agent = agent().middleware(Version::new("x", "1", &log).entry()).build().await.unwrap();
    agent.swap(vec![Version::new("x", "2", &log).faulty(u32::MAX).entry()]).await.unwrap();
    agent.swap(vec![Version::new("x", "3", &log).faulty(u32::MAX).entry()]).await.unwrap();
    for _ in 0..3 {
        assert_eq!(outcome(&agent).await, Outcome::Failed);
    }
    assert_eq!(agent.generation(), 1);
    assert_eq!(outcome(&agent).await, Outcome::Replied);
}

#[tokio::test]
async fn an_open_trial_goes_on_through_another_swap() {
    let log = Log::default();
    let y = Version::new("y", "1", &log).entry();
    let agent =
        agent().middleware(Version::new("x", "1", &log).entry()).middleware(y.clone()).build().await.unwrap();
    let bad = Version::new("x", "2", &log).faulty(u32::MAX).entry();
    agent.swap(vec![bad.clone(), y]).await.unwrap();
    for _ in 0..2 {
        assert_eq!(outcome(&agent).await, Outcome::Failed);
    }
    agent.swap(vec![bad, Version::new("y", "2", &log).entry()]).await.unwrap();
    assert_eq!(outcome(&agent).await, Outcome::Failed, "the third of its calls");
    assert_eq!(agent.generation(), 1);
    assert_eq!(agent.layers(), ["x", "y"]);
}

#[tokio::test]
async fn as_many_calls_count_as_the_agent_says_and_none_take_nothing_back() {
    let log = Log::default();
    for (calls, generation) in [(1, 1), (0, 2)] {
        let one = Version::new("x", "1", &log);
        let agent = agent().trial_calls(calls).middleware(one.entry()).build().await.unwrap();
        agent.swap(vec![Version::new("x", "2", &log).faulty(u32::MAX).entry()]).await.unwrap();
        outcome(&agent).await;
        assert_eq!(agent.generation(), generation, "with {calls}");
    }
}

#[tokio::test]
async fn a_layer_that_is_taken_out_earlier_ends_its_trial_then() {
    let log = Log::default();
    let agent = agent().middleware(Version::new("x", "1", &log).entry()).build().await.unwrap();
    let health = Health::new(1);
    let bad = ChainEntry { health: health.clone(), ..Version::new("x", "2", &log).faulty(u32::MAX).entry() };
    agent.swap(vec![bad]).await.unwrap();
    assert_eq!(outcome(&agent).await, Outcome::Failed);
    assert!(health.taken_out().is_some());
    assert_eq!(agent.generation(), 1);
    assert_eq!(outcome(&agent).await, Outcome::Replied);
}

#[tokio::test]
async fn a_reply_whose_fault_takes_a_swap_back_waits_for_no_other_swap() {
    a_trial_fails_while_a_third_version_takes_over(Ok(())).await;
}

#[tokio::test]
async fn a_take_over_from_a_version_that_is_gone_by_then_may_fail() {
    a_trial_fails_while_a_third_version_takes_over(Err(Error::invalid("I can't read this"))).await;
}

/// The third version takes state over from the second, which `of_second` comes of, and then once more, from the first.
async fn a_trial_fails_while_a_third_version_takes_over(of_second: Result<(), Error>) {
    let log = Log::default();
    let agent = agent().middleware(Version::new("x", "1", &log).entry()).build().await.unwrap();
    agent.swap(vec![Version::new("x", "2", &log).faulty(u32::MAX).entry()]).await.unwrap();

    let (may_end, froms) = (Arc::new(Semaphore::new(0)), Arc::new(Mutex::new(Vec::new())));
    let (gate, seen) = (Arc::clone(&may_end), Arc::clone(&froms));
    let slow: Migrate = Arc::new(move |from, _| {
        let gate = Arc::clone(&gate);
        let comes_of = if from.contains('2') { of_second.clone() } else { Ok(()) };
        seen.lock().unwrap().push(from);
        Box::pin(async move {
            gate.acquire().await.unwrap().forget();
            comes_of.map_err(Failure::from)
        })
    });
    let third = Version::new("x", "3", &log).migrating(slow).entry();
    let swap = tokio::spawn({
        let agent = agent.clone();
        async move { agent.swap(vec![third]).await.unwrap().generation }
    });
    until("the third version takes over", || froms.lock().unwrap().len() == 1).await;

    for _ in 0..3 {
        assert_eq!(outcome(&agent).await, Outcome::Failed);
    }
    assert_eq!(agent.generation(), 1);
    assert_eq!(outcome(&agent).await, Outcome::Replied);
    may_end.add_permits(2);
    assert_eq!(swap.await.unwrap(), 3);
    let froms = froms.lock().unwrap().clone();
    assert_eq!(froms, ["{\"of\":\"2\"}", "{\"of\":\"1\"}"], "once more, since the second was gone");
}
