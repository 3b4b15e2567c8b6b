//! Components around a model call.

use std::sync::Arc;

use cepa::chain::{Endpoint, ModelCall, Sink, endpoint_fn};
use cepa::event::Event;
use cepa::message::{Block, Message};
use cepa::request::{ModelRequest, ModelResponse};
use cepa_tests::chain::{LayerPlan, call, load};
use cepa_tests::guest;

fn echo() -> Arc<dyn Endpoint<ModelCall>> {
    endpoint_fn(|request: ModelRequest, out: Sink| async move {
        let text = request.messages.last().map(|message| message.text()).unwrap_or_default();
        out.send(Event::TextStart { id: "b".into() }).await?;
        for piece in text.split_inclusive(' ') {
            out.send(Event::TextDelta { id: "b".into(), text: piece.into() }).await?;
        }
        out.send(Event::TextEnd { id: "b".into() }).await?;
        Ok(ModelResponse::answer(vec![Block::Text { text }]))
    })
}

fn request() -> ModelRequest {
    let mut request = ModelRequest::to("main");
    request.push_message(Message::user("one two three"));
    request
}

#[tokio::test]
async fn a_layer_that_passes_through_changes_nothing() {
    let component = load("passthrough", guest!("passthrough")).await;
    let bare = call::<ModelCall>(&[], request(), echo()).await;
    let entries: Vec<_> = (0..10).map(|n| LayerPlan::new(&format!("layer-{n}")).entry(&component)).collect();
    let layered = call::<ModelCall>(&entries, request(), echo()).await;
    assert_eq!(layered.result.unwrap().message, bare.result.unwrap().message);
    assert_eq!(layered.events, bare.events);
    assert_eq!(layered.notes, []);
}

#[tokio::test]
async fn a_layer_that_reads_and_sends_each_event_keeps_them_in_order() {
    let component = load("observe", guest!("observe")).await;
    let bare = call::<ModelCall>(&[], request(), echo()).await;
    let entries: Vec<_> = (0..3).map(|n| LayerPlan::new(&format!("layer-{n}")).entry(&component)).collect();
    let layered = call::<ModelCall>(&entries, request(), echo()).await;
    assert_eq!(layered.result.unwrap().text(), "one two three");
    assert_eq!(layered.events, bare.events);
}
