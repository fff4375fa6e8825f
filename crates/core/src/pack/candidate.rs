//! Describes the files that compete for a place in a pack.

use super::PackOptions;
use super::render::{Block, Tier, excerpt};
use super::survey::{Facts, Surveyed};
use crate::cache::FileStamp;
use crate::pack::ranking::Contribution;
use crate::repo::Signals;

/// A text file with its score.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) path: String,
    pub(super) stamp: FileStamp,
    pub(super) language: Option<&'static str>,
    pub(super) facts: Facts,
    /// From 0 to 100.
    pub(super) score: u32,
    /// The points of a score that is a sum of points.
    pub(super) signals: Signals,
    /// What the file is worth, where that is not a sum of points.
    pub(super) worth: f64,
    /// The parts that add up to the score.
    pub(super) parts: Vec<Contribution>,
    /// Named by the user: in full, before everything else.
    pub(super) pinned: bool,
    /// Changed since the base: before what is not.
    pub(super) changed: bool,
    /// The file that is shown instead, where that has the same content.
    pub(super) copy_of: Option<String>,
    /// The files with the same content that are not shown.
    pub(super) copies: Vec<String>,
}

impl Candidate {
    pub(super) fn new(file: Surveyed, facts: Facts) -> Candidate {
        Candidate {
            path: file.path,
            stamp: file.stamp,
            language: file.language,
            facts,
            score: 0,
            signals: Signals::default(),
            worth: 0.0,
            parts: Vec::new(),
            pinned: false,
            changed: false,
            copy_of: None,
            copies: Vec::new(),
        }
    }

    /// The whole file as a block.
    pub(super) fn full(&self, text: &str, options: &PackOptions) -> Block {
        let ranges = self.all_lines();
        let body = if options.line_numbers {
            excerpt(text, &ranges, self.language, true)
        } else {
            text.to_owned()
        };
        self.block(Tier::Full, ranges, body)
    }

    /// The lines of the file as a range; none of an empty file.
    pub(super) fn all_lines(&self) -> Vec<(u32, u32)> {
        match self.facts.lines {
            0 => Vec::new(),
            lines => vec![(1, lines)],
        }
    }

    /// A block of this file.
    pub(super) fn block(&self, tier: Tier, ranges: Vec<(u32, u32)>, body: String) -> Block {
        let (lines, copies) = (self.facts.lines, self.copies.clone());
        Block { lines, ranges, copies, ..Block::new(&self.path, self.language, tier, body) }
    }
}
