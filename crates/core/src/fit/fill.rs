//! Takes steps until the budget is used, and undoes them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::compose::{Chosen, Compose, Offer, Place};
use super::fate::{Fate, Reason};
use super::item::Item;
use super::selection::Selection;
use super::{FitError, Order, Policy};
use crate::budget::{Allocation, Ledger, Receipt};
use crate::tokens::Tokens;

/// A step that was taken, and what to hand back to undo it.
struct Taken {
    place: Place,
    receipt: Receipt,
}

/// A choice in the making.
pub(super) struct Filling<'p, K> {
    items: Vec<Item<K>>,
    /// Per item: its renditions worth considering, most detail first.
    useful: Vec<Vec<usize>>,
    /// Per item: why it cannot be chosen at all.
    excluded: Vec<Option<Reason<K>>>,
    /// Per item: the rendition chosen so far.
    chosen: Vec<Option<usize>>,
    /// Per item: whether its last step was undone, so that it is not tried again.
    undone: Vec<bool>,
    /// All items, best first.
    order: Vec<usize>,
    /// Per item: its position in `order`.
    position: Vec<usize>,
    /// The steps taken, oldest first.
    taken: Vec<Taken>,
    /// How many of them must stay.
    required: usize,
    /// By how much steps cost more than was estimated.
    scale: f64,
    ledger: Ledger,
    policy: &'p Policy,
}

/// Estimates that are off by more than this are not believed to be off by so much
/// everywhere.
const MOST_SCALE: f64 = 4.0;

