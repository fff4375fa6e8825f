//! The files that compete for a place, and what each rendition of them costs.

use super::PackOptions;
use super::render::{Block, Tier, block_text, excerpt};
use super::survey::{Facts, Surveyed};
use crate::repo::Signals;
use crate::syntax::{RenderOptions, Section, render_fallback, render_signatures, sections};
use crate::{ContentHash, FileStamp, Item, Reason, Tokens};

/// A text file with its score and its short forms.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) path: String,
    pub(super) stamp: FileStamp,
    pub(super) language: Option<&'static str>,
    pub(super) facts: Facts,
    pub(super) score: u32,
    pub(super) signals: Signals,
    /// Named by the user: in full, before everything else.
    pub(super) pinned: bool,
    /// Changed since the base: before what is not.
    pub(super) changed: bool,
    /// The same content stands under this path.
    pub(super) twin: Option<String>,
}

/// The order of candidates where scores are equal.
pub(super) type Key = String;

impl Candidate {
    pub(super) fn new(file: Surveyed, facts: Facts, score: u32, signals: Signals) -> Candidate {
        Candidate {
            path: file.path,
            stamp: file.stamp,
            language: file.language,
            facts,
            score,
            signals,
            pinned: false,
            changed: false,
            twin: None,
        }
    }

    /// The content, to tell twins by.
    pub(super) fn hash(&self) -> ContentHash {
        self.facts.hash
    }

    /// The whole file as a block.
    pub(super) fn full(&self, text: &str, options: &PackOptions) -> Block {
        let ranges = match self.facts.lines {
            0 => Vec::new(),
            lines => vec![(1, lines)],
        };
        let body = match options.line_numbers {
            true => excerpt(text, &ranges, self.language, true),
            false => text.to_owned(),
        };
        self.block(Tier::Full, ranges, body)
    }

    /// The signatures as a block; the first lines where there is no outline.
    pub(super) fn signatures(&self, text: impl FnOnce() -> Option<String>) -> Option<Block> {
        let body = match &self.facts.outline {
            Some(outline) => render_signatures(&self.path, outline, &RenderOptions::default()),
            None => render_fallback(&self.path, self.language, &text()?),
        };
        Some(self.block(Tier::Signatures, Vec::new(), body))
    }

    /// The parts of the file that are worth showing, best first.
    pub(super) fn sections(&self, text: &str) -> Vec<Section> {
        let outline = self.facts.outline.as_ref();
        outline.map_or_else(Vec::new, |outline| sections(text, outline))
    }

    /// The signatures followed by chosen lines.
    pub(super) fn with_lines(
        &self,
        text: &str,
        lines: &[(u32, u32)],
        options: &PackOptions,
    ) -> Block {
        let ranges = merged(lines);
        let body = excerpt(text, &ranges, self.language, options.line_numbers);
        self.block(Tier::Sections, ranges, body)
    }

    /// What the whole file costs, without reading it.
    pub(super) fn full_cost(&self, options: &PackOptions) -> Tokens {
        let frame = self.full("", options);
        let frame = options.counter.count(&block_text(&frame, options.format));
        // A gutter takes about three tokens a line; the final count decides.
        let gutter = if options.line_numbers { 3 } else { 0 };
        let gutter = Tokens::new(u64::from(self.facts.lines) * gutter);
        self.facts
            .tokens
            .saturating_add(frame)
            .saturating_add(gutter)
    }

    /// The item that stands for this file in the selection.
    pub(super) fn item(&self, signatures: Option<Tokens>, options: &PackOptions) -> Item<Key> {
        let tiers = options.tiers();
        let base = f64::from(self.score);
        let score = match (self.pinned, self.changed) {
            (true, _) => base + 2_000.0,
            (_, true) => base + 1_000.0,
            _ => base,
        };
        let item = Item::new(self.path.clone(), score);
        if let Some(twin) = &self.twin {
            return item.excluded(Reason::Duplicate { of: twin.clone() });
        }
        let oversized = self.facts.tokens > tiers.oversized;
        if oversized && self.score < tiers.oversized_min_score && !self.pinned && !self.changed {
            return item.excluded(Reason::BelowThreshold);
        }
        let item = match options.compress && !self.pinned {
            true => item,
            false => item.rendition(Tier::Full.name(), self.full_cost(options)),
        };
        match signatures {
            Some(tokens) if !self.pinned => item.rendition(Tier::Signatures.name(), tokens),
            _ => item,
        }
    }

    fn block(&self, tier: Tier, ranges: Vec<(u32, u32)>, body: String) -> Block {
        Block {
            path: self.path.clone(),
            language: self.language,
            tier,
            lines: self.facts.lines,
            ranges,
            body,
        }
    }
}

/// Sorts ranges and joins those that touch or overlap.
fn merged(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for (first, last) in sorted {
        match merged.last_mut() {
            Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
            _ => merged.push((first, last)),
        }
    }
    merged
}
