//! Plans what a compaction would do, before anything is written.
//!
//! A plan is a value: a dry run shows it, an applier carries it out. It holds
//! the bytes that were read, so that whoever writes can tell whether a file
//! changed in the meantime.

use serde::Serialize;

use super::choose::{Choice, Written, choose, head};
use super::compact::fold;
use super::document::{Document, Form, HANDOFF_TITLE, SUMMARY_TITLE};
use super::feature::read_note;
use super::measure::{level_of, own_text, total};
use super::read::clean;
use super::worth::{Row, Worth};
use super::write::whole_second;
use super::{
    CompactedNotes, Feature, HANDOFF_FILE, Level, Notes, NotesError, NotesOptions, Role,
    SUMMARY_FILE, Unit, UnitKind, compact_notes, read_notes,
};
use crate::Remark;
use crate::cache::ContentHash;
use crate::repo::{Decoded, decode};
use crate::tokens::Tokens;

/// The least that a summary may have.
const LEAST_SUMMARY: u64 = 1_500;
/// A summary has one in so many of the tokens of the notes.
const SUMMARY_SHARE: u64 = 8;

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
    /// What the notes were when they were read, see [`CompactionPlan::is_current`].
    pub(super) read: Vec<(String, ContentHash)>,
}

impl CompactionPlan {
    /// Tells whether the notes are still those that were read.
    pub(super) fn is_current(&self, feature: &Feature) -> Result<bool, NotesError> {
        let mut read = Vec::new();
        for name in feature.files()?.0 {
            let bytes = read_note(&feature.path(&name))?;
            read.extend(bytes.map(|bytes| (name, ContentHash::of(&bytes))));
        }
        Ok(self.read == read)
    }

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
pub(super) struct Read {
    name: String,
    bytes: Vec<u8>,
    /// The text, if it is one.
    text: Option<String>,
    tokens: Tokens,
}

impl Read {
    /// Returns name and text, if it is one.
    pub(super) fn as_text(&self) -> Option<(&str, &str)> {
        Some((&self.name, self.text.as_deref()?))
    }
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
        read: files.iter().map(|it| (it.name.clone(), ContentHash::of(&it.bytes))).collect(),
    };
    match level {
        Level::Raw => {}
        Level::Compact => compact(feature, &files, options, &mut plan),
        Level::Summarize => replace(feature, &files, Form::Summary, options, &mut plan),
        Level::Handoff => replace(feature, &files, Form::Handoff, options, &mut plan),
    }
    plan.settle(&files, options);
    if !plan.is_empty() && plan.tokens_after >= plan.tokens_before {
        let message = format!("left as they are: level {level} would not save tokens");
        plan.notes.push(Remark::new(feature.name(), message));
        plan.clear();
        plan.tokens_after = plan.tokens_before;
    }
    Ok(plan)
}

