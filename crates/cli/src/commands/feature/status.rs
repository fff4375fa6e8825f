//! `loadline feature status`: how full the notes of a feature are.

use std::fmt::Write as _;
use std::io::Write as _;

use jiff::Timestamp;
use loadline::notes::{
    Feature, FeatureStatus, Level, Notes, Role, STATE_FILE, Saving, measure_feature, read_notes,
    read_savings, record_usage,
};
use loadline::tokens::Tokens;
use serde::Serialize;
use serde_json::Value;

use crate::error::Result;
use crate::memory::{Memory, MemoryArgs, clock, snake_keys};
use crate::ui::{Ui, escape_control, plural, thousands};
use crate::watch;

/// Show how full the notes of a feature are, and their tasks.
///
/// Counts the .md and .json files of its directory. If there is a state.json, the
/// result is written to its tokenUsage.
#[derive(Debug, clap::Args)]
pub(crate) struct StatusArgs {
    /// Name of the feature [default: the one in .claude/active-focus.md].
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Show tokens, the last compaction and the history.
    #[arg(long)]
    tokens: bool,
    /// Update whenever the notes change, until Ctrl-C.
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    memory: MemoryArgs,
}

/// The document of `feature status`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct StatusJson<'a> {
    #[serde(flatten)]
    usage: UsageJson<'a>,
    last_checked: Timestamp,
    last_compaction: Option<Value>,
    history: Vec<SavingJson<'a>>,
}

/// How full the notes of a feature are, and what that calls for.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct UsageJson<'a> {
    #[serde(flatten)]
    status: &'a FeatureStatus,
    usage_percentage: f64,
    recommendation: &'static str,
    can_continue: bool,
}

impl<'a> From<&'a FeatureStatus> for UsageJson<'a> {
    fn from(status: &'a FeatureStatus) -> UsageJson<'a> {
        UsageJson {
            status,
            usage_percentage: status.percent(),
            recommendation: status.level.recommendation(),
            can_continue: status.level.can_continue(),
        }
    }
}

/// One compaction of the history.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct SavingJson<'a> {
    #[serde(flatten)]
    saving: &'a Saving,
    saved_tokens: Tokens,
}

impl<'a> SavingJson<'a> {
    pub(in crate::commands) fn new(saving: &'a Saving) -> SavingJson<'a> {
        SavingJson { saving, saved_tokens: saving.saved() }
    }
}

/// Measures and shows, once or until Ctrl-C.
pub(in crate::commands) fn run(args: &StatusArgs, ui: &mut Ui) -> Result<()> {
    let mut memory = Memory::open(&args.memory, ui)?;
    let name = memory.name_or_active(args.name.as_deref())?;
    let feature = memory.feature(&name, ui)?;
    if !args.watch {
        let status = measure_feature(&feature, &memory.options, &memory.store)?;
        if let Err(error) = record_usage(&feature, &status, memory.options.now) {
            ui.remarks([loadline::Remark::new(STATE_FILE, error.to_string())]);
        }
        return show(&feature, &status, &memory, args, ui);
    }
    watch::watch(feature.directory(), |before| {
        memory.refresh(ui);
        let status = measure_feature(&feature, &memory.options, &memory.store)?;
        let shown = format!("{status:?}{:?}", read_savings(&feature));
        if before != Some(shown.as_str()) {
            show(&feature, &status, &memory, args, ui)?;
            ui.finish()?;
        }
        Ok(shown)
    })
}

fn show(
    feature: &Feature,
    status: &FeatureStatus,
    memory: &Memory,
    args: &StatusArgs,
    ui: &mut Ui,
) -> Result<()> {
    let (history, notes) = read_savings(feature);
    ui.remarks(status.notes.iter().cloned().chain(notes));
    ui.remarks(memory.store.take_notes());
    let last = last_compaction(feature);
    if ui.wants_json() {
        return Ok(ui.json(&StatusJson {
            usage: status.into(),
            last_checked: memory.options.now,
            last_compaction: last.map(snake_keys),
            history: history.iter().map(SavingJson::new).collect(),
        })?);
    }
    let mut text = head(&status.feature);
    if args.tokens {
        tokens(status, memory, &mut text);
        compactions(last.as_ref(), &history, memory, &mut text);
    } else {
        overview(status, &notes_of(feature, status), &mut text)
    }
    Ok(ui.out().write_all(text.as_bytes())?)
}

fn head(name: &str) -> String {
    let line = "━".repeat(31);
    format!("📊 Feature Status: {}\n{line}\n", escape_control(name))
}

fn tokens(status: &FeatureStatus, memory: &Memory, text: &mut String) {
    let current = thousands(status.tokens.get());
    let max = thousands(status.max_tokens.get());
    let level = status.level.name().to_uppercase();
    let advice = advice(status.level);
    let checked = clock(memory.options.now);
    // Writing to a text does not fail.
    let _ = write!(
        text,
        "\n🔢 Token Usage:\n  Current: {current} tokens ({}%)\n  Max: {max} tokens\n  Level: {level} ({advice})\n  Last Checked: {checked}\n",
        status.percent_text()
    );
}

/// The recommendation in a few words.
fn advice(level: Level) -> &'static str {
    match level {
        Level::Raw => "Continue normally",
        Level::Compact => "Consider compaction",
        Level::Summarize => "Summarization recommended",
        Level::Handoff => "Context limit reached",
    }
}

