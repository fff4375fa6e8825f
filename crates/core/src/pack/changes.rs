//! Reads what changed: the files before and after, and the patch of each.
//!
//! Both texts of a file are freed of secrets as a whole before any line of its patch
//! is shown, and a file that must not be packed has no patch either.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::render::Part;
use super::shown::{ShowError, ShownFile, shown_bytes};
use super::{PackError, PackOptions, Reason, show_file};
use crate::Remark;
use crate::fit::fit_prefix;
use crate::repo::{
    Change, ChangeStatus, Changes, Comparison, FileKind, Filter, Hunk, Patch, denied, display_path,
    language_of, read_blobs,
};
use crate::tokens::Tokens;

/// The most of the budget that a diff beside a task may take, in percent.
const MOST_PERCENT: u64 = 40;

/// What changed, as it may be shown.
pub(super) struct ChangeSet {
    /// What it is compared with, in words.
    pub(super) since: String,
    /// The files, by path.
    pub(super) files: Vec<ChangedFile>,
    pub(super) notes: Vec<Remark>,
}

/// A file that changed.
pub(super) struct ChangedFile {
    pub(super) path: String,
    pub(super) from: Option<String>,
    pub(super) status: ChangeStatus,
    pub(super) language: Option<&'static str>,
    /// Its text, or why there is none to show.
    pub(super) text: Result<Arc<str>, Reason>,
    /// The text that it had, where that is known.
    pub(super) before: Option<String>,
    pub(super) patch: Option<Patch>,
    /// Whether a person wrote it.
    pub(super) is_written: bool,
}

impl ChangedFile {
    /// The lines of its text that changed, or beside which some are gone.
    pub(super) fn touched(&self) -> Vec<u32> {
        self.hunks().iter().flat_map(Hunk::touched).collect()
    }

    pub(super) fn hunks(&self) -> &[Hunk] {
        self.patch.as_ref().map_or(&[], |patch| &patch.hunks)
    }

    /// One line for the list of changes: `M src/a.rs +3 -1`.
    pub(super) fn line(&self) -> String {
        let letter = match self.status {
            ChangeStatus::Added => 'A',
            ChangeStatus::Copied => 'C',
            ChangeStatus::Deleted => 'D',
            ChangeStatus::Modified => 'M',
            ChangeStatus::Renamed => 'R',
            ChangeStatus::Untracked => '?',
        };
        let from = self.from.as_ref().map(|from| format!("{from} -> ")).unwrap_or_default();
        let sizes = match &self.patch {
            Some(patch) if patch.is_binary() => " (binary)".to_owned(),
            Some(patch) => {
                let (added, removed) = patch.sizes();
                format!(" +{added} -{removed}")
            }
            None => String::new(),
        };
        format!("{letter} {from}{}{sizes}\n", self.path)
    }
}

/// Reads what changed below a directory.
pub(super) fn gather(
    root: &Path,
    comparison: &Comparison,
    options: &PackOptions,
) -> Result<ChangeSet, PackError> {
    let filter = Filter::new(&options.walk.include, &options.walk.exclude)?;
    let within = &options.walk.within;
    let is_within = |path: &Path| within.is_empty() || within.iter().any(|it| path.starts_with(it));
    let mut changes = Changes::find(root, comparison)?;
    let mut notes = std::mem::take(&mut changes.notes);
    let patches = changes.patches().unwrap_or_else(|why| {
        notes.push(Remark::new("diff", why));
        vec![None; changes.files.len()]
    });
    let limit = options.walk.max_file_size.unwrap_or(u64::MAX);
    let ids = changes.files.iter().flat_map(|file| [&file.old, &file.new]).flatten();
    let blobs = read_blobs(&changes.root, ids.map(String::as_str), limit);
    let files: Vec<(ChangedFile, Option<Remark>)> = changes
        .files
        .par_iter()
        .zip(patches)
        .filter(|(change, _)| filter.wants(&change.path) && is_within(&change.path))
        .map(|(change, patch)| {
            let blob = |id: &Option<String>| blobs.get(id.as_deref()?).map(Vec::as_slice);
            let before = blob(&change.old);
            let text = match (&change.new, change.status) {
                (_, ChangeStatus::Deleted) => Err(Reason::Deleted),
                (None, _) => show_file(&changes.root, &change.path, options).map_err(reason),
                (Some(_), _) => match blob(&change.new) {
                    Some(bytes) => shown_bytes(&change.path, bytes, options).map_err(reason),
                    None => Err(Reason::TooLarge),
                },
            };
            read(change, patch, before, text, &changes.root, options)
        })
        .collect();
    let (files, remarks): (Vec<_>, Vec<_>) = files.into_iter().unzip();
    notes.extend(remarks.into_iter().flatten());
    Ok(ChangeSet { since: changes.since, files, notes })
}

