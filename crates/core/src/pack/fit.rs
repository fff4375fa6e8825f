//! Fits a repository under a budget.
//!
//! Files compete by score, each in full, in part or as signatures; [`crate::fit`]
//! chooses, and this module says what a choice looks like and what it costs. What is
//! left then goes to lines of the best files that are not shown in full: a budget that
//! was asked for is worth filling, and whole files rarely fill it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::candidate::{Candidate, Key, Shape, Shapes};
use super::page::{Counted, Page, longest_written};
use super::render::{Block, Document, Tier};
use super::survey::load;
use super::{PackError, PackOptions, PackOrder, Reason};
use crate::Remark;
use crate::budget::Allocation;
use crate::fit::{Chosen, Compose, Item, Policy, Selection, longest, select};
use crate::syntax::Section;
use crate::tokens::Tokens;

/// What fits.
pub(super) struct Fitted {
    pub(super) shown: Shown,
    /// Why a candidate is not shown in full, by its number.
    pub(super) reasons: HashMap<usize, Reason>,
    pub(super) notes: Vec<Remark>,
}

/// Blocks as they are written.
pub(super) struct Shown {
    pub(super) counted: Counted,
    /// The blocks, by the number of their candidate.
    pub(super) blocks: BTreeMap<usize, Block>,
}

/// Files that get a part of what is left.
const TOPPED_UP: usize = 24;
/// Less than this is not worth filling.
const CRUMBS: Tokens = Tokens::new(12);
/// Fewer lines than this say nothing.
const FEWEST_LINES: usize = 3;

/// Prices and writes a choice of files.
struct Composer<'a> {
    candidates: &'a [Candidate],
    options: &'a PackOptions,
    page: Page<'a>,
    /// The ways to show each file, by the number of its candidate.
    shapes: Vec<Shapes>,
}

impl Compose for Composer<'_> {
    type Written = Shown;
    type Error = PackError;

    fn write(&mut self, chosen: Chosen<'_>) -> Result<Shown, PackError> {
        let mut blocks = BTreeMap::new();
        for (number, rendition) in chosen.iter() {
            let (shape, _) = self.shapes[number][rendition];
            blocks.extend(self.block(number, shape).map(|block| (number, block)));
        }
        let counted = self.count(&blocks)?;
        Ok(Shown { counted, blocks })
    }

    fn tokens(&self, shown: &Shown) -> Tokens {
        shown.counted.tokens
    }
}

/// Fits candidates under a budget; without one everything is shown in full.
pub(super) fn fit(
    candidates: &[Candidate],
    document: Document,
    options: &PackOptions,
) -> Result<Fitted, PackError> {
    let mut composer =
        Composer { candidates, options, page: Page::new(document, options), shapes: Vec::new() };
    let budget = options.budget.unwrap_or(Tokens::MAX);
    if composer.may_all_fit(budget)
        && let Some(fitted) = composer.everything(budget)?
    {
        return Ok(fitted);
    }
    composer.shapes = shapes(candidates, options);
    let items = candidates.iter().zip(&composer.shapes);
    let items = items.map(|(candidate, shapes)| candidate.item(shapes, options));
    let policy =
        Policy { floor_score: Some(f64::from(options.tiers.floor_score)), ..Policy::default() };
    match crate::fit::fit(items.collect(), &Allocation::of(budget), &policy, &mut composer) {
        Ok(fitted) => {
            let reasons = composer.reasons(&fitted.selection, &fitted.written);
            composer.top_up(fitted.written, reasons, budget)
        }
        Err(PackError::Fit(_)) => composer.nothing(budget),
        Err(error) => Err(error),
    }
}

/// The ways to show each file, with their costs.
fn shapes(candidates: &[Candidate], options: &PackOptions) -> Vec<Shapes> {
    let shapes = candidates.par_iter().map(|candidate| {
        candidate.shapes(options, || load(&candidate.stamp, options).ok().map(Arc::from))
    });
    shapes.collect()
}

