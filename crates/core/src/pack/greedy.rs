//! Chooses files one by one, best score first: the rule of `--strategy greedy`.
//!
//! Each file is shown in full if it fits, else as signatures, else not at all; what
//! is too large for that is shown in sections, or left out where it scores low. Scores
//! from a floor on get their signatures before anything gets more. The same rule writes
//! `--compress`, where signatures are the only way to show a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::candidate::Candidate;
use super::choice::{Draft, Shown};
use super::render::{Block, Tier, block_text, numbered};
use super::survey::load;
use super::{PackError, PackOptions, Reason};
use crate::budget::Allocation;
use crate::fit::{self, Chosen, Compose, Item, Policy};
use crate::syntax::{RenderOptions, Section, render_fallback, render_signatures, sections};
use crate::text::lines::merged;
use crate::tokens::Tokens;

/// One way to show a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Full,
    /// The signatures and the first so many sections, without those of more tokens than that.
    Sections(usize, Tokens),
    Signatures,
}

/// The ways to show a file, from most to least detail, each with what it costs.
type Shapes = Vec<(Shape, Tokens)>;

/// What puts pinned files before all others, and changed files before the rest.
const PINNED: f64 = 2_000.0;
const CHANGED: f64 = 1_000.0;
/// What naming one more range in the head of a block costs, at most.
const RANGE: Tokens = Tokens::new(8);

/// Prices and writes a choice of files.
struct Composer<'a, 'b> {
    draft: &'b mut Draft<'a>,
    /// The ways to show each file, by the number of its candidate.
    shapes: Vec<Shapes>,
}

impl Compose for Composer<'_, '_> {
    type Written = Shown;
    type Error = PackError;

    fn write(&mut self, chosen: Chosen<'_>) -> Result<Shown, PackError> {
        let mut blocks = BTreeMap::new();
        for (number, rendition) in chosen.iter() {
            let (shape, _) = self.shapes[number][rendition];
            blocks.extend(self.block(number, shape).map(|block| (number, block)));
        }
        self.draft.write(blocks)
    }

    fn tokens(&self, shown: &Shown) -> Tokens {
        shown.counted.tokens
    }
}

/// Chooses what is shown, and says why the rest is not.
pub(super) fn choose(draft: &mut Draft<'_>, budget: Tokens) -> Result<Shown, PackError> {
    let (candidates, options) = (draft.candidates, draft.options);
    let shapes: Vec<Shapes> = candidates.par_iter().map(|it| shapes(it, options)).collect();
    let items = candidates.iter().zip(&shapes).map(|(it, shapes)| item(it, shapes, options));
    let items = items.collect();
    let floor = f64::from(options.tiers.floor_score);
    let policy = Policy { floor_score: Some(floor), ..Policy::default() };
    let mut composer = Composer { draft, shapes };
    let fitted = fit::fit(items, &Allocation::of(budget), &policy, &mut composer)?;
    let mut shown = fitted.written;
    for (number, fate) in fitted.selection.fates().iter().enumerate() {
        let reason = match fate.because() {
            _ if fate.rendition().is_some() && !shown.blocks.contains_key(&number) => {
                Reason::Unreadable
            }
            Some(because) => because.clone().into(),
            None if is_oversized(&candidates[number], options) => Reason::Oversized,
            None => Reason::Compressed,
        };
        shown.reasons.insert(number, reason);
    }
    Ok(shown)
}

impl Composer<'_, '_> {
    /// Builds a block, reading the file if it must.
    fn block(&mut self, number: usize, shape: Shape) -> Option<Block> {
        let candidate = &self.draft.candidates[number];
        if shape == Shape::Signatures && candidate.facts.outline.is_some() {
            return Some(signatures(candidate, ""));
        }
        let text = self.draft.page.text(&candidate.path, &candidate.stamp)?;
        Some(match shape {
            Shape::Signatures => signatures(candidate, &text),
            Shape::Full => candidate.full(&text, self.draft.options),
            Shape::Sections(count, most) => {
                let options = self.draft.options;
                let mut chosen = sections_of(candidate, &text);
                chosen.truncate(count);
                chosen.retain(|section| section_cost(candidate, section, options) <= most);
                sectioned(candidate, &chosen, options)
            }
        })
    }
}

/// Whether it is too large to be shown as a whole unless asked for.
fn is_oversized(candidate: &Candidate, options: &PackOptions) -> bool {
    candidate.facts.tokens > options.tiers.oversized && !candidate.pinned && !candidate.changed
}

/// The item that stands for a file.
fn item(candidate: &Candidate, shapes: &Shapes, options: &PackOptions) -> Item<String> {
    let base = f64::from(candidate.score);
    let score = match (candidate.pinned, candidate.changed) {
        (true, _) => base + PINNED,
        (_, true) => base + CHANGED,
        _ => base,
    };
    let item = Item::new(candidate.path.clone(), score);
    if let Some(of) = &candidate.copy_of {
        return item.excluded(fit::Reason::Duplicate(of.clone()));
    }
    let is_low = candidate.score < options.tiers.oversized_min_score;
    if is_low && is_oversized(candidate, options) && !options.compress {
        return item.excluded(fit::Reason::BelowThreshold);
    }
    shapes.iter().fold(item, |item, (shape, tokens)| {
        let tier = match shape {
            Shape::Full => Tier::Full,
            Shape::Sections(..) => Tier::Sections,
            Shape::Signatures => Tier::Signatures,
        };
        item.rendition(tier.name(), *tokens)
    })
}

