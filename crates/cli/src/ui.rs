//! Everything that is printed goes through here.
//!
//! Results go to stdout, notes and errors to stderr. Styles are always written
//! and the streams take them off where there is no terminal, or where the
//! environment or `--color` says so. With `--json` the notes are part of the
//! document instead. There is no progress display: a count of a large
//! repository ends before one would be read.

use std::io::{self, BufWriter, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use loadline::{Note, Precision};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::args::{Color, GlobalArgs};

/// The version of the JSON documents.
const SCHEMA: u32 = 1;

/// Headings and totals.
pub(crate) const STRONG: Style = Style::new().bold();
/// What may be overlooked.
pub(crate) const FAINT: Style = Style::new().dimmed();

const ERROR: Style = AnsiColor::Red.on_default().bold();
const NOTE: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Green.on_default().bold();

/// The two streams, and what was said about them.
pub(crate) struct Ui {
    stdout: BufWriter<AutoStream<StdoutLock<'static>>>,
    stderr: AutoStream<io::Stderr>,
    quiet: bool,
    json: bool,
    /// Notes that wait for the document; only with `--json`.
    notes: Vec<Note>,
}

impl Ui {
    /// Opens the streams.
    pub(crate) fn new(global: &GlobalArgs) -> Ui {
        let choice = match global.color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Ui {
            stdout: BufWriter::new(AutoStream::new(io::stdout().lock(), choice)),
            stderr: AutoStream::new(io::stderr(), choice),
            quiet: global.quiet,
            json: global.json,
            notes: Vec::new(),
        }
    }

    /// Tells whether a JSON document was asked for.
    pub(crate) fn wants_json(&self) -> bool {
        self.json
    }

    /// Returns where results are written.
    pub(crate) fn out(&mut self) -> &mut impl Write {
        &mut self.stdout
    }

    /// Says what is worth knowing but stopped nothing.
    pub(crate) fn notes(&mut self, notes: impl IntoIterator<Item = Note>) {
        let notes = notes.into_iter();
        if self.json {
            self.notes.extend(notes);
        } else if !self.quiet {
            notes.for_each(|note| self.print_note(&note));
        }
    }

    /// Writes the document of a command, with the notes so far.
    pub(crate) fn json(&mut self, body: &impl Serialize) -> io::Result<()> {
        let notes = std::mem::take(&mut self.notes);
        let notes = notes.into_iter().map(|note| NoteJson {
            subject: note.subject,
            message: note.message,
        });
        let document = Document {
            schema: SCHEMA,
            body,
            notes: notes.collect(),
        };
        serde_json::to_writer_pretty(&mut self.stdout, &document)?;
        self.stdout.write_all(b"\n")
    }

    /// Writes out what is buffered.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }

    /// Says why the command failed, after all that was written before.
    pub(crate) fn error(&mut self, code: &str, message: &str, hint: Option<&str>) {
        let _ = self.stdout.flush();
        let notes = std::mem::take(&mut self.notes);
        if !self.quiet {
            notes.iter().for_each(|note| self.print_note(note));
        }
        let message = escape_control(message);
        // Where stderr is closed, the exit code has to do.
        let _ = writeln!(self.stderr, "{ERROR}error[{code}]{ERROR:#}: {message}");
        if let Some(hint) = hint {
            let hint = escape_control(hint);
            let _ = writeln!(self.stderr, "  {HINT}hint{HINT:#}: {hint}");
        }
    }

    fn print_note(&mut self, note: &Note) {
        let text = escape_control(&note.to_string());
        let _ = writeln!(self.stderr, "{NOTE}note{NOTE:#}: {text}");
    }
}

#[derive(Serialize)]
struct Document<'a, T: Serialize> {
    schema: u32,
    #[serde(flatten)]
    body: &'a T,
    notes: Vec<NoteJson>,
}

#[derive(Serialize)]
struct NoteJson {
    subject: String,
    message: String,
}

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
        Table {
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
        }
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

/// Writes a number with commas between thousands.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes a number and its noun, in the plural unless there is one.
pub(crate) fn plural(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", thousands(number))
}

/// Writes part of a whole as a percentage with one digit after the point.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    let percent = if whole == 0 {
        0.0
    } else {
        part as f64 * 100.0 / whole as f64
    };
    format!("{percent:.1} %")
}

/// Escapes what would move the cursor or recolour a terminal, such as in the name of a file.
pub(crate) fn escape_control(text: &str) -> String {
    let escape = |character: char| match character.is_control() {
        true => character.escape_default().to_string(),
        false => character.to_string(),
    };
    text.chars().map(escape).collect()
}

/// Says how sure a counter is.
pub(crate) fn precision_words(precision: Precision) -> &'static str {
    match precision {
        Precision::Exact => "exact",
        Precision::Reconstructed => "reconstructed: unofficial, within about 0.1 %",
        Precision::Calibrated => "calibrated: an estimate fitted to bills, within about 3 %",
        Precision::Heuristic => "heuristic: a rule of thumb, off by up to 40 %",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_345_678, "12,345,678"),
        ] {
            assert_eq!(thousands(number), text);
        }
        assert_eq!(plural(1, "file"), "1 file");
        assert_eq!(plural(2_000, "file"), "2,000 files");
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(0, 0), "0.0 %");
    }

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

    #[test]
    fn control_characters_are_shown_not_obeyed() {
        assert_eq!(escape_control("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\nc");
        assert_eq!(escape_control("日本 é"), "日本 é");
    }
}
