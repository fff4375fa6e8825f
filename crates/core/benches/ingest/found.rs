//! Long results, what later turns refer to in them, and plain ways to shorten them.

use std::collections::{HashMap, HashSet};

use loadline::session::{Block, Content, Role, Transcript, Turn, tool_kind_name};
use loadline::tokens::Counter;
use serde_json::Value;

use crate::metric::{Mentions, edited_lines, mentions_of, text_of};

/// A long result.
pub(crate) struct Found {
    pub(crate) tool: String,
    /// What the tool does.
    pub(crate) kind: &'static str,
    pub(crate) arguments: Value,
    pub(crate) is_error: bool,
    pub(crate) text: String,
    pub(crate) tokens: u64,
    wanted: Mentions,
    lines: HashSet<String>,
    /// What one reference weighs: all of them stand in one block only.
    each: f64,
}

impl Found {
    pub(crate) fn weight(&self) -> f64 {
        self.each * (self.wanted.len() + self.lines.len()) as f64
    }

    /// The weight of what a text still shows.
    pub(crate) fn kept(&self, text: &str) -> f64 {
        let known = mentions_of(text);
        let mentions = self.wanted.iter().filter(|it| known.contains(*it)).count();
        let lines = self.lines.iter().filter(|it| text.contains(it.as_str()));
        self.each * (mentions + lines.count()) as f64
    }
}

/// Finds the long results of a session.
pub(crate) fn find(
    session: &Transcript,
    counter: &Counter,
    least: u64,
    turns: usize,
) -> Vec<Found> {
    let calls: HashMap<&str, (&str, &Value)> = session
        .turns
        .iter()
        .flat_map(Turn::calls)
        .map(|call| (call.id.as_str(), (call.name.as_str(), &call.arguments)))
        .collect();
    let blocks: Vec<(usize, Role, &Block, String)> = session
        .turns
        .iter()
        .enumerate()
        .flat_map(|(number, turn)| turn.blocks.iter().map(move |it| (number, turn.role, it)))
        .map(|(number, role, block)| (number, role, block, text_of(block)))
        .collect();
    let mentions: Vec<Mentions> = blocks.iter().map(|it| mentions_of(&it.3)).collect();
    let mut found = Vec::new();
    let mut known = Mentions::new();
    for (place, (_, _, block, text)) in blocks.iter().enumerate() {
        if let Content::Result(result) = &block.content {
            let tokens = counter.count(text).get();
            if tokens > least {
                let new: Mentions = mentions[place].difference(&known).cloned().collect();
                let (wanted, lines) = wanted(&blocks, &mentions, place, &new, turns);
                let call = calls.get(result.call.as_str()).copied();
                let (tool, arguments) = call.unwrap_or(("", &Value::Null));
                found.push(Found {
                    tool: tool.to_owned(),
                    kind: tool_kind_name(tool, arguments),
                    arguments: arguments.clone(),
                    is_error: result.is_error,
                    text: text.clone(),
                    tokens,
                    wanted,
                    lines,
                    each: ((place as f64 + 2.0) / 1.5).ln(),
                });
            }
        }
        known.extend(mentions[place].iter().cloned());
    }
    found
}

/// What the next turns refer to that only one result shows.
fn wanted(
    blocks: &[(usize, Role, &Block, String)],
    mentions: &[Mentions],
    place: usize,
    new: &Mentions,
    turns: usize,
) -> (Mentions, HashSet<String>) {
    let (mut wanted, mut shown) = (Mentions::new(), Mentions::new());
    let mut lines: HashSet<String> = HashSet::new();
    let mut shown_texts: Vec<&str> = Vec::new();
    let (mut last, mut seen) = (usize::MAX, 0);
    for (at, (turn, role, block, text)) in blocks.iter().enumerate().skip(place + 1) {
        if *role != Role::Assistant {
            shown.extend(mentions[at].iter().cloned());
            shown_texts.push(text);
            continue;
        }
        if *turn != last {
            (last, seen) = (*turn, seen + 1);
            if seen > turns {
                break;
            }
        }
        if let Content::Text(_) | Content::Call(_) = block.content {
            let referred = mentions[at].intersection(new);
            wanted.extend(referred.filter(|it| !shown.contains(*it)).cloned());
        }
        if let Content::Call(call) = &block.content {
            let mut found = Vec::new();
            edited_lines(&call.arguments, &mut found);
            found.retain(|line| blocks[place].3.contains(line.as_str()));
            found.retain(|line| !shown_texts.iter().any(|text| text.contains(line.as_str())));
            lines.extend(found);
        }
    }
    lines.retain(|line| !blocks[..place].iter().any(|it| it.3.contains(line.as_str())));
    (wanted, lines)
}

/// The first and the last lines.
pub(crate) fn head_and_tail(text: &str, count: usize) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let middle = lines.len().checked_sub(2 * count).filter(|it| *it > 0)?;
    let kept = [&lines[..count], &["..."], &lines[count + middle..]].concat();
    Some(kept.join("\n"))
}

/// The lines with the most new mentions for their tokens, 37 % of all tokens.
pub(crate) fn greedy(text: &str, counter: &Counter) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let costs: Vec<u64> = lines.iter().map(|it| counter.count(it).get() + 1).collect();
    let mut room = costs.iter().sum::<u64>() * 37 / 100;
    let mentions: Vec<Mentions> = lines.iter().map(|it| mentions_of(it)).collect();
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let mut known = Mentions::new();
    let mut kept = vec![false; lines.len()];
    let rate = |line: usize, known: &Mentions| {
        mentions[line].difference(known).count() as f64 / costs[line] as f64
    };
    // A few rounds come close to asking again after every line.
    for _ in 0..8 {
        order.retain(|&line| !kept[line]);
        order.sort_by(|&a, &b| rate(b, &known).total_cmp(&rate(a, &known)).then(a.cmp(&b)));
        for &line in order.iter().take(order.len() / 8 + 1) {
            if costs[line] <= room {
                room -= costs[line];
                kept[line] = true;
                known.extend(mentions[line].iter().cloned());
            }
        }
    }
    let chosen = lines.iter().zip(&kept).filter(|it| *it.1);
    let chosen: Vec<&str> = chosen.map(|it| *it.0).collect();
    Some(chosen.join("\n"))
}
