//! Which servers: a scheme, a host and a port.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use reqwest::Url;

/// Servers that a grant or a secret is for.
///
/// Written `https://api.example.com`, `https://*.example.com` for every host below, `https://*` for every name, or
/// with an IP address. Without a port the scheme's own is meant. An address is never covered by `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    secure: bool,
    host: Host,
    port: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    /// Every name.
    Any,
    /// Every name that ends like this; begins with a dot.
    Below(String),
    /// This name.
    Name(String),
    /// This IP address.
    Address(IpAddr),
}

impl Origin {
    /// Whether an address is of such a server.
    pub(super) fn covers(&self, url: &Url) -> bool {
        url.scheme() == self.scheme()
            && url.port_or_known_default() == Some(self.port)
            && url.host_str().is_some_and(|host| self.covers_host(host))
    }

    /// Whether a host, as an address writes it, is among these.
    fn covers_host(&self, host: &str) -> bool {
        match (&self.host, address(host)) {
            (Host::Address(own), Some(address)) => *own == address,
            (Host::Any, None) => true,
            (Host::Below(end), None) => host.len() > end.len() && host.ends_with(end.as_str()),
            (Host::Name(name), None) => host == name,
            _ => false,
        }
    }

    /// Whether every host is meant.
    pub(super) fn is_any(&self) -> bool {
        self.host == Host::Any
    }

    /// Whether it stands for more than one host.
    pub(super) fn is_wild(&self) -> bool {
        matches!(self.host, Host::Any | Host::Below(_))
    }

    /// Whether it is this machine by its name.
    pub(super) fn is_localhost(&self) -> bool {
        matches!(&self.host, Host::Name(name) if name == "localhost")
    }

    /// Whether it is an IP address.
    pub(super) fn is_address(&self) -> bool {
        matches!(self.host, Host::Address(_))
    }

    /// Whether what is sent to it crosses a network unencrypted.
    pub fn is_exposed(&self) -> bool {
        let is_here = match &self.host {
            Host::Address(address) => address.is_loopback(),
            _ => self.is_localhost(),
        };
        !self.secure && !is_here
    }

    /// Whether its connections are encrypted.
    pub(super) fn is_secure(&self) -> bool {
        self.secure
    }

    fn scheme(&self) -> &'static str {
        if self.secure { "https" } else { "http" }
    }

    /// The servers that the begin of an address means, and its path.
    pub(super) fn parse_with_path(text: &str) -> Result<(Self, String), String> {
        if !text.starts_with("http://") && !text.starts_with("https://") {
            return Err("a server begins with `https://` or `http://`".to_owned());
        }
        if text.contains(['\\', '?', '#', '@']) {
            return Err("a server has no user, query, fragment or backslash".to_owned());
        }
        let url = Url::parse(text).map_err(|error| format!("this is no address: {error}"))?;
        let host = host(url.host_str().unwrap_or_default())?;
        let port = url.port_or_known_default().unwrap_or_default();
        Ok((Self { secure: url.scheme() == "https", host, port }, url.path().to_owned()))
    }
}

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match Self::parse_with_path(text)? {
            (origin, path) if path == "/" => Ok(origin),
            _ => Err("a server has no path here".to_owned()),
        }
    }
}

/// An IP address, as addresses write hosts.
fn address(host: &str) -> Option<IpAddr> {
    host.trim_matches(['[', ']']).parse().ok()
}

fn host(text: &str) -> Result<Host, String> {
    if let Some(address) = address(text) {
        return Ok(Host::Address(address));
    }
    if text == "*" {
        return Ok(Host::Any);
    }
    let (below, name) = match text.strip_prefix("*.") {
        Some(name) => (true, name),
        None => (false, text),
    };
    if name.contains('*') || name.is_empty() {
        return Err("`*` stands for whole names: `*`, or at the begin as in `*.example.com`".to_owned());
    }
    if name.ends_with('.') {
        return Err("the name ends with a dot".to_owned());
    }
    Ok(if below { Host::Below(format!(".{name}")) } else { Host::Name(name.to_owned()) })
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.scheme())?;
        match &self.host {
            Host::Any => f.write_str("*")?,
            Host::Below(end) => write!(f, "*{end}")?,
            Host::Name(name) => f.write_str(name)?,
            Host::Address(IpAddr::V4(address)) => write!(f, "{address}")?,
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]")?,
        }
        let usual = if self.secure { 443 } else { 80 };
        if self.port == usual { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(origin: &str, url: &str) -> bool {
        origin.parse::<Origin>().expect(origin).covers(&Url::parse(url).expect(url))
    }

    #[test]
    fn scheme_host_and_port_must_fit() {
        for (origin, url) in [
            ("https://a.test", "https://A.test/x?y"),
            ("https://a.test:443", "https://a.test"),
            ("http://a.test:8080", "http://a.test:8080/"),
            ("https://*.a.test", "https://b.c.a.test/"),
            ("https://*", "https://anything.test"),
            ("http://127.0.0.1:81", "http://0x7f.0.0.1:81/"),
            ("http://[::1]:81", "http://[0:0::1]:81/"),
            ("https://exämple.test", "https://xn--exmple-cua.test/"),
        ] {
            assert!(covers(origin, url), "{origin} {url}");
        }
        for (origin, url) in [
            ("https://a.test", "http://a.test/"),
            ("https://a.test", "https://a.test:444/"),
            ("https://a.test", "https://b.a.test/"),
            ("https://a.test", "https://a.test.evil.test/"),
            ("https://a.test", "https://a.test./"),
            ("https://*.a.test", "https://b.a.test./"),
            ("https://a.test", "https://\u{430}.test/"),
            ("http://127.0.0.1", "http://[::ffff:127.0.0.1]/"),
            ("https://*.a.test", "https://a.test/"),
            ("https://*.a.test", "https://evila.test/"),
            ("http://*", "http://127.0.0.1/"),
            ("http://*", "http://[::1]/"),
            ("http://127.0.0.1", "http://localhost/"),
        ] {
            assert!(!covers(origin, url), "{origin} {url}");
        }
    }

    #[test]
    fn it_is_shown_as_it_was_written() {
        for text in
            ["https://a.test", "http://*.a.test:8080", "https://*", "http://[::1]:81", "http://10.0.0.1"]
        {
            assert_eq!(text.parse::<Origin>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_no_server_is_said() {
        let said = [
            "a.test",
            "ftp://a.test",
            "https://",
            "https://a.test/path",
            "https://u@a.test",
            "https://a*.test",
            "https://*.*.test",
            "https://*.",
            "https://a.test.",
            "https://a.test?q",
            "https://a.test:0x1",
        ];
        let said = said.map(|text| format!("{text}: {}", text.parse::<Origin>().expect_err(text)));
        insta::assert_snapshot!(said.join("\n"));
    }
}
