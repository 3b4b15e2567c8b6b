//! What a layer costs that breaks.

use std::time::Duration;

use cepa::chain::{Chain, ChainEntry, OnFault, ReplyContext, Sink};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use tokio::runtime::Runtime;

use super::hop::{endpoint, request};
use super::measure::{ratio, timed};

const REPLIES: u32 = 200;

/// So many replies with one model call each, so that a layer has a fresh instance in each.
fn replies(runtime: &Runtime, layers: &[ChainEntry]) -> Duration {
    let (request, endpoint) = (request(20, 400), endpoint());
    timed(|| {
        runtime.block_on(async {
            for _ in 0..REPLIES {
                let chain = Chain::open(layers, ReplyContext::builder("s", "r").build());
                let called = chain.call(request.clone(), endpoint.clone(), Sink::discard()).await;
                called.expect("the call succeeds");
            }
        });
    })
}

/// A layer that traps and is skipped, against one that passes the call through on a fresh instance.
pub(crate) fn trapped(runtime: &Runtime) -> f64 {
    let plan = LayerPlan::new("layer").on_fault(OnFault::Skip).max_faults(u32::MAX);
    let entry = |component: &[u8]| [plan.clone().entry(&runtime.block_on(load("layer", component)))];
    let (trapping, sound) = (entry(guest!("trap")), entry(guest!("passthrough")));
    ratio(
        || replies(runtime, &trapping).saturating_sub(replies(runtime, &[])),
        || replies(runtime, &sound).saturating_sub(replies(runtime, &[])),
    )
}
