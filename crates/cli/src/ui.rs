//! Prints everything that the command prints.
//!
//! Results go to stdout, remarks and errors to stderr. Styles are always written;
//! the streams strip them where there is no terminal, or where the environment or
//! `--color` says so. With `--json` the remarks are part of the document instead, and
//! an error is a document on stderr. On a terminal, long work shows a progress bar.

mod chart;
mod clipboard;
mod progress;
mod table;
mod tree;

use std::io::{self, BufRead, BufWriter, IsTerminal, StdoutLock, Write};
use std::sync::Arc;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use loadline::Remark;
pub(crate) use loadline::text::{plural, thousands};
use loadline::tokens::Precision;
use serde::Serialize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::args::{Color, GlobalArgs};

pub(crate) use chart::Chart;
pub(crate) use clipboard::{Clipboard, LIKELY_LIMIT};
pub(crate) use progress::Bar;
pub(crate) use table::Table;
pub(crate) use tree::{Sort, TokenTree, TreeView, add, bar, first};

/// The version of the JSON documents.
pub(crate) const SCHEMA: u32 = 1;

/// How many remarks are printed at once.
const REMARKS: usize = 10;

/// How many things of which the same is said are named.
const SUBJECTS: usize = 3;

/// Headings and totals.
pub(crate) const STRONG: Style = Style::new().bold();
/// What may be overlooked.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Lines that a change adds.
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
/// Lines that a change takes out.
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();

const ERROR: Style = AnsiColor::Red.on_default().bold();
const NOTE: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Green.on_default().bold();

