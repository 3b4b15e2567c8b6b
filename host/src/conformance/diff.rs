//! The difference of two texts, line by line.

/// How many lines around a difference are shown.
const AROUND: usize = 2;

/// How many pairs of lines are compared at most. Texts that differ in more are shown one behind the other.
const PAIRS_MAX: usize = 4 << 20;

/// A line of a difference.
#[derive(Clone, Copy)]
enum Line<'a> {
    Same(&'a str),
    Expected(&'a str),
    Seen(&'a str),
}

/// The lines in which two texts differ: `-` for one that was expected, `+` for one that was seen, with a little around of what
/// is the same. `None` when they are the same.
pub(super) fn diff(expected: &str, seen: &str) -> Option<String> {
    if expected == seen {
        return None;
    }
    let (expected, seen): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), seen.lines().collect());
    let lines = lines(&expected, &seen);
    let differs = |line: &Line<'_>| !matches!(line, Line::Same(_));
    let shown = |at: usize| {
        let near = lines.get(at.saturating_sub(AROUND)..lines.len().min(at + AROUND + 1));
        near.unwrap_or_default().iter().any(differs)
    };
    let shown = lines.iter().enumerate().filter(|(at, _)| shown(*at)).map(|(_, line)| match line {
        Line::Same(line) => format!("  {line}"),
        Line::Expected(line) => format!("- {line}"),
        Line::Seen(line) => format!("+ {line}"),
    });
    Some(shown.collect::<Vec<_>>().join("\n"))
}

/// Both texts in one, with the longest common part once.
fn lines<'a>(expected: &[&'a str], seen: &[&'a str]) -> Vec<Line<'a>> {
    let common = common(expected, seen);
    let length = |at: usize, to: usize| common.get(at).and_then(|row| row.get(to)).copied().unwrap_or(0);
    let (mut at, mut to) = (0, 0);
    let mut lines = Vec::new();
    loop {
        match (expected.get(at), seen.get(to)) {
            (Some(line), Some(other)) if line == other => {
                lines.push(Line::Same(line));
                (at, to) = (at + 1, to + 1);
            }
            (Some(line), other) if other.is_none() || length(at + 1, to) >= length(at, to + 1) => {
                lines.push(Line::Expected(line));
                at += 1;
            }
            (_, Some(other)) => {
                lines.push(Line::Seen(other));
                to += 1;
            }
            _ => return lines,
        }
    }
}

/// The length of the longest common part of what is behind each pair of lines; empty when there are too many pairs.
fn common(expected: &[&str], seen: &[&str]) -> Vec<Vec<u32>> {
    if expected.len().saturating_mul(seen.len()) > PAIRS_MAX {
        return Vec::new();
    }
    let mut rows = vec![vec![0; seen.len() + 1]];
    for line in expected.iter().rev() {
        let mut row = vec![0];
        let below = rows.last().map(Vec::as_slice).unwrap_or_default();
        // From behind: what was added last is the pair after this one.
        for (pair, other) in below.windows(2).zip(seen.iter().rev()) {
            let [after, aside] = *pair else { continue };
            let next = row.last().copied().unwrap_or(0);
            row.push(if line == other { after + 1 } else { aside.max(next) });
        }
        rows.push(row);
    }
    rows.reverse();
    rows.iter_mut().for_each(|row| row.reverse());
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown_with_a_little_around() {
        let found = diff("a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nX\nY\ne\nf\ng\n").unwrap_or_default();
        assert_eq!(found, "  b\n  c\n- d\n+ X\n+ Y\n  e\n  f");
        assert_eq!(diff("a\n", "a\n"), None);
        assert_eq!(diff("", "a\n").unwrap_or_default(), "+ a");
        assert_eq!(diff("a\n", "").unwrap_or_default(), "- a");
    }

    #[test]
    fn what_is_the_same_between_two_differences_is_the_same() {
        let found = diff("a\n1\n2\n3\n4\n5\nz\n", "b\n1\n2\n3\n4\n5\ny\n").unwrap_or_default();
        assert_eq!(found, "- a\n+ b\n  1\n  2\n  4\n  5\n- z\n+ y");
        let moved = diff("a\nb\nc\n", "b\nc\na\n").unwrap_or_default();
        assert_eq!(moved, "- a\n  b\n  c\n+ a");
    }
}
