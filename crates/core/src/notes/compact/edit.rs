//! Replacements in a text, and where its lines came from.

use std::ops::Range;

use super::super::ItemKind;

/// One replacement, by bytes of the text it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) with: String,
    pub(super) kind: ItemKind,
}

impl Edit {
    /// Takes something out.
    pub(super) fn cut(range: Range<usize>, kind: ItemKind) -> Edit {
        Edit { range, with: String::new(), kind }
    }
}

/// A text whose lines know their number in the text it was made from.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) text: String,
    /// One number per line, counted from 1.
    numbers: Vec<usize>,
    /// Where the ends of lines are.
    ends: Vec<usize>,
}

impl Draft {
    pub(super) fn new(text: &str) -> Draft {
        let lines = text.split_inclusive('\n').count();
        Draft { text: text.to_owned(), numbers: (1..=lines).collect(), ends: ends(text) }
    }

    /// Returns the original number of the line that holds a byte.
    pub(super) fn number_at(&self, offset: usize) -> usize {
        let line = self.ends.partition_point(|end| *end < offset);
        self.numbers.get(line).copied().unwrap_or(1)
    }

    /// Makes replacements, which must be in order and must not overlap.
    pub(super) fn apply(&self, edits: &[Edit]) -> Draft {
        let mut text = String::with_capacity(self.text.len());
        let mut sources = Vec::new();
        let mut from = 0;
        for edit in edits {
            push(&mut text, &mut sources, &self.text[from..edit.range.start], from);
            push(&mut text, &mut sources, &edit.with, edit.range.start);
            from = edit.range.end;
        }
        push(&mut text, &mut sources, &self.text[from..], from);
        let numbers = self.numbers_of(&sources);
        Draft { ends: ends(&text), text, numbers }
    }

    /// Looks up the original numbers of places.
    fn numbers_of(&self, sources: &[usize]) -> Vec<usize> {
        let number = |source: &usize| self.number_at(*source);
        sources.iter().map(number).collect()
    }
}

/// Appends a piece, and notes where each line that begins in it came from.
fn push(text: &mut String, sources: &mut Vec<usize>, piece: &str, from: usize) {
    if !piece.is_empty() && (text.is_empty() || text.ends_with('\n')) {
        sources.push(from);
    }
    for end in memchr::memchr_iter(b'\n', piece.as_bytes()) {
        if end + 1 < piece.len() {
            sources.push(from + end + 1);
        }
    }
    text.push_str(piece);
}

fn ends(text: &str) -> Vec<usize> {
    memchr::memchr_iter(b'\n', text.as_bytes()).collect()
}

/// Brings edits into order and drops those that overlap an earlier one.
pub(super) fn in_order(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut end = 0;
    edits.retain(|edit| {
        let apart = edit.range.start >= end;
        if apart {
            end = edit.range.end;
        }
        apart
    });
    edits
}

/// Returns what every edit must make less of: bytes, and a line more than a space.
pub(super) fn weight(text: &str) -> usize {
    text.len() + memchr::memchr_iter(b'\n', text.as_bytes()).count()
}
