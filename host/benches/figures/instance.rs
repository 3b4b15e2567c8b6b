//! What it costs to take an instance, call it and drop it.

use std::time::Duration;

use cepa::chain::{Chain, ChainEntry, ReplyContext};
use cepa_tests::chain::{LayerPlan, load, sandbox};
use cepa_tests::guest;
use tokio::runtime::Runtime;

use super::bare::Bare;
use super::measure::{ratio, timed};

const INSTANCES: u64 = 200;

/// A layer of a small component.
pub(crate) fn entry(runtime: &Runtime) -> ChainEntry {
    LayerPlan::new("prompt").entry(&runtime.block_on(load("bench", guest!("prompt"))))
}

/// So many times: a fresh instance, one call, and its end.
pub(crate) fn fresh_calls(runtime: &Runtime, entry: &ChainEntry, count: u64) -> Duration {
    timed(|| {
        runtime.block_on(async {
            for _ in 0..count {
                let chain = Chain::open(std::slice::from_ref(entry), ReplyContext::builder("s", "r").build());
                chain.system_prompt("Be brief".to_owned()).await.expect("the call succeeds");
            }
        });
    })
}

/// A fresh instance of a layer, one call, and its end, against the same on a bare engine.
pub(crate) fn fresh(runtime: &Runtime) -> f64 {
    let entry = entry(runtime);
    let bare = Bare::new(guest!("prompt"));
    let theirs = || {
        timed(|| {
            runtime.block_on(async {
                for _ in 0..INSTANCES {
                    bare.call("Be brief").await;
                }
            });
        })
    };
    ratio(|| fresh_calls(runtime, &entry, INSTANCES), theirs)
}

/// Stores made for a hundred hook calls of one layer in one reply: one, and nothing compiled.
pub(crate) fn stores_per_reply(runtime: &Runtime) -> f64 {
    let entry = entry(runtime);
    let compiled = sandbox().counts().compilations();
    let made = sandbox().counts().stores();
    let chain = Chain::open(std::slice::from_ref(&entry), ReplyContext::builder("s", "r").build());
    for _ in 0..100 {
        runtime.block_on(chain.system_prompt("Be brief".to_owned())).expect("the call succeeds");
    }
    let compiled = sandbox().counts().compilations() - compiled;
    let made = sandbox().counts().stores() - made;
    f64::from(u32::try_from(made + compiled).expect("a small number"))
}
