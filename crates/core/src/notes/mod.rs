//! Measures a feature's notes and makes them smaller.
//!
//! ```text
//! measure -> level -> plan -> archive -> apply   (history -> revert)
//! ```
//!
//! A feature is a directory of notes that agents keep between sessions.
//! [`plan_compaction`] reads them and says what would become of each file;
//! nothing is written before a plan is applied.

mod apply;
mod brief;
mod choose;
mod compact;
mod document;
mod error;
mod feature;
mod global;
mod hook;
mod level;
mod limits;
mod measure;
mod options;
mod plan;
mod prune;
mod read;
mod repository;
mod revert;
mod savings;
mod state;
#[cfg(test)]
mod testing;
mod unit;
mod vault;
mod words;
mod worth;
mod write;

pub use apply::{Compaction, apply, compact};
pub use brief::{Brief, WeighedUnit, brief, weigh};
pub use compact::{CompactedNotes, compact_notes};
pub use error::NotesError;
pub use feature::{
    COMPACTION_DIRECTORY, FOCUS_FILE, Feature, Features, HANDOFF_FILE, STATE_FILE, SUMMARY_FILE,
    TASKS_FILE,
};
pub use global::plan_features;
pub use hook::{ContextWarning, before_tool_use, handle_context_warning};
pub use level::Level;
pub use limits::{FeatureLimit, LimitCheck, TeamBudgets, TeamLimit};
pub use measure::{
    FeatureStatus, MeasuredFeature, NoteFile, measure_feature, measure_features, record_usage,
};
pub use options::NotesOptions;
pub use plan::{CompactedItem, CompactionPlan, FileChange, ItemKind};
pub use prune::{
    CONTEXT_FILE, ContextPrune, Lifecycle, OldFile, PruneOptions, PrunePlan, Pruned, Stage,
    find_context_file, plan_context, plan_prune, prune, prune_context,
};
pub use read::read_notes;
pub use revert::{Edits, RevertFile, RevertPlan, Reverted, WayBack, restore, revert};
pub use savings::{Saving, read_savings};
pub use unit::{Notes, Role, Section, Unit, UnitKind};
pub use vault::{ArchivedFile, Checkpoint, CheckpointFile, HistoryEntry, HistoryFile, VaultError};
pub use worth::Background;
pub use write::{WriteOptions, archived, checkpoint, checkpoints, history, is_unfinished, recover};

/// Says what compacting a feature to a level would do; without one, to the level it has reached.
///
/// Reads, and never writes. At [`Level::Raw`] there is nothing to do.
pub fn plan_compaction(
    feature: &Feature,
    level: Option<Level>,
    options: &NotesOptions,
) -> Result<CompactionPlan, NotesError> {
    plan::plan(feature, level, options)
}

/// Compiles a pattern that is written in this room.
fn literal(pattern: &str) -> regex::Regex {
    regex::Regex::new(pattern).expect("literal regex")
}
