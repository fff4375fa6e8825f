//! Writes a choice of blocks and counts it; reads the files that blocks show.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use super::render::{Block, Document, Written, block_text, render};
use super::survey::load;
use super::{PackError, PackOptions};
use crate::Remark;
use crate::cache::FileStamp;
use crate::fit::{fit_prefix, longest};
use crate::tokens::{Counter, Tokens, is_seam};

/// A text with its cost.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) text: String,
    pub(super) tokens: Tokens,
    /// What each block takes of it; empty where the counter cannot tell.
    pub(super) costs: Vec<Tokens>,
}

/// A document in the making, with the texts that it shows.
pub(super) struct Page<'a> {
    pub(super) document: Document,
    options: &'a PackOptions,
    texts: HashMap<PathBuf, Option<Arc<str>>>,
    pub(super) notes: Vec<Remark>,
}

impl<'a> Page<'a> {
    pub(super) fn new(document: Document, options: &'a PackOptions) -> Page<'a> {
        Page { document, options, texts: HashMap::new(), notes: Vec::new() }
    }

    /// Returns the text of a file; one that cannot be read any more costs a remark.
    pub(super) fn text(&mut self, path: &str, stamp: &FileStamp) -> Option<Arc<str>> {
        if let Some(text) = self.texts.get(&stamp.path) {
            return text.clone();
        }
        let text = match load(stamp, self.options) {
            Ok(text) => Some(Arc::from(text)),
            Err(why) => {
                self.notes.push(Remark::new(path.to_owned(), why));
                None
            }
        };
        self.texts.insert(stamp.path.clone(), text.clone());
        text
    }

    /// Writes blocks in their order, and counts the whole.
    pub(super) fn write(&self, blocks: &[&Block]) -> Result<Counted, PackError> {
        let Some(earlier) = &self.options.since else {
            let written = render(&self.document, blocks, &self.options.format)?;
            return Ok(count(written, &self.options.counter));
        };
        let (new, unchanged) = earlier.part(blocks);
        let mut document = self.document.clone();
        document.before.extend(unchanged);
        let counted = count(render(&document, &new, &self.options.format)?, &self.options.counter);
        let mut costs = counted.costs.into_iter();
        let cost = |block: &&Block| {
            if earlier.has(block) { Some(Tokens::ZERO) } else { costs.next() }
        };
        let costs: Option<Vec<Tokens>> = blocks.iter().map(cost).collect();
        Ok(Counted { costs: costs.unwrap_or_default(), ..counted })
    }
}

/// What a block costs on its own.
pub(super) fn cost_of(block: &Block, options: &PackOptions) -> Tokens {
    let text = block_text(block, &options.format);
    options.counter.count(&text)
}

/// Counts a text: in parts, on all cores, where the counter allows that.
fn count(written: Written, counter: &Counter) -> Counted {
    let Written { text, starts, end } = written;
    // A block may begin with a blank line, which belongs to what is before it.
    let begin = |start: &usize| {
        let rest = text.get(*start..).unwrap_or_default();
        start + rest.len() - rest.trim_start_matches('\n').len()
    };
    let starts: Vec<usize> = starts.iter().map(begin).collect();
    let end = end.map_or(text.len(), |end| begin(&end));
    let cuts = || starts.iter().copied().chain([end]).filter(|cut| *cut < text.len());
    let seams = counter.has_seams() && cuts().all(|cut| is_seam(&text, cut));
    if !seams || starts.is_empty() {
        let tokens = counter.count(&text);
        let costs = Vec::new();
        return Counted { text, tokens, costs };
    }
    let ends = starts.iter().copied().skip(1).chain([end]);
    let parts: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
    let costs: Vec<Tokens> =
        parts.par_iter().map(|(start, end)| counter.count(&text[*start..*end])).collect();
    let around = [&text[..starts[0]], &text[end..]].map(|part| counter.count(part));
    let tokens = Tokens::saturating_sum(costs.iter().copied().chain(around));
    Counted { text, tokens, costs }
}

/// Returns the largest number up to `count` that `write` writes, with what it wrote.
///
/// `write` returns `None` for what does not fit.
pub(super) fn longest_written<W>(
    count: usize,
    mut write: impl FnMut(usize) -> Option<W>,
) -> Option<(usize, W)> {
    let mut best = None;
    let taken = longest(count, |taken| {
        let written = write(taken);
        let fits = written.is_some();
        if fits {
            best = written;
        }
        fits
    })?;
    Some((taken, best?))
}

/// The first lines that fit, and how many are left out.
pub(super) fn beginning(text: &str, counter: &Counter, most: Tokens) -> (String, usize) {
    if counter.count_up_to(text, most).is_some() {
        return (text.to_owned(), 0);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let of = |count: usize| {
        let left = lines.len() - count;
        format!("{}... ({left} more lines)\n", lines[..count].concat())
    };
    match fit_prefix(lines.len(), most, counter, of) {
        Some(head) if head.taken > 0 => (head.text, lines.len() - head.taken),
        _ => (String::new(), lines.len()),
    }
}
