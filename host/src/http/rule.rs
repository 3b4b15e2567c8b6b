//! One line of the grant `http`.

use std::fmt;
use std::str::FromStr;

use reqwest::{Method, Url};

use super::origin::Origin;
use super::reach::Reach;
use super::url::is_plain_path;

/// What a layer may request: methods, servers and paths.
///
/// Written `https://api.example.com`, which allows `GET` and `HEAD`; `GET,POST https://api.example.com/v1/` for these
/// methods and what is below this path; `* https://…` for every method; and with `private` at the end where the name
/// may lead to a private network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    methods: Methods,
    pub(super) origin: Origin,
    path: String,
    private: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Methods {
    /// `GET` and `HEAD`, since nothing else was said.
    Reading,
    /// Every one.
    Any,
    /// These.
    Some(Vec<Method>),
}

impl Rule {
    /// Whether this request is allowed, as far as this rule goes.
    pub(super) fn covers(&self, method: &Method, url: &Url) -> bool {
        let method_fits = match &self.methods {
            Methods::Reading => method == Method::GET || method == Method::HEAD,
            Methods::Any => true,
            Methods::Some(methods) => methods.contains(method),
        };
        method_fits && self.origin.covers(url) && self.covers_path(url.path())
    }

    fn covers_path(&self, path: &str) -> bool {
        if self.path == "/" {
            return true;
        }
        let fits = if self.path.ends_with('/') { path.starts_with(&self.path) } else { path == self.path };
        // A server that decodes the path once more would see another one.
        fits && is_plain_path(path)
    }

    /// How far the names of this rule may lead.
    pub(super) fn reach(&self) -> Reach {
        if self.origin.is_localhost() {
            Reach::Loopback
        } else if self.private {
            Reach::Private
        } else {
            Reach::Public
        }
    }
}

/// A method that may be sent: a word in capitals that opens no tunnel and echoes no header.
pub(super) fn method(text: &str) -> Option<Method> {
    let usable = (1..=16).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-')
        && !matches!(text, "CONNECT" | "TRACE");
    if usable { Method::from_bytes(text.as_bytes()).ok() } else { None }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let private = words.last() == Some(&"private");
        if private {
            words.pop();
        }
        let (methods, server) = match words.as_slice() {
            [server] => (Methods::Reading, *server),
            [methods, server] if !methods.contains("://") => (parse_methods(methods)?, *server),
            _ => return Err(FORM.to_owned()),
        };
        let (origin, path) = Origin::parse_with_path(server)?;
        if private && (origin.is_localhost() || origin.is_address()) {
            return Err(
                "`private` is for names; `localhost` and IP addresses are granted as they stand".to_owned()
            );
        }
        if !is_plain_path(&path) {
            return Err("the path has an encoded slash, dot or percent sign".to_owned());
        }
        Ok(Self { methods, origin, path, private })
    }
}

const FORM: &str = "write it as `https://host`, with methods in front as in `GET,POST https://host`, a path behind as in \
                    `https://host/v1/`, and `private` at the end where the name leads to a private network";

fn parse_methods(text: &str) -> Result<Methods, String> {
    if text == "*" {
        return Ok(Methods::Any);
    }
    let methods = text.split(',').map(|word| {
        method(word).ok_or_else(|| {
            format!(
                "`{word}` is no method that can be granted: a word in capitals, but `CONNECT` and `TRACE`"
            )
        })
    });
    methods.collect::<Result<_, _>>().map(Methods::Some)
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.methods {
            Methods::Reading => {}
            Methods::Any => f.write_str("* ")?,
            Methods::Some(methods) => {
                let names: Vec<&str> = methods.iter().map(Method::as_str).collect();
                write!(f, "{} ", names.join(","))?;
            }
        }
        write!(f, "{}", self.origin)?;
        if self.path != "/" {
            f.write_str(&self.path)?;
        }
        if self.private { f.write_str(" private") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(rule: &str, method: &str, url: &str) -> bool {
        let method = Method::from_bytes(method.as_bytes()).expect(method);
        rule.parse::<Rule>().expect(rule).covers(&method, &Url::parse(url).expect(url))
    }

    #[test]
    fn methods_and_paths_must_fit() {
        for (rule, method, url) in [
            ("https://a.test", "GET", "https://a.test/x"),
            ("https://a.test", "HEAD", "https://a.test/x"),
            ("GET,POST https://a.test", "POST", "https://a.test/"),
            ("* https://a.test", "DELETE", "https://a.test/"),
            ("https://a.test/v1/", "GET", "https://a.test/v1/x/y?z"),
            ("https://a.test/v1", "GET", "https://a.test/v1?z"),
            ("https://a.test private", "GET", "https://a.test/"),
        ] {
            assert!(covers(rule, method, url), "{rule} {method} {url}");
        }
        for (rule, method, url) in [
            ("https://a.test", "POST", "https://a.test/x"),
            ("POST https://a.test", "GET", "https://a.test/x"),
            ("https://a.test/v1/", "GET", "https://a.test/v1"),
            ("https://a.test/v1/", "GET", "https://a.test/v1/../admin"),
            ("https://a.test/v1/", "GET", "https://a.test/v1/..%2fadmin"),
            ("https://a.test/v1/", "GET", "https://a.test/v1/..;/admin"),
            ("https://a.test/v1", "GET", "https://a.test/v1x"),
            ("https://a.test/v1", "GET", "https://a.test/v1/x"),
        ] {
            assert!(!covers(rule, method, url), "{rule} {method} {url}");
        }
    }

    #[test]
    fn it_is_shown_as_it_was_written() {
        for text in ["https://a.test", "GET,POST http://*.a.test:81/v1/", "* https://a.test private"] {
            assert_eq!(text.parse::<Rule>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_no_rule_is_said() {
        let said = [
            "",
            "GET",
            "get https://a.test",
            "GET,,POST https://a.test",
            "CONNECT https://a.test",
            "GET POST https://a.test",
            "https://a.test public",
            "http://localhost private",
            "http://10.0.0.1 private",
            "https://a.test/a%2fb",
        ];
        let said = said.map(|text| format!("{text}: {}", text.parse::<Rule>().expect_err(text)));
        insta::assert_snapshot!(said.join("\n"));
    }
}
