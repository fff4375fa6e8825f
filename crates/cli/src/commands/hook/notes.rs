//! Warns before a tool is used where the notes of the active feature are too full.
//!
//! It makes no decision about the tool, so permissions are asked for as always.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use loadline::agents::HookEvent;
use loadline::notes::{
    COMPACTION_DIRECTORY, ContextWarning, Feature, Features, HistoryEntry, before_tool_use, brief,
    checkpoint as take_checkpoint, handle_context_warning, recover as recover_feature,
};
use loadline::tokens::Tokens;
use loadline::{read_plain_file, write_atomic};

use crate::error::Result;
use crate::memory::{Memory, MemoryArgs};
use crate::ui::{Ui, thousands};

/// How long another process is waited for.
const PATIENCE: Duration = Duration::from_millis(100);

/// The most tokens that a session starts with.
const START: Tokens = Tokens::new(1_500);

/// Says what was warned of last: the session and the level.
const WARNED: &str = "warned";

/// What the user and the model are told.
pub(super) struct Warned {
    pub(super) message: String,
    pub(super) context: String,
}

/// Hands over where the work stands when a session begins.
pub(super) fn start(event: &HookEvent, ui: &mut Ui) -> Result<Option<String>> {
    let Some((mut memory, feature)) = active(event, ui)? else {
        return Ok(None);
    };
    memory.ask_git(&feature);
    let budget = memory.options.handoff_budget().min(START);
    let brief = brief(&feature, budget, &memory.options)?;
    Ok(Some(brief.text).filter(|it| !it.is_empty()))
}

/// Finds the feature that is worked on.
fn active(event: &HookEvent, ui: &mut Ui) -> Result<Option<(Memory, Feature)>> {
    let here = || std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let directory = event.directory.clone().unwrap_or_else(here);
    let mut memory = Memory::of(&directory, &MemoryArgs::default(), ui)?;
    memory.write.wait = PATIENCE;
    let Some(name) = Features::active(&memory.project) else {
        return Ok(None);
    };
    // Settings come with a repository; nothing outside of it is touched unasked.
    if !is_inside(memory.features.root(), &memory.project) {
        return Ok(None);
    }
    let feature = memory.features.feature(&name)?;
    recover_feature(&feature, &memory.write)?;
    Ok(Some((memory, feature)))
}

/// Warns where notes are too full.
pub(super) fn answer(event: &HookEvent, ui: &mut Ui) -> Result<Option<Warned>> {
    let Some((memory, feature)) = active(event, ui)? else {
        return Ok(None);
    };
    let Some(warning) = before_tool_use(&feature, &memory.options, &memory.store)? else {
        return Ok(None);
    };
    let checkpoint = if warning.is_close() {
        take_checkpoint(&feature, "context_overflow", &memory.write).ok()
    } else {
        None
    };
    if memory.config.settings().memory.auto
        && let Ok(done) = handle_context_warning(&feature, &warning, &memory.options, &memory.write)
        && let Some(entry) = &done.entry
    {
        return Ok(Some(compacted(&feature, entry)));
    }
    if !is_news(&feature, event, &warning) {
        return Ok(None);
    }
    Ok(Some(warned(&feature, &warning, checkpoint.map(|it| it.0))))
}

fn is_inside(root: &Path, project: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    match (real(root), real(project)) {
        (Some(root), Some(project)) => root.starts_with(project),
        _ => false,
    }
}

/// Tells whether this session was not warned of this level yet, and remembers that.
///
/// A warning before every tool would itself fill the context.
fn is_news(feature: &Feature, event: &HookEvent, warning: &ContextWarning) -> bool {
    let close = if warning.is_close() { " close" } else { "" };
    let news = format!("{} {}{close}\n", event.session, warning.level);
    let own = feature.path(COMPACTION_DIRECTORY);
    let path = own.join(WARNED);
    let plain = |path: &Path| !fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
    if !plain(&own) || !plain(&path) {
        return true;
    }
    if read_plain_file(&path, 4_096).is_ok_and(|known| known == news.as_bytes()) {
        return false;
    }
    // Where that cannot be remembered it is said again.
    let _ = write_atomic(&path, news.as_bytes());
    true
}

fn warned(feature: &Feature, warning: &ContextWarning, checkpoint: Option<String>) -> Warned {
    let (name, status) = (feature.name(), &warning.status);
    let (tokens, most) = (status.tokens.get(), status.max_tokens.get());
    let saved = checkpoint.map_or(String::new(), |id| format!(" Checkpoint: {id}."));
    Warned {
        message: format!("{} Run: loadline feature compact {name}.{saved}", warning.message),
        context: format!(
            "The notes of feature {name} have {} of {} tokens ({}%). {} \
             `loadline feature compact {name}` makes them smaller and can be reverted.{saved}",
            thousands(tokens),
            thousands(most),
            status.percent_text(),
            warning.level.recommendation(),
        ),
    }
}

fn compacted(feature: &Feature, entry: &HistoryEntry) -> Warned {
    let name = feature.name();
    let count = |tokens: Option<u64>| thousands(tokens.unwrap_or(0));
    let saved = format!(
        "Saved: {} tokens ({} → {})",
        count(entry.saved_tokens),
        count(entry.tokens_before),
        count(entry.tokens_after)
    );
    // What was removed cannot be read again.
    let left = entry.files.iter().filter(|file| file.size_after.is_some());
    let files: Vec<&str> = left.map(|file| file.path.as_str()).collect();
    let (level, id) = (&entry.level, &entry.id);
    Warned {
        message: format!("{name}: {level}. {saved}. loadline feature compact {name} --revert {id}"),
        context: format!(
            "The notes of feature {name} were compacted to level {level}. {saved}. \
             Read these again before you rely on them: {}.",
            files.join(", ")
        ),
    }
}
