//! Words in messages: suggestions, lists, and what a user wrote.

/// ``did you mean `x`?`` for the nearest word, when one is near.
pub(crate) fn suggestion(word: &str, known: &[&str]) -> Option<String> {
    nearest(word, known).map(|known| format!("did you mean `{known}`?"))
}

/// The known word that is nearest, when one is near.
pub(super) fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    // The distance is quadratic, and no key is that long.
    if word.len() > 64 {
        return None;
    }
    known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(word, known), *known))
        .filter(|(distance, known)| *distance <= 1.max(known.len() / 3))
        .min()
        .map(|(_, known)| known)
}

/// Words as a list: `` `a`, `b` or `c` ``.
pub(super) fn listed(words: &[&str], joint: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} {joint} {last}", before.join(", ")),
        None => "none".to_owned(),
    }
}

/// A user's word in a message: short and on one line.
pub(super) fn shown(word: &str) -> String {
    let mut text: String =
        word.chars().take(64).map(|char| if char.is_control() { ' ' } else { char }).collect();
    if text.len() < word.len() {
        text.push_str("...");
    }
    text
}
