//! An instance whose memory has grown near its limit makes room for a fresh one between two hook calls.

use cepa::chain::{Chain, ReplyContext};
use cepa_tests::chain::{LayerPlan, load, sandbox};
use cepa_tests::guest;

/// Stores made for so many calls of a layer that keeps a mebibyte of each.
async fn stores(calls: u32, memory: u64) -> u64 {
    let component = load("leak", guest!("leak")).await;
    let entry = LayerPlan::new("leak").limits(|limits| limits.memory = memory).entry(&component);
    let made = sandbox().counts().stores();
    let chain = Chain::open(&[entry], ReplyContext::builder("s", "r").build());
    for call in 0..calls {
        let prompt = chain.system_prompt("Be brief.".to_owned()).await;
        assert_eq!(prompt.unwrap_or_else(|failure| panic!("call {call}: {failure:?}")), "Be brief.");
    }
    sandbox().counts().stores() - made
}

#[tokio::test]
async fn a_layer_that_gives_no_memory_back_never_meets_its_limit_between_calls() {
    assert_eq!(stores(5, 64 << 20).await, 1, "what is far from its limit is kept");
    let made = stores(40, 16 << 20).await;
    assert!((3..=5).contains(&made), "{made} instances for 40 MiB, 11 or 12 MiB each");
}
