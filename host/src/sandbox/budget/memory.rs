//! What a store takes of the machine: all its memories together, and its tables.

use wasmtime::ResourceLimiter;

use crate::policy::Limits;

use super::limit_hit::LimitHit;

/// Core instances of one component. One of Python links dozens of modules.
pub(in crate::sandbox) const CORE_INSTANCES_MAX: u32 = 128;
/// Memories of one component.
pub(in crate::sandbox) const MEMORIES_MAX: u32 = 16;
/// Tables of one component.
pub(in crate::sandbox) const TABLES_MAX: u32 = 64;

/// The memories and tables of a store.
#[derive(Debug)]
pub(in crate::sandbox) struct MemoryBudget {
    bytes: Sum,
    elements: Sum,
    hit: Option<LimitHit>,
}

/// What several of one kind take together.
#[derive(Debug)]
struct Sum {
    limit: &'static str,
    unit: &'static str,
    allowed: u64,
    used: u64,
}

impl Sum {
    /// One of them grows from `current` to `desired`.
    fn grow(&mut self, current: usize, desired: usize) -> Result<(), LimitHit> {
        let used = self.used.saturating_sub(current as u64).saturating_add(desired as u64);
        if used > self.allowed {
            return Err(LimitHit {
                limit: self.limit,
                allowed: format!("{} {}", self.allowed, self.unit),
                used: format!("{used} {}", self.unit),
            });
        }
        self.used = used;
        Ok(())
    }
}

impl MemoryBudget {
    pub(super) fn new(limits: &Limits) -> Self {
        let (memory, tables) = (limits.memory, limits.tables.into());
        Self {
            bytes: Sum { limit: "memory", unit: "bytes", allowed: memory, used: 0 },
            elements: Sum { limit: "tables", unit: "elements", allowed: tables, used: 0 },
            hit: None,
        }
    }

    /// A new hook call begins: what was refused before explains nothing any more.
    pub(super) fn begin(&mut self) {
        self.hit = None;
    }

    /// The bound that was reached last in this hook call, if any: it explains a trap that follows.
    pub(in crate::sandbox) fn hit(&self) -> Option<&LimitHit> {
        self.hit.as_ref()
    }

    /// Bytes of all memories: as many as there ever were, since no memory shrinks.
    pub(in crate::sandbox) fn bytes(&self) -> u64 {
        self.bytes.used
    }

    /// Whether what was `begun` with has grown past three quarters of the way to the limit.
    pub(in crate::sandbox) fn is_nearly_full(&self, begun: u64) -> bool {
        let room = self.bytes.allowed.saturating_sub(begun);
        self.bytes.used.saturating_sub(begun) > room / 4 * 3
    }

    fn note(&mut self, grown: Result<(), LimitHit>) -> bool {
        match grown {
            Ok(()) => true,
            Err(hit) => {
                self.hit = Some(hit);
                false
            }
        }
    }
}

impl ResourceLimiter for MemoryBudget {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let grown = self.bytes.grow(current, desired);
        Ok(self.note(grown))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let grown = self.elements.grow(current, desired);
        Ok(self.note(grown))
    }

    fn instances(&self) -> usize {
        CORE_INSTANCES_MAX as usize
    }

    fn memories(&self) -> usize {
        MEMORIES_MAX as usize
    }

    fn tables(&self) -> usize {
        TABLES_MAX as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_memories_count_together() {
        let mut budget = MemoryBudget::new(&Limits { memory: 100, ..Limits::default() });
        assert!(budget.memory_growing(0, 60, None).unwrap());
        assert!(budget.memory_growing(0, 40, None).unwrap());
        assert!(!budget.memory_growing(40, 41, None).unwrap());
        assert_eq!(
            budget.hit().unwrap().to_string(),
            "limit `memory` reached: 101 bytes of 100 bytes allowed"
        );
    }

    #[test]
    fn all_tables_count_together() {
        let mut budget = MemoryBudget::new(&Limits { tables: 10, ..Limits::default() });
        assert!(budget.table_growing(0, 6, None).unwrap());
        assert!(!budget.table_growing(0, 5, None).unwrap());
        assert_eq!(
            budget.hit().unwrap().to_string(),
            "limit `tables` reached: 11 elements of 10 elements allowed"
        );
    }
}
