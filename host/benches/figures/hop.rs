//! What a layer costs that passes a model call through.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use cepa::chain::{Chain, ChainEntry, Endpoint, ModelCall, Sink, endpoint_fn};
use cepa::message::{Block, Message};
use cepa::request::{ModelRequest, ModelResponse};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use tokio::runtime::Runtime;

use super::measure::{ratio, timed};

const DEPTH: usize = 10;
const CALLS: u64 = 400;

/// A request of this many messages of this many bytes.
pub(crate) fn request(messages: usize, bytes: usize) -> ModelRequest {
    let mut request = ModelRequest::to("main");
    request.edit().system_prompt = Some("You are a careful assistant.".to_owned());
    for _ in 0..messages {
        request.push_message(Message::user("x".repeat(bytes)));
    }
    request
}

/// A model that is ready at once.
pub(crate) fn endpoint() -> Arc<dyn Endpoint<ModelCall>> {
    let answer = ModelResponse::answer(vec![Block::Text { text: "done".to_owned() }]);
    endpoint_fn(move |_: ModelRequest, _: Sink| {
        let answer = answer.clone();
        async move { Ok(answer) }
    })
}

/// A chain of one component, so many times, in a reply that has called each before.
pub(crate) fn chain(runtime: &Runtime, bytes: &[u8], depth: usize) -> Chain {
    let component = runtime.block_on(load("bench", bytes));
    let entries: Vec<ChainEntry> =
        (0..depth).map(|n| LayerPlan::new(&format!("layer-{n}")).entry(&component)).collect();
    Chain::open(&entries, cepa::chain::ReplyContext::builder("s", "r").build())
}

/// So many calls, one after the other, on a worker of the runtime.
pub(crate) fn calls(runtime: &Runtime, chain: &Chain, request: &ModelRequest, count: u64) -> Duration {
    let (chain, request, endpoint) = (chain.clone(), request.clone(), endpoint());
    let work = async move {
        let start = std::time::Instant::now();
        for _ in 0..count {
            let result = chain.call(request.clone(), Arc::clone(&endpoint), Sink::discard()).await;
            black_box(result.expect("the call succeeds"));
        }
        start.elapsed()
    };
    runtime.block_on(async { tokio::spawn(work).await.expect("the task ends") })
}

/// One layer of ten, against one `serde_json` round trip of the same request.
pub(crate) fn hop(runtime: &Runtime) -> f64 {
    let request = request(20, 400);
    let chain = chain(runtime, guest!("passthrough"), DEPTH);
    let bare = self::chain(runtime, guest!("passthrough"), 0);
    let messages: Vec<Message> = request.messages.iter().map(|message| Message::clone(message)).collect();
    ratio(
        || {
            let with = calls(runtime, &chain, &request, CALLS);
            let without = calls(runtime, &bare, &request, CALLS);
            with.saturating_sub(without) / u32::try_from(DEPTH).expect("a small number")
        },
        || {
            timed(|| {
                for _ in 0..CALLS {
                    let text = serde_json::to_string(black_box(&messages)).expect("messages are JSON");
                    black_box(serde_json::from_str::<Vec<Message>>(&text).expect("JSON is messages"));
                }
            })
        },
    )
}

/// Ten layers at 200 messages of 1,000 bytes, against 20 of 400.
pub(crate) fn size(runtime: &Runtime) -> f64 {
    let chain = chain(runtime, guest!("passthrough"), DEPTH);
    let (large, small) = (request(200, 1000), request(20, 400));
    ratio(|| calls(runtime, &chain, &large, CALLS), || calls(runtime, &chain, &small, CALLS))
}

/// Ten layers that implement another hook, against none.
pub(crate) fn absent(runtime: &Runtime) -> f64 {
    let chain = chain(runtime, guest!("prompt"), DEPTH);
    let bare = self::chain(runtime, guest!("prompt"), 0);
    let request = request(20, 400);
    let many = |chain: &Chain| (0..20).map(|_| calls(runtime, chain, &request, CALLS)).sum::<Duration>();
    ratio(|| many(&chain), || many(&bare))
}
