//! What a swap came to, in lines for a person.

use cepa::control::Refusal;
use cepa::host::{DifferenceKind, LayerDifference, OutdatedLayer, SwapReport};

use super::style::one_line;

/// How much of a hash is shown: enough to tell versions apart.
const HASH_SHOWN: usize = 12;

/// The longest line.
const LINE_MAX: usize = 400;

/// What was swapped, a line each.
pub fn report(report: &SwapReport) -> Vec<String> {
    let mut lines: Vec<String> = report.layers.iter().map(difference).collect();
    if report.permissions {
        lines.push("~ permissions, for running replies as well".to_owned());
    }
    lines.extend(report.put_back.iter().map(|layer| format!("layer `{layer}` is tried again")));
    lines.extend(report.outdated.iter().map(outdated));
    lines.extend(report.notes.iter().map(|note| one_line(note, LINE_MAX)));
    lines.push(if report.layers.is_empty() {
        format!("no layer differs; generation {} stays active", report.generation)
    } else {
        format!("generation {} is active", report.generation)
    });
    if !report.unapplied.is_empty() {
        let sections = report.unapplied.join("`, `");
        lines.push(format!("`{sections}` of the manifest differ too, and are taken up at the next start"));
    }
    lines
}

/// Why nothing was swapped, and below it what layers said meanwhile.
pub fn refusal(refusal: &Refusal) -> String {
    let notes = refusal.notes.iter().map(|note| format!("\n  {}", one_line(note, LINE_MAX)));
    std::iter::once(refusal.message.trim_end().to_owned()).chain(notes).collect()
}

fn outdated(layer: &OutdatedLayer) -> String {
    let then = match (&layer.version_after, &layer.problem) {
        (Some(after), _) if *after == layer.version_before => String::new(),
        (Some(after), _) => format!(": {} becomes {}", short(&layer.version_before), short(after)),
        (None, Some(problem)) => format!(", which would fail: {problem}"),
        (None, None) => ", and is then gone".to_owned(),
    };
    let line =
        format!("layer `{}` of a sub-agent goes on as it began until the next start{then}", layer.layer);
    one_line(&line, LINE_MAX)
}

/// How a layer differs, in one line.
pub fn difference(difference: &LayerDifference) -> String {
    let sign = match difference.kind {
        DifferenceKind::Added => '+',
        DifferenceKind::Removed => '-',
        DifferenceKind::Changed => '~',
    };
    let mut parts = Vec::new();
    if !difference.changed.is_empty() {
        parts.push(difference.changed.join(" "));
    }
    match (&difference.version_before, &difference.version_after) {
        (Some(before), Some(after)) if before == after => {}
        (Some(before), Some(after)) => parts.push(format!("{} becomes {}", short(before), short(after))),
        (None, Some(version)) | (Some(version), None) => parts.push(short(version).to_owned()),
        (None, None) => {}
    }
    for (what, names) in [
        ("new hooks", &difference.new_hooks),
        ("new imports", &difference.new_imports),
        ("new grants", &difference.new_grants),
    ] {
        if !names.is_empty() {
            parts.push(format!("{what}: {}", names.join(" ")));
        }
    }
    let line = format!("{sign} {} {}", difference.layer, parts.join("; "));
    one_line(&line, LINE_MAX)
}

/// The begin of a hash.
pub fn short(version: &str) -> &str {
    version.get(..HASH_SHOWN).unwrap_or(version)
}

#[cfg(test)]
mod tests {
    use cepa::control::Reason;

    use super::*;

    #[test]
    fn a_report_is_a_line_a_layer() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let layer = LayerDifference {
            layer: "retry".to_owned(),
            kind: DifferenceKind::Changed,
            changed: names(&["component", "grants"]),
            version_before: Some("0123456789abcdef".to_owned()),
            version_after: Some("fedcba9876543210".to_owned()),
            new_hooks: names(&["on-reply"]),
            new_imports: names(&["models"]),
            new_grants: names(&["models=backup"]),
            needs_consent: Vec::new(),
        };
        let gone = LayerDifference {
            layer: "old".to_owned(),
            kind: DifferenceKind::Removed,
            changed: Vec::new(),
            version_after: None,
            new_hooks: Vec::new(),
            new_imports: Vec::new(),
            new_grants: Vec::new(),
            ..layer.clone()
        };
        let swapped = SwapReport {
            generation: 2,
            layers: vec![layer, gone],
            permissions: true,
            put_back: names(&["rate"]),
            outdated: vec![OutdatedLayer {
                layer: "search".to_owned(),
                version_before: "0123456789abcdef".to_owned(),
                version_after: Some("fedcba9876543210".to_owned()),
                problem: None,
            }],
            notes: names(&["retry: took over\n3"]),
            unapplied: names(&["agent", "models"]),
        };
        insta::assert_snapshot!(report(&swapped).join("\n"), @r"
        ~ retry component grants; 0123456789ab becomes fedcba987654; new hooks: on-reply; new imports: models; new grants: models=backup
        - old 0123456789ab
        ~ permissions, for running replies as well
        layer `rate` is tried again
        layer `search` of a sub-agent goes on as it began until the next start: 0123456789ab becomes fedcba987654
        retry: took over 3
        generation 2 is active
        `agent`, `models` of the manifest differ too, and are taken up at the next start
        ");
        let nothing = SwapReport { generation: 2, ..SwapReport::default() };
        assert_eq!(report(&nothing), ["no layer differs; generation 2 stays active"]);
    }

    #[test]
    fn a_layer_that_goes_on_is_told_with_what_the_next_start_makes_of_it() {
        let line = |version_after: Option<&str>, problem: Option<&str>| {
            outdated(&OutdatedLayer {
                layer: "x".to_owned(),
                version_before: "1".to_owned(),
                version_after: version_after.map(str::to_owned),
                problem: problem.map(str::to_owned),
            })
        };
        let goes_on = "layer `x` of a sub-agent goes on as it began until the next start";
        assert_eq!(line(Some("1"), None), goes_on, "its configuration is another one");
        assert_eq!(line(Some("2"), None), format!("{goes_on}: 1 becomes 2"));
        assert_eq!(line(None, None), format!("{goes_on}, and is then gone"));
        assert_eq!(
            line(None, Some("can't be\nbuilt")),
            format!("{goes_on}, which would fail: can't be built")
        );
    }

    #[test]
    fn a_refusal_shows_what_layers_said_below_its_reason() {
        let refused = Refusal {
            reason: Reason::State,
            message: "layer `x` could not take over\n".to_owned(),
            layers: Vec::new(),
            notes: vec!["x: reading\nversion 1".to_owned(), "x: odd".to_owned()],
        };
        assert_eq!(refusal(&refused), "layer `x` could not take over\n  x: reading version 1\n  x: odd");
    }
}
