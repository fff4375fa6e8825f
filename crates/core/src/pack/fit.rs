//! Chooses renditions, writes them, counts the result, and makes it fit.
//!
//! `select` works with the cost of each block on its own; what counts is the
//! text as a whole, and tokens do not add up exactly. So the text is written
//! and counted, and where it is over the line the selection is made again with
//! a little less. What is left in the end goes to lines of the best files that
//! are not shown in full.

use std::collections::{BTreeMap, HashMap};

use super::PackOptions;
use super::candidate::{Candidate, Key};
use super::render::{Block, Document, Tier, block_text, render};
use super::survey::load;
use crate::{Allocation, Fate, Note, Policy, Tokens, select};

/// What fits.
pub(super) struct Fitted {
    pub(super) content: String,
    pub(super) tokens: Tokens,
    /// The blocks shown, by the number of their candidate.
    pub(super) blocks: BTreeMap<usize, Block>,
    /// Why a candidate is not shown in full, by its number.
    pub(super) reasons: HashMap<usize, String>,
    pub(super) notes: Vec<Note>,
}

/// How often a selection is made again before giving up on filling the budget.
const ATTEMPTS: usize = 16;
/// Files that get lines of what is left.
const FILLED: usize = 24;

/// The work in progress.
struct Fit<'a> {
    candidates: &'a [Candidate],
    options: &'a PackOptions,
    document: Document,
    texts: HashMap<usize, String>,
    notes: Vec<Note>,
}

