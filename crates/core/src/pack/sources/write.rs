//! Chooses chunks within a budget and its shares, and writes them.
//!
//! A chunk costs its lines and, where it is the first of its file, the frame of a
//! block. What was written is counted ([`crate::fit`]).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::plan::{Candidate, NEAR_HIT, Plan};
use super::{Cancel, SourceKind, SourceOptions};
use crate::Remark;
use crate::budget::Allocation;
use crate::fit::{Chosen, Compose, Item, Offer, Place, Policy, fit};
use crate::pack::earlier::ShownTexts;
use crate::pack::page::longest_written;
use crate::pack::render::{Block, block_text, gap, numbered, render};
use crate::pack::{PackError, PackOrder, Reason};
use crate::tokens::Tokens;

/// What a mark between two runs of lines costs, at most.
const GAP: Tokens = Tokens::new(12);

/// What a pinned chunk scores more than others.
const PINNED: f64 = 1_000.0;

/// A text with its cost.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) tokens: Tokens,
    pub(super) texts: ShownTexts,
}

/// Chooses chunks of a plan within a budget, and writes them.
pub(super) fn write(
    plan: &mut Plan,
    budget: &Allocation,
    options: &SourceOptions,
    cancel: &Cancel,
) -> Result<Written, PackError> {
    let head = render(&plan.head, &[], &options.format)?.text;
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
    let mut written = composer.at_least(fitted.written, budget.total())?;
    let blocks = composer.blocks(&composer.plan.chosen);
    let texts = blocks.iter().map(|block| (block.path.as_str(), block.body.as_str()));
    written.texts = ShownTexts::of(texts);
    let notes = cut_pins(composer.plan);
    composer.plan.notes.extend(notes);
    if written.text.is_empty() && !composer.plan.candidates.is_empty() {
        let note = format!("nothing fits a budget of {} tokens", budget.total());
        composer.plan.notes.push(Remark::new("budget", note));
    }
    Ok(written)
}

/// Says which pinned files are not whole.
fn cut_pins(plan: &Plan) -> Vec<Remark> {
    let mut needed: BTreeMap<&str, (Tokens, bool)> = BTreeMap::new();
    for (number, candidate) in plan.candidates.iter().enumerate().filter(|it| it.1.is_pinned) {
        let path = plan.groups[candidate.group].path.as_str();
        let (tokens, is_cut) = needed.entry(path).or_default();
        *tokens = Tokens::saturating_sum([*tokens, candidate.tokens]);
        *is_cut |= plan.chosen.get(&number) != Some(&candidate.lines);
    }
    let cut = needed.into_iter().filter(|(_, (_, is_cut))| *is_cut);
    let note = |tokens: Tokens| format!("pinned, but not whole: it needs about {tokens} tokens");
    cut.map(|(path, (tokens, _))| Remark::new(path.to_owned(), note(tokens))).collect()
}

/// A candidate as an item of its share, or of the one for all other kinds.
fn item(number: usize, candidate: &Candidate, budget: &Allocation) -> Item<usize> {
    let first = if candidate.is_pinned { PINNED } else { 0.0 };
    let score = candidate.signals.score + first;
    let item = Item::new(number, score).rendition("chunk", candidate.tokens);
    if candidate.is_pinned {
        return item;
    }
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
        if chosen.is_empty() && self.plan.head.before.is_empty() {
            return Ok(Written::default());
        }
        let blocks = self.blocks(chosen);
        let blocks: Vec<&Block> = blocks.iter().collect();
        let earlier = self.options.repository.as_ref().and_then(|it| it.since.as_ref());
        let (blocks, unchanged) = earlier.map_or((blocks.clone(), None), |it| it.part(&blocks));
        let mut head = self.plan.head.clone();
        head.before.extend(unchanged);
        let text = render(&head, &blocks, &self.options.format)?.text;
        let tokens = self.options.counter.count(&text);
        Ok(Written { text, tokens, ..Written::default() })
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
        let candidates = self.plan.candidates.iter().filter(|it| it.is_pinned);
        let pinned: BTreeSet<usize> = candidates.map(|it| it.group).collect();
        if self.options.order == PackOrder::Path {
            order.sort_by_key(|group| (&self.plan.groups[*group].path, *group));
        }
        order.sort_by_key(|group| !pinned.contains(group));
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
