//! Which lines stay: first those that must, then the best for their price.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::Range;

use regex::Regex;

use super::material::{Kind, Material, without_number};
use super::relevance::is_injected;
use super::worth::Worth;
use crate::session::units::Unit;

/// Turns at the end that stay messages, at most.
const TAIL_UNITS: usize = 40;
/// The part of the budget that their bare calls may take.
const TAIL_SHARE: f64 = 0.22;
/// Units at the end that stay whole where they fit.
const WHOLE_UNITS: usize = 3;
/// The part of the budget for one block of those, and for all of them.
const WHOLE_BLOCK: f64 = 0.12;
const WHOLE_SHARE: f64 = 0.35;
/// The part of the budget for what the user said, and for one text of it.
const USER_SHARE: f64 = 0.2;
const USER_TEXT: f64 = 0.04;
const LATE_USER_TEXT: f64 = 0.1;
const USER_TEXT_TOKENS: u64 = 520;
/// The part of the budget for how it all began.
const FIRST_SHARE: f64 = 0.2;
/// What a line costs beside its text.
const PER_LINE: f64 = 3.0;
/// What a mark for left out lines costs on one side.
const PER_GAP: f64 = 0.75;
/// What a line is worth more beside one that is chosen.
const BESIDE: f64 = 1.1;
/// Tokens that are held back for the line over excerpts.
const HELD_BACK: i64 = 30;

/// What the caller wants to stay, as far as it fits.
#[derive(Clone, Copy)]
pub(super) struct Wishes<'m> {
    /// Turns at the end.
    pub(super) keep_last: Option<usize>,
    /// Lines that match any of these.
    pub(super) preserve: &'m [Regex],
}

/// Which lines stay.
pub(super) struct Choice<'m, 'a> {
    material: &'m Material<'a>,
    worth: &'m Worth,
    budget: u64,
    wishes: Wishes<'m>,
    /// By line.
    pub(super) chosen: Vec<bool>,
    /// Blocks that stay whole though they have no lines.
    pub(super) solid: Vec<bool>,
    /// The first unit of those that stay messages.
    pub(super) tail: usize,
    /// Lines under one headline, by block; `None` for blocks that stay in place.
    pub(super) group_of: Vec<Option<usize>>,
    pub(super) groups: Vec<Group>,
    covered: Vec<bool>,
    covered_keys: Vec<bool>,
    /// The block of each line.
    block_of: Vec<u32>,
    offers: Vec<bool>,
    versions: Vec<u32>,
    heap: BinaryHeap<Offer>,
    /// What was chosen by its price, in order.
    order: Vec<Taken>,
    left: i64,
}

/// Lines of one call and its results, or of one text.
pub(super) struct Group {
    pub(super) headline: String,
    tokens: u32,
    atoms: Vec<u32>,
    pub(super) is_open: bool,
    lines: Vec<u32>,
}

/// A line, or the headline of a group, with what it is worth for its price.
#[derive(PartialEq)]
struct Offer {
    rate: f64,
    /// The number of a line, or of a group behind all lines.
    number: u32,
    version: u32,
}

impl Eq for Offer {}

impl Ord for Offer {
    fn cmp(&self, other: &Offer) -> std::cmp::Ordering {
        let rate = self.rate.total_cmp(&other.rate);
        // Later lines first.
        rate.then(self.number.cmp(&other.number))
            .then(self.version.cmp(&other.version))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Offer) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

struct Taken {
    number: u32,
    opened: bool,
}

impl<'m, 'a> Choice<'m, 'a> {
    pub(super) fn new(
        material: &'m Material<'a>,
        worth: &'m Worth,
        budget: u64,
        wishes: Wishes<'m>,
    ) -> Choice<'m, 'a> {
        let lines = material.lines.len();
        let mut block_of = vec![0; lines];
        for (number, block) in material.blocks.iter().enumerate() {
            block_of[block.lines.clone()].fill(number as u32);
        }
        Choice {
            material,
            worth,
            budget,
            wishes,
            chosen: vec![false; lines],
            solid: vec![false; material.blocks.len()],
            tail: material.units.len(),
            group_of: vec![None; material.blocks.len()],
            groups: Vec::new(),
            covered: vec![false; material.atoms.len()],
            covered_keys: vec![false; material.keys],
            block_of,
            offers: vec![false; lines],
            versions: Vec::new(),
            heap: BinaryHeap::new(),
            order: Vec::new(),
            left: budget as i64 - HELD_BACK,
        }
    }

