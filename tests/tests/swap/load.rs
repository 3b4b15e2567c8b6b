//! Swaps under constant load: no reply fails, and nothing is left behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cepa::agent::Agent;
use cepa::event::Outcome;
use cepa::host::Change;
use cepa::policy::LayerSource;
use cepa_tests::agent::told;
use cepa_tests::guest;
use serde_json::json;

use crate::bench::{Bench, layer};

const SWAPS: u64 = 500;
const SESSIONS: usize = 4;

/// What the sessions under load have seen.
#[derive(Default)]
struct Seen {
    stop: AtomicBool,
    replies: AtomicU64,
    failed: AtomicU64,
    /// Replies whose answer was not of the generation that they say they have.
    mixed: AtomicU64,
}

/// Asks again and again. Even generations answer `even`, odd ones the model's answer.
async fn talk(agent: Agent, session: String, seen: Arc<Seen>) {
    while !seen.stop.load(Ordering::SeqCst) {
        let stream = agent.reply(session.as_str(), "Go").await.expect("the reply begins");
        let generation = stream.generation();
        let result = told(stream).await.result;
        let wanted = if generation.is_multiple_of(2) { "even" } else { "got Go" };
        seen.replies.fetch_add(1, Ordering::SeqCst);
        seen.failed.fetch_add(u64::from(result.response.outcome != Outcome::Replied), Ordering::SeqCst);
        seen.mixed.fetch_add(u64::from(result.response.text() != wanted), Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_hundred_swaps_under_load_fail_no_reply_and_leave_nothing_behind() {
    let files = [("x.wasm", guest!("passthrough")), ("y.wasm", guest!("passthrough"))];
    let bench = Bench::new(&format!("{}{}", layer("x", ""), layer("y", "")), &files).await;
    bench.write("program.wasm", guest!("program"));
    let odd = bench.loaded.layers()[0].spec.clone();
    let mut even = odd.clone();
    even.source = LayerSource::File(bench.path("program.wasm"));
    even.config = json!({ "steps": [{ "answer": "even" }] });

    let seen = Arc::new(Seen::default());
    let talks: Vec<_> = (0..SESSIONS)
        .map(|n| tokio::spawn(talk(bench.agent().clone(), format!("s{n}"), Arc::clone(&seen))))
        .collect();
    let counts = bench.host.sandbox().counts();
    for swap in 1..=SWAPS {
        let spec = if swap % 2 == 1 { &even } else { &odd };
        let change = Change::Layer { spec: Box::new(spec.clone()), place: None };
        let report = bench.swap(change, &[]).await.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(report.generation, swap + 1);
        let status = bench.agent().swap_status();
        // Each session may hold one and be letting go of another, one is active, and one may come back.
        assert!(status.lineups.len() <= 2 * SESSIONS + 2, "{} generations are alive", status.lineups.len());
        // That of each generation, the one that `y` keeps, and one that is being let go of.
        assert!(
            counts.components_alive() <= 2 * SESSIONS as u64 + 4,
            "{} components are alive",
            counts.components_alive()
        );
        // An instance for each of two layers of those replies, and one of a check.
        assert!(
            counts.stores_alive() <= 4 * SESSIONS as u64 + 1,
            "{} stores are alive",
            counts.stores_alive()
        );
    }
    seen.stop.store(true, Ordering::SeqCst);
    for talk in talks {
        talk.await.expect("the session ends");
    }
    let replies = seen.replies.load(Ordering::SeqCst);
    assert!(replies >= SESSIONS as u64, "{replies} replies");
    assert_eq!(
        (seen.failed.load(Ordering::SeqCst), seen.mixed.load(Ordering::SeqCst)),
        (0, 0),
        "of {replies}"
    );

    // The last version proves itself, and with it nothing of the others is left.
    for _ in 0..3 {
        assert_eq!(bench.said("Go").await, "got Go");
    }
    assert!(bench.is_idle().await, "{} stores are alive", counts.stores_alive());
    assert_eq!(bench.agent().swap_status().lineups.len(), 1);
    assert_eq!(counts.components_alive(), 1, "both layers have the same one");
    assert_eq!(counts.compilations(), 2, "each component is compiled once");
}
