//! Replays a recording: calls a component as the recorded one was called, and compares what it does.

use std::collections::HashMap;
use std::sync::Arc;

use crate::chain::ReplyContext;
use crate::http::SystemResolver;
use crate::sandbox::budget::{ReplyBudget, within};
use crate::sandbox::exports::call_recorded;
use crate::sandbox::instance::{GuestInstance, NotMade};
use crate::sandbox::store::LayerInfo;
use crate::sandbox::tap::Seam;
use crate::sandbox::{Component, Sandbox};

use super::START;
use super::difference::{Difference, Place};
use super::error::RecordingError;
use super::read::{End, ExportCall, Recording};
use super::script::{Script, Verdict};

/// A call into the layer that came out as recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed<'a> {
    /// Which call it is, from 1.
    pub call: usize,
    /// The instance that was called, from 0 in the order in which they were made.
    pub instance: u32,
    /// The export: `on-model-call.handle`.
    pub export: &'a str,
    /// How often it called the host.
    pub host_calls: usize,
    /// How it ended.
    pub end: ReplayedEnd<'a>,
}

/// How a recorded call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayedEnd<'a> {
    /// It answered.
    Answered,
    /// It broke a rule, in words for the operator.
    Fault(&'a str),
    /// The host waited no longer: the limit `wall` was reached, or the reply was aborted.
    GivenUp,
    /// The recording does not tell.
    Untold,
}

impl Sandbox {
    /// Replays a recording on a component, up to the first difference. Tells of each call that came out as recorded.
    ///
    /// The host answers from the recording, so that nothing is asked of a model, a server or a file. The limits are those
    /// of the recorded layer. Limits of time are about the machine as well: a call that reached one is the same if it did
    /// the same until then.
    ///
    /// # Errors
    /// When the recording does not fit the contract, or the layer can't be made.
    pub async fn replay(
        &self,
        component: &Component,
        recording: &Recording,
        told: &mut (dyn FnMut(&Replayed<'_>) + Send),
    ) -> Result<Option<Difference>, RecordingError> {
        let mut stage = Stage::new(self, component, recording)?;
        let mut number = 0;
        for call in recording.calls() {
            let hook = call.export != START;
            let place = Place::of(number + 1, &call.export, call.line);
            if let Some(Verdict::Differs(difference)) = stage.play(call, place).await? {
                return Ok(Some(*difference));
            }
            if hook {
                number += 1;
                told(&replayed(call, number));
            }
        }
        Ok(None)
    }
}

fn replayed(call: &ExportCall, number: usize) -> Replayed<'_> {
    Replayed {
        call: number,
        instance: call.instance,
        export: &call.export,
        host_calls: call.steps.len(),
        end: match &call.end {
            End::Value(_) => ReplayedEnd::Answered,
            End::Fault(cause) => ReplayedEnd::Fault(cause),
            End::GivenUp => ReplayedEnd::GivenUp,
            End::Untold => ReplayedEnd::Untold,
        },
    }
}

/// The layer as it is replayed, with its instances.
struct Stage<'a> {
    component: &'a Component,
    info: Arc<LayerInfo>,
    context: Arc<ReplyContext>,
    budget: Arc<ReplyBudget>,
    instances: HashMap<u32, (Script, GuestInstance)>,
}

impl<'a> Stage<'a> {
    fn new(
        sandbox: &Sandbox,
        component: &'a Component,
        recording: &Recording,
    ) -> Result<Self, RecordingError> {
        let spec = recording.layer().spec();
        let budget = Arc::new(ReplyBudget::new(&spec.limits));
        let (layer, jobs) = (spec.name.clone(), sandbox.runtime.jobs.of_layer());
        let info = LayerInfo::new(spec, component.wasi(), None, Arc::new(SystemResolver), jobs)
            .map_err(|error| RecordingError::Layer { layer, cause: error.to_string() })?;
        let context = ReplyContext::builder("", "").build();
        Ok(Self { component, info: Arc::new(info), context, budget, instances: HashMap::new() })
    }

    /// Plays one call. Says how it came out, unless it is wholly the same.
    async fn play(&mut self, call: &ExportCall, place: Place) -> Result<Option<Verdict>, RecordingError> {
        if call.export == START {
            return self.start(call, place).await;
        }
        let damaged = |cause: String| RecordingError::Damaged { line: call.line, cause };
        let Some((script, mut guest)) = self.instances.remove(&call.instance) else {
            return Err(damaged(format!("instance {} has ended before", call.instance)));
        };
        script.begin(call, place);
        guest.begin(None);
        let own_time = guest.store.data().budget.own_time.clone();
        let calling = call_recorded(&mut guest, &call.export, &call.arguments);
        let fault = match within(own_time, self.info.spec.limits.wall, calling).await {
            Ok(called) => called.map_err(damaged)?.err().map(|error| guest.explain(&error)),
            Err(hit) => Some(hit.to_string()),
        };
        let answered = fault.is_none();
        let verdict = script.end(fault);
        if answered && verdict.is_none() {
            self.instances.insert(call.instance, (script, guest));
        }
        Ok(verdict)
    }

    /// Makes an instance.
    async fn start(&mut self, call: &ExportCall, place: Place) -> Result<Option<Verdict>, RecordingError> {
        let script = Script::default();
        script.begin(call, place);
        let (context, info, budget) = (self.context.clone(), self.info.clone(), self.budget.clone());
        let seam = Some(Seam::Script(script.clone()));
        let made = self.component.template.instantiate(context, info, budget, seam).await;
        let fault = match made {
            Ok(guest) => {
                self.instances.insert(call.instance, (script.clone(), guest));
                None
            }
            Err(NotMade::Failed(cause)) => Some(cause),
            Err(NotMade::Crowded) => {
                let cause = "too many middleware instances are alive at once".to_owned();
                return Err(RecordingError::Layer { layer: self.info.spec.name.clone(), cause });
            }
        };
        Ok(script.end(fault))
    }
}
