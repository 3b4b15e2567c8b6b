//! State of layers in memory: for tests, and for sessions that are not kept.

use std::collections::BTreeMap;

use futures::future::{BoxFuture, ready};
use parking_lot::{Mutex, MutexGuard};

use crate::error::Error;
use crate::services::{Scope, StatePlace, StateStore};

/// What an entry counts besides its key and its value, so that a million empty ones are not free.
pub(crate) const ENTRY_BYTES: u64 = 64;

/// What an entry counts toward a quota.
pub(crate) fn entry_bytes(key: &str, value: &str) -> u64 {
    ENTRY_BYTES + key.len() as u64 + value.len() as u64
}

/// What a place holds once an entry of `before` bytes has become one of `after` bytes.
///
/// # Errors
/// `limit` when that is more than the quota. An entry that does not grow always passes: a quota may have been lowered.
pub(crate) fn within_quota(quota: u64, held: u64, before: u64, after: u64) -> Result<u64, Error> {
    let then = held.saturating_sub(before).saturating_add(after);
    if after > before && then > quota {
        return Err(Error::limit("state", format!("{quota} bytes"), format!("{then} bytes")));
    }
    Ok(then)
}

/// The state in memory.
#[derive(Debug, Default)]
pub struct MemoryState(Mutex<BTreeMap<StatePlace, Entries>>);

/// The values of one place, and how many bytes they count.
#[derive(Debug, Default)]
struct Entries {
    values: BTreeMap<String, String>,
    bytes: u64,
}

impl Entries {
    fn size_of(&self, key: &str) -> u64 {
        self.values.get(key).map_or(0, |value| entry_bytes(key, value))
    }

    fn keys(&self, prefix: &str) -> Vec<String> {
        let from = self.values.range(prefix.to_owned()..).map(|(key, _)| key);
        from.take_while(|key| key.starts_with(prefix)).cloned().collect()
    }

    fn set(&mut self, key: String, value: String, quota: u64) -> Result<(), Error> {
        self.bytes = within_quota(quota, self.bytes, self.size_of(&key), entry_bytes(&key, &value))?;
        self.values.insert(key, value);
        Ok(())
    }

    fn delete(&mut self, key: &str) -> bool {
        self.bytes = self.bytes.saturating_sub(self.size_of(key));
        self.values.remove(key).is_some()
    }

    fn swap(
        &mut self,
        key: String,
        expected: Option<&str>,
        value: Option<String>,
        quota: u64,
    ) -> Result<bool, Error> {
        let holds = self.values.get(&key).map(String::as_str) == expected;
        match value {
            Some(value) if holds => self.set(key, value, quota)?,
            None if holds => drop(self.delete(&key)),
            _ => {}
        }
        Ok(holds)
    }

    fn increment(&mut self, key: String, delta: f64, quota: u64) -> Result<f64, Error> {
        let sum = add_number(self.values.get(&key).map(String::as_str), delta)?;
        self.set(key, sum.to_string(), quota)?;
        Ok(sum)
    }
}

impl MemoryState {
    /// Deletes what all layers keep for an owner.
    pub(crate) fn forget(&self, scope: Scope, owner: &str) {
        self.lock().retain(|place, _| place.scope != scope || place.owner != owner);
    }

    /// Changes the values of a place.
    fn at<T: Send + 'static>(
        &self,
        place: StatePlace,
        work: impl FnOnce(&mut Entries) -> Result<T, Error>,
    ) -> BoxFuture<'_, Result<T, Error>> {
        Box::pin(ready(work(self.lock().entry(place).or_default())))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<StatePlace, Entries>> {
        self.0.lock()
    }
}

/// The number that a stored value stands for; the sum of it and `delta` as it is stored.
///
/// # Errors
/// `invalid-input` when the value or `delta` is no whole number, or the value or the sum is outside the exact range of
/// ±2^53.
pub fn add_number(value: Option<&str>, delta: f64) -> Result<f64, Error> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let current = match value {
        None => 0.0,
        Some(text) => text
            .parse::<f64>()
            .ok()
            .filter(|number| number.fract() == 0.0 && number.abs() <= EXACT)
            .ok_or_else(|| {
                Error::invalid("the value is no whole number up to 2^53, so nothing can be added to it")
            })?,
    };
    let sum = current + delta;
    if !delta.is_finite() || delta.fract() != 0.0 || sum.abs() > EXACT {
        return Err(Error::invalid(format!("can't add {delta}: only whole numbers up to 2^53 are exact")));
    }
    Ok(sum)
}

impl StateStore for MemoryState {
    fn get(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<Option<String>, Error>> {
        let value = self.lock().get(&place).and_then(|entries| entries.values.get(&key).cloned());
        Box::pin(ready(Ok(value)))
    }

    fn set(
        &self,
        place: StatePlace,
        key: String,
        value: String,
        quota: u64,
    ) -> BoxFuture<'_, Result<(), Error>> {
        self.at(place, |entries| entries.set(key, value, quota))
    }

    fn delete(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<bool, Error>> {
        self.at(place, |entries| Ok(entries.delete(&key)))
    }

    fn keys(&self, place: StatePlace, prefix: String) -> BoxFuture<'_, Result<Vec<String>, Error>> {
        let keys = self.lock().get(&place).map(|entries| entries.keys(&prefix)).unwrap_or_default();
        Box::pin(ready(Ok(keys)))
    }

    fn compare_and_set(
        &self,
        place: StatePlace,
        key: String,
        expected: Option<String>,
        value: Option<String>,
        quota: u64,
    ) -> BoxFuture<'_, Result<bool, Error>> {
        self.at(place, |entries| entries.swap(key, expected.as_deref(), value, quota))
    }

    fn increment(
        &self,
        place: StatePlace,
        key: String,
        delta: f64,
        quota: u64,
    ) -> BoxFuture<'_, Result<f64, Error>> {
        self.at(place, |entries| entries.increment(key, delta, quota))
    }
}
