//! The waits of the bundled middlewares fit into the limits that a layer has by default.

use std::sync::Arc;
use std::time::Duration;

use cepa::chain::{Chain, ChainEntry, Endpoint, Ledger, ModelCall, ReplyContext, Sink, endpoint_fn};
use cepa::error::{Error, ErrorKind};
use cepa::policy::Limits;
use cepa::request::{ModelRequest, ModelResponse};
use cepa::world::{TestWorld, World};
use cepa_tests::chain::{Happened, LayerPlan, call_in, load};
use serde_json::json;

/// Asks a model through one layer, in this world.
async fn ask(
    entry: ChainEntry,
    world: Arc<dyn World>,
    model: Arc<dyn Endpoint<ModelCall>>,
) -> Happened<ModelResponse> {
    let context =
        ReplyContext::builder("session", "reply").world(world).ledger(Arc::new(Ledger::keeping())).build();
    let chain = Chain::open(&[entry], context);
    call_in::<ModelCall>(&chain, ModelRequest::to("main"), model).await
}

/// A model that always asks to come back after so long.
fn busy(wait: Duration) -> Arc<dyn Endpoint<ModelCall>> {
    endpoint_fn(move |_: ModelRequest, _: Sink| async move {
        Err(Error::new(ErrorKind::RateLimited, "slow down").retry_after(wait))
    })
}

fn component(name: &str) -> &'static [u8] {
    cepa::bundled::bundled(name).unwrap_or_else(|| panic!("`{name}` is not bundled"))
}

#[tokio::test]
async fn a_retry_gives_up_before_its_waits_use_up_the_layers_own_time() {
    let retry = load("retry", component("model-retry")).await;
    for seconds in 1..=30 {
        let plan = LayerPlan::new("retry").config(json!({ "max-retries": 100 }));
        let world = Arc::new(TestWorld::new(seconds));
        let happened = ask(plan.entry(&retry), world.clone(), busy(Duration::from_secs(seconds))).await;
        assert_eq!(happened.result.unwrap_err().kind, ErrorKind::RateLimited);
        let waited: Duration = world.slept().iter().sum();
        assert!(!waited.is_zero() && waited < Limits::default().wall, "{seconds} s a time: {waited:?}");
    }
}

#[tokio::test]
async fn a_provider_that_asks_for_a_minute_is_an_error_at_once_and_no_fault() {
    let retry = load("retry", component("model-retry")).await;
    let world = Arc::new(TestWorld::new(1));
    let model = busy(Limits::default().wall);
    let happened = ask(LayerPlan::new("retry").entry(&retry), world.clone(), model).await;
    assert_eq!(happened.result.unwrap_err().kind, ErrorKind::RateLimited);
    assert_eq!((world.slept(), happened.notes), (Vec::new(), Vec::new()));
}
