//! Chooses lines for a budget: what a choice of passages is worth and costs.
//!
//! Passages compete by score; one of a file that gave much already is worth less.
//! They get most of the budget (the share `depth`), and the rest shows a few lines of
//! source files that would not be seen otherwise. Pinned files come first, each within
//! an equal part of what is left. [`crate::fit`] does the choosing.

use std::collections::HashMap;

use super::TaskKind;
use super::score::RankedFile;
use super::weights::TaskWeights;
use crate::budget::{Allocation, Leftover, ShareLimit};
use crate::fit::{Chosen, Compose, FitError, Item, Offer, Order, Place, Policy, fit};
use crate::text::lines::merged;
use crate::tokens::Tokens;

/// The share of the passages; what is not theirs is for breadth.
const DEPTH: &str = "depth";
/// The share of what goes with them.
const RELATED: &str = "related";
/// Steps of one role that did not fit before the role is given up.
const MISSES: usize = 40;
/// About what a line costs, before a file is read.
const LINE: u64 = 10;
/// So many passages compete at least,
const LEAST_STEPS: usize = 1_000;
/// and one more for so many tokens of the budget: hardly any costs less.
const STEP: u64 = 16;
/// How often a pinned passage is halved to make it fit.
const HALVES: usize = 4;

/// The lines of one file that were picked.
#[derive(Clone, Debug, PartialEq)]
pub struct Pick {
    /// Which file, as an index into what was ranked.
    pub file: usize,
    /// First and last lines, ascending, apart from one another.
    pub ranges: Vec<(u32, u32)>,
}

/// Picks lines whose costs add up to a budget at most, the best file first.
///
/// `cost` says what a file costs with these lines shown, with its frame.
pub fn choose(
    ranked: &[RankedFile],
    budget: u64,
    weights: &TaskWeights,
    cost: impl FnMut(usize, &[(u32, u32)]) -> u64,
) -> Vec<Pick> {
    let total = Tokens::new(budget);
    let mut composer = Costed { choice: Choice::new(ranked, total, weights), cost };
    let fitted =
        composer.choice.allocation(total, total, &mut composer.cost).and_then(|allocation| {
            let items = composer.choice.items();
            fit(items, &allocation, &Choice::policy(), &mut composer)
        });
    match fitted {
        Ok(_) => composer.choice.picks(),
        Err(_) => Vec::new(),
    }
}

/// A choice whose costs add up.
struct Costed<'a, F> {
    choice: Choice<'a>,
    cost: F,
}

impl<F: FnMut(usize, &[(u32, u32)]) -> u64> Compose for Costed<'_, F> {
    type Written = Tokens;
    type Error = FitError;

    fn cost(&mut self, place: Place, _: Offer) -> Option<Tokens> {
        self.choice.price(place, &mut self.cost)
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

    fn write(&mut self, _: Chosen<'_>) -> Result<Tokens, FitError> {
        self.choice.begin_round();
        let picks = self.choice.picks().into_iter();
        let costs = picks.map(|pick| Tokens::new((self.cost)(pick.file, &pick.ranges)));
        Ok(Tokens::saturating_sum(costs))
    }

    fn tokens(&self, written: &Tokens) -> Tokens {
        *written
    }
}

/// Why lines are chosen, in the order in which they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A whole file that the user wants.
    Whole,
    /// A passage of a file that the user wants.
    Pinned,
    /// A passage that matches the task.
    Passage,
    /// A passage that goes with those that match: a test, a caller, a definition.
    Related,
    /// The first lines of a file that is not shown yet.
    Breadth,
}

/// A passage that goes with those that match the task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RelatedPassage {
    /// Which file, as an index into what was ranked.
    pub(crate) file: usize,
    /// First and last line.
    pub(crate) lines: (u32, u32),
    /// What it is worth beside others of its sort.
    pub(crate) score: f64,
}

