//! Takes files apart into pieces, and says what each is worth per token.
//!
//! The numbers were chosen by how many of the edits of the next 300 commits a pack shows,
//! as the mean over 20 repositories (docs/overview.md); they are flat around what stands
//! here.

use super::super::candidate::Candidate;
use super::super::listed::Listed;
use super::super::render::{Tier, block_text};
use crate::pack::PackOptions;
use crate::syntax::{Definition, DefinitionKind};
use crate::tokens::Tokens;

/// What a piece shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A signature: the number of an entry.
    Entry(usize),
    /// Lines, the first and the last.
    Lines(u32, u32),
}

/// A piece of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The number of its file.
    pub(super) file: usize,
    pub(super) what: What,
    /// What it is worth per token.
    pub(super) rate: f64,
    /// What it costs, the first of a file with the heading.
    pub(super) cost: Tokens,
    /// The piece that has to be there before.
    pub(super) after: Option<usize>,
}

/// What pinned and changed files are worth more than others.
const PINNED: f64 = 1e12;
const CHANGED: f64 = 1e6;
/// What a definition as a whole is worth, next to its signature.
const BODY: f64 = 1.0;
/// What showing anything of a file is worth, next to all of its signatures.
const OPENING: f64 = 0.5;
/// What the signature of a member is worth, next to one at the top.
const MEMBER: f64 = 0.5;
/// What code of a test inside of a source file is worth.
const TEST: f64 = 0.1;
/// How much more a longer definition is worth: this power of its lines.
const LENGTH: f64 = 0.75;
/// What the number before a signature, or the mark before lines, costs.
const MARK: f64 = 4.0;
/// Lines of a piece, at most; what is longer is several.
const LONGEST: u32 = 40;
/// Lines of a piece of README or of a manifest.
const SHORT: u32 = 10;
/// Tokens up to which a file has one piece only.
const SMALL: f64 = 120.0;

/// Takes a file apart; the first piece is the one that has to come first.
pub(super) fn pieces(
    file: usize,
    candidate: &Candidate,
    listed: &Listed,
    options: &PackOptions,
) -> Vec<Piece> {
    if candidate.copy_of.is_some() || candidate.facts.lines == 0 {
        return Vec::new();
    }
    let maker = Maker::new(file, candidate, listed, options);
    let whole = [Unit { first: 1, last: candidate.facts.lines, weight: 1.0 }];
    if maker.tokens <= SMALL.max(1.5 * maker.entries.iter().map(|it| it.1).sum::<f64>()) {
        return maker.make(&[], &whole, u32::MAX);
    }
    if !candidate.facts.parsed {
        // It was not worth that, so others use up the budget.
        return Vec::new();
    }
    match &candidate.facts.outline {
        Some(outline) if outline.definitions.iter().any(|it| !it.kind.is_listed()) => {
            let units = units(&outline.definitions, candidate.facts.lines);
            maker.make(&maker.entries, &units, LONGEST)
        }
        _ => maker.make(&maker.entries, &parts(candidate.facts.lines, LONGEST), LONGEST),
    }
}

/// Takes README or a manifest apart, in smaller pieces than others.
///
/// The first is where README begins to say something: pictures and badges stand before it.
pub(super) fn door_pieces(
    file: usize,
    candidate: &Candidate,
    text: &str,
    options: &PackOptions,
) -> Vec<Piece> {
    let lines = candidate.facts.lines;
    if candidate.copy_of.is_some() || lines == 0 {
        return Vec::new();
    }
    let maker = Maker::new(file, candidate, &Listed::default(), options);
    let start = first_words(text).min(lines);
    let mut units = parts(lines + 1 - start, SHORT);
    units.iter_mut().for_each(|unit| {
        unit.first += start - 1;
        unit.last += start - 1;
    });
    if start > 1 {
        units.push(Unit { first: 1, last: start - 1, weight: 0.01 });
    }
    maker.make(&[], &units, SHORT)
}

