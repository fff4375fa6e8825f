//! Writes lines that are chosen for a task, and tells what they cost.

use std::collections::HashMap;

use super::preferences::Copies;
use crate::fit::{Chosen, Compose, Offer, Place, longest};
use crate::pack::page::{Counted, Page, longest_written};
use crate::pack::ranking::task::{Choice, RankedFile, TaskSource, TaskWeights, joined};
use crate::pack::render::{Block, Origin, Tier, excerpt};
use crate::pack::{PackError, PackOptions, PackOrder};
use crate::tokens::Tokens;

/// Files that may get a part of what is left.
const TOPPED_UP: usize = 24;
/// Fewer lines than this say nothing.
const FEWEST_LINES: usize = 3;
/// What a gap mark, or the end of a block, costs at most.
const MARK: u64 = 12;

/// A choice as it is written.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) counted: Counted,
    /// The files shown, in the order of the text.
    pub(super) blocks: Vec<(usize, Block)>,
}

/// Prices and writes a choice of lines.
pub(super) struct Composer<'a> {
    choice: Choice<'a>,
    texts: Texts<'a>,
    copies: &'a Copies,
}

/// The texts that lines are chosen from.
struct Texts<'a> {
    page: Page<'a>,
    options: &'a PackOptions,
    ranked: &'a [RankedFile],
    sources: HashMap<&'a str, &'a TaskSource>,
    /// By file: the tokens of all lines before each line.
    sums: HashMap<usize, Option<Vec<u64>>>,
}

impl<'a> Composer<'a> {
    pub(super) fn new(
        page: Page<'a>,
        options: &'a PackOptions,
        ranked: &'a [RankedFile],
        sources: &'a [TaskSource],
        copies: &'a Copies,
        weights: &'a TaskWeights,
    ) -> Composer<'a> {
        let by_path = sources.iter().map(|file| (file.path.as_str(), file));
        Composer {
            choice: Choice::new(ranked, weights),
            texts: Texts {
                page,
                options,
                ranked,
                sources: by_path.collect(),
                sums: HashMap::new(),
            },
            copies,
        }
    }

    /// Chooses lines within a budget.
    pub(super) fn fit(&mut self, budget: Tokens) -> Result<Shown, PackError> {
        let head = self.texts.page.write(&[])?.tokens;
        let room = budget.saturating_sub(head);
        let cost = &mut |file: usize, ranges: &[(u32, u32)]| self.texts.cost(file, ranges);
        let allocation = self.choice.allocation(budget, room, cost)?;
        let items = self.choice.items();
        let fitted = crate::fit::fit(items, &allocation, &Choice::policy(), self)?;
        Ok(self.top_up(fitted.written, budget))
    }

    /// Returns what could not be read.
    pub(super) fn take_notes(&mut self) -> Vec<crate::Remark> {
        std::mem::take(&mut self.texts.page.notes)
    }

    /// Spends what is left on the first lines of passages that did not fit whole.
    fn top_up(&mut self, mut best: Shown, budget: Tokens) -> Shown {
        let ranked = self.texts.ranked;
        let mut files: Vec<usize> = (0..ranked.len()).collect();
        files.sort_by(|a, b| ranked[*b].score.total_cmp(&ranked[*a].score));
        for file in files.into_iter().take(TOPPED_UP) {
            let left = budget.saturating_sub(best.counted.tokens).get();
            if left <= budget.get() / 100 || left < 2 * MARK {
                break;
            }
            best = self.enlarge(file, best, budget);
        }
        best
    }

    /// Shows as many lines more of a file's best passage that is not shown as fit.
    fn enlarge(&mut self, file: usize, best: Shown, budget: Tokens) -> Shown {
        let before = self.choice.ranges(file).to_vec();
        let is_shown = |line: u32| before.iter().any(|it| (it.0..=it.1).contains(&line));
        let mut passages = self.texts.ranked[file].passages.iter();
        let next = passages.find(|it| it.score > 0.0 && !is_shown(it.first));
        let Some((first, last)) = next.map(|passage| (passage.first, passage.last)) else {
            return best;
        };
        let ranges = |count: usize| joined(&before, (first, first + count as u32 - 1));
        let left = budget.saturating_sub(best.counted.tokens).get();
        let most = self.texts.cost(file, &before).saturating_add(left);
        let by_estimate = longest((last + 1 - first) as usize, |count| {
            count == 0 || self.texts.cost(file, &ranges(count)) <= most
        });
        let found = longest_written(by_estimate.unwrap_or(0), |count| {
            if count < FEWEST_LINES {
                return None;
            }
            self.choice.show(file, ranges(count));
            let shown = self.shown().ok()?;
            (shown.counted.tokens <= budget).then_some(shown)
        });
        match found {
            Some((count, shown)) if shown.counted.tokens > best.counted.tokens => {
                self.choice.show(file, ranges(count));
                shown
            }
            _ => {
                self.choice.show(file, before);
                best
            }
        }
    }

    fn shown(&mut self) -> Result<Shown, PackError> {
        let mut picks = self.choice.picks();
        if self.texts.options.order == Some(PackOrder::Path) {
            picks.sort_by_key(|pick| &self.texts.ranked[pick.file].path);
        }
        let blocks = picks.into_iter().filter_map(|pick| {
            let copies = self.copies.others.get(&pick.file);
            let block = self.texts.block(pick.file, &pick.ranges)?;
            let copies = copies.cloned().unwrap_or_default();
            Some((pick.file, Block { copies, ..block }))
        });
        let blocks: Vec<(usize, Block)> = blocks.collect();
        let shown: Vec<&Block> = blocks.iter().map(|(_, block)| block).collect();
        let counted = self.texts.page.write(&shown)?;
        Ok(Shown { counted, blocks })
    }
}

