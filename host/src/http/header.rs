//! The headers that a layer adds to a request.

use reqwest::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderName, TE, TRAILER, TRANSFER_ENCODING,
    UPGRADE,
};

use super::error::FetchError;
use super::template::Template;

/// A header whose value may have places for secrets.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) name: HeaderName,
    pub(super) value: Template,
}

/// What one connection is about, and what the host itself says.
const HOSTS_OWN: [HeaderName; 9] =
    [ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, EXPECT, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

/// What some servers take for the method or the path, whatever the request itself says.
const OVERRIDES: [&str; 5] =
    ["x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url"];

impl Header {
    /// A header, if it is one that a layer may set.
    pub(super) fn parse(name: &str, value: &str) -> Result<Self, FetchError> {
        let refused = |why| FetchError::Header { name: shown(name), why };
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| refused("its name has characters that HTTP does not allow"))?;
        // Some servers take `_` and `-` for one character.
        let meant = parsed.as_str().replace('_', "-");
        if HOSTS_OWN.iter().any(|own| own == meant.as_str()) || is_of_connection(&meant) {
            return Err(refused("the host sets it, or it is about one connection alone"));
        }
        if OVERRIDES.contains(&meant.as_str()) {
            return Err(refused("it may stand for another method or path than the one that was granted"));
        }
        if !value.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte)) {
            return Err(refused("its value has a line break, or characters other than visible ASCII"));
        }
        Ok(Self { name: parsed, value: Template::parse(value).map_err(refused)? })
    }

    /// Bytes of the name and of the value as the layer wrote it.
    pub(super) fn size(name: &str, value: &str) -> usize {
        name.len() + value.len()
    }

    /// Whether it has a place for a secret.
    pub(super) fn has_secret(&self) -> bool {
        self.value.secrets().next().is_some()
    }
}

fn is_of_connection(name: &str) -> bool {
    name.starts_with("proxy-") || matches!(name, "keep-alive" | "http2-settings" | "alt-used")
}

fn shown(name: &str) -> String {
    name.chars().map(|char| if char.is_control() { ' ' } else { char }).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_layers_to_say_is_refused() {
        let said = [
            ("Host", "evil.test"),
            ("content-length", "0"),
            ("Transfer-Encoding", "chunked"),
            ("Connection", "x-secret"),
            ("Keep-Alive", "1"),
            ("TE", "trailers"),
            ("Trailer", "x"),
            ("Upgrade", "h2c"),
            ("HTTP2-Settings", "x"),
            ("Proxy-Authorization", "x"),
            ("proxy-anything", "x"),
            ("Expect", "100-continue"),
            ("Accept-Encoding", "gzip"),
            ("Transfer_Encoding", "chunked"),
            ("X-HTTP-Method-Override", "DELETE"),
            ("X_Http_Method_Override", "DELETE"),
            ("X-Original-URL", "/admin"),
            ("x", "a\r\nhost: evil.test"),
            ("x", "a\nb"),
            ("x", "a\0b"),
            ("x", "ä"),
            ("x: y\r\nz", "a"),
            ("x y", "a"),
            ("", "a"),
            (":authority", "evil.test"),
            ("x", "${secret:a"),
        ];
        let said = said.map(|(name, value)| {
            let error = Header::parse(name, value).expect_err(name);
            format!("{value:?}: {error}")
        });
        insta::assert_snapshot!(said.join("\n"));
        for (name, value) in
            [("Authorization", "Bearer ${secret:a}"), ("cookie", "a=b"), ("X-1", ""), ("x", "a\tb")]
        {
            assert!(Header::parse(name, value).is_ok(), "{name}");
        }
    }
}
