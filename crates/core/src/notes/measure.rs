//! Measures how many tokens a feature's notes have, and which level that is.
//!
//! Counts come from the store while files are unchanged. What Loadline itself
//! writes into `state.json` does not count, or measuring would change what is
//! measured.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::feature::read_note;
use super::state::{OWN_MEMBERS, set_member, without_members};
use super::{Feature, Features, Level, NotesError, NotesOptions, STATE_FILE, is_unfinished};
use crate::budget::Pressure;
use crate::cache::{Cache, ContentCount, ContentHash};
use crate::repo::{CountOptions, count_paths};
use crate::tokens::Tokens;
use crate::{Remark, write_atomic};

/// Bytes from which a note is worth a remark: some 300,000 tokens.
const HUGE: u64 = 1 << 20;

/// One note and its tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoteFile {
    /// The name inside the feature's directory.
    pub name: String,
    /// The tokens.
    pub tokens: Tokens,
    /// The size in bytes.
    pub bytes: u64,
}

/// How full a feature's notes are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeatureStatus {
    /// The name of the feature.
    pub feature: String,
    /// The notes that count, by name.
    pub files: Vec<NoteFile>,
    /// Their tokens, with the blank line that joins two of them.
    #[serde(rename = "current_tokens")]
    pub tokens: Tokens,
    /// The budget.
    pub max_tokens: Tokens,
    /// The level that the tokens have reached.
    pub level: Level,
    /// What is odd about the files.
    #[serde(skip)]
    pub notes: Vec<Remark>,
}

impl FeatureStatus {
    /// Returns the percentage of the budget in use with one decimal, such as `78.5`.
    pub fn percent_text(&self) -> String {
        let pressure = Pressure::new(self.tokens, self.max_tokens);
        pressure.map_or_else(|_| "0.0".to_owned(), |it| it.percent_text())
    }

    /// Returns the same as a number.
    pub fn percent(&self) -> f64 {
        self.percent_text().parse().unwrap_or_default()
    }

    /// Returns what `state.json` keeps: `tokenUsage`.
    pub fn token_usage(&self, now: Timestamp) -> Value {
        json!({
            "currentTokens": self.tokens.get(),
            "maxTokens": self.max_tokens.get(),
            "usagePercentage": self.percent(),
            "level": self.level.name(),
            "lastChecked": now.to_string(),
        })
    }
}

/// Measures a feature.
///
/// A file that is not text, or that cannot be read, costs a remark. With every
/// file known to the store none but `state.json` is opened.
pub fn measure_feature(
    feature: &Feature,
    options: &NotesOptions,
    store: &Cache,
) -> Result<FeatureStatus, NotesError> {
    let (names, mut notes) = feature.files()?;
    let count = CountOptions {
        counters: vec![options.counter.clone()],
        now_ns: nanoseconds(options.now),
        ..CountOptions::default()
    };
    let mut files = Vec::with_capacity(names.len());
    for name in names {
        let path = feature.path(&name);
        if let Some(file) = measure_state(&name, &path, options, store) {
            files.push(file);
            continue;
        }
        let report = match count_paths(&[path], &count, store) {
            Ok(report) => report,
            Err(error) => {
                notes.push(Remark::new(name, format!("left out: {error}")));
                continue;
            }
        };
        notes.extend(report.notes.into_iter().map(|note| Remark::new(&name, note.message)));
        for file in report.files {
            if file.bytes > HUGE {
                let size = file.bytes >> 20;
                notes.push(Remark::new(&name, format!("has {size} MiB, much for a note")));
            }
            files.push(NoteFile {
                name: name.clone(),
                tokens: file.tokens.first().copied().unwrap_or_default(),
                bytes: file.bytes,
            });
        }
    }
    Ok(status(feature.name(), files, options, notes))
}

/// The name of a feature, and how full it is or why that cannot be told.
pub type MeasuredFeature = (String, Result<FeatureStatus, NotesError>);

