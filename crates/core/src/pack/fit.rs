//! Chooses renditions, writes them, counts the result, and makes it fit.
//!
//! `select` works with the cost of each block on its own; what counts is the
//! text as a whole, and tokens do not add up exactly. So the text is written
//! and counted, and where it is over the line the selection is made again with
//! a little less. What is left in the end goes to the best files that are not
//! shown in full.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::candidate::{Candidate, Key, Shape, Shapes};
use super::render::{Block, Document, Tier, Written, block_text, render};
use super::survey::load;
use super::{PackError, PackOptions, PackOrder};
use crate::Remark;
use crate::budget::Allocation;
use crate::fit::{Fate, Policy, select};
use crate::tokens::is_seam;
use crate::tokens::{Counter, Tokens};

/// What fits.
pub(super) struct Fitted {
    pub(super) counted: Counted,
    /// The blocks shown, by the number of their candidate.
    pub(super) blocks: BTreeMap<usize, Block>,
    /// Why a candidate is not shown in full, by its number.
    pub(super) reasons: HashMap<usize, String>,
    pub(super) notes: Vec<Remark>,
}

/// A text with its cost.
pub(super) struct Counted {
    pub(super) text: String,
    pub(super) tokens: Tokens,
    /// What each block takes of it; empty where the counter cannot tell.
    pub(super) costs: Vec<Tokens>,
}

/// Counts a text: in parts, on all cores, where the counter allows that.
fn count(written: Written, counter: &Counter) -> Counted {
    let Written { text, starts } = written;
    // A block may begin with a blank line, which belongs to what is before it.
    let begin = |start: &usize| {
        let rest = text.get(*start..).unwrap_or_default();
        start + rest.len() - rest.trim_start_matches('\n').len()
    };
    let starts: Vec<usize> = starts.iter().map(begin).collect();
    let seams = counter.has_seams() && starts.iter().all(|start| is_seam(&text, *start));
    if !seams || starts.is_empty() {
        let tokens = counter.count(&text);
        let costs = Vec::new();
        return Counted {
            text,
            tokens,
            costs,
        };
    }
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    let parts: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
    let costs: Vec<Tokens> = parts
        .par_iter()
        .map(|(start, end)| counter.count(&text[*start..*end]))
        .collect();
    let head = counter.count(&text[..starts[0]]);
    let tokens = costs
        .iter()
        .fold(head, |sum, cost| sum.saturating_add(*cost));
    Counted {
        text,
        tokens,
        costs,
    }
}

/// Writes and counts a document.
pub(super) fn written(
    document: &Document,
    blocks: &[&Block],
    options: &PackOptions,
) -> Result<Counted, PackError> {
    let written = render(document, blocks, &options.format)?;
    Ok(count(written, &options.counter))
}

/// What a block costs on its own.
pub(super) fn cost_of(block: &Block, options: &PackOptions) -> Tokens {
    let text = block_text(block, &options.format);
    options.counter.count(&text)
}

/// How often a selection is made again before giving up on filling the budget.
const ATTEMPTS: usize = 16;
/// Files that get a part of what is left.
const FILLED: usize = 24;
/// Less than this is not worth filling.
const CRUMBS: Tokens = Tokens::new(12);

/// The work in progress.
struct Fit<'a> {
    candidates: &'a [Candidate],
    options: &'a PackOptions,
    document: Document,
    texts: HashMap<usize, Arc<str>>,
    notes: Vec<Remark>,
}

/// Fits candidates under a budget; without one everything is shown in full.
pub(super) fn fit(
    candidates: &[Candidate],
    document: Document,
    options: &PackOptions,
) -> Result<Fitted, PackError> {
    let mut fit = Fit {
        candidates,
        options,
        document,
        texts: HashMap::new(),
        notes: Vec::new(),
    };
    let budget = options.budget.unwrap_or(Tokens::MAX);
    if fit.may_all_fit(budget)
        && let Some(fitted) = fit.everything(budget)?
    {
        return Ok(fitted);
    }
    let shapes = fit.shapes();
    let mut room = budget.saturating_sub(fit.count(&BTreeMap::new())?.tokens);
    for _ in 0..ATTEMPTS {
        let (blocks, reasons) = fit.choose(room, &shapes);
        let counted = fit.count(&blocks)?;
        let tokens = counted.tokens;
        if tokens <= budget {
            let shown = Fitted {
                counted,
                blocks,
                reasons,
                notes: Vec::new(),
            };
            return fit.fill(shown, budget);
        }
        let over = tokens.saturating_sub(budget);
        room = room.saturating_sub(over.saturating_add(Tokens::new(1)));
    }
    fit.nothing(budget)
}

