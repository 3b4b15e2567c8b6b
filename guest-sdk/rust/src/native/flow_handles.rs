//! What a layer reaches its inside and its outside with: here a list of scripted answers and a list of events.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::handle::json;
use crate::rig::Answer;
use crate::{
    CompressRequest, CompressResponse, Error, ErrorKind, Event, EventKinds, ModelRequest, ModelResponse,
    PermissionDecision, PermissionRequest, ReasoningRequest, ReasoningResponse, ReplyRequest, ReplyResponse,
    ToolRequest, ToolResponse,
};

/// What went outward, in order.
pub(crate) type Outward = Rc<RefCell<Vec<Event>>>;

/// Takes events outward.
#[derive(Debug)]
pub struct Sink(pub(crate) Outward);

impl Sink {
    /// Sends events in order. None goes out if one of them is the host's to send.
    pub fn emit(&self, events: &[Event]) -> Result<(), Error> {
        if events.iter().any(|event| event.kind() == EventKinds::REPLY) {
            return Err(Error::invalid("`reply-start` and `reply-end` are the host's to send"));
        }
        for event in events {
            if let Event::Other(other) = event {
                json(&other.json)?;
            }
        }
        self.0.borrow_mut().extend_from_slice(events);
        Ok(())
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
        let void = begun(&self.out.borrow());
        self.out.borrow_mut().extend(void.into_iter().map(Event::Withdrawn));
        let next = self.answers.borrow_mut().pop_front();
        next.unwrap_or_else(|| {
            let message = format!("limit `next-runs` reached: the rig has no answer for run {runs}");
            Answer::error(Error::new(ErrorKind::Limit, message).code("next-runs"))
        })
    }

    fn run(&self, request: Q) -> Result<A, Error> {
        let answer = self.take(request);
        self.out.borrow_mut().extend(answer.events);
        answer.result
    }

    fn start(&self, request: Q) -> Started<A> {
        let answer = self.take(request);
        Started {
            events: RefCell::new(answer.events.into()),
            result: RefCell::new(Some(answer.result)),
            out: Rc::clone(&self.out),
        }
    }
}

/// The model calls and tool results that went out and were not withdrawn.
fn begun(events: &[Event]) -> Vec<String> {
    let mut begun: Vec<String> = Vec::new();
    for event in events {
        match event {
            Event::ModelCallStart(start) => begun.push(start.id.clone()),
            Event::ToolResultStart(start) => begun.push(start.call_id.clone()),
            Event::Withdrawn(id) => begun.retain(|begun| begun != id),
            _ => {}
        }
    }
    begun
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
                self.out.borrow_mut().push(event);
            } else {
                events.push_front(event);
                break;
            }
        }
        ready
    }

    fn finish(&self) -> Result<A, Error> {
        self.out.borrow_mut().extend(self.events.borrow_mut().drain(..));
        self.result.borrow_mut().take().unwrap_or_else(|| Err(Error::invalid("the run is finished already")))
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
