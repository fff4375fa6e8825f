//! Texts: counted, cut, outlined, redacted; and items that are put under a budget.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

use loadline::budget::Allocation;
use loadline::fit::{Item, Policy, select};
use loadline::repo::{Secrets, language_of};
use loadline::text::{ChunkOptions, ChunkSource, chunk_outline};
use loadline::tokens::{Counter as Tokenizer, Tokens};
use pyo3::prelude::*;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::error::raised;
use crate::plain;
use crate::source::Source;

/// Counts tokens.
#[pyclass(frozen, module = "loadline")]
pub(crate) struct Counter {
    pub(crate) inner: Tokenizer,
}

#[pymethods]
impl Counter {
    #[new]
    #[pyo3(signature = (name = "o200k"))]
    fn new(name: &str) -> PyResult<Counter> {
        Ok(Counter { inner: counter(Some(name))? })
    }

    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn __repr__(&self) -> String {
        format!("Counter({:?})", self.inner.name())
    }

    fn count(&self, python: Python<'_>, text: Source) -> u64 {
        python.detach(|| self.inner.count(&String::from_utf8_lossy(&text.0)).get())
    }

    /// Counts many texts, on all cores.
    fn count_batch(&self, python: Python<'_>, texts: Vec<Source>) -> Vec<u64> {
        let count = |text: &Source| self.inner.count(&String::from_utf8_lossy(&text.0)).get();
        python.detach(|| texts.par_iter().map(count).collect())
    }
}

/// Finds a counter by its name, or that of a model.
pub(crate) fn counter(name: Option<&str>) -> PyResult<Tokenizer> {
    let name = name.unwrap_or("o200k");
    match name.parse::<Tokenizer>() {
        Ok(counter) => Ok(counter),
        Err(error) => {
            let models = loadline::budget::Models::builtin().map_err(raised)?;
            let model = models.find(name).ok_or_else(|| raised(error))?;
            model.counter.parse().map_err(raised)
        }
    }
}

#[pyfunction]
#[pyo3(signature = (text, path = None, *, max_tokens = None, counter = None))]
pub(crate) fn chunk(
    python: Python<'_>,
    text: Source,
    path: Option<&str>,
    max_tokens: Option<u64>,
    counter: Option<&str>,
) -> PyResult<Py<PyAny>> {
    let counter = self::counter(counter)?;
    let mut options = ChunkOptions::default();
    if let Some(most) = max_tokens {
        options.max_tokens = Tokens::new(most);
        options.min_tokens = options.min_tokens.min(options.max_tokens);
    }
    let text = text.text();
    let path = path.unwrap_or_default();
    let language = language_of(Path::new(path));
    let chunked = python.detach(|| {
        let outline = chunk_outline(language, &text);
        let outline = outline.as_ref().map(Result::as_ref);
        let source = ChunkSource { path, language, outline };
        loadline::text::chunk(&text, &source, &options, |it| counter.count(it))
    });
    let chunks = chunked.map_err(raised)?.chunks.into_iter().map(|chunk| {
        json!({"first": chunk.first, "last": chunk.last, "tokens": chunk.tokens,
            "kind": chunk.kind, "hierarchy": chunk.hierarchy, "part": chunk.part,
            "text": chunk.text})
    });
    plain(python, &chunks.collect::<Vec<_>>())
}

#[pyfunction]
#[pyo3(signature = (text, language))]
pub(crate) fn outline(python: Python<'_>, text: Source, language: &str) -> PyResult<Py<PyAny>> {
    let text = text.text();
    let language = language_of(Path::new(language)).unwrap_or(language);
    let found = python.detach(|| loadline::syntax::outline(language, &text)).map_err(raised)?;
    let definitions = &found.definitions;
    plain(
        python,
        &json!({"language": language, "definitions": definitions, "imports": found.imports}),
    )
}

#[pyfunction]
pub(crate) fn redact(python: Python<'_>, text: Source) -> String {
    let text = text.text();
    python.detach(|| Secrets::builtin().redact(&text).0.into_owned())
}

/// An item as Python gives it.
#[derive(Deserialize)]
struct GivenItem {
    id: String,
    #[serde(default)]
    score: f64,
    tokens: Vec<(String, u64)>,
}

/// Puts items under a budget: which go in, and at which rendition.
#[pyfunction]
pub(crate) fn fit(
    python: Python<'_>,
    items: &Bound<'_, PyAny>,
    budget: u64,
) -> PyResult<Py<PyAny>> {
    let given: Vec<GivenItem> = pythonize::depythonize(items)?;
    let items = given.iter().map(|it| {
        let item = Item::new(it.id.clone(), it.score);
        let renditions = it.tokens.iter();
        renditions
            .fold(item, |item, (name, tokens)| item.rendition(known(name), Tokens::new(*tokens)))
    });
    let items: Vec<Item<String>> = items.collect();
    let budget = Allocation::of(Tokens::new(budget));
    let chosen = select(items, &budget, &Policy::default()).map_err(raised)?;
    let fates = given.iter().map(|it| {
        let fate = chosen.fate(&it.id);
        let because = fate.and_then(|it| it.because()).map(ToString::to_string);
        json!({"id": it.id, "rendition": chosen.rendition(&it.id), "because": because})
    });
    let fates: Vec<serde_json::Value> = fates.collect();
    plain(python, &json!({"tokens": chosen.tokens(), "items": fates}))
}

/// Names of renditions, of which a program has a few, live as long as it does.
fn known(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(|it| it.into_inner());
    if let Some(name) = names.get(name) {
        return name;
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(name);
    name
}