    /// Takes what must stay; returns how many tokens are missing, if any.
    pub(super) fn take_required(&mut self) -> Result<(), u64> {
        self.take_first();
        self.take_skeletons();
        if self.left < 0 {
            return Err(self.left.unsigned_abs());
        }
        self.take_user();
        self.take_latest();
        self.take_preserved();
        Ok(())
    }

    /// Tells whether the session begins with the user, so that its beginning stays in place.
    pub(super) fn has_first(&self) -> bool {
        let first = self.material.blocks.first();
        first.is_some_and(|it| it.kind == Kind::User) && self.tail > 0
    }

    fn share(&self, part: f64) -> u64 {
        (self.budget as f64 * part) as u64
    }

    fn take(&mut self, line: usize) {
        if std::mem::replace(&mut self.chosen[line], true) {
            return;
        }
        for &atom in self.material.atoms_of(line) {
            self.covered[atom as usize] = true;
        }
        if let Some(key) = self.material.lines[line].key {
            self.covered_keys[key as usize] = true;
        }
    }

    fn blocks_of(&self, unit: usize) -> Range<usize> {
        let blocks = &self.material.blocks;
        let start = blocks.partition_point(|it| it.unit < unit);
        let end = blocks.partition_point(|it| it.unit <= unit);
        start..end
    }

    fn tokens(&self, lines: impl IntoIterator<Item = usize>) -> u64 {
        let lines = lines.into_iter();
        lines
            .map(|it| u64::from(self.material.lines[it].tokens))
            .sum()
    }

    /// How it all began, whole or its head and tail.
    fn take_first(&mut self) {
        if self.material.units.is_empty() || !self.has_first() {
            return;
        }
        let blocks = self.blocks_of(0);
        let mut room = self.share(FIRST_SHARE);
        let injected = |it: &usize| is_injected(self.material, &self.material.blocks[*it]);
        let (mut order, own): (Vec<usize>, Vec<usize>) = blocks.clone().partition(injected);
        let by_size = |it: &usize| self.material.blocks[*it].lines.len();
        let quarter = (room as f64 * if own.is_empty() { 1.0 } else { 0.25 }) as u64;
        let apart = order.len();
        let mut own = own;
        own.sort_by_key(by_size);
        order.extend(own);
        let count = order.len();
        for (place, block) in order.into_iter().enumerate() {
            let lines = self.material.blocks[block].lines.clone();
            let room_here = if place < apart {
                quarter / apart as u64
            } else {
                room / (count - place) as u64
            };
            let taken = head_and_tail(self.material, lines, room_here);
            let cost = self.tokens(taken.iter().copied()) + 4;
            room = room.saturating_sub(cost);
            self.left -= cost as i64;
            taken.into_iter().for_each(|line| self.take(line));
        }
    }

    /// What the calls of the last units cost at least, and their short arguments.
    fn take_skeletons(&mut self) {
        let first = usize::from(self.has_first());
        let units = self.material.units.len();
        let mut sum = 0;
        while self.tail > first && units - self.tail < TAIL_UNITS {
            let cost = self.skeleton(self.tail - 1);
            if self.tail < units && sum + cost > self.share(TAIL_SHARE) {
                break;
            }
            sum += cost;
            self.tail -= 1;
        }
        self.left -= sum as i64;
        for unit in self.tail..units {
            for block in self.blocks_of(unit) {
                for line in self.short_lines(block) {
                    self.take(line);
                }
            }
        }
    }

    fn skeleton(&self, unit: usize) -> u64 {
        let blocks = self.blocks_of(unit).filter(|&block| {
            matches!(
                self.material.blocks[block].kind,
                Kind::Call(_) | Kind::Result(_)
            )
        });
        blocks
            .map(|it| self.material.blocks[it].bare + self.tokens(self.short_lines(it)) + 2)
            .sum()
    }

    /// The lines of a call's short arguments.
    fn short_lines(&self, block: usize) -> Vec<usize> {
        let block = &self.material.blocks[block];
        let is_short = |line: &usize| {
            let string = self.material.lines[*line].string as usize;
            let text = block.strings.get(string).copied();
            text.is_some_and(|it| it.len() <= 60 || it.len() <= 220 && !it.contains('\n'))
        };
        block.lines.clone().filter(is_short).collect()
    }

