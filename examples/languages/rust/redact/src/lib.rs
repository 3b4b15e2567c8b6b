//! Takes a text out of what is read, also where it comes in pieces, and out of the final answer.

use std::collections::HashMap;

use cepa_sdk::{
    ContentBlock, Error, Event, EventKinds, Middleware, OnReply, ReplyNext, ReplyRequest, ReplyResponse,
    Sink, TextDelta,
};
use schemars::JsonSchema;
use serde::Deserialize;

const REDACTED: &str = "[redacted]";

/// The configuration.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The text that nobody is to read.
    #[schemars(length(min = 1))]
    pub pattern: String,
}

/// The middleware.
#[derive(Debug)]
pub struct Redact {
    pattern: String,
}

impl Redact {
    /// What goes out for an event; `held` has the text of each block that may be the start of a match.
    fn changed(&self, event: Event, held: &mut HashMap<String, String>) -> Vec<Event> {
        match event {
            Event::TextDelta(TextDelta { id, text }) => {
                let whole = held.remove(&id).unwrap_or_default() + &text;
                let (free, rest) = self.split(&whole);
                held.insert(id.clone(), rest.to_owned());
                delta(id, free).into_iter().collect()
            }
            Event::TextEnd(id) => {
                let rest = held.remove(&id).unwrap_or_default();
                delta(id.clone(), rest).into_iter().chain([Event::TextEnd(id)]).collect()
            }
            Event::MessageReplaced(mut message) => {
                message.content = self.without(message.content);
                vec![Event::MessageReplaced(message)]
            }
            other => vec![other],
        }
    }

    /// The text without matches, and its end as far as a match may begin there.
    fn split<'t>(&self, text: &'t str) -> (String, &'t str) {
        let last = text.match_indices(&self.pattern).last();
        let (whole, rest) = text.split_at(last.map_or(0, |(at, found)| at + found.len()));
        let longest = rest.len().saturating_sub(self.pattern.len() - 1);
        let begins = |at: &usize| rest.get(*at..).is_some_and(|end| self.pattern.starts_with(end));
        let end = (longest..rest.len()).find(begins).unwrap_or(rest.len());
        let (free, held) = rest.split_at(end);
        (whole.replace(&self.pattern, REDACTED) + free, held)
    }

    fn without(&self, content: Vec<ContentBlock>) -> Vec<ContentBlock> {
        let redacted = |block| match block {
            ContentBlock::Text(text) => ContentBlock::Text(text.replace(&self.pattern, REDACTED)),
            other => other,
        };
        content.into_iter().map(redacted).collect()
    }
}

/// An event for a text that is not empty.
fn delta(id: String, text: String) -> Option<Event> {
    (!text.is_empty()).then_some(Event::TextDelta(TextDelta { id, text }))
}

impl Middleware for Redact {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        if config.pattern.is_empty() {
            return Err(Error::invalid("`pattern` is empty"));
        }
        Ok(Self { pattern: config.pattern })
    }
}

impl OnReply for Redact {
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, out: Sink) -> Result<ReplyResponse, Error> {
        let mut held = HashMap::new();
        let run = next.start(request);
        loop {
            // `message-replaced` brings a whole message, with what was taken out of its pieces.
            let events = run.next(EventKinds::TEXT | EventKinds::REVISION);
            if events.is_empty() {
                break;
            }
            let sent: Vec<Event> =
                events.into_iter().flat_map(|event| self.changed(event, &mut held)).collect();
            out.emit(&sent)?;
        }
        let response = run.finish()?;
        if let Some(message) = response.message() {
            response.set_content(&self.without(message.content))?;
        }
        Ok(response)
    }
}

cepa_sdk::export!(Redact: OnReply);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_begin_a_match_is_held() {
        for (pattern, text, free, held) in [
            ("aéb", "xaéby", "x[redacted]y", ""),
            ("aéb", "xaé", "x", "aé"),
            ("aéb", "aéaébaéba", "aé[redacted][redacted]", "a"),
            ("aéb", "é", "é", ""),
            ("aa", "aaa", "[redacted]", "a"),
            ("aa", "", "", ""),
        ] {
            let redact = Redact { pattern: pattern.to_owned() };
            assert_eq!(redact.split(text), (free.to_owned(), held), "{text}");
        }
    }
}