/// The line on which a document begins to say something, or its heading right before.
fn first_words(text: &str) -> u32 {
    let is_words = |line: &str| {
        let line = line.trim_start();
        let is_mark =
            ["<", "[", "!", "#", "|", "=", "-", "*"].iter().any(|it| line.starts_with(it));
        !is_mark && line.split_whitespace().count() > 3
    };
    let lines: Vec<&str> = text.lines().collect();
    let Some(found) = lines.iter().position(|line| is_words(line)) else {
        return 1;
    };
    let above = lines[..found].iter().rposition(|line| !line.trim().is_empty());
    let heading = above.filter(|at| lines[*at].starts_with(['#', '=', '-']));
    let heading = heading.map(|at| at.saturating_sub(usize::from(!lines[at].starts_with('#'))));
    u32::try_from(heading.unwrap_or(found)).map_or(1, |line| line + 1)
}

/// Makes the pieces of one file.
struct Maker {
    file: usize,
    worth: f64,
    tokens: f64,
    per_line: f64,
    heading: f64,
    /// The signatures: number, tokens, weight.
    entries: Vec<(usize, f64, f64)>,
}

impl Maker {
    fn new(file: usize, candidate: &Candidate, listed: &Listed, options: &PackOptions) -> Maker {
        let facts = &candidate.facts;
        let wanted = match (candidate.pinned, candidate.changed) {
            (true, _) => PINNED,
            (_, true) => CHANGED,
            _ => 1.0,
        };
        let frame = block_text(
            &candidate.block(Tier::Signatures, Vec::new(), String::new()),
            &options.format,
        );
        let definitions = facts.outline.as_ref().map_or(&[][..], |it| &it.definitions[..]);
        let entries = listed.entries.iter().enumerate().map(|(number, entry)| {
            let cost = options.counter.count(&entry.text).get() as f64 + MARK;
            let weight = definitions.get(number).map_or(1.0, |definition| {
                let place = if entry.depth == 0 { 1.0 } else { MEMBER };
                place * weight(definition, definitions)
            });
            (number, cost, weight)
        });
        let gutter = if options.line_numbers { 3.0 } else { 0.0 };
        let tokens = facts.tokens.get() as f64 + gutter * f64::from(facts.lines);
        Maker {
            file,
            worth: candidate.worth.max(1e-6) * wanted,
            tokens,
            per_line: tokens / f64::from(facts.lines),
            heading: options.counter.count(&frame).get() as f64,
            entries: entries.collect(),
        }
    }

    /// Makes a piece of each signature and of each unit, the best signature first.
    fn make(&self, entries: &[(usize, f64, f64)], units: &[Unit], longest: u32) -> Vec<Piece> {
        let mut entries = entries.to_vec();
        entries.sort_by(|left, right| (right.2 / right.1).total_cmp(&(left.2 / left.1)));
        let total: f64 = entries.iter().map(|(.., weight)| weight).sum();
        let mut pieces: Vec<Piece> = Vec::new();
        let mut limit = f64::MAX;
        for (number, cost, weight) in entries {
            let is_first = pieces.is_empty();
            let gain = self.worth * (weight / total + opening(is_first));
            let cost = cost + if is_first { self.heading } else { 0.0 };
            limit = limit.min(gain / cost);
            pieces.push(self.piece(What::Entry(number), limit, cost, &pieces));
        }
        let total: f64 = units.iter().map(|unit| unit.weight).sum();
        let limit = pieces.first().map_or(f64::MAX, |piece| piece.rate);
        for unit in units {
            let cost = self.per_line * f64::from(unit.last + 1 - unit.first) + MARK;
            let is_first = pieces.is_empty();
            let gain = self.worth * (BODY * unit.weight / total + opening(is_first));
            let cost_at = if is_first { cost + self.heading } else { cost };
            let rate = limit.min(gain / cost_at);
            self.split(unit, rate, longest, &mut pieces);
        }
        pieces
    }

