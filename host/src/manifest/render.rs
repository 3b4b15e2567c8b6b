//! Shows a problem as text: what, the line with a mark under the place, and what to do.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

use super::problem::{Label, Problem, SourceText, Span};

/// The widest excerpt of a line; of a longer one the part around the place is shown.
const WIDTH_MAX: usize = 100;

/// The problem as text without a line end.
pub fn problem(source: &SourceText, problem: &Problem) -> String {
    let mut text = format!("error: {}", problem.message);
    let mut labels: Vec<(Line<'_>, &Label, bool)> = (problem.labels.iter().enumerate())
        .map(|(index, label)| (line_at(&source.text, label.span.start), label, index == 0))
        .collect();
    let margin = labels.iter().map(|(line, ..)| line.number.to_string().len()).max().unwrap_or(1);
    match labels.first() {
        Some((line, label, _)) => {
            let column = column(line, label.span.start);
            let _ = write!(text, "\n{:margin$}--> {}:{}:{column}", "", source.name, line.number);
        }
        None => {
            let _ = write!(text, "\n{:margin$}--> {}", "", source.name);
        }
    }
    labels.sort_by_key(|(line, ..)| line.number);
    excerpts(&mut text, source, &labels, margin);
    if let Some(help) = &problem.help {
        let _ = write!(text, "\n{:margin$} = hint: {help}", "");
    }
    if let Some(detail) = &problem.detail {
        let _ = write!(text, "\n\n{}", detail.trim_end());
    }
    text
}

fn excerpts(text: &mut String, source: &SourceText, labels: &[(Line<'_>, &Label, bool)], margin: usize) {
    let mut last = None;
    if !labels.is_empty() {
        let _ = write!(text, "\n{:margin$} |", "");
    }
    for (line, label, main) in labels {
        if last.is_some_and(|last| last + 1 < line.number) {
            text.push_str("\n...");
        }
        let shown = Shown::of(line, &label.span, &source.secrets);
        if last != Some(line.number) {
            let row = format!("{:>margin$} | {}", line.number, shown.text);
            let _ = write!(text, "\n{}", row.trim_end());
        }
        let mark = if *main { "^" } else { "-" };
        let marks = mark.repeat(shown.marked.max(1));
        let under = format!("{:indent$}{marks} {}", "", label.text, indent = shown.indent);
        let _ = write!(text, "\n{:margin$} | {}", "", under.trim_end());
        last = Some(line.number);
    }
}

/// A line of the text.
struct Line<'t> {
    /// From 1.
    number: usize,
    /// Where it begins in the text.
    start: usize,
    text: &'t str,
}

fn line_at(text: &str, offset: usize) -> Line<'_> {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let (before, after) = text.split_at(offset);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = after.find('\n').map_or(text.len(), |at| offset + at);
    Line {
        number: before.matches('\n').count() + 1,
        start,
        text: text.get(start..end).unwrap_or_default().trim_end_matches('\r'),
    }
}

/// The column of a place in its line, from 1, in characters.
fn column(line: &Line<'_>, offset: usize) -> usize {
    line.text.char_indices().take_while(|(at, _)| line.start + at < offset).count() + 1
}

/// A line as it is shown, and where the mark stands below it, in terminal columns.
struct Shown {
    text: String,
    indent: usize,
    marked: usize,
}

impl Shown {
    fn of(line: &Line<'_>, span: &Span, secrets: &[Span]) -> Self {
        let words = mask_words(line.text);
        let hidden = |at: usize| {
            words.iter().any(|range| range.contains(&at))
                || secrets.iter().any(|range| range.contains(&(line.start + at)))
        };
        let mut cells: Vec<Cell> = Vec::new();
        let mut masking = false;
        for (at, char) in line.text.char_indices() {
            let marked = span.contains(&(line.start + at));
            if hidden(at) {
                if !masking {
                    cells.extend(['*'; 3].map(|char| Cell { char, marked }));
                }
                masking = true;
                continue;
            }
            masking = false;
            let char = if char.is_control() { ' ' } else { char };
            cells.push(Cell { char, marked });
        }
        Self::from_cells(&cells)
    }

    fn from_cells(cells: &[Cell]) -> Self {
        let first = cells.iter().position(|cell| cell.marked).unwrap_or(cells.len());
        let start = if cells.len() > WIDTH_MAX { first.saturating_sub(WIDTH_MAX / 2) } else { 0 };
        let end = cells.len().min(start + WIDTH_MAX);
        let shown = cells.get(start..end).unwrap_or_default();
        let width = |cells: &mut dyn Iterator<Item = &Cell>| -> usize { cells.map(Cell::width).sum() };
        let mut text: String = shown.iter().map(|cell| cell.char).collect();
        let mut indent = width(&mut shown.iter().take(first - start));
        if start > 0 {
            text.insert_str(0, "... ");
            indent += 4;
        }
        if end < cells.len() {
            text.push_str(" ...");
        }
        Self {
            text: text.trim_end().to_owned(),
            indent,
            marked: width(&mut shown.iter().filter(|cell| cell.marked)),
        }
    }
}

struct Cell {
    char: char,
    marked: bool,
}

impl Cell {
    fn width(&self) -> usize {
        self.char.width().unwrap_or(0)
    }
}

/// Words whose values are never shown, even where the text is no TOML and no value could be told.
const SECRET_WORDS: [&str; 6] = ["api-key", "api_key", "apikey", "authorization", "password", "secret"];

/// The ranges of a line that stand behind such a word and an equals sign.
fn mask_words(line: &str) -> Vec<Span> {
    let lower = line.to_ascii_lowercase();
    let mut ranges = Vec::new();
    for word in SECRET_WORDS {
        for (at, _) in lower.match_indices(word) {
            let after = at + word.len();
            let rest = line.get(after..).unwrap_or_default();
            let gap = rest.len() - rest.trim_start_matches(['"', '\'', ' ', '\t']).len();
            if rest.get(gap..).is_some_and(|rest| rest.starts_with('=')) {
                ranges.extend(value_range(line, after + gap + 1));
            }
        }
    }
    ranges
}

/// The value that begins here, unless it is a whole reference like `"${env:NAME}"`.
fn value_range(line: &str, from: usize) -> Option<Span> {
    let rest = line.get(from..)?;
    let start = from + (rest.len() - rest.trim_start().len());
    let value = line.get(start..)?;
    let quote = value.chars().next()?;
    if quote != '"' && quote != '\'' {
        return Some(start..line.len());
    }
    let inner = value.get(1..)?;
    match inner.find(quote).and_then(|end| inner.get(..end)) {
        Some(inner) if is_reference(inner) => None,
        Some(inner) if !inner.is_empty() => Some(start + 1..start + 1 + inner.len()),
        _ => Some(start..line.len()),
    }
}

/// Whether a string is nothing but one reference.
pub(super) fn is_reference(text: &str) -> bool {
    text.strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'))
        .is_some_and(|name| name.contains(':') && !name.contains(['{', '}']))
}