impl<'p, K: Ord + Clone> Filling<'p, K> {
    pub(super) fn new(
        items: Vec<Item<K>>,
        allocation: &Allocation,
        policy: &'p Policy,
    ) -> Result<Filling<'p, K>, FitError> {
        let ledger = Ledger::new(allocation.clone());
        for share in items.iter().filter_map(|item| item.share.as_deref()) {
            ledger.known(share)?;
        }
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by(|&left, &right| rank(&items[left], &items[right]).then(left.cmp(&right)));
        let mut position = vec![0; items.len()];
        for (place, &number) in order.iter().enumerate() {
            position[number] = place;
        }
        let useful: Vec<Vec<usize>> = items.iter().map(Item::useful_renditions).collect();
        Ok(Filling {
            excluded: exclusions(&items, &useful, &position, policy),
            chosen: vec![None; items.len()],
            undone: vec![false; items.len()],
            taken: Vec::new(),
            required: 0,
            scale: 1.0,
            items,
            useful,
            order,
            position,
            ledger,
            policy,
        })
    }

    pub(super) fn chosen(&self) -> Chosen<'_> {
        let costs = self.items.iter().zip(&self.chosen);
        let costs = costs.filter_map(|(item, chosen)| Some(item.renditions[(*chosen)?].tokens));
        Chosen { renditions: &self.chosen, tokens: Tokens::saturating_sum(costs) }
    }

    pub(super) fn budget(&self) -> Tokens {
        self.ledger.allocation().total()
    }

    /// Corrects the books: this is what the choice costs as it was written.
    pub(super) fn settle(&mut self, tokens: Tokens) {
        self.ledger.settle(tokens);
    }

    /// Takes every item in the most detail it has, if their own numbers may all fit;
    /// tells whether it did. Neither shares nor offers are asked: the caller counts
    /// what is written, and undoes it where that is over.
    pub(super) fn take_all<C: Compose>(&mut self, composer: &mut C) -> bool {
        let best = |number: &usize| Some((*number, *self.useful[*number].first()?));
        let open = self.order.iter().filter(|it| self.excluded[**it].is_none());
        let all: Vec<(usize, usize)> = open.filter_map(best).collect();
        let costs = all.iter().map(|&(item, it)| self.plain(item, it).cost);
        let has_shares = !self.ledger.allocation().shares().is_empty();
        let items = self.items.iter().zip(&self.excluded);
        let lacks_required = items.into_iter().any(|(item, why)| item.required && why.is_some());
        if has_shares || lacks_required || !self.ledger.can_fit(Tokens::saturating_sum(costs)) {
            return false;
        }
        for (item, rendition) in all {
            let place = self.place(item, rendition);
            let receipt = Receipt::of_nothing();
            self.chosen[item] = Some(rendition);
            self.taken.push(Taken { place, receipt });
            composer.take(place, &mut Vec::new());
        }
        true
    }

    /// Undoes everything, as if nothing had been tried.
    pub(super) fn start_over<C: Compose>(&mut self, composer: &mut C) {
        self.give_back(Tokens::MAX, None, composer);
    }

    /// Gives every required item its smallest rendition.
    pub(super) fn take_required<C: Compose>(&mut self, composer: &mut C) -> Result<(), FitError> {
        let order = self.order.iter().copied();
        let required: Vec<usize> = order.filter(|&number| self.items[number].required).collect();
        for &number in &required {
            let smallest = self.smallest(number).ok_or(FitError::RequiredEmpty)?;
            if !self.choose(number, smallest, composer, &mut Vec::new()) {
                return Err(self.shortage(&required, number));
            }
        }
        self.required = self.taken.len();
        Ok(())
    }

    /// Gives items from the floor score on their smallest rendition, best first.
    pub(super) fn take_floors<C: Compose>(&mut self, composer: &mut C) {
        let Some(score) = self.policy.floor_score else {
            return;
        };
        for number in self.order.clone() {
            if self.items[number].score >= score
                && self.chosen[number].is_none()
                && let Some(smallest) = self.smallest(number)
            {
                self.choose(number, smallest, composer, &mut Vec::new());
            }
        }
    }

    /// Takes steps until nothing more fits; tells whether it took any.
    pub(super) fn fill<C: Compose>(&mut self, composer: &mut C) -> bool {
        let before = self.taken.len();
        self.fill_once(composer);
        if self.ledger.redistribute() {
            self.fill_once(composer);
        }
        self.taken.len() > before
    }

    fn fill_once<C: Compose>(&mut self, composer: &mut C) {
        match self.policy.order {
            Order::Score => self.fill_by_score(composer),
            Order::Rate => self.fill_by_rate(composer),
        }
    }

    /// Gives each item, best first, the most detail that fits.
    fn fill_by_score<C: Compose>(&mut self, composer: &mut C) {
        let mut misses = 0;
        for number in self.order.clone() {
            if self.is_spent(misses) {
                return;
            }
            let steps = self.steps(number);
            let is_stuck = !steps.is_empty();
            let mut steps = steps.into_iter();
            if !steps.any(|step| self.choose(number, step, composer, &mut Vec::new())) && is_stuck {
                misses += 1;
            }
        }
    }

    /// Takes the step with the highest rate, over and over.
    ///
    /// Lazy: a rate is computed again only when it comes up. Since rates fall as
    /// more is chosen, one that still leads after that is the best of all.
    fn fill_by_rate<C: Compose>(&mut self, composer: &mut C) {
        let mut heap: BinaryHeap<Candidate> = BinaryHeap::new();
        for number in 0..self.items.len() {
            heap.extend(self.candidates(number, composer));
        }
        let (mut misses, mut risen) = (0, Vec::new());
        while !self.is_spent(misses)
            && let Some(stale) = heap.pop()
        {
            let Some(fresh) = self.candidate(stale.item, stale.rendition, composer) else {
                continue;
            };
            if heap.peek().is_some_and(|next| fresh < *next) {
                heap.push(fresh);
            } else if self.choose(fresh.item, fresh.rendition, composer, &mut risen) {
                // What more detail costs and brings now starts from this rendition.
                risen.push(fresh.item);
                for number in risen.drain(..) {
                    heap.extend(self.candidates(number, composer));
                }
            } else {
                misses += 1;
            }
        }
    }

    fn is_spent(&self, misses: usize) -> bool {
        let too_many = self.policy.max_misses.is_some_and(|most| misses > most);
        too_many || self.ledger.remaining() < self.policy.least_room
    }

    /// Learns from a count by how much steps cost more than was estimated.
    pub(super) fn learn(&mut self, tokens: Tokens, frame: Tokens) {
        let paid = self.taken.iter().map(|it| it.receipt.tokens());
        let paid = Tokens::saturating_sum(paid).get().max(1) as f64;
        let counted = tokens.saturating_sub(frame).get() as f64;
        self.scale = (self.scale * counted / paid).clamp(1.0, MOST_SCALE);
    }

    /// Undoes the newest steps until so many tokens are free, but keeps what is
    /// required; tells whether it undid any.
    ///
    /// `known` is how many steps are known to fit: they stay, and what is undone
    /// behind them is not tried again. Without it the estimates were at fault, not
    /// the last steps.
    pub(super) fn give_back<C: Compose>(
        &mut self,
        tokens: Tokens,
        known: Option<usize>,
        composer: &mut C,
    ) -> bool {
        let keep = known.unwrap_or(0).max(self.required);
        let before = self.taken.len();
        let mut freed = Tokens::ZERO;
        while self.taken.len() > keep
            && freed < tokens
            && let Some(Taken { place, receipt }) = self.taken.pop()
        {
            freed = freed.saturating_add(self.scaled(receipt.tokens()));
            self.chosen[place.item] = place.now;
            self.undone[place.item] = known.is_some();
            self.ledger.rollback(receipt);
            composer.give_back(place);
        }
        self.taken.len() < before
    }

    fn scaled(&self, cost: Tokens) -> Tokens {
        if self.scale > 1.0 {
            Tokens::new((cost.get() as f64 * self.scale).ceil() as u64)
        } else {
            cost
        }
    }

    /// How many steps have been taken.
    pub(super) fn steps_taken(&self) -> usize {
        self.taken.len()
    }

    pub(super) fn finish(self, tokens: Tokens) -> Selection<K> {
        let fates = (0..self.items.len()).map(|number| self.fate(number)).collect();
        Selection { items: self.items, fates, order: self.order, tokens }
    }

    fn fate(&self, number: usize) -> Fate<K> {
        let best = self.useful[number].first().copied();
        if let Some(reason) = &self.excluded[number] {
            let because = reason.clone();
            return Fate::Dropped(because);
        }
        match self.chosen[number] {
            Some(rendition) if Some(rendition) == best => Fate::Kept(rendition),
            Some(rendition) => Fate::Shrunk { rendition, because: self.lack(number, best) },
            None => Fate::Dropped(self.lack(number, self.smallest(number))),
        }
    }

    /// Says which limit stands in the way of a rendition.
    fn lack(&self, number: usize, rendition: Option<usize>) -> Reason<K> {
        let cost = rendition.map_or(Tokens::ZERO, |it| self.plain(number, it).cost);
        if self.ledger.can_fit(cost) && self.items[number].share.is_some() {
            Reason::OverShare
        } else {
            Reason::OverBudget
        }
    }

    fn shortage(&self, required: &[usize], failed: usize) -> FitError {
        let needed = |share: Option<&str>| {
            let costs = required.iter().filter_map(|&number| {
                let item = &self.items[number];
                let counts = share.is_none() || item.share.as_deref() == share;
                let smallest = self.smallest(number).filter(|_| counts)?;
                Some(item.renditions[smallest].tokens)
            });
            Tokens::saturating_sum(costs)
        };
        let available = self.budget();
        let share = self.items[failed].share.as_deref();
        match share.and_then(|share| Some((share, self.ledger.allocation().limit(share)?))) {
            Some((share, limit)) if needed(None) <= available => FitError::RequiredOverShare {
                share: share.to_owned(),
                needed: needed(Some(share)),
                available: limit,
            },
            _ => FitError::RequiredOverBudget { needed: needed(None), available },
        }
    }

    fn smallest(&self, number: usize) -> Option<usize> {
        let possible = self.excluded[number].is_none();
        self.useful[number].last().copied().filter(|_| possible)
    }

    /// Returns the renditions with more detail than the chosen one, most detail first.
    fn steps(&self, number: usize) -> Vec<usize> {
        if self.excluded[number].is_some() || self.undone[number] {
            return Vec::new();
        }
        let chosen = self.chosen[number].unwrap_or(usize::MAX);
        let useful = self.useful[number].iter().copied();
        useful.take_while(|&rendition| rendition < chosen).collect()
    }

    /// What a step costs and brings by the item's own numbers.
    fn plain(&self, number: usize, rendition: usize) -> Offer {
        let item = &self.items[number];
        let paid = self.chosen[number].map_or(Tokens::ZERO, |now| item.renditions[now].tokens);
        let cost = item.renditions[rendition].tokens.saturating_sub(paid);
        Offer { rate: item.score / cost.get().max(1) as f64, cost }
    }

    fn place(&self, item: usize, rendition: usize) -> Place {
        Place { item, rendition, now: self.chosen[item] }
    }

    /// Takes a step if it is on offer and fits.
    fn choose<C: Compose>(
        &mut self,
        item: usize,
        rendition: usize,
        composer: &mut C,
        risen: &mut Vec<usize>,
    ) -> bool {
        let place = self.place(item, rendition);
        let Some(cost) = composer.cost(place, self.plain(item, rendition)) else {
            return false;
        };
        let paid = match self.items[item].share.as_deref() {
            Some(share) => self.ledger.consume_in(share, self.scaled(cost)),
            None => self.ledger.consume(self.scaled(cost)),
        };
        let Ok(receipt) = paid else {
            return false;
        };
        self.chosen[item] = Some(rendition);
        self.taken.push(Taken { place, receipt });
        composer.take(place, risen);
        true
    }

    fn candidates<C: Compose>(&self, item: usize, composer: &C) -> Vec<Candidate> {
        let steps = self.steps(item).into_iter();
        steps.filter_map(|rendition| self.candidate(item, rendition, composer)).collect()
    }

    fn candidate<C: Compose>(
        &self,
        item: usize,
        rendition: usize,
        composer: &C,
    ) -> Option<Candidate> {
        if self.chosen[item].is_some_and(|now| now <= rendition) {
            return None;
        }
        let rate = composer.rate(self.place(item, rendition), self.plain(item, rendition));
        (rate > 0.0).then_some(Candidate { rate, position: self.position[item], item, rendition })
    }
}

