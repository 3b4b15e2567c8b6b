//! A chain and its entry: calls the layers of a hook around an endpoint.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::BoxFuture;

use crate::error::{Error, ErrorKind, Failure, Fault};
use crate::event::{Event, EventKinds};
use crate::request::{Draft, ToolRequest, ToolResponse, TurnSummary, Verdict};

use super::context::ReplyContext;
use super::filter::EventFilter;
use super::grace::unless_overdue;
use super::hook::{Hook, HookKind, forged_park};
use super::layer::{ChainEntry, HookFuture, Layer, OnFault};
use super::ledger::NoteKind;
use super::next::{Hop, Next};
use super::sink::Sink;

/// What the operator is told of a layer that an abort had to cut off.
const OVERDUE: &str = "the reply was aborted, and the layer did not come to its end";

/// What sits innermost: the model, the tool, the loop.
pub trait Endpoint<H: Hook>: Send + Sync + 'static {
    /// Answers a request. May be called several times, also after an earlier call failed.
    fn call(&self, request: H::Request, out: Sink) -> BoxFuture<'static, Result<H::Response, Error>>;
}

struct FnEndpoint<H, F>(F, PhantomData<fn() -> H>);

impl<H, F, R> Endpoint<H> for FnEndpoint<H, F>
where
    H: Hook,
    F: Fn(H::Request, Sink) -> R + Send + Sync + 'static,
    R: Future<Output = Result<H::Response, Error>> + Send + 'static,
{
    fn call(&self, request: H::Request, out: Sink) -> BoxFuture<'static, Result<H::Response, Error>> {
        Box::pin((self.0)(request, out))
    }
}

/// An endpoint of a function.
pub fn endpoint_fn<H, F, R>(function: F) -> Arc<dyn Endpoint<H>>
where
    H: Hook,
    F: Fn(H::Request, Sink) -> R + Send + Sync + 'static,
    R: Future<Output = Result<H::Response, Error>> + Send + 'static,
{
    Arc::new(FnEndpoint(function, PhantomData))
}

