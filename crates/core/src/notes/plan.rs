//! Plans what a compaction would do, before anything is written.
//!
//! A plan is a value: a dry run shows it, an applier carries it out. It holds
//! the bytes that were read, so that whoever writes can tell whether a file
//! changed in the meantime.

use serde::Serialize;

use super::compact::{code_lines, task_state};
use super::feature::read_note;
use super::measure::{level_of, own_text, total};
use super::read::{clean, is_none};
use super::{
    Facts, Feature, HANDOFF_FILE, Handoff, Level, NotesError, NotesOptions, SUMMARY_FILE,
    TASKS_FILE, compact_notes, parse_handoff, read_notes, summarize, write_handoff, write_summary,
};
use crate::Remark;
use crate::repo::{Decoded, decode};
use crate::tokens::Tokens;

/// Why a piece of a note was reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompactedItem {
    /// Why.
    #[serde(rename = "type")]
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
    pub notes: Vec<Remark>,
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

/// One note as it was read.
struct Read {
    name: String,
    bytes: Vec<u8>,
    /// The text, if it is one.
    text: Option<String>,
    tokens: Tokens,
}

/// Makes the plan; see [`super::plan_compaction`].
pub(super) fn plan(
    feature: &Feature,
    level: Option<Level>,
    options: &NotesOptions,
) -> Result<CompactionPlan, NotesError> {
    let (names, mut notes) = feature.files()?;
    let files = read_all(feature, names, options, &mut notes)?;
    let before = total(files.iter().map(|file| file.tokens), options);
    let level = level.unwrap_or_else(|| level_of(before, options));
    let mut plan = CompactionPlan {
        feature: feature.name().to_owned(),
        level,
        tokens_before: before,
        tokens_after: before,
        changes: Vec::new(),
        document: None,
        preserved_decisions: Vec::new(),
        preserved_files: Vec::new(),
        information_loss: false,
        notes,
    };
    match level {
        Level::Raw => {}
        Level::Compact => compact(&files, options, &mut plan),
        Level::Summarize => summarize(feature, &files, options, &mut plan),
        Level::Handoff => hand_off(feature, &files, options, &mut plan),
    }
    plan.settle(&files, options);
    Ok(plan)
}

fn read_all(
    feature: &Feature,
    names: Vec<String>,
    options: &NotesOptions,
    notes: &mut Vec<Remark>,
) -> Result<Vec<Read>, NotesError> {
    let mut files = Vec::with_capacity(names.len());
    for name in names {
        let path = feature.path(&name);
        let Some(bytes) = read_note(&path)? else {
            continue;
        };
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => Some(text.to_owned()),
            Err(_) => {
                notes.push(Remark::new(&name, "left as it is: not UTF-8"));
                None
            }
        };
        let tokens = match &text {
            Some(text) => options.counter.count(&own_text(&name, text)),
            None => match decode(&bytes) {
                Decoded::Text { text, .. } => options.counter.count(&text),
                Decoded::Binary { .. } => Tokens::ZERO,
            },
        };
        files.push(Read { name, bytes, text, tokens });
    }
    Ok(files)
}

/// Makes every note shorter.
fn compact(files: &[Read], options: &NotesOptions, plan: &mut CompactionPlan) {
    for file in files.iter().filter(|file| is_markdown(&file.name)) {
        let Some(text) = &file.text else {
            continue;
        };
        let compacted = compact_notes(text, options);
        if compacted.text != *text {
            plan.changes.push(FileChange {
                name: file.name.clone(),
                before: Some(file.bytes.clone()),
                after: Some(compacted.text.into_bytes()),
                items: compacted.items,
            });
        }
    }
}

/// Puts a summary in the place of the notes.
fn summarize(feature: &Feature, files: &[Read], options: &NotesOptions, plan: &mut CompactionPlan) {
    let facts = facts_of(feature, files, options);
    let date = options.now.strftime("%Y-%m-%d").to_string();
    let prose = options.prose.as_deref();
    let most = summarize::room(plan.tokens_before, options);
    let document = write_summary(feature.name(), &date, &facts, prose, most, &options.counter);
    let before = files.iter().find(|file| file.name == SUMMARY_FILE);
    plan.changes = replaced(files, options, SUMMARY_FILE);
    plan.changes.push(FileChange {
        name: SUMMARY_FILE.to_owned(),
        before: before.map(|file| file.bytes.clone()),
        after: Some(document.clone().into_bytes()),
        items: Vec::new(),
    });
    plan.document = Some(document);
    plan.preserve(facts);
    if plan.after(files, options) >= plan.tokens_before {
        let note = Remark::new(SUMMARY_FILE, "not written: it would be no shorter than the notes");
        plan.notes.push(note);
        plan.clear();
    }
}

