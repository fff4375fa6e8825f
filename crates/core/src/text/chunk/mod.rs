//! Cuts a text into chunks along its structure.
//!
//! [`chunk`] cuts by structure: definitions by the outline of the text,
//! documents by headings, everything else by lines. Chunks are whole lines and,
//! but for the overlap of line windows, give the text back when put together.
//! [`passages`] are the shorter pieces that ranking looks at.

mod document;
pub(super) mod line;
mod merge;
mod options;
mod passage;
mod split;
mod structure;
mod window;

pub(crate) use line::indent;
pub use options::{ChunkError, ChunkLevel, ChunkOptions};
pub(crate) use passage::{Named, passages_and_names};
pub use passage::{Passage, PassageOptions, passages};

use serde::Serialize;

use crate::Remark;
use crate::repo::ContentKind;
use crate::repo::content_kind;
use crate::syntax::{Outline, SyntaxError, outline};
use crate::tokens::Tokens;

/// How a chunk was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChunkStrategy {
    /// By definitions or headings.
    Structural,
    /// By a number of lines.
    LineBased,
}

/// A run of whole lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// First line, 1-based.
    pub first: u32,
    /// Last line, inclusive.
    pub last: u32,
    /// What it costs, with its marker.
    pub tokens: Tokens,
    /// How it was cut.
    pub strategy: ChunkStrategy,
    /// What it is: `preamble`, `class`, `method`, `section`, `lines` and so on.
    pub kind: &'static str,
    /// What it is part of, outermost first: `namespace:a`, `class:B`, `method:c`.
    pub hierarchy: Vec<String>,
    /// Which part of how many, where something was too large for one chunk.
    pub part: Option<(u32, u32)>,
    /// A comment that says which part it is; stands before the text.
    pub marker: Option<String>,
    /// The lines, with their line ends.
    pub text: String,
}

/// The chunks of a text, and why they are not better.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunked {
    /// The chunks from top to bottom.
    pub chunks: Vec<Chunk>,
    /// Why there is no structure, or why a chunk is too large.
    pub notes: Vec<Remark>,
}

impl Chunked {
    /// Whether the chunks hold every line of a text, in order and unchanged.
    ///
    /// Lines that a chunk repeats from the one before are looked at once, and
    /// markers are not part of the text.
    pub fn covers(&self, text: &str) -> bool {
        let mut rest = text;
        let mut next = 1;
        for chunk in &self.chunks {
            let Some(repeated) = u32::checked_sub(next, chunk.first) else {
                return false;
            };
            let lines = chunk.text.split_inclusive('\n');
            for line in lines.skip(repeated as usize) {
                let Some(after) = rest.strip_prefix(line) else {
                    return false;
                };
                rest = after;
            }
            next = next.max(chunk.last.saturating_add(1));
        }
        rest.is_empty()
    }
}

/// What a text is, besides its lines.
#[derive(Clone, Copy, Debug)]
pub struct ChunkSource<'a> {
    /// Names the text in notes.
    pub path: &'a str,
    /// The language, where it is known.
    pub language: Option<&'a str>,
    /// The outline, or why there is none; nothing for a language without grammar.
    pub outline: Option<Result<&'a Outline, &'a SyntaxError>>,
}

/// Cuts a text into chunks.
///
/// `count` counts tokens. A chunk exceeds `max_tokens` only where a single line,
/// a fenced block or a table does.
///
/// # Errors
///
/// Options that contradict one another.
///
/// ```
/// use loadline::text::{ChunkOptions, ChunkSource, chunk};
/// use loadline::tokens::Tokens;
/// let text = "## One\n\ntext\n\n## Two\n\nmore\n";
/// let source = ChunkSource { path: "a.md", language: Some("markdown"), outline: None };
/// let options = ChunkOptions { min_tokens: Tokens::ZERO, ..ChunkOptions::default() };
/// let count = |text: &str| Tokens::new(text.split_whitespace().count() as u64);
/// let chunked = chunk(text, &source, &options, count)?;
/// assert_eq!(chunked.chunks[1].hierarchy, ["section:Two"]);
/// # Ok::<(), loadline::text::ChunkError>(())
/// ```
pub fn chunk(
    text: &str,
    source: &ChunkSource<'_>,
    options: &ChunkOptions,
    count: impl Fn(&str) -> Tokens,
) -> Result<Chunked, ChunkError> {
    options.check()?;
    let work = Work {
        lines: text.split_inclusive('\n').collect(),
        language: source.language.unwrap_or_default(),
        options,
        count: &count,
    };
    let mut notes = Vec::new();
    let mut tell = |message: String| notes.push(Remark::new(source.path, message));
    let pieces = match structural(text, source, &work) {
        Ok(pieces) => merge::join_small(split::split_large(pieces, &work), &work),
        Err(why) => {
            why.into_iter().for_each(&mut tell);
            split::split_large(window::windows(&work), &work)
        }
    };
    let chunks: Vec<Chunk> = pieces.into_iter().map(|piece| work.finish(piece)).collect();
    for chunk in chunks.iter().filter(|chunk| chunk.tokens > options.max_tokens) {
        let (first, last, tokens) = (chunk.first, chunk.last, chunk.tokens.get());
        tell(format!("lines {first}-{last} are one chunk of {tokens} tokens and cannot be split"));
    }
    Ok(Chunked { chunks, notes })
}

