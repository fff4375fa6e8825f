//! The promises of `fit`, by example and as properties.

use proptest::prelude::*;

use super::*;
use crate::budget::{Leftover, ShareLimit};

fn tokens(count: u64) -> Tokens {
    Tokens::new(count)
}

fn full(key: &'static str, score: f64, cost: u64) -> Item<&'static str> {
    Item::new(key, score).rendition("full", tokens(cost))
}

fn by_score(items: Vec<Item<&'static str>>, budget: u64) -> Selection<&'static str> {
    select(items, &Allocation::of(tokens(budget)), &Policy::default()).unwrap()
}

/// The shown items in rank order, as `key:rendition`.
fn shown<K: Ord + std::fmt::Display>(selection: &Selection<K>) -> Vec<String> {
    let ranked = selection.ranked();
    let names =
        ranked.filter_map(|(key, _, _)| Some(format!("{key}:{}", selection.rendition(key)?)));
    names.collect()
}

#[test]
fn f110_greedy_goes_on_past_what_does_not_fit() {
    let items = vec![full("a", 3.0, 900), full("b", 2.0, 100), full("c", 1.0, 50)];
    assert_eq!(shown(&by_score(items, 1_000)), ["a:full", "b:full"]);
    let items = vec![full("a", 2.0, 600), full("b", 1.0, 600)];
    assert_eq!(shown(&by_score(items, 1_000)), ["a:full"]);
    let items = vec![full("a", 2.0, 1_200), full("b", 1.0, 500)];
    assert_eq!(shown(&by_score(items, 1_000)), ["b:full"]);
    let items = vec![full("1", 50.0, 100), full("2", 100.0, 100), full("3", 75.0, 100)];
    assert_eq!(shown(&by_score(items, 250)), ["2:full", "3:full"]);
}

#[test]
fn ties_are_broken_by_key_whatever_the_order_given() {
    let items = vec![full("b", 1.0, 10), full("c", 1.0, 10), full("a", 1.0, 10)];
    assert_eq!(shown(&by_score(items, 20)), ["a:full", "b:full"]);
}

#[test]
fn a_smaller_rendition_is_tried_and_explained() {
    let item = full("a", 1.0, 100).rendition("outline", tokens(10));
    let selection = by_score(vec![item], 50);
    let fate = Fate::Shrunk { rendition: 1, because: Reason::OverBudget };
    assert_eq!(selection.fate(&"a"), Some(&fate));
    assert_eq!(selection.tokens(), tokens(10));
}

#[test]
fn f063_a_rendition_that_saves_nothing_is_never_chosen() {
    let item = full("a", 1.0, 100).rendition("sections", tokens(120));
    let selection = by_score(vec![item], 1_000);
    assert_eq!(selection.fate(&"a"), Some(&Fate::Kept(0)));
}

#[test]
fn f065_floors_come_before_detail() {
    let pair = |key, score| full(key, score, 90).rendition("outline", tokens(20));
    let items = vec![pair("a", 90.0), pair("b", 80.0), pair("c", 60.0)];
    let policy = Policy { floor_score: Some(70.0), ..Policy::default() };
    let selection = select(items, &Allocation::of(tokens(110)), &policy).unwrap();
    assert_eq!(shown(&selection), ["a:full", "b:outline"]);
}

#[test]
fn f100_scores_below_the_least_are_dropped() {
    let policy = Policy { min_score: Some(0.5), ..Policy::default() };
    let items = vec![full("a", 0.5, 1), full("b", 0.4, 1)];
    let selection = select(items, &Allocation::of(tokens(10)), &policy).unwrap();
    let dropped = Fate::Dropped(Reason::BelowThreshold);
    assert_eq!(selection.fate(&"b"), Some(&dropped));
    assert_eq!(shown(&selection), ["a:full"]);
}

#[test]
fn f114_every_exclusion_keeps_its_reason() {
    let reasons = [Reason::Duplicate("x"), Reason::Empty, Reason::BelowThreshold];
    let keys = ["a", "b", "c"];
    let items = keys.iter().zip(reasons.clone());
    let items = items.map(|(key, reason)| full(key, 1.0, 1).excluded(reason)).collect();
    let selection = by_score(items, 100);
    for (key, reason) in keys.iter().zip(reasons) {
        assert_eq!(selection.fate(key).unwrap().because(), Some(&reason));
    }
    assert_eq!(Reason::Duplicate("x").to_string(), "duplicate of x");
    assert_eq!(Reason::<&str>::OverBudget.to_string(), "over budget");
}

#[test]
fn f115_empty_items_and_second_copies_are_not_chosen() {
    let items = vec![full("a", 2.0, 0), full("b", 1.0, 5), full("b", 3.0, 5)];
    let selection = by_score(items, 100);
    assert_eq!(selection.tokens(), tokens(5));
    let because = |fate: &Fate<_>| fate.because().map(Reason::name);
    let reasons: Vec<_> = selection.fates().iter().map(because).collect();
    assert_eq!(reasons, [Some("empty"), Some("duplicate"), None]);
}

#[test]
fn f026_nothing_fits_an_empty_budget() {
    let selection = by_score(vec![full("a", 1.0, 1)], 0);
    assert_eq!(selection.tokens(), Tokens::ZERO);
    assert_eq!(selection.fate(&"a").unwrap().because(), Some(&Reason::OverBudget));
}

#[test]
fn f248_errors_of_packing_have_stable_codes() {
    let counter = "nonsense".parse::<crate::tokens::Counter>().unwrap_err();
    assert_eq!(counter.code(), "LL-CTX-002");
    let budget = Allocation::of(tokens(1));
    let over = select(vec![full("a", 1.0, 2).required()], &budget, &Policy::default());
    assert_eq!(over.unwrap_err().code(), "LL-CTX-003");
    let empty = select(vec![Item::new("a", 1.0).required()], &budget, &Policy::default());
    assert_eq!(empty.unwrap_err().code(), "LL-CTX-004");
}

#[test]
fn required_items_come_first_or_fail() {
    let items = || {
        let unit = full("unit", 0.0, 60).rendition("outline", tokens(30)).required();
        vec![full("a", 99.0, 50), unit]
    };
    let selection = by_score(items(), 100);
    assert_eq!(shown(&selection), ["unit:full"]);
    assert_eq!(shown(&by_score(items(), 80)), ["unit:full"]);
    assert_eq!(shown(&by_score(items(), 50)), ["unit:outline"]);
    let error = select(items(), &Allocation::of(tokens(29)), &Policy::default()).unwrap_err();
    assert_eq!(error.to_string(), "the required items need 30 tokens; the budget has 29");
    assert_eq!(error.code(), "LL-CTX-003");
    assert!(error.hint().unwrap().contains("30"));
}

fn shares(limits: [(&str, u64); 2], total: u64, leftover: Leftover) -> Allocation {
    let limits =
        limits.map(|(name, limit)| ShareLimit { name: name.to_owned(), limit: tokens(limit) });
    Allocation::with_shares(tokens(total), limits.to_vec(), leftover).unwrap()
}

#[test]
fn f112_shares_are_kept_apart() {
    let items = || {
        vec![
            full("open", 2.0, 500).in_share("open_files"),
            full("tool", 1.0, 300).in_share("tool_results"),
        ]
    };
    let limits = [("open_files", 400), ("tool_results", 600)];
    let kept = shares(limits, 1_000, Leftover::Keep);
    let selection = select(items(), &kept, &Policy::default()).unwrap();
    assert_eq!(shown(&selection), ["tool:full"]);
    assert_eq!(selection.fate(&"open").unwrap().because(), Some(&Reason::OverShare));
    // What tools left over is enough for the open file in a second pass.
    let lifted = shares(limits, 1_000, Leftover::Redistribute);
    let selection = select(items(), &lifted, &Policy::default()).unwrap();
    assert_eq!(selection.tokens(), tokens(800));
}

#[test]
fn a_share_that_does_not_exist_is_an_error() {
    let allocation = Allocation::of(tokens(10));
    let items = vec![full("a", 1.0, 1).in_share("files")];
    let error = select(items, &allocation, &Policy::default()).unwrap_err();
    assert_eq!(error.code(), "LL-BUD-002");
    assert!(error.to_string().contains("\"files\""));
}

#[test]
fn a_required_item_beyond_its_share_names_the_share() {
    let allocation = shares([("a", 10), ("b", 90)], 100, Leftover::Keep);
    let items = vec![full("x", 1.0, 20).in_share("a").required()];
    let error = select(items, &allocation, &Policy::default()).unwrap_err();
    let text = "the required items of share \"a\" need 20 tokens; it has 10";
    assert_eq!(error.to_string(), text);
}

/// Each item is worth its weight, halved for every item of its group chosen before.
struct Halving {
    weights: Vec<f64>,
    groups: Vec<usize>,
    chosen: Vec<Option<usize>>,
    calls: std::cell::Cell<usize>,
}

impl Halving {
    fn new(weights: Vec<f64>, groups: Vec<usize>) -> Halving {
        let chosen = vec![None; weights.len()];
        Halving { weights, groups, chosen, calls: std::cell::Cell::default() }
    }
}

impl Halving {
    fn gain(&self, item: usize, rendition: usize) -> f64 {
        self.calls.set(self.calls.get() + 1);
        let others = (0..self.groups.len())
            .filter(|&other| other != item && self.groups[other] == self.groups[item])
            .filter(|&other| self.chosen[other].is_some());
        let detail = if rendition == 0 { 1.0 } else { 0.3 };
        self.weights[item] * detail * 0.5_f64.powi(others.count() as i32)
    }
}

impl Compose for Halving {
    type Written = Tokens;
    type Error = FitError;

    fn rate(&self, place: Place, plain: Offer) -> f64 {
        let before = place.now.map_or(0.0, |now| self.gain(place.item, now));
        (self.gain(place.item, place.rendition) - before) / plain.cost.get().max(1) as f64
    }

    fn take(&mut self, place: Place, _: &mut Vec<usize>) {
        self.chosen[place.item] = Some(place.rendition);
    }

    fn give_back(&mut self, place: Place) {
        self.chosen[place.item] = place.now;
    }

    fn write(&mut self, chosen: Chosen<'_>) -> Result<Tokens, FitError> {
        Ok(chosen.tokens())
    }

    fn tokens(&self, written: &Tokens) -> Tokens {
        *written
    }
}

fn by_rate<K: Ord + Clone>(items: Vec<Item<K>>, budget: u64, gain: &mut Halving) -> Selection<K> {
    let policy = Policy { order: Order::Rate, ..Policy::default() };
    let fitted = fit(items, &Allocation::of(tokens(budget)), &policy, gain);
    fitted.unwrap().selection
}

#[test]
fn rates_fall_as_others_are_chosen() {
    // Alone, a1 and a2 are the two best; together a2 is worth half, so b wins.
    let items = vec![full("a1", 1.0, 10), full("a2", 1.0, 10), full("b", 1.0, 10)];
    let mut gain = Halving::new(vec![10.0, 9.0, 6.0], vec![0, 0, 1]);
    assert_eq!(shown(&by_rate(items, 20, &mut gain)), ["a1:full", "b:full"]);
}

#[test]
fn rates_are_evaluated_lazily() {
    let count = 2_000;
    let items = (0..count)
        .map(|number| Item::new(number, 0.0).rendition("full", tokens(1 + number as u64 % 7)));
    let weights = (0..count).map(|number| (number % 13) as f64 + 1.0).collect();
    let mut gain = Halving::new(weights, (0..count).collect());
    let selection = by_rate(items.collect(), 500, &mut gain);
    assert_eq!(selection.tokens(), tokens(500));
    // Weight 13 at one token comes before everything else.
    assert!(selection.fate(&168).unwrap().rendition().is_some());
    // Independent rates are asked for twice per item, once to queue and once to take.
    assert!(gain.calls.get() <= 3 * count, "{}", gain.calls.get());
}

#[test]
fn by_rate_a_small_rendition_can_grow() {
    let items = vec![full("a", 1.0, 100).rendition("gist", tokens(1))];
    let mut gain = Halving::new(vec![10.0], vec![0]);
    assert_eq!(shown(&by_rate(items, 100, &mut gain)), ["a:full"]);
}

/// Lines that cost more than they say when they stand alone: each gap costs 3.
struct Gaps {
    lines: Vec<u64>,
    chosen: Vec<bool>,
    frame: u64,
    estimate: u64,
}

impl Gaps {
    fn neighbours(&self, line: usize) -> usize {
        let before = line.checked_sub(1).is_some_and(|it| self.chosen[it]);
        let after = self.chosen.get(line + 1).is_some_and(|it| *it);
        usize::from(before) + usize::from(after)
    }
}

impl Compose for Gaps {
    type Written = Vec<usize>;
    type Error = FitError;

    fn cost(&mut self, place: Place, plain: Offer) -> Option<Tokens> {
        let gaps = 2 - self.neighbours(place.item) as u64;
        Some(plain.cost.saturating_add(tokens(gaps * self.estimate)))
    }

    fn rate(&self, place: Place, plain: Offer) -> f64 {
        plain.rate * (1 + self.neighbours(place.item)) as f64
    }

    fn take(&mut self, place: Place, risen: &mut Vec<usize>) {
        self.chosen[place.item] = true;
        risen.extend(place.item.checked_sub(1));
        risen.extend(Some(place.item + 1).filter(|it| *it < self.lines.len()));
    }

    fn give_back(&mut self, place: Place) {
        self.chosen[place.item] = false;
    }

    fn write(&mut self, chosen: Chosen<'_>) -> Result<Vec<usize>, FitError> {
        let lines: Vec<usize> = chosen.iter().map(|(item, _)| item).collect();
        let known: Vec<usize> = (0..self.lines.len()).filter(|it| self.chosen[*it]).collect();
        assert_eq!(lines, known, "the composer heard of every step");
        Ok(lines)
    }

    fn tokens(&self, written: &Vec<usize>) -> Tokens {
        let lines: u64 = written.iter().map(|line| self.lines[*line]).sum();
        let gaps = written.chunk_by(|a, b| a + 1 == *b).count() as u64;
        tokens(self.frame + lines + 3 * gaps)
    }
}

fn gaps(lines: &[u64], budget: u64, estimate: u64) -> Result<Fitted<usize, Vec<usize>>, FitError> {
    let items = lines.iter().enumerate();
    let items = items.map(|(number, cost)| Item::new(number, 1.0).rendition("line", tokens(*cost)));
    let mut composer =
        Gaps { chosen: vec![false; lines.len()], lines: lines.to_vec(), frame: 7, estimate };
    let policy = Policy { order: Order::Rate, ..Policy::default() };
    fit(items.collect(), &Allocation::of(tokens(budget)), &policy, &mut composer)
}

#[test]
fn neighbours_of_a_chosen_line_come_next() {
    let fitted = gaps(&[4, 9, 9, 3, 4, 9], 17, 1).unwrap();
    assert_eq!(fitted.written, [3, 4]);
    assert_eq!(fitted.tokens, tokens(17));
}

#[test]
fn a_frame_over_the_budget_is_an_error() {
    let error = gaps(&[4], 6, 0).unwrap_err();
    assert_eq!(error.code(), "LL-CTX-003");
    assert_eq!(
        error.to_string(),
        "7 tokens are needed before anything is chosen; the budget has 6"
    );
}

/// Generated items: score, costs from most to least detail, share, required.
type Raw = (f64, Vec<u64>, Option<bool>, bool);

fn raw_items() -> impl Strategy<Value = Vec<Raw>> {
    let score = (0_u32..100).prop_map(f64::from);
    let costs = prop::collection::vec(0_u64..120, 0..4);
    let share = prop::option::of(any::<bool>());
    let required = prop::bool::weighted(0.03);
    prop::collection::vec((score, costs, share, required), 0..40)
}

fn build(raw: &[Raw]) -> Vec<Item<usize>> {
    let items = raw.iter().enumerate().map(|(key, (score, costs, share, required))| {
        let names = ["full", "sections", "outline", "gist"];
        let mut item = Item::new(key, *score);
        for (name, cost) in names.into_iter().zip(costs) {
            item = item.rendition(name, tokens(*cost));
        }
        if let Some(share) = share {
            item = item.in_share(if *share { "left" } else { "right" });
        }
        if *required { item.required() } else { item }
    });
    items.collect()
}

fn run(raw: &[Raw], allocation: &Allocation, by_rate: bool) -> Option<Selection<usize>> {
    let weights = raw.iter().map(|(score, ..)| score + 1.0).collect();
    let mut gain = Halving::new(weights, (0..raw.len()).map(|number| number / 3).collect());
    let policy = Policy {
        order: if by_rate { Order::Rate } else { Order::Score },
        floor_score: Some(70.0),
        min_score: Some(5.0),
        ..Policy::default()
    };
    let fitted = fit(build(raw), allocation, &policy, &mut gain).ok()?;
    Some(fitted.selection)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn f026_a_selection_never_exceeds_its_budget_nor_a_share(
        raw in raw_items(),
        left in 0_u64..600,
        right in 0_u64..600,
        rest in 0_u64..300,
        lift in any::<bool>(),
        by_rate in any::<bool>(),
    ) {
        let leftover = if lift { Leftover::Redistribute } else { Leftover::Keep };
        let allocation = shares([("left", left), ("right", right)], left + right + rest, leftover);
        if let Some(selection) = run(&raw, &allocation, by_rate) {
            let cost = |(fate, (_, costs, ..)): (&Fate<usize>, &Raw)| {
                fate.rendition().map_or(0, |rendition| costs[rendition])
            };
            let total: u64 = selection.fates().iter().zip(&raw).map(cost).sum();
            prop_assert_eq!(selection.tokens(), tokens(total));
            prop_assert!(total <= left + right + rest);
            for (share, limit) in [(true, left), (false, right)] {
                let own = selection.fates().iter().zip(&raw);
                let own = own.filter(|(_, raw)| raw.2 == Some(share));
                let used: u64 = own.map(cost).sum();
                prop_assert!(used <= limit || lift);
            }
        }
    }

    #[test]
    fn f026_what_was_written_never_exceeds_the_budget_whatever_was_estimated(
        lines in prop::collection::vec(1_u64..40, 0..60),
        budget in 7_u64..600,
        estimate in 0_u64..6,
    ) {
        let fitted = gaps(&lines, budget, estimate).unwrap();
        prop_assert!(fitted.tokens <= tokens(budget));
        let all: u64 = lines.iter().sum::<u64>() + 10;
        if all <= budget {
            prop_assert_eq!(fitted.written.len(), lines.len());
        }
    }

    #[test]
    fn raising_the_budget_never_loses_the_top_item(
        raw in raw_items(),
        budget in 0_u64..1_500,
        more in 0_u64..1_500,
    ) {
        let raw: Vec<Raw> = raw.into_iter().map(|(score, costs, _, required)| (score, costs, None, required)).collect();
        let small = run(&raw, &Allocation::of(tokens(budget)), false);
        if let Some(small) = small {
            let large = run(&raw, &Allocation::of(tokens(budget + more)), false).unwrap();
            let top = small.ranked().find(|(_, _, fate)| !matches!(
                fate.because(), Some(Reason::Empty | Reason::BelowThreshold)
            ));
            // It may be shown in less detail: a floor of another item now has room.
            if let Some((key, _, fate)) = top
                && fate.rendition().is_some()
            {
                prop_assert!(large.fate(key).unwrap().rendition().is_some());
            }
        }
    }

    #[test]
    fn every_item_has_exactly_one_fate(
        raw in raw_items(),
        budget in 0_u64..2_000,
        by_rate in any::<bool>(),
    ) {
        let allocation = shares([("left", budget / 2), ("right", budget / 4)], budget, Leftover::Keep);
        if let Some(selection) = run(&raw, &allocation, by_rate) {
            prop_assert_eq!(selection.fates().len(), raw.len());
            let mut keys: Vec<usize> = selection.ranked().map(|(key, ..)| *key).collect();
            keys.sort_unstable();
            prop_assert_eq!(keys, (0..raw.len()).collect::<Vec<_>>());
            for (fate, (_, costs, _, required)) in selection.fates().iter().zip(&raw) {
                prop_assert!(fate.rendition().is_none_or(|rendition| costs[rendition] > 0));
                prop_assert!(!required || fate.rendition().is_some());
            }
        }
    }

    #[test]
    fn f259_the_same_items_in_any_order_give_the_same_selection(
        raw in raw_items(),
        budget in 0_u64..2_000,
        turn in 0_usize..40,
    ) {
        let allocation = shares([("left", budget / 2), ("right", budget / 4)], budget, Leftover::Redistribute);
        let mut turned = build(&raw);
        let length = turned.len().max(1);
        turned.rotate_left(turn % length);
        let first = select(build(&raw), &allocation, &Policy::default());
        let second = select(turned, &allocation, &Policy::default());
        match (first, second) {
            (Ok(first), Ok(second)) => {
                let list = |selection: &Selection<usize>| -> Vec<_> {
                    selection.ranked().map(|(key, _, fate)| (*key, fate.clone())).collect()
                };
                prop_assert_eq!(list(&first), list(&second));
            }
            (first, second) => prop_assert_eq!(first.err(), second.err()),
        }
    }
}
