//! A plan becomes files.
//!
//! Everything that changes is archived and recorded first, and the files
//! change together or not at all. `state.json` learns how many tokens are in
//! use now; it is one of the changed files, so a revert takes that back, too.

use serde_json::json;

use super::measure::level_of;
use super::state::set_member;
use super::vault::{
    Expected, HistoryEntry, Locked, Operation, Target, VaultError, carry_out, look, next_id,
};
use super::write::{snapshot, whole_second};
use super::{
    CompactionPlan, Feature, FeatureStatus, Level, NotesError, NotesOptions, STATE_FILE,
    WriteOptions, plan_compaction,
};
use crate::Remark;

/// Why a snapshot is taken before notes are reduced.
const BEFORE_COMPACTION: &str = "pre-compaction";
/// Why one is taken before a handoff.
const OVERFLOW: &str = "context_overflow";

/// A compaction that was carried out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compaction {
    /// The plan that was carried out.
    pub plan: CompactionPlan,
    /// Its record, which can be reverted; `None` where there was nothing to do.
    pub entry: Option<HistoryEntry>,
    /// What is worth telling, the notes of the plan included.
    pub notes: Vec<Remark>,
}

/// Compacts a feature to a level; without one, to the level it has reached.
///
/// Waits for other processes that work on the feature, and plans after them.
/// Where there is nothing to do, nothing is written.
///
/// ```
/// use loadline::notes::{Edits, Features, Level, NotesOptions, WriteOptions, compact as compact_feature, revert as revert_feature};
/// use loadline::settings::Config;
/// use loadline::tokens::{Counter, Tokens};
/// let root = tempfile::tempdir()?;
/// let notes = root.path().join("login/progress.md");
/// let text = "The handler of the login form was read once more, and it looks as it did before.\n\n";
/// let text = text.repeat(20);
/// std::fs::create_dir(root.path().join("login"))?;
/// std::fs::write(&notes, &text)?;
///
/// let feature = Features::new(root.path()).feature("login")?;
/// let config = Config::load(Vec::new())?;
/// let settings = &config.settings().memory;
/// let now = "2026-01-31T12:00:00Z".parse()?;
/// let counter = Counter::open("o200k")?.0;
/// let memory = NotesOptions::new(settings, counter, Tokens::new(200_000), now)?;
/// let write = WriteOptions::new(settings, now);
///
/// let done = compact_feature(&feature, Some(Level::Compact), &memory, &write)?;
/// assert!(std::fs::read_to_string(&notes)?.len() < text.len() / 2);
/// let id = done.entry.ok_or("nothing was done")?.id;
/// revert_feature(&feature, &id, Edits::Refuse, &write)?;
/// assert_eq!(std::fs::read_to_string(&notes)?, text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compact(
    feature: &Feature,
    level: Option<Level>,
    memory: &NotesOptions,
    options: &WriteOptions,
) -> Result<Compaction, NotesError> {
    let vault = options.vault(feature);
    let early =
        if vault.is_unfinished() { None } else { Some(plan_compaction(feature, level, memory)?) };
    if let Some(plan) = early.as_ref().filter(|it| it.is_empty()) {
        return Ok(nothing_done(plan.clone(), Vec::new()));
    }
    let locked = vault.lock(options.wait)?;
    // Another process may have been here in the meantime.
    let plan = match early {
        Some(plan) if plan.is_current(feature)? => plan,
        _ => plan_compaction(feature, level, memory)?,
    };
    if plan.is_empty() {
        return Ok(nothing_done(plan, locked.notes));
    }
    let (checkpoint, _) = snapshot(&locked, trigger(plan.level), options)?;
    // What is written names the record, and a handoff the snapshot.
    let snapshot = (plan.level == Level::Handoff).then(|| checkpoint.clone());
    let record = next_id(&vault, plan.level.name(), options.now)?;
    let plan = if snapshot.is_some() || record != memory.record_id(plan.level) {
        let record = Some(record);
        let memory = NotesOptions { checkpoint: snapshot, record, ..memory.clone() };
        plan_compaction(feature, Some(plan.level), &memory)?
    } else {
        plan
    };
    write(&locked, plan, memory, checkpoint, options)
}

