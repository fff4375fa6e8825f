//! Chooses what a model sees of a repository when no task is known.
//!
//! Door first: README and manifests. Then breadth and depth by worth per token: the
//! signatures of a file cost little and come early, its definitions as a whole come
//! later, and those of the files that matter most come before the signatures of those
//! that matter least. The order of all pieces does not depend on the budget, which only
//! says how many of them are shown, so that a larger one never shows less of a file.

mod pieces;
mod write;

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;

use super::candidate::Candidate;
use super::choice::{Draft, Shown};
use super::listed::{Listed, listed};
use super::survey::shown_paths;
use super::worth::Worth;
use super::{PackError, Reason, Tier};
use crate::budget::Allocation;
use crate::fit::{Chosen, Compose, Item, Offer, Place, Policy, fit};
use crate::repo::{FoundFile, door_rank};
use crate::tokens::Tokens;
use pieces::{Piece, What, door_pieces, pieces};
use write::block;

/// The part of the budget that the door may take: one in so many.
const DOOR: u64 = 10;
/// README and so many manifests less one.
const DOORS: usize = 3;
/// What a file takes of the budget on average, at least; fewer tokens say little.
const TAKEN: u64 = 60;
/// How many pieces that do not fit are passed over. All are small, so that this only
/// fills the last percent.
const PASSED_OVER: usize = 64;

/// Finds README and the manifests of the root, in the order in which they are shown.
pub(super) fn door(candidates: &[Candidate]) -> Vec<usize> {
    let ranked = candidates.iter().enumerate();
    let ranked = ranked.filter_map(|(number, it)| Some((door_rank(&it.path)?, number)));
    let mut ranked: Vec<(usize, usize)> = ranked.collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, number)| number).collect()
}

/// Says which files are worth parsing: those whose signatures may be shown.
///
/// Nothing was read so far, so what a file may take of the budget is a guess.
pub(super) fn worth_parsing(
    files: &[FoundFile],
    worths: &HashMap<String, Worth>,
    budget: Tokens,
) -> HashSet<String> {
    let mut order: Vec<(&Worth, String)> = shown_paths(files)
        .into_iter()
        .filter_map(|path| Some((worths.get(&path)?, path)))
        .collect();
    order.sort_by(|(left, left_path), (right, right_path)| {
        let is_wanted = |worth: &Worth| worth.pinned || worth.changed;
        let wanted = is_wanted(right).cmp(&is_wanted(left));
        wanted.then(right.value.total_cmp(&left.value)).then(left_path.cmp(right_path))
    });
    let most = usize::try_from(budget.get() / TAKEN).unwrap_or(usize::MAX);
    order.into_iter().take(most.max(1)).map(|(_, path)| path).collect()
}

/// Chooses pieces of files until the budget is used.
pub(super) fn choose(draft: &mut Draft<'_>, budget: Tokens) -> Result<Shown, PackError> {
    let (candidates, options) = (draft.candidates, draft.options);
    let listed: Vec<Listed> = candidates.par_iter().map(listed).collect();
    let all = candidates.par_iter().zip(&listed).enumerate();
    let mut all: Vec<Vec<Piece>> =
        all.map(|(at, (it, listed))| pieces(at, it, listed, options)).collect();
    draft.door.truncate(DOORS);
    for &at in &draft.door {
        let candidate = &candidates[at];
        let text = draft.page.text(&candidate.path, &candidate.stamp).unwrap_or_default();
        all[at] = door_pieces(at, candidate, &text, options);
    }
    let mut pieces: Vec<Piece> = Vec::new();
    for of_file in all {
        let before = pieces.len();
        let of_file = of_file.into_iter();
        pieces.extend(of_file.map(|it| Piece { after: it.after.map(|at| at + before), ..it }));
    }
    let of_pins = pieces.iter().filter(|it| candidates[it.file].pinned);
    let below = of_pins.map(|it| it.rate).fold(f64::MAX, f64::min);
    let door: Vec<usize> =
        draft.door.iter().copied().filter(|&it| !candidates[it].pinned).collect();
    open_door(&mut pieces, &door, budget, below);
    let items = pieces
        .iter()
        .enumerate()
        .map(|(number, piece)| Item::new(number, piece.rate).rendition("piece", piece.cost));
    let (items, taken) = (items.collect(), vec![false; pieces.len()]);
    let policy = Policy { max_misses: Some(PASSED_OVER), ..Policy::default() };
    let mut composer = Composer { draft, listed, pieces, taken };
    let fitted = fit(items, &Allocation::of(budget), &policy, &mut composer)?;
    let mut shown = fitted.written;
    for (number, candidate) in candidates.iter().enumerate() {
        let is_full = shown.blocks.get(&number).is_some_and(|block| block.tier == Tier::Full);
        let reason = match &candidate.copy_of {
            Some(of) => Reason::Duplicate { of: of.clone() },
            None if is_full => continue,
            None => Reason::OverBudget,
        };
        shown.reasons.insert(number, reason);
    }
    Ok(shown)
}

/// Puts the first lines of README and of each manifest before everything else but what is
/// pinned, as far as their part of the budget goes.
fn open_door(pieces: &mut [Piece], door: &[usize], budget: Tokens, below: f64) {
    let mut room = budget.get() / DOOR;
    let mut rate = below;
    // README may take half of it, so that a manifest has its place.
    for (at, &file) in door.iter().enumerate() {
        let mut left = (budget.get() / DOOR / if at == 0 { 2 } else { 3 }).min(room);
        let lines = pieces.iter_mut().filter(|it| it.file == file);
        for piece in lines.filter(|it| matches!(it.what, What::Lines(..))) {
            let cost = piece.cost.get();
            if cost > left && !(rate == below && cost < room) {
                break;
            }
            (left, room) = (left.saturating_sub(cost), room.saturating_sub(cost));
            rate = rate.next_down();
            (piece.rate, piece.after) = (rate, None);
        }
    }
}

/// Prices and writes a choice of pieces.
struct Composer<'a, 'b> {
    draft: &'b mut Draft<'a>,
    listed: Vec<Listed>,
    pieces: Vec<Piece>,
    taken: Vec<bool>,
}

impl Compose for Composer<'_, '_> {
    type Written = Shown;
    type Error = PackError;

    fn cost(&mut self, place: Place, plain: Offer) -> Option<Tokens> {
        let after = self.pieces[place.item].after;
        after.is_none_or(|after| self.taken[after]).then_some(plain.cost)
    }

    fn take(&mut self, place: Place, _: &mut Vec<usize>) {
        self.taken[place.item] = true;
    }

    fn give_back(&mut self, place: Place) {
        self.taken[place.item] = false;
    }

    fn write(&mut self, chosen: Chosen<'_>) -> Result<Shown, PackError> {
        let mut by_file: BTreeMap<usize, Vec<What>> = BTreeMap::new();
        for (number, _) in chosen.iter() {
            let Piece { file, what, .. } = self.pieces[number];
            by_file.entry(file).or_default().push(what);
        }
        let mut blocks = BTreeMap::new();
        for (file, chosen) in by_file {
            let candidate = &self.draft.candidates[file];
            let page = &mut self.draft.page;
            let text = || page.text(&candidate.path, &candidate.stamp);
            let block = block(candidate, &self.listed[file], &chosen, text, self.draft.options);
            blocks.extend(block.map(|block| (file, block)));
        }
        self.draft.write(blocks)
    }

    fn tokens(&self, shown: &Shown) -> Tokens {
        shown.counted.tokens
    }
}