/// A layer of this reply in its place.
#[derive(Clone)]
pub(super) struct Slot {
    pub(super) name: Arc<str>,
    pub(super) layer: Arc<dyn Layer>,
    pub(super) on_fault: OnFault,
    pub(super) next_runs_max: u32,
}

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
        let mut slots = Vec::with_capacity(entries.len());
        let mut by_hook: [Vec<Slot>; HookKind::ALL.len()] = std::array::from_fn(|_| Vec::new());
        for entry in entries {
            let slot = Slot {
                name: entry.middleware.name().into(),
                layer: entry.middleware.open(&context),
                on_fault: entry.on_fault,
                next_runs_max: entry.next_runs_max,
            };
            for kind in entry.middleware.hooks().iter() {
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

    fn at(&self, kind: HookKind) -> &Arc<[Slot]> {
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
        let cancel = self.context.cancel.clone();
        let call = Arc::new(HookCall {
            slots: Arc::clone(self.at(H::KIND)),
            endpoint,
            context: Arc::clone(&self.context),
            parked: Mutex::new(None),
        });
        let inner = enter(Arc::clone(&call), 0, request, out);
        let result = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Error::aborted()),
            result = inner => result,
        };
        if cancel.is_cancelled() {
            return Err(Error::aborted());
        }
        if let Some(parked) = call.parked() {
            return Ok(parked);
        }
        match result {
            Ok(response) if H::is_parked(&response) => Err(forged_park(H::KIND)),
            result => result,
        }
    }

    /// Passes the assembled system prompt from layer to layer, in list order.
    ///
    /// # Errors
    /// The first layer's error.
    pub async fn system_prompt(&self, mut prompt: String) -> Result<String, Error> {
        for slot in self.at(HookKind::SystemPrompt).iter() {
            let before = prompt.clone();
            let start = self.context.world.monotonic();
            let result = Arc::clone(&slot.layer).on_system_prompt(prompt).await;
            let spent = self.context.world.monotonic().saturating_sub(start);
            self.context.ledger.count(&slot.name, HookKind::SystemPrompt, spent, |line| {
                line.changed_responses += u64::from(result.as_ref().is_ok_and(|after| *after != before));
                line.failures += u64::from(result.is_err());
            });
            prompt = self.settle(slot, HookKind::SystemPrompt, result, || before)?;
        }
        Ok(prompt)
    }

    /// Has each layer review the draft, in list order, until one does not accept it.
    ///
    /// # Errors
    /// The first layer's error: a draft that could not be reviewed does not go out.
    pub async fn review(&self, mut draft: Draft) -> Result<(Draft, Option<String>), Error> {
        for slot in self.at(HookKind::Draft).iter() {
            let start = self.context.world.monotonic();
            let result = Arc::clone(&slot.layer).on_draft(draft.clone()).await;
            let spent = self.context.world.monotonic().saturating_sub(start);
            self.context.ledger.count(&slot.name, HookKind::Draft, spent, |line| {
                line.changed_responses += u64::from(!matches!(result, Ok(Verdict::Accept) | Err(_)));
                line.failures += u64::from(result.is_err());
            });
            match self.settle(slot, HookKind::Draft, result, || Verdict::Accept)? {
                Verdict::Accept => {}
                Verdict::Replace(content) => draft.message.content = content,
                Verdict::Retry(feedback) => return Ok((draft, Some(feedback))),
            }
        }
        Ok((draft, None))
    }

    /// Tells every layer how the reply ended. What happens in one changes nothing for the others.
    pub async fn turn_end(&self, turn: &TurnSummary) {
        for slot in self.at(HookKind::TurnEnd).iter() {
            let start = self.context.world.monotonic();
            let call = Arc::clone(&slot.layer).on_turn_end(turn.clone());
            let result = unless_overdue(&self.context.cancel, call)
                .await
                .unwrap_or_else(|| Err(Error::new(ErrorKind::Aborted, OVERDUE).into()));
            let spent = self.context.world.monotonic().saturating_sub(start);
            self.context.ledger.count(&slot.name, HookKind::TurnEnd, spent, |line| {
                line.failures += u64::from(result.is_err());
            });
            if let Err(failure) = result {
                let cause = match failure {
                    Failure::Error(error) => error.message,
                    Failure::Fault(fault) => fault.cause,
                };
                self.context
                    .ledger
                    .note(&slot.name, NoteKind::Skipped { hook: HookKind::TurnEnd.name(), cause });
            }
        }
    }

    /// Runs a tool that the named layer contributed.
    ///
    /// # Errors
    /// The layer's error; `fault` when it broke a rule; `not-found` when the chain lacks it.
    pub async fn call_tool(
        &self,
        layer: &str,
        request: ToolRequest,
        out: Sink,
    ) -> Result<ToolResponse, Error> {
        let slot = self.at(HookKind::ToolSource).iter().find(|slot| &*slot.name == layer);
        let Some(slot) = slot else {
            return Err(Error::new(ErrorKind::NotFound, "the tool's owner is not in the chain"));
        };
        let start = self.context.world.monotonic();
        let result = Arc::clone(&slot.layer).call_tool(request, out).await;
        let spent = self.context.world.monotonic().saturating_sub(start);
        self.context.ledger.count(&slot.name, HookKind::ToolSource, spent, |line| {
            line.failures += u64::from(result.is_err());
        });
        result.map_err(|failure| self.fail(&slot.name, HookKind::ToolSource, failure))
    }

    /// The event filters, in list order, each with the kinds it asked for.
    ///
    /// # Errors
    /// The error of a layer that could not say its kinds and may not be skipped.
    pub(super) async fn filters(&self) -> Result<Vec<EventFilter>, Error> {
        let mut filters = Vec::new();
        for slot in self.at(HookKind::Events).iter() {
            let kinds = Arc::clone(&slot.layer).event_kinds().await;
            let kinds = self.settle(slot, HookKind::Events, kinds, || EventKinds::NONE)?;
            filters.push(EventFilter { slot: slot.clone(), kinds });
        }
        Ok(filters)
    }

    /// Passes a batch through one filter.
    ///
    /// # Errors
    /// The filter's error; `aborted` when the reply was, and the filter did not come to its end.
    pub(super) async fn filter(&self, filter: &EventFilter, events: Vec<Event>) -> Result<Vec<Event>, Error> {
        let spare = match filter.slot.on_fault {
            OnFault::Fail => None,
            OnFault::Skip => Some(events.clone()),
        };
        let start = self.context.world.monotonic();
        let call = Arc::clone(&filter.slot.layer).on_events(events);
        let result = unless_overdue(&self.context.cancel, call).await;
        let spent = self.context.world.monotonic().saturating_sub(start);
        self.context.ledger.count(&filter.slot.name, HookKind::Events, spent, |line| {
            line.failures += u64::from(!matches!(result, Some(Ok(_))));
        });
        let Some(result) = result else {
            // Whatever its policy: each further call would keep the person waiting again.
            let kind = NoteKind::Fault { hook: HookKind::Events.name(), cause: OVERDUE.to_owned() };
            self.context.ledger.note(&filter.slot.name, kind);
            return Err(Error::aborted());
        };
        self.settle(&filter.slot, HookKind::Events, result, || spare.unwrap_or_default())
    }

    /// The value of a transformer, or what stands for it when the layer broke a rule and may be skipped.
    fn settle<T>(
        &self,
        slot: &Slot,
        kind: HookKind,
        result: Result<T, Failure>,
        skipped: impl FnOnce() -> T,
    ) -> Result<T, Error> {
        match result {
            Ok(value) => Ok(value),
            Err(Failure::Fault(fault)) if slot.on_fault == OnFault::Skip => {
                let kind = NoteKind::Skipped { hook: kind.name(), cause: fault.cause };
                self.context.ledger.note(&slot.name, kind);
                Ok(skipped())
            }
            Err(failure) => Err(self.fail(&slot.name, kind, failure)),
        }
    }

    fn fail(&self, layer: &str, kind: HookKind, failure: Failure) -> Error {
        fail(&self.context, layer, kind, failure)
    }
}

