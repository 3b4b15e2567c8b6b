//! How a server is reached: its address, and the headers of each request. Keys in them must come from elsewhere.

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};

use super::problem::Problem;
use super::reader::{At, Reader};
use super::secrets::from_outside;
use super::section::Section;
use crate::secret::Secret;

/// Headers whose values are keys.
const KEY_HEADERS: [&str; 6] =
    ["authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"];

/// Names in the query of an address whose values are keys.
const KEY_QUERIES: [&str; 9] =
    ["key", "api-key", "api_key", "apikey", "token", "access_token", "password", "secret", "sig"];

const ADVICE: &str = "keep it out of the file with `${env:NAME}` or `${file:PATH}`; a key that was ever written here \
                      should be replaced";

/// The address at a key, without the slash at its end.
pub(super) fn address(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
) -> Option<At<String>> {
    let value = section.value(reader, key)?;
    let written = value.as_ref().as_str().unwrap_or_default();
    if written.contains(['@', '?']) {
        reader.hide(value);
    }
    let address = section.parsed_at(reader, key, url)?;
    let literal = Url::parse(&address.value).ok().and_then(|url| literal_key(&url, written));
    if let Some(what) = literal {
        let message = format!("the {what} in `{key}` of {} stands in the manifest itself", section.title());
        reader.report(Problem::at(address.span, message).help(ADVICE));
        return None;
    }
    Some(address)
}

/// An address of a server, without the slash at its end.
fn url(text: &str) -> Result<String, String> {
    let begins = text.starts_with("https://") || text.starts_with("http://");
    if !begins || text.contains(char::is_whitespace) {
        return Err("an address begins with `https://` or `http://`, and a host follows".to_owned());
    }
    Url::parse(text).map_err(|error| format!("this is no address: {error}"))?;
    Ok(text.trim_end_matches('/').to_owned())
}

/// What kind of key an address holds that was written out.
fn literal_key(url: &Url, written: &str) -> Option<&'static str> {
    if url.password().is_some_and(|password| written.contains(&format!(":{password}@"))) {
        return Some("password");
    }
    let is_key = |name: &str| KEY_QUERIES.iter().any(|key| name.eq_ignore_ascii_case(key));
    let mut pairs = url.query().into_iter().flat_map(|query| query.split('&'));
    let literal = pairs.any(|pair| {
        let named = pair.split_once('=').is_some_and(|(name, value)| is_key(name) && !value.is_empty());
        named && written.contains(pair)
    });
    literal.then_some("key")
}

/// The headers of every request.
pub(super) fn headers(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Vec<(String, Secret)> {
    let mut headers = Vec::new();
    for text in section.secret_texts(reader, "headers") {
        let name = &text.name.value;
        if HeaderName::try_from(name).is_err() {
            let message = format!("a header of {} has a name that HTTP does not allow", section.title());
            reader.report(Problem::at(text.name.span, message));
        } else if HeaderValue::try_from(&text.value.value).is_err() {
            let message =
                format!("header `{name}` of {} has a value that HTTP does not allow", section.title());
            reader.report(Problem::at(text.value.span, message));
        } else if text.literal && KEY_HEADERS.iter().any(|key| name.eq_ignore_ascii_case(key)) {
            let message =
                format!("the key in header `{name}` of {} stands in the manifest itself", section.title());
            reader.report(Problem::at(text.value.span, message).help(ADVICE));
        } else {
            headers.push((text.name.value, Secret::new(text.value.value)));
        }
    }
    headers
}

/// The key, which must come from the environment or from a file.
pub(super) fn api_key(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<Secret> {
    let key = from_outside(reader, section, "api-key", "the API key")?;
    if HeaderValue::try_from(key.value.expose()).is_err() {
        let message = format!("the API key of {} has characters that HTTP does not allow", section.title());
        reader.report(Problem::at(key.span, message).help("perhaps a line end came with it"));
        return None;
    }
    Some(key.value)
}
