//! The place where others look on while a guest calls the host: a tap, a recorder, or the host of a replay.

mod name;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;
use crate::policy::LayerSpec;

use super::component::Component;
use super::convert::error_to_guest;
use super::crossing::{Crossing, Shown};
use super::recording::{Arguments, InstanceLog, OpenLog, Recorder, Script, Source};
pub(super) use name::Function;

/// Sees each call of a layer to the host before it is done.
pub trait Tap: Send + Sync {
    /// The layer makes this call. Called on the thread that runs the guest, which waits meanwhile.
    fn before(&self, call: &HostCall<'_>) -> Pass;
}

/// A call of a guest to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCall<'a> {
    /// The interface of the contract: `state`.
    pub interface: &'a str,
    /// The function: `get`, or `reply-request.set-input` of a resource. `drop` lets go of one, and `new` makes one.
    pub function: &'a str,
    /// How many calls the layer made before in this reply, in all its instances.
    pub number: u64,
    /// Whether the function can answer with an error.
    pub refusable: bool,
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Pass {
    /// The host does it.
    Through,
    /// The guest gets this error, and the host does nothing. A function that can't answer with one is done all the same.
    Refuse(Error),
}

/// Who looks on at a layer.
#[derive(Clone)]
pub(super) enum Watch {
    Tap(Arc<dyn Tap>),
    Recorder(Arc<Recorder>),
}

impl Watch {
    /// A layer is made of this component. Whether it is looked on at.
    pub(super) fn begin(&self, spec: &LayerSpec, component: &Component) -> bool {
        match self {
            Self::Tap(_) => true,
            Self::Recorder(recorder) => recorder.begin(spec, component),
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tap(_) => "Tap",
            Self::Recorder(_) => "Recorder",
        })
    }
}

/// How many calls of the host a layer has made in one reply.
#[derive(Clone, Debug, Default)]
pub(super) struct CallCount(Arc<AtomicU64>);

/// Who looks on at one instance.
pub(super) enum Seam {
    Tap {
        tap: Arc<dyn Tap>,
        calls: CallCount,
    },
    Recorder(OpenLog),
    /// The instance is one of a replay.
    Script(Script),
}

impl Seam {
    /// The seam of a fresh instance in the reply that has this count.
    pub(super) fn of(watch: &Watch, calls: &CallCount) -> Self {
        match watch {
            Watch::Tap(tap) => Self::Tap { tap: Arc::clone(tap), calls: calls.clone() },
            Watch::Recorder(recorder) => Self::Recorder(OpenLog::new(InstanceLog::new(Arc::clone(recorder)))),
        }
    }

    /// The guest calls this function. What is given here is its answer, and the host does nothing.
    pub(super) fn called<T: Crossing>(
        &self,
        function: Function,
        arguments: Arguments<'_>,
    ) -> wasmtime::Result<Option<T>> {
        match self {
            Self::Tap { .. } => Ok(None),
            Self::Recorder(open) => {
                open.log.call(function.to_string(), arguments);
                Ok(None)
            }
            Self::Script(script) => {
                let answer = script.ask(&function.to_string(), arguments)?;
                // A log line is taken as ever: a fault is told with the last one.
                Ok(Some(answer).filter(|_| function.module != "log"))
            }
        }
    }

    /// The call is within the limits. What is given here is its answer, and the host does nothing.
    pub(super) fn passed<T: Crossing>(&self, function: Function) -> Option<T> {
        let Self::Tap { tap, calls } = self else { return None };
        let (name, number) = (function.name(), calls.0.fetch_add(1, Ordering::Relaxed));
        let interface = function.module;
        let call = HostCall { interface, function: &name, number, refusable: T::REFUSABLE };
        match tap.before(&call) {
            Pass::Through => None,
            Pass::Refuse(error) => T::refused(error_to_guest(error)),
        }
    }

    /// The guest gets this, or is ended.
    pub(super) fn answered<T: Shown>(&self, answer: &wasmtime::Result<T>) {
        if let Self::Recorder(open) = self {
            open.log.answer(answer.as_ref().map(|answer| answer as &dyn Shown));
        }
    }

    /// The host calls an export.
    pub(super) fn enter(&mut self, export: &'static str, arguments: Arguments<'_>) {
        if let Self::Recorder(open) = self {
            open.enter(export, arguments);
        }
    }

    /// The guest answers.
    pub(super) fn leave(&mut self, answer: &dyn Shown) {
        match self {
            Self::Tap { .. } => {}
            Self::Recorder(open) => open.leave(answer),
            Self::Script(script) => script.leave(answer),
        }
    }

    /// The guest ends without an answer.
    pub(super) fn fault(&mut self, cause: &str) {
        if let Self::Recorder(open) = self {
            open.fault(cause);
        }
    }

    /// Where the guest's WASI has time and chance from, if not from the machine alone.
    pub(super) fn source(&self) -> Option<Source> {
        match self {
            Self::Tap { .. } => None,
            Self::Recorder(open) => Some(Source::Recorded(open.log.clone())),
            Self::Script(script) => Some(Source::Replayed(script.clone())),
        }
    }
}