/// The ways to show a file when not everything fits.
fn shapes(candidate: &Candidate, options: &PackOptions) -> Shapes {
    if candidate.copy_of.is_some() {
        return Shapes::new();
    }
    let frame = candidate.block(Tier::Full, candidate.all_lines(), String::new());
    let frame = options.counter.count(&block_text(&frame, &options.format));
    let full = (Shape::Full, full_cost(candidate, options).saturating_add(frame));
    if candidate.pinned {
        return vec![full];
    }
    let text: Option<Arc<str>> = if candidate.facts.outline.is_none() || !options.compress {
        load(&candidate.stamp, options).ok().map(Arc::from)
    } else {
        None
    };
    let text = text.as_deref().unwrap_or_default();
    let cost = options.counter.count(&signature_text(candidate, text)).saturating_add(frame);
    let signatures = (Shape::Signatures, cost);
    if options.compress {
        return vec![signatures];
    }
    if !is_oversized(candidate, options) || candidate.facts.outline.is_none() {
        return vec![full, signatures];
    }
    let mut shapes = section_shapes(candidate, text, cost, options);
    // Parts may cost more than the whole.
    if shapes.first().is_none_or(|(_, tokens)| *tokens >= full.1) {
        shapes.insert(0, full);
    }
    shapes.push(signatures);
    shapes
}

/// What the whole file costs without its frame, by what is known of it.
pub(super) fn full_cost(candidate: &Candidate, options: &PackOptions) -> Tokens {
    // A gutter takes about three tokens a line; the final count decides.
    let gutter = if options.line_numbers { 3 } else { 0 };
    let gutter = Tokens::new(u64::from(candidate.facts.lines) * gutter);
    candidate.facts.tokens.saturating_add(gutter)
}

/// The signatures with all sections, with all but the last, and so on; and without the
/// largest, the two largest, so that one which does not fit does not stop the next.
fn section_shapes(
    candidate: &Candidate,
    text: &str,
    signatures: Tokens,
    options: &PackOptions,
) -> Shapes {
    let sections = sections_of(candidate, text);
    let sizes = sections.iter().map(|section| section_cost(candidate, section, options));
    let sizes: Vec<Tokens> = sizes.collect();
    let firsts = (1..=sizes.len()).map(|count| (count, Tokens::MAX));
    let smalls = sizes.iter().map(|size| (sizes.len(), *size));
    let mut shapes: Shapes = firsts
        .chain(smalls)
        .map(|(count, most)| {
            let shown = sizes[..count].iter().copied().filter(|size| *size <= most);
            let cost = signatures.saturating_add(Tokens::saturating_sum(shown));
            (Shape::Sections(count, most), cost)
        })
        .collect();
    shapes.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
    shapes.dedup_by_key(|(_, cost)| *cost);
    shapes
}

/// What a section adds, at most.
fn section_cost(candidate: &Candidate, section: &Section, options: &PackOptions) -> Tokens {
    options.counter.count(&written(candidate, section, options)).saturating_add(RANGE)
}

/// The parts of a file that are worth showing, best first.
fn sections_of(candidate: &Candidate, text: &str) -> Vec<Section> {
    let outline = candidate.facts.outline.as_ref();
    outline.map_or_else(Vec::new, |outline| sections(text, outline))
}

/// The signatures as a block; the first lines of the text where there is no outline.
fn signatures(candidate: &Candidate, text: &str) -> Block {
    candidate.block(Tier::Signatures, Vec::new(), signature_text(candidate, text))
}

/// The signatures followed by sections under their labels.
fn sectioned(candidate: &Candidate, chosen: &[Section], options: &PackOptions) -> Block {
    let mut body = signature_text(candidate, "");
    for section in chosen {
        body.push_str(&written(candidate, section, options));
    }
    let ranges = chosen.iter().map(|section| (section.first_line, section.last_line));
    candidate.block(Tier::Sections, merged(ranges.collect()), body)
}

fn written(candidate: &Candidate, section: &Section, options: &PackOptions) -> String {
    let text = if options.line_numbers {
        numbered(&section.text, section.first_line, candidate.facts.lines)
    } else {
        section.text.clone()
    };
    format!("\n\n{}\n{text}", section.label)
}

/// What a file declares; its first lines where there is no outline.
fn signature_text(candidate: &Candidate, text: &str) -> String {
    let path = &candidate.path;
    let written = match &candidate.facts.outline {
        Some(outline) => render_signatures(path, outline, &RenderOptions::default()),
        None => render_fallback(path, candidate.language, text),
    };
    // The first line names the file, as the head of its block does.
    let rest = written.split_once('\n').map(|(_, rest)| rest.to_owned());
    rest.unwrap_or_default()
}
