//! Taps: what counts a layer's calls of the host, and does something at one of them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::error::{Error, ErrorKind};
use crate::sandbox::{HostCall, Pass, Tap};

/// Counts calls from when it is told to, up to the one that is wanted.
#[derive(Default)]
struct Count {
    begun: AtomicBool,
    calls: AtomicU64,
}

impl Count {
    fn begin(&self) {
        self.begun.store(true, Ordering::SeqCst);
    }

    /// The number of the call that is made now, from 0. None before the begin.
    fn next(&self) -> Option<u64> {
        self.begun.load(Ordering::SeqCst).then(|| self.calls.fetch_add(1, Ordering::SeqCst))
    }

    fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }
}

/// Refuses one of the calls that can be refused.
#[derive(Default)]
pub(super) struct Refusal {
    count: Count,
    /// Which one, from 0; none is refused where this is absent.
    at: Option<u64>,
    refused: Mutex<Option<String>>,
}

impl Refusal {
    /// Refuses the call of this number.
    pub(super) fn at(number: u64) -> Self {
        Self { at: Some(number), ..Self::default() }
    }

    /// From now on calls count.
    pub(super) fn begin(&self) {
        self.count.begin();
    }

    /// How many calls could have been refused.
    pub(super) fn refusable(&self) -> u64 {
        self.count.calls()
    }

    /// The function of the call that was refused.
    pub(super) fn refused(&self) -> Option<String> {
        self.refused.lock().clone()
    }
}

impl Tap for Refusal {
    fn before(&self, call: &HostCall<'_>) -> Pass {
        if !call.refusable || self.count.next().is_none_or(|number| self.at != Some(number)) {
            return Pass::Through;
        }
        *self.refused.lock() = Some(format!("{}.{}", call.interface, call.function));
        Pass::Refuse(Error::new(ErrorKind::Other, "the conformance kit refuses this call"))
    }
}

/// Aborts a reply when the layer makes one of its calls.
#[derive(Default)]
pub(super) struct Trip {
    count: Count,
    /// Which one, from 0.
    at: Option<u64>,
    tripped: AtomicBool,
    reply: Mutex<Option<CancellationToken>>,
}

impl Trip {
    /// Aborts at the call of this number.
    pub(super) fn at(number: u64) -> Self {
        Self { at: Some(number), ..Self::default() }
    }

    /// From now on calls count.
    pub(super) fn begin(&self) {
        self.count.begin();
    }

    /// How many calls there were.
    pub(super) fn calls(&self) -> u64 {
        self.count.calls()
    }

    /// The reply that is aborted. The call may have been made before its caller held it.
    pub(super) fn arm(&self, reply: CancellationToken) {
        let mut armed = self.reply.lock();
        if self.tripped.load(Ordering::SeqCst) {
            reply.cancel();
        }
        *armed = Some(reply);
    }
}

impl Tap for Trip {
    fn before(&self, _call: &HostCall<'_>) -> Pass {
        if self.count.next().is_some_and(|number| self.at == Some(number)) {
            let armed = self.reply.lock();
            self.tripped.store(true, Ordering::SeqCst);
            if let Some(reply) = &*armed {
                reply.cancel();
            }
        }
        Pass::Through
    }
}