/// Lines that may be chosen.
#[derive(Clone, Copy, Debug)]
struct Step {
    file: usize,
    first: u32,
    last: u32,
    role: Role,
    score: f64,
}

impl Step {
    fn is_pinned(&self) -> bool {
        matches!(self.role, Role::Whole | Role::Pinned)
    }

    /// The lines of a rendition; each has half of the lines of the one before.
    fn lines(&self, rendition: usize) -> (u32, u32) {
        let count = (self.last + 1 - self.first) >> rendition;
        (self.first, self.first + count.max(1) - 1)
    }
}

/// What is shown of one file.
#[derive(Clone, Debug, Default)]
struct FileState {
    ranges: Vec<(u32, u32)>,
    /// How many lines were taken, for the decay of what follows.
    lines: u32,
}

/// What a file costs with some of its lines shown.
type CostOf<'f> = &'f mut dyn FnMut(usize, &[(u32, u32)]) -> u64;

/// A choice of lines in the making.
#[derive(Debug)]
pub(crate) struct Choice<'a> {
    weights: &'a TaskWeights,
    steps: Vec<Step>,
    /// The part of the budget that is for passages that go with others.
    related: f64,
    files: Vec<FileState>,
    /// The chance that nothing of a file is wanted; the file with the least stands first.
    unwanted: Vec<f64>,
    /// Files in the order in which they came in.
    order: Vec<usize>,
    /// What was shown of files before each step that was taken.
    history: Vec<(usize, FileState)>,
    /// The role of the step that was priced last, until it is taken.
    asked: Option<Role>,
    /// Steps that did not fit in this round, by role.
    misses: [usize; 5],
}