    /// What the user said, the newest first.
    fn take_user(&mut self) {
        let units = self.material.units.len();
        let mut room = self.share(USER_SHARE) as i64;
        for number in (0..self.material.blocks.len()).rev() {
            let block = &self.material.blocks[number];
            let is_first = block.unit == 0 && self.has_first();
            if block.kind != Kind::User || is_first || is_injected(self.material, block) {
                continue;
            }
            let is_late = block.unit + 3 >= units;
            let part = if is_late { LATE_USER_TEXT } else { USER_TEXT };
            let most = self.share(part).max(USER_TEXT_TOKENS);
            let lines = head_and_tail(self.material, block.lines.clone(), most);
            let cost = self.tokens(lines.iter().copied()) as i64 + 8;
            if (cost <= room || is_late) && cost <= self.left {
                room -= cost;
                self.left -= cost;
                lines.into_iter().for_each(|line| self.take(line));
            }
        }
    }

    /// The last units, block by block: whole, or the head and tail of large ones.
    fn take_latest(&mut self) {
        let units = self.material.units.len();
        let (from, mut room, block_share) = match self.wishes.keep_last {
            Some(turns) => (self.unit_of_last(turns), self.left, 1.0),
            None => (
                units.saturating_sub(WHOLE_UNITS),
                self.share(WHOLE_SHARE) as i64,
                WHOLE_BLOCK,
            ),
        };
        let from = self.tail.max(from);
        let last_agent = self.last_agent_turn();
        for unit in (from..units).rev() {
            for number in self.blocks_of(unit).rev() {
                let block = &self.material.blocks[number];
                let most = (self.share(block_share) as i64)
                    .min(room)
                    .min(self.left - 60);
                if block.kind == Kind::Solid {
                    let is_kept = Some(block.turn) == last_agent || !self.is_thinking(number);
                    if is_kept && block.bare as i64 <= most {
                        self.solid[number] = true;
                        (room, self.left) =
                            (room - block.bare as i64, self.left - block.bare as i64);
                    }
                }
                if matches!(block.kind, Kind::User | Kind::Solid) {
                    continue;
                }
                let open = block.lines.clone().filter(|&line| !self.chosen[line]);
                let mut open: Vec<usize> = open.collect();
                let mut cost = self.tokens(open.iter().copied()) as i64;
                if cost > most {
                    (open, cost) = self.both_ends(&open, most / 3);
                }
                if cost > 0 {
                    (room, self.left) = (room - cost, self.left - cost);
                    open.into_iter().for_each(|line| self.take(line));
                }
            }
        }
    }

    /// The unit in which the last so many turns begin.
    fn unit_of_last(&self, turns: usize) -> usize {
        let first = self.material.transcript.turns.len().saturating_sub(turns);
        let begins = |unit: &Unit| unit.parts.first().is_some_and(|it| it.turn >= first);
        let units = &self.material.units;
        units.iter().position(begins).unwrap_or(units.len())
    }

    /// Lines that the caller wants to stay, the newest first.
    fn take_preserved(&mut self) {
        if self.wishes.preserve.is_empty() {
            return;
        }
        for line in (0..self.material.lines.len()).rev() {
            let info = &self.material.lines[line];
            // A headline may have to be written above it.
            let cost = i64::from(info.tokens) + 12;
            let is_wanted = |it: &Regex| it.is_match(info.text);
            if !self.chosen[line] && cost <= self.left && self.wishes.preserve.iter().any(is_wanted)
            {
                self.left -= cost;
                self.take(line);
            }
        }
    }

    fn last_agent_turn(&self) -> Option<usize> {
        let turns = &self.material.transcript.turns;
        turns
            .iter()
            .rposition(|it| it.role == crate::session::Role::Assistant)
    }

    fn is_thinking(&self, block: usize) -> bool {
        let info = &self.material.blocks[block];
        let block = &self.material.transcript.turns[info.turn].blocks[info.block];
        matches!(block.content, crate::session::Content::Thinking(_))
    }

    fn both_ends(&self, lines: &[usize], most: i64) -> (Vec<usize>, i64) {
        let (mut taken, mut cost) = (Vec::new(), 0);
        let (mut head, mut tail) = (0, lines.len());
        while head < tail {
            let at_head = taken.len() % 2 == 0;
            let line = if at_head {
                lines[head]
            } else {
                lines[tail - 1]
            };
            let tokens = i64::from(self.material.lines[line].tokens);
            if cost + tokens > most {
                break;
            }
            cost += tokens;
            taken.push(line);
            if at_head {
                head += 1;
            } else {
                tail -= 1;
            }
        }
        (taken, cost)
    }

