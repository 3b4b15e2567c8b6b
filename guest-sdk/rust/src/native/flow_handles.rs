//! What a layer reaches its inside and its outside with: here a list of scripted answers, and the way outward.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::outward::Outward;
use crate::rig::Answer;
use crate::{
    CompressRequest, CompressResponse, Error, ErrorKind, Event, EventKinds, ModelRequest, ModelResponse,
    PermissionDecision, PermissionRequest, ReasoningRequest, ReasoningResponse, ReplyRequest, ReplyResponse,
    ToolRequest, ToolResponse,
};

/// Takes events outward.
#[derive(Debug)]
pub struct Sink(pub(crate) Outward);

impl Sink {
    /// Sends events in order, up to the first that may not be sent: what is the host's to say is only passed on.
    pub fn emit(&self, events: &[Event]) -> Result<(), Error> {
        self.0.emit(events)
    }
}

/// What is inside the layer: answers in order, and the requests that asked for them.
#[derive(Debug)]
pub(crate) struct Inside<Q, A> {
    answers: RefCell<VecDeque<Answer<A>>>,
    pub(crate) seen: RefCell<Vec<Q>>,
    out: Outward,
}

impl<Q, A> Inside<Q, A> {
    pub(crate) fn new(answers: Vec<Answer<A>>, out: Outward) -> Rc<Self> {
        Rc::new(Self { answers: RefCell::new(answers.into()), seen: RefCell::default(), out })
    }

    /// The answer to one more run. A run more than there are answers meets the limit, as it would in a host.
    ///
    /// What the runs before have begun is withdrawn, as a host does it: the layer need not, and can't forget it.
    fn take(&self, request: Q) -> Answer<A> {
        self.seen.borrow_mut().push(request);
        let runs = self.seen.borrow().len();
        self.out.withdraw();
        let next = self.answers.borrow_mut().pop_front();
        next.unwrap_or_else(|| {
            let message = format!("limit `next-runs` reached: the rig has no answer for run {runs}");
            Answer::error(Error::new(ErrorKind::Limit, message).code("next-runs"))
        })
    }

    fn run(&self, request: Q) -> Result<A, Error> {
        let answer = self.take(request);
        self.out.pass(answer.events);
        answer.result
    }

    fn start(&self, request: Q) -> Started<A> {
        let answer = self.take(request);
        Started {
            events: RefCell::new(answer.events.into()),
            result: RefCell::new(Some(answer.result)),
            out: self.out.clone(),
        }
    }
}

/// A run whose events the layer reads.
#[derive(Debug)]
struct Started<A> {
    events: RefCell<VecDeque<Event>>,
    result: RefCell<Option<Result<A, Error>>>,
    out: Outward,
}

impl<A> Started<A> {
    /// At most 64 events of these kinds; others pass by, up to the next one of these kinds.
    fn next(&self, kinds: EventKinds) -> Vec<Event> {
        let mut events = self.events.borrow_mut();
        let mut ready = Vec::new();
        while ready.len() < 64 {
            let Some(event) = events.pop_front() else { break };
            if kinds.contains(event.kind()) {
                ready.push(event);
            } else if ready.is_empty() {
                self.out.pass([event]);
            } else {
                events.push_front(event);
                break;
            }
        }
        self.out.give(&ready);
        ready
    }

    fn finish(&self) -> Result<A, Error> {
        self.out.pass(self.events.borrow_mut().drain(..));
        self.result
            .borrow_mut()
            .take()
            .unwrap_or_else(|| Err(Error::invalid("`finish` was called before on this run")))
    }
}

macro_rules! next {
    ($next:ident $run:ident $request:ident $response:ident) => {
        /// Runs what is inside the layer.
        #[derive(Debug)]
        pub struct $next(pub(crate) Rc<Inside<$request, $response>>);

        impl $next {
            /// Runs what is inside and passes its events on.
            pub fn run(&self, request: $request) -> Result<$response, Error> {
                self.0.run(request)
            }

            /// Starts what is inside and gives its events to this layer.
            pub fn start(&self, request: $request) -> $run {
                $run(self.0.start(request))
            }
        }

        /// A run whose events the layer reads.
        #[derive(Debug)]
        pub struct $run(Started<$response>);

        impl $run {
            /// The next 1 to 64 events of these kinds; empty at the end. Others pass by.
            pub fn next(&self, kinds: EventKinds) -> Vec<Event> {
                self.0.next(kinds)
            }

            /// The response. Unread events pass by. A second call is an error value.
            pub fn finish(&self) -> Result<$response, Error> {
                self.0.finish()
            }
        }
    };
}

next!(ReplyNext ReplyRun ReplyRequest ReplyResponse);
next!(ReasoningNext ReasoningRun ReasoningRequest ReasoningResponse);
next!(ModelNext ModelRun ModelRequest ModelResponse);
next!(ToolNext ToolRun ToolRequest ToolResponse);
next!(CompressNext CompressRun CompressRequest CompressResponse);

/// Asks what is inside for a decision on a tool call.
#[derive(Debug)]
pub struct PermissionNext(pub(crate) Rc<Inside<PermissionRequest, PermissionDecision>>);

impl PermissionNext {
    /// Asks.
    pub fn run(&self, request: PermissionRequest) -> Result<PermissionDecision, Error> {
        self.0.run(request)
    }
}
