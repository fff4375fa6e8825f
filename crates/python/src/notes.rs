//! Notes of agents: what they say, and what a session should start with.

use std::path::PathBuf;

use jiff::Timestamp;
use loadline::cache::Cache;
use loadline::notes::{Feature, NotesOptions, brief, read_notes};
use loadline::settings::Config;
use loadline::tokens::Tokens;
use pyo3::prelude::*;
use serde_json::json;

use crate::error::raised;
use crate::plain;
use crate::texts::counter;

/// What a session should start with, of notes in a directory or one file.
#[pyfunction]
#[pyo3(signature = (path, task, tokens, counter_name, window, now))]
pub(crate) fn notes_brief(
    python: Python<'_>,
    path: PathBuf,
    task: Option<String>,
    tokens: Option<u64>,
    counter_name: Option<&str>,
    window: u64,
    now: Option<f64>,
) -> PyResult<Py<PyAny>> {
    let config = Config::load([]).map_err(raised)?;
    let now = now.and_then(|it| Timestamp::from_second(it as i64).ok());
    let now = now.unwrap_or_else(Timestamp::now);
    let settings = &config.settings().memory;
    let counter = counter(counter_name)?;
    let mut options =
        NotesOptions::new(settings, counter, Tokens::new(window), now).map_err(raised)?;
    options.background.task = task;
    let done = python.detach(|| {
        let feature = Feature::at(&path)?;
        options.ask_git(&feature, &Cache::disabled());
        let budget = tokens.map_or_else(|| options.handoff_budget(), Tokens::new);
        brief(&feature, budget, &options).map(|done| (budget, done))
    });
    let (budget, done) = done.map_err(raised)?;
    let remarks: Vec<String> = done.notes.iter().map(ToString::to_string).collect();
    plain(
        python,
        &json!({"content": done.text, "tokens": done.tokens, "budget": budget,
            "units_shown": done.shown.0, "units": done.shown.1, "remarks": remarks}),
    )
}

/// What notes say, unit by unit.
#[pyfunction]
pub(crate) fn notes_units(python: Python<'_>, files: Vec<(String, String)>) -> PyResult<Py<PyAny>> {
    let given: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let notes = python.detach(|| read_notes(&given));
    let units = notes.units.iter().map(|unit| {
        let section = unit.section.and_then(|it| notes.sections.get(it));
        json!({"file": notes.files[unit.file], "line": unit.line, "role": unit.role.name(),
            "text": unit.text, "section": section.map(|it| it.title.as_str()),
            "parent": unit.parent})
    });
    plain(python, &units.collect::<Vec<_>>())
}