    /// Offers every line that is not chosen, once for each text, the newest.
    pub(super) fn offer(&mut self) {
        self.make_groups();
        let mut seen: HashSet<&str> = HashSet::new();
        for number in (0..self.material.blocks.len()).rev() {
            let block = &self.material.blocks[number];
            let headline = self.group_of[number].map(|it| self.groups[it].headline.clone());
            for line in block.lines.clone() {
                let text = self.material.lines[line].text;
                let is_open = !self.chosen[line] && !text.trim().is_empty();
                let is_headline = matches!(block.kind, Kind::Call(_))
                    && headline
                        .as_ref()
                        .is_some_and(|it| it.ends_with(text.trim()));
                if !is_open || is_headline || !seen.insert(without_number(text)) {
                    continue;
                }
                self.offers[line] = true;
                if let Some(group) = self.group_of[number] {
                    self.groups[group].lines.push(line as u32);
                }
            }
        }
        self.versions = vec![0; self.material.lines.len() + self.groups.len()];
        let offers: Vec<Offer> = (0..self.versions.len() as u32)
            .filter(|&it| self.is_offered(it))
            .filter_map(|number| {
                let rate = self.rate(number);
                let version = 0;
                (rate > 0.0).then_some(Offer {
                    rate,
                    number,
                    version,
                })
            })
            .collect();
        self.heap = offers.into();
    }

    fn make_groups(&mut self) {
        let first = usize::from(self.has_first());
        let mut numbers: HashMap<(usize, Option<&str>, usize), usize> = HashMap::new();
        for (number, block) in self.material.blocks.iter().enumerate() {
            if block.unit >= self.tail || block.unit < first {
                continue;
            }
            let name = match block.call {
                Some(call) => (block.unit, Some(call), 0),
                None => (block.unit, None, number),
            };
            let group = *numbers.entry(name).or_insert_with(|| {
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
                let headline = headline.trim_end().to_owned();
                self.groups.push(Group {
                    // Close enough, and the whole is counted in the end.
                    tokens: 4 + about.len() as u32 / 4,
                    atoms: self.material.known_atoms(&about),
                    headline,
                    is_open: false,
                    lines: Vec::new(),
                });
                self.groups.len() - 1
            });
            self.group_of[number] = Some(group);
            if self.material.blocks[number]
                .lines
                .clone()
                .any(|it| self.chosen[it])
            {
                self.groups[group].is_open = true;
            }
        }
    }

    fn is_offered(&self, number: u32) -> bool {
        let number = number as usize;
        match number.checked_sub(self.offers.len()) {
            None => self.offers[number] && !self.chosen[number],
            Some(group) => !self.groups[group].is_open && !self.groups[group].atoms.is_empty(),
        }
    }

    fn atom_worth(&self, atom: u32) -> f64 {
        if self.covered[atom as usize] {
            0.0
        } else {
            self.worth.atoms[atom as usize]
        }
    }

    /// What an offer is worth for each token now.
    fn rate(&self, number: u32) -> f64 {
        let Some(group) = (number as usize).checked_sub(self.offers.len()) else {
            return self.line_rate(number as usize);
        };
        let group = &self.groups[group];
        let worth: f64 = group.atoms.iter().map(|&it| self.atom_worth(it)).sum();
        worth / (f64::from(group.tokens) + PER_LINE)
    }

    fn line_rate(&self, line: usize) -> f64 {
        let info = &self.material.lines[line];
        let atoms = self.material.atoms_of(line);
        let mut worth: f64 = atoms.iter().map(|&it| self.atom_worth(it)).sum();
        if let Some(key) = info.key
            && !self.covered_keys[key as usize]
        {
            worth += self.worth.lines[key as usize];
        }
        let beside = self.chosen_beside(line);
        let mut cost = f64::from(info.tokens) + PER_LINE + PER_GAP * (2 - beside) as f64;
        if let Some(group) = self.closed_group(line) {
            cost += f64::from(group.tokens);
            let others = group.atoms.iter().filter(|it| !atoms.contains(it));
            worth += others.map(|&it| self.atom_worth(it)).sum::<f64>();
        }
        if beside > 0 {
            worth *= BESIDE;
        }
        worth / cost
    }

    fn closed_group(&self, line: usize) -> Option<&Group> {
        let group = self.group_of[self.block_of[line] as usize]?;
        Some(&self.groups[group]).filter(|it| !it.is_open)
    }

    fn chosen_beside(&self, line: usize) -> usize {
        let lines = &self.material.blocks[self.block_of[line] as usize].lines;
        let before = line > lines.start && self.chosen[line - 1];
        let after = line + 1 < lines.end && self.chosen[line + 1];
        usize::from(before) + usize::from(after)
    }

