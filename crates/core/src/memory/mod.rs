//! How full are a feature's notes, and how do they get smaller?
//!
//! ```text
//! measure -> level -> plan -> archive -> apply   (history -> revert)
//! ```
//!
//! A feature is a directory of notes that agents keep between sessions.
//! [`plan_compaction`] reads them and says what would become of each file;
//! nothing is written before a plan is applied.

mod error;
mod feature;
mod level;
mod options;
mod plan;
mod state;

pub use error::MemoryError;
pub use feature::{
    COMPACTION_DIRECTORY, Feature, Features, HANDOFF_FILE, STATE_FILE, SUMMARY_FILE, TASKS_FILE,
};
pub use level::Level;
pub use options::MemoryOptions;
pub use plan::{CompactedItem, CompactionPlan, FileChange, ItemKind};
#[allow(unused_imports)]
pub(crate) use state::{OWN_MEMBERS, set_member, without_members};

/// Says what compacting a feature to a level would do; without one, to the level it has reached.
///
/// Reads, and never writes. At [`Level::Raw`] there is nothing to do.
pub fn plan_compaction(
    feature: &Feature,
    level: Option<Level>,
    options: &MemoryOptions,
) -> Result<CompactionPlan, MemoryError> {
    plan::plan(feature, level, options)
}
