//! The forms in which servers give a text back. Upper and lower case are one where they are looked for.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

use crate::hex::hex;

/// How a language writes the characters that it has another use for.
type Escapes = &'static [(char, &'static str)];

/// JSON and HTML as common libraries write them.
const ESCAPES: [Escapes; 8] = [
    &[('"', r#"\""#), ('\\', r"\\")],
    &[('"', r#"\""#), ('\\', r"\\"), ('/', r"\/")],
    &[('"', r#"\""#), ('\\', r"\\"), ('<', r"\u003c"), ('>', r"\u003e"), ('&', r"\u0026")],
    &[
        ('"', r"\u0022"),
        ('\\', r"\\"),
        ('<', r"\u003c"),
        ('>', r"\u003e"),
        ('&', r"\u0026"),
        ('\'', r"\u0027"),
        ('+', r"\u002b"),
        ('`', r"\u0060"),
    ],
    &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#39;")],
    &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#x27;")],
    &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&#34;"), ('\'', "&#39;"), ('+', "&#43;")],
    &[
        ('&', "&amp;"),
        ('<', "&lt;"),
        ('>', "&gt;"),
        ('"', "&quot;"),
        ('\'', "&#39;"),
        ('/', "&#x2f;"),
        ('`', "&#x60;"),
        ('=', "&#x3d;"),
    ],
];

/// What stays as it is in an address, besides letters and digits: nothing special, in a path, in a part of a script, in
/// a form.
const PLAIN: [&str; 4] = ["-._~", "-._~/", "-._~!'()*", "-._*"];

/// A secret as it is, and as it stands in addresses, JSON, HTML, hex, UTF-16 and Base64, alone or within a longer text.
pub(super) fn forms(secret: &str) -> Vec<Vec<u8>> {
    let bytes = secret.as_bytes();
    let mut forms = vec![bytes.to_vec(), hex(bytes).into_bytes()];
    forms.extend(ESCAPES.iter().map(|escapes| escaped(secret, escapes).into_bytes()));
    forms.extend(in_addresses(bytes));
    forms.push(secret.encode_utf16().flat_map(u16::to_le_bytes).collect());
    forms.push(secret.encode_utf16().flat_map(u16::to_be_bytes).collect());
    for coded in base64(bytes) {
        forms.extend(in_addresses(coded.as_bytes()));
        forms.push(coded.replace('/', r"\/").into_bytes());
        forms.push(coded.into_bytes());
    }
    forms
}

fn escaped(text: &str, escapes: Escapes) -> String {
    let escape = |char: char| {
        let found = escapes.iter().find(|(from, _)| *from == char);
        found.map_or_else(|| char.to_string(), |(_, to)| (*to).to_owned())
    };
    text.chars().map(escape).collect()
}

fn in_addresses(text: &[u8]) -> Vec<Vec<u8>> {
    let mut forms: Vec<Vec<u8>> = PLAIN.iter().map(|plain| percent(text, plain).into_bytes()).collect();
    forms.extend(PLAIN.iter().map(|plain| percent(text, plain).replace("%20", "+").into_bytes()));
    forms.push(text.iter().map(|byte| format!("%{byte:02x}")).collect::<String>().into_bytes());
    forms
}

fn percent(text: &[u8], plain: &str) -> String {
    let encode = |byte: &u8| {
        if byte.is_ascii_alphanumeric() || plain.as_bytes().contains(byte) {
            char::from(*byte).to_string()
        } else {
            format!("%{byte:02x}")
        }
    };
    text.iter().map(encode).collect()
}

fn base64(secret: &[u8]) -> Vec<String> {
    let mut forms = Vec::new();
    for (padded, bare) in [(STANDARD, STANDARD_NO_PAD), (URL_SAFE, URL_SAFE_NO_PAD)] {
        forms.extend([padded.encode(secret), bare.encode(secret)]);
        forms.extend((0..3).filter_map(|offset| within(secret, offset, |bytes| bare.encode(bytes))));
    }
    forms
}

/// The part of a longer text's Base64 that a secret alone determines, where so many bytes stand before it.
fn within(secret: &[u8], offset: usize, encode: impl Fn(Vec<u8>) -> String) -> Option<String> {
    let mut bytes = vec![0; offset];
    bytes.extend_from_slice(secret);
    let (first, last) = ((offset * 8).div_ceil(6), bytes.len() * 8 / 6);
    encode(bytes).get(first..last).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_known_in_the_forms_of_common_servers() {
        let forms: Vec<String> =
            forms("a/\"b+ <'=").iter().map(|form| String::from_utf8_lossy(form).into_owned()).collect();
        for wanted in [
            "a/\"b+ <'=",
            "612f22622b203c273d",
            r#"a/\"b+ <'="#,
            r#"a\/\"b+ <'="#,
            r#"a/\"b+ \u003c'="#,
            r"a/\u0022b\u002b \u003c\u0027=",
            "a/&quot;b+ &lt;&#39;=",
            "a/&#34;b&#43; &lt;&#39;=",
            "a&#x2f;&quot;b+ &lt;&#39;&#x3d;",
            "a%2f%22b%2b%20%3c%27%3d",
            "a/%22b%2b%20%3c%27%3d",
            "a%2f%22b%2b%20%3c'%3d",
            "a%2f%22b%2b+%3c%27%3d",
            "%61%2f%22%62%2b%20%3c%27%3d",
            "a\0/\0\"\0b\0+\0 \0<\0'\0=\0",
            "YS8iYisgPCc9",
        ] {
            assert!(forms.iter().any(|form| form == wanted), "{wanted} in {forms:#?}");
        }
    }
}