    /// Adds the pieces of a unit; each waits for the one before it.
    fn split(&self, unit: &Unit, rate: f64, longest: u32, pieces: &mut Vec<Piece>) {
        let lines = unit.last + 1 - unit.first;
        let count = lines.div_ceil(longest).max(1);
        for part in 0..count {
            let at = |part: u32| {
                let offset = u64::from(lines) * u64::from(part) / u64::from(count);
                unit.first + offset as u32
            };
            let (first, last) = (at(part), at(part + 1) - 1);
            let heading = if pieces.is_empty() { self.heading } else { MARK };
            let cost = self.per_line * f64::from(last + 1 - first) + heading;
            let mut piece = self.piece(What::Lines(first, last), rate, cost, pieces);
            if part > 0 {
                piece.after = Some(pieces.len() - 1);
            }
            pieces.push(piece);
        }
    }

    fn piece(&self, what: What, rate: f64, cost: f64, before: &[Piece]) -> Piece {
        let cost = Tokens::new(cost.ceil() as u64);
        Piece { file: self.file, what, rate, cost, after: (!before.is_empty()).then_some(0) }
    }
}

/// What the first piece of a file is worth beyond what it shows.
fn opening(is_first: bool) -> f64 {
    if is_first { OPENING } else { 0.0 }
}

/// Lines that belong together: a definition with what leads to it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Unit {
    first: u32,
    last: u32,
    weight: f64,
}

/// Cuts a text without definitions into parts, each worth less than the one before.
fn parts(lines: u32, longest: u32) -> Vec<Unit> {
    let starts = (1..=lines).step_by(longest as usize).enumerate();
    let part = |(number, first): (usize, u32)| Unit {
        first,
        last: (first + longest - 1).min(lines),
        weight: 1.0 / (number + 1) as f64,
    };
    starts.map(part).collect()
}

/// Cuts a file at its functions and its types without functions. What stands between
/// two of them, such as the head of a class, goes with the next.
fn units(definitions: &[Definition], lines: u32) -> Vec<Unit> {
    let mut holds_functions = vec![false; definitions.len()];
    for definition in definitions.iter().filter(|it| it.kind.is_function()) {
        let mut parent = definition.parent;
        while let Some(at) = parent.filter(|at| *at < definitions.len()) {
            holds_functions[at] = true;
            parent = definitions[at].parent;
        }
    }
    let mut units: Vec<Unit> = Vec::new();
    let mut next = 1;
    let mut was_value = false;
    for (number, definition) in definitions.iter().enumerate() {
        let is_value = definition.kind.is_value();
        let is_inside = definition.parent.is_some_and(|at| !holds_functions[at]);
        let is_unit = definition.kind.is_function()
            || (!holds_functions[number]
                && !is_inside
                && (!is_value || definition.parent.is_none()));
        let last = definition.last_line.min(lines);
        if !is_unit || last < next {
            continue;
        }
        let weight = weight(definition, definitions);
        if is_value
            && was_value
            && let Some(before) = units.last_mut()
        {
            (before.last, before.weight) = (last, before.weight + weight);
        } else {
            // Imports and what a file says of itself stand by themselves.
            if units.is_empty() && definition.lead_line > next + 4 {
                let last = definition.lead_line - 1;
                units.push(Unit { first: 1, last, weight: length(last) / 2.0 });
                next = last + 1;
            }
            units.push(Unit { first: next, last, weight });
        }
        next = last + 1;
        was_value = is_value;
    }
    if next <= lines {
        match units.last_mut() {
            Some(before) if lines - next < 8 => before.last = lines,
            _ => units.push(Unit {
                first: next,
                last: lines,
                weight: length(lines + 1 - next) / 2.0,
            }),
        }
    }
    units
}

/// What a definition is worth, next to the others of its file.
fn weight(definition: &Definition, all: &[Definition]) -> f64 {
    let lines = definition.last_line.saturating_sub(definition.first_line) + 1;
    let above = |it: &&Definition| it.parent.and_then(|at| all.get(at));
    let is_test = std::iter::successors(Some(definition), above).any(|it| {
        it.kind == DefinitionKind::Module && matches!(it.name.as_str(), "tests" | "test")
    });
    length(lines) * if is_test { TEST } else { 1.0 }
}

fn length(lines: u32) -> f64 {
    f64::from(lines).powf(LENGTH)
}
