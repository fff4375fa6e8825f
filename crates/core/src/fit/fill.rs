//! The work of a selection, step by step.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use super::fate::{Fate, Reason};
use super::gain::Gain;
use super::item::Item;
use super::selection::Selection;
use super::{Policy, SelectError};
use crate::budget::{Allocation, Ledger};
use crate::tokens::Tokens;

/// A selection in the making.
pub(super) struct Filling<K> {
    items: Vec<Item<K>>,
    /// Per item: its renditions worth considering, most detail first.
    useful: Vec<Vec<usize>>,
    /// Per item: why it cannot be chosen at all.
    excluded: Vec<Option<Reason<K>>>,
    /// Per item: the rendition chosen so far.
    chosen: Vec<Option<usize>>,
    /// The items that can be chosen, best first.
    ranked: Vec<usize>,
    /// All items, best first.
    order: Vec<usize>,
    ledger: Ledger,
}

impl<K: Ord + Clone> Filling<K> {
    pub(super) fn new(
        items: Vec<Item<K>>,
        allocation: &Allocation,
        policy: &Policy<'_>,
    ) -> Result<Filling<K>, SelectError> {
        let ledger = Ledger::new(allocation.clone());
        for share in items.iter().filter_map(|item| item.share.as_deref()) {
            ledger.known(share)?;
        }
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by(|&left, &right| rank(&items[left], &items[right]).then(left.cmp(&right)));
        let useful: Vec<Vec<usize>> = items.iter().map(Item::useful_renditions).collect();
        let excluded = exclusions(&items, &useful, &order, policy);
        let ranked = order
            .iter()
            .copied()
            .filter(|&number| excluded[number].is_none());
        Ok(Filling {
            ranked: ranked.collect(),
            chosen: vec![None; items.len()],
            items,
            useful,
            excluded,
            order,
            ledger,
        })
    }

    /// Gives every required item its smallest rendition.
    pub(super) fn take_required(&mut self) -> Result<(), SelectError> {
        let order = self.order.iter().copied();
        let required: Vec<usize> = order
            .filter(|&number| self.items[number].required)
            .collect();
        for &number in &required {
            let smallest = self.smallest(number).ok_or(SelectError::RequiredEmpty)?;
            if !self.choose(number, smallest) {
                return Err(self.shortage(&required, number));
            }
        }
        Ok(())
    }

    /// Gives items from `score` on their smallest rendition, best first.
    pub(super) fn reserve_floors(&mut self, score: f64) {
        for number in self.ranked.clone() {
            if self.items[number].score >= score
                && self.chosen[number].is_none()
                && let Some(smallest) = self.smallest(number)
            {
                self.choose(number, smallest);
            }
        }
    }

    /// Gives each item, best first, the most detail that fits.
    pub(super) fn fill_by_score(&mut self) {
        for number in self.ranked.clone() {
            for rendition in self.upgrades(number) {
                if self.choose(number, rendition) {
                    break;
                }
            }
        }
    }

    /// Takes whatever gains most per token, until nothing fits.
    ///
    /// Lazy: a candidate's gain is computed again only when it comes up. Since
    /// gains never grow, one that still leads after that is the best of all.
    pub(super) fn fill_by_gain(&mut self, gain: &mut dyn Gain) {
        let mut candidates: BinaryHeap<Candidate> = BinaryHeap::new();
        for (place, &number) in self.ranked.iter().enumerate() {
            candidates.extend(self.candidates(gain, place, number));
        }
        while let Some(stale) = candidates.pop() {
            let (place, number) = (stale.place, stale.item);
            let Some(fresh) = self.candidate(gain, place, number, stale.rendition) else {
                continue;
            };
            if candidates.peek().is_some_and(|next| fresh < *next) {
                candidates.push(fresh);
            } else if self.choose(number, fresh.rendition) {
                gain.chosen(number, fresh.rendition);
                // What more detail costs and gains now starts from this rendition.
                candidates.extend(self.candidates(gain, place, number));
            }
        }
    }

    /// Tells what has been chosen before gains were asked for.
    pub(super) fn tell(&self, gain: &mut dyn Gain) {
        for (number, rendition) in self.chosen.iter().enumerate() {
            if let Some(rendition) = rendition {
                gain.chosen(number, *rendition);
            }
        }
    }

    /// Frees the shares of their limits, where the allocation says so.
    pub(super) fn lift_shares(&mut self) -> bool {
        self.ledger.redistribute()
    }

    pub(super) fn finish(self) -> Selection<K> {
        let fates = (0..self.items.len())
            .map(|number| self.fate(number))
            .collect();
        let (total, shares) = (self.ledger.allocation().total(), self.ledger.report());
        Selection::new(self.items, fates, self.order, total, shares)
    }

    fn fate(&self, number: usize) -> Fate<K> {
        let best = self.useful[number].first().copied();
        if let Some(reason) = &self.excluded[number] {
            return Fate::Dropped {
                because: reason.clone(),
            };
        }
        match self.chosen[number] {
            Some(rendition) if Some(rendition) == best => Fate::Kept { rendition },
            Some(rendition) => Fate::Shrunk {
                rendition,
                because: self.lack(number, best),
            },
            None => Fate::Dropped {
                because: self.lack(number, self.smallest(number)),
            },
        }
    }

