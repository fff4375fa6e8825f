//! What a provider or agent refuses about a session.
//!
//! [`crate::session::write_session`] checks everything that it writes by these rules; a
//! session that breaks one is never handed out.

use std::collections::BTreeSet;
use std::fmt;

use crate::session::transcript::{Block, Content, Role, Turn};

/// What is wrong with a session that a provider or agent would refuse.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The turn, counted from 1, or 0 for the session as a whole.
    pub turn: usize,
    /// The rule that is broken.
    pub rule: &'static str,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.turn {
            0 => f.write_str(self.rule),
            turn => write!(f, "turn {turn}: {}", self.rule),
        }
    }
}

/// Violations that were found so far.
#[derive(Default)]
struct Found(Vec<Violation>);

impl Found {
    /// Reports turn number `turn`, counted from 0, if it breaks a rule.
    fn report(&mut self, is_broken: bool, turn: usize, rule: &'static str) {
        if is_broken {
            let turn = turn + 1;
            self.0.push(Violation { turn, rule });
        }
    }
}

/// Checks what Anthropic's API accepts: results come first in the very next message.
pub(super) fn check_messages(turns: &[Turn]) -> Vec<Violation> {
    const ANSWERED: &str = "every call must be answered in the next message";
    let mut found = Found::default();
    let mut open: BTreeSet<&str> = BTreeSet::new();
    let mut is_first = true;
    let spoken = turns.iter().enumerate();
    for (number, turn) in spoken.filter(|(_, it)| it.role != Role::System) {
        let results: BTreeSet<&str> = turn.results().map(|it| it.call.as_str()).collect();
        let is_result = |block: &Block| matches!(block.content, Content::Result(_));
        let mut after_results = turn.blocks.iter().skip_while(|it| is_result(it));
        let is_model = turn.role == Role::Assistant;
        for (is_broken, rule) in [
            (std::mem::take(&mut is_first) && is_model, "the first message must be from the user"),
            (turn.blocks.is_empty(), "a message must not be empty"),
            (is_model && !open.is_empty() || !open.is_subset(&results), ANSWERED),
            (!results.is_subset(&open), "a result must answer a call of the message before it"),
            (after_results.any(is_result), "results come before anything else in a message"),
            (turn.texts().any(|text| text.trim().is_empty()), "a text must not be blank"),
        ] {
            found.report(is_broken, number, rule);
        }
        open = turn.calls().map(|call| call.id.as_str()).collect();
    }
    found.report(!open.is_empty(), turns.len().saturating_sub(1), ANSWERED);
    found.0
}

/// Whether a call may stay without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answers {
    /// The provider refuses a call without an answer.
    Required,
    /// The agent itself answers what was never answered.
    Optional,
}

/// Checks formats whose results are messages of their own: every call is answered before
/// anything else is said, no result answers nothing, and the model never says nothing.
pub(super) fn check_rounds(turns: &[Turn], answers: Answers) -> Vec<Violation> {
    const ANSWERED: &str = "every call must be answered before anything else";
    let is_required = answers == Answers::Required;
    let mut found = Found::default();
    let mut open: Vec<&str> = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        let is_empty = turn.role == Role::Assistant && turn.blocks.is_empty();
        found.report(is_empty, number, "a message of the model must not be empty");
        for result in turn.results() {
            let at = open.iter().position(|call| *call == result.call);
            found.report(at.is_none(), number, "a result must answer a call before it");
            at.map(|at| open.remove(at));
        }
        if turn.results().next().is_none() {
            found.report(is_required && !open.is_empty(), number, ANSWERED);
            open.clear();
        }
        open.extend(turn.calls().map(|call| call.id.as_str()));
    }
    let last = turns.len().saturating_sub(1);
    found.report(is_required && !open.is_empty(), last, ANSWERED);
    found.0
}

/// Checks items of the Responses API: calls and outputs answer each other, and reasoning,
/// as `is_reasoning` finds it, comes before what it led to.
pub(super) fn check_items(
    turns: &[Turn],
    answers: Answers,
    is_reasoning: impl Fn(&Block) -> bool,
) -> Vec<Violation> {
    let results = turns.iter().flat_map(Turn::results);
    let outputs: BTreeSet<&str> = results.map(|it| it.call.as_str()).collect();
    let mut found = Found::default();
    let mut calls: BTreeSet<&str> = BTreeSet::new();
    for (number, turn) in turns.iter().enumerate() {
        let is_orphan = turn.results().any(|it| !calls.contains(it.call.as_str()));
        let is_open = turn.calls().any(|it| !outputs.contains(it.id.as_str()));
        let ends_in_reasoning = turn.blocks.last().is_some_and(&is_reasoning);
        found.report(is_orphan, number, "an output must answer a call before it");
        found.report(
            answers == Answers::Required && is_open,
            number,
            "every call must have its output",
        );
        found.report(
            ends_in_reasoning,
            number,
            "reasoning must stand before the item that it led to",
        );
        calls.extend(turn.calls().map(|it| it.id.as_str()));
    }
    found.0
}
