//! Requests to granted servers: the contract's `http`, and the whole body on top of it.

pub use crate::backend::http::{HttpRequest, HttpResponse, fetch};
use crate::{Error, ErrorKind};

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
