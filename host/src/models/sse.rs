//! Cuts a stream of bytes into server-sent events, as leniently as can be done without guessing.
//!
//! Lines are put together as bytes, so a character split between two chunks is whole again.

use super::growing::GrowingJson;

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SseEvent {
    /// The event's name; often empty.
    pub(super) name: String,
    /// Its data lines, joined by line feeds.
    pub(super) data: String,
}

/// Takes bytes in any portions and gives the events in them.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed right after it ends no second line.
    after_return: bool,
    past_first_line: bool,
    event: Option<SseEvent>,
    has_data: bool,
    /// The data of the event.
    json: GrowingJson,
}

impl Decoder {
    /// Takes some bytes and adds the events that they complete.
    pub(super) fn feed(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) {
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if std::mem::take(&mut self.after_return) && *first == b'\n' {
                rest = rest.split_at(1).1;
                continue;
            }
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.line.extend_from_slice(rest);
                return;
            };
            let (line, tail) = rest.split_at(end);
            self.line.extend_from_slice(line);
            self.after_return = tail.first() == Some(&b'\r');
            rest = tail.get(1..).unwrap_or_default();
            self.end_line(events);
        }
    }

    /// Adds what is left when the stream ends without a blank line. Its last line may have been cut.
    pub(super) fn end(mut self, events: &mut Vec<SseEvent>) {
        self.end_line(events);
        self.dispatch(events);
    }

    fn end_line(&mut self, events: &mut Vec<SseEvent>) {
        let bytes = std::mem::take(&mut self.line);
        let bytes = if std::mem::replace(&mut self.past_first_line, true) {
            &bytes
        } else {
            bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)
        };
        if bytes.is_empty() {
            self.dispatch(events);
        } else {
            self.field(&String::from_utf8_lossy(bytes), events);
        }
    }

    fn field(&mut self, line: &str, events: &mut Vec<SseEvent>) {
        // Some servers drop a bare error object into a stream that they can't go on with.
        if line.starts_with('{') {
            return self.data(line, events);
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => self.data(value, events),
            "event" => value.clone_into(&mut self.event().name),
            // Not of the standard, but sent: the object follows the word at once.
            "error" => {
                "error".clone_into(&mut self.event().name);
                self.data(value, events);
            }
            // Comments have an empty name; other fields mean nothing to us.
            _ => {}
        }
    }

    fn data(&mut self, value: &str, events: &mut Vec<SseEvent>) {
        // Some servers leave out the blank lines: data that is whole needs no second line.
        if let Some(event) = &self.event
            && self.json.is_whole(|| is_whole(&event.data))
        {
            self.dispatch(events);
        }
        let more = std::mem::replace(&mut self.has_data, true);
        let data = &mut self.event().data;
        if more {
            data.push('\n');
        }
        data.push_str(value);
        self.json.take(value);
        // A further line would go on behind this.
        self.json.take("\n");
    }

    fn event(&mut self) -> &mut SseEvent {
        self.event.get_or_insert_default()
    }

    fn dispatch(&mut self, events: &mut Vec<SseEvent>) {
        self.json = GrowingJson::default();
        if let Some(event) = self.event.take()
            && std::mem::take(&mut self.has_data)
        {
            events.push(event);
        }
    }
}

fn is_whole(data: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(portions: &[&[u8]]) -> Vec<SseEvent> {
        let mut decoder = Decoder::default();
        let mut events = Vec::new();
        for portion in portions {
            decoder.feed(portion, &mut events);
        }
        decoder.end(&mut events);
        events
    }

    fn event(name: &str, data: &str) -> SseEvent {
        SseEvent { name: name.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn what_servers_send_is_understood() {
        let cases: &[(&str, &[u8], &[SseEvent])] = &[
            ("plain", b"data: a\n\ndata: b\n\n", &[event("", "a"), event("", "b")]),
            ("no space", b"data:a\n\n", &[event("", "a")]),
            (
                "carriage returns",
                b"data: a\r\n\r\ndata: b\r\rdata: c\n\n",
                &[event("", "a"), event("", "b"), event("", "c")],
            ),
            ("comments and keep-alives", b": ping\n\n:\n\n\n\ndata: a\n: mid\n\n", &[event("", "a")]),
            ("byte order mark", b"\xef\xbb\xbfdata: a\n\n", &[event("", "a")]),
            ("a name, an id, a retry", b"id: 1\nretry: 5\nevent: ping\ndata: {}\n\n", &[event("ping", "{}")]),
            ("several data lines", b"data: a\ndata:\ndata: b\n\n", &[event("", "a\n\nb")]),
            (
                "no blank lines",
                b"data: {}\ndata: [1]\ndata: [DONE]\n",
                &[event("", "{}"), event("", "[1]"), event("", "[DONE]")],
            ),
            ("a name without data", b"event: ping\n\ndata: a\n\n", &[event("", "a")]),
            ("an error field", b"error: {\"code\":500}\n\n", &[event("error", "{\"code\":500}")]),
            ("a bare object", b"{\"error\":1}\n\n", &[event("", "{\"error\":1}")]),
            ("a last line without its end", b"data: a\n\ndata: b", &[event("", "a"), event("", "b")]),
        ];
        for (name, bytes, expected) in cases {
            assert_eq!(&decode(&[bytes]), expected, "{name}");
        }
    }

    #[test]
    fn data_of_many_lines_is_one_event() {
        let lines = "data: [1,\n".to_owned() + &"data: 2,\n".repeat(1000) + "data: 3]\ndata: 4\ndata: 5\n\n";
        let list = format!("[1,\n{}3]", "2,\n".repeat(1000));
        assert_eq!(decode(&[lines.as_bytes()]), [event("", &list), event("", "4"), event("", "5")]);
    }

    proptest! {
        #[test]
        fn portions_do_not_matter(
            lines in proptest::collection::vec("(data: ?[a-zß€😀]{0,6}|: k|event: e|)(\n|\r\n|\r|\n\n)", 0..12),
            cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..8),
        ) {
            let whole = lines.concat().into_bytes();
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
            cuts.extend([0, whole.len()]);
            cuts.sort_unstable();
            let portions: Vec<_> = cuts.windows(2).map(|pair| &whole[pair[0]..pair[1]]).collect();
            prop_assert_eq!(decode(&portions), decode(&[&whole]));
        }
    }
}
