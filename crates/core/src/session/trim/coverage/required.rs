//! Chooses the lines that stay before anything is weighed.
//!
//! How the session began, the calls of the last units, what the user said and the last
//! units themselves each have a part of the budget. Without these a continuation loses
//! its instructions, however well the rest is chosen.

use std::ops::Range;

use regex::Regex;

use super::lines::{Kind, SessionLines};
use super::relevance::is_injected;
use crate::session::transcript::{Content, Role};
use crate::session::trim::TrimOptions;
use crate::session::units::Unit;

/// The most units at the end that stay messages.
const TAIL_UNITS: usize = 40;
/// The part of the budget that their bare calls may take.
const TAIL_SHARE: f64 = 0.22;
/// Units at the end that stay whole if they fit.
const WHOLE_UNITS: usize = 3;
/// The part of the budget for one block of those, and for all of them.
const WHOLE_BLOCK: f64 = 0.12;
const WHOLE_SHARE: f64 = 0.35;
/// The part of the budget for what the user said, and for one text of it.
const USER_SHARE: f64 = 0.2;
const USER_TEXT: f64 = 0.04;
const LATE_USER_TEXT: f64 = 0.1;
const USER_TEXT_TOKENS: u64 = 520;
/// The part of the budget for the first unit.
const FIRST_SHARE: f64 = 0.15;
/// Tokens held back for the line above the excerpts.
const HELD_BACK: i64 = 30;

/// What stays in any case.
pub(super) struct Required<'m, 'a> {
    session: &'m SessionLines<'a>,
    options: &'m TrimOptions,
    budget: u64,
    left: i64,
    /// Per line: whether it stays.
    pub(super) chosen: Vec<bool>,
    /// Per block: whether it stays though it has no lines.
    pub(super) opaque: Vec<bool>,
    /// How many units at the beginning stay messages: one if the user speaks first.
    pub(super) first: usize,
    /// The first unit of those at the end that stay messages.
    pub(super) tail: usize,
}

impl<'m, 'a> Required<'m, 'a> {
    /// Chooses what stays of a session within parts of a budget.
    ///
    /// With a budget of 0 that is the calls of the last unit.
    pub(super) fn within(
        session: &'m SessionLines<'a>,
        options: &'m TrimOptions,
        budget: u64,
    ) -> Required<'m, 'a> {
        let mut required = Required {
            budget,
            left: budget as i64 - HELD_BACK,
            ..Required::nothing(session, options)
        };
        required.take_first();
        required.take_skeletons();
        required.take_user();
        required.take_latest();
        required.take_preserved();
        required
    }

    /// Lets nothing stay a message but what the user said first.
    pub(super) fn nothing(
        session: &'m SessionLines<'a>,
        options: &'m TrimOptions,
    ) -> Required<'m, 'a> {
        let begins = session.blocks.first().is_some_and(|it| it.kind == Kind::User);
        Required {
            session,
            options,
            budget: 0,
            left: 0,
            chosen: vec![false; session.lines.len()],
            opaque: vec![false; session.blocks.len()],
            first: usize::from(begins),
            tail: session.units.len(),
        }
    }

    fn share(&self, part: f64) -> u64 {
        (self.budget as f64 * part) as u64
    }

    fn take(&mut self, lines: impl IntoIterator<Item = usize>, cost: i64) {
        self.left -= cost;
        lines.into_iter().for_each(|line| self.chosen[line] = true);
    }

    fn blocks_of(&self, unit: usize) -> Range<usize> {
        let blocks = &self.session.blocks;
        let start = blocks.partition_point(|it| it.unit < unit);
        let end = blocks.partition_point(|it| it.unit <= unit);
        start..end
    }

    fn tokens(&self, lines: &[usize]) -> u64 {
        let lines = lines.iter();
        lines.map(|&it| u64::from(self.session.lines[it].tokens)).sum()
    }

