//! A count with its bound.

use super::limit_hit::LimitHit;

/// How much of something was used in this hook call, and how much may be.
#[derive(Debug)]
pub(super) struct Count {
    limit: &'static str,
    unit: &'static str,
    allowed: u64,
    used: u64,
}

impl Count {
    /// A count of the limit with this name; `unit` follows its numbers.
    pub(super) fn new(limit: &'static str, unit: &'static str, allowed: u64) -> Self {
        Self { limit, unit, allowed, used: 0 }
    }

    pub(super) fn begin(&mut self) {
        self.used = 0;
    }

    pub(super) fn add(&mut self, more: u64) -> Result<(), LimitHit> {
        self.used = self.used.saturating_add(more);
        self.check()
    }

    pub(super) fn used(&self) -> u64 {
        self.used
    }

    pub(super) fn check(&self) -> Result<(), LimitHit> {
        self.check_with(0)
    }

    /// Whether so much more could be used. Nothing is counted.
    pub(super) fn check_with(&self, more: u64) -> Result<(), LimitHit> {
        let used = self.used.saturating_add(more);
        if used <= self.allowed { Ok(()) } else { Err(self.hit(used)) }
    }

    #[cold]
    fn hit(&self, used: u64) -> LimitHit {
        LimitHit {
            limit: self.limit,
            allowed: format!("{}{}", self.allowed, self.unit),
            used: format!("{used}{}", self.unit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_that_is_allowed_passes_and_the_next_is_named() {
        let mut count = Count::new("bytes-copied", " bytes", 10);
        count.add(10).unwrap();
        let hit = count.add(1).unwrap_err();
        assert_eq!(hit.to_string(), "limit `bytes-copied` reached: 11 bytes of 10 bytes allowed");
        count.begin();
        count.add(10).unwrap();
        assert!(count.add(u64::MAX).is_err(), "no sum wraps around");
    }
}
