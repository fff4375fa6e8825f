//! Finds lines of files that are no longer what the files say.
//!
//! A line that an edit replaced, that a later write of the whole file does not
//! have, or whose place a later read shows with something else, cannot be
//! edited again. The latest state of files under edit is what remains.

use std::collections::{HashMap, HashSet};

use super::lines::{Kind, SessionLines};
use crate::session::tool::ToolKind;

/// Names of arguments that hold what an edit replaces.
const REPLACED: [&str; 7] =
    ["old_string", "oldText", "old_str", "old_text", "oldString", "search", "find"];

/// Tells for every line whether its file says something else by now.
pub(super) fn stale_lines(session: &SessionLines<'_>) -> Vec<bool> {
    let mut stale = vec![false; session.lines.len()];
    // What files say, as far as it was shown: lines by text.
    let mut states: HashMap<u32, HashMap<u32, Vec<usize>>> = HashMap::new();
    for block in &session.blocks {
        let Some(file) = block.file else { continue };
        let state = states.entry(file).or_default();
        let lines = block.lines.clone();
        match block.kind {
            Kind::Call(ToolKind::Edit) => {
                let (old, new): (Vec<usize>, Vec<usize>) =
                    lines.partition(|&line| is_replaced(session, block, line));
                let kept: HashSet<u32> = keys(session, &new).collect();
                for &line in &old {
                    let Some(key) = session.lines[line].key else {
                        continue;
                    };
                    if !kept.contains(&key) {
                        stale[line] = true;
                        for before in state.remove(&key).unwrap_or_default() {
                            stale[before] = true;
                        }
                    }
                }
                remember(session, state, new);
            }
            Kind::Call(ToolKind::Write) => {
                let new: Vec<usize> = lines.collect();
                let kept: HashSet<u32> = keys(session, &new).collect();
                forget(state, &mut stale, |key, _| !kept.contains(&key));
                remember(session, state, new);
            }
            Kind::Result(ToolKind::Read) => {
                let new: Vec<usize> = lines.collect();
                let kept: HashSet<u32> = keys(session, &new).collect();
                let shown: HashSet<u32> =
                    new.iter().filter_map(|&it| number(session, it)).collect();
                if !shown.is_empty() {
                    forget(state, &mut stale, |key, line| {
                        let number = number(session, line);
                        !kept.contains(&key) && number.is_some_and(|it| shown.contains(&it))
                    });
                }
                remember(session, state, new);
            }
            _ => {}
        }
    }
    stale
}

fn keys<'m>(session: &'m SessionLines<'_>, lines: &'m [usize]) -> impl Iterator<Item = u32> + 'm {
    lines.iter().filter_map(|&line| session.lines[line].key)
}

fn remember(session: &SessionLines<'_>, state: &mut HashMap<u32, Vec<usize>>, lines: Vec<usize>) {
    for line in lines {
        if let Some(key) = session.lines[line].key {
            state.entry(key).or_default().push(line);
        }
    }
}

fn forget(
    state: &mut HashMap<u32, Vec<usize>>,
    stale: &mut [bool],
    is_gone: impl Fn(u32, usize) -> bool,
) {
    state.retain(|&key, lines| {
        lines.retain(|&line| {
            let gone = is_gone(key, line);
            stale[line] |= gone;
            !gone
        });
        !lines.is_empty()
    });
}

/// Tells whether a line of an edit is of what the edit replaces.
fn is_replaced(
    session: &SessionLines<'_>,
    block: &super::lines::BlockInfo<'_>,
    line: usize,
) -> bool {
    let info = &session.lines[line];
    let string = info.string as usize;
    let name = block.names.get(string).copied().unwrap_or_default();
    let is_patch = block.strings.get(string).is_some_and(|it| super::lines::is_patch(it));
    REPLACED.contains(&name) || is_patch && info.text.starts_with('-')
}

/// The number that a reader put before a line.
fn number(session: &SessionLines<'_>, line: usize) -> Option<u32> {
    let text = session.lines[line].text.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = text[digits..].trim_start_matches(' ');
    let is_number = after.starts_with(['→', '\t', '|', ':']);
    is_number.then(|| text[..digits].parse().ok()).flatten()
}
