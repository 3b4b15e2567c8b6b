//! What limits cost a guest that works hard, against an engine that has none.

use cepa::chain::{Chain, ReplyContext};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use tokio::runtime::Runtime;

use super::bare::Bare;
use super::measure::{ratio, timed};

/// A guest that calls the host again and again.
pub(crate) fn calls(runtime: &Runtime) -> f64 {
    work(runtime, "call 50000")
}

/// A guest that computes: the geometric mean over the kinds of work, since none stands for all. What is checked is each
/// turn of a loop, so work in tight loops over bytes pays most.
pub(crate) fn compute(runtime: &Runtime) -> f64 {
    let kinds = ["json 20", "hash 20", "search 20", "sort 100"];
    let ratios: Vec<f64> = kinds.iter().map(|kind| work(runtime, kind)).collect();
    ratios.iter().product::<f64>().powf(1.0 / 4.0)
}

/// One call of the hook, on all limits, against none.
fn work(runtime: &Runtime, prompt: &str) -> f64 {
    let entry = LayerPlan::new("toil").entry(&runtime.block_on(load("toil", guest!("toil"))));
    let bare = Bare::new(guest!("toil"));
    let bounded = || {
        let chain = Chain::open(std::slice::from_ref(&entry), ReplyContext::builder("s", "r").build());
        timed(|| {
            let answer = runtime.block_on(chain.system_prompt(prompt.to_owned()));
            assert_eq!(answer.expect("the call succeeds"), prompt);
        })
    };
    ratio(bounded, || timed(|| runtime.block_on(bare.call(prompt))))
}