/// The two streams, and the flags that every command has.
pub(crate) struct Ui {
    stdout: BufWriter<AutoStream<StdoutLock<'static>>>,
    stderr: AutoStream<io::Stderr>,
    global: GlobalArgs,
    /// Whether errors are documents; stays true where results are lines of JSON.
    json_errors: bool,
    /// Remarks that wait to be printed, with `--json` for the document.
    remarks: Vec<Remark>,
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
            global: global.clone(),
            json_errors: global.json,
            remarks: Vec::new(),
        }
    }

    /// Returns the flags that every command has.
    pub(crate) fn global(&self) -> &GlobalArgs {
        &self.global
    }

    /// Tells whether a JSON document was asked for.
    pub(crate) fn wants_json(&self) -> bool {
        self.global.json
    }

    /// Makes the result a JSON document, as `--json` does.
    pub(crate) fn ask_for_json(&mut self) {
        self.global.json = true;
        self.json_errors = true;
    }

    /// Tells whether JSON was asked for, where the result is one object per line.
    ///
    /// There is no document for notes then, so they go to stderr as usual.
    pub(crate) fn ask_for_lines(&mut self) -> bool {
        std::mem::take(&mut self.global.json)
    }

    /// Writes bytes as they are: a result that is not ours to style.
    ///
    /// On a terminal what would move its cursor or recolour it is escaped.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stdout.flush()?;
        if !self.is_terminal() {
            return io::stdout().write_all(bytes);
        }
        let text = String::from_utf8_lossy(bytes);
        let lines = text.split('\n').map(|line| escape_line(line.trim_end_matches('\r')));
        io::stdout().write_all(lines.collect::<Vec<_>>().join("\n").as_bytes())
    }

    /// Tells whether a person reads the results as they come.
    pub(crate) fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Returns a bar for long work, where somebody would see it.
    pub(crate) fn bar(&self) -> Option<Arc<Bar>> {
        let seen = !self.global.quiet && io::stderr().is_terminal();
        seen.then(|| Arc::new(Bar::new()))
    }

    /// Returns how many rows of a table fill a screen; none where it is not one.
    pub(crate) fn screen_rows(&self) -> Option<usize> {
        let (_, height) = terminal_size::terminal_size_of(io::stdout())?;
        // The heading, the line below the table and the next prompt.
        Some(usize::from(height.0).saturating_sub(4).max(5))
    }

    /// Returns how many columns a line may have.
    pub(crate) fn columns(&self) -> usize {
        let size = terminal_size::terminal_size_of(io::stdout());
        // Wider charts are not easier to read.
        size.map_or(80, |(width, _)| usize::from(width.0)).clamp(40, 120)
    }

    /// Returns where talk about the result is written.
    pub(crate) fn err(&mut self) -> &mut impl Write {
        &mut self.stderr
    }

    /// Asks a person; returns what they answer.
    pub(crate) fn ask(&mut self, question: &str) -> io::Result<String> {
        self.stdout.flush()?;
        write!(self.stderr, "{question} ")?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        Ok(answer.trim().to_owned())
    }

    /// Says how the work went, unless `--quiet` is given.
    pub(crate) fn say(&mut self, text: &str) {
        if !self.global.quiet {
            let text = escape_control(text);
            // Where stderr is closed, nobody is listening.
            let _ = writeln!(self.stderr, "{text}");
        }
    }

    /// Returns where results are written.
    pub(crate) fn out(&mut self) -> &mut impl Write {
        &mut self.stdout
    }

    /// Says what is worth knowing but stopped nothing.
    ///
    /// Of very many remarks the first few are printed; a document has them all.
    pub(crate) fn remarks(&mut self, remarks: impl IntoIterator<Item = Remark>) {
        self.remarks.extend(remarks);
        if !self.global.json {
            self.print_remarks();
        }
    }

    fn print_remarks(&mut self) {
        let remarks = grouped(std::mem::take(&mut self.remarks));
        if self.global.quiet {
            return;
        }
        let shown = if remarks.len() > REMARKS + 1 { REMARKS } else { remarks.len() };
        for remark in remarks.iter().take(shown) {
            self.print_remark(remark);
        }
        if shown < remarks.len() {
            let rest = plural((remarks.len() - shown) as u64, "more note");
            self.print_remark(&format!("{rest}; --json lists all"));
        }
    }

    fn print_remark(&mut self, text: &str) {
        let text = escape_control(text);
        // Where stderr is closed, nobody is listening.
        let _ = writeln!(self.stderr, "{NOTE}note{NOTE:#}: {text}");
    }

    /// Writes the document of a command, with the remarks so far.
    pub(crate) fn json(&mut self, body: &impl Serialize) -> io::Result<()> {
        let document = self.document(body)?;
        self.stdout.write_all(&document)
    }

    /// Returns the document of a command, with the remarks so far.
    pub(crate) fn document(&mut self, body: &impl Serialize) -> io::Result<Vec<u8>> {
        let remarks = self.take_remarks();
        to_json(&Document { schema: SCHEMA, body, remarks })
    }

    /// Returns the remarks so far, for a document that has its own place for them.
    pub(crate) fn take_remarks(&mut self) -> Vec<Remark> {
        std::mem::take(&mut self.remarks)
    }

    /// Writes out what is buffered.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }

    /// Reports why the command failed, after flushing what was written before.
    pub(crate) fn error(&mut self, code: &str, message: &str, hint: Option<&str>) {
        let _ = self.stdout.flush();
        if self.json_errors {
            let remarks = std::mem::take(&mut self.remarks);
            return print_json_error(code, message, hint, remarks);
        }
        self.print_remarks();
        let message = escape_control(message);
        // Where stderr is closed, the exit code has to do.
        let _ = writeln!(self.stderr, "{ERROR}error[{code}]{ERROR:#}: {message}");
        if let Some(hint) = hint {
            let hint = escape_control(hint);
            let _ = writeln!(self.stderr, "  {HINT}hint{HINT:#}: {hint}");
        }
    }
}

/// Says once what is said of many, and nothing twice.
fn grouped(remarks: Vec<Remark>) -> Vec<String> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for Remark { subject, message } in remarks {
        match groups.iter_mut().find(|(said, _)| *said == message) {
            Some((_, subjects)) if subjects.contains(&subject) => {}
            Some((_, subjects)) => subjects.push(subject),
            None => groups.push((message, vec![subject])),
        }
    }
    let lines = |(message, subjects): (String, Vec<String>)| match subjects.len() {
        few if few <= SUBJECTS + 1 => {
            subjects.iter().map(|subject| format!("{subject}: {message}")).collect()
        }
        many => {
            let more = thousands((many - SUBJECTS) as u64);
            vec![format!("{} and {more} more: {message}", subjects[..SUBJECTS].join(", "))]
        }
    };
    groups.into_iter().flat_map(|group| -> Vec<String> { lines(group) }).collect()
}

