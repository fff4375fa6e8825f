//! Writes what was chosen, counts the text, and makes it fit.
//!
//! Chunks were chosen by what each costs on its own; what counts is the text as
//! a whole. Where it is over the line the lowest ranked go; what is left then is
//! tried on the best of the others.

use std::collections::BTreeMap;

use super::plan::{Plan, document};
use super::{Cancel, SourceOptions, SourcesError};
use crate::Remark;
use crate::budget::{Allocation, Leftover};
use crate::fit::Reason;
use crate::pack::PackOrder;
use crate::pack::render::{Block, gap, numbered, render};
use crate::text::lines::merged;
use crate::tokens::Tokens;

/// Chunks that are tried on what is left.
const TRIED: usize = 24;

/// A text with its cost.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) tokens: Tokens,
}

/// Writes a plan within its budget, and changes it where it does not fit.
pub(super) fn write(
    plan: &mut Plan,
    budget: &Allocation,
    options: &SourceOptions,
    cancel: &Cancel,
) -> Result<Written, SourcesError> {
    let mut writing = Writing {
        plan,
        options,
        cancel,
        total: budget.total(),
    };
    let mut written = writing.shrink()?;
    if budget.shares().is_empty() || budget.leftover() == Leftover::Redistribute {
        written = writing.fill(written)?;
    }
    written = writing.at_least(written)?;
    if written.text.is_empty() && !writing.plan.candidates.is_empty() {
        let note = format!("nothing fits a budget of {} tokens", budget.total());
        writing.plan.notes.push(Remark::new("budget", note));
    }
    Ok(written)
}

struct Writing<'a> {
    plan: &'a mut Plan,
    options: &'a SourceOptions,
    cancel: &'a Cancel,
    total: Tokens,
}

impl Writing<'_> {
    /// Drops the lowest ranked until the text fits.
    fn shrink(&mut self) -> Result<Written, SourcesError> {
        loop {
            let written = self.count()?;
            if written.tokens <= self.total {
                return Ok(written);
            }
            let mut over = written.tokens.saturating_sub(self.total);
            while let Some((number, _)) = self.plan.chosen.pop_last() {
                self.plan.reasons.insert(number, Reason::OverBudget);
                let tokens = self.plan.candidates[number].tokens;
                if tokens >= over {
                    break;
                }
                over = over.saturating_sub(tokens);
            }
        }
    }

    /// Adds the best of what was left out, where it fits after all.
    fn fill(&mut self, mut written: Written) -> Result<Written, SourcesError> {
        let mut tries = 0;
        for number in 0..self.plan.candidates.len() {
            let left = self.total.saturating_sub(written.tokens);
            let tokens = self.plan.candidates[number].tokens;
            let is_open = !self.plan.chosen.contains_key(&number);
            if !is_open || tokens.is_zero() || tokens > left || tries == TRIED {
                continue;
            }
            tries += 1;
            let lines = self.plan.candidates[number].lines;
            if let Some(more) = self.with(number, lines)? {
                written = more;
            }
        }
        Ok(written)
    }

    /// Cuts the best chunks short where fewer than wanted fit as they are.
    fn at_least(&mut self, mut written: Written) -> Result<Written, SourcesError> {
        for number in 0..self.plan.candidates.len() {
            if self.plan.chosen.len() >= self.options.min_chunks {
                break;
            }
            if self.plan.chosen.contains_key(&number) {
                continue;
            }
            let (first, last) = self.plan.candidates[number].lines;
            let (mut low, mut high) = (first, last);
            let mut best = None;
            while low <= high {
                let middle = low + (high - low) / 2;
                match self.with(number, (first, middle))? {
                    Some(more) => {
                        best = Some((more, (first, middle)));
                        self.plan.chosen.remove(&number);
                        low = middle + 1;
                    }
                    None if middle == first => break,
                    None => high = middle - 1,
                }
            }
            if let Some((more, lines)) = best {
                self.plan.chosen.insert(number, lines);
                written = more;
            }
        }
        Ok(written)
    }

    /// Shows lines of one more candidate, if that fits.
    fn with(&mut self, number: usize, lines: (u32, u32)) -> Result<Option<Written>, SourcesError> {
        self.plan.chosen.insert(number, lines);
        let written = self.count()?;
        if written.tokens <= self.total {
            return Ok(Some(written));
        }
        self.plan.chosen.remove(&number);
        Ok(None)
    }

    /// Writes and counts what is chosen now; nothing costs nothing.
    fn count(&self) -> Result<Written, SourcesError> {
        self.cancel.check()?;
        if self.plan.chosen.is_empty() {
            return Ok(Written::default());
        }
        let blocks = self.blocks();
        let blocks: Vec<&Block> = blocks.iter().collect();
        let text = render(&document(self.options), &blocks, &self.options.format)?.text;
        let tokens = self.options.counter.count(&text);
        Ok(Written { text, tokens })
    }

    /// One block per file, in the order asked for.
    fn blocks(&self) -> Vec<Block> {
        let mut groups: BTreeMap<usize, Vec<(u32, u32)>> = BTreeMap::new();
        let mut order: Vec<usize> = Vec::new();
        for (number, lines) in &self.plan.chosen {
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
            let ranges = merged(groups.remove(&group).unwrap_or_default());
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
                gap(
                    &mut out,
                    group.language.unwrap_or_default(),
                    next,
                    first - 1,
                );
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
