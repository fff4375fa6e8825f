//! Offers lines to `fit` by what they bring for their tokens.
//!
//! A line brings the value of what it mentions and nothing shown mentions yet. What it
//! costs depends on its neighbours: a line next to a chosen one needs no gap mark, and
//! the first line of a group brings the group's headline.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::lines::{BlockInfo, Kind, SessionLines, without_number};
use super::required::Required;
use super::value::Values;
use super::write;
use crate::fit::{Chosen, Compose, Item, Offer, Place};
use crate::session::cost::turns_tokens;
use crate::session::draft::Draft;
use crate::session::error::SessionError;
use crate::session::trim::TrimOptions;
use crate::tokens::Tokens;

/// What a line costs besides its text when lines are compared. Above what it really
/// costs: fewer and longer runs read better.
const PER_LINE: f64 = 3.0;
/// What a gap mark on one side of a line costs.
const PER_GAP: f64 = 0.75;
/// In a group of this many lines or more the others are not looked at again when it opens.
const LARGE_GROUP: usize = 60;
/// The most lines on offer. A session of 100 MB has millions, of which a window holds
/// thousands.
const MOST_OFFERS: usize = 200_000;

/// The lines chosen so far, and what is on offer.
pub(super) struct Choice<'m, 'a> {
    pub(super) session: &'m SessionLines<'a>,
    values: &'m Values,
    options: &'m TrimOptions,
    /// Per line: whether it is shown.
    pub(super) chosen: Vec<bool>,
    /// Per block: whether it stays though it has no lines.
    pub(super) opaque: Vec<bool>,
    /// How many units at the beginning stay messages, and from which on at the end.
    pub(super) first: usize,
    pub(super) tail: usize,
    /// Per block: its group; `None` for blocks that stay in place.
    pub(super) group_of: Vec<Option<usize>>,
    pub(super) groups: Vec<Group>,
    /// Per mention, and per text of a line: how many chosen lines have it.
    shown: Vec<u32>,
    shown_keys: Vec<u32>,
    /// Per line: its block.
    block_of: Vec<u32>,
    /// The items of `fit`.
    offers: Vec<Offered>,
    /// Per line: its item.
    item_of: Vec<Option<u32>>,
}

/// Lines of one call and its results, or of one text, which share a headline.
pub(super) struct Group {
    pub(super) headline: String,
    tokens: u32,
    mentions: Vec<u32>,
    pub(super) is_open: bool,
    /// The item that opened it; `None` if it is closed or holds lines that always stay.
    opened_by: Option<usize>,
    /// The items of its lines.
    items: Vec<usize>,
}

/// What an item of `fit` is.
#[derive(Clone, Copy)]
enum Offered {
    Line(usize),
    /// The headline of a group alone.
    Headline(usize),
}

impl<'m, 'a> Choice<'m, 'a> {
    pub(super) fn new(
        required: Required<'_, '_>,
        session: &'m SessionLines<'a>,
        values: &'m Values,
        options: &'m TrimOptions,
    ) -> Choice<'m, 'a> {
        let mut block_of = vec![0; session.lines.len()];
        for (number, block) in session.blocks.iter().enumerate() {
            block_of[block.lines.clone()].fill(number as u32);
        }
        let mut choice = Choice {
            session,
            values,
            options,
            chosen: required.chosen,
            opaque: required.opaque,
            first: required.first,
            tail: required.tail,
            group_of: vec![None; session.blocks.len()],
            groups: Vec::new(),
            shown: vec![0; session.mentions.len()],
            shown_keys: vec![0; session.keys],
            block_of,
            offers: Vec::new(),
            item_of: vec![None; session.lines.len()],
        };
        for line in (0..session.lines.len()).filter(|it| choice.chosen[*it]) {
            count(&mut choice.shown, session.mentions_of(line), true);
            count(&mut choice.shown_keys, session.lines[line].key.as_slice(), true);
        }
        choice.make_groups();
        choice.offer();
        choice
    }

    /// Returns what is on offer. Of two that bring the same the later comes first.
    pub(super) fn items(&self) -> Vec<Item<Reverse<usize>>> {
        let tokens = self.offers.iter().map(|offered| match *offered {
            Offered::Line(line) => self.session.lines[line].tokens,
            Offered::Headline(group) => self.groups[group].tokens,
        });
        let item = |(item, tokens): (usize, u32)| {
            Item::new(Reverse(item), 0.0).rendition("line", Tokens::new(u64::from(tokens)))
        };
        tokens.enumerate().map(item).collect()
    }

