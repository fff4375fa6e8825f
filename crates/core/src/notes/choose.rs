//! Chooses which units a document shows: by worth, under a budget, by `fit`.
//!
//! A share of the budget goes to the units that the next session needs most, the rest to
//! those that later work refers to most. A unit brings what it is worth per token to a power
//! below 1. What the settings preserve is required.

use std::collections::HashMap;

use super::document::{Document, Form};
use super::read::spoken;
use super::worth::Worth;
use super::{Notes, Role, Unit, UnitKind};
use crate::budget::Allocation;
use crate::fit::{Chosen, Compose, FitError, Item, Offer, Order, Place, Policy, Reason, fit};
use crate::tokens::{Counter, Tokens};

/// What to choose from, and for what.
pub(super) struct Choice<'a> {
    pub(super) document: Document<'a>,
    pub(super) worth: &'a Worth,
    /// Units that the settings say must stay.
    pub(super) preserved: &'a [bool],
    pub(super) budget: Tokens,
    pub(super) counter: &'a Counter,
}

/// A document, and which units it shows.
pub(super) struct Written {
    pub(super) text: String,
    pub(super) shown: Vec<bool>,
    /// Whether everything that must stay is in it.
    pub(super) keeps_all: bool,
}

/// A share of the budget that the name of the current task may take: one in so many.
const TASK_SHARE: u64 = 10;
/// States with fewer letters, such as `Phase: 3`, may be about anything.
const SHORTEST_STATE: usize = 12;
/// What is added to the rate of what goes by need, which comes first.
const BY_NEED: f64 = 1e3;

/// Chooses and writes. Fails where the budget does not even hold the head.
pub(super) fn choose(choice: Choice<'_>) -> Result<Written, FitError> {
    let notes = choice.document.notes;
    let lines: Vec<String> = notes.units.iter().map(|it| choice.document.line(it)).collect();
    let costs: Vec<Tokens> =
        lines.iter().map(|it| choice.counter.count(&format!("- {it}\n"))).collect();
    let fits = |task: &usize| costs[*task].get() * TASK_SHARE <= choice.budget.get();
    let task = choice.document.task.filter(fits);
    let superseded = superseded(notes, choice.worth);
    let items = |required: bool| {
        let item = |(number, unit): (usize, &Unit)| {
            let item = Item::new(key(unit, number), choice.worth.used[number]);
            let item = item.rendition("full", costs[number]);
            let must = Some(number) == task || (required && choice.preserved[number]);
            if must {
                item.required()
            } else if choice.document.is_frame(unit) || superseded[number] {
                item.excluded(Reason::Empty)
            } else {
                item
            }
        };
        notes.units.iter().enumerate().map(item).collect::<Vec<_>>()
    };
    let share = choice.worth.share_of_need(choice.document.form == Form::Summary);
    let room = (choice.budget.get() as f64 * share) as u64;
    let mut composer = Composer::new(&choice, &costs, room);
    let allocation = Allocation::of(choice.budget);
    let policy = Policy { order: Order::Rate, ..Policy::default() };
    let (fitted, keeps_all) = match fit(items(true), &allocation, &policy, &mut composer) {
        Ok(fitted) => (fitted, true),
        // Where not all of it fits, it goes by worth like the rest.
        Err(FitError::RequiredOverBudget { .. }) => {
            composer = Composer::new(&choice, &costs, room);
            (fit(items(false), &allocation, &policy, &mut composer)?, false)
        }
        Err(error) => return Err(error),
    };
    let fates = fitted.selection.fates().iter();
    let shown = fates.map(|fate| fate.rendition().is_some()).collect();
    Ok(Written { text: fitted.written, shown, keeps_all })
}

/// Units that say the same are one; headings are only themselves.
fn key(unit: &Unit, number: usize) -> (String, usize) {
    match unit.kind {
        UnitKind::Heading => (unit.text.clone(), number),
        _ => (spoken(&unit.text), 0),
    }
}

