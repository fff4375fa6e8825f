//! A source text with its line starts and the spans that no signature shows.

use std::ops::Range;

use super::capture::Omitted;

/// A text, indexed by line and by omitted part.
pub(super) struct Source<'a> {
    text: &'a str,
    /// Where each line after the first begins.
    starts: Vec<usize>,
    omitted: &'a [Omitted],
    /// Omitted parts by where their visible text ends.
    ends: Vec<(usize, usize)>,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str, omitted: &'a [Omitted]) -> Self {
        let starts = text.match_indices('\n').map(|(place, _)| place + 1);
        let end = |part: &Omitted| {
            let start = part.range.start;
            let shown = text.get(part.range.clone()).unwrap_or_default();
            start + shown.trim_end().len()
        };
        let ends = omitted.iter().enumerate();
        let mut ends: Vec<_> = ends.map(|(index, part)| (end(part), index)).collect();
        ends.sort_unstable();
        Source { text, starts: starts.collect(), omitted, ends }
    }

    /// The text of a range; empty where there is none.
    pub(super) fn text(&self, range: &Range<usize>) -> &'a str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// How many lines there are, as an editor numbers them.
    pub(super) fn lines(&self) -> u32 {
        number(self.starts.len() + 1)
    }

    /// The line of a byte, 1-based.
    pub(super) fn line(&self, byte: usize) -> u32 {
        number(self.starts.partition_point(|start| *start <= byte) + 1)
    }

    /// The last line that a range shows something on.
    pub(super) fn last_line(&self, range: &Range<usize>) -> u32 {
        let shown = self.text(range).trim_end().len().max(1);
        self.line(range.start + shown - 1)
    }

    /// The first byte from `start` that is neither white space nor omitted.
    pub(super) fn after_omitted(&self, start: usize) -> usize {
        let mut place = start;
        loop {
            let rest = self.text.get(place..).unwrap_or_default();
            let shown = place + (rest.len() - rest.trim_start().len());
            match self.leading_part_at(shown) {
                Some(part) if part.range.end > shown => place = part.range.end,
                _ => return shown.min(self.text.len()),
            }
        }
    }

    fn leading_part_at(&self, start: usize) -> Option<&Omitted> {
        let first = self.omitted.partition_point(|part| part.range.start < start);
        let part = self.omitted.get(first)?;
        (part.range.start == start && part.leads).then_some(part)
    }

    /// The comment or attribute that ends right before a byte, white space aside.
    pub(super) fn leading_part_before(&self, start: usize) -> Option<&Omitted> {
        let end = self.text.get(..start)?.trim_end().len();
        let first = self.ends.partition_point(|(place, _)| *place < end);
        let (place, index) = self.ends.get(first)?;
        let part = self.omitted.get(*index)?;
        (*place == end && part.leads).then_some(part)
    }

    /// The text of a range without the omitted parts in it.
    pub(super) fn without_omitted(&self, range: Range<usize>) -> String {
        let mut shown = String::new();
        let mut place = range.start;
        let first = self.omitted.partition_point(|part| part.range.start < range.start);
        for part in self.omitted.iter().skip(first) {
            if part.range.start >= range.end {
                break;
            }
            if part.range.start >= place {
                shown.push_str(self.text(&(place..part.range.start)));
                shown.push(' ');
                place = part.range.end;
            }
        }
        shown.push_str(self.text(&(place..range.end)));
        shown
    }

    /// Whether only white space stands before a byte on its line.
    pub(super) fn begins_line(&self, byte: usize) -> bool {
        let before = self.text.get(..byte).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.trim().is_empty()
    }

    /// Whether a guard against being included twice opens the text.
    pub(super) fn is_header(&self) -> bool {
        let mut directives = self.text.lines().filter(|line| line.starts_with('#'));
        match (directives.next(), directives.next()) {
            (Some(first), _) if first.starts_with("#pragma once") => true,
            (Some(first), Some(second)) => {
                let guard = first.strip_prefix("#ifndef ");
                guard.is_some() && guard == second.strip_prefix("#define ")
            }
            _ => false,
        }
    }
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