/// Measures many features; one that cannot be measured is an error of its own.
pub fn measure_features(
    features: &Features,
    options: &NotesOptions,
    store: &Cache,
) -> Result<Vec<MeasuredFeature>, NotesError> {
    let measure = |name: String| {
        let feature = features.feature(&name);
        let status = feature.and_then(|feature| measure_feature(&feature, options, store));
        (name, status)
    };
    Ok(features.list()?.into_iter().map(measure).collect())
}

/// Writes how full a feature is into its `state.json`, if it has one.
///
/// Everything else in the file stays as it is. Returns whether it was written.
pub fn record_usage(
    feature: &Feature,
    status: &FeatureStatus,
    now: Timestamp,
) -> Result<bool, NotesError> {
    // Whoever is changing the notes right now writes the same, and knows better.
    if is_unfinished(feature)? {
        return Ok(false);
    }
    let path = feature.path(STATE_FILE);
    // A link is not ours to follow, and no reason to stop.
    let bytes = read_note(&path).ok().flatten();
    let Some(before) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else {
        return Ok(false);
    };
    match set_member(&before, "tokenUsage", &status.token_usage(now)) {
        Some(after) => {
            write_atomic(&path, after.as_bytes())?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Adds up notes and finds the level.
pub(super) fn status(
    feature: &str,
    files: Vec<NoteFile>,
    options: &NotesOptions,
    notes: Vec<Remark>,
) -> FeatureStatus {
    let tokens = total(files.iter().map(|file| file.tokens), options);
    FeatureStatus {
        feature: feature.to_owned(),
        files,
        tokens,
        max_tokens: options.max_tokens,
        level: level_of(tokens, options),
        notes,
    }
}

/// Returns the level that an amount has reached.
pub(super) fn level_of(tokens: Tokens, options: &NotesOptions) -> Level {
    let pressure = Pressure::new(tokens, options.max_tokens);
    pressure.map_or(Level::Handoff, |it| Level::of_step(options.ladder.step(&it)))
}

/// Adds up the tokens of notes and of the blank lines that join them.
pub(super) fn total(counts: impl Iterator<Item = Tokens>, options: &NotesOptions) -> Tokens {
    let seam = options.counter.count("\n\n");
    let mut sum: Option<Tokens> = None;
    for count in counts {
        let before = sum.map_or(Tokens::ZERO, |sum| sum.saturating_add(seam));
        sum = Some(before.saturating_add(count));
    }
    sum.unwrap_or_default()
}

/// Counts what a note has of its own; `state.json` without what Loadline writes there.
pub(super) fn own_text<'a>(name: &str, text: &'a str) -> std::borrow::Cow<'a, str> {
    if name == STATE_FILE {
        without_members(text, &OWN_MEMBERS).map_or(text.into(), Into::into)
    } else {
        text.into()
    }
}

/// Measures `state.json` if it holds something of ours.
fn measure_state(
    name: &str,
    path: &std::path::Path,
    options: &NotesOptions,
    store: &Cache,
) -> Option<NoteFile> {
    if name != STATE_FILE {
        return None;
    }
    let text = String::from_utf8(read_note(path).ok()??).ok()?;
    let own = without_members(&text, &OWN_MEMBERS)?;
    Some(NoteFile {
        name: name.to_owned(),
        tokens: known_count(&own, options, store),
        bytes: text.len() as u64,
    })
}

/// Counts a text, or recalls its count.
fn known_count(text: &str, options: &NotesOptions, store: &Cache) -> Tokens {
    let counter = &options.counter;
    let now_ns = nanoseconds(options.now);
    if !counter.is_cacheable() || !store.is_enabled() {
        return counter.count(text);
    }
    let hash = ContentHash::of(text.as_bytes());
    let base = counter.base();
    let known = store.content_counts(base.name(), &[hash], now_ns);
    if let Some(count) = known.into_iter().next().flatten() {
        return counter.correct(count.tokens);
    }
    let tokens = base.count(text);
    let count = ContentCount { tokens, detail: Vec::new() };
    store.record_content_counts(base.name(), &[(hash, count)], now_ns);
    counter.correct(tokens)
}

fn nanoseconds(time: Timestamp) -> i64 {
    let time = time.as_nanosecond();
    i64::try_from(time).unwrap_or(if time < 0 { i64::MIN } else { i64::MAX })
}