/// Writes an error as a document to stderr.
pub(crate) fn print_json_error(
    code: &str,
    message: &str,
    hint: Option<&str>,
    remarks: Vec<Remark>,
) {
    let error = ErrorDocument { error: ErrorBody { code, message, hint } };
    let document = Document { schema: SCHEMA, body: &error, remarks };
    // Where stderr is closed, the exit code has to do.
    let _ = to_json(&document).and_then(|bytes| io::stderr().write_all(&bytes));
}

/// Writes a document as `--json` prints it.
pub(crate) fn to_json(document: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(document)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// What every document has.
#[derive(Serialize)]
struct Document<'a, T: Serialize> {
    schema: u32,
    #[serde(flatten)]
    body: &'a T,
    remarks: Vec<Remark>,
}

/// The document of a command that failed.
#[derive(Serialize)]
struct ErrorDocument<'a> {
    error: ErrorBody<'a>,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    code: &'a str,
    message: &'a str,
    hint: Option<&'a str>,
}

/// Writes part of a whole as a percentage with one digit after the point.
///
/// Something is never written as nothing.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    let percent = if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 };
    if part > 0 && percent < 0.05 {
        return "<0.1 %".to_owned();
    }
    format!("{percent:.1} %")
}

/// Cuts a text to a width on the screen, and shows that it was cut.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (mut short, mut used) = (String::new(), 1);
    for letter in text.chars() {
        used += letter.width().unwrap_or(0);
        if used > width {
            break;
        }
        short.push(letter);
    }
    short + "…"
}

/// Cuts a path to a width on the screen; its end says more than its beginning.
pub(crate) fn shortened_path(path: &str, width: usize) -> String {
    if path.width() <= width {
        return path.to_owned();
    }
    let backwards: String = path.chars().rev().collect();
    shortened(&backwards, width).chars().rev().collect()
}

/// Escapes what would move the cursor or recolour a terminal, such as in the name of a file.
pub(crate) fn escape_control(text: &str) -> String {
    let escape = |character: char| {
        if character.is_control() {
            character.escape_default().to_string()
        } else {
            character.to_string()
        }
    };
    text.chars().map(escape).collect()
}

/// Escapes the same in a line of a file, but for tabs.
pub(crate) fn escape_line(line: &str) -> String {
    let parts = line.split('\t').map(escape_control);
    parts.collect::<Vec<_>>().join("\t")
}

/// Names a counter and says how sure it is.
pub(crate) fn counter_words(name: &str, precision: Precision) -> String {
    let words = match precision {
        Precision::Exact => "exact",
        Precision::Reconstructed => "reconstructed: unofficial, within about 0.1 %",
        Precision::Calibrated => "calibrated: an estimate fitted to bills, within about 3 %",
        Precision::Heuristic => "heuristic: a rule of thumb, off by up to 40 %",
    };
    // Some counters are called what they are.
    match words.strip_prefix(name) {
        Some(rest) if rest.starts_with(':') => words.to_owned(),
        _ => format!("{name}, {words}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")]
        {
            assert_eq!(thousands(number), text);
        }
        assert_eq!(plural(1, "file"), "1 file");
        assert_eq!(plural(2_000, "file"), "2,000 files");
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(0, 0), "0.0 %");
        assert_eq!(percent(1, 5_000), "<0.1 %");
    }

    #[test]
    fn what_is_too_wide_is_cut() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("日本語", 4), "日…");
        assert_eq!(shortened_path("src/deep/main.rs", 9), "…/main.rs");
    }

    #[test]
    fn control_characters_are_shown_not_obeyed() {
        assert_eq!(escape_control("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\nc");
        assert_eq!(escape_control("日本 é"), "日本 é");
    }
}
