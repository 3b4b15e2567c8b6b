//! What a model call costs, read while it runs.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::message::Usage;

/// The tokens of one model call, as far as its provider has reported them. Clones share the count.
///
/// It outlives the call, since one that fails or is aborted has its price all the same.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<Option<Usage>>>);

impl Meter {
    /// Takes a report of the call so far, in the place of the one before.
    pub fn set(&self, usage: &Usage) {
        *self.0.lock() = Some(usage.clone());
    }

    /// The last report; absent before the first.
    pub fn read(&self) -> Option<Usage> {
        self.0.lock().clone()
    }
}
