//! A chain and its entry: calls the layers of an onion hook around an endpoint.

use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::Mutex;

use crate::error::{Error, ErrorKind, Failure};

use super::branch::Branch;
use super::context::ReplyContext;
use super::endpoint::Endpoint;
use super::hook::{Held, Hook, HookKind};
use super::layer::ChainEntry;
use super::ledger::NoteKind;
use super::next::{Hop, Next, withdraw};
use super::sink::Sink;
use super::slot::{Slot, in_own_words};
use super::watch::{Ending, Watcher};

/// The layers of one reply, outermost first, sorted out by hook.
#[derive(Clone)]
pub struct Chain {
    context: Arc<ReplyContext>,
    slots: Vec<Slot>,
    by_hook: [Arc<[Slot]>; HookKind::ALL.len()],
}

impl std::fmt::Debug for Chain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.slots.iter().map(|slot| &slot.name)).finish()
    }
}

/// What is told of a run that ended with the layer around it.
const CUT_OFF: &str =
    "what ran inside was cut off when a layer around it broke a rule; it may or may not have taken effect";

/// One call of one hook through the whole chain.
pub(super) struct HookCall<H: Hook> {
    pub(super) slots: Arc<[Slot]>,
    pub(super) endpoint: Arc<dyn Endpoint<H>>,
    pub(super) context: Arc<ReplyContext>,
    /// The parked answer, once the endpoint has given one: from then on it is the only answer.
    pub(super) parked: Mutex<Option<H::Response>>,
}

impl Chain {
    /// Opens the layers of these entries for one reply.
    pub fn open(entries: &[ChainEntry], context: Arc<ReplyContext>) -> Self {
        Self::watched(entries.iter().map(|entry| (entry, None)), context)
    }

    /// The same, with those who are told how the calls of a layer end.
    pub(crate) fn watched<'a>(
        entries: impl IntoIterator<Item = (&'a ChainEntry, Option<Arc<dyn Watcher>>)>,
        context: Arc<ReplyContext>,
    ) -> Self {
        let mut slots = Vec::new();
        let mut by_hook: [Vec<Slot>; HookKind::ALL.len()] = std::array::from_fn(|_| Vec::new());
        for (entry, watcher) in entries {
            let slot = Slot::open(entry, watcher, &context);
            for kind in entry.middleware.hooks().iter().filter(|kind| slot.stands_at(*kind)) {
                if let Some(list) = by_hook.get_mut(kind as usize) {
                    list.push(slot.clone());
                }
            }
            slots.push(slot);
        }
        Self { context, slots, by_hook: by_hook.map(Arc::from) }
    }

    /// What the layers share.
    pub fn context(&self) -> &Arc<ReplyContext> {
        &self.context
    }

    pub(super) fn at(&self, kind: HookKind) -> &Arc<[Slot]> {
        // `HookKind::ALL` lists every kind in the order of its number.
        &self.by_hook[kind as usize]
    }

    /// Whether any layer implements this hook.
    pub fn has(&self, kind: HookKind) -> bool {
        !self.at(kind).is_empty()
    }

    /// Calls an onion hook: every layer that implements it, outermost first, around the endpoint.
    ///
    /// # Errors
    /// What the outermost layer answers; `aborted` whatever it answers, once the reply is aborted.
    pub async fn call<H: Hook>(
        &self,
        request: H::Request,
        endpoint: Arc<dyn Endpoint<H>>,
        out: Sink,
    ) -> Result<H::Response, Error> {
        self.call_through(Arc::clone(self.at(H::KIND)), request, endpoint, out).await
    }

    /// The same for what a layer does itself: only those inside it are called, so that none stands around its own call.
    ///
    /// # Errors
    /// As for [`Chain::call`].
    pub(crate) async fn call_inside<H: Hook>(
        &self,
        layer: &str,
        request: H::Request,
        endpoint: Arc<dyn Endpoint<H>>,
    ) -> Result<H::Response, Error> {
        let inside: Vec<&str> =
            self.slots.iter().map(|slot| &*slot.name).skip_while(|name| *name != layer).skip(1).collect();
        let slots = self.at(H::KIND).iter().filter(|slot| inside.contains(&&*slot.name)).cloned().collect();
        self.call_through(slots, request, endpoint, Sink::discard()).await
    }

