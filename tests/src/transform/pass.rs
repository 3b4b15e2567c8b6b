//! The hooks themselves: how a text goes through the layers.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use cepa::chain::{Chain, Tap};
use cepa::error::Error;
use cepa::event::Event;
use cepa::message::Message;
use cepa::request::Draft;

/// A hook that gives each layer what the one before gave.
pub trait Passing {
    /// Whether a layer has a way to say that a text goes no further.
    const STOPS: bool;

    /// Passes a text through all layers: what comes out, or `None` when it went no further.
    ///
    /// # Errors
    /// The error of the layer that refused it.
    fn pass(chain: &Chain, text: String) -> impl Future<Output = Result<Option<String>, Error>>;
}

/// The text is the system prompt.
#[derive(Debug)]
pub struct SystemPrompt;

impl Passing for SystemPrompt {
    const STOPS: bool = false;

    async fn pass(chain: &Chain, text: String) -> Result<Option<String>, Error> {
        chain.system_prompt(text).await.map(Some)
    }
}

/// The text is a draft, which goes no further when it is sent back.
#[derive(Debug)]
pub struct Drafts;

impl Passing for Drafts {
    const STOPS: bool = true;

    async fn pass(chain: &Chain, text: String) -> Result<Option<String>, Error> {
        let message = Message::assistant(text);
        let draft = Draft { message, structured_output: None, attempt: 1, max_attempts: 2 };
        let (draft, feedback) = chain.review(draft).await?;
        Ok(feedback.is_none().then(|| draft.message.text()))
    }
}

/// The text is in an event, which goes no further when it is dropped.
#[derive(Debug)]
pub struct Events;

impl Passing for Events {
    const STOPS: bool = true;

    async fn pass(chain: &Chain, text: String) -> Result<Option<String>, Error> {
        let arrived = Arc::<Mutex<Arrived>>::default();
        let out = chain.carry_to(Reader(Arc::clone(&arrived))).await?;
        out.send(Event::TextDelta { id: "text".to_owned(), text }).await?;
        // It fails as well when a filter did, whose error has arrived by then.
        let _ = out.flush().await;
        let Arrived { text, error } = std::mem::take(&mut *arrived.lock().expect("no reader panics"));
        error.map_or(Ok(text), Err)
    }
}

/// What came out behind the last filter.
#[derive(Default)]
struct Arrived {
    text: Option<String>,
    error: Option<Error>,
}

struct Reader(Arc<Mutex<Arrived>>);

impl Reader {
    fn note(&self, note: impl FnOnce(&mut Arrived)) {
        note(&mut self.0.lock().expect("no reader panics"));
    }
}

type Telling<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl Tap for Reader {
    fn before(&mut self, _event: &Event) {}

    fn deliver(&mut self, event: Event) -> Telling<'_, bool> {
        if let Event::TextDelta { text, .. } = event {
            self.note(|arrived| arrived.text = Some(text));
        }
        Box::pin(ready(true))
    }

    fn noted(&mut self, _event: u64) -> Telling<'_, ()> {
        Box::pin(ready(()))
    }

    fn failed(&mut self, error: Error) {
        self.note(|arrived| arrived.error = Some(error));
    }
}