impl Fit<'_> {
    /// Whether all files may fit in full, by what each costs on its own.
    fn may_all_fit(&self, budget: Tokens) -> bool {
        let options = self.options;
        if options.compress || options.budget.is_none() {
            return !options.compress;
        }
        let shown = self.candidates.iter();
        let shown = shown.filter(|candidate| candidate.twin.is_none());
        let all = shown.map(|candidate| candidate.full_cost(Tokens::ZERO, options));
        Tokens::checked_sum(all).is_some_and(|all| all <= budget)
    }

    /// Shows every file in full, if that fits.
    fn everything(&mut self, budget: Tokens) -> Result<Option<Fitted>, PackError> {
        let (candidates, options) = (self.candidates, self.options);
        let loaded: Vec<Option<Result<Block, String>>> = candidates
            .par_iter()
            .map(|candidate| {
                if candidate.twin.is_some() {
                    return None;
                }
                if let Some(text) = &candidate.facts.text {
                    return Some(Ok(candidate.full(text, options)));
                }
                let text = load(&candidate.stamp, options);
                Some(text.map(|text| candidate.full(&text, options)))
            })
            .collect();
        let mut blocks = BTreeMap::new();
        let mut reasons = HashMap::new();
        let mut notes = Vec::new();
        for (number, loaded) in loaded.into_iter().enumerate() {
            let candidate = &candidates[number];
            match (loaded, &candidate.twin) {
                (Some(Ok(block)), _) => {
                    blocks.insert(number, block);
                }
                (Some(Err(why)), _) => {
                    reasons.insert(number, "unreadable".to_owned());
                    notes.push(Remark::new(candidate.path.clone(), why));
                }
                (None, twin) => {
                    let twin = twin.as_deref().unwrap_or_default();
                    reasons.insert(number, format!("duplicate of {twin}"));
                }
            }
        }
        let choosing = std::mem::take(&mut self.document.choosing);
        let counted = self.count(&blocks)?;
        if counted.tokens > budget {
            self.document.choosing = choosing;
            return Ok(None);
        }
        Ok(Some(Fitted {
            counted,
            blocks,
            reasons,
            notes,
        }))
    }

    /// Even the header is too much: shows what of it fits, or nothing.
    fn nothing(mut self, budget: Tokens) -> Result<Fitted, PackError> {
        self.document = Document {
            name: std::mem::take(&mut self.document.name),
            ..Document::default()
        };
        let mut counted = self.count(&BTreeMap::new())?;
        if counted.tokens > budget {
            counted.text.clear();
            counted.tokens = Tokens::ZERO;
        }
        let note = format!("nothing fits a budget of {budget} tokens");
        self.notes.push(Remark::new("budget", note));
        let reasons = (0..self.candidates.len()).map(|number| (number, "over budget".to_owned()));
        Ok(Fitted {
            counted,
            blocks: BTreeMap::new(),
            reasons: reasons.collect(),
            notes: self.notes,
        })
    }

    /// The ways to show each file, with their costs.
    fn shapes(&self) -> Vec<Shapes> {
        let options = self.options;
        let shapes = self.candidates.par_iter().map(|candidate| {
            candidate.shapes(options, || {
                load(&candidate.stamp, options).ok().map(Arc::from)
            })
        });
        shapes.collect()
    }

    /// Selects within `room` and builds the blocks.
    fn choose(
        &mut self,
        room: Tokens,
        shapes: &[Shapes],
    ) -> (BTreeMap<usize, Block>, HashMap<usize, String>) {
        let items = self.candidates.iter().zip(shapes);
        let items = items.map(|(candidate, shapes)| candidate.item(shapes, self.options));
        let policy = Policy {
            floor_score: Some(f64::from(self.options.tiers().floor_score)),
            ..Policy::default()
        };
        let Ok(selection) = select(items.collect(), &Allocation::of(room), &policy) else {
            return (BTreeMap::new(), HashMap::new());
        };
        let mut blocks = BTreeMap::new();
        let mut reasons = HashMap::new();
        for (number, fate) in selection.fates().iter().enumerate() {
            if let Some(reason) = Fate::<Key>::because(fate) {
                reasons.insert(number, reason.to_string());
            }
            let Some(rendition) = fate.rendition() else {
                continue;
            };
            let (shape, _) = shapes[number][rendition];
            match self.block(number, shape) {
                Some(block) => {
                    if block.tier != Tier::Full {
                        let because = || self.shrunk(number).to_owned();
                        reasons.entry(number).or_insert_with(because);
                    }
                    blocks.insert(number, block);
                }
                None => {
                    reasons.insert(number, "unreadable".to_owned());
                }
            }
        }
        (blocks, reasons)
    }

    /// Why a file is shown in the most detail it may have, and yet not in full.
    fn shrunk(&self, number: usize) -> &'static str {
        if self.candidates[number].is_oversized(self.options) {
            "oversized"
        } else {
            "compressed"
        }
    }

    /// Builds a block, reading the file if it must.
    fn block(&mut self, number: usize, shape: Shape) -> Option<Block> {
        let candidate = &self.candidates[number];
        match shape {
            Shape::Signatures if candidate.facts.outline.is_some() => candidate.signatures(|| None),
            Shape::Signatures => {
                let text = self.text(number);
                candidate.signatures(|| text)
            }
            Shape::Full => {
                let text = self.text(number)?;
                Some(candidate.full(&text, self.options))
            }
            Shape::Sections(count) => {
                let text = self.text(number)?;
                let sections = candidate.sections(&text);
                let chosen = sections.get(..count).unwrap_or(&sections);
                Some(candidate.sectioned(chosen, self.options))
            }
        }
    }

    /// The text of a candidate; a file that went away costs a note.
    fn text(&mut self, number: usize) -> Option<Arc<str>> {
        if let Some(text) = self.texts.get(&number) {
            return Some(Arc::clone(text));
        }
        let candidate = &self.candidates[number];
        match load(&candidate.stamp, self.options) {
            Ok(text) => {
                let text: Arc<str> = text.into();
                self.texts.insert(number, Arc::clone(&text));
                Some(text)
            }
            Err(why) => {
                let note = Remark::new(candidate.path.clone(), why);
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
                None
            }
        }
    }

    fn count(&self, blocks: &BTreeMap<usize, Block>) -> Result<Counted, PackError> {
        let order = self.arranged(blocks);
        let shown: Vec<&Block> = order.iter().map(|number| &blocks[number]).collect();
        let mut counted = written(&self.document, &shown, self.options)?;
        // Whoever reads the costs goes by number.
        let mut costs: Vec<(usize, Tokens)> = order.into_iter().zip(counted.costs).collect();
        costs.sort_unstable();
        counted.costs = costs.into_iter().map(|(_, tokens)| tokens).collect();
        Ok(counted)
    }

    /// The numbers of blocks in the order in which they are written.
    fn arranged(&self, blocks: &BTreeMap<usize, Block>) -> Vec<usize> {
        let mut order: Vec<usize> = blocks.keys().copied().collect();
        if self.options.order == Some(PackOrder::Rank) {
            order.sort_by_key(|number| {
                let candidate = &self.candidates[*number];
                let rank = (candidate.pinned, candidate.changed, candidate.score);
                (Reverse(rank), *number)
            });
        }
        order
    }

    fn cost(&self, block: &Block) -> Tokens {
        cost_of(block, self.options)
    }

    /// Spends what is left on the best files that are not shown in full.
    fn fill(mut self, mut shown: Fitted, budget: Tokens) -> Result<Fitted, PackError> {
        for number in self.fillable(&shown) {
            let left = budget.saturating_sub(shown.counted.tokens);
            if left.get().saturating_mul(100) < budget.get() || left < CRUMBS {
                break;
            }
            let paid = shown.blocks.get(&number);
            let paid = paid.map_or(Tokens::ZERO, |block| self.cost(block));
            let room = left.saturating_add(paid);
            // The first try fits on its own; as a part of the whole it may not.
            for block in self.larger(number, &shown, room) {
                let before = shown.blocks.insert(number, block);
                let counted = self.count(&shown.blocks)?;
                if counted.tokens <= budget && counted.tokens > shown.counted.tokens {
                    shown.counted = counted;
                    shown
                        .reasons
                        .entry(number)
                        .or_insert_with(|| "over budget".to_owned());
                    break;
                }
                match before {
                    Some(before) => shown.blocks.insert(number, before),
                    None => shown.blocks.remove(&number),
                };
            }
        }
        shown.notes = self.notes;
        Ok(shown)
    }

    /// The files that could be shown in more detail, best first.
    fn fillable(&self, shown: &Fitted) -> Vec<usize> {
        if self.options.compress {
            return Vec::new();
        }
        let is_full = |number: &usize| {
            let block = shown.blocks.get(number);
            block.is_some_and(|block| block.tier == Tier::Full)
        };
        let is_wanted = |number: &usize| {
            let candidate = &self.candidates[*number];
            candidate.twin.is_none() && !candidate.is_unwanted(self.options)
        };
        let mut order: Vec<usize> = (0..self.candidates.len())
            .filter(|number| is_wanted(number) && !is_full(number))
            .collect();
        order.sort_by_key(|number| {
            let candidate = &self.candidates[*number];
            (Reverse(candidate.score), &candidate.path)
        });
        order.truncate(FILLED);
        order
    }

    /// More of a file than is shown now, within `room`: the most first, then a little less.
    fn larger(&mut self, number: usize, shown: &Fitted, room: Tokens) -> Vec<Block> {
        let Some(text) = self.text(number) else {
            return Vec::new();
        };
        let (candidate, options) = (&self.candidates[number], self.options);
        let sections = candidate.sections(&text);
        let has_sections = shown
            .blocks
            .get(&number)
            .is_some_and(|block| block.tier == Tier::Sections);
        if has_sections {
            return self.more_sections(number, sections, room);
        }
        // Lines of the best sections first, then from the top.
        let ranges = sections
            .iter()
            .map(|section| (section.first_line, section.last_line));
        let mut seen = BTreeSet::new();
        let lines = ranges.chain([(1, candidate.facts.lines)]);
        let lines = lines.flat_map(|(first, last)| first..=last.min(candidate.facts.lines));
        let lines: Vec<u32> = lines.filter(|line| seen.insert(*line)).collect();
        let block_of = |count: usize| candidate.with_lines(&text, &lines[..count], options);
        // The cost grows with the number of lines, so the most that fits can be searched for.
        let (mut low, mut high) = (0, lines.len());
        while low < high {
            let middle = (low + high).div_ceil(2);
            if self.cost(&block_of(middle)) <= room {
                low = middle
            } else {
                high = middle - 1
            }
        }
        let less = [low, low - low / 50, low - low / 20, low - low / 8];
        let mut less: Vec<usize> = less.into_iter().filter(|count| *count > 2).collect();
        less.dedup();
        less.into_iter().map(block_of).collect()
    }

    /// The sections in their order, past those that do not fit.
    fn more_sections(
        &self,
        number: usize,
        sections: Vec<crate::syntax::Section>,
        room: Tokens,
    ) -> Vec<Block> {
        let candidate = &self.candidates[number];
        let mut chosen = Vec::new();
        for section in sections {
            chosen.push(section);
            let block = candidate.sectioned(&chosen, self.options);
            if self.cost(&block) > room {
                chosen.pop();
            }
        }
        vec![candidate.sectioned(&chosen, self.options)]
    }
}