    /// Says which limit stands in the way of a rendition.
    fn lack(&self, number: usize, rendition: Option<usize>) -> Reason<K> {
        let extra = rendition.map_or(Tokens::ZERO, |rendition| self.extra(number, rendition));
        if self.ledger.can_fit(extra) && self.items[number].share.is_some() {
            Reason::OverShare
        } else {
            Reason::OverBudget
        }
    }

    fn shortage(&self, required: &[usize], failed: usize) -> SelectError {
        let needed = |share: Option<&str>| {
            let costs = required.iter().filter_map(|&number| {
                let item = &self.items[number];
                let counts = share.is_none() || item.share.as_deref() == share;
                let smallest = self.smallest(number).filter(|_| counts)?;
                Some(item.renditions[smallest].tokens)
            });
            Tokens::checked_sum(costs).unwrap_or(Tokens::MAX)
        };
        let available = self.ledger.allocation().total();
        let share = self.items[failed].share.as_deref();
        let limits = self.ledger.allocation().shares();
        match limits
            .iter()
            .find(|limit| Some(limit.name.as_str()) == share)
        {
            Some(limit) if needed(None) <= available => SelectError::RequiredOverShare {
                share: limit.name.clone(),
                needed: needed(share),
                available: limit.limit,
            },
            _ => SelectError::RequiredOverBudget {
                needed: needed(None),
                available,
            },
        }
    }

    fn smallest(&self, number: usize) -> Option<usize> {
        let possible = self.excluded[number].is_none();
        self.useful[number].last().copied().filter(|_| possible)
    }

    /// Returns the renditions with more detail than the chosen one, most detail first.
    fn upgrades(&self, number: usize) -> Vec<usize> {
        let chosen = self.chosen[number].unwrap_or(usize::MAX);
        let useful = self.useful[number].iter().copied();
        useful.take_while(|&rendition| rendition < chosen).collect()
    }

    /// Returns what a rendition costs beyond the one chosen so far.
    fn extra(&self, number: usize, rendition: usize) -> Tokens {
        let renditions = &self.items[number].renditions;
        let paid = self.chosen[number].map_or(Tokens::ZERO, |chosen| renditions[chosen].tokens);
        renditions[rendition].tokens.saturating_sub(paid)
    }

    /// Chooses a rendition if it fits.
    fn choose(&mut self, number: usize, rendition: usize) -> bool {
        let extra = self.extra(number, rendition);
        let paid = match self.items[number].share.as_deref() {
            Some(share) => self.ledger.consume_in(share, extra),
            None => self.ledger.consume(extra),
        };
        if paid.is_ok() {
            self.chosen[number] = Some(rendition);
        }
        paid.is_ok()
    }

    fn candidates(&self, gain: &dyn Gain, place: usize, item: usize) -> Vec<Candidate> {
        let upgrades = self.upgrades(item).into_iter();
        upgrades
            .filter_map(|rendition| self.candidate(gain, place, item, rendition))
            .collect()
    }

    fn candidate(
        &self,
        gain: &dyn Gain,
        place: usize,
        item: usize,
        rendition: usize,
    ) -> Option<Candidate> {
        let chosen = self.chosen[item];
        if chosen.is_some_and(|chosen| chosen <= rendition) {
            return None;
        }
        let before = chosen.map_or(0.0, |chosen| gain.gain(item, chosen));
        let more = gain.gain(item, rendition) - before;
        let cost = self.extra(item, rendition).get().max(1);
        (more > 0.0).then_some(Candidate {
            per_token: more / cost as f64,
            place,
            item,
            rendition,
        })
    }
}

/// A rendition that might be chosen next. Ordered by gain per token, then by
/// the rank of its item, then by detail.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    per_token: f64,
    place: usize,
    item: usize,
    rendition: usize,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        self.per_token
            .total_cmp(&other.per_token)
            .then(other.place.cmp(&self.place))
            .then(other.rendition.cmp(&self.rendition))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// Required items first, then the higher score, then the smaller key.
fn rank<K: Ord>(left: &Item<K>, right: &Item<K>) -> Ordering {
    (right.required.cmp(&left.required))
        .then(right.score.total_cmp(&left.score))
        .then(left.key.cmp(&right.key))
}

/// Says for each item why it cannot be chosen, if it cannot.
fn exclusions<K: Ord + Clone>(
    items: &[Item<K>],
    useful: &[Vec<usize>],
    order: &[usize],
    policy: &Policy<'_>,
) -> Vec<Option<Reason<K>>> {
    let mut excluded = vec![None; items.len()];
    let mut seen: BTreeMap<&K, usize> = BTreeMap::new();
    for &number in order {
        let item = &items[number];
        let low = policy.min_score.is_some_and(|least| item.score < least) && !item.required;
        excluded[number] = if let Some(reason) = &item.excluded {
            Some(reason.clone())
        } else if useful[number].is_empty() {
            Some(Reason::Empty)
        } else if low {
            Some(Reason::BelowThreshold)
        } else if let Some(first) = seen.insert(&item.key, number) {
            seen.insert(&item.key, first);
            Some(Reason::Duplicate {
                of: item.key.clone(),
            })
        } else {
            None
        };
    }
    excluded
}
