//! One instance of a component in a store of its own, and the bounds around each call into it.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::time::Sleep;
use wasmtime::component::{Instance, InstancePre};
use wasmtime::{Store, UpdateDeadline};

use crate::chain::ReplyContext;

use super::budget::{CpuBudget, LimitHit, OwnTime};
use super::engine::Runtime;
use super::hooks::{HookIndices, LoadedHooks};
use super::store::{GuestState, LayerInfo, LogBudget};

/// A component in its store.
pub(super) struct GuestInstance {
    pub(super) store: Store<GuestState>,
    pub(super) instance: Instance,
    pub(super) indices: Arc<HookIndices>,
    /// Boxed, since an instance changes hands with each call.
    pub(super) loaded: Box<LoadedHooks>,
}

/// What an instance is made of.
#[derive(Clone)]
pub(super) struct Template {
    pub(super) runtime: Runtime,
    pub(super) pre: InstancePre<GuestState>,
    pub(super) indices: Arc<HookIndices>,
}

impl Template {
    /// A fresh instance.
    pub(super) async fn instantiate(
        &self,
        context: Arc<ReplyContext>,
        layer: Arc<LayerInfo>,
        log: Arc<LogBudget>,
    ) -> wasmtime::Result<GuestInstance> {
        let cpu = CpuBudget::new(self.runtime.ticks.clone(), &layer.spec.limits);
        let mut store = Store::new(&self.runtime.engine, GuestState::new(context, layer, log, cpu));
        self.runtime.counts.store_made();
        store.limiter(|state| &mut state.memory);
        store.epoch_deadline_callback(|mut store| {
            let cpu = &mut store.data_mut().cpu;
            if cpu.is_fresh() {
                return Ok(UpdateDeadline::Continue(1));
            }
            cpu.tick().map_err(wasmtime::Error::new)?;
            Ok(UpdateDeadline::Yield(1))
        });
        store.set_epoch_deadline(1);
        store.data_mut().cpu.begin();
        let instance = self.pre.instantiate_async(&mut store).await?;
        Ok(GuestInstance { store, instance, indices: Arc::clone(&self.indices), loaded: Box::default() })
    }
}

impl GuestInstance {
    /// A hook call begins: its budgets are whole.
    pub(super) fn begin(&mut self) {
        self.store.set_epoch_deadline(1);
        let state = self.store.data_mut();
        state.cpu.begin();
        state.own_time.begin();
        state.last_error = None;
    }

    /// Why a call into the guest ended without a result, for the operator.
    pub(super) fn explain(&mut self, error: &wasmtime::Error) -> String {
        let state = self.store.data_mut();
        state.drain_output();
        if let Some(hit) = error.downcast_ref::<LimitHit>() {
            return hit.to_string();
        }
        let trap = match error.downcast_ref::<wasmtime::Trap>() {
            Some(wasmtime::Trap::UnreachableCodeReached) => {
                "the guest gave up (trap `unreachable`)".to_owned()
            }
            Some(trap) => format!("trap: {trap}"),
            None => error.root_cause().to_string(),
        };
        match (state.memory.hit(), &state.last_error) {
            (Some(hit), _) => format!("{hit}; {trap}"),
            (None, Some(said)) => format!("{trap}; it said: {said}"),
            (None, None) => trap,
        }
    }
}

/// Waits for a call into a guest, as long as the layer itself is not busy longer than its limit allows.
pub(super) async fn within<T>(
    own_time: OwnTime,
    allowed: Duration,
    call: impl Future<Output = T>,
) -> Result<T, LimitHit> {
    let mut call = pin!(call);
    // Set only while the layer itself waits: what is inside may take as long as it likes, and needs no timer.
    let mut alarm: Option<Pin<Box<Sleep>>> = None;
    std::future::poll_fn(|cx| {
        if let Poll::Ready(result) = call.as_mut().poll(cx) {
            return Poll::Ready(Ok(result));
        }
        alarm = None;
        while !own_time.is_away() {
            let spent = own_time.spent();
            let Some(left) = allowed.checked_sub(spent).filter(|left| !left.is_zero()) else {
                return Poll::Ready(Err(LimitHit {
                    limit: "wall",
                    allowed: format!("{} ms", allowed.as_millis()),
                    used: format!("{} ms", spent.as_millis()),
                }));
            };
            if alarm.insert(Box::pin(tokio::time::sleep(left))).as_mut().poll(cx).is_pending() {
                break;
            }
        }
        Poll::Pending
    })
    .await
}
