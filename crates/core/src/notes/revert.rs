//! Restores what notes were before an operation, byte for byte.
//!
//! A revert archives what it replaces and is recorded, so that it can be
//! reverted in turn. A file that was changed meanwhile is not touched unless
//! that is asked for. Beside what the history names, the notes can go back to
//! a snapshot, and archived files can come back at any time.

use std::path::Path;

use serde::Serialize;

use super::vault::{
    self, ArchivedFile, HistoryEntry, HistoryFile, Locked, Operation, Target, Vault, VaultError,
    carry_out,
};
use super::write::snapshot;
use super::{Feature, NotesError, WriteOptions};
use crate::Remark;

/// What is brought back, and where it is kept.
#[derive(Clone, Copy, Debug)]
pub enum WayBack<'a> {
    /// Takes back something in the history of a feature, or goes back to a snapshot.
    ///
    /// Something in the history must still be in force and within its time, and
    /// the files must be as it left them. Contents, permissions and times come
    /// back; other files are not touched.
    Revert(&'a Feature),
    /// Brings archived files of a feature back: all of something in its history, or one by
    /// its name in the archive.
    ///
    /// There is no time limit; whatever is in the archive can be restored.
    Restore(&'a Feature),
    /// Brings back what was cut from the project's context file.
    RestoreContext(&'a Path),
}

/// What to do about files that were changed meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edits {
    /// They are not touched, and nothing else is.
    Refuse,
    /// They are archived and replaced.
    Replace,
}

/// What a revert would do.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct RevertPlan {
    /// What is reverted: the name of something in the history, a snapshot or an archived file.
    pub id: String,
    /// The files that change.
    pub files: Vec<RevertFile>,
    /// What is worth telling.
    pub notes: Vec<Remark>,
}

/// One file of a revert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RevertFile {
    /// Its name.
    #[serde(rename = "path")]
    pub name: String,
    /// The bytes that it will have; `None` is absent.
    pub size: Option<u64>,
    /// Whether it was changed since.
    pub edited: bool,
}

/// A revert that was carried out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reverted {
    /// What was done.
    pub plan: RevertPlan,
    /// Its record, which can be reverted.
    pub entry: HistoryEntry,
    /// What is worth telling.
    pub notes: Vec<Remark>,
}

/// Everything that a revert needs, ready to be carried out.
struct Prepared {
    plan: RevertPlan,
    targets: Vec<Target>,
    reverts: Option<HistoryEntry>,
    tokens: Option<(u64, u64)>,
}

/// Takes back something in the history of a feature: [`WayBack::Revert`].
pub fn revert(
    feature: &Feature,
    id: &str,
    edits: Edits,
    options: &WriteOptions,
) -> Result<Reverted, NotesError> {
    WayBack::Revert(feature).go(id, edits, options)
}

/// Brings archived files of a feature back: [`WayBack::Restore`].
pub fn restore(
    feature: &Feature,
    id: &str,
    edits: Edits,
    options: &WriteOptions,
) -> Result<Reverted, NotesError> {
    WayBack::Restore(feature).go(id, edits, options)
}

