//! Lets a component take over the state that another version of it left: one call, in a store of its own.

use std::sync::Arc;

use crate::chain::ReplyContext;
use crate::error::{Failure, Fault};
use crate::http::SystemResolver;
use crate::policy::{Grants, LayerSpec};

use super::budget::{ReplyBudget, within};
use super::calls::call_migrate;
use super::convert::error_from_guest;
use super::instance::{NotMade, Template};
use super::store::LayerInfo;

/// The export's name, where a hook's stands in a fault.
const EXPORT: &str = "migrate-state";

/// Calls the export within the layer's limits, with the grant `state` and no other. Does nothing where there is no
/// such export, or no state that the layer may have.
pub(super) async fn migrate(
    template: &Template,
    layer: &Arc<LayerInfo>,
    from_config: String,
    context: Arc<ReplyContext>,
) -> Result<(), Failure> {
    if template.indices.migrate_state.is_none() || !layer.spec.grants.state {
        return Ok(());
    }
    let name = layer.spec.name.clone();
    let fault = |cause: String| Failure::from(Fault { layer: name.clone(), hook: EXPORT, cause });
    let limits = layer.spec.limits.clone();
    let spec = LayerSpec { grants: Grants { state: true, ..Grants::default() }, ..layer.spec.clone() };
    let narrowed = LayerInfo::new(spec, layer.wasi, None, Arc::new(SystemResolver), layer.jobs.clone());
    let narrowed = narrowed.map_err(|error| fault(error.to_string()))?;
    let budget = Arc::new(ReplyBudget::new(&limits));
    let made = template.instantiate(context, Arc::new(narrowed), budget, None).await;
    let mut guest = made.map_err(|not_made| match not_made {
        NotMade::Crowded => fault("too many middleware instances are alive at once".to_owned()),
        NotMade::Failed(cause) => fault(format!("no instance could be made: {cause}")),
    })?;
    guest.begin(None);
    let own_time = guest.store.data().budget.own_time.clone();
    let called = within(own_time, limits.wall, call_migrate(&mut guest, from_config)).await;
    match called {
        Err(hit) => Err(fault(hit.to_string())),
        Ok(Err(error)) => Err(fault(guest.explain(&error))),
        Ok(Ok(answer)) => {
            guest.store.data_mut().drain_output();
            answer.map_err(|error| error_from_guest(error).into())
        }
    }
}
