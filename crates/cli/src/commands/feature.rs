//! `loadline feature`: measures and compacts the notes of a feature.

pub(super) mod compact;
pub(super) mod compact_all;
pub(super) mod history;
pub(super) mod revert;
pub(super) mod status;

pub(super) use revert::{Typed as TypedBack, show as show_revert};
pub(super) use status::{SavingJson, UsageJson};

group! {
    /// Measure and compact the notes of a feature.
    ///
    /// Features are the directories below memory.root [default: .claude/plans/features].
    FeatureArgs, FeatureCommand {
        Status(status::StatusArgs) => status::run,
        Compact(compact::CompactArgs) => compact::run,
        History(history::HistoryArgs) => history::run,
    }
}
