//! A layer's state, in memory.

/// What a layer remembers.
pub mod state {
    use crate::rig::{Capability, World, granted};
    use crate::{Error, ErrorKind};

    pub use crate::bindings::cepa::middleware::state::Scope;

    /// Bytes of a key that a host takes.
    const KEY_BYTES_MAX: usize = 512;
    /// Bytes of a value that a host takes.
    const VALUE_BYTES_MAX: usize = 1 << 20;

    fn place(scope: Scope, key: &str) -> (Scope, String) {
        (scope, key.to_owned())
    }

    /// Uses the state under a key, or the beginning of one.
    fn stored<T>(key: &str, then: impl FnOnce(&mut World) -> T) -> Result<T, Error> {
        granted(Capability::State, |world| {
            within("state-key-bytes", KEY_BYTES_MAX, key)?;
            Ok(then(world))
        })?
    }

    fn check_value(value: &str) -> Result<(), Error> {
        within("state-value-bytes", VALUE_BYTES_MAX, value)
    }

    fn within(limit: &str, allowed: usize, text: &str) -> Result<(), Error> {
        if text.len() <= allowed {
            return Ok(());
        }
        let message = format!("limit `{limit}` reached: {} of {allowed} allowed", text.len());
        Err(Error::new(ErrorKind::Limit, message).code(limit))
    }

    /// The value of a key.
    pub fn get(scope: Scope, key: &str) -> Result<Option<String>, Error> {
        stored(key, |world| world.state.get(&place(scope, key)).cloned())
    }

    /// Sets a value.
    pub fn set(scope: Scope, key: &str, value: &str) -> Result<(), Error> {
        check_value(value)?;
        stored(key, |world| {
            world.state.insert(place(scope, key), value.to_owned());
        })
    }

    /// Deletes a value, and says whether there was one.
    pub fn delete(scope: Scope, key: &str) -> Result<bool, Error> {
        stored(key, |world| world.state.remove(&place(scope, key)).is_some())
    }

    /// The keys that begin with `prefix`, sorted.
    pub fn keys(scope: Scope, prefix: &str) -> Result<Vec<String>, Error> {
        stored(prefix, |world| {
            let keys = world.state.keys().filter(|(of, key)| *of == scope && key.starts_with(prefix));
            keys.map(|(_, key)| key.clone()).collect()
        })
    }

    /// Sets the value if it is still `expected`, and says whether it did. An absent `value` deletes.
    pub fn compare_and_set(
        scope: Scope,
        key: &str,
        expected: Option<&str>,
        value: Option<&str>,
    ) -> Result<bool, Error> {
        value.map_or(Ok(()), check_value)?;
        stored(key, |world| {
            let place = place(scope, key);
            if world.state.get(&place).map(String::as_str) != expected {
                return false;
            }
            match value {
                Some(value) => world.state.insert(place, value.to_owned()),
                None => world.state.remove(&place),
            };
            true
        })
    }

    /// Adds to a whole number, from 0 when absent, and gives the sum. Exact up to 2^53.
    pub fn increment(scope: Scope, key: &str, delta: f64) -> Result<f64, Error> {
        let exact = |number: &f64| number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
        let old = match get(scope, key)? {
            None => 0.0,
            Some(text) => text.parse::<f64>().ok().filter(exact).ok_or_else(|| {
                Error::invalid("the value is no whole number up to 2^53, so nothing can be added to it")
            })?,
        };
        let sum = old + delta;
        if !exact(&delta) || !exact(&sum) {
            return Err(Error::invalid(format!(
                "can't add {delta}: only whole numbers up to 2^53 are exact"
            )));
        }
        set(scope, key, &sum.to_string())?;
        Ok(sum)
    }
}
