//! Sessions of agents: read, measured, trimmed, compressed, converted; and their bill.

use std::path::PathBuf;

use loadline::agents::{Agent, find_logs_in, read_logs};
use loadline::archive::Archive;
use loadline::budget::Models;
use loadline::cache::Cache;
use loadline::session::{
    self, CompressOptions, Content, Draft, Keeping, SessionFormat, Transcript, TrimOptions,
    TrimStrategy, Turn,
};
use loadline::tokens::{Counter, Tokens};
use loadline::usage::{UsageReportOptions, usage_report};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};

use crate::error::raised;
use crate::plain;
use crate::source::Source;
use crate::texts::counter;

/// Names the formats of sessions.
#[pyfunction]
pub(crate) fn formats() -> Vec<&'static str> {
    SessionFormat::all().map(|it| it.name()).collect()
}

fn format(name: Option<&str>) -> PyResult<Option<SessionFormat>> {
    name.map(str::parse).transpose().map_err(|error: session::SessionError| raised(error))
}

fn read(source: Source, from: Option<&str>) -> PyResult<Transcript> {
    session::read_session(source.0, format(from)?).map_err(raised)
}

/// The counter that was named, or that of the session's model.
fn counter_for(session: &Transcript, name: Option<&str>) -> PyResult<Counter> {
    match (name, session.model.as_deref()) {
        (None, Some(model)) => counter(Some(model)).or_else(|_| counter(None)),
        (name, _) => counter(name),
    }
}

#[pyfunction]
#[pyo3(signature = (source, from_format = None))]
pub(crate) fn read_session(
    python: Python<'_>,
    source: Source,
    from_format: Option<&str>,
) -> PyResult<Py<PyAny>> {
    let session = read(source, from_format)?;
    let turns: Vec<Value> = session.turns.iter().map(turn).collect();
    let remarks: Vec<String> = session.notes.iter().map(ToString::to_string).collect();
    let document = json!({"format": session.format.name(), "session": session.session,
        "model": session.model, "directory": session.directory, "turns": turns,
        "remarks": remarks});
    plain(python, &document)
}

fn turn(turn: &Turn) -> Value {
    let block = |content: &Content| match content {
        Content::Text(text) => json!({"type": "text", "text": text}),
        Content::Thinking(text) => json!({"type": "thinking", "text": text}),
        Content::Call(call) => json!({"type": "call", "id": call.id, "name": call.name,
            "arguments": call.arguments}),
        Content::Result(result) => json!({"type": "result", "call": result.call,
            "text": result.text, "is_error": result.is_error}),
        Content::Image(tokens) => json!({"type": "image", "tokens": tokens}),
        Content::Other(text) => json!({"type": "other", "text": text}),
    };
    let blocks: Vec<Value> = turn.blocks.iter().map(|it| block(&it.content)).collect();
    json!({"role": turn.role.name(), "blocks": blocks, "id": turn.id, "model": turn.model,
        "time": turn.time.map(|it| it.to_string())})
}

#[pyfunction]
#[pyo3(signature = (source, counter = None, from_format = None))]
pub(crate) fn stats(
    python: Python<'_>,
    source: Source,
    counter: Option<&str>,
    from_format: Option<&str>,
) -> PyResult<Py<PyAny>> {
    let session = read(source, from_format)?;
    let counter = counter_for(&session, counter)?;
    let stats = python.detach(|| session::session_stats(&session, &counter));
    plain(python, &stats)
}

/// A trimmed session: its bytes, the tokens before and after, and the original's handle.
type Shorter<'py> = (Bound<'py, PyBytes>, u64, u64, Option<String>);