impl<'a> Choice<'a> {
    pub(crate) fn new(
        ranked: &[RankedFile],
        budget: Tokens,
        weights: &'a TaskWeights,
    ) -> Choice<'a> {
        let files = ranked.iter().enumerate();
        let steps = files.flat_map(|(number, file)| steps(number, file, weights));
        let (pinned, free): (Vec<Step>, Vec<Step>) = steps.partition(|step| step.is_pinned());
        let (passages, breadth) = free.into_iter().partition(|step| step.role == Role::Passage);
        let most = LEAST_STEPS.saturating_add((budget.get() / STEP) as usize);
        Choice {
            weights,
            steps: [pinned, best(passages, most), best(breadth, most)].concat(),
            related: 0.0,
            files: vec![FileState::default(); ranked.len()],
            unwanted: ranked.iter().map(unwanted).collect(),
            order: Vec::new(),
            history: Vec::new(),
            asked: None,
            misses: [0; 5],
        }
    }

    /// Adds passages that go with those that match, which get a part of the budget.
    pub(crate) fn with_related(mut self, passages: &[RelatedPassage], part: f64) -> Choice<'a> {
        let steps = passages.iter().map(|it| Step {
            file: it.file,
            first: it.lines.0,
            last: it.lines.1,
            role: Role::Related,
            score: it.score,
        });
        self.related = if passages.is_empty() { 0.0 } else { part };
        self.steps.extend(steps);
        self
    }

    pub(crate) fn policy() -> Policy {
        Policy { order: Order::Rate, ..Policy::default() }
    }

    pub(crate) fn items(&self) -> Vec<Item<(usize, usize)>> {
        let items = self.steps.iter().enumerate().map(|(number, step)| {
            let item = Item::new((step.file, number), step.score);
            let item = match step.role {
                Role::Whole | Role::Pinned => item.in_share(pinned_share(step.file)),
                Role::Passage => item.in_share(DEPTH),
                Role::Related => item.in_share(RELATED),
                Role::Breadth => item,
            };
            let halves = if step.role == Role::Pinned { HALVES } else { 0 };
            (0..=halves).fold(item, |item, rendition| {
                let (first, last) = step.lines(rendition);
                let tokens = u64::from(last + 1 - first) * LINE;
                item.rendition("lines", Tokens::new(tokens))
            })
        });
        items.collect()
    }

    /// Pinned files get equal parts, the smallest first; passages most of the rest.
    ///
    /// `room` is what is left of the total for lines.
    pub(crate) fn allocation(
        &self,
        total: Tokens,
        room: Tokens,
        cost: CostOf<'_>,
    ) -> Result<Allocation, FitError> {
        let whole = self.steps.iter().filter(|step| step.role == Role::Whole);
        let mut pinned: Vec<(u64, usize)> =
            whole.map(|step| (cost(step.file, &[(1, step.last)]), step.file)).collect();
        pinned.sort_unstable();
        let (mut left, count) = (room.get(), pinned.len() as u64);
        let share = |name: String, limit: u64| ShareLimit { name, limit: Tokens::new(limit) };
        let mut shares = Vec::new();
        for (number, (cost, file)) in pinned.into_iter().enumerate() {
            let limit = cost.min(left / (count - number as u64));
            left -= limit;
            shares.push(share(pinned_share(file), limit));
        }
        let breadth = (room.get() as f64 * self.weights.breadth) as u64;
        // What is related is mostly in files that would not be seen otherwise.
        let related = ((room.get() as f64 * self.related) as u64).min(left);
        shares.push(share(RELATED.to_owned(), related));
        shares.push(share(DEPTH.to_owned(), left.saturating_sub(breadth.max(related))));
        let allocation = Allocation::with_shares(total, shares, Leftover::Redistribute);
        Ok(allocation?)
    }

    /// Forgets what did not fit: after a count there may be more room.
    pub(crate) fn begin_round(&mut self) {
        self.asked = None;
        self.misses = [0; 5];
    }

    /// Returns what a step costs now, or `None` where it is not on offer.
    pub(crate) fn price(&mut self, place: Place, cost: CostOf<'_>) -> Option<Tokens> {
        let step = self.steps[place.item];
        if let Some(missed) = self.asked.take() {
            self.misses[missed as usize] += 1;
        }
        let ranges = &self.files[step.file].ranges;
        let is_given_up = self.misses[step.role as usize] > MISSES;
        if is_given_up || step.role == Role::Breadth && !ranges.is_empty() {
            return None;
        }
        self.asked = Some(step.role);
        let paid = if ranges.is_empty() { 0 } else { cost(step.file, ranges) };
        let more = cost(step.file, &joined(ranges, step.lines(place.rendition)));
        Some(Tokens::new(more.saturating_sub(paid)))
    }

    pub(crate) fn rate(&self, place: Place) -> f64 {
        let step = &self.steps[place.item];
        let lines = f64::from(self.files[step.file].lines);
        match step.role {
            Role::Whole => 1e9 + step.score,
            Role::Pinned => 1e6 + step.score,
            Role::Passage => step.score * self.weights.decay.powf(lines / 60.0),
            Role::Related => step.score * 1e-6,
            Role::Breadth => step.score * 1e-9,
        }
    }

    pub(crate) fn take(&mut self, place: Place) {
        self.asked = None;
        let step = self.steps[place.item];
        let lines = step.lines(place.rendition);
        let state = self.files[step.file].clone();
        self.show(step.file, joined(&state.ranges, lines));
        self.files[step.file].lines += lines.1 + 1 - lines.0;
        self.history.push((step.file, state));
    }

    pub(crate) fn give_back(&mut self) {
        if let Some((file, state)) = self.history.pop() {
            if state.ranges.is_empty() {
                self.show(file, Vec::new());
            }
            self.files[file] = state;
        }
    }

    /// The best passages that are not among what is shown, at most two of one file.
    pub(crate) fn left_out(
        &self,
        shown: &HashMap<usize, &[(u32, u32)]>,
        most: usize,
    ) -> Vec<(usize, (u32, u32))> {
        let is_shown = |step: &Step| {
            let mut ranges = shown.get(&step.file).copied().unwrap_or_default().iter();
            ranges.any(|(first, last)| step.first <= *last && *first <= step.last)
        };
        let mut steps: Vec<&Step> =
            self.steps.iter().filter(|step| step.role == Role::Passage).collect();
        steps.sort_by(|one, other| {
            let place = |step: &Step| (step.file, step.first);
            other.score.total_cmp(&one.score).then_with(|| place(one).cmp(&place(other)))
        });
        let mut named: HashMap<usize, usize> = HashMap::new();
        let best = steps.into_iter().filter(|step| !is_shown(step));
        let best = best.filter(|step| {
            let count = named.entry(step.file).or_default();
            *count += 1;
            *count <= 2
        });
        best.take(most).map(|step| (step.file, (step.first, step.last))).collect()
    }

    /// Shows these lines of a file and no others; none take it out.
    fn show(&mut self, file: usize, ranges: Vec<(u32, u32)>) {
        if self.files[file].ranges.is_empty() {
            self.order.push(file);
        }
        if ranges.is_empty() {
            self.order.retain(|other| *other != file);
        }
        self.files[file].ranges = ranges;
    }

    /// The lines chosen, the file that is most likely wanted at the top; of equals the one that
    /// came in first.
    pub(crate) fn picks(&self) -> Vec<Pick> {
        let mut order = self.order.clone();
        order.sort_by(|one, other| self.unwanted[*one].total_cmp(&self.unwanted[*other]));
        let picks = order.into_iter();
        picks.map(|file| Pick { file, ranges: self.files[file].ranges.clone() }).collect()
    }
}