impl Compose for Composer<'_> {
    type Written = Shown;
    type Error = PackError;

    fn cost(&mut self, place: Place, _: Offer) -> Option<Tokens> {
        let texts = &mut self.texts;
        let mut cost = |file: usize, ranges: &[(u32, u32)]| texts.cost(file, ranges);
        self.choice.price(place, &mut cost)
    }

    fn rate(&self, place: Place, _: Offer) -> f64 {
        self.choice.rate(place)
    }

    fn take(&mut self, place: Place, _: &mut Vec<usize>) {
        self.choice.take(place);
    }

    fn give_back(&mut self, _: Place) {
        self.choice.give_back();
    }

    fn write(&mut self, _: Chosen<'_>) -> Result<Shown, PackError> {
        self.choice.begin_round();
        self.shown()
    }

    fn tokens(&self, shown: &Shown) -> Tokens {
        shown.counted.tokens
    }
}

impl Texts<'_> {
    /// About what a file costs with these lines shown, rather too much.
    fn cost(&mut self, file: usize, ranges: &[(u32, u32)]) -> u64 {
        if ranges.is_empty() {
            return 0;
        }
        // A heading, a fence, and a range or two.
        let frame = self.ranked[file].path.len() as u64 / 2 + 24 + 7 * ranges.len() as u64;
        let Some(sums) = self.line_sums(file) else {
            return u64::MAX / 4;
        };
        let at = |line: u32| {
            let sum = sums.get(line as usize).or(sums.last());
            sum.copied().unwrap_or(0)
        };
        let lines = ranges.iter().map(|(first, last)| at(*last) - at(first - 1));
        frame + lines.sum::<u64>() + MARK * (ranges.len() as u64 + 1)
    }

    /// Reads and measures a file when it is first needed.
    fn line_sums(&mut self, file: usize) -> Option<&Vec<u64>> {
        if !self.sums.contains_key(&file) {
            let path = self.ranked[file].path.as_str();
            let source = self.sources.get(path)?;
            let text = self.page.text(path, &source.stamp);
            let sums = text.map(|text| line_sums(&text, self.options));
            self.sums.insert(file, sums);
        }
        self.sums.get(&file)?.as_ref()
    }

    fn block(&mut self, file: usize, ranges: &[(u32, u32)]) -> Option<Block> {
        let path = self.ranked[file].path.as_str();
        let source = *self.sources.get(path)?;
        let text = self.page.text(path, &source.stamp)?;
        let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        let ranges = ranges.iter();
        let ranges: Vec<(u32, u32)> = ranges
            .map(|(first, last)| (*first, (*last).min(lines)))
            .filter(|(first, last)| first <= last)
            .collect();
        let is_full = ranges.as_slice() == [(1, lines)];
        Some(Block {
            tier: if is_full { Tier::Full } else { Tier::Chunks },
            body: excerpt(&text, &ranges, source.language, self.options.line_numbers),
            path: path.to_owned(),
            language: source.language,
            lines,
            ranges,
            copies: Vec::new(),
            parts: Vec::new(),
            origin: Origin::default(),
        })
    }
}

fn line_sums(text: &str, options: &PackOptions) -> Vec<u64> {
    let gutter = if options.line_numbers { 3 } else { 0 };
    let mut sum = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        sum += options.counter.count(line).get() + gutter;
        sum
    });
    std::iter::once(0).chain(lines).collect()
}
