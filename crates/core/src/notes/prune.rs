//! Old notes go to the archive.
//!
//! A file goes by its age; what a feature that is worked on cannot do without
//! stays whatever its age. With a lifecycle, a feature that nobody touches is
//! archived as a whole, and the archive itself gets an end.

mod context;
mod lifecycle;

use std::fs;
use std::io::ErrorKind;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::vault::{
    self, ArchivedFile, HistoryEntry, Locked, Operation, Target, Vault, carry_out, look, purge,
};
use super::write::snapshot;
use super::{Feature, NotesError, STATE_FILE, TASKS_FILE, WriteOptions};
use crate::Remark;
use crate::fsio::IoResultExt;
use crate::settings::MemorySettings;

pub use context::{CONTEXT_FILE, ContextPrune, find_context_file, plan_context, prune_context};
pub use lifecycle::{Lifecycle, Stage};

/// Why a snapshot is taken before files are archived.
const BEFORE_PRUNE: &str = "pre-prune";

/// Words in `state.json` that say that nobody works on a feature any more.
const FINISHED: [&str; 9] = [
    "done",
    "complete",
    "completed",
    "finished",
    "closed",
    "archived",
    "cancelled",
    "canceled",
    "abandoned",
];

/// Which files are too old.
#[derive(Clone, Debug)]
pub struct PruneOptions {
    /// The age above which a file is archived.
    pub max_age: Duration,
    /// Whether the project says that this feature is worked on.
    pub active: bool,
    /// What becomes of features that nobody touches; `None` is nothing.
    pub lifecycle: Option<Lifecycle>,
}

impl PruneOptions {
    /// Takes what the settings say.
    pub fn new(settings: &MemorySettings, active: bool) -> PruneOptions {
        PruneOptions { max_age: settings.max_age, active, lifecycle: Lifecycle::new(settings) }
    }
}

/// What pruning a feature would do.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct PrunePlan {
    /// The name of the feature.
    pub feature: String,
    /// The files that are archived, by name.
    pub files: Vec<OldFile>,
    /// Old files that stay because the feature is worked on.
    pub protected: Vec<OldFile>,
    /// How long nobody touched the feature, on its way to the archive.
    pub stage: Stage,
    /// Originals that leave the archive for good.
    pub purged: Vec<ArchivedFile>,
    /// What was passed over.
    pub notes: Vec<Remark>,
}

/// A file that is old.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OldFile {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// How long ago it was last changed.
    pub age: Duration,
}

/// What was pruned.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pruned {
    /// What was done.
    pub plan: PrunePlan,
    /// Its record, which can be reverted; `None` where no file was archived.
    pub entry: Option<HistoryEntry>,
    /// What is worth telling.
    pub notes: Vec<Remark>,
}