/// Puts a document for a new session in the place of the notes.
fn hand_off(feature: &Feature, files: &[Read], options: &NotesOptions, plan: &mut CompactionPlan) {
    let facts = facts_of(feature, files, options);
    let mut handoff = Handoff::new(feature.name(), &facts, options);
    if let Some(prose) = &options.prose {
        let lines = prose.lines().map(clean).filter(|line| !is_none(line));
        let lines: Vec<String> = lines.collect();
        handoff.facts.context.splice(0..0, lines);
    }
    let most = options.window.get() as f64 * options.handoff_percent / 100.0;
    let (handoff, note) = handoff.fit(Tokens::new(most as u64), &options.counter);
    plan.notes.extend(note);
    let document = write_handoff(&handoff);
    plan.changes = replaced(files, options, HANDOFF_FILE);
    plan.changes.push(FileChange {
        name: HANDOFF_FILE.to_owned(),
        before: read_note(&feature.path(HANDOFF_FILE)).ok().flatten(),
        after: Some(document.clone().into_bytes()),
        items: Vec::new(),
    });
    plan.document = Some(document);
    plan.preserve(handoff.facts);
}

/// Reads what the notes say, and what the handoff before them said.
fn facts_of(feature: &Feature, files: &[Read], options: &NotesOptions) -> Facts {
    let notes: Vec<(&str, &str)> =
        files.iter().filter_map(|file| Some((file.name.as_str(), file.text.as_deref()?))).collect();
    let mut facts = read_notes(&notes);
    facts.files.extend(options.changed_files.iter().cloned());
    let older = read_note(&feature.path(HANDOFF_FILE)).ok().flatten();
    match older.and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(text) => facts.after(parse_handoff(&text).facts),
        None => facts.settle(),
    }
}

/// Takes notes out that a document stands for; of tasks those that are done.
fn replaced(files: &[Read], options: &NotesOptions, document: &str) -> Vec<FileChange> {
    let change = |file: &Read| {
        let text = file.text.as_deref()?;
        let after = match file.name.as_str() {
            name if name == document || !is_markdown(name) => return None,
            TASKS_FILE => Some(open_tasks(text)?),
            _ => None,
        };
        let compacted = after.as_deref().map_or(Tokens::ZERO, |it| options.counter.count(it));
        Some(FileChange {
            name: file.name.clone(),
            before: Some(file.bytes.clone()),
            items: vec![CompactedItem {
                kind: ItemKind::OldContent,
                line: 1,
                original_size: file.tokens,
                compacted_size: compacted,
            }],
            after: after.map(String::into_bytes),
        })
    };
    files.iter().filter_map(change).collect()
}

/// Returns the headings and the tasks that are not done; `None` where none is done.
fn open_tasks(text: &str) -> Option<String> {
    let code = code_lines(text);
    let mut kept = String::new();
    let mut done_at: Option<usize> = None;
    let mut dropped = false;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let indent = line.len() - line.trim_start().len();
        let blank = line.trim().is_empty();
        let state = task_state(line).filter(|_| !code.get(index).copied().unwrap_or(false));
        if done_at.is_some_and(|done| !blank && indent <= done) {
            done_at = None;
        }
        let done = matches!(state, Some('x' | 'X'));
        if done && done_at.is_none() {
            done_at = Some(indent);
        }
        // What stands below a task that is done goes with it, unless it is open.
        let goes = done || (done_at.is_some() && !blank && state.is_none());
        dropped |= goes;
        if !goes {
            kept.push_str(line);
        }
    }
    dropped.then_some(kept)
}

fn is_markdown(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".md")
}

impl CompactionPlan {
    /// Says what the document holds.
    fn preserve(&mut self, facts: Facts) {
        self.preserved_decisions = facts.decisions;
        self.preserved_files = facts.files;
        self.information_loss = true;
    }

    /// Takes back all changes.
    fn clear(&mut self) {
        self.changes.clear();
        self.document = None;
        self.preserved_decisions.clear();
        self.preserved_files.clear();
        self.information_loss = false;
    }

    /// Counts what the feature will have.
    fn after(&self, files: &[Read], options: &NotesOptions) -> Tokens {
        let change = |name: &str| self.changes.iter().find(|change| change.name == name);
        let kept = files.iter().filter_map(|file| match change(&file.name) {
            None => Some(file.tokens),
            Some(change) => Some(options.counter.count_bytes(change.after.as_ref()?)),
        });
        let new = self.changes.iter().filter(|change| change.name == SUMMARY_FILE);
        let new = new.filter(|change| files.iter().all(|file| file.name != change.name));
        let new =
            new.filter_map(|change| Some(options.counter.count_bytes(change.after.as_ref()?)));
        total(kept.chain(new), options)
    }

    /// Brings the changes into order and counts.
    fn settle(&mut self, files: &[Read], options: &NotesOptions) {
        self.changes.retain(|change| change.before != change.after);
        self.changes.sort_by(|left, right| left.name.cmp(&right.name));
        self.tokens_after = self.after(files, options);
        self.notes.sort();
    }
}

#[cfg(test)]
mod tests;
