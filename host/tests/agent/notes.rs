//! What layers do is told in its place among the events.

use std::sync::Arc;

use cepa::agent::ReplyItem;
use cepa::chain::{HookFuture, HookKind, Layer, ModelCall, Next, NoteKind, ReplyContext, Sink};
use cepa::event::Event;
use cepa::request::{ModelRequest, ModelResponse};

use crate::rig::{Script, agent, opened, says};

/// How many pairs of an event and a note there are: more than wait anywhere.
const PAIRS: usize = 500;

/// Sends an event and makes a note, in turn.
struct InTurn(Arc<ReplyContext>);

impl Layer for InTurn {
    fn on_model_call(
        self: Arc<Self>,
        request: ModelRequest,
        mut next: Next<ModelCall>,
        out: Sink,
    ) -> HookFuture<ModelResponse> {
        Box::pin(async move {
            for number in 0..PAIRS {
                out.send(Event::Other { name: "count".to_owned(), json: number.into() }).await?;
                let message = number.to_string();
                self.0.ledger.note("in-turn", NoteKind::Log { level: "info", message });
            }
            Ok(next.run(request).await?)
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notes_and_events_are_told_in_the_order_in_which_they_were_made() {
    let agent = agent(&Script::new([says("Done.")]))
        .middleware(opened("in-turn", &[HookKind::ModelCall], |reply| InTurn(Arc::clone(reply))))
        .build()
        .await
        .unwrap();
    let mut stream = agent.reply("s", "Count").await.unwrap();
    let mut told = Vec::new();
    while let Some(item) = stream.next().await {
        match item {
            ReplyItem::Event(Event::Other { json, .. }) => told.push(format!("event {json}")),
            ReplyItem::Note(note) => match note.kind {
                NoteKind::Log { message, .. } => told.push(format!("note {message}")),
                other => panic!("{other:?}"),
            },
            ReplyItem::Event(_) => {}
        }
    }
    let wanted: Vec<String> =
        (0..PAIRS).flat_map(|number| ["event", "note"].map(|what| format!("{what} {number}"))).collect();
    assert_eq!(told, wanted);
}