impl PrunePlan {
    /// Tells whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.purged.is_empty()
    }

    /// Returns a plan to do nothing, such as for a feature that does not exist.
    pub fn nothing(feature: &str) -> PrunePlan {
        PrunePlan {
            feature: feature.to_owned(),
            files: Vec::new(),
            protected: Vec::new(),
            stage: Stage::Active,
            purged: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Says which files of a feature are too old; writes nothing.
pub fn plan_prune(
    feature: &Feature,
    prune: &PruneOptions,
    options: &WriteOptions,
) -> Result<PrunePlan, NotesError> {
    plan(&options.vault(feature), feature, prune, options.now)
}

/// Archives what is too old, and removes it from the notes.
pub fn prune(
    feature: &Feature,
    prune: &PruneOptions,
    options: &WriteOptions,
) -> Result<Pruned, NotesError> {
    let vault = options.vault(feature);
    if !vault.is_unfinished() {
        let plan = plan(&vault, feature, prune, options.now)?;
        if plan.is_empty() {
            return Ok(done(plan, None, Vec::new()));
        }
    }
    let locked = vault.lock(options.wait)?;
    let plan = plan(&vault, feature, prune, options.now)?;
    let mut notes = locked.notes.clone();
    let entry = if plan.files.is_empty() {
        None
    } else {
        let (entry, told) = archive(&locked, &plan, options)?;
        notes.extend(told);
        Some(entry)
    };
    purge(&locked, &plan.purged)?;
    Ok(done(plan, entry, notes))
}

fn done(plan: PrunePlan, entry: Option<HistoryEntry>, mut notes: Vec<Remark>) -> Pruned {
    notes.extend(plan.notes.iter().cloned());
    notes.sort();
    notes.dedup();
    Pruned { plan, entry, notes }
}

fn archive(
    locked: &Locked<'_>,
    plan: &PrunePlan,
    options: &WriteOptions,
) -> Result<(HistoryEntry, Vec<Remark>), NotesError> {
    let (checkpoint, _) = snapshot(locked, BEFORE_PRUNE, options)?;
    let target = |file: &OldFile| Target {
        path: file.name.clone(),
        expected: None,
        after: None,
        like: None,
    };
    let operation = Operation {
        kind: "prune",
        tokens: None,
        targets: plan.files.iter().map(target).collect(),
        extra: Vec::new(),
        reverts: None,
        checkpoint: Some(checkpoint),
        now: options.now,
        window: options.rollback_window,
    };
    Ok(carry_out(locked, operation)?)
}

fn plan(
    vault: &Vault,
    feature: &Feature,
    prune: &PruneOptions,
    now: Timestamp,
) -> Result<PrunePlan, NotesError> {
    let mut plan = PrunePlan::nothing(feature.name());
    let all = files_of(vault, now, &mut plan.notes)?;
    let youngest = all.iter().map(|file| file.age).min();
    let mut limit = prune.max_age;
    if let (Some(lifecycle), Some(idle)) = (&prune.lifecycle, youngest) {
        plan.stage = lifecycle.stage(idle);
        if plan.stage == Stage::Archived && !prune.active {
            // Nobody touched any of it for that long.
            limit = limit.min(lifecycle.archive_after);
        }
    }
    let worked_on = prune.active || !is_finished(vault)?;
    for file in all.into_iter().filter(|file| file.age > limit) {
        let needed = [STATE_FILE, TASKS_FILE].contains(&file.name.as_str());
        if needed && worked_on { plan.protected.push(file) } else { plan.files.push(file) }
    }
    if let Some(lifecycle) = &prune.lifecycle {
        let (archive, notes) = vault::list_archive(vault)?;
        let (history, more) = vault::load_history(vault)?;
        plan.notes.extend(notes.into_iter().chain(more));
        plan.purged = lifecycle.purged(archive, &history, now);
    }
    Ok(plan)
}

/// Lists the plain files of the directory itself with their ages, by name.
///
/// A time that is still to come is no age.
fn files_of(
    vault: &Vault,
    now: Timestamp,
    notes: &mut Vec<Remark>,
) -> Result<Vec<OldFile>, NotesError> {
    let directory = vault.directory();
    let mut files = Vec::new();
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(files),
        entries => entries.at("read", directory)?,
    };
    for entry in entries {
        let entry = entry.at("read", directory)?;
        let shown = entry.file_name().to_string_lossy().into_owned();
        let metadata = entry.metadata().at("read", &entry.path())?;
        if shown.starts_with('.') || metadata.is_dir() {
            continue;
        }
        match entry.file_name().into_string() {
            Ok(name) if metadata.is_file() => {
                let changed = metadata.modified().ok();
                let changed = changed.and_then(|it| Timestamp::try_from(it).ok());
                let age = changed.map(|it| now.duration_since(it));
                files.push(OldFile {
                    name,
                    size: metadata.len(),
                    age: age.and_then(|it| it.try_into().ok()).unwrap_or_default(),
                });
            }
            Ok(name) if metadata.is_symlink() => {
                notes.push(Remark::new(name, "a link, and is not archived"));
            }
            Ok(_) => {}
            Err(_) => notes.push(Remark::new(shown, "not archived: its name is not UTF-8")),
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    notes.sort();
    Ok(files)
}

/// Tells whether `state.json` says that the work is over.
///
/// Where it says nothing, the feature counts as worked on.
fn is_finished(vault: &Vault) -> Result<bool, NotesError> {
    let path = vault.directory().join(STATE_FILE);
    // Whatever stands there instead of a file says nothing.
    let Ok(Some(found)) = look(&path) else {
        return Ok(false);
    };
    let Ok(state) = serde_json::from_slice::<Value>(&found.bytes) else {
        return Ok(false);
    };
    let words = ["status", "phase", "state", "currentPhase"].iter();
    let mut words = words.filter_map(|key| state.get(key)?.as_str());
    Ok(words.any(|word| FINISHED.contains(&word.to_ascii_lowercase().as_str())))
}

#[cfg(test)]
mod tests;
