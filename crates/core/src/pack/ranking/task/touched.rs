//! Describes passages by what commits like the task touched.

use std::collections::{BTreeMap, HashMap};

use super::body::ratio;
use super::features::{At, Formula, places};

/// How many numbers describe a passage.
pub(super) const NUMBERS: usize = 9;
/// Lines of a commit that count at most for what is near them.
const MOST_NEAR: f64 = 3.0;
/// The place of what was not touched: later than all.
const LAST: f64 = 8.0;

/// What commits did to the passages of all files.
pub(super) struct Touched {
    passages: HashMap<At, Passage>,
    places: HashMap<At, usize>,
    /// The most that a passage of each file, and of all, was worked on.
    files: HashMap<usize, f64>,
    most: f64,
    covered: f64,
}

/// What commits did to a passage.
#[derive(Clone, Copy, Debug, Default)]
struct Passage {
    /// Of the commit that is most like the task.
    likeness: f64,
    covered: f64,
    /// The lines that commits touched, by how much each commit is like the task.
    worked: f64,
    commits: u32,
}

impl Touched {
    /// `judged` are the passages that will be described.
    pub(super) fn of(formula: &Formula<'_>, judged: &[At]) -> Touched {
        let past = formula.past;
        let mut lines: BTreeMap<(At, usize), f64> = BTreeMap::new();
        for (file, touches) in &past.touches {
            let spans = &formula.files[*file].probe.spans;
            for touch in touches {
                let passage = spans.partition_point(|span| span.last < touch.line);
                if passage < spans.len() {
                    *lines.entry(((*file, passage), touch.commit)).or_default() += touch.part;
                }
            }
        }
        let mut passages: HashMap<At, Passage> = HashMap::new();
        let mut files: HashMap<usize, f64> = HashMap::new();
        for ((at, commit), lines) in lines {
            let commit = past.commits[commit];
            let passage = passages.entry(at).or_default();
            if lines > 0.99 {
                passage.likeness = passage.likeness.max(commit.likeness);
                passage.covered = passage.covered.max(commit.covered);
                passage.commits += 1;
            }
            let all = f64::from(commit.lines.max(1)).sqrt();
            passage.worked += commit.likeness.powi(3) * lines.min(MOST_NEAR) / all;
            let best = files.entry(at.0).or_default();
            *best = best.max(passage.worked);
        }
        let worked = |at: &At| passages.get(at).map_or(0.0, |passage| passage.worked);
        Touched {
            places: judged.iter().copied().zip(places(judged.iter().map(worked))).collect(),
            most: files.values().copied().fold(0.0, f64::max),
            covered: past.commits.iter().map(|commit| commit.covered).fold(0.0, f64::max),
            passages,
            files,
        }
    }

    pub(super) fn numbers(&self, at: At) -> [f64; NUMBERS] {
        let (file, number) = at;
        let passage = self.passages.get(&at).copied().unwrap_or_default();
        let worked = |number: usize| self.passages.get(&(file, number)).map_or(0.0, |it| it.worked);
        let before = number.checked_sub(1).map_or(0.0, worked);
        let is_touched = passage.worked > 0.0;
        let place = self.places.get(&at).filter(|_| is_touched);
        let best = self.files.get(&file).copied().unwrap_or(0.0);
        [
            passage.likeness,
            passage.covered,
            ratio(passage.worked, self.most),
            ratio(before.max(worked(number + 1)), self.most),
            place.map_or(LAST, |place| (*place as f64).ln_1p()),
            ratio(passage.worked, best),
            ratio(best, self.most),
            f64::from(passage.commits).ln_1p(),
            self.covered,
        ]
    }
}
