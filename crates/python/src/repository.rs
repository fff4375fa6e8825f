//! Repositories: packed, searched, mapped.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use loadline::cache::{Cache, CacheOptions};
use loadline::pack::{Format, PackOptions, Packed, SearchOptions};
use loadline::settings::Config;
use loadline::tokens::Tokens;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use crate::error::raised;
use crate::plain;
use crate::texts::counter;

/// What packs, searches and maps have in common.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Choices {
    budget: Option<u64>,
    counter: Option<String>,
    include: Vec<String>,
    exclude: Vec<String>,
    cache: Option<PathBuf>,
    now: Option<f64>,
}

impl Choices {
    fn options(&self) -> PyResult<PackOptions> {
        let config = Config::load([]).map_err(raised)?;
        let mut options = PackOptions::new(counter(self.counter.as_deref())?, config.settings());
        options.budget = self.budget.map(Tokens::new);
        options.walk.include.extend(self.include.iter().cloned());
        options.walk.exclude.extend(self.exclude.iter().cloned());
        options.now_ns = match self.now {
            Some(seconds) => (seconds * 1e9) as i64,
            None => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)
            }
        };
        Ok(options)
    }

    fn store(&self) -> Cache {
        match &self.cache {
            Some(directory) => Cache::open(directory, CacheOptions::default()),
            None => Cache::disabled(),
        }
    }
}

#[pyfunction]
pub(crate) fn pack(
    python: Python<'_>,
    root: PathBuf,
    task: Option<String>,
    format: &str,
    choices: Choices,
) -> PyResult<Py<PyAny>> {
    let mut options = choices.options()?;
    options.format = Format::named(format)
        .ok_or_else(|| PyValueError::new_err(format!("unknown format {format:?}")))?;
    let store = choices.store();
    let packed = python.detach(|| match &task {
        Some(task) => loadline::pack::pack_for_task(&root, task, &options, &store),
        None => loadline::pack::pack(&root, &options, &store),
    });
    let Packed { content, tokens, files, omitted, notes, .. } = packed.map_err(raised)?;
    let files = files.iter().map(|file| {
        json!({"path": file.path, "tier": file.tier, "score": file.score, "tokens": file.tokens,
            "lines": file.ranges})
    });
    let files: Vec<serde_json::Value> = files.collect();
    let remarks: Vec<String> = notes.iter().map(ToString::to_string).collect();
    let packed = json!({"content": content, "tokens": tokens, "files": files,
        "omitted": omitted, "remarks": remarks});
    plain(python, &packed)
}

#[pyfunction]
pub(crate) fn search(
    python: Python<'_>,
    root: PathBuf,
    text: String,
    limit: usize,
    choices: Choices,
) -> PyResult<Py<PyAny>> {
    let mut options = SearchOptions::new(choices.options()?);
    options.limit = limit;
    let store = choices.store();
    let found = python.detach(|| loadline::pack::search(&root, &text, &options, &store));
    plain(python, &found.map_err(raised)?.hits)
}

#[pyfunction]
pub(crate) fn map(python: Python<'_>, root: PathBuf, choices: Choices) -> PyResult<Py<PyAny>> {
    let options = choices.options()?;
    let store = choices.store();
    let mapped = python.detach(|| loadline::pack::map(&root, &options, &store)).map_err(raised)?;
    let omitted = mapped.omitted;
    let mapped = json!({"content": mapped.content, "tokens": mapped.tokens, "files": mapped.files,
        "omitted": omitted});
    plain(python, &mapped)
}
