//! Packs what changed, for a review.
//!
//! First the list of changes and, where it was asked for, the diff; then the
//! definitions that changed, whole; then the definitions elsewhere that use them, tests
//! among these; at last the rest of the changed files. Everything competes in one
//! [`fit`](crate::fit::fit), in that order.

mod compose;
mod related;

use std::collections::BTreeMap;
use std::path::Path;

use super::changes::{ChangeSet, ChangedFile, gather};
use super::page::{Page, cost_of};
use super::ranking::Contribution;
use super::render::{Document, Part, Tier};
use super::{OmittedFile, PackError, PackOptions, Packed, PackedFile, Reason, Stage, name_of};
use crate::Remark;
use crate::budget::Allocation;
use crate::cache::Cache;
use crate::fit::{FitError, Policy, Selection, fit, fit_prefix};
use crate::repo::{ChangeStatus, Comparison};
use crate::tokens::Tokens;
use compose::{Composer, Key, Piece, Shown};
use related::Related;

/// The part of the budget that the list of changes may take, in percent.
const LIST_PERCENT: u64 = 25;

/// Packs what differs from an earlier state, with what depends on it.
pub(super) fn review(
    root: &Path,
    comparison: &Comparison,
    options: &PackOptions,
    store: &Cache,
) -> Result<Packed, PackError> {
    let mut changed = gather(root, comparison, options)?;
    let mut notes = std::mem::take(&mut changed.notes);
    options.check_cancelled()?;
    let related = related::find(root, &changed.files, options, store, &mut notes)?;
    options.report(Stage::Choose, 0, changed.files.len() + related.len());
    let page = Page::new(document(root, &changed, options), options);
    let mut composer = Composer::new(page, &changed, &related, options);
    let budget = Allocation::of(options.budget.unwrap_or(Tokens::MAX));
    let policy = Policy { floor_score: Some(compose::FLOOR), ..Policy::default() };
    let fitted = match fit(composer.items(), &budget, &policy, &mut composer) {
        Ok(fitted) => fitted,
        Err(PackError::Fit(FitError::FrameOverBudget { needed, .. })) => {
            return Ok(too_small(needed, options, notes));
        }
        Err(error) => return Err(error),
    };
    notes.extend(shortened(&composer.pieces, &changed, &fitted.selection));
    let shown = fitted.written;
    Ok(account(shown, &changed, &related, notes, options))
}

/// The head of a review: how much changed since when, and the list of it.
fn document(root: &Path, changed: &ChangeSet, options: &PackOptions) -> Document {
    let sizes = changed.files.iter().filter_map(|file| Some(file.patch.as_ref()?.sizes()));
    let (added, removed) = sizes.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    let files = match changed.files.len() {
        0 => "nothing".to_owned(),
        1 => format!("1 file, +{added} -{removed} lines"),
        count => format!("{count} files, +{added} -{removed} lines"),
    };
    let legend = format!(
        "Changes since {}: {files}. Changed definitions come first, then what uses them; gaps are marked.",
        changed.since
    );
    Document {
        name: name_of(root),
        legend: vec![legend],
        before: Part::tree(list(changed, options)).into_iter().collect(),
        ..Document::default()
    }
}

/// The files that changed, as many as a share of the budget allows.
fn list(changed: &ChangeSet, options: &PackOptions) -> String {
    let lines: Vec<String> = changed.files.iter().map(ChangedFile::line).collect();
    let most = options.budget.unwrap_or(Tokens::MAX).get() / 100 * LIST_PERCENT;
    let listed = fit_prefix(lines.len(), Tokens::new(most), &options.counter, |count| {
        let more = match lines.len() - count {
            0 => String::new(),
            1 => "... and 1 more file\n".to_owned(),
            more => format!("... and {more} more files\n"),
        };
        lines[..count].concat() + &more
    });
    listed.map(|listed| listed.text).unwrap_or_default()
}

