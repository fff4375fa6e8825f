//! What each atom and each line is worth: how likely the next turns refer to it,
//! times how rare it is.

use std::collections::HashMap;

use super::material::{BlockInfo, Kind, Material};
use super::model::Model;
use super::relevance::Relevance;
use crate::session::atoms::AtomKind;
use crate::session::tool::ToolKind;

/// What each atom and each line is worth.
pub(super) struct Worth {
    /// By atom.
    pub(super) atoms: Vec<f64>,
    /// By text of a line.
    pub(super) lines: Vec<f64>,
}

/// How much of an atom's likelihood comes from the rule and not from the model.
const BY_RULE: f64 = 0.25;
/// The exponent of likelihoods; below 1, what is unlikely counts for more.
const EXPONENT: f64 = 0.8;
/// The bin of what never happened.
const NEVER: usize = 12;
/// Units at the end in which occurrences are told apart.
const RECENT: usize = 8;

/// What is known of an atom.
#[derive(Clone)]
struct Trace {
    /// The last unit, by source.
    by_source: [i32; 9],
    blocks: u32,
    by_agent: u32,
    last: i32,
    last_block: u32,
    in_error: i32,
    from_end: u64,
    capped_from_end: u64,
    /// One bit for each of the last units.
    recent: u8,
    lines: u32,
    edited_file: i32,
    smallest_block: usize,
    at_edge: bool,
    overlap: f32,
    overlap_around: f32,
    file_mentioned: i32,
}

impl Trace {
    const NEW: Trace = Trace {
        by_source: [-1; 9],
        blocks: 0,
        by_agent: 0,
        last: -1,
        last_block: u32::MAX,
        in_error: -1,
        from_end: 0,
        capped_from_end: 0,
        recent: 0,
        lines: 0,
        edited_file: -1,
        smallest_block: 9,
        at_edge: false,
        overlap: 0.0,
        overlap_around: 0.0,
        file_mentioned: -1,
    };
}

/// What is known of the session as a whole.
pub(super) struct Facts {
    /// The last unit that edited or wrote a file, by file.
    edited: Vec<i32>,
    /// The last unit that read a file, by file.
    read: Vec<i32>,
    /// Tokens from the beginning of a block to the end of the session, by block.
    from_end: Vec<u64>,
    /// The same with blocks of 300 tokens at most.
    capped_from_end: Vec<u64>,
    relevance: Relevance,
}

impl Worth {
    pub(super) fn of(material: &Material<'_>) -> Worth {
        let facts = Facts::of(material);
        Worth {
            atoms: atom_worth(material, &facts),
            lines: line_worth(material, &facts),
        }
    }
}

impl Facts {
    fn of(material: &Material<'_>) -> Facts {
        let blocks = &material.blocks;
        let mut facts = Facts {
            edited: vec![-1; material.files],
            read: vec![-1; material.files],
            from_end: vec![0; blocks.len() + 1],
            capped_from_end: vec![0; blocks.len() + 1],
            relevance: Relevance::of(material),
        };
        for (number, block) in blocks.iter().enumerate().rev() {
            let lines = &material.lines[block.lines.clone()];
            let tokens = 4 + lines.iter().map(|it| u64::from(it.tokens)).sum::<u64>();
            facts.from_end[number] = facts.from_end[number + 1] + tokens;
            facts.capped_from_end[number] = facts.capped_from_end[number + 1] + tokens.min(300);
        }
        for block in blocks {
            let Some(file) = block.file else { continue };
            match block.kind {
                Kind::Call(ToolKind::Edit | ToolKind::Write) => {
                    facts.edited[file as usize] = block.unit as i32;
                }
                Kind::Call(ToolKind::Read) => facts.read[file as usize] = block.unit as i32,
                _ => {}
            }
        }
        facts
    }

    fn edited(&self, block: &BlockInfo<'_>) -> i32 {
        block.file.map_or(-1, |file| self.edited[file as usize])
    }
}

