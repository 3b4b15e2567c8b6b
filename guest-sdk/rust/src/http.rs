//! Requests to granted servers: the contract's `http`, and the whole body on top of it.

pub use crate::backend::http::{HttpRequest, HttpResponse, fetch};
use crate::{Error, ErrorKind};

/// Asks for what is at an address. Any status is an answer.
///
/// # Errors
/// The request's own: `denied` where the server was not granted.
pub fn get(url: &str) -> Result<HttpResponse, Error> {
    fetch(HttpRequest::create("GET", url)?)
}

/// The rest of an answer's body.
///
/// # Errors
/// The answer's own, and `limit` when there are more than `max` bytes.
pub fn read_all(response: &HttpResponse, max: usize) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    loop {
        let portion = response.read()?;
        if portion.is_empty() {
            return Ok(body);
        }
        body.extend(portion);
        if body.len() > max {
            let message = format!("the answer has more than the {max} bytes that were wanted");
            return Err(Error::new(ErrorKind::Limit, message));
        }
    }
}

/// The first bytes of an answer's body, at most `max`. What comes behind them is left unread.
///
/// # Errors
/// The answer's own.
pub fn read_start(response: &HttpResponse, max: usize) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while body.len() < max {
        let portion = response.read()?;
        if portion.is_empty() {
            break;
        }
        body.extend(portion);
    }
    body.truncate(max);
    Ok(body)
}