/// Reads notes; what is not text is left as it is.
pub(super) fn read_all(
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

/// Makes every note shorter, and folds what is finished.
fn compact(feature: &Feature, files: &[Read], options: &NotesOptions, plan: &mut CompactionPlan) {
    let notes = files.iter().filter(|file| !file.name.ends_with(".json"));
    let notes: Vec<&Read> = notes.filter(|file| file.text.is_some()).collect();
    let edited: Vec<CompactedNotes> = notes
        .iter()
        .map(|file| {
            let text = file.text.as_deref().unwrap_or_default();
            if is_markdown(&file.name) {
                compact_notes(text, options)
            } else {
                CompactedNotes { text: text.to_owned(), items: Vec::new() }
            }
        })
        .collect();
    let texts: Vec<(&str, &str)> = notes
        .iter()
        .zip(&edited)
        .map(|(file, it)| (file.name.as_str(), it.text.as_str()))
        .collect();
    let mut folded = fold(&texts, &options.record_id(plan.level), options);
    for (index, (file, edited)) in notes.iter().zip(edited).enumerate() {
        let (text, mut items) = folded.remove(&index).unwrap_or((edited.text, Vec::new()));
        items.extend(edited.items);
        items.sort_by_key(|it| it.line);
        if Some(&text) != file.text.as_ref() {
            plan.information_loss |= items.iter().any(|it| it.kind == ItemKind::OldContent);
            plan.changes.push(FileChange {
                name: file.name.clone(),
                before: Some(file.bytes.clone()),
                after: Some(text.into_bytes()),
                items,
            });
        }
    }
    if plan.changes.is_empty() {
        let message = "every line says something, and no finished section is old";
        plan.notes.push(Remark::new(feature.name(), message));
    }
}

/// Puts a document in the place of the notes.
fn replace(
    feature: &Feature,
    files: &[Read],
    form: Form,
    options: &NotesOptions,
    plan: &mut CompactionPlan,
) {
    let name = if form == Form::Summary { SUMMARY_FILE } else { HANDOFF_FILE };
    let texts: Vec<(&str, &str)> = files.iter().filter_map(Read::as_text).collect();
    // A summary of a summary would only lose what the titles count.
    let is_done = |it: &Read| it.name.ends_with(".json") || is_summary(it);
    let is_again = form == Form::Summary && options.document_tokens.is_none();
    if is_again && files.iter().all(is_done) && files.iter().any(is_summary) {
        return;
    }
    let reading = Reading::of(&texts, options);
    let budget = options.document_tokens.unwrap_or_else(|| budget(files, form, options));
    let id = options.record_id(plan.level);
    let originals = format!("loadline notes restore {} {id}", feature.name());
    let written = match reading.write(feature.name(), form, &originals, budget, options) {
        Ok(written) if written.shown.contains(&true) => written,
        Ok(_) => return plan.refuse(name, "not written: nothing in the notes could be read"),
        Err(error) => return plan.refuse(name, &format!("not written: {error}")),
    };
    if !written.keeps_all {
        let message = format!(
            "lines that memory.preserve names need more than {budget} tokens; the rest is in the archive"
        );
        plan.notes.push(Remark::new(name, message));
    }
    let before = files.iter().find(|file| file.name == name);
    plan.changes = replaced(files, name);
    plan.changes.push(FileChange {
        name: name.to_owned(),
        before: before.map(|file| file.bytes.clone()),
        after: Some(written.text.clone().into_bytes()),
        items: Vec::new(),
    });
    plan.preserved_decisions = reading.shown(&written, Role::Decision);
    plan.preserved_files = reading.shown(&written, Role::File);
    plan.information_loss = true;
    plan.document = Some(written.text);
}

/// Returns how many tokens a document may have.
///
/// What is a summary already is not reduced again.
fn budget(files: &[Read], form: Form, options: &NotesOptions) -> Tokens {
    if form == Form::Handoff {
        return options.handoff_budget();
    }
    let (done, rest): (Vec<&Read>, Vec<&Read>) = files.iter().partition(|it| is_summary(it));
    let sum = |files: &[&Read]| files.iter().map(|it| it.tokens.get()).sum::<u64>();
    Tokens::new((sum(&done) + sum(&rest) / SUMMARY_SHARE).max(LEAST_SUMMARY))
}

fn is_summary(note: &Read) -> bool {
    note.text.as_ref().is_some_and(|it| it.starts_with(SUMMARY_TITLE))
}

/// Notes with what they are worth, ready to be written as a document.
pub(super) struct Reading {
    notes: Notes,
    worth: Worth,
    /// Units on lines that the settings say must stay.
    preserved: Vec<bool>,
}

impl Reading {
    pub(super) fn of(texts: &[(&str, &str)], options: &NotesOptions) -> Reading {
        let mut notes = read_notes(texts);
        notes.add_files(&options.changed_files);
        let worth = Worth::of(&notes, &options.background);
        let lines: Vec<Vec<&str>> = texts.iter().map(|it| it.1.lines().collect()).collect();
        let stays = |unit: &Unit| {
            let line = lines.get(unit.file).and_then(|it| it.get(unit.line.wrapping_sub(1)));
            line.is_some_and(|line| options.insists.iter().any(|it| it.is_match(line)))
        };
        let preserved = notes.units.iter().map(stays).collect();
        Reading { notes, worth, preserved }
    }

    /// Returns how many units there are.
    pub(super) fn units(&self) -> usize {
        self.notes.units.len()
    }

    /// Iterates over the units with their file, how much each is needed and used, and its
    /// signals.
    pub(super) fn weighed(&self) -> impl Iterator<Item = (&str, &Unit, [f64; 2], &Row)> {
        let Worth { needed, used, rows, .. } = &self.worth;
        let worth = needed.iter().zip(used).map(|(needed, used)| [*needed, *used]);
        let units = self.notes.units.iter().zip(worth).zip(rows);
        units.map(|((unit, worth), row)| (&*self.notes.files[unit.file], unit, worth, row))
    }

    /// Writes a document of at most so many tokens.
    pub(super) fn write(
        &self,
        name: &str,
        form: Form,
        originals: &str,
        budget: Tokens,
        options: &NotesOptions,
    ) -> Result<Written, crate::fit::FitError> {
        let now = whole_second(options.now);
        let (title, generated) = match form {
            Form::Summary => {
                (format!("{SUMMARY_TITLE} {name} ({})", now.strftime("%Y-%m-%d")), None)
            }
            Form::Handoff => (format!("{HANDOFF_TITLE} {name}"), Some(now.to_string())),
            Form::Brief => {
                let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
                (format!("# Where the work on {name} stands"), None)
            }
        };
        let mut head = head(
            title,
            &[
                ("Generated", generated.as_deref()),
                ("Session", options.session.as_deref()),
                ("Checkpoint", options.checkpoint.as_deref()),
                ("Branch", options.branch.as_deref()),
                ("Originals", Some(originals)),
            ],
        );
        if let Some(prose) = options.prose.as_deref().map(str::trim).filter(|it| !it.is_empty()) {
            head.push_str(&format!("\n## Overview\n{prose}\n"));
        }
        let (notes, task) = (&self.notes, self.notes.current_task());
        choose(Choice {
            document: Document { notes, form, head, task, cite: options.cite },
            worth: &self.worth,
            preserved: &self.preserved,
            budget,
            counter: &options.counter,
        })
    }

    /// Returns the texts of a role that a document shows.
    fn shown(&self, written: &Written, role: Role) -> Vec<String> {
        let units = self.notes.units.iter().zip(&written.shown);
        let of_role = units.filter(|(unit, shown)| **shown && unit.role == role);
        let plain = of_role.filter(|(unit, _)| unit.kind != UnitKind::Heading);
        plain.map(|(unit, _)| clean(&unit.text)).collect()
    }
}

/// Takes notes out that a document stands for. Data of other tools stays.
fn replaced(files: &[Read], document: &str) -> Vec<FileChange> {
    let goes = |file: &&Read| {
        file.name != document && file.text.is_some() && !file.name.ends_with(".json")
    };
    let change = |file: &Read| FileChange {
        name: file.name.clone(),
        before: Some(file.bytes.clone()),
        items: vec![CompactedItem {
            kind: ItemKind::OldContent,
            line: 1,
            original_size: file.tokens,
            compacted_size: Tokens::ZERO,
        }],
        after: None,
    };
    files.iter().filter(goes).map(change).collect()
}

fn is_markdown(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".md")
}

impl CompactionPlan {
    /// Leaves the notes as they are, and says why.
    fn refuse(&mut self, name: &str, reason: &str) {
        self.notes.push(Remark::new(name, reason));
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
        let new = self.changes.iter();
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