/// A step that might be taken next. Ordered by its rate, then by the rank of its
/// item, then by detail.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    rate: f64,
    position: usize,
    item: usize,
    rendition: usize,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        self.rate
            .total_cmp(&other.rate)
            .then(other.position.cmp(&self.position))
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
    position: &[usize],
    policy: &Policy,
) -> Vec<Option<Reason<K>>> {
    let is_low =
        |item: &Item<K>| policy.min_score.is_some_and(|least| item.score < least) && !item.required;
    let reason = |(item, useful): (&Item<K>, &Vec<usize>)| match &item.excluded {
        Some(reason) => Some(reason.clone()),
        None if useful.is_empty() => Some(Reason::Empty),
        None if is_low(item) => Some(Reason::BelowThreshold),
        None => None,
    };
    let mut excluded: Vec<Option<Reason<K>>> = items.iter().zip(useful).map(reason).collect();
    // Of several items with one key the best stays.
    let mut open: Vec<usize> = (0..items.len()).filter(|&it| excluded[it].is_none()).collect();
    open.sort_by(|&left, &right| {
        let keys = items[left].key.cmp(&items[right].key);
        keys.then(position[left].cmp(&position[right]))
    });
    for pair in open.chunk_by(|&left, &right| items[left].key == items[right].key) {
        for &number in &pair[1..] {
            let of = items[number].key.clone();
            excluded[number] = Some(Reason::Duplicate(of));
        }
    }
    excluded
}
