//! Writes lines that are chosen for a task, and tells what they cost.

use std::collections::HashMap;

use super::preferences::Copies;
use crate::fit::{Chosen, Compose, Offer, Place};
use crate::pack::page::{Counted, Page};
use crate::pack::ranking::task::{Choice, RankedFile, RelatedPassage, TaskSource, TaskWeights};
use crate::pack::render::{Block, Part, Tier, excerpt};
use crate::pack::{PackError, PackOptions, PackOrder};
use crate::text::Nesting;
use crate::tokens::Tokens;

/// One passage that was left out is named for so many tokens of the budget,
const LEFT_OUT_TOKENS: u64 = 1_500;
/// up to so many.
const LEFT_OUT_MOST: u64 = 12;
/// What a gap mark, or the end of a block, costs at most.
const MARK: u64 = 12;
/// Characters of a definition's first line that are named.
const HEADING: usize = 80;

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
    read: HashMap<usize, Option<Measured>>,
}

/// A text that was read.
struct Measured {
    /// The tokens of all lines before each line.
    sums: Vec<u64>,
    nesting: Nesting,
}

impl Measured {
    fn tokens(&self, (first, last): (u32, u32)) -> u64 {
        let at = |line: u32| self.sums.get(line as usize).or(self.sums.last()).copied();
        at(last).unwrap_or(0) - at(first - 1).unwrap_or(0)
    }
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
            choice: Choice::new(ranked, options.budget.unwrap_or(Tokens::MAX), weights),
            texts: Texts {
                page,
                options,
                ranked,
                sources: by_path.collect(),
                read: HashMap::new(),
            },
            copies,
        }
    }

    /// Adds passages that go with those that match the task.
    pub(super) fn with_related(mut self, passages: &[RelatedPassage]) -> Composer<'a> {
        let part = self.texts.options.related / 100.0;
        self.choice = self.choice.with_related(passages, part);
        self
    }

    /// Whether any file matches the task.
    pub(super) fn is_wanted(&self) -> bool {
        self.texts.ranked.iter().any(|file| file.score > 0.0)
    }

    /// Chooses lines within a budget.
    pub(super) fn fit(&mut self, budget: Tokens) -> Result<Shown, PackError> {
        let head = self.texts.page.write(&[])?.tokens;
        let room = budget.saturating_sub(head);
        let cost = &mut |file: usize, ranges: &[(u32, u32)]| self.texts.cost(file, ranges);
        let allocation = self.choice.allocation(budget, room, cost)?;
        let items = self.choice.items();
        let fitted = crate::fit::fit(items, &allocation, &Choice::policy(), self)?;
        Ok(fitted.written)
    }

    /// Returns what could not be read.
    pub(super) fn take_notes(&mut self) -> Vec<crate::Remark> {
        std::mem::take(&mut self.texts.page.notes)
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
        self.name_left_out(&blocks);
        let shown: Vec<&Block> = blocks.iter().map(|(_, block)| block).collect();
        let counted = self.texts.page.write(&shown)?;
        Ok(Shown { counted, blocks })
    }

    /// Says at the end of the pack which passages come next, so that a reader can ask for them.
    fn name_left_out(&mut self, blocks: &[(usize, Block)]) {
        let shown: HashMap<usize, &[(u32, u32)]> =
            blocks.iter().map(|(file, block)| (*file, block.ranges.as_slice())).collect();
        let mut lines = String::new();
        let budget = self.texts.options.budget.unwrap_or(Tokens::MAX).get();
        let most = (budget / LEFT_OUT_TOKENS).min(LEFT_OUT_MOST);
        for (file, passage) in self.choice.left_out(&shown, most as usize) {
            if let Some(line) = self.texts.named(file, passage) {
                lines.push_str(&line);
            }
        }
        let part = Part {
            name: "not_shown",
            heading: Some("Not shown: what comes next by relevance".to_owned()),
            text: lines,
            ..Part::default()
        };
        self.texts.page.document.after = if part.text.is_empty() { Vec::new() } else { vec![part] };
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
    /// About what a file costs with these lines and those around them shown, rather too much.
    fn cost(&mut self, file: usize, ranges: &[(u32, u32)]) -> u64 {
        if ranges.is_empty() {
            return 0;
        }
        let path = self.ranked[file].path.len() as u64;
        let Some(text) = self.measured(file) else {
            return u64::MAX / 4;
        };
        let ranges = text.nesting.readable(ranges);
        // A heading, a fence, and a range or two.
        let frame = path / 2 + 24 + 7 * ranges.len() as u64;
        let lines: u64 = ranges.iter().map(|range| text.tokens(*range)).sum();
        frame + lines + MARK * (ranges.len() as u64 + 1)
    }

    /// Reads and measures a file when it is first needed.
    fn measured(&mut self, file: usize) -> Option<&Measured> {
        if !self.read.contains_key(&file) {
            let path = self.ranked[file].path.as_str();
            let source = self.sources.get(path)?;
            let text = self.page.text(path, &source.stamp);
            let measured = text.map(|text| Measured {
                sums: line_sums(&text, self.options),
                nesting: Nesting::new(&text, source.language),
            });
            self.read.insert(file, measured);
        }
        self.read.get(&file)?.as_ref()
    }

    /// Names a passage: where it is, what it is part of, what it costs.
    fn named(&mut self, file: usize, passage: (u32, u32)) -> Option<String> {
        let path = self.ranked[file].path.as_str();
        let text = self.page.text(path, &self.sources.get(path)?.stamp)?;
        let measured = self.measured(file)?;
        let tokens = measured.tokens(passage);
        let heading = measured.nesting.heading(passage);
        let heading = heading.and_then(|line| text.lines().nth(line as usize - 1));
        let heading = heading.map(|line| format!(" {}", line.trim())).unwrap_or_default();
        let heading: String = heading.chars().take(HEADING).collect();
        let (first, last) = passage;
        Some(format!("{path}:{first}-{last}{heading} ({tokens} tokens)\n"))
    }

    fn block(&mut self, file: usize, ranges: &[(u32, u32)]) -> Option<Block> {
        let path = self.ranked[file].path.as_str();
        let source = *self.sources.get(path)?;
        let text = self.page.text(path, &source.stamp)?;
        let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        let ranges = self.measured(file)?.nesting.readable(ranges);
        let is_full = ranges.as_slice() == [(1, lines)];
        let tier = if is_full { Tier::Full } else { Tier::Chunks };
        let body = excerpt(&text, &ranges, source.language, self.options.line_numbers);
        Some(Block { lines, ranges, ..Block::new(path, source.language, tier, body) })
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
