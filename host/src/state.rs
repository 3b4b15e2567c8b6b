//! State of layers in memory: for tests, and for sessions that are not kept.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::future::{BoxFuture, ready};

use crate::error::Error;
use crate::services::{Scope, StatePlace, StateStore};

/// The state in memory.
#[derive(Debug, Default)]
pub struct MemoryState(Mutex<BTreeMap<(StatePlace, String), String>>);

impl MemoryState {
    /// Deletes what all layers keep for an owner.
    pub(crate) fn forget(&self, scope: Scope, owner: &str) {
        self.lock().retain(|(place, _), _| place.scope != scope || place.owner != owner);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(StatePlace, String), String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number that a stored value stands for; the sum of it and `delta` as it is stored.
///
/// # Errors
/// `invalid-input` when the value is no whole number, or the sum would leave the exact range of ±2^53.
pub fn add_number(value: Option<&str>, delta: f64) -> Result<f64, Error> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let current = match value {
        None => 0.0,
        Some(text) => text
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
            .ok_or_else(|| Error::invalid("the value is not a number, so nothing can be added to it"))?,
    };
    let sum = current + delta;
    if !delta.is_finite() || delta.fract() != 0.0 || sum.abs() > EXACT {
        return Err(Error::invalid(format!("can't add {delta}: only whole numbers up to 2^53 are exact")));
    }
    Ok(sum)
}

impl StateStore for MemoryState {
    fn get(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<Option<String>, Error>> {
        Box::pin(ready(Ok(self.lock().get(&(place, key)).cloned())))
    }

    fn set(&self, place: StatePlace, key: String, value: String) -> BoxFuture<'_, Result<(), Error>> {
        self.lock().insert((place, key), value);
        Box::pin(ready(Ok(())))
    }

    fn delete(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<bool, Error>> {
        Box::pin(ready(Ok(self.lock().remove(&(place, key)).is_some())))
    }

    fn keys(&self, place: StatePlace, prefix: String) -> BoxFuture<'_, Result<Vec<String>, Error>> {
        let keys = self
            .lock()
            .keys()
            .filter(|(at, key)| *at == place && key.starts_with(&prefix))
            .map(|(_, key)| key.clone())
            .collect();
        Box::pin(ready(Ok(keys)))
    }

    fn compare_and_set(
        &self,
        place: StatePlace,
        key: String,
        expected: Option<String>,
        value: Option<String>,
    ) -> BoxFuture<'_, Result<bool, Error>> {
        let mut map = self.lock();
        let at = (place, key);
        let holds = map.get(&at) == expected.as_ref();
        if holds {
            match value {
                Some(value) => map.insert(at, value),
                None => map.remove(&at),
            };
        }
        Box::pin(ready(Ok(holds)))
    }

    fn increment(&self, place: StatePlace, key: String, delta: f64) -> BoxFuture<'_, Result<f64, Error>> {
        let mut map = self.lock();
        let at = (place, key);
        let sum = add_number(map.get(&at).map(String::as_str), delta);
        if let Ok(sum) = &sum {
            map.insert(at, sum.to_string());
        }
        Box::pin(ready(sum))
    }
}
