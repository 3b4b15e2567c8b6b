//! What layers take of the machine while their replies wait.

use std::sync::Arc;

use cepa::agent::{Agent, ReplyStream};
use cepa::chain::Sink;
use cepa::error::Error;
use cepa::model::Model;
use cepa::request::{ModelRequest, ModelResponse};
use cepa::sandbox::Component;
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use cepa_tests::memory::{guest_bytes, private_bytes};
use futures::future::BoxFuture;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

const REPLIES: usize = 1_000;
const LAYERS: usize = 5;

/// A model that never answers. It has a permit for each call that waits.
struct Silent(Arc<Semaphore>);

impl Model for Silent {
    fn provider(&self) -> &str {
        "silent"
    }

    fn model_name(&self) -> &str {
        "silent-1"
    }

    fn call(&self, _: ModelRequest, _: String, _: Sink) -> BoxFuture<'static, Result<ModelResponse, Error>> {
        self.0.add_permits(1);
        Box::pin(std::future::pending())
    }
}

/// So many replies that wait in a model call.
async fn waiting(component: &Component, replies: usize) -> Vec<ReplyStream> {
    let asked = Arc::new(Semaphore::new(0));
    let mut builder = Agent::builder("bench").model("main", Arc::new(Silent(Arc::clone(&asked))));
    for layer in 0..LAYERS {
        builder = builder.middleware(LayerPlan::new(&format!("layer-{layer}")).entry(component));
    }
    let agent = builder.build().await.expect("the agent can be built");
    let mut streams = Vec::with_capacity(replies);
    for session in 0..replies {
        let stream = agent.reply(session.to_string(), "Go").await.expect("the reply begins");
        streams.push(stream);
    }
    let all = u32::try_from(replies).expect("a small number");
    asked.acquire_many(all).await.expect("the model is asked").forget();
    streams
}

/// KiB of memory for each layer of a thousand replies that wait, with its share of the reply, above what its guest has
/// written to in its own memory.
pub(crate) fn layer(runtime: &Runtime) -> f64 {
    runtime.block_on(async {
        let component = load("bench", guest!("passthrough")).await;
        // What is made once for all replies is made.
        drop(waiting(&component, 1).await);
        let host_bytes = || private_bytes().saturating_sub(guest_bytes());
        let before = host_bytes();
        let streams = waiting(&component, REPLIES).await;
        let taken = host_bytes().saturating_sub(before);
        drop(streams);
        let taken = f64::from(u32::try_from(taken >> 10).expect("less than a terabyte"));
        taken / f64::from(u32::try_from(REPLIES * LAYERS).expect("a small number"))
    })
}
