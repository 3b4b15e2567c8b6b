//! Up to which batch this process knows each session.

use std::collections::HashMap;

/// How many of the sessions that were used last are remembered at least; at most twice as many are. So whoever asks for
/// ever new sessions fills no memory. A claim keeps other processes out of a session while a reply runs there.
const SESSIONS_MIN: usize = 4_096;

/// The revisions at which this process last saw sessions.
#[derive(Debug, Default)]
pub(super) struct Seen {
    recent: HashMap<String, i64>,
    /// Those before them. A session that is in both was seen again since.
    earlier: HashMap<String, i64>,
}

impl Seen {
    /// The revision at which a session was seen last, if that is remembered.
    pub(super) fn at(&self, session_id: &str) -> Option<i64> {
        self.recent.get(session_id).or_else(|| self.earlier.get(session_id)).copied()
    }

    /// A session was seen at this revision.
    pub(super) fn note(&mut self, session_id: &str, revision: i64) {
        if self.recent.len() >= SESSIONS_MIN && !self.recent.contains_key(session_id) {
            self.earlier = std::mem::take(&mut self.recent);
        }
        self.recent.insert(session_id.to_owned(), revision);
    }
}

#[cfg(test)]
mod tests {
    use super::{SESSIONS_MIN, Seen};

    #[test]
    fn what_was_seen_last_is_remembered() {
        let mut seen = Seen::default();
        assert_eq!(seen.at("s"), None);
        seen.note("s", 1);
        seen.note("s", 2);
        (1..SESSIONS_MIN).for_each(|other| seen.note(&other.to_string(), 0));
        assert_eq!(seen.at("s"), Some(2));
        seen.note("one more", 0);
        assert_eq!(seen.at("s"), Some(2));
        seen.note("s", 3);
        assert_eq!(seen.at("s"), Some(3));
    }

    #[test]
    fn strangers_fill_no_memory() {
        let mut seen = Seen::default();
        (0..10 * SESSIONS_MIN).for_each(|stranger| seen.note(&stranger.to_string(), 0));
        assert!(seen.recent.len() + seen.earlier.len() <= 2 * SESSIONS_MIN);
        assert_eq!(seen.at("0"), None);
    }
}
