//! Finds files with the same content, and files that are nearly the same.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use super::candidate::Candidate;
use super::render::{Block, Tier};
use super::{OmittedFile, Reason};
use crate::Remark;
use crate::cache::ContentHash;
use crate::repo::door_rank;

/// Shorter files are often equal by chance.
const FEW_LINES: u32 = 3;
/// Files with fewer lines are often nearly equal by chance.
const FEW_SHARED_LINES: usize = 10;
/// Line hashes that stand for a file when it is compared to others.
const SKETCH: usize = 32;
/// How much of two sketches must agree, in percent.
const NEARLY: usize = 85;
/// Files looked at for each shared hash: the lines of a licence are in all of them,
/// and comparing all with all takes minutes for a large repository.
const LOOKED_AT: usize = 16;
/// Pairs that are named; the others are counted.
const NAMED: usize = 20;

/// Marks files whose content stands under a better path already.
pub(super) fn find_copies(candidates: &mut [Candidate]) {
    let mut first: HashMap<ContentHash, usize> = HashMap::new();
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|number| {
        let candidate = &candidates[*number];
        // Of equals the last path, for `src/` comes behind `copy/`, `legacy/` and `old/`.
        (Reverse((candidate.pinned, candidate.score, *number)), *number)
    });
    for number in order {
        let candidate = &candidates[number];
        if candidate.facts.lines < FEW_LINES {
            continue;
        }
        match first.get(&candidate.facts.hash) {
            Some(&other) => {
                let copy = candidate.path.clone();
                candidates[number].copy_of = Some(candidates[other].path.clone());
                candidates[other].copies.push(copy);
            }
            None => {
                first.insert(candidate.facts.hash, number);
            }
        }
    }
    for candidate in candidates {
        candidate.copies.sort_unstable();
    }
}

/// Shows what README at the root links to under that name: no link is opened, but the file
/// it leads to is here, and readers look for README first.
pub(super) fn follow_readme(root: &Path, candidates: &mut [Candidate]) -> Option<OmittedFile> {
    if candidates.iter().any(|it| is_readme(&it.path)) {
        return None;
    }
    let names =
        fs::read_dir(root).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_readme(name)).collect();
    names.sort_unstable();
    names.into_iter().find_map(|name| {
        let target = root.join(fs::read_link(root.join(&name)).ok()?).canonicalize().ok()?;
        let is_it = |it: &&mut Candidate| it.stamp.path.canonicalize().is_ok_and(|it| it == target);
        let candidate = candidates.iter_mut().find(is_it)?;
        let path = std::mem::replace(&mut candidate.path, name.clone());
        candidate.copies.push(path.clone());
        Some(OmittedFile {
            path,
            reason: Reason::Duplicate { of: name },
            score: None,
            tokens: None,
        })
    })
}

fn is_readme(path: &str) -> bool {
    door_rank(path) == Some(0)
}

/// Notes files shown in full that share nearly all lines with one before them.
pub(super) fn near_copies<'a>(blocks: impl Iterator<Item = &'a Block>) -> Vec<Remark> {
    let mut sketches: Vec<(&str, Vec<u64>)> = Vec::new();
    let mut holders: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut notes = Vec::new();
    let mut more = 0_usize;
    for block in blocks.filter(|block| block.tier == Tier::Full) {
        let Some(sketch) = sketch(&block.body) else {
            continue;
        };
        // Only files that share their smallest hashes need a closer look.
        let lowest = sketch.iter().take(4);
        let near = lowest
            .flat_map(|hash| holders.get(hash).into_iter().flatten().take(LOOKED_AT))
            .find(|&&other| agree(&sketch, &sketches[other].1));
        match near {
            Some(&other) if notes.len() < NAMED => {
                let message = format!("nearly the same as {}", sketches[other].0);
                notes.push(Remark::new(block.path.clone(), message));
            }
            Some(_) => more += 1,
            None => {
                for hash in sketch.iter().take(4) {
                    holders.entry(*hash).or_default().push(sketches.len());
                }
                sketches.push((&block.path, sketch));
            }
        }
    }
    if more > 0 {
        let message = format!("{more} more are nearly the same as another");
        notes.push(Remark::new("files", message));
    }
    notes
}

/// The smallest hashes of the distinct lines of a text, sorted.
fn sketch(text: &str) -> Option<Vec<u64>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut hashes: Vec<u64> = lines.map(hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    let enough = hashes.len() >= FEW_SHARED_LINES;
    hashes.truncate(SKETCH);
    enough.then_some(hashes)
}

/// Always the same, since it says what is written.
fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

/// Whether the smallest hashes of both together are in both.
fn agree(left: &[u64], right: &[u64]) -> bool {
    let size = left.len().min(right.len());
    let (mut at_left, mut at_right, mut shared) = (0, 0, 0);
    for _ in 0..size {
        let order = left[at_left].cmp(&right[at_right]);
        at_left += usize::from(order.is_le());
        at_right += usize::from(order.is_ge());
        shared += usize::from(order.is_eq());
    }
    shared * 100 >= size * NEARLY
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(path: &str, body: String) -> Block {
        Block { lines: 40, ranges: vec![(1, 40)], ..Block::new(path, None, Tier::Full, body) }
    }

    fn lines(seed: u32, count: u32) -> String {
        (0..count).map(|line| format!("let value_{} = {line};\n", seed * 1_000 + line)).collect()
    }

    #[test]
    fn files_with_nearly_the_same_lines_are_noted() {
        let blocks = [
            block("a.rs", lines(1, 200)),
            block("b.rs", lines(2, 200)),
            block("c.rs", format!("// Changed.\n{}", lines(1, 200))),
        ];
        let notes = near_copies(blocks.iter());
        let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes, ["c.rs: nearly the same as a.rs"]);
    }

    #[test]
    fn short_files_are_never_nearly_the_same() {
        let blocks = [block("a.rs", lines(1, 5)), block("b.rs", lines(1, 5))];
        assert!(near_copies(blocks.iter()).is_empty());
    }
}