fn source(kind: Kind) -> usize {
    match kind {
        Kind::User => 0,
        Kind::Assistant => 1,
        Kind::Call(ToolKind::Edit | ToolKind::Write) => 4,
        Kind::Call(ToolKind::Plan) => 5,
        Kind::Call(_) => 2,
        Kind::Result(ToolKind::Read) => 3,
        Kind::Result(ToolKind::Command) => 6,
        Kind::Result(ToolKind::Search) => 7,
        Kind::Result(_) | Kind::Solid => 8,
    }
}

fn traces(material: &Material<'_>, facts: &Facts) -> Vec<Trace> {
    let units = material.units.len();
    let mut traces = vec![Trace::NEW; material.atoms.len()];
    for (number, block) in material.blocks.iter().enumerate() {
        let source = source(block.kind);
        let edited = facts.edited(block);
        let mentioned = match source {
            3 => facts.relevance.mentioned(block),
            _ => -1,
        };
        let mut from_end = facts.from_end[number];
        let size = block.lines.len();
        let size_bin = [5, 20, 80, 300].iter().filter(|&&most| size > most).count();
        let unit = block.unit as i32;
        for (place, line) in block.lines.clone().enumerate() {
            from_end -= u64::from(material.lines[line].tokens);
            let atoms = material.atoms_of(line);
            if atoms.is_empty() {
                continue;
            }
            let is_error = source == 6 && has_error(material.lines[line].text);
            for &atom in atoms {
                let trace = &mut traces[atom as usize];
                trace.by_source[source] = unit;
                trace.last = unit;
                (trace.from_end, trace.lines) = (from_end, trace.lines + 1);
                trace.capped_from_end = facts.capped_from_end[number];
                trace.smallest_block = trace.smallest_block.min(size_bin);
                trace.overlap = trace.overlap.max(facts.relevance.own[line]);
                trace.overlap_around = trace.overlap_around.max(facts.relevance.around[line]);
                trace.file_mentioned = trace.file_mentioned.max(mentioned);
                trace.at_edge |= place < 4 || place + 4 >= size;
                if is_error {
                    trace.in_error = unit;
                }
                if source == 3 {
                    trace.edited_file = trace.edited_file.max(edited);
                }
                if block.unit + RECENT >= units {
                    trace.recent |= 1 << (units - 1 - block.unit);
                }
                if trace.last_block != number as u32 {
                    trace.last_block = number as u32;
                    trace.blocks += 1;
                    trace.by_agent += u32::from(matches!(source, 1 | 2 | 4 | 5));
                }
            }
        }
    }
    traces
}

fn atom_worth(material: &Material<'_>, facts: &Facts) -> Vec<f64> {
    let units = material.units.len();
    let age = |unit: i32| match unit {
        -1 => NEVER,
        unit => age_bin(units - 1 - unit as usize),
    };
    let last_of = |kind: Kind| {
        let block = material.blocks.iter().rev().find(|it| it.kind == kind);
        block.map_or(-1, |it| it.unit as i32)
    };
    let (last_user, last_agent) = (last_of(Kind::User), last_of(Kind::Assistant));
    let length_bin = match units {
        0..=8 => 0,
        units => ((units as f64 / 8.0).log2() as usize).min(6),
    };
    let blocks = material.blocks.len() as f64;
    let traces = traces(material, facts);
    let worth = |(trace, &(kind, length)): (&Trace, &(AtomKind, usize))| {
        let kind = kind_bin(kind);
        let by_agent = [1, 2, 4, 5].map(|it| trace.by_source[it]);
        let by_agent = by_agent.into_iter().max().unwrap_or(-1);
        let of = |source: usize| trace.by_source[source];
        let features = [
            (0, kind),
            (1, age(trace.last)),
            (2, age(by_agent)),
            (3, age(of(0))),
            (4, count_bin(trace.blocks)),
            (5, count_bin(trace.by_agent)),
            (6, age(of(3))),
            (7, age(of(4))),
            (8, age(of(5))),
            (9, age(of(6))),
            (10, age(of(7))),
            (11, age(trace.edited_file)),
            (12, age(trace.in_error)),
            (13, token_bin(trace.from_end)),
            (14, length_bin),
            (15, trace.recent.count_ones().min(4) as usize),
            (16, kind * 13 + age(trace.last)),
            (17, kind * 13 + age(by_agent)),
            (18, count_bin(trace.lines)),
            (19, usize::from(of(1) >= 0 && of(1) == last_agent)),
            (20, usize::from(of(0) >= 0 && of(0) == last_user)),
            (21, kind * 7 + count_bin(trace.blocks)),
            (22, (length / 4).min(11)),
            (23, trace.smallest_block),
            (24, token_bin(trace.capped_from_end * 2)),
            (25, usize::from(trace.at_edge)),
            (26, kind * 5 + trace.smallest_block),
            (27, overlap_bin(trace.overlap)),
            (28, overlap_bin(trace.overlap_around)),
            (29, age(trace.file_mentioned)),
        ];
        let rarity = ((blocks + 1.0) / (f64::from(trace.blocks) + 0.5))
            .ln()
            .max(0.1);
        let since = (units as i32 - 1 - trace.last) as f64;
        let agent = f64::from(trace.by_agent.min(3)) / 3.0;
        let rule = (0.15 + 0.5 * agent + 0.6 * 0.92f64.powf(since))
            * (1.0 - 0.6 * since / units as f64)
            * 0.2;
        let likelihood = Model::atoms().likelihood(&features);
        let likelihood = BY_RULE * rule + (1.0 - BY_RULE) * likelihood;
        likelihood.powf(EXPONENT) * rarity
    };
    traces.iter().zip(&material.atoms).map(worth).collect()
}

