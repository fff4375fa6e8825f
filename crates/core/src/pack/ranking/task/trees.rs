//! Reads and asks gradient-boosted trees.
//!
//! The file is made by `benches/localize/train`. Little-endian: how many trees; for each
//! how many inner nodes, the nodes (feature, threshold, two children, value) and the values
//! of its leaves. A value is log odds in a fixed point, so sums are the same everywhere.

use std::sync::LazyLock;

use super::features::{ABOUT, About, FEATURES, Row};
use crate::pack::ranking::contribution::Contribution;

/// Parts of one in the values of nodes and leaves.
const ONE: f64 = 16_384.0;
/// A child from here on is a leaf.
const LEAF: u8 = 128;

/// Trees whose values add up to the log odds that a line is wanted.
#[derive(Clone, Debug, Default)]
pub struct Trees {
    trees: Vec<Tree>,
}

#[derive(Clone, Debug)]
struct Tree {
    nodes: Vec<Node>,
    leaves: Vec<i16>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    feature: u8,
    threshold: i16,
    children: [u8; 2],
    value: i16,
}

/// What the trees and the formula say of a passage, as log odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// Before anything is known, then by what the numbers are about.
    trees: [f64; About::COUNT + 1],
    /// The formula's score as a part of the best.
    formula: f64,
}

impl Judged {
    pub(super) fn new(trees: [f64; About::COUNT + 1], formula: f64) -> Judged {
        Judged { trees, formula }
    }

    /// About the part of its lines that are wanted.
    pub fn share(&self) -> f64 {
        let sum = self.trees.iter().sum::<f64>() + self.formula;
        1.0 / (1.0 + (-sum).exp())
    }

    /// Returns the parts that add up to the log odds of the share.
    pub fn contributions(&self) -> Vec<Contribution> {
        let names = std::iter::once("start").chain(About::NAMES);
        let trees = names.zip(self.trees);
        let all = trees.chain([("formula", self.formula)]);
        all.map(|(name, part)| Contribution::new(name, part, 1.0)).collect()
    }
}

/// The trees that are shipped.
static BUILTIN: LazyLock<Trees> = LazyLock::new(|| {
    let bytes = include_bytes!("../../../../data/task.trees");
    Trees::read(bytes).expect("the trees that are shipped are sound")
});

impl Trees {
    /// The trees that are shipped.
    pub fn builtin() -> &'static Trees {
        &BUILTIN
    }

    /// Reads a file of trees; `None` where it is damaged.
    pub fn read(bytes: &[u8]) -> Option<Trees> {
        let mut rest = bytes;
        let count = u16::from_le_bytes(take(&mut rest)?);
        let trees: Option<Vec<Tree>> = (0..count).map(|_| tree(&mut rest)).collect();
        let trees = trees?;
        rest.is_empty().then_some(Trees { trees })
    }

    /// The log odds that a line of a passage is wanted: before anything is known, then by what
    /// the numbers are about.
    pub(crate) fn log_odds(&self, row: &Row) -> [f64; About::COUNT + 1] {
        let mut sums = [0i64; About::COUNT + 1];
        for tree in &self.trees {
            let mut place = 0;
            let mut value = tree.nodes.first().map_or(0, |node| i64::from(node.value));
            sums[0] += value;
            while let Some(node) = tree.nodes.get(usize::from(place)) {
                let feature = usize::from(node.feature);
                let child = node.children[usize::from(row[feature] > node.threshold)];
                let next = match child.checked_sub(LEAF) {
                    Some(leaf) => tree.leaves[usize::from(leaf)],
                    None => tree.nodes[usize::from(child)].value,
                };
                sums[1 + ABOUT[feature] as usize] += i64::from(next) - value;
                value = i64::from(next);
                place = child;
                if child >= LEAF {
                    break;
                }
            }
        }
        sums.map(|sum| sum as f64 / ONE)
    }
}

/// Reads one tree, whose every child is there and comes after its parent.
fn tree(rest: &mut &[u8]) -> Option<Tree> {
    let [count] = take(rest)?;
    let mut nodes = Vec::with_capacity(usize::from(count));
    for number in 0..count {
        let [feature, low, high, left, right] = take(rest)?;
        let value = i16::from_le_bytes(take(rest)?);
        let is_sound = |child: u8| match child.checked_sub(LEAF) {
            Some(leaf) => leaf <= count,
            None => number < child && child < count,
        };
        if usize::from(feature) >= FEATURES || !is_sound(left) || !is_sound(right) {
            return None;
        }
        let threshold = i16::from_le_bytes([low, high]);
        nodes.push(Node { feature, threshold, children: [left, right], value });
    }
    let leaves: Option<Vec<i16>> =
        (0..=count).map(|_| Some(i16::from_le_bytes(take(rest)?))).collect();
    Some(Tree { nodes, leaves: leaves? })
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk::<N>()?;
    *rest = after;
    Some(*taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_trees_are_refused_and_sound_ones_asked() {
        let bytes = include_bytes!("../../../../data/task.trees");
        assert!(bytes.len() <= 400_000);
        for end in [0, 1, 2, 3, bytes.len() / 2, bytes.len() - 1] {
            assert!(Trees::read(&bytes[..end]).is_none(), "{end}");
        }
        // One node: a row above its threshold goes right.
        let tree = [1, 0, 1, 7, 10, 0, 128, 129, 0, 0, 0, 192, 0, 64];
        let trees = Trees::read(&tree).unwrap();
        let body = |number: i16| {
            let parts = trees.log_odds(&[number; FEATURES]);
            assert_eq!(parts.iter().sum::<f64>(), parts[1 + About::Body as usize]);
            parts[1 + About::Body as usize]
        };
        assert_eq!((body(10), body(11)), (-1.0, 1.0));
        // A node whose child is itself would be asked for ever.
        let mut circle = tree;
        circle[6] = 0;
        assert!(Trees::read(&circle).is_none());
    }
}