impl WayBack<'_> {
    /// Says what would be done; refuses what [`WayBack::go`] would refuse.
    pub fn plan(
        self,
        id: &str,
        edits: Edits,
        options: &WriteOptions,
    ) -> Result<RevertPlan, NotesError> {
        Ok(self.prepare(&self.vault(options), id, edits, options)?.plan)
    }

    /// Does it, under the lock and after a snapshot.
    pub fn go(
        self,
        id: &str,
        edits: Edits,
        options: &WriteOptions,
    ) -> Result<Reverted, NotesError> {
        let vault = self.vault(options);
        if self.is_refused_first(&vault)? {
            // What is refused leaves no directory for the lock.
            self.prepare(&vault, id, edits, options)?;
        }
        let locked = vault.lock(options.wait)?;
        let prepared = self.prepare(&vault, id, edits, options)?;
        Ok(self.carry(&locked, prepared, options)?)
    }

    fn vault(self, options: &WriteOptions) -> Vault {
        match self {
            WayBack::Revert(feature) | WayBack::Restore(feature) => options.vault(feature),
            WayBack::RestoreContext(path) => options.vault_beside(path),
        }
    }

    /// Tells whether nothing is being done there that would have to end first.
    fn is_refused_first(self, vault: &Vault) -> Result<bool, VaultError> {
        let is_new = match self {
            WayBack::Revert(_) => vault::load_history(vault)?.0.is_empty(),
            _ => true,
        };
        Ok(is_new && !vault.is_unfinished())
    }

    fn prepare(
        self,
        vault: &Vault,
        id: &str,
        edits: Edits,
        options: &WriteOptions,
    ) -> Result<Prepared, VaultError> {
        match self {
            WayBack::Revert(_) => prepare_revert(vault, id, edits, options),
            _ => prepare_restore(vault, id, edits),
        }
    }

    fn carry(
        self,
        locked: &Locked<'_>,
        prepared: Prepared,
        options: &WriteOptions,
    ) -> Result<Reverted, VaultError> {
        let (kind, trigger) = match self {
            WayBack::Revert(_) => ("revert", Some("pre-revert")),
            WayBack::Restore(_) => ("restore", Some("pre-restore")),
            // Beside that file there may be a whole project, so no snapshot is taken.
            WayBack::RestoreContext(_) => ("restore", None),
        };
        let checkpoint = trigger.map(|trigger| snapshot(locked, trigger, options)).transpose()?;
        let operation = Operation {
            kind,
            tokens: prepared.tokens,
            targets: prepared.targets,
            extra: Vec::new(),
            reverts: prepared.reverts,
            checkpoint: checkpoint.map(|it| it.0),
            now: options.now,
            window: options.rollback_window,
        };
        let (entry, told) = carry_out(locked, operation)?;
        let mut notes = locked.notes.clone();
        notes.extend(prepared.plan.notes.iter().cloned());
        // The plan has read the same history, and named what is wrong in it.
        notes.extend(told.into_iter().filter(|it| !prepared.plan.notes.contains(it)));
        Ok(Reverted { plan: prepared.plan, entry, notes })
    }
}

fn prepare_revert(
    vault: &Vault,
    id: &str,
    edits: Edits,
    options: &WriteOptions,
) -> Result<Prepared, VaultError> {
    let (all, notes) = vault::load_history(vault)?;
    let Some(entry) = all.iter().find(|entry| entry.id == id) else {
        return go_back_to(vault, id, &all, notes);
    };
    if entry.reverted {
        return Err(VaultError::AlreadyReverted {
            id: id.to_owned(),
            by: entry.reverted_by.clone(),
        });
    }
    if !entry.can_be_reverted(&all, options.now) {
        return Err(VaultError::Expired { id: id.to_owned(), until: entry.expires_at });
    }
    let prepared = back_before(vault, entry, entry.files.iter().collect(), notes)?;
    let edited = prepared.plan.files.iter().filter(|file| file.edited);
    let edited: Vec<String> = edited.map(|file| file.name.clone()).collect();
    if !edited.is_empty() && edits == Edits::Refuse {
        return Err(VaultError::Edited {
            id: id.to_owned(),
            later: later_than(entry, &edited, &all),
            files: edited,
        });
    }
    Ok(prepared)
}

/// What was done later to the same files and is in force, the latest first.
fn later_than(entry: &HistoryEntry, files: &[String], all: &[HistoryEntry]) -> Vec<String> {
    let touches = |it: &HistoryEntry| it.files.iter().any(|file| files.contains(&file.path));
    all.iter()
        .rev()
        .filter(|it| it.sequence > entry.sequence && !it.reverted && touches(it))
        .map(|it| it.id.clone())
        .collect()
}

/// Gives files what they held before something in the history.
fn back_before(
    vault: &Vault,
    entry: &HistoryEntry,
    files: Vec<&HistoryFile>,
    notes: Vec<Remark>,
) -> Result<Prepared, VaultError> {
    let (mut targets, mut shown) = (Vec::new(), Vec::new());
    for file in files {
        let found = vault.look(&file.path)?;
        shown.push(RevertFile {
            name: file.path.clone(),
            size: file.size_before,
            edited: !file.is_unchanged(found.as_ref()),
        });
        targets.push(target_of(vault, file)?);
    }
    let tokens = entry.tokens_after.zip(entry.tokens_before);
    Ok(Prepared {
        plan: RevertPlan { id: entry.id.clone(), files: shown, notes },
        targets,
        reverts: Some(entry.clone()),
        tokens,
    })
}