    fn make_groups(&mut self) {
        let mut numbers: HashMap<(usize, Option<&str>, usize), usize> = HashMap::new();
        for (number, block) in self.session.blocks.iter().enumerate() {
            if block.unit >= self.tail || block.unit < self.first {
                continue;
            }
            let name = match block.call {
                Some(call) => (block.unit, Some(call), 0),
                None => (block.unit, None, number),
            };
            let group = *numbers.entry(name).or_insert_with(|| {
                self.groups.push(Group::of(block, self.session));
                self.groups.len() - 1
            });
            self.group_of[number] = Some(group);
            let mut lines = block.lines.clone();
            self.groups[group].is_open |= lines.any(|it| self.chosen[it]);
        }
    }

    /// Offers every line that is not chosen, each text once where it occurs last, and
    /// the headlines of groups.
    fn offer(&mut self) {
        let mut seen: HashSet<&str> = HashSet::new();
        let mut lines: Vec<(f64, usize)> = Vec::new();
        for (number, block) in self.session.blocks.iter().enumerate().rev() {
            let group = self.group_of[number].map(|it| &self.groups[it]);
            let headline = group.filter(|_| matches!(block.kind, Kind::Call(_)));
            for line in block.lines.clone() {
                let text = self.session.lines[line].text;
                let is_open = !self.chosen[line] && !text.trim().is_empty();
                let is_shown = headline.is_some_and(|it| it.headline.ends_with(text.trim()));
                if is_open && !is_shown && seen.insert(without_number(text)) {
                    lines.push((self.line_rate(line), line));
                }
            }
        }
        lines.retain(|(rate, _)| *rate > 0.0);
        if lines.len() > MOST_OFFERS {
            lines.select_nth_unstable_by(MOST_OFFERS, |(rate, line), (other, later)| {
                other.total_cmp(rate).then(later.cmp(line))
            });
            lines.truncate(MOST_OFFERS);
        }
        lines.sort_unstable_by_key(|(_, line)| *line);
        for (_, line) in lines {
            let item = self.offers.len();
            self.offers.push(Offered::Line(line));
            self.item_of[line] = Some(item as u32);
            if let Some(group) = self.group_of[self.block_of[line] as usize] {
                self.groups[group].items.push(item);
            }
        }
        let groups = (0..self.groups.len()).filter(|it| !self.groups[*it].is_open);
        self.offers.extend(groups.map(Offered::Headline));
    }

    fn mention_value(&self, mention: u32) -> f64 {
        if self.shown[mention as usize] > 0 { 0.0 } else { self.values.mentions[mention as usize] }
    }

    fn headline_rate(&self, group: &Group) -> f64 {
        if group.is_open {
            return 0.0;
        }
        let mentions = group.mentions.iter();
        let value: f64 = mentions.map(|&it| self.mention_value(it)).sum();
        value / (f64::from(group.tokens) + PER_LINE)
    }

    fn line_rate(&self, line: usize) -> f64 {
        let info = &self.session.lines[line];
        let mentions = self.session.mentions_of(line);
        let mut value: f64 = mentions.iter().map(|&it| self.mention_value(it)).sum();
        if let Some(key) = info.key
            && self.shown_keys[key as usize] == 0
        {
            value += self.values.lines[key as usize];
        }
        let chosen = self.chosen_next_to(line);
        let mut cost = f64::from(info.tokens) + PER_LINE + PER_GAP * (2 - chosen) as f64;
        if let Some(group) = self.closed_group(line) {
            cost += f64::from(group.tokens);
            let others = group.mentions.iter().filter(|it| !mentions.contains(it));
            value += others.map(|&it| self.mention_value(it)).sum::<f64>();
        }
        value / cost
    }

    fn closed_group(&self, line: usize) -> Option<&Group> {
        let group = self.group_of[self.block_of[line] as usize]?;
        Some(&self.groups[group]).filter(|it| !it.is_open)
    }