/// Fits candidates under a budget; without one everything is shown in full.
pub(super) fn fit(candidates: &[Candidate], document: Document, options: &PackOptions) -> Fitted {
    let mut fit = Fit {
        candidates,
        options,
        document,
        texts: HashMap::new(),
        notes: Vec::new(),
    };
    let Some(budget) = options.budget else {
        return fit.everything();
    };
    let signatures = fit.signature_costs(budget);
    let mut room = budget.saturating_sub(fit.count(&BTreeMap::new()).1);
    for _ in 0..ATTEMPTS {
        let (blocks, reasons) = fit.choose(room, &signatures);
        let (content, tokens) = fit.count(&blocks);
        if tokens <= budget {
            let shown = Fitted {
                content,
                tokens,
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
    fn everything(mut self) -> Fitted {
        let mut blocks = BTreeMap::new();
        let mut reasons = HashMap::new();
        for number in 0..self.candidates.len() {
            match &self.candidates[number].twin {
                Some(twin) => {
                    reasons.insert(number, format!("duplicate of {twin}"));
                }
                None => match self.block(number, Tier::Full) {
                    Some(block) => {
                        blocks.insert(number, block);
                    }
                    None => {
                        reasons.insert(number, "unreadable".to_owned());
                    }
                },
            }
        }
        let (content, tokens) = self.count(&blocks);
        Fitted {
            content,
            tokens,
            blocks,
            reasons,
            notes: self.notes,
        }
    }

    /// Even the header is too much: shows what of it fits, or nothing.
    fn nothing(mut self, budget: Tokens) -> Fitted {
        let name = std::mem::take(&mut self.document);
        self.document.name = name.name;
        let (content, tokens) = self.count(&BTreeMap::new());
        let fits = tokens <= budget;
        let note = format!("nothing fits a budget of {budget} tokens");
        self.notes.push(Note::new("budget", note));
        let reasons = (0..self.candidates.len()).map(|number| (number, "over budget".to_owned()));
        Fitted {
            content: if fits { content } else { String::new() },
            tokens: if fits { tokens } else { Tokens::ZERO },
            blocks: BTreeMap::new(),
            reasons: reasons.collect(),
            notes: self.notes,
        }
    }

    /// What the signatures of each file cost; none are needed where all fits in full.
    fn signature_costs(&mut self, budget: Tokens) -> Vec<Option<Tokens>> {
        let options = self.options;
        let all = self
            .candidates
            .iter()
            .map(|candidate| candidate.full_cost(options));
        let fits = Tokens::checked_sum(all).is_some_and(|all| all <= budget);
        if fits && !options.compress {
            return vec![None; self.candidates.len()];
        }
        use rayon::prelude::*;
        self.candidates
            .par_iter()
            .map(|candidate| {
                let block = candidate.signatures(|| load(&candidate.stamp, options).ok())?;
                Some(options.counter.count(&block_text(&block, options.format)))
            })
            .collect()
    }

    /// Selects within `room` and builds the blocks.
    fn choose(
        &mut self,
        room: Tokens,
        signatures: &[Option<Tokens>],
    ) -> (BTreeMap<usize, Block>, HashMap<usize, String>) {
        let items = self.candidates.iter().zip(signatures);
        let items = items.map(|(candidate, tokens)| candidate.item(*tokens, self.options));
        let policy = Policy {
            floor_score: Some(f64::from(self.options.tiers().floor_score)),
            ..Policy::default()
        };
        let items: Vec<_> = items.collect();
        let tiers: Vec<Vec<Tier>> = items.iter().map(tiers_of).collect();
        let Ok(selection) = select(items, &Allocation::of(room), policy) else {
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
            match self.block(number, tiers[number][rendition]) {
                Some(block) => {
                    blocks.insert(number, block);
                }
                None => {
                    reasons.insert(number, "unreadable".to_owned());
                }
            }
        }
        (blocks, reasons)
    }

    /// Builds a block, reading the file if it must.
    fn block(&mut self, number: usize, tier: Tier) -> Option<Block> {
        let candidate = &self.candidates[number];
        match tier {
            Tier::Signatures => {
                let options = self.options;
                candidate.signatures(|| load(&candidate.stamp, options).ok())
            }
            Tier::Full | Tier::Sections => {
                let text = self.text(number)?;
                Some(self.candidates[number].full(&text, self.options))
            }
        }
    }

    /// The text of a candidate; a file that went away costs a note.
    fn text(&mut self, number: usize) -> Option<String> {
        if let Some(text) = self.texts.get(&number) {
            return Some(text.clone());
        }
        let candidate = &self.candidates[number];
        match load(&candidate.stamp, self.options) {
            Ok(text) => {
                self.texts.insert(number, text.clone());
                Some(text)
            }
            Err(why) => {
                let note = Note::new(candidate.path.clone(), why);
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
                None
            }
        }
    }

    fn count(&mut self, blocks: &BTreeMap<usize, Block>) -> (String, Tokens) {
        self.document.blocks = blocks.values().cloned().collect();
        let content = render(&self.document, self.options.format);
        let tokens = self.options.counter.count(&content);
        (content, tokens)
    }

    /// Spends what is left on lines of the best files that are not shown in full.
    fn fill(mut self, mut shown: Fitted, budget: Tokens) -> Fitted {
        if self.options.compress {
            shown.notes = self.notes;
            return shown;
        }
        let mut order: Vec<usize> = (0..self.candidates.len())
            .filter(|number| self.candidates[*number].twin.is_none())
            .filter(|number| {
                shown
                    .blocks
                    .get(number)
                    .is_none_or(|block| block.tier != Tier::Full)
            })
            .collect();
        order.sort_by(|&left, &right| {
            let (left, right) = (&self.candidates[left], &self.candidates[right]);
            right
                .score
                .cmp(&left.score)
                .then_with(|| left.path.cmp(&right.path))
        });
        for number in order.into_iter().take(FILLED) {
            let left = budget.saturating_sub(shown.tokens);
            if left.get() * 100 < budget.get() || left.get() < 12 {
                break;
            }
            if let Some((blocks, content, tokens)) = self.extend(number, &shown, left, budget) {
                shown.blocks = blocks;
                shown.content = content;
                shown.tokens = tokens;
            }
        }
        shown.notes = self.notes;
        shown
    }

    /// Shows as many lines of one more file as fit.
    fn extend(
        &mut self,
        number: usize,
        shown: &Fitted,
        left: Tokens,
        budget: Tokens,
    ) -> Option<(BTreeMap<usize, Block>, String, Tokens)> {
        let text = self.text(number)?;
        let order = self.lines_by_worth(number, &text);
        let (candidate, options) = (&self.candidates[number], self.options);
        let cost = |block: &Block| options.counter.count(&block_text(block, options.format));
        let paid = shown.blocks.get(&number).map_or(Tokens::ZERO, cost);
        let room = left.saturating_add(paid);
        let block_of = |count: usize| candidate.with_lines(&text, &order[..count], options);
        // The cost grows with the number of lines, so the most that fits can be searched for.
        let (mut low, mut high) = (0, order.len());
        while low < high {
            let middle = (low + high).div_ceil(2);
            match cost(&block_of(middle)) <= room {
                true => low = middle,
                false => high = middle - 1,
            }
        }
        while low > 2 {
            let mut blocks = shown.blocks.clone();
            blocks.insert(number, block_of(low));
            let (content, tokens) = self.count(&blocks);
            if tokens <= budget {
                return (tokens > shown.tokens).then_some((blocks, content, tokens));
            }
            low -= 1 + low / 50;
        }
        None
    }

    /// Single lines, those of the best sections first, else from the top.
    fn lines_by_worth(&self, number: usize, text: &str) -> Vec<(u32, u32)> {
        let candidate = &self.candidates[number];
        let sections = candidate.sections(text).into_iter();
        let ranges = sections.map(|section| (section.first_line, section.last_line));
        let mut seen = std::collections::BTreeSet::new();
        let lines = ranges.chain([(1, candidate.facts.lines)]);
        let lines = lines.flat_map(|(first, last)| first..=last.min(candidate.facts.lines));
        lines
            .filter(|line| seen.insert(*line))
            .map(|line| (line, line))
            .collect()
    }
}

fn tiers_of(item: &crate::Item<Key>) -> Vec<Tier> {
    let names = item.renditions().iter().map(|rendition| rendition.name);
    names
        .map(|name| match name {
            "full" => Tier::Full,
            _ => Tier::Signatures,
        })
        .collect()
}
