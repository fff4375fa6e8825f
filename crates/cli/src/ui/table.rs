//! Tables whose columns line up.

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::{FAINT, escape_control};

/// How a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Rows of cells, aligned by the width they have on a screen.
pub(crate) struct Table {
    columns: Vec<Align>,
    rows: Vec<(Style, Vec<String>)>,
}

impl Table {
    /// Makes a table without rows.
    pub(crate) fn new(columns: impl IntoIterator<Item = Align>) -> Table {
        Table { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.styled(Style::new(), cells);
    }

    /// Adds the row of headings.
    pub(crate) fn head(&mut self, cells: impl IntoIterator<Item = String>) {
        self.styled(FAINT, cells);
    }

    /// Adds a row in a style of its own.
    pub(crate) fn styled(&mut self, style: Style, cells: impl IntoIterator<Item = String>) {
        let cells = cells.into_iter().map(|cell| escape_control(&cell));
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
            let aligned = self.columns.iter().zip(&widths);
            let padded = cells.iter().zip(aligned).map(|(cell, (align, width))| {
                let gap = " ".repeat(width - cell.width());
                match align {
                    Align::Left => format!("{cell}{gap}"),
                    Align::Right => format!("{gap}{cell}"),
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
        let mut table = Table::new([Align::Right, Align::Left, Align::Left]);
        table.row(["1", "日本", "a"].map(str::to_owned));
        table.row(["1,000", "abc", ""].map(str::to_owned));
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "    1  日本  a\n1,000  abc\n");
    }
}
