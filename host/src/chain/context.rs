//! What all layers of one reply share.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio_util::sync::CancellationToken;

use crate::services::{NoServices, Services};
use crate::world::{RealWorld, World};

use super::ledger::Ledger;

/// One reply, as its layers see it.
pub struct ReplyContext {
    /// The session.
    pub session_id: String,
    /// The reply; the same again when a parked reply is resumed.
    pub reply_id: String,
    /// The agent's name in the manifest.
    pub agent_name: String,
    /// Whom the agent acts for.
    pub actor: Option<String>,
    /// Cancelled when the reply is aborted.
    pub cancel: CancellationToken,
    /// What the agent does for its layers.
    pub services: Arc<dyn Services>,
    /// Time and chance.
    pub world: Arc<dyn World>,
    /// What each layer did.
    pub ledger: Arc<Ledger>,
    step: AtomicU32,
}

impl ReplyContext {
    /// A context with defaults: no services, the real world, a ledger that keeps notes alone.
    pub fn builder(session_id: impl Into<String>, reply_id: impl Into<String>) -> ReplyContextBuilder {
        ReplyContextBuilder(Self {
            session_id: session_id.into(),
            reply_id: reply_id.into(),
            agent_name: String::new(),
            actor: None,
            cancel: CancellationToken::new(),
            services: Arc::new(NoServices),
            world: Arc::new(RealWorld::default()),
            ledger: Arc::default(),
            step: AtomicU32::new(0),
        })
    }

    /// The running step, from 1; 0 outside a step.
    pub fn step(&self) -> u32 {
        self.step.load(Ordering::Relaxed)
    }

    /// Says which step runs.
    pub fn set_step(&self, step: u32) {
        self.step.store(step, Ordering::Relaxed);
    }
}

impl fmt::Debug for ReplyContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyContext")
            .field("session_id", &self.session_id)
            .field("reply_id", &self.reply_id)
            .field("step", &self.step())
            .finish_non_exhaustive()
    }
}

/// Builds a [`ReplyContext`].
#[derive(Debug)]
pub struct ReplyContextBuilder(ReplyContext);

impl ReplyContextBuilder {
    /// The agent's name in the manifest.
    #[must_use]
    pub fn agent_name(mut self, name: impl Into<String>) -> Self {
        self.0.agent_name = name.into();
        self
    }

    /// Whom the agent acts for.
    #[must_use]
    pub fn actor(mut self, actor: Option<String>) -> Self {
        self.0.actor = actor;
        self
    }

    /// The token that aborts the reply when it is cancelled.
    #[must_use]
    pub fn cancel(mut self, cancel: CancellationToken) -> Self {
        self.0.cancel = cancel;
        self
    }

    /// What the agent does for its layers; by default there are no models, tools or messages.
    #[must_use]
    pub fn services(mut self, services: Arc<dyn Services>) -> Self {
        self.0.services = services;
        self
    }

    /// Where time and chance come from; by default the machine.
    #[must_use]
    pub fn world(mut self, world: Arc<dyn World>) -> Self {
        self.0.world = world;
        self
    }

    /// Where what each layer did is written down; by default one that keeps notes alone.
    #[must_use]
    pub fn ledger(mut self, ledger: Arc<Ledger>) -> Self {
        self.0.ledger = ledger;
        self
    }

    /// The context, for all layers of the reply.
    pub fn build(self) -> Arc<ReplyContext> {
        Arc::new(self.0)
    }
}
