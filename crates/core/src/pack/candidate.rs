//! Describes the files that compete for a place, and the ways to show each.

use std::sync::Arc;

use super::PackOptions;
use super::render::{Block, Origin, Tier, block_text, excerpt, numbered};
use super::survey::{Facts, Surveyed};
use crate::cache::FileStamp;
use crate::fit::{Item, Reason};
use crate::repo::Signals;
use crate::syntax::{RenderOptions, Section, render_fallback, render_signatures, sections};
use crate::text::lines::merged;
use crate::tokens::Tokens;

/// A text file with its score.
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
    /// The file that is shown instead, where that has the same content.
    pub(super) copy_of: Option<String>,
    /// The files with the same content that are not shown.
    pub(super) copies: Vec<String>,
}

/// The order of candidates where scores are equal.
pub(super) type Key = String;

/// One way to show a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Full,
    /// The signatures, and this many of the sections.
    Sections(usize),
    Signatures,
}

impl Shape {
    const fn name(self) -> &'static str {
        match self {
            Shape::Full => Tier::Full.name(),
            Shape::Sections(_) => Tier::Sections.name(),
            Shape::Signatures => Tier::Signatures.name(),
        }
    }
}

/// The ways to show a file, from most to least detail, each with what it costs.
pub(super) type Shapes = Vec<(Shape, Tokens)>;

