//! A store whose process dies, for tests of whatever must survive that.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::future::BoxFuture;

use crate::error::Error;
use crate::services::{StatePlace, StateStore};

use super::{Claim, SessionData, SessionStore, StoreError, Write};

/// Lets the first writes through to another store and then answers nothing but errors, as if the process had died there.
///
/// A batch is one write, and so is each change of state. To see what the next process finds, use the inner store.
pub struct FailingSessions {
    inner: Arc<dyn SessionStore>,
    life: Arc<Life>,
}

impl FailingSessions {
    /// Dies at the write after the first `allowed` ones.
    pub fn new(inner: Arc<dyn SessionStore>, allowed: u32) -> Self {
        Self { inner, life: Arc::new(Life { allowed, tried: AtomicU32::new(0) }) }
    }

    /// How many writes went through.
    pub fn written(&self) -> u32 {
        self.life.tried.load(Ordering::SeqCst).min(self.life.allowed)
    }

    /// Whether a write was refused: the process died.
    pub fn is_dead(&self) -> bool {
        self.life.is_dead()
    }
}

struct Life {
    allowed: u32,
    tried: AtomicU32,
}

const DEAD: &str = "the process has died";

impl Life {
    fn is_dead(&self) -> bool {
        self.tried.load(Ordering::SeqCst) > self.allowed
    }

    fn read(&self) -> Result<(), StoreError> {
        if self.is_dead() { Err(dead()) } else { Ok(()) }
    }

    fn write(&self) -> Result<(), StoreError> {
        if self.tried.fetch_add(1, Ordering::SeqCst) < self.allowed { Ok(()) } else { Err(dead()) }
    }
}

fn dead() -> StoreError {
    StoreError::Io { path: String::new(), cause: DEAD.to_owned() }
}

impl SessionStore for FailingSessions {
    fn load(&self, session_id: String) -> BoxFuture<'_, Result<SessionData, StoreError>> {
        Box::pin(async move {
            self.life.read()?;
            self.inner.load(session_id).await
        })
    }

    fn write(&self, session_id: String, batch: Vec<Write>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.life.write()?;
            self.inner.write(session_id, batch).await
        })
    }

    fn claim(&self, session_id: String) -> BoxFuture<'_, Result<Claim, StoreError>> {
        Box::pin(async move {
            self.life.read()?;
            self.inner.claim(session_id).await
        })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(async move {
            self.life.read()?;
            self.inner.list().await
        })
    }

    fn state(&self) -> Arc<dyn StateStore> {
        Arc::new(FailingState { inner: self.inner.state(), life: Arc::clone(&self.life) })
    }
}

struct FailingState {
    inner: Arc<dyn StateStore>,
    life: Arc<Life>,
}

impl StateStore for FailingState {
    fn get(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<Option<String>, Error>> {
        Box::pin(async move {
            self.life.read()?;
            self.inner.get(place, key).await
        })
    }

    fn set(
        &self,
        place: StatePlace,
        key: String,
        value: String,
        quota: u64,
    ) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move {
            self.life.write()?;
            self.inner.set(place, key, value, quota).await
        })
    }

    fn delete(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<bool, Error>> {
        Box::pin(async move {
            self.life.write()?;
            self.inner.delete(place, key).await
        })
    }

    fn keys(&self, place: StatePlace, prefix: String) -> BoxFuture<'_, Result<Vec<String>, Error>> {
        Box::pin(async move {
            self.life.read()?;
            self.inner.keys(place, prefix).await
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
            self.life.write()?;
            self.inner.compare_and_set(place, key, expected, value, quota).await
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
            self.life.write()?;
            self.inner.increment(place, key, delta, quota).await
        })
    }
}
