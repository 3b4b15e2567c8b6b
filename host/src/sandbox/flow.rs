//! The handles of one hook call: `next`, its runs, and the sink. Void once the call has returned.

use std::sync::Arc;

use parking_lot::Mutex;
use wasmtime::component::Resource;

use crate::chain::{
    Acting, CheckPermission, CompressContext, Hook, ModelCall, Next, Reasoning, Reply, Run, Sink,
};
use crate::error::Error;
use crate::event::Event;
use crate::request::{
    CompressRequest, CompressResponse, ModelRequest, ModelResponse, PermissionRequest, ReasoningRequest,
    ReasoningResponse, ReplyRequest, ReplyResponse, ToolRequest, ToolResponse,
};

use super::bindings::cepa::middleware::{events as wit_events, flow as wit, requests as wit_requests, types};
use super::convert::{
    error_to_guest, event_from_guest, event_to_guest, kinds_from_guest, permission_to_guest,
};
use super::store::GuestState;

/// The runs that a layer has started during one hook call, to end those it forgot.
type Started = Arc<Mutex<Vec<u32>>>;

/// A guest's way inward.
pub struct NextHandle<H: Hook> {
    next: Option<Next<H>>,
    started: Started,
}

/// A guest's started run.
pub struct RunHandle<H: Hook>(RunState<H>);

enum RunState<H: Hook> {
    Running(Run<H>),
    Refused(Option<Error>),
    Void,
}

/// A guest's way outward.
pub struct SinkHandle {
    sink: Option<Sink>,
}

fn void() -> types::Error {
    error_to_guest(Error::invalid("this handle belongs to a hook call that has returned"))
}

/// The flow handles that a guest holds during one hook call, as the host remembers them.
pub(super) struct CallHandles<H: Hook> {
    next: Option<(Resource<NextHandle<H>>, Started)>,
    sink: Option<Resource<SinkHandle>>,
}

impl<H: Hook> CallHandles<H> {
    pub(super) fn new() -> Self {
        Self { next: None, sink: None }
    }

    /// Gives the guest a way inward.
    pub(super) fn give_next(
        &mut self,
        state: &mut GuestState,
        next: Next<H>,
    ) -> wasmtime::Result<Resource<NextHandle<H>>> {
        let started = Started::default();
        let next = state.give(NextHandle { next: Some(next), started: Arc::clone(&started) })?;
        self.next = Some((Resource::new_borrow(next.rep()), started));
        Ok(next)
    }

    /// Gives the guest a way outward.
    pub(super) fn give_sink(
        &mut self,
        state: &mut GuestState,
        out: Sink,
    ) -> wasmtime::Result<Resource<SinkHandle>> {
        let sink = state.give(SinkHandle { sink: Some(out) })?;
        self.sink = Some(Resource::new_borrow(sink.rep()));
        Ok(sink)
    }

    /// Makes all of them void. The guest may have dropped any: then there is nothing to close.
    pub(super) fn close(self, state: &mut GuestState) {
        if let Some((next, started)) = self.next {
            if let Ok(handle) = state.table.get_mut(&next) {
                handle.next = None;
            }
            for rep in started.lock().drain(..) {
                if let Ok(run) = state.table.get_mut(&Resource::<RunHandle<H>>::new_borrow(rep)) {
                    run.0 = RunState::Void;
                }
            }
        }
        if let Some(sink) = self.sink
            && let Ok(handle) = state.table.get_mut(&sink)
        {
            handle.sink = None;
        }
    }
}

impl GuestState {
    async fn run_next<H: Hook>(
        &mut self,
        next: &Resource<NextHandle<H>>,
        request: H::Request,
    ) -> wasmtime::Result<Result<H::Response, types::Error>> {
        let Some(next) = self.table.get_mut(next)?.next.as_mut() else { return Ok(Err(void())) };
        let result = self.budget.outside(next.run(request)).await;
        Ok(result.map_err(error_to_guest))
    }

    async fn start_next<H: Hook>(
        &mut self,
        next: &Resource<NextHandle<H>>,
        request: H::Request,
    ) -> wasmtime::Result<Resource<RunHandle<H>>> {
        let handle = self.table.get_mut(next)?;
        let started = Arc::clone(&handle.started);
        let state = match handle.next.as_mut() {
            None => RunState::Void,
            Some(next) => match self.budget.outside(next.start(request)).await {
                Ok(run) => RunState::Running(run),
                Err(error) => RunState::Refused(Some(error)),
            },
        };
        let run = self.give(RunHandle(state))?;
        started.lock().push(run.rep());
        Ok(run)
    }

