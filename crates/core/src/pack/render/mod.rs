//! Writes a pack in a form that a model reads well and content cannot forge.
//!
//! A [`Document`] is what is to be written: a header and blocks, one per file.
//! Each format decides how a block is framed, and picks a frame that does not
//! occur in any block: a longer fence, another tag, a longer rule.

mod markdown;
mod plain;
mod template;
mod xml;

pub use template::{Template, TemplateError};
pub(super) use xml::escape;

use serde::Serialize;

use crate::syntax::comment;

/// The form of a pack.
#[derive(Clone, Debug, Default)]
pub enum Format {
    /// Headings and fenced blocks.
    #[default]
    Markdown,
    /// Elements with attributes; content stays as it is.
    Xml,
    /// Rules and bare text.
    Plain,
    /// As a template says.
    Template(Template),
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// All of it.
    Full,
    /// Chosen parts.
    Sections,
    /// Its signatures.
    Signatures,
    /// The lines that a task needs, or the chosen chunks of sources.
    Chunks,
}

impl Tier {
    /// Returns the name used in output: `full`, `sections`, `signatures`, `chunks`.
    pub const fn name(self) -> &'static str {
        match self {
            Tier::Full => "full",
            Tier::Sections => "sections",
            Tier::Signatures => "signatures",
            Tier::Chunks => "chunks",
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
    /// What the tiers mean, where not everything is shown.
    pub(super) choosing: String,
    /// What stands before the files: the task, the directory tree, a diff.
    pub(super) before: Vec<Part>,
    /// What stands after the files: what was left out.
    pub(super) after: Vec<Part>,
}

impl Document {
    /// The remarks that are written, line by line.
    fn remarks(&self) -> impl Iterator<Item = &str> {
        let lines = self.legend.iter().chain([&self.choosing]);
        lines.map(String::as_str).filter(|line| !line.is_empty())
    }

    /// All parts, those before the files first.
    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.before.iter().chain(&self.after)
    }
}

/// A text that is not a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// The name of its element, and of the variable in a template.
    pub(super) name: &'static str,
    /// What stands above it, if anything.
    pub(super) heading: Option<String>,
    /// The language, for the hint behind a fence.
    pub(super) language: &'static str,
    /// An attribute of the element.
    pub(super) attribute: Option<(&'static str, String)>,
    /// The text.
    pub(super) text: String,
}

impl Part {
    /// A directory tree; none where it is empty.
    pub(super) fn tree(text: String) -> Option<Part> {
        (!text.is_empty()).then(|| Part { name: "tree", text, ..Part::default() })
    }

    /// What changed since a revision, as a diff.
    pub(super) fn diff(since: String, text: String) -> Part {
        Part {
            name: "changes",
            heading: Some(format!("Changes since {since}")),
            language: "diff",
            attribute: Some(("since", since)),
            text,
        }
    }
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
    /// Lines of the whole file; 0 where that is not known.
    pub(super) lines: u32,
    /// The lines that are shown, first and last; none for signatures.
    pub(super) ranges: Vec<(u32, u32)>,
    /// Which part of how many a range is, where something was cut to pieces; may be
    /// shorter than the ranges.
    pub(super) parts: Vec<Option<(u32, u32)>>,
    /// What the text is.
    pub(super) origin: Origin,
    /// How many signatures are among it, and of how many, where each has its line.
    pub(super) listed: Option<(usize, usize)>,
    /// Other files with the same content.
    pub(super) copies: Vec<String>,
    /// The text, with gaps already marked.
    pub(super) body: String,
}

/// What a text is, for the heading above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// Lines of a file.
    #[default]
    File,
    /// What a tool printed.
    ToolResult,
    /// Anything else.
    Other,
}

impl Origin {
    /// Returns the heading: `File`, `Tool result`, `Source`.
    pub(super) const fn heading(self) -> &'static str {
        match self {
            Origin::File => "File",
            Origin::ToolResult => "Tool result",
            Origin::Other => "Source",
        }
    }

    /// Returns the name of the element: `file`, `tool_result`, `source`.
    pub(super) const fn element(self) -> &'static str {
        match self {
            Origin::File => "file",
            Origin::ToolResult => "tool_result",
            Origin::Other => "source",
        }
    }
}

/// Copies that are named; the others are counted.
const NAMED_COPIES: usize = 3;

impl Block {
    /// A block of which no lines are known yet.
    pub(super) fn new(
        path: &str,
        language: Option<&'static str>,
        tier: Tier,
        body: String,
    ) -> Block {
        Block {
            path: path.to_owned(),
            language,
            tier,
            lines: 0,
            ranges: Vec::new(),
            parts: Vec::new(),
            origin: Origin::default(),
            listed: None,
            copies: Vec::new(),
            body,
        }
    }

