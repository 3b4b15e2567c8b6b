//! `state`: what a layer remembers, under its own name and in no other's.

use std::sync::Arc;

use crate::error::Error;
use crate::sandbox::bindings::cepa::middleware::{state as wit, types};
use crate::sandbox::resources::answer;
use crate::sandbox::store::GuestState;
use crate::services::{Scope, StatePlace, StateStore};

/// Bytes of a key.
const KEY_BYTES_MAX: usize = 512;
/// Bytes of a value.
const VALUE_BYTES_MAX: usize = 1 << 20;

impl GuestState {
    /// Where this layer's values of a scope are, if it may keep state and the key will do.
    fn place(&self, scope: wit::Scope, key: &str) -> Result<(Arc<dyn StateStore>, StatePlace), Error> {
        if !self.layer.spec.grants.state {
            return Err(self.denied("state", ""));
        }
        if key.len() > KEY_BYTES_MAX {
            return Err(Error::limit("state-key-bytes", KEY_BYTES_MAX, key.len()));
        }
        let scope = match scope {
            wit::Scope::Reply => Scope::Reply,
            wit::Scope::Session => Scope::Session,
            wit::Scope::Layer => Scope::Layer,
        };
        let layer = self.layer.spec.name.clone();
        let place = StatePlace::new(layer, scope, &self.context.session_id, &self.context.reply_id);
        Ok((self.context.services.state(), place))
    }
}

fn check_value(value: Option<&String>) -> Result<(), Error> {
    match value {
        Some(value) if value.len() > VALUE_BYTES_MAX => {
            Err(Error::limit("state-value-bytes", VALUE_BYTES_MAX, value.len()))
        }
        _ => Ok(()),
    }
}

/// Does one thing at a place, and gives its result.
macro_rules! at_place {
    ($this:ident, $scope:expr, $key:expr, |$store:ident, $place:ident| $work:expr) => {
        match $this.place($scope, &$key) {
            Ok(($store, $place)) => $this.budget.waiting($work).await,
            Err(error) => Err(error),
        }
    };
}

impl wit::Host for GuestState {
    async fn get(
        &mut self,
        scope: wit::Scope,
        key: String,
    ) -> wasmtime::Result<Result<Option<String>, types::Error>> {
        answer(at_place!(self, scope, key, |store, place| store.get(place, key)))
    }

    async fn set(
        &mut self,
        scope: wit::Scope,
        key: String,
        value: String,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        if let Err(error) = check_value(Some(&value)) {
            return answer(Err(error));
        }
        let (quota, bytes) = (self.layer.spec.limits.state, key.len() + value.len());
        let result = at_place!(self, scope, key, |store, place| store.set(place, key, value, quota));
        if result.is_ok() {
            self.budget.keep(bytes);
        }
        answer(result)
    }

    async fn delete(
        &mut self,
        scope: wit::Scope,
        key: String,
    ) -> wasmtime::Result<Result<bool, types::Error>> {
        answer(at_place!(self, scope, key, |store, place| store.delete(place, key)))
    }

    async fn keys(
        &mut self,
        scope: wit::Scope,
        prefix: String,
    ) -> wasmtime::Result<Result<Vec<String>, types::Error>> {
        answer(at_place!(self, scope, prefix, |store, place| store.keys(place, prefix)))
    }

    async fn compare_and_set(
        &mut self,
        scope: wit::Scope,
        key: String,
        expected: Option<String>,
        value: Option<String>,
    ) -> wasmtime::Result<Result<bool, types::Error>> {
        if let Err(error) = check_value(value.as_ref()) {
            return answer(Err(error));
        }
        let quota = self.layer.spec.limits.state;
        let bytes = value.as_ref().map(|value| key.len() + value.len());
        let swap = at_place!(self, scope, key, |store, place| store
            .compare_and_set(place, key, expected, value, quota));
        if let (Ok(true), Some(bytes)) = (&swap, bytes) {
            self.budget.keep(bytes);
        }
        answer(swap)
    }

    async fn increment(
        &mut self,
        scope: wit::Scope,
        key: String,
        delta: f64,
    ) -> wasmtime::Result<Result<f64, types::Error>> {
        let (quota, key_bytes) = (self.layer.spec.limits.state, key.len());
        let sum = at_place!(self, scope, key, |store, place| store.increment(place, key, delta, quota));
        if let Ok(sum) = &sum {
            self.budget.keep(key_bytes + sum.to_string().len());
        }
        answer(sum)
    }
}
