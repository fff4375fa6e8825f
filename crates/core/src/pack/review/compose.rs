//! The pieces of a review, what each costs, and how a choice of them is written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::related::{Related, around, openers};
use crate::fit::{Chosen, Compose, Item};
use crate::pack::changes::{ChangeSet, ChangedFile};
use crate::pack::page::{Counted, Page};
use crate::pack::render::{Block, Part, Tier, excerpt};
use crate::pack::{PackError, PackOptions};
use crate::syntax::outline;
use crate::text::lines::merged;
use crate::tokens::Tokens;

/// What comes first: pinned files, the diff, changed definitions, what depends on them,
/// the rest of changed files, patches of what nobody wrote.
const PINNED: f64 = 9_000.0;
const DIFF: f64 = 8_000.0;
const CHANGED: f64 = 7_000.0;
const RELATED: f64 = 3_000.0;
const WHOLE: f64 = 1_000.0;
const UNWRITTEN: f64 = 500.0;

/// Pieces from this score on are all shown in little before any is shown in full.
pub(super) const FLOOR: f64 = CHANGED;

/// Lines shown on either side of a changed one.
const AROUND: u32 = 3;
/// What the head of a block and its gap marks cost, about.
const FRAME: u64 = 30;

/// The order of pieces of one score: by path, then by place.
pub(super) type Key = (String, usize);

/// Something to show.
pub(super) enum Piece<'a> {
    /// A pinned file, and what it costs.
    Pinned { file: &'a Related, tokens: Tokens },
    /// A part of the diff; none is the header of a patch without hunks.
    Hunk { file: usize, hunk: Option<usize> },
    /// What changed in a file: its definitions, or else the lines.
    Changed { file: usize, ranges: [Vec<(u32, u32)>; 2] },
    /// All of a changed file.
    Whole { file: usize },
    /// A place that depends on what changed.
    Place { file: &'a Related, place: usize },
}

/// A choice as it is written.
pub(super) struct Shown {
    pub(super) counted: Counted,
    /// In the order of the text.
    pub(super) blocks: Vec<Block>,
}

/// Prices and writes pieces of a review.
pub(super) struct Composer<'a> {
    page: Page<'a>,
    options: &'a PackOptions,
    changed: &'a ChangeSet,
    related: &'a [Related],
    pub(super) pieces: Vec<Piece<'a>>,
}

