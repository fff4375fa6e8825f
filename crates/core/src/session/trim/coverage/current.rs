//! Estimates how likely a line of a file is to be edited next, by where it was last shown.

use std::collections::{HashMap, HashSet};

use super::facts::{Facts, When};
use super::lines::{Kind, SessionLines, without_number};
use super::model::{Model, NEVER, NONE};
use super::stale::stale_lines;
use crate::session::tool::ToolKind;

/// How many features the model of lines has.
pub(super) const FEATURES: usize = 23;

/// What is known of the text of a line.
#[derive(Clone, Default)]
struct Shown {
    /// How often it stands anywhere.
    count: u32,
    /// The block and the line that show it last, of those that show files.
    last: Option<(u32, u32)>,
}

/// Returns what `value` makes of the text of every line: how likely it is to be edited next.
pub(super) fn current_lines(
    session: &SessionLines<'_>,
    facts: &Facts,
    value: impl Fn(f64) -> f64,
) -> Vec<f64> {
    let mut shown = vec![Shown::default(); session.keys];
    let mut edited: HashMap<(u32, u32), When> = HashMap::new();
    for (number, block) in session.blocks.iter().enumerate() {
        for line in block.lines.clone() {
            let Some(key) = session.lines[line].key else {
                continue;
            };
            shown[key as usize].count += 1;
            if source(block.kind).is_some() {
                shown[key as usize].last = Some((number as u32, line as u32));
            }
            if let (Kind::Call(ToolKind::Edit), Some(file)) = (block.kind, block.file) {
                edited.insert((file, key), When::at(block.unit));
            }
        }
    }
    let lines = Lines {
        session,
        facts,
        stale: stale_lines(session),
        distances: distances(session),
        edited,
    };
    let model = Model::lines();
    let likelihood = |(key, shown): (usize, &Shown)| match shown.last {
        Some((block, line)) => {
            let place = (block as usize, line as usize);
            value(model.likelihood(&lines.features(key as u32, shown.count, place)))
        }
        None => 0.0,
    };
    shown.iter().enumerate().map(likelihood).collect()
}

struct Lines<'m, 'a> {
    session: &'m SessionLines<'a>,
    facts: &'m Facts,
    stale: Vec<bool>,
    distances: HashMap<usize, usize>,
    /// When an edit had a line of a file.
    edited: HashMap<(u32, u32), When>,
}

impl Lines<'_, '_> {
    /// The features, in the order of the table.
    fn features(&self, key: u32, count: u32, (number, line): (usize, usize)) -> [f32; FEATURES] {
        let (session, facts) = (self.session, self.facts);
        let block = &session.blocks[number];
        let file = facts.file(block);
        let text = session.lines[line].text;
        let own = block.file.and_then(|file| self.edited.get(&(file, key)).copied());
        let edited = facts.file_age(block.file, |it| it.edited);
        let mentioned = match block.file {
            Some(_) => facts.age(facts.relevance.mentioned(block)),
            None => NONE,
        };
        let source = source(block.kind).unwrap_or_default();
        let distance = self.distances.get(&line).map_or(-1.0, |&it| it as f32);
        [
            facts.from_end[number] as f32,
            facts.file_age(block.file, |it| it.touched),
            (line - block.lines.start) as f32,
            mentioned,
            (text.len() - text.trim_start().len()) as f32,
            file.map_or(0.0, |it| it.touched_later as f32),
            facts.relevance.around[line],
            edited,
            block.lines.len() as f32,
            own.map_or(NEVER, |unit| facts.age(unit)),
            facts.file_age(block.file, |it| it.read),
            distance,
            count as f32,
            file.map_or(0.0, |it| it.waiting as f32),
            without_number(text).chars().count() as f32,
            file.map_or(0.0, |it| it.edits as f32),
            facts.age(When::at(block.unit)),
            source as f32,
            f32::from(u8::from(self.stale[line])),
            facts.relevance.own[line],
            facts.capped_from_end[number] as f32,
            if source == 3 { edited } else { -1.0 },
            extension(block.base.as_deref()),
        ]
    }
}

/// The number of what shows a line of a file; `None` for what does not.
fn source(kind: Kind) -> Option<usize> {
    Some(match kind {
        Kind::Result(ToolKind::Read) => 0,
        Kind::Result(ToolKind::Command) => 1,
        Kind::Result(ToolKind::Search) => 2,
        Kind::Call(ToolKind::Edit) => 3,
        Kind::Call(ToolKind::Write) => 4,
        Kind::Result(ToolKind::Other) => 5,
        Kind::Result(ToolKind::Edit) => 6,
        _ => return None,
    })
}

fn extension(base: Option<&str>) -> f32 {
    match base.and_then(|base| base.rsplit_once('.')) {
        None | Some((_, "")) => 0.0,
        Some((_, "md" | "txt" | "rst")) => 1.0,
        Some((_, "json" | "yaml" | "yml" | "toml" | "lock")) => 2.0,
        Some((_, "css" | "scss" | "html")) => 3.0,
        Some(_) => 4.0,
    }
}

/// How many lines each line of a file is from one that an edit touched.
fn distances(session: &SessionLines<'_>) -> HashMap<usize, usize> {
    let mut edits: HashMap<u32, HashSet<u32>> = HashMap::new();
    for block in &session.blocks {
        if let (Kind::Call(ToolKind::Edit), Some(file)) = (block.kind, block.file) {
            let lines = session.lines[block.lines.clone()].iter();
            edits.entry(file).or_default().extend(lines.filter_map(|it| it.key));
        }
    }
    let mut distances = HashMap::new();
    for block in &session.blocks {
        let is_content =
            matches!(block.kind, Kind::Result(ToolKind::Read) | Kind::Call(ToolKind::Write));
        let file = block.file.filter(|_| is_content);
        let Some(touched) = file.and_then(|file| edits.get(&file)) else {
            continue;
        };
        let is_touched = |line: &usize| {
            let key = session.lines[*line].key;
            key.is_some_and(|key| touched.contains(&key))
        };
        let places: Vec<usize> = block.lines.clone().filter(is_touched).collect();
        if places.is_empty() {
            continue;
        }
        for line in block.lines.clone() {
            let next = places.partition_point(|&place| place <= line);
            let before = next.checked_sub(1).map(|it| line - places[it]);
            let after = places.get(next).map(|place| place - line);
            let distance = before.into_iter().chain(after).min();
            distances.insert(line, distance.unwrap_or_default());
        }
    }
    distances
}