    /// The lines of the same block next to a line.
    fn neighbours(&self, line: usize) -> impl Iterator<Item = usize> + use<> {
        let lines = self.session.blocks[self.block_of[line] as usize].lines.clone();
        let both = [line.checked_sub(1), Some(line + 1)];
        both.into_iter().flatten().filter(move |it| lines.contains(it))
    }

    fn chosen_next_to(&self, line: usize) -> usize {
        let neighbours = self.neighbours(line);
        neighbours.filter(|it| self.chosen[*it]).count()
    }

    /// Shows a line or a headline, or takes it away again; returns its group.
    fn show(&mut self, item: usize, is_shown: bool) -> Option<usize> {
        match self.offers[item] {
            Offered::Headline(group) => Some(group),
            Offered::Line(line) => {
                self.chosen[line] = is_shown;
                count(&mut self.shown, self.session.mentions_of(line), is_shown);
                let key = self.session.lines[line].key;
                count(&mut self.shown_keys, key.as_slice(), is_shown);
                self.group_of[self.block_of[line] as usize]
            }
        }
    }

    fn set_open(&mut self, group: usize, opened_by: Option<usize>) {
        let group = &mut self.groups[group];
        (group.is_open, group.opened_by) = (opened_by.is_some(), opened_by);
        count(&mut self.shown, &group.mentions, opened_by.is_some());
    }
}

impl Compose for Choice<'_, '_> {
    type Written = Draft;
    type Error = SessionError;

    fn cost(&mut self, place: Place, plain: Offer) -> Option<Tokens> {
        let Offered::Line(line) = self.offers[place.item] else {
            return Some(plain.cost);
        };
        let headline = self.closed_group(line).map_or(0, |it| it.tokens);
        let gaps = (2 - self.chosen_next_to(line)) as f64 * PER_GAP;
        let extra = f64::from(headline) + gaps;
        Some(plain.cost.saturating_add(Tokens::new(extra.ceil() as u64)))
    }

    fn rate(&self, place: Place, _: Offer) -> f64 {
        match self.offers[place.item] {
            Offered::Line(line) => self.line_rate(line),
            Offered::Headline(group) => self.headline_rate(&self.groups[group]),
        }
    }

    fn take(&mut self, place: Place, risen: &mut Vec<usize>) {
        let closed = self.show(place.item, true);
        if let Some(group) = closed.filter(|&it| !self.groups[it].is_open) {
            self.set_open(group, Some(place.item));
            let items = &self.groups[group].items;
            risen.extend(items.iter().filter(|_| items.len() < LARGE_GROUP));
        }
        if let Offered::Line(line) = self.offers[place.item] {
            let items = self.neighbours(line).filter_map(|it| self.item_of[it]);
            risen.extend(items.map(|it| it as usize));
        }
    }

    fn give_back(&mut self, place: Place) {
        let group = self.show(place.item, false);
        if let Some(group) = group.filter(|&it| self.groups[it].opened_by == Some(place.item)) {
            self.set_open(group, None);
        }
    }

    fn write(&mut self, _: Chosen<'_>) -> Result<Draft, SessionError> {
        Ok(write::write(self, self.options.handle.as_deref()))
    }

    fn tokens(&self, draft: &Draft) -> Tokens {
        turns_tokens(&self.options.counter, &draft.turns(self.session.transcript))
    }
}

impl Group {
    fn of(block: &BlockInfo<'_>, session: &SessionLines<'_>) -> Group {
        let speaker = match block.kind {
            Kind::User => "user",
            Kind::Assistant => "me",
            _ => block.tool,
        };
        let about: String = match block.call {
            Some(_) => block.headline.chars().take(200).collect(),
            None => String::new(),
        };
        let headline = format!("[{} {speaker}] {about}", block.turn + 1);
        Group {
            headline: headline.trim_end().to_owned(),
            // Close enough: what is written is counted.
            tokens: 4 + about.len() as u32 / 4,
            mentions: session.known_mentions(&about),
            is_open: false,
            opened_by: None,
            items: Vec::new(),
        }
    }
}

/// Counts things that are shown once more, or once less.
fn count(shown: &mut [u32], things: &[u32], is_shown: bool) {
    for &thing in things {
        let count = &mut shown[thing as usize];
        *count = if is_shown { *count + 1 } else { *count - 1 };
    }
}
