//! Tokens are counted whatever becomes of the call that spent them.

use std::sync::Arc;

use cepa::chain::{HookFuture, HookKind, Layer, ModelCall, Next, Sink};
use cepa::error::{Error, ErrorKind};
use cepa::event::{Event, EventKinds};
use cepa::message::Usage;
use cepa::request::{ModelRequest, ModelResponse, TurnSummary};
use cepa::services::Services;

use crate::rig::{Say, Script, Told, agent, ask, ask_and_abort, entry, opened, says, stored, text};

/// What each call of the script costs.
fn price() -> Usage {
    Usage { input_tokens: Some(10), output_tokens: Some(2), ..Usage::default() }
}

fn broken() -> Say {
    Say::Break(vec![text("I was about to")], Error::new(ErrorKind::Connection, "the line was cut"))
}

/// The usage that each end of a model call tells.
fn ends(told: &Told) -> Vec<Option<Usage>> {
    let usage = |event: &Event| match event {
        Event::ModelCallEnd { usage, .. } => Some(usage.clone()),
        _ => None,
    };
    told.events.iter().filter_map(usage).collect()
}

#[tokio::test]
async fn a_call_that_fails_is_counted() {
    let agent = agent(&Script::new([broken()])).build().await.unwrap();
    let told = ask(&agent, "Go").await;
    assert_eq!(ends(&told), [Some(price())]);
    assert_eq!(told.result.response.usage, price());
    assert_eq!(stored(&agent).await.usage, [("main".to_owned(), price(), 1)]);
}

#[tokio::test]
async fn a_call_that_is_aborted_is_counted() {
    let agent = agent(&Script::new([Say::Hang(vec![text("Once upon")])])).build().await.unwrap();
    let told = ask_and_abort(&agent, "Go", |event| matches!(event, Event::TextEnd { .. })).await;
    assert_eq!(ends(&told), [Some(price())]);
    assert_eq!(told.result.response.usage, price());
    assert_eq!(stored(&agent).await.usage, [("main".to_owned(), price(), 1)]);
}

#[tokio::test]
async fn a_call_of_which_nothing_is_known_is_not_counted() {
    let agent = agent(&Script::new([Say::Panic])).build().await.unwrap();
    let told = ask(&agent, "Go").await;
    assert_eq!(ends(&told), [None]);
    assert_eq!(told.result.response.usage, Usage::default());
    assert!(stored(&agent).await.usage.is_empty());
}

/// Makes one call in vain, and then another.
enum Twice {
    /// Waits for the first to fail.
    Fails,
    /// Drops the first once it has said something.
    Drops,
}

impl Layer for Twice {
    fn on_model_call(
        self: Arc<Self>,
        request: ModelRequest,
        mut next: Next<ModelCall>,
        _out: Sink,
    ) -> HookFuture<ModelResponse> {
        Box::pin(async move {
            match *self {
                Self::Fails => drop(next.run(request.clone()).await),
                Self::Drops => {
                    let mut run = next.start(request.clone()).await?;
                    run.next(EventKinds::TEXT).await?;
                }
            }
            Ok(next.run(request).await?)
        })
    }
}

#[tokio::test]
async fn a_call_that_was_made_in_vain_is_counted_beside_the_one_that_answered() {
    for (twice, first) in [(Twice::Fails, broken()), (Twice::Drops, Say::Hang(vec![text("Once upon")]))] {
        let layer = entry("twice", &[HookKind::ModelCall], twice);
        let model = Script::new([first, says("Yes.")]);
        let agent = agent(&model).middleware(layer).build().await.unwrap();
        let told = ask(&agent, "Go").await;
        assert_eq!(told.result.response.text(), "Yes.");
        assert_eq!(told.result.response.usage.input_tokens, Some(20));
        let [(_, usage, calls)] = &stored(&agent).await.usage[..] else { panic!("one model") };
        assert_eq!((usage.input_tokens, *calls), (Some(20), 2));
    }
}

/// Asks a model about the reply once it is over.
struct Reflects(Arc<dyn Services>);

impl Layer for Reflects {
    fn on_turn_end(self: Arc<Self>, _turn: TurnSummary) -> HookFuture<()> {
        Box::pin(async move {
            self.0.complete(ModelRequest::to("main")).await?;
            Ok(())
        })
    }
}

#[tokio::test]
async fn a_call_of_an_observer_of_the_end_is_counted() {
    let layer = opened("reflects", &[HookKind::TurnEnd], |reply| Reflects(Arc::clone(&reply.services)));
    let model = Script::new([says("Yes."), says("It went well.")]);
    let agent = agent(&model).middleware(layer).build().await.unwrap();
    let told = ask(&agent, "Go").await;
    assert_eq!(told.result.response.usage.input_tokens, Some(20));
    let [(_, usage, calls)] = &stored(&agent).await.usage[..] else { panic!("one model") };
    assert_eq!((usage.input_tokens, *calls), (Some(20), 2));
}
