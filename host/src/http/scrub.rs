//! Takes secrets out of what comes back, as they are and in the forms that servers commonly echo them in.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, BuildError, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

use crate::secret::Secret;

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
    forms: Vec<Vec<u8>>,
    longest: usize,
}

/// Shows nothing of what is searched for.
impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("forms", &self.forms.len()).finish_non_exhaustive()
    }
}

impl Scrubber {
    /// A scrubber of these secrets.
    pub(super) fn new<'s>(secrets: impl IntoIterator<Item = &'s Secret>) -> Result<Self, BuildError> {
        let mut forms: Vec<Vec<u8>> =
            secrets.into_iter().flat_map(|secret| forms(secret.expose().as_bytes())).collect();
        forms.sort();
        forms.dedup();
        let Some(longest) = forms.iter().map(Vec::len).max() else { return Ok(Self::default()) };
        // The longest form first: the end of a longer one would otherwise stay behind a shorter one.
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&forms)?;
        Ok(Self { search: Some(Search { automaton, forms, longest }) })
    }

    /// A text without the secrets.
    pub(super) fn text(&self, text: &str) -> String {
        match &self.search {
            None => text.to_owned(),
            Some(search) => {
                let (bytes, _) = search.replace(text.as_bytes(), text.len());
                String::from_utf8_lossy(&bytes).into_owned()
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

    /// Where the first secret may begin that is not all there yet.
    fn open(&self, bytes: &[u8]) -> usize {
        let from = bytes.len().saturating_sub(self.longest.saturating_sub(1));
        let begins = |at: &usize| {
            let rest = bytes.get(*at..).unwrap_or_default();
            self.forms.iter().any(|form| form.len() > rest.len() && form.starts_with(rest))
        };
        (from..bytes.len()).find(begins).unwrap_or(bytes.len())
    }
}

/// Takes secrets out of a stream, those across its portions too. Only what may be the begin of one is held back.
pub(super) struct ScrubStream {
    scrubber: Arc<Scrubber>,
    held: Vec<u8>,
}

impl ScrubStream {
    pub(super) fn new(scrubber: Arc<Scrubber>) -> Self {
        Self { scrubber, held: Vec::new() }
    }

    /// What can be let go after this portion.
    pub(super) fn push(&mut self, portion: &[u8]) -> Vec<u8> {
        let Some(search) = &self.scrubber.search else { return portion.to_vec() };
        self.held.extend_from_slice(portion);
        let (out, done) = search.replace(&self.held, search.open(&self.held));
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

/// A secret as it is, and as it stands in addresses, in JSON, in hex and in Base64, alone or within a longer text.
fn forms(secret: &[u8]) -> Vec<Vec<u8>> {
    let hex = |upper: bool| -> String {
        secret.iter().map(|byte| if upper { format!("{byte:02X}") } else { format!("{byte:02x}") }).collect()
    };
    let mut forms = vec![secret.to_vec(), hex(true).into_bytes(), hex(false).into_bytes()];
    for upper in [true, false] {
        forms.push(percent(secret, upper, |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)));
        forms.push(percent(secret, upper, |_| false));
    }
    forms.extend(json(secret));
    for (padded, bare) in [(STANDARD, STANDARD_NO_PAD), (URL_SAFE, URL_SAFE_NO_PAD)] {
        forms.push(padded.encode(secret).into_bytes());
        forms.push(bare.encode(secret).into_bytes());
        forms.extend((0..3).filter_map(|offset| within(secret, offset, |bytes| bare.encode(bytes))));
    }
    forms
}

fn percent(secret: &[u8], upper: bool, plain: impl Fn(u8) -> bool) -> Vec<u8> {
    let encode = |byte: &u8| match (plain(*byte), upper) {
        (true, _) => char::from(*byte).to_string(),
        (false, true) => format!("%{byte:02X}"),
        (false, false) => format!("%{byte:02x}"),
    };
    secret.iter().map(encode).collect::<String>().into_bytes()
}

/// As a JSON string without its quotes; some servers escape slashes too.
fn json(secret: &[u8]) -> Vec<Vec<u8>> {
    let text = serde_json::Value::from(String::from_utf8_lossy(secret)).to_string();
    let text = text.get(1..text.len() - 1).unwrap_or_default();
    vec![text.as_bytes().to_vec(), text.replace('/', "\\/").into_bytes()]
}

/// The part of a longer text's Base64 that a secret alone determines, where so many bytes stand before it.
fn within(secret: &[u8], offset: usize, encode: impl Fn(Vec<u8>) -> String) -> Option<Vec<u8>> {
    let mut bytes = vec![0; offset];
    bytes.extend_from_slice(secret);
    let (first, last) = ((offset * 8).div_ceil(6), bytes.len() * 8 / 6);
    encode(bytes).as_bytes().get(first..last).map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;
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
        for form in forms(KEY.as_bytes()) {
            let text = [b"before ".as_slice(), &form, b" behind"].concat();
            for size in 1..=text.len() {
                assert_eq!(in_portions(&scrubber, &text, size), b"before *** behind", "{size}");
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
    fn only_what_may_be_a_begin_is_held_back() {
        let mut stream = ScrubStream::new(scrubber(&["token-12345"]));
        assert_eq!(stream.push(b"data: one\n"), b"data: one\n");
        assert_eq!(stream.push(b"data: tok"), b"data: ");
        assert_eq!(stream.push(b"ens\n"), b"tokens\n");
        assert_eq!(stream.push(b"token-1234"), b"");
        assert_eq!(stream.finish(), b"token-1234");
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
