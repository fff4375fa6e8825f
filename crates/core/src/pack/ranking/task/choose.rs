//! Picks lines for a budget: the best passages first, then a look at more files.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::TaskKind;
use super::score::RankedFile;
use super::weights::TaskWeights;
use crate::text::lines::merged;

/// The lines of one file that were picked.
#[derive(Clone, Debug, PartialEq)]
pub struct Pick {
    /// Which file, as an index into what was ranked.
    pub file: usize,
    /// First and last lines, ascending, apart from one another.
    pub ranges: Vec<(u32, u32)>,
}

/// Passages that did not fit before the search for smaller ones ends.
const MISSES: usize = 40;

/// Picks lines whose cost stays within a budget, the best file first.
///
/// Pinned files come before all others: whole, or their best passages where all
/// of them together are too large.
///
/// `cost` says what a file costs with these lines shown, with its frame.
pub fn choose(
    ranked: &[RankedFile],
    budget: u64,
    weights: &TaskWeights,
    mut cost: impl FnMut(usize, &[(u32, u32)]) -> u64,
) -> Vec<Pick> {
    let mut taken = Taken::new(ranked.len());
    require(ranked, budget, &mut taken, &mut cost);
    let most = (budget as f64 * (1.0 - weights.breadth)) as u64;
    fill(ranked, most, weights, &mut taken, &mut cost);
    spread(ranked, budget, weights, &mut taken, &mut cost);
    taken
        .order
        .into_iter()
        .map(|file| Pick {
            file,
            ranges: std::mem::take(&mut taken.ranges[file]),
        })
        .collect()
}

struct Taken {
    ranges: Vec<Vec<(u32, u32)>>,
    costs: Vec<u64>,
    lines: Vec<u32>,
    /// Files in the order in which they came in.
    order: Vec<usize>,
    spent: u64,
}

impl Taken {
    fn new(files: usize) -> Taken {
        Taken {
            ranges: vec![Vec::new(); files],
            costs: vec![0; files],
            lines: vec![0; files],
            order: Vec::new(),
            spent: 0,
        }
    }

    /// Takes lines if they fit.
    fn take(
        &mut self,
        file: usize,
        lines: (u32, u32),
        most: u64,
        cost: &mut impl FnMut(usize, &[(u32, u32)]) -> u64,
    ) -> bool {
        let ranges = joined(&self.ranges[file], lines);
        let new = cost(file, &ranges);
        let spent = self.spent - self.costs[file] + new;
        if spent > most {
            return false;
        }
        if self.ranges[file].is_empty() {
            self.order.push(file);
        }
        self.spent = spent;
        self.costs[file] = new;
        self.lines[file] += lines.1 + 1 - lines.0;
        self.ranges[file] = ranges;
        true
    }
}

/// Takes pinned files, the smallest first: each gets an equal part of what is left.
fn require(
    ranked: &[RankedFile],
    budget: u64,
    taken: &mut Taken,
    cost: &mut impl FnMut(usize, &[(u32, u32)]) -> u64,
) {
    let pinned = (0..ranked.len()).filter(|file| ranked[*file].pinned);
    let mut pinned: Vec<(u64, usize)> = pinned
        .filter(|file| ranked[*file].last_line() > 0)
        .map(|file| (cost(file, &[(1, ranked[file].last_line())]), file))
        .collect();
    pinned.sort_unstable();
    let count = pinned.len() as u64;
    for (number, (_, file)) in pinned.into_iter().enumerate() {
        let left = budget.saturating_sub(taken.spent);
        let most = taken.spent + left / (count - number as u64);
        if taken.take(file, (1, ranked[file].last_line()), most, cost) {
            continue;
        }
        for passage in &ranked[file].passages {
            taken.take(file, (passage.first, passage.last), most, cost);
        }
        // Where not even one passage fits, its beginning may.
        if let Some(best) = ranked[file]
            .passages
            .first()
            .filter(|_| taken.ranges[file].is_empty())
        {
            let ends = (best.first..best.last).rev();
            let mut cuts = ends.map(|last| (best.first, last));
            cuts.find(|lines| taken.take(file, *lines, most, cost));
        }
    }
}

/// Adds lines to ranges; what touches becomes one.
pub(crate) fn joined(ranges: &[(u32, u32)], lines: (u32, u32)) -> Vec<(u32, u32)> {
    merged([ranges, &[lines]].concat())
}

/// The next passage of a file, with its score by now.
struct Next {
    score: f64,
    file: usize,
    place: usize,
}

impl PartialEq for Next {
    fn eq(&self, other: &Next) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Next {}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Next) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Next {
    fn cmp(&self, other: &Next) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then(other.file.cmp(&self.file))
    }
}

/// Takes the best passages; one of a file that gave much already counts less.
fn fill(
    ranked: &[RankedFile],
    most: u64,
    weights: &TaskWeights,
    taken: &mut Taken,
    cost: &mut impl FnMut(usize, &[(u32, u32)]) -> u64,
) {
    let next = |file: usize, place: usize, lines: u32| {
        let passage = ranked[file].passages.get(place)?;
        let score = passage.score * weights.decay.powf(f64::from(lines) / 60.0);
        (score > 0.0).then_some(Next { score, file, place })
    };
    let mut heap: BinaryHeap<Next> = (0..ranked.len())
        .filter_map(|file| next(file, 0, 0))
        .collect();
    let mut misses = 0;
    while let Some(Next { file, place, .. }) = heap.pop() {
        let Some(passage) = ranked[file].passages.get(place) else {
            continue;
        };
        if !taken.take(file, (passage.first, passage.last), most, cost) {
            misses += 1;
            if misses > MISSES {
                return;
            }
        }
        heap.extend(next(file, place + 1, taken.lines[file]));
    }
}

/// Shows a few lines of source files that are not there yet.
fn spread(
    ranked: &[RankedFile],
    most: u64,
    weights: &TaskWeights,
    taken: &mut Taken,
    cost: &mut impl FnMut(usize, &[(u32, u32)]) -> u64,
) {
    let mut files: Vec<usize> = (0..ranked.len())
        .filter(|file| taken.ranges[*file].is_empty())
        .filter(|file| ranked[*file].kind == TaskKind::Source && ranked[*file].score > 0.0)
        .collect();
    files.sort_by(|left, right| {
        let score = ranked[*right].score.total_cmp(&ranked[*left].score);
        score.then(left.cmp(right))
    });
    let mut misses = 0;
    for file in files {
        let Some(passage) = ranked[file].passages.first() else {
            continue;
        };
        let last = passage
            .last
            .min(passage.first + weights.breadth_lines as u32 - 1);
        if !taken.take(file, (passage.first, last), most, cost) {
            misses += 1;
            if misses > MISSES {
                return;
            }
        }
    }
}
