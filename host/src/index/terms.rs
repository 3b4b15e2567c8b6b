//! From text to words, for documents and queries alike.
//!
//! SQLite's `unicode61` splits text at what is no letter, digit or mark, and takes away case and accents. Scripts that
//! put no spaces between words, such as Chinese, Japanese and Thai, would be one long word to it. So their characters are
//! given to it one by one and in pairs: 東京都 becomes 東 東京 京 京都 都. A query for one character finds it, and a longer
//! one is asked for by its pairs. SQLite's `trigram` would find nothing shorter than three characters, which most words
//! of these scripts are, and `cat` in `concatenate`.

/// Words of a query that are looked for. What follows is left away: a question has fewer.
const WORDS_MAX: usize = 64;

/// A piece of text: characters of a script without spaces, or anything else.
enum Piece<'t> {
    Unspaced(&'t str),
    Spaced(&'t str),
}

/// Whether a character belongs to a script that puts no spaces between words. Korean does, but ends its words in
/// syllables that change.
fn is_unspaced(char: char) -> bool {
    matches!(char,
        '\u{0E00}'..='\u{0EFF}' // Thai, Lao
        | '\u{1000}'..='\u{109F}' // Burmese
        | '\u{1780}'..='\u{17FF}' // Khmer
        | '\u{3005}'..='\u{3007}' // marks of Han
        | '\u{3040}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' // Kana
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' // Han
        | '\u{AC00}'..='\u{D7AF}' // Hangul
        | '\u{FF66}'..='\u{FF9F}' // narrow Kana
        | '\u{20000}'..='\u{3FFFF}' // rare Han
    )
}

/// The pieces of a text, in order.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let unspaced = is_unspaced(rest.chars().next()?);
        let end = rest.find(|char| is_unspaced(char) != unspaced).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(if unspaced { Piece::Unspaced(piece) } else { Piece::Spaced(piece) })
    })
}

/// The pairs of neighbours in a text.
fn pairs(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.char_indices().map(|(start, _)| start);
    let ends = text.char_indices().skip(2).map(|(end, _)| end).chain([text.len()]);
    starts.zip(ends).filter_map(|(start, end)| text.get(start..end)).filter(|pair| pair.chars().count() == 2)
}

/// A document's text as `unicode61` is to read it.
pub(super) fn indexed(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + text.len() / 8);
    for piece in pieces(text) {
        match piece {
            Piece::Spaced(piece) => words.push_str(piece),
            Piece::Unspaced(piece) => {
                for (start, char) in piece.char_indices() {
                    words.push(' ');
                    words.push(char);
                    if let Some(pair) = pairs(piece.get(start..).unwrap_or_default()).next() {
                        words.push(' ');
                        words.push_str(pair);
                    }
                }
                words.push(' ');
            }
        }
    }
    words
}

/// The words of a query, as an expression for FTS5 that finds any of them; `None` if it has none.
///
/// Each stands in quotes, in which nothing has a meaning but the quote itself.
pub(super) fn expression(query: &str) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    for word in query.split(|char: char| char.is_whitespace() || char.is_control()) {
        for piece in pieces(word) {
            for word in asked(piece) {
                if words.len() == WORDS_MAX {
                    break;
                }
                let word = format!("\"{}\"", word.replace('"', "\"\""));
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
    }
    (!words.is_empty()).then(|| words.join(" OR "))
}

/// What a piece of a query asks for.
fn asked(piece: Piece<'_>) -> Vec<&str> {
    match piece {
        Piece::Spaced(piece) if piece.chars().any(char::is_alphanumeric) => vec![piece],
        Piece::Spaced(_) => Vec::new(),
        Piece::Unspaced(piece) => {
            let pairs: Vec<&str> = pairs(piece).collect();
            if pairs.is_empty() { vec![piece] } else { pairs }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_without_spaces_become_characters_and_pairs() {
        assert_eq!(indexed("see 東京都!"), "see  東 東京 京 京都 都 !");
        assert_eq!(indexed("naïve"), "naïve");
        assert_eq!(indexed("語"), " 語 ");
        assert_eq!(indexed(""), "");
    }

    #[test]
    fn a_query_is_words_and_nothing_else() {
        assert_eq!(expression("two words").as_deref(), Some("\"two\" OR \"words\""));
        assert_eq!(expression("a OR a NOT b*").as_deref(), Some("\"a\" OR \"OR\" OR \"NOT\" OR \"b*\""));
        assert_eq!(expression("say \"hi\"").as_deref(), Some("\"say\" OR \"\"\"hi\"\"\""));
        assert_eq!(expression("東京都").as_deref(), Some("\"東京\" OR \"京都\""));
        assert_eq!(expression("東").as_deref(), Some("\"東\""));
        assert_eq!(expression("x東").as_deref(), Some("\"x\" OR \"東\""));
        assert_eq!(expression(" \0 - \" ( "), None);
        let many: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        assert_eq!(expression(&many.join(" ")).map(|words| words.split(" OR ").count()), Some(WORDS_MAX));
    }
}
