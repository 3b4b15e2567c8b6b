//! The host of a replay: it answers as it did when the layer was recorded, as long as it is asked the same.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use serde_json::value::RawValue;

use crate::sandbox::crossing::{Crossing, Shown};

use super::Arguments;
use super::difference::{Difference, Place, What};
use super::error::json_cause;
use super::read::{End, ExportCall, Step, StepAnswer};

/// What the guest of one instance is to ask in its running call, and gets for it.
#[derive(Clone, Default)]
pub(in crate::sandbox) struct Script(Arc<Mutex<Scene>>);

/// One call into the guest.
#[derive(Default)]
struct Scene {
    place: Place,
    /// What was not asked yet.
    steps: VecDeque<Step>,
    end: Option<End>,
    end_line: usize,
    /// What the guest answered.
    left: Option<Box<RawValue>>,
    verdict: Option<Verdict>,
}

/// How a call came out before the guest had answered.
#[derive(Clone)]
pub(super) enum Verdict {
    /// It did something else.
    Differs(Box<Difference>),
    /// It did the same up to where the recorded one was ended.
    SameSoFar,
}

/// Why the guest of a replay is ended.
#[derive(Debug, thiserror::Error)]
#[error("the recording has no more to tell")]
struct Over;

impl Script {
    /// This call into the guest begins.
    pub(super) fn begin(&self, call: &ExportCall, place: Place) {
        let steps = call.steps.iter().cloned().collect();
        let (end, end_line) = (Some(call.end.clone()), call.end_line);
        *self.scene() = Scene { place, steps, end, end_line, left: None, verdict: None };
    }

    /// What is to be said of the call after it has ended: what it came to, or its fault.
    pub(super) fn end(&self, fault: Option<String>) -> Option<Verdict> {
        let mut scene = self.scene();
        if scene.verdict.is_none() {
            scene.verdict = scene.compare_end(fault);
        }
        scene.verdict.take()
    }

    /// The guest asks for this. What it gets, or how the host ended it.
    pub(in crate::sandbox) fn ask<T: Crossing>(
        &self,
        function: &str,
        arguments: Arguments<'_>,
    ) -> wasmtime::Result<T> {
        let mut scene = self.scene();
        let Some(answer) = scene.asked(function, arguments) else { return Err(Over.into()) };
        T::read(&answer).map_err(|error| {
            let cause = json_cause(&error);
            scene.differs(What::Unreadable { function: function.to_owned(), cause });
            Over.into()
        })
    }

    /// The guest answers the call.
    pub(in crate::sandbox) fn leave(&self, value: &dyn Shown) {
        self.scene().left = Some(value.json());
    }

    fn scene(&self) -> MutexGuard<'_, Scene> {
        self.0.lock()
    }
}

impl Scene {
    /// The recorded answer to this call of the host, if it was made and was answered.
    fn asked(&mut self, function: &str, arguments: Arguments<'_>) -> Option<Box<RawValue>> {
        if self.verdict.is_some() {
            return None;
        }
        let Some(step) = self.steps.pop_front() else {
            if self.ends_in_time() {
                self.verdict = Some(Verdict::SameSoFar);
            } else {
                self.differs(What::More { function: function.to_owned() });
            }
            return None;
        };
        self.place.next_step(step.line);
        if let Some(what) = difference(&step, function, arguments) {
            self.differs(what);
            return None;
        }
        match step.answer {
            Some(StepAnswer::Value(value)) => Some(value),
            Some(StepAnswer::Trap) | None => {
                self.verdict = Some(Verdict::SameSoFar);
                None
            }
        }
    }

    /// Whether it was time that ended the recorded call, or the recording.
    fn ends_in_time(&self) -> bool {
        match &self.end {
            Some(End::GivenUp | End::Untold) => true,
            Some(End::Fault(cause)) => is_of_time(cause),
            Some(End::Value(_)) | None => false,
        }
    }

    /// How the call came out, unless it is wholly the same.
    fn compare_end(&mut self, fault: Option<String>) -> Option<Verdict> {
        if let Some(cause) = fault.as_ref().filter(|cause| is_of_time(cause)) {
            let slow = || self.differing(What::Slow { cause: cause.clone() });
            return Some(if self.ends_in_time() { Verdict::SameSoFar } else { slow() });
        }
        let got = ended(fault, self.left.take());
        if let Some(step) = self.steps.pop_front() {
            self.place.next_step(step.line);
            return Some(self.differing(What::Fewer { function: step.function, end: got }));
        }
        let wanted = match self.end.take()? {
            End::Value(value) => value.get().to_owned(),
            End::Fault(cause) => fault_text(&cause),
            End::GivenUp | End::Untold => return Some(Verdict::SameSoFar),
        };
        self.place.end(self.end_line);
        (wanted != got).then(|| self.differing(What::End { wanted, got }))
    }

    fn differs(&mut self, what: What) {
        self.verdict = Some(self.differing(what));
    }

    fn differing(&self, what: What) -> Verdict {
        Verdict::Differs(Box::new(Difference::new(self.place.clone(), what)))
    }
}

/// Whether a fault is about how fast the machine is, which no replay repeats.
fn is_of_time(cause: &str) -> bool {
    ["cpu", "wall"].iter().any(|limit| cause.starts_with(&format!("limit `{limit}` reached")))
}

fn ended(fault: Option<String>, value: Option<Box<RawValue>>) -> String {
    match (fault, value) {
        (Some(cause), _) => fault_text(&cause),
        (None, Some(value)) => value.get().to_owned(),
        (None, None) => RawValue::NULL.get().to_owned(),
    }
}

fn fault_text(cause: &str) -> String {
    format!("fault: {cause}")
}

/// Where a call of the host is not the recorded one.
fn difference(step: &Step, function: &str, arguments: Arguments<'_>) -> Option<What> {
    if step.function != function {
        return Some(What::Function { wanted: step.function.clone(), got: function.to_owned() });
    }
    if step.arguments.len() != arguments.len() {
        let cause =
            format!("it has {} arguments, and {} are recorded", arguments.len(), step.arguments.len());
        return Some(What::Unreadable { function: function.to_owned(), cause });
    }
    step.arguments.iter().zip(arguments).find_map(|((name, wanted), (_, got))| {
        let got = Shown::json(*got);
        (wanted.get() != got.get()).then(|| What::Argument {
            function: function.to_owned(),
            argument: name.clone(),
            wanted: wanted.get().to_owned(),
            got: got.get().to_owned(),
        })
    })
}
