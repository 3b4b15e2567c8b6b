//! How an answer begins, which tells what it is.

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One text.
    Whole,
    /// A stream of events.
    Events,
}

/// The beginning of an answer, for as long as it says nothing: white space, perhaps behind a byte order mark.
#[derive(Debug, Default)]
pub(super) struct Opening {
    bytes: Vec<u8>,
    /// How many of them are known to say nothing.
    looked_at: usize,
}

impl Opening {
    /// Takes a portion, and gives what the answer is once that is known. Looks at each byte once, since a server may
    /// send any number of portions that say nothing.
    pub(super) fn take(&mut self, portion: &[u8]) -> Option<Form> {
        self.bytes.extend_from_slice(portion);
        if BYTE_ORDER_MARK.starts_with(&self.bytes) {
            return None;
        }
        if self.looked_at == 0 && self.bytes.starts_with(BYTE_ORDER_MARK) {
            self.looked_at = BYTE_ORDER_MARK.len();
        }
        let fresh = self.bytes.get(self.looked_at..).unwrap_or_default();
        let Some(first) = fresh.iter().find(|byte| !byte.is_ascii_whitespace()) else {
            self.looked_at = self.bytes.len();
            return None;
        };
        Some(match first {
            b'{' | b'[' | b'<' => Form::Whole,
            _ => Form::Events,
        })
    }

    /// All that came.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_says_something_decides_however_it_comes() {
        let cases: [(&[u8], Option<Form>); 8] = [
            (b"", None),
            (b" \r\n\t", None),
            (b"\xef\xbb\xbf", None),
            (b"\xef\xbb\xbf \n{", Some(Form::Whole)),
            (b" <html>", Some(Form::Whole)),
            (b"\n\ndata: 1", Some(Form::Events)),
            (b"\xef{", Some(Form::Events)),
            (b"\xef\xbb\xbfdata", Some(Form::Events)),
        ];
        for (bytes, form) in cases {
            assert_eq!(Opening::default().take(bytes), form, "{bytes:?}");
            let mut opening = Opening::default();
            assert_eq!(bytes.iter().find_map(|byte| opening.take(&[*byte])), form, "{bytes:?} byte by byte");
        }
    }

    #[test]
    fn what_says_nothing_is_looked_at_once() {
        let mut opening = Opening::default();
        opening.take(BYTE_ORDER_MARK);
        for portion in 1..=1000 {
            assert_eq!(opening.take(b" \n"), None);
            assert_eq!(opening.looked_at, BYTE_ORDER_MARK.len() + 2 * portion);
        }
        assert_eq!(opening.take(b"["), Some(Form::Whole));
        assert_eq!(opening.into_bytes().len(), BYTE_ORDER_MARK.len() + 2001);
    }
}