fn line_source(kind: Kind) -> Option<usize> {
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

/// How many lines each line of a file is from one that an edit touched.
fn distances(material: &Material<'_>) -> HashMap<usize, usize> {
    let mut edits: HashMap<u32, HashMap<u32, ()>> = HashMap::new();
    for block in &material.blocks {
        if let (Kind::Call(ToolKind::Edit), Some(file)) = (block.kind, block.file) {
            let keys = material.lines[block.lines.clone()]
                .iter()
                .filter_map(|it| it.key);
            edits
                .entry(file)
                .or_default()
                .extend(keys.map(|key| (key, ())));
        }
    }
    let mut distances = HashMap::new();
    for block in &material.blocks {
        let is_content = matches!(
            block.kind,
            Kind::Result(ToolKind::Read) | Kind::Call(ToolKind::Write)
        );
        let Some(touched) = block
            .file
            .filter(|_| is_content)
            .and_then(|it| edits.get(&it))
        else {
            continue;
        };
        let is_touched = |line: &usize| {
            let key = material.lines[*line].key;
            key.is_some_and(|key| touched.contains_key(&key))
        };
        let places: Vec<usize> = block.lines.clone().filter(is_touched).collect();
        if places.is_empty() {
            continue;
        }
        for line in block.lines.clone() {
            let next = places.partition_point(|&place| place <= line);
            let before = next.checked_sub(1).map_or(999, |it| line - places[it]);
            let after = places.get(next).map_or(999, |place| place - line);
            distances.insert(line, before.min(after));
        }
    }
    distances
}

fn line_worth(material: &Material<'_>, facts: &Facts) -> Vec<f64> {
    let units = material.units.len();
    let age = |unit: i32| match unit {
        -1 => NEVER,
        unit => age_bin(units - 1 - unit as usize),
    };
    let mut counts = vec![0u32; material.keys];
    let mut last = vec![(usize::MAX, 0); material.keys];
    let mut edited: HashMap<(u32, u32), ()> = HashMap::new();
    for (number, block) in material.blocks.iter().enumerate() {
        if line_source(block.kind).is_none() {
            continue;
        }
        for line in block.lines.clone() {
            let Some(key) = material.lines[line].key else {
                continue;
            };
            counts[key as usize] += 1;
            last[key as usize] = (number, line);
            if let (Kind::Call(ToolKind::Edit), Some(file)) = (block.kind, block.file) {
                edited.insert((file, key), ());
            }
        }
    }
    let distances = distances(material);
    let rarity = ((material.blocks.len() as f64 + 1.0) / 1.5).ln();
    let worth = |(key, &(number, line)): (usize, &(usize, usize))| {
        if number == usize::MAX {
            return 0.0;
        }
        let block = &material.blocks[number];
        let source = line_source(block.kind).unwrap_or_default();
        let distance = match distances.get(&line) {
            None => 5,
            Some(&it) => [2, 8, 20, 60].iter().filter(|&&most| it > most).count(),
        };
        let age_of = |list: &[i32]| match block.file {
            Some(file) => age(list[file as usize]),
            None => NEVER + 1,
        };
        let text = material.lines[line].text;
        let length = super::material::without_number(text).chars().count();
        let is_edited = block
            .file
            .is_some_and(|it| edited.contains_key(&(it, key as u32)));
        let edit_age = age_of(&facts.edited);
        let features = [
            (30, source),
            (31, source * 12 + age(block.unit as i32)),
            (32, edit_age),
            (33, age_of(&facts.read)),
            (34, distance),
            (35, counts[key].min(4) as usize),
            (36, usize::from(is_definition(text))),
            (37, (length / 16).min(6)),
            (38, distance * 13 + edit_age.min(NEVER)),
            (39, token_bin(facts.from_end[number])),
            (41, token_bin(facts.capped_from_end[number] * 2)),
            (42, (block.lines.len() / 60).min(4)),
            (43, overlap_bin(facts.relevance.own[line])),
            (44, overlap_bin(facts.relevance.around[line])),
            (
                45,
                match block.file {
                    Some(_) => age(facts.relevance.mentioned(block)),
                    None => NEVER + 1,
                },
            ),
            (40, usize::from(is_edited)),
        ];
        Model::lines().likelihood(&features).powf(EXPONENT) * rarity
    };
    last.iter().enumerate().map(worth).collect()
}

fn kind_bin(kind: AtomKind) -> usize {
    match kind {
        AtomKind::Path => 0,
        AtomKind::Url => 1,
        AtomKind::Name => 2,
        AtomKind::Number => 3,
        AtomKind::Code => 4,
        AtomKind::Quote => 5,
    }
}

fn age_bin(units: usize) -> usize {
    match units {
        0..=3 => units,
        _ => {
            4 + [5, 8, 14, 24, 40, 70, 130]
                .iter()
                .filter(|&&most| units > most)
                .count()
        }
    }
}

fn token_bin(tokens: u64) -> usize {
    (0..8).filter(|doubled| tokens > 500 << doubled).count()
}

fn count_bin(count: u32) -> usize {
    [0, 1, 2, 4, 8, 16]
        .iter()
        .filter(|&&most| count > most)
        .count()
}

fn overlap_bin(overlap: f32) -> usize {
    [0.0, 1.5, 3.0, 5.0, 7.5, 11.0]
        .iter()
        .filter(|&&most| overlap > most)
        .count()
}

/// Tells whether a line of output speaks of a failure.
pub(super) fn has_error(line: &str) -> bool {
    const WORDS: [&str; 12] = [
        "error",
        "failed",
        "failure",
        "failing",
        "fail",
        "panic",
        "panicked",
        "exception",
        "traceback",
        "cannot",
        "undefined",
        "expected",
    ];
    let mut words = line.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    words.any(|word| {
        WORDS.iter().any(|it| word.eq_ignore_ascii_case(it))
            || word.len() >= 6 && word.as_bytes()[..6].eq_ignore_ascii_case(b"assert")
    }) || line.to_ascii_lowercase().contains("not found")
}

/// Tells whether a line begins a definition, in any of the usual languages.
fn is_definition(line: &str) -> bool {
    const BEFORE: [&str; 8] = [
        "pub", "export", "async", "static", "default", "private", "public", "abstract",
    ];
    const WORDS: [&str; 17] = [
        "fn",
        "def",
        "class",
        "func",
        "function",
        "struct",
        "enum",
        "trait",
        "impl",
        "interface",
        "type",
        "const",
        "let",
        "var",
        "module",
        "describe",
        "it",
    ];
    let mut text = super::material::without_number(line);
    loop {
        let end = text.find(|it: char| !it.is_alphanumeric() && it != '_');
        let (word, rest) = text.split_at(end.unwrap_or(text.len()));
        match rest.strip_prefix(' ') {
            Some(rest) if BEFORE.contains(&word) => text = rest,
            _ => return WORDS.contains(&word) || word == "test",
        }
    }
}
