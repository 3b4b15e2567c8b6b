//! Programs for the hooks that give each layer what the one before gave: the same as a native layer and as a component
//! (`tests/guests/transform`).

mod native;
mod pass;

use cepa::error::{Error, ErrorKind};
use serde::Serialize;

pub use native::native;
pub use pass::{Drafts, Events, Passing, SystemPrompt};

/// One thing that happens to a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// A word is added at the end.
    Append(String),
    /// A word takes its place.
    Replace(String),
    /// It goes no further, where a hook has a way to say so.
    Stop,
    /// It is refused with an error if this is in it.
    FailOn(String),
}

/// What becomes of a text: `None` when it goes no further, which only some hooks have a way to say.
///
/// # Errors
/// When it is refused.
pub fn changed(mut text: String, changes: &[Change], stops: bool) -> Result<Option<String>, Error> {
    for change in changes {
        match change {
            Change::Append(word) => text.push_str(word),
            Change::Replace(word) => text.clone_from(word),
            Change::Stop if stops => return Ok(None),
            Change::Stop => {}
            Change::FailOn(word) if text.contains(word.as_str()) => {
                return Err(Error::new(ErrorKind::Rejected, format!("not `{word}`")));
            }
            Change::FailOn(_) => {}
        }
    }
    Ok(Some(text))
}
