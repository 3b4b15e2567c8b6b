//! Notes until somebody takes them: of each layer so many of a kind, so that none drowns those of another, nor its own
//! that weigh more.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::note::{Note, NoteKind};

/// How many notes of one layer and one share wait; more are counted and dropped.
pub(super) const WAITING_MAX: u32 = 1_000;

/// How many denials of one layer are known again. Past these, one that is new is taken for a repeated one.
const DENIALS_MAX: usize = 1_000;

/// Notes that are bounded together.
#[derive(Clone, Copy, Debug)]
enum Share {
    Lines,
    Repeats,
    Records,
    ToolCalls,
    Faults,
}

impl Share {
    const ALL: [Self; 5] = [Self::Lines, Self::Repeats, Self::Records, Self::ToolCalls, Self::Faults];

    fn name(self) -> &'static str {
        match self {
            Self::Lines => "log lines",
            Self::Repeats => "repeated denials",
            Self::Records => "spans and counts",
            Self::ToolCalls => "tool calls",
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

/// What is known of one layer.
#[derive(Debug, Default)]
struct Known {
    rooms: [Room; Share::ALL.len()],
    /// What it was denied, so that the first denial of each is told however often another one is repeated.
    denied: BTreeSet<(&'static str, String)>,
}

impl Known {
    /// Whose share a note is; none for those whose number is bounded elsewhere: first denials here, runs of agents in the
    /// whole reply, and of the others a reply has a few at most.
    fn share(&mut self, kind: &NoteKind) -> Option<Share> {
        match kind {
            NoteKind::Log { .. } => Some(Share::Lines),
            NoteKind::Denied { capability, object } => {
                let first = self.is_first((*capability, object.clone()));
                (!first).then_some(Share::Repeats)
            }
            NoteKind::Span { .. } | NoteKind::Count { .. } => Some(Share::Records),
            NoteKind::ToolCall { .. } => Some(Share::ToolCalls),
            NoteKind::Fault { .. } | NoteKind::Skipped { .. } => Some(Share::Faults),
            NoteKind::AgentRun { .. }
            | NoteKind::TakenOut { .. }
            | NoteKind::Out { .. }
            | NoteKind::RolledBack { .. } => None,
        }
    }

    /// Whether it is denied this for the first time. From then on it is known.
    fn is_first(&mut self, denial: (&'static str, String)) -> bool {
        self.denied.len() < DENIALS_MAX && self.denied.insert(denial)
    }
}

/// The notes that wait.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// Each with the number of the last event before it, and the share it takes room of.
    notes: VecDeque<(u64, Option<Share>, Note)>,
    layers: BTreeMap<String, Known>,
    dropped: bool,
}

impl Waiting {
    /// Adds a note that was made after this event, if its share has room.
    pub(super) fn push(&mut self, after: u64, layer: &str, kind: NoteKind) {
        let known = self.layers.entry(layer.to_owned()).or_default();
        let share = known.share(&kind);
        if let Some(share) = share {
            let room = &mut known.rooms[share as usize];
            if room.waiting >= WAITING_MAX {
                room.dropped += 1;
                self.dropped = true;
                return;
            }
            room.waiting += 1;
        }
        self.notes.push_back((after, share, Note { layer: layer.to_owned(), kind }));
    }

    /// Whether there is a note that was made before this event.
    pub(super) fn has(&self, event: u64) -> bool {
        self.notes.front().map_or(self.dropped, |(after, ..)| *after < event)
    }

    /// The oldest note; behind the last one, a remark on those of each layer that were dropped.
    pub(super) fn next(&mut self) -> Option<Note> {
        let Some((_, share, note)) = self.notes.pop_front() else { return self.next_remark() };
        if let (Some(share), Some(known)) = (share, self.layers.get_mut(&note.layer)) {
            known.rooms[share as usize].waiting -= 1;
        }
        Some(note)
    }

    fn next_remark(&mut self) -> Option<Note> {
        for (layer, known) in &mut self.layers {
            for (share, room) in Share::ALL.into_iter().zip(&mut known.rooms) {
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
    use crate::event::Outcome;

    fn line(text: &str) -> NoteKind {
        NoteKind::Log { level: "info", message: text.to_owned() }
    }

    fn fault() -> NoteKind {
        NoteKind::Fault { hook: "on-reply", cause: "it broke".to_owned() }
    }

    fn denied(capability: &'static str, object: impl ToString) -> NoteKind {
        NoteKind::Denied { capability, object: object.to_string() }
    }

    fn all(waiting: &mut Waiting) -> Vec<Note> {
        std::iter::from_fn(|| waiting.next()).collect()
    }

    #[test]
    fn a_layer_that_says_too_much_drowns_neither_others_nor_what_weighs_more() {
        let mut waiting = Waiting::default();
        for _ in 0..10 * WAITING_MAX {
            waiting.push(0, "loud", line("again"));
            waiting.push(0, "loud", denied("http", "again"));
        }
        waiting.push(0, "quiet", line("once"));
        waiting.push(0, "quiet", fault());
        waiting.push(0, "loud", fault());
        let notes = all(&mut waiting);
        let told =
            |layer: &str, kind: &NoteKind| notes.iter().any(|note| note.layer == layer && note.kind == *kind);
        assert!(told("quiet", &line("once")) && told("quiet", &fault()) && told("loud", &fault()));
        for what in ["9000 more log lines", "8999 more repeated denials"] {
            let message = format!("{what} were dropped: 1000 were waiting to be shown");
            assert!(told("loud", &NoteKind::Log { level: "warn", message }), "{what}");
        }
        assert_eq!(notes.len(), 2 * 1_000 + 1 + 3 + 2);
        assert!(!waiting.has(u64::MAX), "what was told is told once");
    }

    #[test]
    fn what_a_layer_does_first_and_what_is_bounded_elsewhere_is_never_dropped() {
        let run = || NoteKind::AgentRun {
            agent: "helper".to_owned(),
            session_id: "agent-1".to_owned(),
            outcome: Outcome::Replied,
        };
        let call = || NoteKind::ToolCall { tool: "look".to_owned(), outcome: "success".to_owned() };
        let mut waiting = Waiting::default();
        for _ in 0..10 * WAITING_MAX {
            waiting.push(0, "loud", denied("http", "again"));
            waiting.push(0, "loud", call());
        }
        waiting.push(0, "loud", denied("tools", "shell"));
        waiting.push(0, "loud", run());
        let notes = all(&mut waiting);
        assert!(notes.iter().any(|note| note.kind == denied("tools", "shell")));
        assert!(notes.iter().any(|note| note.kind == run()));
        waiting.push(0, "loud", denied("http", "again"));
        assert_eq!(all(&mut waiting).len(), 1, "a repeated one is told while there is room");
    }

    #[test]
    fn denials_that_all_differ_are_bounded_as_well() {
        let mut waiting = Waiting::default();
        (0..3_000).for_each(|number| waiting.push(0, "a", denied("http", number)));
        waiting.push(0, "b", denied("http", 0));
        let notes = all(&mut waiting);
        assert_eq!(notes.len(), DENIALS_MAX + 1_000 + 1 + 1);
        let remark = "1000 more repeated denials were dropped: 1000 were waiting to be shown";
        assert_eq!(
            notes.last().map(|note| &note.kind),
            Some(&NoteKind::Log { level: "warn", message: remark.to_owned() })
        );
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
