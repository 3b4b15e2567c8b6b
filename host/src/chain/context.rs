//! What all layers of one reply share.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio_util::sync::CancellationToken;

use crate::services::{NoServices, Services};
use crate::telemetry::{Count, Source, Span, TelemetrySink};
use crate::world::{RealWorld, World};

use super::hook::HookKind;
use super::ledger::{Ledger, NoteKind};

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
    /// Who takes what layers measure, besides the ledger.
    pub telemetry: Option<Arc<dyn TelemetrySink>>,
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
            telemetry: None,
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

    /// Who measures in a hook of a layer, and where.
    pub(crate) fn source(&self, layer: &str, hook: HookKind) -> Source {
        Source {
            layer: layer.to_owned(),
            agent: self.agent_name.clone(),
            session_id: self.session_id.clone(),
            reply_id: self.reply_id.clone(),
            hook: hook.name(),
            step: self.step(),
        }
    }

    /// Tells the operator of a span.
    pub(crate) fn tell_span(&self, source: Source, span: Span) {
        if let Some(sink) = &self.telemetry {
            sink.span(&source, &span);
        }
        let (layer, source, span) = (source.layer.clone(), Box::new(source), Box::new(span));
        self.ledger.note(&layer, NoteKind::Span { source, span });
    }

    /// Tells the operator of a count.
    pub(crate) fn tell_count(&self, source: Source, count: Count) {
        if let Some(sink) = &self.telemetry {
            sink.count(&source, &count);
        }
        let (layer, source, count) = (source.layer.clone(), Box::new(source), Box::new(count));
        self.ledger.note(&layer, NoteKind::Count { source, count });
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

    /// Tells this one what layers measure.
    #[must_use]
    pub fn telemetry(mut self, sink: Option<Arc<dyn TelemetrySink>>) -> Self {
        self.0.telemetry = sink;
        self
    }

    /// The context, for all layers of the reply.
    pub fn build(self) -> Arc<ReplyContext> {
        Arc::new(self.0)
    }
}