/// The chance that no passage of a file is wanted. Only learned scores are chances: where the
/// formula ranks it is the same for all files.
fn unwanted(file: &RankedFile) -> f64 {
    if file.pinned {
        return 0.0;
    }
    let judged = file.passages.iter().filter(|passage| passage.judged.is_some());
    judged.map(|passage| (1.0 - passage.score).max(0.0)).product()
}

/// The lines of a file that may be chosen.
fn steps(number: usize, file: &RankedFile, weights: &TaskWeights) -> Vec<Step> {
    let step = |first: u32, last: u32, role: Role, score: f64| Step {
        file: number,
        first,
        last,
        role,
        score,
    };
    let mut steps = Vec::new();
    if file.pinned && file.last_line() > 0 {
        steps.push(step(1, file.last_line(), Role::Whole, 0.0));
    }
    let role = if file.pinned { Role::Pinned } else { Role::Passage };
    let passages = file.passages.iter();
    let passages = passages.filter(|passage| file.pinned || passage.score > 0.0);
    steps.extend(passages.map(|it| step(it.first, it.last, role, it.score)));
    let is_broad = file.kind == TaskKind::Source && file.score > 0.0;
    if let Some(best) = file.passages.first().filter(|_| is_broad) {
        let end = best.first + weights.breadth_lines as u32 - 1;
        let last = best.last.min(end);
        steps.push(step(best.first, last, Role::Breadth, file.score));
    }
    steps
}

/// The best of many steps, in the order of the text.
fn best(mut steps: Vec<Step>, most: usize) -> Vec<Step> {
    if steps.len() > most {
        let place = |step: &Step| (step.file, step.first);
        steps.select_nth_unstable_by(most, |one, other| {
            other.score.total_cmp(&one.score).then_with(|| place(one).cmp(&place(other)))
        });
        steps.truncate(most);
        steps.sort_unstable_by_key(place);
    }
    steps
}

/// The share of one pinned file.
fn pinned_share(file: usize) -> String {
    format!("pinned {file}")
}

/// Adds lines to ranges; what touches becomes one.
fn joined(ranges: &[(u32, u32)], lines: (u32, u32)) -> Vec<(u32, u32)> {
    merged([ranges, &[lines]].concat())
}
