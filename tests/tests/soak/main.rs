//! Replies without end, most of which go wrong: each ends as it should, and nothing is left behind.
//!
//! `CEPA_SOAK_REPLIES` says how many; without it there are few, since every test run has them.

mod agent;
mod replies;

use std::sync::Arc;
use std::time::Duration;

use cepa::sandbox::Sandbox;
use cepa_tests::agent::Echo;
use cepa_tests::memory::{open_files, resident_bytes};
use tokio::runtime::Handle;

use agent::Layers;
use replies::{REPLIES_EACH, talk};

/// Sessions at once.
const SESSIONS: usize = 8;

/// Bytes that memory may grow after the warm-up: what the allocator holds back varies by as much. In 50,000 replies it
/// is 300 bytes a reply.
const GROWTH_MAX: u64 = 16 << 20;

/// What is there while no reply runs.
#[derive(Debug, PartialEq, Eq)]
struct Left {
    tasks: usize,
    stores: u64,
    files: usize,
}

impl Left {
    fn now(sandbox: &Sandbox) -> Self {
        let tasks = Handle::current().metrics().num_alive_tasks();
        Self { tasks, stores: sandbox.counts().stores_alive(), files: open_files() }
    }
}

/// One round: a fresh agent, and some sessions that talk to it at once. Replies that were aborted or given up end by
/// themselves, and what is left then must be what was there before.
async fn round(layers: &Layers, before: &Left) {
    let tool = Arc::new(Echo::new("look").parking());
    let agent = layers.agent(&tool).await;
    let talks: Vec<_> =
        (0..SESSIONS).map(|session| tokio::spawn(talk(agent.clone(), format!("s{session}")))).collect();
    for talk in talks {
        talk.await.expect("each reply ends as it should");
    }
    drop(agent);
    let quiet = async {
        while Left::now(&layers.sandbox) != *before || Arc::strong_count(&tool) > 1 {
            tokio::task::yield_now().await;
        }
    };
    if tokio::time::timeout(Duration::from_secs(60), quiet).await.is_err() {
        let agents = Arc::strong_count(&tool) - 1;
        panic!("{:?} and {agents} agents are left, and there were {before:?}", Left::now(&layers.sandbox));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_of_many_replies_that_go_wrong() {
    let wanted = std::env::var("CEPA_SOAK_REPLIES").map_or(500, |count| count.parse().expect("a number"));
    let rounds = usize::div_ceil(wanted, SESSIONS * REPLIES_EACH);
    let layers = Layers::load().await;
    let before = Left::now(&layers.sandbox);
    let mut resident = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        round(&layers, &before).await;
        resident.push(resident_bytes());
    }
    let warm = resident[rounds / 10];
    let most = resident[rounds / 10..].iter().max().copied().unwrap_or_default();
    println!(
        "{} replies in {rounds} rounds: {} KiB resident after the first tenth, {} KiB at most after it, {} KiB at the end",
        rounds * SESSIONS * REPLIES_EACH,
        warm >> 10,
        most >> 10,
        resident[rounds - 1] >> 10,
    );
    assert!(most - warm <= GROWTH_MAX, "memory grows: {resident:?}");
}
