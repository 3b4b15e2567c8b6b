//! The place where others look on while a guest calls the host.

mod name;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;

use super::convert::error_to_guest;
use super::crossing::Crossing;
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
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tap(_) => "Tap",
        })
    }
}

/// How many calls of the host a layer has made in one reply.
#[derive(Clone, Debug, Default)]
pub(super) struct CallCount(Arc<AtomicU64>);

/// Who looks on at one instance.
pub(super) enum Seam {
    Tap { tap: Arc<dyn Tap>, calls: CallCount },
}

impl Seam {
    /// The seam of a fresh instance in the reply that has this count.
    pub(super) fn of(watch: &Watch, calls: &CallCount) -> Self {
        match watch {
            Watch::Tap(tap) => Self::Tap { tap: Arc::clone(tap), calls: calls.clone() },
        }
    }

    /// The guest calls this function. What is given here is its answer, and the host does nothing.
    pub(super) fn called<T: Crossing>(&self, function: Function) -> Option<T> {
        match self {
            Self::Tap { tap, calls } => {
                let (name, number) = (function.name(), calls.0.fetch_add(1, Ordering::Relaxed));
                let call = HostCall {
                    interface: function.interface(),
                    function: &name,
                    number,
                    refusable: T::REFUSABLE,
                };
                match tap.before(&call) {
                    Pass::Through => None,
                    Pass::Refuse(error) => T::refused(error_to_guest(error)),
                }
            }
        }
    }
}
