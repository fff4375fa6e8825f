//! Chooses which units a document shows: by worth, under a budget, by `fit`.
//!
//! A unit brings what it is worth, less for words that were said already, per token to a
//! power below 1. Decisions, constraints and blockers have a share of the budget to
//! themselves: what must be respected is seldom what is touched next, so that worth alone
//! would leave it out. What the settings preserve is required.

use super::document::Document;
use super::read::spoken;
use super::worth::{Worth, is_protected, rates};
use super::{Role, Unit, UnitKind};
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
/// What is added to the rate of what comes first, however little it is worth itself.
const PROTECTED: f64 = 1e3;
/// So many units of each role come first, so that no section of the notes is passed over.
const FIRST: u32 = 2;
/// The share of the budget that they may take: one in so many. Without a limit they cost
/// three points at an eighth of small notes.
const FIRST_SHARE: u64 = 20;

/// Chooses and writes. Fails where the budget does not even hold the head.
pub(super) fn choose(choice: Choice<'_>) -> Result<Written, FitError> {
    let notes = choice.document.notes;
    let lines: Vec<String> = notes.units.iter().map(|it| choice.document.line(it)).collect();
    let costs: Vec<Tokens> =
        lines.iter().map(|it| choice.counter.count(&format!("- {it}\n"))).collect();
    let fits = |task: &usize| costs[*task].get() * TASK_SHARE <= choice.budget.get();
    let task = choice.document.task.filter(fits);
    let items = |required: bool| {
        let item = |(number, unit): (usize, &Unit)| {
            let item = Item::new(key(unit, number), choice.worth.values[number]);
            let item = item.rendition("full", costs[number]);
            let must = Some(number) == task || (required && choice.preserved[number]);
            if must {
                item.required()
            } else if choice.document.is_title(unit) {
                item.excluded(Reason::Empty)
            } else {
                item
            }
        };
        notes.units.iter().enumerate().map(item).collect::<Vec<_>>()
    };
    let room = (choice.budget.get() as f64 * choice.worth.protected) as u64;
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

struct Composer<'a> {
    choice: &'a Choice<'a>,
    costs: &'a [Tokens],
    /// Per unit: what all its words tell.
    told: Vec<f32>,
    /// Per word: how many chosen units have it.
    said: Vec<u32>,
    /// Per unit: how many chosen units show it, itself or its details.
    shown: Vec<u32>,
    /// Per role: how many units are chosen.
    of_role: [u32; Role::ALL.len()],
    /// What is left of the share of its own.
    room: u64,
    /// What is left of the share of the first of every role.
    first_room: u64,
    cost: f64,
    weight_of_said: f64,
}

impl<'a> Composer<'a> {
    fn new(choice: &'a Choice<'a>, costs: &'a [Tokens], room: u64) -> Composer<'a> {
        let language = &choice.worth.language;
        let told = |words: &Vec<u32>| words.iter().map(|it| language.idf[*it as usize]).sum();
        let (cost, weight_of_said) = rates();
        Composer {
            choice,
            costs,
            told: language.words.iter().map(told).collect(),
            said: vec![0; language.idf.len()],
            shown: vec![0; choice.document.notes.units.len()],
            of_role: [0; Role::ALL.len()],
            room,
            first_room: choice.budget.get() / FIRST_SHARE,
            cost,
            weight_of_said,
        }
    }

    fn is_protected(&self, unit: usize) -> bool {
        let unit = &self.choice.document.notes.units[unit];
        is_protected(unit.role) && !matches!(unit.kind, UnitKind::Heading | UnitKind::Code)
    }

    /// Tells whether a unit is one of the first of its role.
    fn is_first(&self, unit: usize) -> bool {
        let unit = &self.choice.document.notes.units[unit];
        let counts = !matches!(unit.kind, UnitKind::Heading | UnitKind::Code)
            && !matches!(unit.role, Role::Context | Role::Other);
        counts && self.of_role[unit.role as usize] < FIRST
    }

    /// Tells whether one of the first of its role may come first: of open work one always may.
    fn has_room(&self, unit: usize) -> bool {
        let role = self.choice.document.notes.units[unit].role;
        let is_missing = role.is_open() && self.of_role[role as usize] == 0;
        is_missing || self.costs[unit].get() <= self.first_room
    }

    /// Notes that a unit is shown, or no longer.
    fn count(&mut self, unit: usize, by: impl Fn(&mut u32)) {
        let document = &self.choice.document;
        by(&mut self.of_role[document.notes.units[unit].role as usize]);
        by(&mut self.shown[unit]);
        for parent in document.parents(unit) {
            by(&mut self.shown[parent]);
        }
        for word in &self.choice.worth.language.words[unit] {
            by(&mut self.said[*word as usize]);
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
        let unit = place.item;
        let language = &self.choice.worth.language;
        let new = language.words[unit].iter().filter(|it| self.said[**it as usize] == 0);
        let new: f32 = new.map(|it| language.idf[*it as usize]).sum();
        let new = f64::from(new / self.told[unit].max(1e-6));
        let tokens = self.costs[unit].get().max(1);
        let value = self.choice.worth.values[unit];
        let rate = value * (1.0 - self.weight_of_said + self.weight_of_said * new)
            / (tokens as f64).powf(self.cost);
        let first = (self.is_first(unit) && self.has_room(unit))
            || (self.is_protected(unit) && tokens <= self.room);
        if first { PROTECTED + rate } else { rate }
    }

    fn take(&mut self, place: Place, _: &mut Vec<usize>) {
        if self.is_first(place.item) {
            self.first_room = self.first_room.saturating_sub(self.costs[place.item].get());
        }
        self.count(place.item, |it| *it += 1);
        if self.is_protected(place.item) {
            self.room = self.room.saturating_sub(self.costs[place.item].get());
        }
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
