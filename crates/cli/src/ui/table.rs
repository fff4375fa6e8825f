//! Tables whose columns line up.

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::{FAINT, escape_control};

/// Rows of cells, aligned by the width they have on a screen.
pub(crate) struct Table {
    /// Of each column `l` for text or `r` for numbers: the side where it is flush.
    columns: String,
    rows: Vec<(Style, Vec<String>)>,
}

impl Table {
    /// Makes a table without rows: `"lr"` has a column of text and one of numbers.
    pub(crate) fn new(columns: &str) -> Table {
        Table { columns: columns.to_owned(), rows: Vec::new() }
    }

    /// Makes a table with headings.
    pub(crate) fn headed<T: AsRef<str>>(
        columns: &str,
        heads: impl IntoIterator<Item = T>,
    ) -> Table {
        let mut table = Table::new(columns);
        table.head(heads);
        table
    }

    /// Adds a row.
    pub(crate) fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.styled(Style::new(), cells);
    }

    /// Adds a row of headings.
    pub(crate) fn head<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.styled(FAINT, cells);
    }

    /// Adds a row in a style of its own.
    pub(crate) fn styled<T: AsRef<str>>(
        &mut self,
        style: Style,
        cells: impl IntoIterator<Item = T>,
    ) {
        let cells = cells.into_iter().map(|cell| escape_control(cell.as_ref()));
        self.rows.push((style, cells.collect()));
    }

    /// Writes all rows; the last column is not padded.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut widths = vec![0; self.columns.len()];
        for (_, cells) in &self.rows {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = cell.width().max(*width);
            }
        }
        for (style, cells) in &self.rows {
            let aligned = self.columns.chars().zip(&widths);
            let padded = cells.iter().zip(aligned).map(|(cell, (align, width))| {
                let gap = " ".repeat(width - cell.width());
                match align {
                    'l' => format!("{cell}{gap}"),
                    _ => format!("{gap}{cell}"),
                }
            });
            let line = padded.collect::<Vec<_>>().join("  ");
            writeln!(out, "{style}{}{style:#}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_align_by_width_on_the_screen() {
        let mut table = Table::new("rll");
        table.row(["1", "日本", "a"]);
        table.row(["1,000", "abc", ""]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "    1  日本  a\n1,000  abc\n");
    }
}
