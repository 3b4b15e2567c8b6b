//! Addresses as a layer or a redirect writes them: read strictly, so that nobody else reads them differently.

use reqwest::Url;

use super::bounds::Bounds;
use super::error::FetchError;

/// The address that a layer wants.
pub(super) fn parse(text: &str, bounds: &Bounds) -> Result<Url, FetchError> {
    check_text(text, bounds)?;
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    if !lower.starts_with("http://") && !lower.starts_with("https://") {
        return Err(unusable(text, "it must begin with `https://` or `http://`"));
    }
    finish(text, Url::parse(text))
}

/// The address that a redirect from `base` leads to.
pub(super) fn join(base: &Url, text: &str, bounds: &Bounds) -> Result<Url, FetchError> {
    check_text(text, bounds)?;
    let url = finish(text, base.join(text))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        _ => Err(unusable(text, "it is no address of HTTP")),
    }
}

/// An address for a message: without what may be a key in its query.
pub(super) fn shown(url: &Url) -> String {
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
}

/// Whether two addresses are of one server: scheme, host and port.
pub(super) fn same_server(one: &Url, other: &Url) -> bool {
    one.scheme() == other.scheme()
        && one.host_str() == other.host_str()
        && one.port_or_known_default() == other.port_or_known_default()
}

/// Whether every server reads this path as it stands: no encoded slash or dot, nothing that begins with two dots.
pub(super) fn is_plain_path(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let encoded = ["%2e", "%2f", "%5c", "%25", "%00"].iter().any(|code| path.contains(code));
    !encoded && !path.split('/').any(|segment| segment.starts_with(".."))
}

/// What parsers of addresses disagree about is refused before one of them sees it.
fn check_text(text: &str, bounds: &Bounds) -> Result<(), FetchError> {
    if text.len() > bounds.url {
        return Err(FetchError::limit("http-url-bytes", bounds.url, text.len()));
    }
    if text.contains("${secret:") {
        return Err(unusable(text, "a secret can stand in the value of a header alone"));
    }
    if text.chars().any(|char| char.is_whitespace() || char.is_control()) {
        return Err(unusable(text, "it has a space or a control character"));
    }
    if text.contains('\\') {
        return Err(unusable(text, "it has a backslash"));
    }
    Ok(())
}

fn finish<E: std::fmt::Display>(text: &str, parsed: Result<Url, E>) -> Result<Url, FetchError> {
    let mut url = parsed.map_err(|error| unusable(text, &error.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(FetchError::Url {
            url: shown(&url),
            why: "it has a user name or a password; send an `authorization` header instead".to_owned(),
        });
    }
    url.set_fragment(None);
    Ok(url)
}

fn unusable(text: &str, why: &str) -> FetchError {
    // A query may hold a key, and what stands before an `@` a password.
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let text = text.rsplit_once('@').map_or(text, |(_, host)| host);
    let url = text.chars().map(|char| if char.is_control() { ' ' } else { char }).take(200).collect();
    FetchError::Url { url, why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match parse(text, &Bounds::default()) {
            Ok(url) => url.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn an_address_has_one_reading() {
        insta::assert_snapshot!([
            "https://Example.COM:443/a/../b?q=1#part",
            "http://0x7f.1/",
            "http://2130706433/",
            "http://[::FFFF:10.0.0.1]/",
            "http://127.1",
            "https://exämple.test/",
            "https://a.test/%2e%2e/b",
        ].map(read).join("\n"), @r"
        https://example.com/b?q=1
        http://127.0.0.1/
        http://127.0.0.1/
        http://[::ffff:a00:1]/
        http://127.0.0.1/
        https://xn--exmple-cua.test/
        https://a.test/b
        ");
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        insta::assert_snapshot!(
            [
                "example.com",
                "ftp://a.test/",
                "file:///etc/passwd",
                "https:/a.test/",
                "https://",
                "https://a.test\\@b.test/",
                "https://user:key@a.test/?key=1",
                "https://a@b.test/",
                "http://a.test/ HTTP/1.1",
                "http://a.test/\r\nx: y",
                "ht\ttp://a.test/",
                " http://a.test/",
                "http://a.test:99999/",
                "http://a.test/${secret:key}",
                "http://1.2.3.4.5/",
                "http://[::1",
                "http://[fe80::1%25eth0]/",
                "http://[fe80::1%eth0]/",
                "http://a.test:80:80/",
                "http://a.test:-1/",
                "http://\u{ff0f}evil.test/",
                "http://user@/",
                "http://a%00b/",
                "http://a test/",
            ]
            .map(read)
            .join("\n")
        );
        assert!(
            read(&format!("http://a.test/{}", "a".repeat(9_000)))
                .starts_with("limit `http-url-bytes` reached")
        );
    }

    #[test]
    fn a_path_that_a_server_may_decode_again_is_not_plain() {
        for path in ["/a/b", "/", "/a.b/c..d", "/a%20b"] {
            assert!(is_plain_path(path), "{path}");
        }
        for path in ["/a%2Fb", "/a/%2e%2e/b", "/a/..;/b", "/a%5cb", "/a%252fb", "/a%00"] {
            assert!(!is_plain_path(path), "{path}");
        }
    }
}