impl<'a> Composer<'a> {
    pub(super) fn new(
        page: Page<'a>,
        changed: &'a ChangeSet,
        related: &'a [Related],
        options: &'a PackOptions,
    ) -> Composer<'a> {
        let mut composer = Composer { page, options, changed, related, pieces: Vec::new() };
        composer.pieces = composer.all_pieces();
        composer
    }

    fn all_pieces(&mut self) -> Vec<Piece<'a>> {
        let mut pieces = Vec::new();
        for (file, changed) in self.changed.files.iter().enumerate() {
            if let Some(patch) = changed.patch.as_ref().filter(|_| self.options.diff) {
                let hunks = (0..patch.hunks.len()).map(Some);
                let bare = (patch.hunks.is_empty() && !patch.is_binary()).then_some(None);
                pieces.extend(hunks.chain(bare).map(|hunk| Piece::Hunk { file, hunk }));
            }
            let Ok(text) = &changed.text else {
                continue;
            };
            let touched = changed.touched();
            if !touched.is_empty() {
                let ranges = [definitions(changed, text, &touched), near(text, &touched)];
                pieces.push(Piece::Changed { file, ranges });
            }
            if !text.is_empty() && !self.options.compress {
                pieces.push(Piece::Whole { file });
            }
        }
        for file in self.related {
            if file.is_pinned {
                let text = self.page.text(&file.path, &file.stamp);
                let tokens = text.map_or(Tokens::ZERO, |text| self.price(&text));
                pieces.push(Piece::Pinned { file, tokens });
            } else {
                let places = 0..file.places.len();
                pieces.extend(places.map(|place| Piece::Place { file, place }));
            }
        }
        pieces
    }

    fn price(&self, text: &str) -> Tokens {
        self.options.counter.count(text).saturating_add(Tokens::new(FRAME))
    }

    /// The items of the pieces, in their order.
    pub(super) fn items(&mut self) -> Vec<Item<Key>> {
        let pieces = std::mem::take(&mut self.pieces);
        let items = pieces.iter().enumerate().map(|(number, piece)| self.item(number, piece));
        let items = items.collect();
        self.pieces = pieces;
        items
    }

    fn item(&mut self, number: usize, piece: &Piece<'_>) -> Item<Key> {
        let files = &self.changed.files;
        let key = |path: &str| (path.to_owned(), number);
        match piece {
            Piece::Pinned { file, tokens } => {
                Item::new(key(&file.path), PINNED).rendition("full", *tokens)
            }
            Piece::Hunk { file, hunk } => {
                let file = &files[*file];
                let score = if file.is_written { DIFF } else { UNWRITTEN };
                let text = hunk.map_or(String::new(), |hunk| file.hunks()[hunk].text());
                Item::new(key(&file.path), score).rendition("diff", self.price(&text))
            }
            Piece::Changed { file, ranges } => {
                let file = &files[*file];
                let text = file.text.as_deref().unwrap_or_default();
                let [whole, lines] = ranges.each_ref().map(|ranges| {
                    self.price(&excerpt(text, ranges, file.language, self.options.line_numbers))
                });
                let item = Item::new(key(&file.path), CHANGED);
                item.rendition("definitions", whole).rendition("lines", lines)
            }
            Piece::Whole { file } => {
                let file = &files[*file];
                let tokens = self.price(file.text.as_deref().unwrap_or_default());
                // Small files first: more of them are seen whole.
                let score = WHOLE - (tokens.get() as f64).log2();
                Item::new(key(&file.path), score).rendition("full", tokens)
            }
            Piece::Place { file, place } => {
                let (ranges, worth) = &file.places[*place];
                let text = self.page.text(&file.path, &file.stamp).unwrap_or_default();
                let text = excerpt(&text, ranges, file.language, self.options.line_numbers);
                let score = RELATED + 1_000.0 * worth;
                Item::new(key(&file.path), score).rendition("place", self.price(&text))
            }
        }
    }

    /// What is chosen of each file, changed ones before the others.
    fn blocks(&mut self, chosen: Chosen<'_>) -> Vec<Block> {
        let mut changed: BTreeMap<usize, Option<&[(u32, u32)]>> = BTreeMap::new();
        let mut places: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
        let mut pinned: BTreeSet<&str> = BTreeSet::new();
        for (number, rendition) in chosen.iter() {
            match &self.pieces[number] {
                Piece::Whole { file } => drop(changed.insert(*file, None)),
                Piece::Changed { file, ranges } => {
                    changed.entry(*file).or_insert(Some(&ranges[rendition]));
                }
                Piece::Pinned { file, .. } => drop(pinned.insert(&file.path)),
                Piece::Place { file, place } => {
                    places.entry(&file.path).or_default().extend(&file.places[*place].0);
                }
                Piece::Hunk { .. } => {}
            }
        }
        let changed = changed.into_iter().filter_map(|(file, ranges)| {
            let file = &self.changed.files[file];
            Some(self.block(&file.path, file.language, file.text.as_ref().ok()?, ranges))
        });
        let mut blocks: Vec<Block> = changed.collect();
        for file in self.related {
            let is_pinned = pinned.contains(file.path.as_str());
            let ranges = places.remove(file.path.as_str()).map(merged);
            if !is_pinned && ranges.is_none() {
                continue;
            }
            let Some(text) = self.page.text(&file.path, &file.stamp) else {
                continue;
            };
            let ranges = ranges.filter(|_| !is_pinned);
            let block = self.block(&file.path, file.language, &text, ranges.as_deref());
            let at = if is_pinned { 0 } else { blocks.len() };
            blocks.insert(at, block);
        }
        blocks
    }

    /// Lines of a file, or all of it.
    fn block(
        &self,
        path: &str,
        language: Option<&'static str>,
        text: &Arc<str>,
        ranges: Option<&[(u32, u32)]>,
    ) -> Block {
        let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        let all = vec![(1, lines.max(1))];
        let ranges = ranges.map_or_else(|| all.clone(), <[_]>::to_vec);
        let tier = if ranges == all { Tier::Full } else { Tier::Sections };
        let body = excerpt(text, &ranges, language, self.options.line_numbers);
        Block { lines, ranges, ..Block::new(path, language, tier, body) }
    }

    /// The chosen hunks as one diff, which can be applied as it is.
    fn diff(&self, chosen: Chosen<'_>) -> Option<Part> {
        let mut text = String::new();
        let mut last = None;
        for (number, _) in chosen.iter() {
            let Piece::Hunk { file, hunk } = self.pieces[number] else {
                continue;
            };
            let patch = self.changed.files[file].patch.as_ref()?;
            if last.replace(file) != Some(file) {
                text.push_str(&patch.header);
            }
            text.push_str(&hunk.map_or(String::new(), |hunk| patch.hunks[hunk].text()));
        }
        (!text.is_empty()).then(|| Part::diff(self.changed.since.clone(), text))
    }
}

impl Compose for Composer<'_> {
    type Written = Shown;
    type Error = PackError;

    fn write(&mut self, chosen: Chosen<'_>) -> Result<Shown, PackError> {
        let blocks = self.blocks(chosen);
        let diff = self.diff(chosen);
        let before = &mut self.page.document.before;
        before.retain(|part| part.name != "changes");
        before.extend(diff);
        let shown: Vec<&Block> = blocks.iter().collect();
        Ok(Shown { counted: self.page.write(&shown)?, blocks })
    }

    fn tokens(&self, shown: &Shown) -> Tokens {
        shown.counted.tokens
    }
}

/// The definitions around changed lines, whole, with what opens the blocks they are in.
fn definitions(file: &ChangedFile, text: &str, touched: &[u32]) -> Vec<(u32, u32)> {
    let outline = file.language.and_then(|language| outline(language, text).ok());
    let mut ranges = near(text, touched);
    let Some(outline) = outline else {
        return ranges;
    };
    let numbers: BTreeSet<usize> =
        touched.iter().filter_map(|line| around(&outline, *line)).collect();
    for number in numbers {
        let it = &outline.definitions[number];
        if !it.kind.is_listed() {
            ranges.push((it.lead_line, it.last_line));
            ranges.extend(openers(&outline, number));
        }
    }
    merged(ranges)
}

/// Changed lines with a few around them.
fn near(text: &str, touched: &[u32]) -> Vec<(u32, u32)> {
    let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX).max(1);
    let near = touched.iter().map(|line| {
        (line.saturating_sub(AROUND).max(1).min(lines), line.saturating_add(AROUND).min(lines))
    });
    merged(near.collect())
}
