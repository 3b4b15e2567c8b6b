//! Components that keep to the contract.

use cepa::conformance::Verdict;
use cepa_tests::guest;
use serde_json::{Value, json};

use crate::rig::{all, named, report, subject};

#[tokio::test(flavor = "multi_thread")]
async fn the_bundled_middlewares_pass() {
    for name in cepa::bundled::names() {
        let config = match name {
            "model-fallback" => json!({ "models": ["backup"] }),
            _ => json!({}),
        };
        passes(name, cepa::bundled::bundled(name).expect("it is bundled"), config).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn those_that_do_much_pass() {
    passes("every-hook", guest!("every-hook"), json!({})).await;
    passes("observe", guest!("observe"), json!({})).await;
    passes("redact", guest!("redact"), json!({ "secret": "世界" })).await;
    passes("careless", guest!("careless"), json!({ "mistake": "none" })).await;
}

async fn passes(name: &str, bytes: &[u8], config: Value) {
    let judged = all(subject(name, bytes, config).await).await;
    assert!(named(&judged, Verdict::Fail).is_empty(), "{name}\n{}", report(&judged));
    assert!(named(&judged, Verdict::Pass).len() >= 8, "{name}\n{}", report(&judged));
}
