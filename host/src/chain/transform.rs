//! The hooks that are no onion: each layer in turn transforms, reviews or observes.

use std::future::Future;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Failure};
use crate::event::{Event, EventKinds};
use crate::message::{Block, ToolState};
use crate::request::{Draft, ToolRequest, ToolResponse, TurnSummary, Verdict};

use super::call::Chain;
use super::filter::EventFilter;
use super::grace::unless_overdue;
use super::hook::HookKind;
use super::layer::Layer;
use super::ledger::NoteKind;
use super::sink::Sink;
use super::slot::{Slot, in_own_words};
use super::watch::Ending;

/// What the operator is told of a layer that an abort had to cut off.
const OVERDUE: &str = "the reply was aborted, and the layer did not come to its end";

impl Chain {
    /// Passes the assembled system prompt from layer to layer, in list order.
    ///
    /// # Errors
    /// The first layer's error.
    pub async fn system_prompt(&self, mut prompt: String) -> Result<String, Error> {
        for slot in self.at(HookKind::SystemPrompt).iter() {
            let before = prompt.clone();
            let call = |layer: Arc<dyn Layer>| layer.on_system_prompt(prompt);
            let result = self.counted(slot, HookKind::SystemPrompt, call, |after| *after != before).await;
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
            let call = |layer: Arc<dyn Layer>| async {
                let verdict = layer.on_draft(draft.clone()).await?;
                match &verdict {
                    Verdict::Replace(content) if !content.iter().all(is_said) => {
                        Err(slot.bad_output(HookKind::Draft, "a final answer holds no tool calls or results"))
                    }
                    _ => Ok(verdict),
                }
            };
            let result =
                self.counted(slot, HookKind::Draft, call, |verdict| *verdict != Verdict::Accept).await;
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
            let call = |layer: Arc<dyn Layer>| async {
                let call = layer.on_turn_end(turn.clone());
                let overdue = || Err(Error::new(ErrorKind::Aborted, OVERDUE).into());
                unless_overdue(&self.context().cancel, call).await.unwrap_or_else(overdue)
            };
            match self.counted(slot, HookKind::TurnEnd, call, |()| false).await {
                Ok(()) => {}
                // Nobody is there to take the error.
                Err(Failure::Error(error)) => {
                    slot.answered(HookKind::TurnEnd, &error);
                    let kind = NoteKind::Skipped { hook: HookKind::TurnEnd.name(), cause: error.message };
                    self.context().ledger.note(&slot.name, kind);
                }
                Err(Failure::Fault(fault)) => slot.skipped(self.context(), HookKind::TurnEnd, fault.cause),
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
        let call = |layer: Arc<dyn Layer>| async {
            let response = layer.call_tool(request, out).await?;
            if response.state == ToolState::Parked {
                let text = "a middleware's tool can't park; only tools that run outside can";
                return Err(slot.bad_output(HookKind::ToolSource, text));
            }
            Ok(response)
        };
        let result = self.counted(slot, HookKind::ToolSource, call, |_| false).await;
        result.map_err(|failure| slot.fail(self.context(), HookKind::ToolSource, failure))
    }

    /// The event filters, in list order, each with the kinds it asked for.
    ///
    /// # Errors
    /// The error of a layer that could not say its kinds and may not be skipped.
    pub(super) async fn filters(&self) -> Result<Vec<EventFilter>, Error> {
        let mut filters = Vec::new();
        for slot in self.at(HookKind::Events).iter() {
            let kinds = self.own(Arc::clone(&slot.layer).event_kinds().await);
            // Its answer says nothing of the filter yet; its fault does.
            if let fault @ Ending::Faulted(_) = Ending::of(&kinds) {
                slot.tell(self.context(), HookKind::Events, fault);
            }
            let kinds = self.settle(slot, HookKind::Events, kinds, || EventKinds::NONE)?;
            filters.push(EventFilter::new(slot.clone(), kinds));
        }
        Ok(filters)
    }

    /// Passes a batch through one filter.
    ///
    /// # Errors
    /// The filter's error; `aborted` when the reply was, and the filter did not come to its end.
    pub(super) async fn filter(&self, filter: &EventFilter, events: Vec<Event>) -> Result<Vec<Event>, Error> {
        let slot = &filter.slot;
        let spare = slot.on_fault.skips(HookKind::Events).then(|| events.clone());
        filter.give(&events);
        let call = |layer: Arc<dyn Layer>| async {
            let call = layer.on_events(events);
            let after = unless_overdue(&self.context().cancel, call).await.unwrap_or_else(|| {
                // Whatever its policy: each further call would keep the person waiting again.
                let kind = NoteKind::Fault { hook: HookKind::Events.name(), cause: OVERDUE.to_owned() };
                self.context().ledger.note(&slot.name, kind);
                Err(Error::aborted().into())
            })?;
            filter.own(after).map_err(|error| slot.bad_output(HookKind::Events, error))
        };
        let result = self.counted(slot, HookKind::Events, call, |_| false).await;
        self.settle(slot, HookKind::Events, result, || filter.unfiltered(spare.unwrap_or_default()))
    }

    /// Waits for a layer, and counts its call: its time, whether it failed, and whether `changed` says so of its value.
    async fn counted<T, R>(
        &self,
        slot: &Slot,
        kind: HookKind,
        call: impl FnOnce(Arc<dyn Layer>) -> R,
        changed: impl FnOnce(&T) -> bool,
    ) -> Result<T, Failure>
    where
        R: Future<Output = Result<T, Failure>>,
    {
        let context = self.context();
        let start = context.world.monotonic();
        let result = call(Arc::clone(&slot.layer)).await;
        let result = self.own(result);
        let spent = context.world.monotonic().saturating_sub(start);
        context.ledger.count(&slot.name, kind, spent, |line| {
            line.changed_responses += u64::from(result.as_ref().is_ok_and(changed));
            line.failures += u64::from(result.is_err());
        });
        if result.is_ok() {
            slot.health.sound(kind);
        }
        slot.tell(context, kind, Ending::of(&result));
        result
    }

    /// The value of a transformer, or what stands for it when the layer broke a rule and may be skipped.
    fn settle<T>(
        &self,
        slot: &Slot,
        kind: HookKind,
        result: Result<T, Failure>,
        spare: impl FnOnce() -> T,
    ) -> Result<T, Error> {
        match result {
            Ok(value) => Ok(value),
            Err(Failure::Fault(fault)) if slot.on_fault.skips(kind) => {
                slot.skipped(self.context(), kind, fault.cause);
                Ok(spare())
            }
            Err(failure) => Err(slot.fail(self.context(), kind, failure)),
        }
    }

    /// What a layer answers, without what only the host says.
    fn own<T>(&self, result: Result<T, Failure>) -> Result<T, Failure> {
        result.map_err(|failure| in_own_words(failure, |kind| self.is_told(kind)))
    }

    /// What the host tells a layer that has nothing inside it.
    fn is_told(&self, kind: ErrorKind) -> bool {
        kind == ErrorKind::Aborted && self.context().cancel.is_cancelled()
    }
}

/// Whether a block is what a final answer is made of.
fn is_said(block: &Block) -> bool {
    !matches!(block, Block::ToolCall(_) | Block::ToolResult(_))
}
