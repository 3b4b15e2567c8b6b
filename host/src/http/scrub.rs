//! Takes secrets out of what comes back, as they are and in the forms that servers commonly echo them in.

mod forms;

use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, MatchKind};

use crate::secret::Secret;

use forms::forms;

/// What stands in a secret's place.
const MARK: &[u8] = b"***";

/// Finds secrets.
#[derive(Debug, Default)]
pub(super) struct Scrubber {
    /// The forms of all secrets; none when there is no secret.
    search: Option<Search>,
}

struct Search {
    automaton: AhoCorasick,
    /// Bytes of the longest form.
    longest: usize,
}

/// Shows nothing of what is searched for.
impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("forms", &self.automaton.patterns_len()).finish_non_exhaustive()
    }
}

impl Scrubber {
    /// A scrubber of these secrets.
    pub(super) fn new<'s>(secrets: impl IntoIterator<Item = &'s Secret>) -> Result<Self, BuildError> {
        let mut forms: Vec<Vec<u8>> = secrets.into_iter().flat_map(|secret| forms(secret.expose())).collect();
        forms.sort();
        forms.dedup();
        let Some(longest) = forms.iter().map(Vec::len).max() else { return Ok(Self::default()) };
        // The longest form first: the end of a longer one would otherwise stay behind a shorter one.
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(true)
            // Others are faster, and take a hundred times the memory for a long secret.
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&forms)?;
        Ok(Self { search: Some(Search { automaton, longest }) })
    }

    /// A text without the secrets.
    pub(super) fn text(&self, text: &str) -> String {
        match &self.search {
            None => text.to_owned(),
            Some(search) => {
                String::from_utf8_lossy(&search.replace(text.as_bytes(), text.len()).0).into_owned()
            }
        }
    }
}

impl Search {
    /// The bytes before `end`, or up to the end of a secret that begins before it; and how many those were.
    fn replace(&self, bytes: &[u8], end: usize) -> (Vec<u8>, usize) {
        let mut out = Vec::with_capacity(end);
        let mut done = 0;
        for found in self.automaton.find_iter(bytes).take_while(|found| found.start() < end) {
            out.extend_from_slice(bytes.get(done..found.start()).unwrap_or_default());
            out.extend_from_slice(MARK);
            done = found.end();
        }
        out.extend_from_slice(bytes.get(done..end).unwrap_or_default());
        (out, done.max(end))
    }
}

/// Takes secrets out of a stream, those across its portions too.
///
/// As much as the longest form may have is held back, whatever it is: were it held back only where it begins like a
/// secret, a guest could guess one character by character, with a server that says its guesses. What comes in smaller
/// portions than a quarter of that is held back until it is as much, so that no byte is searched more than five times.
pub(super) struct ScrubStream {
    scrubber: Arc<Scrubber>,
    held: Vec<u8>,
    /// Bytes that were searched, those that were searched again too.
    #[cfg(test)]
    searched: usize,
}

impl ScrubStream {
    pub(super) fn new(scrubber: Arc<Scrubber>) -> Self {
        Self {
            scrubber,
            held: Vec::new(),
            #[cfg(test)]
            searched: 0,
        }
    }

    /// What can be let go after this portion.
    pub(super) fn push(&mut self, portion: &[u8]) -> Vec<u8> {
        let Some(search) = &self.scrubber.search else { return portion.to_vec() };
        self.held.extend_from_slice(portion);
        let decided = self.held.len().saturating_sub(search.longest.saturating_sub(1));
        if decided < search.longest.div_ceil(4) {
            return Vec::new();
        }
        #[cfg(test)]
        {
            self.searched += self.held.len();
        }
        let (out, done) = search.replace(&self.held, decided);
        self.held.drain(..done);
        out
    }

    /// What was held back, at the end of the stream.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        match &self.scrubber.search {
            Some(search) => search.replace(&held, held.len()).0,
            None => held,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;

    const KEY: &str = "s3cr\"t/k\u{e9}y+0";

