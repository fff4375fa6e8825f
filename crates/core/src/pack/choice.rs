//! A choice of files in the making: what every strategy needs to write and count one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use super::candidate::Candidate;
use super::greedy::full_cost;
use super::page::{Counted, Page};
use super::render::{Block, Document};
use super::survey::load;
use super::{PackError, PackOptions, PackOrder, Reason, Strategy, greedy, overview};
use crate::Remark;
use crate::tokens::Tokens;

/// Blocks as they are written.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) counted: Counted,
    /// The blocks, by the number of their candidate.
    pub(super) blocks: BTreeMap<usize, Block>,
    /// Why a candidate is not shown in full, by its number.
    pub(super) reasons: HashMap<usize, Reason>,
}

/// Candidates and the page that some of them are written on.
pub(super) struct Draft<'a> {
    pub(super) candidates: &'a [Candidate],
    pub(super) options: &'a PackOptions,
    pub(super) page: Page<'a>,
    /// The files that come before all others, in their order.
    pub(super) door: Vec<usize>,
}

/// Fits candidates under the budget; without one everything is shown in full.
pub(super) fn choose(
    candidates: &[Candidate],
    document: Document,
    options: &PackOptions,
) -> Result<(Shown, Vec<Remark>), PackError> {
    let budget = options.budget.unwrap_or(Tokens::MAX);
    let page = Page::new(document, options);
    let door = match options.strategy {
        Strategy::Overview => overview::door(candidates),
        Strategy::Greedy => Vec::new(),
    };
    let mut draft = Draft { candidates, options, page, door };
    let shown = match draft.everything(budget)? {
        Some(shown) => shown,
        None => {
            let chosen = match options.strategy {
                Strategy::Overview if !options.compress => overview::choose(&mut draft, budget),
                _ => greedy::choose(&mut draft, budget),
            };
            match chosen {
                Err(PackError::Fit(_)) => draft.nothing(budget)?,
                chosen => chosen?,
            }
        }
    };
    Ok((shown, draft.page.notes))
}

impl Draft<'_> {
    /// Shows every file in full, if that fits.
    fn everything(&mut self, budget: Tokens) -> Result<Option<Shown>, PackError> {
        let (candidates, options) = (self.candidates, self.options);
        let is_shown = |candidate: &&Candidate| candidate.copy_of.is_none();
        let costs = candidates.iter().filter(is_shown).map(|it| full_cost(it, options));
        let may_fit = Tokens::checked_sum(costs).is_some_and(|all| all <= budget);
        if options.compress || !may_fit {
            return Ok(None);
        }
        let full = |candidate: &Candidate| {
            if let Some(of) = &candidate.copy_of {
                return Err((Reason::Duplicate { of: of.clone() }, None));
            }
            if let Some(text) = &candidate.facts.text {
                return Ok(candidate.full(text, options));
            }
            let text = load(&candidate.stamp, options);
            text.map(|text| candidate.full(&text, options))
                .map_err(|why| (Reason::Unreadable, Some(Remark::new(candidate.path.clone(), why))))
        };
        let full: Vec<_> = candidates.par_iter().map(full).collect();
        let (mut blocks, mut reasons) = (BTreeMap::new(), HashMap::new());
        for (number, block) in full.into_iter().enumerate() {
            match block {
                Ok(block) => drop(blocks.insert(number, block)),
                Err((reason, remark)) => {
                    reasons.insert(number, reason);
                    self.page.notes.extend(remark);
                }
            }
        }
        let choosing = std::mem::take(&mut self.page.document.choosing);
        let shown = Shown { reasons, ..self.write(blocks)? };
        if shown.counted.tokens > budget {
            self.page.document.choosing = choosing;
            self.page.notes.clear();
            return Ok(None);
        }
        Ok(Some(shown))
    }

    /// Even the header is too much: shows what of it fits, or nothing.
    fn nothing(&mut self, budget: Tokens) -> Result<Shown, PackError> {
        let name = std::mem::take(&mut self.page.document.name);
        self.page.document = Document { name, ..Document::default() };
        let shown = self.write(BTreeMap::new())?;
        let remark = format!("nothing fits a budget of {budget} tokens");
        self.page.notes.push(Remark::new("budget", remark));
        Ok(if shown.counted.tokens > budget { Shown::default() } else { shown })
    }

    /// Writes and counts blocks; costs are in the order of their candidates.
    pub(super) fn write(&self, blocks: BTreeMap<usize, Block>) -> Result<Shown, PackError> {
        let mut order: Vec<usize> = blocks.keys().copied().collect();
        order.sort_by_key(|number| {
            let candidate = &self.candidates[*number];
            let rank = (candidate.pinned, candidate.changed, candidate.score);
            let rank = Some(rank).filter(|_| self.options.order == Some(PackOrder::Rank));
            let is_overview = matches!(self.options.strategy, Strategy::Overview);
            let door = self.door.iter().position(|it| it == number);
            let is_first = candidate.pinned && is_overview;
            (!is_first, door.unwrap_or(usize::MAX), Reverse(rank), *number)
        });
        let shown: Vec<&Block> = order.iter().map(|number| &blocks[number]).collect();
        let mut counted = self.page.write(&shown)?;
        let mut costs: Vec<(usize, Tokens)> = order.into_iter().zip(counted.costs).collect();
        costs.sort_unstable();
        counted.costs = costs.into_iter().map(|(_, tokens)| tokens).collect();
        Ok(Shown { counted, blocks, reasons: HashMap::new() })
    }
}
