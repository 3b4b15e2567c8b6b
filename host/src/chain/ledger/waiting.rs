//! Notes until somebody takes them: of each layer so many of a kind, so that none drowns those of another, nor its own
//! that weigh more.

use std::collections::{BTreeMap, VecDeque};

use super::note::{Note, NoteKind};

/// How many notes of one layer and one share wait; more are counted and dropped.
pub(super) const WAITING_MAX: u32 = 1_000;

/// Notes that are bounded together.
#[derive(Clone, Copy)]
enum Share {
    Lines,
    Denials,
    Records,
    Deeds,
    Faults,
}

impl Share {
    const ALL: [Self; 5] = [Self::Lines, Self::Denials, Self::Records, Self::Deeds, Self::Faults];

    /// Whose share a note is; none for those of which a reply has a few at most.
    fn of(kind: &NoteKind) -> Option<Self> {
        match kind {
            NoteKind::Log { .. } => Some(Self::Lines),
            NoteKind::Denied { .. } => Some(Self::Denials),
            NoteKind::Span { .. } | NoteKind::Count { .. } => Some(Self::Records),
            NoteKind::ToolCall { .. } | NoteKind::AgentRun { .. } => Some(Self::Deeds),
            NoteKind::Fault { .. } | NoteKind::Skipped { .. } => Some(Self::Faults),
            NoteKind::TakenOut { .. } | NoteKind::Out { .. } | NoteKind::RolledBack { .. } => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Lines => "log lines",
            Self::Denials => "denials",
            Self::Records => "spans and counts",
            Self::Deeds => "tool calls and runs of agents",
            Self::Faults => "faults",
        }
    }
}

/// One share of one layer.
#[derive(Debug, Default)]
struct Room {
    waiting: u32,
    dropped: u64,
}

/// The notes that wait.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// Each with the number of the last event before it.
    notes: VecDeque<(u64, Note)>,
    /// The shares of each layer.
    rooms: BTreeMap<String, [Room; Share::ALL.len()]>,
    dropped: bool,
}

impl Waiting {
    /// Adds a note that was made after this event, if its share has room.
    pub(super) fn push(&mut self, after: u64, layer: &str, kind: NoteKind) {
        if let Some(share) = Share::of(&kind) {
            let room = self.room(layer, share);
            if room.waiting >= WAITING_MAX {
                room.dropped += 1;
                self.dropped = true;
                return;
            }
            room.waiting += 1;
        }
        self.notes.push_back((after, Note { layer: layer.to_owned(), kind }));
    }

    /// Whether there is a note that was made before this event.
    pub(super) fn has(&self, event: u64) -> bool {
        self.notes.front().map_or(self.dropped, |(after, _)| *after < event)
    }

    /// The oldest note; behind the last one, a remark on those of each layer that were dropped.
    pub(super) fn next(&mut self) -> Option<Note> {
        let Some((_, note)) = self.notes.pop_front() else { return self.next_remark() };
        if let Some(share) = Share::of(&note.kind) {
            self.room(&note.layer, share).waiting -= 1;
        }
        Some(note)
    }

    fn room(&mut self, layer: &str, share: Share) -> &mut Room {
        &mut self.rooms.entry(layer.to_owned()).or_default()[share as usize]
    }

    fn next_remark(&mut self) -> Option<Note> {
        for (layer, rooms) in &mut self.rooms {
            for (share, room) in Share::ALL.into_iter().zip(rooms) {
                let dropped = std::mem::take(&mut room.dropped);
                if dropped > 0 {
                    let message = format!(
                        "{dropped} more {} were dropped: {WAITING_MAX} were waiting to be shown",
                        share.name()
                    );
                    return Some(Note {
                        layer: layer.clone(),
                        kind: NoteKind::Log { level: "warn", message },
                    });
                }
            }
        }
        self.dropped = false;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> NoteKind {
        NoteKind::Log { level: "info", message: text.to_owned() }
    }

    fn fault() -> NoteKind {
        NoteKind::Fault { hook: "on-reply", cause: "it broke".to_owned() }
    }

    fn all(waiting: &mut Waiting) -> Vec<Note> {
        std::iter::from_fn(|| waiting.next()).collect()
    }

    #[test]
    fn a_layer_that_says_too_much_drowns_neither_others_nor_what_weighs_more() {
        let mut waiting = Waiting::default();
        for _ in 0..10 * WAITING_MAX {
            waiting.push(0, "loud", line("again"));
            waiting.push(0, "loud", NoteKind::Denied { capability: "http", object: "again".to_owned() });
        }
        waiting.push(0, "quiet", line("once"));
        waiting.push(0, "quiet", fault());
        waiting.push(0, "loud", fault());
        let notes = all(&mut waiting);
        let told =
            |layer: &str, kind: &NoteKind| notes.iter().any(|note| note.layer == layer && note.kind == *kind);
        assert!(told("quiet", &line("once")) && told("quiet", &fault()) && told("loud", &fault()));
        for what in ["log lines", "denials"] {
            let message = format!("9000 more {what} were dropped: 1000 were waiting to be shown");
            assert!(told("loud", &NoteKind::Log { level: "warn", message }), "{what}");
        }
        assert_eq!(notes.len(), 2 * 1_000 + 3 + 2);
        assert!(!waiting.has(u64::MAX), "what was told is told once");
    }

    #[test]
    fn what_was_taken_makes_room() {
        let mut waiting = Waiting::default();
        for _ in 0..3 {
            (0..WAITING_MAX).for_each(|_| waiting.push(0, "a", line("again")));
            assert_eq!(all(&mut waiting).len(), 1_000, "none was dropped");
        }
    }

    #[test]
    fn a_note_is_there_for_the_events_behind_it() {
        let mut waiting = Waiting::default();
        waiting.push(5, "a", line("after five events"));
        assert!(!waiting.has(5) && waiting.has(6));
    }
}