/// Outlines a text as far as cutting it needs an outline.
///
/// Documents are cut by their headings, which takes no grammar, and so nothing
/// is parsed for them; neither is a text of which the language is not known.
pub fn chunk_outline(language: Option<&str>, text: &str) -> Option<Result<Outline, SyntaxError>> {
    let language = language.filter(|language| !is_document(language))?;
    Some(outline(language, text))
}

/// Whether texts of a language are cut by their headings.
fn is_document(language: &str) -> bool {
    matches!(language, "markdown" | "mdx")
}

/// Cuts by structure, or says why not; no reason where none is to be expected.
fn structural(
    text: &str,
    source: &ChunkSource<'_>,
    work: &Work<'_>,
) -> Result<Vec<Piece>, Option<String>> {
    if !work.options.prefer_structural {
        return Err(None);
    }
    if let kind @ ContentKind::Minified { .. } = content_kind(text) {
        return Err(Some(format!("cut by lines: {kind}")));
    }
    if is_document(work.language) {
        return Ok(document::sections(work));
    }
    match source.outline {
        Some(Ok(outline)) if outline.definitions.is_empty() && outline.has_errors => {
            Err(Some("cut by lines: it cannot be parsed".to_owned()))
        }
        Some(Ok(outline)) if outline.definitions.is_empty() => Err(None),
        Some(Ok(outline)) => Ok(structure::definitions(outline, work)),
        Some(Err(SyntaxError::UnknownLanguage { .. })) | None => {
            Err(Some("cut by lines: no grammar for it".to_owned()))
        }
        Some(Err(error)) => Err(Some(format!("cut by lines: {error}"))),
    }
}

/// A chunk on its way: lines from `start` up to `end`, 0-based.
#[derive(Clone, Debug)]
struct Piece {
    start: usize,
    end: usize,
    strategy: ChunkStrategy,
    kind: &'static str,
    hierarchy: Vec<String>,
    part: Option<(u32, u32)>,
}

/// What all steps look at.
struct Work<'a> {
    lines: Vec<&'a str>,
    language: &'a str,
    options: &'a ChunkOptions,
    count: &'a dyn Fn(&str) -> Tokens,
}

impl Work<'_> {
    fn text(&self, start: usize, end: usize) -> String {
        self.lines.get(start..end).unwrap_or_default().concat()
    }

    fn tokens(&self, start: usize, end: usize) -> Tokens {
        (self.count)(&self.text(start, end))
    }

    fn marker(&self, part: (u32, u32)) -> String {
        let text = format!("[part {} of {}]", part.0, part.1);
        format!("{}\n", crate::syntax::comment(self.language, &text))
    }

    fn finish(&self, piece: Piece) -> Chunk {
        let text = self.text(piece.start, piece.end);
        let marker = piece.part.map(|part| self.marker(part));
        let tokens = match &marker {
            Some(marker) => (self.count)(&format!("{marker}{text}")),
            None => (self.count)(&text),
        };
        let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        Chunk {
            first: number(piece.start + 1),
            last: number(piece.end),
            tokens,
            strategy: piece.strategy,
            kind: piece.kind,
            hierarchy: piece.hierarchy,
            part: piece.part,
            marker,
            text,
        }
    }
}

#[cfg(test)]
#[cfg(feature = "langs-default")]
mod tests;