    /// Takes the best offers until the tokens that are left are spent.
    pub(super) fn fill(&mut self) {
        while self.left > 12
            && let Some(offer) = self.heap.pop()
        {
            if !self.is_offered(offer.number)
                || offer.version != self.versions[offer.number as usize]
            {
                continue;
            }
            let rate = self.rate(offer.number);
            if rate <= 0.0 {
                continue;
            }
            if self.heap.peek().is_some_and(|next| rate < next.rate * 0.97) {
                self.heap.push(Offer { rate, ..offer });
                continue;
            }
            let cost = self.price(offer.number);
            if cost <= self.left as f64 {
                self.left -= cost.ceil() as i64;
                self.accept(offer.number);
            }
        }
    }

    fn price(&self, number: u32) -> f64 {
        let line = number as usize;
        match line.checked_sub(self.offers.len()) {
            Some(group) => f64::from(self.groups[group].tokens),
            None => {
                let headline = self.closed_group(line).map_or(0, |it| it.tokens);
                let gaps = (2 - self.chosen_beside(line)) as f64 * PER_GAP;
                f64::from(self.material.lines[line].tokens + headline) + gaps
            }
        }
    }

    fn accept(&mut self, number: u32) {
        let line = number as usize;
        let group = match line.checked_sub(self.offers.len()) {
            Some(group) => Some(group),
            None => {
                self.take(line);
                self.group_of[self.block_of[line] as usize]
            }
        };
        let opened = group.filter(|&it| !self.groups[it].is_open);
        self.order.push(Taken {
            number,
            opened: opened.is_some(),
        });
        if let Some(group) = opened {
            self.groups[group].is_open = true;
            for atom in self.groups[group].atoms.clone() {
                self.covered[atom as usize] = true;
            }
            if self.groups[group].lines.len() < 60 {
                for line in self.groups[group].lines.clone() {
                    self.offer_again(line);
                }
            }
        }
        if line < self.offers.len() {
            let lines = self.material.blocks[self.block_of[line] as usize]
                .lines
                .clone();
            if line > lines.start {
                self.offer_again(number - 1);
            }
            if line + 1 < lines.end {
                self.offer_again(number + 1);
            }
        }
    }

    fn offer_again(&mut self, number: u32) {
        if self.is_offered(number) {
            let version = &mut self.versions[number as usize];
            *version += 1;
            let version = *version;
            let rate = self.rate(number);
            self.heap.push(Offer {
                rate,
                number,
                version,
            });
        }
    }

    /// Goes on choosing with this many tokens more.
    pub(super) fn fill_more(&mut self, tokens: i64) {
        self.left = tokens;
        self.fill();
    }

    /// Gives back what was chosen last, this many tokens at least; tells whether it could.
    pub(super) fn give_back(&mut self, tokens: i64) -> bool {
        let mut missing = tokens;
        let mut given = false;
        while missing > 0
            && let Some(taken) = self.order.pop()
        {
            given = true;
            let line = taken.number as usize;
            let group = match line.checked_sub(self.offers.len()) {
                Some(group) => Some(group),
                None => {
                    self.chosen[line] = false;
                    missing -= i64::from(self.material.lines[line].tokens);
                    self.group_of[self.block_of[line] as usize]
                }
            };
            if let Some(group) = group.filter(|_| taken.opened) {
                self.groups[group].is_open = false;
                missing -= i64::from(self.groups[group].tokens);
            }
        }
        given
    }
}

/// Lines from the head and the tail of a range that fit, seven tenths from the head.
fn head_and_tail(material: &Material<'_>, lines: Range<usize>, most: u64) -> Vec<usize> {
    let tokens = |line: usize| u64::from(material.lines[line].tokens);
    if lines.clone().map(tokens).sum::<u64>() <= most {
        return lines.collect();
    }
    let (mut taken, mut sum) = (Vec::new(), 0);
    let (mut head, mut tail) = (lines.start, lines.end);
    let from_head = most * 7 / 10;
    while head < tail && sum + tokens(head) <= from_head {
        sum += tokens(head);
        taken.push(head);
        head += 1;
    }
    while head < tail && sum + tokens(tail - 1) <= most {
        tail -= 1;
        sum += tokens(tail);
        taken.push(tail);
    }
    while head < tail && sum + tokens(head) <= most {
        sum += tokens(head);
        taken.push(head);
        head += 1;
    }
    taken
}
