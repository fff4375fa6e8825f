//! Do calls and results belong together? For formats in which results are messages of their own.

use std::collections::BTreeSet;

use super::Violation;
use crate::session::transcript::{Role, Turn};

/// Lists results that answer no call of the message of the model before them.
pub(super) fn orphan_results(turns: &[Turn]) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for (number, turn) in turns.iter().enumerate() {
        if turn.results().any(|result| !open.contains(&*result.call)) {
            found.push(Violation {
                turn: number + 1,
                rule: "a result must answer a call of the message before it",
            });
        }
        match turn.role {
            Role::Assistant => open = turn.calls().map(|call| &*call.id).collect(),
            Role::User => open.clear(),
            Role::Tool | Role::System => {}
        }
    }
    found
}

/// Lists calls that something else follows before they are answered.
pub(super) fn unanswered_calls(turns: &[Turn]) -> Vec<Violation> {
    let mut found = Vec::new();
    // The turn that asked, and the calls that are still open.
    let mut open: (usize, BTreeSet<&str>) = (0, BTreeSet::new());
    let mut close = |open: &mut (usize, BTreeSet<&str>)| {
        if !std::mem::take(&mut open.1).is_empty() {
            found.push(Violation {
                turn: open.0,
                rule: "every call must be answered before anything else",
            });
        }
    };
    for (number, turn) in turns.iter().enumerate() {
        for result in turn.results() {
            open.1.remove(&*result.call);
        }
        if turn.role != Role::Tool {
            close(&mut open);
            open = (number + 1, turn.calls().map(|call| &*call.id).collect());
        }
    }
    close(&mut open);
    found
}