/// What puts pinned files before all others, and changed files before the rest.
const PINNED: f64 = 2_000.0;
const CHANGED: f64 = 1_000.0;
/// What naming one more range in the head of a block costs, at most.
const RANGE: Tokens = Tokens::new(8);

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
            copy_of: None,
            copies: Vec::new(),
        }
    }

    /// Whether it is too large to be shown as a whole unless asked for.
    pub(super) fn is_oversized(&self, options: &PackOptions) -> bool {
        self.facts.tokens > options.tiers.oversized && !self.pinned && !self.changed
    }

    /// Whether it is too large for how little it scores.
    pub(super) fn is_unwanted(&self, options: &PackOptions) -> bool {
        let low = self.score < options.tiers.oversized_min_score;
        low && self.is_oversized(options) && !options.compress
    }

    /// The ways to show this file when not everything fits.
    ///
    /// `text` reads the file, which is needed only for sections.
    pub(super) fn shapes(
        &self,
        options: &PackOptions,
        text: impl FnOnce() -> Option<Arc<str>>,
    ) -> Shapes {
        let frame = self.frame_cost(options);
        let full = (Shape::Full, self.full_cost(frame, options));
        let signatures = frame.saturating_add(self.facts.signature_tokens);
        let signatures = (Shape::Signatures, signatures);
        if self.copy_of.is_some() {
            return Shapes::new();
        }
        match (self.pinned, options.compress) {
            (true, _) => vec![full],
            (_, true) => vec![signatures],
            _ if self.is_oversized(options) && self.facts.outline.is_some() => {
                let Some(text) = text() else {
                    return vec![signatures];
                };
                let mut shapes = self.section_shapes(&text, signatures.1, options);
                // Parts may cost more than the whole.
                if shapes.first().is_none_or(|(_, tokens)| *tokens >= full.1) {
                    shapes.insert(0, full);
                }
                shapes.push(signatures);
                shapes
            }
            _ => vec![full, signatures],
        }
    }

    /// The signatures with all sections, with all but the last, and so on.
    fn section_shapes(&self, text: &str, signatures: Tokens, options: &PackOptions) -> Shapes {
        let mut cost = signatures;
        let mut shapes = Shapes::new();
        for (number, section) in self.sections(text).iter().enumerate() {
            cost = cost.saturating_add(self.section_cost(section, options));
            shapes.push((Shape::Sections(number + 1), cost));
        }
        shapes.reverse();
        shapes
    }

    /// The item that stands for this file in the selection.
    pub(super) fn item(&self, shapes: &Shapes, options: &PackOptions) -> Item<Key> {
        let base = f64::from(self.score);
        let score = match (self.pinned, self.changed) {
            (true, _) => base + PINNED,
            (_, true) => base + CHANGED,
            _ => base,
        };
        let item = Item::new(self.path.clone(), score);
        if let Some(of) = &self.copy_of {
            return item.excluded(Reason::Duplicate { of: of.clone() });
        }
        if self.is_unwanted(options) {
            return item.excluded(Reason::BelowThreshold);
        }
        let shapes = shapes.iter();
        shapes.fold(item, |item, (shape, tokens)| item.rendition(shape.name(), *tokens))
    }

    /// What the whole file costs, without reading it.
    pub(super) fn full_cost(&self, frame: Tokens, options: &PackOptions) -> Tokens {
        // A gutter takes about three tokens a line; the final count decides.
        let gutter = if options.line_numbers { 3 } else { 0 };
        let gutter = Tokens::new(u64::from(self.facts.lines) * gutter);
        let tokens = self.facts.tokens.saturating_add(gutter);
        tokens.saturating_add(frame)
    }

    /// What stands around the content.
    pub(super) fn frame_cost(&self, options: &PackOptions) -> Tokens {
        let frame = self.block(Tier::Full, self.all_lines(), String::new());
        options.counter.count(&block_text(&frame, &options.format))
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

    /// The signatures as a block; the first lines of the text where there is no outline.
    pub(super) fn signatures(&self, text: &str) -> Block {
        self.block(Tier::Signatures, Vec::new(), self.signature_text(text))
    }

    fn signature_text(&self, text: &str) -> String {
        signature_text(&self.path, self.language, self.facts.outline.as_ref(), text)
    }

    /// The parts of the file that are worth showing, best first.
    pub(super) fn sections(&self, text: &str) -> Vec<Section> {
        let outline = self.facts.outline.as_ref();
        outline.map_or_else(Vec::new, |outline| sections(text, outline))
    }

    /// The signatures followed by sections under their labels.
    pub(super) fn sectioned(&self, chosen: &[Section], options: &PackOptions) -> Block {
        let mut body = self.signature_text("");
        for section in chosen {
            body.push_str(&self.written_section(section, options));
        }
        let ranges = chosen.iter().map(|section| (section.first_line, section.last_line));
        self.block(Tier::Sections, merged(ranges.collect()), body)
    }

    /// What a section adds to a block, at most.
    pub(super) fn section_cost(&self, section: &Section, options: &PackOptions) -> Tokens {
        let written = self.written_section(section, options);
        options.counter.count(&written).saturating_add(RANGE)
    }

    fn written_section(&self, section: &Section, options: &PackOptions) -> String {
        let text = if options.line_numbers {
            numbered(&section.text, section.first_line, self.facts.lines)
        } else {
            section.text.clone()
        };
        format!("\n\n{}\n{text}", section.label)
    }

    /// Chosen lines, with marks where others are left out.
    pub(super) fn with_lines(&self, text: &str, lines: &[u32], options: &PackOptions) -> Block {
        let ranges = merged(lines.iter().map(|line| (*line, *line)).collect());
        let body = excerpt(text, &ranges, self.language, options.line_numbers);
        self.block(Tier::Sections, ranges, body)
    }

    fn all_lines(&self) -> Vec<(u32, u32)> {
        match self.facts.lines {
            0 => Vec::new(),
            lines => vec![(1, lines)],
        }
    }

    fn block(&self, tier: Tier, ranges: Vec<(u32, u32)>, body: String) -> Block {
        Block {
            path: self.path.clone(),
            language: self.language,
            tier,
            lines: self.facts.lines,
            ranges,
            copies: self.copies.clone(),
            parts: Vec::new(),
            origin: Origin::default(),
            body,
        }
    }
}

/// What a file declares; its first lines where there is no outline.
pub(super) fn signature_text(
    path: &str,
    language: Option<&'static str>,
    outline: Option<&crate::syntax::Outline>,
    text: &str,
) -> String {
    let written = match outline {
        Some(outline) => render_signatures(path, outline, &RenderOptions::default()),
        None => render_fallback(path, language, text),
    };
    // The first line names the file, as the head of its block does.
    let rest = written.split_once('\n').map(|(_, rest)| rest.to_owned());
    rest.unwrap_or_default()
}
