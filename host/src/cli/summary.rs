//! What each layer did during a reply, one line a layer.

use std::collections::BTreeMap;

use cepa::chain::{HookKind, LayerLine, Note, NoteKind};

use super::table::Table;

/// Counts the notes of a reply by layer.
#[derive(Debug, Default)]
pub struct NoteCounts(BTreeMap<String, Counted>);

#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    log_lines: u64,
    faults: u64,
    skips: u64,
    denials: u64,
    tool_calls: u64,
}

impl NoteCounts {
    /// Counts a note.
    pub fn add(&mut self, note: &Note) {
        let counted = self.0.entry(note.layer.clone()).or_default();
        match &note.kind {
            NoteKind::Log { .. } => counted.log_lines += 1,
            NoteKind::Fault { .. } => counted.faults += 1,
            NoteKind::Skipped { .. } => counted.skips += 1,
            NoteKind::Denied { .. } => counted.denials += 1,
            NoteKind::ToolCall { .. } => counted.tool_calls += 1,
            // Each is said in full when it happens, and there is nothing to count.
            NoteKind::TakenOut { .. }
            | NoteKind::Out { .. }
            | NoteKind::RolledBack { .. }
            | NoteKind::AgentRun { .. } => {}
            // Measurements are for programs.
            NoteKind::Span { .. } | NoteKind::Count { .. } => {}
        }
    }
}

/// The table of the layers, in the order of `names`: outermost first. Empty without layers.
pub fn layers(names: &[String], lines: &[(String, HookKind, LayerLine)], notes: &NoteCounts) -> String {
    if names.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["layer", "hooks", ">calls", ">runs", ">changed", ">ms", ">log", "notes"]);
    for name in names {
        let of_layer: Vec<_> = lines.iter().filter(|(layer, ..)| layer == name).collect();
        let hooks: Vec<&str> = of_layer.iter().map(|(_, hook, _)| hook.name()).collect();
        let sum = |count: fn(&LayerLine) -> u64| of_layer.iter().map(|(_, _, line)| count(line)).sum::<u64>();
        let counted = notes.0.get(name).copied().unwrap_or_default();
        table.row([
            name.clone(),
            if hooks.is_empty() { "not called".to_owned() } else { hooks.join(" ") },
            sum(|line| line.calls).to_string(),
            sum(|line| line.runs).to_string(),
            changed(sum(|line| line.changed_requests), sum(|line| line.changed_responses)),
            // Hooks lie inside each other, so their sum would count time twice.
            millis(of_layer.iter().map(|(_, _, line)| line.micros).max().unwrap_or(0)),
            counted.log_lines.to_string(),
            remarks(counted, sum(|line| line.failures)),
        ]);
    }
    table.render()
}

fn changed(requests: u64, responses: u64) -> String {
    match (requests, responses) {
        (0, 0) => "-".to_owned(),
        (requests, 0) => format!("{requests} req"),
        (0, responses) => format!("{responses} resp"),
        (requests, responses) => format!("{requests} req {responses} resp"),
    }
}

fn millis(micros: u64) -> String {
    format!("{}.{}", micros / 1000, micros % 1000 / 100)
}

fn remarks(counted: Counted, failures: u64) -> String {
    let remarks = [
        (counted.faults, "faults"),
        (counted.skips, "left out"),
        (counted.denials, "denied"),
        (counted.tool_calls, "tool calls"),
        (failures.saturating_sub(counted.faults + counted.skips), "errors"),
    ];
    let remarks =
        remarks.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    remarks.collect::<Vec<_>>().join(", ")
}
