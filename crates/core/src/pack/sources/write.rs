//! Chooses chunks within a budget and its shares, and writes them.
//!
//! A chunk costs its lines and, where it is the first of its file, the frame of a
//! block. What was written is counted ([`crate::fit`]).

use std::collections::{BTreeMap, HashMap};

use super::plan::{Candidate, NEAR_HIT, Plan, document};
use super::{Cancel, SourceKind, SourceOptions};
use crate::Remark;
use crate::budget::Allocation;
use crate::fit::{Chosen, Compose, Item, Offer, Place, Policy, fit};
use crate::pack::page::longest_written;
use crate::pack::render::{Block, block_text, gap, numbered, render};
use crate::pack::{PackError, PackOrder, Reason};
use crate::tokens::Tokens;

/// What a mark between two runs of lines costs, at most.
const GAP: Tokens = Tokens::new(12);

/// A text with its cost.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) tokens: Tokens,
}

/// Chooses chunks of a plan within a budget, and writes them.
pub(super) fn write(
    plan: &mut Plan,
    budget: &Allocation,
    options: &SourceOptions,
    cancel: &Cancel,
) -> Result<Written, PackError> {
    let head = render(&document(options), &[], &options.format)?.text;
    let mut composer = Composer {
        head: options.counter.count(&head),
        plan,
        options,
        cancel,
        taken: 0,
        open: HashMap::new(),
        frames: HashMap::new(),
    };
    let candidates = composer.plan.candidates.iter().enumerate();
    let items = candidates.map(|(number, candidate)| item(number, candidate, budget));
    let fitted = fit(items.collect(), budget, &Policy::default(), &mut composer)?;
    for (number, fate) in fitted.selection.fates().iter().enumerate() {
        match fate.because() {
            Some(because) => {
                let because = match because {
                    crate::fit::Reason::OverShare => Reason::OverShare,
                    crate::fit::Reason::Empty => Reason::Empty,
                    _ => Reason::OverBudget,
                };
                composer.plan.reasons.insert(number, because);
            }
            None => {
                let rendition = fate.rendition().unwrap_or(0);
                let lines = composer.plan.candidates[number].shown_as(rendition);
                composer.plan.chosen.insert(number, lines);
            }
        }
    }
    let written = composer.at_least(fitted.written, budget.total())?;
    if written.text.is_empty() && !composer.plan.candidates.is_empty() {
        let note = format!("nothing fits a budget of {} tokens", budget.total());
        composer.plan.notes.push(Remark::new("budget", note));
    }
    Ok(written)
}

/// A candidate as an item of its share, or of the one for all other kinds.
fn item(number: usize, candidate: &Candidate, budget: &Allocation) -> Item<usize> {
    let item = Item::new(number, candidate.signals.score).rendition("chunk", candidate.tokens);
    let item = match candidate.hit {
        Some(hit) => item.rendition(NEAR_HIT, candidate.tokens_of(hit)),
        None => item,
    };
    let has = |share: &str| budget.shares().iter().any(|it| it.name == share);
    let names = [candidate.kind.share(), SourceKind::REST];
    match names.into_iter().find(|share| has(share)) {
        Some(share) => item.in_share(share),
        None => item,
    }
}

/// Prices and writes a choice of chunks.
struct Composer<'a> {
    plan: &'a mut Plan,
    options: &'a SourceOptions,
    cancel: &'a Cancel,
    /// What stands before all chunks.
    head: Tokens,
    /// How many chunks are chosen, in all and of each group.
    taken: usize,
    open: HashMap<usize, usize>,
    /// What the frame of each group costs, once it was asked for.
    frames: HashMap<usize, Tokens>,
}

impl Compose for Composer<'_> {
    type Written = Written;
    type Error = PackError;

    fn cost(&mut self, place: Place, plain: Offer) -> Option<Tokens> {
        let group = self.plan.candidates[place.item].group;
        let frame = match self.open.get(&group) {
            Some(1..) => GAP,
            _ => self.frame_cost(place.item),
        };
        let head = if self.taken == 0 { self.head } else { Tokens::ZERO };
        Some(Tokens::saturating_sum([plain.cost, frame, head]))
    }

    fn take(&mut self, place: Place, _: &mut Vec<usize>) {
        let group = self.plan.candidates[place.item].group;
        *self.open.entry(group).or_default() += 1;
        self.taken += 1;
    }

    fn give_back(&mut self, place: Place) {
        let group = self.plan.candidates[place.item].group;
        if let Some(count) = self.open.get_mut(&group) {
            *count -= 1;
        }
        self.taken -= 1;
    }

    fn write(&mut self, chosen: Chosen<'_>) -> Result<Written, PackError> {
        let lines = chosen
            .iter()
            .map(|(number, rendition)| (number, self.plan.candidates[number].shown_as(rendition)));
        self.written(&lines.collect())
    }

    fn tokens(&self, written: &Written) -> Tokens {
        written.tokens
    }
}

