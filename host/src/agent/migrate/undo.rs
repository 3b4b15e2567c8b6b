//! The way back from migrations.

use std::collections::BTreeMap;

use crate::services::{StatePlace, StateStore};

use super::draft::growth;

/// How many values that are left are logged one by one.
const LOGGED_MAX: usize = 10;

/// How to put state back as it was before migrations: each value that they changed, once.
#[derive(Clone, Debug, Default)]
pub(in crate::agent) struct Undo(BTreeMap<(StatePlace, String), Step>);

/// A value that migrations changed.
#[derive(Clone, Debug)]
struct Step {
    before: Option<String>,
    /// As they left it.
    after: Option<String>,
    /// The quota of the version that had it before.
    quota: u64,
}

impl Undo {
    /// A migration changed this value. `quota` is that of the version before it.
    pub(super) fn wrote(
        &mut self,
        place: StatePlace,
        key: String,
        before: Option<String>,
        after: Option<String>,
        quota: u64,
    ) {
        self.0.insert((place, key), Step { before, after, quota });
    }

    /// Whether there is nothing to put back.
    pub(in crate::agent) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// This, and what came later. However many migrations there were, each value is kept once.
    pub(in crate::agent) fn then(mut self, later: Self) -> Self {
        for (at, mut step) in later.0 {
            // If a reply wrote between the two, what it wrote is what comes back.
            if let Some(first) = self.0.remove(&at).filter(|first| first.after == step.before) {
                (step.before, step.quota) = (first.before, first.quota);
            }
            self.0.insert(at, step);
        }
        self
    }

    /// Puts each value back that is still as the migrations left it; first those that make room. What others have
    /// changed since, and what has no room any more, is left and logged.
    pub(in crate::agent) async fn apply(&self, state: &dyn StateStore) {
        let mut steps: Vec<_> = self.0.iter().collect();
        steps.sort_by_key(|((_, key), step)| growth(key, step.after.as_deref(), step.before.as_deref()));
        let mut left = 0;
        for ((place, key), Step { before, after, quota }) in steps {
            let put =
                state.compare_and_set(place.clone(), key.clone(), after.clone(), before.clone(), *quota);
            let why = match put.await {
                Ok(true) => continue,
                Ok(false) => "it was changed since".to_owned(),
                Err(error) => error.message,
            };
            left += 1;
            if left <= LOGGED_MAX {
                let layer = &place.layer;
                tracing::warn!(
                    "the value {key:?} of layer `{layer}` stays as it is, and not as it was before `migrate-state`: {why}"
                );
            }
        }
        if left > LOGGED_MAX {
            tracing::warn!("{} more values stay so", left - LOGGED_MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::services::Scope;
    use crate::state::{ENTRY_BYTES, MemoryState};

    fn place() -> StatePlace {
        StatePlace::new("x", Scope::Layer, "", "")
    }

    /// Migrations that changed these values from one to another.
    fn undo(steps: &[(&str, Option<&str>, Option<&str>)], quota: u64) -> Undo {
        let mut undo = Undo::default();
        for (key, before, after) in steps {
            let (before, after) = (before.map(str::to_owned), after.map(str::to_owned));
            undo.wrote(place(), (*key).to_owned(), before, after, quota);
        }
        undo
    }

    /// A state of these values.
    async fn state(values: &[(&str, &str)]) -> Result<MemoryState, Error> {
        let state = MemoryState::default();
        for (key, value) in values {
            state.set(place(), (*key).to_owned(), (*value).to_owned(), u64::MAX).await?;
        }
        Ok(state)
    }

    async fn value(state: &MemoryState, key: &str) -> Result<Option<String>, Error> {
        state.get(place(), key.to_owned()).await
    }

    #[tokio::test]
    async fn what_was_changed_since_is_left() -> Result<(), Error> {
        let state = state(&[("a", "2"), ("b", "reply"), ("d", "reply")]).await?;
        let undo = undo(
            &[
                ("a", Some("1"), Some("2")),
                ("b", Some("1"), Some("2")),
                ("c", Some("1"), None),
                ("d", Some("1"), None),
            ],
            u64::MAX,
        );
        undo.apply(&state).await;
        assert_eq!(value(&state, "a").await?.as_deref(), Some("1"));
        assert_eq!(value(&state, "b").await?.as_deref(), Some("reply"));
        assert_eq!(value(&state, "c").await?.as_deref(), Some("1"));
        assert_eq!(value(&state, "d").await?.as_deref(), Some("reply"));
        Ok(())
    }

    #[tokio::test]
    async fn what_has_no_room_is_left_and_what_makes_room_comes_first() -> Result<(), Error> {
        let quota = 2 * (ENTRY_BYTES + 2);
        let state = state(&[("r", "2"), ("z", "2")]).await?;
        let undo = undo(&[("a", Some("1"), None), ("b", Some("1"), None), ("z", None, Some("2"))], quota);
        undo.apply(&state).await;
        assert_eq!(value(&state, "z").await?, None);
        assert_eq!(value(&state, "a").await?.as_deref(), Some("1"), "in the room of `z`");
        assert_eq!(value(&state, "b").await?, None, "a reply has taken its room");
        Ok(())
    }

    #[tokio::test]
    async fn two_migrations_are_taken_back_to_the_first_or_to_what_a_reply_wrote_between() -> Result<(), Error>
    {
        let state = state(&[("a", "3"), ("b", "3")]).await?;
        let first = undo(&[("a", Some("1"), Some("2")), ("b", Some("1"), Some("2"))], u64::MAX);
        let second = undo(&[("a", Some("2"), Some("3")), ("b", Some("reply"), Some("3"))], u64::MAX);
        first.then(second).apply(&state).await;
        assert_eq!(value(&state, "a").await?.as_deref(), Some("1"));
        assert_eq!(value(&state, "b").await?.as_deref(), Some("reply"));
        Ok(())
    }
}
