//! Lists what a file defines, one line each: for a map, and for an overview.

use crate::pack::candidate::Candidate;
use crate::syntax::{Definition, DefinitionKind, ImportKind, Outline};

use super::MapEntry;
use std::collections::BTreeSet;

/// The most characters of a line.
const WIDEST: usize = 160;
/// The most characters of a list of what a file passes on.
const LONGEST_LIST: usize = 320;

/// A file with all lines that can be shown of it.
#[derive(Default)]
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
    /// How many of them, from the first, other files can use.
    pub(super) public: usize,
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
        public: 0,
    };
    if let Some(outline) = &candidate.facts.outline {
        match names(outline) {
            Some(entry) => {
                listed.push(entry, None);
                listed.public = 1;
            }
            None => listed.definitions(outline),
        }
    }
    listed
}

impl Listed {
    /// How many definitions that other files can use are not among these.
    pub(super) fn left_out(&self, chosen: &[usize]) -> usize {
        let public = self.order[..self.public].iter();
        public.filter(|at| chosen.binary_search(at).is_err()).count()
    }

    /// These entries and all that they are inside of, in order.
    pub(super) fn with_parents(&self, chosen: impl Iterator<Item = usize>) -> BTreeSet<usize> {
        let up = |entry| std::iter::successors(Some(entry), |&at: &usize| self.parents[at]);
        chosen.flat_map(up).collect()
    }

    fn push(&mut self, entry: MapEntry, parent: Option<usize>) {
        self.order.push(self.entries.len());
        self.entries.push(entry);
        self.parents.push(parent);
    }

    fn definitions(&mut self, outline: &Outline) {
        // A file that exports nothing, such as a program, shows what it has.
        let exports = outline.definitions.iter().any(is_public);
        let mut ranks = Vec::with_capacity(outline.definitions.len());
        for definition in &outline.definitions {
            let parent = definition.parent.filter(|at| *at < self.entries.len());
            let depth = parent.map_or(0, |at| self.entries[at].depth + 1);
            ranks.push(Rank {
                private: exports && !is_public(definition),
                member: depth > 0,
                value: definition.kind.is_value(),
                depth,
            });
            let entry = MapEntry {
                line: Some(definition.first_line),
                kind: definition.kind,
                depth,
                text: shortened(&definition.signature),
            };
            self.push(entry, parent);
        }
        self.order.sort_by_key(|&at| (ranks[at], at));
        self.public = ranks.iter().filter(|rank| !rank.private).count();
    }
}

impl MapEntry {
    /// The line as it stands under the heading of its file: its number, then the text.
    pub(super) fn numbered(&self) -> String {
        match self.line {
            Some(line) => format!("{line} {}{}\n", "  ".repeat(self.depth), self.text),
            None => format!("{}\n", self.text),
        }
    }
}

/// What comes first: what others use, what stands by itself, what does something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    private: bool,
    member: bool,
    value: bool,
    depth: usize,
}

/// Whether other files can use it; what only holds others comes with them.
fn is_public(definition: &Definition) -> bool {
    definition.exported && definition.kind != DefinitionKind::Impl
}

/// The names in a file of data or style, which say more together than one by one.
///
/// The same goes for a file that only passes on what others define.
fn names(outline: &Outline) -> Option<MapEntry> {
    use DefinitionKind::{Element, Key, Selector};
    let Some(first) = outline.definitions.first() else {
        return passed_on(outline);
    };
    let kind = first.kind;
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

fn passed_on(outline: &Outline) -> Option<MapEntry> {
    let imports = outline.imports.iter();
    let imports = imports.filter(|import| import.kind == ImportKind::Reexport);
    let mut sources: Vec<&str> = Vec::new();
    for import in imports {
        // The name says enough where the path leads into the file's own modules.
        let name = import.source.rsplit("::").next().unwrap_or_default();
        if !sources.contains(&name) {
            sources.push(name);
        }
    }
    (!sources.is_empty()).then(|| MapEntry {
        line: None,
        kind: DefinitionKind::Module,
        depth: 0,
        text: cut(LONGEST_LIST, &format!("re-exports: {}", sources.join(", "))),
    })
}

/// Cuts a line that is too wide, and what leads to a body.
fn shortened(text: &str) -> String {
    cut(WIDEST, text)
}

fn cut(widest: usize, text: &str) -> String {
    let text = text.lines().next().unwrap_or_default().trim();
    let text = text.trim_end_matches([':', '=', ' ']);
    match text.char_indices().nth(widest) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