    async fn call_through<H: Hook>(
        &self,
        slots: Arc<[Slot]>,
        request: H::Request,
        endpoint: Arc<dyn Endpoint<H>>,
        out: Sink,
    ) -> Result<H::Response, Error> {
        let (cancel, out) = (self.context.cancel.clone(), out.for_call());
        let call = Arc::new(HookCall {
            slots,
            endpoint,
            context: Arc::clone(&self.context),
            parked: Mutex::new(None),
        });
        let branch = Branch::default();
        let inner = branch.clone().run(enter(Arc::clone(&call), 0, branch, request, out));
        let result = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Error::aborted()),
            result = inner => result,
        };
        if cancel.is_cancelled() {
            return Err(Error::aborted());
        }
        match call.parked() {
            Some(parked) => Ok(parked),
            None => result,
        }
    }
}

impl<H: Hook> HookCall<H> {
    /// The parked answer, if there is one.
    pub(super) fn parked(&self) -> Option<H::Response> {
        self.parked.lock().clone()
    }
}

/// Enters the chain at a place: the layer there, or the endpoint behind the last.
pub(super) fn enter<H: Hook>(
    call: Arc<HookCall<H>>,
    place: usize,
    branch: Branch,
    request: H::Request,
    out: Sink,
) -> BoxFuture<'static, Result<H::Response, Error>> {
    if place < call.slots.len() {
        return Box::pin(enter_layer(call, place, branch, request, out));
    }
    Box::pin(async move {
        let response = call.endpoint.call(request, out).await?;
        if H::is_parked(&response) {
            *call.parked.lock() = Some(response.clone());
        }
        Ok(response)
    })
}

async fn enter_layer<H: Hook>(
    call: Arc<HookCall<H>>,
    place: usize,
    branch: Branch,
    request: H::Request,
    out: Sink,
) -> Result<H::Response, Error> {
    let slot = &call.slots[place];
    let keeps = call.context.ledger.keeps();
    let skips = slot.on_fault.skips(H::KIND);
    let hop = Arc::new(Hop::new(skips || keeps || (H::GRANTED && !slot.permits), &request));
    let spare = skips.then(|| (request.clone(), out.mark()));
    let start = if keeps { call.context.world.monotonic() } else { std::time::Duration::ZERO };
    let result = call_layer(&call, place, &hop, branch.clone(), request, &out).await;
    if keeps {
        let spent = call.context.world.monotonic().saturating_sub(start);
        call.context.ledger.count(&slot.name, H::KIND, spent, |line| hop.report(line, &result));
    }
    slot.tell(&call.context, H::KIND, Ending::of(&result));
    match (result, spare) {
        (Ok(response), _) => {
            slot.health.sound(H::KIND);
            Ok(response)
        }
        (Err(Failure::Fault(fault)), Some((request, mark))) => {
            slot.skipped(&call.context, H::KIND, fault.cause);
            if let Some(result) = hop.last() {
                return result;
            }
            if H::ACTS && hop.was_cut_off() {
                return Err(Error::new(ErrorKind::Fault, CUT_OFF));
            }
            // It may have begun what it did not finish.
            withdraw::<H>(&out, mark, &request).await?;
            enter(Arc::clone(&call), place + 1, branch, request, out).await
        }
        (Err(failure), _) => Err(slot.fail(&call.context, H::KIND, failure)),
    }
}

/// What the layer at a place answers.
async fn call_layer<H: Hook>(
    call: &Arc<HookCall<H>>,
    place: usize,
    hop: &Arc<Hop<H>>,
    branch: Branch,
    request: H::Request,
    out: &Sink,
) -> Result<H::Response, Failure> {
    let slot = &call.slots[place];
    let (own_out, author) = out.for_layer();
    let runs_max = slot.next_runs_max;
    let next = Next::new(Arc::clone(call), place + 1, branch, out.clone(), author, Arc::clone(hop), runs_max);
    let result = H::call(Arc::clone(&slot.layer), request, next, own_out).await;
    // A run that the layer left open does not go on beside what comes now.
    hop.end_open().await;
    if matches!(&result, Ok(response) if H::is_parked(response)) && call.parked().is_none() {
        return Err(slot.bad_output(H::KIND, "it answered `parked`, and only what is inside it can park"));
    }
    if let Ok(response) = &result
        && !slot.permits
        && let Some(held) = hop.held(response)
    {
        let Held { result, capability, object } = held;
        call.context.ledger.note(&slot.name, NoteKind::Denied { capability, object });
        return Ok(result?);
    }
    let is_aborted = || call.context.cancel.is_cancelled() || out.is_closed();
    result.map_err(|failure| {
        in_own_words(failure, |kind| hop.saw(kind) || (kind == ErrorKind::Aborted && is_aborted()))
    })
}