/// Carries out a plan that was made before.
///
/// Fails where a file is not as it was then, and changes nothing in that case.
pub fn apply(
    feature: &Feature,
    plan: CompactionPlan,
    memory: &NotesOptions,
    options: &WriteOptions,
) -> Result<Compaction, NotesError> {
    if plan.is_empty() {
        return Ok(nothing_done(plan, Vec::new()));
    }
    let vault = options.vault(feature);
    let locked = vault.lock(options.wait)?;
    let (checkpoint, _) = snapshot(&locked, trigger(plan.level), options)?;
    write(&locked, plan, memory, checkpoint, options)
}

fn trigger(level: Level) -> &'static str {
    match level {
        Level::Handoff => OVERFLOW,
        _ => BEFORE_COMPACTION,
    }
}

fn nothing_done(plan: CompactionPlan, mut notes: Vec<Remark>) -> Compaction {
    notes.extend(plan.notes.iter().cloned());
    Compaction { plan, entry: None, notes }
}

fn write(
    locked: &Locked<'_>,
    plan: CompactionPlan,
    memory: &NotesOptions,
    checkpoint: String,
    options: &WriteOptions,
) -> Result<Compaction, NotesError> {
    let mut notes = locked.notes.clone();
    notes.extend(plan.notes.iter().cloned());
    let mut targets: Vec<Target> = plan
        .changes
        .iter()
        .map(|change| Target {
            path: change.name.clone(),
            expected: Some(Expected(change.before.clone())),
            after: change.after.clone(),
            like: None,
        })
        .collect();
    notes.extend(tell_state(locked, &mut targets, &plan, memory)?);
    let operation = Operation {
        kind: plan.level.name(),
        tokens: Some((plan.tokens_before.get(), plan.tokens_after.get())),
        targets,
        extra: Vec::new(),
        reverts: None,
        checkpoint: Some(checkpoint),
        now: options.now,
        window: options.rollback_window,
    };
    let (entry, told) = carry_out(locked, operation)?;
    notes.extend(told);
    Ok(Compaction { plan, entry: Some(entry), notes })
}

/// Adds to `state.json` what is in use now and what was done.
///
/// There need not be such a file, and what is no JSON object is left alone.
fn tell_state(
    locked: &Locked<'_>,
    targets: &mut Vec<Target>,
    plan: &CompactionPlan,
    memory: &NotesOptions,
) -> Result<Option<Remark>, NotesError> {
    let planned = targets.iter().position(|it| it.path == STATE_FILE);
    let bytes = match planned {
        Some(index) => targets.get(index).and_then(|it| it.after.clone()),
        // A link there is not ours to follow, and no reason to stop.
        None => match look(&locked.directory().join(STATE_FILE)) {
            Err(VaultError::NotPlain { .. }) => None,
            found => found?.map(|found| found.bytes),
        },
    };
    let Some(bytes) = bytes else {
        return Ok(None);
    };
    let Some(told) =
        String::from_utf8(bytes.clone()).ok().and_then(|text| set_members(&text, plan, memory))
    else {
        let message = "no JSON object; the tokens in use are not written to it";
        return Ok(Some(Remark::new(STATE_FILE, message)));
    };
    match planned.and_then(|index| targets.get_mut(index)) {
        Some(target) => target.after = Some(told.into_bytes()),
        None => targets.push(Target {
            path: STATE_FILE.to_owned(),
            expected: Some(Expected(Some(bytes))),
            after: Some(told.into_bytes()),
            like: None,
        }),
    }
    Ok(None)
}

fn set_members(text: &str, plan: &CompactionPlan, memory: &NotesOptions) -> Option<String> {
    let now = whole_second(memory.now);
    let done = json!({
        "timestamp": now.to_string(),
        "level": plan.level.name(),
        "tokensBefore": plan.tokens_before.get(),
        "tokensAfter": plan.tokens_after.get(),
        "savedTokens": plan.saved().get(),
    });
    let status = FeatureStatus {
        feature: plan.feature.clone(),
        files: Vec::new(),
        tokens: plan.tokens_after,
        max_tokens: memory.max_tokens,
        level: level_of(plan.tokens_after, memory),
        notes: Vec::new(),
    };
    let text = set_member(text, "tokenUsage", &status.token_usage(now))?;
    set_member(&text, "lastCompaction", &done)
}
