//! The difference of two texts, line by line.

/// How many lines around a difference are shown.
const AROUND: usize = 2;

/// The lines in which two texts differ: `-` for one that was expected, `+` for one that was seen. What is the same before
/// and behind is left out but for a little. `None` when they are the same.
pub(super) fn diff(expected: &str, seen: &str) -> Option<String> {
    if expected == seen {
        return None;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), seen.lines().collect());
    let same_before = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) =
        (old.get(same_before..).unwrap_or_default(), new.get(same_before..).unwrap_or_default());
    let same_behind =
        old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let middle = |lines: &[&str], mark: &str| -> Vec<String> {
        let end = lines.len().saturating_sub(same_behind);
        lines.iter().take(end).map(|line| format!("{mark} {line}")).collect()
    };
    let before = old.iter().take(same_before).skip(same_before.saturating_sub(AROUND));
    let behind = old_rest.iter().skip(old_rest.len().saturating_sub(same_behind)).take(AROUND);
    let mut lines: Vec<String> = before.map(|line| format!("  {line}")).collect();
    lines.extend(middle(old_rest, "-"));
    lines.extend(middle(new_rest, "+"));
    lines.extend(behind.map(|line| format!("  {line}")));
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown_with_a_little_around() {
        let found = diff("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nX\nY\ne\nf\n").unwrap_or_default();
        assert_eq!(found, "  b\n  c\n- d\n+ X\n+ Y\n  e\n  f");
        assert_eq!(diff("a\n", "a\n"), None);
        assert_eq!(diff("", "a\n").unwrap_or_default(), "+ a");
    }
}
