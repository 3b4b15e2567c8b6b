//! What a stream costs that goes through layers.

use std::sync::Arc;
use std::time::Duration;

use cepa::chain::{
    Chain, ChainEntry, Endpoint, HookFuture, HookKind, HookSet, Layer, ModelCall, Native, Next, ReplyContext,
    Sink, endpoint_fn,
};
use cepa::event::{Event, EventKinds};
use cepa::message::Block;
use cepa::request::{ModelRequest, ModelResponse};
use cepa_tests::guest;
use tokio::runtime::Runtime;

use super::hop::chain;
use super::measure::ratio;

pub(crate) const DELTAS: usize = 1000;
const STREAMS: u64 = 20;

fn endpoint() -> Arc<dyn Endpoint<ModelCall>> {
    endpoint_fn(|_: ModelRequest, out: Sink| async move {
        for _ in 0..DELTAS {
            out.send(Event::TextDelta { id: "b".to_owned(), text: "word ".to_owned() }).await?;
        }
        Ok(ModelResponse::answer(vec![Block::Text { text: "done".to_owned() }]))
    })
}

/// So many streams of 1,000 deltas, each read to its end. As in an agent, the call is one task and its reader another.
pub(crate) fn streams(runtime: &Runtime, chain: &Chain, count: u64) -> Duration {
    let (chain, endpoint) = (chain.clone(), endpoint());
    let work = async move {
        let start = std::time::Instant::now();
        for _ in 0..count {
            let (out, mut stream) = Sink::stream();
            let (chain, endpoint) = (chain.clone(), Arc::clone(&endpoint));
            let call = tokio::spawn(async move { chain.call(ModelRequest::to("m"), endpoint, out).await });
            let mut read = 0;
            while stream.next().await.is_some() {
                read += 1;
            }
            call.await.expect("the task ends").expect("the call succeeds");
            assert_eq!(read, DELTAS, "every delta arrives");
        }
        start.elapsed()
    };
    runtime.block_on(async { tokio::spawn(work).await.expect("the task ends") })
}

/// Ten layers that use `run`, against none: on one thread.
///
/// On several, what is measured is whether the reader happens to run beside the sender. That decides more than layers
/// do: one native layer that computes for 6 µs before it runs what is inside gives 1.3 there.
pub(crate) fn run(runtime: &Runtime) -> f64 {
    let through = chain(runtime, guest!("passthrough"), 10);
    let bare = chain(runtime, guest!("passthrough"), 0);
    let one_thread =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be started");
    ratio(|| streams(&one_thread, &through, STREAMS), || streams(&one_thread, &bare, STREAMS))
}

/// A native layer that reads and sends every event.
struct Observe;

impl Layer for Observe {
    fn on_model_call(
        self: Arc<Self>,
        request: ModelRequest,
        mut next: Next<ModelCall>,
        out: Sink,
    ) -> HookFuture<ModelResponse> {
        Box::pin(async move {
            let mut run = next.start(request).await?;
            loop {
                let events = run.next(EventKinds::ALL).await?;
                if events.is_empty() {
                    return Ok(run.finish().await?);
                }
                out.emit(events).await?;
            }
        })
    }
}

/// One component that reads and sends every event, against a native layer that does the same; what the stream costs
/// without either is taken off both.
pub(crate) fn burst(runtime: &Runtime) -> f64 {
    let component = chain(runtime, guest!("observe"), 1);
    let entry = ChainEntry::new(Native::new("native", HookSet::EMPTY.with(HookKind::ModelCall), Observe));
    let native = Chain::open(&[entry], ReplyContext::builder("s", "r").build());
    let bare = chain(runtime, guest!("observe"), 0);
    ratio(
        || streams(runtime, &component, STREAMS).saturating_sub(streams(runtime, &bare, STREAMS)),
        || streams(runtime, &native, STREAMS).saturating_sub(streams(runtime, &bare, STREAMS)),
    )
}