    async fn read_run<H: Hook>(
        &mut self,
        run: &Resource<RunHandle<H>>,
        kinds: wit_events::EventKinds,
    ) -> wasmtime::Result<Vec<wit_events::Event>> {
        let RunState::Running(run) = &mut self.table.get_mut(run)?.0 else { return Ok(Vec::new()) };
        let events = self.budget.outside(run.next(kinds_from_guest(kinds))).await;
        // Nobody reads outside any more: for the guest that is the end of the stream.
        Ok(events.unwrap_or_default().into_iter().map(event_to_guest).collect())
    }

    async fn finish_run<H: Hook>(
        &mut self,
        run: &Resource<RunHandle<H>>,
    ) -> wasmtime::Result<Result<H::Response, types::Error>> {
        let result = match &mut self.table.get_mut(run)?.0 {
            RunState::Void => return Ok(Err(void())),
            RunState::Refused(error) => {
                Err(error.take().unwrap_or_else(|| Error::invalid("`finish` was called before on this run")))
            }
            RunState::Running(run) => self.budget.outside(run.finish()).await,
        };
        Ok(result.map_err(error_to_guest))
    }
}

impl wit::HostSink for GuestState {
    async fn emit(
        &mut self,
        sink: Resource<SinkHandle>,
        events: Vec<wit_events::Event>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let handle = self.table.get(&sink)?;
        let Some(sink) = handle.sink.clone() else { return Ok(Err(void())) };
        self.budget.emit(&events)?;
        let events = match events.into_iter().map(event_from_guest).collect::<Result<Vec<Event>, Error>>() {
            Ok(events) => events,
            Err(error) => return Ok(Err(error_to_guest(error))),
        };
        let result = self.budget.outside(sink.emit(events)).await;
        Ok(result.map_err(error_to_guest))
    }

    fn drop(&mut self, sink: Resource<SinkHandle>) -> wasmtime::Result<()> {
        self.table.delete(sink)?;
        Ok(())
    }
}

/// The host's side of `…-next` and `…-run` of one onion hook.
macro_rules! flow_handles {
    ($hook:ty, $next:ident, $run:ident, $request:ty => $response:ty) => {
        impl wit::$next for GuestState {
            async fn run(
                &mut self,
                next: Resource<NextHandle<$hook>>,
                request: Resource<$request>,
            ) -> wasmtime::Result<Result<Resource<$response>, types::Error>> {
                let request = self.table.delete(request)?;
                match self.run_next(&next, request).await? {
                    Ok(response) => Ok(Ok(self.give(response)?)),
                    Err(error) => Ok(Err(error)),
                }
            }

            async fn start(
                &mut self,
                next: Resource<NextHandle<$hook>>,
                request: Resource<$request>,
            ) -> wasmtime::Result<Resource<RunHandle<$hook>>> {
                let request = self.table.delete(request)?;
                self.start_next(&next, request).await
            }

            fn drop(&mut self, next: Resource<NextHandle<$hook>>) -> wasmtime::Result<()> {
                self.table.delete(next)?;
                Ok(())
            }
        }

        impl wit::$run for GuestState {
            async fn next(
                &mut self,
                run: Resource<RunHandle<$hook>>,
                kinds: wit_events::EventKinds,
            ) -> wasmtime::Result<Vec<wit_events::Event>> {
                self.read_run(&run, kinds).await
            }

            async fn finish(
                &mut self,
                run: Resource<RunHandle<$hook>>,
            ) -> wasmtime::Result<Result<Resource<$response>, types::Error>> {
                match self.finish_run(&run).await? {
                    Ok(response) => Ok(Ok(self.give(response)?)),
                    Err(error) => Ok(Err(error)),
                }
            }

            fn drop(&mut self, run: Resource<RunHandle<$hook>>) -> wasmtime::Result<()> {
                self.table.delete(run)?;
                Ok(())
            }
        }
    };
}

flow_handles!(Reply, HostReplyNext, HostReplyRun, ReplyRequest => ReplyResponse);
flow_handles!(Reasoning, HostReasoningNext, HostReasoningRun, ReasoningRequest => ReasoningResponse);
flow_handles!(ModelCall, HostModelNext, HostModelRun, ModelRequest => ModelResponse);
flow_handles!(Acting, HostToolNext, HostToolRun, ToolRequest => ToolResponse);
flow_handles!(CompressContext, HostCompressNext, HostCompressRun, CompressRequest => CompressResponse);

impl wit::HostPermissionNext for GuestState {
    async fn run(
        &mut self,
        next: Resource<NextHandle<CheckPermission>>,
        request: Resource<PermissionRequest>,
    ) -> wasmtime::Result<Result<wit_requests::PermissionDecision, types::Error>> {
        let request = self.table.delete(request)?;
        Ok(self.run_next(&next, request).await?.map(permission_to_guest))
    }

    fn drop(&mut self, next: Resource<NextHandle<CheckPermission>>) -> wasmtime::Result<()> {
        self.table.delete(next)?;
        Ok(())
    }
}