impl Composer<'_> {
    /// Whether all files may fit in full, by what each costs on its own.
    fn may_all_fit(&self, budget: Tokens) -> bool {
        let options = self.options;
        if options.compress || options.budget.is_none() {
            return !options.compress;
        }
        let shown = self.candidates.iter().filter(|it| it.copy_of.is_none());
        let all = shown.map(|candidate| candidate.full_cost(Tokens::ZERO, options));
        Tokens::checked_sum(all).is_some_and(|all| all <= budget)
    }

    /// Shows every file in full, if that fits.
    fn everything(&mut self, budget: Tokens) -> Result<Option<Fitted>, PackError> {
        let (candidates, options) = (self.candidates, self.options);
        let loaded: Vec<Result<Block, (Reason, Option<Remark>)>> = candidates
            .par_iter()
            .map(|candidate| {
                if let Some(of) = &candidate.copy_of {
                    return Err((Reason::Duplicate { of: of.clone() }, None));
                }
                if let Some(text) = &candidate.facts.text {
                    return Ok(candidate.full(text, options));
                }
                let text = load(&candidate.stamp, options);
                text.map(|text| candidate.full(&text, options)).map_err(|why| {
                    let remark = Remark::new(candidate.path.clone(), why);
                    (Reason::Unreadable, Some(remark))
                })
            })
            .collect();
        let (mut blocks, mut reasons, mut notes) = (BTreeMap::new(), HashMap::new(), Vec::new());
        for (number, loaded) in loaded.into_iter().enumerate() {
            match loaded {
                Ok(block) => drop(blocks.insert(number, block)),
                Err((reason, remark)) => {
                    reasons.insert(number, reason);
                    notes.extend(remark);
                }
            }
        }
        let choosing = std::mem::take(&mut self.page.document.choosing);
        let counted = self.count(&blocks)?;
        if counted.tokens > budget {
            self.page.document.choosing = choosing;
            return Ok(None);
        }
        let shown = Shown { counted, blocks };
        Ok(Some(Fitted { shown, reasons, notes }))
    }

    /// Even the header is too much: shows what of it fits, or nothing.
    fn nothing(mut self, budget: Tokens) -> Result<Fitted, PackError> {
        self.page.document =
            Document { name: std::mem::take(&mut self.page.document.name), ..Document::default() };
        let mut counted = self.count(&BTreeMap::new())?;
        if counted.tokens > budget {
            counted = Counted::default();
        }
        let mut notes = self.page.notes;
        let remark = format!("nothing fits a budget of {budget} tokens");
        notes.push(Remark::new("budget", remark));
        let blocks = BTreeMap::new();
        Ok(Fitted { shown: Shown { counted, blocks }, reasons: HashMap::new(), notes })
    }

    /// Why files are not shown, or not in full.
    fn reasons(&self, selection: &Selection<Key>, shown: &Shown) -> HashMap<usize, Reason> {
        let fates = selection.fates().iter().enumerate();
        let reasons = fates.map(|(number, fate)| {
            let reason = match (fate.because(), shown.blocks.get(&number)) {
                (_, None) if fate.rendition().is_some() => Reason::Unreadable,
                (Some(because), _) => because.clone().into(),
                (None, _) if self.candidates[number].is_oversized(self.options) => {
                    Reason::Oversized
                }
                (None, _) => Reason::Compressed,
            };
            (number, reason)
        });
        reasons.collect()
    }

    /// Builds a block, reading the file if it must.
    fn block(&mut self, number: usize, shape: Shape) -> Option<Block> {
        let candidate = &self.candidates[number];
        if shape == Shape::Signatures && candidate.facts.outline.is_some() {
            return Some(candidate.signatures(""));
        }
        let text = self.page.text(&candidate.path, &candidate.stamp)?;
        Some(match shape {
            Shape::Signatures => candidate.signatures(&text),
            Shape::Full => candidate.full(&text, self.options),
            Shape::Sections(count) => {
                let sections = candidate.sections(&text);
                let chosen = sections.get(..count).unwrap_or(&sections);
                candidate.sectioned(chosen, self.options)
            }
        })
    }

    /// Writes and counts blocks; costs are in the order of their candidates.
    fn count(&self, blocks: &BTreeMap<usize, Block>) -> Result<Counted, PackError> {
        let order = self.arranged(blocks);
        let shown: Vec<&Block> = order.iter().map(|number| &blocks[number]).collect();
        let mut counted = self.page.write(&shown)?;
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

    /// Spends what is left on the best files that are not shown in full.
    fn top_up(
        mut self,
        mut shown: Shown,
        mut reasons: HashMap<usize, Reason>,
        budget: Tokens,
    ) -> Result<Fitted, PackError> {
        for number in self.unfinished(&shown) {
            let left = budget.saturating_sub(shown.counted.tokens);
            if left.get().saturating_mul(100) < budget.get() || left < CRUMBS {
                break;
            }
            if self.enlarge(number, &mut shown, budget) {
                reasons.entry(number).or_insert(Reason::OverBudget);
            }
        }
        Ok(Fitted { shown, reasons, notes: self.page.notes })
    }

    /// The files that could be shown in more detail, best first.
    fn unfinished(&self, shown: &Shown) -> Vec<usize> {
        if self.options.compress {
            return Vec::new();
        }
        let is_full = |number: &usize| {
            let block = shown.blocks.get(number);
            block.is_some_and(|block| block.tier == Tier::Full)
        };
        let is_wanted = |number: &usize| {
            let candidate = &self.candidates[*number];
            candidate.copy_of.is_none() && !candidate.is_unwanted(self.options)
        };
        let mut order: Vec<usize> = (0..self.candidates.len())
            .filter(|number| is_wanted(number) && !is_full(number))
            .collect();
        order.sort_by_key(|number| {
            let candidate = &self.candidates[*number];
            (Reverse(candidate.score), &candidate.path)
        });
        order.truncate(TOPPED_UP);
        order
    }

    /// Shows as much more of a file as fits; tells whether that is anything.
    fn enlarge(&mut self, number: usize, shown: &mut Shown, budget: Tokens) -> bool {
        let (candidate, options) = (&self.candidates[number], self.options);
        let Some(text) = self.page.text(&candidate.path, &candidate.stamp) else {
            return false;
        };
        let now = shown.blocks.get(&number);
        let paid = now.map_or(Tokens::ZERO, |block| self.page.cost(block));
        let left = budget.saturating_sub(shown.counted.tokens);
        let room = left.saturating_add(paid);
        let sections = candidate.sections(&text);
        if now.is_some_and(|block| block.tier == Tier::Sections) {
            let chosen = self.sections_within(candidate, sections, room);
            let block_of = |count: usize| candidate.sectioned(&chosen[..count], options);
            return self.replace(number, chosen.len(), block_of, shown, budget);
        }
        let lines = lines_by_worth(candidate, &sections);
        let block_of = |count: usize| candidate.with_lines(&text, &lines[..count], options);
        // What the block costs on its own is soon found, and mostly right.
        let count = longest(lines.len(), |count| self.page.cost(&block_of(count)) <= room);
        let count = count.unwrap_or(0);
        count >= FEWEST_LINES && self.replace(number, count, block_of, shown, budget)
    }

    /// The sections that fit, past those that do not.
    fn sections_within(
        &self,
        candidate: &Candidate,
        sections: Vec<Section>,
        room: Tokens,
    ) -> Vec<Section> {
        let bare = self.page.cost(&candidate.sectioned(&[], self.options));
        let items = sections.iter().enumerate().map(|(at, section)| {
            let cost = candidate.section_cost(section, self.options);
            Item::new(at, -(at as f64)).rendition("section", cost)
        });
        let room = Allocation::of(room.saturating_sub(bare));
        let Ok(selection) = select(items.collect(), &room, &Policy::default()) else {
            return Vec::new();
        };
        let chosen = sections.into_iter().zip(selection.fates());
        chosen.filter(|(_, fate)| fate.rendition().is_some()).map(|(section, _)| section).collect()
    }

    /// Shows a file by the longest of several blocks that fits; tells whether more is shown.
    fn replace(
        &self,
        number: usize,
        count: usize,
        block_of: impl Fn(usize) -> Block,
        shown: &mut Shown,
        budget: Tokens,
    ) -> bool {
        let before = shown.blocks.remove(&number);
        let found = longest_written(count, |count| {
            shown.blocks.insert(number, block_of(count));
            let counted = self.count(&shown.blocks).ok()?;
            (counted.tokens <= budget).then_some(counted)
        });
        match (found, before) {
            (Some((count, counted)), _) if counted.tokens > shown.counted.tokens => {
                shown.blocks.insert(number, block_of(count));
                shown.counted = counted;
                return true;
            }
            (_, Some(before)) => drop(shown.blocks.insert(number, before)),
            (_, None) => drop(shown.blocks.remove(&number)),
        }
        false
    }
}

/// The lines of a file's best sections, then all from the top.
fn lines_by_worth(candidate: &Candidate, sections: &[Section]) -> Vec<u32> {
    let last = candidate.facts.lines;
    let sections = sections.iter().map(|it| (it.first_line, it.last_line));
    let mut seen = BTreeSet::new();
    sections
        .chain([(1, last)])
        .flat_map(|(first, end)| first..=end.min(last))
        .filter(|line| seen.insert(*line))
        .collect()
}
