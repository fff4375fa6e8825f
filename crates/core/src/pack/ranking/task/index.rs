//! Indexes one text for ranking, as bytes that can be cached.
//!
//! The bytes are searched in place: a question touches only the entries of its
//! own words. Layout, little-endian: four counts; entries (stem, word, where
//! the postings begin), sorted; names with their lines; passages; postings.
//! The last two are variable-length numbers. Damage is an absent answer, and
//! then the text is read again.

use super::query::Query;
use crate::text::chunk::{Named, PassageOptions, indent, passages_and_names};
use crate::text::terms::{Term, each_term, name_term};

/// Raised whenever the bytes change their meaning.
pub(crate) const VERSION: u32 = 3;

const HEAD: usize = 16;
const ENTRY: usize = 12;
const NAME: usize = 12;

/// Texts of more bytes are indexed up to here.
const MOST_BYTES: usize = 4 << 20;

/// What ranking knows of one text.
///
/// ```
/// use loadline::pack::ranking::FileIndex;
/// let index = FileIndex::build("fn parse() {}\n", Some("rust"));
/// let kept = index.as_bytes().to_vec();
/// assert_eq!(FileIndex::from_bytes(kept), Some(index));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileIndex {
    bytes: Vec<u8>,
}

/// A passage as ranking sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Span {
    /// First line, 1-based.
    pub(crate) first: u32,
    /// Last line, inclusive.
    pub(crate) last: u32,
    /// How many terms it has.
    pub(crate) terms: u32,
    /// How many of its lines are comments.
    pub(crate) comments: u32,
    /// Whether it is a test inside of code.
    pub(crate) tests: bool,
}

/// A word of the task in a passage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    pub(crate) passage: u32,
    /// Which stem of the task.
    pub(crate) stem: u16,
    /// Which word of the task, or [`Hit::KIN`] for a word that only shares its stem.
    pub(crate) word: u16,
    pub(crate) count: u32,
}

impl Hit {
    /// Marks a word that only shares its stem with one of the task.
    pub(crate) const KIN: u16 = u16::MAX;
}

/// What a text says about the words of a task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Probe {
    pub(crate) spans: Vec<Span>,
    pub(crate) hits: Vec<Hit>,
    /// Names defined here that the task mentions: which word, on which line.
    pub(crate) names: Vec<(u16, u32)>,
}

impl FileIndex {
    /// Indexes a text.
    pub fn build(text: &str, language: Option<&str>) -> FileIndex {
        let text = &text[..text.floor_char_boundary(MOST_BYTES)];
        let (passages, named) = passages_and_names(text, language, PassageOptions::default());
        let mut spans = Vec::with_capacity(passages.len());
        let mut found: Vec<(Term, u32)> = Vec::new();
        let mut lines = text.split_inclusive('\n');
        let mut defined = named.iter().peekable();
        let mut around: Vec<&Named<'_>> = Vec::new();
        for (number, passage) in passages.iter().enumerate() {
            let number = number as u32;
            let before = found.len();
            let mut depth = None;
            for line in lines.by_ref().take((passage.last + 1 - passage.first) as usize) {
                if depth.is_none() && !line.trim().is_empty() {
                    depth = Some(indent(line));
                }
                each_term(line, |term, _| found.push((term, number)));
            }
            // A passage is about what it stands in, and about what it defines.
            for outer in around.iter().filter(|outer| Some(outer.indent) < depth) {
                each_term(outer.name, |term, _| found.push((term, number)));
            }
            while let Some(inner) = defined.next_if(|named| named.line <= passage.last) {
                each_term(inner.name, |term, _| found.push((term, number)));
                around.retain(|outer| outer.indent < inner.indent);
                around.push(inner);
            }
            spans.push(Span {
                first: passage.first,
                last: passage.last,
                terms: (found.len() - before) as u32,
                comments: passage.comments,
                tests: passage.tests,
            });
        }
        let names: Vec<(Term, u32)> =
            named.iter().filter_map(|named| Some((name_term(named.name)?, named.line))).collect();
        FileIndex { bytes: encode(&spans, found, &names) }
    }

