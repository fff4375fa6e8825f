//! What a compaction would do, before anything is written.
//!
//! A plan is a value: a dry run shows it, an applier carries it out. It holds
//! the bytes that were read, so that whoever writes can tell whether a file
//! changed in the meantime.

use super::{Feature, Level, MemoryError, MemoryOptions};
use crate::{Note, Tokens};

/// Why a piece of a note was reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemKind {
    /// What a tool printed.
    ToolOutput,
    /// What stands there already.
    Duplicate,
    /// Decoration, white space and words that say nothing.
    Verbose,
    /// Notes that a document stands for now.
    OldContent,
}

impl ItemKind {
    /// Returns the name used in output: `tool_output`, `duplicate`, `verbose`, `old_content`.
    pub const fn name(self) -> &'static str {
        match self {
            ItemKind::ToolOutput => "tool_output",
            ItemKind::Duplicate => "duplicate",
            ItemKind::Verbose => "verbose",
            ItemKind::OldContent => "old_content",
        }
    }
}

/// One piece of a note that was reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactedItem {
    /// Why.
    pub kind: ItemKind,
    /// The line where it stood, counted from 1.
    pub line: usize,
    /// Its tokens before.
    pub original_size: Tokens,
    /// The tokens of what stands there now.
    pub compacted_size: Tokens,
}

/// One file of a feature and what it is to become; `None` is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The name of the file inside the feature's directory.
    pub name: String,
    /// Its bytes when it was read.
    pub before: Option<Vec<u8>>,
    /// The bytes that it is to have.
    pub after: Option<Vec<u8>>,
    /// What was reduced in it.
    pub items: Vec<CompactedItem>,
}

/// What a compaction would do. Nothing is written until it is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct CompactionPlan {
    /// The name of the feature.
    pub feature: String,
    /// The level, chosen or given.
    pub level: Level,
    /// The tokens of the feature as it is.
    pub tokens_before: Tokens,
    /// The tokens of the feature once the plan is applied.
    pub tokens_after: Tokens,
    /// The files that change, by name; none where there is nothing to do.
    pub changes: Vec<FileChange>,
    /// The document of a summary or handoff.
    pub document: Option<String>,
    /// Decisions that the document holds.
    pub preserved_decisions: Vec<String>,
    /// Modified files that the document holds.
    pub preserved_files: Vec<String>,
    /// Whether something is only in the archive once the plan is applied.
    pub information_loss: bool,
    /// What was passed over.
    pub notes: Vec<Note>,
}

impl CompactionPlan {
    /// Returns how many tokens are saved.
    pub fn saved(&self) -> Tokens {
        self.tokens_before.saturating_sub(self.tokens_after)
    }

    /// Tells whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns what is reduced in all files.
    pub fn items(&self) -> impl Iterator<Item = &CompactedItem> {
        self.changes.iter().flat_map(|change| &change.items)
    }
}

/// Makes the plan; see [`super::plan_compaction`].
pub(super) fn plan(
    feature: &Feature,
    level: Option<Level>,
    options: &MemoryOptions,
) -> Result<CompactionPlan, MemoryError> {
    let (_, notes) = feature.files()?;
    let _ = options;
    Ok(CompactionPlan {
        feature: feature.name().to_owned(),
        level: level.unwrap_or(Level::Raw),
        tokens_before: Tokens::ZERO,
        tokens_after: Tokens::ZERO,
        changes: Vec::new(),
        document: None,
        preserved_decisions: Vec::new(),
        preserved_files: Vec::new(),
        information_loss: false,
        notes,
    })
}