    /// Says which lines are shown: `lines 1-40`, `lines 3-9, 20-31 of 80`, `signatures of 80 lines`.
    pub(super) fn extent(&self) -> String {
        match (self.tier, self.listed) {
            (Tier::Signatures, Some((shown, all))) if shown < all => {
                return format!("{shown} of {all} signatures, {}", lines(self.lines));
            }
            (Tier::Signatures, _) => return format!("signatures of {}", lines(self.lines)),
            // Each part has its lines before it.
            (_, Some(_)) => {
                let shown: u32 = self.ranges.iter().map(|(first, last)| last + 1 - first).sum();
                return format!("{shown} of {}", lines(self.lines));
            }
            _ if self.lines == 0 && self.ranges.is_empty() => return "empty".to_owned(),
            _ => {}
        }
        let ranges: Vec<String> = self
            .ranges
            .iter()
            .enumerate()
            .map(|(number, (first, last))| match self.parts.get(number) {
                Some(Some((part, of))) => format!("{first}-{last} (part {part} of {of})"),
                _ => format!("{first}-{last}"),
            })
            .collect();
        let lines = match self.tier {
            Tier::Full => format!("lines {}", ranges.join(", ")),
            _ if self.lines == 0 => format!("lines {}", ranges.join(", ")),
            _ => format!("lines {} of {}", ranges.join(", "), self.lines),
        };
        match self.copies.as_slice() {
            [] => lines,
            copies => {
                let named = copies.len().min(NAMED_COPIES);
                let more = match copies.len() - named {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                format!("{lines}; the same as {}{more}", copies[..named].join(", "))
            }
        }
    }
}

fn lines(count: u32) -> String {
    format!("{count} line{}", if count == 1 { "" } else { "s" })
}

/// A document as it is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    /// Where each block begins; empty where that is not known.
    pub(super) starts: Vec<usize>,
    /// Where the last block ends, if something follows.
    pub(super) end: Option<usize>,
}

/// Writes what follows the head of a document: parts, blocks and parts again.
fn written(
    head: String,
    document: &Document,
    blocks: &[&Block],
    part: impl Fn(&mut String, &Part),
    block: impl Fn(&mut String, &Block),
) -> Written {
    let (mut text, mut starts) = (head, Vec::with_capacity(blocks.len()));
    document.before.iter().for_each(|it| part(&mut text, it));
    for it in blocks {
        starts.push(text.len());
        block(&mut text, it);
    }
    let end = Some(text.len());
    document.after.iter().for_each(|it| part(&mut text, it));
    Written { text, starts, end }
}

/// Writes a document with blocks, in their order.
pub(super) fn render(
    document: &Document,
    blocks: &[&Block],
    format: &Format,
) -> Result<Written, TemplateError> {
    match format {
        Format::Markdown => Ok(markdown::render(document, blocks)),
        Format::Xml => Ok(xml::render(document, blocks)),
        Format::Plain => Ok(plain::render(document, blocks)),
        Format::Template(template) => {
            Ok(Written { text: template.render(document, blocks)?, ..Written::default() })
        }
    }
}

/// Writes one block as it stands in a document of which nothing else is known.
///
/// What a template makes of a block cannot be told; it is taken to be like markdown.
pub(super) fn block_text(block: &Block, format: &Format) -> String {
    let mut out = String::new();
    match format {
        Format::Markdown | Format::Template(_) => markdown::write_block(&mut out, block),
        Format::Xml => xml::write_block(&mut out, block),
        Format::Plain => plain::write_block(&mut out, block, plain::SHORTEST_RULE),
    }
    out
}

/// Puts before each line its number, as wide as the last one of the file.
pub(super) fn numbered(text: &str, first: u32, total: u32) -> String {
    let width = total.to_string().len();
    let lines = text.split_inclusive('\n').zip(first..);
    lines.map(|(line, number)| format!("{number:>width$} | {line}")).collect()
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
    let mut out = String::new();
    let mut next = 1;
    for &(first, last) in ranges {
        gap(&mut out, language, next, first.saturating_sub(1));
        let last = last.min(total);
        let shown = lines.get(first as usize - 1..last as usize);
        let shown = shown.unwrap_or_default().concat();
        if gutter {
            out.push_str(&numbered(&shown, first, total))
        } else {
            out.push_str(&shown)
        }
        end_line(&mut out);
        next = last + 1;
    }
    gap(&mut out, language, next, total);
    out
}

/// Marks lines that are left out, if there are any.
pub(super) fn gap(out: &mut String, language: &str, first: u32, last: u32) {
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
pub(super) fn longest_run(text: &str, mark: char) -> usize {
    let ends = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    let runs = text.split(ends).map(|line| {
        let line = line.trim_start();
        line.len() - line.trim_start_matches(mark).len()
    });
    runs.max().unwrap_or(0)
}