    fn scrubber(secrets: &[&str]) -> Arc<Scrubber> {
        let secrets: Vec<Secret> = secrets.iter().map(|secret| Secret::new(*secret)).collect();
        Arc::new(Scrubber::new(&secrets).expect("a scrubber"))
    }

    fn in_portions(scrubber: &Arc<Scrubber>, bytes: &[u8], size: usize) -> Vec<u8> {
        let mut stream = ScrubStream::new(Arc::clone(scrubber));
        let mut out: Vec<u8> = bytes.chunks(size).flat_map(|portion| stream.push(portion)).collect();
        out.extend(stream.finish());
        out
    }

    #[test]
    fn each_form_is_found_whole_and_across_portions() {
        let scrubber = scrubber(&[KEY]);
        for form in forms(KEY) {
            for form in [form.to_ascii_lowercase(), form.to_ascii_uppercase(), form] {
                let text = [b"before ".as_slice(), &form, b" behind"].concat();
                for size in [1, 2, 5, text.len()] {
                    assert_eq!(in_portions(&scrubber, &text, size), b"before *** behind", "{size}");
                }
            }
        }
    }

    #[test]
    fn base64_of_a_longer_text_shows_no_byte_of_it_but_bits_at_the_borders() {
        let scrubber = scrubber(&[KEY]);
        for before in ["", "u", "us", "user:"] {
            for behind in ["", "!", "!!", "!!!"] {
                let text = STANDARD.encode(format!("{before}{KEY}{behind}"));
                let scrubbed = scrubber.text(&text);
                assert!(scrubbed.contains("***"), "{text}");
                let rest: usize = scrubbed.split("***").map(str::len).sum();
                assert!(rest <= (before.len() + behind.len()) * 2 + 4, "{text} became {scrubbed}");
            }
        }
    }

    #[test]
    fn the_longer_of_two_secrets_leaves_no_end() {
        let scrubber = scrubber(&["abcdefgh", "abcdefghijkl"]);
        for size in 1..20 {
            assert_eq!(in_portions(&scrubber, b"x abcdefghijkl abcdefgh y", size), b"x *** *** y");
        }
    }

    #[test]
    fn what_is_held_back_does_not_tell_how_a_secret_begins() {
        let scrubber = scrubber(&["token-12345"]);
        let told = |text: &str| {
            let mut stream = ScrubStream::new(Arc::clone(&scrubber));
            let begun = stream.push(text.as_bytes()).len();
            (begun, stream.finish().len())
        };
        let text = "x".repeat(500);
        let (begun, rest) = told(&text);
        assert!(begun > 0 && begun + rest == 500);
        for guess in ["t", "token-1", "token-1234"] {
            assert_eq!(told(&format!("{}{guess}", &text[guess.len()..])), (begun, rest), "{guess}");
        }
    }

    #[test]
    fn a_stream_in_small_portions_is_searched_in_linear_time() {
        let scrubber = scrubber(&["x".repeat(4_096).as_str()]);
        for size in [1, 7, 1_000, 100_000] {
            let mut stream = ScrubStream::new(Arc::clone(&scrubber));
            let total = 200_000;
            for portion in vec![b'y'; total].chunks(size) {
                stream.push(portion);
            }
            assert!(stream.searched <= 5 * total, "{} bytes searched in portions of {size}", stream.searched);
        }
    }

    #[test]
    fn no_print_shows_a_secret() {
        let print = format!("{:?}", scrubber(&["token-12345"]));
        assert!(!print.contains("token"), "{print}");
    }

    proptest! {
        #[test]
        fn portions_change_nothing(text in "[ab:]{0,60}", secrets in prop::collection::vec("[ab]{2,6}", 1..4), size in 1_usize..9) {
            let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
            let scrubber = scrubber(&secrets);
            let whole = scrubber.text(&text);
            for secret in secrets {
                prop_assert!(!whole.contains(secret), "{secret} in {whole}");
            }
            prop_assert_eq!(String::from_utf8(in_portions(&scrubber, text.as_bytes(), size)).expect("text"), whole);
        }
    }
}
