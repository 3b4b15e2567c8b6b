//! What waits inside many layers: who is woken, who is dropped, and what a layer may do with its run.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::Poll;

use cepa::chain::{
    Chain, ChainEntry, Endpoint, HookFuture, HookKind, HookSet, Layer, ModelCall, Native, Next, ReplyContext,
    Sink, endpoint_fn,
};
use cepa::error::{Error, ErrorKind};
use cepa::message::Block;
use cepa::request::{ModelRequest, ModelResponse};
use tokio::task::yield_now;

const DEPTH: usize = 20;
const WAITS: usize = 100;

type Counter = Arc<AtomicUsize>;

/// Gives a future on, and counts how often it is polled.
async fn counted<T>(polls: Counter, future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    std::future::poll_fn(|cx| {
        polls.fetch_add(1, Ordering::Relaxed);
        future.as_mut().poll(cx)
    })
    .await
}

/// Waits so many times, then answers.
fn waiting(times: usize) -> Arc<dyn Endpoint<ModelCall>> {
    endpoint_fn(move |_: ModelRequest, _: Sink| async move {
        for _ in 0..times {
            yield_now().await;
        }
        Ok(answer())
    })
}

fn answer() -> ModelResponse {
    ModelResponse::answer(vec![Block::Text { text: "done".to_owned() }])
}

/// A layer made of what it does with its run.
struct Does<F>(F);

impl<F, R> Layer for Does<F>
where
    F: Fn(ModelRequest, Next<ModelCall>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<ModelResponse, Error>> + Send + 'static,
{
    fn on_model_call(
        self: Arc<Self>,
        request: ModelRequest,
        next: Next<ModelCall>,
        _out: Sink,
    ) -> HookFuture<ModelResponse> {
        let does = (self.0)(request, next);
        Box::pin(async move { Ok(does.await?) })
    }
}

fn layer<F, R>(does: F) -> ChainEntry
where
    F: Fn(ModelRequest, Next<ModelCall>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<ModelResponse, Error>> + Send + 'static,
{
    ChainEntry::new(Native::new("layer", HookSet::EMPTY.with(HookKind::ModelCall), Does(does)))
}

/// A layer that waits so many times by itself, then runs what is inside.
fn through(polls: &Counter, waits: usize) -> ChainEntry {
    let polls = Arc::clone(polls);
    layer(move |request, mut next| {
        counted(Arc::clone(&polls), async move {
            for _ in 0..waits {
                yield_now().await;
            }
            next.run(request).await
        })
    })
}

async fn call(
    entries: &[ChainEntry],
    endpoint: Arc<dyn Endpoint<ModelCall>>,
) -> Result<ModelResponse, Error> {
    let chain = Chain::open(entries, ReplyContext::builder("s", "r").build());
    chain.call(ModelRequest::to("m"), endpoint, Sink::discard()).await
}

#[tokio::test]
async fn what_waits_inside_wakes_nobody_around_it() {
    let polls = Counter::default();
    let entries: Vec<ChainEntry> = (0..DEPTH).map(|_| through(&polls, 0)).collect();
    call(&entries, waiting(WAITS)).await.unwrap();
    let polls = polls.load(Ordering::Relaxed);
    assert!(
        polls <= 3 * DEPTH,
        "{polls} polls of {DEPTH} layers: at the begin, after the first wait, at the end"
    );
}

#[tokio::test]
async fn it_wakes_nobody_when_the_layers_have_waited_before() {
    let polls = Counter::default();
    let entries: Vec<ChainEntry> = (0..DEPTH).map(|_| through(&polls, 1)).collect();
    call(&entries, waiting(WAITS)).await.unwrap();
    let polls = polls.load(Ordering::Relaxed);
    assert!(polls <= 5 * DEPTH, "{polls} polls of {DEPTH} layers");
}

#[tokio::test]
async fn a_layer_may_take_its_run_to_a_task_of_its_own() {
    let polls = Counter::default();
    let moved = layer(|request, mut next: Next<ModelCall>| async move {
        let run = tokio::spawn(async move { next.run(request).await });
        run.await.unwrap_or_else(|_| Err(Error::internal("the task was lost")))
    });
    let response = call(&[moved, through(&polls, 1)], waiting(WAITS)).await.unwrap();
    assert_eq!(response.text(), answer().text());
}

/// Says that it was dropped.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn a_run_that_a_layer_gives_up_ends_and_the_next_one_works() {
    let given_up = Arc::new(AtomicBool::new(false));
    let impatient = layer(|request: ModelRequest, mut next: Next<ModelCall>| async move {
        {
            let mut run = pin!(next.run(request.clone()));
            let first = std::future::poll_fn(|cx| Poll::Ready(run.as_mut().poll(cx))).await;
            assert!(first.is_pending(), "what is inside waits");
        }
        next.run(request).await
    });
    let runs = Counter::default();
    let flag = Arc::clone(&given_up);
    let endpoint = endpoint_fn(move |_: ModelRequest, _: Sink| {
        let first = runs.fetch_add(1, Ordering::Relaxed) == 0;
        let held = first.then(|| Dropped(Arc::clone(&flag)));
        async move {
            match held {
                Some(_held) => std::future::pending().await,
                None => Ok(answer()),
            }
        }
    });
    let polls = Counter::default();
    let response = call(&[impatient, through(&polls, 0)], endpoint).await.unwrap();
    assert_eq!(response.text(), answer().text());
    assert!(given_up.load(Ordering::Relaxed));
}

#[tokio::test]
async fn nothing_is_left_of_a_run_that_a_layer_gives_up_as_it_answers() {
    let given_up = Arc::new(AtomicBool::new(false));
    let hasty = layer(|request: ModelRequest, mut next: Next<ModelCall>| async move {
        let mut run = pin!(next.run(request));
        let first = std::future::poll_fn(|cx| Poll::Ready(run.as_mut().poll(cx))).await;
        assert!(first.is_pending(), "what is inside waits");
        Ok(answer())
    });
    let flag = Arc::clone(&given_up);
    let endpoint = endpoint_fn(move |_: ModelRequest, _: Sink| {
        let held = Dropped(Arc::clone(&flag));
        async move {
            let _held = held;
            std::future::pending().await
        }
    });
    let response = call(&[hasty], endpoint).await.unwrap();
    assert_eq!(response.text(), answer().text());
    assert!(given_up.load(Ordering::Relaxed), "what was lifted is gone with the call");
}

#[tokio::test]
async fn a_part_that_panics_after_it_waited_is_an_error_for_those_around_it() {
    let polls = Counter::default();
    let endpoint = endpoint_fn(|_: ModelRequest, _: Sink| async move {
        yield_now().await;
        panic!("a defect");
    });
    let error = call(&[through(&polls, 0)], endpoint).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Internal);
}