/// The error that outer layers see. A fault's cause goes to the ledger alone.
fn fail(context: &ReplyContext, layer: &str, kind: HookKind, failure: Failure) -> Error {
    match failure {
        Failure::Error(error) => error,
        Failure::Fault(Fault { cause, .. }) => {
            context.ledger.note(layer, NoteKind::Fault { hook: kind.name(), cause });
            Error::new(ErrorKind::Fault, format!("an inner layer failed in hook `{}`", kind.name()))
        }
    }
}

impl<H: Hook> HookCall<H> {
    /// The parked answer, if there is one.
    pub(super) fn parked(&self) -> Option<H::Response> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Enters the chain at a place: the layer there, or the endpoint behind the last.
pub(super) fn enter<H: Hook>(
    call: Arc<HookCall<H>>,
    place: usize,
    request: H::Request,
    out: Sink,
) -> BoxFuture<'static, Result<H::Response, Error>> {
    if place < call.slots.len() {
        return Box::pin(enter_layer(call, place, request, out));
    }
    Box::pin(async move {
        let response = call.endpoint.call(request, out).await?;
        if H::is_parked(&response) {
            *call.parked.lock().unwrap_or_else(PoisonError::into_inner) = Some(response.clone());
        }
        Ok(response)
    })
}

async fn enter_layer<H: Hook>(
    call: Arc<HookCall<H>>,
    place: usize,
    request: H::Request,
    out: Sink,
) -> Result<H::Response, Error> {
    let slot = &call.slots[place];
    let keeps = call.context.ledger.keeps();
    let hop = Arc::new(Hop::new(slot.on_fault == OnFault::Skip || keeps, &request));
    let next = Next::new(Arc::clone(&call), place + 1, out.clone(), Arc::clone(&hop), slot.next_runs_max);
    let spare = (slot.on_fault == OnFault::Skip).then(|| (request.clone(), out.clone()));
    let start = if keeps { call.context.world.monotonic() } else { std::time::Duration::ZERO };
    let result = layer_future::<H>(slot, request, next, out).await;
    if keeps {
        let spent = call.context.world.monotonic().saturating_sub(start);
        call.context.ledger.count(&slot.name, H::KIND, spent, |line| hop.report(line, &result));
    }
    match (result, spare) {
        (Ok(response), _) => Ok(response),
        (Err(Failure::Fault(fault)), Some((request, out))) => {
            let kind = NoteKind::Skipped { hook: H::KIND.name(), cause: fault.cause };
            call.context.ledger.note(&slot.name, kind);
            match hop.last() {
                Some(result) => result,
                None => enter(Arc::clone(&call), place + 1, request, out).await,
            }
        }
        (Err(failure), _) => Err(fail(&call.context, &slot.name, H::KIND, failure)),
    }
}

fn layer_future<H: Hook>(
    slot: &Slot,
    request: H::Request,
    next: Next<H>,
    out: Sink,
) -> HookFuture<H::Response> {
    H::call(Arc::clone(&slot.layer), request, next, out)
}
