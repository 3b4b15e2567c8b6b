//! How a layer fares across replies, and when it is taken out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::hook::HookKind;

/// Faults in a row at one hook after which a layer is taken out, unless the manifest says otherwise: one may be chance,
/// five are not.
pub const MAX_FAULTS_DEFAULT: u32 = 5;

/// Counts the faults of a layer, hook by hook, so that a hook that works does not excuse one that never does.
///
/// Its clones are the same.
#[derive(Clone, Debug)]
pub struct Health(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    max_faults: u32,
    in_a_row: [AtomicU32; HookKind::ALL.len()],
    out: Mutex<Option<TakenOut>>,
}

/// Why a layer was taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenOut {
    /// The hook it broke in.
    pub hook: HookKind,
    /// How often in a row.
    pub faults: u32,
    /// What happened the last time, for the operator.
    pub cause: String,
}

impl Health {
    /// A layer that is taken out after so many faults in a row; 0 counts as 1.
    pub fn new(max_faults: u32) -> Self {
        Self(Arc::new(Inner {
            max_faults: max_faults.max(1),
            in_a_row: std::array::from_fn(|_| AtomicU32::new(0)),
            out: Mutex::new(None),
        }))
    }

    /// Faults in a row at one hook after which the layer is taken out.
    pub(crate) fn max_faults(&self) -> u32 {
        self.0.max_faults
    }

    /// Why the layer is out, if it is. Replies that began before go on with it.
    pub fn taken_out(&self) -> Option<TakenOut> {
        self.lock().clone()
    }

    /// Puts the layer back in: later replies try it again, with as many faults as at first.
    pub fn reset(&self) {
        self.0.in_a_row.iter().for_each(|count| count.store(0, Ordering::Relaxed));
        *self.lock() = None;
    }

    /// A call of this hook came to an answer.
    pub(super) fn sound(&self, hook: HookKind) {
        let count = self.count(hook);
        // Most calls find nothing to clear, and leave the cache line to the others.
        if count.load(Ordering::Relaxed) != 0 {
            count.store(0, Ordering::Relaxed);
        }
    }

    /// A call of this hook broke a rule. Says so if that was once too often, the first time alone.
    pub(super) fn fault(&self, hook: HookKind, cause: &str) -> Option<TakenOut> {
        let faults = self.count(hook).fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if faults < self.0.max_faults {
            return None;
        }
        let mut out = self.lock();
        if out.is_some() {
            return None;
        }
        *out = Some(TakenOut { hook, faults, cause: cause.to_owned() });
        out.clone()
    }

    fn count(&self, hook: HookKind) -> &AtomicU32 {
        // `HookKind::ALL` lists every kind in the order of its number.
        &self.0.in_a_row[hook as usize]
    }

    fn lock(&self) -> MutexGuard<'_, Option<TakenOut>> {
        self.0.out.lock()
    }
}

impl Default for Health {
    fn default() -> Self {
        Self::new(MAX_FAULTS_DEFAULT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_faults_in_a_row_at_one_hook_count() {
        let health = Health::new(3);
        for _ in 0..5 {
            assert_eq!(health.fault(HookKind::Events, "a"), None);
            assert_eq!(health.fault(HookKind::Reply, "b"), None);
            assert_eq!(health.fault(HookKind::Events, "a"), None);
            health.sound(HookKind::Events);
            health.sound(HookKind::Reply);
        }
        assert_eq!(health.taken_out(), None);
        for _ in 0..2 {
            assert_eq!(health.fault(HookKind::Events, "a"), None);
            health.sound(HookKind::Reply);
        }
        let out = TakenOut { hook: HookKind::Events, faults: 3, cause: "the last".to_owned() };
        assert_eq!(health.fault(HookKind::Events, "the last"), Some(out.clone()));
        assert_eq!(health.fault(HookKind::Events, "one more"), None, "it is said once");
        health.sound(HookKind::Events);
        assert_eq!(health.taken_out(), Some(out), "what runs still does not bring it back");
    }

    #[test]
    fn a_layer_that_was_put_back_begins_anew() {
        let health = Health::new(2);
        health.fault(HookKind::Reply, "a");
        assert!(health.fault(HookKind::Reply, "a").is_some());
        health.reset();
        assert_eq!(health.taken_out(), None);
        assert_eq!(health.fault(HookKind::Reply, "a"), None);
        assert!(health.fault(HookKind::Reply, "a").is_some());
    }
}
