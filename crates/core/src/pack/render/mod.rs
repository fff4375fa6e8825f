//! Writes a pack in a form that a model reads well and content cannot forge.
//!
//! A [`Document`] is what is to be written: a header and blocks, one per file.
//! Each format decides how a block is framed, and picks a frame that does not
//! occur in any block: a longer fence, another tag, a longer rule.

mod markdown;
mod plain;
mod xml;

use crate::syntax::comment;

/// The form of a pack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Headings and fenced blocks.
    #[default]
    Markdown,
    /// Elements with attributes; content stays as it is.
    Xml,
    /// Rules and bare text.
    Plain,
}

impl Format {
    /// Returns the format of that name: `markdown`, `xml`, `plain`.
    pub fn named(name: &str) -> Option<Format> {
        match name {
            "markdown" => Some(Format::Markdown),
            "xml" => Some(Format::Xml),
            "plain" => Some(Format::Plain),
            _ => None,
        }
    }
}

/// How much of a file is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// All of it.
    Full,
    /// Chosen parts.
    Sections,
    /// Its signatures.
    Signatures,
}

impl Tier {
    /// Returns the name used in output: `full`, `sections`, `signatures`.
    pub const fn name(self) -> &'static str {
        match self {
            Tier::Full => "full",
            Tier::Sections => "sections",
            Tier::Signatures => "signatures",
        }
    }
}

/// What is to be written.
#[derive(Clone, Debug, Default)]
pub(super) struct Document {
    /// The name of what is packed.
    pub(super) name: String,
    /// Remarks for the reader: what the tiers mean, what was left out.
    pub(super) legend: Vec<String>,
    /// The directory tree, as lines; empty for none.
    pub(super) tree: String,
    /// The files, in the order in which they are written.
    pub(super) blocks: Vec<Block>,
}

/// One file of a document.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The path as it is shown.
    pub(super) path: String,
    /// The language, for the hint behind a fence.
    pub(super) language: Option<&'static str>,
    /// How much is shown.
    pub(super) tier: Tier,
    /// Lines of the whole file.
    pub(super) lines: u32,
    /// The lines that are shown, first and last; none for signatures.
    pub(super) ranges: Vec<(u32, u32)>,
    /// The text, with gaps already marked.
    pub(super) body: String,
}

impl Block {
    /// Says which lines are shown: `lines 1-40`, `lines 3-9, 20-31 of 80`, `signatures of 80 lines`.
    pub(super) fn extent(&self) -> String {
        if self.tier == Tier::Signatures {
            return format!("signatures of {} lines", self.lines);
        }
        let ranges: Vec<String> = self
            .ranges
            .iter()
            .map(|(first, last)| format!("{first}-{last}"))
            .collect();
        match self.tier {
            Tier::Full => format!("lines {}", ranges.join(", ")),
            _ => format!("lines {} of {}", ranges.join(", "), self.lines),
        }
    }
}

/// Writes a document.
pub(super) fn render(document: &Document, format: Format) -> String {
    match format {
        Format::Markdown => markdown::render(document),
        Format::Xml => xml::render(document),
        Format::Plain => plain::render(document),
    }
}

/// Writes one block as it stands in a document of which nothing else is known.
pub(super) fn block_text(block: &Block, format: Format) -> String {
    let mut out = String::new();
    match format {
        Format::Markdown => markdown::write_block(&mut out, block),
        Format::Xml => xml::write_block(&mut out, block),
        Format::Plain => plain::write_block(&mut out, block, plain::SHORTEST_RULE),
    }
    out
}

/// Cuts the lines of `ranges` out of a text and marks the gaps between them.
///
/// `gutter` puts each line's number before it.
pub(super) fn excerpt(
    text: &str,
    ranges: &[(u32, u32)],
    language: Option<&'static str>,
    gutter: bool,
) -> String {
    let language = language.unwrap_or_default();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let total = lines.len() as u32;
    let width = total.to_string().len();
    let mut out = String::new();
    let mut next = 1;
    for &(first, last) in ranges {
        gap(&mut out, language, next, first.saturating_sub(1));
        for number in first..=last.min(total) {
            if gutter {
                out.push_str(&format!("{number:>width$} | "));
            }
            out.push_str(lines[number as usize - 1]);
        }
        end_line(&mut out);
        next = last + 1;
    }
    gap(&mut out, language, next, total);
    out
}

fn gap(out: &mut String, language: &str, first: u32, last: u32) {
    if first <= last {
        end_line(out);
        out.push_str(&comment(language, &format!("... (lines {first}-{last})")));
        out.push('\n');
    }
}

fn end_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// The longest run of a character at the start of a line, however far in.
///
/// To some readers a line also ends at a lone carriage return, and at the
/// separators of old printers and of Unicode.
fn longest_run(text: &str, mark: char) -> usize {
    let ends = [
        '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
    ];
    let runs = text.split(ends).map(|line| {
        let line = line.trim_start();
        line.len() - line.trim_start_matches(mark).len()
    });
    runs.max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
