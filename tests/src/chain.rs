//! A chain of components around a scripted endpoint, and everything that happened in it.

use std::sync::{Arc, OnceLock};

use cepa::chain::{Chain, ChainEntry, Endpoint, Hook, Ledger, Note, OnFault, ReplyContext, Sink};
use cepa::error::Error;
use cepa::event::Event;
use cepa::policy::{Grants, LayerSource, LayerSpec, Limits};
use cepa::sandbox::{CompiledCache, Component, Sandbox};
use cepa::services::{NoServices, Services};
use cepa::world::TestWorld;
use serde_json::Value;

use crate::in_time;

/// The sandbox that all tests of one process share. What it compiles is kept for the other tests.
///
/// # Panics
/// When the sandbox can't be set up.
pub fn sandbox() -> &'static Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    SANDBOX.get_or_init(|| {
        let cache = CompiledCache::open(concat!(env!("OUT_DIR"), "/compiled"));
        Sandbox::new(cache.ok()).expect("the sandbox can be set up")
    })
}

/// A layer as a test describes it.
#[derive(Clone, Debug)]
pub struct LayerPlan {
    /// What the manifest would say of it.
    pub spec: LayerSpec,
}

impl LayerPlan {
    /// A layer with no grants and the default limits.
    pub fn new(name: &str) -> Self {
        Self { spec: LayerSpec::new(name, LayerSource::Bundled(name.to_owned())) }
    }

    /// The same with this configuration.
    #[must_use]
    pub fn config(mut self, config: Value) -> Self {
        self.spec.config = config;
        self
    }

    /// The same with these grants.
    #[must_use]
    pub fn grants(mut self, grants: Grants) -> Self {
        self.spec.grants = grants;
        self
    }

    /// The same with other limits.
    #[must_use]
    pub fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.spec.limits);
        self
    }

    /// The same with another policy.
    #[must_use]
    pub fn on_fault(mut self, on_fault: OnFault) -> Self {
        self.spec.on_fault = on_fault;
        self
    }

    /// The same, taken out after so many faults in a row.
    #[must_use]
    pub fn max_faults(mut self, max_faults: u32) -> Self {
        self.spec.max_faults = max_faults;
        self
    }

    /// The entry of this layer in a chain.
    ///
    /// # Panics
    /// When the configuration does not fit the component.
    pub fn entry(self, component: &Component) -> ChainEntry {
        self.entry_in(sandbox(), component)
    }

    /// The same in another sandbox.
    ///
    /// # Panics
    /// When the configuration does not fit the component.
    pub fn entry_in(self, sandbox: &Sandbox, component: &Component) -> ChainEntry {
        let middleware = sandbox.middleware(self.spec.clone(), component).expect("the configuration fits");
        self.spec.entry(middleware)
    }
}

/// Loads a component for a test.
///
/// # Panics
/// When it can't be loaded.
pub async fn load(name: &str, bytes: &[u8]) -> Component {
    sandbox().load(name, bytes).await.unwrap_or_else(|error| panic!("{error}"))
}

/// What happened in one call of one hook.
#[derive(Debug)]
pub struct Happened<T> {
    /// What the outermost layer answered.
    pub result: Result<T, Error>,
    /// What came out of the outermost layer, in order.
    pub events: Vec<Event>,
    /// What the layers did besides.
    pub notes: Vec<Note>,
}

/// The context of one reply for a test: fixed ids, fixed time and chance.
pub fn context(services: Arc<dyn Services>) -> Arc<ReplyContext> {
    ReplyContext::builder("session-1", "reply-1")
        .agent_name("tester")
        .services(services)
        .world(Arc::new(TestWorld::new(7)))
        .ledger(Arc::new(Ledger::keeping()))
        .build()
}

/// Calls a hook of these layers around an endpoint, and tells what happened.
pub async fn call<H: Hook>(
    entries: &[ChainEntry],
    request: H::Request,
    endpoint: Arc<dyn Endpoint<H>>,
) -> Happened<H::Response> {
    let chain = Chain::open(entries, context(Arc::new(NoServices)));
    call_in(&chain, request, endpoint).await
}

/// The same in a chain that is open already.
pub async fn call_in<H: Hook>(
    chain: &Chain,
    request: H::Request,
    endpoint: Arc<dyn Endpoint<H>>,
) -> Happened<H::Response> {
    let (out, mut stream) = Sink::stream();
    let reading = async {
        let mut events = Vec::new();
        while let Some(event) = stream.next().await {
            events.push(event);
        }
        events
    };
    let both = async { tokio::join!(chain.call(request, endpoint, out), reading) };
    let (result, events) = in_time(both).await;
    let notes = chain.context().ledger.take_notes();
    Happened { result, events, notes }
}
