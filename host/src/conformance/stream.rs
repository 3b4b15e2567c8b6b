//! The text that is left of a stream once it has ended.

use crate::event::Event;

/// The text of a stream: what was withdrawn or replaced is gone.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Streamed {
    /// That of the steps before the last.
    pub(super) earlier: String,
    /// That of the last step.
    pub(super) last: String,
}

impl Streamed {
    pub(super) fn of(events: &[Event]) -> Self {
        let mut earlier = String::new();
        // The pieces of the step, each with the model call that it came from.
        let mut step: Vec<(Option<&str>, String)> = Vec::new();
        let mut call = None;
        for event in events {
            match event {
                Event::ModelCallStart { id, .. } => call = Some(id.as_str()),
                Event::ModelCallEnd { .. } => call = None,
                Event::TextDelta { text, .. } => step.push((call, text.clone())),
                Event::Withdrawn { id } => step.retain(|(call, _)| *call != Some(id)),
                Event::MessageReplaced { message } => step = vec![(None, message.text())],
                // Results come behind the message with their calls, and behind them begins another step.
                Event::ToolResultEnd { .. } => earlier.extend(step.drain(..).map(|(_, text)| text)),
                _ => {}
            }
        }
        Self { earlier, last: step.into_iter().map(|(_, text)| text).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{FinishReason, Message, ToolState};

    fn say(text: &str) -> Event {
        Event::TextDelta { id: "t".to_owned(), text: text.to_owned() }
    }

    fn begin(id: &str) -> Event {
        Event::ModelCallStart { id: id.to_owned(), model: "main".to_owned() }
    }

    fn end(id: &str) -> Event {
        let finish_reason = FinishReason::Stop;
        Event::ModelCallEnd { id: id.to_owned(), finish_reason, usage: None, error: None }
    }

    #[test]
    fn what_was_withdrawn_or_replaced_is_gone_and_steps_are_kept_apart() {
        let mut events = vec![begin("a"), say("fal"), end("a"), Event::Withdrawn { id: "a".to_owned() }];
        events.extend([begin("b"), say("I "), say("look."), end("b")]);
        events.push(Event::ToolResultEnd { call_id: "c".to_owned(), state: ToolState::Success });
        events.extend([begin("d"), say("secret"), end("d")]);
        events.push(Event::MessageReplaced { message: Message::assistant("done") });
        let streamed = Streamed::of(&events);
        assert_eq!((streamed.earlier.as_str(), streamed.last.as_str()), ("I look.", "done"));
    }
}
