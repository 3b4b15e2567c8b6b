//! A reply and its session as a text that repeats.

use std::fmt::Write as _;

use cepa::agent::ReplyItem;
use cepa::session::SessionData;

use super::{Told, line};

/// A reply and the session after it, as a text without chance in it.
pub(crate) fn transcript(told: &Told, session: &SessionData) -> String {
    let mut text = String::new();
    for item in &told.items {
        let line = match item {
            ReplyItem::Event(event) => serde_json::to_string(event),
            ReplyItem::Note(note) => serde_json::to_string(note),
        };
        writeln!(text, "{}", line.expect("an event is JSON")).unwrap();
    }
    let response = &told.result.response;
    writeln!(text, "= {:?} after {} steps: {:?}", response.outcome, response.steps, response.text()).unwrap();
    if let Some(structured) = &response.structured_output {
        writeln!(text, "= {structured}").unwrap();
    }
    for pending in &told.result.pending {
        writeln!(text, "? {} {} {}", pending.call.id, pending.call.name, pending.call.arguments).unwrap();
    }
    for message in &session.messages {
        writeln!(text, "{}", line(message)).unwrap();
    }
    for open in &session.open_calls {
        writeln!(text, "! {:?} {} {}", open.state, open.call.id, open.reason).unwrap();
    }
    masked(&text)
}

/// Puts `#1`, `#2` … in the place of ids made by chance, by their first appearance.
fn masked(text: &str) -> String {
    let mut known: Vec<String> = Vec::new();
    let mut result = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(id) = rest.get(..36).filter(|word| is_id(word)) {
            let at = known.iter().position(|seen| seen == id).unwrap_or_else(|| {
                known.push(id.to_owned());
                known.len() - 1
            });
            write!(result, "#{}", at + 1).unwrap();
            rest = &rest[36..];
        } else {
            result.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    result
}

fn is_id(word: &str) -> bool {
    word.char_indices().all(|(at, letter)| match at {
        8 | 13 | 18 | 23 => letter == '-',
        _ => letter.is_ascii_hexdigit(),
    })
}
