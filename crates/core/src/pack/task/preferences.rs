//! Applies what the caller prefers besides the task: pinned and boosted files, files
//! that changed or are open, and equal files shown once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use crate::Remark;
use crate::cache::ContentHash;
use crate::pack::ranking::task::{Lift, RankedFile, TaskWeights};
use crate::pack::{PackOptions, RepoError};
use crate::repo::display_path;
use crate::repo::{Changes, FileFacts, score_files};

/// What a file that changed or is open is lifted by, as a part of the best score.
const NEAR: f64 = 0.5;
/// Shorter files are often equal by chance.
const FEW_LINES: u32 = 3;

/// Which files the caller names.
#[derive(Debug, Default)]
pub(super) struct Preferences {
    pinned: BTreeSet<String>,
    /// Part of the best score, by path.
    boost: BTreeMap<String, f64>,
    changed: BTreeSet<String>,
    open: BTreeSet<String>,
}

impl Preferences {
    /// Gathers what was asked for.
    pub(super) fn of(
        root: &Path,
        ranked: &[RankedFile],
        options: &PackOptions,
        notes: &mut Vec<Remark>,
    ) -> Result<Preferences, RepoError> {
        let mut preferences = Preferences::default();
        preferences.named(ranked, options)?;
        if let Some(comparison) = options.changed.as_ref().filter(|_| root.is_dir()) {
            let changed = Changes::find(root, comparison)?;
            preferences.changed = changed.existing().map(display_path).collect();
            notes.extend(changed.notes);
        }
        preferences.opened(root, ranked, options, notes);
        Ok(preferences)
    }

    /// The files that globs of `pin` and `boost` name.
    fn named(&mut self, ranked: &[RankedFile], options: &PackOptions) -> Result<(), RepoError> {
        let score = &options.score;
        if score.pin.is_empty() && score.boost.is_empty() {
            return Ok(());
        }
        let facts: Vec<FileFacts> = ranked
            .iter()
            .map(|file| FileFacts { path: file.path.clone(), ..FileFacts::default() })
            .collect();
        for file in score_files(&facts, score)? {
            if file.signals.boost > 0 {
                let part = f64::from(file.signals.boost) / 100.0;
                self.boost.insert(file.path.clone(), part);
            }
            if file.pinned {
                self.pinned.insert(file.path);
            }
        }
        Ok(())
    }

    /// The files that are open; one that is not among the others costs a note.
    fn opened(
        &mut self,
        root: &Path,
        ranked: &[RankedFile],
        options: &PackOptions,
        notes: &mut Vec<Remark>,
    ) {
        if options.open.is_empty() {
            return;
        }
        let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let known: BTreeSet<&str> = ranked.iter().map(|file| file.path.as_str()).collect();
        for path in &options.open {
            let found = path.canonicalize().unwrap_or_else(|_| path.clone());
            let shown = display_path(found.strip_prefix(&real).unwrap_or(&found));
            if known.contains(shown.as_str()) {
                self.open.insert(shown);
            } else {
                let note = "open, but not among the texts that are packed";
                notes.push(Remark::new(display_path(path), note));
            }
        }
    }

    /// Changes the scores of files accordingly; without preferences nothing changes.
    pub(super) fn apply(&self, ranked: &mut [RankedFile], weights: &TaskWeights) {
        let best = ranked.iter().map(|file| file.score).fold(0.0, f64::max);
        // Where no file says anything, what is near still comes first.
        let best = if best > 0.0 { best } else { 1.0 };
        let learned = ranked.iter().flat_map(|file| &file.passages);
        let learned = learned.filter(|it| it.judged.is_some()).map(|it| it.score);
        let best_passage = learned.reduce(f64::max).unwrap_or(best);
        let near =
            |files: &BTreeSet<String>, path: &str| if files.contains(path) { NEAR } else { 0.0 };
        for file in ranked {
            file.pinned = self.pinned.contains(&file.path);
            let lift = Lift {
                boost: self.boost.get(&file.path).copied().unwrap_or_default(),
                changed: near(&self.changed, &file.path),
                open: near(&self.open, &file.path),
                best,
            };
            if lift.score() > 0.0 {
                file.lift(lift, best_passage, weights);
            }
        }
    }
}

/// Files whose content stands under a better path.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// The path that is shown instead, by the number of the file.
    pub(super) of: HashMap<usize, String>,
    /// The paths that are not shown, by the number of the one that is.
    pub(super) others: HashMap<usize, Vec<String>>,
}

impl Copies {
    /// Finds files with equal contents; all but the best lose their passages.
    pub(super) fn part(ranked: &mut [RankedFile]) -> Copies {
        let mut order: Vec<usize> = (0..ranked.len()).collect();
        order.sort_by(|left, right| {
            let (one, other) = (&ranked[*left], &ranked[*right]);
            Reverse(one.pinned)
                .cmp(&Reverse(other.pinned))
                .then(other.score.total_cmp(&one.score))
                .then(left.cmp(right))
        });
        let mut first: HashMap<ContentHash, usize> = HashMap::new();
        let mut copies = Copies::default();
        for number in order {
            let file = &ranked[number];
            let Some(hash) = file.hash.filter(|_| file.last_line() >= FEW_LINES) else {
                continue;
            };
            match first.get(&hash) {
                Some(&other) => {
                    let others = copies.others.entry(other).or_default();
                    others.push(file.path.clone());
                    copies.of.insert(number, ranked[other].path.clone());
                    ranked[number].passages.clear();
                }
                None => {
                    first.insert(hash, number);
                }
            }
        }
        copies.others.values_mut().for_each(|paths| paths.sort());
        copies
    }
}
