//! What becomes of features that nobody touches, and of archives that grow.

use std::time::Duration;

use jiff::Timestamp;

use serde::Serialize;

use super::super::vault::{ArchivedFile, HistoryEntry, archive_age, needed_originals};
use crate::settings::MemorySettings;

/// When features are left alone, archived and forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifecycle {
    /// How long a feature is untouched until it counts as dormant.
    pub dormant_after: Duration,
    /// How long it is untouched until all of it is archived.
    pub archive_after: Duration,
    /// How long an original stays in the archive.
    pub purge_after: Duration,
    /// The most bytes of an archive; the oldest originals go first.
    pub max_archive: u64,
}

/// How long nobody touched a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// It is worked on.
    Active,
    /// It was not touched for a while.
    Dormant,
    /// It was not touched for so long that it is archived.
    Archived,
}

impl Stage {
    /// Returns the name used in output: `active`, `dormant`, `archived`.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Active => "active",
            Stage::Dormant => "dormant",
            Stage::Archived => "archived",
        }
    }
}

impl Lifecycle {
    /// Takes what the settings say; `None` where it is switched off.
    pub fn new(settings: &MemorySettings) -> Option<Lifecycle> {
        settings.lifecycle.then_some(Lifecycle {
            dormant_after: settings.dormant_after,
            archive_after: settings.archive_after,
            purge_after: settings.purge_after,
            max_archive: settings.max_archive,
        })
    }

    pub(super) fn stage(&self, idle: Duration) -> Stage {
        match idle {
            _ if idle >= self.archive_after => Stage::Archived,
            _ if idle >= self.dormant_after => Stage::Dormant,
            _ => Stage::Active,
        }
    }

    /// Tells which originals, the oldest first, are too old or too many.
    ///
    /// What something can still be reverted to stays.
    pub(super) fn purged(
        &self,
        archive: Vec<ArchivedFile>,
        history: &[HistoryEntry],
        now: Timestamp,
    ) -> Vec<ArchivedFile> {
        let needed: Vec<&str> = needed_originals(history, now).collect();
        let mut total: u64 = archive.iter().map(|file| file.stored).sum();
        let mut purged = Vec::new();
        for file in archive {
            let old = archive_age(&file, now) > self.purge_after;
            let gone = (old || total > self.max_archive) && !needed.contains(&&*file.name);
            if gone {
                total -= file.stored;
                purged.push(file);
            }
        }
        purged
    }
}
