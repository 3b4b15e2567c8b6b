//! JSON that comes in pieces: when it may be whole, so that it is parsed then and not after each piece.

/// A JSON text as it grows. Looks at each byte once.
#[derive(Debug, Default)]
pub(super) struct GrowingJson {
    state: State,
    /// The brackets that are open.
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// What was found of the value that has ended.
    found: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing but white space.
    #[default]
    Blank,
    /// A value with an end of its own: an object, a list or a string.
    Open,
    /// A word or a number, which ends where something else follows.
    Word,
    /// A value has ended, and only white space followed.
    Ended,
    /// More than one value.
    Spoilt,
}

impl GrowingJson {
    /// The text goes on with this piece.
    pub(super) fn take(&mut self, piece: &str) {
        piece.bytes().for_each(|byte| self.byte(byte));
    }

    /// Whether the text is one value that has ended and is found good. Asks `find` once in the life of a text at most.
    pub(super) fn is_whole(&mut self, find: impl FnOnce() -> bool) -> bool {
        self.state == State::Ended && *self.found.get_or_insert_with(find)
    }

    fn byte(&mut self, byte: u8) {
        let blank = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        match self.state {
            State::Blank if blank => {}
            State::Blank => self.begin(byte),
            State::Open => self.go_on(byte),
            State::Word if blank => self.state = State::Ended,
            State::Ended if !blank => self.state = State::Spoilt,
            State::Word | State::Ended | State::Spoilt => {}
        }
    }

    fn begin(&mut self, byte: u8) {
        self.state = State::Open;
        match byte {
            b'{' | b'[' => self.depth = 1,
            b'"' => self.in_text = true,
            _ => self.state = State::Word,
        }
    }

    fn go_on(&mut self, byte: u8) {
        match byte {
            _ if std::mem::take(&mut self.escaped) => {}
            b'\\' if self.in_text => self.escaped = true,
            b'"' => self.in_text = !self.in_text,
            b'{' | b'[' if !self.in_text => self.depth += 1,
            b'}' | b']' if !self.in_text => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if self.depth == 0 && !self.in_text {
            self.state = State::Ended;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::GrowingJson;

    fn parses(text: &str) -> bool {
        serde_json::from_str::<Value>(text).is_ok()
    }

    #[test]
    fn a_text_is_whole_where_it_parses() {
        let texts = [
            r#" {"a": [1, {"b": "}]\"\\"}], "é": null} "#,
            r#"["]", "[", "\\"]"#,
            r#""a \" b" "#,
            "{} {}",
            "[}",
            "{a}",
            "}",
            "1 ",
            "true\n",
            "tru e",
        ];
        for text in texts {
            let mut json = GrowingJson::default();
            for (end, char) in text.char_indices().map(|(at, char)| (at + char.len_utf8(), char)) {
                json.take(char.encode_utf8(&mut [0; 4]));
                let so_far = &text[..end];
                // Of a word or a number nobody knows that it has ended before something follows.
                let ends = !so_far.ends_with(|last: char| last.is_ascii_alphanumeric());
                assert_eq!(json.is_whole(|| parses(so_far)), ends && parses(so_far), "{so_far:?}");
            }
        }
    }

    #[test]
    fn however_many_pieces_come_it_is_parsed_once() {
        for (begin, piece, end) in [("{\"a\": \"", "}", "\"}"), ("[[", "]", ""), ("{a}", " ", "{}")] {
            let (mut json, mut parsed) = (GrowingJson::default(), 0);
            json.take(begin);
            for _ in 0..1000 {
                json.take(piece);
                json.is_whole(|| {
                    parsed += 1;
                    false
                });
            }
            json.take(end);
            json.is_whole(|| {
                parsed += 1;
                true
            });
            assert_eq!(parsed, 1, "{begin}{piece}…{end}");
        }
    }
}
