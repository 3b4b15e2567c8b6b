//! What a layer remembers: the contract's `state`, and JSON on top of it.

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use crate::backend::state::{Scope, compare_and_set, delete, get, increment, keys, set};
use crate::{Error, ErrorKind};

/// How often [`update_json`] starts again when others change the value in between.
const ATTEMPTS: u32 = 16;

/// The value of a key, read as JSON.
///
/// # Errors
/// The state's own, and `invalid-input` when the stored text does not fit `T`.
pub fn get_json<T: DeserializeOwned>(scope: Scope, key: &str) -> Result<Option<T>, Error> {
    get(scope, key)?.map(|text| parse(key, &text)).transpose()
}

/// Sets a value, written as JSON.
///
/// # Errors
/// The state's own.
pub fn set_json<T: Serialize>(scope: Scope, key: &str, value: &T) -> Result<(), Error> {
    set(scope, key, &serde_json::to_string(value)?)
}

/// Changes a value so that no change of another hook is lost: `change` is given the value, or the default, and runs
/// again when the value was changed meanwhile. Gives what `change` gave last.
///
/// # Errors
/// The state's own; that of `change`, and then nothing is set; `overloaded` after 16 attempts.
pub fn update_json<T, R>(
    scope: Scope,
    key: &str,
    mut change: impl FnMut(&mut T) -> Result<R, Error>,
) -> Result<R, Error>
where
    T: Serialize + DeserializeOwned + Default,
{
    for _ in 0..ATTEMPTS {
        let old = get(scope, key)?;
        let mut value = old.as_deref().map(|text| parse(key, text)).transpose()?.unwrap_or_default();
        let result = change(&mut value)?;
        let new = serde_json::to_string(&value)?;
        if compare_and_set(scope, key, old.as_deref(), Some(&new))? {
            return Ok(result);
        }
    }
    let message = format!("the state `{key}` was changed by others {ATTEMPTS} times in a row");
    Err(Error::new(ErrorKind::Overloaded, message))
}

fn parse<T: DeserializeOwned>(key: &str, text: &str) -> Result<T, Error> {
    serde_json::from_str(text)
        .map_err(|cause| Error::invalid(format!("the state `{key}` does not fit: {cause}")))
}
