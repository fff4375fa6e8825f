//! Measures how much lines have in common with what the session is about now.
//!
//! Plain words of the last few units, of the last plan and of what the user said
//! last, by how rare they are.

use std::collections::{HashMap, HashSet};

use aho_corasick::AhoCorasick;

use super::facts::When;
use super::lines::{BlockInfo, Kind, SessionLines};
use crate::session::tool::ToolKind;
use crate::session::transcript;

/// Units at the end whose words count.
const RECENT: usize = 8;
/// Units at the end whose words count fully.
const LATEST: usize = 3;
/// How much of a block is searched for names of files.
const SEARCHED: usize = 20_000;

const STOP: &str = "this that with from have will then they them there their what when which \
    where while would could should into also been just only more some than does done file line \
    lines code import const return function true false null none self void string type class \
    async await export default public private static";

/// How much lines have in common with what the session is about now.
pub(super) struct Relevance {
    /// By line.
    pub(super) own: Vec<f32>,
    /// By line, over it and four lines on each side.
    pub(super) around: Vec<f32>,
    /// The last unit in which the agent or the user named a file, by its name.
    named: HashMap<String, When>,
}

impl Relevance {
    pub(super) fn of(session: &SessionLines<'_>) -> Relevance {
        let weights = weights(session);
        let mut own = Vec::with_capacity(session.lines.len());
        for line in &session.lines {
            let mut sum = 0.0;
            let mut seen: Vec<u64> = Vec::new();
            words(line.text, |word| {
                if let Some(weight) = weights.get(&word)
                    && !seen.contains(&word)
                {
                    seen.push(word);
                    sum += weight;
                }
            });
            own.push(sum);
        }
        let mut around = vec![0.0; own.len()];
        for block in &session.blocks {
            let mut sums = Vec::with_capacity(block.lines.len() + 1);
            sums.push(0.0);
            let mut sum = 0.0;
            for line in block.lines.clone() {
                sum += own[line];
                sums.push(sum);
            }
            let count = block.lines.len();
            for place in 0..count {
                let (from, to) = (place.saturating_sub(4), (place + 5).min(count));
                around[block.lines.start + place] = (sums[to] - sums[from]) / 4.0;
            }
        }
        Relevance { own, around, named: named(session) }
    }

    /// Returns the last unit in which the file of a block was named.
    pub(super) fn mentioned(&self, block: &BlockInfo<'_>) -> When {
        let base = block.base.as_ref();
        let unit = base.and_then(|base| self.named.get(base));
        unit.copied().unwrap_or_default()
    }
}

fn is_spoken(kind: Kind) -> bool {
    matches!(kind, Kind::User | Kind::Assistant | Kind::Call(_))
}

/// What the words of the moment weigh.
fn weights(session: &SessionLines<'_>) -> HashMap<u64, f32> {
    let stop: HashSet<u64> = STOP.split(' ').map(|word| hash(word.as_bytes())).collect();
    let last =
        |is_wanted: &dyn Fn(&BlockInfo<'_>) -> bool| session.blocks.iter().rposition(is_wanted);
    let plan = last(&|it| it.kind == Kind::Call(ToolKind::Plan));
    let user = last(&|it| it.kind == Kind::User && !is_injected(session, it));
    let units = session.units.len();
    let mut blocks: HashMap<u64, (u32, u32)> = HashMap::new();
    let mut now: HashMap<u64, f32> = HashMap::new();
    for (number, block) in session.blocks.iter().enumerate() {
        let is_recent = is_spoken(block.kind) && block.unit + RECENT >= units;
        let is_chosen = Some(number) == plan || Some(number) == user;
        let weight = if is_chosen || is_recent && block.unit + LATEST >= units {
            1.0
        } else if is_recent {
            0.7
        } else {
            0.0
        };
        for line in &session.lines[block.lines.clone()] {
            words(line.text, |word| {
                if stop.contains(&word) {
                    return;
                }
                let (count, seen) = blocks.entry(word).or_insert((0, u32::MAX));
                if *seen != number as u32 {
                    (*count, *seen) = (*count + 1, number as u32);
                }
                if weight > 0.0 {
                    let now = now.entry(word).or_insert(0.0);
                    *now = now.max(weight);
                }
            });
        }
    }
    let all = session.blocks.len() as f32;
    let weigh = |(word, weight): (u64, f32)| {
        let count = blocks.get(&word).map_or(1, |it| it.0) as f32;
        let weight = weight * ((all + 1.0) / (count + 0.5)).ln();
        (weight > 0.3).then_some((word, weight))
    };
    now.into_iter().filter_map(weigh).collect()
}

/// Finds the last unit in which the agent or the user named each file.
fn named(session: &SessionLines<'_>) -> HashMap<String, When> {
    let names: HashSet<&str> = session.blocks.iter().filter_map(|it| it.base.as_deref()).collect();
    // No file system takes longer names, and a searcher for them takes seconds to make.
    let is_real = |name: &&str| (1..=255).contains(&name.len());
    let mut names: Vec<&str> = names.into_iter().filter(is_real).collect();
    names.sort_unstable();
    let mut named = HashMap::new();
    let Ok(searcher) = AhoCorasick::new(&names) else {
        return named;
    };
    for block in session.blocks.iter().filter(|it| is_spoken(it.kind)) {
        let mut searched = 0;
        for line in &session.lines[block.lines.clone()] {
            for found in searcher.find_overlapping_iter(line.text) {
                named.insert(names[found.pattern()].to_owned(), When::at(block.unit));
            }
            searched += line.text.len();
            if searched > SEARCHED {
                break;
            }
        }
    }
    named
}

/// Tells whether a text of the user was put there by the agent's program.
pub(super) fn is_injected(session: &SessionLines<'_>, block: &BlockInfo<'_>) -> bool {
    let first = session.lines[block.lines.clone()].first();
    first.is_some_and(|line| transcript::is_injected(line.text))
}

/// Calls `found` with a hash of every plain word of a line, in lower case.
///
/// A word is a run of small letters, perhaps after a capital, of three and
/// more, or of four capitals and more.
fn words(line: &str, mut found: impl FnMut(u64)) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let capital = usize::from(bytes[at].is_ascii_uppercase());
        let rest = &bytes[at + capital..];
        let small = rest.iter().take_while(|it| it.is_ascii_lowercase()).count();
        if small >= 3 {
            let end = at + capital + small;
            found(hash(&bytes[at..end]));
            at = end;
            continue;
        }
        let capitals = bytes[at..].iter().take_while(|it| it.is_ascii_uppercase()).count();
        if capitals >= 4 {
            found(hash(&bytes[at..at + capitals]));
            at += capitals;
            continue;
        }
        at += 1;
    }
}

/// FNV-1a of a word in lower case.
fn hash(word: &[u8]) -> u64 {
    word.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
    })
}