    /// Takes the first unit, whole or its head and tail.
    ///
    /// What the agent's program put there shares a quarter, so that the user's own
    /// words have the rest.
    fn take_first(&mut self) {
        if self.first == 0 {
            return;
        }
        let session = self.session;
        let mut room = self.share(FIRST_SHARE);
        let blocks = self.blocks_of(0);
        let (injected, mut own): (Vec<usize>, Vec<usize>) =
            blocks.partition(|it| is_injected(session, &session.blocks[*it]));
        own.sort_by_key(|it| session.blocks[*it].lines.len());
        let quarter = if own.is_empty() { room } else { room / 4 };
        let count = injected.len() + own.len();
        let apart = injected.len();
        for (place, block) in injected.into_iter().chain(own).enumerate() {
            let most =
                if place < apart { quarter / apart as u64 } else { room / (count - place) as u64 };
            let taken = head_and_tail(session, session.blocks[block].lines.clone(), most);
            let cost = self.tokens(&taken) + 4;
            room = room.saturating_sub(cost);
            self.take(taken, cost as i64);
        }
    }

    /// Takes the bare calls of the last units, with their short arguments.
    fn take_skeletons(&mut self) {
        let units = self.session.units.len();
        let mut sum = 0;
        while self.tail > self.first && units - self.tail < TAIL_UNITS {
            let cost = self.skeleton(self.tail - 1);
            if self.tail < units && sum + cost > self.share(TAIL_SHARE) {
                break;
            }
            sum += cost;
            self.tail -= 1;
        }
        let blocks = (self.tail..units).flat_map(|unit| self.blocks_of(unit));
        let lines: Vec<usize> = blocks.flat_map(|block| self.short_lines(block)).collect();
        self.take(lines, sum as i64);
    }

    fn skeleton(&self, unit: usize) -> u64 {
        let blocks = self.blocks_of(unit);
        let calls = blocks.filter(|&block| {
            let kind = self.session.blocks[block].kind;
            matches!(kind, Kind::Call(_) | Kind::Result(_))
        });
        calls.map(|it| self.session.blocks[it].bare + self.tokens(&self.short_lines(it)) + 2).sum()
    }

    /// The lines of a call's short arguments.
    fn short_lines(&self, block: usize) -> Vec<usize> {
        let block = &self.session.blocks[block];
        let is_short = |line: &usize| {
            let string = self.session.lines[*line].string as usize;
            let text = block.strings.get(string).copied();
            text.is_some_and(|it| it.len() <= 60 || it.len() <= 220 && !it.contains('\n'))
        };
        block.lines.clone().filter(is_short).collect()
    }

    /// Takes what the user said, newest first.
    fn take_user(&mut self) {
        let session = self.session;
        let mut room = self.share(USER_SHARE) as i64;
        for block in session.blocks.iter().rev() {
            let is_first = block.unit < self.first;
            if block.kind != Kind::User || is_first || is_injected(session, block) {
                continue;
            }
            let is_late = block.unit + 3 >= session.units.len();
            let part = if is_late { LATE_USER_TEXT } else { USER_TEXT };
            let most = self.share(part).max(USER_TEXT_TOKENS);
            let lines = head_and_tail(session, block.lines.clone(), most);
            let cost = self.tokens(&lines) as i64 + 8;
            if (cost <= room || is_late) && cost <= self.left {
                room -= cost;
                self.take(lines, cost);
            }
        }
    }

    /// Takes the last units block by block: whole, or the head and tail of large ones.
    fn take_latest(&mut self) {
        let units = self.session.units.len();
        let (from, mut room, part) = match self.options.keep_last {
            Some(turns) => (self.unit_of_last(turns), self.left, 1.0),
            None => {
                (units.saturating_sub(WHOLE_UNITS), self.share(WHOLE_SHARE) as i64, WHOLE_BLOCK)
            }
        };
        let turns = &self.session.transcript.turns;
        let last_answer = turns.iter().rposition(|it| it.role == Role::Assistant);
        for unit in (self.tail.max(from)..units).rev() {
            for number in self.blocks_of(unit).rev() {
                let before = self.left;
                let most = (self.share(part) as i64).min(room).min(self.left - 60);
                self.take_block(number, most, last_answer);
                room -= before - self.left;
            }
        }
    }