/// The lines shown, by the number of their candidate.
pub(super) type ChosenLines = BTreeMap<usize, (u32, u32)>;

impl Composer<'_> {
    /// Cuts the best chunks short where fewer than wanted fit as they are.
    fn at_least(&mut self, mut written: Written, budget: Tokens) -> Result<Written, PackError> {
        for number in 0..self.plan.candidates.len() {
            if self.plan.chosen.len() >= self.options.min_chunks {
                break;
            }
            if self.plan.chosen.contains_key(&number) {
                continue;
            }
            self.cancel.check()?;
            let (first, last) = self.plan.candidates[number].lines;
            let count = (last + 1 - first) as usize;
            let mut chosen = self.plan.chosen.clone();
            let found = longest_written(count, |count| {
                let beyond = count.checked_sub(1)?;
                chosen.insert(number, (first, first + u32::try_from(beyond).ok()?));
                let more = self.written(&chosen).ok()?;
                (more.tokens <= budget).then_some(more)
            });
            if let Some((count, more)) = found {
                let lines = (first, first + count as u32 - 1);
                self.plan.chosen.insert(number, lines);
                written = more;
            }
        }
        Ok(written)
    }

    /// What a heading and a fence cost.
    fn frame_cost(&mut self, number: usize) -> Tokens {
        let (plan, options) = (&self.plan, self.options);
        let Candidate { group, lines, .. } = plan.candidates[number];
        *self.frames.entry(group).or_insert_with(|| {
            let block = plan.block(group, vec![lines], String::new());
            options.counter.count(&block_text(&block, &options.format))
        })
    }

    /// Writes and counts chunks; none of them cost nothing.
    fn written(&self, chosen: &ChosenLines) -> Result<Written, PackError> {
        self.cancel.check()?;
        if chosen.is_empty() {
            return Ok(Written::default());
        }
        let blocks = self.blocks(chosen);
        let blocks: Vec<&Block> = blocks.iter().collect();
        let text = render(&document(self.options), &blocks, &self.options.format)?.text;
        let tokens = self.options.counter.count(&text);
        Ok(Written { text, tokens })
    }

    /// One block per file, in the order asked for.
    fn blocks(&self, chosen: &ChosenLines) -> Vec<Block> {
        let mut groups: BTreeMap<usize, Vec<(u32, u32)>> = BTreeMap::new();
        let mut order: Vec<usize> = Vec::new();
        for (number, lines) in chosen {
            let group = self.plan.candidates[*number].group;
            let ranges = groups.entry(group).or_default();
            if ranges.is_empty() {
                order.push(group);
            }
            ranges.push(*lines);
        }
        if self.options.order == PackOrder::Path {
            order.sort_by_key(|group| (&self.plan.groups[*group].path, *group));
        }
        let blocks = order.into_iter().map(|group| {
            let ranges = groups.remove(&group).unwrap_or_default();
            let ranges = self.plan.groups[group].readable(ranges);
            let body = self.body(group, &ranges);
            self.plan.block(group, ranges, body)
        });
        blocks.collect()
    }

    /// The lines of a group, with marks for what is left out between them.
    fn body(&self, group: usize, ranges: &[(u32, u32)]) -> String {
        let group = &self.plan.groups[group];
        let last = ranges.last().map_or(0, |(_, last)| *last);
        let mut out = String::new();
        let mut next = None;
        for (first, end) in ranges {
            if let Some(next) = next {
                gap(&mut out, group.language.unwrap_or_default(), next, first - 1);
            }
            let text = group.text((*first, *end)).unwrap_or_default();
            if self.options.line_numbers {
                out.push_str(&numbered(&text, *first, last))
            } else {
                out.push_str(&text)
            }
            next = Some(end + 1);
        }
        out
    }
}
