//! What of a file can stand on a map, and what of it comes first.

use crate::pack::candidate::Candidate;
use crate::syntax::{Definition, DefinitionKind, Outline};

use super::MapEntry;

/// The most characters of a line.
const WIDEST: usize = 160;

/// A file with all lines that can be shown of it.
pub(super) struct Listed {
    pub(super) path: String,
    pub(super) score: u32,
    pub(super) lines: u32,
    /// In source order.
    pub(super) entries: Vec<MapEntry>,
    /// For each entry the one that it is inside of.
    pub(super) parents: Vec<Option<usize>>,
    /// The entries from what is worth most to what is worth least.
    pub(super) order: Vec<usize>,
    /// How many of the entries other files can use; they come first.
    pub(super) exported: usize,
}

/// Lists what a file defines.
pub(super) fn listed(candidate: &Candidate) -> Listed {
    let mut listed = Listed {
        path: candidate.path.clone(),
        score: candidate.score,
        lines: candidate.facts.lines,
        entries: Vec::new(),
        parents: Vec::new(),
        order: Vec::new(),
        exported: 0,
    };
    if let Some(outline) = &candidate.facts.outline {
        match names(outline) {
            Some(entry) => listed.push(entry, None),
            None => listed.definitions(outline),
        }
    }
    listed
}

impl Listed {
    fn push(&mut self, entry: MapEntry, parent: Option<usize>) {
        self.order.push(self.entries.len());
        self.exported += 1;
        self.entries.push(entry);
        self.parents.push(parent);
    }

    fn definitions(&mut self, outline: &Outline) {
        let mut places = Vec::with_capacity(outline.definitions.len());
        let mut ranks = Vec::new();
        for definition in &outline.definitions {
            let parent = definition.parent.and_then(|at| places.get(at).copied());
            let depth = parent.map_or(0, |at: usize| self.entries[at].depth + 1);
            places.push(self.entries.len());
            ranks.push(Rank::of(definition, depth));
            self.push(
                MapEntry {
                    line: Some(definition.first_line),
                    kind: definition.kind,
                    depth,
                    text: shortened(&definition.signature),
                },
                parent,
            );
        }
        self.exported = ranks.iter().filter(|rank| !rank.private).count();
        self.order.sort_by_key(|&at| (ranks[at], at));
        // A file that exports nothing, such as a program, shows what it has.
        if self.exported == 0 {
            self.exported = ranks.iter().filter(|rank| rank.depth == 0).count();
        }
    }
}

/// What comes first: what others use, what stands by itself, what is on top.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    private: bool,
    /// What only holds others comes with them.
    holder: bool,
    depth: usize,
}

impl Rank {
    fn of(definition: &Definition, depth: usize) -> Rank {
        use DefinitionKind::{Impl, Module};
        let holder = matches!(definition.kind, Impl | Module);
        Rank {
            private: !definition.exported,
            holder,
            depth,
        }
    }
}

/// The names in a file of data or style, which say more together than one by one.
fn names(outline: &Outline) -> Option<MapEntry> {
    use DefinitionKind::{Element, Key, Selector};
    let kind = outline.definitions.first()?.kind;
    let word = match kind {
        Key => "keys",
        Selector => "selectors",
        Element => "elements",
        _ => return None,
    };
    let top = outline.definitions.iter();
    let top = top.filter(|definition| definition.parent.is_none());
    let mut names: Vec<&str> = Vec::new();
    for definition in top {
        if names.last() != Some(&definition.name.as_str()) {
            names.push(&definition.name);
        }
    }
    Some(MapEntry {
        line: None,
        kind,
        depth: 0,
        text: shortened(&format!("{word}: {}", names.join(", "))),
    })
}

/// Cuts a line that is too wide.
fn shortened(text: &str) -> String {
    let text = text.lines().next().unwrap_or_default().trim();
    match text.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
