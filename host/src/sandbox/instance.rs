//! One instance of a component in a store of its own, and the bounds around each call into it.

use std::sync::Arc;

use wasmtime::component::{Instance, InstancePre};
use wasmtime::{Store, UpdateDeadline};

use crate::chain::{HookKind, ReplyContext};
use crate::policy::Limits;

use super::budget::{ReplyBudget, within};
use super::engine::{Alive, Runtime};
use super::explain::explain;
use super::hooks::{HookIndices, LoadedHooks};
use super::recording::START;
use super::store::{GuestState, LayerInfo};
use super::tap::Seam;

/// A component in its store.
pub(super) struct GuestInstance {
    pub(super) store: Store<GuestState>,
    pub(super) instance: Instance,
    pub(super) indices: Arc<HookIndices>,
    /// Boxed, since an instance changes hands with each call.
    pub(super) loaded: Box<LoadedHooks>,
    /// Bytes of its memories before its first call.
    begun: u64,
    _alive: Alive,
}

/// What an instance is made of.
#[derive(Clone)]
pub(super) struct Template {
    pub(super) runtime: Runtime,
    pub(super) pre: InstancePre<GuestState>,
    pub(super) indices: Arc<HookIndices>,
    pub(super) _alive: Arc<Alive>,
}

/// Why there is no instance.
pub(super) enum NotMade {
    /// Too many are alive.
    Crowded,
    /// The component can't begin, in words for the operator.
    Failed(String),
}

impl Template {
    /// A fresh instance. What the component does at its start is bounded as a hook call is.
    pub(super) async fn instantiate(
        &self,
        context: Arc<ReplyContext>,
        layer: Arc<LayerInfo>,
        budget: Arc<ReplyBudget>,
        mut seam: Option<Seam>,
    ) -> Result<GuestInstance, NotMade> {
        let alive = self.runtime.counts.store_made();
        // The pool has the same bound, but not every machine has a pool.
        if self.runtime.counts.stores_alive() > u64::from(self.runtime.instances) {
            return Err(NotMade::Crowded);
        }
        if let Some(seam) = &mut seam {
            seam.enter(START, &[]);
        }
        let mut store = self.store(context, layer, budget, seam);
        let (own_time, wall) = (store.data().budget.own_time.clone(), store.data().layer.spec.limits.wall);
        let made = within(own_time, wall, self.pre.instantiate_async(&mut store)).await;
        let instance = match made {
            Ok(Ok(instance)) => instance,
            Ok(Err(error)) if error.is::<wasmtime::PoolConcurrencyLimitError>() => {
                return Err(NotMade::Crowded);
            }
            Ok(Err(error)) => return Err(NotMade::Failed(failed(&error, store.data_mut()))),
            Err(hit) => return Err(NotMade::Failed(hit.to_string())),
        };
        if let Some(seam) = &mut store.data_mut().seam {
            seam.leave(&());
        }
        Ok(GuestInstance {
            begun: store.data().budget.memory.bytes(),
            store,
            instance,
            indices: Arc::clone(&self.indices),
            loaded: Box::default(),
            _alive: alive,
        })
    }

    /// A store that holds to the layer's limits.
    fn store(
        &self,
        context: Arc<ReplyContext>,
        layer: Arc<LayerInfo>,
        budget: Arc<ReplyBudget>,
        seam: Option<Seam>,
    ) -> Store<GuestState> {
        let Limits { payload, handles, .. } = layer.spec.limits;
        let state = GuestState::new(context, layer, budget, seam, self.runtime.ticks.clone());
        let mut store = Store::new(&self.runtime.engine, state);
        store.limiter(|state| &mut state.budget.memory);
        store.set_hostcall_fuel(usize::try_from(payload).unwrap_or(usize::MAX));
        store.set_max_component_handles(handles as usize);
        store.epoch_deadline_callback(|mut store| {
            let budget = &mut store.data_mut().budget;
            if budget.is_fresh() {
                return Ok(UpdateDeadline::Continue(1));
            }
            budget.tick()?;
            Ok(UpdateDeadline::Yield(1))
        });
        store.set_epoch_deadline(1);
        store
    }
}

impl GuestInstance {
    /// Whether the next call may well meet the limit of its memory, which it never gives back.
    pub(super) fn is_nearly_full(&self) -> bool {
        self.store.data().budget.memory.is_nearly_full(self.begun)
    }

    /// A call of this hook begins, or one that is no hook's: its budgets are whole.
    pub(super) fn begin(&mut self, hook: Option<HookKind>) {
        self.store.set_epoch_deadline(1);
        self.store.data_mut().begin(hook);
    }

    /// Why a call into the guest ended without a result, for the operator.
    pub(super) fn explain(&mut self, error: &wasmtime::Error) -> String {
        explain(error, self.store.data_mut())
    }

    /// The same, of a call that is over with it.
    pub(super) fn failed(&mut self, error: &wasmtime::Error) -> String {
        failed(error, self.store.data_mut())
    }
}

fn failed(error: &wasmtime::Error, state: &mut GuestState) -> String {
    let cause = explain(error, state);
    if let Some(seam) = &mut state.seam {
        seam.fault(&cause);
    }
    cause
}
