//! Where a redirect leads, if it may be followed.

use reqwest::header::{
    AUTHORIZATION, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION, CONTENT_TYPE, COOKIE, HeaderMap,
    LOCATION,
};
use reqwest::{Method, StatusCode};

use super::error::FetchError;
use super::granted::Granted;
use super::header::Header;
use super::hop::Hop;
use super::url::{join, same_server, shown};

/// The request that an answer redirects to; `None` when it is no redirect.
///
/// It is checked as the first one was. Another server gets neither credentials nor secrets, and an encrypted
/// connection is not left for an open one.
pub(super) fn next(
    hop: &Hop,
    status: StatusCode,
    headers: &HeaderMap,
    granted: &Granted,
) -> Result<Option<Hop>, FetchError> {
    let Some(location) = headers.get(LOCATION).filter(|_| is_redirect(status)) else { return Ok(None) };
    let refused = |why: String| FetchError::Redirect { from: shown(&hop.url), why };
    let location = location.to_str().map_err(|_| refused("its `location` is no ASCII text".to_owned()))?;
    // A server that puts a secret into the address would have it sent on.
    let location = granted.scrubber.text(location);
    let url = join(&hop.url, &location, &granted.bounds).map_err(|error| refused(error.to_string()))?;
    if hop.url.scheme() == "https" && url.scheme() != "https" {
        return Err(refused("it leads from an encrypted connection to an open one".to_owned()));
    }
    let mut next = Hop { url, ..method(hop, status) };
    if !same_server(&hop.url, &next.url) {
        next.headers.retain(|header| !is_credential(header));
    }
    granted.check(&next.method, &next.url, Some(&hop.url))?;
    Ok(Some(next))
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// The request as this kind of redirect wants it: after most of them one that only reads.
fn method(hop: &Hop, status: StatusCode) -> Hop {
    let reads = match status.as_u16() {
        303 => hop.method != Method::HEAD,
        301 | 302 => hop.method == Method::POST,
        _ => false,
    };
    let mut hop = hop.clone();
    if reads {
        hop.method = Method::GET;
        hop.body.clear();
        let content = [CONTENT_TYPE, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION];
        hop.headers.retain(|header| !content.contains(&header.name));
    }
    hop
}

fn is_credential(header: &Header) -> bool {
    header.has_secret() || header.name == AUTHORIZATION || header.name == COOKIE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{Bounds, Origin, SecretGrant};
    use crate::secret::Secret;
    use reqwest::Url;

    fn granted() -> Granted {
        let rules =
            ["* https://a.test", "* https://b.test", "* http://a.test"].map(|rule| rule.parse().expect(rule));
        let servers: Vec<Origin> =
            ["https://a.test", "https://b.test"].map(|text| text.parse().expect(text)).into();
        let secret = SecretGrant::new("key", Secret::new("t0ken-abc"), servers).expect("a secret");
        Granted::new(rules.into(), vec![secret], Bounds::default()).expect("granted")
    }

    fn hop(method: Method, url: &str) -> Hop {
        let headers = [
            ("authorization", "Basic eDp5"),
            ("cookie", "a=b"),
            ("x-key", "${secret:key}"),
            ("content-type", "text/plain"),
            ("accept", "*/*"),
        ];
        let headers = headers.map(|(name, value)| Header::parse(name, value).expect(name));
        Hop { method, url: Url::parse(url).expect(url), headers: headers.into(), body: b"body".to_vec() }
    }

    fn led(method: Method, url: &str, status: u16, location: &str) -> String {
        let headers = HeaderMap::from_iter([(LOCATION, location.parse().expect(location))]);
        let status = StatusCode::from_u16(status).expect("a status");
        match next(&hop(method, url), status, &headers, &granted()) {
            Ok(None) => "no redirect".to_owned(),
            Ok(Some(hop)) => {
                let names: Vec<&str> = hop.headers.iter().map(|header| header.name.as_str()).collect();
                format!("{} {} [{}] {} bytes", hop.method, hop.url, names.join(" "), hop.body.len())
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn each_redirect_is_checked_and_stripped() {
        let start = "https://a.test/x/y?q";
        insta::assert_snapshot!(
            [
                led(Method::GET, start, 200, "/z"),
                led(Method::GET, start, 304, "/z"),
                led(Method::POST, start, 307, "z?r#s"),
                led(Method::POST, start, 302, "/z"),
                led(Method::PUT, start, 301, "/z"),
                led(Method::PUT, start, 303, "/z"),
                led(Method::HEAD, start, 303, "/z"),
                led(Method::POST, start, 308, "https://b.test/"),
                led(Method::GET, start, 302, "//b.test/"),
                led(Method::GET, start, 302, "https://a.test:443/z"),
                led(Method::GET, start, 302, "http://a.test/"),
                led(Method::GET, "http://a.test/", 302, "https://a.test/"),
                led(Method::GET, start, 302, "https://c.test/?key=1"),
                led(Method::GET, start, 302, "https://a.test:8443/"),
                led(Method::GET, start, 302, "https://127.0.0.1/"),
                led(Method::GET, start, 302, "file:///etc/passwd"),
                led(Method::GET, start, 302, "https://a.test@b.test/"),
                led(Method::GET, start, 302, "https://b.test\\@a.test/"),
                led(Method::GET, start, 302, "/?k=t0ken-abc"),
                led(Method::GET, start, 302, "https://b.test/dDBrZW4tYWJj"),
            ]
            .join("\n")
        );
    }
}
