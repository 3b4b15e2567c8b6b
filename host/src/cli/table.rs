//! Aligned columns.

use unicode_width::UnicodeWidthStr as _;

/// Rows of text under a header.
#[derive(Debug)]
pub struct Table {
    /// Per column, whether it is aligned right.
    right: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table of these columns; those that begin with `>` are aligned right.
    pub fn new(columns: &[&str]) -> Self {
        let right = columns.iter().map(|column| column.starts_with('>')).collect();
        let header = columns.iter().map(|column| column.trim_start_matches('>').to_owned()).collect();
        Self { right, rows: vec![header] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines, each with its end; no trailing spaces.
    pub fn render(&self) -> String {
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.right.len()).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).zip(&self.right).map(|((cell, width), right)| {
                let pad = " ".repeat(width.saturating_sub(cell.width()));
                if *right { format!("{pad}{cell}") } else { format!("{cell}{pad}") }
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}
