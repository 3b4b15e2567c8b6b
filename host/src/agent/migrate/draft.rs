//! State as a migration sees it: what it changes stays here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};

use crate::error::{Error, ErrorKind};
use crate::services::{Scope, StatePlace, StateStore};
use crate::state::{add_number, entry_bytes};

/// One value that a migration wants otherwise.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) place: StatePlace,
    pub(super) key: String,
    /// As it was when the migration first changed it.
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    /// The quota of its place.
    pub(super) quota: u64,
}

/// By how many bytes the state grows when a value becomes another one.
pub(super) fn growth(key: &str, before: Option<&str>, after: Option<&str>) -> i128 {
    let size = |value: Option<&str>| i128::from(value.map_or(0, |value| entry_bytes(key, value)));
    size(after) - size(before)
}

/// A draft over a state that it leaves as it is. One caller uses it, a call at a time. Quotas are checked when it is
/// written.
pub(super) struct Draft {
    base: Arc<dyn StateStore>,
    values: Mutex<BTreeMap<(StatePlace, String), Values>>,
}

/// A value before and after.
#[derive(Clone)]
struct Values {
    before: Option<String>,
    after: Option<String>,
    quota: u64,
}

impl Draft {
    pub(super) fn new(base: Arc<dyn StateStore>) -> Self {
        Self { base, values: Mutex::default() }
    }

    /// What is to change: first what makes room for the rest.
    pub(super) fn take(&self) -> Vec<Change> {
        let values = std::mem::take(&mut *self.lock());
        let changed = values.into_iter().filter(|(_, values)| values.before != values.after);
        let mut changes: Vec<Change> = changed
            .map(|((place, key), Values { before, after, quota })| Change {
                place,
                key,
                before,
                after,
                quota,
            })
            .collect();
        changes.sort_by_key(|change| growth(&change.key, change.before.as_deref(), change.after.as_deref()));
        changes
    }

    async fn read(&self, place: &StatePlace, key: &str) -> Result<Values, Error> {
        check(place)?;
        let known = self.lock().get(&(place.clone(), key.to_owned())).cloned();
        match known {
            Some(values) => Ok(values),
            None => {
                let value = self.base.get(place.clone(), key.to_owned()).await?;
                Ok(Values { before: value.clone(), after: value, quota: 0 })
            }
        }
    }

    /// Sets or deletes a value, and gives the one before.
    async fn put(
        &self,
        place: StatePlace,
        key: String,
        after: Option<String>,
        quota: u64,
    ) -> Result<Option<String>, Error> {
        let values = self.read(&place, &key).await?;
        self.lock().insert((place, key), Values { before: values.before, after, quota });
        Ok(values.after)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(StatePlace, String), Values>> {
        self.values.lock()
    }
}

/// A migration belongs to no session and no reply.
fn check(place: &StatePlace) -> Result<(), Error> {
    if place.scope == Scope::Layer {
        return Ok(());
    }
    let scope = place.scope.name();
    let text = format!(
        "a migration belongs to no session, so it has only the state of the scope `layer`, and not of `{scope}`"
    );
    Err(Error::new(ErrorKind::Unsupported, text))
}

impl StateStore for Draft {
    fn get(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<Option<String>, Error>> {
        Box::pin(async move { Ok(self.read(&place, &key).await?.after) })
    }

    fn set(
        &self,
        place: StatePlace,
        key: String,
        value: String,
        quota: u64,
    ) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move { self.put(place, key, Some(value), quota).await.map(drop) })
    }

    fn delete(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<bool, Error>> {
        Box::pin(async move { Ok(self.put(place, key, None, 0).await?.is_some()) })
    }

    fn keys(&self, place: StatePlace, prefix: String) -> BoxFuture<'_, Result<Vec<String>, Error>> {
        Box::pin(async move {
            check(&place)?;
            let stored = self.base.keys(place.clone(), prefix.clone()).await?;
            let mut keys: BTreeSet<String> = stored.into_iter().collect();
            for ((at, key), values) in &*self.lock() {
                if *at == place && key.starts_with(&prefix) {
                    if values.after.is_some() {
                        keys.insert(key.clone());
                    } else {
                        keys.remove(key);
                    }
                }
            }
            Ok(keys.into_iter().collect())
        })
    }

    fn compare_and_set(
        &self,
        place: StatePlace,
        key: String,
        expected: Option<String>,
        value: Option<String>,
        quota: u64,
    ) -> BoxFuture<'_, Result<bool, Error>> {
        Box::pin(async move {
            let holds = self.read(&place, &key).await?.after == expected;
            if holds {
                self.put(place, key, value, quota).await?;
            }
            Ok(holds)
        })
    }

    fn increment(
        &self,
        place: StatePlace,
        key: String,
        delta: f64,
        quota: u64,
    ) -> BoxFuture<'_, Result<f64, Error>> {
        Box::pin(async move {
            let value = self.read(&place, &key).await?.after;
            let sum = add_number(value.as_deref(), delta)?;
            self.put(place, key, Some(sum.to_string()), quota).await?;
            Ok(sum)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::MemoryState;

    const QUOTA: u64 = 1_000;

    #[tokio::test]
    async fn a_draft_shows_its_changes_and_leaves_the_state_alone() -> Result<(), Error> {
        let base: Arc<dyn StateStore> = Arc::new(MemoryState::default());
        let place = StatePlace::new("x", Scope::Layer, "", "");
        let at = |key: &str| (place.clone(), key.to_owned());
        for key in ["a", "b", "c"] {
            base.set(place.clone(), key.to_owned(), "1".to_owned(), QUOTA).await?;
        }
        let draft = Draft::new(Arc::clone(&base));
        let (here, key) = at("a");
        assert!((draft.increment(here, key, 2.0, QUOTA).await? - 3.0).abs() < f64::EPSILON);
        let (here, key) = at("b");
        assert!(draft.delete(here, key).await?);
        let (here, key) = at("d");
        assert!(!draft.compare_and_set(here, key, Some("0".to_owned()), None, QUOTA).await?);
        let (here, key) = at("d");
        assert!(draft.compare_and_set(here, key, None, Some("4".to_owned()), QUOTA).await?);
        // Changed and changed back: nothing to write.
        for value in ["2", "1"] {
            let (here, key) = at("c");
            draft.set(here, key, value.to_owned(), QUOTA).await?;
        }
        assert_eq!(draft.keys(place.clone(), String::new()).await?, ["a", "c", "d"]);
        assert_eq!(base.keys(place.clone(), String::new()).await?, ["a", "b", "c"]);

        let changes: Vec<_> =
            draft.take().into_iter().map(|change| (change.key, change.before, change.after)).collect();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            changes,
            [
                ("b".to_owned(), some("1"), None),
                ("a".to_owned(), some("1"), some("3")),
                ("d".to_owned(), None, some("4")),
            ]
        );
        Ok(())
    }

    #[tokio::test]
    async fn a_migration_sees_no_sessions_state() {
        let draft = Draft::new(Arc::new(MemoryState::default()));
        for scope in [Scope::Session, Scope::Reply] {
            let place = StatePlace::new("x", scope, "", "");
            let refused = draft.get(place, "key".to_owned()).await;
            assert_eq!(refused.map_err(|error| error.kind), Err(ErrorKind::Unsupported));
        }
    }
}