/// Tells of each unit whether a newer one takes it back: of lines that say how far the work is
/// and differ in their numbers alone, such as `Status: 31 of 40 tests pass`, one is true.
fn superseded(notes: &Notes, worth: &Worth) -> Vec<bool> {
    let age = |unit: usize| worth.signals(unit).recent().unwrap_or(0.5);
    let mut newest: HashMap<String, usize> = HashMap::new();
    let mut superseded = vec![false; notes.units.len()];
    for (number, unit) in notes.units.iter().enumerate() {
        let has_number = unit.text.contains(|c: char| c.is_ascii_digit());
        if !has_number || !worth.signals(number).says_state() {
            continue;
        }
        let words = unit.text.split(|c: char| !c.is_alphabetic()).filter(|it| !it.is_empty());
        let words = words.collect::<Vec<_>>().join(" ").to_lowercase();
        if words.len() < SHORTEST_STATE {
            continue;
        }
        let other = *newest.entry(words.clone()).or_insert(number);
        if other == number {
            continue;
        }
        let is_newer = (age(number), worth.used[number]) > (age(other), worth.used[other]);
        superseded[if is_newer { other } else { number }] = true;
        if is_newer {
            newest.insert(words, number);
        }
    }
    superseded
}

struct Composer<'a> {
    choice: &'a Choice<'a>,
    costs: &'a [Tokens],
    /// Per unit: how many chosen units show it, itself or its details.
    shown: Vec<u32>,
    /// Per role: how many units are chosen, besides headings and the current task.
    of_role: [u32; Role::ALL.len()],
    /// What is left of the share that goes by need.
    room: u64,
}

impl<'a> Composer<'a> {
    fn new(choice: &'a Choice<'a>, costs: &'a [Tokens], room: u64) -> Composer<'a> {
        Composer {
            choice,
            costs,
            shown: vec![0; choice.document.notes.units.len()],
            of_role: [0; Role::ALL.len()],
            room,
        }
    }

    /// Tells whether a unit would be the first that says what is open.
    fn opens_a_role(&self, unit: usize) -> bool {
        let Unit { role, kind, .. } = self.choice.document.notes.units[unit];
        let is_line = !matches!(kind, UnitKind::Heading | UnitKind::Code);
        role.is_open() && is_line && self.of_role[role as usize] == 0
    }

    /// Notes that a unit is shown, or no longer.
    fn count(&mut self, unit: usize, by: impl Fn(&mut u32)) {
        let document = &self.choice.document;
        let Unit { role, kind, .. } = document.notes.units[unit];
        if kind != UnitKind::Heading && document.task != Some(unit) {
            by(&mut self.of_role[role as usize]);
        }
        by(&mut self.shown[unit]);
        for parent in document.parents(unit) {
            by(&mut self.shown[parent]);
        }
    }
}

impl Compose for Composer<'_> {
    type Written = String;
    type Error = FitError;

    /// A detail brings what it belongs to.
    fn cost(&mut self, place: Place, _: Offer) -> Option<Tokens> {
        let chain = std::iter::once(place.item).chain(self.choice.document.parents(place.item));
        let new = chain.filter(|it| self.shown[*it] == 0);
        Some(Tokens::saturating_sum(new.map(|it| self.costs[it])))
    }

    fn rate(&self, place: Place, _: Offer) -> f64 {
        let tokens = self.costs[place.item].get();
        let by_need = tokens <= self.room || self.opens_a_role(place.item);
        let rate = self.choice.worth.rate(place.item, tokens, by_need);
        if by_need { BY_NEED + rate } else { rate }
    }

    fn take(&mut self, place: Place, _: &mut Vec<usize>) {
        self.count(place.item, |it| *it += 1);
        let tokens = self.costs[place.item].get();
        self.room = self.room.checked_sub(tokens).unwrap_or(self.room);
    }

    fn give_back(&mut self, place: Place) {
        self.count(place.item, |it| *it -= 1);
    }

    fn write(&mut self, chosen: Chosen<'_>) -> Result<String, FitError> {
        Ok(self.choice.document.write(&|unit| chosen.rendition(unit).is_some()))
    }

    fn tokens(&self, written: &String) -> Tokens {
        self.choice.counter.count(written)
    }
}

/// Returns the parts of a head as lines, those that are known.
pub(super) fn head(title: String, lines: &[(&str, Option<&str>)]) -> String {
    let mut head = title;
    head.push('\n');
    for (label, value) in lines {
        if let Some(value) = value.filter(|it| !it.is_empty()) {
            head.push_str(&format!("{label}: {value}\n"));
        }
    }
    head
}