fn target_of(vault: &Vault, file: &HistoryFile) -> Result<Target, VaultError> {
    let before = file.before().filter(|_| file.backup.is_some());
    let after = match before {
        Some(_) => Some(vault::read_archived(vault, file)?),
        None => None,
    };
    Ok(Target { path: file.path.clone(), expected: None, after, like: before })
}

/// Gives all files of a snapshot the content they had; files that came later stay.
fn go_back_to(
    vault: &Vault,
    id: &str,
    all: &[HistoryEntry],
    notes: Vec<Remark>,
) -> Result<Prepared, VaultError> {
    let (snapshots, more) = vault::describe_checkpoints(vault)?;
    if !snapshots.iter().any(|it| it.id == id) {
        let known = all.iter().rev().filter(|it| !it.reverted);
        return Err(VaultError::UnknownId {
            id: id.to_owned(),
            known: known.map(|it| it.id.clone()).collect(),
        });
    }
    let (snapshot, contents) = vault::read_checkpoint(vault, id)?;
    let (mut targets, mut files) = (Vec::new(), Vec::new());
    for (file, bytes) in snapshot.files.iter().zip(contents) {
        let found = vault.look(&file.name)?;
        if found.is_some_and(|found| found.stamp == file.stamp()) {
            continue;
        }
        files.push(RevertFile { name: file.name.clone(), size: Some(file.size), edited: false });
        targets.push(Target {
            path: file.name.clone(),
            expected: None,
            after: Some(bytes),
            like: Some(file.stamp()),
        });
    }
    Ok(Prepared {
        plan: RevertPlan { id: id.to_owned(), files, notes: [notes, more].concat() },
        targets,
        reverts: None,
        tokens: None,
    })
}

fn prepare_restore(vault: &Vault, id: &str, edits: Edits) -> Result<Prepared, VaultError> {
    let (all, mut notes) = vault::load_history(vault)?;
    let prepared = match all.iter().find(|entry| entry.id == id) {
        Some(entry) => {
            let kept = entry.files.iter().filter(|file| file.backup.is_some());
            let mut prepared = back_before(vault, entry, kept.collect(), notes)?;
            // What was reverted once must not be marked twice.
            prepared.reverts = prepared.reverts.filter(|it| !it.reverted);
            prepared
        }
        None => {
            let (archive, more) = vault::list_archive(vault)?;
            notes.extend(more);
            match archive.iter().find(|file| file.name == id) {
                Some(file) => one_archived(vault, file, notes)?,
                None => return Err(unknown_archived(id, &all, &archive)),
            }
        }
    };
    if edits == Edits::Refuse {
        refuse_edited(vault, &prepared)?;
    }
    Ok(prepared)
}

fn one_archived(
    vault: &Vault,
    file: &ArchivedFile,
    notes: Vec<Remark>,
) -> Result<Prepared, VaultError> {
    let bytes = vault::read_archived(vault, &file.record)?;
    let found = vault.look(&file.original)?;
    Ok(Prepared {
        plan: RevertPlan {
            id: file.name.clone(),
            files: vec![RevertFile {
                name: file.original.clone(),
                size: Some(file.size),
                edited: found.is_some_and(|found| found.bytes != bytes),
            }],
            notes,
        },
        targets: vec![Target {
            path: file.original.clone(),
            expected: None,
            after: Some(bytes),
            like: file.stamp(),
        }],
        reverts: None,
        tokens: None,
    })
}

/// Refuses to replace a file that somebody changed, or made, since.
fn refuse_edited(vault: &Vault, prepared: &Prepared) -> Result<(), VaultError> {
    let files = prepared.plan.files.iter().zip(&prepared.targets);
    for (_, target) in files.filter(|(file, _)| file.edited) {
        let found = vault.look(&target.path)?;
        if found.is_some_and(|found| Some(&found.bytes) != target.after.as_ref()) {
            return Err(VaultError::Exists { file: target.path.clone() });
        }
    }
    Ok(())
}

fn unknown_archived(id: &str, all: &[HistoryEntry], archive: &[ArchivedFile]) -> VaultError {
    let pruned = all.iter().rev().filter(|it| it.level == "prune");
    let pruned = pruned.map(|it| it.id.clone());
    let single = archive.iter().rev().map(|file| file.name.clone());
    VaultError::UnknownId { id: id.to_owned(), known: pruned.chain(single).collect() }
}