/// What `state.json` says about the last compaction.
fn last_compaction(feature: &Feature) -> Option<Value> {
    let text = std::fs::read_to_string(feature.path(STATE_FILE)).ok()?;
    let state: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let last = state.get("lastCompaction")?;
    last.is_object().then(|| last.clone())
}

fn compactions(last: Option<&Value>, history: &[Saving], memory: &Memory, text: &mut String) {
    if let Some(last) = last {
        let word = |key: &str| last[key].as_str().unwrap_or("unknown").to_owned();
        let number = |key: &str| thousands(last[key].as_u64().unwrap_or_default());
        let time = word("timestamp");
        let time = time.parse().map_or(time, clock);
        let _ = write!(
            text,
            "\n📦 Last Compaction:\n  Timestamp: {}\n  Level: {}\n  Saved: {} tokens ({} → {})\n",
            escape_control(&time),
            escape_control(&word("level")),
            number("savedTokens"),
            number("tokensBefore"),
            number("tokensAfter"),
        );
    }
    if !history.is_empty() {
        text.push_str("\n🕘 History:\n");
    }
    for saving in history {
        let state = match (saving.reverted, saving.expires) {
            (true, _) => ", reverted".to_owned(),
            (false, Some(time)) if time >= memory.options.now => {
                format!(", can be reverted until {}", clock(time))
            }
            (false, _) => String::new(),
        };
        let saved = plural(saving.saved().get(), "token");
        let line = format!("{}: {}, {saved} saved{state}", saving.id, saving.level);
        let _ = writeln!(text, "  {}", escape_control(&line));
    }
}

fn notes_of(feature: &Feature, status: &FeatureStatus) -> Notes {
    let texts: Vec<(&str, String)> = status
        .files
        .iter()
        .filter_map(|file| {
            let text = std::fs::read_to_string(feature.path(&file.name)).ok()?;
            Some((file.name.as_str(), text))
        })
        .collect();
    let notes: Vec<(&str, &str)> =
        texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    read_notes(&notes)
}

/// The level in a line, the tasks, and the files.
fn overview(status: &FeatureStatus, notes: &Notes, text: &mut String) {
    let level = status.level.name().to_uppercase();
    let (current, percent) = (thousands(status.tokens.get()), status.percent_text());
    let _ = writeln!(text, "\n{current} tokens ({percent}%) - {level}");
    let _ = writeln!(text, "{}", status.level.recommendation());
    if let Some(task) = notes.current_task() {
        let _ = writeln!(text, "\nCurrent task: {}", escape_control(&notes.units[task].text));
    }
    let _ = writeln!(
        text,
        "{} done, {} in progress, {} to come; {}, {}",
        notes.count(Role::Done),
        notes.count(Role::Current),
        notes.count(Role::Next),
        plural(notes.count(Role::Decision) as u64, "decision"),
        plural(notes.count(Role::Blocker) as u64, "blocker"),
    );
    if !status.files.is_empty() {
        text.push('\n');
    }
    for file in &status.files {
        let tokens = thousands(file.tokens.get());
        let _ = writeln!(text, "{tokens:>9}  {}", escape_control(&file.name));
    }
}
