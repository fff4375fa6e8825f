//! Leaves out what an earlier pack of the same conversation showed as it is now.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::render::{Block, Part};
use crate::cache::ContentHash;

/// Characters of a hash that tell one text from another.
const HANDLE: usize = 16;

/// The texts that a pack showed, by path and hash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownTexts(BTreeSet<(String, String)>);

impl ShownTexts {
    /// Takes paths with what was shown of them.
    pub(super) fn of<'a>(texts: impl Iterator<Item = (&'a str, &'a str)>) -> ShownTexts {
        let texts = texts.map(|(path, text)| (path.to_owned(), handle(text)));
        ShownTexts(texts.collect())
    }

    /// Splits blocks into those to show and a list of those shown before.
    pub(super) fn part<'b>(&self, blocks: &[&'b Block]) -> (Vec<&'b Block>, Option<Part>) {
        let (old, new): (Vec<&Block>, Vec<&Block>) =
            blocks.iter().partition(|block| self.has(block));
        let text: String = old.iter().map(|block| format!("{}\n", block.path)).collect();
        let heading = Some("Unchanged: shown in the earlier pack".to_owned());
        let part = Part { name: "unchanged", heading, text, ..Part::default() };
        (new, (!old.is_empty()).then_some(part))
    }

    /// Whether this very text of a path was shown.
    pub(super) fn has(&self, block: &Block) -> bool {
        self.0.contains(&(block.path.clone(), handle(&block.body)))
    }
}

fn handle(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string().chars().take(HANDLE).collect()
}