    fn take_block(&mut self, number: usize, most: i64, last_answer: Option<usize>) {
        let block = &self.session.blocks[number];
        match block.kind {
            Kind::User => {}
            Kind::Opaque => {
                // Providers ask for the thoughts of the last answer only.
                let is_kept = Some(block.turn) == last_answer || !self.is_thinking(number);
                if is_kept && block.bare as i64 <= most {
                    self.opaque[number] = true;
                    self.left -= block.bare as i64;
                }
            }
            _ => {
                let open = block.lines.clone().filter(|&line| !self.chosen[line]);
                let mut open: Vec<usize> = open.collect();
                if self.tokens(&open) as i64 > most {
                    open = self.both_ends(&open, most / 3);
                }
                let cost = self.tokens(&open) as i64;
                self.take(open, cost);
            }
        }
    }

    /// The unit in which the last `turns` turns begin.
    fn unit_of_last(&self, turns: usize) -> usize {
        let first = self.session.transcript.turns.len().saturating_sub(turns);
        let begins = |unit: &Unit| unit.parts.first().is_some_and(|it| it.turn >= first);
        let units = &self.session.units;
        units.iter().position(begins).unwrap_or(units.len())
    }

    /// Takes the lines that the caller asked for, newest first.
    fn take_preserved(&mut self) {
        let preserve = &self.options.preserve;
        if preserve.is_empty() {
            return;
        }
        for line in (0..self.session.lines.len()).rev() {
            let info = &self.session.lines[line];
            // A headline may have to be written above it.
            let cost = i64::from(info.tokens) + 12;
            let is_wanted = |it: &Regex| it.is_match(info.text);
            if !self.chosen[line] && cost <= self.left && preserve.iter().any(is_wanted) {
                self.take([line], cost);
            }
        }
    }

    fn is_thinking(&self, block: usize) -> bool {
        let info = &self.session.blocks[block];
        let block = &self.session.transcript.turns[info.turn].blocks[info.block];
        matches!(block.content, Content::Thinking(_))
    }

    /// Lines from either end by turns, while they cost at most `most`.
    fn both_ends(&self, lines: &[usize], most: i64) -> Vec<usize> {
        let (mut taken, mut cost) = (Vec::new(), 0);
        let mut rest = lines.iter().copied();
        loop {
            let is_head = taken.len() % 2 == 0;
            let next = if is_head { rest.next() } else { rest.next_back() };
            let Some(line) = next else { break };
            cost += i64::from(self.session.lines[line].tokens);
            if cost > most {
                break;
            }
            taken.push(line);
        }
        taken
    }
}

/// Lines from the head and the tail of a range that fit, seven tenths from the head.
fn head_and_tail(session: &SessionLines<'_>, lines: Range<usize>, most: u64) -> Vec<usize> {
    let tokens = |line: usize| u64::from(session.lines[line].tokens);
    if lines.clone().map(tokens).sum::<u64>() <= most {
        return lines.collect();
    }
    let (mut taken, mut sum) = (Vec::new(), 0);
    let (mut head, mut tail) = (lines.start, lines.end);
    // What the tail leaves over goes to the head again.
    for limit in [most * 7 / 10, most] {
        while head < tail && sum + tokens(head) <= limit {
            sum += tokens(head);
            taken.push(head);
            head += 1;
        }
        while head < tail && sum + tokens(tail - 1) <= most {
            tail -= 1;
            sum += tokens(tail);
            taken.push(tail);
        }
    }
    taken
}