#[pyfunction]
#[pyo3(signature = (source, budget, *, strategy = "coverage", keep_last = None, pinned = "", counter = None, from_format = None, to_format = None, archive = None))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn trim<'py>(
    python: Python<'py>,
    source: Source,
    budget: u64,
    strategy: &str,
    keep_last: Option<usize>,
    pinned: &str,
    counter: Option<&str>,
    from_format: Option<&str>,
    to_format: Option<&str>,
    archive: Option<(PathBuf, PathBuf)>,
) -> PyResult<Shorter<'py>> {
    let session = read(source, from_format)?;
    let strategy: TrimStrategy = strategy
        .parse()
        .map_err(|_| PyValueError::new_err(format!("unknown strategy {strategy:?}")))?;
    let options = TrimOptions {
        strategy,
        keep_last,
        pinned: pinned.to_owned(),
        ..TrimOptions::new(counter_for(&session, counter)?, Tokens::new(budget))
    };
    let to = format(to_format)?.unwrap_or(session.format);
    let archive = archive.map(|(directory, project)| Archive::new(&directory, &project));
    let trimmed = python.detach(|| match &archive {
        None => session::trim(&session, &options).map_err(raised),
        Some(archive) => {
            let keeping = Keeping { archive, now: 0 };
            session::trim_archived(&session, &options, None, keeping).map_err(raised)
        }
    })?;
    let bytes = python.detach(|| session::convert_session(&session, &trimmed.draft, to));
    let bytes = PyBytes::new(python, &bytes.map_err(raised)?);
    Ok((bytes, trimmed.before.get(), trimmed.after.get(), trimmed.handle))
}

#[pyfunction]
#[pyo3(signature = (source, *, counter = None, from_format = None))]
pub(crate) fn compress<'py>(
    python: Python<'py>,
    source: Source,
    counter: Option<&str>,
    from_format: Option<&str>,
) -> PyResult<Shorter<'py>> {
    let session = read(source, from_format)?;
    let options = CompressOptions::new(counter_for(&session, counter)?);
    let (compressed, bytes) = python.detach(|| {
        let compressed = session::compress_session(&session, &options);
        let bytes = session::convert_session(&session, &compressed.draft, session.format);
        (compressed, bytes)
    });
    let bytes = bytes.map_err(raised)?;
    let (before, after) = (compressed.before.get(), compressed.after.get());
    Ok((PyBytes::new(python, &bytes), before, after, None))
}

#[pyfunction]
#[pyo3(signature = (source, to_format, from_format = None))]
pub(crate) fn convert<'py>(
    python: Python<'py>,
    source: Source,
    to_format: &str,
    from_format: Option<&str>,
) -> PyResult<Bound<'py, PyBytes>> {
    let session = read(source, from_format)?;
    let to = format(Some(to_format))?.unwrap_or(session.format);
    let written = python.detach(|| session::convert_session(&session, &Draft::whole(&session), to));
    Ok(PyBytes::new(python, &written.map_err(raised)?))
}

/// What a handle stands for.
#[pyfunction]
pub(crate) fn recall<'py>(
    python: Python<'py>,
    handle: &str,
    archive: (PathBuf, PathBuf),
) -> PyResult<Bound<'py, PyBytes>> {
    let archive = Archive::new(&archive.0, &archive.1);
    let original = archive.find(handle).and_then(|hash| archive.get(&hash));
    Ok(PyBytes::new(python, &original.map_err(raised)?))
}

/// What the logs below some paths used and cost.
#[pyfunction]
pub(crate) fn bill(python: Python<'_>, logs: Vec<PathBuf>) -> PyResult<Py<PyAny>> {
    let models = Models::builtin().map_err(raised)?;
    let agents: Vec<Agent> = Agent::ALL.into_iter().filter(|it| it.format().is_some()).collect();
    let mut found = Vec::new();
    for place in logs {
        found.extend(find_logs_in(&place, &agents)?);
    }
    let report = python.detach(|| {
        let (requests, _) = read_logs(&found, &Cache::disabled(), 0);
        usage_report(requests, &models, UsageReportOptions::default())
    });
    plain(python, &report)
}