/// Not even the list of changes fits.
fn too_small(needed: Tokens, options: &PackOptions, mut notes: Vec<Remark>) -> Packed {
    let budget = options.budget.unwrap_or(Tokens::MAX);
    let message = format!("nothing fits {budget} tokens: the list of changes needs {needed}");
    notes.push(Remark::new("budget", message));
    Packed {
        content: String::new(),
        tokens: Tokens::ZERO,
        files: Vec::new(),
        omitted: Vec::new(),
        notes,
    }
}

/// Says what of the changes themselves did not fit.
fn shortened(pieces: &[Piece<'_>], changed: &ChangeSet, selection: &Selection<Key>) -> Vec<Remark> {
    let fates = selection.fates().iter();
    let (mut hunks, mut all) = (0, 0);
    let mut notes = Vec::new();
    for (piece, fate) in pieces.iter().zip(fates) {
        let rendition = fate.rendition();
        match piece {
            Piece::Hunk { .. } => {
                all += 1;
                hunks += usize::from(rendition.is_none());
            }
            Piece::Changed { file, .. } if rendition != Some(0) => {
                let words = match rendition {
                    Some(_) => "only the changed lines fit, not their whole definitions",
                    None => "changed, but nothing of it fits",
                };
                notes.push(Remark::new(changed.files[*file].path.clone(), words));
            }
            Piece::Pinned { file, tokens } if rendition.is_none() => {
                let words = format!("pinned, but not packed: it needs {tokens} tokens");
                notes.push(Remark::new(file.path.clone(), words));
            }
            _ => {}
        }
    }
    if hunks > 0 {
        notes.push(Remark::new("diff", format!("{hunks} of {all} hunks do not fit")));
    }
    notes
}

/// Accounts for every file that changed or depends on one that did.
fn account(
    shown: Shown,
    changed: &ChangeSet,
    related: &[Related],
    notes: Vec<Remark>,
    options: &PackOptions,
) -> Packed {
    let mut costs = shown.counted.costs.into_iter();
    let status: BTreeMap<&str, ChangeStatus> =
        changed.files.iter().map(|file| (file.path.as_str(), file.status)).collect();
    let files: Vec<PackedFile> = shown
        .blocks
        .into_iter()
        .map(|block| {
            let change = status.get(block.path.as_str()).copied();
            let worth = related.iter().find(|it| it.path == block.path).map_or(1.0, |it| it.worth);
            let score =
                if change.is_some() { 100 } else { (100.0 * worth).clamp(1.0, 99.0) as u32 };
            PackedFile {
                tokens: costs.next().unwrap_or_else(|| cost_of(&block, options)),
                tier: block.tier,
                score,
                task: None,
                parts: vec![Contribution::new("changed", f64::from(score), 1.0)],
                passages: Vec::new(),
                because: (block.tier != Tier::Full).then_some(Reason::ChosenLines),
                change,
                ranges: block.ranges,
                text: block.body,
                path: block.path,
            }
        })
        .collect();
    let is_shown = |path: &str| files.iter().any(|file| file.path == path);
    let gone = |path: &str, reason: Reason| OmittedFile {
        path: path.to_owned(),
        reason,
        score: None,
        tokens: None,
    };
    let left = changed.files.iter().map(|file| {
        let reason = file.text.as_ref().err().cloned();
        let is_empty = file.text.as_ref().is_ok_and(|text| text.is_empty());
        let empty = if is_empty { Reason::Empty } else { Reason::OverBudget };
        gone(&file.path, reason.unwrap_or(empty))
    });
    let left = left.chain(related.iter().map(|file| gone(&file.path, Reason::OverBudget)));
    let mut omitted: Vec<OmittedFile> = left.filter(|file| !is_shown(&file.path)).collect();
    omitted.sort_by(|left, right| left.path.cmp(&right.path));
    let (content, tokens) = (shown.counted.text, shown.counted.tokens);
    Packed { content, tokens, files, omitted, notes }
}
