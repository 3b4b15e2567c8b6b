//! Blots a secret out of the stream, also where it is split over several events, and drops the end of the reply.

use std::cell::RefCell;

use cepa_sdk::{Error, Event, EventKinds, Middleware, OnEvents, TextDelta, info};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    secret: String,
}

struct Redact {
    secret: String,
    /// The end of the text so far, which may be the begin of the secret.
    held: RefCell<String>,
    texts: RefCell<u32>,
}

impl Middleware for Redact {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self { secret: config.secret, held: RefCell::default(), texts: RefCell::default() })
    }
}

impl Redact {
    /// What of the text is safe to send on.
    fn push(&self, text: &str) -> String {
        let mut held = self.held.borrow_mut();
        held.push_str(text);
        let clean = held.replace(&self.secret, "***");
        let begins = |at: &usize| clean.get(*at..).is_some_and(|tail| self.secret.starts_with(tail));
        let keep = (0..clean.len()).find(begins).unwrap_or(clean.len());
        let (safe, rest) = clean.split_at(keep);
        rest.clone_into(&mut held);
        safe.to_owned()
    }

    fn pass(&self, event: Event) -> Vec<Event> {
        match event {
            Event::TextDelta(delta) => {
                *self.texts.borrow_mut() += 1;
                let text = self.push(&delta.text);
                vec![Event::TextDelta(TextDelta { id: delta.id, text })]
            }
            Event::TextEnd(id) => {
                let rest = self.held.take();
                vec![Event::TextDelta(TextDelta { id: id.clone(), text: rest }), Event::TextEnd(id)]
            }
            Event::ReplyEnd(_) => {
                info!("saw {} pieces of text", self.texts.borrow());
                Vec::new()
            }
            other => vec![other],
        }
    }
}

impl OnEvents for Redact {
    fn kinds(&self) -> EventKinds {
        EventKinds::TEXT | EventKinds::REPLY
    }

    fn on_events(&self, events: Vec<Event>) -> Result<Vec<Event>, Error> {
        Ok(events.into_iter().flat_map(|event| self.pass(event)).collect())
    }
}

cepa_sdk::export!(Redact: OnEvents);