/// Puts the texts of one change together with its patch.
fn read(
    change: &Change,
    patch: Option<Patch>,
    before: Option<&[u8]>,
    text: Result<ShownFile, Reason>,
    root: &Path,
    options: &PackOptions,
) -> (ChangedFile, Option<Remark>) {
    let path = display_path(&change.path);
    let earlier = change.from.as_ref().unwrap_or(&change.path);
    let is_denied = denied(&change.path).is_some() || denied(earlier).is_some();
    let before = before.and_then(|bytes| shown_bytes(earlier, bytes, options).ok());
    let mut patch = patch.filter(|_| !is_denied);
    if let (ChangeStatus::Untracked, Ok(shown)) = (change.status, &text) {
        let mode = mode_of(&root.join(&change.path));
        patch = Some(Patch::creating(&path, &shown.text, mode));
    }
    let secrets = |shown: Option<&ShownFile>| shown.map_or(0, |shown| shown.secrets);
    let (old, new) = (before.as_ref(), text.as_ref().ok());
    let count = secrets(old).max(secrets(new));
    if let Some(patch) = patch.as_mut().filter(|_| count > 0) {
        patch.redact(old.map(|shown| &*shown.text), new.map(|shown| &*shown.text));
    }
    // What cannot be read as a whole cannot be searched for secrets as a whole.
    let is_known = (change.old.is_none() || old.is_some())
        && (change.status == ChangeStatus::Deleted || new.is_some());
    let is_withheld = options.secrets.is_some() && !is_known;
    patch = patch.filter(|patch| !is_withheld || patch.hunks.is_empty() || patch.is_link());
    let remark = match (&text, count) {
        (Err(Reason::Denied), _) => Some("not packed: it may hold credentials".to_owned()),
        (_, 0) => None,
        (_, 1) => Some("1 secret redacted".to_owned()),
        (_, count) => Some(format!("{count} secrets redacted")),
    };
    let kind = FileKind::of(&path, options.score.names());
    let file = ChangedFile {
        language: language_of(&change.path),
        from: change.from.as_ref().map(|from| display_path(from)),
        status: change.status,
        text: match text {
            Ok(_) if kind.lock => Err(Reason::LockFile),
            Ok(shown) => Ok(Arc::from(shown.text)),
            Err(reason) => Err(reason),
        },
        before: before.map(|shown| shown.text),
        patch,
        is_written: !kind.lock && !kind.generated,
        path: path.clone(),
    };
    (file, remark.map(|message| Remark::new(path, message)))
}

/// The mode that git gives a file.
#[cfg(unix)]
fn mode_of(path: &Path) -> &'static str {
    use std::os::unix::fs::PermissionsExt;
    let is_program = path.metadata().is_ok_and(|it| it.permissions().mode() & 0o100 != 0);
    if is_program { "100755" } else { "100644" }
}

/// The mode that git gives a file.
#[cfg(not(unix))]
fn mode_of(_path: &Path) -> &'static str {
    "100644"
}

fn reason(error: ShowError) -> Reason {
    match error {
        ShowError::Denied { .. } => Reason::Denied,
        ShowError::Binary { kind, .. } => Reason::Binary { kind: Some(kind) },
        _ => Reason::Unreadable,
    }
}

/// The diff that stands beside a task, with as many whole files as a share of the budget allows.
pub(super) fn diff(
    root: &Path,
    options: &PackOptions,
    notes: &mut Vec<Remark>,
) -> Result<Option<Part>, PackError> {
    let Some(comparison) = options.changed.as_ref().filter(|_| options.diff) else {
        return Ok(None);
    };
    let mut changed = gather(root, comparison, options)?;
    notes.append(&mut changed.notes);
    let whole = |patch: &Patch| {
        let hunks = patch.hunks.iter().map(Hunk::text);
        std::iter::once(patch.header.clone()).chain(hunks).collect::<String>()
    };
    let patches = changed.files.iter().filter_map(|file| file.patch.as_ref());
    let patches: Vec<String> = patches.filter(|patch| !patch.is_binary()).map(whole).collect();
    let most =
        options.budget.map_or(Tokens::MAX, |all| Tokens::new(all.get() / 100 * MOST_PERCENT));
    let shown =
        fit_prefix(patches.len(), most, &options.counter, |count| patches[..count].concat());
    let (text, taken) = shown.map_or((String::new(), 0), |shown| (shown.text, shown.taken));
    if taken < patches.len() {
        let left = patches.len() - taken;
        let message = format!(
            "cut to {MOST_PERCENT} % of the budget: {left} of {} files left out",
            patches.len()
        );
        notes.push(Remark::new("diff", message));
    }
    Ok((!text.is_empty()).then(|| Part::diff(changed.since, text)))
}