    /// Takes bytes back that [`as_bytes`](Self::as_bytes) gave.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<FileIndex> {
        let index = FileIndex { bytes };
        let view = index.view()?;
        let end = HEAD
            .checked_add(view.entries.checked_mul(ENTRY)?)?
            .checked_add(view.names.checked_mul(NAME)?)?;
        (end <= index.bytes.len() && view.passages <= index.bytes.len()).then_some(index)
    }

    /// Returns the index as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives the bytes away.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Looks the words of a task up; `None` where the bytes are damaged.
    pub(crate) fn probe(&self, query: &Query) -> Option<Probe> {
        let view = self.view()?;
        let names_at = HEAD + view.entries * ENTRY;
        let mut reader = Reader { bytes: self.bytes.get(names_at + view.names * NAME..)? };
        let mut probe = Probe::default();
        let mut first = 1;
        for _ in 0..view.passages {
            let span = reader.span(first)?;
            first = span.last.checked_add(1)?;
            probe.spans.push(span);
        }
        let postings = reader.bytes;
        let entries = self.bytes.get(HEAD..names_at)?;
        for (slot, stem) in query.stems().iter().enumerate() {
            let mut place = lower_bound(entries, *stem);
            while let Some((entry, word, offset)) = entry_at(entries, place) {
                if entry != *stem {
                    break;
                }
                let word = query.word_slot(word).unwrap_or(Hit::KIN);
                let mut reader = Reader { bytes: postings.get(offset as usize..)? };
                reader.hits(&mut probe.hits, slot as u16, word)?;
                place += 1;
            }
        }
        let names = self.bytes.get(names_at..names_at + view.names * NAME)?;
        for row in names.chunks_exact(NAME) {
            if let Some(word) = query.word_slot(number(row, 4)?) {
                probe.names.push((word, number(row, 8)?));
            }
        }
        Some(probe)
    }

    fn view(&self) -> Option<View> {
        let count = |place| Some(number(&self.bytes, place)? as usize);
        Some(View { passages: count(4)?, entries: count(8)?, names: count(12)? })
    }
}

struct View {
    passages: usize,
    entries: usize,
    names: usize,
}

fn encode(spans: &[Span], mut found: Vec<(Term, u32)>, names: &[(Term, u32)]) -> Vec<u8> {
    found.sort_unstable();
    let mut entries: Vec<u8> = Vec::new();
    let mut postings: Vec<u8> = Vec::new();
    for same in found.chunk_by(|left, right| left.0 == right.0) {
        let Some((term, _)) = same.first() else {
            continue;
        };
        entries.extend(term.stem.to_le_bytes());
        entries.extend(term.word.to_le_bytes());
        entries.extend((postings.len() as u32).to_le_bytes());
        let groups: Vec<&[(Term, u32)]> = same.chunk_by(|left, right| left.1 == right.1).collect();
        put(&mut postings, groups.len() as u32);
        let mut last = 0;
        for group in groups {
            let passage = group.first().map_or(0, |(_, passage)| *passage);
            put(&mut postings, passage - last);
            put(&mut postings, group.len() as u32);
            last = passage;
        }
    }
    let counts = [
        spans.last().map_or(0, |span| span.last),
        spans.len() as u32,
        (entries.len() / ENTRY) as u32,
        names.len() as u32,
    ];
    let mut bytes: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
    bytes.extend(entries);
    for (term, line) in names {
        bytes.extend(term.stem.to_le_bytes());
        bytes.extend(term.word.to_le_bytes());
        bytes.extend(line.to_le_bytes());
    }
    for span in spans {
        put(&mut bytes, span.last + 1 - span.first);
        put(&mut bytes, span.terms);
        put(&mut bytes, span.comments * 2 + u32::from(span.tests));
    }
    bytes.extend(postings);
    bytes
}

/// Writes a number in as few bytes as it needs.
fn put(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push((value as u8 & 0x7f) | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take(&mut self) -> Option<u32> {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn span(&mut self, first: u32) -> Option<Span> {
        let lines = self.take().filter(|lines| *lines > 0)?;
        let terms = self.take()?;
        let comments = self.take()?;
        Some(Span {
            first,
            last: first.checked_add(lines)?.checked_sub(1)?,
            terms,
            comments: comments / 2,
            tests: comments % 2 == 1,
        })
    }

    fn hits(&mut self, hits: &mut Vec<Hit>, stem: u16, word: u16) -> Option<()> {
        let count = self.take()?;
        if count as usize > self.bytes.len() {
            return None;
        }
        let mut passage = 0u32;
        for _ in 0..count {
            passage = passage.checked_add(self.take()?)?;
            hits.push(Hit { passage, stem, word, count: self.take()? });
        }
        Some(())
    }
}

fn number(bytes: &[u8], place: usize) -> Option<u32> {
    let part = bytes.get(place..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*part))
}

fn entry_at(entries: &[u8], place: usize) -> Option<(u32, u32, u32)> {
    let row = entries.get(place * ENTRY..)?.first_chunk::<ENTRY>()?;
    let part = |at: usize| u32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]]);
    Some((part(0), part(4), part(8)))
}

/// The first entry whose stem is not below `stem`.
fn lower_bound(entries: &[u8], stem: u32) -> usize {
    let (mut low, mut high) = (0, entries.len() / ENTRY);
    while low < high {
        let middle = low + (high - low) / 2;
        match entry_at(entries, middle) {
            Some((entry, _, _)) if entry < stem => low = middle + 1,
            _ => high = middle,
        }
    }
    low
}
